//! Kernels of [`extract`].

use super::kernels;
use super::memory::Memory;
use crate::arguments::extract as arguments;
use crate::extract::{self, Child, Level};

impl arguments::Level {
    #[inline]
    fn of(&self, memory: Memory) -> Level<'_> {
        Level {
            nodes: memory.read(self.nodes),
            places: memory.read(self.places),
            seeds: memory.read(self.seeds),
            height: self.height as u32,
        }
    }
}

kernels! {
    fracas_extract_count_child(memory, arguments: arguments::CountChild, index) {
        let count = extract::count_child(&arguments.level.of(memory), index);
        memory.write(arguments.places, index, count.places);
        memory.write(arguments.seeds, index, count.seeds);
        memory.write(arguments.solids, index, count.solids);
    }

    fracas_extract_child(memory, arguments: arguments::MakeChild, index) {
        let starts = memory.read(arguments.seed_starts);
        let seeds = memory.part(arguments.seeds, starts, index);
        match extract::child(&arguments.level.of(memory), starts[index], index, seeds) {
            Child::Nothing => {}
            Child::Solid(solid) => {
                memory.write(arguments.solids, memory.read(arguments.solid_starts)[index] as usize, solid);
            }
            Child::Place(place) => {
                memory.write(arguments.places, memory.read(arguments.place_starts)[index] as usize, place);
            }
        }
    }

    fracas_extract_count_copies(memory, arguments: arguments::CountCopies, index) {
        let count = extract::count_copies(&arguments.level.of(memory), index);
        memory.write(arguments.voxels, index, count.voxels);
        memory.write(arguments.solids, index, count.solids);
    }

    fracas_extract_copies(memory, arguments: arguments::MakeCopies, index) {
        let voxels = memory.part(arguments.voxels, memory.read(arguments.voxel_starts), index);
        if let Some(solid) = extract::copies(&arguments.level.of(memory), index, voxels) {
            memory.write(arguments.solids, memory.read(arguments.solid_starts)[index] as usize, solid);
        }
    }
}
