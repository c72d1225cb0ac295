//! Which test answers for pairs with a fragment.

use std::cell::RefCell;

use glam::DVec3;
use rapier3d::parry::query::details::{NormalConstraints, ShapeCastOptions};
use rapier3d::parry::query::{
    ClosestPoints, Contact, ContactManifold, ContactManifoldsWorkspace, NonlinearRigidMotion,
    PersistentQueryDispatcher, QueryDispatcher, ShapeCastHit, ShapeDistance, ShapeIntersection, TypedWorkspaceData,
    Unsupported, WorkspaceData,
};
use rapier3d::parry::shape::{FeatureId, PackedFeatureId, Shape};
use rapier3d::prelude::{Pose as RapierPose, Vector};

use super::manifold::{PairContact, deepest, fill};
use super::other::OtherShape;
use super::shape::FragmentShape;
use crate::fragment::{DistanceField, PointContact, QueryMemory, QueryOptions, QueryScratch};
use crate::geometry::{Aabb, Pose};

/// Up to so many contacts of each side are taken as they come.
const MOST: usize = 8;

/// Answers for pairs of shapes of which at least one is a [`FragmentShape`], and for no others: chain it before Rapier's.
#[derive(Clone, Copy, Debug, Default)]
pub struct FragmentDispatcher;

/// What is kept of a pair. That there is something also tells Rapier that manifolds come and go: without, it takes it that a
/// pair always has the same ones, and panics when there are fewer.
#[derive(Clone, Default)]
struct FragmentWorkspace {
    /// Of the points of the first shape, and of those of the second.
    memories: [QueryMemory; 2],
}

impl WorkspaceData for FragmentWorkspace {
    fn as_typed_workspace_data(&self) -> TypedWorkspaceData<'_> {
        TypedWorkspaceData::Custom
    }

    fn clone_dyn(&self) -> Box<dyn WorkspaceData> {
        Box::new(self.clone())
    }
}

thread_local! {
    static SCRATCH: RefCell<(QueryScratch, Vec<PointContact>)> = RefCell::default();
}

fn double(pose: &RapierPose) -> Pose {
    Pose { rotation: pose.rotation.as_dquat().normalize(), translation: pose.translation.as_dvec3() }
}

/// What a shape is to a fragment.
enum Side<'a> {
    Fragment(&'a FragmentShape),
    Other(&'a dyn Shape),
}

impl<'a> Side<'a> {
    fn of(shape: &'a dyn Shape) -> Side<'a> {
        shape.as_shape::<FragmentShape>().map_or(Side::Other(shape), Side::Fragment)
    }
}

/// The contacts of two shapes, nearer than `prediction`.
fn contacts(
    second_in_first: &RapierPose,
    first: &dyn Shape,
    second: &dyn Shape,
    prediction: f32,
    memories: &mut [QueryMemory; 2],
) -> Result<Vec<PairContact>, Unsupported> {
    let [of_first, of_second] = memories;
    let pose = double(second_in_first);
    let mut found = Vec::new();
    match (Side::of(first), Side::of(second)) {
        (Side::Other(_), Side::Other(_)) => return Err(Unsupported),
        (Side::Fragment(one), Side::Fragment(other)) => {
            found.extend(
                points_in(one, other, &pose.inverse(), prediction, of_first).map(|contact| contact.of_first(&pose)),
            );
            found.extend(points_in(other, one, &pose, prediction, of_second).map(|contact| contact.of_second(&pose)));
        }
        (Side::Fragment(fragment), Side::Other(other)) => {
            let [own, others] = with_other(fragment, other, &pose.inverse(), prediction, of_first);
            found.extend(own.into_iter().map(|contact| contact.of_first(&pose)));
            found.extend(others.into_iter().map(|contact| contact.of_second(&pose)));
        }
        (Side::Other(other), Side::Fragment(fragment)) => {
            let [own, others] = with_other(fragment, other, &pose, prediction, of_second);
            found.extend(own.into_iter().map(|contact| contact.of_second(&pose)));
            found.extend(others.into_iter().map(|contact| contact.of_first(&pose)));
        }
    }
    Ok(found)
}

/// A point of one shape in another, in the coordinates of the other.
struct InOther {
    position: DVec3,
    normal: DVec3,
    distance: f64,
    point: u32,
}

impl InOther {
    /// The point is of the first shape; `pose` takes the second's coordinates to the first's.
    fn of_first(self, pose: &Pose) -> PairContact {
        PairContact {
            places: [pose.transform_point(self.position), self.position - self.distance * self.normal],
            normal: -pose.transform_vector(self.normal),
            distance: self.distance,
            features: [PackedFeatureId::vertex(self.point), PackedFeatureId::face(0)],
        }
    }

    /// The point is of the second shape.
    fn of_second(self, pose: &Pose) -> PairContact {
        let surface = self.position - self.distance * self.normal;
        PairContact {
            places: [surface, pose.inverse().transform_point(self.position)],
            normal: self.normal,
            distance: self.distance,
            features: [PackedFeatureId::face(0), PackedFeatureId::vertex(self.point)],
        }
    }
}

fn vertex(feature: PackedFeatureId) -> Option<u32> {
    if let FeatureId::Vertex(point) = feature.unpack() { Some(point) } else { None }
}

fn options(fragment: &FragmentShape, prediction: f32) -> QueryOptions {
    let detection = f64::from(prediction);
    // Rapier leaves bodies in each other by about half of the prediction; that must not count as deep.
    let tolerance = f64::from(fragment.tolerance()).max(detection);
    QueryOptions { most: MOST, detection, tolerance }
}

fn query(
    fragment: &FragmentShape,
    field: &impl DistanceField,
    pose: &Pose,
    options: QueryOptions,
    memory: &mut QueryMemory,
) -> Vec<InOther> {
    SCRATCH.with_borrow_mut(|(scratch, contacts)| {
        contacts.clear();
        fragment.fragment().query_again(field, pose, options, memory, scratch, contacts);
        let in_other = |contact: &PointContact| InOther {
            position: contact.position,
            normal: contact.surface.normal,
            distance: contact.surface.distance,
            point: contact.point,
        };
        contacts.iter().map(in_other).collect()
    })
}

/// The points of a fragment that are in another; `pose` takes the coordinates of the one's shape to those of the other's.
fn points_in(
    one: &FragmentShape,
    other: &FragmentShape,
    pose: &Pose,
    prediction: f32,
    memory: &mut QueryMemory,
) -> impl Iterator<Item = InOther> + use<> {
    let [from, to] = [one, other].map(|shape| Pose::at(shape.origin().as_dvec3()));
    let between = to * *pose * from.inverse();
    let found = query(one, &**other.fragment(), &between, options(one, prediction), memory);
    let back = to.inverse();
    found.into_iter().map(move |contact| InOther { position: back.transform_point(contact.position), ..contact })
}

/// The points of a fragment in another shape, and those of the shape in the fragment, each in the coordinates of what they are
/// in; `pose` takes the coordinates of the fragment's shape to those of the other.
fn with_other(
    fragment: &FragmentShape,
    other: &dyn Shape,
    pose: &Pose,
    prediction: f32,
    memory: &mut QueryMemory,
) -> [Vec<InOther>; 2] {
    let origin = fragment.origin().as_dvec3();
    let from = Pose::at(origin);
    let options = options(fragment, prediction);
    let field = OtherShape::new(other, pose.translation);
    let own = query(fragment, &field, &(*pose * from.inverse()), options, memory);
    let aabb = fragment.fragment().aabb().expanded(options.detection);
    let corners = aabb.corners().map(|corner| pose.transform_point(corner - origin));
    let back = pose.inverse();
    let mut others = Vec::new();
    let spacing = fragment.fragment().solid().edge_length();
    field.points(&Aabb::of_points(corners), spacing, |point, position| {
        let position = back.transform_point(position);
        if let Some(surface) = fragment.fragment().surface(position + origin, options.detection) {
            others.push(InOther { position, normal: surface.normal, distance: surface.distance, point });
        }
    });
    [own, others]
}

impl<ManifoldData, ContactData> PersistentQueryDispatcher<ManifoldData, ContactData> for FragmentDispatcher
where
    ManifoldData: Default + Clone + Send + Sync,
    ContactData: Default + Copy + Send + Sync,
{
    fn contact_manifolds(
        &self,
        second_in_first: &RapierPose,
        first: &dyn Shape,
        second: &dyn Shape,
        prediction: f32,
        manifolds: &mut Vec<ContactManifold<ManifoldData, ContactData>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) -> Result<(), Unsupported> {
        let known = workspace.as_mut().and_then(|workspace| workspace.0.downcast_mut::<FragmentWorkspace>());
        let mut new = None;
        let FragmentWorkspace { memories } = match known {
            Some(known) => known,
            None => new.insert(FragmentWorkspace::default()),
        };
        let found = contacts(second_in_first, first, second, prediction, memories)?;
        fill(&found, second_in_first, prediction, manifolds);
        let points = || manifolds.iter().flat_map(|manifold| manifold.points.iter());
        memories[0].keep(points().filter_map(|point| vertex(point.fid1)));
        memories[1].keep(points().filter_map(|point| vertex(point.fid2)));
        if let Some(new) = new {
            *workspace = Some(new.into());
        }
        Ok(())
    }

    fn contact_manifold_convex_convex(
        &self,
        _: &RapierPose,
        _: &dyn Shape,
        _: &dyn Shape,
        _: Option<&dyn NormalConstraints>,
        _: Option<&dyn NormalConstraints>,
        _: f32,
        _: &mut ContactManifold<ManifoldData, ContactData>,
    ) -> Result<(), Unsupported> {
        // A fragment is not convex.
        Err(Unsupported)
    }
}

impl QueryDispatcher for FragmentDispatcher {
    fn intersection_test(
        &self,
        second_in_first: &RapierPose,
        first: &dyn Shape,
        second: &dyn Shape,
    ) -> Result<ShapeIntersection, Unsupported> {
        Ok(contacts(second_in_first, first, second, 0.0, &mut Default::default())?
            .iter()
            .any(|contact| contact.distance <= 0.0)
            .into())
    }

    fn distance(&self, _: &RapierPose, _: &dyn Shape, _: &dyn Shape) -> Result<ShapeDistance, Unsupported> {
        Err(Unsupported)
    }

    fn contact(
        &self,
        second_in_first: &RapierPose,
        first: &dyn Shape,
        second: &dyn Shape,
        prediction: f32,
    ) -> Result<Option<Contact>, Unsupported> {
        let found = contacts(second_in_first, first, second, prediction, &mut Default::default())?;
        let contact = deepest(&found).map(|contact| {
            let [p1, p2] = contact.places.map(|place| place.as_vec3());
            let normal = contact.normal.as_vec3();
            Contact::new(p1, p2, normal, second_in_first.rotation.inverse() * -normal, contact.distance as f32)
        });
        Ok(contact)
    }

    fn closest_points(
        &self,
        _: &RapierPose,
        _: &dyn Shape,
        _: &dyn Shape,
        _: f32,
    ) -> Result<ClosestPoints, Unsupported> {
        Err(Unsupported)
    }

    fn cast_shapes(
        &self,
        _: &RapierPose,
        _: Vector,
        _: &dyn Shape,
        _: &dyn Shape,
        _: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        Err(Unsupported)
    }

    fn cast_shapes_nonlinear(
        &self,
        _: &NonlinearRigidMotion,
        _: &dyn Shape,
        _: &NonlinearRigidMotion,
        _: &dyn Shape,
        _: f32,
        _: f32,
        _: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        Err(Unsupported)
    }
}
