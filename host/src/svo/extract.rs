//! The fracture boundary set (\[Domaradzki16\] 4.1 and 4.4): what of an octree each cell has.
//!
//! The tree is walked from the root with the seeds that can be nearest somewhere in a node; internal nodes grow children
//! where there are several. The walk is in Morton order, so what it finds needs no sorting by position.

use fracas_kernels::cells::{SUBVOXEL, Seed, fracture_normal, nearest};
use fracas_kernels::{morton, node::Node};
use rayon::prelude::*;

use super::bits::{ALL, Bits, NONE, and, and_not, is_same, or, to_morton};
use super::build::{Chunk, voxels};
use super::cut::{Touched, touch};
use super::tree::Tree;

/// What a cell has of a chunk.
#[derive(Clone, Debug)]
pub(super) struct Shard {
    pub(super) cell: u32,
    pub(super) chunk: Chunk,
    /// The boundary voxels that the chunk had, in Morton order, and the attributes of the first.
    pub(super) original: Bits,
    pub(super) first_attribute: u32,
    /// The normals of the boundary voxels that it had not, in Morton order.
    pub(super) normals: Normals,
}

/// The normals of some voxels.
#[derive(Clone, Debug)]
pub(super) enum Normals {
    Same(u16),
    Each(Vec<u16>),
}

impl Normals {
    /// All of them, which are as many as there is room for.
    pub(super) fn fill(&self, normals: &mut [u16]) {
        match self {
            Normals::Same(normal) => normals.fill(*normal),
            Normals::Each(all) => normals.copy_from_slice(all),
        }
    }

    pub(super) fn get(&self, number: usize) -> u16 {
        match self {
            Normals::Same(normal) => *normal,
            Normals::Each(normals) => normals[number],
        }
    }
}

/// A node inside of a cell that no boundary comes to: its first chunk, and its level above the chunks'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Solid {
    pub(super) cell: u32,
    pub(super) code: u32,
    pub(super) height: u32,
}

/// What was found in a part of the tree, in Morton order.
#[derive(Default)]
pub(super) struct Extract {
    pub(super) shards: Vec<Shard>,
    pub(super) solids: Vec<Solid>,
}

/// Where the walk goes on.
struct Place {
    node: Node,
    /// Its level above the chunks'.
    height: u32,
    code: u32,
    candidates: Vec<u32>,
}

/// Of more seeds than this in a chunk, those that no corner is nearest to go when it is cut.
const MOST_COMPARED: usize = 48;

/// Levels that are walked before the work is divided among threads.
const SHARED_LEVELS: u32 = 3;

/// The shards of all cells, in Morton order over all parts.
pub(super) fn extract(tree: &Tree, seeds: &[Seed]) -> Vec<Extract> {
    let walk = Walk { tree, seeds };
    let height = tree.level() - 3;
    let root = Place { node: tree.root(), height, code: 0, candidates: (0..seeds.len() as u32).collect() };
    let mut places = vec![walk.pruned(root)];
    for _ in 0..SHARED_LEVELS.min(height) {
        places = places.into_iter().flat_map(|place| walk.children(place)).collect();
    }
    places
        .into_par_iter()
        .with_max_len(1)
        .map_init(Touched::default, |touched, place| {
            let mut found = Extract::default();
            walk.go(place, &mut found, touched);
            found
        })
        .collect()
}

struct Walk<'a> {
    tree: &'a Tree,
    seeds: &'a [Seed],
}

impl Walk<'_> {
    /// Without the seeds that are nearest nowhere in the node.
    fn pruned(&self, mut place: Place) -> Place {
        if place.candidates.len() > 1 {
            let edge = (8 << place.height) * SUBVOXEL;
            let low = morton::decode_30(place.code).map(|coordinate| coordinate as i32 * edge);
            let high = low.map(|coordinate| coordinate + edge);
            let near: Vec<Seed> = place.candidates.iter().map(|&number| self.seeds[number as usize]).collect();
            let best = nearest(&near, low.map(|coordinate| coordinate + edge / 2)) as usize;
            let is_beaten =
                |seed: usize, by: usize| seed != by && near[seed].is_beaten(&near[by], by < seed, low, high);
            let mut kept: Vec<usize> = (0..near.len()).filter(|&seed| !is_beaten(seed, best)).collect();
            if place.height == 0 && (3..=MOST_COMPARED).contains(&kept.len()) {
                // Cutting costs pairs of seeds times rows, asking all of them here only pairs.
                let by_none = |&&seed: &&usize| !kept.iter().any(|&by| is_beaten(seed, by));
                kept = kept.iter().filter(by_none).copied().collect();
            }
            place.candidates = kept.into_iter().map(|seed| place.candidates[seed]).collect();
        }
        place
    }

    fn cell(&self, place: &Place) -> Option<u32> {
        let cell = self.seeds[place.candidates[0] as usize].cell;
        place.candidates.iter().all(|&number| self.seeds[number as usize].cell == cell).then_some(cell)
    }

    /// The same place again if it is a chunk or needs no division.
    fn children(&self, place: Place) -> Vec<Place> {
        let is_whole = place.node.is_terminal() && (!place.node.is_internal() || self.cell(&place).is_some());
        if place.height == 0 || is_whole {
            return vec![place];
        }
        let nodes: [Node; 8] = match place.node.is_terminal() {
            true => [place.node; 8],
            false => std::array::from_fn(|child| self.tree.children(place.node)[child]),
        };
        (0..)
            .zip(nodes)
            .map(|(child, node)| {
                let candidates = place.candidates.clone();
                self.pruned(Place { node, height: place.height - 1, code: place.code << 3 | child, candidates })
            })
            .collect()
    }

    fn go(&self, place: Place, found: &mut Extract, touched: &mut Touched) {
        let node = place.node;
        if node.is_terminal() && !node.is_internal() {
            return;
        }
        if let Some(cell) = self.cell(&place) {
            self.keep(node, place.height, place.code, cell, found);
        } else if place.height == 0 {
            self.cut(&place, found, touched);
        } else {
            for child in self.children(place) {
                self.go(child, found, touched);
            }
        }
    }

    /// A node that is all in one cell.
    fn keep(&self, node: Node, height: u32, code: u32, cell: u32, found: &mut Extract) {
        if node.is_terminal() {
            if node.is_internal() {
                found.solids.push(Solid { cell, code: code << (3 * height), height });
            }
        } else if height > 0 {
            for (child, &node) in (0..).zip(self.tree.children(node)) {
                self.keep(node, height - 1, code << 3 | child, cell, found);
            }
        } else {
            let (boundary, solid, first_attribute) = self.tree.chunk(node);
            let chunk = Chunk { code, boundary, solid };
            found.shards.push(Shard { cell, chunk, original: boundary, first_attribute, normals: Normals::Same(0) });
        }
    }

    /// A chunk that several cells come to.
    fn cut(&self, place: &Place, found: &mut Extract, touched: &mut Touched) {
        let (boundary, internal, first_attribute) = match place.node.is_terminal() {
            true => (NONE, ALL, 0),
            false => self.tree.chunk(place.node),
        };
        let code = place.code;
        let origin = morton::decode_30(code).map(|coordinate| 8 * coordinate);
        touch(self.seeds, &place.candidates, origin, touched);
        let Touched { candidates, voxels: touched_by, .. } = touched;
        touched_by.iter_mut().for_each(|bits| *bits = to_morton(bits));
        let cell_of = |candidate: usize| self.seeds[candidates[candidate] as usize].cell;
        let cells: Vec<(u32, Bits)> = distinct(candidates.len(), cell_of)
            .map(|first| {
                let cell = cell_of(first);
                let own = (first..touched_by.len()).filter(|&candidate| cell_of(candidate) == cell);
                (cell, own.fold(NONE, |bits, candidate| or(&bits, &touched_by[candidate])))
            })
            .collect();
        let (mut once, mut cut) = (NONE, NONE);
        for (_, bits) in &cells {
            cut = or(&cut, &and(&once, bits));
            once = or(&once, bits);
        }
        for (cell, bits) in &cells {
            let laid_open = and(&and(&internal, &cut), bits);
            let solid = and_not(&and(&internal, bits), &cut);
            let boundary_here = or(&and(&boundary, bits), &laid_open);
            if !is_same(&boundary_here, &NONE) {
                let normals = self.normals(candidates, touched_by, &laid_open, *cell);
                let chunk = Chunk { code, boundary: boundary_here, solid };
                found.shards.push(Shard { cell: *cell, chunk, original: boundary, first_attribute, normals });
            } else if !is_same(&solid, &NONE) {
                found.solids.push(Solid { cell: *cell, code, height: 0 });
            }
        }
    }

    fn normals(&self, candidates: &[u32], touched: &[Bits], laid_open: &Bits, cell: u32) -> Normals {
        if candidates.len() == 2 {
            return Normals::Same(fracture_normal(self.seeds, candidates, cell));
        }
        let mut near = Vec::new();
        // Most voxels have the same seeds around them as the one before.
        let mut last = (0, 0);
        let normal = |voxel: u32| {
            let is_near = |bits: &Bits| bits[voxel as usize / 64] >> (voxel % 64) & 1;
            let key = touched.iter().fold(1u64, |key, bits| key.rotate_left(1) ^ is_near(bits));
            if key != last.0 || touched.len() > 62 {
                near.clear();
                let all = candidates.iter().zip(touched);
                near.extend(all.filter(|(_, bits)| is_near(bits) != 0).map(|(&seed, _)| seed));
                last = (key, fracture_normal(self.seeds, &near, cell));
            }
            last.1
        };
        Normals::Each(voxels(laid_open).map(normal).collect())
    }
}

/// The first of each of the different values.
fn distinct(count: usize, value: impl Fn(usize) -> u32) -> impl Iterator<Item = usize> {
    (0..count).filter(move |&number| (0..number).all(|before| value(before) != value(number)))
}
