use glam::DVec3;
use proptest::prelude::*;

use super::{BuildMemory, Bvh};
use crate::geometry::{Aabb, shapes};

/// Boxes on small integers (so that many are equal, flat or touch), some of them far out or far apart.
fn boxes(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Aabb>> {
    let corner = || prop::array::uniform3(-6i32..=6);
    let scale = prop_oneof![Just(1.0), Just(0.1), Just(1e-30), Just(1e12), Just(1e200), Just(3e307)];
    (
        prop::collection::vec((corner(), prop::array::uniform3(0i32..=3)), count),
        scale,
        prop_oneof![Just(0.0), Just(1e5)],
    )
        .prop_map(|(boxes, scale, shift)| {
            let point = |p: [i32; 3]| {
                DVec3::from_array(p.map(|c| (f64::from(c) + shift) * scale)).clamp(DVec3::MIN, DVec3::MAX)
            };
            boxes
                .into_iter()
                .map(|(low, size)| Aabb { min: point(low), max: point(std::array::from_fn(|i| low[i] + size[i])) })
                .collect()
        })
}

fn brute_force(boxes: &[Aabb], others: &[Aabb], overlap: impl Fn(&Aabb, &Aabb) -> bool, own: bool) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in others.iter().enumerate() {
            if (!own || i < j) && overlap(a, b) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

/// Whether boxes overlap as a tree rounds them.
fn rounded(tree: &Bvh) -> impl Fn(&Aabb, &Aabb) -> bool {
    |a, b| tree.frame.leaf(0, a).overlaps(&tree.frame.leaf(0, b))
}

/// Whether boxes of two trees overlap as a search between them rounds them.
fn rounded_between(tree: &Bvh, other: &Bvh) -> impl Fn(&Aabb, &Aabb) -> bool {
    |a, b| {
        let (a, b) = (tree.frame.leaf(0, a), other.frame.leaf(0, b));
        match (tree.frame == other.frame, tree.len() >= other.len()) {
            (true, _) => a.overlaps(&b),
            (_, true) => a.overlaps(&tree.frame.adopt(&other.frame, b)),
            _ => other.frame.adopt(&tree.frame, a).overlaps(&b),
        }
    }
}

/// In memory of larger trees, smaller ones, none at all: nothing of what was there is seen.
#[test]
fn trees_built_again_are_those_built_anew() {
    let (mut bvh, mut memory) = (Bvh::default(), BuildMemory::default());
    for frequency in [3, 40, 12, 0, 25, 60, 40, 2] {
        let boxes: Vec<Aabb> = match frequency {
            0 => Vec::new(),
            _ => shapes::Sphere { radius: 0.1 * f64::from(frequency), frequency }
                .mesh()
                .expect("a sphere")
                .iter_corners()
                .map(Aabb::of_points)
                .collect(),
        };
        bvh.rebuild(&boxes, &mut memory);
        bvh.assert_well_formed();
        assert_eq!(bvh, Bvh::build(&boxes), "{} boxes", boxes.len());
    }
}

proptest! {
    #[test]
    fn pairs_are_those_of_brute_force(boxes in boxes(0..60), others in boxes(0..30)) {
        let (bvh, other) = (Bvh::build(&boxes), Bvh::build(&others));
        bvh.assert_well_formed();
        let pairs = bvh.collect_self_pairs();
        prop_assert_eq!(&pairs, &brute_force(&boxes, &boxes, rounded(&bvh), true));
        for pair in brute_force(&boxes, &boxes, |a, b| a.intersects(b), true) {
            prop_assert!(pairs.binary_search(&pair).is_ok());
        }
        let mut visited = Vec::new();
        bvh.self_pairs(|a, b| visited.push([a, b]));
        visited.sort_unstable();
        prop_assert_eq!(visited, pairs);
        let crossing = bvh.collect_pairs_with(&other);
        prop_assert_eq!(&crossing, &brute_force(&boxes, &others, rounded_between(&bvh, &other), false));
        for pair in brute_force(&boxes, &others, |a, b| a.intersects(b), false) {
            prop_assert!(crossing.binary_search(&pair).is_ok());
        }
        let mut visited = Vec::new();
        bvh.pairs_with(&other, |a, b| visited.push([a, b]));
        visited.sort_unstable();
        prop_assert_eq!(visited, crossing);
    }

    #[test]
    fn a_box_finds_what_it_overlaps(boxes in boxes(1..60)) {
        let asked = boxes[0];
        let mut found = Vec::new();
        let bvh = Bvh::build(&boxes[1..]);
        bvh.overlapping(&asked, |number| found.push(number as usize));
        found.sort_unstable();
        let expected: Vec<usize> = (0..boxes.len() - 1).filter(|&i| rounded(&bvh)(&asked, &boxes[i + 1])).collect();
        prop_assert!((1..boxes.len()).all(|i| !asked.intersects(&boxes[i]) || found.contains(&(i - 1))));
        prop_assert_eq!(found, expected);
    }

    /// Integer rays against integer boxes: the exact answer is a comparison of fractions.
    #[test]
    fn a_ray_meets_every_box_on_its_way(
        boxes in prop::collection::vec((prop::array::uniform3(-6i32..=6), prop::array::uniform3(0i32..=3)), 1..60),
        origin in prop::array::uniform3(-9i32..=9), direction in prop::array::uniform3(-4i32..=4), limit in 0i32..5,
    ) {
        let hits = |(low, size): ([i32; 3], [i32; 3])| {
            // The bounds of t as fractions with positive denominators.
            let (mut enter, mut leave) = ((0, 1), (limit, 1));
            for axis in 0..3 {
                let (a, b) = (low[axis] - origin[axis], low[axis] + size[axis] - origin[axis]);
                let d = direction[axis];
                if d == 0 {
                    if a > 0 || b < 0 {
                        return None;
                    }
                    continue;
                }
                let (near, far) = if d > 0 { ((a, d), (b, d)) } else { ((-b, -d), (-a, -d)) };
                if near.0 * enter.1 > enter.0 * near.1 { enter = near; }
                if far.0 * leave.1 < leave.0 * far.1 { leave = far; }
            }
            (enter.0 * leave.1 <= leave.0 * enter.1).then(|| f64::from(enter.0) / f64::from(enter.1))
        };
        let aabbs: Vec<Aabb> = boxes.iter().map(|&(low, size)| Aabb {
            min: DVec3::from_array(low.map(f64::from)),
            max: DVec3::from_array(std::array::from_fn(|i| f64::from(low[i] + size[i]))),
        }).collect();
        let bvh = Bvh::build(&aabbs);
        let (origin, direction) = (origin.map(f64::from).into(), direction.map(f64::from).into());
        let mut found = vec![false; boxes.len()];
        bvh.ray(origin, direction, limit.into(), |number, limit| { found[number as usize] = true; limit });
        let mut nearest: Option<(u32, f64)> = None;
        for (i, &on_way) in boxes.iter().enumerate() {
            prop_assert!(found[i] || hits(on_way).is_none());
            if let Some(t) = hits(on_way) && nearest.is_none_or(|(_, best)| t < best) {
                nearest = Some((i as u32, t));
            }
        }
        prop_assert_eq!(bvh.ray_nearest(origin, direction, limit.into(), |i| hits(boxes[i as usize])), nearest);
    }
}

#[test]
fn odd_boxes_meet_nothing_and_break_nothing() {
    let nan = Aabb { min: DVec3::NAN, max: DVec3::ONE };
    let all = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
    let bvh = Bvh::build(&[Aabb::EMPTY, nan, all, Aabb::around(DVec3::ONE, DVec3::ONE), Aabb::EMPTY]);
    bvh.assert_well_formed();
    assert_eq!(bvh.collect_self_pairs(), [[2, 3]]);
    let mut met = Vec::new();
    bvh.ray(DVec3::ONE, DVec3::new(1.0, 0.0, 1e-320), 1.0, |number, limit| {
        met.push(number);
        limit
    });
    met.sort_unstable();
    assert_eq!(met, [2, 3]);
}

#[test]
fn pairs_do_not_multiply_away_from_the_origin_or_at_extreme_sizes() {
    let mesh = shapes::Sphere { radius: 1.0, frequency: 10 }.mesh().unwrap();
    let boxes = |scale: f64, shift: f64| -> Vec<Aabb> {
        mesh.iter_corners().map(|t| Aabb::of_points(t.map(|corner| corner * scale + shift))).collect()
    };
    let here = Bvh::build(&boxes(1.0, 0.0)).collect_self_pairs().len();
    for (scale, shift) in [(1.0, 5e6), (1.0, 1e8), (1e-60, 0.0), (1e60, 0.0), (1e-60, 1e-55), (1e300, -1e302)] {
        let boxes = boxes(scale, shift);
        let bvh = Bvh::build(&boxes);
        bvh.assert_well_formed();
        let pairs = bvh.collect_self_pairs();
        assert!(pairs.len() <= 2 * here, "{} pairs at {shift}, {here} at the origin", pairs.len());
        for pair in brute_force(&boxes, &boxes, |a, b| a.intersects(b), true) {
            assert!(pairs.binary_search(&pair).is_ok());
        }
        let between = Bvh::build(&boxes[..300]).collect_pairs_with(&bvh);
        for pair in brute_force(&boxes[..300], &boxes, |a, b| a.intersects(b), false) {
            assert!(between.binary_search(&pair).is_ok());
        }
        assert!(between.len() <= 4 * here);
        for (number, aabb) in boxes.iter().enumerate() {
            let target = aabb.center();
            let from = target + scale * DVec3::new(3.0, -5.0, 4.0);
            let mut met = false;
            bvh.ray(from, target - from, 1.0, |other, limit| {
                met |= other as usize == number;
                limit
            });
            assert!(met, "the ray to the middle of box {number} misses it");
        }
    }
}

#[test]
fn every_number_of_threads_gives_the_same_tree() {
    let boxes: Vec<Aabb> = (0..20_000u32)
        .map(|i| {
            let center = DVec3::new((i % 27) as f64, (i % 97) as f64 * 0.3, (i / 500) as f64);
            Aabb::around(center, DVec3::splat(0.2))
        })
        .collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let bvh = Bvh::build(&boxes);
            let pairs = bvh.collect_self_pairs();
            (bvh, pairs)
        })
    };
    let one = run(1);
    one.0.assert_well_formed();
    assert_eq!(one, run(3));
    assert!(!one.1.is_empty());
}
