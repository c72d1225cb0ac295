//! What is left of a body keeps its tree.

use super::*;
use crate::bvh::mesh_tree::features::Features;

/// The faces of a mesh whose middles are on one side or the other, in their order.
pub(super) fn divided(mesh: &TriMesh, is_left: impl Fn(DVec3) -> bool) -> [TriMesh; 2] {
    [true, false].map(|side| {
        let mut names = vec![u32::MAX; mesh.positions.len()];
        let mut part = TriMesh::default();
        for (triangle, [a, b, c]) in mesh.triangles.iter().zip(mesh.iter_corners()) {
            if is_left((a + b + c) / 3.0) == side {
                part.triangles.push(triangle.map(|vertex| {
                    let name = &mut names[vertex as usize];
                    if *name == u32::MAX {
                        *name = part.positions.len() as u32;
                        part.positions.push(mesh.positions[vertex as usize]);
                    }
                    *name
                }));
            }
        }
        part
    })
}

/// A bent sheet of which a corner comes off, larger than what is looked at at once; with new faces or none.
#[test]
fn a_tree_without_some_faces_is_like_a_new_one() {
    let mesh = sheet(150, 60, |u, v| DVec3::new((4.0 * u).cos(), v, (4.0 * u).sin()));
    for new_faces in [0, 1, 2, 500] {
        let (mut tree, handles) = tree_of(&[(mesh.clone(), Vec::new())], Culling::Contours);
        tree.update();
        let old = tree.bodies[0].clone().unwrap();
        let [piece, mut rest] = divided(&mesh, |middle| middle.x > 0.3 && middle.y > 0.4);
        let corners = rest.positions.len() as u32;
        rest.triangles
            .extend((0..new_faces).map(|face| [face, (7 * face + 3) % corners, (face + corners / 2) % corners]));
        let pieces = [piece, rest];
        let pieces_there = tree.split(handles[0], &pieces).unwrap();
        let rest_there = pieces_there[1];
        let mut body = tree.body(rest_there).unwrap().clone();
        assert!(body.remains_of.is_some());
        assert!(body.take_over(&old, &tree.space, BuildMethod::Curve));
        assert_eq!(body.features, Features::of(&body.triangles, body.to.len()));

        // It goes on its way in the same step.
        let there =
            |mesh: &TriMesh| mesh.positions.iter().map(|&p| 0.98 * p + DVec3::new(0.0, 0.1 * p.x, 0.05)).collect();
        let targets: Vec<Vec<DVec3>> = pieces.iter().map(there).collect();
        let (mut fresh, fresh_handles) = tree_of(&pieces.clone().map(|mesh| (mesh, Vec::new())), Culling::Contours);
        for (tree, handles) in [(&mut tree, &pieces_there), (&mut fresh, &fresh_handles)] {
            for (&handle, to) in handles.iter().zip(&targets) {
                tree.move_to(handle, to).unwrap();
            }
            tree.update();
            tree.assert_well_formed();
        }
        let body = tree.body(rest_there).unwrap();
        assert!(body.remains_of.is_none());
        assert!(!body.extras.is_empty());
        // What hangs together is what would be found from nothing.
        let mut again = body.clone();
        again.extras.fill(super::super::body::Extra::NEW);
        again.find_patches(super::super::refit::Part { node: 0, place: 0 });
        assert!(body.extras.iter().map(|extra| extra.patch).eq(again.extras.iter().map(|extra| extra.patch)));
        assert_eq!(body.places, again.places);
        let (expected, pairs) = (found(&fresh), found(&tree));
        assert!(!pairs.0.is_empty());
        assert_eq!(pairs, expected);
    }
}

/// The faces that intersect, and how many features clearly touch.
fn found(tree: &MeshTree) -> (Vec<[u32; 2]>, usize) {
    let mut pairs: Vec<[u32; 2]> =
        tree.intersections().into_iter().map(|pair| pair.map(|feature| feature.number)).collect();
    pairs.sort_unstable();
    (pairs, tree.collect_candidates(|c, motion| clearly_touch(&c, motion).then_some(())).0.len())
}

/// Again and again some faces come off bodies of all kinds, and what is left has new ones along the crack, or none.
#[test]
fn what_is_left_of_what_was_left_loses_no_contact() {
    let mut random = Random::new(531);
    let (mut taken_over, mut touching) = (0, 0);
    for _ in 0..120 {
        let (mut rest, _) = scene(&mut random).swap_remove(0);
        let (mut tree, handles) = tree_of(&[(rest.clone(), Vec::new())], Culling::Contours);
        let mut handle = handles[0];
        for _ in 0..4 {
            tree.update();
            if rest.triangles.is_empty() {
                break;
            }
            let away = random.in_cube();
            let at = rest.aabb().center() + 0.4 * rest.aabb().longest() * random.in_cube();
            let old = tree.body(handle).unwrap().clone();
            rest = divided(&rest, |middle| (middle - at).dot(away) < 0.0)[0].clone();
            if random.unit() < 0.5 {
                let corners = rest.positions.len().min(9) as u32;
                rest.triangles.extend((3..corners).map(|corner| [corner, 0, corner - 2]));
            }
            handle = tree.split(handle, std::slice::from_ref(&rest)).unwrap()[0];
            let mut body = tree.body(handle).unwrap().clone();
            taken_over += u32::from(body.remains_of.is_some() && body.take_over(&old, &tree.space, BuildMethod::Curve));
            let (mut fresh, fresh_handles) = tree_of(&[(rest.clone(), Vec::new())], Culling::Off);
            let shift = 0.1 * random.in_cube();
            rest.positions.iter_mut().for_each(|p| *p += shift + 0.1 * random.in_cube());
            tree.move_to(handle, &rest.positions).unwrap();
            fresh.move_to(fresh_handles[0], &rest.positions).unwrap();
            tree.update();
            fresh.update();
            tree.assert_well_formed();
            let expected = found(&fresh);
            touching += expected.0.len() + expected.1;
            assert_eq!(found(&tree), expected);
        }
    }
    assert!(taken_over > 100 && touching > 1000, "{taken_over} bodies, {touching} contacts");
}

/// A ribbon of two turns that meets itself, and then fins at edges within it: where three faces meet, what was a disk is none, and
/// its contour must not be walked as if it were. A plain far away makes the whole too large to be looked at anew.
#[test]
fn fins_on_what_is_left_hide_no_contact() {
    let mut mesh = sheet(64, 1, |u, v| {
        let angle = 2.0 * std::f64::consts::TAU * u;
        let height = 0.02 * angle * (2.0 * std::f64::consts::TAU - angle);
        DVec3::new((1.0 + v) * angle.cos(), (1.0 + v) * angle.sin(), height)
    });
    mesh.append(&sheet(70, 70, |u, v| DVec3::new(100.0 + u, v, 0.0)));
    let mut finned = mesh.clone();
    for column in (8..64).step_by(8) {
        let top = finned.positions.len() as u32;
        finned.positions.push(mesh.positions[column as usize] + DVec3::new(0.0, 0.0, 0.01));
        finned.triangles.push([column, column + 65, top]);
    }
    let (mut tree, handles) = tree_of(&[(mesh, Vec::new())], Culling::Contours);
    tree.update();
    let before = found(&tree).0;
    assert!(!before.is_empty());
    tree.split(handles[0], std::slice::from_ref(&finned)).unwrap();
    tree.update();
    tree.assert_well_formed();
    let after = found(&tree).0;
    assert!(before.iter().all(|pair| after.contains(pair)), "{} of {}", after.len(), before.len());
    let (mut fresh, _) = tree_of(&[(finned, Vec::new())], Culling::Off);
    fresh.update();
    assert_eq!(after, found(&fresh).0);
}

/// Chips that come off one after the other, each leaving a new face, do not make a chain of the tree.
#[test]
fn a_tree_does_not_grow_deeper_with_every_chip() {
    let mut rest = sheet(20, 20, |u, v| DVec3::new(u, v, 0.1 * (9.0 * u).sin()));
    let (mut tree, handles) = tree_of(&[(rest.clone(), Vec::new())], Culling::Contours);
    let mut handle = handles[0];
    for _ in 0..60 {
        tree.update();
        let corner = rest.triangles.len() as u32 % 300;
        rest.triangles.push([corner, corner + 30, corner + 7]);
        handle = tree.split(handle, std::slice::from_ref(&rest)).unwrap()[0];
    }
    tree.update();
    tree.assert_well_formed();
    let nodes = &tree.body(handle).unwrap().nodes;
    let mut depths = vec![0; nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        if let Some(child) = node.first_child() {
            let depth = depths[number] + 1;
            depths[child as usize..child as usize + 2].fill(depth);
        }
    }
    assert!(depths.iter().all(|&depth| depth < 40));
}

/// A face of two vertices is not taken for one of three in the same places, nor the other way round.
#[test]
fn faces_that_lose_or_gain_a_corner_are_new() {
    let positions = vec![DVec3::ZERO, DVec3::X, DVec3::ZERO, DVec3::Y, DVec3::Z];
    let rest_of = |face: [u32; 3]| TriMesh::new(positions.clone(), vec![[3, 4, 1], [4, 3, 0], face]);
    let (line, face) = (rest_of([0, 1, 0]), rest_of([0, 1, 2]));
    for [before, after] in [[&line, &face], [&face, &line]] {
        let (mut tree, handles) = tree_of(&[(before.clone(), Vec::new())], Culling::Contours);
        tree.update();
        let old = tree.bodies[0].clone().unwrap();
        let there = tree.split(handles[0], std::slice::from_ref(after)).unwrap()[0];
        tree.body(there).unwrap().clone().take_over(&old, &tree.space, BuildMethod::Curve);
        tree.update();
        let body = tree.body(there).unwrap();
        assert_eq!(body.features, Features::of(&body.triangles, body.to.len()));
    }
}

/// Faces in another order, or of corners that are no longer shared, are not taken for the old ones.
#[test]
fn what_is_not_left_is_built_anew() {
    let mesh = sheet(20, 20, |u, v| DVec3::new(u, v, 0.1 * (9.0 * u).sin()));
    let mut backwards = mesh.clone();
    backwards.triangles.reverse();
    let mut torn = TriMesh::default();
    for corners in mesh.iter_corners() {
        let first = torn.positions.len() as u32;
        torn.positions.extend(corners);
        torn.triangles.push([first, first + 1, first + 2]);
    }
    for rest in [backwards, torn] {
        let (mut tree, handles) = tree_of(&[(mesh.clone(), Vec::new())], Culling::Contours);
        tree.update();
        let old = tree.bodies[0].clone().unwrap();
        let rest_there = tree.split(handles[0], &[rest]).unwrap()[0];
        assert!(!tree.body(rest_there).unwrap().clone().take_over(&old, &tree.space, BuildMethod::Curve));
        tree.update();
        tree.assert_well_formed();
    }
}
