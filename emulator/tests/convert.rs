//! Conversions between all pairs of types, against exact fractions.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod common;
mod exact;

use common::Slot::{B16, B32, B64, F32, F64};
use common::forms::covered;
use common::{Random, Slot, evaluate};
use exact::{DOUBLE, Format, Mode, Number, SINGLE};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

#[derive(Clone, Copy, PartialEq, Eq)]
struct Integer {
    name: &'static str,
    bits: u32,
    signed: bool,
}

const INTEGERS: [Integer; 8] = [
    Integer { name: "u8", bits: 8, signed: false },
    Integer { name: "s8", bits: 8, signed: true },
    Integer { name: "u16", bits: 16, signed: false },
    Integer { name: "s16", bits: 16, signed: true },
    Integer { name: "u32", bits: 32, signed: false },
    Integer { name: "s32", bits: 32, signed: true },
    Integer { name: "u64", bits: 64, signed: false },
    Integer { name: "s64", bits: 64, signed: true },
];

const MODES: [(&str, Mode); 4] = [("rn", Mode::Nearest), ("rz", Mode::Zero), ("rm", Mode::Down), ("rp", Mode::Up)];

fn ones(bits: u32) -> u64 {
    if bits == 64 { u64::MAX } else { (1 << bits) - 1 }
}

impl Integer {
    fn value(self, bits: u64) -> BigInt {
        let bits = bits & ones(self.bits);
        let negative = self.signed && bits >> (self.bits - 1) == 1;
        BigInt::from(bits) - if negative { BigInt::from(1) << self.bits } else { BigInt::from(0) }
    }

    fn range(self) -> (BigInt, BigInt) {
        let one = BigInt::from(1);
        if self.signed {
            (-(one.clone() << (self.bits - 1)), (one << (self.bits - 1)) - 1)
        } else {
            (BigInt::from(0), (one << self.bits) - 1)
        }
    }

    /// The bits of a value in a register, which may be wider: signed types fill it with their sign.
    fn register(self, value: &BigInt, width: u32) -> u64 {
        let modulus = BigInt::from(1) << self.bits;
        let wrapped = ((value % &modulus) + &modulus) % &modulus;
        let own = self.value(wrapped.to_u64().unwrap());
        let modulus = BigInt::from(1) << width;
        (((own % &modulus) + &modulus) % &modulus).to_u64().unwrap()
    }

    fn slots(self) -> Vec<(Slot, u32)> {
        [(B16, 16), (B32, 32), (B64, 64)].into_iter().filter(|(_, width)| *width >= self.bits).collect()
    }
}

fn integer_samples() -> Vec<[u64; 4]> {
    let mut values: Vec<u64> = vec![0, 1, 2, 100];
    for bits in [7, 8, 15, 16, 23, 24, 25, 31, 32, 33, 52, 53, 54, 62, 63] {
        let power = 1_u64 << bits;
        for value in [power - 1, power, power + 1] {
            values.extend([value, value.wrapping_neg()]);
        }
    }
    let mut random = Random(8);
    values.extend((0..64).map(|index| random.next() >> (index % 60)));
    values.into_iter().map(|value| [value, 0, 0, 0]).collect()
}

#[test]
fn between_integers() {
    let rows = integer_samples();
    for from in INTEGERS {
        for to in INTEGERS {
            for saturate in [false, true] {
                let (from_range, to_range) = (from.range(), to.range());
                // Saturation is only written where it can happen.
                if saturate && to_range.0 <= from_range.0 && to_range.1 >= from_range.1 {
                    continue;
                }
                for (source, _) in from.slots() {
                    for (target, width) in to.slots() {
                        let modifier = if saturate { ".sat" } else { "" };
                        let instruction = format!("cvt{modifier}.{}.{} {{d}}, {{a}};", to.name, from.name);
                        for (row, found) in rows.iter().zip(evaluate(&instruction, target, &[source], &rows)) {
                            let mut value = from.value(row[0]);
                            if saturate {
                                value = value.clamp(to_range.0.clone(), to_range.1.clone());
                            }
                            assert_eq!(found, to.register(&value, width), "{instruction} of {row:x?} to {width} bits");
                        }
                    }
                }
            }
        }
    }
    covered("convert::between_integers");
}

#[test]
fn from_integers_to_floats() {
    let rows = integer_samples();
    for from in INTEGERS {
        for (kind, format, target) in [("f32", SINGLE, F32), ("f64", DOUBLE, F64)] {
            for (name, mode) in MODES {
                // Whole numbers are never subnormal, so that nothing is flushed.
                for (modifier, saturate) in [("", false), (".sat", true), (".ftz", false), (".ftz.sat", true)] {
                    if modifier.starts_with(".ftz") && format == DOUBLE {
                        continue;
                    }
                    let instruction = format!("cvt.{name}{modifier}.{kind}.{} {{d}}, {{a}};", from.name);
                    let (source, _) = from.slots()[0];
                    for (row, found) in rows.iter().zip(evaluate(&instruction, target, &[source], &rows)) {
                        let value = BigRational::from_integer(from.value(row[0]));
                        let mut expected = Number { value: value.clone(), zero_is_negative: false }.round(format, mode);
                        if saturate {
                            expected = if value.is_positive() { format.one() } else { 0 };
                        }
                        assert_eq!(found, expected, "{instruction} of {row:x?}");
                    }
                }
            }
        }
    }
    covered("convert::from_integers_to_floats");
}

fn float_samples(format: Format) -> Vec<u64> {
    let mut values = vec![0, 1, 1 << format.fraction, format.infinity() - 1, format.infinity()];
    let bias = (1_u64 << (format.exponent - 1)) - 1;
    for exponent in
        [-130_i64, -60, -2, -1, 0, 1, 6, 7, 8, 14, 15, 16, 23, 24, 30, 31, 32, 51, 52, 53, 62, 63, 64, 65, 100]
    {
        let Some(field) = (bias as i64).checked_add(exponent).filter(|field| *field > 0) else { continue };
        let base = (field as u64) << format.fraction;
        let half = 1 << (format.fraction - 1);
        values.extend([base, base + 1, base - 1, base + half, base + half + 1, base + half / 2, base + 2 * half - 1]);
    }
    // Halves, where rounding to even shows.
    for number in [0.5_f64, 1.5, 2.5, 3.5, 126.5, 127.5, 254.5, 255.5, 32767.5, 65535.5, 2147483647.5, 4294967295.5] {
        values.push(if format == SINGLE { (number as f32).to_bits().into() } else { number.to_bits() });
    }
    let mut random = Random(5);
    values.extend((0..60).map(|_| random.next() & (format.sign() - 1)));
    values.extend(values.clone().iter().map(|bits| bits | format.sign()));
    values
}

/// The whole number that a value is rounded to.
fn whole(value: &BigRational, mode: Mode) -> BigInt {
    let half = BigRational::new(1.into(), 2.into());
    match mode {
        Mode::Zero => value.trunc().to_integer(),
        Mode::Down => value.floor().to_integer(),
        Mode::Up => value.ceil().to_integer(),
        Mode::Nearest => {
            let floor = value.floor();
            let rest = value - &floor;
            let floor = floor.to_integer();
            let odd = &floor % 2 != BigInt::from(0);
            if rest > half || (rest == half && odd) { floor + 1 } else { floor }
        }
    }
}

const WHOLE_MODES: [(&str, Mode); 4] =
    [("rni", Mode::Nearest), ("rzi", Mode::Zero), ("rmi", Mode::Down), ("rpi", Mode::Up)];

#[test]
fn from_floats_to_integers() {
    for (kind, format, source) in [("f32", SINGLE, F32), ("f64", DOUBLE, F64)] {
        let rows: Vec<[u64; 4]> = float_samples(format).into_iter().map(|bits| [bits, 0, 0, 0]).collect();
        for to in INTEGERS {
            for (name, mode) in WHOLE_MODES {
                for (modifier, flush) in [("", false), (".ftz", true), (".sat", false), (".ftz.sat", true)] {
                    if flush && format == DOUBLE {
                        continue;
                    }
                    let instruction = format!("cvt.{name}{modifier}.{}.{kind} {{d}}, {{a}};", to.name);
                    for (target, width) in to.slots() {
                        for (row, found) in rows.iter().zip(evaluate(&instruction, target, &[source], &rows)) {
                            let mut bits = row[0];
                            if flush && format.is_subnormal(bits) {
                                bits &= format.sign();
                            }
                            let (least, most) = to.range();
                            let value = match format.value(bits) {
                                Some(value) => whole(&value, mode).clamp(least, most),
                                None if !format.is_nan(bits) && bits & format.sign() != 0 => least,
                                None if !format.is_nan(bits) => most,
                                // Zero, except where a double or a 64-bit type is involved.
                                None if format == SINGLE && to.bits < 64 => BigInt::from(0),
                                None => BigInt::from(1) << (to.bits - 1),
                            };
                            assert_eq!(found, to.register(&value, width), "{instruction} of {row:x?} to {width} bits");
                        }
                    }
                }
            }
        }
    }
    covered("convert::from_floats_to_integers");
}

#[test]
fn between_floats() {
    let singles: Vec<[u64; 4]> = float_samples(SINGLE).into_iter().map(|bits| [bits, 0, 0, 0]).collect();
    let mut doubles: Vec<u64> = float_samples(DOUBLE);
    // Around the ends of single precision: its largest number, its smallest one, halves of its last digit.
    for base in [
        0x47ef_ffff_e000_0000,
        0x47ef_ffff_f000_0000,
        0x3690_0000_0000_0000,
        0x36a0_0000_0000_0000,
        0x380f_ffff_f000_0000,
    ] {
        doubles.extend([base - 1, base, base + 1, base | 1 << 63]);
    }
    let doubles: Vec<[u64; 4]> = doubles.into_iter().map(|bits| [bits, 0, 0, 0]).collect();
    for (name, mode) in MODES {
        for (modifier, flush, saturate) in
            [("", false, false), (".ftz", true, false), (".sat", false, true), (".ftz.sat", true, true)]
        {
            let instruction = format!("cvt.{name}{modifier}.f32.f64 {{d}}, {{a}};");
            for (row, found) in doubles.iter().zip(evaluate(&instruction, F32, &[F64], &doubles)) {
                let bits = row[0];
                let negative = bits >> 63 == 1;
                let mut expected = match DOUBLE.value(bits) {
                    Some(value) => Number { value, zero_is_negative: negative }.round(SINGLE, mode),
                    None if DOUBLE.is_nan(bits) => 0x7fff_ffff,
                    None => SINGLE.infinity() | if negative { SINGLE.sign() } else { 0 },
                };
                if flush && SINGLE.is_subnormal(expected) {
                    expected &= SINGLE.sign();
                }
                if saturate {
                    expected = saturated(SINGLE, expected);
                }
                assert_eq!(found, expected, "{instruction} of {bits:x}");
            }
        }
    }
    for (modifier, flush, saturate) in
        [("", false, false), (".ftz", true, false), (".sat", false, true), (".ftz.sat", true, true)]
    {
        let instruction = format!("cvt{modifier}.f64.f32 {{d}}, {{a}};");
        for (row, found) in singles.iter().zip(evaluate(&instruction, F64, &[F32], &singles)) {
            let mut single = f32::from_bits(row[0] as u32);
            if flush && single.is_subnormal() {
                single = f32::copysign(0.0, single);
            }
            if single.is_nan() && !saturate {
                assert!(f64::from_bits(found).is_nan());
                continue;
            }
            let mut expected = f64::from(single).to_bits();
            if saturate {
                expected = saturated(DOUBLE, expected);
            }
            assert_eq!(found, expected, "{instruction} of {:x}", row[0]);
        }
    }
    covered("convert::between_floats");
}

fn saturated(format: Format, bits: u64) -> u64 {
    match format.value(bits) {
        _ if format.is_nan(bits) || bits & format.sign() != 0 => 0,
        Some(value) if value < BigRational::from_integer(1.into()) => bits,
        _ => format.one(),
    }
}

#[test]
fn to_whole_numbers_in_floats() {
    for (kind, format, slot) in [("f32", SINGLE, F32), ("f64", DOUBLE, F64)] {
        let rows: Vec<[u64; 4]> = float_samples(format).into_iter().map(|bits| [bits, 0, 0, 0]).collect();
        // Without a rounding it is a copy, which may flush or saturate.
        let modes = WHOLE_MODES.iter().map(|(name, mode)| (format!(".{name}"), Some(*mode)));
        for (name, mode) in modes.chain([(String::new(), None)]) {
            for (modifier, flush, saturate) in
                [("", false, false), (".sat", false, true), (".ftz", true, false), (".ftz.sat", true, true)]
            {
                if flush && format == DOUBLE {
                    continue;
                }
                let instruction = format!("cvt{name}{modifier}.{kind}.{kind} {{d}}, {{a}};");
                for (row, found) in rows.iter().zip(evaluate(&instruction, slot, &[slot], &rows)) {
                    let bits = if flush && format.is_subnormal(row[0]) { row[0] & format.sign() } else { row[0] };
                    let negative = bits & format.sign() != 0;
                    let mut expected = match (format.value(bits), mode) {
                        (Some(value), Some(mode)) => {
                            let value = BigRational::from_integer(whole(&value, mode));
                            Number { value, zero_is_negative: negative }.round(format, Mode::Nearest)
                        }
                        _ => bits,
                    };
                    if saturate {
                        expected = saturated(format, expected);
                    } else if format.is_nan(bits) {
                        assert!(format.is_nan(found));
                        continue;
                    }
                    assert_eq!(found, expected, "{instruction} of {bits:x}");
                }
            }
        }
    }
    covered("convert::to_whole_numbers_in_floats");
}
