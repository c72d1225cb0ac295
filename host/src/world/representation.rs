//! How bodies are represented for collision, and which method answers for which pair.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use glam::{DMat3, DVec3};

use crate::fragment::Fragment;
use crate::geometry::{Convex, MassProperties, TriMesh};
use crate::svo::{Voxels, mass_properties};

/// The convex solids of a body, in the body's coordinates. The keys are the caller's, so that a fracture can name the parts
/// that it changes; what is seen of a part has the same key among the body's [`Looks`](super::Looks).
pub type ConvexParts = BTreeMap<u32, Arc<Convex>>;

/// How others collide with a body. Coordinates are the body's own.
#[derive(Clone, Debug)]
pub enum Representation {
    /// Everything on the inner side of a plane through the origin; only for bodies that stay fixed.
    HalfSpace {
        /// The unit normal, pointing out.
        normal: DVec3,
    },
    /// A ball around the origin.
    Ball {
        /// Its radius.
        radius: f64,
    },
    /// A box around the origin.
    Cuboid {
        /// Half of its size along each axis.
        half_extents: DVec3,
    },
    /// Convex solids that move as one; each collides by itself.
    Convexes(ConvexParts),
    /// The triangles of a mesh, hollow: nothing says what is inside.
    Surface(Arc<TriMesh>),
    /// An octree of voxels.
    Voxels(Voxels),
    /// A part of a tetrahedral mesh.
    Fragment(Arc<Fragment>),
}

/// What the narrow-phase table goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepresentationKind {
    /// [`Representation::HalfSpace`].
    HalfSpace,
    /// Balls, boxes and convex solids.
    Solid,
    /// [`Representation::Surface`].
    Surface,
    /// [`Representation::Voxels`].
    Voxels,
    /// [`Representation::Fragment`].
    Fragment,
}

impl RepresentationKind {
    /// Every kind.
    pub const ALL: [RepresentationKind; 5] = [
        RepresentationKind::HalfSpace,
        RepresentationKind::Solid,
        RepresentationKind::Surface,
        RepresentationKind::Voxels,
        RepresentationKind::Fragment,
    ];
}

impl fmt::Display for RepresentationKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            RepresentationKind::HalfSpace => "half-space",
            RepresentationKind::Solid => "solid",
            RepresentationKind::Surface => "surface",
            RepresentationKind::Voxels => "voxels",
            RepresentationKind::Fragment => "fragment",
        })
    }
}

/// What finds the contacts of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NarrowPhase {
    /// Rapier's own tests between its own shapes.
    Rapier,
    /// The volume that octrees share (\[Domaradzki16\] 5).
    Voxels,
    /// Points of a sphere tree in a distance field (\[Glondu12\] 3).
    DistanceField,
}

/// Which method finds the contacts between two representations of bodies of which at least one moves; `None` if nothing
/// does, which is an error when a body is added.
///
/// Voxels answer with forces of their own, which Rapier's bodies do not feel, so they meet only voxels and half-spaces. A
/// half-space fills half the world, so two of them always overlap; two hollow surfaces pass into each other without
/// anything to say which side is free.
pub fn narrow_phase(a: RepresentationKind, b: RepresentationKind) -> Option<NarrowPhase> {
    use RepresentationKind::{Fragment, HalfSpace, Solid, Surface, Voxels};
    match (a, b) {
        (Solid, Solid | HalfSpace | Surface) | (HalfSpace | Surface, Solid) => Some(NarrowPhase::Rapier),
        (Surface, HalfSpace) | (HalfSpace, Surface) => Some(NarrowPhase::Rapier),
        (Voxels, Voxels | HalfSpace) | (HalfSpace, Voxels) => Some(NarrowPhase::Voxels),
        (Fragment, Fragment | Solid | HalfSpace | Surface) => Some(NarrowPhase::DistanceField),
        (Solid | HalfSpace | Surface, Fragment) => Some(NarrowPhase::DistanceField),
        (Voxels, Solid | Surface | Fragment) | (Solid | Surface | Fragment, Voxels) => None,
        (HalfSpace, HalfSpace) | (Surface, Surface) => None,
    }
}

impl Representation {
    /// Convex solids that move as one, with their places in the list as keys.
    pub fn convexes(parts: impl IntoIterator<Item = Arc<Convex>>) -> Representation {
        Representation::Convexes((0..).zip(parts).collect())
    }

    /// What the narrow-phase table goes by.
    pub fn kind(&self) -> RepresentationKind {
        match self {
            Representation::HalfSpace { .. } => RepresentationKind::HalfSpace,
            Representation::Ball { .. } | Representation::Cuboid { .. } | Representation::Convexes(_) => {
                RepresentationKind::Solid
            }
            Representation::Surface(_) => RepresentationKind::Surface,
            Representation::Voxels(_) => RepresentationKind::Voxels,
            Representation::Fragment(_) => RepresentationKind::Fragment,
        }
    }

    /// Volume, centroid and inertia at density one; a half-space counts as nothing, for it never moves.
    pub fn mass_properties(&self) -> MassProperties {
        let about_origin = |volume: f64, diagonal: DVec3| MassProperties {
            volume,
            centroid: DVec3::ZERO,
            inertia: DMat3::from_diagonal(diagonal),
        };
        match self {
            Representation::HalfSpace { .. } => about_origin(0.0, DVec3::ZERO),
            Representation::Ball { radius } => {
                let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
                about_origin(volume, DVec3::splat(0.4 * volume * radius * radius))
            }
            Representation::Cuboid { half_extents } => {
                let volume = 8.0 * half_extents.element_product();
                let squares = *half_extents * *half_extents;
                about_origin(volume, volume / 3.0 * (DVec3::splat(squares.element_sum()) - squares))
            }
            Representation::Convexes(parts) => {
                MassProperties::combined(parts.values().map(|part| part.mass_properties()))
            }
            Representation::Surface(mesh) => mesh.mass_properties(),
            Representation::Voxels(voxels) => mass_properties(&voxels.tree, &voxels.lattice),
            Representation::Fragment(fragment) => fragment.mass_properties(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Aabb;

    #[test]
    fn the_table_does_not_depend_on_the_order_of_a_pair() {
        for a in RepresentationKind::ALL {
            for b in RepresentationKind::ALL {
                assert_eq!(narrow_phase(a, b), narrow_phase(b, a));
            }
        }
    }

    #[test]
    fn a_box_weighs_the_same_in_every_representation() {
        let half_extents = DVec3::new(0.5, 1.0, 1.5);
        let whole = Convex::cuboid(Aabb::around(DVec3::ZERO, half_extents));
        let left = Convex::cuboid(Aabb { min: -half_extents, max: DVec3::new(0.1, 1.0, 1.5) });
        let right = Convex::cuboid(Aabb { min: DVec3::new(0.1, -1.0, -1.5), max: half_extents });
        let expected = Representation::Cuboid { half_extents }.mass_properties();
        let others = [
            Representation::convexes([Arc::new(whole.clone())]),
            Representation::convexes([Arc::new(left), Arc::new(right)]),
            Representation::Surface(Arc::new(whole.to_tri_mesh())),
        ];
        for other in others {
            let mass = other.mass_properties();
            assert!((mass.volume - expected.volume).abs() < 1e-12);
            assert!(mass.centroid.length() < 1e-12);
            let difference = mass.inertia - expected.inertia;
            assert!(difference.to_cols_array().iter().all(|entry| entry.abs() < 1e-12));
        }
    }
}
