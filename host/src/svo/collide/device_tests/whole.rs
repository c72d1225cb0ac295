//! A collision from the octrees to its volume and gradients.

use std::sync::atomic::Ordering::Relaxed;

use fracas_kernels::columns::{self, Cell};
use fracas_kernels::discretise::{self, CollisionPoint, Stand, Sums, Surface, UNITS};
use fracas_kernels::touch::Touch;
use glam::DMat3;

use super::super::intersection::densities;
use super::super::placed::Relative;
use super::super::points::Counts;
use super::super::tests::At;
use super::columns::{frame, spans, volume};
use super::traverse::touches;
use super::*;
use crate::geometry::Pose;

fn stand(relative: &Relative, owner: usize, placement: Placement) -> Stand {
    let (turn, corner, rotation) = match owner {
        0 => (DMat3::IDENTITY, DVec3::ZERO, DMat3::IDENTITY),
        _ => (relative.turn, relative.corner, relative.turn * (1.0 / relative.edge)),
    };
    let way = |eighth: usize| {
        let side = |axis: usize| if eighth >> axis & 1 == 0 { -0.25 } else { 0.25 };
        (turn * DVec3::new(side(0), side(1), side(2)) * f64::from(UNITS)).round().as_ivec3().to_array()
    };
    Stand {
        turn: turn.to_cols_array_2d(),
        corner: corner.to_array(),
        rotation: rotation.to_cols_array_2d(),
        ways: std::array::from_fn(way),
        size: UNITS << relative.levels[0],
        owner: owner as u32,
        level: relative.levels[owner],
        to_face: u32::from(placement == Placement::Face),
    }
}

fn points(tree: &Tree, stand: &Stand, touches: &[Touch]) -> Vec<CollisionPoint> {
    let surface = Surface { nodes: tree.nodes(), normals: tree.normals() };
    (0..8 * touches.len()).filter_map(|index| discretise::point(stand, &surface, touches, index)).collect()
}

fn cells(mut points: Vec<CollisionPoint>) -> Vec<Cell> {
    points.sort_unstable_by_key(discretise::key);
    let keys: Vec<u32> = points.iter().map(discretise::key).collect();
    let segments = numbers(keys.len(), |index| discretise::begins_cell(&keys, index));
    let count = segments.last().map_or(0, |last| *last as usize + 1);
    let sums: Vec<Sums> = (0..count).map(|_| Sums::default()).collect();
    (0..points.len()).for_each(|index| discretise::accumulate(&points, &segments, &sums, index));
    assert_eq!(sums.iter().map(|sums| sums.count.load(Relaxed) as usize).sum::<usize>(), points.len());
    (0..count).map(|index| Cell::new(&sums, index)).collect()
}

/// All launches. The first octree's cells are not smaller than the second's.
fn on_device(first: &Placed<'_>, second: &Placed<'_>, options: &CollideOptions) -> Intersection {
    let relative = Relative::new(first, second, options.level).unwrap();
    let trees = [first.tree, second.tree];
    let touches = touches(trees, std::slice::from_ref(&relative)).remove(0);
    let points = [0, 1].map(|owner| points(trees[owner], &stand(&relative, owner, options.placement), &touches[owner]));
    let counts = Counts {
        points: [points[0].len() as u32, points[1].len() as u32],
        voxels: [touches[0].len() as u32, touches[1].len() as u32],
    };
    let cells = cells(points.concat());
    let (found, unclosed) = spans(&cells, &densities(&counts, relative.edge));
    let frame = frame(first, options.level, [0, 1]);
    let gradients = (0..2 * found.len()).map(|index| {
        let columns::Gradient { point, vector, depth, owner, .. } = columns::gradient(&frame, &found, index);
        Gradient { point: DVec3::from_array(point), vector: DVec3::from_array(vector), owner, depth }
    });
    Intersection {
        volume: volume(&frame, &found),
        gradients: gradients.collect(),
        points: counts.points.iter().sum(),
        unclosed,
        ..Intersection::default()
    }
}

#[test]
fn a_whole_collision_on_the_device_is_that_of_the_host() {
    let mut sum = 0;
    for (tree_level, level, placement) in
        [(3, 3, Placement::Middle), (5, 5, Placement::Face), (6, 5, Placement::Middle), (6, 6, Placement::Middle)]
    {
        let options = CollideOptions { level, placement };
        let shapes = shapes(tree_level);
        for (number, (lattice, tree)) in shapes.iter().enumerate() {
            let (other_lattice, other) = &shapes[(number + 1) % shapes.len()];
            for pose in poses() {
                let base = turned(DQuat::from_rotation_y(0.4), DVec3::new(0.1, 0.2, -0.3));
                let first = base.of(tree, lattice);
                let second = At(Pose::new(base.0.rotation, base.0.translation) * pose.0).of(other, other_lattice);
                let is_coarser = first.cell(level) >= second.cell(level);
                let (first, second) = if is_coarser { (first, second) } else { (second, first) };
                let found = on_device(&first, &second, &options);
                let expected = intersect(&first, &second, &options);
                assert_eq!((found.points, found.unclosed), (expected.points, expected.unclosed));
                assert!((found.volume - expected.volume).abs() <= 1e-13 * expected.volume);
                assert_eq!(found.gradients.len(), expected.gradients.len());
                for (found, expected) in found.gradients.iter().zip(&expected.gradients) {
                    assert_eq!((found.owner, found.depth), (expected.owner, expected.depth));
                    assert!(found.point.distance(expected.point) < 1e-13);
                    assert!(found.vector.distance(expected.vector) < 1e-15);
                }
                sum += found.gradients.len();
            }
        }
    }
    assert!(sum > 10_000, "{sum}");
}
