//! Floating-point arithmetic.

use super::Lowerer;
use super::integer::unused;
use super::modifiers::Modifiers;
use crate::error::PtxError;
use crate::number::float::{self, Extremum, Mode};
use crate::program::{Boolean, Combine, InstructionClass, Operation, PredicateSource, WarpFunction, lift, lift_test};
use crate::ptx::ast::Statement;
use crate::ptx::types::ScalarType;

/// Chooses between the single and the double precision of a generic function.
macro_rules! by_type {
    ($kind:expr, $real:ident => $function:expr) => {
        if $kind == ScalarType::F32 {
            type $real = f32;
            $function
        } else {
            type $real = f64;
            $function
        }
    };
}

impl Lowerer<'_> {
    pub(crate) fn float_arithmetic(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let kind = self.kind(&mut modifiers, statement, ScalarType::is_float)?;
        let single = kind == ScalarType::F32;
        let opcode = statement.opcode.as_str();
        let approximate = opcode == "div" && single && (modifiers.take("approx") || modifiers.take("full"));
        let (rounding, mode) = modifiers.float_mode();
        // What the ISA has no form for is refused here: double precision neither flushes nor saturates.
        let rounds = matches!(opcode, "add" | "sub" | "mul" | "fma" | "mad" | "div");
        let saturates = matches!(opcode, "add" | "sub" | "mul" | "fma" | "mad");
        let needs_rounding = matches!(opcode, "fma" | "mad") || (opcode == "div" && !approximate);
        let wrong = (!single && (mode.flush || mode.saturate))
            || (rounding.is_some() && (!rounds || approximate))
            || (mode.saturate && !saturates)
            || (needs_rounding && rounding.is_none());
        if wrong {
            return Err(self.unsupported(statement));
        }
        let extremum = matches!(opcode, "min" | "max").then(|| Extremum {
            maximum: opcode == "max",
            propagate: single && modifiers.take("NaN"),
            xor_sign: single && modifiers.take("xorsign"),
        });
        // `.xorsign` and `.abs` only come together.
        if extremum.is_some_and(|kind| kind.xor_sign && !modifiers.take("abs")) {
            return Err(self.unsupported(statement));
        }
        self.finish(&modifiers, statement)?;
        let (count, function) =
            by_type!(kind, R => arithmetic::<R>(opcode, mode, extremum)).ok_or_else(|| self.unsupported(statement))?;
        let class = match (opcode, single) {
            ("div", _) => InstructionClass::SpecialFunction,
            (_, true) => InstructionClass::Float32,
            (_, false) => InstructionClass::Float64,
        };
        self.compute(statement, class, (kind, &[kind; 3][..count]), function)
    }

    /// Roots, reciprocals and the approximate functions, which are computed exactly and rounded to nearest.
    pub(crate) fn special_function(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let kind = self.kind(&mut modifiers, statement, ScalarType::is_float)?;
        let single = kind == ScalarType::F32;
        let approximate = modifiers.take("approx");
        let (rounding, mode) = modifiers.float_mode();
        self.finish(&modifiers, statement)?;
        let opcode = statement.opcode.as_str();
        if mode.saturate || approximate == rounding.is_some() {
            return Err(self.unsupported(statement));
        }
        let simple =
            |function: fn(f64) -> f64| lift(move |value, _, _| float::approximate_single(value, mode, function));
        let function = match (opcode, single, approximate) {
            ("sqrt", true, _) => lift(move |value, _, _| float::square_root::<f32>(value, mode)),
            ("rcp", true, _) => lift(move |value, _, _| float::reciprocal::<f32>(value, mode)),
            ("sqrt", false, false) if !mode.flush => lift(move |value, _, _| float::square_root::<f64>(value, mode)),
            ("rcp", false, false) if !mode.flush => lift(move |value, _, _| float::reciprocal::<f64>(value, mode)),
            ("rcp", false, true) if mode.flush => lift(|value, _, _| float::reciprocal_approximate_double(value)),
            ("rsqrt", true, true) => simple(|value| 1.0 / value.sqrt()),
            // With `.ftz` it is another instruction, of 32 bits only.
            ("rsqrt", false, true) if !mode.flush => lift(move |value, _, _| float::inverse_root_double(value, mode)),
            ("sin", true, true) => simple(f64::sin),
            ("cos", true, true) => simple(f64::cos),
            ("ex2", true, true) => simple(f64::exp2),
            ("lg2", true, true) => simple(f64::log2),
            ("tanh", true, true) if !mode.flush => simple(f64::tanh),
            _ => return Err(self.unsupported(statement)),
        };
        self.compute(statement, InstructionClass::SpecialFunction, (kind, &[kind]), function)
    }

    /// `copysign`, `testp`
    pub(crate) fn float_bits(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let kind = self.kind(&mut modifiers, statement, ScalarType::is_float)?;
        if statement.opcode == "copysign" {
            self.finish(&modifiers, statement)?;
            let function = by_type!(kind, R => lift(|sign, magnitude, _| float::copy_sign::<R>(sign, magnitude)));
            let class = if kind == ScalarType::F32 { InstructionClass::Float32 } else { InstructionClass::Float64 };
            return self.compute(statement, class, (kind, &[kind; 2]), function);
        }
        let property = modifiers.take_first().unwrap_or_default().to_owned();
        self.finish(&modifiers, statement)?;
        if float::test_property::<f32>(0, &property).is_none() {
            return Err(self.unsupported(statement));
        }
        self.operand_count(statement, 2)?;
        let first = self.predicate_target(&statement.operands[0], statement)?;
        let value = self.operand(&statement.operands[1], kind, statement)?;
        let test = by_type!(kind, R => lift_test(move |value, _| {
            float::test_property::<R>(value, &property).unwrap_or(false)
        }));
        let combine = Combine { operator: Boolean::First, with: PredicateSource::Constant(false) };
        let operation = Operation::Compare { test, first, second: None, sources: [value, unused()], combine };
        self.push(statement, InstructionClass::Comparison, operation)
    }
}

fn arithmetic<R: float::Real + 'static>(
    opcode: &str,
    mode: Mode,
    extremum: Option<Extremum>,
) -> Option<(usize, WarpFunction)> {
    Some(match opcode {
        "add" => (2, lift(move |left, right, _| float::add::<R>(left, right, mode, false))),
        "sub" => (2, lift(move |left, right, _| float::add::<R>(left, right, mode, true))),
        "mul" => (2, lift(move |left, right, _| float::multiply::<R>(left, right, mode))),
        "fma" | "mad" => (3, lift(move |left, right, addend| float::fused::<R>(left, right, addend, mode))),
        "div" => (2, lift(move |left, right, _| float::divide::<R>(left, right, mode))),
        "neg" => (1, lift(move |value, _, _| float::negate::<R>(value, mode))),
        "abs" => (1, lift(move |value, _, _| float::absolute::<R>(value, mode))),
        "min" | "max" => {
            let kind = extremum?;
            (2, lift(move |left, right, _| float::extremum::<R>(left, right, mode, kind)))
        }
        _ => return None,
    })
}
