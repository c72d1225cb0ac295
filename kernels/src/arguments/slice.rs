//! Handles of lists in device memory.

use core::marker::PhantomData;
use core::ops::Range;
use core::sync::atomic::AtomicU32;

use bytemuck::{Pod, Zeroable};

macro_rules! handle {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug)]
        #[repr(C)]
        pub struct $name<T> {
            /// Where the first element is.
            pub address: u64,
            /// How many elements there are.
            pub length: u64,
            elements: PhantomData<fn() -> T>,
        }

        const _: () = assert!(size_of::<$name<u16>>() == 16 && align_of::<$name<u16>>() == 8);

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        // SAFETY: two numbers of 64 bits without a gap, and a marker without bytes; all zeros is a list of nothing.
        #[allow(unsafe_code)]
        unsafe impl<T: 'static> Zeroable for $name<T> {}

        // SAFETY: as above; the numbers alone do nothing, and who reads memory by them promises that they are right.
        #[allow(unsafe_code)]
        unsafe impl<T: 'static> Pod for $name<T> {}

        impl<T> $name<T> {
            /// The list of so many elements at an address.
            pub const fn new(address: u64, length: u64) -> Self {
                Self { address, length, elements: PhantomData }
            }

            /// A list of nothing.
            pub const fn empty() -> Self {
                Self::new(0, 0)
            }

            /// Some of the elements.
            ///
            /// # Panics
            /// If there are not so many.
            pub const fn part(self, range: Range<u64>) -> Self {
                assert!(range.start <= range.end && range.end <= self.length, "a part beyond the end of a list");
                Self::new(self.address + range.start * size_of::<T>() as u64, range.end - range.start)
            }
        }
    };
}

handle! {
    /// A list that a kernel reads. If its elements are atomic, threads also write to them.
    DeviceSlice
}

handle! {
    /// A list that a kernel writes, each element by one thread.
    DeviceSliceMut
}

impl<T> DeviceSliceMut<T> {
    /// The same list for a kernel that reads it.
    pub const fn read_only(self) -> DeviceSlice<T> {
        DeviceSlice::new(self.address, self.length)
    }
}

impl<T> DeviceSliceMut<T> {
    /// The same memory word by word, for a kernel that clears it.
    ///
    /// # Panics
    /// If the elements are not whole words.
    pub const fn words(self) -> DeviceSliceMut<u32> {
        const { assert!(size_of::<T>().is_multiple_of(4) && align_of::<T>() >= 4, "elements of whole words") };
        DeviceSliceMut::new(self.address, self.length * (size_of::<T>() / 4) as u64)
    }

    /// The same list for a kernel whose threads share it, as atomics of the same layout.
    ///
    /// # Panics
    /// If the layout is another one.
    pub const fn shared_as<A>(self) -> DeviceSlice<A> {
        const { assert!(size_of::<T>() == size_of::<A>() && align_of::<T>() == align_of::<A>(), "the same layout") };
        DeviceSlice::new(self.address, self.length)
    }
}

impl DeviceSliceMut<u32> {
    /// The same list for a kernel whose threads share it.
    pub const fn shared(self) -> DeviceSlice<AtomicU32> {
        self.shared_as()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_in_elements() {
        let list = DeviceSliceMut::<[u32; 3]>::new(4096, 10);
        let part = list.part(2..5);
        assert_eq!((part.address, part.length), (4096 + 24, 3));
        assert_eq!(list.part(10..10).read_only().length, 0);
    }

    #[test]
    #[should_panic(expected = "beyond the end")]
    fn parts_end_with_the_list() {
        let _ = DeviceSlice::<u64>::new(4096, 10).part(9..11);
    }
}
