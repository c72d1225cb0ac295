//! Which test answers for which pair of shapes at Rapier's.

use rapier3d::parry::query::details::ShapeCastOptions;
use rapier3d::parry::query::{
    ClosestPoints, Contact, ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, NonlinearRigidMotion,
    PersistentQueryDispatcher, QueryDispatcher, QueryDispatcherChain, ShapeCastHit, ShapeDistance, ShapeIntersection,
    TrackedContact, Unsupported, details::NormalConstraints,
};
use rapier3d::parry::shape::{PackedFeatureId, Shape};
use rapier3d::prelude::{Pose, Vector};

use super::plane::Tile;
use super::rapier::FragmentDispatcher;

/// Tests of fragments and Rapier's own, with tiles as the half-spaces that they are.
pub(super) struct Dispatcher {
    /// Whether the lowest corner of a convex always touches a half-space. Rapier looks at four corners of the face that looks
    /// down most, and what comes down on another corner goes into the ground.
    pub(super) corners: bool,
}

/// Where a convex reaches deepest into a half-space, or is nearest to it.
struct Corner {
    dist: f32,
    /// On each shape, in its own coordinates.
    places: [Vector; 2],
    features: [PackedFeatureId; 2],
}

/// The corner of one of two shapes that is lowest over the other, if they are a convex and a tile.
fn lowest_corner(second_in_first: &Pose, first: &dyn Shape, second: &dyn Shape) -> Option<Corner> {
    let (tile, convex, convex_in_tile) = match (first.as_shape::<Tile>(), second.as_shape::<Tile>()) {
        (Some(tile), None) => (tile, second.as_convex_polyhedron()?, *second_in_first),
        (None, Some(tile)) => (tile, first.as_convex_polyhedron()?, second_in_first.inverse()),
        _ => return None,
    };
    let normal = tile.half_space.normal;
    let height = |point: &Vector| convex_in_tile.transform_point(*point).dot(normal);
    let heights = convex.points().iter().map(height).enumerate();
    let (number, dist) = heights.min_by(|one, other| one.1.total_cmp(&other.1))?;
    let corner = convex.points()[number];
    let mut places = [convex_in_tile.transform_point(corner) - dist * normal, corner];
    let mut features = [PackedFeatureId::face(0), PackedFeatureId::vertex(number as u32)];
    if first.as_shape::<Tile>().is_none() {
        places.reverse();
        features.reverse();
    }
    Some(Corner { dist, places, features })
}

/// The tests of fragments, and Rapier's own for all other pairs.
fn every_test() -> QueryDispatcherChain<FragmentDispatcher, DefaultQueryDispatcher> {
    FragmentDispatcher.chain(DefaultQueryDispatcher)
}

/// A tile as a half-space, anything else as it is.
fn whole(shape: &dyn Shape) -> &dyn Shape {
    shape.as_shape::<Tile>().map_or(shape, |tile| &tile.half_space)
}

impl<ManifoldData, ContactData> PersistentQueryDispatcher<ManifoldData, ContactData> for Dispatcher
where
    ManifoldData: Default + Clone + Send + Sync,
    ContactData: Default + Copy + Send + Sync,
{
    fn contact_manifolds(
        &self,
        second_in_first: &Pose,
        first: &dyn Shape,
        second: &dyn Shape,
        prediction: f32,
        manifolds: &mut Vec<ContactManifold<ManifoldData, ContactData>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) -> Result<(), Unsupported> {
        let answers = match (first.as_shape::<Tile>(), second.as_shape::<Tile>()) {
            (Some(tile), None) => tile.is_under(second_in_first.translation),
            (None, Some(tile)) => tile.is_under(second_in_first.inverse().translation),
            (Some(_), Some(_)) => false,
            (None, None) => true,
        };
        if !answers {
            // The manifolds themselves stay: Rapier's solver finds its own traces in them.
            manifolds.iter_mut().for_each(|manifold| manifold.points.clear());
            return Ok(());
        }
        let corner = if self.corners { lowest_corner(second_in_first, first, second) } else { None };
        let (first, second) = (whole(first), whole(second));
        let known = manifolds.first().filter(|_| corner.is_some()).map(|manifold| manifold.points.clone());
        let done = every_test().contact_manifolds(second_in_first, first, second, prediction, manifolds, workspace);
        if let (Some(corner), Some(manifold)) = (corner, manifolds.first_mut())
            && corner.dist <= prediction
            && manifold.points.iter().all(|point| point.dist > corner.dist)
        {
            let [p1, p2] = corner.places;
            let [fid1, fid2] = corner.features;
            manifold.points.push(TrackedContact::new(p1, p2, fid1, fid2, corner.dist));
            manifold.match_contacts(&known.unwrap_or_default());
        }
        done
    }

    fn contact_manifold_convex_convex(
        &self,
        second_in_first: &Pose,
        first: &dyn Shape,
        second: &dyn Shape,
        first_normals: Option<&dyn NormalConstraints>,
        second_normals: Option<&dyn NormalConstraints>,
        prediction: f32,
        manifold: &mut ContactManifold<ManifoldData, ContactData>,
    ) -> Result<(), Unsupported> {
        every_test().contact_manifold_convex_convex(
            second_in_first,
            whole(first),
            whole(second),
            first_normals,
            second_normals,
            prediction,
            manifold,
        )
    }
}

impl QueryDispatcher for Dispatcher {
    fn intersection_test(
        &self,
        second_in_first: &Pose,
        first: &dyn Shape,
        second: &dyn Shape,
    ) -> Result<ShapeIntersection, Unsupported> {
        every_test().intersection_test(second_in_first, whole(first), whole(second))
    }

    fn distance(
        &self,
        second_in_first: &Pose,
        first: &dyn Shape,
        second: &dyn Shape,
    ) -> Result<ShapeDistance, Unsupported> {
        every_test().distance(second_in_first, whole(first), whole(second))
    }

    fn contact(
        &self,
        second_in_first: &Pose,
        first: &dyn Shape,
        second: &dyn Shape,
        prediction: f32,
    ) -> Result<Option<Contact>, Unsupported> {
        every_test().contact(second_in_first, whole(first), whole(second), prediction)
    }

    fn closest_points(
        &self,
        second_in_first: &Pose,
        first: &dyn Shape,
        second: &dyn Shape,
        farthest: f32,
    ) -> Result<ClosestPoints, Unsupported> {
        every_test().closest_points(second_in_first, whole(first), whole(second), farthest)
    }

    fn cast_shapes(
        &self,
        second_in_first: &Pose,
        velocity: Vector,
        first: &dyn Shape,
        second: &dyn Shape,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        every_test().cast_shapes(second_in_first, velocity, whole(first), whole(second), options)
    }

    fn cast_shapes_nonlinear(
        &self,
        first_motion: &NonlinearRigidMotion,
        first: &dyn Shape,
        second_motion: &NonlinearRigidMotion,
        second: &dyn Shape,
        start: f32,
        end: f32,
        stop_at_penetration: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        let (first, second) = (whole(first), whole(second));
        every_test().cast_shapes_nonlinear(first_motion, first, second_motion, second, start, end, stop_at_penetration)
    }
}
