extern crate std;

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::discretise::UNITS;
use crate::launch::{ORDERS, Order};
use crate::morton::encode_30;
use crate::scan::tests::{exclusive_scan, inclusive_scan};

/// One point is a full layer, and a full cell.
const DENSITY: Density = Density { layer: 1.0, cell: 1.0 };

const FRAME: Frame = Frame {
    axes: [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    corner: [10.0, 20.0, 30.0],
    cell: 0.5,
    owners: [7, 9],
};

/// All launches for one axis, in the order that the module's documentation gives.
fn along(cells: &[Cell], axis: usize, densities: &[[Density; 2]], order: Order) -> (Vec<Span>, Vec<u32>) {
    let mut sorted: Vec<u32> = (0..cells.len() as u32).collect();
    sorted.sort_unstable_by_key(|&number| key(cells, axis, number as usize));
    let keys: Vec<u64> = sorted.iter().map(|&number| key(cells, axis, number as usize)).collect();
    let flags = order.map(keys.len(), |index| begins_column(&keys, index));
    let numbers = inclusive_scan(&flags, order);
    let length = numbers.last().map_or(0, |last| *last as usize + 1);
    let firsts = order.map(length + 1, |index| first_of_column(&numbers, index));
    let columns = Columns { cells, order: &sorted, firsts: &firsts, axis: axis as u32, densities };
    let unclosed: Vec<AtomicU32> = densities.iter().map(|_| AtomicU32::new(0)).collect();
    let found = order.map(length, |index| count(&columns, &unclosed, index));
    let counts: Vec<Segmented> = found.iter().map(|&spans| Segmented::value(spans)).collect();
    let starts = exclusive_scan(&counts, order);
    let mut output = vec![Span::default(); found.iter().map(|&spans| spans as usize).sum()];
    for index in order.indices(length) {
        let start = starts[index] as usize;
        spans(&columns, index, &mut output[start..start + found[index] as usize]);
    }
    (output, unclosed.iter().map(|unclosed| unclosed.load(Relaxed)).collect())
}

/// The spans along all axes, the same for every order of threads.
fn check(cells: &[Cell], densities: [Density; 2]) -> (Vec<Span>, u32) {
    let all = |order: Order| {
        let axes = [0, 1, 2].map(|axis| along(cells, axis, &[densities], order));
        (axes.iter().flat_map(|axis| axis.0.clone()).collect::<Vec<Span>>(), axes.iter().map(|axis| axis.1[0]).sum())
    };
    let expected = all(Order::Forward);
    ORDERS.iter().for_each(|&order| assert_eq!(all(order), expected, "{order:?}"));
    expected
}

/// Two meetings at once give what each gives alone.
fn check_together(cells: [&[Cell]; 2], densities: [[Density; 2]; 2]) {
    let numbered = |meeting: usize| cells[meeting].iter().map(move |&cell| Cell { meeting: meeting as u32, ..cell });
    let mixed: Vec<Cell> = numbered(1).chain(numbered(0)).collect();
    for axis in 0..3 {
        let (found, unclosed) = along(&mixed, axis, &densities, Order::Parallel);
        let alone = [0, 1].map(|meeting| along(cells[meeting], axis, &[densities[meeting]], Order::Forward));
        let again = |meeting: usize| alone[meeting].0.iter().map(move |&span| Span { meeting: meeting as u32, ..span });
        assert_eq!(found, again(0).chain(again(1)).collect::<Vec<Span>>());
        assert_eq!(unclosed, [alone[0].1[0], alone[1].1[0]]);
    }
    let facings: [Facing; 4] = Default::default();
    Order::Parallel.launch(mixed.len(), |index| add_facing(&mixed, &facings, index));
    for (sight, facing) in facings.iter().enumerate() {
        let own = || cells[sight / 2].iter().filter(|cell| cell.owner() as usize == sight % 2);
        for axis in 0..3 {
            let expected: i64 = own().map(|cell| i64::from(cell.normal[axis])).sum();
            assert_eq!(facing.normal[axis].load(Relaxed) as i64, expected);
        }
    }
}

/// One point in the middle of a cell.
fn cell([x, y, z]: [u32; 3], normal: [i32; 3], owner: u32) -> Cell {
    Cell {
        key: encode_30(x, y, z) | owner << OWNER_BIT,
        position: [UNITS / 2; 3],
        normal,
        count: 1,
        deep: 0,
        meeting: 0,
    }
}

#[test]
fn a_column_is_inside_between_its_ends() {
    assert_eq!(check(&[], [DENSITY; 2]), (vec![], 0));
    let cells = [cell([7, 5, 6], [127, 0, 0], 1), cell([3, 5, 6], [-127, 0, 0], 0)];
    let (found, unclosed) = check(&cells, [DENSITY; 2]);
    let expected = Span { ends: [3.5, 7.5], line: [5.5, 6.5], share: 1.0, axis: 0, owners: [0, 1], meeting: 0 };
    // No column along another axis comes to both.
    assert_eq!((found, unclosed), (vec![expected], 0));
}

#[test]
fn what_has_no_end_is_not_closed() {
    // Inside of the other one all along: that is one stretch on each axis.
    let entry = Cell { deep: 1, ..cell([3, 5, 6], [-127, 0, 0], 0) };
    assert_eq!(check(&[entry], [DENSITY; 2]), (vec![], 3));
    assert_eq!(check(&[Cell { deep: 0, ..entry }], [DENSITY; 2]), (vec![], 0));
}

#[test]
fn points_that_follow_each_other_are_one_end_and_thin_layers_cover_less() {
    let entries = [2, 3, 5].map(|x| cell([x, 0, 0], [-127, 1, 1], 0));
    let exit = [9, 12].map(|x| Cell { count: 2, position: [UNITS; 3], ..cell([x, 0, 0], [127, 0, 0], 1) });
    let thin = Density { layer: 4.0, cell: 4.0 };
    let (found, _) = check(&[&entries[..], &exit[..1]].concat(), [DENSITY, thin]);
    let expected =
        Span { ends: [(2.5 + 3.5 + 5.5) / 3.0, 9.5], line: [0.5; 2], share: 0.5, axis: 0, owners: [0, 1], meeting: 0 };
    assert_eq!(found, [expected]);
    // Two exits too far from each other to be one: between them is an entry that nobody saw.
    let (found, unclosed) = check(&[&entries[..], &exit].concat(), [DENSITY, thin]);
    assert_eq!((found, unclosed), (vec![expected], 1));
}

#[test]
fn walls_take_half_of_what_they_are() {
    let ends = [cell([1, 0, 0], [-127, 0, 0], 0), cell([5, 0, 0], [127, 0, 0], 0)];
    let around = ends.map(|end| Cell { deep: 1, ..end });
    let wall = cell([3, 0, 0], [0, 127, 0], 0);
    let along_x = |cells: &[Cell]| along(cells, 0, &[[DENSITY; 2]], Order::Forward).0[0].share;
    assert_eq!(along_x(&around), 1.0);
    let [entry, exit] = around;
    assert_eq!(along_x(&[entry, wall, exit]), 1.0 - 0.5 / 4.0);
    // The other one begins in the middle of the wall.
    let begin = cell([3, 0, 0], [-127, 0, 0], 1);
    assert_eq!(along_x(&[ends[0], wall, begin, ends[1]]), 1.0 - 0.5 * 0.5 / 2.0);
}

#[test]
fn volume_and_gradients_are_those_of_a_block() {
    // A block of 4 x 3 x 2 cells by its columns alone.
    let sides = [4, 3, 2];
    let mut found = vec![];
    for axis in 0..3 {
        let [across, up] = [(axis + 1) % 3, (axis + 2) % 3];
        for (one, other) in (0..sides[across]).flat_map(|one| (0..sides[up]).map(move |other| (one, other))) {
            let line = [one, other].map(|place: i32| f64::from(place) + 10.5);
            let ends = [10.0, 10.0 + f64::from(sides[axis])];
            found.push(Span { ends, line, share: 1.0, axis: axis as u16, owners: [0, 1], meeting: 1 });
        }
    }
    let mut expected = Totals::default();
    found.iter().for_each(|span| expected.add(span));
    let shared: [SharedTotals; 2] = Default::default();
    Order::Parallel.launch(found.len(), |index| add(&found, &shared, index));
    let totals = shared.each_ref().map(|shared| Totals {
        volumes: shared.volumes.each_ref().map(|volume| volume.load(Relaxed)),
        areas: shared.areas.each_ref().map(|area| area.load(Relaxed)),
    });
    assert_eq!(totals, [Totals::default(), expected]);
    let frames = [Frame { cell: 9.0, ..FRAME }, FRAME];
    assert_eq!(volume(&frames, &totals, 1), 4.0 * 3.0 * 2.0 / 8.0);
    assert_eq!(volume(&frames, &totals, 0), 0.0);
    let gradients: Vec<Gradient> = (0..2 * found.len()).map(|index| gradient(&frames, &found, index)).collect();
    let push = |owner: u32| {
        let own = gradients.iter().filter(move |gradient| gradient.owner == owner);
        own.fold([0.0; 3], |sum, gradient| [0, 1, 2].map(|axis| sum[axis] + gradient.vector[axis]))
    };
    // The lattice's x is the world's y, and its y the world's -x.
    assert_eq!(push(9), [-8.0 * 0.25, 6.0 * 0.25, 12.0 * 0.25]);
    assert_eq!(push(7), [8.0 * 0.25, -6.0 * 0.25, -12.0 * 0.25]);
    let first = gradients[0];
    assert_eq!((first.point, first.depth, first.meeting), ([10.0 - 0.5 * 10.5, 25.0, 30.0 + 0.5 * 10.5], 2.0, 1));
}

proptest! {
    #[test]
    fn spans_are_in_order_and_do_not_overlap(
        cells in prop::collection::btree_map(
            (0..2u32, prop::array::uniform3(0..6u32)),
            (prop::array::uniform3(-127..127i32), 1..5u32, 0..2u32, 0..UNITS),
            0..80,
        ),
    ) {
        let cells: Vec<Cell> = cells
            .into_iter()
            .map(|((owner, place), (normal, count, deep, position))| Cell {
                position: [position * count as i32; 3],
                count,
                deep: deep * count,
                ..cell(place, normal.map(|coordinate| coordinate * count as i32), owner)
            })
            .collect();
        let (found, _) = check(&cells, [DENSITY; 2]);
        for span in &found {
            prop_assert!(span.ends[0] < span.ends[1] && span.share > 0.0 && span.share <= 1.0);
        }
        for pair in found.windows(2).filter(|pair| pair[0].axis == pair[1].axis && pair[0].line == pair[1].line) {
            prop_assert!(pair[0].ends[1] <= pair[1].ends[0]);
        }
        let (first, second) = cells.split_at(cells.len() / 3);
        check_together([first, second], [[DENSITY; 2], [Density { layer: 2.0, cell: 3.0 }, DENSITY]]);
    }
}
