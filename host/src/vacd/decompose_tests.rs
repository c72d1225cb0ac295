use glam::DVec3;
use proptest::prelude::*;

use super::separate::overlap;
use super::{DecomposeError, DecomposeOptions, Fit, NodeOptions, Part, decompose, place_nodes};
use crate::geometry::shapes::{Figure, PiggyBank, Sphere, Torus, cuboid, figure};
use crate::geometry::{Clipper, FRACTURE, PolyMesh, TriMesh, VoronoiError, is_fracture};

fn solid(mesh: Result<TriMesh, crate::geometry::shapes::ShapeError>) -> PolyMesh {
    PolyMesh::from(&mesh.unwrap())
}

fn rabbit() -> PolyMesh {
    solid(figure(Figure::Rabbit, 3_000))
}

/// Some meshes in one, each moved.
fn together(meshes: &[(TriMesh, DVec3)]) -> PolyMesh {
    let mut all = TriMesh::default();
    for (mesh, by) in meshes {
        let first = all.positions.len() as u32;
        all.positions.extend(mesh.positions.iter().map(|&position| position + *by));
        all.triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|vertex| first + vertex)));
    }
    PolyMesh::from(&all)
}

/// All that is promised of parts, against brute force.
fn check(mesh: &PolyMesh, parts: &[Part], material: u32) {
    let (volume, diagonal) = (mesh.mass_properties().volume, mesh.aabb().diagonal());
    let sum: f64 = parts.iter().map(Part::volume).sum();
    assert!((sum / volume - 1.0).abs() < 1e-9, "{sum} of {volume}");
    let mut clipper = Clipper::new();
    for (number, part) in parts.iter().enumerate() {
        assert!(part.look().is_watertight() && part.look().check().is_ok() && part.volume() > 0.0);
        let outside = |&vertex: &DVec3| {
            part.convex().planes().iter().map(|plane| plane.signed_distance(vertex)).fold(f64::MIN, f64::max)
        };
        let farthest = part.look().positions.iter().map(outside).fold(f64::MIN, f64::max);
        assert!(farthest < 1e-9 * diagonal, "part {number} reaches {farthest:e} out of its convex");
        for other in &parts[..number] {
            assert!(overlap(part.convex(), other.convex(), &mut clipper).is_none(), "part {number} overlaps");
        }
        check_cuts(parts, number, material, 1e-9 * diagonal);
    }
}

/// Where a part was cut off, its convex has the plane of the cut, and another one has it too, to the bit.
fn check_cuts(parts: &[Part], number: usize, material: u32, tolerance: f64) {
    let (look, planes) = (parts[number].look(), parts[number].convex().planes());
    for face in (0..look.face_count()).filter(|&face| is_fracture(look.materials[face])) {
        assert_eq!(look.materials[face], FRACTURE | material);
        let corners: Vec<DVec3> = look.contours(face).flatten().map(|corner| look.corner_position(corner)).collect();
        let is_on = |&plane: &&crate::geometry::Plane| {
            corners.iter().all(|&corner| plane.signed_distance(corner).abs() < tolerance)
        };
        let has_flipped =
            |plane: &crate::geometry::Plane| parts.iter().any(|part| part.convex().planes().contains(&plane.flipped()));
        assert!(planes.iter().filter(is_on).any(has_flipped), "part {number}, face {face}");
    }
}

#[test]
fn placed_nodes_give_tight_parts_that_keep_all_promises() {
    let mesh = rabbit();
    let options = NodeOptions { samples: 4_000, rounds: 3, ..NodeOptions::default() };
    let nodes = place_nodes(&mesh, 12, &options).unwrap();
    for (fit, at_most) in [(Fit::Aabb, 2.2), (Fit::Dop14, 1.6), (Fit::Hull(20), 1.25)] {
        let parts = decompose(&mesh, &nodes, &DecomposeOptions { fit, material: 7, ..Default::default() }).unwrap();
        check(&mesh, &parts, 7);
        let convexes: f64 = parts.iter().map(|part| part.convex().mass_properties().volume).sum();
        let ratio = convexes / mesh.mass_properties().volume;
        assert!((1.0..at_most).contains(&ratio), "{fit}: {ratio}");
    }
}

#[test]
fn without_nodes_there_is_a_part_for_each_solid() {
    let ball = Sphere { radius: 0.4, ..Sphere::default() }.mesh().unwrap();
    let mesh = together(&[(cuboid(DVec3::ONE), DVec3::ZERO), (ball, DVec3::X)]);
    for nodes in [&[][..], &[DVec3::new(0.3, 0.0, 0.1)]] {
        let parts = decompose(&mesh, nodes, &DecomposeOptions::default()).unwrap();
        assert_eq!(parts.len(), 2);
        check(&mesh, &parts, 0);
        assert!((parts[0].convex().mass_properties().volume - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_ring_around_a_ball_is_cut_so_that_no_convexes_overlap() {
    let ring = Torus { major_radius: 1.0, minor_radius: 0.25, ..Torus::default() }.mesh().unwrap();
    let ball = Sphere { radius: 0.3, ..Sphere::default() }.mesh().unwrap();
    let mesh = together(&[(ring, DVec3::ZERO), (ball, DVec3::new(0.1, 0.0, 0.0))]);
    let parts = decompose(&mesh, &[], &DecomposeOptions::default()).unwrap();
    assert!((3..20).contains(&parts.len()), "{}", parts.len());
    check(&mesh, &parts, 0);
}

#[test]
fn cavities_stay_hollow() {
    let bank = solid(PiggyBank { slot: false, triangles: 6_000, ..PiggyBank::default() }.mesh());
    let whole = decompose(&bank, &[], &DecomposeOptions::default()).unwrap();
    assert_eq!(whole.len(), 1);
    assert!(whole[0].convex().mass_properties().volume > 2.0 * whole[0].volume());
    let nodes = place_nodes(&bank, 8, &NodeOptions { samples: 3_000, rounds: 2, ..Default::default() }).unwrap();
    assert_eq!(nodes.len(), 8);
    check(&bank, &decompose(&bank, &nodes, &DecomposeOptions::default()).unwrap(), 0);
}

#[test]
fn a_cell_that_is_all_solid_is_internal() {
    let mesh = PolyMesh::from(&cuboid(DVec3::splat(3.0)));
    let nodes: Vec<DVec3> =
        (0..27).map(|n| DVec3::new((n % 3) as f64, (n / 3 % 3) as f64, (n / 9) as f64) - 1.0).collect();
    let parts = decompose(&mesh, &nodes, &DecomposeOptions { material: 4, ..Default::default() }).unwrap();
    check(&mesh, &parts, 4);
    assert_eq!(parts.len(), 27);
    let internal: Vec<usize> = (0..27).filter(|&part| parts[part].visual().is_none()).collect();
    assert_eq!(internal, [13]);
    assert_eq!(parts[13].look().materials, [FRACTURE | 4; 6]);
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let mesh = rabbit();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let options = NodeOptions { samples: 2_000, rounds: 2, ..NodeOptions::default() };
            let nodes = place_nodes(&mesh, 9, &options).unwrap();
            (decompose(&mesh, &nodes, &DecomposeOptions::default()).unwrap(), nodes)
        })
    };
    let one = run(1);
    for threads in [2, 3, 5] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
fn few_nodes_are_enough_for_what_two_boxes_make() {
    // An L of three cubes.
    let mut mesh = PolyMesh::default();
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    for z in [0.0, 1.0] {
        mesh.positions.extend(outline.map(|(x, y)| DVec3::new(x, y, z)));
    }
    mesh.push_face(&[&[5, 4, 3, 2, 1, 0]], 0);
    mesh.push_face(&[&[6, 7, 8, 9, 10, 11]], 0);
    for side in 0..6 {
        let next = (side + 1) % 6;
        mesh.push_face(&[&[side, next, 6 + next, 6 + side]], 0);
    }
    let nodes = place_nodes(&mesh, 2, &NodeOptions::default()).unwrap();
    let parts = decompose(&mesh, &nodes, &DecomposeOptions::default()).unwrap();
    check(&mesh, &parts, 0);
    let ratio = parts.iter().map(|part| part.convex().mass_properties().volume).sum::<f64>() / 3.0;
    assert!(parts.len() == 2 && ratio < 1.05, "{} parts, {ratio}", parts.len());
    // A box is tight with one.
    let cube = PolyMesh::from(&cuboid(DVec3::new(1.0, 2.0, 3.0)));
    assert!(place_nodes(&cube, 50, &NodeOptions::default()).unwrap().len() < 50);
}

#[test]
fn what_is_no_solid_is_refused_in_one_line() {
    let options = DecomposeOptions::default();
    let refused = |mesh: &TriMesh, options: &DecomposeOptions| {
        let mesh = PolyMesh::from(mesh);
        match decompose(&mesh, &[], options) {
            Err(DecomposeError::NotSolid { problem }) => problem,
            other => panic!("{other:?}"),
        }
    };
    let mut mesh = cuboid(DVec3::ONE);
    mesh.triangles.pop();
    assert!(refused(&mesh, &options).contains("3 border edges"));
    let line = decompose(&PolyMesh::from(&mesh), &[], &options).unwrap_err().to_string();
    assert!(line.contains("--repair") && line.contains("--method svo") && !line.contains('\n'));
    assert!(place_nodes(&PolyMesh::from(&mesh), 3, &NodeOptions::default()).is_err());
    let mut inwards = cuboid(DVec3::ONE);
    inwards.triangles.iter_mut().for_each(|triangle| triangle.reverse());
    assert!(refused(&inwards, &options).contains("inside out") || refused(&inwards, &options).contains("volume"));
    let crossing =
        together(&[(cuboid(DVec3::ONE), DVec3::ZERO), (cuboid(DVec3::ONE), DVec3::splat(0.3))]).to_tri_mesh();
    let asked = DecomposeOptions { check_self_intersections: true, ..DecomposeOptions::default() };
    assert!(refused(&crossing, &asked).contains("passes through itself"), "{}", refused(&crossing, &asked));
    assert!(matches!(decompose(&PolyMesh::default(), &[], &options), Err(DecomposeError::NotSolid { .. })));
    let cube = PolyMesh::from(&cuboid(DVec3::ONE));
    let twice = decompose(&cube, &[DVec3::ZERO, DVec3::ZERO], &options);
    assert!(matches!(twice, Err(DecomposeError::Nodes(VoronoiError::Duplicate { .. }))));
    let outside = decompose(&cube, &[DVec3::X], &options);
    assert!(matches!(outside, Err(DecomposeError::Nodes(VoronoiError::Outside { .. }))));
}

#[test]
fn vertices_that_are_split_along_seams_are_one() {
    let whole = cuboid(DVec3::ONE);
    let positions = whole.triangles.as_flattened().iter().map(|&vertex| whole.positions[vertex as usize]).collect();
    let split =
        TriMesh::new(positions, (0..12).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner)).collect());
    let mesh = PolyMesh::from(&split);
    let parts = decompose(&mesh, &[DVec3::new(0.1, 0.2, 0.3), DVec3::ZERO], &DecomposeOptions::default()).unwrap();
    assert_eq!(parts.len(), 2);
    check(&mesh, &parts, 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn any_nodes_keep_the_promises(shares in prop::collection::vec(prop::array::uniform3(0.0..1.0f64), 1..24), ring: bool) {
        let mesh = if ring { solid(Torus::default().mesh()) } else { solid(figure(Figure::Rabbit, 1_000)) };
        let bounds = mesh.aabb();
        let nodes: Vec<DVec3> = shares.iter().map(|&share| bounds.min + DVec3::from(share) * bounds.size()).collect();
        let options = DecomposeOptions { fit: Fit::Dop14, ..DecomposeOptions::default() };
        check(&mesh, &decompose(&mesh, &nodes, &options).unwrap(), 0);
    }
}
