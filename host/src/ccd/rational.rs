//! Fractions of integers of any length, as doubles.

/// What a fraction is as a double.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rational {
    /// The nearest double (below the normal ones, one of the two nearest).
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
    let (above_negative, above) = integer(numerator)?;
    let (below_negative, below) = integer(denominator)?;
    if below.is_empty() {
        return Err("the denominator is zero".to_owned());
    }
    let (size, exact) = quotient(above, &below);
    if !size.is_finite() {
        return Err("the number is beyond what a double can be".to_owned());
    }
    Ok(Rational { value: if above_negative != below_negative { -size } else { size }, exact })
}

/// A fraction that is a double at sight, as those of doubles of the usual sizes are: an integer that is one, over a power
/// of two.
fn short(numerator: &[u8], denominator: &[u8]) -> Option<f64> {
    let above: i64 = std::str::from_utf8(numerator).ok()?.parse().ok()?;
    let below: u64 = std::str::from_utf8(denominator).ok()?.parse().ok()?;
    (above.unsigned_abs() <= 1 << 53 && below.is_power_of_two()).then(|| above as f64 / below as f64)
}

/// The sign and the 32-bit digits of an integer, the lowest first and none of them a leading zero.
fn integer(text: &[u8]) -> Result<(bool, Vec<u32>), String> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.len() > MOST_DIGITS {
        return Err(format!("an integer of {} digits; at most {MOST_DIGITS} are read", digits.len()));
    }
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        let shown: String = String::from_utf8_lossy(text).chars().take(32).collect();
        return Err(format!("`{}` is no integer", shown.escape_debug()));
    }
    let mut limbs: Vec<u32> = Vec::with_capacity(digits.len() / 9 + 1);
    for part in digits.chunks(9) {
        let mut carry = part.iter().fold(0, |number, digit| 10 * number + u64::from(digit - b'0'));
        let shift = 10u64.pow(part.len() as u32);
        for limb in &mut limbs {
            carry += u64::from(*limb) * shift;
            *limb = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            limbs.push(carry as u32);
        }
    }
    Ok((negative, limbs))
}

/// The quotient of two integers, the second not zero, and whether it is exact.
fn quotient(mut above: Vec<u32>, below: &[u32]) -> (f64, bool) {
    if above.is_empty() {
        return (0.0, true);
    }
    // Shifted so that the quotient has 66 or 67 bits, more than a double has; that it is not all sets its last one.
    let shift = 66 - (bits(&above) as i64 - bits(below) as i64);
    let mut below = below.to_vec();
    if shift >= 0 {
        above = shifted(&above, shift as usize);
    } else {
        below = shifted(&below, -shift as usize);
    }
    let mut result: u128 = 0;
    for place in (0..=67).rev() {
        let part = shifted(&below, place);
        if at_least(&above, &part) {
            subtract(&mut above, &part);
            result |= 1 << place;
        }
    }
    let left_over = !above.is_empty();
    let rounded = (result | u128::from(left_over)) as f64;
    let value = scaled(rounded, -shift);
    let exact = !left_over && rounded as u128 == result && scaled(value, shift) == rounded;
    (value, exact)
}

/// A double times a power of two, in steps that are doubles.
fn scaled(mut value: f64, mut power: i64) -> f64 {
    while power != 0 && value != 0.0 && value.is_finite() {
        let step = power.clamp(-512, 512);
        value *= 2f64.powi(step as i32);
        power -= step;
    }
    value
}

fn bits(limbs: &[u32]) -> usize {
    limbs.last().map_or(0, |last| 32 * limbs.len() - last.leading_zeros() as usize)
}

fn shifted(limbs: &[u32], shift: usize) -> Vec<u32> {
    let mut result = vec![0; shift / 32];
    let mut carry = 0;
    for &limb in limbs {
        let wide = u64::from(limb) << (shift % 32);
        result.push(wide as u32 | carry);
        carry = (wide >> 32) as u32;
    }
    if carry > 0 {
        result.push(carry);
    }
    result
}

fn at_least(one: &[u32], other: &[u32]) -> bool {
    one.len().cmp(&other.len()).then_with(|| one.iter().rev().cmp(other.iter().rev())).is_ge()
}

/// Subtracts what is not larger.
fn subtract(from: &mut Vec<u32>, other: &[u32]) {
    let mut borrow = false;
    for (place, limb) in from.iter_mut().enumerate() {
        let (less, first) = limb.overflowing_sub(other.get(place).copied().unwrap_or(0));
        let (less, second) = less.overflowing_sub(u32::from(borrow));
        *limb = less;
        borrow = first || second;
    }
    while from.last() == Some(&0) {
        from.pop();
    }
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
            // All digits of a double times 2¹⁰⁷⁴, over that power of two.
            let mantissa = value.abs().to_bits() & ((1 << 52) - 1);
            let power = (value.abs().to_bits() >> 52) as usize;
            let limbs = if power == 0 { vec![mantissa as u32, (mantissa >> 32) as u32] }
                else { shifted(&[mantissa as u32, (mantissa >> 32) as u32 | 1 << 20], power - 1) };
            let limbs: Vec<u32> = match limbs.iter().rposition(|&limb| limb != 0) {
                Some(last) => limbs[..=last].to_vec(),
                None => Vec::new(),
            };
            let (read, exact) = quotient(limbs, &shifted(&[1], 1074));
            prop_assert_eq!((read, exact), (value.abs(), true));
        }
    }
}
