//! Collision detection for meshes that deform and break (\[Heo10\]: Heo, Seong, Kim, Otaduy, Hong, Tang and Yoon 2010,
//! FASTCD: fracturing-aware stable collision detection).
//!
//! | file | section |
//! |---|---|
//! | `directions`, `four`, `contour`, `star` | 4: dual cones, and tests of contours and of whole bodies that never miss |
//! | `apart`, `near` | two whole bodies that a plane fits between, or nearly |
//! | `body`, `swept` | 3.1: the tree of one body, bounding boxes and cones |
//! | `patch` | 4.2: which parts of a body are connected, and which are disks |
//! | `update` | 5.1, 5.3: add, delete, split, merge, move |
//! | `cost`, `refit` | 5.2, 5.3: traversal costs; boxes, cones and costs in one pass |
//! | `pieces` | 5.3: pieces keep what was theirs of a tree |
//! | `restructure` | 5.4: which parts of a tree are worth building again |
//! | `traverse`, `twigs` | 3.1, 4.2: pairs of triangles, of a body with itself and of two |
//! | `features`, `candidates` | 6: tests that no two pairs of triangles repeat |
//! | `discrete` | 6: triangles that intersect |
//! | `contacts` | 6: elementary tests of all candidates: all contacts of a step, or the first |
//! | `cracks` | pieces that touch because they have just come off each other |
//! | `brute_force` | the same without the tree, to compare with |
//!
//! Section 5.5 builds by halving cells of a grid; so does the order along a Z-order curve, all levels in one sort, which
//! is what [`super::Bvh`] does.

mod apart;
mod body;
mod brute_force;
mod candidates;
mod contacts;
mod contour;
mod cost;
mod cracks;
mod directions;
mod discrete;
mod features;
mod four;
mod lanes;
mod near;
mod patch;
mod pieces;
mod refit;
mod restructure;
mod star;
mod swept;
mod traverse;
mod twigs;
mod update;

pub use body::BodyHandle;
pub use candidates::{Candidate, Feature, Motion};
pub use contacts::{MarginError, StepContact, StepCounts};
pub use discrete::TrianglePair;
pub use pieces::Piece;
pub use restructure::{Metric, RestructureOptions};
pub use traverse::TraversalCounts;
pub use update::UpdateError;

use super::Bvh;
use body::{Body, Memory};
use pieces::Broken;
use swept::Space;

/// Which parts of a body are not searched for contacts with themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Culling {
    /// All are searched, and so are all pairs of bodies.
    Off,
    /// Parts are left out whose normals are within a right angle of an axis, wherever their contour runs (Provot 1997,
    /// Collision and self-collision handling in cloth model dedicated to design garments). Misses contacts; to compare with.
    NormalCones,
    /// Parts are left out that the dual cones of \[Heo10\] let through. As the paper says, this may miss contacts between
    /// parts of a surface that the tree has cut apart.
    DualCones,
    /// Parts are left out whose contour turns forward as seen from the middle of their normals, and whole bodies that are
    /// seen from a point within: never misses a contact.
    #[default]
    Contours,
}

/// How the tree of a body is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuildMethod {
    /// Along the Z-order curve, all levels in one sort.
    #[default]
    Curve,
    /// By halving at the median along the longest side, again and again; to compare with.
    Median,
}

/// What a [`MeshTree`] is asked to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshTreeOptions {
    /// Which parts of a body are not searched for contacts with themselves.
    pub culling: Culling,
    /// Contacts are those within this distance; positive ones turn culling off, because neighbours are always near.
    pub margin: f64,
    /// Whether the pieces of a body are searched for contacts and candidates with each other in the step in which it breaks. They all touch
    /// along the cracks then: a body of some thousand triangles makes 100,000 contacts at time 0. If not, pairs of such pieces are
    /// told by [`MeshTree::cracks`] as a whole, and what they do to each other is seen from the next step on, and where they
    /// intersect also at the end of this one.
    pub crack_contacts: bool,
    /// How trees are built.
    pub build: BuildMethod,
    /// When parts of a tree are built again.
    pub restructure: RestructureOptions,
}

impl Default for MeshTreeOptions {
    fn default() -> MeshTreeOptions {
        MeshTreeOptions {
            culling: Culling::default(),
            margin: 0.0,
            crack_contacts: false,
            build: BuildMethod::default(),
            restructure: RestructureOptions::default(),
        }
    }
}

/// One tree over the triangles of bodies that move, deform, break and merge.
///
/// Bodies are added, moved and taken out by handles; [`MeshTree::update`] then brings the tree up to date, and queries
/// ask it; before it has, they mean little. What they answer depends neither on the number of threads nor on what the tree has been through.
///
/// The lower part of the tree is that of each body, kept with it, so that a body comes and goes as a whole; the upper
/// part is over bodies and built anew in every update. A node is a [`super::Node`] for traversal and, unless it is a leaf, as
/// many bytes beside it for cones and costs, 64 in all; bodies that are never searched for contacts with themselves have no such bytes.
///
/// ```
/// use fracas::bvh::{MeshTree, MeshTreeOptions};
/// use fracas::geometry::{TriMesh, shapes};
/// use glam::DVec3;
///
/// let mut tree = MeshTree::new(MeshTreeOptions::default());
/// let cube = shapes::cuboid(DVec3::ONE);
/// let floor = TriMesh::new(vec![DVec3::new(-9.0, -2.0, -9.0), DVec3::new(0.0, -2.0, 9.0), DVec3::new(9.0, -2.0, -9.0)], vec![[0, 1, 2]]);
/// let (falling, _) = (tree.add(&cube)?, tree.add(&floor)?);
/// tree.update();
/// assert!(tree.intersections().is_empty());
///
/// // Through the floor in one step: nothing intersects at its end, but what moved has met it.
/// let below: Vec<DVec3> = cube.positions.iter().map(|&corner| corner - 5.0 * DVec3::Y).collect();
/// tree.move_to(falling, &below)?;
/// tree.update();
/// assert!(tree.intersections().is_empty());
/// let (candidates, _) = tree.collect_candidates(|_, _| Some(()));
/// assert!(!candidates.is_empty());
/// # Ok::<(), fracas::bvh::UpdateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MeshTree {
    options: MeshTreeOptions,
    bodies: Vec<Option<Body>>,
    /// How often each slot of `bodies` was given away.
    generations: Vec<u32>,
    free: Vec<u32>,
    space: Space,
    /// Over the bodies in `tops`.
    top: Bvh,
    tops: Vec<u32>,
    /// What the last update decided by; see [`RestructureOptions`].
    budget: f64,
    /// How many bodies have broken.
    breaks: u64,
    /// Those that have since the last update, and had a tree that pieces have something of.
    broken: Vec<Broken>,
    /// Of large bodies that are gone.
    spares: Vec<Memory>,
}

#[cfg(test)]
mod tests;
