//! What every shape is held to in tests: closed, oriented, in one piece, and free of self-intersections by a slow and
//! exact oracle.

use glam::{DVec2, DVec3};

use super::super::TriMesh;
use super::super::predicates::{orient_2d, orient_3d};

/// Holds a mesh to being a closed, oriented, manifold surface with area in every triangle and volume inside, of the
/// given number of components and Euler characteristic.
#[track_caller]
pub(super) fn assert_solid(mesh: &TriMesh, components: usize, euler: i64) {
    assert_eq!(mesh.check(), Ok(()));
    assert!(!mesh.triangles.is_empty());
    let mut edges: Vec<(u32, u32, bool)> = Vec::new();
    for (triangle, &[a, b, c]) in mesh.triangles.iter().enumerate() {
        assert!(a != b && b != c && c != a, "triangle {triangle} names a vertex twice");
        for (from, to) in [(a, b), (b, c), (c, a)] {
            edges.push((from.min(to), from.max(to), from > to));
        }
    }
    edges.sort_unstable();
    for (number, pair) in edges.chunks(2).enumerate() {
        let [one, other] = pair else { panic!("an odd number of edges") };
        assert!(
            (one.0, one.1) == (other.0, other.1) && !one.2 && other.2,
            "edge {number} {one:?} does not have exactly one opposite: {other:?}"
        );
    }
    for (triangle, [a, b, c]) in mesh.iter_corners().enumerate() {
        assert!(!collinear(a, b, c), "triangle {triangle} has no area: {a} {b} {c}");
    }
    let vertices = mesh.positions.len();
    let mut umbrella = vec![0usize; vertices];
    for triangle in &mesh.triangles {
        triangle.iter().for_each(|&vertex| umbrella[vertex as usize] += 1);
    }
    assert!(umbrella.iter().all(|&count| count >= 3), "a vertex without triangles");
    assert_one_umbrella_each(mesh, &umbrella);
    assert_eq!(vertices as i64 - edges.len() as i64 / 2 + mesh.triangles.len() as i64, euler, "Euler characteristic");
    assert_eq!(component_volumes(mesh).len(), components, "components");
    assert!(mesh.volume() > 0.0, "the mesh is inside out");
    if let Some(normals) = &mesh.normals {
        for (given, counted) in normals.iter().zip(mesh.vertex_normals()) {
            assert!((given.length() - 1.0).abs() < 1e-5);
            assert!(given.dot(counted) > -0.2, "a normal points inwards: {given} against {counted}");
        }
    }
}

/// Vertices less edges plus triangles of a closed mesh.
pub(super) fn euler_characteristic(mesh: &TriMesh) -> i64 {
    mesh.positions.len() as i64 - mesh.triangles.len() as i64 / 2
}

/// Walks round every vertex: the walk must come back after passing all of its triangles.
fn assert_one_umbrella_each(mesh: &TriMesh, umbrella: &[usize]) {
    // The vertex after a given one on the rim of an umbrella, keyed by (centre, rim vertex).
    let mut next: Vec<(u32, u32, u32)> =
        mesh.triangles.iter().flat_map(|&[a, b, c]| [(a, b, c), (b, c, a), (c, a, b)]).collect();
    next.sort_unstable();
    for rims in next.chunk_by(|one, other| one.0 == other.0) {
        let start = rims[0].1;
        let mut at = start;
        for step in 1..=umbrella[rims[0].0 as usize] {
            let found = rims.binary_search_by_key(&at, |rim| rim.1).expect("the umbrella is closed");
            at = rims[found].2;
            assert_eq!(at == start, step == rims.len(), "vertex {} joins two surfaces", rims[0].0);
        }
    }
}

/// The signed volume inside each connected component.
pub(super) fn component_volumes(mesh: &TriMesh) -> Vec<f64> {
    mesh.components().iter().map(TriMesh::volume).collect()
}

/// Holds a mesh to having no two triangles that meet elsewhere than in what they share by index.
#[track_caller]
pub(super) fn assert_embedded(mesh: &TriMesh) {
    let crossing = crossing_pairs(mesh);
    assert!(
        crossing.is_empty(),
        "{} pairs of triangles cross, such as {:?} {:?} and {:?}",
        crossing.len(),
        crossing[0],
        mesh.corners(crossing[0].0),
        mesh.corners(crossing[0].1)
    );
}

/// All pairs of triangles that meet elsewhere than in what they share by index.
pub(super) fn crossing_pairs(mesh: &TriMesh) -> Vec<(usize, usize)> {
    let boxes: Vec<(DVec3, DVec3)> = mesh.iter_corners().map(|[a, b, c]| (a.min(b).min(c), a.max(b).max(c))).collect();
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    let extent = mesh.aabb().max - mesh.aabb().min;
    let axis = if extent.x >= extent.y.max(extent.z) {
        0
    } else if extent.y >= extent.z {
        1
    } else {
        2
    };
    order.sort_by(|&one, &other| boxes[one].0[axis].total_cmp(&boxes[other].0[axis]));
    let mut pairs = Vec::new();
    for (place, &one) in order.iter().enumerate() {
        for &other in &order[place + 1..] {
            if boxes[other].0[axis] > boxes[one].1[axis] {
                break;
            }
            if boxes[one].0.cmple(boxes[other].1).all()
                && boxes[other].0.cmple(boxes[one].1).all()
                && triangles_cross(mesh, one, other)
            {
                pairs.push((one.min(other), one.max(other)));
            }
        }
    }
    pairs
}

fn triangles_cross(mesh: &TriMesh, one: usize, other: usize) -> bool {
    let (first, second) = (mesh.triangles[one], mesh.triangles[other]);
    let (p, q) = (mesh.corners(one), mesh.corners(other));
    let shared: Vec<(usize, usize)> =
        (0..3).flat_map(|i| (0..3).map(move |j| (i, j))).filter(|&(i, j)| first[i] == second[j]).collect();
    match shared[..] {
        [] => (0..3).any(|i| hits(p[i], p[(i + 1) % 3], q) || hits(q[i], q[(i + 1) % 3], p)),
        // Two triangles at a common corner meet elsewhere exactly if the edge opposite to it in one meets the other.
        [(i, j)] => hits(p[(i + 1) % 3], p[(i + 2) % 3], q) || hits(q[(j + 1) % 3], q[(j + 2) % 3], p),
        // At a common edge they must be folded flat onto each other.
        [(i, j), (k, l)] => {
            let (apex, other_apex) = (p[3 - i - k], q[3 - j - l]);
            orient_3d(p[0], p[1], p[2], other_apex) == 0.0 && {
                let flat = flattened(p);
                let side = |point: DVec3| orient_2d(flat(p[i]), flat(p[k]), flat(point)) > 0.0;
                side(apex) == side(other_apex)
            }
        }
        _ => true,
    }
}

/// A projection along an axis in which the triangle keeps an area.
fn flattened(triangle: [DVec3; 3]) -> impl Fn(DVec3) -> DVec2 {
    let drop = move |axis: usize, point: DVec3| DVec2::new(point[(axis + 1) % 3], point[(axis + 2) % 3]);
    let area = |axis| orient_2d(drop(axis, triangle[0]), drop(axis, triangle[1]), drop(axis, triangle[2])).abs();
    let axis = (0..3).max_by(|&one, &other| area(one).total_cmp(&area(other))).unwrap_or(0);
    move |point| drop(axis, point)
}

fn collinear(a: DVec3, b: DVec3, c: DVec3) -> bool {
    let drop = |axis: usize, point: DVec3| DVec2::new(point[(axis + 1) % 3], point[(axis + 2) % 3]);
    (0..3).all(|axis| orient_2d(drop(axis, a), drop(axis, b), drop(axis, c)) == 0.0)
}

/// Whether a closed segment meets a closed triangle.
fn hits(p: DVec3, q: DVec3, triangle: [DVec3; 3]) -> bool {
    let [a, b, c] = triangle;
    let (above, below) = (orient_3d(a, b, c, p), orient_3d(a, b, c, q));
    if above == 0.0 && below == 0.0 {
        let flat = flattened(triangle);
        let (p, q, corners) = (flat(p), flat(q), triangle.map(&flat));
        return inside(p, corners) || (0..3).any(|i| segments_meet(p, q, corners[i], corners[(i + 1) % 3]));
    }
    if (above > 0.0 && below > 0.0) || (above < 0.0 && below < 0.0) {
        return false;
    }
    let turns = [orient_3d(p, q, a, b), orient_3d(p, q, b, c), orient_3d(p, q, c, a)];
    turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
}

fn inside(p: DVec2, [a, b, c]: [DVec2; 3]) -> bool {
    let turns = [orient_2d(a, b, p), orient_2d(b, c, p), orient_2d(c, a, p)];
    turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
}

fn segments_meet(p: DVec2, q: DVec2, a: DVec2, b: DVec2) -> bool {
    let (a_side, b_side) = (orient_2d(p, q, a), orient_2d(p, q, b));
    let (p_side, q_side) = (orient_2d(a, b, p), orient_2d(a, b, q));
    if a_side == 0.0 && b_side == 0.0 {
        return p.min(q).cmple(a.max(b)).all() && a.min(b).cmple(p.max(q)).all();
    }
    !(a_side > 0.0 && b_side > 0.0
        || a_side < 0.0 && b_side < 0.0
        || p_side > 0.0 && q_side > 0.0
        || p_side < 0.0 && q_side < 0.0)
}

/// The smallest angle of each triangle, in degrees, sorted.
pub(super) fn least_angles(mesh: &TriMesh) -> Vec<f64> {
    let mut angles: Vec<f64> = mesh
        .iter_corners()
        .map(|p| {
            (0..3)
                .map(|i| (p[(i + 1) % 3] - p[i]).angle_between(p[(i + 2) % 3] - p[i]).to_degrees())
                .fold(f64::INFINITY, f64::min)
        })
        .collect();
    angles.sort_by(f64::total_cmp);
    angles
}

/// Runs a generator in pools of several sizes and holds the results to be the same to the last bit.
#[track_caller]
pub(super) fn assert_same_for_any_thread_count<T: PartialEq + Send>(generate: impl Fn() -> T + Sync) {
    let runs: Vec<T> = [1, 2, 5]
        .into_iter()
        .map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&generate))
        .collect();
    assert!(runs[0] == runs[1] && runs[0] == runs[2], "the thread count changes the result");
}

#[test]
fn the_oracle_sees_crossings_touches_and_folds() {
    let tetrahedron = |shift: DVec3| {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|corner| corner + shift);
        TriMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    };
    let pair = |shift: DVec3| {
        let mut mesh = tetrahedron(DVec3::ZERO);
        mesh.append(&tetrahedron(shift));
        crossing_pairs(&mesh).len()
    };
    assert_eq!(crossing_pairs(&tetrahedron(DVec3::ZERO)).len(), 0);
    assert_eq!(pair(DVec3::new(2.0, 0.0, 0.0)), 0);
    assert_eq!(pair(DVec3::new(1.0 + 1e-15, 0.0, 0.0)), 0);
    assert!(pair(DVec3::new(1.0, 0.0, 0.0)) > 0);
    assert!(pair(DVec3::new(0.25, 0.25, 0.25)) > 0);
    assert!(pair(DVec3::new(0.5, 0.0, 0.0)) > 0);
    let folded =
        TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.1, 0.2, 0.0)], vec![[0, 1, 2], [1, 0, 3]]);
    assert_eq!(crossing_pairs(&folded), [(0, 1)]);
    let corner = TriMesh::new(
        vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.2, 0.2, 0.3), DVec3::new(0.2, 0.2, -0.3)],
        vec![[0, 1, 2], [0, 3, 4]],
    );
    assert_eq!(crossing_pairs(&corner), [(0, 1)]);
}
