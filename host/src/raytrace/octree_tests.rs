//! The octree against asking every triangle.

use glam::DVec3;
use proptest::prelude::*;

use super::{Hit, Octree, Ray};
use crate::geometry::{TriMesh, shapes};
use crate::random::Random;

fn brute_force(mesh: &TriMesh, ray: &Ray) -> Vec<Hit> {
    let mut hits: Vec<Hit> =
        mesh.iter_corners().zip(0..).filter_map(|(corners, triangle)| ray.meets(corners, triangle)).collect();
    hits.sort_by(|a, b| a.along.total_cmp(&b.along).then(a.triangle.cmp(&b.triangle)));
    hits
}

fn assert_same(mesh: &TriMesh, octree: &Octree, ray: &Ray) -> usize {
    let expected = brute_force(mesh, ray);
    let mut hits = Vec::new();
    octree.all_hits(ray, &mut hits);
    assert_eq!(hits, expected, "{ray:?}");
    assert_eq!(octree.first_hit(ray), expected.first().copied(), "{ray:?}");
    expected.len()
}

/// A mesh of triangles of all sizes, some without area.
fn rubble(seed: u64, count: usize, spread: f64) -> TriMesh {
    let mut random = Random::new(seed);
    let mut positions = Vec::new();
    for triangle in 0..count {
        let center = random.in_cube();
        let size = spread.powf(random.unit() * 4.0 - 3.0);
        let corner = center + size * random.in_cube();
        positions.extend([center, if triangle % 17 == 0 { center } else { corner }, center + size * random.in_cube()]);
    }
    TriMesh::new(positions, (0..count as u32).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner)).collect())
}

#[test]
fn rays_meet_what_brute_force_meets() {
    let torus = shapes::Torus::default().mesh().unwrap();
    for (mesh, rays) in [(torus, 3000), (rubble(1, 900, 4.0), 1500), (rubble(2, 300, 30.0), 1500)] {
        let octree = Octree::build(&mesh.positions, &mesh.triangles);
        let mut random = Random::new(3);
        let mut hits = 0;
        for number in 0..rays {
            let origin = 1.2 * random.in_cube();
            let mut direction = random.in_cube();
            if number % 3 == 0 {
                direction[number % 2] = 0.0;
            }
            let limit = if number % 4 == 0 { random.unit() } else { f64::INFINITY };
            hits += assert_same(&mesh, &octree, &Ray { origin, direction, limit });
        }
        assert!(hits > rays / 20, "{hits}");
    }
}

#[test]
fn rays_along_axes_through_vertices_and_edges_meet_what_brute_force_meets() {
    // Vertices on the walls of cells, rays in those walls.
    let mesh = shapes::subdivided_cuboid(DVec3::ONE, [8, 8, 8]).unwrap();
    let octree = Octree::build(&mesh.positions, &mesh.triangles);
    for vertex in &mesh.positions {
        for direction in [DVec3::X, DVec3::NEG_X, DVec3::NEG_Y, DVec3::Z, DVec3::new(1.0, 1.0, 0.0), DVec3::NEG_ONE] {
            for back in [0.0, 0.25, 3.0, 64.0] {
                assert_same(&mesh, &octree, &Ray::new(*vertex - back * direction, direction));
            }
        }
    }
}

#[test]
fn no_ray_slips_through_an_edge_or_a_vertex() {
    let mesh = shapes::UvSphere { radius: 0.5, ..shapes::UvSphere::default() }.mesh().unwrap();
    let octree = Octree::build(&mesh.positions, &mesh.triangles);
    let mut random = Random::new(5);
    let mut hits = Vec::new();
    for round in 0..4 {
        let inside = 0.1 * random.in_cube() * f64::from(round);
        for corners in mesh.iter_corners() {
            let on_edge = corners[0].lerp(corners[1], random.unit());
            for target in [corners[0], on_edge, 0.5 * (corners[0] + corners[1])] {
                octree.all_hits(&Ray::new(inside, target - inside), &mut hits);
                let leaving = hits.iter().filter(|hit| hit.leaving).count();
                assert_eq!((leaving, hits.len()), (1, 1), "{inside} {target}");
                octree.all_hits(&Ray::new(2.0 * target - inside, inside - target), &mut hits);
                assert_eq!(hits.iter().map(|hit| hit.leaving).collect::<Vec<_>>(), [false, true]);
            }
        }
    }
}

#[test]
fn a_triangle_is_in_eight_cells_at_most() {
    for mesh in [rubble(7, 2000, 8.0), shapes::Torus::default().mesh().unwrap()] {
        let octree = Octree::build(&mesh.positions, &mesh.triangles);
        let mut count = vec![0; mesh.triangles.len()];
        for place in octree.places_in_cells() {
            count[octree.numbers[place as usize] as usize] += 1;
        }
        assert!(count.iter().all(|count| (1..=8).contains(count)));
    }
}

#[test]
fn rays_from_afar_and_odd_meshes_are_answered() {
    let mesh = shapes::Torus::default().mesh().unwrap();
    let octree = Octree::build(&mesh.positions, &mesh.triangles);
    for distance in [1e2, 1e4, 1e6, 1e8] {
        let mut random = Random::new(11);
        for _ in 0..100 {
            let target = 0.4 * random.in_cube();
            let origin = distance * random.in_cube();
            assert_same(&mesh, &octree, &Ray::new(origin, target - origin));
        }
    }
    assert_eq!(Octree::build(&[], &[]).first_hit(&Ray::new(DVec3::ZERO, DVec3::X)), None);
    let point = Octree::build(&[DVec3::ONE], &[[0, 0, 0]]);
    assert_eq!(point.first_hit(&Ray::new(DVec3::ZERO, DVec3::ONE)), None);
    let broken = Octree::build(&[DVec3::ONE, DVec3::NAN, DVec3::ZERO], &[[0, 1, 2]]);
    assert_eq!(broken.first_hit(&Ray::new(DVec3::ZERO, DVec3::ONE)), None);
    assert_eq!(octree.first_hit(&Ray::new(DVec3::ZERO, DVec3::ZERO)), None);
    assert_eq!(octree.first_hit(&Ray::new(DVec3::ZERO, DVec3::NAN)), None);
}

#[test]
fn a_rebuilt_octree_is_a_new_one() {
    let (torus, rubble) = (shapes::Torus::default().mesh().unwrap(), rubble(3, 20_000, 6.0));
    let mut octree = Octree::build(&rubble.positions, &rubble.triangles);
    octree.rebuild(&torus.positions, &torus.triangles);
    let ray = Ray::new(DVec3::new(-1.0, 0.01, 0.02), DVec3::X);
    assert_eq!(assert_same(&torus, &octree, &ray), 4);
    octree.rebuild(&rubble.positions, &rubble.triangles);
    assert_same(&rubble, &octree, &ray);
}

proptest! {
    #[test]
    fn any_ray_meets_what_brute_force_meets(
        seed in any::<u64>(), count in 1usize..200, spread in 1.5f64..40.0, scale in -20i32..20,
        origin in prop::array::uniform3(-2.0f64..2.0), target in prop::array::uniform3(-1.0f64..1.0),
    ) {
        let size = 2f64.powi(scale);
        let mut mesh = rubble(seed, count, spread);
        mesh.positions.iter_mut().for_each(|position| *position *= size);
        let octree = Octree::build(&mesh.positions, &mesh.triangles);
        let (origin, target) = (size * DVec3::from(origin), size * DVec3::from(target));
        assert_same(&mesh, &octree, &Ray::new(origin, target - origin));
        // Right at something: a vertex, and from it.
        let vertex = mesh.positions[seed as usize % mesh.positions.len()];
        assert_same(&mesh, &octree, &Ray::new(origin, vertex - origin));
        assert_same(&mesh, &octree, &Ray::new(vertex, target - vertex));
    }
}
