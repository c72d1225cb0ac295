//! Islands: what of a cell hangs together (\[Domaradzki16\] 4.5).
//!
//! On a GPU each voxel is a thread that hooks its neighbours (`fracas_kernels::islands`). On a CPU the voxels of a chunk
//! are flooded as bits, 512 at once, and only the components of chunks are joined, some hundred times fewer.
//!
//! The paper looks at boundary voxels only. That is enough to find that a cell is one island; but the wall of a cavity
//! hangs together with the outer surface by what is inside between them, so a cell whose boundary falls apart is looked
//! at again with its inside.

mod divide;
mod grid;
mod neighbours;

use std::ops::Deref;

use fracas_kernels::islands::HALF_NEIGHBOURS;
use fracas_kernels::morton;
use rayon::prelude::*;

use self::grid::{Content, Grid};
use self::neighbours::{Component, components};
use super::bits::{Bits, bytes_in, count, ones, or, to_rows};
use super::extract::{Shard, Solid};
use crate::geometry::DisjointSets;

/// The shards and solids of a piece, in Morton order.
pub(super) struct Piece<'a> {
    pub(super) shards: Vec<Held<'a>>,
    pub(super) solids: Vec<Solid>,
}

/// A shard, or a part of one. Shards are large and parts rare, so this is small.
pub(super) enum Held<'a> {
    Whole(&'a Shard),
    Part(Box<Shard>),
}

impl Deref for Held<'_> {
    type Target = Shard;

    fn deref(&self) -> &Shard {
        match self {
            Held::Whole(shard) => shard,
            Held::Part(shard) => shard,
        }
    }
}

/// Divides what a cell has into islands, in the order of their last boundary voxels. With `coarser`, islands are found that
/// many levels above the finest.
pub(super) fn islands<'a>(shards: Vec<&'a Shard>, solids: Vec<Solid>, coarser: u32) -> Vec<Piece<'a>> {
    let boundary = |shard: &Shard| filled(shard.chunk.boundary, coarser);
    if Joined::new(&shards, &boundary, &[]).count <= 1 {
        let shards: Vec<Held<'a>> = shards.into_iter().map(Held::Whole).collect();
        return if shards.is_empty() { Vec::new() } else { vec![Piece { shards, solids }] };
    }
    let matter = |shard: &Shard| filled(or(&shard.chunk.boundary, &shard.chunk.solid), coarser);
    let mut joined = Joined::new(&shards, &matter, &solids);
    if joined.count == 1 {
        return vec![Piece { shards: shards.into_iter().map(Held::Whole).collect(), solids }];
    }
    joined.divided(&shards, &matter, &solids)
}

/// Where a chunk is, its first component and the end of them.
type ChunkPlace = ([u32; 3], u32, u32);

/// Chunks that are flooded together.
const RUN: usize = 512;

/// The components of chunks, joined.
struct Joined {
    chunks: Vec<ChunkPlace>,
    /// In the order of the chunks.
    components: Vec<Component>,
    sets: DisjointSets,
    count: usize,
}

impl Joined {
    /// What hangs together of the voxels that a function gives for each shard, in Morton order, and of solids.
    fn new(shards: &[&Shard], voxels: &(impl Fn(&Shard) -> Bits + Sync), solids: &[Solid]) -> Joined {
        // Components, and how many of them each chunk has.
        let flooded: Vec<(Vec<Component>, Vec<u32>)> = shards
            .par_chunks(RUN)
            .map(|run| {
                let mut found = Vec::with_capacity(run.len() + run.len() / 4);
                let ends = run.iter().map(|shard| {
                    components(&to_rows(&voxels(shard)), |component| found.push(Component::new(&component)));
                    found.len() as u32
                });
                let ends = ends.collect();
                (found, ends)
            })
            .collect();
        let mut chunks: Vec<ChunkPlace> = Vec::with_capacity(shards.len());
        let mut components = Vec::with_capacity(flooded.iter().map(|(found, _)| found.len()).sum());
        for (run, (found, ends)) in shards.chunks(RUN).zip(flooded) {
            let before = components.len() as u32;
            let mut first = before;
            for (shard, end) in run.iter().zip(ends) {
                chunks.push((morton::decode_30(shard.chunk.code), first, before + end));
                first = before + end;
            }
            components.extend(found);
        }
        let elements = components.len() + solids.len();
        let mut joined = Joined { chunks, components, sets: DisjointSets::new(elements), count: elements };
        joined.join(solids);
        joined
    }

    fn join(&mut self, solids: &[Solid]) {
        let grid = Grid::new(&self.chunks, solids, self.components.len() as u32);
        let touching: Vec<Vec<[u32; 2]>> = self.chunks.par_chunks(RUN).map(|run| self.touching(&grid, run)).collect();
        self.join_pairs(touching);
        if !solids.is_empty() {
            let slices: Vec<u32> = (0..grid.size[2]).collect();
            let touching = slices.par_iter().map(|&slice| self.touching_solids(&grid, slice)).collect();
            self.join_pairs(touching);
        }
    }

    fn join_pairs(&mut self, pairs: Vec<Vec<[u32; 2]>>) {
        for [one, other] in pairs.into_iter().flatten() {
            self.count -= usize::from(self.sets.join(one, other));
        }
    }

    /// The pairs of components in a run of chunks and its neighbours that touch.
    fn touching(&self, grid: &Grid, run: &[ChunkPlace]) -> Vec<[u32; 2]> {
        let mut touching = Vec::with_capacity(4 * run.len());
        for &(place, first, end) in run {
            for direction in HALF_NEIGHBOURS {
                let Some(Content::Chunk(other)) = grid.beside(place, direction) else { continue };
                let (_, other_first, other_end) = self.chunks[other as usize];
                for one in first..end {
                    for other in other_first..other_end {
                        let [a, b] = [one, other].map(|number| &self.components[number as usize]);
                        if a.touches(b, direction) {
                            touching.push([one, other]);
                        }
                    }
                }
            }
        }
        touching
    }

    /// What is inside, in a slice of the grid, and what it has at its faces: voxels inside have only the same cell's around
    /// them, so faces are enough.
    fn touching_solids(&self, grid: &Grid, slice: u32) -> Vec<[u32; 2]> {
        let mut touching = Vec::new();
        for place in grid.places(slice) {
            let Some(Content::Solid(solid)) = grid.beside(place, [0; 3]) else { continue };
            for (axis, step) in [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)] {
                let mut direction = [0; 3];
                direction[axis] = step;
                match grid.beside(place, direction) {
                    Some(Content::Solid(other)) if other > solid => touching.push([solid, other]),
                    Some(Content::Chunk(chunk)) => {
                        let (_, first, end) = self.chunks[chunk as usize];
                        let at_face = |&other: &u32| self.components[other as usize].face(axis, step < 0) != 0;
                        touching.extend((first..end).filter(at_face).map(|other| [solid, other]));
                    }
                    _ => {}
                }
            }
        }
        touching.dedup();
        touching
    }
}

/// Voxels in Morton order with all that share an ancestor some levels above.
fn filled(mut voxels: Bits, coarser: u32) -> Bits {
    match coarser {
        0 => {}
        1 => {
            for word in &mut voxels {
                *word = ones(u64::from(bytes_in(*word))).fold(0, |filled, byte| filled | 0xff << (8 * byte));
            }
        }
        2 => voxels.iter_mut().for_each(|word| *word = if *word == 0 { 0 } else { u64::MAX }),
        _ => voxels = [if count(&voxels) == 0 { 0 } else { u64::MAX }; 8],
    }
    voxels
}
