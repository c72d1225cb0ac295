//! An octree somewhere in space, and how two of them stand to each other.

use glam::{DMat3, DVec3, Vec3A};

use crate::geometry::Pose;
use crate::svo::lattice::LEAST_LEVEL;
use crate::svo::{Lattice, Tree};

/// An octree, its lattice, and where the lattice's frame is.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The octree.
    pub tree: &'a Tree,
    /// The lattice that it stands on, in the body's own frame.
    pub lattice: &'a Lattice,
    /// Where that frame is in the world.
    pub pose: Pose,
}

/// How many times finer voxels are than others that they are compared with, at most.
const FINEST: f64 = 64.0;

impl Placed<'_> {
    /// The level that is used when some level is asked for: no finer than the octree, and no coarser than any octree.
    pub fn physics_level(&self, level: u32) -> u32 {
        level.clamp(LEAST_LEVEL, self.tree.level())
    }

    /// The edge of a voxel of a level.
    pub fn cell(&self, level: u32) -> f64 {
        self.lattice.voxel * f64::from(1u32 << (self.tree.level() - self.physics_level(level)))
    }

    /// The level that is used beside voxels of some edge: much finer ones tell nothing more, and there may be so many in one of
    /// the others that sums over them overflow.
    fn level_beside(&self, level: u32, edge: f64) -> u32 {
        let level = self.physics_level(level);
        let finer = (edge / (FINEST * self.cell(level))).log2().ceil();
        // What is not a number, or negative, casts to zero.
        self.physics_level(level.saturating_sub(finer as u32))
    }

    /// A place that is given in cells of a level from the lattice's corner.
    pub(super) fn in_world(&self, place: DVec3, level: u32) -> DVec3 {
        self.pose.transform_point(self.lattice.origin + self.cell(level) * place)
    }

    /// Makes what collisions at some level look voxels up in; left out, the first collision does.
    pub(in crate::svo) fn prepare(&self, level: u32) {
        self.tree.grid(self.physics_level(level));
    }

    pub(super) fn is_finite(&self) -> bool {
        self.pose.rotation.is_finite() && self.pose.translation.is_finite()
    }
}

/// The second of two octrees as the first one sees it: in voxels of the first one's physics level, from its corner.
#[derive(Clone, Debug)]
pub(super) struct Relative {
    /// What a vector in voxels of the second is in voxels of the first.
    pub(super) turn: DMat3,
    /// Where the second one's corner is.
    pub(super) corner: DVec3,
    /// The edge of the second one's voxels.
    pub(super) edge: f64,
    pub(super) levels: [u32; 2],
}

impl Relative {
    /// `None` if a pose is not finite.
    pub(super) fn new(first: &Placed<'_>, second: &Placed<'_>, level: u32) -> Option<Relative> {
        let cell = first.cell(level);
        let levels = [first.physics_level(level), second.level_beside(level, cell)];
        let other = second.cell(levels[1]);
        let between = first.pose.inverse() * second.pose;
        let turn = DMat3::from_quat(between.rotation) * (other / cell);
        let corner = (between.transform_point(second.lattice.origin) - first.lattice.origin) / cell;
        let is_finite = first.is_finite() && second.is_finite() && turn.is_finite() && corner.is_finite();
        is_finite.then_some(Relative { turn, corner, edge: other / cell, levels })
    }

    /// A point of the second lattice, in voxels of it.
    #[inline]
    pub(super) fn point(&self, point: DVec3) -> DVec3 {
        self.turn * point + self.corner
    }
}

/// By how much boxes have to overlap on each axis to meet, in voxels: more than rounding, so that voxels of lattices that
/// coincide do not meet all their neighbours, and about half of what the box around a turned voxel is larger than it.
pub(super) const LEAST_OVERLAP: f64 = 0.125;

/// By how much the boxes of nodes are made larger, in the larger voxels of the two: voxels are compared along the axes of
/// either octree, so a voxel's box may come out of its own node, and voxels of a coarser level out of theirs; and what is a
/// little apart is told from what is far.
const MARGIN: f64 = 3.0;

/// Half the extents of the boxes around the second octree's nodes, and the ways to the middles of children, in the first
/// one's voxels; in single precision, because they only say which nodes are looked at.
pub(super) struct Boxes {
    /// By level.
    pub(super) reach: [Vec3A; 12],
    /// From the middle of the root; that of a node is smaller by a power of two.
    pub(super) children: [Vec3A; 8],
}

impl Boxes {
    pub(super) fn new(relative: &Relative) -> Boxes {
        let turn = relative.turn;
        let reach = DVec3::new(
            turn.row(0).abs().element_sum(),
            turn.row(1).abs().element_sum(),
            turn.row(2).abs().element_sum(),
        );
        let size = f64::from(1u32 << relative.levels[1]);
        let half = |level: usize| 0.5 * size / (1u64 << level) as f64;
        let margin = MARGIN * relative.edge.max(1.0);
        Boxes {
            reach: std::array::from_fn(|level| (reach * half(level) + margin).as_vec3a()),
            children: std::array::from_fn(|child| {
                let side = |axis: usize| if child >> axis & 1 == 0 { -0.5 } else { 0.5 };
                (turn * (DVec3::new(side(0), side(1), side(2)) * half(0))).as_vec3a()
            }),
        }
    }
}
