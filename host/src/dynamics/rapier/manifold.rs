//! Contacts as Rapier wants them: manifolds of one normal and up to four points.

use glam::{DVec3, Vec3};
use rapier3d::parry::query::{ContactManifold, TrackedContact};
use rapier3d::parry::shape::{FeatureId, PackedFeatureId};
use rapier3d::prelude::Pose as RapierPose;
use rustc_hash::FxHashMap;

/// The solver looks at so many points of a manifold.
const MOST_POINTS: usize = 4;

/// The cosine of the angle up to which contacts share a manifold: about ten degrees.
const SAME_NORMAL: f32 = 0.985;

/// What is nearer than this part of the prediction distance touches, and one that did before up to twice that.
const TOUCHING: f32 = 0.25;
const TOUCHING_STILL: f32 = 0.5;

/// How much farther from the others, as squares, a contact has to be to take the place of one that was there before.
const STICKY: f64 = 2.0;

/// A contact between two shapes.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairContact {
    /// On each shape, in its own coordinates.
    pub(super) places: [DVec3; 2],
    /// From the first to the second, in the coordinates of the first.
    pub(super) normal: DVec3,
    pub(super) distance: f64,
    pub(super) features: [PackedFeatureId; 2],
}

/// Puts contacts into manifolds, one for each direction, with the few points that hold the two apart there. Impulses of contacts that
/// were there before are kept, so that the solver starts with them; so are the manifolds themselves, in which it finds its own
/// traces.
///
/// Left to itself Rapier would choose four points of a direction anew in every step, by which is the deepest, and take what only comes
/// near for as good as what touches. A body that rests on three points then loses one of them whenever another is a hair deeper, and
/// rocks for ever. Here what touched before and what touches go first.
pub(super) fn fill<ManifoldData, ContactData>(
    contacts: &[PairContact],
    second_in_first: &RapierPose,
    prediction: f32,
    manifolds: &mut Vec<ContactManifold<ManifoldData, ContactData>>,
) where
    ManifoldData: Default + Clone,
    ContactData: Default + Copy,
{
    let mut known: FxHashMap<[u32; 2], ContactData> = FxHashMap::default();
    for manifold in manifolds.iter_mut() {
        known.extend(manifold.points.drain(..).map(|point| ([point.fid1.0, point.fid2.0], point.data)));
    }
    let mut candidates: Vec<Candidate<'_>> = Vec::with_capacity(contacts.len());
    let mut directions: Vec<Vec3> = Vec::new();
    for contact in contacts {
        let normal = contact.normal.as_vec3();
        let home = directions.iter().position(|direction| direction.dot(normal) >= SAME_NORMAL);
        let home = home.unwrap_or_else(|| {
            directions.push(normal);
            directions.len() - 1
        });
        let is_known = known.contains_key(&contact.features.map(|feature| feature.0));
        let touching = if is_known { TOUCHING_STILL } else { TOUCHING };
        let touches = contact.distance < f64::from(touching * prediction);
        candidates.push(Candidate { contact, home, is_known, touches, spread: f64::INFINITY });
    }
    if manifolds.len() < directions.len() {
        manifolds.resize_with(directions.len(), ContactManifold::new);
    }
    for (home, (manifold, &normal)) in manifolds.iter_mut().zip(&directions).enumerate() {
        manifold.local_n1 = normal;
        manifold.local_n2 = second_in_first.rotation.inverse() * -normal;
        while manifold.points.len() < MOST_POINTS
            && let Some(contact) = take_next(&mut candidates, home, f64::from(TOUCHING * prediction))
        {
            let [p1, p2] = contact.places.map(|place| place.as_vec3());
            let [fid1, fid2] = contact.features;
            let mut point = TrackedContact::new(p1, p2, fid1, fid2, contact.distance as f32);
            if let Some(&data) = known.get(&[fid1.0, fid2.0]) {
                point.data = data;
            }
            manifold.points.push(point);
        }
    }
}

/// A contact that may come into a manifold.
struct Candidate<'a> {
    contact: &'a PairContact,
    /// The number of the manifold.
    home: usize,
    is_known: bool,
    touches: bool,
    /// How far it is from all that are in the manifold, squared.
    spread: f64,
}

/// The next contact of a manifold: one that touches before others, the deepest first and then what is farthest from those chosen.
/// One that was there before counts as deeper by `sticky`.
fn take_next<'a>(candidates: &mut Vec<Candidate<'a>>, home: usize, sticky: f64) -> Option<&'a PairContact> {
    let rank = |candidate: &Candidate<'_>| {
        let Candidate { contact, is_known, touches, spread, .. } = *candidate;
        if is_known {
            (touches, STICKY * spread, sticky - contact.distance)
        } else {
            (touches, spread, -contact.distance)
        }
    };
    let own = candidates.iter().enumerate().filter(|(_, candidate)| candidate.home == home);
    let (place, _) = own.max_by(|(_, one), (_, other)| {
        let (one, other) = (rank(one), rank(other));
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.total_cmp(&other.2))
    })?;
    let chosen = candidates.swap_remove(place).contact;
    for candidate in candidates.iter_mut().filter(|candidate| candidate.home == home) {
        candidate.spread = candidate.spread.min(candidate.contact.places[0].distance_squared(chosen.places[0]));
    }
    Some(chosen)
}

/// The number of a point, if a feature is one.
pub(super) fn vertex(feature: PackedFeatureId) -> Option<u32> {
    if let FeatureId::Vertex(point) = feature.unpack() { Some(point) } else { None }
}

/// The deepest of some contacts.
pub(super) fn deepest(contacts: &[PairContact]) -> Option<&PairContact> {
    contacts.iter().min_by(|one, other| one.distance.total_cmp(&other.distance))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Manifold = ContactManifold<(), f32>;

    /// Contacts with a floor at these places, told by their distances.
    fn on_floor(contacts: &[(f64, f64, f64)]) -> Vec<PairContact> {
        let contact = |(point, &(x, z, distance)): (u32, &(f64, f64, f64))| PairContact {
            places: [DVec3::new(x, 0.0, z), DVec3::new(x, distance, z)],
            normal: DVec3::Y,
            distance,
            features: [PackedFeatureId::face(0), PackedFeatureId::vertex(point)],
        };
        (0..).zip(contacts).map(contact).collect()
    }

    fn points(manifolds: &[Manifold]) -> Vec<u32> {
        let mut points: Vec<u32> =
            manifolds.iter().flat_map(|manifold| &manifold.points).filter_map(|point| vertex(point.fid2)).collect();
        points.sort_unstable();
        points
    }

    #[test]
    fn what_touches_goes_before_what_comes_near() {
        // The four corners of a square only come near.
        let mut contacts = vec![(1.0, 1.0, 0.9), (-1.0, 1.0, 0.9), (-1.0, -1.0, 0.9), (1.0, -1.0, 0.9)];
        contacts.extend([(0.1, 0.0, -0.1), (-0.1, 0.1, -0.1), (-0.1, -0.1, 0.0)]);
        let mut manifolds: Vec<Manifold> = Vec::new();
        fill(&on_floor(&contacts), &RapierPose::IDENTITY, 1.0, &mut manifolds);
        assert_eq!(manifolds.len(), 1);
        let chosen = points(&manifolds);
        assert_eq!(chosen.len(), MOST_POINTS);
        assert!([4, 5, 6].iter().all(|point| chosen.contains(point)), "{chosen:?}");
    }

    #[test]
    fn which_is_deepest_by_a_hair_does_not_matter() {
        let around = |deepest: usize| -> Vec<(f64, f64, f64)> {
            let corner = |number: usize| {
                let angle = number as f64;
                (angle.cos(), angle.sin(), if number == deepest { -0.11 } else { -0.1 })
            };
            (0..6).map(corner).collect()
        };
        let mut manifolds: Vec<Manifold> = Vec::new();
        fill(&on_floor(&around(0)), &RapierPose::IDENTITY, 1.0, &mut manifolds);
        manifolds[0].points.iter_mut().for_each(|point| point.data = 7.0);
        let before = points(&manifolds);
        for deepest in 1..6 {
            fill(&on_floor(&around(deepest)), &RapierPose::IDENTITY, 1.0, &mut manifolds);
            assert_eq!(points(&manifolds), before);
            assert!(manifolds[0].points.iter().all(|point| point.data == 7.0), "an impulse is lost");
        }
    }

    #[test]
    fn every_direction_has_a_manifold_of_its_own() {
        let mut contacts = on_floor(&[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]);
        contacts[1].normal = DVec3::X;
        let mut manifolds: Vec<Manifold> = Vec::new();
        fill(&contacts, &RapierPose::IDENTITY, 1.0, &mut manifolds);
        assert_eq!(manifolds.iter().map(|manifold| manifold.points.len()).collect::<Vec<usize>>(), [2, 1]);
        // What is there no more leaves its manifold empty.
        fill(&contacts[..1], &RapierPose::IDENTITY, 1.0, &mut manifolds);
        assert_eq!(manifolds.iter().map(|manifold| manifold.points.len()).sum::<usize>(), 1);
    }
}
