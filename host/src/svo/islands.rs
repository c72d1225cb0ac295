//! Islands: what of a cell hangs together (\[Domaradzki16\] 4.5).
//!
//! On a GPU each voxel is a thread that hooks its neighbours (`fracas_kernels::islands`). On a CPU the voxels of a chunk
//! are flooded as bits, 512 at once, and only the components of chunks are joined, some hundred times fewer.
//!
//! The paper looks at boundary voxels only. That is enough to find that a cell is one island; but the wall of a cavity
//! hangs together with the outer surface by what is inside between them, so a cell whose boundary falls apart is looked
//! at again with its inside.

use std::borrow::Cow;

use fracas_kernels::islands::HALF_NEIGHBOURS;
use fracas_kernels::morton;
use rayon::prelude::*;

use super::bits::{Bits, NONE, and, bytes_in, count, ones, or, to_morton, to_rows};
use super::build::{Chunk, voxels};
use super::extract::{Normals, Shard, Solid};
use super::neighbours::{Component, components};
use crate::geometry::DisjointSets;

/// The shards and solids of a piece, in Morton order.
pub(super) struct Piece<'a> {
    pub(super) shards: Vec<Cow<'a, Shard>>,
    pub(super) solids: Vec<Solid>,
}

/// Divides what a cell has into islands, in the order of their last boundary voxels. With `coarser`, islands are found that
/// many levels above the finest.
pub(super) fn islands<'a>(shards: Vec<&'a Shard>, solids: Vec<Solid>, coarser: u32) -> Vec<Piece<'a>> {
    let boundary: Vec<(u32, Bits)> = shards.iter().map(|shard| (shard.chunk.code, shard.chunk.boundary)).collect();
    let boundary = Joined::new(&boundary, &[], coarser);
    if boundary.count <= 1 {
        let shards: Vec<Cow<'a, Shard>> = shards.into_iter().map(Cow::Borrowed).collect();
        return if shards.is_empty() { Vec::new() } else { vec![Piece { shards, solids }] };
    }
    let matter = |shard: &&Shard| (shard.chunk.code, or(&shard.chunk.boundary, &shard.chunk.solid));
    let matter: Vec<(u32, Bits)> = shards.iter().map(matter).collect();
    let mut matter = Joined::new(&matter, &solids, coarser);
    if matter.count == 1 {
        return vec![Piece { shards: shards.into_iter().map(Cow::Borrowed).collect(), solids }];
    }
    matter.divided(&shards, &solids)
}

/// Where a chunk is, its first component and the end of them.
type ChunkPlace = ([u32; 3], u32, u32);

/// Chunks that are flooded together.
const RUN: usize = 512;

/// The components of chunks, joined.
struct Joined {
    /// Component, and the number of its chunk.
    components: Vec<(Component, u32)>,
    sets: DisjointSets,
    count: usize,
}

impl Joined {
    fn new(chunks: &[(u32, Bits)], solids: &[Solid], coarser: u32) -> Joined {
        let flooded: Vec<Vec<(Component, u32)>> = chunks
            .par_chunks(RUN)
            .enumerate()
            .map(|(run, chunks)| {
                let mut found = Vec::with_capacity(chunks.len());
                for (number, (_, voxels)) in ((run * RUN) as u32..).zip(chunks) {
                    components(&to_rows(&filled(*voxels, coarser)), |component| found.push((component, number)));
                }
                found
            })
            .collect();
        let all = flooded.concat();
        let mut places: Vec<ChunkPlace> = chunks.iter().map(|&(code, _)| (morton::decode_30(code), 0, 0)).collect();
        for (element, &(_, chunk)) in (0..).zip(&all) {
            let (_, first, end) = &mut places[chunk as usize];
            if *end == 0 {
                *first = element;
            }
            *end = element + 1;
        }
        let elements = all.len() + solids.len();
        let mut joined = Joined { components: all, sets: DisjointSets::new(elements), count: elements };
        joined.join(&places, solids);
        joined
    }

    fn join(&mut self, chunks: &[ChunkPlace], solids: &[Solid]) {
        let grid = Grid::new(chunks, solids, self.components.len() as u32);
        let touching: Vec<Vec<[u32; 2]>> =
            chunks.par_chunks(RUN).map(|run| self.touching(&grid, chunks, run)).collect();
        for [one, other] in touching.into_iter().flatten() {
            self.count -= usize::from(self.sets.join(one, other));
        }
        if !solids.is_empty() {
            self.join_solids(&grid, chunks);
        }
    }

    /// The pairs of components in a run of chunks and its neighbours that touch.
    fn touching(&self, grid: &Grid, chunks: &[ChunkPlace], run: &[ChunkPlace]) -> Vec<[u32; 2]> {
        let mut touching = Vec::with_capacity(4 * run.len());
        for &(place, first, end) in run {
            for direction in HALF_NEIGHBOURS {
                let Some(Content::Chunk(other)) = grid.beside(place, direction) else { continue };
                let (_, other_first, other_end) = chunks[other as usize];
                for one in first..end {
                    for other in other_first..other_end {
                        let [a, b] = [one, other].map(|number| &self.components[number as usize].0);
                        if a.touches(b, direction) {
                            touching.push([one, other]);
                        }
                    }
                }
            }
        }
        touching
    }

    /// Joins what is inside with what it has at its faces: voxels inside have only the same cell's around them, so faces
    /// are enough.
    fn join_solids(&mut self, grid: &Grid, chunks: &[ChunkPlace]) {
        for place in grid.places() {
            let Some(Content::Solid(solid)) = grid.beside(place, [0; 3]) else { continue };
            for axis in 0..3 {
                for step in [-1, 1] {
                    let mut direction = [0; 3];
                    direction[axis] = step;
                    match grid.beside(place, direction) {
                        Some(Content::Solid(other)) => {
                            self.count -= usize::from(self.sets.join(solid, other));
                        }
                        Some(Content::Chunk(other)) => {
                            let (_, first, end) = chunks[other as usize];
                            for other in first..end {
                                let face = self.components[other as usize].0.face(axis, step < 0);
                                self.count -= usize::from(face != 0 && self.sets.join(solid, other));
                            }
                        }
                        None => {}
                    }
                }
            }
        }
    }

    /// The islands as pieces, in the order of their last boundary voxels.
    fn divided<'a>(&mut self, shards: &[&'a Shard], solids: &[Solid]) -> Vec<Piece<'a>> {
        let elements = self.components.len() as u32 + solids.len() as u32;
        let roots: Vec<u32> = (0..elements).map(|element| self.sets.find(element)).collect();
        // The last boundary voxel of each island: its chunk, and its place in it.
        let mut last: Vec<Option<(u32, u32)>> = vec![None; elements as usize];
        let masks: Vec<Bits> = self.components.iter().map(|(component, _)| to_morton(&component.voxels)).collect();
        for (element, &(_, chunk)) in self.components.iter().enumerate() {
            let own = and(&shards[chunk as usize].chunk.boundary, &masks[element]);
            let highest = (0..8).rev().find(|&word| own[word] != 0);
            let place = highest.map(|word| (chunk, 64 * word as u32 + own[word].ilog2()));
            let island = &mut last[roots[element] as usize];
            *island = (*island).max(place);
        }
        let mut order: Vec<(u32, u32, u32)> =
            (0..).zip(&last).filter_map(|(root, place)| place.map(|(chunk, voxel)| (chunk, voxel, root))).collect();
        order.sort_unstable();
        let mut pieces: Vec<Piece<'a>> =
            order.iter().map(|_| Piece { shards: Vec::new(), solids: Vec::new() }).collect();
        let mut island_of: Vec<Option<u32>> = vec![None; elements as usize];
        for (island, &(_, _, root)) in (0..).zip(&order) {
            island_of[root as usize] = Some(island);
        }
        // Components stand in the order of their chunks, and those of a chunk may be of one island.
        let mut element = 0;
        for (number, shard) in (0..).zip(shards) {
            let mut own: Vec<(u32, Bits)> = Vec::new();
            while self.components.get(element).is_some_and(|&(_, chunk)| chunk == number) {
                if let Some(island) = island_of[roots[element] as usize] {
                    match own.iter_mut().find(|(other, _)| *other == island) {
                        Some((_, mask)) => *mask = or(mask, &masks[element]),
                        None => own.push((island, masks[element])),
                    }
                }
                element += 1;
            }
            for (island, mask) in own {
                let piece = &mut pieces[island as usize];
                match part(shard, &mask) {
                    Some(part) => piece.shards.push(part),
                    None => piece.solids.push(Solid { cell: shard.cell, code: shard.chunk.code, height: 0 }),
                }
            }
        }
        for (solid, root) in solids.iter().zip(&roots[self.components.len()..]) {
            if let Some(island) = island_of[*root as usize] {
                pieces[island as usize].solids.push(*solid);
            }
        }
        for piece in &mut pieces {
            piece.solids.sort_by_key(|solid| solid.code);
        }
        pieces
    }
}

/// The part of a shard in a mask; none if no boundary is in it.
fn part<'a>(shard: &'a Shard, mask: &Bits) -> Option<Cow<'a, Shard>> {
    let boundary = and(&shard.chunk.boundary, mask);
    let solid = and(&shard.chunk.solid, mask);
    if boundary == NONE {
        return None;
    }
    if boundary == shard.chunk.boundary && solid == shard.chunk.solid {
        return Some(Cow::Borrowed(shard));
    }
    let is_in = |bits: &Bits, voxel: u32| bits[voxel as usize / 64] >> (voxel % 64) & 1 != 0;
    let normals = match &shard.normals {
        Normals::Same(normal) => Normals::Same(*normal),
        Normals::Each(all) => {
            let laid_open = voxels(&shard.chunk.boundary).filter(|&voxel| !is_in(&shard.original, voxel));
            Normals::Each(
                laid_open.zip(all).filter(|&(voxel, _)| is_in(mask, voxel)).map(|(_, &normal)| normal).collect(),
            )
        }
    };
    let chunk = Chunk { code: shard.chunk.code, boundary, solid };
    Some(Cow::Owned(Shard { chunk, normals, ..shard.clone() }))
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

/// What stands in a cell of the grid of chunks.
#[derive(Clone, Copy)]
enum Content {
    /// The number of a chunk.
    Chunk(u32),
    /// The element of a node inside.
    Solid(u32),
}

/// The chunks of a cell on a grid, so that neighbours are found without a search.
struct Grid {
    low: [u32; 3],
    size: [u32; 3],
    /// Zero for nothing; chunks from one on, then solids.
    numbers: Vec<u32>,
    chunks: u32,
    first_solid: u32,
}

impl Grid {
    fn new(chunks: &[ChunkPlace], solids: &[Solid], first_solid: u32) -> Grid {
        let boxes = || {
            let solid = solids.iter().map(|solid| (morton::decode_30(solid.code), 1 << solid.height));
            chunks.iter().map(|&(place, ..)| (place, 1)).chain(solid)
        };
        let low = boxes().fold([u32::MAX; 3], |low, (place, _)| std::array::from_fn(|axis| low[axis].min(place[axis])));
        let high = boxes().fold([0; 3], |high: [u32; 3], (place, edge)| {
            std::array::from_fn(|axis| high[axis].max(place[axis] + edge))
        });
        let size: [u32; 3] = std::array::from_fn(|axis| high[axis].saturating_sub(low[axis]));
        let numbers = bytemuck::allocation::zeroed_vec(size.iter().map(|&side| side as usize).product());
        let mut grid = Grid { low, size, numbers, chunks: chunks.len() as u32, first_solid };
        for (number, &(place, ..)) in (1..).zip(chunks) {
            let index = grid.index(place);
            grid.numbers[index] = number;
        }
        for (number, solid) in (grid.chunks + 1..).zip(solids) {
            let [x, y, z] = morton::decode_30(solid.code);
            let edge = 1 << solid.height;
            for (y, z) in (z..z + edge).flat_map(|z| (y..y + edge).map(move |y| (y, z))) {
                let first = grid.index([x, y, z]);
                grid.numbers[first..first + edge as usize].fill(number);
            }
        }
        grid
    }

    fn index(&self, place: [u32; 3]) -> usize {
        let [x, y, z] = std::array::from_fn(|axis| (place[axis] - self.low[axis]) as usize);
        (z * self.size[1] as usize + y) * self.size[0] as usize + x
    }

    /// What stands in a direction from a place of the grid.
    #[inline]
    fn beside(&self, place: [u32; 3], direction: [i32; 3]) -> Option<Content> {
        let [x, y, z]: [u32; 3] =
            std::array::from_fn(|axis| (place[axis].wrapping_sub(self.low[axis])).wrapping_add_signed(direction[axis]));
        if x >= self.size[0] || y >= self.size[1] || z >= self.size[2] {
            return None;
        }
        let index = (z as usize * self.size[1] as usize + y as usize) * self.size[0] as usize + x as usize;
        match self.numbers[index] {
            0 => None,
            number if number <= self.chunks => Some(Content::Chunk(number - 1)),
            number => Some(Content::Solid(self.first_solid + number - self.chunks - 1)),
        }
    }

    fn places(&self) -> impl Iterator<Item = [u32; 3]> + use<> {
        let (low, size) = (self.low, self.size);
        (0..size[2]).flat_map(move |z| {
            (0..size[1]).flat_map(move |y| (0..size[0]).map(move |x| [low[0] + x, low[1] + y, low[2] + z]))
        })
    }
}
