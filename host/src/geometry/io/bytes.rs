//! Walking through a binary file, with every step checked against its end.

use super::error::Fault;

/// A place in a binary file, and the order of the bytes in its numbers.
#[derive(Clone)]
pub(super) struct ByteCursor<'a> {
    bytes: &'a [u8],
    at: usize,
    big_endian: bool,
}

impl<'a> ByteCursor<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize, big_endian: bool) -> ByteCursor<'a> {
        ByteCursor { bytes, at: at.min(bytes.len()), big_endian }
    }

    pub(super) fn offset(&self) -> usize {
        self.at
    }

    pub(super) fn set_big_endian(&mut self, big_endian: bool) {
        self.big_endian = big_endian;
    }

    pub(super) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// A fault at this byte.
    #[cold]
    pub(super) fn fault(&self, problem: impl Into<String>) -> Fault {
        Fault::byte(self.at, problem)
    }

    /// The next bytes.
    #[inline]
    pub(super) fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], Fault> {
        if count > self.remaining() {
            return Err(self.cut_short(count, what));
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    /// The bytes of a number of records.
    pub(super) fn records(&mut self, count: usize, size: usize, what: &str) -> Result<&'a [u8], Fault> {
        match count.checked_mul(size) {
            Some(bytes) => self.take(bytes, what),
            None => Err(self.cut_short(usize::MAX, what)),
        }
    }

    #[cold]
    fn cut_short(&self, count: usize, what: &str) -> Fault {
        let left = self.remaining();
        self.fault(format!("{what} should take {count} bytes, but the file ends after {left}; it is cut short"))
    }

    #[inline]
    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Fault> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        if self.big_endian {
            array.reverse();
        }
        Ok(array)
    }

    #[inline]
    pub(super) fn u8(&mut self, what: &str) -> Result<u8, Fault> {
        Ok(self.array::<1>(what)?[0])
    }

    #[inline]
    pub(super) fn i32(&mut self, what: &str) -> Result<i32, Fault> {
        Ok(i32::from_le_bytes(self.array(what)?))
    }

    #[inline]
    pub(super) fn u32(&mut self, what: &str) -> Result<u32, Fault> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    #[inline]
    pub(super) fn u64(&mut self, what: &str) -> Result<u64, Fault> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    #[inline]
    pub(super) fn f64(&mut self, what: &str) -> Result<f64, Fault> {
        Ok(f64::from_le_bytes(self.array(what)?))
    }
}
