//! Volume and gradients of spans.

use bytemuck::{Pod, Zeroable};

use super::Span;
use crate::scan::of_chunk;

/// Where the lattice is that columns are columns of.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Frame {
    /// The lattice's axes in the world, of length 1.
    pub axes: [[f64; 3]; 3],
    /// The lattice's corner in the world.
    pub corner: [f64; 3],
    /// The edge of a cell.
    pub cell: f64,
    /// What the owners of cells are called outside, where the two octrees may stand the other way around.
    pub owners: [u32; 2],
}

const _: () = assert!(size_of::<Frame>() == 112 && align_of::<Frame>() == 8);

/// What the spans along each axis come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Totals {
    /// Volumes, in cells.
    pub volumes: [f64; 3],
    /// Areas of the columns' cross-sections, in faces of cells.
    pub areas: [f64; 3],
}

const _: () = assert!(size_of::<Totals>() == 48 && align_of::<Totals>() == 8);

/// How the volume changes as a place of a surface moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Gradient {
    /// Where, in the world.
    pub point: [f64; 3],
    /// Outwards of the intersection, as long as the part of the surface is large.
    pub vector: [f64; 3],
    /// How long the column through it is inside of both.
    pub depth: f64,
    /// Whose surface it is.
    pub owner: u32,
    /// The axis of its column.
    pub axis: u32,
}

const _: () = assert!(size_of::<Gradient>() == 64 && align_of::<Gradient>() == 8);

/// One thread for each chunk of `chunk` spans.
#[inline]
pub fn sum(spans: &[Span], chunk: usize, index: usize) -> Totals {
    let mut totals = Totals::default();
    for span in of_chunk(spans, chunk, index) {
        let axis = span.axis as usize;
        totals.volumes[axis] += span.share * (span.ends[1] - span.ends[0]);
        totals.areas[axis] += span.share;
    }
    totals
}

/// One thread: the volume, from the sums of all chunks in order. Another order of so many numbers, none of them negative,
/// would differ by less than a part in 2^52 for each of them.
#[inline]
pub fn volume(frame: &Frame, chunks: &[Totals]) -> f64 {
    let mut totals = Totals::default();
    for chunk in chunks {
        for axis in 0..3 {
            totals.volumes[axis] += chunk.volumes[axis];
            totals.areas[axis] += chunk.areas[axis];
        }
    }
    // Of a thin intersection, columns along it know the thickness only to a voxel, those across it to a fraction; and
    // those across it are many more.
    let (mut sum, mut volume) = (0.0, 0.0);
    for axis in 0..3 {
        let weight = totals.areas[axis] * totals.areas[axis];
        sum += weight;
        volume += weight * totals.volumes[axis];
    }
    if sum > 0.0 { volume / sum * frame.cell * frame.cell * frame.cell } else { 0.0 }
}

/// One thread for each end of each span, the entry of a column, then its exit: the two cancel in force and in torque.
#[inline]
pub fn gradient(frame: &Frame, spans: &[Span], index: usize) -> Gradient {
    let (span, end) = (&spans[index / 2], index % 2);
    let axis = span.axis as usize;
    let mut place = [0.0; 3];
    place[axis] = span.ends[end];
    place[(axis + 1) % 3] = span.line[0];
    place[(axis + 2) % 3] = span.line[1];
    let length = span.share * frame.cell * frame.cell;
    let length = if end == 0 { -length } else { length };
    let point = |world: usize| {
        let [x, y, z] = [0, 1, 2].map(|axis: usize| frame.axes[axis][world] * place[axis]);
        frame.corner[world] + frame.cell * (x + y + z)
    };
    Gradient {
        point: [point(0), point(1), point(2)],
        vector: frame.axes[axis].map(|coordinate| length * coordinate),
        depth: frame.cell * (span.ends[1] - span.ends[0]),
        owner: frame.owners[usize::from(span.owners[end])],
        axis: span.axis,
    }
}
