use glam::{DAffine3, DQuat, DVec3};
use proptest::prelude::*;

use super::{Meshed, MesherError, MesherOptions, tetrahedralise};
use crate::geometry::predicates::orient_3d;
use crate::geometry::shapes::{self, Dish, Figure, PiggyBank, Plate, Shelf, Sphere, Torus, figure};
use crate::geometry::{ReportOptions, TetMesh, TriMesh, mesh_report};
use crate::hash::StateHash;

/// Holds tetrahedra to being positive, without unused vertices, and with a closed manifold surface that has so many shells.
#[track_caller]
pub(super) fn assert_solid(mesh: &TetMesh, shells: usize) {
    mesh.check().unwrap();
    let mut is_used = vec![false; mesh.positions.len()];
    for tet in 0..mesh.tets.len() {
        let [a, b, c, d] = mesh.corners(tet);
        assert!(orient_3d(a, b, c, d) > 0.0, "tetrahedron {tet} is not positive");
        mesh.tets[tet].iter().for_each(|&vertex| is_used[vertex as usize] = true);
    }
    assert!(is_used.into_iter().all(|used| used), "a vertex without tetrahedra");
    let surface = mesh.surface();
    assert!((surface.volume() / mesh.volume() - 1.0).abs() < 1e-9, "tetrahedra overlap");
    // By number, since vertices at one place may be two on purpose.
    let mut sides: Vec<(u32, u32)> = surface.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
    sides.sort_unstable();
    for pair in sides.windows(2) {
        assert!(pair[0] != pair[1], "an edge has two faces on one side");
    }
    assert!(sides.iter().all(|&(from, to)| sides.binary_search(&(to, from)).is_ok()), "an edge has one face");
    // One fan a vertex: going round it passes all of its faces.
    let mut next: Vec<(u32, u32, u32)> =
        surface.triangles.iter().flat_map(|&[a, b, c]| [(a, b, c), (b, c, a), (c, a, b)]).collect();
    next.sort_unstable();
    for fan in next.chunk_by(|one, other| one.0 == other.0) {
        let mut at = fan[0].1;
        for step in 1..=fan.len() {
            at = fan[fan.binary_search_by_key(&at, |face| face.1).unwrap()].2;
            assert_eq!(at == fan[0].1, step == fan.len(), "a vertex has more than one fan");
        }
    }
    assert_eq!(surface.components().len(), shells, "shells");
}
