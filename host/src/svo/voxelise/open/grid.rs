//! All chunks of the cube, and the boundary voxels between what is inside and what is outside.

use fracas_kernels::{morton, normal};
use glam::DVec3;
use rayon::prelude::*;

use super::field::Field;
use super::local;
use super::winding::Winding;
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
    pub(super) fn finish(&self, winding: &Winding, color: Color, made: &mut Vec<Made>) -> Vec<u32> {
        let old = std::mem::take(made);
        let before = |code: u32| old.binary_search_by_key(&code, |made| made.chunk.code).ok().map(|own| &old[own]);
        let codes: Vec<u32> =
            (0..self.chunks.len() as u32).into_par_iter().filter(|&code| self.matter(code) != NONE).collect();
        let closing = codes.par_iter().map(|&code| (code, self.closing(code, before(code))));
        let closing: Vec<(u32, Bits)> = closing.filter(|(_, closing)| *closing != NONE).collect();
        let nodes: Vec<(u32, u32)> = closing.iter().map(|&(code, _)| (code, 0)).collect();
        let normals = local::each(winding, self.size.ilog2(), &nodes, |number, above| {
            let (code, closing) = &closing[number];
            self.normals(*code, closing, &Field(&above.child(*code)))
        });
        let chunks: Vec<Option<Made>> = codes
            .par_iter()
            .map(|&code| {
                let (closing, normals) = match closing.binary_search_by_key(&code, |&(code, _)| code) {
                    Ok(number) => (&closing[number].1, &normals[number][..]),
                    Err(_) => (&NONE, &[][..]),
                };
                self.chunk(code, before(code), closing, normals, color)
            })
            .collect();
        let mut solids = Vec::new();
        for (code, chunk) in codes.into_iter().zip(chunks) {
            match chunk {
                Some(chunk) => made.push(chunk),
                None => solids.push(code),
            }
        }
        solids
    }

    /// The voxels of a chunk that are inside and share a face with one outside, in rows.
    fn closing(&self, code: u32, before: Option<&Made>) -> Bits {
        let solid = self.solid(code, before);
        let covered = self.covered(code);
        std::array::from_fn(|z| solid[z] & !covered.iter().fold(u64::MAX, |all, covered| all & covered[z]))
    }

    /// The voxels of a chunk that are inside and were not boundary before.
    fn solid(&self, code: u32, before: Option<&Made>) -> Bits {
        and_not(&self.matter(code), &before.map_or(NONE, |made| to_rows(&made.chunk.boundary)))
    }

    /// The normals of the voxels that close holes, in Morton order.
    fn normals(&self, code: u32, closing: &Bits, field: &Field<'_, '_>) -> Vec<u16> {
        let origin = DVec3::from_array(morton::decode_30(code).map(|coordinate| f64::from(8 * coordinate)));
        let covered = self.covered(code);
        let closing = to_morton(closing);
        let normals = voxels(&closing).map(|voxel| {
            let [x, y, z] = morton::decode_30(voxel);
            let is_open = |side: usize| i32::from(covered[side][z as usize] >> (8 * y + x) & 1 == 0);
            let towards = std::array::from_fn(|axis| is_open(2 * axis + 1) - is_open(2 * axis));
            field.normal(origin + DVec3::from_array([x, y, z].map(f64::from)) + 0.5, towards)
        });
        normals.collect()
    }

    /// A chunk with all of its boundary voxels, or none if all of it is inside.
    fn chunk(&self, code: u32, before: Option<&Made>, closing: &Bits, normals: &[u16], color: Color) -> Option<Made> {
        let original = before.map_or(NONE, |made| made.chunk.boundary);
        let added = to_morton(closing);
        let boundary = or(&original, &added);
        if count(&boundary) == 0 {
            return None;
        }
        let mut kept =
            before.into_iter().flat_map(|made| made.normals.iter().copied().zip(made.colors.iter().copied()));
        let mut new = normals.iter().map(|&normal| (normal, color));
        let attributes = voxels(&boundary).map(|voxel| {
            let is_new = added[voxel as usize / 64] >> (voxel % 64) & 1 == 1;
            let next = if is_new { new.next() } else { kept.next() };
            next.unwrap_or((normal::pack([0; 3]), color))
        });
        let (normals, colors) = attributes.unzip();
        let solid = to_morton(&and_not(&self.solid(code, before), closing));
        Some(Made { chunk: Chunk { code, boundary, solid }, normals, colors })
    }
}
