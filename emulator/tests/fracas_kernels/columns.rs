//! Volume and gradients from columns of cells.

use std::sync::atomic::{AtomicU32, AtomicU64};

use fracas_kernels::arguments::columns as arguments;
use fracas_kernels::columns::{self, Cell, Columns, Density, Facing, Frame, Span, Totals};

use super::discretise::{cells, random_points};
use super::gpu::{Gpu, exclusive, in_every_way, inclusive, map};
use super::radix::sort_64;

const DENSITIES: [Density; 2] = [Density { layer: 2.5, cell: 7.0 }, Density { layer: 1.7, cell: 5.0 }];

const FRAME: Frame = Frame {
    axes: [[0.0, 0.8, 0.6], [-1.0, 0.0, 0.0], [0.0, -0.6, 0.8]],
    corner: [10.1, 20.2, -30.3],
    cell: 0.37,
    owners: [7, 9],
};

/// As many meetings as [`random_points`] has points of.
const MEETINGS: usize = 3;

/// All launches for an axis, each compared with the host.
fn along(gpu: &Gpu, cells: &[Cell], axis: usize) -> Vec<Span> {
    let on_device = gpu.upload(cells);
    let keys = map(cells.len(), |index| columns::key(cells, axis, index));
    let output = gpu.output(cells.len());
    gpu.launch(&arguments::CellKey { cells: on_device, axis: axis as u64, keys: output });
    gpu.expect(output, &keys);
    let (keys, order) = sort_64(gpu, &keys, 33);
    let begins = map(keys.len(), |index| columns::begins_column(&keys, index).value);
    let output = gpu.output(keys.len());
    gpu.launch(&arguments::BeginsColumn { keys: gpu.upload(&keys), begins: output });
    gpu.expect(output, &begins);
    let numbers = inclusive(&begins);
    let count = numbers.last().map_or(0, |last| *last as usize + 1);
    let firsts = map(count + 1, |index| columns::first_of_column(&numbers, index));
    let output = gpu.output(count + 1);
    gpu.launch(&arguments::FirstOfColumn { numbers: gpu.upload(&numbers), firsts: output });
    gpu.expect(output, &firsts);

    let densities = [DENSITIES, [DENSITIES[1], DENSITIES[0]], DENSITIES];
    let host = Columns { cells, order: &order, firsts: &firsts, axis: axis as u32, densities: &densities };
    let device = arguments::Columns {
        cells: on_device,
        order: gpu.upload(&order),
        firsts: gpu.upload(&firsts),
        axis: axis as u64,
        densities: gpu.upload(&densities),
    };
    let unclosed: Vec<AtomicU32> = (0..MEETINGS).map(|_| AtomicU32::new(0)).collect();
    let spans = map(count, |index| columns::count(&host, &unclosed, index));
    let on_unclosed = gpu.upload_mut(&[0; MEETINGS]);
    let counted = arguments::CountSpans { columns: device, spans: gpu.output(count), unclosed: on_unclosed.shared() };
    gpu.launch(&counted);
    gpu.expect(counted.spans, &spans);
    gpu.expect(on_unclosed, &unclosed.into_iter().map(AtomicU32::into_inner).collect::<Vec<u32>>());

    let (starts, total) = exclusive(&spans);
    let mut expected = vec![Span::default(); total];
    for index in 0..count {
        let part = &mut expected[starts[index] as usize..];
        columns::spans(&host, index, &mut part[..spans[index] as usize]);
    }
    let output = gpu.output(total);
    gpu.launch(&arguments::MakeSpans { columns: device, starts: gpu.upload(&starts), output });
    gpu.expect(output, &expected);
    expected
}

fn measure(gpu: &Gpu, spans: &[Span]) {
    let on_device = gpu.upload(spans);
    let mut totals = [Totals::default(); MEETINGS];
    spans.iter().for_each(|span| totals[span.meeting as usize].add(span));
    let output = gpu.upload_mut(&[Totals::default(); MEETINGS]);
    gpu.launch(&arguments::AddSpan { spans: on_device, totals: output.shared_as() });
    gpu.expect(output, &totals);
    let host_frames = [FRAME, Frame { cell: 0.4, ..FRAME }, Frame { corner: [0.1, 0.2, 0.3], ..FRAME }];
    let (frames, volumes) = (gpu.upload(&host_frames), gpu.output(MEETINGS));
    gpu.launch(&arguments::Volume { frames, totals: output.read_only(), volumes });
    gpu.expect(volumes, &map(MEETINGS, |index| columns::volume(&host_frames, &totals, index)));
    let gradients = gpu.output(2 * spans.len());
    gpu.launch(&arguments::MakeGradient { frames, spans: on_device, gradients });
    gpu.expect(gradients, &map(2 * spans.len(), |index| columns::gradient(&host_frames, spans, index)));
}

fn facings(gpu: &Gpu, cells: &[Cell]) {
    let expected: Vec<Facing> = (0..2 * MEETINGS).map(|_| Facing::default()).collect();
    (0..cells.len()).for_each(|index| columns::add_facing(cells, &expected, index));
    let output = gpu.upload_mut(&[[0u64; 3]; 2 * MEETINGS]);
    gpu.launch(&arguments::AddFacing { cells: gpu.upload(cells), facings: output.shared_as() });
    let expected = expected.into_iter().map(|facing| facing.normal.map(AtomicU64::into_inner));
    gpu.expect(output, &expected.collect::<Vec<[u64; 3]>>());
}

#[test]
fn spans_volume_and_gradients() {
    in_every_way(|gpu| {
        for size in gpu.sizes().map(|size| size.min(10_000)) {
            // More columns than a small grid has threads.
            let (_, _, cells) = cells(&random_points(size, 2));
            facings(gpu, &cells);
            let spans: Vec<Span> = (0..3).flat_map(|axis| along(gpu, &cells, axis)).collect();
            assert!(size < 1000 || spans.len() > 20);
            measure(gpu, &spans);
        }
    });
}
