//! Floating-point instructions against exact fractions, in every rounding mode.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod common;
mod exact;

use common::Slot::{B32, F32, F64, Predicate};
use common::forms::covered;
use common::{Random, Slot, evaluate};
use exact::{DOUBLE, Format, Mode, Number, SINGLE, round};
use num_rational::BigRational;
use std::cmp::Ordering;

const MODES: [Mode; 4] = [Mode::Nearest, Mode::Zero, Mode::Down, Mode::Up];

fn name(mode: Mode) -> &'static str {
    match mode {
        Mode::Nearest => "rn",
        Mode::Zero => "rz",
        Mode::Down => "rm",
        Mode::Up => "rp",
    }
}

/// Numbers at the edges of a format, and some that look random.
fn samples(format: Format, count: usize) -> Vec<u64> {
    let sign = format.sign();
    let one = format.one();
    let infinity = format.infinity();
    let smallest = 1 << format.fraction;
    let mut values = vec![
        0,
        1,
        2,
        smallest - 1,
        smallest,
        smallest + 1,
        one - 1,
        one,
        one + 1,
        one | 1 << (format.fraction - 1),
        one + smallest,
        infinity - 1,
        infinity,
        infinity | 1 << (format.fraction - 1),
        infinity | 1,
    ];
    values.extend(values.clone().iter().map(|bits| bits | sign));
    let mut random = Random(format.fraction.into());
    while values.len() < count {
        // Exponents near each other, so that digits cancel and sums are halfway between numbers.
        let fraction = random.next() & (smallest - 1) & !((1 << (random.next() % 20)) - 1);
        let exponent = one / smallest + random.next() % 40 - 20;
        values.push(fraction | (exponent * smallest) | ((random.next() & 1) * sign));
    }
    while values.len() < count * 3 / 2 {
        values.push(random.next() & (sign | (sign - 1)));
    }
    values
}

fn pairs(format: Format) -> Vec<[u64; 4]> {
    let values = samples(format, 40);
    let mut random = Random(77);
    let mut rows: Vec<[u64; 4]> = Vec::new();
    for &left in &values {
        for &right in &values {
            rows.push([left, right, values[random.next() as usize % values.len()], 0]);
        }
    }
    rows
}

#[derive(Clone, Copy)]
struct Form {
    flush: bool,
    saturate: bool,
}

/// What an instruction answers, from the exact result of its operands.
fn expected(
    format: Format,
    mode: Mode,
    form: Form,
    operands: &[u64],
    exact: impl Fn(&[BigRational], &[bool]) -> Option<(BigRational, bool)>,
    host: impl Fn(&[u64]) -> u64,
) -> Option<u64> {
    let operands: Vec<u64> = operands
        .iter()
        .map(|bits| if form.flush && format.is_subnormal(*bits) { bits & format.sign() } else { *bits })
        .collect();
    let numbers: Option<Vec<BigRational>> = operands.iter().map(|bits| format.value(*bits)).collect();
    let negative: Vec<bool> = operands.iter().map(|bits| bits & format.sign() != 0).collect();
    let result = match numbers.and_then(|numbers| exact(&numbers, &negative)) {
        Some((value, zero_is_negative)) => {
            let magnitude = Number { value, zero_is_negative };
            magnitude.round(format, mode)
        }
        // Infinities and NaN do not depend on the rounding.
        None => host(&operands),
    };
    if format.is_nan(result) {
        if form.saturate {
            return Some(0);
        }
        // The payload of a double is left open; that it is NaN is not.
        return (format == SINGLE).then_some(0x7fff_ffff);
    }
    let mut result = result;
    if form.flush && format.is_subnormal(result) {
        result &= format.sign();
    }
    if form.saturate {
        let value = format.value(result);
        let zero = BigRational::from_integer(0.into());
        let one = BigRational::from_integer(1.into());
        result = match value {
            None => {
                if result & format.sign() != 0 {
                    0
                } else {
                    format.one()
                }
            }
            Some(value) if value <= zero => 0,
            Some(value) if value >= one => format.one(),
            Some(_) => result,
        };
    }
    Some(result)
}

fn check(instruction: &str, format: Format, rows: &[[u64; 4]], arity: usize, expected: impl Fn(&[u64]) -> Option<u64>) {
    check_all(&[instruction.to_owned()], format, rows, arity, expected);
}

/// Instructions that all have the same answers: exact fractions take their time.
fn check_all(
    instructions: &[String],
    format: Format,
    rows: &[[u64; 4]],
    arity: usize,
    expected: impl Fn(&[u64]) -> Option<u64>,
) {
    let slot = if format == SINGLE { F32 } else { F64 };
    let expected: Vec<Option<u64>> = rows.iter().map(|row| expected(&row[..arity])).collect();
    for instruction in instructions {
        let found = evaluate(instruction, slot, &vec![slot; arity], rows);
        for ((row, found), expected) in rows.iter().zip(found).zip(&expected) {
            let operands = &row[..arity];
            match *expected {
                Some(expected) => {
                    assert_eq!(found, expected, "{instruction} of {operands:x?}: {found:x}, not {expected:x}")
                }
                None => assert!(format.is_nan(found), "{instruction} of {operands:x?}: {found:x} is not NaN"),
            }
        }
    }
}

fn single(function: fn(f32, f32) -> f32) -> impl Fn(&[u64]) -> u64 {
    move |bits| {
        function(f32::from_bits(bits[0] as u32), f32::from_bits(*bits.get(1).unwrap_or(&0) as u32)).to_bits().into()
    }
}

fn double(function: fn(f64, f64) -> f64) -> impl Fn(&[u64]) -> u64 {
    move |bits| function(f64::from_bits(bits[0]), f64::from_bits(*bits.get(1).unwrap_or(&0))).to_bits()
}

/// The sign of a sum that is zero: that of both operands, or minus only when rounding down.
fn zero_sum(mode: Mode, left: bool, right: bool) -> bool {
    if left == right { left } else { mode == Mode::Down }
}

fn zero() -> BigRational {
    BigRational::from_integer(0.into())
}

/// The sign of a sum of exact values, when it is zero.
fn sum_sign(mode: Mode, left: (&BigRational, bool), right: (&BigRational, bool)) -> bool {
    if *left.0 == zero() && *right.0 == zero() { zero_sum(mode, left.1, right.1) } else { mode == Mode::Down }
}

/// Every rounding with all the flags that go with a format, and how these are written.
fn variants(format: Format) -> Vec<(Mode, Form, String)> {
    let flags: &[(bool, bool)] = match format == SINGLE {
        true => &[(false, false), (true, false), (false, true), (true, true)],
        false => &[(false, false)],
    };
    let variant = |mode: Mode, &(flush, saturate): &(bool, bool)| {
        let written = format!("{}{}", if flush { ".ftz" } else { "" }, if saturate { ".sat" } else { "" });
        (mode, Form { flush, saturate }, written)
    };
    MODES.iter().flat_map(|&mode| flags.iter().map(move |flags| variant(mode, flags))).collect()
}

#[test]
fn additions_subtractions_and_products() {
    for format in [SINGLE, DOUBLE] {
        let rows = pairs(format);
        let kind = if format == SINGLE { "f32" } else { "f64" };
        for (mode, form, flags) in variants(format) {
            // Without a rounding it is to nearest.
            let roundings = [Some(format!(".{}", name(mode))), (mode == Mode::Nearest).then(String::new)];
            let forms = |opcode: &str| -> Vec<String> {
                let form = |rounding| format!("{opcode}{rounding}{flags}.{kind} {{d}}, {{a}}, {{b}};");
                roundings.iter().flatten().map(form).collect()
            };
            check_all(&forms("add"), format, &rows, 2, |operands| {
                expected(
                    format,
                    mode,
                    form,
                    operands,
                    |values, signs| {
                        let sign = sum_sign(mode, (&values[0], signs[0]), (&values[1], signs[1]));
                        Some((&values[0] + &values[1], sign))
                    },
                    |bits| if format == SINGLE { single(|a, b| a + b)(bits) } else { double(|a, b| a + b)(bits) },
                )
            });
            check_all(&forms("sub"), format, &rows, 2, |operands| {
                expected(
                    format,
                    mode,
                    form,
                    operands,
                    |values, signs| {
                        let sign = sum_sign(mode, (&values[0], signs[0]), (&values[1], !signs[1]));
                        Some((&values[0] - &values[1], sign))
                    },
                    |bits| if format == SINGLE { single(|a, b| a - b)(bits) } else { double(|a, b| a - b)(bits) },
                )
            });
            check_all(&forms("mul"), format, &rows, 2, |operands| {
                expected(
                    format,
                    mode,
                    form,
                    operands,
                    |values, signs| Some((&values[0] * &values[1], signs[0] != signs[1])),
                    |bits| if format == SINGLE { single(|a, b| a * b)(bits) } else { double(|a, b| a * b)(bits) },
                )
            });
        }
    }
    covered("float::additions_subtractions_and_products");
}

#[test]
fn fused_products_round_once() {
    for format in [SINGLE, DOUBLE] {
        let rows = pairs(format);
        let kind = if format == SINGLE { "f32" } else { "f64" };
        for (mode, form, flags) in variants(format) {
            let instructions = ["fma", "mad"]
                .map(|opcode| format!("{opcode}.{}{flags}.{kind} {{d}}, {{a}}, {{b}}, {{c}};", name(mode)));
            check_all(&instructions, format, &rows, 3, |operands| {
                expected(
                    format,
                    mode,
                    form,
                    operands,
                    |values, signs| {
                        let product = &values[0] * &values[1];
                        let sign = sum_sign(mode, (&product, signs[0] != signs[1]), (&values[2], signs[2]));
                        Some((product + &values[2], sign))
                    },
                    |bits| match format == SINGLE {
                        true => {
                            let [a, b, c] = [0, 1, 2].map(|index| f32::from_bits(bits[index] as u32));
                            a.mul_add(b, c).to_bits().into()
                        }
                        false => {
                            let [a, b, c] = [0, 1, 2].map(|index| f64::from_bits(bits[index]));
                            a.mul_add(b, c).to_bits()
                        }
                    },
                )
            });
        }
    }
    covered("float::fused_products_round_once");
}

#[test]
fn quotients_reciprocals_and_roots() {
    for format in [SINGLE, DOUBLE] {
        let rows = pairs(format);
        let kind = if format == SINGLE { "f32" } else { "f64" };
        let values: Vec<[u64; 4]> = samples(format, 400).into_iter().map(|bits| [bits, 0, 0, 0]).collect();
        let mut forms: Vec<(String, Mode, bool)> = Vec::new();
        for mode in MODES {
            forms.push((name(mode).to_owned(), mode, false));
            if format == SINGLE {
                forms.push((format!("{}.ftz", name(mode)), mode, true));
            }
        }
        if format == SINGLE {
            forms.push(("approx".to_owned(), Mode::Nearest, false));
            forms.push(("approx.ftz".to_owned(), Mode::Nearest, true));
            forms.push(("full".to_owned(), Mode::Nearest, false));
            forms.push(("full.ftz".to_owned(), Mode::Nearest, true));
        }
        for (modifiers, mode, flush) in forms {
            let form = Form { flush, saturate: false };
            check(&format!("div.{modifiers}.{kind} {{d}}, {{a}}, {{b}};"), format, &rows, 2, |operands| {
                expected(
                    format,
                    mode,
                    form,
                    operands,
                    |values, signs| (values[1] != zero()).then(|| (&values[0] / &values[1], signs[0] != signs[1])),
                    |bits| if format == SINGLE { single(|a, b| a / b)(bits) } else { double(|a, b| a / b)(bits) },
                )
            });
            if modifiers.starts_with("full") {
                continue;
            }
            check(&format!("rcp.{modifiers}.{kind} {{d}}, {{a}};"), format, &values, 1, |operands| {
                expected(
                    format,
                    mode,
                    form,
                    operands,
                    |values, signs| (values[0] != zero()).then(|| (values[0].recip(), signs[0])),
                    |bits| if format == SINGLE { single(|a, _| 1.0 / a)(bits) } else { double(|a, _| 1.0 / a)(bits) },
                )
            });
            check(&format!("sqrt.{modifiers}.{kind} {{d}}, {{a}};"), format, &values, 1, |operands| {
                let bits =
                    if flush && format.is_subnormal(operands[0]) { operands[0] & format.sign() } else { operands[0] };
                match format.value(bits) {
                    Some(value) if value > zero() => {
                        // A root is below a candidate exactly when the number is below its square.
                        Some(round(format, mode, false, |candidate| value.cmp(&(candidate * candidate))))
                    }
                    _ => expected(
                        format,
                        mode,
                        form,
                        &[bits],
                        |_, _| None,
                        |bits| {
                            if format == SINGLE { single(|a, _| a.sqrt())(bits) } else { double(|a, _| a.sqrt())(bits) }
                        },
                    ),
                }
            });
        }
    }
    covered("float::quotients_reciprocals_and_roots");
}

#[test]
fn smaller_and_larger_numbers() {
    for (format, kind) in [(SINGLE, "f32"), (DOUBLE, "f64")] {
        let rows = pairs(format);
        // All numbers in one order: minus zero comes before plus zero.
        let key =
            |bits: u64| if bits & format.sign() != 0 { -((bits & !format.sign()) as i128) - 1 } else { bits as i128 };
        for (opcode, larger) in [("min", false), ("max", true)] {
            for (modifiers, flush, propagate, xor_sign) in [
                ("", false, false, false),
                (".ftz", true, false, false),
                (".NaN", false, true, false),
                (".ftz.NaN", true, true, false),
                (".xorsign.abs", false, false, true),
                (".ftz.xorsign.abs", true, false, true),
                (".NaN.xorsign.abs", false, true, true),
                (".ftz.NaN.xorsign.abs", true, true, true),
            ] {
                if format == DOUBLE && !modifiers.is_empty() {
                    continue;
                }
                check(&format!("{opcode}{modifiers}.{kind} {{d}}, {{a}}, {{b}};"), format, &rows, 2, |operands| {
                    let input =
                        |bits: u64| if flush && format.is_subnormal(bits) { bits & format.sign() } else { bits };
                    let (mut left, mut right) = (input(operands[0]), input(operands[1]));
                    let sign = (left ^ right) & format.sign();
                    if xor_sign {
                        left &= !format.sign();
                        right &= !format.sign();
                    }
                    let canonical = if format == SINGLE { 0x7fff_ffff } else { 0x7fff_ffff_ffff_ffff };
                    let result = match (format.is_nan(left), format.is_nan(right)) {
                        (true, true) => return Some(canonical),
                        (true, _) | (_, true) if propagate => return Some(canonical),
                        (true, false) => right,
                        (false, true) => left,
                        _ if (key(left) > key(right)) == larger => left,
                        _ => right,
                    };
                    Some(if xor_sign { result | sign } else { result })
                });
            }
        }
    }
    covered("float::smaller_and_larger_numbers");
}

#[test]
fn signs_are_bits() {
    for (format, kind) in [(SINGLE, "f32"), (DOUBLE, "f64")] {
        let rows = pairs(format);
        let as_is = |operands: &[u64]| Some(operands[0]);
        check(&format!("neg.{kind} {{d}}, {{a}};"), format, &rows, 1, |operands| Some(operands[0] ^ format.sign()));
        check(&format!("abs.{kind} {{d}}, {{a}};"), format, &rows, 1, |operands| Some(operands[0] & !format.sign()));
        check(&format!("mov.{kind} {{d}}, {{a}};"), format, &rows, 1, as_is);
        check(&format!("copysign.{kind} {{d}}, {{a}}, {{b}};"), format, &rows, 2, |operands| {
            Some((operands[1] & !format.sign()) | (operands[0] & format.sign()))
        });
    }
    let rows = pairs(SINGLE);
    let flushed = |bits: u64| if SINGLE.is_subnormal(bits) { bits & SINGLE.sign() } else { bits };
    check("neg.ftz.f32 {d}, {a};", SINGLE, &rows, 1, |operands| Some(flushed(operands[0]) ^ SINGLE.sign()));
    check("abs.ftz.f32 {d}, {a};", SINGLE, &rows, 1, |operands| Some(flushed(operands[0]) & !SINGLE.sign()));
    covered("float::signs_are_bits");
}

type Combination = fn(bool, bool) -> bool;

const OPERATORS: [(&str, Combination); 3] =
    [("and", |left, right| left && right), ("or", |left, right| left || right), ("xor", |left, right| left != right)];

/// What `set` answers with: the type, its register and the bits that mean yes.
const ANSWERS: [(&str, Slot, u64); 3] =
    [("u32", B32, 0xffff_ffff), ("s32", B32, 0xffff_ffff), ("f32", F32, 0x3f80_0000)];

/// `selp` and `slct` of numbers move bits, of NaN too.
#[test]
fn selections_move_bits() {
    for (format, kind, slot) in [(SINGLE, "f32", F32), (DOUBLE, "f64", F64)] {
        let rows = pairs(format);
        let texts = [
            (format!("selp.{kind} {{d}}, {{a}}, {{b}}, {{c}};"), Predicate),
            (format!("slct.{kind}.s32 {{d}}, {{a}}, {{b}}, {{c}};"), B32),
        ];
        for (text, third) in texts {
            for (row, found) in rows.iter().zip(evaluate(&text, slot, &[slot, slot, third], &rows)) {
                let first = if third == B32 { row[2] as i32 >= 0 } else { row[2] as u32 != 0 };
                assert_eq!(found, if first { row[0] } else { row[1] }, "{text} of {row:x?}");
            }
        }
    }
    covered("float::selections_move_bits");
}

#[test]
fn comparisons_with_and_without_order() {
    for (format, kind, slot) in [(SINGLE, "f32", F32), (DOUBLE, "f64", F64)] {
        let rows = pairs(format);
        for flush in [false, true] {
            if flush && format == DOUBLE {
                continue;
            }
            for comparison in
                ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
            {
                let modifier = if flush { ".ftz" } else { "" };
                let input = |bits: u64| if flush && format.is_subnormal(bits) { bits & format.sign() } else { bits };
                let holds: Vec<bool> =
                    rows.iter().map(|row| compare(format, input(row[0]), input(row[1]), comparison)).collect();
                let instruction = format!("setp.{comparison}{modifier}.{kind} {{d}}, {{a}}, {{b}};");
                let found = evaluate(&instruction, Predicate, &[slot, slot], &rows);
                for ((row, found), expected) in rows.iter().zip(found).zip(&holds) {
                    assert_eq!(found == 1, *expected, "{instruction} of {:x?}", &row[..2]);
                }
                for (result, register, yes) in ANSWERS {
                    let text = format!("set.{comparison}{modifier}.{result}.{kind} {{d}}, {{a}}, {{b}};");
                    let found = evaluate(&text, register, &[slot, slot], &rows);
                    for ((row, found), &holds) in rows.iter().zip(found).zip(&holds) {
                        assert_eq!(found, u64::from(holds) * yes, "{text} of {:x?}", &row[..2]);
                    }
                }
                for (operator, combine) in OPERATORS {
                    let operands = [slot, slot, Predicate];
                    let third = |row: &[u64; 4]| row[2] & 0xffff_ffff != 0;
                    let text = format!("setp.{comparison}.{operator}{modifier}.{kind} _|{{d}}, {{a}}, {{b}}, !{{c}};");
                    let found = evaluate(&text, Predicate, &operands, &rows);
                    for ((row, found), &holds) in rows.iter().zip(found).zip(&holds) {
                        assert_eq!(found == 1, combine(!holds, !third(row)), "{text} of {:x?}", &row[..3]);
                    }
                    for (result, register, yes) in ANSWERS {
                        let text = format!(
                            "set.{comparison}.{operator}{modifier}.{result}.{kind} {{d}}, {{a}}, {{b}}, {{c}};"
                        );
                        let found = evaluate(&text, register, &operands, &rows);
                        for ((row, found), &holds) in rows.iter().zip(found).zip(&holds) {
                            let expected = u64::from(combine(holds, third(row))) * yes;
                            assert_eq!(found, expected, "{text} of {:x?}", &row[..3]);
                        }
                    }
                }
            }
        }
    }
    covered("float::comparisons_with_and_without_order");
}

fn compare(format: Format, left: u64, right: u64, comparison: &str) -> bool {
    let any_nan = format.is_nan(left) || format.is_nan(right);
    match comparison {
        "num" => return !any_nan,
        "nan" => return any_nan,
        _ if any_nan => return comparison.len() == 3,
        _ => {}
    }
    // Infinities lie beyond every number; their bits order them.
    let order = match (format.value(left), format.value(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => {
            let key =
                |bits: u64| if bits & format.sign() != 0 { -((bits & !format.sign()) as i128) } else { bits as i128 };
            key(left).cmp(&key(right))
        }
    };
    match &comparison[..2] {
        "eq" => order == Ordering::Equal,
        "ne" => order != Ordering::Equal,
        "lt" => order == Ordering::Less,
        "le" => order != Ordering::Greater,
        "gt" => order == Ordering::Greater,
        _ => order != Ordering::Less,
    }
}

#[test]
fn properties_of_numbers() {
    for (format, kind, slot) in [(SINGLE, "f32", F32), (DOUBLE, "f64", F64)] {
        let rows: Vec<[u64; 4]> = samples(format, 200).into_iter().map(|bits| [bits, 0, 0, 0]).collect();
        for property in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"] {
            let found = evaluate(&format!("testp.{property}.{kind} {{d}}, {{a}};"), Predicate, &[slot], &rows);
            for (row, found) in rows.iter().zip(found) {
                let bits = row[0];
                let infinite = bits & !format.sign() == format.infinity();
                let expected = match property {
                    "finite" => !format.is_nan(bits) && !infinite,
                    "infinite" => infinite,
                    "number" => !format.is_nan(bits),
                    "notanumber" => format.is_nan(bits),
                    "normal" => !format.is_nan(bits) && !infinite && !format.is_subnormal(bits),
                    _ => format.is_subnormal(bits),
                };
                assert_eq!(found == 1, expected, "testp.{property}.{kind} of {bits:x}");
            }
        }
    }
    covered("float::properties_of_numbers");
}

/// The approximate functions are computed in double precision; here they are held to the bounds that the ISA gives the
/// device, and to the special values that it lists.
#[test]
fn approximate_functions_keep_to_the_bounds_of_the_isa() {
    let f = |value: f32| u64::from(value.to_bits());
    let values = [0.1_f32, 0.5, 1.0, 1.5, 2.0, 3.0, 0.007, 17.25, 0.9999];
    let rows: Vec<[u64; 4]> = values.iter().map(|value| [f(*value), 0, 0, 0]).collect();
    type Function = fn(f64) -> f64;
    let functions: [(&str, Function); 6] = [
        ("sin", f64::sin),
        ("cos", f64::cos),
        ("ex2", f64::exp2),
        ("lg2", f64::log2),
        ("rsqrt", |value| 1.0 / value.sqrt()),
        ("tanh", f64::tanh),
    ];
    for (name, function) in functions {
        let found = evaluate(&format!("{name}.approx.f32 {{d}}, {{a}};"), F32, &[F32], &rows);
        for (value, found) in values.iter().zip(found) {
            let exact = function(f64::from(*value));
            let found = f64::from(f32::from_bits(found as u32));
            assert!((found - exact).abs() <= exact.abs() * 1e-7 + 1e-9, "{name} of {value}: {found}, not {exact}");
        }
    }
    let specials = [f(0.0), f(-0.0), f(f32::INFINITY), f(f32::NEG_INFINITY), f(f32::NAN), 1, f(-1.0)];
    let rows: Vec<[u64; 4]> = specials.iter().map(|bits| [*bits, 0, 0, 0]).collect();
    let nan = 0x7fff_ffff;
    let infinity = f(f32::INFINITY);
    let cases: [(&str, [u64; 7]); 6] = [
        ("sin.approx.ftz", [f(0.0), f(-0.0), nan, nan, nan, f(0.0), f((-1.0_f64).sin() as f32)]),
        ("cos.approx.ftz", [f(1.0), f(1.0), nan, nan, nan, f(1.0), f(1.0_f64.cos() as f32)]),
        ("ex2.approx.ftz", [f(1.0), f(1.0), infinity, f(0.0), nan, f(1.0), f(0.5)]),
        ("lg2.approx.ftz", [f(f32::NEG_INFINITY), f(f32::NEG_INFINITY), infinity, nan, nan, f(f32::NEG_INFINITY), nan]),
        ("rsqrt.approx.ftz", [infinity, f(f32::NEG_INFINITY), f(0.0), nan, nan, infinity, nan]),
        ("rcp.approx.ftz", [infinity, f(f32::NEG_INFINITY), f(0.0), f(-0.0), nan, infinity, f(-1.0)]),
    ];
    for (name, expected) in cases {
        let found = evaluate(&format!("{name}.f32 {{d}}, {{a}};"), F32, &[F32], &rows);
        assert_eq!(found, expected, "{name}");
    }
    let doubles =
        [[4.0_f64.to_bits(), 0, 0, 0], [0.25_f64.to_bits(), 0, 0, 0], [0, 0, 0, 0], [f64::INFINITY.to_bits(), 0, 0, 0]];
    let found = evaluate("rsqrt.approx.f64 {d}, {a};", F64, &[F64], &doubles);
    assert_eq!(found, [0.5_f64, 2.0, f64::INFINITY, 0.0].map(f64::to_bits));
    let found = evaluate("rcp.approx.ftz.f64 {d}, {a};", F64, &[F64], &doubles);
    assert_eq!(found, [0.25_f64, 4.0, f64::INFINITY, 0.0].map(f64::to_bits));
    // The table of the ISA for the rest: signs of zeros, negative numbers, the smallest one, NaN.
    let rest = [-0.0, -1.0, f64::NEG_INFINITY, f64::from_bits(1), f64::NAN, -4.0, 3.0];
    let rows = rest.map(|value| [value.to_bits(), 0, 0, 0]);
    let numbers = |instruction: &str| -> Vec<f64> {
        evaluate(instruction, F64, &[F64], &rows).into_iter().map(f64::from_bits).collect()
    };
    let roots = numbers("rsqrt.approx.f64 {d}, {a};");
    assert_eq!(roots[0], f64::NEG_INFINITY);
    assert!([1, 2, 4, 5].iter().all(|&place| roots[place].is_nan()), "{roots:?}");
    let near =
        |found: f64, exact: f64, bound: f64| assert!((found / exact - 1.0).abs() < bound, "{found}, not {exact}");
    // 2^537 is the inverse root of the smallest number, which is not flushed.
    near(roots[3], 2.0_f64.powi(537), 1e-8);
    near(roots[6], 1.0 / 3.0_f64.sqrt(), 1e-8);
    let reciprocals = numbers("rcp.approx.ftz.f64 {d}, {a};");
    assert_eq!(reciprocals[..2], [f64::NEG_INFINITY, -1.0]);
    assert_eq!(reciprocals[2].to_bits(), (-0.0_f64).to_bits());
    assert_eq!((reciprocals[3], reciprocals[5]), (f64::INFINITY, -0.25));
    assert!(reciprocals[4].is_nan());
    // 20 digits, and nothing in the lower half.
    near(reciprocals[6], 1.0 / 3.0, 1e-6);
    assert!(reciprocals.iter().all(|value| value.to_bits() as u32 == 0), "{reciprocals:?}");
    covered("float::approximate_functions_keep_to_the_bounds_of_the_isa");
}

#[test]
fn constants_are_read_as_bits() {
    let rows = [[0; 4]; 1];
    let read = |text: &str, slot: Slot| evaluate(text, slot, &[], &rows)[0];
    assert_eq!(read("mov.f32 {d}, 0f3FC00000;", F32), 0x3fc0_0000);
    assert_eq!(read("mov.f64 {d}, 0d3FF8000000000000;", F64), 1.5_f64.to_bits());
    assert_eq!(read("mov.f32 {d}, 1.5;", F32), 0x3fc0_0000);
    assert_eq!(read("mov.f64 {d}, -2.5;", F64), (-2.5_f64).to_bits());
}
