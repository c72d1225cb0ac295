//! The lattice that an octree's finest voxels are the cells of.

use glam::DVec3;

use super::SvoError;
use crate::geometry::Aabb;

/// The coarsest octree: one chunk.
pub const LEAST_LEVEL: u32 = 3;

/// The finest octree: 1024 voxels along an edge.
pub const MOST_LEVEL: u32 = 10;

/// A cube of `2^level` voxels along each edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// The cube's lowest corner.
    pub origin: DVec3,
    /// The edge of a finest voxel.
    pub voxel: f64,
    /// How often the cube is halved.
    pub level: u32,
}

impl Lattice {
    /// The smallest lattice around a box that leaves a voxel free on every side.
    ///
    /// # Errors
    /// If the level is not one that octrees have, or the box is empty, a point, or not finite.
    pub fn around(aabb: &Aabb, level: u32) -> Result<Lattice, SvoError> {
        check_level(level)?;
        let extent = aabb.size().max_element();
        if !((1e-90..=1e90).contains(&extent) && aabb.center().abs().max_element() <= 1e90) {
            return Err(SvoError::NoExtent { extent });
        }
        let voxel = extent / f64::from((1u32 << level) - 2);
        let origin = aabb.center() - DVec3::splat(0.5 * voxel * f64::from(1u32 << level));
        Ok(Lattice { origin, voxel, level })
    }

    /// Voxels along an edge.
    pub fn size(&self) -> u32 {
        1 << self.level
    }

    /// The whole cube.
    pub fn aabb(&self) -> Aabb {
        let edge = self.voxel * f64::from(self.size());
        Aabb { min: self.origin, max: self.origin + DVec3::splat(edge) }
    }

    /// A point, in voxels from the lowest corner.
    pub fn inward(&self, point: DVec3) -> DVec3 {
        (point - self.origin) / self.voxel
    }

    /// A point that is given in voxels from the lowest corner.
    pub fn outward(&self, point: DVec3) -> DVec3 {
        self.origin + self.voxel * point
    }
}

/// Whether octrees have that many levels.
pub(super) fn check_level(level: u32) -> Result<(), SvoError> {
    if (LEAST_LEVEL..=MOST_LEVEL).contains(&level) { Ok(()) } else { Err(SvoError::Level { level }) }
}
