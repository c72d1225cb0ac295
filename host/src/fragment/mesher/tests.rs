use glam::{DAffine3, DQuat, DVec3};
use proptest::prelude::*;

use super::{Meshed, MesherError, MesherOptions, tetrahedralise};
use crate::geometry::predicates::orient_3d;
use crate::geometry::shapes::{self, Dish, Figure, PiggyBank, Plate, Shelf, Sphere, Torus, figure};
use crate::geometry::{TetMesh, TriMesh};
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

fn meshed(mesh: &TriMesh, cells: u32, features: bool) -> Meshed {
    tetrahedralise(mesh, &MesherOptions { cells, features, ..MesherOptions::default() }).unwrap()
}

/// Meshes a solid with and without sharp edges, and holds the results to what is promised.
#[track_caller]
fn check(mesh: &TriMesh, cells: u32, shells: usize, volume_error: f64) -> Meshed {
    let [plain, sharp] = [false, true].map(|features| {
        let meshed = meshed(mesh, cells, features);
        assert_solid(&meshed.mesh, shells);
        let report = &meshed.report;
        assert!(report.smallest_angle > 10.7 && report.largest_angle < 164.8, "{report}");
        assert!(report.volume_error.unwrap().abs() < volume_error, "{report}");
        assert_eq!(report.surface_triangles, meshed.mesh.surface().triangles.len());
        meshed
    });
    assert!(sharp.report.volume_error.unwrap().abs() <= plain.report.volume_error.unwrap().abs() + 1e-3);
    sharp
}

fn turned(mesh: TriMesh) -> TriMesh {
    mesh.transformed(&DAffine3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7))
}

/// Vertices less edges plus triangles of the surface.
fn euler_characteristic(mesh: &TetMesh) -> i64 {
    let surface = mesh.surface();
    surface.positions.len() as i64 - surface.triangles.len() as i64 / 2
}

#[test]
fn spheres_converge_with_second_order() {
    let sphere = Sphere { radius: 1.0, frequency: 30 }.mesh().unwrap();
    let errors = [6, 12, 24].map(|cells| {
        let meshed = check(&sphere, cells, 1, 0.1);
        assert_eq!((meshed.report.components, euler_characteristic(&meshed.mesh)), (1, 2));
        -meshed.report.volume_error.unwrap()
    });
    for pair in errors.windows(2) {
        assert!((3.4..4.6).contains(&(pair[0] / pair[1])), "{errors:?}");
    }
}

#[test]
fn surface_vertices_are_on_the_surface() {
    let torus = Torus { major_segments: 60, minor_segments: 30, ..Torus::default() }.mesh().unwrap();
    let distance = crate::geometry::SignedDistance::new(&torus).unwrap();
    let meshed = check(&torus, 20, 1, 0.03);
    for position in meshed.mesh.surface().positions {
        assert!(distance.at(position).abs() < 1e-9 * meshed.cell);
    }
    assert_eq!(euler_characteristic(&meshed.mesh), 0);
}

#[test]
fn boxes_of_whole_cells_are_exact() {
    let cuboid = shapes::cuboid(DVec3::new(1.0, 0.5, 0.25));
    let meshed = check(&cuboid, 8, 1, 1e-12);
    assert_eq!((meshed.mesh.aabb().min, meshed.mesh.aabb().max), (cuboid.aabb().min, cuboid.aabb().max));
    assert_eq!((meshed.sharp_vertices, meshed.bevels), (0, 0));
}

#[test]
fn sharp_edges_are_met() {
    for mesh in [shapes::cuboid(DVec3::new(1.0, 0.7, 0.5)), shapes::cuboid(DVec3::new(1.0, 1.0, 0.15))] {
        let plain = meshed(&turned(mesh.clone()), 16, false);
        let sharp = check(&turned(mesh.clone()), 16, 1, 0.05);
        assert!(sharp.report.volume_error.unwrap().abs() < 0.3 * plain.report.volume_error.unwrap().abs());
        assert!(sharp.sharp_vertices > 100 && sharp.bevels < 10, "{} {}", sharp.sharp_vertices, sharp.bevels);
        let corners = turned(mesh).positions;
        let is_met = |corner: &&DVec3| sharp.mesh.positions.contains(corner);
        assert!(corners.iter().filter(is_met).count() >= 7);
    }
}

#[test]
fn figures_shelves_and_dishes_are_meshed_whole() {
    let rabbit = check(&figure(Figure::Rabbit, 3000).unwrap(), 16, 1, 0.05);
    assert_eq!(rabbit.report.components, 1);
    check(&turned(shapes::cuboid(DVec3::new(1.0, 1.0, 0.1))), 16, 1, 0.1);
    check(&Shelf::default().mesh().unwrap(), 40, 1, 0.03);
    check(&Dish { thickness: 0.02, ..Dish::default() }.mesh().unwrap(), 24, 1, 0.05);
}

#[test]
fn a_hollow_bank_stays_hollow() {
    let bank = PiggyBank { triangles: 5000, ..PiggyBank::default() }.mesh().unwrap();
    let meshed = meshed(&bank, 28, true);
    let shells = meshed.mesh.surface().components();
    assert_solid(&meshed.mesh, shells.len());
    assert!(meshed.report.volume_error.unwrap().abs() < 0.02, "{}", meshed.report);
    // The wall of the hollow is turned towards it.
    let hollows = |shells: &[TriMesh]| -> Vec<f64> {
        shells.iter().map(TriMesh::volume).filter(|volume| *volume < 0.0).collect()
    };
    let (found, expected) = (hollows(&shells), hollows(&bank.components()));
    assert_eq!((found.len(), expected.len()), (1, 1));
    assert!((found[0] / expected[0] - 1.0).abs() < 0.05);
}

#[test]
fn an_ell_has_one_concave_edge() {
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    let positions = [0.0, 1.0].iter().flat_map(|&z| outline.map(|(x, y)| DVec3::new(x, y, z))).collect();
    let mut triangles = vec![[0, 3, 1], [1, 3, 2], [0, 5, 3], [3, 5, 4]];
    triangles.extend([[6, 7, 9], [7, 8, 9], [6, 9, 11], [9, 10, 11]]);
    triangles.extend((0..6).flat_map(|i| [[i, (i + 1) % 6, i + 6], [(i + 1) % 6, (i + 1) % 6 + 6, i + 6]]));
    let ell = TriMesh::new(positions, triangles);
    assert!(ell.is_watertight() && (ell.volume() - 3.0).abs() < 1e-12);
    check(&ell, 16, 1, 1e-12);
    let turned = check(&turned(ell), 16, 1, 0.03);
    assert!(turned.report.volume_error.unwrap().abs() < 0.006);
}

#[test]
fn flat_cells_give_plates_layers() {
    let plate = Plate { thickness: 0.01, ..Plate::default() }.mesh().unwrap();
    let options = MesherOptions { cells: 24, stretch: DVec3::new(1.0, 0.5, 1.0), ..MesherOptions::default() };
    let meshed = tetrahedralise(&plate, &options).unwrap();
    assert_solid(&meshed.mesh, 1);
    assert!(meshed.report.volume_error.unwrap().abs() < 0.05, "{}", meshed.report);
    assert!(meshed.report.smallest_angle > 4.0);
}

#[test]
fn walls_too_thin_are_told_by_the_report() {
    let sheet = turned(shapes::cuboid(DVec3::new(1.0, 1.0, 0.1)));
    let meshed = meshed(&sheet, 12, true);
    assert!(meshed.report.volume_error.unwrap() < -0.1);
    assert_solid(&meshed.mesh, meshed.mesh.surface().components().len());
    let sheet = turned(shapes::cuboid(DVec3::new(1.0, 1.0, 0.001)));
    let error = tetrahedralise(&sheet, &MesherOptions::default()).unwrap_err();
    assert!(error.to_string().ends_with("use smaller cells"), "{error}");
}

#[test]
fn surfaces_that_cross_themselves_give_something_sound() {
    let mut mesh = shapes::cuboid(DVec3::ONE);
    mesh.append(&turned(shapes::cuboid(DVec3::ONE)).transformed(&DAffine3::from_translation(DVec3::splat(0.3))));
    let mut reversed = shapes::cuboid(DVec3::splat(0.5)).transformed(&DAffine3::from_translation(DVec3::X * 3.0));
    reversed.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
    let mut apart = shapes::cuboid(DVec3::ONE);
    apart.append(&reversed);
    for mesh in [mesh, apart] {
        let meshed = meshed(&mesh, 24, true);
        assert_solid(&meshed.mesh, meshed.mesh.surface().components().len());
    }
}

#[test]
fn neighbours_in_space_are_neighbours_in_memory() {
    let meshed = meshed(&Sphere::default().mesh().unwrap(), 16, true);
    let reach = |numbers: [u32; 4]| numbers.iter().max().unwrap() - numbers.iter().min().unwrap();
    let mean = meshed.mesh.tets.iter().map(|&tet| f64::from(reach(tet))).sum::<f64>() / meshed.mesh.tets.len() as f64;
    assert!(mean < 0.25 * meshed.mesh.positions.len() as f64, "{mean}");
}

#[test]
fn every_thread_count_gives_the_same_bits() {
    let rabbit = figure(Figure::Rabbit, 2000).unwrap();
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let meshed = pool.install(|| meshed(&rabbit, 14, true));
        let mut hash = StateHash::new();
        meshed.mesh.positions.iter().for_each(|position| hash.write_doubles(&position.to_array()));
        meshed.mesh.tets.iter().flatten().for_each(|&vertex| hash.write(vertex));
        hash.finish()
    };
    assert_eq!(hash(1), hash(2));
}

#[test]
fn what_cannot_be_meshed_is_refused() {
    let refused = |mesh: &TriMesh, options: &MesherOptions| tetrahedralise(mesh, options).unwrap_err().to_string();
    let (cuboid, default) = (shapes::cuboid(DVec3::ONE), MesherOptions::default());
    let mut open = cuboid.clone();
    open.triangles.pop();
    assert!(refused(&open, &default).starts_with("the surface is open"));
    assert_eq!(refused(&TriMesh::default(), &default), "the mesh has no triangles");
    let mut broken = cuboid.clone();
    broken.positions[0].x = f64::NAN;
    assert_eq!(refused(&broken, &default), "vertex 0 has a coordinate that is not finite");
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = MesherOptions { cell: Some(cell), ..default.clone() };
        assert!(matches!(tetrahedralise(&cuboid, &options), Err(MesherError::BadLength { what: "the cell", .. })));
    }
    for options in
        [MesherOptions { cells: u32::MAX, ..default.clone() }, MesherOptions { cell: Some(1e-20), ..default.clone() }]
    {
        assert!(matches!(tetrahedralise(&cuboid, &options), Err(MesherError::TooManyCells { .. })));
    }
    let options = MesherOptions { cells: 250, ..default.clone() };
    assert!(matches!(tetrahedralise(&cuboid, &options), Err(MesherError::TooManyTets { .. })));
    assert_eq!(tetrahedralise(&cuboid, &MesherOptions { cells: 0, ..default.clone() }), Err(MesherError::NoCells));
    let options = MesherOptions { sharp_angle: f64::NAN, ..default.clone() };
    assert!(matches!(tetrahedralise(&cuboid, &options), Err(MesherError::BadAngle { .. })));
    let options = MesherOptions { stretch: DVec3::new(1.0, 0.0, 1.0), ..default };
    assert!(matches!(tetrahedralise(&cuboid, &options), Err(MesherError::BadLength { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn ellipsoids_of_any_shape_and_turn_are_meshed(radii in prop::array::uniform3(0.4..1.0f64), axis in prop::array::uniform3(-1.0..1.0f64),
                                                   angle in 0.0..6.0f64, shift in -100.0..100.0f64, cells in 8u32..14) {
        let turn = DQuat::from_axis_angle(DVec3::from_array(axis).try_normalize().unwrap_or(DVec3::X), angle);
        let map = DAffine3::from_scale_rotation_translation(DVec3::ONE, turn, DVec3::splat(shift))
            * DAffine3::from_scale(DVec3::from_array(radii));
        let ellipsoid = Sphere { radius: 1.0, frequency: 10 }.mesh().unwrap().transformed(&map);
        let meshed = check(&ellipsoid, cells, 1, 0.1);
        prop_assert_eq!((meshed.report.components, euler_characteristic(&meshed.mesh)), (1, 2));
    }
}
