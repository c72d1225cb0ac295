//! Volume and gradients of spans.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytemuck::{Pod, Zeroable};

use super::Span;

/// Where the lattice of a meeting is that columns are columns of.
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

/// What the spans along each axis come to, in fractions of a cell. Sums of integers are the same in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Totals {
    /// Volumes.
    pub volumes: [u64; 3],
    /// Areas of the columns' cross-sections.
    pub areas: [u64; 3],
}

const _: () = assert!(size_of::<Totals>() == 48 && align_of::<Totals>() == 8);

/// [`Totals`] that threads add to. Starts as nothing.
#[derive(Debug, Default)]
#[repr(C)]
pub struct SharedTotals {
    /// Volumes.
    pub volumes: [AtomicU64; 3],
    /// Areas.
    pub areas: [AtomicU64; 3],
}

const _: () = assert!(size_of::<SharedTotals>() == size_of::<Totals>() && align_of::<SharedTotals>() == 8);

/// The fractions of a cell: no column is longer than 2^10 cells and no lattice has more than 2^21 spans along an axis, so
/// no sum overflows.
const FRACTIONS: f64 = (1u64 << 32) as f64;

/// The volume and the area of a span.
#[inline]
fn parts(span: &Span) -> [u64; 2] {
    [span.share * (span.ends[1] - span.ends[0]), span.share].map(|part| (part * FRACTIONS) as u64)
}

impl Totals {
    /// Adds a span.
    #[inline]
    pub fn add(&mut self, span: &Span) {
        let [volume, area] = parts(span);
        self.volumes[usize::from(span.axis)] += volume;
        self.areas[usize::from(span.axis)] += area;
    }
}

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
    /// The number of the meeting.
    pub meeting: u32,
}

const _: () = assert!(size_of::<Gradient>() == 64 && align_of::<Gradient>() == 8);

/// One thread for each span: adds it to the totals of its meeting. Additions commute and nobody reads before the next launch,
/// so Relaxed is enough.
#[inline]
pub fn add(spans: &[Span], totals: &[SharedTotals], index: usize) {
    let span = &spans[index];
    let ([volume, area], totals) = (parts(span), &totals[span.meeting as usize]);
    totals.volumes[usize::from(span.axis)].fetch_add(volume, Relaxed);
    totals.areas[usize::from(span.axis)].fetch_add(area, Relaxed);
}

/// One thread for each meeting: the volume.
#[inline]
pub fn volume(frames: &[Frame], totals: &[Totals], index: usize) -> f64 {
    let (cell, totals) = (frames[index].cell, &totals[index]);
    // Of a thin intersection, columns along it know the thickness only to a voxel, those across it to a fraction; and
    // those across it are many more.
    let (mut sum, mut volume) = (0.0, 0.0);
    for axis in 0..3 {
        let area = totals.areas[axis] as f64;
        let weight = area * area;
        sum += weight;
        volume += weight * totals.volumes[axis] as f64;
    }
    if sum > 0.0 { volume / sum * (cell * cell * cell / FRACTIONS) } else { 0.0 }
}

/// One thread for each end of each span, the entry of a column, then its exit: the two cancel in force and in torque.
#[inline]
pub fn gradient(frames: &[Frame], spans: &[Span], index: usize) -> Gradient {
    let (span, end) = (&spans[index / 2], index % 2);
    let (frame, axis) = (&frames[span.meeting as usize], usize::from(span.axis));
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
        meeting: span.meeting,
    }
}
