use glam::DVec3;
use proptest::prelude::*;

use super::separate::overlap;
use super::{AutoOptions, DecomposeError, DecomposeOptions, Fit, Part, decompose, decompose_auto};
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

/// The volume of the convexes over that of the mesh.
fn ratio(mesh: &PolyMesh, parts: &[Part]) -> f64 {
    parts.iter().map(|part| part.convex().mass_properties().volume).sum::<f64>() / mesh.mass_properties().volume
}

/// With few samples, which is fast.
fn quick() -> AutoOptions {
    AutoOptions { samples: 3_000, ..AutoOptions::default() }
}

#[test]
fn automatic_parts_are_tight_and_keep_all_promises() {
    let mesh = rabbit();
    for (fit, at_most) in [(Fit::Aabb, 2.2), (Fit::Dop14, 1.6), (Fit::Hull(20), 1.15)] {
        let options = AutoOptions { parts: DecomposeOptions { fit, material: 7, ..Default::default() }, ..quick() };
        let parts = decompose_auto(&mesh, 12, &options).unwrap();
        check(&mesh, &parts, 7);
        let ratio = ratio(&mesh, &parts);
        assert!((1.0..at_most).contains(&ratio), "{fit}: {ratio}");
    }
}

#[test]
fn figures_and_a_ring_are_made_tight_without_nodes() {
    let ring = || solid(Torus::default().mesh());
    let figure = |which, triangles| solid(figure(which, triangles));
    for (name, mesh, at_most) in [
        ("ring", ring(), 1.1),
        ("senator", figure(Figure::Senator, 4_000), 1.2),
        ("dragon", figure(Figure::Dragon, 8_000), 1.3),
    ] {
        let parts = decompose_auto(&mesh, 32, &quick()).unwrap();
        check(&mesh, &parts, 0);
        let ratio = ratio(&mesh, &parts);
        assert!((1.0..at_most).contains(&ratio), "{name}: {ratio}");
    }
}

#[test]
fn no_more_cells_are_made_than_the_ratio_takes() {
    let mesh = solid(Torus::default().mesh());
    let count = |at_most: f64| {
        let parts = decompose_auto(&mesh, 32, &AutoOptions { ratio: at_most, ..quick() }).unwrap();
        check(&mesh, &parts, 0);
        assert!(ratio(&mesh, &parts) <= at_most);
        parts.len()
    };
    let counts = [1.5, 1.2, 1.1].map(count);
    assert!(counts[0] < counts[1] && counts[1] < counts[2], "{counts:?}");
}

#[test]
fn linked_rings_come_apart() {
    let ring = || Torus { major_radius: 1.0, minor_radius: 0.2, ..Torus::default() }.mesh().unwrap();
    let mut upright = ring();
    upright.positions.iter_mut().for_each(|at| *at = DVec3::new(at.x, -at.z, at.y));
    let mesh = together(&[(ring(), DVec3::ZERO), (upright, DVec3::X)]);
    for count in [1, 2, 5, 16] {
        let parts = decompose_auto(&mesh, count, &quick()).unwrap();
        assert!(parts.len() > 2);
        check(&mesh, &parts, 0);
    }
    assert!(ratio(&mesh, &decompose_auto(&mesh, 32, &quick()).unwrap()) < 1.2);
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
    let parts = decompose_auto(&bank, 16, &quick()).unwrap();
    check(&bank, &parts, 0);
    assert!(ratio(&bank, &parts) < 0.8 * ratio(&bank, &whole), "{}", ratio(&bank, &parts));
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
            let parts = decompose_auto(&mesh, 9, &quick()).unwrap();
            let nodes: Vec<DVec3> = parts.iter().map(|part| part.mass_properties().centroid).collect();
            (decompose(&mesh, &nodes, &DecomposeOptions::default()).unwrap(), parts)
        })
    };
    let one = run(1);
    for threads in [2, 3, 5] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
fn one_cut_makes_what_is_of_two_boxes_tight() {
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
    let parts = decompose_auto(&mesh, 2, &AutoOptions::default()).unwrap();
    check(&mesh, &parts, 0);
    let ratio = ratio(&mesh, &parts);
    // Straight into two boxes, or across both arms and so into three prisms.
    assert!((2..=3).contains(&parts.len()) && ratio < 1.001, "{} parts, {ratio}", parts.len());
    // A box is tight as it is.
    let cube = PolyMesh::from(&cuboid(DVec3::new(1.0, 2.0, 3.0)));
    for count in [0, 1, 50] {
        assert_eq!(decompose_auto(&cube, count, &AutoOptions::default()).unwrap().len(), 1);
    }
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
    for count in [1, 3] {
        let automatic = decompose_auto(&PolyMesh::from(&mesh), count, &AutoOptions::default());
        assert_eq!(automatic, decompose(&PolyMesh::from(&mesh), &[], &options));
    }
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
    #[test]
    fn any_number_of_cells_keeps_the_promises(count in 2..40usize, samples in 0..3_000usize, ring: bool) {
        let mesh = if ring { solid(Torus::default().mesh()) } else { solid(figure(Figure::Rabbit, 1_000)) };
        let parts = DecomposeOptions { fit: Fit::Dop14, ..DecomposeOptions::default() };
        check(&mesh, &decompose_auto(&mesh, count, &AutoOptions { parts, samples, ratio: 1.0 }).unwrap(), 0);
    }
}
