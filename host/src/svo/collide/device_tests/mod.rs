//! The device functions of collisions, launched one index after the other, against what the CPU does its own way.

mod columns;
mod traverse;
mod whole;

use glam::{DQuat, DVec3};

use super::tests::{ball, block, turned};
use super::*;
use crate::geometry::shapes::{Figure, Torus, figure};
use crate::svo::device_tests::{numbers, starts};
use crate::svo::{Lattice, Tree, VoxeliseOptions, voxelise};

/// Shapes that have cavities between their parts, thin parts, flat faces and round ones.
fn shapes(level: u32) -> Vec<(Lattice, Tree)> {
    let options = VoxeliseOptions { level, ..VoxeliseOptions::default() };
    let torus = Torus { major_radius: 0.5, minor_radius: 0.2, major_segments: 40, minor_segments: 20 };
    let meshes = [torus.mesh(), figure(Figure::Dragon, 6000)].map(Result::unwrap);
    let meshes = meshes.map(|mesh| voxelise(&mesh, &options).unwrap());
    meshes.into_iter().chain([ball(0.4, level), block(DVec3::new(1.0, 0.7, 0.4), level)]).collect()
}

/// Where a second body is: apart, touching, turned, nearly the same place, the same place.
fn poses() -> [tests::At; 6] {
    [
        (DVec3::ZERO, DVec3::splat(3.0)),
        (DVec3::ZERO, DVec3::new(0.6, 0.1, 0.2)),
        (DVec3::new(0.3, 0.7, -0.2), DVec3::new(0.6, 0.1, 0.2)),
        (DVec3::new(-1.1, 0.2, 2.0), DVec3::new(-0.2, 0.3, 0.1)),
        (DVec3::new(0.0, 0.0, 0.001), DVec3::new(0.01, 0.002, 0.0)),
        (DVec3::ZERO, DVec3::ZERO),
    ]
    .map(|(turn, place)| turned(DQuat::from_scaled_axis(turn), place))
}
