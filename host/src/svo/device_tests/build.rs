//! Octrees of the pieces.

use fracas_kernels::build::{self, Branch, Forest, Row, Rows, Run};
use fracas_kernels::node::Node;

use super::*;

/// All lists of the builder.
pub(super) struct Built {
    levels: usize,
    pieces: usize,
    leaves: usize,
    /// Of all boundary nodes, row by row.
    pub(super) codes: Vec<u32>,
    pub(super) normals: Vec<u16>,
    branches: Vec<Branch>,
    runs: Vec<Run>,
    pub(super) node_starts: Vec<u32>,
    attribute_starts: Vec<u32>,
    nodes: usize,
}

impl Built {
    /// From the leaves, sorted by piece and code.
    pub(super) fn new(levels: usize, pieces: usize, codes: Vec<u32>, owners: Vec<u32>, normals: Vec<u16>) -> Built {
        let (mut codes, mut owners, mut normals) = (codes, owners, normals);
        let leaves = codes.len();
        let mut rows = vec![0, leaves as u32];
        let mut branches: Vec<Branch> = Vec::new();
        for height in 0..levels {
            let (first, end) = (rows[height] as usize, rows[height + 1] as usize);
            let (row_codes, row_pieces) = (codes[first..end].to_vec(), owners[first..end].to_vec());
            let row = Row { codes: &row_codes, pieces: &row_pieces, first: first as u32 };
            let mut place = 0;
            let places: Vec<u32> = (0..end - first)
                .map(|index| {
                    place += build::begins_parent(&row, index).value;
                    place
                })
                .collect();
            for parent in (0..end - first).filter_map(|index| build::parent(&row, &places, index)) {
                codes.push(parent.code);
                owners.push(parent.piece);
                branches.push(parent.branch);
                let own = &branches[end.saturating_sub(leaves)..];
                normals.push(build::parent_normal(own, &normals, own.len() - 1));
            }
            rows.push(codes.len() as u32);
        }
        let firsts: Vec<u32> =
            (0..=pieces * (levels + 1)).map(|index| build::first_of_run(&owners, &rows, pieces, index)).collect();
        let table = Rows { levels, pieces, firsts: &firsts };
        let runs: Vec<Run> = (0..pieces * (levels + 1)).map(|index| build::run(&table, index)).collect();
        let sum = |count: fn(&Rows<'_>, usize) -> u32| starts((0..pieces).map(|piece| count(&table, piece)));
        let (node_starts, attribute_starts) = (sum(build::node_count), sum(build::attribute_count));
        let nodes = node_starts[pieces];
        let [node_starts, attribute_starts] =
            [node_starts, attribute_starts].map(|starts| starts[..pieces].iter().map(|&start| start as u32).collect());
        Built { levels, pieces, leaves, codes, normals, branches, runs, node_starts, attribute_starts, nodes }
    }

    /// From pieces that were made already.
    pub(super) fn from_pieces(trees: &[Tree], levels: u32) -> Built {
        let (mut codes, mut owners, mut normals) = (Vec::new(), Vec::new(), Vec::new());
        for (piece, tree) in (0..).zip(trees) {
            let own = tree.boundary_codes();
            owners.extend(own.iter().map(|_| piece));
            normals.extend(&tree.normals()[..own.len()]);
            codes.extend(own);
        }
        Built::new(levels as usize, trees.len(), codes, owners, normals)
    }

    pub(super) fn forest(&self) -> Forest<'_> {
        Forest {
            levels: self.levels,
            pieces: self.pieces,
            runs: &self.runs,
            branches: &self.branches,
            leaves: self.leaves,
            node_starts: &self.node_starts,
            attribute_starts: &self.attribute_starts,
        }
    }

    /// The nodes of all pieces; what is inside is another launch's question.
    pub(super) fn nodes(&self) -> Vec<Node> {
        (0..self.nodes).map(|index| build::node(&self.forest(), index)).collect()
    }

    /// Holds a piece's nodes and normals to those of a tree.
    pub(super) fn check(&self, nodes: &[Node], piece: usize, tree: &Tree) {
        let start = self.node_starts[piece] as usize;
        let end = self.node_starts.get(piece + 1).map_or(self.nodes, |&end| end as usize);
        assert_eq!(&nodes[start..end], tree.nodes());
        for (index, &normal) in tree.normals().iter().enumerate() {
            let source = build::attribute_source(&self.forest(), self.attribute_starts[piece] as usize + index);
            assert_eq!(self.normals[source as usize], normal);
        }
    }
}

#[test]
fn trees_built_on_the_device_are_the_pieces() {
    let (_, fractured) = torus(5);
    let built = Built::from_pieces(&fractured.pieces, 5);
    let nodes = built.nodes();
    for (piece, tree) in fractured.pieces.iter().enumerate() {
        let outside = |node: &Node| if node.is_internal() { Node::OUTSIDE } else { *node };
        let without_inside = Tree { nodes: tree.nodes().iter().map(outside).collect(), ..tree.clone() };
        built.check(&nodes, piece, &without_inside);
    }
}
