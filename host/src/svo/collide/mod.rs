//! The intersection of two octrees, its volume and the volume's gradients (\[Domaradzki16\] 5.1).
//!
//! The surface of a solid is taken to run through the middle of its boundary voxels. So a conservative boundary does not
//! make solids larger than they are, and two pieces of a fracture, which both have the voxels that the cut went through,
//! touch without overlapping.

mod columns;
mod comparison;
mod contacts;
mod encounter;
mod grid;
mod half_space;
mod intersection;
mod placed;
mod points;
mod spans;
mod touched;
mod traverse;

use fracas_kernels::columns::Span;
use fracas_kernels::touch::Touch;

pub use half_space::intersect_half_space;
pub use intersection::{Gradient, Intersection, intersect};
pub use placed::Placed;
pub use touched::MOST_RATIO;

pub use encounter::Encounter;

pub(crate) use comparison::{CLEARANCE, Comparison, Found};
pub(crate) use points::Counts;
pub(crate) use touched::units;

pub(super) use encounter::with_scratch;
pub(super) use grid::Grids;
pub(super) use half_space::boundary_below;
pub(super) use intersection::intersect_with;

/// How finely, and how, an intersection is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollideOptions {
    /// The physics level: that of the voxels which are compared. An octree that is coarser is taken as it is.
    pub level: u32,
    /// Where the points of boundary voxels are that meet boundary voxels.
    pub placement: Placement,
}

impl Default for CollideOptions {
    fn default() -> CollideOptions {
        CollideOptions { level: 8, placement: Placement::Middle }
    }
}

/// Where the collision points of boundary voxels are that meet only boundary voxels of the other octree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// In the voxel's middle, as those of voxels inside of the other octree are. Volumes then do not jump where the one
    /// becomes the other, and pieces of a fracture do not overlap from birth.
    #[default]
    Middle,
    /// Moved along the voxel's normal to its face (\[Domaradzki16\] 5.1.2): half a voxel earlier.
    Face,
}

/// Memory that is used again from pair to pair.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    reached: [traverse::Chunks; 2],
    touched: [Vec<Touch>; 2],
    cells: points::Cells,
    columns: columns::Columns,
    reader: spans::Reader,
    spans: Vec<Span>,
}

#[cfg(test)]
mod device_tests;
#[cfg(test)]
mod tests;
