//! Matches against brute force, and forces against what symmetry and momentum say.

use glam::{DQuat, DVec3};
use proptest::prelude::*;

use super::proximity::closest_on_segments;
use super::*;
use crate::geometry::{TriMesh, closest_point_on_triangle, shapes};
use crate::random::Random;

fn moved(mesh: &TriMesh, turn: DQuat, shift: DVec3) -> Surface {
    let positions = mesh.positions.iter().map(|&position| turn * position + shift).collect();
    Surface::new(&TriMesh::new(positions, mesh.triangles.clone())).unwrap()
}

fn torus() -> TriMesh {
    shapes::Torus { major_segments: 24, minor_segments: 12, ..shapes::Torus::default() }.mesh().unwrap()
}

fn matches_of(surfaces: [&Surface; 2], options: &RayOptions) -> (Vec<Match>, DetectionStatistics) {
    let mut matches = Vec::new();
    let statistics = match_pair(surfaces, [0, 1], options, &mut matches);
    assert_eq!(statistics.matches(), matches.len());
    (matches, statistics)
}

/// The forces on the two bodies, and their torques about the origin.
fn forces(surfaces: [&Surface; 2], matches: &[Match]) -> [[DVec3; 2]; 2] {
    let options = ResponseOptions { stiffness: 1.0, ..ResponseOptions::default() };
    let mut sums = [[DVec3::ZERO; 2]; 2];
    for contact in matches.iter().filter_map(|found| ContactForce::new(found, DVec3::ZERO, 0.1, &options)) {
        contact.spread(|body, vertex, force| {
            let place = surfaces[body as usize].positions()[vertex as usize];
            sums[body as usize][0] += force;
            sums[body as usize][1] += place.cross(force);
        });
    }
    sums
}

/// Algorithm 1 by asking every triangle.
fn brute_force(own: &Surface, other: &Surface) -> Vec<(u32, f64, u32)> {
    let region = own.aabb().intersection(*other.aabb());
    let first = |surface: &Surface, ray: &Ray, vertex: u32| {
        let triangles = surface.triangles().iter().zip(0..).filter(|(corners, _)| !corners.contains(&vertex));
        let hits = triangles.filter_map(|(_, triangle)| ray.meets(surface.corners(triangle), triangle));
        hits.min_by(|a, b| a.along.total_cmp(&b.along).then(a.triangle.cmp(&b.triangle)))
    };
    let mut found = Vec::new();
    for vertex in 0..own.positions().len() as u32 {
        let ray = Ray::new(own.positions()[vertex as usize], -own.normals()[vertex as usize]);
        if !region.contains(ray.origin) {
            continue;
        }
        let Some(hit) = first(other, &ray, u32::MAX).filter(|hit| hit.leaving) else { continue };
        if first(own, &ray, vertex).is_none_or(|own_hit| own_hit.along >= hit.along) {
            found.push((vertex, hit.along, hit.triangle));
        }
    }
    found
}

fn assert_brute_force(a: &Surface, b: &Surface) -> usize {
    let (matches, _) = matches_of([a, b], &RayOptions::PAPER);
    for (surfaces, body) in [([a, b], 0), ([b, a], 1)] {
        let expected = brute_force(surfaces[0], surfaces[1]);
        let of_body: Vec<_> = matches.iter().filter(|found| found.bodies[0] == body).collect();
        assert_eq!(of_body.len(), expected.len());
        for (found, (vertex, depth, triangle)) in of_body.iter().zip(expected) {
            assert_eq!((found.points[0].vertices[0], found.depth), (vertex, depth));
            assert_eq!(found.points[1].vertices, surfaces[1].triangles()[triangle as usize]);
            let corners = surfaces[1].corners(triangle);
            let place = (0..3).fold(DVec3::ZERO, |sum, corner| sum + found.points[1].weights[corner] * corners[corner]);
            assert!((place - found.places[1]).length() < 1e-12);
        }
    }
    matches.len()
}

#[test]
fn matches_are_those_of_brute_force() {
    let mesh = torus();
    let a = moved(&mesh, DQuat::IDENTITY, DVec3::ZERO);
    let mut random = Random::new(1);
    let mut count = 0;
    for _ in 0..12 {
        let turn = DQuat::from_scaled_axis(3.0 * random.in_cube());
        count += assert_brute_force(&a, &moved(&mesh, turn, 0.4 * random.in_cube()));
    }
    assert!(count > 300, "{count}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn forces_of_any_overlap_cancel(
        turn in prop::array::uniform3(-3.0f64..3.0), shift in prop::array::uniform3(-0.4f64..0.4),
    ) {
        let mesh = torus();
        let a = moved(&mesh, DQuat::IDENTITY, DVec3::ZERO);
        let b = moved(&mesh, DQuat::from_scaled_axis(turn.into()), shift.into());
        let (matches, _) = matches_of([&a, &b], &RayOptions::default());
        let [on_a, on_b] = forces([&a, &b], &matches);
        // Newton's third law, for torques too: forces act along the line between the two points.
        prop_assert!((on_a[0] + on_b[0]).length() < 1e-12);
        prop_assert!((on_a[1] + on_b[1]).length() < 1e-12);
    }
}

#[test]
fn mirrored_bodies_push_straight() {
    let ball = shapes::UvSphere::default().mesh().unwrap();
    let (low, high) = (moved(&ball, DQuat::IDENTITY, -0.4 * DVec3::Y), moved(&ball, DQuat::IDENTITY, 0.4 * DVec3::Y));
    let (matches, _) = matches_of([&low, &high], &RayOptions::default());
    let [[force, _], _] = forces([&low, &high], &matches);
    assert!(force.y < 0.0 && matches.len() > 10);
    assert!(force.x.hypot(force.z) < 1e-12 * force.y.abs(), "{force}");
}

#[test]
fn force_does_not_depend_on_resolution() {
    let block = moved(&shapes::cuboid(DVec3::splat(4.0)), DQuat::IDENTITY, -2.0 * DVec3::Y);
    let push = |segments: u32| {
        let torus =
            shapes::Torus { major_segments: 2 * segments, minor_segments: segments, ..shapes::Torus::default() };
        let torus = moved(&torus.mesh().unwrap(), DQuat::IDENTITY, 0.05 * DVec3::Y);
        let (matches, _) = matches_of([&torus, &block], &RayOptions::PAPER);
        forces([&torus, &block], &matches)[0][0].y
    };
    let (coarse, fine) = (push(24), push(96));
    assert!(fine > 0.0 && (coarse / fine - 1.0).abs() < 0.05, "{coarse} {fine}");
}

#[test]
fn forces_of_a_cylinder_hardly_lean() {
    // The paper's figure 8: at most 8 % of the force leans for ten sides, and about 1 % for 150.
    let paper = CylinderPlane { rays: RayOptions::PAPER, ..CylinderPlane::default() };
    let coarse = paper.measure(10);
    assert!(coarse.worst > 1e-4 && coarse.worst <= 0.08, "{coarse:?}");
    let fine = paper.measure(150);
    assert!(fine.worst <= 0.01 && fine.mean < coarse.mean, "{fine:?}");
    // A little in the plane, a coarse one leans by far more, unless its rim is cut where it crosses.
    assert!(CylinderPlane { depth: 0.1, ..paper }.measure(10).worst > 0.08);
    for depth in [0.06, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 0.95, 1.0] {
        // From about half-way on, rays of sides that stand upright leave through the other side first, and do not count.
        let allowed = if depth < 0.9 { 1e-4 } else { 5e-3 };
        for sides in [10, 30, 150] {
            let found = CylinderPlane { depth, ..CylinderPlane::default() }.measure(sides);
            assert!(found.worst < allowed, "{sides} {depth} {found:?}");
        }
    }
}

#[test]
fn a_corner_in_a_plane_is_pushed_as_by_a_liquid() {
    // Of a cube on its corner, the pressure of what it is in is the weight of the volume that it displaces, straight up.
    let block = moved(&shapes::cuboid(DVec3::splat(8.0)), DQuat::IDENTITY, -4.0 * DVec3::Y);
    let on_corner = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::NEG_Y);
    for depth in [0.05, 0.2, 0.5] {
        let cube = moved(&shapes::cuboid(DVec3::ONE), on_corner, (0.75f64.sqrt() - depth) * DVec3::Y);
        let (matches, _) = matches_of([&cube, &block], &RayOptions { edges: false, ..RayOptions::default() });
        let [[force, _], _] = forces([&cube, &block], &matches);
        // A corner of three right angles, cut off by a plane at a depth.
        let volume = 3f64.sqrt() / 2.0 * depth.powi(3);
        assert!((force.y / volume - 1.0).abs() < 1e-9, "{depth} {force} {volume}");
        assert!(force.x.hypot(force.z) < 1e-9 * force.y);
    }
}

#[test]
fn a_thin_plate_in_a_block_finds_its_way_out() {
    // Failure one of the paper: all rays of the plate leave through its other side first.
    let block = moved(&shapes::cuboid(DVec3::splat(1.0)), DQuat::IDENTITY, DVec3::ZERO);
    let plate = shapes::subdivided_cuboid(DVec3::new(0.5, 0.6, 0.02), [5, 6, 1]).unwrap();
    // A cuboid of one segment across has no vertices between its two sides.
    let plate = moved(&plate, DQuat::from_rotation_x(0.05), DVec3::new(0.013, 0.45, 0.021));
    let (paper, statistics) = matches_of([&plate, &block], &RayOptions { escapes: false, ..RayOptions::default() });
    let side_push = paper.iter().filter(|found| found.kind == MatchKind::Vertex).count();
    assert_eq!(side_push, 0, "{paper:?}");
    assert!(statistics.own_surface > 10);
    let (matches, statistics) = matches_of([&plate, &block], &RayOptions { edges: false, ..RayOptions::default() });
    assert_eq!((statistics.escapes, statistics.enclosed), (matches.len(), 0));
    assert!(matches.len() > 10);
    let [[force, _], _] = forces([&plate, &block], &matches);
    assert!(force.y > 0.0 && force.x.hypot(force.z) < 0.1 * force.y, "{force}");
}

#[test]
fn a_body_inside_another_is_led_out_the_short_way() {
    // Failure two.
    let ball = shapes::UvSphere::default().mesh().unwrap();
    let mut small = ball.clone();
    small.positions.iter_mut().for_each(|position| *position *= 0.2);
    let outer = moved(&ball, DQuat::IDENTITY, DVec3::ZERO);
    let inner = moved(&small, DQuat::IDENTITY, DVec3::new(0.2, 0.1, 0.15));
    for surfaces in [[&inner, &outer], [&outer, &inner]] {
        let (none, _) = matches_of(surfaces, &RayOptions { enclosed: false, ..RayOptions::default() });
        assert_eq!(none, []);
        let (matches, statistics) = matches_of(surfaces, &RayOptions::default());
        assert_eq!(statistics.enclosed, inner.positions().len());
        let found = forces(surfaces, &matches);
        let force = if std::ptr::eq(surfaces[0], &inner) { found[0][0] } else { found[1][0] };
        assert!(force.normalize().dot(DVec3::new(0.2, 0.1, 0.15).normalize()) > 0.9, "{force}");
    }
}

#[test]
fn crossing_ridges_are_seen() {
    // Failure three: two edges cross, and no vertex is inside of anything.
    let cube = shapes::cuboid(DVec3::ONE);
    let long = |mesh: &TriMesh| {
        let positions = mesh.positions.iter().map(|place| *place * DVec3::new(4.0, 1.0, 1.0)).collect();
        TriMesh::new(positions, mesh.triangles.clone())
    };
    let on_edge = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
    let across = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let lower = moved(&long(&cube), on_edge, DVec3::ZERO);
    let upper = moved(&long(&cube), across * on_edge, 1.35 * DVec3::Y);
    let (none, _) = matches_of([&lower, &upper], &RayOptions { edges: false, ..RayOptions::default() });
    assert_eq!(none, []);
    let (matches, statistics) = matches_of([&lower, &upper], &RayOptions::default());
    assert_eq!(statistics.edges, matches.len());
    let [[force, _], _] = forces([&lower, &upper], &matches);
    assert!(force.y < 0.0 && force.x.hypot(force.z) < 1e-6 * force.y.abs(), "{force} {matches:?}");
    let depth = matches.iter().map(|found| found.depth).fold(0.0, f64::max);
    assert!((depth - (2f64.sqrt() - 1.35)).abs() < 1e-9, "{depth}");
}

#[test]
fn a_body_meets_itself_where_two_of_its_parts_overlap() {
    let ball = shapes::UvSphere::default().mesh().unwrap();
    let mut both = ball.clone();
    let shift = |position: &DVec3| *position + 0.9 * DVec3::X;
    both.append(&TriMesh::new(ball.positions.iter().map(shift).collect(), ball.triangles.clone()));
    let mut matches = Vec::new();
    match_itself(&Surface::new(&both).unwrap(), 7, &mut matches);
    assert!(matches.len() > 4);
    for found in &matches {
        assert_eq!((found.bodies, found.kind), ([7, 7], MatchKind::Itself));
        assert!((0.35..0.55).contains(&found.places[0].x) && found.depth < 0.12, "{found:?}");
        // The two points are of different parts.
        let is_second = |point: &SurfacePoint| point.vertices[0] as usize >= ball.positions.len();
        assert_ne!(is_second(&found.points[0]), is_second(&found.points[1]));
    }
    matches.clear();
    match_itself(&Surface::new(&torus()).unwrap(), 7, &mut matches);
    assert_eq!(matches, []);
}

/// A tube of rings of vertices, straight when it is made, thick at one end and thin at the other.
const RINGS: u32 = 90;
const AROUND: u32 = 12;

fn tube(place: impl Fn(f64, f64) -> DVec3) -> TriMesh {
    let mut mesh = TriMesh::default();
    for ring in 0..RINGS {
        for side in 0..AROUND {
            let turn = (f64::from(side) + 0.3) / f64::from(AROUND) * std::f64::consts::TAU;
            mesh.positions.push(place(f64::from(ring) / f64::from(RINGS - 1), turn));
            let next = (side + 1) % AROUND;
            if ring > 0 {
                let (low, high) = ((ring - 1) * AROUND, ring * AROUND);
                mesh.triangles.extend([[low + side, low + next, high + next], [low + side, high + next, high + side]]);
            }
        }
    }
    let last = (RINGS - 1) * AROUND;
    for side in 1..AROUND - 1 {
        mesh.triangles.extend([[0, side + 1, side], [last, last + side, last + side + 1]]);
    }
    mesh
}

#[test]
fn a_bent_body_meets_itself_as_brute_force_says() {
    // Bent to a ring, its thin end reaches into its thick one; brute force knows the two by where they are along the tube.
    let width = |share: f64| 0.35 - 0.25 * share;
    let straight = tube(|share, turn| {
        let (sine, cosine) = turn.sin_cos();
        DVec3::new(15.0 * share, width(share) * sine, -width(share) * cosine)
    });
    let (mut matched, mut through_own_part) = (0, 0);
    for offset in [0.12, 0.3, 0.42] {
        let bent = tube(|share, turn| {
            let (angle, (sine, cosine)) = (7.1 * share, turn.sin_cos());
            let out = DVec3::new(angle.cos(), 0.0, -angle.sin());
            (2.0 + offset * share - width(share) * cosine) * out + width(share) * sine * DVec3::Y
        });
        assert!(straight.volume() > 0.0 && bent.volume() > 0.0);
        let mut surface = Surface::new(&straight).unwrap();
        surface.move_to(bent.positions.iter().copied());
        surface.rebuild_octree();
        let mut matches = Vec::new();
        match_itself(&surface, 0, &mut matches);
        let mut expected = Vec::new();
        // The flat ends have no thickness of their own.
        let inner = |vertex: &u32| (2 * AROUND..(RINGS - 2) * AROUND).contains(vertex);
        for vertex in (0..RINGS * AROUND).filter(inner) {
            let ray = Ray::new(surface.positions()[vertex as usize], -surface.normals()[vertex as usize]);
            let triangles = surface.triangles().iter().zip(0..).filter(|(corners, _)| !corners.contains(&vertex));
            let hits: Vec<Hit> =
                triangles.filter_map(|(_, triangle)| ray.meets(surface.corners(triangle), triangle)).collect();
            let is_own =
                |hit: &Hit| (surface.triangles()[hit.triangle as usize][0] / AROUND).abs_diff(vertex / AROUND) < 30;
            let first = |own: bool| {
                let of_part = hits.iter().filter(|hit| is_own(hit) == own);
                of_part.min_by(|a, b| a.along.total_cmp(&b.along))
            };
            let Some(out) = first(false).filter(|hit| hit.leaving) else { continue };
            // Across the ring a ray comes to the far side of the tube, which it enters first.
            if first(true).is_some_and(|own| own.along < out.along) {
                through_own_part += 1;
            } else {
                expected.push((vertex, out.triangle, out.along));
            }
        }
        let found: Vec<_> = matches.iter().filter(|found| inner(&found.points[0].vertices[0])).collect();
        matched += expected.len();
        assert_eq!(found.len(), expected.len(), "{offset}");
        for (found, (vertex, triangle, depth)) in found.iter().zip(expected) {
            assert_eq!((found.points[0].vertices[0], found.depth), (vertex, depth));
            assert_eq!(found.points[1].vertices, surface.triangles()[triangle as usize]);
        }
    }
    assert!(matched > 5 && through_own_part > 5, "{matched} {through_own_part}");
}

#[test]
fn near_features_are_those_of_brute_force() {
    let mesh = shapes::Torus { major_segments: 12, minor_segments: 8, ..shapes::Torus::default() }.mesh().unwrap();
    let surfaces = [
        &moved(&mesh, DQuat::IDENTITY, DVec3::ZERO),
        &moved(&mesh, DQuat::from_rotation_z(0.1), DVec3::new(0.02, 0.2, 0.01)),
    ];
    let options = ProximityOptions { thickness: 0.03, alarm: 0.05 };
    let mut indices = [ProximityIndex::default(), ProximityIndex::default()];
    (0..2).for_each(|side| indices[side].rebuild(surfaces[side], &options));
    let mut matches = Vec::new();
    let statistics = match_near(surfaces, [&indices[0], &indices[1]], [0, 1], &options, &mut matches);
    let mut vertices = 0;
    for side in 0..2 {
        for place in surfaces[side].positions() {
            let corners = (0..mesh.triangles.len() as u32).map(|triangle| surfaces[1 - side].corners(triangle));
            vertices +=
                corners.filter(|&corners| closest_point_on_triangle(*place, corners).0.distance(*place) < 0.05).count();
        }
    }
    let mut edges = 0;
    for first in surfaces[0].edges() {
        for second in surfaces[1].edges() {
            let a = first.vertices.map(|end| surfaces[0].positions()[end as usize]);
            let b = second.vertices.map(|end| surfaces[1].positions()[end as usize]);
            let [s, t] = closest_on_segments(a, b);
            let inner = [s, t].iter().all(|share| (1e-15..=1.0 - 1e-15).contains(share));
            edges += usize::from(inner && a[0].lerp(a[1], s).distance(b[0].lerp(b[1], t)) < 0.05);
        }
    }
    assert!(vertices > 50 && edges > 20, "{vertices} {edges}");
    assert_eq!((statistics.near_vertices, statistics.near_edges), (vertices, edges));
}

proptest! {
    #[test]
    fn no_point_of_two_segments_is_nearer(ends in prop::array::uniform12(-1.0f64..1.0)) {
        let point = |first: usize| DVec3::new(ends[first], ends[first + 1], ends[first + 2]);
        let (a, b) = ([point(0), point(3)], [point(6), point(9)]);
        let [s, t] = closest_on_segments(a, b);
        let least = a[0].lerp(a[1], s).distance(b[0].lerp(b[1], t));
        for first in 0..=20 {
            for second in 0..=20 {
                let (u, v) = (f64::from(first) / 20.0, f64::from(second) / 20.0);
                prop_assert!(a[0].lerp(a[1], u).distance(b[0].lerp(b[1], v)) >= least - 1e-12);
            }
        }
    }
}

#[test]
fn every_number_of_threads_finds_the_same() {
    let mesh = shapes::Torus::default().mesh().unwrap();
    let surfaces: Vec<Surface> = (0..5)
        .map(|number| moved(&mesh, DQuat::from_rotation_x(0.3 * f64::from(number)), 0.1 * f64::from(number) * DVec3::X))
        .collect();
    let options = RayOptions { itself: true, ..RayOptions::default() };
    let near = ProximityOptions { thickness: 0.02, alarm: 0.03 };
    for method in [DetectionMethod::Rays(options), DetectionMethod::Proximity(near)] {
        let found = [1, 2, 5].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut detector = Detector::default();
            let mut surfaces = surfaces.clone();
            let statistics = pool.install(|| detector.detect(&mut surfaces, &method));
            assert!(statistics.matches() > 100);
            (detector.matches().to_vec(), statistics)
        });
        assert_eq!(found[0], found[1]);
        assert_eq!(found[0], found[2]);
    }
}

#[test]
fn friction_holds_back_what_slides_and_stays_in_the_cone() {
    let found = Match {
        bodies: [0, 1],
        points: [SurfacePoint::vertex(0), SurfacePoint { vertices: [1, 2, 3], weights: [0.2, 0.3, 0.5] }],
        places: [DVec3::ZERO, 0.1 * DVec3::Y],
        normal: DVec3::Y,
        depth: 0.1,
        area: 0.5,
        cosine: 0.8,
        kind: MatchKind::Vertex,
    };
    let options = ResponseOptions { stiffness: 100.0, friction: 0.5, friction_speed: 0.01, ..Default::default() };
    let fast = ContactForce::new(&found, DVec3::X, 0.1, &options).unwrap();
    assert!((fast.push.force - DVec3::new(-2.0, 4.0, 0.0)).length() < 1e-12);
    let slow = ContactForce::new(&found, 0.001 * DVec3::X, 0.1, &options).unwrap();
    assert!((slow.push.force - DVec3::new(-0.2, 4.0, 0.0)).length() < 1e-12);
    // Points that part as fast as they may do not push each other any more.
    let parting = ContactForce::new(&found, options.parting_speed * DVec3::Y, 0.1, &options).unwrap();
    assert!(parting.push.force.length() < 1e-12, "{parting:?}");
    // What is apart and stays so does not push; what comes near enough does.
    let apart = Match { depth: -0.01, ..found };
    assert!(ContactForce::new(&apart, DVec3::ZERO, 0.1, &options).is_none());
    assert!(ContactForce::new(&apart, -DVec3::Y, 0.1, &options).is_some());
}
