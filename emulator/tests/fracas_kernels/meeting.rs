//! Two octrees that meet: the walk through both, and the voxels that touch.

use std::sync::atomic::AtomicU32;

use fracas_kernels::arguments::{touch as touch_arguments, traverse as arguments};
use fracas_kernels::node::Node;
use fracas_kernels::touch::{self, FRACTION, GridPlace, Grids, Query, Sight, View};
use fracas_kernels::traverse::{self, LEVELS, Meeting, Pair, Reached, Walk};

use super::gpu::{Gpu, Random, exclusive, in_every_way, map};
use super::octree::{Chunks, Octree};

/// The second octree's voxels are 1.25 of the first one's, along the same axes.
fn meeting(octrees: [&Octree; 2], corner: [f32; 3], marks: [u32; 2]) -> Meeting {
    let levels = octrees.map(|octree| octree.level - 1);
    let size = 1.25 * (1 << levels[1]) as f32;
    Meeting {
        nodes: [0, octrees[0].nodes.len() as u32],
        levels,
        attributes: [0, 1].map(|side| octrees[side].first_attributes(levels[side])),
        marks,
        middles: [[0.5 * (1 << levels[0]) as f32; 3], corner.map(|coordinate| coordinate + 0.5 * size)],
        reach: std::array::from_fn::<_, LEVELS, _>(|level| [0.5 * size / (1 << level) as f32 - 0.1; 3]),
        children: std::array::from_fn(|child| {
            [0, 1, 2].map(|axis: usize| if child >> axis & 1 == 0 { -0.25 * size } else { 0.25 * size })
        }),
        half: 0.5,
    }
}

/// A round of the walk on both sides.
fn descend(gpu: &Gpu, walk: &Walk<'_>, on_device: arguments::Walk, pairs: &[Pair], marks: &[AtomicU32]) -> Vec<Pair> {
    let list = gpu.upload(pairs);
    let counts = map(pairs.len(), |index| traverse::child_count(walk, pairs, index));
    let counted = gpu.output(pairs.len());
    gpu.launch(&arguments::ChildCount { walk: on_device, pairs: list, counts: counted });
    gpu.expect(counted, &counts);

    let before: Vec<u32> = marks.iter().map(|mark| mark.load(std::sync::atomic::Ordering::Relaxed)).collect();
    let device_marks = gpu.upload_mut(&before);
    let (starts, total) = exclusive(&counts);
    let mut children = vec![bytemuck::Zeroable::zeroed(); total];
    for index in 0..pairs.len() {
        let start = starts[index] as usize;
        traverse::descend(walk, pairs, marks, index, &mut children[start..start + counts[index] as usize]);
    }
    let output = gpu.output(total);
    gpu.launch(&arguments::Descend {
        walk: on_device,
        pairs: list,
        starts: gpu.upload(&starts),
        marks: device_marks.shared(),
        output,
    });
    gpu.expect(output, &children);
    let after: Vec<u32> = marks.iter().map(|mark| mark.load(std::sync::atomic::Ordering::Relaxed)).collect();
    gpu.expect(device_marks, &after);
    children
}

/// What the marks of all octrees give.
fn take_reached(gpu: &Gpu, meetings: &[Meeting], marks: &[AtomicU32]) -> Vec<Reached> {
    let values: Vec<u32> = marks.iter().map(|mark| mark.load(std::sync::atomic::Ordering::Relaxed)).collect();
    let on_device = gpu.upload_mut(&values).shared();
    let counts = map(marks.len(), |index| traverse::is_reached(marks, index).value);
    let counted = gpu.output(marks.len());
    gpu.launch(&arguments::IsReached { marks: on_device, counts: counted });
    gpu.expect(counted, &counts);
    let (starts, total) = exclusive(&counts);
    let output = gpu.output(total);
    let on_device = arguments::TakeReached {
        meetings: gpu.upload(meetings),
        marks: on_device,
        starts: gpu.upload(&starts),
        output,
    };
    gpu.launch(&on_device);
    let expected: Vec<Reached> =
        (0..marks.len()).filter_map(|index| traverse::reached(meetings, marks, index)).collect();
    gpu.expect(output, &expected);
    expected
}

#[test]
fn walks_through_pairs_of_octrees() {
    in_every_way(|gpu| {
        let octrees = [&Octree::ball(5, 15.5, 0.0), &Octree::ball(4, 6.0, 3.0)];
        let nodes: Vec<Node> = octrees.iter().flat_map(|octree| octree.nodes.iter().copied()).collect();
        for count in [0, 1, 31, 33, if gpu.is_slow() { 64 } else { 257 }] {
            let mut random = Random(count as u64);
            let of_level = octrees.map(|octree| octree.boundary[octree.level as usize - 1]);
            let each = of_level[0] + of_level[1];
            let meetings: Vec<Meeting> = (0..count as u32)
                .map(|number| {
                    let corner = [0; 3].map(|_: u8| random.between(-160, 130) as f32 / 16.0);
                    meeting(octrees, corner, [number * each, number * each + of_level[0]])
                })
                .collect();
            let walk = Walk { nodes: &nodes, meetings: &meetings };
            let on_device = arguments::Walk { nodes: gpu.upload(&nodes), meetings: gpu.upload(&meetings) };
            let roots = map(count, |index| traverse::root(&walk, index));
            let has_root: Vec<u32> = roots.iter().map(|root| u32::from(root.is_some())).collect();
            let counts = gpu.output(count);
            gpu.launch(&arguments::HasRoot { walk: on_device, counts });
            gpu.expect(counts, &has_root);
            let (starts, total) = exclusive(&has_root);
            let pairs = gpu.output(total);
            gpu.launch(&arguments::Root { walk: on_device, starts: gpu.upload(&starts), pairs });
            let mut found: Vec<Pair> = roots.into_iter().flatten().collect();
            gpu.expect(pairs, &found);

            let marks: Vec<AtomicU32> = (0..count as u32 * each).map(|_| AtomicU32::new(0)).collect();
            while !found.is_empty() {
                found = descend(gpu, &walk, on_device, &found, &marks);
            }
            let reached = take_reached(gpu, &meetings, &marks);
            assert!(count < 31 || reached.len() > 100);
        }
    });
}

#[test]
fn voxels_that_touch() {
    in_every_way(|gpu| {
        let [own, other] = [Octree::ball(5, 14.5, 0.0), Octree::ball(4, 7.5, 3.0)].map(|octree| Chunks::new(&octree));
        let unit = 1 << (FRACTION - 4);
        // Slightly turned, so that a step along one axis is one along all.
        let view = View {
            corner: [-100 * unit, 30 * unit, -37 * unit],
            steps: [[10 * unit, unit, -unit], [-unit, 10 * unit, unit], [unit, -unit, 10 * unit]],
            reach: [6 * unit; 3],
            least: unit,
        };
        let far = View { corner: [-4000 * unit, 30 * unit, -37 * unit], ..view };
        let [numbers, chunks] = [own.numbers.len() as u32, own.chunks.len() as u32];
        let place = |grid: &Chunks, numbers, chunks| GridPlace { low: [0; 3], size: [grid.size; 3], numbers, chunks };
        let (first, second) = (place(&own, 0, 0), place(&other, numbers, chunks));
        // Of the first octree in the second and the other way around, and a meeting of the same two far apart.
        let sights = [(view, first, second), (view, second, first), (far, first, second), (far, second, first)]
            .map(|(view, own, other)| Sight { view, own, other });
        let (numbers, chunks) = ([own.numbers, other.numbers].concat(), [own.chunks, other.chunks].concat());
        let ways = map(64 * sights.len(), |index| touch::way(&sights, index));
        let made = touch_arguments::MakeWay { sights: gpu.upload(&sights), ways: gpu.output(ways.len()) };
        gpu.launch(&made);
        gpu.expect(made.ways, &ways);
        let all: Vec<Reached> = [(0, &own.reached), (1, &other.reached), (2, &own.reached)]
            .into_iter()
            .flat_map(|(sight, reached)| reached.iter().map(move |&reached| Reached { sight, ..reached }))
            .collect();
        for count in [0, 1, 31, 33, all.len()] {
            let grids = Grids { numbers: &numbers, chunks: &chunks };
            let query = Query { sights: &sights, ways: &ways, grids, chunks: &all[..count] };
            let on_device = touch_arguments::Query {
                sights: made.sights,
                ways: made.ways.read_only(),
                numbers: gpu.upload(&numbers),
                grid_chunks: gpu.upload(&chunks),
                chunks: gpu.upload(query.chunks),
            };
            touch_all(gpu, &query, on_device, count == all.len());
        }
    });
}

/// Words, voxels, where those of each sight start, and what is near, each compared with the host.
fn touch_all(gpu: &Gpu, query: &Query<'_>, on_device: touch_arguments::Query, is_all: bool) {
    let count = 8 * query.chunks.len();
    let expected = map(count, |index| touch::word(query, index));
    let counts: Vec<u32> = expected.iter().map(|word| word.count()).collect();
    let made = touch_arguments::MakeWord { query: on_device, words: gpu.output(count), counts: gpu.output(count) };
    gpu.launch(&made);
    gpu.expect(made.words, &expected);
    gpu.expect(made.counts, &counts);

    let (starts, total) = exclusive(&counts);
    let output = gpu.output(total);
    let words = made.words.read_only();
    gpu.launch(&touch_arguments::TakeTouch { query: on_device, words, starts: gpu.upload(&starts), output });
    let touches: Vec<touch::Touch> = (0..64 * expected.len())
        .filter_map(|index| touch::touch(query, &expected, index))
        .map(|(_, touch)| touch)
        .collect();
    gpu.expect(output, &touches);
    assert!(!is_all || touches.len() > 50);

    let sights = query.sights.len();
    let firsts = gpu.output(sights + 1);
    gpu.launch(&touch_arguments::FirstOfSight { touches: output.read_only(), firsts });
    let expected = map(sights + 1, |index| touch::first_of_sight(&touches, index));
    gpu.expect(firsts, &expected);
    for distance in [0, 1 << (FRACTION + 6), 1 << (FRACTION + 9)] {
        let marks: Vec<AtomicU32> = (0..sights / 2).map(|_| AtomicU32::new(0)).collect();
        (0..count).for_each(|index| touch::mark_near(query, &expected, distance, &marks, index));
        let on_marks = gpu.upload_mut(&vec![0; marks.len()]);
        let firsts = firsts.read_only();
        gpu.launch(&touch_arguments::MarkNear { query: on_device, firsts, distance, marks: on_marks.shared() });
        gpu.expect(on_marks, &marks.into_iter().map(AtomicU32::into_inner).collect::<Vec<u32>>());
    }
}
