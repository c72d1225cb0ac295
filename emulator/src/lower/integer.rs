//! Integer arithmetic and carries.

use super::Lowerer;
use super::modifiers::Modifiers;
use crate::error::PtxError;
use crate::number::integer::{self, DotProduct, Part};
use crate::number::{mask, sign_extend};
use crate::program::{CarryFunction, InstructionClass, Operation, Source, WarpFunction, lift};
use crate::ptx::ast::Statement;
use crate::ptx::types::ScalarType;

/// The unused operand of an instruction with fewer than three.
pub(crate) fn unused() -> Source {
    Source::immediate(0)
}

fn part(modifiers: &mut Modifiers<'_>) -> Option<Part> {
    modifiers.take_map(|name| {
        Some(match name {
            "lo" => Part::Low,
            "hi" => Part::High,
            "wide" => Part::Wide,
            _ => return None,
        })
    })
}

impl Lowerer<'_> {
    /// Adds an instruction that computes one register from up to three operands of one type.
    pub(crate) fn compute(
        &mut self,
        statement: &Statement,
        class: InstructionClass,
        (result, kinds): (ScalarType, &[ScalarType]),
        function: WarpFunction,
    ) -> Result<(), PtxError> {
        self.operand_count(statement, kinds.len() + 1)?;
        let target = self.target(&statement.operands[0], result, statement)?;
        let mut sources = [unused(), unused(), unused()];
        for (index, kind) in kinds.iter().enumerate() {
            sources[index] = self.operand(&statement.operands[index + 1], *kind, statement)?;
        }
        self.push(statement, class, Operation::Compute { function, target, sources })
    }

    pub(crate) fn integer_arithmetic(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        match statement.opcode.as_str() {
            "mul24" | "mad24" => return self.multiply24(statement),
            "dp4a" | "dp2a" => return self.dot_product(statement),
            _ => {}
        }
        if statement.modifiers.iter().any(|name| name == "cc") {
            return self.carry(statement);
        }
        let kind = self.kind(&mut modifiers, statement, |kind| kind.is_integer() && kind.bits() >= 16)?;
        if matches!(statement.opcode.as_str(), "mul" | "mad") {
            return self.multiply(statement, modifiers, kind);
        }
        let saturate = kind == ScalarType::S32 && modifiers.take("sat");
        let relu = kind == ScalarType::S32 && modifiers.take("relu");
        self.finish(&modifiers, statement)?;
        let bits = kind.bits();
        let keep = mask(bits);
        let (count, function) = match (statement.opcode.as_str(), saturate, relu) {
            ("add", false, false) => (2, lift(move |left, right, _| left.wrapping_add(right) & keep)),
            ("sub", false, false) => (2, lift(move |left, right, _| left.wrapping_sub(right) & keep)),
            ("add", true, false) => (
                2,
                lift(move |left, right, _| {
                    integer::clamp(integer::value(left, kind) + integer::value(right, kind), kind)
                }),
            ),
            ("sub", true, false) => (
                2,
                lift(move |left, right, _| {
                    integer::clamp(integer::value(left, kind) - integer::value(right, kind), kind)
                }),
            ),
            ("div", false, false) => (2, lift(move |left, right, _| integer::divide(left, right, kind))),
            ("rem", false, false) => (2, lift(move |left, right, _| integer::remainder(left, right, kind))),
            ("sad", false, false) => {
                (3, lift(move |left, right, addend| integer::absolute_difference(left, right, addend, kind)))
            }
            ("abs", false, false) if kind.is_signed() => {
                (1, lift(move |value, _, _| sign_extend(value, bits).unsigned_abs() & keep))
            }
            ("neg", false, false) if kind.is_signed() => (1, lift(move |value, _, _| value.wrapping_neg() & keep)),
            ("min", false, relu) => (2, extremum(kind, false, relu)),
            ("max", false, relu) => (2, extremum(kind, true, relu)),
            _ => return Err(self.unsupported(statement)),
        };
        self.compute(statement, InstructionClass::Integer, (kind, &[kind; 3][..count]), function)
    }

    fn multiply(
        &mut self,
        statement: &Statement,
        mut modifiers: Modifiers<'_>,
        kind: ScalarType,
    ) -> Result<(), PtxError> {
        let part = part(&mut modifiers).ok_or_else(|| self.unsupported(statement))?;
        let add = statement.opcode == "mad";
        let saturate = add && part == Part::High && kind == ScalarType::S32 && modifiers.take("sat");
        self.finish(&modifiers, statement)?;
        let bits = kind.bits();
        let result = match part {
            Part::Wide if bits == 64 => return Err(self.unsupported(statement)),
            Part::Wide => wide(kind),
            _ => kind,
        };
        let keep = mask(result.bits());
        let function = match part {
            Part::Low => lift(move |left, right, addend| left.wrapping_mul(right).wrapping_add(addend) & keep),
            Part::Wide if kind.is_signed() => lift(move |left, right, addend| {
                let product = sign_extend(left, bits).wrapping_mul(sign_extend(right, bits));
                (product as u64).wrapping_add(addend) & keep
            }),
            Part::Wide => lift(move |left, right, addend| left.wrapping_mul(right).wrapping_add(addend) & keep),
            Part::High if saturate => lift(move |left, right, addend| {
                integer::clamp(integer::product(left, right, kind, part) + integer::value(addend, kind), kind)
            }),
            Part::High => lift(move |left, right, addend| {
                (integer::product(left, right, kind, part) as u64).wrapping_add(addend) & keep
            }),
        };
        let kinds = [kind, kind, result];
        let count = if add { 3 } else { 2 };
        self.compute(statement, InstructionClass::Integer, (result, &kinds[..count]), function)
    }

    fn multiply24(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let kind = self.kind(&mut modifiers, statement, |kind| kind.is_integer() && kind.bits() == 32)?;
        let high = match part(&mut modifiers) {
            Some(Part::High) => true,
            Some(Part::Low) => false,
            _ => return Err(self.unsupported(statement)),
        };
        let add = statement.opcode == "mad24";
        let saturate = add && high && kind.is_signed() && modifiers.take("sat");
        self.finish(&modifiers, statement)?;
        let signed = kind.is_signed();
        let function = lift(move |left, right, addend| {
            let sum = integer::product24(left, right, signed, high) + integer::value(addend, kind);
            if saturate { integer::clamp(sum, kind) } else { integer::wrap(sum, kind) }
        });
        let count = if add { 3 } else { 2 };
        self.compute(statement, InstructionClass::Integer, (kind, &[kind; 3][..count]), function)
    }

    fn dot_product(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let terms = if statement.opcode == "dp4a" { 4 } else { 2 };
        let first = match part(&mut modifiers) {
            None if terms == 4 => 0,
            Some(Part::Low) if terms == 2 => 0,
            Some(Part::High) if terms == 2 => 2,
            _ => return Err(self.unsupported(statement)),
        };
        let word = |kind: ScalarType| kind.is_integer() && kind.bits() == 32;
        let left = self.kind(&mut modifiers, statement, word)?;
        let right = self.kind(&mut modifiers, statement, word)?;
        self.finish(&modifiers, statement)?;
        let form = DotProduct { left_signed: left.is_signed(), right_signed: right.is_signed(), terms, first };
        let function = lift(move |left, right, sum| integer::dot_product(left, right, sum, form));
        let kinds = [ScalarType::B32; 3];
        self.compute(statement, InstructionClass::Integer, (ScalarType::B32, &kinds), function)
    }

    /// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`
    pub(crate) fn carry(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let writes = modifiers.take("cc");
        let kind = self.kind(&mut modifiers, statement, |kind| kind.is_integer() && kind.bits() >= 32)?;
        let bits = kind.bits();
        let (count, function): (usize, CarryFunction) = match statement.opcode.as_str() {
            "add" => (2, Box::new(move |left, right, _, _| integer::add_carry(left, right, false, bits))),
            "addc" => (2, Box::new(move |left, right, _, carry| integer::add_carry(left, right, carry, bits))),
            "sub" => (2, Box::new(move |left, right, _, _| integer::subtract_borrow(left, right, false, bits))),
            "subc" => (2, Box::new(move |left, right, _, borrow| integer::subtract_borrow(left, right, borrow, bits))),
            "mad" | "madc" => {
                let part = part(&mut modifiers).filter(|part| *part != Part::Wide);
                let part = part.ok_or_else(|| self.unsupported(statement))?;
                let reads = statement.opcode == "madc";
                let function = move |left, right, addend, carry| {
                    let product = integer::product(left, right, kind, part) as u64;
                    integer::add_carry(product, addend, reads && carry, bits)
                };
                (3, Box::new(function))
            }
            _ => return Err(self.unsupported(statement)),
        };
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, count + 1)?;
        let target = self.target(&statement.operands[0], kind, statement)?;
        let mut sources = [unused(), unused(), unused()];
        for (source, operand) in sources.iter_mut().zip(&statement.operands[1..]) {
            *source = self.operand(operand, kind, statement)?;
        }
        self.push(statement, InstructionClass::Integer, Operation::Carry { function, target, sources, writes })
    }
}

fn wide(kind: ScalarType) -> ScalarType {
    match kind {
        ScalarType::U16 => ScalarType::U32,
        ScalarType::S16 => ScalarType::S32,
        ScalarType::U32 => ScalarType::U64,
        _ => ScalarType::S64,
    }
}

fn extremum(kind: ScalarType, maximum: bool, relu: bool) -> WarpFunction {
    let bits = kind.bits();
    if kind.is_signed() {
        lift(move |left, right, _| {
            let (left, right) = (sign_extend(left, bits), sign_extend(right, bits));
            let chosen = if maximum { left.max(right) } else { left.min(right) };
            (if relu { chosen.max(0) } else { chosen }) as u64 & mask(bits)
        })
    } else if maximum {
        lift(|left, right, _| left.max(right))
    } else {
        lift(|left, right, _| left.min(right))
    }
}
