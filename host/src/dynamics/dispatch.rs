//! Which test answers for which pair of shapes at Rapier's.

use rapier3d::parry::query::details::ShapeCastOptions;
use rapier3d::parry::query::{
    ClosestPoints, Contact, ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, NonlinearRigidMotion,
    PersistentQueryDispatcher, QueryDispatcher, ShapeCastHit, ShapeDistance, ShapeIntersection, Unsupported,
    details::NormalConstraints,
};
use rapier3d::parry::shape::Shape;
use rapier3d::prelude::{Pose, Vector};

use super::plane::Tile;

/// Rapier's own tests, with tiles as the half-spaces that they are.
pub(super) struct Dispatcher;

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
        let (first, second) = (whole(first), whole(second));
        DefaultQueryDispatcher.contact_manifolds(second_in_first, first, second, prediction, manifolds, workspace)
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
        DefaultQueryDispatcher.contact_manifold_convex_convex(
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
        DefaultQueryDispatcher.intersection_test(second_in_first, whole(first), whole(second))
    }

    fn distance(
        &self,
        second_in_first: &Pose,
        first: &dyn Shape,
        second: &dyn Shape,
    ) -> Result<ShapeDistance, Unsupported> {
        DefaultQueryDispatcher.distance(second_in_first, whole(first), whole(second))
    }

    fn contact(
        &self,
        second_in_first: &Pose,
        first: &dyn Shape,
        second: &dyn Shape,
        prediction: f32,
    ) -> Result<Option<Contact>, Unsupported> {
        DefaultQueryDispatcher.contact(second_in_first, whole(first), whole(second), prediction)
    }

    fn closest_points(
        &self,
        second_in_first: &Pose,
        first: &dyn Shape,
        second: &dyn Shape,
        farthest: f32,
    ) -> Result<ClosestPoints, Unsupported> {
        DefaultQueryDispatcher.closest_points(second_in_first, whole(first), whole(second), farthest)
    }

    fn cast_shapes(
        &self,
        second_in_first: &Pose,
        velocity: Vector,
        first: &dyn Shape,
        second: &dyn Shape,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        DefaultQueryDispatcher.cast_shapes(second_in_first, velocity, whole(first), whole(second), options)
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
        DefaultQueryDispatcher.cast_shapes_nonlinear(
            first_motion,
            first,
            second_motion,
            second,
            start,
            end,
            stop_at_penetration,
        )
    }
}
