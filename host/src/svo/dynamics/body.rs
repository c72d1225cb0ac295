//! A rigid body of voxels.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};

use crate::geometry::{Aabb, MassProperties, Pose};
use crate::svo::{Lattice, Placed, Tree, mass_properties, tight_box};

/// Why an octree cannot be a body.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// The lattice is not the octree's.
    #[error("the lattice has level {lattice}, but the octree has {tree}; give the lattice that it was made on")]
    OtherLattice {
        /// The lattice's level.
        lattice: u32,
        /// The octree's.
        tree: u32,
    },
    /// Density, pose or motion.
    #[error("the body's {what} is not finite, or not positive; give a number that is")]
    NotFinite {
        /// What it is.
        what: &'static str,
    },
}

/// A rigid body: an octree and how it moves.
///
/// Its angular momentum is what is kept, not its angular velocity: so a free body's momentum is constant however it
/// tumbles, gyroscopic term included, and its energy stays between the bounds that the momentum sets.
#[derive(Clone, Debug)]
pub struct VoxelBody {
    pub(super) tree: Arc<Tree>,
    pub(super) lattice: Lattice,
    pub(super) number: u32,
    pub(super) rotation: DQuat,
    /// The centre of mass, in the world.
    pub(super) center: DVec3,
    pub(super) velocity: DVec3,
    pub(super) angular_momentum: DVec3,
    pub(super) mass: f64,
    pub(super) volume: f64,
    /// The centre of mass, in the lattice's frame.
    pub(super) centroid: DVec3,
    pub(super) inertia: DMat3,
    pub(super) inverse_inertia: DMat3,
    pub(super) bounds: Aabb,
    /// The farthest corner of the bounds from the centre of mass.
    pub(super) radius: f64,
    pub(super) is_fixed: bool,
    /// For how long it has been near `anchor`, in seconds.
    pub(super) still: f64,
    /// Centre of mass and rotation when it last moved away from where it was.
    pub(super) anchor: (DVec3, DQuat),
    pub(super) is_asleep: bool,
}

impl VoxelBody {
    /// A body at rest.
    ///
    /// # Errors
    /// If the lattice is another octree's, or a number is not finite.
    pub fn new(tree: Arc<Tree>, lattice: Lattice, density: f64, pose: Pose) -> Result<VoxelBody, BodyError> {
        let solid = mass_properties(&tree, &lattice);
        VoxelBody::with_mass(tree, lattice, &solid, density, pose)
    }

    /// A body at rest whose mass properties at density one are known.
    ///
    /// # Errors
    /// As [`VoxelBody::new`].
    pub fn with_mass(
        tree: Arc<Tree>,
        lattice: Lattice,
        solid: &MassProperties,
        density: f64,
        pose: Pose,
    ) -> Result<VoxelBody, BodyError> {
        if lattice.level != tree.level() {
            return Err(BodyError::OtherLattice { lattice: lattice.level, tree: tree.level() });
        }
        if !(density > 0.0 && density.is_finite()) {
            return Err(BodyError::NotFinite { what: "density" });
        }
        if !(pose.rotation.is_finite() && pose.translation.is_finite()) {
            return Err(BodyError::NotFinite { what: "pose" });
        }
        let bounds = tight_box(&tree, &lattice);
        // The inertia of a body of one voxel is that of a cube; nothing has none.
        let inertia = solid.inertia * density;
        let inverse_inertia = inertia.inverse();
        if !(solid.volume > 0.0 && inverse_inertia.is_finite()) {
            return Err(BodyError::NotFinite { what: "mass" });
        }
        let far = (bounds.max - solid.centroid).abs().max((bounds.min - solid.centroid).abs());
        Ok(VoxelBody {
            tree,
            lattice,
            number: 0,
            rotation: pose.rotation.normalize(),
            center: pose.transform_point(solid.centroid),
            velocity: DVec3::ZERO,
            angular_momentum: DVec3::ZERO,
            mass: solid.volume * density,
            volume: solid.volume,
            centroid: solid.centroid,
            inertia,
            inverse_inertia,
            bounds,
            radius: far.length(),
            is_fixed: false,
            still: 0.0,
            anchor: (DVec3::INFINITY, DQuat::IDENTITY),
            is_asleep: false,
        })
    }

    /// The body with a motion of its centre of mass.
    ///
    /// # Errors
    /// If it is not finite.
    pub fn moving(mut self, velocity: DVec3, angular_velocity: DVec3) -> Result<VoxelBody, BodyError> {
        if !(velocity.is_finite() && angular_velocity.is_finite()) {
            return Err(BodyError::NotFinite { what: "velocity" });
        }
        self.velocity = velocity;
        self.angular_momentum = self.turned(self.inertia) * angular_velocity;
        Ok(self)
    }

    /// The body nailed to where it is.
    #[must_use]
    pub fn fixed(mut self) -> VoxelBody {
        self.is_fixed = true;
        self.velocity = DVec3::ZERO;
        self.angular_momentum = DVec3::ZERO;
        self
    }

    /// Its number in its world.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The octree.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// The lattice, in the body's frame.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// Where the lattice's frame is.
    pub fn pose(&self) -> Pose {
        Pose::new(self.rotation, self.center - self.rotation * self.centroid)
    }

    /// The centre of mass, in the world.
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The velocity of the centre of mass.
    pub fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// The angular velocity.
    pub fn angular_velocity(&self) -> DVec3 {
        self.turned(self.inverse_inertia) * self.angular_momentum
    }

    /// The velocity of a place of the body, in the world.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity().cross(point - self.center)
    }

    /// The angular momentum about the centre of mass.
    pub fn angular_momentum(&self) -> DVec3 {
        self.angular_momentum
    }

    /// The mass.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// The energy of its motion.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * (self.mass * self.velocity.length_squared() + self.angular_velocity().dot(self.angular_momentum))
    }

    /// Whether it is nailed to where it is.
    pub fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// Whether it came to rest and is not looked at until something moves it.
    pub fn is_asleep(&self) -> bool {
        self.is_asleep
    }

    /// The box around it, in the world.
    pub fn aabb(&self) -> Aabb {
        let axes = DMat3::from_quat(self.rotation);
        let half = 0.5 * self.bounds.size();
        let reach = axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
        Aabb::around(self.pose().transform_point(self.bounds.center()), reach)
    }

    /// The octree where it is.
    pub fn placed(&self) -> Placed<'_> {
        Placed { tree: &self.tree, lattice: &self.lattice, pose: self.pose() }
    }

    /// How fast a unit of impulse along a direction makes a place of the body go along it; nothing for a fixed body.
    pub fn give_way(&self, point: DVec3, direction: DVec3) -> f64 {
        if self.is_fixed {
            return 0.0;
        }
        let turned = (point - self.center).cross(direction);
        direction.length_squared() / self.mass + turned.dot(self.turned(self.inverse_inertia) * turned)
    }

    /// Wakes it, as what has just moved.
    pub(super) fn wake(&mut self) {
        self.is_asleep = false;
        self.still = 0.0;
    }

    /// Whether forces move it now.
    pub(super) fn is_moving(&self) -> bool {
        !self.is_fixed && !self.is_asleep
    }

    /// A tensor of the body's own axes in the world's.
    pub(super) fn turned(&self, tensor: DMat3) -> DMat3 {
        let axes = DMat3::from_quat(self.rotation);
        axes * tensor * axes.transpose()
    }

    /// A bound of the speeds of all its places.
    pub fn speed(&self) -> f64 {
        self.velocity.length() + self.angular_velocity().length() * self.radius
    }

    pub(super) fn advance(&mut self, dt: f64) {
        self.center += dt * self.velocity;
        // The angular velocity half a step on, so that tumbling gains no energy to second order.
        let middle = DQuat::from_scaled_axis(0.5 * dt * self.angular_velocity()) * self.rotation;
        let axes = DMat3::from_quat(middle.normalize());
        let angular_velocity = axes * (self.inverse_inertia * (axes.transpose() * self.angular_momentum));
        self.rotation = (DQuat::from_scaled_axis(dt * angular_velocity) * self.rotation).normalize();
    }
}
