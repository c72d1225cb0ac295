//! What a world of voxels can be told.

use glam::DVec3;

use crate::svo::Placement;

/// The options of a [`super::VoxelWorld`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelWorldOptions {
    /// The acceleration of all that is not fixed.
    pub gravity: DVec3,
    /// How finely pairs are looked at.
    pub level: PhysicsLevel,
    /// Where the points of boundary voxels are that meet boundary voxels.
    pub placement: Placement,
    /// How far a pair may move, in voxels of the physics level, before its voxels are compared again; until then the volume
    /// follows its gradient. Zero compares in every step.
    pub reuse: f64,
    /// How bodies answer to intersections.
    pub response: ResponseOptions,
    /// When bodies come to rest; `None` keeps all awake.
    pub sleep: Option<SleepOptions>,
}

impl Default for VoxelWorldOptions {
    fn default() -> VoxelWorldOptions {
        VoxelWorldOptions {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            level: PhysicsLevel::Fixed(8),
            placement: Placement::Middle,
            reuse: 0.25,
            response: ResponseOptions::default(),
            sleep: Some(SleepOptions::default()),
        }
    }
}

/// Which level a pair is looked at (\[Domaradzki16\] 6.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PhysicsLevel {
    /// The same for all.
    Fixed(u32),
    /// Coarser far from a camera.
    ByDistance {
        /// The level up to `distance`.
        level: u32,
        /// Where the camera is.
        camera: DVec3,
        /// Beyond this the level falls by one, and again with each doubling.
        distance: f64,
        /// The level that is never gone below.
        least: u32,
    },
}

impl PhysicsLevel {
    /// The level at a place.
    pub fn at(&self, place: DVec3) -> u32 {
        match *self {
            PhysicsLevel::Fixed(level) => level,
            PhysicsLevel::ByDistance { level, camera, distance, least } => {
                let doublings = (place.distance(camera) / distance).log2();
                // What is not a number casts to zero: as near as can be.
                let fall = if doublings >= 0.0 { doublings.floor() as u32 + 1 } else { 0 };
                level.saturating_sub(fall).max(least.min(level))
            }
        }
    }
}

/// How bodies answer to intersections (\[Domaradzki16\] 5.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResponseOptions {
    /// How deep a body of the heavier one's weight sinks in beyond `slop`, in voxels of the physics level: this sets k of
    /// equation 3.
    pub sink: f64,
    /// The depth that is not undone, in voxels of the physics level, about as much as the volume of two turned lattices
    /// trembles: it takes speed away, but drives nothing apart.
    pub slop: f64,
    /// The time, in seconds, in which a depth is undone at the fastest: damping of the repulsion. In a step bodies sink in
    /// as deep as their speed makes them; were that undone in a step too, they would bounce for ever.
    pub recovery: f64,
    /// The greatest speed at which a pair that overlaps is driven apart, in voxels of the physics level a second.
    pub separation: f64,
    /// The speed at which a pair is that is one voxel deep, or less; the greatest speed grows from there with the third
    /// power of the depth. A voxel is about as much as the depth of edges and corners changes while they turn: were that
    /// undone as fast as what went too deep, a heap would never rest, and would rise.
    pub creep: f64,
    /// How fast friction ends sliding, in parts of the sliding speed a second: this sets μ of equation 4.
    pub friction: f64,
    /// The most that friction can be, as a part of the repulsion. The equation has no such limit, which is `f64::INFINITY`.
    pub grip: f64,
    /// How fast contact ends rolling and spinning, in parts of the angular velocity a second.
    pub rolling: f64,
    /// How the repulsion is spread over an intersection.
    pub pressure: Pressure,
    /// How often all pairs are gone through.
    pub iterations: u32,
}

/// How repulsion is spread over an intersection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pressure {
    /// More where it is deeper, as if on an elastic bed, so that bodies stand upright.
    #[default]
    ByDepth,
    /// The same all over, as equation 3 has it.
    Even,
}

impl Default for ResponseOptions {
    fn default() -> ResponseOptions {
        ResponseOptions {
            sink: 0.03,
            slop: 0.2,
            recovery: 0.2,
            separation: 20.0,
            creep: 0.3,
            friction: 1e4,
            grip: 0.6,
            rolling: 2.0,
            pressure: Pressure::ByDepth,
            iterations: 40,
        }
    }
}

/// When bodies come to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SleepOptions {
    /// How far their places may move, in their finest voxels, or in quarters of those of the physics level if these are
    /// larger. It is a way and not a speed, because what trembles stays where it is.
    pub distance: f64,
    /// For how long, in seconds, all bodies that touch each other have to stay within that.
    pub time: f64,
}

impl Default for SleepOptions {
    fn default() -> SleepOptions {
        SleepOptions { distance: 2.0, time: 0.5 }
    }
}
