//! Floating-point instructions.
//!
//! A result that is NaN is the canonical `0x7fffffff` in single precision, as the ISA has it. In double precision the
//! payload of the first operand that is NaN is kept, with the quiet bit set, and an invalid operation answers
//! `0xfff8000000000000`: there the ISA leaves the bits open.

use super::soft::{self, DOUBLE, Finite, Format, Rounding, SINGLE};

/// What the modifiers of an instruction ask for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mode {
    pub(crate) rounding: Rounding,
    /// `.ftz`: subnormal operands and results become zeros of the same sign.
    pub(crate) flush: bool,
    /// `.sat`: the result is clamped to [0, 1], and NaN becomes 0.
    pub(crate) saturate: bool,
}

/// `f32` and `f64` as the bits of a register.
pub(crate) trait Real: Copy + PartialOrd {
    const FORMAT: Format;
    const SIGN: u64;
    fn from_register(bits: u64) -> Self;
    fn to_register(self) -> u64;
    fn is_nan(self) -> bool;
    fn is_infinite(self) -> bool;
    fn is_subnormal(self) -> bool;
    /// The NaN that answers for these operands.
    fn nan(operands: &[Self]) -> u64;
    fn add(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    fn divide(self, other: Self) -> Self;
    fn fused(self, factor: Self, addend: Self) -> Self;
    fn root(self) -> Self;
    fn zero() -> Self;
    fn one() -> Self;
}

macro_rules! real {
    ($float:ty, $bits:ty, $format:expr, $nan:expr) => {
        impl Real for $float {
            const FORMAT: Format = $format;
            const SIGN: u64 = 1 << (<$bits>::BITS - 1);
            #[inline]
            fn from_register(bits: u64) -> Self {
                <$float>::from_bits(bits as $bits)
            }
            #[inline]
            fn to_register(self) -> u64 {
                u64::from(self.to_bits())
            }
            #[inline]
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            fn is_infinite(self) -> bool {
                self.is_infinite()
            }
            #[inline]
            fn is_subnormal(self) -> bool {
                self.is_subnormal()
            }
            fn nan(operands: &[Self]) -> u64 {
                $nan(operands)
            }
            #[inline]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline]
            fn multiply(self, other: Self) -> Self {
                self * other
            }
            #[inline]
            fn divide(self, other: Self) -> Self {
                self / other
            }
            #[inline]
            fn fused(self, factor: Self, addend: Self) -> Self {
                self.mul_add(factor, addend)
            }
            #[inline]
            fn root(self) -> Self {
                self.sqrt()
            }
            fn zero() -> Self {
                0.0
            }
            fn one() -> Self {
                1.0
            }
        }
    };
}

/// The only NaN of single precision.
pub(crate) const CANONICAL_SINGLE: u64 = 0x7fff_ffff;
/// The NaN that `min` and `max` answer with in double precision.
pub(crate) const CANONICAL_DOUBLE: u64 = 0x7fff_ffff_ffff_ffff;

real!(f32, u32, SINGLE, |_: &[f32]| CANONICAL_SINGLE);
real!(f64, u64, DOUBLE, |operands: &[f64]| operands
    .iter()
    .find(|operand| operand.is_nan())
    .map_or(0xfff8_0000_0000_0000, |operand| operand.to_bits() | 1 << 51));

/// An operand, flushed if the instruction says so.
#[inline]
fn input<R: Real>(bits: u64, mode: Mode) -> R {
    let value = R::from_register(bits);
    if mode.flush && value.is_subnormal() { R::from_register(value.to_register() & R::SIGN) } else { value }
}

/// The bits of a result after flushing and saturation.
#[inline]
fn output<R: Real>(value: R, operands: &[R], mode: Mode) -> u64 {
    if value.is_nan() {
        return if mode.saturate { R::zero().to_register() } else { R::nan(operands) };
    }
    let mut value = value;
    if mode.flush && value.is_subnormal() {
        value = R::from_register(value.to_register() & R::SIGN);
    }
    if mode.saturate {
        // A negative zero is clamped to the positive one.
        if value <= R::zero() {
            return R::zero().to_register();
        }
        if value > R::one() {
            return R::one().to_register();
        }
    }
    value.to_register()
}

fn unpack<R: Real>(value: R) -> Finite {
    soft::unpack(value.to_register(), R::FORMAT)
}

fn finite<R: Real>(value: R) -> bool {
    !value.is_nan() && !value.is_infinite()
}

fn rounded<R: Real>(number: Finite, mode: Mode) -> R {
    R::from_register(soft::round(number, R::FORMAT, mode.rounding))
}

/// `add`, and `sub` with the second operand negated.
#[inline]
pub(crate) fn add<R: Real>(left: u64, right: u64, mode: Mode, negate: bool) -> u64 {
    let (left, plain): (R, R) = (input(left, mode), input(right, mode));
    // A NaN keeps its sign through a subtraction.
    let right = if negate && !plain.is_nan() { R::from_register(plain.to_register() ^ R::SIGN) } else { plain };
    let sum = if mode.rounding == Rounding::Nearest || !finite(left) || !finite(right) {
        left.add(right)
    } else {
        rounded(soft::add(unpack(left), unpack(right), mode.rounding), mode)
    };
    output(sum, &[left, right], mode)
}

/// `mul`
#[inline]
pub(crate) fn multiply<R: Real>(left: u64, right: u64, mode: Mode) -> u64 {
    let (left, right): (R, R) = (input(left, mode), input(right, mode));
    let product = if mode.rounding == Rounding::Nearest || !finite(left) || !finite(right) {
        left.multiply(right)
    } else {
        rounded(soft::multiply(unpack(left), unpack(right)), mode)
    };
    output(product, &[left, right], mode)
}

/// `fma`, and `mad` which is the same in every supported target.
#[inline]
pub(crate) fn fused<R: Real>(left: u64, right: u64, addend: u64, mode: Mode) -> u64 {
    let (left, right, addend): (R, R, R) = (input(left, mode), input(right, mode), input(addend, mode));
    let all_finite = finite(left) && finite(right) && finite(addend);
    let result = if mode.rounding == Rounding::Nearest || !all_finite {
        left.fused(right, addend)
    } else {
        let product = soft::multiply(unpack(left), unpack(right));
        rounded(soft::add(product, unpack(addend), mode.rounding), mode)
    };
    output(result, &[left, right, addend], mode)
}

/// `div`; the approximate forms answer with the exact quotient, rounded to nearest.
pub(crate) fn divide<R: Real>(left: u64, right: u64, mode: Mode) -> u64 {
    let (left, right): (R, R) = (input(left, mode), input(right, mode));
    let exact = mode.rounding == Rounding::Nearest || !finite(left) || !finite(right);
    let quotient = if exact || left == R::zero() || right == R::zero() {
        left.divide(right)
    } else {
        rounded(soft::divide(unpack(left), unpack(right)), mode)
    };
    output(quotient, &[left, right], mode)
}

/// `rcp`
pub(crate) fn reciprocal<R: Real>(value: u64, mode: Mode) -> u64 {
    divide::<R>(R::one().to_register(), value, mode)
}

/// `sqrt`
pub(crate) fn square_root<R: Real>(value: u64, mode: Mode) -> u64 {
    let value: R = input(value, mode);
    let root = if mode.rounding == Rounding::Nearest || !finite(value) || value <= R::zero() {
        value.root()
    } else {
        rounded(soft::square_root(unpack(value)), mode)
    };
    output(root, &[value], mode)
}

/// The approximate functions of single precision: computed in double precision and rounded once.
pub(crate) fn approximate_single(value: u64, mode: Mode, function: fn(f64) -> f64) -> u64 {
    let value: f32 = input(value, mode);
    output(function(f64::from(value)) as f32, &[value], mode)
}

/// `rsqrt.approx.f64`: computed as the quotient of 1 and the root.
pub(crate) fn inverse_root_double(value: u64, mode: Mode) -> u64 {
    let value: f64 = input(value, mode);
    output(1.0 / value.sqrt(), &[value], mode)
}

/// `rcp.approx.ftz.f64`: the ISA takes the upper 32 bits of the operand and leaves the lower half of the result zero.
pub(crate) fn reciprocal_approximate_double(value: u64) -> u64 {
    let mode = Mode { rounding: Rounding::Nearest, flush: true, saturate: false };
    let value = value & 0xffff_ffff_0000_0000;
    reciprocal::<f64>(value, mode) & 0xffff_ffff_0000_0000
}

/// `neg`: the sign is flipped, of NaN too.
#[inline]
pub(crate) fn negate<R: Real>(value: u64, mode: Mode) -> u64 {
    input::<R>(value, mode).to_register() ^ R::SIGN
}

/// `abs`: the sign is cleared, of NaN too.
#[inline]
pub(crate) fn absolute<R: Real>(value: u64, mode: Mode) -> u64 {
    input::<R>(value, mode).to_register() & !R::SIGN
}

/// `min` and `max`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extremum {
    pub(crate) maximum: bool,
    /// `.NaN`: one operand that is NaN makes the result NaN.
    pub(crate) propagate: bool,
    /// `.xorsign.abs`: of the magnitudes, with the exclusive or of the signs.
    pub(crate) xor_sign: bool,
}

/// `min` and `max`: a NaN loses against a number, and -0 is less than +0.
#[inline]
pub(crate) fn extremum<R: Real>(left: u64, right: u64, mode: Mode, kind: Extremum) -> u64 {
    let canonical = if R::SIGN == 1 << 31 { CANONICAL_SINGLE } else { CANONICAL_DOUBLE };
    let (mut left, mut right): (R, R) = (input(left, mode), input(right, mode));
    let sign = (left.to_register() ^ right.to_register()) & R::SIGN;
    if kind.xor_sign {
        left = R::from_register(left.to_register() & !R::SIGN);
        right = R::from_register(right.to_register() & !R::SIGN);
    }
    let chosen = match (left.is_nan(), right.is_nan()) {
        (true, true) => return canonical,
        (true, false) | (false, true) if kind.propagate => return canonical,
        (true, false) => right,
        (false, true) => left,
        (false, false) => {
            let left_is_less = if left == right { left.to_register() & R::SIGN != 0 } else { left < right };
            if left_is_less != kind.maximum { left } else { right }
        }
    };
    let bits = chosen.to_register();
    if kind.xor_sign { (bits & !R::SIGN) | sign } else { bits }
}

/// `copysign`: the sign of the first operand on the magnitude of the second.
pub(crate) fn copy_sign<R: Real>(sign: u64, magnitude: u64) -> u64 {
    (magnitude & !R::SIGN) | (sign & R::SIGN)
}

/// The comparisons of `setp` and `set`, on numbers that are already ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// Neither operand is NaN.
    Number,
    /// An operand is NaN.
    NotNumber,
}

impl Comparison {
    /// Of values that have an order: integers, and numbers of which none is NaN.
    #[inline]
    pub(crate) fn holds<T: PartialOrd>(self, left: T, right: T) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
            Self::Number => true,
            Self::NotNumber => false,
        }
    }
}

/// A comparison of floating-point numbers; an unordered one is true if an operand is NaN.
#[inline]
pub(crate) fn compare<R: Real>(left: u64, right: u64, comparison: Comparison, unordered: bool, flush: bool) -> bool {
    let mode = Mode { rounding: Rounding::Nearest, flush, saturate: false };
    let (left, right): (R, R) = (input(left, mode), input(right, mode));
    if left.is_nan() || right.is_nan() {
        return unordered || comparison == Comparison::NotNumber;
    }
    comparison.holds(left, right)
}

/// `testp`; zeros count as normal numbers there.
pub(crate) fn test_property<R: Real>(value: u64, property: &str) -> Option<bool> {
    let value = R::from_register(value);
    Some(match property {
        "finite" => finite(value),
        "infinite" => value.is_infinite(),
        "number" => !value.is_nan(),
        "notanumber" => value.is_nan(),
        "normal" => finite(value) && !value.is_subnormal(),
        "subnormal" => value.is_subnormal(),
        _ => return None,
    })
}
