//! From a description to what Rapier simulates: where our doubles become its singles.

use glam::DVec3;
use rapier3d::prelude::{MassProperties as RapierMass, Pose as RapierPose, SharedShape};
use thiserror::Error;

use super::rigid_shape::{PartShape, ShapeCache, part_shapes, single};
use crate::geometry::{MassProperties, MeshError, Pose};
use crate::svo::BodyError;
use crate::world::{BodyDescription, Material, Motion, Representation, Velocity};

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
    #[error("convex part {part} is too flat or too small to collide with, and so are all others")]
    FlatPart {
        /// The key of the first part.
        part: u32,
    },
    /// The mesh of a surface is not one.
    #[error("its mesh cannot be used: {0}")]
    Mesh(#[from] MeshError),
    /// A body with nothing to collide with.
    #[error("its shape is empty")]
    Empty,
    /// Its voxels cannot be simulated.
    #[error("its voxels cannot be simulated: {0}")]
    Voxels(#[from] BodyError),
}

/// A body as Rapier will take it: checked, but not yet among the others.
pub struct BuiltBody {
    pub(super) parts: Vec<(u32, PartShape)>,
    /// The normal of a half-space.
    pub(super) plane: Option<DVec3>,
    pub(super) pose: Pose,
    pub(super) motion: Motion,
    pub(super) velocity: Velocity,
    /// Of a moving body.
    pub(super) mass: Option<RapierMass>,
    pub(super) surface: Surface,
    pub(super) angular_damping: f32,
}

/// How the surface of a body behaves in a contact.
#[derive(Clone, Copy)]
pub(super) struct Surface {
    pub(super) friction: f32,
    pub(super) restitution: f32,
}

pub(super) fn build(description: &BodyDescription, cache: Option<&ShapeCache>) -> Result<BuiltBody, RigidProblem> {
    let is_moving = description.motion == Motion::Dynamic;
    if is_moving && matches!(description.representation, Representation::HalfSpace { .. }) {
        return Err(RigidProblem::MovingHalfSpace);
    }
    let parts = part_shapes(&description.representation, cache)?;
    let mut built = build_with(description, &description.mass_properties(), parts)?;
    if let Representation::HalfSpace { normal } = description.representation {
        built.plane = Some(normal.try_normalize().ok_or(RigidProblem::NonFinite("normal"))?);
    }
    Ok(built)
}

/// A small piece as a ball of its volume around its centre of mass. It keeps its mass and its inertia, so that it takes
/// over all of its momentum.
pub(super) fn build_debris(
    description: &BodyDescription,
    mass: &MassProperties,
    angular_damping: f64,
) -> Result<(BuiltBody, f64), RigidProblem> {
    let density = description.material.density;
    let radius = (0.75 / std::f64::consts::PI * mass.volume).cbrt();
    if !(radius > 0.0 && (radius as f32).is_normal()) {
        return Err(RigidProblem::NoMass { volume: mass.volume, density });
    }
    let offset = single(mass.centroid).ok_or(RigidProblem::NonFinite("centroid"))?;
    let shape = PartShape {
        shape: SharedShape::ball(radius as f32),
        offset,
        radius: radius as f32,
        thickness: 2.0 * radius as f32,
    };
    let mut built = build_with(description, mass, vec![(0, shape)])?;
    built.angular_damping = angular_damping as f32;
    Ok((built, radius))
}

fn build_with(
    description: &BodyDescription,
    mass: &MassProperties,
    parts: Vec<(u32, PartShape)>,
) -> Result<BuiltBody, RigidProblem> {
    rapier_pose(&description.pose).ok_or(RigidProblem::NonFinite("position or rotation"))?;
    single(description.velocity.linear).ok_or(RigidProblem::NonFinite("velocity"))?;
    single(description.velocity.angular).ok_or(RigidProblem::NonFinite("angular velocity"))?;
    let mass = match description.motion {
        Motion::Fixed => None,
        Motion::Dynamic => Some(rapier_mass(mass, description.material.density)?),
    };
    Ok(BuiltBody {
        parts,
        plane: None,
        pose: Pose { rotation: description.pose.rotation.normalize(), ..description.pose },
        motion: description.motion,
        velocity: description.velocity,
        mass,
        surface: surface(&description.material)?,
        angular_damping: 0.0,
    })
}

pub(super) fn surface(material: &Material) -> Result<Surface, RigidProblem> {
    for (what, value) in [("friction", material.friction), ("restitution", material.restitution)] {
        if !(value >= 0.0 && (value as f32).is_finite()) {
            return Err(RigidProblem::NonFinite(what));
        }
    }
    Ok(Surface { friction: material.friction as f32, restitution: material.restitution as f32 })
}

pub(super) fn rapier_mass(properties: &MassProperties, density: f64) -> Result<RapierMass, RigidProblem> {
    let mass = (properties.volume * density) as f32;
    // Rapier keeps the inverse, which must be finite too.
    if !(mass.is_normal() && mass > 0.0 && mass.recip().is_finite()) {
        return Err(RigidProblem::NoMass { volume: properties.volume, density });
    }
    let center = single(properties.centroid).ok_or(RigidProblem::NonFinite("centroid"))?;
    let inertia = (properties.inertia * density).as_mat3();
    let diagonal = [inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z];
    if !inertia.is_finite() || !diagonal.iter().all(|&moment| moment > 0.0 && moment.recip().is_finite()) {
        return Err(RigidProblem::NonFinite("inertia"));
    }
    Ok(RapierMass::with_inertia_matrix(center, mass, inertia))
}

pub(super) fn rapier_pose(pose: &Pose) -> Option<RapierPose> {
    let rotation = pose.rotation.as_quat();
    let translation = single(pose.translation)?;
    (rotation.is_finite() && rotation.length_squared() > 0.0)
        .then(|| RapierPose::from_parts(translation, rotation.normalize()))
}
