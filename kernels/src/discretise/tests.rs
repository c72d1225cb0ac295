extern crate std;

use std::collections::BTreeMap;
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::launch::{ORDERS, Order};
use crate::node::Node;
use crate::normal;
use crate::scan::tests::inclusive_scan;
use crate::touch::Touch;

fn launches(points: &[CollisionPoint], order: Order) -> Vec<Cell> {
    let mut points = points.to_vec();
    // A sort that is not stable: points of a cell may come in any order.
    points.sort_unstable_by_key(key);
    let keys = order.map(points.len(), |index| key(&points[index]));
    let flags = order.map(points.len(), |index| begins_cell(&keys, index));
    let segments = inclusive_scan(&flags, order);
    let cells = segments.last().map_or(0, |last| *last as usize + 1);
    let sums: Vec<Sums> = (0..cells).map(|_| Sums::default()).collect();
    order.launch(points.len(), |index| accumulate(&points, &segments, &sums, index));
    sums.into_iter().map(cell_of).collect()
}

fn cell_of(sums: Sums) -> Cell {
    Cell {
        position: sums.position.map(AtomicI32::into_inner),
        normal: sums.normal.map(AtomicI32::into_inner),
        count: sums.count.into_inner(),
        deep: sums.deep.into_inner(),
        key: sums.key.into_inner(),
        meeting: sums.meeting.into_inner(),
    }
}

/// The oracle: a map from cells to their points.
fn naive(points: &[CollisionPoint]) -> Vec<Cell> {
    let mut cells: BTreeMap<(u32, u32), Vec<CollisionPoint>> = BTreeMap::new();
    for &point in points {
        let [x, y, z] = point.position.map(|coordinate| (coordinate.max(0) / 256).min(1023) as u32);
        cells.entry((point.owner, morton::encode_30(x, y, z))).or_default().push(point);
    }
    let sums = cells.into_iter().map(|((owner, code), points)| {
        let corner = morton::decode_30(code).map(|cell| cell as i32 * 256);
        Cell {
            position: [0, 1, 2].map(|axis| points.iter().map(|point| point.position[axis] - corner[axis]).sum()),
            normal: [0, 1, 2].map(|axis| points.iter().map(|point| point.normal[axis]).sum()),
            count: points.len() as u32,
            deep: points.iter().map(|point| point.deep).sum(),
            key: code | (owner % 2) << 30,
            meeting: owner / 2,
        }
    });
    sums.collect()
}

fn check(points: &[CollisionPoint]) -> Vec<Cell> {
    let expected = naive(points);
    for order in ORDERS {
        assert_eq!(launches(points, order), expected, "{order:?}");
    }
    expected
}

fn any_point(range: core::ops::Range<i32>) -> impl Strategy<Value = CollisionPoint> {
    (prop::array::uniform3(range), (0..255u16, 0..255u16), 0..7u32, 0..2u32).prop_map(
        |(position, (u, v), owner, deep)| CollisionPoint { position, normal: normal::unpack(u | v << 8), owner, deep },
    )
}

#[test]
fn owners_and_meetings_stay_apart() {
    assert!(check(&[]).is_empty());
    let first = CollisionPoint { position: [255, 256, 262_143], normal: [0, -127, 0], owner: 0, deep: 1 };
    let second = CollisionPoint { owner: 1, ..first };
    let code = morton::encode_30(0, 1, 1023);
    let cell = Cell { position: [255, 0, 255], normal: [0, -127, 0], count: 1, deep: 1, key: code, meeting: 0 };
    assert_eq!(check(&[first]), [cell]);
    // The second octree of a meeting, and the first of a later one.
    let later = CollisionPoint { owner: 6, ..first };
    let others = [Cell { key: code | 1 << 30, ..cell }, Cell { meeting: 3, ..cell }];
    assert_eq!(check(&[later, second, first]), [cell, others[0], others[1]]);
}

#[test]
fn points_are_the_middles_of_eighths() {
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let way = |eighth: i32, axis: i32| if eighth >> axis & 1 == 0 { -UNITS / 4 } else { UNITS / 4 };
    let stand = Stand {
        turn: unit,
        corner: [0.0, 0.0, -1.0],
        rotation: unit,
        ways: [0, 1, 2, 3, 4, 5, 6, 7].map(|eighth| [0, 1, 2].map(|axis| way(eighth, axis))),
        size: 2 * UNITS,
        level: 1,
        to_face: 0,
        nodes: 2,
        normals: 1,
        padding: 0,
    };
    // Of the root's children, the last but one is a voxel of the finest level, the last one has two children of its own.
    let mut nodes = vec![Node::branch(1, 9)];
    nodes.extend([Node::OUTSIDE; 6]);
    nodes.extend([Node::leaf(0), Node::branch(9, 1)]);
    nodes.extend([
        Node::leaf(2),
        Node::OUTSIDE,
        Node::INSIDE,
        Node::OUTSIDE,
        Node::OUTSIDE,
        Node::OUTSIDE,
        Node::leaf(3),
    ]);
    nodes.push(Node::OUTSIDE);
    // Behind another octree, of two nodes and one normal.
    let nodes = [&[Node::OUTSIDE; 2], &nodes[..]].concat();
    let up = normal::pack([0, 0, 1]);
    let touches =
        [Touch { attributes: 0, code: 6, deep: 1, sight: 1 }, Touch { attributes: 1, code: 7, deep: 0, sight: 1 }];
    let all = |stand: &Stand| -> Vec<[i32; 3]> {
        let stands = [Stand { level: 9, ..*stand }, *stand];
        let surfaces = Surfaces { stands: &stands, nodes: &nodes, normals: &[0, up, up] };
        let points: Vec<_> = (0..16).filter_map(|index| point(&surfaces, &touches, index)).collect();
        assert_eq!([0, 1, 2].map(|sight| first_of_sight(&points, sight) as usize), [0, 0, points.len()]);
        let points = points.into_iter();
        points
            .inspect(|point| assert_eq!((point.normal, point.owner), ([0, 0, 127], 1)))
            .map(|point| point.position)
            .collect()
    };
    let of_leaf = [[64, 320, 64], [192, 448, 64], [192, 320, 192], [64, 448, 192]];
    assert_eq!(all(&stand), [&of_leaf[..], &[[320, 320, 64], [320, 448, 192]]].concat());
    // At its face, a point that is not deep is half a voxel higher.
    let at_face = [&of_leaf[..], &[[320, 320, 192], [320, 448, 320]]].concat();
    assert_eq!(all(&Stand { to_face: 1, ..stand }), at_face);
    // Beyond the lattice nothing counts.
    assert_eq!(all(&Stand { corner: [-1.0, 0.0, -1.0], ..stand }), [[64, 320, 64], [64, 448, 192]]);
}

#[test]
fn a_million_points_of_one_cell_fit() {
    let rim = CollisionPoint { position: [1024 * 256 + 1535, -1791, 5], normal: [127, 0, -127], owner: 1, deep: 0 };
    let points = vec![rim; 1 << 20];
    let sums = Sums::default();
    let segments = vec![0; points.len()];
    Order::Parallel.launch(points.len(), |index| {
        accumulate(&points, &segments, core::slice::from_ref(&sums), index);
    });
    let cell = cell_of(sums);
    let total = |one: i64| i32::try_from(one << 20).expect("no overflow");
    assert_eq!(cell.position, [256 + 1535, -1791, 5].map(total));
    assert_eq!((cell.normal, cell.count), ([127, 0, -127].map(total), 1 << 20));
}

proptest! {
    #[test]
    fn sums_are_those_of_a_map(
        dense in prop::collection::vec(any_point(0..1300), 0..400),
        spread in prop::collection::vec(any_point(-1500..263_600), 0..100),
    ) {
        check(&[dense, spread].concat());
    }
}
