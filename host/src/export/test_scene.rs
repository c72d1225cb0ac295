//! Meshes for the tests of the renderer.

use glam::{DQuat, DVec3};

use crate::geometry::{Pose, TriMesh};
use crate::random;

/// Random numbers, points and poses.
pub(super) struct Random(random::Random);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(random::Random::new(seed))
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.unit()
    }

    pub(super) fn point(&mut self, reach: f64) -> DVec3 {
        DVec3::new(self.between(-reach, reach), self.between(-reach, reach), self.between(-reach, reach))
    }

    pub(super) fn pose(&mut self, reach: f64) -> Pose {
        Pose::new(DQuat::from_scaled_axis(self.point(3.0)), self.point(reach))
    }
}

/// A box around the origin.
pub(super) fn brick(half: DVec3) -> TriMesh {
    let corner = |number: usize| {
        let sign = |axis: usize| if number >> axis & 1 == 0 { -1.0 } else { 1.0 };
        half * DVec3::new(sign(0), sign(1), sign(2))
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new((0..8).map(corner).collect(), triangles)
}

/// A closed surface over a grid that wraps round both ways or has its poles pinched.
fn grid(columns: u32, rows: u32, point: impl Fn(f64, f64) -> DVec3) -> TriMesh {
    let turn = |part: u32, of: u32| f64::from(part) / f64::from(of);
    let positions = (0..=rows)
        .flat_map(|row| (0..columns).map(move |column| (column, row)))
        .map(|(column, row)| point(turn(column, columns) * std::f64::consts::TAU, turn(row, rows)));
    let positions = positions.collect();
    let mut triangles = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let next = (column + 1) % columns;
            let [a, b] = [row * columns + column, row * columns + next];
            triangles.extend([[a, a + columns, b + columns], [a, b + columns, b]]);
        }
    }
    TriMesh::new(positions, triangles)
}

pub(super) fn sphere(radius: f64, columns: u32, rows: u32) -> TriMesh {
    grid(columns, rows, |around, down| {
        let (sine, cosine) = (down * std::f64::consts::PI).sin_cos();
        radius * DVec3::new(sine * around.cos(), cosine, -sine * around.sin())
    })
}

pub(super) fn torus(large: f64, small: f64, columns: u32, rows: u32) -> TriMesh {
    grid(columns, rows, |around, tube| {
        let (sine, cosine) = (tube * std::f64::consts::TAU).sin_cos();
        let reach = large + small * cosine;
        DVec3::new(reach * around.cos(), -small * sine, -reach * around.sin())
    })
}
