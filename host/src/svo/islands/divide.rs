//! Cells that are several islands, divided.

use rayon::prelude::*;

use super::neighbours::components;
use super::{Held, Joined, Piece, RUN};
use crate::svo::bits::{ALL, Bits, NONE, and, is_same, or, to_morton, to_rows};
use crate::svo::build::{Chunk, voxels};
use crate::svo::extract::{Normals, Shard, Solid};

impl Joined {
    /// The islands as pieces, in the order of their last boundary voxels. `voxels` are those that were joined.
    pub(super) fn divided<'a>(
        &mut self,
        shards: &[&'a Shard],
        voxels: &(impl Fn(&Shard) -> Bits + Sync),
        solids: &[Solid],
    ) -> Vec<Piece<'a>> {
        let elements = self.components.len() as u32 + solids.len() as u32;
        let roots: Vec<u32> = (0..elements).map(|element| self.sets.find(element)).collect();
        let parts: Vec<Vec<Part<'a>>> = shards
            .par_chunks(RUN)
            .zip(self.chunks.par_chunks(RUN))
            .map(|(shards, chunks)| {
                let run = shards.iter().zip(chunks);
                run.flat_map(|(shard, &(_, first, end))| {
                    parts(shard, || voxels(shard), &roots[first as usize..end as usize])
                })
                .collect()
            })
            .collect();
        // The last boundary voxel of each island: its chunk, and its place in it. The parts stand in that order.
        let mut last: Vec<Option<(u32, u32)>> = vec![None; elements as usize];
        for part in parts.iter().flatten() {
            if let Some(voxel) = part.last {
                last[part.root as usize] = Some((part.code, voxel));
            }
        }
        let mut order: Vec<((u32, u32), u32)> =
            (0..).zip(&last).filter_map(|(root, place)| place.map(|place| (place, root))).collect();
        order.sort_unstable();
        let mut pieces: Vec<Piece<'a>> =
            order.iter().map(|_| Piece { shards: Vec::new(), solids: Vec::new() }).collect();
        let mut island_of: Vec<Option<u32>> = vec![None; elements as usize];
        for (island, &(_, root)) in (0..).zip(&order) {
            island_of[root as usize] = Some(island);
        }
        for part in parts.into_iter().flatten() {
            let Some(island) = island_of[part.root as usize] else { continue };
            let piece = &mut pieces[island as usize];
            match part.shard {
                Some(shard) => piece.shards.push(shard),
                None => piece.solids.push(Solid { cell: shards[0].cell, code: part.code, height: 0 }),
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

/// What an island has of a chunk.
struct Part<'a> {
    root: u32,
    code: u32,
    /// None if it is all inside.
    shard: Option<Held<'a>>,
    /// The last boundary voxel.
    last: Option<u32>,
}

/// What islands have of a shard, whose components are in the sets of `roots`.
fn parts<'a>(shard: &'a Shard, voxels: impl FnOnce() -> Bits, roots: &[u32]) -> Vec<Part<'a>> {
    let mut masks: Vec<(u32, Bits)> = Vec::with_capacity(1);
    if roots.iter().all(|&root| root == roots[0]) {
        masks.extend(roots.first().map(|&root| (root, ALL)));
    } else {
        let mut roots = roots.iter();
        components(&to_rows(&voxels()), |component| {
            let (component, Some(&root)) = (to_morton(&component), roots.next()) else { return };
            match masks.iter_mut().find(|(other, _)| *other == root) {
                Some((_, mask)) => *mask = or(mask, &component),
                None => masks.push((root, component)),
            }
        });
    }
    let part = |(root, mask): (u32, Bits)| {
        let shard_part = part(shard, &mask);
        let boundary = shard_part.as_ref().map_or(NONE, |shard| shard.chunk.boundary);
        let last = (0..8).rev().find(|&word| boundary[word] != 0);
        let last = last.map(|word| 64 * word as u32 + boundary[word].ilog2());
        Part { root, code: shard.chunk.code, shard: shard_part, last }
    };
    masks.into_iter().map(part).collect()
}

/// The part of a shard in a mask; none if no boundary is in it.
fn part<'a>(shard: &'a Shard, mask: &Bits) -> Option<Held<'a>> {
    let boundary = and(&shard.chunk.boundary, mask);
    let solid = and(&shard.chunk.solid, mask);
    if is_same(&boundary, &NONE) {
        return None;
    }
    if is_same(&boundary, &shard.chunk.boundary) && is_same(&solid, &shard.chunk.solid) {
        return Some(Held::Whole(shard));
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
    Some(Held::Part(Box::new(Shard { chunk, normals, ..*shard })))
}
