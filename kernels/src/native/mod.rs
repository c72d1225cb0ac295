//! Kernels that run on the host, with plain memory for that of a device, and what makes that safe to ask for.
//!
//! A launch is arguments with handles, which are only numbers, so nothing that the caller says of them is believed:
//!
//! - [`Blocks::check`] looks at every handle before a launch: it is within one block, aligned, and what is written overlaps
//!   nothing else. Blocks stay as long as their memory does, so no handle outlives one. This is enough on a device too, whose
//!   threads can then do no more than spoil each other's results.
//! - [`Claims`] looks at every element that is written during a launch, because which elements those are may depend on data:
//!   the first turn that asks for an element has it, and another one that does panics.
//! - [`Launch`] is the only one with its memory while it exists, and does no turn twice.
//!
//! What is left to trust are the shells, which are in this crate: that they ask for an element once at a time within a
//! turn, and that their arguments name all handles ([`NativeKernel`](crate::arguments::NativeKernel)).

mod blocks;
mod claims;
#[allow(unsafe_code)]
mod launch;
#[allow(unsafe_code)]
mod memory;

pub use blocks::{Blocks, HandleError};
pub use claims::Claims;
pub use launch::Launch;
pub use memory::{Block, NativeMemory};

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::*;
    use crate::arguments::radix::{Scatter32, Sequence};
    use crate::arguments::{DeviceSliceMut, NativeKernel};
    use crate::block::TILE;
    use crate::radix::DIGITS;

    fn list(memory: &mut NativeMemory, values: &[u32]) -> (Block, DeviceSliceMut<u32>) {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let block = memory.allocate(bytes.len()).unwrap();
        memory.write(block, bytes);
        (block, DeviceSliceMut::new(memory.address(block), values.len() as u64))
    }

    fn run<K: NativeKernel>(memory: &mut NativeMemory, arguments: &K) {
        let launch = memory.launch(arguments).unwrap();
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..3).map(|_| scope.spawn(|| (0..=launch.runs()).for_each(|_| launch.run()))).collect();
            for thread in threads {
                if let Err(panic) = thread.join() {
                    std::panic::resume_unwind(panic);
                }
            }
        });
    }

    #[test]
    fn every_turn_is_done_once() {
        let mut memory = NativeMemory::default();
        let (block, values) = list(&mut memory, &[7; 5000]);
        run(&mut memory, &Sequence { values: values.part(0..4999) });
        let mut found = vec![0; 5000];
        memory.read(block, 0, bytemuck::cast_slice_mut(&mut found));
        assert!(found[..4999].iter().copied().eq(0..4999) && found[4999] == 7);
    }

    #[test]
    #[should_panic(expected = "of a launch ask for element 0 of a list")]
    fn two_threads_that_write_the_same_element() {
        let mut memory = NativeMemory::default();
        let mut zeros = |count| list(&mut memory, &vec![0; count]).1;
        let count = 2 * TILE;
        // Both tiles are told that they start at the first element.
        let arguments = Scatter32 {
            keys: zeros(count).read_only(),
            values: zeros(count).read_only(),
            shift: 0,
            starts: zeros(2 * DIGITS).read_only(),
            sorted_keys: zeros(count),
            sorted_values: zeros(count),
        };
        run(&mut memory, &arguments);
    }

    #[test]
    fn a_handle_of_other_memory_is_refused() {
        let (mut memory, mut other) = (NativeMemory::default(), NativeMemory::default());
        let (_, values) = list(&mut other, &[0; 100]);
        let refused = memory.launch(&Sequence { values }).map(|launch| launch.runs());
        assert!(matches!(refused, Err(HandleError::Outside(_))));
        let (_, own) = list(&mut memory, &[0; 100]);
        assert!(memory.launch(&Sequence { values: DeviceSliceMut::new(own.address, 101) }).is_err());
        assert!(memory.launch(&Sequence { values: own }).is_ok());
    }
}
