//! Conversions and moves.

use super::Lowerer;
use super::integer::unused;
use super::modifiers::Modifiers;
use super::operands::special_register;
use crate::error::PtxError;
use crate::number::convert::{self, Conversion};
use crate::number::soft::Rounding;
use crate::number::{mask, sign_extend};
use crate::program::{Boolean, InstructionClass, Operation, PredicateSource, Special, lift};
use crate::ptx::ast::{Operand, Statement};
use crate::ptx::types::{ScalarType, Space};

impl Lowerer<'_> {
    pub(crate) fn convert(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let whole = modifiers.take_map(|name| {
            Some(match name {
                "rni" => Rounding::Nearest,
                "rzi" => Rounding::Zero,
                "rmi" => Rounding::Down,
                "rpi" => Rounding::Up,
                _ => return None,
            })
        });
        let (rounding, mode) = modifiers.float_mode();
        let number = |kind: ScalarType| kind.is_integer() || kind.is_float();
        let to = self.kind(&mut modifiers, statement, number)?;
        let from = self.kind(&mut modifiers, statement, number)?;
        self.finish(&modifiers, statement)?;
        // The ISA demands a rounding exactly where digits can be lost.
        let same_float = to.is_float() && to == from;
        let needs_whole = from.is_float() && !to.is_float();
        let needs_rounding = to.is_float() && (!from.is_float() || (to == ScalarType::F32 && from == ScalarType::F64));
        let wrong = (whole.is_some() && !needs_whole && !same_float)
            || (whole.is_none() && needs_whole)
            || (rounding.is_some() != needs_rounding)
            || (mode.flush && to != ScalarType::F32 && from != ScalarType::F32);
        if wrong {
            return Err(self.error(statement, "this conversion takes another rounding"));
        }
        if mode.saturate && to.is_integer() && from.is_integer() && includes(to, from) {
            return Err(self.error(statement, "nothing can be out of range here"));
        }
        self.operand_count(statement, 2)?;
        let target = self.wide_target(&statement.operands[0], to, statement)?;
        let source = self.wide_operand(&statement.operands[1], from, statement)?;
        let conversion = Conversion { to, from, whole, mode };
        let (bits, register) = (to.bits(), mask(target.bits));
        let function = if !to.is_float() && !from.is_float() && !mode.saturate {
            // The common case, without the detour through wide numbers.
            let from_bits = from.bits();
            match (from.is_signed(), to.is_signed()) {
                (true, true) => {
                    lift(move |value, _, _| sign_extend(sign_extend(value, from_bits) as u64, bits) as u64 & register)
                }
                (true, false) => lift(move |value, _, _| sign_extend(value, from_bits) as u64 & mask(bits)),
                (false, true) => lift(move |value, _, _| sign_extend(value & mask(from_bits), bits) as u64 & register),
                (false, false) => lift(move |value, _, _| value & mask(from_bits) & mask(bits)),
            }
        } else if to.is_signed() {
            // A wider register holds a signed result with its sign.
            lift(move |value, _, _| {
                sign_extend(convert::convert(value & mask(from.bits()), conversion), bits) as u64 & register
            })
        } else {
            lift(move |value, _, _| convert::convert(value & mask(from.bits()), conversion))
        };
        let sources = [source, unused(), unused()];
        self.push(statement, InstructionClass::Conversion, Operation::Compute { function, target, sources })
    }

    /// `mov` of registers, constants, addresses, special registers, predicates and vectors.
    pub(crate) fn mov(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let kind = self.kind(&mut modifiers, statement, |kind| kind == ScalarType::Predicate || kind.bits() >= 16)?;
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, 2)?;
        let class = InstructionClass::Move;
        if kind == ScalarType::Predicate {
            let target = self.predicate_target(&statement.operands[0], statement)?;
            let target = target.ok_or_else(|| self.error(statement, "the destination is no predicate"))?;
            let left = self.predicate(&statement.operands[1], statement)?;
            let right = PredicateSource::Constant(false);
            let operation = Operation::Predicate { operator: Boolean::First, target, left, right };
            return self.push(statement, class, operation);
        }
        match (&statement.operands[0], &statement.operands[1]) {
            (Operand::Vector(parts), source) => {
                let part_kind = self.part_kind(statement, kind, parts.len())?;
                let mut targets = Vec::new();
                for part in parts {
                    targets.push(match part {
                        Operand::Sink => None,
                        part => Some(self.target(part, part_kind, statement)?),
                    });
                }
                let source = self.operand(source, kind, statement)?;
                self.push(statement, class, Operation::Unpack { targets, source, part_bits: part_kind.bits() })
            }
            (target, Operand::Vector(parts)) => {
                let part_kind = self.part_kind(statement, kind, parts.len())?;
                let target = self.target(target, kind, statement)?;
                let mut sources = Vec::new();
                for part in parts {
                    sources.push(self.operand(part, part_kind, statement)?);
                }
                self.push(statement, class, Operation::Pack { target, parts: sources, part_bits: part_kind.bits() })
            }
            (target, Operand::Symbol(name)) if special_register(name).is_some_and(|(_, bits)| bits == kind.bits()) => {
                let target = self.target(target, kind, statement)?;
                let register = special_register(name).map_or(Special::Lane, |(register, _)| register);
                self.push(statement, class, Operation::Special { target, register })
            }
            _ => self.compute(statement, class, (kind, &[kind]), lift(|value, _, _| value)),
        }
    }

    /// The type of the parts of a vector that together are one register.
    fn part_kind(&self, statement: &Statement, kind: ScalarType, parts: usize) -> Result<ScalarType, PtxError> {
        match (kind.is_bits(), kind.bits() as usize, parts) {
            (true, 64, 2) => Ok(ScalarType::B32),
            (true, 64, 4) | (true, 32, 2) => Ok(ScalarType::B16),
            (true, 32, 4) | (true, 16, 2) => Ok(ScalarType::B8),
            _ => Err(self.unsupported(statement)),
        }
    }

    /// `cvta.space.u64` and `cvta.to.space.u64`
    pub(crate) fn convert_address(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let to_space = modifiers.take("to");
        let space = modifiers.take_map(generic_space).ok_or_else(|| self.unsupported(statement))?;
        // Only the parameters of a kernel have generic addresses, and only the kernel has them as parameters.
        if space == Space::Parameter && to_space && !self.source.kernel {
            return Err(self.unsupported(statement));
        }
        self.kind(&mut modifiers, statement, |kind| kind == ScalarType::U64)?;
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, 2)?;
        let target = self.target(&statement.operands[0], ScalarType::B64, statement)?;
        let source = self.operand(&statement.operands[1], ScalarType::B64, statement)?;
        let operation = Operation::ConvertAddress { target, source, space, to_space };
        self.push(statement, InstructionClass::Conversion, operation)
    }

    /// `isspacep.space p, a`
    pub(crate) fn is_space(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let space = modifiers.take_map(generic_space).ok_or_else(|| self.unsupported(statement))?;
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, 2)?;
        let target = self.predicate_target(&statement.operands[0], statement)?;
        let target = target.ok_or_else(|| self.error(statement, "the destination is no predicate"))?;
        let source = self.operand(&statement.operands[1], ScalarType::B64, statement)?;
        self.push(statement, InstructionClass::Comparison, Operation::IsSpace { target, source, space })
    }
}

/// A space that generic addresses can point to. The parameters of a function are none.
fn generic_space(name: &str) -> Option<Space> {
    Space::from_name(name).filter(|_| name != "param::func")
}

/// Whether an integer type has all values of another one.
fn includes(to: ScalarType, from: ScalarType) -> bool {
    match (to.is_signed(), from.is_signed()) {
        (false, true) => false,
        (true, false) => to.bits() > from.bits(),
        _ => to.bits() >= from.bits(),
    }
}
