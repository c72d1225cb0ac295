//! How two octrees stand to each other.

use bytemuck::{Pod, Zeroable};

use super::Visit;

/// Levels of an octree, the root's included, and one to spare.
pub const LEVELS: usize = 12;

/// Two octrees that are compared. Lengths are in voxels of the first one's physics level, from its corner; in single
/// precision, because they only say which nodes are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Meeting {
    /// Where the nodes of either octree start in the pool.
    pub nodes: [u32; 2],
    /// The last level of either that is walked to: that of its chunks of voxels, no finer than the octree.
    pub levels: [u32; 2],
    /// The least number of attributes of a boundary node of that level, which have one each, without gaps.
    pub attributes: [u32; 2],
    /// Where the marks of these nodes start: those of the second octree follow those of the first.
    pub marks: [u32; 2],
    /// The middle of either root.
    pub middles: [[f32; 3]; 2],
    /// Half the extents of the box around a node of the second octree, by level, and what is to be looked at beyond it.
    pub reach: [[f32; 3]; LEVELS],
    /// The ways from the middle of the second one's root to those of its children; those of a node are smaller by a power of
    /// two.
    pub children: [[f32; 3]; 8],
    /// Half the edge of a node of the first octree's last level.
    pub half: f32,
}

const _: () = assert!(size_of::<Meeting>() == 300 && align_of::<Meeting>() == 4);

impl Meeting {
    /// Half the edge of a node of the first octree.
    #[inline]
    pub(super) fn half(&self, level: u32) -> f32 {
        self.half * (1u32 << (self.levels[0] - level)) as f32
    }

    #[inline]
    pub(super) fn overlap(&self, first: &Visit, second: &Visit) -> bool {
        let (reach, half) = (self.reach[second.level as usize], self.half(first.level));
        let away = difference(first.middle, second.middle);
        (0..3).all(|axis| away[axis].abs() <= reach[axis] + half)
    }

    /// Whether the box of the second node lies within the first.
    #[inline]
    pub(super) fn holds(&self, first: &Visit, second: &Visit) -> bool {
        let (reach, half) = (self.reach[second.level as usize], self.half(first.level));
        let away = difference(first.middle, second.middle);
        (0..3).all(|axis| away[axis].abs() <= half - reach[axis])
    }

    #[inline]
    pub(super) fn first_is_larger(&self, first: &Visit, second: &Visit) -> bool {
        self.half(first.level) >= 0.6 * largest(self.reach[second.level as usize])
    }

    /// The middle of a child of the second octree's node.
    #[inline]
    pub(super) fn second_child(&self, second: &Visit, child: u32) -> [f32; 3] {
        let scale = 1.0 / (1u32 << second.level) as f32;
        let way = self.children[child as usize];
        [0, 1, 2].map(|axis: usize| second.middle[axis] + scale * way[axis])
    }
}

#[inline]
pub(super) fn difference(one: [f32; 3], other: [f32; 3]) -> [f32; 3] {
    [one[0] - other[0], one[1] - other[1], one[2] - other[2]]
}

#[inline]
pub(super) fn largest([x, y, z]: [f32; 3]) -> f32 {
    x.max(y).max(z)
}

/// The way to a child's middle whose distance on each axis is given.
#[inline]
pub(super) fn way_to_child(child: u32, distance: f32) -> [f32; 3] {
    [0, 1, 2].map(|axis: u32| if child >> axis & 1 == 0 { -distance } else { distance })
}
