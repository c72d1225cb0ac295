//! Kernels of [`tile`].

use super::block::shared;
use super::kernels;
use crate::arguments::scan as arguments;
use crate::block::Block;
use crate::scan::tile;

shared!(warp_sums, "fracas_scan_warp_sums", tile::SHARED);

/// The three kernels of a kind of elements.
macro_rules! scans {
    ($reduce:ident: $reduce_type:ty, $inclusive:ident: $inclusive_type:ty, $exclusive:ident: $exclusive_type:ty) => {
        kernels! {
            $reduce(memory, arguments: $reduce_type, block, number) {
                let total = tile::reduce(block, warp_sums(), memory.read(arguments.elements), number);
                if block.thread() == 0 {
                    memory.write(arguments.totals, number, total);
                }
            }

            $inclusive(memory, arguments: $inclusive_type, block, number) {
                let (elements, totals) = (memory.read(arguments.elements), memory.read(arguments.scanned_totals));
                let write = |place, sum| memory.write(arguments.output, place, sum);
                tile::inclusive(block, warp_sums(), elements, totals, number, write);
            }

            $exclusive(memory, arguments: $exclusive_type, block, number) {
                let (elements, totals) = (memory.read(arguments.elements), memory.read(arguments.scanned_totals));
                let write = |place, sum| memory.write(arguments.output, place, sum);
                tile::exclusive(block, warp_sums(), elements, totals, number, write);
            }
        }
    };
}

scans! {
    fracas_scan_reduce: arguments::Reduce,
    fracas_scan_inclusive: arguments::Inclusive,
    fracas_scan_exclusive: arguments::Exclusive
}

scans! {
    fracas_scan_reduce_segments: arguments::ReduceSegments,
    fracas_scan_inclusive_segments: arguments::InclusiveSegments,
    fracas_scan_exclusive_segments: arguments::ExclusiveSegments
}
