//! The device functions of columns, launched one index after the other, against what the CPU does its own way.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use fracas_kernels::columns::{self, Cell as DeviceCell, Columns as DeviceColumns, Density, Span};
use proptest::prelude::*;

use super::columns::{Bounds, Columns};
use super::points::Cell;
use super::spans::Reader;
use crate::svo::device_tests::{numbers, starts};

fn to_device(cell: &Cell) -> DeviceCell {
    let Cell { key, position, normal, count, deep, .. } = *cell;
    DeviceCell { key, position, normal, count: count as u32, deep: deep as u32, meeting: 0 }
}

/// The launches for one axis: spans, and how many stretches were not closed.
fn spans_along(cells: &[DeviceCell], axis: usize, densities: &[Density; 2]) -> (Vec<Span>, u32) {
    let mut order: Vec<u32> = (0..cells.len() as u32).collect();
    order.sort_unstable_by_key(|&number| columns::key(cells, axis, number as usize));
    let keys: Vec<u64> = order.iter().map(|&number| columns::key(cells, axis, number as usize)).collect();
    let numbers = numbers(keys.len(), |index| columns::begins_column(&keys, index));
    let length = numbers.last().map_or(0, |last| *last as usize + 1);
    let firsts: Vec<u32> = (0..=length).map(|index| columns::first_of_column(&numbers, index)).collect();
    let densities = std::slice::from_ref(densities);
    let columns = DeviceColumns { cells, order: &order, firsts: &firsts, axis: axis as u32, densities };
    let unclosed = [AtomicU32::new(0)];
    let starts = starts((0..length).map(|index| columns::count(&columns, &unclosed, index)));
    let mut spans = vec![Span::default(); starts[length]];
    (0..length).for_each(|index| columns::spans(&columns, index, &mut spans[starts[index]..starts[index + 1]]));
    (spans, unclosed[0].load(Relaxed))
}

/// The launches for all axes.
fn spans(cells: &[DeviceCell], densities: &[Density; 2]) -> (Vec<Span>, u32) {
    let axes = [0, 1, 2].map(|axis| spans_along(cells, axis, densities));
    let unclosed = axes.iter().map(|(_, unclosed)| unclosed).sum();
    (axes.into_iter().flat_map(|(spans, _)| spans).collect(), unclosed)
}

/// Holds the spans of all axes to each other, bit for bit.
fn check(cells: &[Cell], densities: &[Density; 2]) {
    let device_cells: Vec<DeviceCell> = cells.iter().map(to_device).collect();
    let (mut reader, mut sorted) = (Reader::default(), Columns::default());
    let (mut all, mut unclosed) = (Vec::new(), 0);
    for axis in 0..3 {
        sorted.fill(cells, &Bounds::of(cells), axis);
        unclosed += reader.read(&sorted, axis, densities, &mut all);
    }
    assert_eq!(spans(&device_cells, densities), (all, unclosed));
}

#[test]
fn no_cells_are_no_spans() {
    check(&[], &[Density { layer: 1.0, cell: 1.0 }; 2]);
}

proptest! {
    #[test]
    fn any_cells_have_the_same_spans(
        cells in prop::collection::btree_map(
            (prop::array::uniform3(0..9u16), 0..2u16),
            (prop::array::uniform3(-127..127i32), prop::array::uniform3(0..256i32), 1..9i32, any::<bool>(), 0..3usize),
            0..300,
        ),
        layer in 0.1..6.0f64,
        cell in 0.1..9.0f64,
    ) {
        // Places and owners are in order; the lists of the host and of the device are not.
        let mut cells: Vec<Cell> = cells
            .into_iter()
            .map(|((place, owner), (mut normal, position, count, is_deep, flat))| {
                // Walls are rare among any normals.
                normal[flat] /= 8;
                let [x, y, z] = place.map(u32::from);
                let key = fracas_kernels::morton::encode_30(x, y, z)
                    | u32::from(owner) << fracas_kernels::discretise::OWNER_BIT;
                let [position, normal] = [position, normal].map(|vector| vector.map(|value| value * count));
                Cell { key, place, owner, position, normal, count, deep: if is_deep { count } else { 0 } }
            })
            .collect();
        cells.sort_by_key(|cell| cell.key.wrapping_mul(0x9e37_79b9));
        check(&cells, &[Density { layer, cell }, Density { layer: cell, cell: layer }]);
    }
}
