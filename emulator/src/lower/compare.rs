//! Comparisons, selections.

use super::Lowerer;
use super::modifiers::Modifiers;
use crate::error::PtxError;
use crate::number::float::{self, Comparison};
use crate::number::sign_extend;
use crate::program::{Boolean, Combine, InstructionClass, Operation, PredicateSource, WarpTest, lift, lift_test};
use crate::ptx::ast::{Operand, Statement};
use crate::ptx::types::ScalarType;

/// The comparison of a modifier, and whether it is true for operands that are NaN.
fn comparison(name: &str) -> Option<(Comparison, bool)> {
    Some(match name {
        "eq" => (Comparison::Equal, false),
        "ne" => (Comparison::NotEqual, false),
        "lt" | "lo" => (Comparison::Less, false),
        "le" | "ls" => (Comparison::LessOrEqual, false),
        "gt" | "hi" => (Comparison::Greater, false),
        "ge" | "hs" => (Comparison::GreaterOrEqual, false),
        "equ" => (Comparison::Equal, true),
        "neu" => (Comparison::NotEqual, true),
        "ltu" => (Comparison::Less, true),
        "leu" => (Comparison::LessOrEqual, true),
        "gtu" => (Comparison::Greater, true),
        "geu" => (Comparison::GreaterOrEqual, true),
        "num" => (Comparison::Number, false),
        "nan" => (Comparison::NotNumber, false),
        _ => return None,
    })
}

/// Which comparisons a type has: bits are only equal or not, `lo` and its kin are for unsigned integers.
fn accepts(name: &str, kind: ScalarType) -> bool {
    let equality = matches!(name, "eq" | "ne");
    let order = matches!(name, "lt" | "le" | "gt" | "ge");
    let unsigned = matches!(name, "lo" | "ls" | "hi" | "hs");
    if kind.is_float() {
        !unsigned
    } else {
        equality || (order && kind.is_integer()) || (unsigned && kind.is_unsigned())
    }
}

fn test(kind: ScalarType, comparison: Comparison, unordered: bool, flush: bool) -> WarpTest {
    match kind {
        ScalarType::F32 => {
            lift_test(move |left, right| float::compare::<f32>(left, right, comparison, unordered, flush))
        }
        ScalarType::F64 => {
            lift_test(move |left, right| float::compare::<f64>(left, right, comparison, unordered, false))
        }
        _ if kind.is_signed() => {
            let bits = kind.bits();
            lift_test(move |left, right| comparison.holds(sign_extend(left, bits), sign_extend(right, bits)))
        }
        _ => lift_test(move |left, right| comparison.holds(left, right)),
    }
}

impl Lowerer<'_> {
    /// `setp`, `set`
    pub(crate) fn compare(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let name = modifiers.take_first().unwrap_or_default();
        let (comparison, unordered) = comparison(name).ok_or_else(|| self.unsupported(statement))?;
        let operator = modifiers.take_map(|name| {
            Some(match name {
                "and" => Boolean::And,
                "or" => Boolean::Or,
                "xor" => Boolean::Xor,
                _ => return None,
            })
        });
        let set = statement.opcode == "set";
        let result = match set {
            true => Some(self.kind(&mut modifiers, statement, |kind| {
                matches!(kind, ScalarType::U32 | ScalarType::S32 | ScalarType::F32)
            })?),
            false => None,
        };
        let kind = self.kind(&mut modifiers, statement, |kind| kind.bits() >= 16 && accepts(name, kind))?;
        let flush = kind == ScalarType::F32 && modifiers.take("ftz");
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, if operator.is_some() { 4 } else { 3 })?;
        let left = self.operand(&statement.operands[1], kind, statement)?;
        let right = self.operand(&statement.operands[2], kind, statement)?;
        let combine = match operator {
            Some(operator) => Combine { operator, with: self.predicate(&statement.operands[3], statement)? },
            None => Combine { operator: Boolean::First, with: PredicateSource::Constant(false) },
        };
        let test = test(kind, comparison, unordered, flush);
        let sources = [left, right];
        let operation = if let Some(result) = result {
            let target = self.target(&statement.operands[0], result, statement)?;
            let yes = if result.is_float() { u64::from(1.0_f32.to_bits()) } else { 0xffff_ffff };
            Operation::SetValue { test, target, sources, combine, yes }
        } else {
            let (first, second) = match &statement.operands[0] {
                Operand::Pair(first, second) => {
                    (self.predicate_target(first, statement)?, self.predicate_target(second, statement)?)
                }
                single => (self.predicate_target(single, statement)?, None),
            };
            Operation::Compare { test, first, second, sources, combine }
        };
        self.push(statement, InstructionClass::Comparison, operation)
    }

    /// `selp`, `slct`
    pub(crate) fn select(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let flush = statement.opcode == "slct" && modifiers.take("ftz");
        let kind = self.kind(&mut modifiers, statement, |kind| kind.bits() >= 16)?;
        let class = InstructionClass::Comparison;
        if statement.opcode == "selp" {
            self.finish(&modifiers, statement)?;
            self.operand_count(statement, 4)?;
            let target = self.target(&statement.operands[0], kind, statement)?;
            let yes = self.operand(&statement.operands[1], kind, statement)?;
            let no = self.operand(&statement.operands[2], kind, statement)?;
            let predicate = self.predicate(&statement.operands[3], statement)?;
            return self.push(statement, class, Operation::Select { target, sources: [yes, no], predicate });
        }
        let decides = self.kind(&mut modifiers, statement, |kind| matches!(kind, ScalarType::S32 | ScalarType::F32))?;
        self.finish(&modifiers, statement)?;
        let function = match decides {
            ScalarType::S32 if flush => return Err(self.unsupported(statement)),
            ScalarType::S32 => lift(|yes, no, sign| if sign_extend(sign, 32) >= 0 { yes } else { no }),
            _ => lift(move |yes, no, sign| {
                // A NaN is not greater than zero; a subnormal number is, unless it is flushed.
                if float::compare::<f32>(sign, 0, Comparison::GreaterOrEqual, false, flush) { yes } else { no }
            }),
        };
        self.compute(statement, class, (kind, &[kind, kind, decides]), function)
    }
}
