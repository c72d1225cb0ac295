//! Kernels of [`touch`].

use super::kernels;
use super::memory::Memory;
use crate::arguments::touch as arguments;
use crate::touch::{self, Grids, Query};

impl arguments::Query {
    #[inline]
    fn of(&self, memory: Memory) -> Query<'_> {
        Query {
            sights: memory.read(self.sights),
            ways: memory.read(self.ways),
            grids: Grids { numbers: memory.read(self.numbers), chunks: memory.read(self.grid_chunks) },
            chunks: memory.read(self.chunks),
        }
    }
}

kernels! {
    fracas_touch_way(memory, arguments: arguments::MakeWay, index) {
        memory.write(arguments.ways, index, touch::way(memory.read(arguments.sights), index));
    }

    fracas_touch_word(memory, arguments: arguments::MakeWord, index) {
        let word = touch::word(&arguments.query.of(memory), index);
        memory.write(arguments.words, index, word);
        memory.write(arguments.counts, index, word.count());
    }

    fracas_touch_touch(memory, arguments: arguments::TakeTouch, index) {
        let words = memory.read(arguments.words);
        if let Some((place, touch)) = touch::touch(&arguments.query.of(memory), words, index) {
            let start = memory.read(arguments.starts)[index / 64];
            memory.write(arguments.output, (start + place) as usize, touch);
        }
    }

    fracas_touch_first_of_sight(memory, arguments: arguments::FirstOfSight, index) {
        memory.write(arguments.firsts, index, touch::first_of_sight(memory.read(arguments.touches), index));
    }

    fracas_touch_mark_near(memory, arguments: arguments::MarkNear, index) {
        let (firsts, marks) = (memory.read(arguments.firsts), memory.read(arguments.marks));
        touch::mark_near(&arguments.query.of(memory), firsts, arguments.distance, marks, index);
    }
}
