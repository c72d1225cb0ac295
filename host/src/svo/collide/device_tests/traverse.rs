//! Voxels that meet.

use std::sync::atomic::AtomicU32;

use fracas_kernels::node::Node;
use fracas_kernels::touch::{self, Query, Touch, Word};
use fracas_kernels::traverse::{self, Meeting, Pair, Reached, Walk};
use proptest::prelude::*;

use super::super::placed::{Boxes, Relative};
use super::super::touched::Sight;
use super::*;
use crate::svo::lattice::LEAST_LEVEL;

/// How two octrees stand to each other, in a pool that has the one after the other; and how many marks they need.
fn meeting(trees: [&Tree; 2], relative: &Relative, first_mark: u32) -> (Meeting, u32) {
    let Boxes { reach, children } = Boxes::new(relative);
    let levels = relative.levels.map(|level| level - LEAST_LEVEL);
    let ranges = [0, 1].map(|side| trees[side].attributes_of(levels[side]));
    let middle = 0.5 * f64::from(1u32 << relative.levels[1]);
    let meeting = Meeting {
        nodes: [0, trees[0].nodes().len() as u32],
        levels,
        attributes: [ranges[0].start, ranges[1].start],
        marks: [first_mark, first_mark + ranges[0].len() as u32],
        middles: [
            [0.5 * (1u32 << relative.levels[0]) as f32; 3],
            relative.point(DVec3::splat(middle)).as_vec3a().to_array(),
        ],
        reach: reach.map(|reach| reach.to_array()),
        children: children.map(|way| way.to_array()),
        half: 4.0,
    };
    (meeting, (ranges[0].len() + ranges[1].len()) as u32)
}

/// The launches, for all meetings of two octrees at once: the touched voxels of both.
pub(super) fn touches(trees: [&Tree; 2], relatives: &[Relative]) -> Vec<[Vec<Touch>; 2]> {
    let nodes: Vec<Node> = trees.iter().flat_map(|tree| tree.nodes()).copied().collect();
    let mut marks = 0;
    let meetings: Vec<Meeting> = relatives
        .iter()
        .map(|relative| {
            let (meeting, count) = meeting(trees, relative, marks);
            marks += count;
            meeting
        })
        .collect();
    let walk = Walk { nodes: &nodes, meetings: &meetings };
    let all_marks: Vec<AtomicU32> = (0..marks).map(|_| AtomicU32::new(0)).collect();
    let mut pairs: Vec<Pair> = (0..meetings.len()).filter_map(|index| traverse::root(&walk, index)).collect();
    while !pairs.is_empty() {
        let starts = starts((0..pairs.len()).map(|index| traverse::child_count(&walk, &pairs, index)));
        let mut next = vec![pairs[0]; starts[pairs.len()]];
        for index in 0..pairs.len() {
            traverse::descend(&walk, &pairs, &all_marks, index, &mut next[starts[index]..starts[index + 1]]);
        }
        pairs = next;
    }
    let reached = |number: usize, side: usize| -> Vec<Reached> {
        let (meeting, next) = (&meetings[number], meetings.get(number + 1));
        let start = meeting.marks[side] as usize;
        let end = if side == 0 { meeting.marks[1] } else { next.map_or(marks, |next| next.marks[0]) };
        let marks = &all_marks[start..end as usize];
        (0..marks.len()).filter_map(|index| traverse::reached(marks, index)).collect()
    };
    let touches = |number: usize, side: usize| {
        let Some(sight) = Sight::new(&relatives[number], side) else { return Vec::new() };
        let chunks = reached(number, side);
        let query = Query {
            view: &sight.view,
            ways: &sight.view.ways(),
            own: trees[side].grid(relatives[number].levels[side]),
            other: trees[1 - side].grid(sight.level),
            chunks: &chunks,
        };
        let words: Vec<Word> = (0..8 * chunks.len()).map(|index| touch::word(&query, index)).collect();
        let starts = starts(words.iter().map(Word::count));
        let mut touches = vec![Touch { attributes: 0, code: 0, deep: 0 }; starts[words.len()]];
        for index in 0..64 * words.len() {
            if let Some((place, touch)) = touch::touch(&query, &words, index) {
                touches[starts[index / 64] + place as usize] = touch;
            }
        }
        touches
    };
    (0..meetings.len()).map(|number| [touches(number, 0), touches(number, 1)]).collect()
}

/// Holds the marks of all meetings to the host's. Returns how many voxels were touched, and how many are deep.
fn check(trees: [&Tree; 2], relatives: &[Relative]) -> [usize; 2] {
    let mut sum = [0; 2];
    for (relative, found) in relatives.iter().zip(touches(trees, relatives)) {
        let mut scratch = Scratch::default();
        scratch.touch(trees, relative);
        for (mut expected, found) in scratch.touched.into_iter().zip(found) {
            expected.sort_unstable_by_key(|touch| touch.attributes);
            assert_eq!(found, expected);
            sum[0] += found.len();
            sum[1] += found.iter().filter(|touch| touch.deep == 1).count();
        }
    }
    sum
}

#[test]
fn touched_voxels_are_those_of_the_host() {
    for level in [3, 5, 6] {
        let shapes = shapes(level);
        let mut sum = [0; 2];
        for (number, (lattice, tree)) in shapes.iter().enumerate() {
            let (other_lattice, other) = &shapes[(number + 1) % shapes.len()];
            let first = turned(DQuat::IDENTITY, DVec3::ZERO).of(tree, lattice);
            let relatives = poses().map(|pose| {
                [level, level - 1].map(|level| Relative::new(&first, &pose.of(other, other_lattice), level).unwrap())
            });
            let [touched, deep] = check([tree, other], relatives.as_flattened());
            sum = [sum[0] + touched, sum[1] + deep];
        }
        assert!(sum[0] > 100 && sum[1] > 10, "{sum:?}");
    }
}

#[test]
fn octrees_of_different_levels_and_sizes_meet_alike() {
    let (lattice, tree) = block(DVec3::ONE, 6);
    for (other_lattice, other) in [ball(0.02, 5), ball(0.3, 4), ball(1.5, 3)] {
        let first = turned(DQuat::IDENTITY, DVec3::ZERO).of(&tree, &lattice);
        let second = turned(DQuat::from_rotation_x(0.7), DVec3::new(0.1, 0.2, 0.05)).of(&other, &other_lattice);
        let one_way = [2, 4, 10].map(|level| Relative::new(&first, &second, level).unwrap());
        let other_way = [2, 4, 10].map(|level| Relative::new(&second, &first, level).unwrap());
        assert!(check([&tree, &other], &one_way)[0] > 0);
        assert!(check([&other, &tree], &other_way)[0] > 0);
    }
    check([&tree, &tree], &[]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn bodies_anywhere_meet_alike(
        poses in prop::collection::vec(
            (prop::array::uniform3(-3.0..3.0f64), prop::array::uniform3(-0.7..0.7f64), 2u32..6),
            1..4,
        ),
    ) {
        let (lattice, tree) = block(DVec3::new(1.0, 0.7, 0.4), 5);
        let (other_lattice, other) = ball(0.3, 4);
        let first = turned(DQuat::IDENTITY, DVec3::ZERO).of(&tree, &lattice);
        let relatives: Vec<Relative> = poses
            .into_iter()
            .map(|(axis, place, level)| {
                let pose = turned(DQuat::from_scaled_axis(DVec3::from_array(axis)), DVec3::from_array(place));
                Relative::new(&first, &pose.of(&other, &other_lattice), level).unwrap()
            })
            .collect();
        check([&tree, &other], &relatives);
    }
}
