//! Numbers in text, read from bytes: exactly rounded, and fast for the digits that mesh files have.

/// The powers of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Whether a byte ends a word.
#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    byte <= b' '
}

/// The number that stands at the beginning of the bytes, up to a blank, and its length.
///
/// A mantissa below 2⁵³ and a power of ten up to 22 are both exact doubles, so that one multiplication or division
/// rounds once and correctly (Clinger 1990); everything else goes to the standard library.
#[inline]
pub(super) fn float_prefix(bytes: &[u8]) -> Option<(f64, usize)> {
    let mut at = 0;
    let negative = match bytes.first() {
        Some(b'-') => {
            at = 1;
            true
        }
        Some(b'+') => {
            at = 1;
            false
        }
        _ => false,
    };
    let mut mantissa = 0_u64;
    let mut digits = 0;
    while let Some(digit) = digit_at(bytes, at) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
        digits += 1;
        at += 1;
    }
    let mut exponent = 0_i32;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        let point = at;
        while let Some(digit) = digit_at(bytes, at) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
            at += 1;
        }
        digits += at - point;
        // More than 19 digits go the slow way, so that this cannot overflow where it matters.
        exponent = -((at - point).min(100) as i32);
    }
    if digits == 0 || digits > 19 || mantissa > 1 << 53 {
        return slow_prefix(bytes);
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        let down = bytes.get(at) == Some(&b'-');
        if let Some(b'-' | b'+') = bytes.get(at) {
            at += 1;
        }
        let first = at;
        let mut power = 0_i32;
        while let Some(digit) = digit_at(bytes, at) {
            power = (10 * power + digit as i32).min(100_000);
            at += 1;
        }
        if at == first {
            return None;
        }
        exponent += if down { -power } else { power };
    }
    if bytes.get(at).is_some_and(|&byte| !is_blank(byte)) || !(-22..=22).contains(&exponent) {
        return slow_prefix(bytes);
    }
    let power = EXACT_POWERS[exponent.unsigned_abs() as usize];
    let size = if exponent < 0 { mantissa as f64 / power } else { mantissa as f64 * power };
    Some((if negative { -size } else { size }, at))
}

#[inline]
fn digit_at(bytes: &[u8], at: usize) -> Option<u64> {
    let digit = bytes.get(at)?.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

#[cold]
fn slow_prefix(bytes: &[u8]) -> Option<(f64, usize)> {
    let length = bytes.iter().position(|&byte| is_blank(byte)).unwrap_or(bytes.len());
    let text = std::str::from_utf8(&bytes[..length]).ok()?;
    Some((text.parse().ok()?, length))
}

/// The whole of the bytes as an integer.
pub(super) fn integer(bytes: &[u8]) -> Option<i64> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Option<f64> {
        float_prefix(text.as_bytes()).filter(|&(_, length)| length == text.len()).map(|(value, _)| value)
    }

    #[test]
    fn numbers_as_people_and_programs_write_them() {
        let cases = ["0", "-0", "+1", "1.", ".5", "-.5", "1e3", "1E-3", "1e+22", "9007199254740993", "0.1", "1e23"];
        let hard = ["123456789012345678901234567890", "4.9e-324", "1.7976931348623157e308", "2.2250738585072011e-308"];
        for text in cases.iter().chain(&hard) {
            let expected: f64 = text.parse().unwrap();
            assert_eq!(parse(text).map(f64::to_bits), Some(expected.to_bits()), "{text}");
        }
        assert_eq!(parse("nan").map(f64::is_nan), Some(true));
        assert_eq!(parse("1e999"), Some(f64::INFINITY));
        for text in ["", "-", ".", "e5", "1e", "1e+", "1,5", "0x10", "1.2.3", "1-2", "--1", "1_0", "\u{ff}1"] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_double_comes_back(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(parse(&format!("{value:?}")).map(f64::to_bits), Some(bits));
            prop_assert_eq!(parse(&format!("{value:e}")).map(f64::to_bits), Some(bits));
        }

        #[test]
        fn decimals_round_as_the_standard_library_rounds(text in "[+-]?[0-9]{0,20}\\.?[0-9]{0,20}(e[+-]?[0-9]{1,3})?") {
            let expected = text.parse::<f64>().ok().map(f64::to_bits);
            prop_assert_eq!(parse(&text).map(f64::to_bits), expected);
        }
    }
}
