//! Rigid bodies of voxels: response to intersections, and a world to step (\[Domaradzki16\] 5.2).

mod body;
mod cache;
mod crumb;
mod meet;
mod narrow;
mod options;
mod pairs;
mod press;
mod respond;
mod rest;
mod sleep;
mod statistics;
mod sweep;
mod tip;
mod world;

pub use body::{BodyError, VoxelBody};
pub use options::{PhysicsLevel, Pressure, ResponseOptions, SleepOptions, VoxelWorldOptions};
pub use statistics::VoxelStatistics;
pub use world::{Side, VoxelTouch, VoxelWorld};

#[cfg(test)]
mod rest_tests;
#[cfg(test)]
mod tests;
