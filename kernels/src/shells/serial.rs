//! Kernels of blocks on the host, where one thread does the work of a block.

use core::ops::Range;

use super::{kernels, native_memory};
use crate::arguments::{NativeKernel, radix as radix_arguments, scan as scan_arguments};
use crate::block::THREADS;
use crate::native::Claims;
use crate::{radix, scan};

/// `kernels!` with a turn for each tile.
macro_rules! tiles {
    ($(($memory:ident, $arguments:ident: $type:ty, $tile:ident) $body:block)*) => { $(
        // SAFETY: it comes to memory by handles of the arguments alone, each of which `Handles` visits.
        unsafe impl NativeKernel for $type {
            const THREADS_OF_A_TURN: usize = THREADS;

            unsafe fn run(&self, claims: &Claims, turns: Range<usize>) {
                // SAFETY: this function's own promise.
                let $memory = unsafe { native_memory(claims) };
                let $arguments = self;
                kernels!(@native $memory, turns, ($tile) $body);
            }
        }
    )* };
}

macro_rules! scans {
    ($reduce:ident, $inclusive:ident, $exclusive:ident) => {
        tiles! {
            (memory, arguments: scan_arguments::$reduce, tile) {
                memory.write(arguments.totals, tile, scan::serial::reduce(memory.read(arguments.elements), tile));
            }

            (memory, arguments: scan_arguments::$inclusive, tile) {
                let (elements, totals) = (memory.read(arguments.elements), memory.read(arguments.scanned_totals));
                scan::serial::inclusive(elements, totals, tile, |place, sum| memory.write(arguments.output, place, sum));
            }

            (memory, arguments: scan_arguments::$exclusive, tile) {
                let (elements, totals) = (memory.read(arguments.elements), memory.read(arguments.scanned_totals));
                scan::serial::exclusive(elements, totals, tile, |place, sum| memory.write(arguments.output, place, sum));
            }
        }
    };
}

scans!(Reduce, Inclusive, Exclusive);
scans!(ReduceSegments, InclusiveSegments, ExclusiveSegments);

macro_rules! passes {
    ($count:ident, $scatter:ident) => {
        tiles! {
            (memory, arguments: radix_arguments::$count, tile) {
                let write = |place, count| memory.write(arguments.table, place, count);
                radix::serial::count(memory.read(arguments.keys), arguments.shift as u32, tile, write);
            }

            (memory, arguments: radix_arguments::$scatter, tile) {
                let (keys, values) = (memory.read(arguments.keys), memory.read(arguments.values));
                let (shift, starts) = (arguments.shift as u32, memory.read(arguments.starts));
                radix::serial::scatter(keys, shift, starts, tile, |from, key, to| {
                    memory.write(arguments.sorted_keys, to, key);
                    memory.write(arguments.sorted_values, to, values[from]);
                });
            }
        }
    };
}

passes!(Count32, Scatter32);
passes!(Count64, Scatter64);

kernels! {
    fracas_radix_sequence(memory, arguments: radix_arguments::Sequence, index) {
        memory.write(arguments.values, index, index as u32);
    }
}
