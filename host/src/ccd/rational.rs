//! Fractions of integers of any length, as doubles.

use std::str::{FromStr, from_utf8};

use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

/// What a fraction is as a double.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rational {
    /// The nearest double.
    pub(super) value: f64,
    /// Whether it is the fraction itself.
    pub(super) exact: bool,
}

/// More digits than any fraction of doubles needs; it keeps hostile files from taking long.
const MOST_DIGITS: usize = 4096;

/// The nearest double to a fraction of two integers in decimal digits.
pub(super) fn nearest(numerator: &[u8], denominator: &[u8]) -> Result<Rational, String> {
    if let Some(value) = short(numerator, denominator) {
        return Ok(Rational { value, exact: true });
    }
    // As it stands: reducing it would take longer than everything else.
    let fraction = BigRational::new_raw(integer(numerator)?, integer(denominator)?);
    if fraction.denom().is_zero() {
        return Err("the denominator is zero".to_owned());
    }
    match fraction.to_f64() {
        Some(value) if value.is_finite() => {
            Ok(Rational { value, exact: BigRational::from_float(value).is_some_and(|double| double == fraction) })
        }
        _ => Err("the number is beyond what a double can be".to_owned()),
    }
}

/// A fraction that is a double at sight, as those of doubles of the usual sizes are: an integer that is one, over a power
/// of two.
fn short(numerator: &[u8], denominator: &[u8]) -> Option<f64> {
    let above: i64 = from_utf8(numerator).ok()?.parse().ok()?;
    let below: u64 = from_utf8(denominator).ok()?.parse().ok()?;
    (above.unsigned_abs() <= 1 << 53 && below.is_power_of_two()).then(|| above as f64 / below as f64)
}

/// An integer in decimal digits, with a sign or without.
fn integer<T: FromStr>(text: &[u8]) -> Result<T, String> {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    if digits.len() > MOST_DIGITS {
        return Err(format!("an integer of {} digits; at most {MOST_DIGITS} are read", digits.len()));
    }
    let is_integer = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let read = from_utf8(text).ok().filter(|_| is_integer).and_then(|text| text.parse().ok());
    read.ok_or_else(|| {
        let shown: String = String::from_utf8_lossy(text).chars().take(32).collect();
        format!("`{}` is no integer", shown.escape_debug())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fraction(numerator: &str, denominator: &str) -> Rational {
        nearest(numerator.as_bytes(), denominator.as_bytes()).unwrap()
    }

    #[test]
    fn fractions_are_the_nearest_doubles() {
        assert_eq!(fraction("-6", "8"), Rational { value: -0.75, exact: true });
        assert_eq!(fraction("0", "-5"), Rational { value: -0.0, exact: true });
        assert_eq!(fraction("1", "3"), Rational { value: 1.0 / 3.0, exact: false });
        assert_eq!(fraction("9007199254740993", "1"), Rational { value: 9007199254740992.0, exact: false });
        assert_eq!(fraction("9007199254740995", "1"), Rational { value: 9007199254740996.0, exact: false });
        let zeros = "0".repeat(330);
        assert_eq!(fraction("1", &format!("1{zeros}")), Rational { value: 0.0, exact: false });
        assert_eq!(fraction(&format!("7{zeros}"), &format!("2{zeros}")), Rational { value: 3.5, exact: true });
        assert!(nearest("1".repeat(5000).as_bytes(), b"1").unwrap_err().contains("5000 digits"));
    }

    proptest! {
        #[test]
        fn short_fractions_are_those_of_a_division(numerator in -1i64 << 53..1 << 53, denominator in 1i64..1 << 53) {
            let quotient = numerator as f64 / denominator as f64;
            let read = fraction(&numerator.to_string(), &denominator.to_string());
            prop_assert_eq!(read.value, quotient);
            let exact = (numerator as f64 % (denominator as f64) == 0.0) || {
                // Exact where multiplying back loses nothing.
                let (mantissa, power) = (quotient.to_bits() & ((1 << 52) - 1) | 1 << 52, quotient.to_bits() >> 52 & 0x7ff);
                let left = i128::from(numerator.unsigned_abs()) as u128;
                let scale = 1075 - power as i64;
                (0..=70).contains(&scale) && left.checked_shl(scale as u32).is_some_and(|left| left >> scale == i128::from(numerator.unsigned_abs()) as u128
                    && left == u128::from(mantissa) * denominator as u128)
            };
            prop_assert_eq!(read.exact, exact);
        }

        #[test]
        fn every_finite_double_comes_back(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            // All decimals of a double, of which there are no more than these.
            let digits = format!("{value:.1074}").replace('.', "");
            let power = format!("1{}", "0".repeat(1074));
            prop_assert_eq!(fraction(&digits, &power), Rational { value, exact: true });
            // Beside it by less than any double can be.
            let read = fraction(&format!("{digits}5"), &format!("{power}0"));
            prop_assert!(!read.exact && read.value == value);
        }
    }
}
