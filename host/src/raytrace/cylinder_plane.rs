//! How far contact forces lean: the paper's figures 7 and 8.

use std::f64::consts::TAU;

use glam::{DMat3, DVec3};

use super::{ContactForce, RayOptions, ResponseOptions, Surface, match_pair};
use crate::geometry::{TriMesh, shapes};

/// A lying cylinder that a plane crosses. By symmetry the force on it should point straight up, whichever way it is rolled;
/// how much it leans says how good the forces are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CylinderPlane {
    /// How many of the radii the cylinder stands in what is below the plane.
    pub depth: f64,
    /// In how many places it is rolled to, over the angle between two sides.
    pub rotations: u32,
    /// How matches are found.
    pub rays: RayOptions,
    /// Whether forces are weighted by the cosine.
    pub weight_by_cosine: bool,
}

impl Default for CylinderPlane {
    fn default() -> CylinderPlane {
        CylinderPlane { depth: 1.0, rotations: 100, rays: RayOptions::default(), weight_by_cosine: true }
    }
}

/// The tangential force for each normal one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TangentialForce {
    /// Over all rotations.
    pub mean: f64,
    /// Of the worst.
    pub worst: f64,
}

impl CylinderPlane {
    /// What a cylinder of some sides gets; nothing but zeros of fewer than three.
    pub fn measure(&self, sides: u32) -> TangentialForce {
        let mut result = TangentialForce::default();
        let ground = shapes::cuboid(DVec3::new(20.0, 10.0, 20.0));
        let below = |position: &DVec3| *position - 5.0 * DVec3::Y;
        let ground = TriMesh::new(ground.positions.iter().map(below).collect(), ground.triangles);
        let cylinder = cylinder(sides.max(3));
        let (Ok(ground), Ok(mut rolled)) = (Surface::new(&ground), Surface::new(&cylinder)) else { return result };
        let response = ResponseOptions { weight_by_cosine: self.weight_by_cosine, friction: 0.0, ..Default::default() };
        let mut matches = Vec::new();
        for rotation in 0..self.rotations {
            let angle = TAU / f64::from(sides.max(3)) * f64::from(rotation) / f64::from(self.rotations);
            let turn = DMat3::from_rotation_z(angle);
            let lift = (1.0 - self.depth) * DVec3::Y;
            rolled.move_to(cylinder.positions.iter().map(|&position| turn * position + lift));
            rolled.rebuild_octree();
            matches.clear();
            match_pair([&rolled, &ground], [0, 1], &self.rays, &mut matches);
            let mut force = DVec3::ZERO;
            for contact in matches.iter().filter_map(|found| ContactForce::new(found, DVec3::ZERO, 0.0, &response)) {
                contact.spread(|body, _, part| force += if body == 0 { part } else { DVec3::ZERO });
            }
            let ratio = force.x.hypot(force.z) / force.y;
            result.mean += ratio / f64::from(self.rotations);
            result.worst = result.worst.max(ratio);
        }
        result
    }
}

/// A cylinder of radius 1 along z, closed by fans; rings of vertices stand between its ends.
fn cylinder(sides: u32) -> TriMesh {
    const RINGS: u32 = 5;
    const LENGTH: f64 = 2.0;
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for ring in 0..RINGS {
        let place = LENGTH * (f64::from(ring) / f64::from(RINGS - 1) - 0.5);
        for side in 0..sides {
            let (sine, cosine) = (TAU * f64::from(side) / f64::from(sides)).sin_cos();
            positions.push(DVec3::new(cosine, sine, place));
            if ring > 0 {
                let next = (side + 1) % sides;
                let (low, high) = ((ring - 1) * sides, ring * sides);
                triangles.extend([[low + side, low + next, high + next], [low + side, high + next, high + side]]);
            }
        }
    }
    let (low_center, high_center) = (positions.len() as u32, positions.len() as u32 + 1);
    positions.extend([-0.5 * LENGTH * DVec3::Z, 0.5 * LENGTH * DVec3::Z]);
    let last = (RINGS - 1) * sides;
    for side in 0..sides {
        let next = (side + 1) % sides;
        triangles.extend([[low_center, next, side], [high_center, last + side, last + next]]);
    }
    TriMesh::new(positions, triangles)
}
