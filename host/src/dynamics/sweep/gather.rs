//! Which colliders may meet in a step.

use rapier3d::parry::bounding_volume::Aabb as RapierAabb;
use rapier3d::prelude::{Collider, ColliderHandle, ContactPair, PhysicsWorld, RigidBodyHandle};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::path::{Path, double};
use super::settle::{Part, Problem};
use super::solid::Solid;
use super::{SLOW, Sweep, THINNEST, colliders, thickness};
use crate::bvh::Bvh;
use crate::dynamics::plane::{Planes, Tile};
use crate::dynamics::rapier::FragmentShape;
use crate::dynamics::rigid_build::rapier_pose;
use crate::geometry::{Aabb, Pose};

/// The way of a body is looked along in no more pieces than this.
const MOST_PIECES: f64 = 64.0;

/// Contacts are deep if they are by this part of how thick the thinner collider is: half of what a step may lead to.
const DEEP: f32 = 1.0 / 16.0;

type HandlePair = [ColliderHandle; 2];

/// Finds what a step could have taken into or through each other: each fast body and what is in its way, and what was deep in
/// each other before.
pub(super) fn gather<'a>(
    sweep: &Sweep,
    physics: &'a PhysicsWorld,
    planes: &Planes,
    fast: &[RigidBodyHandle],
) -> Problem<'a> {
    let mut problem = Problem::new(f64::from(sweep.length_unit));
    let mut deep = deep_pairs(physics);
    // What was stopped may have broken or been taken out since.
    let is_there = |pair: &&HandlePair| pair.iter().all(|&collider| physics.colliders.contains(collider));
    deep.extend(sweep.held.iter().filter(is_there));
    deep.sort_unstable_by_key(order);
    deep.dedup();
    if fast.is_empty() && deep.is_empty() {
        return problem;
    }
    let is_fast = |handle: RigidBodyHandle| {
        fast.binary_search_by_key(&handle.into_raw_parts(), |fast| fast.into_raw_parts()).is_ok()
    };
    let slow = SLOW * f64::from(sweep.thinnest);
    let mut swept: Vec<(ColliderHandle, Aabb)> = Vec::new();
    let mut met: Vec<HandlePair> = Vec::new();
    let looked_along = |&handle: &RigidBodyHandle| {
        let body = &physics.bodies[handle];
        let path = sweep.path(handle, body);
        let world = physics.query_pipeline();
        let (mut boxes, mut met) = (Vec::new(), Vec::new());
        for (number, collider) in colliders(physics, body) {
            // What is made once for a fragment that is fast is made here, where many are looked at at the same time.
            collider.shape().as_shape::<FragmentShape>().map(FragmentShape::form);
            let mut all = Aabb::EMPTY;
            for aabb in boxes_along(&path, collider) {
                all = all.union(aabb);
                let asked = rapier_aabb(&aabb.expanded(slow));
                let near = world.intersect_aabb_conservative(asked).filter(|(other, collider)| {
                    // Of two fast bodies the boxes below tell.
                    let is_moving = collider.parent().is_some_and(is_fast);
                    *other != number && !is_moving && collider.shape().as_shape::<Tile>().is_none()
                });
                met.extend(near.map(|(other, _)| [number, other]));
            }
            boxes.push((number, all));
        }
        met.sort_unstable_by_key(order);
        met.dedup();
        (boxes, met)
    };
    let found: Vec<_> = fast.par_iter().map(looked_along).collect();
    for (boxes, pairs) in found {
        swept.extend(boxes);
        met.extend(pairs);
    }
    let boxes: Vec<Aabb> = swept.iter().map(|(_, aabb)| *aabb).collect();
    let parent = |collider: ColliderHandle| physics.colliders[collider].parent();
    let between_fast = Bvh::build(&boxes)
        .collect_self_pairs_where(|one, other| parent(swept[one as usize].0) != parent(swept[other as usize].0));
    met.extend(between_fast.into_iter().map(|pair| pair.map(|number| swept[number as usize].0)));

    let mut parts = Parts { sweep, physics, movers: FxHashMap::default(), parts: FxHashMap::default() };
    let is_tile = |&collider: &ColliderHandle| physics.colliders[collider].shape().as_shape::<Tile>().is_some();
    let (in_planes, deep): (Vec<HandlePair>, Vec<HandlePair>) =
        deep.into_iter().partition(|pair| pair.iter().any(is_tile));
    for (pairs, is_deep) in [(met, false), (deep, true)] {
        for pair in pairs {
            let pair = pair.map(|collider| parts.number(&mut problem, collider));
            if let [Some(one), Some(other)] = pair {
                problem.add_pair(one, other, is_deep);
            }
        }
    }
    let in_planes: Vec<ColliderHandle> =
        in_planes.into_iter().flatten().filter(|collider| !is_tile(collider)).collect();
    for plane in planes.surfaces() {
        let landing = swept.iter().filter(|(_, aabb)| plane.range_of_box(aabb)[0] <= 0.0);
        let landing = landing.map(|(collider, _)| (*collider, false));
        let plane = problem.add_plane(&plane);
        for (collider, is_deep) in landing.chain(in_planes.iter().map(|&collider| (collider, true))) {
            if let Some(part) = parts.number(&mut problem, collider) {
                problem.add_landing(part, plane, is_deep);
            }
        }
    }
    problem
}

/// Pairs that were deep in each other when the step began, as the solver knew them.
fn deep_pairs(physics: &PhysicsWorld) -> Vec<HandlePair> {
    let is_deep = |pair: &&ContactPair| {
        let colliders = [pair.collider1, pair.collider2].map(|handle| physics.colliders.get(handle));
        let [Some(one), Some(other)] = colliders else { return false };
        if rests_with_fragment(physics, one, other) {
            return false;
        }
        let deepest = pair.manifolds().iter().flat_map(|manifold| &manifold.points).map(|point| point.dist);
        let deepest = deepest.fold(0.0, f32::min);
        let thin = [thickness(one), thickness(other)].into_iter().filter(|thickness| *thickness > 0.0);
        deepest < 0.0 && -deepest > DEEP * thin.fold(f32::INFINITY, f32::min)
    };
    let deep = physics.narrow_phase.contact_pairs().filter(is_deep);
    let mut deep: Vec<HandlePair> = deep.map(|pair| [pair.collider1, pair.collider2]).collect();
    deep.sort_unstable_by_key(order);
    deep
}

/// Whether one of two colliders is a fragment, and neither moves.
pub(super) fn rests_with_fragment(physics: &PhysicsWorld, one: &Collider, other: &Collider) -> bool {
    let is_fragment = |collider: &Collider| collider.shape().as_shape::<FragmentShape>().is_some();
    let rests = |collider: &Collider| {
        let body = collider.parent().and_then(|handle| physics.bodies.get(handle));
        body.is_none_or(|body| body.is_fixed() || body.is_sleeping())
    };
    (is_fragment(one) || is_fragment(other)) && rests(one) && rests(other)
}

pub(super) fn order(pair: &HandlePair) -> [(u32, u32); 2] {
    pair.map(|collider| collider.into_raw_parts())
}

/// Boxes that a collider of a body is in as it goes along, one after the other.
fn boxes_along(path: &Path, collider: &Collider) -> Vec<Aabb> {
    let local = collider.position_wrt_parent().map_or(Pose::IDENTITY, double);
    let (way, _) = path.rest(0.0);
    let count = (way.length() / (2.0 * path.reach)).ceil().clamp(1.0, MOST_PIECES);
    let time = |place: f64| place / count;
    let at = |t: f64| {
        let pose = path.at(t) * local;
        let aabb = rapier_pose(&pose).map(|pose| collider.shape().compute_aabb(&pose));
        aabb.map_or(Aabb::EMPTY, |aabb| Aabb { min: aabb.mins.as_dvec3(), max: aabb.maxs.as_dvec3() })
    };
    let pieces = 0..count as u32;
    let piece = |piece: u32| {
        let [from, to] = [time(f64::from(piece)), time(f64::from(piece + 1))];
        let aabb = at(from).union(at(to));
        // What is rounded to single precision is off by less.
        aabb.expanded(path.stray(from, to) + 1e-6 * aabb.largest())
    };
    pieces.map(piece).collect()
}

fn rapier_aabb(aabb: &Aabb) -> RapierAabb {
    RapierAabb::new(aabb.min.as_vec3(), aabb.max.as_vec3())
}

/// The numbers that colliders and bodies have in a problem.
struct Parts<'a, 's> {
    sweep: &'s Sweep,
    physics: &'a PhysicsWorld,
    movers: FxHashMap<RigidBodyHandle, usize>,
    parts: FxHashMap<ColliderHandle, Option<usize>>,
}

impl<'a> Parts<'a, '_> {
    /// The number of a collider; `None` of one that the sweep does not know.
    fn number(&mut self, problem: &mut Problem<'a>, handle: ColliderHandle) -> Option<usize> {
        if let Some(&number) = self.parts.get(&handle) {
            return number;
        }
        let number = self.physics.colliders.get(handle).filter(|collider| collider.is_enabled()).and_then(|collider| {
            let (mover, local) = match collider.parent() {
                Some(body) => (self.mover(problem, body), collider.position_wrt_parent().map(double)),
                None => (Problem::STILL, Some(double(collider.position()))),
            };
            let thin = f64::from(thickness(collider));
            let least = f64::from(THINNEST * self.sweep.length_unit);
            let local = local?;
            let shape = collider.shape();
            let part = if let Some(fragment) = shape.as_shape::<FragmentShape>() {
                fragment.form()?.part(fragment, mover, local, least)?
            } else if let Some(mesh) = shape.as_trimesh() {
                let solid = Solid::bare(shape, local, mesh.vertices().iter().copied());
                Part { mover, solid, thickness: 0.0, surface: Some((mesh, local)), fragment: None }
            } else {
                Part {
                    mover,
                    solid: Solid::of(shape, local)?,
                    thickness: thin.max(least),
                    surface: None,
                    fragment: None,
                }
            };
            Some(problem.add_part(part, Some(handle)))
        });
        self.parts.insert(handle, number);
        number
    }

    fn mover(&mut self, problem: &mut Problem<'a>, handle: RigidBodyHandle) -> usize {
        let (sweep, physics) = (self.sweep, self.physics);
        *self.movers.entry(handle).or_insert_with(|| {
            let path = sweep.path(handle, &physics.bodies[handle]);
            problem.add_mover(handle, path)
        })
    }
}
