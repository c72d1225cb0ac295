//! Rounding of exact numbers, found by search among the numbers of a format and not by shifting digits.

#![allow(dead_code, reason = "each test file uses a part of this")]

use num_bigint::BigInt;
use num_rational::BigRational;
use std::cmp::Ordering;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Nearest,
    Zero,
    Down,
    Up,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Format {
    /// Bits that are stored of the fraction and of the exponent.
    pub(crate) fraction: u32,
    pub(crate) exponent: u32,
}

pub(crate) const SINGLE: Format = Format { fraction: 23, exponent: 8 };
pub(crate) const DOUBLE: Format = Format { fraction: 52, exponent: 11 };

fn power_of_two(exponent: i64) -> BigRational {
    let power = BigRational::from_integer(BigInt::from(1) << exponent.unsigned_abs());
    if exponent < 0 { power.recip() } else { power }
}

impl Format {
    pub(crate) fn sign(self) -> u64 {
        1 << (self.fraction + self.exponent)
    }

    pub(crate) fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    pub(crate) fn one(self) -> u64 {
        ((1 << (self.exponent - 1)) - 1) << self.fraction
    }

    pub(crate) fn is_nan(self, bits: u64) -> bool {
        bits & !self.sign() > self.infinity()
    }

    pub(crate) fn is_subnormal(self, bits: u64) -> bool {
        let magnitude = bits & !self.sign();
        magnitude != 0 && magnitude < 1 << self.fraction
    }

    /// The exact value of finite bits.
    pub(crate) fn value(self, bits: u64) -> Option<BigRational> {
        let magnitude = bits & !self.sign();
        if magnitude >= self.infinity() {
            return None;
        }
        let bias = (1_i64 << (self.exponent - 1)) - 1;
        let field = (magnitude >> self.fraction) as i64;
        let fraction = magnitude & ((1 << self.fraction) - 1);
        let (digits, exponent) =
            if field == 0 { (fraction, 1 - bias) } else { (fraction | 1 << self.fraction, field - bias) };
        let value = BigRational::from_integer(digits.into()) * power_of_two(exponent - i64::from(self.fraction));
        Some(if bits & self.sign() != 0 { -value } else { value })
    }
}

/// The number of a format that a positive value is rounded to; the value is known by how it compares to candidates.
pub(crate) fn round(format: Format, mode: Mode, negative: bool, compare: impl Fn(&BigRational) -> Ordering) -> u64 {
    // The largest finite number that is not above the value.
    let (mut below, mut above) = (0, format.infinity());
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        let candidate = format.value(middle).expect("below infinity");
        if compare(&candidate) == Ordering::Less { above = middle } else { below = middle }
    }
    let lower = format.value(below).expect("below infinity");
    let bits = if compare(&lower) == Ordering::Equal {
        below
    } else {
        let upper = format.value(above).unwrap_or_else(|| {
            // What would follow the largest number decides between it and infinity.
            lower.clone() + (&lower - format.value(below - 1).expect("a number below the largest"))
        });
        let middle = (&lower + &upper) / BigRational::from_integer(2.into());
        match mode {
            Mode::Zero => below,
            Mode::Down => {
                if negative {
                    above
                } else {
                    below
                }
            }
            Mode::Up => {
                if negative {
                    below
                } else {
                    above
                }
            }
            Mode::Nearest => match compare(&middle) {
                Ordering::Less => below,
                Ordering::Greater => above,
                Ordering::Equal => {
                    if below % 2 == 0 {
                        below
                    } else {
                        above
                    }
                }
            },
        }
    };
    bits | if negative { format.sign() } else { 0 }
}

/// An exact result, and the sign that it has if it is zero.
pub(crate) struct Number {
    pub(crate) value: BigRational,
    pub(crate) zero_is_negative: bool,
}

impl Number {
    pub(crate) fn round(&self, format: Format, mode: Mode) -> u64 {
        let zero = BigRational::from_integer(0.into());
        if self.value == zero {
            return if self.zero_is_negative { format.sign() } else { 0 };
        }
        let negative = self.value < zero;
        let magnitude = if negative { -self.value.clone() } else { self.value.clone() };
        round(format, mode, negative, |candidate| magnitude.cmp(candidate))
    }
}
