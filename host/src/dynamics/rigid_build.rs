//! From a description to what Rapier simulates: where our doubles become its singles.

use glam::DVec3;
use rapier3d::prelude::{
    ActiveEvents, Collider, ColliderBuilder, MassProperties as RapierMass, Pose as RapierPose, RigidBodyBuilder,
    SharedShape, Vector,
};
use thiserror::Error;

use crate::geometry::{Convex, MeshError, Pose, TriMesh};
use crate::world::{BodyDescription, Motion, Representation};

/// Why a body cannot be simulated.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RigidProblem {
    /// A number is infinite, not a number, or too large for single precision.
    #[error("its {0} is not a finite number that single precision can hold")]
    NonFinite(&'static str),
    /// A moving body needs a mass.
    #[error(
        "its volume is {volume:.3e} m³ at a density of {density} kg/m³, so it has no mass; a moving body must enclose a volume"
    )]
    NoMass {
        /// The volume of the shape.
        volume: f64,
        /// The density of the material.
        density: f64,
    },
    /// A half-space cannot move.
    #[error("a half-space cannot move; make it fixed")]
    MovingHalfSpace,
    /// A size that is zero or negative.
    #[error("its {what} is {value}; it must be positive")]
    NotPositive {
        /// Which size.
        what: &'static str,
        /// What it is.
        value: f64,
    },
    /// A convex part that is flat or too small for single precision.
    #[error("convex part {part} is too flat or too small to collide with")]
    FlatPart {
        /// The part, counted from zero.
        part: usize,
    },
    /// The mesh of a surface is not one.
    #[error("its mesh cannot be used: {0}")]
    Mesh(#[from] MeshError),
    /// A body with nothing to collide with.
    #[error("its shape is empty")]
    Empty,
}

/// A body and its colliders, checked, but not yet among the others.
pub struct BuiltBody {
    pub(super) body: RigidBodyBuilder,
    pub(super) colliders: Vec<Collider>,
}

pub(super) fn build(description: &BodyDescription) -> Result<BuiltBody, RigidProblem> {
    let pose = rapier_pose(&description.pose).ok_or(RigidProblem::NonFinite("position or rotation"))?;
    let linear = single(description.velocity.linear).ok_or(RigidProblem::NonFinite("velocity"))?;
    let angular = single(description.velocity.angular).ok_or(RigidProblem::NonFinite("angular velocity"))?;
    let shapes = shapes(description)?;
    let builder = match description.motion {
        Motion::Fixed => RigidBodyBuilder::fixed(),
        Motion::Dynamic => RigidBodyBuilder::dynamic()
            .linvel(linear)
            .angvel(angular)
            .additional_mass_properties(rapier_mass(description)?),
    };
    let material = &description.material;
    for (what, value) in [("friction", material.friction), ("restitution", material.restitution)] {
        if !(value >= 0.0 && (value as f32).is_finite()) {
            return Err(RigidProblem::NonFinite(what));
        }
    }
    let colliders = shapes
        .into_iter()
        .map(|shape| {
            // The mass is the description's, not the sum of the colliders'.
            ColliderBuilder::new(shape)
                .density(0.0)
                .friction(material.friction as f32)
                .restitution(material.restitution as f32)
                .active_events(ActiveEvents::COLLISION_EVENTS)
                .build()
        })
        .collect();
    Ok(BuiltBody { body: builder.pose(pose), colliders })
}

fn rapier_mass(description: &BodyDescription) -> Result<RapierMass, RigidProblem> {
    let density = description.material.density;
    let properties = description.mass_properties();
    let mass = (properties.volume * density) as f32;
    if !(mass > 0.0 && mass.is_finite()) {
        return Err(RigidProblem::NoMass { volume: properties.volume, density });
    }
    let center = single(properties.centroid).ok_or(RigidProblem::NonFinite("centroid"))?;
    let inertia = (properties.inertia * density).as_mat3();
    if !inertia.is_finite() || inertia.x_axis.x <= 0.0 || inertia.y_axis.y <= 0.0 || inertia.z_axis.z <= 0.0 {
        return Err(RigidProblem::NonFinite("inertia"));
    }
    Ok(RapierMass::with_inertia_matrix(center, mass, inertia))
}

fn shapes(description: &BodyDescription) -> Result<Vec<SharedShape>, RigidProblem> {
    let shapes = match &description.representation {
        Representation::HalfSpace { .. } if description.motion == Motion::Dynamic => {
            return Err(RigidProblem::MovingHalfSpace);
        }
        Representation::HalfSpace { normal } => {
            let normal = normal.try_normalize().and_then(single).ok_or(RigidProblem::NonFinite("normal"))?;
            vec![SharedShape::halfspace(normal)]
        }
        Representation::Ball { radius } => vec![SharedShape::ball(positive("radius", *radius)?)],
        Representation::Cuboid { half_extents } => {
            let half = half_extents.to_array().map(|extent| positive("half extent", extent));
            let [x, y, z] = half;
            vec![SharedShape::cuboid(x?, y?, z?)]
        }
        Representation::Convexes(parts) => parts
            .iter()
            .enumerate()
            .map(|(part, convex)| convex_shape(convex).ok_or(RigidProblem::FlatPart { part }))
            .collect::<Result<_, _>>()?,
        Representation::Surface(mesh) => vec![surface_shape(mesh)?],
    };
    if shapes.is_empty() { Err(RigidProblem::Empty) } else { Ok(shapes) }
}

fn convex_shape(convex: &Convex) -> Option<SharedShape> {
    let points: Option<Vec<Vector>> = convex.vertices().iter().map(|&vertex| single(vertex)).collect();
    SharedShape::convex_hull(&points?)
}

fn surface_shape(mesh: &TriMesh) -> Result<SharedShape, RigidProblem> {
    mesh.check()?;
    let points: Option<Vec<Vector>> = mesh.positions.iter().map(|&position| single(position)).collect();
    let points = points.ok_or(RigidProblem::NonFinite("mesh"))?;
    SharedShape::trimesh(points, mesh.triangles.clone()).map_err(|_| RigidProblem::Empty)
}

fn positive(what: &'static str, value: f64) -> Result<f32, RigidProblem> {
    let single = value as f32;
    if single > 0.0 && single.is_finite() { Ok(single) } else { Err(RigidProblem::NotPositive { what, value }) }
}

/// A vector in single precision, if it still is finite there.
fn single(vector: DVec3) -> Option<Vector> {
    Some(vector.as_vec3()).filter(|vector| vector.is_finite())
}

fn rapier_pose(pose: &Pose) -> Option<RapierPose> {
    let rotation = pose.rotation.as_quat();
    let translation = single(pose.translation)?;
    (rotation.is_finite() && rotation.length_squared() > 0.0)
        .then(|| RapierPose::from_parts(translation, rotation.normalize()))
}
