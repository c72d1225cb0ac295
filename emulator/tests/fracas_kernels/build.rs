//! Octrees of pieces.

use std::collections::BTreeSet;

use fracas_kernels::arguments::build as arguments;
use fracas_kernels::build::{self, Branch, Forest, Row, Rows, Run};
use fracas_kernels::node::Node;

use super::gpu::{Gpu, Random, exclusive, in_every_way, inclusive, map};

/// All lists of a build, made on the host.
pub(crate) struct Built {
    pub(crate) levels: usize,
    pub(crate) pieces: usize,
    pub(crate) leaves: usize,
    /// Of the boundary nodes of all rows.
    pub(crate) codes: Vec<u32>,
    pub(crate) piece_of: Vec<u32>,
    pub(crate) normals: Vec<u16>,
    pub(crate) row_starts: Vec<u32>,
    pub(crate) branches: Vec<Branch>,
    pub(crate) firsts: Vec<u32>,
    pub(crate) runs: Vec<Run>,
    pub(crate) node_starts: Vec<u32>,
    pub(crate) attribute_starts: Vec<u32>,
    pub(crate) nodes: Vec<Node>,
}

impl Built {
    /// From leaves that are sorted by piece and code.
    pub(crate) fn new(levels: usize, leaves: &[(u32, u32)], normals: Vec<u16>) -> Built {
        let pieces = leaves.last().map_or(0, |last| last.0 as usize + 1);
        let mut built = Built {
            levels,
            pieces,
            leaves: leaves.len(),
            codes: leaves.iter().map(|leaf| leaf.1).collect(),
            piece_of: leaves.iter().map(|leaf| leaf.0).collect(),
            normals,
            row_starts: vec![0, leaves.len() as u32],
            branches: vec![],
            firsts: vec![],
            runs: vec![],
            node_starts: vec![],
            attribute_starts: vec![],
            nodes: vec![],
        };
        // A row more for each level, even of nothing.
        for height in 0..levels {
            let row = built.row(height);
            let count = row.codes.len();
            let places = inclusive(&map(count, |index| build::begins_parent(&row, index).value));
            let parents: Vec<_> = (0..count).filter_map(|index| build::parent(&row, &places, index)).collect();
            let branches: Vec<Branch> = parents.iter().map(|parent| parent.branch).collect();
            let normals = map(branches.len(), |index| build::parent_normal(&branches, &built.normals, index));
            built.codes.extend(parents.iter().map(|parent| parent.code));
            built.piece_of.extend(parents.iter().map(|parent| parent.piece));
            built.branches.extend(branches);
            built.normals.extend(normals);
            built.row_starts.push(built.codes.len() as u32);
        }
        if pieces == 0 {
            return built;
        }
        let entries = (levels + 1) * pieces;
        built.firsts = map(entries + 1, |index| build::first_of_run(&built.piece_of, &built.row_starts, pieces, index));
        built.runs = map(entries, |index| build::run(&built.rows(), index));
        let (node_starts, nodes) = exclusive(&map(pieces, |index| build::node_count(&built.rows(), index)));
        built.node_starts = node_starts;
        built.attribute_starts = exclusive(&map(pieces, |index| build::attribute_count(&built.rows(), index))).0;
        built.nodes = map(nodes, |index| build::node(&built.forest(), index));
        built
    }

    fn row(&self, height: usize) -> Row<'_> {
        let range = self.row_starts[height] as usize..self.row_starts[height + 1] as usize;
        Row { codes: &self.codes[range.clone()], pieces: &self.piece_of[range.clone()], first: range.start as u32 }
    }

    fn rows(&self) -> Rows<'_> {
        Rows { levels: self.levels, pieces: self.pieces, firsts: &self.firsts }
    }

    pub(crate) fn forest(&self) -> Forest<'_> {
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

    pub(crate) fn upload(&self, gpu: &Gpu) -> arguments::Forest {
        arguments::Forest {
            levels: self.levels as u64,
            pieces: self.pieces as u64,
            leaves: self.leaves as u64,
            runs: gpu.upload(&self.runs),
            branches: gpu.upload(&self.branches),
            node_starts: gpu.upload(&self.node_starts),
            attribute_starts: gpu.upload(&self.attribute_starts),
        }
    }
}

const LEVELS: usize = 6;

fn random_forest(size: usize) -> Built {
    let mut random = Random(size as u64);
    // So many that the kernels with a thread for each piece go in steps of the grid too.
    let pieces = (size / 8 + 7).min(size) as u32;
    let spread = (16 + size as u32 / 4).min(1 << (3 * LEVELS));
    let mut leaves: BTreeSet<(u32, u32)> = (0..pieces).map(|piece| (piece, random.below(spread))).collect();
    while leaves.len() < size {
        leaves.insert((random.below(pieces), random.below(spread)));
    }
    let leaves: Vec<(u32, u32)> = leaves.into_iter().collect();
    let normals = leaves.iter().map(|_| (random.below(255) | random.below(255) << 8) as u16).collect();
    Built::new(LEVELS, &leaves, normals)
}

#[test]
fn rows_and_their_parents() {
    in_every_way(|gpu| {
        for size in gpu.sizes() {
            let built = random_forest(size);
            for height in 0..LEVELS {
                let row = built.row(height);
                let count = row.codes.len();
                let (codes, pieces) = (gpu.upload(row.codes), gpu.upload(row.pieces));
                let row_arguments = arguments::Row { codes, pieces, first: u64::from(row.first) };
                let begins = gpu.output(count);
                gpu.launch(&arguments::BeginsParent { row: row_arguments, begins });
                let expected = map(count, |index| build::begins_parent(&row, index).value);
                gpu.expect(begins, &expected);

                let next = built.row(height + 1);
                let parents = next.codes.len();
                let first = next.first as usize - built.leaves;
                let branches = &built.branches[first..first + parents];
                let made = arguments::Parent {
                    row: row_arguments,
                    places: gpu.upload(&inclusive(&expected)),
                    codes: gpu.output(parents),
                    pieces: gpu.output(parents),
                    branches: gpu.output(parents),
                };
                gpu.launch(&made);
                gpu.expect(made.codes, next.codes);
                gpu.expect(made.pieces, next.pieces);
                gpu.expect(made.branches, branches);

                // One list, of which the kernel reads a part and writes another.
                let normals = gpu.upload_mut(&built.normals);
                let middle = u64::from(next.first);
                let output = normals.part(middle..middle + parents as u64);
                let normals = normals.part(0..middle).read_only();
                gpu.launch(&arguments::ParentNormal { branches: gpu.upload(branches), normals, output });
                gpu.expect(output, &built.normals[next.first as usize..][..parents]);
            }
        }
    });
}

#[test]
fn runs_and_counts() {
    in_every_way(|gpu| {
        for size in gpu.sizes().filter(|&size| size > 0) {
            let built = random_forest(size);
            let firsts = gpu.output(built.firsts.len());
            gpu.launch(&arguments::FirstOfRun {
                pieces: gpu.upload(&built.piece_of),
                rows: gpu.upload(&built.row_starts),
                piece_count: built.pieces as u64,
                firsts,
            });
            gpu.expect(firsts, &built.firsts);
            let rows =
                arguments::Rows { levels: LEVELS as u64, pieces: built.pieces as u64, firsts: firsts.read_only() };
            let runs = gpu.output(built.runs.len());
            gpu.launch(&arguments::MakeRun { rows, runs });
            gpu.expect(runs, &built.runs);
            let counts = gpu.output(built.pieces);
            gpu.launch(&arguments::NodeCount { rows, counts });
            gpu.expect(counts, &map(built.pieces, |index| build::node_count(&built.rows(), index)));
            gpu.launch(&arguments::AttributeCount { rows, counts });
            gpu.expect(counts, &map(built.pieces, |index| build::attribute_count(&built.rows(), index)));
        }
    });
}

#[test]
fn nodes_and_attributes() {
    in_every_way(|gpu| {
        for size in gpu.sizes().filter(|&size| size > 0) {
            let built = random_forest(size);
            let forest = built.upload(gpu);
            let nodes = gpu.output(built.nodes.len());
            gpu.launch(&arguments::MakeNode { forest, nodes });
            gpu.expect(nodes, &built.nodes);
            let sources = gpu.output(built.codes.len());
            gpu.launch(&arguments::AttributeSource { forest, sources });
            gpu.expect(sources, &map(built.codes.len(), |index| build::attribute_source(&built.forest(), index)));
        }
    });
}
