//! Contacts as Rapier wants them: manifolds of one normal and up to four points.

use glam::DVec3;
use rapier3d::parry::query::{ContactManifold, TrackedContact};
use rapier3d::parry::shape::PackedFeatureId;
use rapier3d::prelude::Pose as RapierPose;
use rustc_hash::FxHashMap;

/// The solver looks at so many points of a manifold.
const MOST_POINTS: usize = 4;

/// The cosine of the angle up to which contacts share a manifold: about ten degrees.
const SAME_NORMAL: f32 = 0.985;

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

/// Puts contacts into manifolds. Impulses of contacts that were there before are kept, so that the solver starts with them;
/// so are the manifolds themselves, in which it finds its own traces.
pub(super) fn fill<ManifoldData, ContactData>(
    contacts: &[PairContact],
    second_in_first: &RapierPose,
    manifolds: &mut Vec<ContactManifold<ManifoldData, ContactData>>,
) where
    ManifoldData: Default + Clone,
    ContactData: Default + Copy,
{
    let mut known: FxHashMap<[u32; 2], ContactData> = FxHashMap::default();
    for manifold in manifolds.iter_mut() {
        known.extend(manifold.points.drain(..).map(|point| ([point.fid1.0, point.fid2.0], point.data)));
    }
    let mut used = 0;
    for contact in contacts {
        let normal = contact.normal.as_vec3();
        let is_home = |manifold: &ContactManifold<ManifoldData, ContactData>| {
            manifold.points.len() < MOST_POINTS && manifold.local_n1.dot(normal) >= SAME_NORMAL
        };
        let home = match manifolds[..used].iter().position(is_home) {
            Some(home) => home,
            None => {
                if used == manifolds.len() {
                    manifolds.push(ContactManifold::new());
                }
                manifolds[used].local_n1 = normal;
                manifolds[used].local_n2 = second_in_first.rotation.inverse() * -normal;
                used += 1;
                used - 1
            }
        };
        let [p1, p2] = contact.places.map(|place| place.as_vec3());
        let [fid1, fid2] = contact.features;
        let mut point = TrackedContact::new(p1, p2, fid1, fid2, contact.distance as f32);
        if let Some(&data) = known.get(&[fid1.0, fid2.0]) {
            point.data = data;
        }
        manifolds[home].points.push(point);
    }
}

/// The deepest of some contacts.
pub(super) fn deepest(contacts: &[PairContact]) -> Option<&PairContact> {
    contacts.iter().min_by(|one, other| one.distance.total_cmp(&other.distance))
}
