use std::f64::consts::PI;

use glam::{DAffine3, DVec3};

use crate::geometry::{TriMesh, shapes};
use crate::svo::{Lattice, Tree, VoxeliseOptions, mass_properties, voxelise};

fn octree(mesh: &TriMesh, level: u32) -> (Lattice, Tree) {
    voxelise(mesh, &VoxeliseOptions { level, ..Default::default() }).unwrap()
}

fn ball() -> TriMesh {
    shapes::Sphere { radius: 1.0, frequency: 40 }.mesh().unwrap()
}

/// Without the triangles whose middles are somewhere.
fn without(mut mesh: TriMesh, is_missing: impl Fn(DVec3) -> bool) -> TriMesh {
    let positions = &mesh.positions;
    mesh.triangles.retain(|triangle| {
        let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
        !is_missing((a + b + c) / 3.0)
    });
    mesh
}

/// No voxel inside shares a face with one outside, and boundary nodes have their attributes.
fn assert_sealed(tree: &Tree) {
    let size = 1u32 << tree.level();
    let node = |voxel: [u32; 3]| tree.node_at(voxel, tree.level());
    for number in 0..size.pow(3) {
        let voxel = [number % size, number / size % size, number / size / size];
        let here = node(voxel);
        for axis in 0..3 {
            let mut next = voxel;
            next[axis] += 1;
            if next[axis] == size {
                assert!(!here.is_internal());
                continue;
            }
            let there = node(next);
            if here.is_empty() && there.is_empty() {
                assert_eq!(here.is_internal(), there.is_internal(), "{voxel:?} {next:?}");
            }
        }
    }
    assert_eq!(tree.boundary_codes().len(), tree.colors().len());
}

fn assert_volume(mesh: &TriMesh, level: u32, volume: f64, tolerance: f64) {
    let (lattice, tree) = octree(mesh, level);
    assert_sealed(&tree);
    let found = mass_properties(&tree, &lattice).volume;
    assert!((found / volume - 1.0).abs() < tolerance, "{found} instead of {volume}");
}

#[test]
fn a_closed_mesh_is_closed_however_its_vertices_are_numbered() {
    let mesh = ball();
    let (_, tree) = octree(&mesh, 6);
    let soup = TriMesh::new(
        mesh.iter_corners().flatten().collect(),
        (0..mesh.triangles.len() as u32).map(|triangle| [3 * triangle, 3 * triangle + 1, 3 * triangle + 2]).collect(),
    );
    assert_eq!(octree(&soup, 6).1, tree);
    let corners: Vec<[i64; 3]> = (0..4).map(|corner| [5 * (corner & 1), 5 * (corner >> 1), corner * corner]).collect();
    let closed = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    assert!(super::is_closed(&closed, &corners));
    assert!(!super::is_closed(&closed[1..], &corners));
    assert!(super::is_closed(&[], &corners));
}

#[test]
fn the_winding_number_of_a_closed_mesh_says_what_rows_say() {
    let mesh = shapes::Torus::default().mesh().unwrap();
    let mesh = TriMesh::new(mesh.positions, mesh.triangles);
    let (_, tree) = octree(&mesh, 6);
    // One triangle that encloses nothing opens the mesh.
    let mut opened = mesh.clone();
    let [a, b, _] = opened.triangles[0];
    opened.positions.push(opened.positions[a as usize].lerp(opened.positions[b as usize], 0.5) * 0.999);
    opened.triangles.push([a, b, opened.positions.len() as u32 - 1]);
    let (_, other) = octree(&opened, 6);
    assert_sealed(&other);
    assert_eq!(tree.counts().internal, other.counts().internal);
}

#[test]
fn a_ball_with_a_hole_is_a_ball() {
    let volume = 4.0 / 3.0 * PI;
    for direction in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE.normalize()] {
        let mesh = without(ball(), |middle| middle.dot(direction) > 0.95);
        assert_volume(&mesh, 6, volume, 0.04);
    }
}

#[test]
fn a_box_without_a_lid_is_a_box() {
    let mesh = shapes::subdivided_cuboid(DVec3::new(1.0, 1.0, 2.0), [8, 8, 16]).unwrap();
    for axis in 0..3 {
        let lid = mesh.aabb().max[axis] - 1e-6;
        assert_volume(&without(mesh.clone(), |middle| middle[axis] > lid), 6, 2.0, 0.2);
    }
}

#[test]
fn two_shells_with_holes_are_two_solids_or_a_hollow_one() {
    let open = without(ball(), |middle| middle.x > 0.95);
    let volume = 4.0 / 3.0 * PI;
    let mut apart = open.clone();
    apart.append(&open.clone().transformed(&DAffine3::from_translation(3.0 * DVec3::Y)));
    assert_volume(&apart, 6, 2.0 * volume, 0.05);

    let mut hollow = open;
    let mut inner = ball().transformed(&DAffine3::from_scale(DVec3::splat(0.5)));
    inner.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    hollow.append(&inner);
    assert_volume(&hollow, 6, 0.875 * volume, 0.05);
}

#[test]
fn triangles_turned_the_wrong_way_do_not_matter_much() {
    let mut mesh = ball();
    for triangle in mesh.triangles.iter_mut().step_by(13) {
        triangle.swap(1, 2);
    }
    assert_volume(&mesh, 6, 4.0 / 3.0 * PI, 0.05);
}

#[test]
fn a_sheet_has_no_inside() {
    let triangles = vec![[0, 1, 2], [2, 1, 3]];
    let sheet = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)], triangles);
    let (_, tree) = octree(&sheet, 6);
    assert_sealed(&tree);
    assert_eq!(tree.counts().internal, 0);
}

#[test]
fn a_mesh_with_every_face_twice_is_the_solid_of_one_side() {
    let twice = |mut mesh: TriMesh| {
        let back: Vec<[u32; 3]> = mesh.triangles.iter().map(|&[a, b, c]| [b, a, c]).collect();
        // Here the one side and there the other comes first, so that neither is the right one as it is.
        mesh.triangles = mesh.triangles.into_iter().zip(back).flat_map(|(front, back)| [front, back]).collect();
        let count = mesh.triangles.len();
        mesh.triangles[..count / 2].reverse();
        mesh
    };
    assert_volume(&twice(ball()), 6, 4.0 / 3.0 * PI, 0.04);
    assert_volume(&twice(without(ball(), |middle| middle.x > 0.95)), 6, 4.0 / 3.0 * PI, 0.04);
    let mut apart = twice(ball());
    apart.append(&twice(ball()).transformed(&DAffine3::from_translation(3.0 * DVec3::Y)));
    assert_volume(&apart, 6, 8.0 / 3.0 * PI, 0.05);
    // What is there twice but for one solid stays as it is.
    apart.append(&ball().transformed(&DAffine3::from_translation(3.0 * DVec3::X)));
    let (lattice, tree) = octree(&apart, 6);
    let middle = lattice.inward(3.0 * DVec3::X).as_uvec3().to_array();
    assert!(tree.node_at(middle, 6).is_internal());
}

/// Large triangles, anywhere.
fn soup(count: u32) -> TriMesh {
    let mut random = crate::random::Random::new(7);
    let positions = (0..3 * count).map(|_| random.in_cube()).collect();
    TriMesh::new(positions, (0..count).map(|triangle| [3 * triangle, 3 * triangle + 1, 3 * triangle + 2]).collect())
}

/// The winding number, triangle by triangle.
fn brute_force(triangles: &[[DVec3; 3]], point: DVec3) -> f64 {
    let angle = |triangle: &[DVec3; 3]| {
        let [a, b, c] = triangle.map(|corner| corner - point);
        let [x, y, z] = [a.length(), b.length(), c.length()];
        2.0 * a.dot(b.cross(c)).atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * PI)
}

fn open_shapes() -> [TriMesh; 4] {
    let ball = shapes::Sphere { radius: 1.0, frequency: 10 }.mesh().unwrap();
    let opened = without(ball.clone(), |middle| middle.x > 0.5);
    let mut twice = without(ball, |middle| middle.z > 0.8);
    twice.append(&shapes::cuboid(DVec3::new(0.2, 3.0, 0.4)));
    [soup(40), soup(3), opened, twice]
}

#[test]
fn winding_numbers_are_those_of_brute_force_everywhere() {
    let top = 2;
    let nodes: Vec<(u32, u32)> = (0..1 << (3 * top)).map(|code| (code, 0)).collect();
    for mesh in open_shapes() {
        let aabb = mesh.aabb();
        let scale = 31.0 / aabb.size().max_element();
        let inward = |corner: DVec3| scale * (corner - aabb.min) + 0.5;
        let triangles: Vec<[DVec3; 3]> = mesh.iter_corners().map(|corners| corners.map(inward)).collect();
        let winding = super::winding::Winding::new(triangles.clone());
        let errors: Vec<[f64; 2]> = super::local::each(&winding, top, &nodes, |number, above| {
            let own = above.child(number as u32);
            let origin = DVec3::from_array(fracas_kernels::morton::decode_30(number as u32).map(f64::from)) * 8.0;
            let mut worst = [0.0f64; 2];
            for step in 0..40 {
                let place = [17, 29, 41].map(|factor| f64::from(factor * step % 16) / 2.0 + 0.25);
                let point = origin + DVec3::from_array(place);
                let expected = brute_force(&triangles, point);
                for (worst, local) in worst.iter_mut().zip([above, &own]) {
                    *worst = worst.max((local.at(point) - expected).abs());
                }
            }
            worst
        });
        assert_eq!(errors.len(), nodes.len());
        let worst = errors.iter().flatten().copied().fold(0.0, f64::max);
        assert!(worst < 0.03, "{worst}");
    }
}

#[test]
fn what_is_inside_is_what_brute_force_says() {
    for mesh in open_shapes() {
        let (lattice, tree) = octree(&mesh, 5);
        assert_sealed(&tree);
        let triangles: Vec<[DVec3; 3]> = mesh.iter_corners().collect();
        let mut wrong = 0;
        for number in 0..1u32 << 15 {
            let voxel = [number % 32, number / 32 % 32, number / 1024];
            let node = tree.node_at(voxel, 5);
            let value = brute_force(&triangles, lattice.outward(DVec3::from_array(voxel.map(f64::from)) + 0.5)).abs();
            // Voxels that close holes are boundary.
            let is_clear = !node.is_boundary() && (value - 0.5).abs() > 0.1;
            wrong += u32::from(is_clear && node.is_internal() != (value > 0.5));
        }
        // Samples miss voxels that lie alone beside the edge of a triangle; only soups have many such edges.
        let most = if triangles.len() < 100 { 32 * 32 * 32 / 200 } else { 0 };
        assert!(wrong <= most, "{wrong}");
    }
}
