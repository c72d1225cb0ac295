//! Which bodies may meet: the broad phase.

use super::body::VoxelBody;
use crate::bvh::Bvh;
use crate::geometry::{Aabb, Plane};

/// The second of a pair with the ground.
pub(super) const GROUND: u32 = u32::MAX;

/// Pairs of bodies, by place in the list, whose boxes overlap and of which one can move; sorted. Pairs with the ground
/// come last of those of a body.
pub(super) fn pairs(bodies: &[VoxelBody], ground: Option<&Plane>) -> Vec<[u32; 2]> {
    let boxes: Vec<Aabb> = bodies.iter().map(VoxelBody::aabb).collect();
    let can_move = |number: u32| bodies[number as usize].is_moving();
    let mut pairs = Bvh::build(&boxes).collect_self_pairs_where(|one, other| can_move(one) || can_move(other));
    if let Some(ground) = ground {
        let below = (0..).zip(&boxes).filter(|&(number, aabb)| can_move(number) && ground.range_of_box(aabb)[0] <= 0.0);
        pairs.extend(below.map(|(number, _)| [number, GROUND]));
    }
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    pairs.sort_unstable();
    pairs
}
