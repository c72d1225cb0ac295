//! Memory by its handles on the host, where threads claim what they write.

use core::ptr::NonNull;
use core::slice;

use crate::arguments::{DeviceSlice, DeviceSliceMut};
use crate::native::Claims;

/// That the handles of a launch are right, and whose turn it is.
#[derive(Clone, Copy)]
pub(super) struct Memory {
    claims: NonNull<Claims>,
    turn: usize,
}

impl Memory {
    /// # Safety
    /// The promise of [`NativeKernel::run`](crate::arguments::NativeKernel::run); the claims stay until the call ends. Within a
    /// turn, an element is asked for once at a time.
    #[inline]
    pub(super) unsafe fn of_launch(claims: &Claims) -> Memory {
        Memory { claims: NonNull::from(claims), turn: 0 }
    }

    /// For one turn.
    #[inline]
    pub(super) fn of_turn(self, turn: usize) -> Memory {
        Memory { turn, ..self }
    }

    /// Where elements are that are this turn's from now on.
    #[inline]
    fn claim<T>(self, list: DeviceSliceMut<T>, first: usize, count: usize) -> *mut T {
        let address = list.address + (first * size_of::<T>()) as u64;
        // SAFETY: the promise of `of_launch`.
        unsafe { self.claims.as_ref() }.take(address, count, self.turn);
        address as *mut T
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
        *self.change(list, index) = value;
    }

    /// An element that a kernel changes.
    #[inline]
    pub(super) fn change<'a, T>(self, list: DeviceSliceMut<T>, index: usize) -> &'a mut T {
        assert!((index as u64) < list.length);
        // SAFETY: the promise of `of_launch`, and the claim.
        unsafe { &mut *self.claim(list, index, 1) }
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
        // SAFETY: the promise of `of_launch`, and the claim.
        unsafe { slice::from_raw_parts_mut(self.claim(list, start as usize, count), count) }
    }
}
