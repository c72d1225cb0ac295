//! Numbers at the ends of what there is, and questions that come too early.

use super::stars::{ball, twice_around};
use super::*;
use crate::ccd::Options;

fn triangle(corners: [DVec3; 3]) -> TriMesh {
    TriMesh::new(corners.to_vec(), vec![[0, 1, 2]])
}

fn assert_as_brute_force(tree: &MeshTree, options: &Options) {
    tree.assert_well_formed();
    let (expected, _) = tree.brute_force_contacts(options).unwrap();
    assert!(!expected.is_empty());
    assert_eq!(tree.contacts(options).unwrap().0, expected);
}

#[test]
fn a_triangle_whose_normal_is_below_all_numbers_is_found() {
    let v = DVec3::new;
    let speck = [v(0.0, 0.0, 0.0), v(1.0, -1.0, 0.0), v(0.0, 1.0, -1.0)].map(|corner| 3.74e-23 * corner);
    let way = DVec3::splat(1e-23);
    let mut tree = MeshTree::new(MeshTreeOptions::default());
    let body = tree.add(&triangle(speck.map(|corner| corner - way))).unwrap();
    tree.add(&triangle([v(0.6, -0.3, -0.3), v(-0.3, 0.6, -0.3), v(-0.3, -0.3, 0.6)])).unwrap();
    // What makes the world large.
    for corner in [DVec3::NEG_ONE, DVec3::ONE] {
        tree.add(&triangle([corner, 0.999 * corner, corner * v(1.0, 0.999, 1.0)])).unwrap();
    }
    tree.move_to(body, &speck.map(|corner| corner + way)).unwrap();
    tree.update();
    assert_as_brute_force(&tree, &Options::default());
}

#[test]
fn the_largest_coordinates_and_margins_are_as_good_as_others() {
    let mesh = ball(1);
    for size in [1e150, 1e300, f64::MAX] {
        let at = |x: f64, part: f64| -> Vec<DVec3> {
            mesh.positions.iter().map(|&place| (part * place + DVec3::X * x) * size).collect()
        };
        let mut tree = MeshTree::new(MeshTreeOptions::default());
        let body = tree.add(&TriMesh::new(at(0.5, 0.5), mesh.triangles.clone())).unwrap();
        tree.add(&TriMesh::new(at(0.2, 0.3), mesh.triangles.clone())).unwrap();
        tree.move_to(body, &at(0.4, 0.5)).unwrap();
        tree.update();
        assert_as_brute_force(&tree, &Options::default());
    }
    for margin in [1e10, 1e38, 1e60, 1e300] {
        let mut tree = MeshTree::new(MeshTreeOptions { margin, ..Default::default() });
        let body = tree.add(&mesh).unwrap();
        let moved: Vec<DVec3> = mesh.positions.iter().map(|&place| place + 0.5 * DVec3::Y).collect();
        tree.move_to(body, &moved).unwrap();
        tree.update();
        assert_as_brute_force(&tree, &Options { minimum_separation: margin, ..Options::default() });
    }
}

#[test]
fn a_question_before_the_update_does_no_harm_to_one_after_it() {
    let twice = |wave: f64| twice_around(16, 6, wave);
    let mut once = twice(0.0).positions;
    for (number, place) in once.iter_mut().enumerate().skip(2) {
        // Half as far around.
        let column = (number - 2) as u32 % 16;
        let (sin, cos) = (std::f64::consts::TAU * f64::from(column) / 16.0).sin_cos();
        let across = place.truncate().length();
        *place = DVec3::new(across * cos, across * sin, place.z);
    }
    let mut tree = MeshTree::new(MeshTreeOptions::default());
    let body = tree.add(&twice(0.2)).unwrap();
    tree.update();
    tree.move_to(body, &once).unwrap();
    let _ = tree.contacts(&Options::default());
    tree.move_to(body, &twice(-0.2).positions).unwrap();
    tree.update();
    assert_as_brute_force(&tree, &Options::default());
    // What is gone is not found, and what is new is not yet.
    tree.delete(body).unwrap();
    assert!(tree.intersections().is_empty());
    tree.add(&twice(0.0)).unwrap();
    assert!(tree.intersections().is_empty());
}

#[test]
fn cones_of_what_is_new_are_not_known_and_those_of_what_is_seen_from_within_are_of_the_step() {
    let mut tree = MeshTree::new(MeshTreeOptions::default());
    let body = tree.add(&ball(3)).unwrap();
    let [before, _] = tree.cones(body).unwrap();
    assert!(before.contains(DVec3::X, 0.0) && before.contains(-DVec3::X, 0.0));
    tree.update();
    // Seen from within, it has cones only when asked for.
    let [normals, binormals] = tree.cones(body).unwrap();
    assert!(normals.contains(DVec3::X, 0.0) && normals.contains(-DVec3::X, 0.0));
    assert!(!binormals.contains(DVec3::X, 0.0));
    tree.assert_well_formed();
}
