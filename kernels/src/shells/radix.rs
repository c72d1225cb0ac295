//! Kernels of [`radix`].

use super::block::shared;
use super::kernels;
use crate::arguments::radix as arguments;
use crate::radix;

shared!(digit_counts, "fracas_radix_digit_counts", radix::COUNT_SHARED);
shared!(warp_digits, "fracas_radix_warp_digits", radix::SCATTER_SHARED);

/// The two kernels of a kind of keys.
macro_rules! passes {
    ($count:ident: $count_type:ty, $scatter:ident: $scatter_type:ty) => {
        kernels! {
            $count(memory, arguments: $count_type, block, tile) {
                let keys = memory.read(arguments.keys);
                let write = |place, count| memory.write(arguments.table, place, count);
                radix::count(block, digit_counts(), keys, arguments.shift as u32, tile, write);
            }

            $scatter(memory, arguments: $scatter_type, block, tile) {
                let (keys, values) = (memory.read(arguments.keys), memory.read(arguments.values));
                let (shift, starts) = (arguments.shift as u32, memory.read(arguments.starts));
                radix::scatter(block, warp_digits(), keys, shift, starts, tile, |from, key, to| {
                    memory.write(arguments.sorted_keys, to, key);
                    memory.write(arguments.sorted_values, to, values[from]);
                });
            }
        }
    };
}

passes!(fracas_radix_count_32: arguments::Count32, fracas_radix_scatter_32: arguments::Scatter32);
passes!(fracas_radix_count_64: arguments::Count64, fracas_radix_scatter_64: arguments::Scatter64);

kernels! {
    fracas_radix_sequence(memory, arguments: arguments::Sequence, index) {
        memory.write(arguments.values, index, index as u32);
    }
}
