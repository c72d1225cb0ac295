//! Spans and gradients of columns.

use fracas_kernels::columns::{self, Cell as DeviceCell, Columns as DeviceColumns, Frame, Totals};
use fracas_kernels::scan;
use proptest::prelude::*;

use super::super::columns::{Bounds, Columns};
use super::super::intersection::{densities, measure};
use super::super::placed::Relative;
use super::super::points::{Cell, Cells, discretise};
use super::super::spans::{Density, Reader, Span};
use super::super::tests::At;
use super::*;
use crate::geometry::Pose;

fn to_device(cell: &Cell) -> DeviceCell {
    let Cell { key, position, normal, count, deep, .. } = *cell;
    DeviceCell { key, position, normal, count: count as u32, deep: deep as u32 }
}

/// The launches for one axis: spans, and how many stretches were not closed.
fn spans_along(cells: &[DeviceCell], axis: usize, densities: &[Density; 2]) -> (Vec<columns::Span>, u32) {
    let mut order: Vec<u32> = (0..cells.len() as u32).collect();
    order.sort_unstable_by_key(|&number| columns::key(cells, axis, number as usize));
    let keys: Vec<u32> = order.iter().map(|&number| columns::key(cells, axis, number as usize)).collect();
    let numbers = numbers(keys.len(), |index| columns::begins_column(&keys, index));
    let length = numbers.last().map_or(0, |last| *last as usize + 1);
    let firsts: Vec<u32> = (0..=length).map(|index| columns::first_of_column(&numbers, index)).collect();
    let densities = densities.map(|Density { layer, cell }| columns::Density { layer, cell });
    let columns = DeviceColumns { cells, order: &order, firsts: &firsts, axis: axis as u32, densities };
    let found: Vec<columns::Found> = (0..length).map(|index| columns::count(&columns, index)).collect();
    let starts = starts(found.iter().map(|found| found.spans));
    let mut spans = vec![columns::Span::default(); starts[length]];
    (0..length).for_each(|index| columns::spans(&columns, index, &mut spans[starts[index]..starts[index + 1]]));
    (spans, found.iter().map(|found| found.unclosed).sum())
}

/// The launches for all axes.
pub(super) fn spans(cells: &[DeviceCell], densities: &[Density; 2]) -> (Vec<columns::Span>, u32) {
    let axes = [0, 1, 2].map(|axis| spans_along(cells, axis, densities));
    let unclosed = axes.iter().map(|(_, unclosed)| unclosed).sum();
    (axes.into_iter().flat_map(|(spans, _)| spans).collect(), unclosed)
}

/// Where a body's lattice is.
pub(super) fn frame(base: &Placed<'_>, level: u32, owners: [u32; 2]) -> Frame {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| base.pose.transform_vector(axis).to_array());
    let corner = base.pose.transform_point(base.lattice.origin).to_array();
    Frame { axes, corner, cell: base.cell(level), owners }
}

/// The launches of the volume.
pub(super) fn volume(frame: &Frame, spans: &[columns::Span]) -> f64 {
    let chunk = 37;
    let chunks = (0..scan::chunks(spans.len(), chunk)).map(|index| columns::sum(spans, chunk, index));
    columns::volume(frame, &chunks.collect::<Vec<Totals>>())
}

/// Holds the spans of all axes to each other, bit for bit. Returns both.
fn check(cells: &[Cell], densities: &[Density; 2]) -> (Vec<Span>, Vec<columns::Span>) {
    let device_cells: Vec<DeviceCell> = cells.iter().map(to_device).collect();
    let (mut reader, mut sorted) = (Reader::default(), Columns::default());
    let (mut all, mut unclosed) = (Vec::new(), 0);
    for axis in 0..3 {
        sorted.fill(cells, &Bounds::of(cells), axis);
        unclosed += reader.read(&sorted, axis, densities, &mut all);
    }
    // What covers nothing of its column changes nothing; the device leaves it out.
    all.retain(|span| span.share != 0.0);
    let expected = all.iter().map(|span| columns::Span {
        ends: span.ends,
        line: span.line,
        share: span.share,
        axis: u32::from(span.axis),
        owners: span.owners.map(u16::from),
    });
    let found = spans(&device_cells, densities);
    assert_eq!(found, (expected.collect(), unclosed));
    (all, found.0)
}

/// Volume and gradients, up to the rounding of sums and of a rotation by a matrix instead of a quaternion.
fn check_measure(base: &Placed<'_>, level: u32, spans: &[Span], on_device: &[columns::Span]) {
    let expected = measure(base, level, [1, 0], spans);
    let frame = frame(base, level, [1, 0]);
    let volume = volume(&frame, on_device);
    assert!((volume - expected.volume).abs() <= 1e-13 * expected.volume, "{volume} {}", expected.volume);
    assert_eq!(expected.gradients.len(), 2 * on_device.len());
    for (index, gradient) in expected.gradients.iter().enumerate() {
        let found = columns::gradient(&frame, on_device, index);
        assert_eq!(found.owner, gradient.owner);
        assert_eq!(found.depth, gradient.depth);
        assert!(DVec3::from_array(found.point).distance(gradient.point) < 1e-13);
        assert!(DVec3::from_array(found.vector).distance(gradient.vector) < 1e-15);
    }
}

#[test]
fn spans_and_gradients_are_those_of_the_host() {
    let mut most = 0;
    for level in [3, 5, 6] {
        let shapes = shapes(level);
        for (number, (lattice, tree)) in shapes.iter().enumerate() {
            let (other_lattice, other) = &shapes[(number + 1) % shapes.len()];
            for pose in poses() {
                let base = turned(DQuat::from_rotation_y(0.4), DVec3::new(0.1, 0.2, -0.3));
                let (first, second) = (base.of(tree, lattice), At(base.0 * pose.0).of(other, other_lattice));
                let options = CollideOptions { level, ..CollideOptions::default() };
                let relative = Relative::new(&first, &second, level).unwrap();
                let (mut scratch, mut cells) = (Scratch::default(), Cells::default());
                scratch.touch([tree, other], &relative);
                let counts = discretise([tree, other], &relative, &scratch.touched, &options, &mut cells);
                let (spans, on_device) = check(&cells.list, &densities(&counts, relative.edge));
                check_measure(&first, level, &spans, &on_device);
                most = most.max(spans.len());
            }
        }
    }
    assert!(most > 1000, "{most}");
}

#[test]
fn no_cells_are_no_spans() {
    let density = Density { layer: 1.0, cell: 1.0 };
    let (spans, on_device) = check(&[], &[density; 2]);
    let (lattice, tree) = ball(0.4, 3);
    check_measure(&At(Pose::IDENTITY).of(&tree, &lattice), 3, &spans, &on_device);
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
