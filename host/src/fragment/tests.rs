//! Breaking, asked of exact geometry.

use std::sync::Arc;

use glam::DVec3;
use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::*;
use crate::geometry::{Aabb, Pose, SignedDistance, TetMesh, TriMesh};
use crate::random::Random;

/// A block of cubes, each of six tetrahedra around a diagonal, the size of one.
fn block(cells: [u32; 3]) -> TetMesh {
    let [nx, ny, nz] = cells;
    let largest = f64::from(nx.max(ny).max(nz));
    let node = |x: u32, y: u32, z: u32| x + (nx + 1) * (y + (ny + 1) * z);
    let positions = (0..=nz).flat_map(|z| (0..=ny).flat_map(move |y| (0..=nx).map(move |x| [x, y, z])));
    let positions = positions.map(|place| DVec3::from_array(place.map(f64::from)) / largest).collect();
    let mut tets = Vec::new();
    for (x, y, z) in (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| (x, y, z)))) {
        for steps in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]] {
            let mut place = [x, y, z];
            let mut tet = [node(x, y, z); 4];
            for (corner, axis) in (1..).zip(steps) {
                place[axis] += 1;
                tet[corner] = node(place[0], place[1], place[2]);
            }
            tets.push(tet);
        }
    }
    let mut mesh = TetMesh { positions, tets };
    mesh.orient();
    mesh
}

fn whole(cells: [u32; 3]) -> Fragment {
    let options = SolidOptions { grid_cells: 12 };
    Fragment::whole(&Solid::new(&block(cells), &options).expect("a block is a solid"))
}

fn seeds(random: &mut Random, aabb: Aabb, count: usize) -> Vec<DVec3> {
    (0..count).map(|_| aabb.min + 0.5 * (random.in_cube() + 1.0) * aabb.size()).collect()
}

fn assert_closed(surface: &TriMesh) {
    let mut sides: FxHashMap<[u32; 2], i32> = FxHashMap::default();
    for [a, b, c] in &surface.triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            assert_ne!(from, to);
            let side = if from < to { 1 } else { -1 };
            *sides.entry([*from.min(to), *from.max(to)]).or_default() += side;
        }
    }
    assert!(sides.values().all(|&sum| sum == 0), "an edge has one side only");
}

/// Breaks a block again and again, each time the largest piece, by seeds.
fn broken(cells: [u32; 3], rounds: usize, count: usize, seed: u64) -> (Fragment, Vec<Fragment>) {
    let mut random = Random::new(seed);
    let whole = whole(cells);
    let mut pieces = vec![whole.clone()];
    for _ in 0..rounds {
        let largest = (0..pieces.len()).max_by_key(|&piece| pieces[piece].node_count()).unwrap_or(0);
        let seeds = seeds(&mut random, pieces[largest].aabb(), count);
        let broken = pieces[largest].fracture(&SeedPartition::new(whole.solid().positions(), &seeds));
        if !broken.is_empty() {
            pieces.remove(largest);
            pieces.extend(broken);
        }
    }
    (whole, pieces)
}

#[test]
fn a_plane_between_two_seeds_is_flat() {
    let whole = whole([6, 5, 4]);
    let seeds = [DVec3::new(0.2, 0.3, 0.1), DVec3::new(0.7, 0.5, 0.6)];
    let pieces = whole.fracture(&SeedPartition::new(whole.solid().positions(), &seeds));
    assert_eq!(pieces.len(), 2);
    let (middle, normal) = (0.5 * (seeds[0] + seeds[1]), (seeds[1] - seeds[0]).normalize());
    let mut worst = 0.0f64;
    for triangle in pieces[0].crack_triangles() {
        worst = triangle.iter().map(|point| (point - middle).dot(normal).abs()).fold(worst, f64::max);
    }
    // Nodes so near to the plane that the cut is moved away from them are rare.
    assert!(worst < 1.0 / 6.0 / 32.0, "{worst}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn pieces_are_an_exact_partition(rounds in 1usize..5, count in 2usize..7, seed: u64) {
        let (whole, pieces) = broken([5, 4, 3], rounds, count, seed);
        let volume: f64 = pieces.iter().map(|piece| piece.mass_properties().volume).sum();
        prop_assert!((volume / whole.mass_properties().volume - 1.0).abs() < 1e-12, "{volume}");
        let mut owned = vec![0; whole.node_count()];
        for piece in &pieces {
            piece.nodes().for_each(|node| owned[node as usize] += 1);
            let surface = piece.surface_mesh();
            assert_closed(&surface);
            prop_assert!(piece.mass_properties().volume > 0.0);
            prop_assert!((surface.volume() - piece.mass_properties().volume).abs() < 1e-12);
            piece.tree.assert_well_formed();
        }
        prop_assert!(owned.iter().all(|&owners| owners == 1));
    }

    #[test]
    fn every_point_is_inside_the_piece_that_its_surface_says(rounds in 1usize..5, count in 2usize..7, seed: u64) {
        let (_, pieces) = broken([4, 4, 3], rounds, count, seed);
        let surfaces: Vec<SignedDistance> =
            pieces.iter().map(|piece| SignedDistance::new(&piece.surface_mesh()).expect("a piece is closed")).collect();
        let mut random = Random::new(seed ^ 1);
        for _ in 0..2000 {
            let point = 0.5 * (random.in_cube() * 1.1 + 1.0);
            for (piece, surface) in pieces.iter().zip(&surfaces) {
                let distance = surface.at(point);
                if distance.abs() > 1e-7 {
                    prop_assert_eq!(piece.is_inside(point), distance < 0.0, "{} is {} away", point, distance);
                }
            }
        }
    }
}

/// How far the field of pieces is off, against the exact distance to their surfaces, over the mean edge: the mean, and how much
/// the depth shrinks at most where a point goes deeper.
fn field_error(pieces: &[Fragment], seed: u64) -> f64 {
    let mut random = Random::new(seed);
    let (mut sum, mut count) = (0.0, 0);
    for piece in pieces {
        let exact = SignedDistance::new(&piece.surface_mesh()).expect("a piece is closed");
        for _ in 0..500 {
            let point = seeds(&mut random, piece.aabb(), 1)[0];
            if piece.is_inside(point) {
                sum += (piece.surface_of(point).distance - exact.at(point)).abs();
                count += 1;
            }
        }
    }
    sum / f64::from(count) / pieces[0].solid().edge_length()
}

#[test]
fn the_updated_field_is_near_to_the_exact_one() {
    for (seed, count) in [(1, 2), (2, 4), (3, 8)] {
        let (_, pieces) = broken([8, 7, 6], 1, count, seed);
        let error = field_error(&pieces, seed);
        println!("{count} seeds: mean error {error:.4} of an edge");
        assert!(error < 0.1, "{count} seeds: {error} of an edge");
    }
}

#[test]
fn the_field_is_zero_at_the_surface_and_its_way_out_leads_out() {
    let (_, pieces) = broken([6, 6, 6], 1, 5, 9);
    let mut random = Random::new(4);
    for piece in &pieces {
        let mesh = piece.surface_mesh();
        let edge = piece.solid().edge_length();
        for &triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
            let normal = (b - a).cross(c - a);
            let [u, v] = [random.unit(), random.unit()];
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            if normal.length() < 1e-4 * edge * edge {
                continue;
            }
            let normal = normal.normalize();
            let point = a + u * (b - a) + v * (c - a) - 1e-6 * edge * normal;
            let surface = piece.surface_of(point);
            // What is so near to a crease that it is beyond the other side does not count.
            if surface.distance.is_finite() {
                assert!(surface.distance.abs() <= 2e-6 * edge, "{} at {point}", surface.distance / edge);
                assert!(!piece.is_inside(point + 1e-3 * edge * surface.normal) || surface.normal.dot(normal) < 0.9);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn no_deep_contact_is_missed(seed: u64, count in 2usize..6, way in 0.0f64..0.1) {
        let (_, pieces) = broken([6, 5, 4], 1, count, seed);
        let options = QueryOptions::for_radius(pieces[0].solid().radius());
        let mut scratch = QueryScratch::default();
        let mut random = Random::new(seed);
        for one in &pieces {
            for other in &pieces {
                let pose = Pose::new(
                    glam::DQuat::from_scaled_axis(0.2 * way * random.in_cube()),
                    way * random.in_cube(),
                );
                let (mut few, mut all) = (Vec::new(), Vec::new());
                one.query(other, &pose, options, &mut scratch, &mut few);
                // Every point, without a tree.
                for (place, number) in one.tree.positions().zip(0..) {
                    let position = pose.transform_point(place);
                    if let Some(surface) = other.surface(position, 0.0) {
                        all.push(PointContact { point: number, position, surface });
                    }
                }
                let deep = all.iter().filter(|contact| -contact.surface.distance > options.tolerance);
                for contact in deep {
                    prop_assert!(few.iter().any(|found| found.point == contact.point));
                }
                prop_assert!(few.len() >= all.len().min(options.most));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn parts_of_queries_find_what_whole_ones_do(seed: u64, count in 2usize..5, way in 0.0f64..0.06) {
        assert_parts_find_what_wholes_do(seed, count, way);
    }
}

/// Deep points that were found again took the places of others in the memory.
#[test]
fn deep_points_that_are_known_leave_room_for_others() {
    assert_parts_find_what_wholes_do(7_963_098_225_186_230_078, 4, 0.042_047_685_104_872_99);
}

fn assert_parts_find_what_wholes_do(seed: u64, count: usize, way: f64) {
    let (_, pieces) = broken([7, 6, 5], 1, count, seed);
    let options = QueryOptions::for_radius(pieces[0].solid().radius());
    let mut scratch = QueryScratch::default();
    let pose = Pose::at(way * Random::new(seed).in_cube());
    for one in &pieces {
        for other in &pieces {
            let (mut memory, mut all, mut few) = (QueryMemory::default(), Vec::new(), Vec::new());
            one.query(other, &pose, options, &mut scratch, &mut all);
            for _ in 0..4 * MOST_PARTS {
                few.clear();
                one.query_again(other, &pose, options, &mut memory, &mut scratch, &mut few);
            }
            let deep: Vec<u32> = all
                .iter()
                .filter(|contact| -contact.surface.distance > options.tolerance)
                .map(|contact| contact.point)
                .collect();
            let found = deep.iter().filter(|&&point| few.iter().any(|contact| contact.point == point)).count();
            // Some of the deep ones that are kept are among the first contacts.
            assert!(found >= deep.len().min(64 - options.most), "{found} of {}", deep.len());
            let times = |point: u32| few.iter().filter(|contact| contact.point == point).count();
            assert!(few.iter().all(|contact| times(contact.point) == 1));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// With a plane between the two or without one.
    #[test]
    fn pairs_find_what_single_queries_do(seed: u64, count in 2usize..6, way in 0.0f64..0.06, turn in 0.0f64..0.2) {
        assert_pairs_find_what_single_queries_do(seed, count, way, turn);
    }

    #[test]
    fn nothing_is_farther_than_a_fragment_tells_from_outside(count in 2usize..7, seed: u64, reach in 0.001f64..0.05) {
        let (whole, pieces) = broken([6, 5, 4], 1, count, seed);
        let mut random = Random::new(seed);
        let rim = whole.aabb().expanded(reach);
        for piece in &pieces {
            let exact = SignedDistance::new(&piece.surface_mesh()).expect("a piece is closed");
            for point in seeds(&mut random, rim, 500) {
                // Most of them are moved next to the surface of the block.
                let point = if random.unit() < 0.8 { to_side(point, rim, random.unit() * reach) } else { point };
                if let Some(surface) = DistanceField::surface(piece, point, reach).filter(|told| told.distance > 0.0) {
                    let (told, exact) = (surface.distance, exact.at(point));
                    prop_assert!(exact <= told + 1e-9, "{told} told, {exact} at {point}");
                }
            }
        }
    }

    #[test]
    fn a_fragment_is_in_its_half_space(seed: u64, count in 2usize..6, way in 0.0f64..0.3) {
        let (_, pieces) = broken([6, 5, 4], 1, count, seed);
        let mut random = Random::new(seed);
        let pose = Pose::new(glam::DQuat::from_scaled_axis(random.in_cube()), way * random.in_cube());
        for [one, other] in pieces.iter().flat_map(|one| pieces.iter().map(move |other| [one, other])) {
            let mut parting = super::parting::Parting::default();
            parting.search([one, other], &pose);
            for (fragment, half_space) in [one, other].into_iter().zip(parting.half_spaces) {
                prop_assert!(fragment.tree.positions().all(|position| half_space.height(position) <= 0.0));
            }
        }
    }

    #[test]
    fn a_half_space_leaves_what_is_near_to_it(seed: u64, count in 2usize..6, way in 0.0f64..0.3, height in -0.1f64..0.2) {
        let (_, pieces) = broken([6, 5, 4], 1, count, seed);
        let mut random = Random::new(seed);
        let pose = Pose::new(glam::DQuat::from_scaled_axis(random.in_cube()), way * random.in_cube());
        for [one, other] in pieces.iter().flat_map(|one| pieces.iter().map(move |other| [one, other])) {
            let mut parting = super::parting::Parting::default();
            parting.search([one, other], &pose);
            let half_space = parting.half_spaces[0];
            let places = other.tree.positions().map(|position| pose.transform_point(position));
            let heights: Vec<f64> = places.map(|place| half_space.height(place)).collect();
            let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
            let found = half_space.lowest_of(other, &pose).expect("a search finds some half-space");
            prop_assert!((found - lowest).abs() < 1e-6, "{found} and {lowest}");
            let left: Vec<u32> = half_space.points_below(other, &pose, height).collect();
            prop_assert!(left.is_sorted_by_key(|&point| (other.tree.points[point as usize].level, point)));
            for (point, own) in (0..).zip(heights) {
                let is_left = left.contains(&point);
                prop_assert!(is_left || own > height, "{own} is no higher than {height}");
                prop_assert!(!is_left || own < height + 1e-5, "{own} is higher than {height}");
            }
        }
    }

    /// Faces of cracks tell no node that it is farther from them than their triangles do, one by one.
    #[test]
    fn nodes_at_a_crack_are_no_farther_from_it_than_its_triangles(count in 2usize..7, seed: u64) {
        let (whole, pieces) = broken([6, 5, 4], 1, count, seed);
        let (solid, topology) = (whole.solid(), &whole.solid().topology);
        for piece in &pieces {
            for (tet, share) in piece.cut_tets() {
                let corners = topology.corners(tet, &solid.positions);
                let triangles: Vec<[DVec3; 3]> =
                    share.crack_places(|face| topology.outward_face(tet, face), &corners).collect();
                for corner in (0..4).filter(|&corner| share.owns(corner)) {
                    let distances = triangles.iter().map(|&triangle| {
                        crate::geometry::closest_point_on_triangle(corners[corner], triangle).0.distance(corners[corner])
                    });
                    let exact = distances.fold(f64::INFINITY, f64::min);
                    let rank = piece.nodes.rank(topology.tets[tet as usize][corner]).expect("its own node");
                    let known = f64::from(piece.field[rank].distance);
                    prop_assert!(known <= 1.002 * exact + 1e-6, "{known}, and {exact} by the triangles");
                }
            }
        }
    }
}

/// The point, but at the nearest side of a box, or inside of it by so much.
fn to_side(point: DVec3, aabb: Aabb, inside: f64) -> DVec3 {
    let mut place = point.to_array();
    let gaps = [(point - aabb.min).to_array(), (aabb.max - point).to_array()];
    let side = (0..6).min_by(|&one, &other| gaps[one / 3][one % 3].total_cmp(&gaps[other / 3][other % 3])).unwrap_or(0);
    let axis = side % 3;
    place[axis] = if side < 3 { aabb.min[axis] + inside } else { aabb.max[axis] - inside };
    DVec3::from_array(place)
}

/// A piece was told to be near to a point next to the block, because it is below what is there, though a half-space that it is in is
/// far from the point.
#[test]
fn pieces_below_others_are_not_near_to_what_is_next_to_those() {
    assert_pairs_find_what_single_queries_do(
        5_546_012_998_709_715_750,
        5,
        0.007_118_092_001_757_848,
        0.151_023_558_414_933_23,
    );
}

/// A point that was hardly in the half-space of the other was never looked at, though the field tells that it is deep.
#[test]
fn points_that_are_told_deeper_than_they_are_in_a_half_space_are_found() {
    assert_pairs_find_what_single_queries_do(
        2_975_238_658_635_728_363,
        2,
        0.006_883_349_575_021_455,
        0.037_175_841_749_177_68,
    );
}

/// Looks at candidates were taken off what the tree may look at after them, and there were fewer contacts than asked for.
#[test]
fn candidates_that_are_too_many_leave_the_tree_its_budget() {
    assert_pairs_find_what_single_queries_do(
        16_847_168_745_188_124_813,
        5,
        0.023_126_863_186_466_447,
        0.008_466_398_411_754_08,
    );
}

fn assert_pairs_find_what_single_queries_do(seed: u64, count: usize, way: f64, turn: f64) {
    let (_, pieces) = broken([7, 6, 5], 1, count, seed);
    let options = QueryOptions::for_radius(pieces[0].solid().radius());
    let mut scratch = QueryScratch::default();
    let mut random = Random::new(seed);
    let rotation = glam::DQuat::from_scaled_axis(turn * random.in_cube());
    let pose = Pose::new(rotation, way * random.in_cube());
    for (number, one) in pieces.iter().enumerate() {
        for other in &pieces[..number] {
            let mut all = [Vec::new(), Vec::new()];
            one.query(other, &pose.inverse(), options, &mut scratch, &mut all[0]);
            other.query(one, &pose, options, &mut scratch, &mut all[1]);
            let (mut memory, mut few) = (PairMemory::default(), [Vec::new(), Vec::new()]);
            let mut had = [0, 0];
            for _ in 0..4 * MOST_PARTS {
                few = [Vec::new(), Vec::new()];
                one.query_pair(other, &pose, [options; 2], &mut memory, &mut scratch, &mut few);
                had = [0, 1].map(|side| had[side].max(few[side].len()));
            }
            for side in [0, 1] {
                let deep = all[side].iter().filter(|contact| -contact.surface.distance > options.tolerance);
                let deep: Vec<u32> = deep.map(|contact| contact.point).collect();
                let found = deep.iter().filter(|&&point| few[side].iter().any(|known| known.point == point));
                let (found, needed) = (found.count(), deep.len().min(64 - options.most));
                assert!(found >= needed, "{found} of {} deep contacts", deep.len());
                let (had, all) = (had[side], all[side].len());
                assert!(had >= all.min(options.most), "{had} of {all} contacts");
            }
        }
    }
}

#[test]
#[ignore = "a million points take half a minute; .ci/run runs it"]
fn a_million_points_are_inside_the_pieces_that_their_surfaces_say() {
    let (whole, pieces) = broken([9, 8, 7], 3, 6, 11);
    let surfaces: Vec<SignedDistance> =
        pieces.iter().map(|piece| SignedDistance::new(&piece.surface_mesh()).expect("a piece is closed")).collect();
    let boxes: Vec<Aabb> = pieces.iter().map(|piece| piece.aabb().expanded(1e-3)).collect();
    let mut random = Random::new(12);
    let (mut asked, mut unclear) = (0, 0);
    for point in seeds(&mut random, whole.aabb().expanded(0.05), 1_000_000) {
        for (number, piece) in pieces.iter().enumerate() {
            // Far from a piece nothing is inside of it.
            if !boxes[number].contains(point) {
                assert!(!piece.is_inside(point));
                continue;
            }
            asked += 1;
            let distance = surfaces[number].at(point);
            match distance.abs() > 1e-9 {
                true => assert_eq!(piece.is_inside(point), distance < 0.0, "{point} is {distance} away"),
                false => unclear += 1,
            }
        }
    }
    assert!(asked > 1_000_000 && unclear < 100, "{unclear} of {asked} were too near to a surface to tell");
}

/// The size of a piece was its largest coordinate, half of what it is around the origin and anything elsewhere.
#[test]
fn the_size_of_a_piece_is_its_longest_side_wherever_it_is() {
    use super::{FragmentBody, FragmentBreakage};
    use crate::pattern::{SeedPattern, VoronoiPattern};
    use crate::world::{Fracture, Impact, Representation};

    for place in [DVec3::ZERO, DVec3::new(40.0, -7.0, 0.0)] {
        let mut mesh = super::cuboid_tets(DVec3::splat(0.5), [4; 3]).expect("a box");
        mesh.positions.iter_mut().for_each(|position| *position += place);
        let solid = Solid::new(&mesh, &SolidOptions { grid_cells: 16 }).expect("a solid");
        let pattern = VoronoiPattern { cells: 30, extent: 0.6, ..VoronoiPattern::default() };
        let breakage = Arc::new(FragmentBreakage::by_pattern(SeedPattern::Voronoi(pattern)));
        let mut body = FragmentBody::new(Arc::new(Fragment::whole(&solid)), breakage);
        let pieces = body.fracture(&Impact::at(place)).expect("it breaks").pieces;
        assert!(pieces.len() > 4, "{} pieces", pieces.len());
        for piece in pieces {
            let Representation::Fragment(fragment) = &piece.representation else { panic!("another kind") };
            assert_eq!(piece.size, fragment.aabb().size().max_element());
        }
    }
}

/// The cells of the dense grid grew with the distance from the origin, and with them the errors of depths.
#[test]
fn depths_far_from_the_origin_are_as_exact() {
    let place = DVec3::new(64.0, 0.0, -32.0);
    let depths = [DVec3::ZERO, place].map(|place| {
        let mut mesh = super::cuboid_tets(DVec3::splat(0.5), [4; 3]).expect("a box");
        mesh.positions.iter_mut().for_each(|position| *position += place);
        let solid = Solid::new(&mesh, &SolidOptions { grid_cells: 32 }).expect("a solid");
        (solid.grid.error(), solid.grid.sample(place + DVec3::new(0.41, 0.03, -0.07)).map(|sample| sample.distance))
    });
    let [(near_error, near), (far_error, far)] = depths;
    assert!((near_error - far_error).abs() < 1e-9, "{near_error} and {far_error}");
    let [near, far] = [near, far].map(|distance| distance.expect("within the grid"));
    assert!((near + 0.09).abs() < 1e-3 && (far - near).abs() < 1e-3, "{near} and {far}");
}
