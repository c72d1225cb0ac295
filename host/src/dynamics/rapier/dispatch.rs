//! Which test answers for pairs with a fragment.

use std::cell::RefCell;

use glam::DVec3;
use rapier3d::parry::query::details::{NormalConstraints, ShapeCastOptions};
use rapier3d::parry::query::{
    ClosestPoints, Contact, ContactManifold, ContactManifoldsWorkspace, NonlinearRigidMotion,
    PersistentQueryDispatcher, QueryDispatcher, ShapeCastHit, ShapeDistance, ShapeIntersection, TypedWorkspaceData,
    Unsupported, WorkspaceData,
};
use rapier3d::parry::shape::{PackedFeatureId, Shape};
use rapier3d::prelude::{Pose as RapierPose, Vector};

use super::manifold::{PairContact, deepest, fill, vertex};
use super::other::OtherShape;
use super::shape::FragmentShape;
use crate::fragment::{DistanceField, PairMemory, PointContact, QueryMemory, QueryOptions, QueryScratch};
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
    memory: PairMemory,
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
    static SCRATCH: RefCell<(QueryScratch, [Vec<PointContact>; 2])> = RefCell::default();
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
    memory: &mut PairMemory,
) -> Result<Vec<PairContact>, Unsupported> {
    let pose = double(second_in_first);
    let mut found = Vec::new();
    match (Side::of(first), Side::of(second)) {
        (Side::Other(_), Side::Other(_)) => return Err(Unsupported),
        (Side::Fragment(one), Side::Fragment(other)) => {
            let [own, others] = with_fragment(one, other, &pose, prediction, memory);
            found.extend(own.into_iter().map(|contact| contact.of_first(&pose)));
            found.extend(others.into_iter().map(|contact| contact.of_second(&pose)));
        }
        (Side::Fragment(fragment), Side::Other(other)) => {
            let [own, others] = with_other(fragment, other, &pose.inverse(), prediction, &mut memory.sides[0]);
            found.extend(own.into_iter().map(|contact| contact.of_first(&pose)));
            found.extend(others.into_iter().map(|contact| contact.of_second(&pose)));
        }
        (Side::Other(other), Side::Fragment(fragment)) => {
            let [own, others] = with_other(fragment, other, &pose, prediction, &mut memory.sides[1]);
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

fn options(fragment: &FragmentShape, prediction: f32) -> QueryOptions {
    let detection = f64::from(prediction);
    // Rapier leaves bodies in each other by about half of the prediction; that must not count as deep.
    let tolerance = f64::from(fragment.tolerance()).max(detection);
    QueryOptions { most: MOST, detection, tolerance }
}

/// The points of two fragments in each other, those of the first first, each in the coordinates of the shape that they are in;
/// `pose` takes the coordinates of the second shape to those of the first.
fn with_fragment(
    first: &FragmentShape,
    second: &FragmentShape,
    pose: &Pose,
    prediction: f32,
    memory: &mut PairMemory,
) -> [Vec<InOther>; 2] {
    let shapes = [first, second];
    let origins = shapes.map(|shape| shape.origin().as_dvec3());
    let between = Pose::at(origins[0]) * *pose * Pose::at(-origins[1]);
    let options = shapes.map(|shape| options(shape, prediction));
    SCRATCH.with_borrow_mut(|(scratch, contacts)| {
        contacts.iter_mut().for_each(Vec::clear);
        first.fragment().query_pair(second.fragment(), &between, options, memory, scratch, contacts);
        [0, 1].map(|side| in_other(&contacts[side], origins[1 - side]))
    })
}

/// Contacts as those of a shape whose origin is there.
fn in_other(contacts: &[PointContact], origin: DVec3) -> Vec<InOther> {
    let contact = |contact: &PointContact| InOther {
        position: contact.position - origin,
        normal: contact.surface.normal,
        distance: contact.surface.distance,
        point: contact.point,
    };
    contacts.iter().map(contact).collect()
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
    let between = *pose * from.inverse();
    let own = SCRATCH.with_borrow_mut(|(scratch, [contacts, _])| {
        contacts.clear();
        fragment.fragment().query_again(&field, &between, options, memory, scratch, contacts);
        in_other(contacts, DVec3::ZERO)
    });
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
        let FragmentWorkspace { memory } = match known {
            Some(known) => known,
            None => new.insert(FragmentWorkspace::default()),
        };
        let found = contacts(second_in_first, first, second, prediction, memory)?;
        fill(&found, second_in_first, prediction, manifolds);
        let points = || manifolds.iter().flat_map(|manifold| manifold.points.iter());
        memory.sides[0].keep(points().filter_map(|point| vertex(point.fid1)));
        memory.sides[1].keep(points().filter_map(|point| vertex(point.fid2)));
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
        Ok(contacts(second_in_first, first, second, 0.0, &mut PairMemory::all())?
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
        let found = contacts(second_in_first, first, second, prediction, &mut PairMemory::all())?;
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
