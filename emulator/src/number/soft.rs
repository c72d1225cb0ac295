//! Exact arithmetic on unpacked floating-point numbers and one rounding at the end.
//!
//! The host rounds to nearest only; the other modes of PTX, and every conversion, go through here.

/// The rounding modes `.rn`, `.rz`, `.rm` and `.rp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    Nearest,
    Zero,
    Down,
    Up,
}

/// A binary interchange format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    /// Bits of the significand, the hidden one included.
    pub(crate) precision: u32,
    pub(crate) exponent_bits: u32,
}

/// `.f32`
pub(crate) const SINGLE: Format = Format { precision: 24, exponent_bits: 8 };
/// `.f64`
pub(crate) const DOUBLE: Format = Format { precision: 53, exponent_bits: 11 };

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    fn sign_bit(self) -> u64 {
        1 << (self.precision - 1 + self.exponent_bits)
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << (self.precision - 1)
    }

    fn signed(self, negative: bool, magnitude: u64) -> u64 {
        if negative { magnitude | self.sign_bit() } else { magnitude }
    }
}

/// A number that is not infinite and not NaN: `significand * 2^exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Finite {
    pub(crate) negative: bool,
    pub(crate) significand: u128,
    pub(crate) exponent: i32,
}

/// Takes finite bits apart.
pub(crate) fn unpack(bits: u64, format: Format) -> Finite {
    let stored = format.precision - 1;
    let fraction = u128::from(bits & ((1 << stored) - 1));
    let biased = ((bits >> stored) & ((1 << format.exponent_bits) - 1)) as i32;
    let smallest = 1 - format.bias() - stored as i32;
    let (significand, exponent) =
        if biased == 0 { (fraction, smallest) } else { (fraction | 1 << stored, smallest + biased - 1) };
    Finite { negative: bits & format.sign_bit() != 0, significand, exponent }
}

/// Rounds once. A zero keeps its sign. The lowest bit of the significand may stand for bits that were cut off, as long
/// as it lies at least two places below the last bit of the result.
pub(crate) fn round(number: Finite, format: Format, rounding: Rounding) -> u64 {
    let Finite { negative, significand, exponent } = number;
    if significand == 0 {
        return format.signed(negative, 0);
    }
    let stored = format.precision as i32 - 1;
    let top = 127 - significand.leading_zeros() as i32 + exponent;
    // The exponent of the last bit kept: subnormal numbers all share one.
    let mut last = (top - stored).max(1 - format.bias() - stored);
    let shift = last - exponent;
    let (mut kept, above_half, half, inexact) = if shift <= 0 {
        (significand << -shift, false, false, false)
    } else if shift > 127 {
        (0, false, false, true)
    } else {
        let rest = significand & ((1 << shift) - 1);
        let middle = 1_u128 << (shift - 1);
        (significand >> shift, rest > middle, rest == middle, rest != 0)
    };
    let away = match rounding {
        Rounding::Nearest => above_half || (half && kept & 1 == 1),
        Rounding::Zero => false,
        Rounding::Down => negative && inexact,
        Rounding::Up => !negative && inexact,
    };
    kept += u128::from(away);
    if kept == 1 << format.precision {
        kept >>= 1;
        last += 1;
    }
    let kept = kept as u64;
    if kept < 1 << stored {
        return format.signed(negative, kept);
    }
    if last + stored > format.bias() {
        let to_infinity = match rounding {
            Rounding::Nearest => true,
            Rounding::Zero => false,
            Rounding::Down => negative,
            Rounding::Up => !negative,
        };
        return format.signed(negative, format.infinity() - u64::from(!to_infinity));
    }
    let biased = (last + stored + format.bias()) as u64;
    format.signed(negative, (biased << stored) | (kept & ((1 << stored) - 1)))
}

/// Shifts the top bit of a significand to the given place.
fn normalise(number: Finite, top: u32) -> Finite {
    let shift = top as i32 - (127 - number.significand.leading_zeros() as i32);
    let significand = if shift >= 0 { number.significand << shift } else { number.significand >> -shift };
    Finite { significand, exponent: number.exponent - shift, ..number }
}

/// The sum, with the sign that an exact zero takes in this rounding mode. Significands have at most 106 bits, so that
/// 20 bits are left below them for what is cut off.
pub(crate) fn add(left: Finite, right: Finite, rounding: Rounding) -> Finite {
    match (left.significand == 0, right.significand == 0) {
        (true, true) => {
            let negative = if left.negative == right.negative { left.negative } else { rounding == Rounding::Down };
            return Finite { negative, ..left };
        }
        (true, false) => return right,
        (false, true) => return left,
        (false, false) => {}
    }
    let (mut large, mut small) = (normalise(left, 125), normalise(right, 125));
    if large.exponent < small.exponent {
        std::mem::swap(&mut large, &mut small);
    }
    let distance = (large.exponent - small.exponent) as u32;
    let aligned = if distance > 126 {
        1
    } else {
        let cut = small.significand & ((1 << distance) - 1) != 0;
        (small.significand >> distance) | u128::from(cut)
    };
    let exponent = small.exponent + distance as i32;
    if large.negative == small.negative {
        return Finite { significand: large.significand + aligned, exponent, ..large };
    }
    if large.significand == aligned {
        return Finite { negative: rounding == Rounding::Down, significand: 0, exponent };
    }
    let larger = large.significand > aligned;
    Finite {
        negative: if larger { large.negative } else { small.negative },
        significand: large.significand.abs_diff(aligned),
        exponent,
    }
}

/// The exact product of two significands of at most 64 bits.
pub(crate) fn multiply(left: Finite, right: Finite) -> Finite {
    Finite {
        negative: left.negative != right.negative,
        significand: left.significand * right.significand,
        exponent: left.exponent + right.exponent,
    }
}

/// The quotient of two numbers that are not zero, to 74 bits and a last one that stands for the rest.
pub(crate) fn divide(left: Finite, right: Finite) -> Finite {
    let (left, right) = (normalise(left, 126), normalise(right, 52));
    let quotient = left.significand / right.significand;
    let rest = left.significand % right.significand != 0;
    Finite {
        negative: left.negative != right.negative,
        significand: quotient | u128::from(rest),
        exponent: left.exponent - right.exponent,
    }
}

/// The square root of a positive number, to 62 bits and a last one that stands for the rest.
pub(crate) fn square_root(number: Finite) -> Finite {
    let mut number = normalise(number, 125);
    if number.exponent % 2 != 0 {
        number.significand >>= 1;
        number.exponent += 1;
    }
    let root = number.significand.isqrt();
    let rest = root * root != number.significand;
    Finite { negative: false, significand: (root << 1) | u128::from(rest), exponent: number.exponent / 2 - 1 }
}
