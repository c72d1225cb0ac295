//! Fracture and collision of sparse voxel octrees (\[Domaradzki16\]).

mod bits;
mod body;
mod build;
mod collide;
mod cut;
mod dynamics;
mod extract;
mod fracture;
mod given;
mod interior;
mod islands;
mod lattice;
mod levels;
mod mass;
mod nearest;
mod ray;
mod seeds;
mod surface;
mod tree;
mod voxelise;

pub use crate::pattern::SeedPattern;
pub use body::{SvoBody, VoxelBreakage, Voxels};
pub(crate) use collide::{CLEARANCE, Comparison, Counts, Found, units};
pub use collide::{
    CollideOptions, Encounter, Gradient, Intersection, MOST_RATIO, Placed, Placement, intersect, intersect_half_space,
};
pub use dynamics::{
    BodyError, PhysicsLevel, Pressure, ResponseOptions, Side, SleepOptions, VoxelBody, VoxelStatistics, VoxelTouch,
    VoxelWorld, VoxelWorldOptions,
};
pub use fracture::{FractureOptions, FractureTimes, Fractured};
pub use given::SolidVoxel;
pub(crate) use interior::Painter;
pub use interior::{Interior, Texture, Volume};
pub use lattice::{LEAST_LEVEL, Lattice, MOST_LEVEL};
pub use mass::{mass_properties, tight_box};
pub use ray::{RayErrors, ray_errors, ray_inside};
pub use seeds::Seeds;
pub use surface::{smooth_surface, voxel_faces};
pub use tree::{Color, FRACTURED, ORIGINAL, Tree, VoxelCounts};
pub(crate) use voxelise::{VoxelLists, voxel_lists};
pub use voxelise::{VoxeliseOptions, surface_voxels, voxelise};

#[cfg(test)]
mod body_tests;
#[cfg(test)]
mod dense;
#[cfg(test)]
mod device_tests;
#[cfg(test)]
mod fracture_tests;

use crate::geometry::MeshError;

/// Why something could not be done with voxels.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SvoError {
    /// The mesh itself is damaged.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// No octree is that coarse or that fine.
    #[error("level {level} is not one of an octree's; choose {LEAST_LEVEL} to {MOST_LEVEL}")]
    Level {
        /// The level that was asked for.
        level: u32,
    },
    /// The mesh is a point, or too small or large to measure its volume.
    #[error("the mesh has an extent of {extent:e}, but only 1e-90 to 1e90 can be divided into voxels; scale it")]
    NoExtent {
        /// The largest side of its box.
        extent: f64,
    },
    /// The mesh has triangles, but no surface.
    #[error(
        "none of the {triangles} triangles has an area; a mesh of lines and points has nothing to divide into voxels"
    )]
    NoArea {
        /// How many there are.
        triangles: usize,
    },
    /// A node points at its children with 29 bits.
    #[error("{voxels} voxels at level {level} are more than an octree can hold; choose a coarser level")]
    TooManyVoxels {
        /// Voxels of the boundary.
        voxels: u64,
        /// The level.
        level: u32,
    },
    /// A voxel is beyond the lattice.
    #[error("voxel {voxel} at {place:?} is not on a lattice of {size} voxels along an edge; choose a finer level")]
    OffLattice {
        /// Its number.
        voxel: usize,
        /// Where it is.
        place: [u32; 3],
        /// Voxels along an edge of the lattice.
        size: u32,
    },
    /// Nothing is solid.
    #[error("there are no voxels, so there is no solid")]
    NoVoxels,
    /// There is nothing to divide space by.
    #[error("a fracture needs at least one seed")]
    NoSeeds,
    /// A seed is nowhere.
    #[error("seed {seed} is not at a finite place")]
    SeedNotFinite {
        /// Its number.
        seed: usize,
    },
    /// Islands are looked for in chunks of eight voxels.
    #[error("islands can be looked for at most 3 levels above the finest, not {levels}")]
    CoarserIslands {
        /// The levels that were asked for.
        levels: u32,
    },
}
