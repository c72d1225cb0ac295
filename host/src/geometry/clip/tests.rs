use glam::{DAffine3, DMat3, DQuat, DVec3, Vec2};
use proptest::prelude::*;

use super::*;
use crate::geometry::{Aabb, TriMesh, shapes};
use crate::random::Random;

/// Holds the two sides of a cut to being closed, well made, and together the whole. Gives them back.
fn cut_and_check(mesh: &PolyMesh, plane: &Plane) -> [Option<PolyMesh>; 2] {
    let whole = mesh.mass_properties().volume;
    let mut clipper = Clipper::new();
    let mut sum = 0.0;
    let sides = [*plane, plane.flipped()].map(|plane| {
        let mut part = PolyMesh::default();
        let part = match clipper.clip(mesh, &plane, 9, &mut part) {
            Clipped::Whole => mesh.clone(),
            Clipped::Nothing => return None,
            Clipped::Part => part,
        };
        assert_eq!(part.check(), Ok(()));
        assert!(part.is_watertight());
        let slack = 2.0 * ON_PLANE * (part.aabb().largest() + plane.offset.abs());
        for &vertex in &part.corners {
            assert!(plane.signed_distance(part.positions[vertex as usize]) <= slack);
        }
        for contour in (0..part.face_count()).flat_map(|face| part.contours(face)) {
            assert!(contour.len() >= 3);
            assert!(contour.clone().all(|corner| {
                let next = if corner + 1 == contour.end { contour.start } else { corner + 1 };
                part.corners[corner] != part.corners[next]
            }));
        }
        sum += part.mass_properties().volume;
        Some(part)
    });
    // A cut may move as much from side to side as its slack times the area that it can have.
    let aabb = mesh.aabb();
    let slack = ON_PLANE * (aabb.largest() + plane.offset.abs());
    assert!((sum - whole).abs() <= 1e-12 * whole + slack * aabb.area(), "{sum} {whole}");
    sides
}

fn random_plane(random: &mut Random, aabb: &Aabb) -> Plane {
    let normal = loop {
        if let Some(normal) = random.in_cube().try_normalize() {
            break normal;
        }
    };
    Plane::through(aabb.center() + 0.4 * random.in_cube() * aabb.size(), normal)
}

fn solids() -> Vec<PolyMesh> {
    let figure = |figure| shapes::figure(figure, 2_000).unwrap();
    let meshes = [
        shapes::cuboid(DVec3::new(1.0, 2.0, 0.5)),
        shapes::Sphere { radius: 0.7, frequency: 5 }.mesh().unwrap(),
        shapes::Torus::default().mesh().unwrap(),
        shapes::Column { courses: 4, ..shapes::Column::default() }.mesh().unwrap(),
        shapes::Plate::default().mesh().unwrap(),
        shapes::PiggyBank { triangles: 4_500, ..shapes::PiggyBank::default() }.mesh().unwrap(),
        figure(shapes::Figure::Dragon),
    ];
    meshes.iter().map(PolyMesh::from).collect()
}

#[test]
fn random_cuts_partition_every_solid_five_levels_deep() {
    let mut random = Random::new(5);
    for mesh in solids() {
        let mut parts = vec![mesh];
        for _ in 0..5 {
            parts = parts
                .iter()
                .flat_map(|part| cut_and_check(part, &random_plane(&mut random, &part.aabb())).into_iter().flatten())
                .collect();
        }
        assert!(parts.len() > 8);
    }
}

#[test]
fn cuts_through_vertices_edges_and_faces_partition_too() {
    for mesh in solids() {
        let aabb = mesh.aabb();
        let mut planes = Vec::new();
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            for place in [aabb.min, aabb.center(), DVec3::ZERO, aabb.max, mesh.positions[mesh.positions.len() / 3]] {
                planes.push(Plane::through(place, axis));
            }
        }
        for face in (0..mesh.face_count()).step_by(mesh.face_count().div_ceil(40)) {
            let corners: Vec<DVec3> =
                mesh.contours(face).flatten().map(|corner| mesh.corner_position(corner)).collect();
            planes.extend(Plane::of_triangle(corners[0], corners[1], corners[2]));
            // Through an edge and the middle.
            planes.extend(Plane::of_triangle(corners[0], corners[1], aabb.center()));
        }
        for plane in planes {
            cut_and_check(&mesh, &plane);
        }
    }
}

#[test]
fn a_concave_face_is_cut_into_its_parts_and_a_cap_keeps_its_holes() {
    // A comb: a flat E, whose large faces are one polygon each.
    let outline = [(0, 0), (5, 0), (5, 1), (1, 1), (1, 2), (5, 2), (5, 3), (1, 3), (1, 4), (5, 4), (5, 5), (0, 5)];
    let count = outline.len() as u32;
    let mut comb = PolyMesh::default();
    for z in [0.0, 1.0] {
        comb.positions.extend(outline.iter().map(|&(x, y)| DVec3::new(f64::from(x), f64::from(y), z)));
    }
    comb.push_face(&[&(0..count).rev().collect::<Vec<_>>()], 0);
    comb.push_face(&[&(count..2 * count).collect::<Vec<_>>()], 0);
    for side in 0..count {
        let next = (side + 1) % count;
        comb.push_face(&[&[side, next, count + next, count + side]], 0);
    }
    let [spine, teeth] = cut_and_check(&comb, &Plane::through(DVec3::new(3.0, 0.0, 0.0), DVec3::X));
    let caps = |part: &PolyMesh| part.materials.iter().filter(|&&material| material == 9).count();
    let (spine, teeth) = (spine.unwrap(), teeth.unwrap());
    assert_eq!((caps(&spine), caps(&teeth)), (3, 3));
    assert_eq!(teeth.to_tri_mesh().components().len(), 3);
    assert!((teeth.mass_properties().volume - 6.0).abs() < 1e-12);
    // Exactly along the sides of the teeth.
    cut_and_check(&comb, &Plane::through(DVec3::new(1.0, 0.0, 0.0), DVec3::X));
    cut_and_check(&comb, &Plane::through(DVec3::new(0.0, 3.0, 0.0), DVec3::Y));

    // A hollow box: the cap is a face with a hole.
    let mut hollow = shapes::cuboid(DVec3::splat(2.0));
    let mut cavity = shapes::cuboid(DVec3::ONE);
    cavity.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    hollow.append(&cavity);
    let [half, _] = cut_and_check(&PolyMesh::from(&hollow), &Plane::through(DVec3::new(0.1, 0.0, 0.0), DVec3::X));
    let half = half.unwrap();
    let cap = half.materials.iter().position(|&material| material == 9).unwrap();
    assert_eq!(caps(&half), 1);
    assert_eq!(half.contours(cap).len(), 2);
}

#[test]
fn attributes_are_interpolated_along_the_cut() {
    let mut mesh = PolyMesh::from(&shapes::cuboid(DVec3::splat(2.0)));
    mesh.corner_uvs =
        Some((0..mesh.corners.len()).map(|corner| mesh.corner_position(corner).as_vec3().truncate()).collect());
    mesh.corner_normals =
        Some((0..mesh.corners.len()).map(|corner| mesh.corner_position(corner).normalize().as_vec3()).collect());
    mesh.corner_colors = Some(vec![[10, 20, 30, 40]; mesh.corners.len()]);
    let plane = Plane::through(DVec3::new(0.3, 0.2, 0.1), DVec3::new(1.0, 2.0, 0.5).normalize());
    let part = cut_and_check(&mesh, &plane)[0].clone().unwrap();
    for face in 0..part.face_count() {
        for corner in part.contours(face).flatten() {
            let normal = part.corner_normals.as_ref().unwrap()[corner];
            if part.materials[face] == 9 {
                assert!((normal.as_dvec3() - plane.normal).length() < 1e-6);
            } else {
                let place: Vec2 = part.corner_position(corner).as_vec3().truncate();
                assert!((part.corner_uvs.as_ref().unwrap()[corner] - place).length() < 1e-6);
                assert!((normal.length() - 1.0).abs() < 1e-6);
                assert_eq!(part.corner_colors.as_ref().unwrap()[corner], [10, 20, 30, 40]);
            }
        }
    }
}

#[test]
fn a_convex_keeps_its_planes() {
    let cube = Convex::cuboid(Aabb { min: DVec3::ZERO, max: DVec3::ONE });
    let plane = Plane::through(DVec3::splat(0.6), DVec3::ONE.normalize());
    let part = cube.clipped(&plane).unwrap();
    assert_eq!(part.planes().last(), Some(&plane));
    assert!(part.planes()[..part.planes().len() - 1].iter().all(|kept| cube.planes().contains(kept)));
    assert!(Convex::new(part.surface().clone(), 1e-12).is_ok());
    assert_eq!(cube.clipped(&Plane::through(DVec3::ONE, DVec3::X)).as_ref(), Some(&cube));
    assert_eq!(cube.clipped(&Plane::through(DVec3::ZERO, DVec3::X)), None);
}

proptest! {
    #[test]
    fn a_box_cut_by_many_planes_stays_convex(seed in 0u64..1 << 32, far in 0.0..1e6f64) {
        let mut random = Random::new(seed);
        let place = far * random.in_cube();
        let mut convex = Convex::cuboid(Aabb::around(place, DVec3::ONE));
        let mut clipper = Clipper::new();
        for _ in 0..12 {
            let plane = random_plane(&mut random, &convex.aabb());
            cut_and_check(convex.surface(), &plane);
            let Some(part) = convex.clipped_with(&plane, &mut clipper) else { break };
            prop_assert!(Convex::new(part.surface().clone(), 1e-11 * (1.0 + far)).is_ok());
            convex = part;
        }
    }

    #[test]
    fn turned_lattices_of_boxes_are_cut_along_their_own_planes(seed in 0u64..1 << 32) {
        // Planes that pass through vertices, edges and faces up to rounding, not exactly.
        let mut random = Random::new(seed);
        let turn = DQuat::from_scaled_axis(3.0 * random.in_cube());
        let map = DAffine3::from_mat3_translation(DMat3::from_quat(turn), random.in_cube());
        let mesh: TriMesh = shapes::subdivided_cuboid(DVec3::splat(2.0), [2, 2, 2]).unwrap().transformed(&map);
        let mesh = PolyMesh::from(&mesh);
        for normal in [DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0).normalize(), DVec3::ONE.normalize()] {
            for offset in [-1.0, 0.0, 1.0] {
                let plane = Plane::through(map.transform_point3(offset * normal), turn * normal);
                cut_and_check(&mesh, &plane);
            }
        }
    }
}

#[test]
fn convexes_are_cut_the_short_way_to_the_same_bits() {
    let mut random = Random::new(8);
    let (mut short, mut clipper) = (ConvexClipper::new(), Clipper::new());
    let lattice = |random: &mut Random| (3.0 * random.in_cube()).round();
    for trial in 0..400 {
        let bounds = Aabb::around(DVec3::ZERO, DVec3::splat(3.0));
        let start = Convex::cuboid(bounds);
        let (mut mesh, mut planes) = (start.surface().clone(), start.planes().to_vec());
        short.start(&start);
        for _ in 0..12 {
            // Planes on a lattice go through vertices and edges and lie on faces.
            let plane = if trial % 2 == 0 {
                random_plane(&mut random, &bounds)
            } else {
                let normal = lattice(&mut random).try_normalize().unwrap_or(DVec3::X);
                Plane::through(lattice(&mut random), normal)
            };
            let mut result = PolyMesh::default();
            let expected = clipper.clip(&mesh, &plane, 5, &mut result);
            assert_eq!(short.clip(&plane, 5), expected);
            if expected == Clipped::Part {
                let source = |&source: &u32| planes.get(source as usize).copied().unwrap_or(plane);
                planes = clipper.sources().iter().map(source).collect();
                mesh = result;
            }
            let convex = short.finish();
            assert_eq!((convex.surface(), convex.planes()), (&mesh, &planes[..]));
        }
    }
}

#[test]
fn convexes_keep_their_corner_attributes() {
    let mut mesh = shapes::Sphere { radius: 0.7, frequency: 5 }.mesh().unwrap();
    mesh.normals = Some(mesh.positions.iter().map(|position| position.normalize().as_vec3()).collect());
    let mesh = PolyMesh::from(&mesh);
    let convex = Convex::new(mesh.clone(), 1e-9).unwrap();
    let plane = Plane { normal: DVec3::X, offset: 0.1 };
    let (mut short, mut expected) = (ConvexClipper::new(), PolyMesh::default());
    assert_eq!(Clipper::new().clip(&mesh, &plane, 2, &mut expected), Clipped::Part);
    short.start(&convex);
    assert_eq!(short.clip(&plane, 2), Clipped::Part);
    assert_eq!(short.finish().surface(), &expected);
    assert!(expected.corner_normals.is_some());
    // What came with attributes before leaves none behind.
    short.start(&Convex::cuboid(Aabb::around(DVec3::ZERO, DVec3::ONE)));
    assert_eq!(short.clip(&plane, 2), Clipped::Part);
    assert_eq!(short.finish().surface().corner_normals, None);
}
