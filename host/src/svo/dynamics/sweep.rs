//! Bodies that are so fast that a step would take them through the ground or each other.

use glam::DVec3;
use rayon::prelude::*;

use super::body::VoxelBody;
use super::press::Press;
use crate::bvh::Bvh;
use crate::geometry::{Aabb, Plane};

/// How deep a body may come into the ground in a step, as a part of its height above it.
const DEPTH: f64 = 0.1;

/// Moves a body on by a step. Once it comes to a plane it gets no farther in a step than the response can see to: it keeps
/// its speed, which is the response's to take.
pub(super) fn advance(body: &mut VoxelBody, planes: &[Plane], dt: f64) {
    let (before, aabb) = (body.center, body.aabb());
    body.advance(dt);
    for plane in planes {
        let [low, high] = plane.range_of_box(&aabb);
        let most = low.max(0.0) + (DEPTH * (high - low)).max(2.0 * body.lattice.voxel);
        let fall = plane.normal.dot(before - body.center);
        if low + high > 0.0 && fall > most {
            body.center += (fall - most) * plane.normal;
        }
    }
}

/// How far two bodies may come into each other before they are seen to, as a part of what the thinner one is thick.
const NEARER: f64 = 0.25;

/// A step is looked at in no more places than this.
const MOST_PLACES: u32 = 32;

/// And in each step once they have, so that nothing stands still for good.
const CREEP: f64 = 0.02;

/// The part of a way that a box overlaps another on, as it goes along it.
fn meeting(moving: &Aabb, still: &Aabb, way: DVec3) -> Option<[f64; 2]> {
    let (mut begin, mut end) = (0.0f64, 1.0f64);
    for axis in 0..3 {
        let [near, far] = [still.min[axis] - moving.max[axis], still.max[axis] - moving.min[axis]];
        if way[axis] == 0.0 {
            if near > 0.0 || far < 0.0 {
                return None;
            }
            continue;
        }
        let [one, other] = [near / way[axis], far / way[axis]];
        begin = begin.max(one.min(other));
        end = end.min(one.max(other));
    }
    (begin <= end).then_some([begin, end])
}

/// How much of a step each body may move on by so that it does not pass another one: to where two that are fast first meet,
/// and no deeper than the response can see to. They keep their speed, which is the response's to take.
pub(super) fn shares(
    bodies: &[VoxelBody],
    presses: &[Press],
    dt: f64,
    overlap: impl Fn(&VoxelBody, &VoxelBody) -> bool + Sync,
) -> Vec<f64> {
    let mut shares = vec![1.0f64; bodies.len()];
    let way = |body: &VoxelBody| if body.is_moving() { dt * body.velocity } else { DVec3::ZERO };
    let thickness = |body: &VoxelBody| body.bounds.size().min_element();
    let fastest = bodies.iter().map(|body| way(body).length()).fold(0.0, f64::max);
    let thinnest = bodies.iter().map(thickness).fold(f64::INFINITY, f64::min);
    if 2.0 * fastest <= NEARER * thinnest {
        return shares;
    }
    let places = |one: u32, other: u32| {
        let [one, other] = [one, other].map(|body| &bodies[body as usize]);
        (way(one) - way(other)).length() / (NEARER * thickness(one).min(thickness(other)))
    };
    let swept = bodies.iter().map(|body| {
        let (aabb, way) = (body.aabb(), way(body));
        Aabb { min: aabb.min + way.min(DVec3::ZERO), max: aabb.max + way.max(DVec3::ZERO) }
    });
    let swept: Vec<Aabb> = swept.collect();
    let fast = Bvh::build(&swept).collect_self_pairs_where(|one, other| places(one, other) > 1.0);
    let mut pressed: Vec<[u32; 2]> = presses.iter().map(|press| press.bodies).collect();
    pressed.sort_unstable();
    let is_pressed = |pair: [u32; 2]| pressed.binary_search(&pair).is_ok();
    let first_place = |&[one, other]: &[u32; 2]| {
        // What presses already is looked at below.
        if is_pressed([one, other]) {
            return None;
        }
        let [first, second] = [one, other].map(|body| &bodies[body as usize]);
        let [begin, end] = meeting(&first.aabb(), &second.aabb(), way(first) - way(second))?;
        let at = |share: f64| {
            let [one, other] =
                [first, second].map(|body| VoxelBody { center: body.center + share * way(body), ..body.clone() });
            overlap(&one, &other)
        };
        let count = ((places(one, other) * (end - begin)).ceil() as u32).clamp(1, MOST_PLACES);
        let share = |place: u32| begin + (end - begin) * f64::from(place) / f64::from(count);
        // What overlaps already and was not seen to may come nearer by a place, and then is.
        (0..=count).find(|&place| at(share(place))).map(|place| share(place).max(1.0 / places(one, other)).min(1.0))
    };
    let met: Vec<Option<f64>> = fast.par_iter().map(first_place).collect();
    let deep = presses.iter().filter_map(|press| {
        let [one, other] = press.bodies.map(|body| bodies.get(body as usize));
        let (one, other) = (one?, other?);
        let away = one.velocity_at(press.center) - other.velocity_at(press.center);
        let nearer = dt * press.gradient.dot(away) / press.area;
        let thin = thickness(one).min(thickness(other));
        let room = (NEARER * thin - press.depth()).max(CREEP * thin);
        (nearer > room).then_some((press.bodies, room / nearer))
    });
    let met = fast.iter().zip(met).filter_map(|(&pair, share)| Some((pair, share?)));
    for (pair, share) in met.chain(deep) {
        for body in pair {
            shares[body as usize] = share.min(shares[body as usize]);
        }
    }
    shares
}
