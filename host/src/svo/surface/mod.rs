//! Triangle meshes of octrees, for display and export.

mod cells;
mod corners;
mod faces;
mod relax;
mod smooth;
mod split;
mod untangle;

pub use faces::voxel_faces;
pub use smooth::smooth_surface;

use crate::geometry::FRACTURE;
use crate::svo::tree::{Color, FRACTURED};

/// The material of what a voxel of a colour shows.
fn material(color: Color) -> u32 {
    if color[3] == FRACTURED { FRACTURE } else { 0 }
}

#[cfg(test)]
mod tests;
