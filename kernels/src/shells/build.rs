//! Kernels of [`build`].

use super::kernels;
use super::memory::Memory;
use crate::arguments::build as arguments;
use crate::build::{self, Forest, Row, Rows};

impl arguments::Row {
    #[inline]
    fn of(&self, memory: Memory) -> Row<'_> {
        Row { codes: memory.read(self.codes), pieces: memory.read(self.pieces), first: self.first as u32 }
    }
}

impl arguments::Rows {
    #[inline]
    fn of(&self, memory: Memory) -> Rows<'_> {
        Rows { levels: self.levels as usize, pieces: self.pieces as usize, firsts: memory.read(self.firsts) }
    }
}

impl arguments::Forest {
    #[inline]
    pub(super) fn of(&self, memory: Memory) -> Forest<'_> {
        Forest {
            levels: self.levels as usize,
            pieces: self.pieces as usize,
            runs: memory.read(self.runs),
            branches: memory.read(self.branches),
            leaves: self.leaves as usize,
            node_starts: memory.read(self.node_starts),
            attribute_starts: memory.read(self.attribute_starts),
        }
    }
}

kernels! {
    fracas_build_begins_parent(memory, arguments: arguments::BeginsParent, index) {
        memory.write(arguments.begins, index, build::begins_parent(&arguments.row.of(memory), index).value);
    }

    fracas_build_parent(memory, arguments: arguments::Parent, index) {
        if let Some(parent) = build::parent(&arguments.row.of(memory), memory.read(arguments.places), index) {
            let place = parent.place as usize;
            memory.write(arguments.codes, place, parent.code);
            memory.write(arguments.pieces, place, parent.piece);
            memory.write(arguments.branches, place, parent.branch);
        }
    }

    fracas_build_first_of_run(memory, arguments: arguments::FirstOfRun, index) {
        let (pieces, rows) = (memory.read(arguments.pieces), memory.read(arguments.rows));
        let first = build::first_of_run(pieces, rows, arguments.piece_count as usize, index);
        memory.write(arguments.firsts, index, first);
    }

    fracas_build_run(memory, arguments: arguments::MakeRun, index) {
        memory.write(arguments.runs, index, build::run(&arguments.rows.of(memory), index));
    }

    fracas_build_node_count(memory, arguments: arguments::NodeCount, index) {
        memory.write(arguments.counts, index, build::node_count(&arguments.rows.of(memory), index));
    }

    fracas_build_attribute_count(memory, arguments: arguments::AttributeCount, index) {
        memory.write(arguments.counts, index, build::attribute_count(&arguments.rows.of(memory), index));
    }

    fracas_build_node(memory, arguments: arguments::MakeNode, index) {
        memory.write(arguments.nodes, index, build::node(&arguments.forest.of(memory), index));
    }

    fracas_build_attribute_source(memory, arguments: arguments::AttributeSource, index) {
        memory.write(arguments.sources, index, build::attribute_source(&arguments.forest.of(memory), index));
    }

    fracas_build_parent_normal(memory, arguments: arguments::ParentNormal, index) {
        let (branches, normals) = (memory.read(arguments.branches), memory.read(arguments.normals));
        memory.write(arguments.output, index, build::parent_normal(branches, normals, index));
    }
}
