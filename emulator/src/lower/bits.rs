//! Logic, shifts and bit fields.

use super::Lowerer;
use super::integer::unused;
use super::modifiers::Modifiers;
use crate::error::PtxError;
use crate::number::bits::{self, Permute};
use crate::number::mask;
use crate::program::{Boolean, Combine, InstructionClass, Operation, PredicateSource, Target, lift};
use crate::ptx::ast::{Operand, Statement};
use crate::ptx::types::ScalarType;

const WORD: ScalarType = ScalarType::U32;

impl Lowerer<'_> {
    /// `and`, `or`, `xor`, `not`, `cnot`
    pub(crate) fn logic(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let kind = self.kind(&mut modifiers, statement, |kind| {
            kind == ScalarType::Predicate || (kind.is_bits() && kind.bits() >= 16)
        })?;
        self.finish(&modifiers, statement)?;
        if kind == ScalarType::Predicate {
            return self.predicate_logic(statement);
        }
        let keep = mask(kind.bits());
        let (count, function) = match statement.opcode.as_str() {
            "and" => (2, lift(|left, right, _| left & right)),
            "or" => (2, lift(|left, right, _| left | right)),
            "xor" => (2, lift(|left, right, _| left ^ right)),
            "not" => (1, lift(move |value, _, _| !value & keep)),
            _ => (1, lift(|value, _, _| u64::from(value == 0))),
        };
        self.compute(statement, InstructionClass::Bits, (kind, &[kind; 2][..count]), function)
    }

    fn predicate_logic(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let operator = match statement.opcode.as_str() {
            "and" => Boolean::And,
            "or" => Boolean::Or,
            "xor" => Boolean::Xor,
            "not" => Boolean::First,
            _ => return Err(self.unsupported(statement)),
        };
        let negation = statement.opcode == "not";
        self.operand_count(statement, if negation { 2 } else { 3 })?;
        let target = self.predicate_target(&statement.operands[0], statement)?;
        let target = target.ok_or_else(|| self.error(statement, "the destination is no predicate"))?;
        let mut left = self.predicate(&statement.operands[1], statement)?;
        let mut right = PredicateSource::Constant(false);
        if negation {
            left = self.predicate(&Operand::Not(Box::new(statement.operands[1].clone())), statement)?;
        } else {
            right = self.predicate(&statement.operands[2], statement)?;
        }
        self.push(statement, InstructionClass::Comparison, Operation::Predicate { operator, target, left, right })
    }

    pub(crate) fn bit_operation(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let opcode = statement.opcode.as_str();
        let kind = self.kind(&mut modifiers, statement, |kind| match opcode {
            "shl" => kind.is_bits() && kind.bits() >= 16,
            "shr" => (kind.is_bits() || kind.is_integer()) && kind.bits() >= 16,
            "bfe" | "bfind" => kind.is_integer() && kind.bits() >= 32,
            "bfi" | "brev" | "clz" | "popc" => kind.is_bits() && kind.bits() >= 32,
            "szext" => kind.is_integer() && kind.bits() == 32,
            _ => kind == ScalarType::B32,
        })?;
        let width = kind.bits();
        let signed = kind.is_signed();
        let (result, kinds, function): (ScalarType, Vec<ScalarType>, _) = match opcode {
            "shl" => (kind, vec![kind, WORD], lift(move |value, amount, _| bits::shift_left(value, amount, width))),
            "shr" => {
                (kind, vec![kind, WORD], lift(move |value, amount, _| bits::shift_right(value, amount, width, signed)))
            }
            "shf" => {
                let left = modifiers.take("l");
                let clamp = modifiers.take("clamp");
                if left == modifiers.take("r") || clamp == modifiers.take("wrap") {
                    return Err(self.unsupported(statement));
                }
                let function = lift(move |low, high, amount| bits::funnel_shift(low, high, amount, left, clamp));
                (WORD, vec![kind, kind, WORD], function)
            }
            "bfe" => {
                let function =
                    lift(move |value, position, length| bits::extract(value, position, length, width, signed));
                (kind, vec![kind, WORD, WORD], function)
            }
            "bfi" => return self.insert(statement, kind),
            "bfind" => {
                let amount = modifiers.take("shiftamt");
                (WORD, vec![kind], lift(move |value, _, _| bits::find(value, width, signed, amount)))
            }
            "brev" => (kind, vec![kind], lift(move |value, _, _| value.reverse_bits() >> (64 - width))),
            "clz" => (WORD, vec![kind], lift(move |value, _, _| u64::from(value.leading_zeros() + width - 64))),
            "popc" => (WORD, vec![kind], lift(|value, _, _| u64::from(value.count_ones()))),
            "prmt" => {
                let mode = modifiers.take_map(permute_mode).unwrap_or(Permute::Generic);
                let function = lift(move |low, high, control| bits::permute(low, high, control, mode));
                (WORD, vec![kind, kind, kind], function)
            }
            "bmsk" => {
                let clamp = self.clamp(&mut modifiers, statement)?;
                (WORD, vec![WORD, WORD], lift(move |position, count, _| bits::bit_mask(position, count, clamp)))
            }
            "szext" => {
                let clamp = self.clamp(&mut modifiers, statement)?;
                (WORD, vec![kind, WORD], lift(move |value, count, _| bits::extend(value, count, signed, clamp)))
            }
            "fns" => (WORD, vec![kind, kind, kind], lift(bits::find_nth)),
            _ => return Err(self.unsupported(statement)),
        };
        self.finish(&modifiers, statement)?;
        self.compute(statement, InstructionClass::Bits, (result, &kinds), function)
    }

    fn clamp(&self, modifiers: &mut Modifiers<'_>, statement: &Statement) -> Result<bool, PtxError> {
        let clamp = modifiers.take("clamp");
        if clamp == modifiers.take("wrap") {
            return Err(self.unsupported(statement));
        }
        Ok(clamp)
    }

    /// `bfi` has four operands: the position and the length are packed into one register first.
    fn insert(&mut self, statement: &Statement, kind: ScalarType) -> Result<(), PtxError> {
        if statement.modifiers.len() != 1 {
            return Err(self.unsupported(statement));
        }
        self.operand_count(statement, 5)?;
        let target = self.target(&statement.operands[0], kind, statement)?;
        let field = self.operand(&statement.operands[1], kind, statement)?;
        let into = self.operand(&statement.operands[2], kind, statement)?;
        let position = self.operand(&statement.operands[3], WORD, statement)?;
        let length = self.operand(&statement.operands[4], WORD, statement)?;
        let packed = Target { slot: self.registers, bits: 32 };
        self.registers += 1;
        let function = lift(|position, length, _| (position & 0xff) | (length & 0xff) << 8);
        let sources = [position, length, unused()];
        self.push(statement, InstructionClass::Bits, Operation::Compute { function, target: packed, sources })?;
        let width = kind.bits();
        let function = lift(move |field, into, packed| bits::insert(field, into, packed & 0xff, packed >> 8, width));
        let sources = [field, into, crate::program::Source::Register(packed.slot)];
        self.push(statement, InstructionClass::Bits, Operation::Compute { function, target, sources })
    }

    /// `lop3.b32 d, a, b, c, table` and `lop3.or.b32 d|p, a, b, c, table, q`
    pub(crate) fn logic3(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let kind = self.kind(&mut modifiers, statement, |kind| kind == ScalarType::B32)?;
        let operator = modifiers.take_map(|name| match name {
            "or" => Some(Boolean::Or),
            "and" => Some(Boolean::And),
            _ => None,
        });
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, if operator.is_some() { 6 } else { 5 })?;
        let Operand::Integer(table @ 0..=255) = statement.operands[4] else {
            return Err(self.error(statement, "the table is a constant from 0 to 255"));
        };
        let table = table as u8;
        let function = lift(move |first, second, third| bits::logic3(first, second, third, table));
        let mut sources = [unused(), unused(), unused()];
        for (source, operand) in sources.iter_mut().zip(&statement.operands[1..4]) {
            *source = self.operand(operand, kind, statement)?;
        }
        let Some(operator) = operator else {
            let target = self.target(&statement.operands[0], kind, statement)?;
            return self.push(statement, InstructionClass::Bits, Operation::Compute { function, target, sources });
        };
        let Operand::Pair(value, predicate) = &statement.operands[0] else {
            return Err(self.error(statement, "expected a register and a predicate"));
        };
        let target = match value.as_ref() {
            Operand::Sink => None,
            value => Some(self.target(value, kind, statement)?),
        };
        let predicate = self.predicate_target(predicate, statement)?;
        let predicate = predicate.ok_or_else(|| self.error(statement, "expected a predicate"))?;
        let combine = Combine { operator, with: self.predicate(&statement.operands[5], statement)? };
        let operation = Operation::Logic3 { function, target, sources, predicate, combine };
        self.push(statement, InstructionClass::Bits, operation)
    }
}

fn permute_mode(name: &str) -> Option<Permute> {
    Some(match name {
        "f4e" => Permute::ForwardFour,
        "b4e" => Permute::BackwardFour,
        "rc8" => Permute::ReplicateEight,
        "ecl" => Permute::EdgeClampLeft,
        "ecr" => Permute::EdgeClampRight,
        "rc16" => Permute::ReplicateSixteen,
        _ => return None,
    })
}
