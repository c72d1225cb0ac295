//! Operands: registers with the right width, constants of the right type, addresses.

use super::Lowerer;
use crate::error::PtxError;
use crate::memory::FUNCTION_WINDOW;
use crate::number::mask;
use crate::program::{Address, InstructionClass, Operation, PredicateSource, Source, Special, Target};
use crate::ptx::ast::{Operand, RegisterId, Statement};
use crate::ptx::types::{ScalarType, Space};

impl Lowerer<'_> {
    pub(crate) fn register(&self, id: RegisterId) -> (&str, ScalarType) {
        let (name, kind) = &self.source.registers[id.0 as usize];
        (name, *kind)
    }

    fn slot(&self, id: RegisterId) -> u32 {
        self.slots[id.0 as usize]
    }

    pub(crate) fn predicate_slot(&self, id: RegisterId, statement: &Statement) -> Result<u32, PtxError> {
        let (name, kind) = self.register(id);
        if kind != ScalarType::Predicate {
            return Err(self.error(statement, format!("'{name}' is no predicate")));
        }
        Ok(self.slot(id))
    }

    /// A register to write, of exactly the width of the type.
    pub(crate) fn target(
        &self,
        operand: &Operand,
        kind: ScalarType,
        statement: &Statement,
    ) -> Result<Target, PtxError> {
        let target = self.wide_target(operand, kind, statement)?;
        if target.bits != kind.bits() {
            let message = format!("the destination has {} bits where {} are written", target.bits, kind.bits());
            return Err(self.error(statement, message));
        }
        Ok(target)
    }

    /// A register to write that may be wider than the type, as loads and conversions allow.
    pub(crate) fn wide_target(
        &self,
        operand: &Operand,
        kind: ScalarType,
        statement: &Statement,
    ) -> Result<Target, PtxError> {
        let Operand::Register(id) = operand else {
            return Err(self.error(statement, "the destination is no register"));
        };
        let (name, register) = self.register(*id);
        if !holds(register, kind) {
            let message =
                format!("the destination '{name}' is a .{} where a .{} is written", register.name(), kind.name());
            return Err(self.error(statement, message));
        }
        Ok(Target { slot: self.slot(*id), bits: register.bits() })
    }

    pub(crate) fn predicate_target(&self, operand: &Operand, statement: &Statement) -> Result<Option<u32>, PtxError> {
        match operand {
            Operand::Sink => Ok(None),
            Operand::Register(id) => self.predicate_slot(*id, statement).map(Some),
            _ => Err(self.error(statement, "the destination is no predicate")),
        }
    }

    pub(crate) fn predicate(&self, operand: &Operand, statement: &Statement) -> Result<PredicateSource, PtxError> {
        match operand {
            Operand::Register(id) => {
                Ok(PredicateSource::Register { slot: self.predicate_slot(*id, statement)?, negated: false })
            }
            Operand::Not(inner) => match self.predicate(inner, statement)? {
                PredicateSource::Register { slot, negated } => {
                    Ok(PredicateSource::Register { slot, negated: !negated })
                }
                PredicateSource::Constant(value) => Ok(PredicateSource::Constant(!value)),
            },
            Operand::Integer(value) => Ok(PredicateSource::Constant(*value != 0)),
            _ => Err(self.error(statement, "expected a predicate")),
        }
    }

    /// An operand of exactly the width of the type.
    pub(crate) fn operand(
        &mut self,
        operand: &Operand,
        kind: ScalarType,
        statement: &Statement,
    ) -> Result<Source, PtxError> {
        if let Operand::Register(id) = operand {
            let (name, register) = self.register(*id);
            if register.bits() != kind.bits() {
                let message = format!("'{name}' is a .{} where a .{} is read", register.name(), kind.name());
                return Err(self.error(statement, message));
            }
        }
        self.wide_operand(operand, kind, statement)
    }

    /// An operand that may be wider than the type, as stores and conversions allow.
    pub(crate) fn wide_operand(
        &mut self,
        operand: &Operand,
        kind: ScalarType,
        statement: &Statement,
    ) -> Result<Source, PtxError> {
        match operand {
            Operand::Register(id) => {
                let (name, register) = self.register(*id);
                if !holds(register, kind) {
                    let message = format!("'{name}' is a .{} where a .{} is read", register.name(), kind.name());
                    return Err(self.error(statement, message));
                }
                Ok(Source::Register(self.slot(*id)))
            }
            Operand::Integer(value) if kind.is_float() => {
                Err(self.error(statement, format!("the constant {value} is no floating-point number")))
            }
            Operand::Integer(value) => {
                let bits = kind.bits();
                if *value >= 1_i128 << bits || *value < -(1_i128 << (bits.max(2) - 1)) {
                    return Err(self.error(statement, format!("the constant {value} has more than {bits} bits")));
                }
                Ok(Source::immediate(*value as u64 & mask(bits)))
            }
            Operand::Single(bits) if matches!(kind, ScalarType::F32 | ScalarType::B32) => {
                Ok(Source::immediate(u64::from(*bits)))
            }
            Operand::Single(bits) if kind == ScalarType::F64 => {
                Ok(Source::immediate(f64::from(f32::from_bits(*bits)).to_bits()))
            }
            Operand::Double(bits) if kind == ScalarType::F32 => {
                Ok(Source::immediate(u64::from((f64::from_bits(*bits) as f32).to_bits())))
            }
            Operand::Double(bits) if matches!(kind, ScalarType::F64 | ScalarType::B64) => Ok(Source::immediate(*bits)),
            Operand::Variable(_) | Operand::Symbol(_) => self.named(operand, 0, kind, statement),
            Operand::Offset(base, offset) if kind.bits() == 64 => self.named(base, *offset, kind, statement),
            _ => Err(self.error(statement, "an operand has the wrong form")),
        }
    }

    /// The address of a variable, the value of a special register or the address of a function.
    fn named(
        &mut self,
        operand: &Operand,
        offset: i64,
        kind: ScalarType,
        statement: &Statement,
    ) -> Result<Source, PtxError> {
        if let Operand::Symbol(name) = operand
            && let Some((special, bits)) = special_register(name)
        {
            if bits != kind.bits() && !(bits == 32 && kind.bits() < 32) {
                return Err(self.error(statement, format!("'{name}' has {bits} bits")));
            }
            let slot = self.registers;
            self.registers += 1;
            let target = Target { slot, bits: kind.bits() };
            let operation = Operation::Special { target, register: special };
            self.push(statement, InstructionClass::Move, operation)?;
            return Ok(Source::Register(slot));
        }
        if kind.bits() != 64 && kind.bits() != 32 {
            return Err(self.error(statement, "an address has 32 or 64 bits"));
        }
        let (source, space) = self.variable_address(operand, offset, statement)?;
        if space == Space::Parameter && !self.is_kernel_parameter(operand) {
            return Err(self.error(statement, "only the parameters of a kernel have an address"));
        }
        // Shared, local and parameter addresses are small numbers; the others need all 64 bits.
        if kind.bits() == 32 && matches!(space, Space::Global | Space::Constant | Space::Generic) {
            return Err(self.error(statement, "the address of global memory has 64 bits"));
        }
        Ok(source)
    }

    /// The address of a variable in its own space, and that space.
    pub(crate) fn variable_address(
        &mut self,
        operand: &Operand,
        offset: i64,
        statement: &Statement,
    ) -> Result<(Source, Space), PtxError> {
        match operand {
            Operand::Variable(id) => {
                let place = self.offsets[id.0 as usize];
                let space = self.source.variables[id.0 as usize].space;
                Ok(match space {
                    Space::Local => (Source::Local(i64::from(place) + offset), space),
                    Space::Shared => {
                        self.used_shared.push(place);
                        (Source::Shared(place, offset), space)
                    }
                    _ => (Source::immediate((i64::from(place) + offset) as u64), Space::Parameter),
                })
            }
            Operand::Symbol(name) => {
                if let Some(&(space, index)) = self.symbols.variables.get(name) {
                    if space == Space::Shared {
                        self.used_shared.push(index);
                        return Ok((Source::Shared(index, offset), space));
                    }
                    return Ok((Source::Symbol(index, offset), space));
                }
                if let Some(&index) = self.symbols.functions.get(name) {
                    if self.text.functions[index as usize].external {
                        return Err(self.error(statement, format!("the function '{name}' has no body")));
                    }
                    // Its address is taken, so an indirect call may reach it.
                    self.calls.push(index);
                    return Ok((Source::immediate(FUNCTION_WINDOW + 16 * u64::from(index)), Space::Generic));
                }
                Err(self.error(statement, format!("'{name}' is not known")))
            }
            _ => Err(self.error(statement, "expected the name of a variable")),
        }
    }

    /// An address operand; the space is that of the variable if it names one and the instruction names none.
    pub(crate) fn address(
        &mut self,
        operand: &Operand,
        space: Space,
        statement: &Statement,
    ) -> Result<Address, PtxError> {
        let Operand::Address(base, offset) = operand else {
            return Err(self.error(statement, "expected an address in brackets"));
        };
        let Some(base) = base else {
            return Ok(Address { base: Source::immediate(*offset as u64), offset: 0 });
        };
        if let Operand::Register(id) = base.as_ref() {
            let (name, kind) = self.register(*id);
            if kind.is_float() || kind == ScalarType::Predicate || kind.bits() < 32 {
                return Err(self.error(statement, format!("'{name}' holds no address")));
            }
            if kind.bits() == 32 && matches!(space, Space::Generic | Space::Global | Space::Constant) {
                return Err(self.error(statement, format!("'{name}' has 32 bits, an address there has 64")));
            }
            return Ok(Address { base: Source::Register(self.slot(*id)), offset: *offset });
        }
        let (source, found) = self.variable_address(base, *offset, statement)?;
        let fits = found == space || (space == Space::Generic && matches!(found, Space::Global | Space::Constant));
        if !fits {
            return Err(self.error(statement, format!("the variable lies in {found:?} memory, not in {space:?}")));
        }
        Ok(Address { base: source, offset: 0 })
    }
}

/// Whether a register may hold a value of an instruction's type, in its lowest bits. An integer instruction takes no
/// floating-point register, and the other way around, and a floating-point number fills its register; bits are bits.
fn holds(register: ScalarType, kind: ScalarType) -> bool {
    let mixed = (register.is_float() && kind.is_integer()) || (register.is_integer() && kind.is_float());
    let fills = register.bits() == kind.bits() || !(register.is_float() || kind.is_float());
    register != ScalarType::Predicate && register.bits() >= kind.bits() && !mixed && fills
}

/// The special registers and their widths.
pub(crate) fn special_register(name: &str) -> Option<(Special, u32)> {
    let component = |name: &str| match name.rsplit_once('.') {
        Some((_, "x")) => Some(0),
        Some((_, "y")) => Some(1),
        Some((_, "z")) => Some(2),
        _ => None,
    };
    Some(match name {
        "%laneid" => (Special::Lane, 32),
        "%warpid" => (Special::Warp, 32),
        "%nwarpid" => (Special::WarpCount, 32),
        "%smid" => (Special::Multiprocessor, 32),
        "%nsmid" => (Special::MultiprocessorCount, 32),
        "%gridid" => (Special::Grid, 64),
        "%lanemask_eq" => (Special::LaneMaskEqual, 32),
        "%lanemask_lt" => (Special::LaneMaskLess, 32),
        "%lanemask_le" => (Special::LaneMaskLessOrEqual, 32),
        "%lanemask_gt" => (Special::LaneMaskGreater, 32),
        "%lanemask_ge" => (Special::LaneMaskGreaterOrEqual, 32),
        "%clock" => (Special::Clock, 32),
        "%clock_hi" => (Special::ClockHigh, 32),
        "%clock64" => (Special::Clock64, 64),
        "%globaltimer" => (Special::GlobalTimer, 64),
        "%dynamic_smem_size" => (Special::DynamicSharedSize, 32),
        "%total_smem_size" => (Special::TotalSharedSize, 32),
        _ if name.starts_with("%tid.") => (Special::Thread(component(name)?), 32),
        _ if name.starts_with("%ntid.") => (Special::ThreadCount(component(name)?), 32),
        _ if name.starts_with("%ctaid.") => (Special::Block(component(name)?), 32),
        _ if name.starts_with("%nctaid.") => (Special::BlockCount(component(name)?), 32),
        _ => return None,
    })
}
