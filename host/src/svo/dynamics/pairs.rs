//! Which bodies may meet: the broad phase.

use super::body::VoxelBody;
use crate::bvh::Bvh;
use crate::geometry::{Aabb, Plane};

/// The second of a pair with the first plane; those with further planes count down from here.
pub(super) const FIRST_PLANE: u32 = u32::MAX;

/// The plane that the second of a pair stands for, if there are so many.
pub(super) fn plane_of(second: u32, planes: usize) -> Option<usize> {
    Some((FIRST_PLANE - second) as usize).filter(|&plane| plane < planes)
}

/// Pairs of bodies, by place in the list, whose boxes overlap and of which one can move; sorted. Pairs with planes
/// come last of those of a body.
pub(super) fn pairs(bodies: &[VoxelBody], planes: &[Plane]) -> Vec<[u32; 2]> {
    let boxes: Vec<Aabb> = bodies.iter().map(VoxelBody::aabb).collect();
    let can_move = |number: u32| bodies[number as usize].is_moving();
    let mut pairs = Bvh::build(&boxes).collect_self_pairs_where(|one, other| can_move(one) || can_move(other));
    for (second, plane) in (0..=FIRST_PLANE).rev().zip(planes) {
        let below = (0..).zip(&boxes).filter(|&(number, aabb)| can_move(number) && plane.range_of_box(aabb)[0] <= 0.0);
        pairs.extend(below.map(|(number, _)| [number, second]));
    }
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    pairs.sort_unstable();
    pairs
}
