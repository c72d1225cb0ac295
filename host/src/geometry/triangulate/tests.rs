use glam::{DVec2, DVec3};
use proptest::prelude::*;
use std::collections::BTreeMap;

use super::{Projection, triangulate_face};
use crate::geometry::PolyMesh;
use crate::geometry::predicates::orient_2d;

/// A face from contours in a plane, laid along two integer vectors so that no position is rounded.
fn face(contours: &[Vec<DVec2>]) -> PolyMesh {
    let (u, v) = (DVec3::new(3.0, 1.0, 0.0), DVec3::new(-1.0, 2.0, 5.0));
    let mut mesh = PolyMesh::default();
    let mut rings = Vec::new();
    for contour in contours {
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(contour.iter().map(|point| point.x * u + point.y * v));
        rings.push((first..mesh.positions.len() as u32).collect::<Vec<_>>());
    }
    mesh.push_face(&rings.iter().map(Vec::as_slice).collect::<Vec<_>>(), 0);
    mesh
}

fn doubled_area(mesh: &PolyMesh, triangles: &[[u32; 3]], projection: Projection) -> Vec<f64> {
    let position = |corner: u32| projection.apply(mesh.corner_position(corner as usize));
    triangles.iter().map(|t| orient_2d(position(t[0]), position(t[1]), position(t[2]))).collect()
}

/// The count; every contour edge once and in its direction, every other edge as often one way as the other.
fn check_topology(mesh: &PolyMesh, triangles: &[[u32; 3]]) {
    let holes = mesh.contours(0).skip(1).filter(|hole| !hole.is_empty()).count();
    assert_eq!(triangles.len(), (mesh.corners.len() + 2 * holes).saturating_sub(2));
    let mut sides = BTreeMap::<(u32, u32), i32>::new();
    for triangle in triangles {
        for side in 0..3 {
            let (from, to) = (triangle[side], triangle[(side + 1) % 3]);
            *sides.entry((from, to)).or_default() += 1;
        }
    }
    for contour in mesh.contours(0) {
        for corner in contour.clone() {
            let next = if corner + 1 == contour.end { contour.start } else { corner + 1 };
            *sides.entry((corner as u32, next as u32)).or_default() -= 1;
        }
    }
    for (&(from, to), &count) in &sides {
        assert_eq!(count, sides.get(&(to, from)).copied().unwrap_or(0), "edge {from} {to}");
    }
}

fn check_simple(mesh: &PolyMesh) {
    let triangles = triangulate_face(mesh, 0);
    check_topology(mesh, &triangles);
    let projection = Projection::of_face(mesh, 0);
    let areas = doubled_area(mesh, &triangles, projection);
    assert!(areas.iter().all(|&area| area > 0.0), "{areas:?} {triangles:?} {:?}", mesh.positions);
    let exact: f64 = mesh
        .contours(0)
        .flat_map(|contour| {
            let count = contour.len();
            (0..count).map(move |i| (contour.start + i, contour.start + (i + 1) % count))
        })
        .map(|(a, b)| projection.apply(mesh.corner_position(a)).perp_dot(projection.apply(mesh.corner_position(b))))
        .sum();
    let sum: f64 = areas.iter().sum();
    assert!((sum - exact).abs() <= 1e-9 * exact.abs(), "{sum} {exact}");
}

/// The contours of the squares of a grid that can be reached from the first one set, the outer one first. Corners stand
/// at every grid point, so most are in line, and contours touch at points.
fn polyomino(width: usize, cells: &[bool]) -> Option<Vec<Vec<DVec2>>> {
    let height = cells.len() / width;
    let mut member = vec![false; cells.len()];
    let mut stack = vec![cells.iter().position(|&cell| cell)?];
    while let Some(cell) = stack.pop() {
        if !cells[cell] || std::mem::replace(&mut member[cell], true) {
            continue;
        }
        let (x, y) = (cell % width, cell / width);
        stack.extend((x > 0).then(|| cell - 1));
        stack.extend((x + 1 < width).then_some(cell + 1));
        stack.extend((y > 0).then(|| cell - width));
        stack.extend((y + 1 < height).then_some(cell + width));
    }
    let set = |x: i32, y: i32| {
        x >= 0 && y >= 0 && (x as usize) < width && (y as usize) < height && member[y as usize * width + x as usize]
    };
    // Directed edges with a set square on the left, by where they start and where they head.
    let mut edges = BTreeMap::<(i32, i32), Vec<(i32, i32)>>::new();
    for y in 0..height as i32 {
        for x in 0..width as i32 {
            if !set(x, y) {
                continue;
            }
            for (other, from, way) in [
                ((x, y - 1), (x, y), (1, 0)),
                ((x + 1, y), (x + 1, y), (0, 1)),
                ((x, y + 1), (x + 1, y + 1), (-1, 0)),
                ((x - 1, y), (x, y + 1), (0, -1)),
            ] {
                if !set(other.0, other.1) {
                    edges.entry(from).or_default().push(way);
                }
            }
        }
    }
    let mut contours = Vec::new();
    while let Some((&start, ways)) = edges.iter_mut().find(|(_, ways)| !ways.is_empty()) {
        let first = ways.pop().unwrap();
        let (mut here, mut way) = ((start.0 + first.0, start.1 + first.1), first);
        let mut contour = vec![start];
        loop {
            let left = (-way.1, way.0);
            let ways = edges.get_mut(&here).unwrap();
            // Turning left stays with the square that the walk goes round.
            let pick = ways.iter().position(|&next| next == left).or(if ways.is_empty() { None } else { Some(0) });
            let Some(pick) = pick.filter(|_| here != start || first != left) else { break };
            way = ways.remove(pick);
            contour.push(here);
            here = (here.0 + way.0, here.1 + way.1);
            if here == start && edges[&here].is_empty() {
                break;
            }
        }
        contours.push(contour.into_iter().map(|(x, y)| DVec2::new(x.into(), y.into())).collect::<Vec<_>>());
    }
    let area = |contour: &Vec<DVec2>| -> f64 {
        (0..contour.len()).map(|i| contour[i].perp_dot(contour[(i + 1) % contour.len()])).sum()
    };
    let outer = contours.iter().position(|contour| area(contour) > 0.0)?;
    contours.swap(0, outer);
    assert!(contours[1..].iter().all(|hole| area(hole) < 0.0));
    assert_eq!(contours.iter().map(area).sum::<f64>(), 2.0 * member.iter().filter(|&&cell| cell).count() as f64);
    Some(contours)
}

fn star(radii: &[f64]) -> Vec<DVec2> {
    let step = std::f64::consts::TAU / radii.len() as f64;
    radii.iter().enumerate().map(|(i, &radius)| radius * DVec2::from_angle(step * i as f64)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn stars_are_cut_without_overlap(radii in prop::collection::vec(0.01..1.0f64, 3..80)) {
        check_simple(&face(&[star(&radii)]));
    }

    #[test]
    fn stars_in_stars_are_holes(outer in prop::collection::vec(0.5..1.0f64, 8..40),
                                inner in prop::collection::vec(0.02..0.4f64, 3..30)) {
        let mut hole = star(&inner);
        hole.reverse();
        check_simple(&face(&[star(&outer), hole]));
    }

    #[test]
    fn grid_regions_with_corners_in_line_and_touching_holes(width in 1usize..8, cells in prop::collection::vec(prop::bool::weighted(0.7), 1..64)) {
        let cells = &cells[..cells.len() / width * width];
        if let Some(contours) = polyomino(width, cells) {
            check_simple(&face(&contours));
        }
    }

    /// Anything at all: crossing, folded, repeated, without area, holes outside.
    #[test]
    fn any_corners_give_a_closed_patch(contours in prop::collection::vec(
        prop::collection::vec((-3i32..=3, -3i32..=3), 1..12), 1..5)) {
        let contours: Vec<Vec<DVec2>> = contours.iter()
            .map(|contour| contour.iter().map(|&(x, y)| DVec2::new(x.into(), y.into())).collect()).collect();
        let mesh = face(&contours);
        check_topology(&mesh, &triangulate_face(&mesh, 0));
    }
}

#[test]
fn faces_of_ten_thousand_corners_are_cut() {
    let mut random = crate::random::Random::new(1);
    let spiky = star(&(0..10_000).map(|_| 0.2 + 0.8 * random.unit()).collect::<Vec<_>>());
    // A comb: every tooth looks at all the others.
    let mut comb: Vec<DVec2> = vec![DVec2::new(0.0, -1.0), DVec2::new(10_000.0, -1.0)];
    comb.extend((0..10_000).rev().map(|i| DVec2::new(i.into(), if i % 2 == 0 { 0.0 } else { 1000.0 })));
    let mut sieve = vec![vec![DVec2::ZERO, DVec2::new(100.0, 0.0), DVec2::new(100.0, 100.0), DVec2::new(0.0, 100.0)]];
    for hole in 0..2_500 {
        let low = DVec2::new((hole % 50) as f64 * 2.0 + 0.5, (hole / 50) as f64 * 2.0 + 0.5);
        sieve.push(vec![low, low + DVec2::Y, low + DVec2::ONE, low + DVec2::X]);
    }
    for contours in [vec![spiky], vec![comb], sieve] {
        check_simple(&face(&contours));
    }
}

#[test]
fn coordinates_that_overflow_end_all_the_same() {
    let contour: Vec<DVec2> = star(&[1.0, 0.1, 1.0, 0.3, 1.0, 0.2]).into_iter().map(|point| 1e300 * point).collect();
    let mesh = face(&[contour]);
    check_topology(&mesh, &triangulate_face(&mesh, 0));
}

/// The nearest edge's lower end lies behind the hole; a bridge to it would cross the hole.
#[test]
fn a_bridge_goes_to_the_left_end_of_a_slanted_edge() {
    let point = |(x, y): (f64, f64)| DVec2::new(x, y);
    let outer = [(-1.5, 0.1), (2.0, -3.0), (2.0, 3.0), (-1.5, 3.0)].map(point).to_vec();
    let hole = [(-1.0, 0.0), (0.0, 0.5), (-0.6, -0.5)].map(point).to_vec();
    check_simple(&face(&[outer, hole]));
}

#[test]
fn an_outward_spur_is_cut_off_without_overlap() {
    let point = |(x, y): (f64, f64)| DVec2::new(x, y);
    let square = |spur: &[(f64, f64)]| {
        let mut contour = vec![point((0.0, 0.0)), point((4.0, 0.0))];
        contour.extend(spur.iter().copied().map(point));
        contour.extend([point((4.0, 4.0)), point((0.0, 4.0))]);
        contour
    };
    for spur in [
        &[(4.0, 2.0), (6.0, 2.0), (4.0, 2.0)][..],
        &[(4.0, 2.0), (5.0, 2.0), (6.0, 3.0), (5.0, 2.0), (4.0, 2.0)],
        &[(4.0, 2.0), (3.0, 2.0), (4.0, 2.0)],
    ] {
        let contour = square(spur);
        for start in 0..contour.len() {
            let mut turned = contour.clone();
            turned.rotate_left(start);
            let mesh = face(&[turned]);
            let triangles = triangulate_face(&mesh, 0);
            check_topology(&mesh, &triangles);
            let projection = Projection::of_face(&mesh, 0);
            let areas = doubled_area(&mesh, &triangles, projection);
            let overlap: f64 = areas.iter().map(|area| area.abs()).sum::<f64>() - areas.iter().sum::<f64>();
            assert!(areas.iter().all(|&area| area >= 0.0) && overlap == 0.0, "{spur:?} from {start}: {areas:?}");
        }
    }
}

/// A saw whose teeth end on a line, up to rounding: ears along that line would be needles.
#[test]
fn corners_nearly_in_line_are_not_cut_into_needles() {
    for turn in 0..40 {
        let axis = DVec2::from_angle(0.1 + 0.037 * f64::from(turn));
        let mut contour = vec![DVec2::new(0.3, -1.7), DVec2::new(8.9, -1.3)];
        for step in (0..20).rev() {
            contour.push(DVec2::new(0.41 * f64::from(step) + 0.2, 0.7 + 0.123 * f64::from(step)));
            contour.push(DVec2::new(0.41 * f64::from(step), 0.123 * f64::from(step)));
        }
        let mesh = face(&[contour.into_iter().map(|point| axis.rotate(point)).collect()]);
        check_simple(&mesh);
        let areas = doubled_area(&mesh, &triangulate_face(&mesh, 0), Projection::of_face(&mesh, 0));
        assert!(areas.iter().all(|&area| area > 1e-3), "turn {turn}: {areas:?}");
    }
}
