//! What each instruction computes for one thread, as plain functions of bits.
//!
//! A register is a `u64` whose bits above the width of its type are zero. The rules are those of the PTX ISA; where it
//! leaves a value unspecified, the function says what the emulator answers.

pub(crate) mod bits;
pub(crate) mod convert;
pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod soft;

/// The lowest `bits` bits.
#[inline]
pub(crate) fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The lowest `bits` bits as a signed number.
#[inline]
pub(crate) fn sign_extend(value: u64, bits: u32) -> i64 {
    let unused = 64 - bits;
    ((value << unused) as i64) >> unused
}
