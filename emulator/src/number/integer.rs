//! Integer arithmetic.

use super::{mask, sign_extend};
use crate::ptx::types::ScalarType;

/// The value of a register as an instruction of this type reads it.
#[inline]
pub(crate) fn value(bits: u64, kind: ScalarType) -> i128 {
    if kind.is_signed() { i128::from(sign_extend(bits, kind.bits())) } else { i128::from(bits & mask(kind.bits())) }
}

/// The bits of a result, wrapped to the type.
#[inline]
pub(crate) fn wrap(value: i128, kind: ScalarType) -> u64 {
    value as u64 & mask(kind.bits())
}

/// The bits of a result, clamped to the range of the type.
pub(crate) fn clamp(value: i128, kind: ScalarType) -> u64 {
    let bits = kind.bits();
    let (least, most) = if kind.is_signed() {
        (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
    } else {
        (0, (1_i128 << bits) - 1)
    };
    wrap(value.clamp(least, most), kind)
}

/// Which part of a product an instruction keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Low,
    High,
    Wide,
}

/// The chosen part of a product of two values of this type, before an addition.
#[inline]
pub(crate) fn product(left: u64, right: u64, kind: ScalarType, part: Part) -> i128 {
    let product = match kind {
        // The product of two large 64-bit values does not fit in a signed 128-bit number, but its bits do.
        ScalarType::U64 => (u128::from(left) * u128::from(right)) as i128,
        _ => value(left, kind) * value(right, kind),
    };
    match part {
        Part::Low | Part::Wide => product,
        Part::High if kind == ScalarType::U64 => (product as u128 >> 64) as i128,
        Part::High => product >> kind.bits(),
    }
}

/// `div`: rounds toward zero. The ISA leaves division by zero open; NVIDIA's devices answer with all bits set.
pub(crate) fn divide(left: u64, right: u64, kind: ScalarType) -> u64 {
    match value(right, kind) {
        0 => mask(kind.bits()),
        divisor => wrap(value(left, kind) / divisor, kind),
    }
}

/// `rem`: the sign of the dividend. The remainder of a division by zero is the dividend.
pub(crate) fn remainder(left: u64, right: u64, kind: ScalarType) -> u64 {
    match value(right, kind) {
        0 => wrap(value(left, kind), kind),
        divisor => wrap(value(left, kind) % divisor, kind),
    }
}

/// `sad`: the absolute difference, added to a third value.
pub(crate) fn absolute_difference(left: u64, right: u64, addend: u64, kind: ScalarType) -> u64 {
    let difference = (value(left, kind) - value(right, kind)).abs();
    wrap(value(addend, kind) + difference, kind)
}

/// The product of the lowest 24 bits: its low 32 bits, or the 32 bits from bit 16 on.
pub(crate) fn product24(left: u64, right: u64, signed: bool, high: bool) -> i128 {
    let operand = |bits: u64| {
        if signed { i128::from(sign_extend(bits, 24)) } else { i128::from(bits & mask(24)) }
    };
    let product = operand(left) * operand(right);
    let kept = if high { (product >> 16) as u64 } else { product as u64 } & mask(32);
    if signed { i128::from(sign_extend(kept, 32)) } else { i128::from(kept) }
}

/// `add.cc`, `addc`: the sum and the carry out of the type's width.
pub(crate) fn add_carry(left: u64, right: u64, carry: bool, bits: u32) -> (u64, bool) {
    let sum = u128::from(left & mask(bits)) + u128::from(right & mask(bits)) + u128::from(carry);
    (sum as u64 & mask(bits), sum >> bits != 0)
}

/// `sub.cc`, `subc`: the difference and the borrow.
pub(crate) fn subtract_borrow(left: u64, right: u64, borrow: bool, bits: u32) -> (u64, bool) {
    let (left, right) = (i128::from(left & mask(bits)), i128::from(right & mask(bits)));
    let difference = left - right - i128::from(borrow);
    (difference as u64 & mask(bits), difference < 0)
}

/// `dp4a` and `dp2a`: products of bytes with bytes or half words, added to an accumulator.
pub(crate) fn dot_product(left: u64, right: u64, accumulator: u64, form: DotProduct) -> u64 {
    let element = |bits: u64, index: u32, width: u32, signed: bool| {
        let bits = (bits >> (index * width)) & mask(width);
        if signed { sign_extend(bits, width) } else { bits as i64 }
    };
    let mut sum = accumulator as i64;
    for index in 0..form.terms {
        let width = 32 / form.terms;
        let factor = element(right, index + form.first, 8, form.right_signed);
        sum = sum.wrapping_add(element(left, index, width, form.left_signed) * factor);
    }
    sum as u64 & mask(32)
}

/// How a dot product reads its operands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DotProduct {
    pub(crate) left_signed: bool,
    pub(crate) right_signed: bool,
    /// Four bytes, or two half words.
    pub(crate) terms: u32,
    /// The first byte of the second operand.
    pub(crate) first: u32,
}
