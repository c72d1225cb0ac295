//! The kernel of [`inside`].

use super::kernels;
use crate::arguments::inside as arguments;
use crate::inside::{self, Pieces, Solids};

kernels! {
    fracas_inside_node(memory, arguments: arguments::Inside, index) {
        let pieces = Pieces {
            forest: arguments.forest.of(memory),
            nodes: memory.read(arguments.nodes),
            codes: memory.read(arguments.codes),
            normals: memory.read(arguments.normals),
            cells: memory.read(arguments.cells),
            solids: Solids { list: memory.read(arguments.solids), starts: memory.read(arguments.solid_starts) },
        };
        memory.write(arguments.output, index, inside::node(&pieces, index));
    }
}
