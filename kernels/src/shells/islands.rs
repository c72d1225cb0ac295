//! Kernels of [`islands`].

use core::sync::atomic::Ordering::Relaxed;

use super::kernels;
use super::memory::Memory;
use crate::arguments::islands as arguments;
use crate::inside::Solids;
use crate::islands::{self, Voxels};

impl arguments::Voxels {
    #[inline]
    fn of(&self, memory: Memory) -> Voxels<'_> {
        Voxels { codes: memory.read(self.codes), groups: memory.read(self.groups), starts: memory.read(self.starts) }
    }
}

kernels! {
    fracas_islands_ancestor(memory, arguments: arguments::Ancestor, index) {
        let code = memory.read(arguments.codes)[index];
        memory.write(arguments.output, index, islands::ancestor(code, arguments.levels as u32));
    }

    fracas_islands_neighbour_bits(memory, arguments: arguments::NeighbourBits, index) {
        memory.write(arguments.bits, index, islands::neighbour_bits(&arguments.voxels.of(memory), index));
    }

    fracas_islands_start(memory, arguments: arguments::Start, index) {
        memory.write(arguments.labels, index, index as u32);
    }

    fracas_islands_label(memory, arguments: arguments::Label, index) {
        let bits = memory.read(arguments.bits)[index];
        islands::label(&arguments.voxels.of(memory), bits, memory.read(arguments.parents), index);
    }

    fracas_islands_flatten(memory, arguments: arguments::Flatten, index) {
        islands::flatten(memory.read(arguments.labels), index);
    }

    fracas_islands_propagate(memory, arguments: arguments::Propagate, index) {
        let (voxels, labels) = (arguments.voxels.of(memory), memory.read(arguments.labels));
        if islands::propagate(&voxels, memory.change(arguments.bits, index), labels, index) {
            memory.one(arguments.changed).store(1, Relaxed);
        }
    }

    fracas_islands_link_solids(memory, arguments: arguments::LinkSolids, index) {
        let labels = memory.read(arguments.labels);
        let solids = arguments.parents.length as usize - labels.len();
        let parent = if index < solids { index } else { solids + labels[index - solids] as usize };
        memory.write(arguments.parents, index, parent as u32);
    }

    fracas_islands_join_solids(memory, arguments: arguments::JoinSolids, index) {
        let solids = Solids { list: memory.read(arguments.solids), starts: memory.read(arguments.solid_starts) };
        let (voxels, parents) = (arguments.voxels.of(memory), memory.read(arguments.parents));
        islands::join_solids(&voxels, &solids, arguments.levels as usize, parents, index);
    }

    fracas_islands_unlink_solids(memory, arguments: arguments::UnlinkSolids, index) {
        let solids = (arguments.parents.length - arguments.labels.length) as usize;
        memory.write(arguments.labels, index, memory.read(arguments.parents)[solids + index] - solids as u32);
    }
}
