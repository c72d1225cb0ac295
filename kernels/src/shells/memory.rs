//! Device memory by its handles.

use core::slice;

#[cfg(feature = "native")]
use super::claimed::Turn;
use crate::arguments::{DeviceSlice, DeviceSliceMut};

/// A turn of the device, where nothing is claimed.
#[cfg(not(feature = "native"))]
#[derive(Clone, Copy)]
pub(super) struct Turn;

#[cfg(not(feature = "native"))]
impl Turn {
    #[inline]
    fn claim<T>(self, _: *const T, _: usize) {}
}

/// That the handles of a launch are right, and whose turn it is. With it, handles are turned into slices without further
/// promises.
#[derive(Clone, Copy)]
pub(super) struct Memory(Turn);

impl Memory {
    /// # Safety
    /// Every handle in the arguments of the launch names memory that holds so many elements and stays while it runs. What
    /// a [`DeviceSliceMut`] names is in no other handle, and a turn asks it only for elements that no other turn asks for,
    /// once at a time; on the host, a turn that does not panics before it has one.
    #[inline]
    pub(super) unsafe fn of_launch(turn: Turn) -> Memory {
        Memory(turn)
    }

    /// For one turn.
    #[cfg(feature = "native")]
    #[inline]
    pub(super) fn of_turn(self, turn: usize) -> Memory {
        Memory(self.0.number(turn))
    }

    /// Where some elements are that are this turn's from now on.
    #[inline]
    fn claimed<T>(self, list: DeviceSliceMut<T>, first: usize, count: usize) -> *mut T {
        let first = (list.address as *mut T).wrapping_add(first);
        self.0.claim(first, count);
        first
    }

    /// A list to read, or to share if it is of atomics.
    #[inline]
    pub(super) fn read<'a, T>(self, list: DeviceSlice<T>) -> &'a [T] {
        // The address of an empty list may be anything, that of a slice may not.
        if list.length == 0 {
            return &[];
        }
        // SAFETY: the promise of `of_launch`.
        unsafe { slice::from_raw_parts(list.address as *const T, list.length as usize) }
    }

    /// The only element of a list.
    #[inline]
    pub(super) fn one<'a, T>(self, list: DeviceSlice<T>) -> &'a T {
        &self.read(list)[0]
    }

    /// Stores an element.
    #[inline]
    pub(super) fn write<T>(self, list: DeviceSliceMut<T>, index: usize, value: T) {
        assert!((index as u64) < list.length);
        // SAFETY: the promise of `of_launch`, and the check of the bounds.
        unsafe { self.claimed(list, index, 1).write(value) }
    }

    /// An element that a kernel changes.
    #[inline]
    pub(super) fn change<'a, T>(self, list: DeviceSliceMut<T>, index: usize) -> &'a mut T {
        assert!((index as u64) < list.length);
        // SAFETY: the promise of `of_launch`, and the check of the bounds.
        unsafe { &mut *self.claimed(list, index, 1) }
    }

    /// A thread's part of a list, from where it starts to where the next thread's does.
    #[inline]
    pub(super) fn part<'a, T>(self, list: DeviceSliceMut<T>, starts: &[u32], index: usize) -> &'a mut [T] {
        let start = u64::from(starts[index]);
        let end = starts.get(index + 1).map_or(list.length, |&next| u64::from(next));
        assert!(start <= end && end <= list.length);
        if start == end {
            return &mut [];
        }
        let count = (end - start) as usize;
        // SAFETY: the promise of `of_launch`, and the check of the bounds.
        unsafe { slice::from_raw_parts_mut(self.claimed(list, start as usize, count), count) }
    }
}
