//! Copies of the finest voxels, one for each cell.

use bytemuck::{Pod, Zeroable};

use super::{Level, Solid};
use crate::cells::{Seed, fracture_normal, of_voxel};
use crate::node::{NO_ATTRIBUTES, Node};

/// A voxel of the fracture boundary set, in one of its cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct FractureVoxel {
    /// The voxel's Morton code.
    pub code: u32,
    /// The cell.
    pub cell: u32,
    /// The number of the attributes that the voxel had; [`NO_ATTRIBUTES`] if the fracture laid it open.
    pub attributes: u32,
    /// The packed normal of a voxel that was laid open, which is that of the cell's faces in it; otherwise 0.
    pub normal: u32,
}

const _: () = assert!(size_of::<FractureVoxel>() == 16 && align_of::<FractureVoxel>() == 4);

/// How much a voxel adds to each list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Copies {
    /// Copies; one for each cell, at most eight.
    pub voxels: u32,
    /// 1 if it is a solid.
    pub solids: u32,
}

const _: () = assert!(size_of::<Copies>() == 8 && align_of::<Copies>() == 4);

/// One thread for each of the eight children of each place of the second finest level.
#[inline]
pub fn count_copies(level: &Level<'_>, index: usize) -> Copies {
    let (node, code) = level.child(index);
    if node.is_empty() && !node.is_internal() {
        return Copies::default();
    }
    let cells = Cells::new(level, index, code);
    match cells.count() {
        1 if node.is_internal() => Copies { voxels: 0, solids: 1 },
        voxels => Copies { voxels, solids: 0 },
    }
}

/// One thread for each of these children: its copies into its part of the output, which [`count_copies`] gives the length
/// of, by cell in the order of its corners; the solid, if it is one.
#[inline]
pub fn copies(level: &Level<'_>, index: usize, output: &mut [FractureVoxel]) -> Option<Solid> {
    let (node, code) = level.child(index);
    if node.is_empty() && !node.is_internal() {
        return None;
    }
    let cells = Cells::new(level, index, code);
    if node.is_internal() && cells.count() == 1 {
        return Some(Solid { cell: cells.of(0), code, height: 0 });
    }
    let mut slots = output.iter_mut();
    for corner in (0..8).filter(|&corner| cells.is_new(corner)) {
        if let Some(slot) = slots.next() {
            *slot = cells.copy(node, code, corner);
        }
    }
    None
}

/// The cells of a voxel: those of its corners.
struct Cells<'a> {
    seeds: &'a [Seed],
    nearest: [u32; 8],
}

impl<'a> Cells<'a> {
    #[inline]
    fn new(level: &Level<'a>, index: usize, code: u32) -> Cells<'a> {
        let seeds = level.seeds(index);
        // Most voxels have one seed, and then there is nothing to compare.
        let nearest = if seeds.len() == 1 { [0; 8] } else { of_voxel(seeds, level.first_voxel(code)) };
        Cells { seeds, nearest }
    }

    /// The cell of a corner.
    #[inline]
    fn of(&self, corner: usize) -> u32 {
        self.seeds[self.nearest[corner] as usize].cell
    }

    /// Whether no corner before has the same cell.
    #[inline]
    fn is_new(&self, corner: usize) -> bool {
        (0..corner).all(|before| self.of(before) != self.of(corner))
    }

    #[inline]
    fn count(&self) -> u32 {
        (0..8).filter(|&corner| self.is_new(corner)).count() as u32
    }

    #[inline]
    fn copy(&self, node: Node, code: u32, corner: usize) -> FractureVoxel {
        let cell = self.of(corner);
        if node.is_boundary() {
            return FractureVoxel { code, cell, attributes: node.attributes, normal: 0 };
        }
        // The seeds of the place are enough: a face's normal does not depend on the seeds' numbers.
        let normal = u32::from(fracture_normal(self.seeds, &self.nearest, cell));
        FractureVoxel { code, cell, attributes: NO_ATTRIBUTES, normal }
    }
}
