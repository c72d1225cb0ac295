//! Pieces keep what was theirs of a tree.

use super::super::body::{Extra, TWIG};
use super::super::pieces::Broken;
use super::super::refit::Part;
use super::*;
use crate::bvh::Piece;
use crate::bvh::mesh_tree::features::Features;
use crate::geometry::shapes;

/// A part of a mesh, and the numbers that its faces have there.
pub(super) type Known = (TriMesh, Vec<u32>);

/// The faces of a mesh by the number that the middle of each is given.
pub(super) fn divided<const PARTS: usize>(mesh: &TriMesh, part_of: impl Fn(DVec3) -> usize) -> [Known; PARTS] {
    std::array::from_fn(|part| {
        let middles = mesh.iter_corners().map(|[a, b, c]| (a + b + c) / 3.0);
        let faces: Vec<u32> = (0..).zip(middles).filter(|&(_, at)| part_of(at) == part).map(|(face, _)| face).collect();
        (taken(mesh, &faces), faces)
    })
}

/// Some faces of a mesh, with vertices of their own.
fn taken(mesh: &TriMesh, faces: &[u32]) -> TriMesh {
    mesh.part(faces, &mut vec![u32::MAX; mesh.positions.len()])
}

/// Parts as pieces that are known to be such.
pub(super) fn known(parts: &[Known]) -> impl Iterator<Item = Piece<'_>> {
    parts.iter().map(|(mesh, old_faces)| Piece { mesh, old_faces })
}

/// What the pieces of the body that broke last will be, where they inherit.
fn inherited(tree: &MeshTree, pieces: &[BodyHandle]) -> Vec<Option<Body>> {
    let mut broken: Vec<Broken> = tree.broken.clone();
    broken.iter_mut().for_each(Broken::divide);
    let mut names = Vec::new();
    let inherit = |&handle: &BodyHandle| {
        let mut body = tree.body(handle).unwrap().clone();
        let [number, piece] = body.piece_of?;
        let broken = &broken[number as usize];
        let has_inherited = body.inherit(broken, piece, BuildMethod::Curve, &mut names);
        assert!(names.iter().all(|&name| name == u32::MAX));
        has_inherited.then_some(body)
    };
    pieces.iter().map(inherit).collect()
}

/// A bent sheet that comes into three, larger than what is looked at at once; one of them with new faces or none.
#[test]
fn trees_of_pieces_are_like_new_ones() {
    let mesh = sheet(150, 60, |u, v| DVec3::new((4.0 * u).cos(), v, (4.0 * u).sin()));
    for new_faces in [0, 1, 2, 500] {
        let (mut tree, handles) = tree_of(&[(mesh.clone(), Vec::new())], Culling::Contours);
        tree.update();
        let mut parts: [Known; 3] =
            divided(&mesh, |at| if at.x > 0.3 && at.y > 0.4 { 0 } else { 1 + usize::from(at.z > 0.6) });
        let rest = &mut parts[1].0;
        let corners = rest.positions.len() as u32;
        rest.triangles
            .extend((0..new_faces).map(|face| [face, (7 * face + 3) % corners, (face + corners / 2) % corners]));
        // The order of faces does not matter.
        parts[0].1.reverse();
        parts[0].0 = taken(&mesh, &parts[0].1);
        let there = tree.split(handles[0], known(&parts)).unwrap();
        for body in inherited(&tree, &there) {
            let body = body.expect("every piece inherits");
            assert_eq!(body.features, Features::of(&body.triangles, body.to.len()));
        }

        // They go on their way in the same step.
        let moved =
            |mesh: &TriMesh| mesh.positions.iter().map(|&p| 0.98 * p + DVec3::new(0.0, 0.1 * p.x, 0.05)).collect();
        let targets: Vec<Vec<DVec3>> = parts.iter().map(|(mesh, _)| moved(mesh)).collect();
        let meshes = parts.each_ref().map(|(mesh, _)| (mesh.clone(), Vec::new()));
        let (mut fresh, fresh_handles) = tree_of(&meshes, Culling::Contours);
        for (tree, handles) in [(&mut tree, &there), (&mut fresh, &fresh_handles)] {
            for (&handle, to) in handles.iter().zip(&targets) {
                tree.move_to(handle, to).unwrap();
            }
            tree.update();
            tree.assert_well_formed();
        }
        for &handle in &there {
            let body = tree.body(handle).unwrap();
            assert!(body.piece_of.is_none() && !body.extras.is_empty());
            // What hangs together is what would be found from nothing.
            let mut again = body.clone();
            again.extras.fill(Extra::NEW);
            again.find_patches(Part { node: 0, place: 0 });
            assert!(body.extras.iter().map(|extra| extra.patch).eq(again.extras.iter().map(|extra| extra.patch)));
            assert!(body.extras.iter().any(|extra| extra.patch.contour().is_some()));
            assert_eq!(body.places, again.places);
        }
        assert!(tree.broken.is_empty());
        let (expected, pairs) = (found(&fresh), found(&tree));
        assert!(!pairs.0.is_empty());
        assert_eq!(pairs, expected);
    }
}

/// The faces that intersect, and how many features clearly touch.
fn found(tree: &MeshTree) -> (Vec<[u32; 4]>, usize) {
    let mut pairs: Vec<[u32; 4]> = (tree.intersections().into_iter())
        .map(|[one, other]| [one.body.slot, one.number, other.body.slot, other.number])
        .collect();
    pairs.sort_unstable();
    (pairs, tree.collect_candidates(|c, motion| clearly_touch(&c, motion).then_some(())).0.len())
}

/// Again and again bodies of all kinds break in two or three, some with new faces along the crack.
#[test]
fn what_breaks_again_and_again_loses_no_contact() {
    let mut random = Random::new(531);
    let (mut inheriting, mut touching) = (0, 0);
    for _ in 0..150 {
        let (mesh, _) = scene(&mut random).swap_remove(0);
        let (mut tree, handles) = tree_of(&[(mesh.clone(), Vec::new())], Culling::Contours);
        let mut pieces: Vec<(BodyHandle, TriMesh)> = vec![(handles[0], mesh)];
        for _ in 0..4 {
            tree.update();
            let (handle, whole) = pieces.swap_remove((random.next_u64() % pieces.len() as u64) as usize);
            if whole.triangles.is_empty() {
                break;
            }
            let [away, other] = [random.in_cube(), random.in_cube()];
            let at = whole.aabb().center() + 0.4 * whole.aabb().longest() * random.in_cube();
            let mut parts: [Known; 3] = divided(&whole, |middle| match (middle - at).dot(away) < 0.0 {
                true => 0,
                false => 1 + usize::from((middle - at).dot(other) < 0.0),
            });
            for (mesh, old_faces) in &mut parts {
                if random.unit() < 0.3 {
                    let corners = mesh.positions.len().min(9) as u32;
                    mesh.triangles.extend((3..corners).map(|corner| [corner, 0, corner - 2]));
                }
                // Not everything is always known.
                if random.unit() < 0.2 {
                    old_faces.truncate(old_faces.len() / 2);
                }
            }
            let there = tree.split(handle, known(&parts)).unwrap();
            inheriting += inherited(&tree, &there).iter().flatten().count();
            pieces.extend(there.into_iter().zip(parts.map(|(mesh, _)| mesh)));
            let meshes: Vec<_> = pieces.iter().map(|(_, mesh)| (mesh.clone(), Vec::new())).collect();
            let (mut fresh, fresh_handles) = tree_of(&meshes, Culling::Off);
            for ((handle, mesh), &fresh_handle) in pieces.iter_mut().zip(&fresh_handles) {
                let shift = 0.1 * random.in_cube();
                mesh.positions.iter_mut().for_each(|p| *p += shift + 0.1 * random.in_cube());
                tree.move_to(*handle, &mesh.positions).unwrap();
                fresh.move_to(fresh_handle, &mesh.positions).unwrap();
            }
            tree.update();
            fresh.update();
            tree.assert_well_formed();
            let named = |tree: &MeshTree, handles: &[BodyHandle]| {
                let place = |feature: Feature| {
                    let body = handles.iter().position(|&handle| handle == feature.body).unwrap();
                    [body as u32, feature.number]
                };
                let mut pairs: Vec<[[u32; 2]; 2]> =
                    tree.intersections().into_iter().map(|pair| pair.map(place)).collect();
                pairs.iter_mut().for_each(|pair| pair.sort_unstable());
                pairs.sort_unstable();
                pairs
            };
            let handles: Vec<BodyHandle> = pieces.iter().map(|&(handle, _)| handle).collect();
            let expected = named(&fresh, &fresh_handles);
            touching += expected.len();
            assert_eq!(named(&tree, &handles), expected);
        }
    }
    assert!(inheriting > 500 && touching > 1000, "{inheriting} bodies, {touching} contacts");
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
    let mesh_faces = mesh.triangles.len() as u32;
    let (mut tree, handles) = tree_of(&[(mesh, Vec::new())], Culling::Contours);
    tree.update();
    let before = found(&tree).0;
    assert!(!before.is_empty());
    let old_faces: Vec<u32> = (0..mesh_faces).collect();
    let there = tree.split(handles[0], [Piece { mesh: &finned, old_faces: &old_faces }]).unwrap();
    assert!(inherited(&tree, &there)[0].is_some());
    tree.update();
    tree.assert_well_formed();
    let after = found(&tree).0;
    assert!(before.iter().all(|pair| after.contains(pair)), "{} of {}", after.len(), before.len());
    let (mut fresh, _) = tree_of(&[(finned, Vec::new())], Culling::Off);
    fresh.update();
    assert_eq!(after, found(&fresh).0);
}

/// A ball with a fin on one edge, which nobody is a neighbour at: a slit ball is a disk. When the fin has gone with another piece, the slit is
/// closed, at once if the ball has new faces, or when it has some later.
#[test]
fn a_slit_that_closes_is_no_contour() {
    let ball = shapes::Sphere { radius: 1.0, frequency: 3 }.mesh().unwrap();
    let ball = TriMesh::new(ball.positions, ball.triangles);
    let faces = ball.triangles.len() as u32;
    let [a, b, _] = ball.triangles[7];
    let mut finned = ball.clone();
    finned.positions.push(DVec3::new(0.0, 0.0, 100.0));
    finned.triangles.push([a, b, finned.positions.len() as u32 - 1]);
    let mut with_new = ball.clone();
    let far = with_new.positions.len() as u32;
    with_new.positions.extend([DVec3::X, DVec3::Y, DVec3::Z].map(|axis| 3.0 * DVec3::ONE + axis));
    with_new.triangles.push([far, far + 1, far + 2]);
    let old_faces: Vec<u32> = (0..faces).collect();
    for stages in [vec![&with_new], vec![&ball, &with_new]] {
        let (mut tree, handles) = tree_of(&[(finned.clone(), Vec::new())], Culling::Contours);
        let mut handle = handles[0];
        for mesh in stages {
            tree.update();
            handle = tree.split(handle, [Piece { mesh, old_faces: &old_faces }]).unwrap()[0];
            assert!(inherited(&tree, &[handle])[0].is_some());
        }
        tree.update();
        tree.assert_well_formed();
        let body = tree.body(handle).unwrap();
        assert_eq!(body.features, Features::of(&body.triangles, body.to.len()));
    }
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
        let old_faces: Vec<u32> = (0..rest.triangles.len() as u32 - 1).collect();
        handle = tree.split(handle, [Piece { mesh: &rest, old_faces: &old_faces }]).unwrap()[0];
    }
    tree.update();
    tree.assert_well_formed();
    let nodes = &tree.body(handle).unwrap().nodes;
    let mut depths = vec![0; nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        if let Some(child) = node.first_child_over(TWIG) {
            let depth = depths[number] + 1;
            depths[child as usize..child as usize + 2].fill(depth);
        }
    }
    assert!(depths.iter().all(|&depth| depth < 40));
}

/// A face of two vertices is not taken for one of three in the same places, nor the other way round; nor is a corner that was shared for one
/// that no longer is.
#[test]
fn faces_with_other_corners_are_new() {
    let positions = vec![DVec3::ZERO, DVec3::X, DVec3::ZERO, DVec3::Y, DVec3::Z];
    let rest_of = |face: [u32; 3]| TriMesh::new(positions.clone(), vec![[3, 4, 1], [4, 3, 0], face]);
    let (line, face) = (rest_of([0, 1, 0]), rest_of([0, 1, 2]));
    let mesh = sheet(20, 20, |u, v| DVec3::new(u, v, 0.1 * (9.0 * u).sin()));
    let mut torn = TriMesh::default();
    for corners in mesh.iter_corners() {
        let first = torn.positions.len() as u32;
        torn.positions.extend(corners);
        torn.triangles.push([first, first + 1, first + 2]);
    }
    let mut backwards = mesh.clone();
    backwards.triangles.reverse();
    for [before, after] in [[&line, &face], [&face, &line], [&mesh, &torn], [&torn, &mesh], [&mesh, &backwards]] {
        let (mut tree, handles) = tree_of(&[(before.clone(), Vec::new())], Culling::Contours);
        tree.update();
        let old_faces: Vec<u32> = (0..after.triangles.len() as u32).collect();
        let there = tree.split(handles[0], [Piece { mesh: after, old_faces: &old_faces }]).unwrap();
        assert!(inherited(&tree, &there)[0].is_none());
        tree.update();
        tree.assert_well_formed();
        let body = tree.body(there[0]).unwrap();
        assert_eq!(body.features, Features::of(&body.triangles, body.to.len()));
    }
}

#[test]
fn faces_that_a_piece_cannot_have_are_refused() {
    let mesh = sheet(2, 2, |u, v| DVec3::new(u, v, 0.0));
    let (mut tree, handles) = tree_of(&[(mesh.clone(), Vec::new())], Culling::Contours);
    tree.update();
    let [one, other] = [[0, 1], [2, 1]].map(|faces| (taken(&mesh, &faces), faces.to_vec()));
    let twice = UpdateError::OldFace { piece: 1, face: 1, faces: 8 };
    assert_eq!(tree.split(handles[0], known(&[one.clone(), other])), Err(twice));
    let not_there = UpdateError::OldFace { piece: 0, face: 8, faces: 8 };
    assert_eq!(tree.split(handles[0], known(&[(one.0.clone(), vec![0, 8])])), Err(not_there));
    let too_many = UpdateError::OldFaceCount { piece: 0, found: 3, faces: 2 };
    assert_eq!(tree.split(handles[0], known(&[(one.0, vec![0, 1, 2])])), Err(too_many));
    assert_eq!(tree.bodies().collect::<Vec<_>>(), handles);
    tree.update();
    tree.assert_well_formed();
}

#[test]
fn of_several_bad_pieces_the_first_is_told() {
    let large = sheet(60, 60, |u, v| DVec3::new(u, v, 0.0));
    let (mut tree, handles) = tree_of(&[(large.clone(), Vec::new())], Culling::Contours);
    for _ in 0..20 {
        let pieces: Vec<TriMesh> = (0..40)
            .map(|number| match number < 18 {
                true => large.clone(),
                false => {
                    let mut bad = sheet(8, 8, |u, v| DVec3::new(u, v, 0.0));
                    bad.positions[number].x = f64::NAN;
                    bad
                }
            })
            .collect();
        assert_eq!(tree.split(handles[0], &pieces).unwrap_err(), UpdateError::from(pieces[18].check().unwrap_err()));
    }
}

/// What breaks before its tree was built has none to leave, and pieces may be gone or move before theirs are made.
#[test]
fn pieces_of_pieces_are_built_without_an_update_between() {
    let mesh = sheet(30, 30, |u, v| DVec3::new(u, v, 0.1 * (9.0 * u).sin()));
    let (mut tree, handles) = tree_of(&[(mesh.clone(), Vec::new())], Culling::Contours);
    tree.update();
    let parts: [Known; 3] = divided(&mesh, |at| usize::from(at.x > 0.2) + usize::from(at.x > 0.8));
    let there = tree.split(handles[0], known(&parts)).unwrap();
    let smaller: [Known; 2] = divided(&parts[1].0, |at| usize::from(at.y > 0.5));
    let last = tree.split(there[1], known(&smaller)).unwrap();
    tree.delete(there[0]).unwrap();
    tree.move_to(last[0], &smaller[0].0.positions).unwrap();
    tree.update();
    tree.assert_well_formed();
    assert_eq!(tree.bodies().count(), 3);
    let meshes = [&parts[2], &smaller[0], &smaller[1]].map(|(mesh, _)| (mesh.clone(), Vec::new()));
    let (mut fresh, _) = tree_of(&meshes, Culling::Off);
    fresh.update();
    assert_eq!(tree.intersections().len(), fresh.intersections().len());
}
