//! Device memory by its handles.

use core::slice;

use crate::arguments::{DeviceSlice, DeviceSliceMut};

/// That the handles of a launch are right. With it, handles are turned into slices without further promises.
#[derive(Clone, Copy)]
pub(super) struct Memory(());

impl Memory {
    /// # Safety
    /// Every handle in the arguments of the launch names memory that holds so many elements and stays while it runs. What
    /// a [`DeviceSliceMut`] names is in no other handle, and a thread asks it only for elements that no other thread asks for,
    /// once at a time.
    #[inline]
    pub(super) unsafe fn of_launch() -> Memory {
        Memory(())
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
        unsafe { (list.address as *mut T).add(index).write(value) }
    }

    /// An element that a kernel changes.
    #[inline]
    pub(super) fn change<'a, T>(self, list: DeviceSliceMut<T>, index: usize) -> &'a mut T {
        assert!((index as u64) < list.length);
        // SAFETY: the promise of `of_launch`, and the check of the bounds.
        unsafe { &mut *(list.address as *mut T).add(index) }
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
        // SAFETY: the promise of `of_launch`, and the check of the bounds.
        unsafe { slice::from_raw_parts_mut((list.address as *mut T).add(start as usize), (end - start) as usize) }
    }
}
