//! Volume and gradients from columns of cells.

use fracas_kernels::arguments::DeviceSlice;
use fracas_kernels::arguments::columns as arguments;
use fracas_kernels::arguments::discretise::Accumulate;
use fracas_kernels::columns::{self, Cell, Columns, Density, Frame, Span};

use super::discretise::{cells, no_sums, random_points};
use super::gpu::{Gpu, exclusive, in_every_way, inclusive, map};
use super::radix::sort_32;

const DENSITIES: [Density; 2] = [Density { layer: 2.5, cell: 7.0 }, Density { layer: 1.7, cell: 5.0 }];

const FRAME: Frame = Frame {
    axes: [[0.0, 0.8, 0.6], [-1.0, 0.0, 0.0], [0.0, -0.6, 0.8]],
    corner: [10.1, 20.2, -30.3],
    cell: 0.37,
    owners: [7, 9],
};

/// All launches for an axis, each compared with the host.
fn along(gpu: &Gpu, cells: &[Cell], axis: usize) -> Vec<Span> {
    let on_device = gpu.upload(cells);
    let keys = map(cells.len(), |index| columns::key(cells, axis, index));
    let output = gpu.output(cells.len());
    gpu.launch(&arguments::CellKey { cells: on_device, axis: axis as u64, keys: output });
    gpu.expect(output, &keys);
    let (keys, order) = sort_32(gpu, &keys, 32);
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

    let host = Columns { cells, order: &order, firsts: &firsts, axis: axis as u32, densities: DENSITIES };
    let device = arguments::Columns {
        cells: on_device,
        order: gpu.upload(&order),
        firsts: gpu.upload(&firsts),
        axis: axis as u64,
        densities: DENSITIES,
    };
    let counts = map(count, |index| columns::count(&host, index));
    let counted = arguments::CountSpans { columns: device, spans: gpu.output(count), unclosed: gpu.output(count) };
    gpu.launch(&counted);
    let spans: Vec<u32> = counts.iter().map(|found| found.spans).collect();
    gpu.expect(counted.spans, &spans);
    gpu.expect(counted.unclosed, &counts.iter().map(|found| found.unclosed).collect::<Vec<u32>>());

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
    let chunk = 10;
    let totals = map(spans.len().div_ceil(chunk), |index| columns::sum(spans, chunk, index));
    let output = gpu.output(totals.len());
    gpu.launch(&arguments::Sum { spans: on_device, chunk: chunk as u64, totals: output });
    gpu.expect(output, &totals);
    let (frame, volume) = (gpu.upload(&[FRAME]), gpu.output(1));
    gpu.launch(&arguments::Volume { frame, totals: output.read_only(), volume });
    gpu.expect(volume, &[columns::volume(&FRAME, &totals)]);
    let gradients = gpu.output(2 * spans.len());
    gpu.launch(&arguments::MakeGradient { frame, spans: on_device, gradients });
    gpu.expect(gradients, &map(2 * spans.len(), |index| columns::gradient(&FRAME, spans, index)));
}

#[test]
fn spans_volume_and_gradients() {
    in_every_way(|gpu| {
        for size in gpu.sizes().map(|size| size.min(10_000)) {
            // More columns than a small grid has threads.
            let (points, segments, sums) = cells(&random_points(size, 2));
            let device_sums: DeviceSlice<_> = no_sums(gpu, sums.len());
            let accumulate =
                Accumulate { points: gpu.upload(&points), segments: gpu.upload(&segments), sums: device_sums };
            gpu.launch(&accumulate);
            let cells = map(sums.len(), |index| Cell::new(&sums, index));
            let output = gpu.output(cells.len());
            gpu.launch(&arguments::MakeCell { sums: device_sums, cells: output });
            gpu.expect(output, &cells);
            let spans: Vec<Span> = (0..3).flat_map(|axis| along(gpu, &cells, axis)).collect();
            assert!(size < 1000 || spans.len() > 20);
            measure(gpu, &spans);
        }
    });
}
