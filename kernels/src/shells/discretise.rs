//! Kernels of [`discretise`].

use super::kernels;
use super::memory::Memory;
use crate::arguments::discretise as arguments;
use crate::discretise::{self, CollisionPoint, Surfaces};

impl arguments::Touched {
    #[inline]
    fn point(&self, memory: Memory, index: usize) -> Option<CollisionPoint> {
        let surfaces = Surfaces {
            stands: memory.read(self.stands),
            nodes: memory.read(self.nodes),
            normals: memory.read(self.normals),
        };
        discretise::point(&surfaces, memory.read(self.touches), index)
    }
}

kernels! {
    fracas_discretise_has_point(memory, arguments: arguments::HasPoint, index) {
        memory.write(arguments.counts, index, u32::from(arguments.touched.point(memory, index).is_some()));
    }

    fracas_discretise_point(memory, arguments: arguments::MakePoint, index) {
        if let Some(point) = arguments.touched.point(memory, index) {
            memory.write(arguments.points, memory.read(arguments.starts)[index] as usize, point);
        }
    }

    fracas_discretise_first_of_sight(memory, arguments: arguments::FirstOfSight, index) {
        memory.write(arguments.firsts, index, discretise::first_of_sight(memory.read(arguments.points), index));
    }

    fracas_discretise_key(memory, arguments: arguments::PointKey, index) {
        memory.write(arguments.keys, index, discretise::key(&memory.read(arguments.points)[index]));
    }

    fracas_discretise_arrange(memory, arguments: arguments::Arrange, index) {
        let number = memory.read(arguments.order)[index];
        memory.write(arguments.output, index, memory.read(arguments.points)[number as usize]);
    }

    fracas_discretise_begins_cell(memory, arguments: arguments::BeginsCell, index) {
        memory.write(arguments.begins, index, discretise::begins_cell(memory.read(arguments.keys), index).value);
    }

    fracas_discretise_accumulate(memory, arguments: arguments::Accumulate, index) {
        let (points, segments) = (memory.read(arguments.points), memory.read(arguments.segments));
        discretise::accumulate(points, segments, memory.read(arguments.sums), index);
    }
}
