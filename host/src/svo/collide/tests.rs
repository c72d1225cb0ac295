use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;

use super::placed::{LEAST_OVERLAP, Relative};
use super::touched::Sight;
use super::*;
use crate::geometry::shapes::{Sphere, cuboid};
use crate::geometry::{Plane, Pose};
use crate::svo::dense::{Dense, Voxel};
use crate::svo::{Lattice, Tree, VoxeliseOptions, voxelise};
use fracas_kernels::morton;

pub(super) fn ball(radius: f64, level: u32) -> (Lattice, Tree) {
    let mesh = Sphere { radius, frequency: 48 }.mesh().unwrap();
    voxelise(&mesh, &VoxeliseOptions { level, ..VoxeliseOptions::default() }).unwrap()
}

pub(super) fn block(size: DVec3, level: u32) -> (Lattice, Tree) {
    voxelise(&cuboid(size), &VoxeliseOptions { level, ..VoxeliseOptions::default() }).unwrap()
}

pub(super) struct At(pub(super) Pose);

impl At {
    pub(super) fn of<'a>(&self, tree: &'a Tree, lattice: &'a Lattice) -> Placed<'a> {
        Placed { tree, lattice, pose: self.0 }
    }
}

pub(super) fn turned(rotation: DQuat, translation: DVec3) -> At {
    At(Pose::new(rotation, translation))
}

fn rotations() -> Vec<DQuat> {
    [DVec3::ZERO, DVec3::new(0.0, 0.0, 0.5), DVec3::new(0.3, 0.7, -0.2), DVec3::new(-1.1, 0.2, 2.0)]
        .map(DQuat::from_scaled_axis)
        .to_vec()
}

/// Force and torque of all gradients, which must vanish, against the sum of their lengths.
fn check_balance(intersection: &Intersection) {
    let force: DVec3 = intersection.gradients.iter().map(|gradient| gradient.vector).sum();
    let torque: DVec3 = intersection.gradients.iter().map(|gradient| gradient.point.cross(gradient.vector)).sum();
    let total: f64 = intersection.gradients.iter().map(|gradient| gradient.vector.length()).sum();
    assert!(force.length() <= 1e-12 * total, "force {force}");
    assert!(torque.length() <= 1e-12 * total * 10.0, "torque {torque}");
}

/// The volume that two balls share.
fn lens(one: f64, other: f64, distance: f64) -> f64 {
    if distance <= (one - other).abs() {
        return 4.0 / 3.0 * PI * one.min(other).powi(3);
    }
    if distance >= one + other {
        return 0.0;
    }
    let reach = one + other - distance;
    let rest = distance * distance + 2.0 * distance * (one + other) - 3.0 * (one - other).powi(2);
    PI * reach * reach * rest / (12.0 * distance)
}

#[test]
fn balls_share_a_lens() {
    for (radius, other_radius) in [(0.5, 0.5), (0.5, 0.37), (0.3, 0.5)] {
        let (lattice, tree) = ball(radius, 8);
        let (other_lattice, other_tree) = ball(other_radius, 8);
        for rotation in rotations() {
            for overlap in [0.05, 0.15, 0.4] {
                let distance = radius + other_radius - overlap;
                let way = DVec3::new(0.5, -0.3, 0.7).normalize();
                let first = At(Pose::IDENTITY).of(&tree, &lattice);
                let second = turned(rotation, way * distance).of(&other_tree, &other_lattice);
                let found = intersect(&first, &second, &CollideOptions::default());
                let expected = lens(radius, other_radius, distance);
                check_balance(&found);
                let step = 1e-5;
                let slope = (lens(radius, other_radius, distance + step) - lens(radius, other_radius, distance - step))
                    / (2.0 * step);
                let gradient = found.gradient(1);
                println!(
                    "{radius} {other_radius} {overlap}: volume {:+.2} %, gradient {:+.2} %, across {:.3} unclosed {} points {}",
                    100.0 * (found.volume / expected - 1.0),
                    100.0 * (gradient.dot(way) / slope - 1.0),
                    (gradient - way * gradient.dot(way)).length() / gradient.length(),
                    found.unclosed,
                    found.points,
                );
                assert!((found.volume / expected - 1.0).abs() < 0.03);
                assert!((gradient / slope - way).length() < 0.03);
            }
        }
    }
}

#[test]
fn blocks_share_a_block() {
    let (lattice, tree) = block(DVec3::new(1.0, 0.8, 0.6), 8);
    for (size, offset) in [
        (DVec3::new(1.0, 0.8, 0.6), DVec3::new(0.7, 0.5, 0.35)),
        (DVec3::new(0.9, 0.7, 0.5), DVec3::new(0.6, 0.5, 0.31)),
        (DVec3::new(0.4, 0.5, 0.6), DVec3::new(0.5, 0.0, 0.0)),
    ] {
        let (other_lattice, other_tree) = block(size, 8);
        let one = DVec3::new(1.0, 0.8, 0.6);
        let high = (0.5 * one).min(offset + 0.5 * size);
        let low = (-0.5 * one).max(offset - 0.5 * size);
        let expected = (high - low).element_product();
        let first = At(Pose::IDENTITY).of(&tree, &lattice);
        let second = At(Pose::at(offset)).of(&other_tree, &other_lattice);
        // Both turned together: nothing changes but rounding.
        let spin = rotations()[2];
        let both = [
            intersect(&first, &second, &CollideOptions::default()),
            intersect(&second, &first, &CollideOptions::default()),
            intersect(
                &turned(spin, DVec3::ONE).of(&tree, &lattice),
                &turned(spin, DVec3::ONE + spin * offset).of(&other_tree, &other_lattice),
                &CollideOptions::default(),
            ),
        ];
        for found in both {
            check_balance(&found);
            println!("{size}: {:+.2} % unclosed {}", 100.0 * (found.volume / expected - 1.0), found.unclosed);
            assert!((found.volume / expected - 1.0).abs() < 0.03);
        }
    }
}

#[test]
fn a_turned_block_in_a_block_is_as_large_as_it_is() {
    // A bar that sticks into a slab: the shared part is known for a turn about the axis along which it sticks in.
    let (lattice, tree) = block(DVec3::new(1.0, 1.0, 0.4), 8);
    let (bar_lattice, bar) = block(DVec3::new(0.3, 0.2, 0.7), 8);
    for angle in [0.0, 0.2, 0.6, 1.1] {
        for depth in [0.01, 0.1, 0.2] {
            let expected = 0.3 * 0.2 * depth;
            let pose = turned(DQuat::from_rotation_z(angle), DVec3::new(0.05, 0.1, 0.2 + 0.35 - depth));
            let found = intersect(
                &At(Pose::IDENTITY).of(&tree, &lattice),
                &pose.of(&bar, &bar_lattice),
                &CollideOptions::default(),
            );
            check_balance(&found);
            let push = found.gradient(0);
            println!(
                "{angle} {depth}: {:+.2} % push {push} ({:+.2} %) unclosed {}",
                100.0 * (found.volume / expected - 1.0),
                100.0 * (push.z / 0.06 - 1.0),
                found.unclosed
            );
            // Flat faces lie somewhere in a layer of voxels, and each of the two may be off by half of one.
            assert!((found.volume - expected).abs() < 0.06 * (0.02 * depth + 0.7 * lattice.voxel));
            assert!((push - DVec3::new(0.0, 0.0, 0.06)).length() < 0.05 * 0.06);
        }
    }
}

#[test]
fn what_is_wholly_inside_shares_all_of_itself() {
    let (lattice, tree) = block(DVec3::ONE, 7);
    for (other_lattice, other, expected) in [
        {
            let (lattice, tree) = block(DVec3::new(0.5, 0.3, 0.4), 7);
            (lattice, tree, 0.06)
        },
        {
            let (lattice, tree) = ball(0.3, 7);
            (lattice, tree, lens(0.3, 0.3, 0.0))
        },
        {
            // Smaller than a voxel of the one around it.
            let (lattice, tree) = block(DVec3::new(0.005, 0.003, 0.004), 7);
            (lattice, tree, 6e-8)
        },
    ] {
        for rotation in rotations() {
            let pose = turned(rotation, DVec3::new(0.05, 0.02, -0.03));
            let found = intersect(
                &At(Pose::IDENTITY).of(&tree, &lattice),
                &pose.of(&other, &other_lattice),
                &CollideOptions::default(),
            );
            check_balance(&found);
            println!("inside {:+.2} % unclosed {}", 100.0 * (found.volume / expected - 1.0), found.unclosed);
            assert!((found.volume / expected - 1.0).abs() < 0.03);
            assert!(found.gradients.iter().all(|gradient| gradient.owner == 1));
            assert!(found.gradient(1).length() < 1e-12);
            assert!(found.unclosed as usize <= found.gradients.len() / 100);
        }
    }
}

#[test]
fn contacts_point_out_of_the_other() {
    let (lattice, tree) = block(DVec3::ONE, 6);
    let above = At(Pose::at(DVec3::new(0.2, 0.1, 0.9)));
    let found =
        intersect(&above.of(&tree, &lattice), &At(Pose::IDENTITY).of(&tree, &lattice), &CollideOptions::default());
    let contacts = found.contacts();
    assert!(!contacts.is_empty());
    for contact in &contacts {
        assert!(contact.normal.z > 0.95, "{contact:?}");
        assert!((contact.depth - 0.1).abs() < 2.0 * lattice.voxel, "{contact:?}");
        assert!((contact.point.z - 0.45).abs() < 2.0 * lattice.voxel);
    }
}

#[test]
fn below_a_plane_is_a_cap() {
    let (lattice, tree) = ball(0.5, 8);
    for normal in [DVec3::Z, DVec3::new(0.2, -0.5, 0.8), DVec3::new(1.0, 1.0, -1.0), DVec3::new(0.0, 1.0, 0.01)] {
        let normal = normal.normalize();
        for height in [0.02, 0.1, 0.5, 0.8] {
            let pose = turned(rotations()[2], DVec3::new(3.0, 1.0, 2.0));
            let ground = Plane::through(pose.0.translation + normal * (height - 0.5), normal);
            let found = intersect_half_space(&pose.of(&tree, &lattice), &ground, &CollideOptions::default());
            check_balance(&found);
            let expected = PI * height * height * (1.5 - height) / 3.0;
            let area = PI * height * (1.0 - height);
            let push = found.gradient(0);
            println!(
                "{height}: {:+.2} % area {:+.2} % {} {}",
                100.0 * (found.volume / expected - 1.0),
                100.0 * (push.length() / area - 1.0),
                push.normalize().dot(normal),
                found.unclosed
            );
            assert!((found.volume / expected - 1.0).abs() < 0.03);
            assert!((push / area + normal).length() < 0.03);
            assert_eq!(found.unclosed, 0);
        }
    }
}

#[test]
fn nothing_panics_on_odd_input() {
    let (lattice, tree) = block(DVec3::new(1.0, 0.01, 0.01), 3);
    let (other_lattice, other) = ball(0.4, 6);
    let first = At(Pose::IDENTITY).of(&tree, &lattice);
    for level in 0..12 {
        for x in [0.0, 0.3, 0.6, 5.0, f64::NAN, f64::INFINITY, 1e300] {
            let second = At(Pose::at(DVec3::new(x, 0.1, 0.0))).of(&other, &other_lattice);
            let options = CollideOptions { level, ..CollideOptions::default() };
            let found = intersect(&first, &second, &options);
            assert!(found.volume.is_finite() && found.volume >= 0.0);
            if x.is_nan() || x.abs() >= 2.0 {
                assert_eq!(found, Intersection { clearance: found.clearance, ..Intersection::default() });
            }
            found.contacts();
            intersect_half_space(&second, &Plane { normal: DVec3::Z, offset: x }, &options);
        }
    }
}

#[test]
fn what_is_apart_may_move_by_its_clearance() {
    let (lattice, tree) = ball(0.5, 6);
    for rotation in rotations() {
        let between = |gap: f64| {
            let pose = turned(rotation, DVec3::new(0.6, -0.48, 0.64).normalize() * (1.0 + gap));
            let first = At(Pose::IDENTITY).of(&tree, &lattice);
            intersect(&first, &pose.of(&tree, &lattice), &CollideOptions::default())
        };
        let gaps = (-4..48).map(|step| 0.25 * f64::from(step) * lattice.voxel);
        let found: Vec<(f64, Intersection)> = gaps.map(|gap| (gap, between(gap))).collect();
        for (gap, intersection) in &found {
            let reached = found.iter().filter(|(nearer, _)| gap - nearer < intersection.clearance);
            assert!(reached.into_iter().all(|(nearer, other)| nearer > gap || other.points == 0), "{gap}");
        }
        assert!(found.last().is_some_and(|(_, apart)| apart.clearance > lattice.voxel));
        assert_eq!(found[0].1.clearance, 0.0);
    }
}

/// The boundary voxels of one side whose boxes, in voxels of the other and made larger by some length, meet boundary voxels
/// or the inside of the other, by brute force; and those among them whose middles are inside.
fn brute(trees: [&Tree; 2], relative: &Relative, side: usize, more: f64) -> [BTreeSet<u32>; 2] {
    let level = Sight::new(relative, side).unwrap().level;
    let others = Dense::new(trees[1 - side]);
    let scale = f64::from(1u32 << (trees[1 - side].level() - level));
    let mut solid = BTreeMap::new();
    for voxel in others.all().filter(|&voxel| others.get(voxel) != Voxel::Outside) {
        let coarse = voxel.map(|coordinate| coordinate / scale as i32);
        let is_boundary: &mut bool = solid.entry(coarse).or_default();
        *is_boundary |= others.get(voxel) == Voxel::Boundary;
    }
    let shift = f64::from(1u32 << (relative.levels[1 - side] - level));
    let [turn, corner] = match side {
        1 => [relative.turn, DMat3::from_diagonal(relative.corner)],
        _ => [relative.turn.inverse(), DMat3::from_diagonal(-(relative.turn.inverse() * relative.corner))],
    };
    let place = |point: DVec3| (turn * point + corner * DVec3::ONE) / shift;
    let reach = DVec3::from_array([0, 1, 2].map(|axis| 0.5 * turn.row(axis).abs().element_sum())) / shift;
    let mut found = [BTreeSet::new(), BTreeSet::new()];
    trees[side].visit(&mut |node, level, code| {
        if level != relative.levels[side] || !node.is_boundary() {
            return;
        }
        let middle = place(DVec3::from_array(morton::decode_30(code).map(f64::from)) + 0.5);
        for (&voxel, &is_boundary) in &solid {
            let away = (middle - DVec3::from_array(voxel.map(f64::from)) - 0.5).abs();
            let holds = away.max_element() < 0.5 + more;
            if holds || (away - reach - 0.5).max_element() < more - LEAST_OVERLAP {
                found[0].insert(code);
            }
            if !is_boundary && holds {
                found[1].insert(code);
            }
        }
    });
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_traversal_finds_what_brute_force_finds(
        axis in prop::array::uniform3(-3.0..3.0f64),
        offset in prop::array::uniform3(-0.6..0.6f64),
        level in 3u32..6,
        size in 0.05..0.6f64,
    ) {
        let (lattice, tree) = block(DVec3::new(1.0, 0.7, 0.4), 5);
        let (other_lattice, other) = ball(size, 4);
        let pose = turned(DQuat::from_scaled_axis(DVec3::from_array(axis)), DVec3::from_array(offset));
        let (first, second) = (At(Pose::IDENTITY).of(&tree, &lattice), pose.of(&other, &other_lattice));
        let options = CollideOptions { level, ..CollideOptions::default() };
        let comparison = Comparison::new(&first, &second, &options).unwrap();
        let (relative, [tree, other]) = (&comparison.relative, comparison.trees());
        let mut scratch = Scratch::default();
        scratch.touch(&comparison);
        for side in 0..2 {
            let touched = &scratch.touched[side];
            let codes = |is_deep: bool| touched.iter().filter(move |touch| touch.deep == 1 || !is_deep).map(|touch| touch.code);
            for (what, is_deep) in [false, true].into_iter().enumerate() {
                let found: BTreeSet<u32> = codes(is_deep).collect();
                prop_assert_eq!(found.len(), codes(is_deep).count());
                // Boxes that meet by a rounding error may count or not.
                prop_assert!(found.is_superset(&brute([tree, other], relative, side, -1e-6)[what]));
                prop_assert!(found.is_subset(&brute([tree, other], relative, side, 1e-6)[what]));
            }
            let range = [tree, other][side].attributes_of(relative.levels[side]);
            let numbered: BTreeMap<u32, u32> = touched.iter().map(|touch| (touch.code, touch.attributes)).collect();
            let mut attributes = range;
            [tree, other][side].visit(&mut |node, level, code| {
                if level == relative.levels[side] && node.is_boundary() {
                    assert_eq!(attributes.next(), Some(node.attributes));
                    assert!(numbered.get(&code).is_none_or(|&number| number == node.attributes));
                }
            });
        }
    }
}
