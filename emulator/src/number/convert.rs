//! `cvt` in all its forms.

use super::float::{CANONICAL_SINGLE, Mode};
use super::integer;
use super::soft::{self, DOUBLE, Finite, Format, Rounding, SINGLE};
use crate::ptx::types::ScalarType;

/// One conversion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conversion {
    pub(crate) to: ScalarType,
    pub(crate) from: ScalarType,
    /// `.rni` and its kin: to a whole number.
    pub(crate) whole: Option<Rounding>,
    pub(crate) mode: Mode,
}

fn format(kind: ScalarType) -> Format {
    if kind == ScalarType::F32 { SINGLE } else { DOUBLE }
}

struct Parts {
    nan: bool,
    infinite: bool,
    number: Finite,
}

fn take_apart(bits: u64, kind: ScalarType, flush: bool) -> Parts {
    let (nan, infinite, subnormal) = if kind == ScalarType::F32 {
        let value = f32::from_bits(bits as u32);
        (value.is_nan(), value.is_infinite(), value.is_subnormal())
    } else {
        let value = f64::from_bits(bits);
        // `.ftz` flushes single precision only.
        (value.is_nan(), value.is_infinite(), false)
    };
    let mut number = soft::unpack(bits, format(kind));
    if flush && subnormal {
        number.significand = 0;
    }
    Parts { nan, infinite, number }
}

/// The whole number that a finite one is rounded to, as a magnitude. Magnitudes of 2^127 and more do not occur here:
/// the caller clamps them first.
fn whole_magnitude(number: Finite, rounding: Rounding) -> u128 {
    if number.exponent >= 0 {
        return number.significand << number.exponent;
    }
    let shift = number.exponent.unsigned_abs();
    let (kept, rest, middle) = if shift > 127 {
        (0, u128::from(number.significand != 0), u128::MAX)
    } else {
        (number.significand >> shift, number.significand & ((1 << shift) - 1), 1_u128 << (shift - 1))
    };
    let away = match rounding {
        Rounding::Nearest => rest > middle || (rest == middle && kept & 1 == 1),
        Rounding::Zero => false,
        Rounding::Down => number.negative && rest != 0,
        Rounding::Up => !number.negative && rest != 0,
    };
    kept + u128::from(away)
}

/// Converts the bits of one register.
pub(crate) fn convert(bits: u64, conversion: Conversion) -> u64 {
    match (conversion.from.is_float(), conversion.to.is_float()) {
        (false, false) => {
            let value = integer::value(bits, conversion.from);
            if conversion.mode.saturate {
                integer::clamp(value, conversion.to)
            } else {
                integer::wrap(value, conversion.to)
            }
        }
        (false, true) => from_integer(bits, conversion),
        (true, false) => to_integer(bits, conversion),
        (true, true) => between_floats(bits, conversion),
    }
}

fn from_integer(bits: u64, conversion: Conversion) -> u64 {
    let value = integer::value(bits, conversion.from);
    let number = Finite { negative: value < 0, significand: value.unsigned_abs(), exponent: 0 };
    finish(soft::round(number, format(conversion.to), conversion.mode.rounding), conversion)
}

/// Clamped to the range of the integer. NaN gives zero, except that a conversion from `.f64` or to a 64-bit type gives
/// the highest bit alone.
fn to_integer(bits: u64, conversion: Conversion) -> u64 {
    let parts = take_apart(bits, conversion.from, conversion.mode.flush);
    let width = conversion.to.bits();
    if parts.nan {
        return if conversion.from == ScalarType::F64 || width == 64 { 1 << (width - 1) } else { 0 };
    }
    // No supported integer reaches 2^64; everything of that size clamps alike.
    let top = 128 - parts.number.significand.leading_zeros() as i32 + parts.number.exponent;
    let magnitude = if parts.infinite || (parts.number.significand != 0 && top > 66) {
        1 << 66
    } else {
        whole_magnitude(parts.number, conversion.whole.unwrap_or(Rounding::Zero)) as i128
    };
    integer::clamp(if parts.number.negative { -magnitude } else { magnitude }, conversion.to)
}

fn between_floats(bits: u64, conversion: Conversion) -> u64 {
    let Conversion { to, from, mode, .. } = conversion;
    let parts = take_apart(bits, from, mode.flush);
    if parts.nan {
        if mode.saturate {
            return 0;
        }
        return match (from, to) {
            (_, ScalarType::F32) => CANONICAL_SINGLE,
            (ScalarType::F32, _) => {
                // The payload moves to the top of the wider significand, with the quiet bit set.
                let sign = (bits >> 31 & 1) << 63;
                sign | 0x7ff8_0000_0000_0000 | (bits & 0x003f_ffff) << 29
            }
            _ => bits | 1 << 51,
        };
    }
    if parts.infinite {
        let infinite =
            soft::round(Finite { significand: 1, exponent: 5000, ..parts.number }, format(to), Rounding::Nearest);
        return finish(infinite, conversion);
    }
    let mut number = parts.number;
    // Beyond 2^52 every number is whole already.
    if let Some(rounding) = conversion.whole
        && number.exponent < 0
    {
        number = Finite { significand: whole_magnitude(number, rounding), exponent: 0, ..number };
    }
    finish(soft::round(number, format(to), mode.rounding), conversion)
}

/// Flushes and saturates a floating-point result that is not NaN.
fn finish(bits: u64, conversion: Conversion) -> u64 {
    let Mode { flush, saturate, .. } = conversion.mode;
    if conversion.to == ScalarType::F32 {
        let mut value = f32::from_bits(bits as u32);
        if flush && value.is_subnormal() {
            value = f32::copysign(0.0, value);
        }
        if saturate {
            value = if value > 0.0 { value.min(1.0) } else { 0.0 };
        }
        return u64::from(value.to_bits());
    }
    if saturate {
        let value = f64::from_bits(bits);
        return (if value > 0.0 { value.min(1.0) } else { 0.0 }).to_bits();
    }
    bits
}
