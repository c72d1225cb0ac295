//! Kernels of [`traverse`].

use super::kernels;
use super::memory::Memory;
use crate::arguments::traverse as arguments;
use crate::traverse::{self, Walk};

impl arguments::Walk {
    #[inline]
    fn of(&self, memory: Memory) -> Walk<'_> {
        Walk { nodes: memory.read(self.nodes), meetings: memory.read(self.meetings) }
    }
}

kernels! {
    fracas_traverse_has_root(memory, arguments: arguments::HasRoot, index) {
        let has_root = traverse::root(&arguments.walk.of(memory), index).is_some();
        memory.write(arguments.counts, index, u32::from(has_root));
    }

    fracas_traverse_root(memory, arguments: arguments::Root, index) {
        if let Some(pair) = traverse::root(&arguments.walk.of(memory), index) {
            memory.write(arguments.pairs, memory.read(arguments.starts)[index] as usize, pair);
        }
    }

    fracas_traverse_child_count(memory, arguments: arguments::ChildCount, index) {
        let count = traverse::child_count(&arguments.walk.of(memory), memory.read(arguments.pairs), index);
        memory.write(arguments.counts, index, count);
    }

    fracas_traverse_descend(memory, arguments: arguments::Descend, index) {
        let (pairs, marks) = (memory.read(arguments.pairs), memory.read(arguments.marks));
        let output = memory.part(arguments.output, memory.read(arguments.starts), index);
        traverse::descend(&arguments.walk.of(memory), pairs, marks, index, output);
    }

    fracas_traverse_is_reached(memory, arguments: arguments::IsReached, index) {
        memory.write(arguments.counts, index, traverse::is_reached(memory.read(arguments.marks), index).value);
    }

    fracas_traverse_reached(memory, arguments: arguments::TakeReached, index) {
        let (meetings, marks) = (memory.read(arguments.meetings), memory.read(arguments.marks));
        if let Some(reached) = traverse::reached(meetings, marks, index) {
            memory.write(arguments.output, memory.read(arguments.starts)[index] as usize, reached);
        }
    }
}
