//! All chunks of the cube, and the boundary voxels between what is inside and what is outside.

use fracas_kernels::{morton, normal};
use glam::DVec3;
use rayon::prelude::*;

use super::field::Field;
use crate::svo::bits::{ALL, Bits, NONE, and_not, count, covered, or, to_morton, to_rows};
use crate::svo::build::{Chunk, voxels};
use crate::svo::tree::Color;
use crate::svo::voxelise::Made;

/// What is in a chunk.
#[derive(Clone, Default)]
pub(super) enum Content {
    #[default]
    Outside,
    Inside,
    /// Boundary voxels and those inside, in rows.
    Mixed(Box<Bits>),
}

/// All chunks of the cube.
pub(super) struct Grid {
    size: u32,
    chunks: Vec<Content>,
}

impl Grid {
    pub(super) fn new(size: u32) -> Grid {
        Grid { size, chunks: vec![Content::Outside; size.pow(3) as usize] }
    }

    pub(super) fn put(&mut self, code: u32, content: Content) {
        // Chunks stand in Morton order.
        self.chunks[code as usize] = content;
    }

    fn matter(&self, code: u32) -> Bits {
        match &self.chunks[code as usize] {
            Content::Outside => NONE,
            Content::Inside => ALL,
            Content::Mixed(bits) => **bits,
        }
    }

    fn beside(&self, place: [u32; 3], axis: usize, step: u32) -> Bits {
        let mut place = place;
        place[axis] = place[axis].wrapping_add(step);
        if place[axis] >= self.size { NONE } else { self.matter(morton::encode_30(place[0], place[1], place[2])) }
    }

    /// For -x, +x, -y, +y, -z and +z, the voxels whose neighbour there is matter, in rows.
    fn covered(&self, code: u32) -> [Bits; 6] {
        let place = morton::decode_30(code);
        let next: [Bits; 6] =
            std::array::from_fn(|side| self.beside(place, side / 2, if side % 2 == 1 { 1 } else { u32::MAX }));
        covered(&self.matter(code), &next)
    }

    /// Puts boundary voxels where inside and outside meet.
    pub(super) fn finish(&self, field: &Field<'_>, color: Color, made: &mut Vec<Made>) -> Vec<u32> {
        let old = std::mem::take(made);
        let chunks: Vec<(u32, Option<Made>)> = (0..self.chunks.len() as u32)
            .into_par_iter()
            .filter(|&code| self.matter(code) != NONE)
            .map(|code| {
                let before = old.binary_search_by_key(&code, |made| made.chunk.code).ok().map(|number| &old[number]);
                (code, self.chunk(code, before, field, color))
            })
            .collect();
        let mut solids = Vec::new();
        for (code, chunk) in chunks {
            match chunk {
                Some(chunk) => made.push(chunk),
                None => solids.push(code),
            }
        }
        solids
    }

    /// A chunk with all of its boundary voxels, or none if all of it is inside.
    fn chunk(&self, code: u32, before: Option<&Made>, field: &Field<'_>, color: Color) -> Option<Made> {
        let original = before.map_or(NONE, |made| to_rows(&made.chunk.boundary));
        let matter = self.matter(code);
        let covered = self.covered(code);
        let solid = and_not(&matter, &original);
        let closing: Bits =
            std::array::from_fn(|z| solid[z] & !covered.iter().fold(u64::MAX, |all, covered| all & covered[z]));
        let boundary = or(&original, &closing);
        if count(&boundary) == 0 {
            return None;
        }
        let origin = DVec3::from_array(morton::decode_30(code).map(|coordinate| f64::from(8 * coordinate)));
        let mut kept =
            before.into_iter().flat_map(|made| made.normals.iter().copied().zip(made.colors.iter().copied()));
        let boundary = to_morton(&boundary);
        let attributes = voxels(&boundary).map(|voxel| {
            let [x, y, z] = morton::decode_30(voxel);
            let (slice, bit) = (z as usize, 8 * y + x);
            if closing[slice] >> bit & 1 == 0 {
                return kept.next().unwrap_or((normal::pack([0; 3]), color));
            }
            let is_open = |side: usize| i32::from(covered[side][slice] >> bit & 1 == 0);
            let towards = std::array::from_fn(|axis| is_open(2 * axis + 1) - is_open(2 * axis));
            let middle = origin + DVec3::from_array([x, y, z].map(f64::from)) + 0.5;
            (field.normal(middle, towards), color)
        });
        let (normals, colors) = attributes.unzip();
        Some(Made { chunk: Chunk { code, boundary, solid: to_morton(&and_not(&solid, &closing)) }, normals, colors })
    }
}
