//! Where the memory of a machine is, and whether a launch keeps to it.

use core::fmt;
use std::collections::BTreeMap;
use std::vec::Vec;

use crate::arguments::{Access, Handle, Handles};

/// The blocks of a machine's memory, all of which stay until the machine goes.
#[derive(Debug, Default)]
pub struct Blocks {
    /// Where each ends, by where it starts.
    ends: BTreeMap<u64, u64>,
}

/// What is wrong with the handles of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandleError {
    /// A list is not within a block.
    Outside(Handle),
    /// A list does not start where an element may.
    Misaligned(Handle),
    /// A list that is written is also in another handle.
    Overlap(Handle, Handle),
}

impl fmt::Display for HandleError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandleError::Outside(list) => {
                write!(formatter, "a list of {} elements at {:#x} is in no block", list.length, list.address)
            }
            HandleError::Misaligned(list) => write!(formatter, "a list at {:#x} is misaligned", list.address),
            HandleError::Overlap(one, other) => {
                write!(
                    formatter,
                    "the lists at {:#x} and {:#x} overlap, and one is written",
                    one.address, other.address
                )
            }
        }
    }
}

impl core::error::Error for HandleError {}

/// From where to where a list is, if that can be said.
fn range(list: &Handle) -> Option<(u64, u64)> {
    let bytes = list.length.checked_mul(list.size as u64)?;
    Some((list.address, list.address.checked_add(bytes)?))
}

impl Blocks {
    /// One more block.
    pub fn add(&mut self, address: u64, bytes: u64) {
        self.ends.insert(address, address.saturating_add(bytes));
    }

    /// The handles that have elements, if they are as a launch asks for.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self, arguments: &impl Handles) -> Result<Vec<Handle>, HandleError> {
        let mut lists: Vec<Handle> = Vec::new();
        arguments.handles(&mut |list| lists.extend((list.length > 0).then_some(list)));
        for list in &lists {
            let block = self.ends.range(..=list.address).next_back();
            match (range(list), block) {
                (Some((_, end)), Some((_, &last))) if end <= last => {}
                _ => return Err(HandleError::Outside(*list)),
            }
            if !list.address.is_multiple_of(list.alignment as u64) {
                return Err(HandleError::Misaligned(*list));
            }
        }
        for (place, one) in lists.iter().enumerate() {
            for other in &lists[..place] {
                let is_apart = match (range(one), range(other)) {
                    (Some((start, end)), Some((other_start, other_end))) => end <= other_start || other_end <= start,
                    _ => false,
                };
                if !is_apart && (one.access != other.access || one.access == Access::Write) {
                    return Err(HandleError::Overlap(*other, *one));
                }
            }
        }
        Ok(lists)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::islands::Flatten;
    use crate::arguments::pieces::{ArrangeNormals, FirstOfCell};
    use crate::arguments::{DeviceSlice, DeviceSliceMut};

    fn blocks() -> Blocks {
        let mut blocks = Blocks::default();
        blocks.add(4096, 256);
        blocks.add(8192, 64);
        blocks
    }

    #[test]
    fn lists_end_with_their_block() {
        let launch = |address, length| {
            let arguments =
                FirstOfCell { cells: DeviceSlice::new(4096, 3), firsts: DeviceSliceMut::new(address, length) };
            blocks().check(&arguments).map(|lists| lists.len())
        };
        assert_eq!(launch(8192, 16), Ok(2));
        assert_eq!(launch(0, 0), Ok(1), "the address of a list of nothing is nothing");
        for (address, length) in [(8192, 17), (8256, 1), (4000, 2), (0, 1), (8192, u64::MAX), (u64::MAX - 3, 1)] {
            assert!(matches!(launch(address, length), Err(HandleError::Outside(_))), "{address} {length}");
        }
        assert!(matches!(launch(8194, 1), Err(HandleError::Misaligned(_))));
    }

    #[test]
    fn what_is_written_is_in_no_other_list() {
        let launch = |sources: u64, output: u64| {
            let normals = DeviceSlice::new(4096, 8);
            let sources = DeviceSlice::new(sources, 8);
            blocks().check(&ArrangeNormals { normals, sources, output: DeviceSliceMut::new(output, 8) }).map(|_| ())
        };
        assert_eq!(launch(4096, 4128), Ok(()), "two lists that are read may be the same");
        assert!(matches!(launch(4128, 4110), Err(HandleError::Overlap(..))));
        assert!(matches!(launch(4128, 4144), Err(HandleError::Overlap(..))));
        assert_eq!(launch(4128, 4160), Ok(()));
        assert_eq!(blocks().check(&Flatten { labels: DeviceSlice::new(4096, 8) }).map(|lists| lists.len()), Ok(1));
    }
}
