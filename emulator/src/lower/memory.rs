//! Loads, stores, fences.

use super::Lowerer;
use super::modifiers::Modifiers;
use crate::error::PtxError;
use crate::program::{InstructionClass, Operation, Order};
use crate::ptx::ast::{Operand, Statement};
use crate::ptx::types::{ScalarType, Space};

/// The caching hints, which change no result.
const HINTS: [&str; 16] = [
    "ca",
    "cg",
    "cs",
    "lu",
    "cv",
    "wb",
    "wt",
    "nc",
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
    "L2::64B",
    "L2::128B",
    "L2::256B",
];

/// What loads, stores and atomics have in common.
pub(crate) struct Access {
    pub(crate) space: Space,
    pub(crate) order: Order,
    pub(crate) elements: usize,
}

impl Lowerer<'_> {
    pub(crate) fn access(&self, modifiers: &mut Modifiers<'_>, default: Order) -> Access {
        let order = modifiers.take_map(|name| {
            Some(match name {
                "weak" => Order::Weak,
                "volatile" | "relaxed" | "mmio" => Order::Relaxed,
                "acquire" => Order::Acquire,
                "release" => Order::Release,
                "acq_rel" => Order::AcquireRelease,
                _ => return None,
            })
        });
        // A scope is only there with an order; the emulator gives every order the widest scope.
        if order.is_some() {
            modifiers.take_map(|name| matches!(name, "cta" | "cluster" | "gpu" | "sys").then_some(()));
        }
        let space = modifiers.take_map(Space::from_name).unwrap_or(Space::Generic);
        while modifiers.take_map(|name| HINTS.contains(&name).then_some(())).is_some() {}
        let elements = modifiers.take_map(|name| match name {
            "v2" => Some(2),
            "v4" => Some(4),
            "v8" => Some(8),
            _ => None,
        });
        Access { space, order: order.unwrap_or(default), elements: elements.unwrap_or(1) }
    }

    fn elements<'operand>(
        &self,
        operand: &'operand Operand,
        count: usize,
        statement: &Statement,
    ) -> Result<Vec<&'operand Operand>, PtxError> {
        let found = match operand {
            Operand::Vector(parts) => parts.iter().collect(),
            single => vec![single],
        };
        if found.len() != count {
            return Err(self.error(statement, format!("expected {count} registers, found {}", found.len())));
        }
        Ok(found)
    }

    fn check_size(&self, statement: &Statement, kind: ScalarType, elements: usize) -> Result<(), PtxError> {
        // Four 64-bit elements are the most that any device moves at once.
        if kind.bytes() as usize * elements > 32 {
            return Err(self.unsupported(statement));
        }
        Ok(())
    }

    pub(crate) fn load(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let access = self.access(&mut modifiers, Order::Weak);
        let kind = self.kind(&mut modifiers, statement, |kind| kind != ScalarType::Predicate)?;
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, 2)?;
        self.check_size(statement, kind, access.elements)?;
        let mut targets = Vec::new();
        for element in self.elements(&statement.operands[0], access.elements, statement)? {
            targets.push(match element {
                Operand::Sink => None,
                element => Some(self.wide_target(element, kind.bits(), statement)?),
            });
        }
        let address = self.address(&statement.operands[1], access.space, statement)?;
        let class = match access.space {
            Space::Generic | Space::Global => InstructionClass::LoadGlobal,
            Space::Shared => InstructionClass::LoadShared,
            Space::Local => InstructionClass::Local,
            Space::Parameter | Space::Constant => InstructionClass::Constant,
        };
        let operation = Operation::Load { space: access.space, kind, targets, address, order: access.order };
        self.push(statement, class, operation)
    }

    pub(crate) fn store(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let access = self.access(&mut modifiers, Order::Weak);
        let kind = self.kind(&mut modifiers, statement, |kind| kind != ScalarType::Predicate)?;
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, 2)?;
        self.check_size(statement, kind, access.elements)?;
        if access.space == Space::Constant || (access.space == Space::Parameter && self.is_kernel_parameter(statement))
        {
            return Err(self.error(statement, "this memory is only read"));
        }
        let address = self.address(&statement.operands[0], access.space, statement)?;
        let mut values = Vec::new();
        for element in self.elements(&statement.operands[1], access.elements, statement)? {
            values.push(self.wide_operand(element, kind, statement)?);
        }
        let class = match access.space {
            Space::Generic | Space::Global => InstructionClass::StoreGlobal,
            Space::Shared => InstructionClass::StoreShared,
            Space::Local => InstructionClass::Local,
            Space::Parameter | Space::Constant => InstructionClass::Constant,
        };
        let operation = Operation::Store { space: access.space, kind, values, address, order: access.order };
        self.push(statement, class, operation)
    }

    /// Whether the address names one of the kernel's own parameters.
    fn is_kernel_parameter(&self, statement: &Statement) -> bool {
        let Some(Operand::Address(Some(base), _)) = statement.operands.first() else { return false };
        let Operand::Variable(id) = base.as_ref() else { return false };
        self.source.kernel && (id.0 as usize) < self.source.parameters.len()
    }

    /// `membar`, `fence`
    pub(crate) fn fence(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        if statement.opcode == "fence" {
            modifiers.take_map(|name| matches!(name, "sc" | "acq_rel" | "acquire" | "release").then_some(()));
        }
        let device = modifiers.take_map(|name| match name {
            "cta" => Some(false),
            "gl" | "gpu" | "sys" | "cluster" => Some(true),
            _ => None,
        });
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, 0)?;
        let device = device.ok_or_else(|| self.unsupported(statement))?;
        self.push(statement, InstructionClass::Synchronisation, Operation::Fence { device })
    }

    /// Hints that change no result.
    pub(crate) fn hint(&mut self, statement: &Statement) -> Result<(), PtxError> {
        self.push(statement, InstructionClass::Move, Operation::Nothing)
    }
}
