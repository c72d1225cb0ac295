//! Atomic read-modify-write instructions.

use super::Lowerer;
use super::memory::Access;
use super::modifiers::Modifiers;
use crate::error::PtxError;
use crate::program::{Atomic, AtomicOperation, InstructionClass, Operation};
use crate::ptx::ast::{Operand, Statement};
use crate::ptx::types::{ScalarType, Space};

/// The types that each operation has in the ISA.
fn accepts(operation: AtomicOperation, kind: ScalarType, returns: bool) -> bool {
    use ScalarType::{B16, B32, B64, F32, F64, S32, S64, U32, U64};
    match operation {
        AtomicOperation::Add => matches!(kind, U32 | S32 | U64 | F32 | F64),
        AtomicOperation::Minimum | AtomicOperation::Maximum => matches!(kind, U32 | S32 | U64 | S64),
        AtomicOperation::And | AtomicOperation::Or | AtomicOperation::Xor => matches!(kind, B32 | B64),
        AtomicOperation::Exchange => returns && matches!(kind, B32 | B64),
        AtomicOperation::CompareAndSwap => returns && matches!(kind, B16 | B32 | B64),
        AtomicOperation::Increment | AtomicOperation::Decrement => kind == U32,
    }
}

impl Lowerer<'_> {
    /// `atom`, `red`
    pub(crate) fn atomic(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let returns = statement.opcode == "atom";
        let access = self.access(&mut modifiers, statement)?;
        let operation = modifiers.take_map(|name| {
            Some(match name {
                "add" => AtomicOperation::Add,
                "min" => AtomicOperation::Minimum,
                "max" => AtomicOperation::Maximum,
                "and" => AtomicOperation::And,
                "or" => AtomicOperation::Or,
                "xor" => AtomicOperation::Xor,
                "exch" => AtomicOperation::Exchange,
                "cas" => AtomicOperation::CompareAndSwap,
                "inc" => AtomicOperation::Increment,
                "dec" => AtomicOperation::Decrement,
                _ => return None,
            })
        });
        let operation = operation.ok_or_else(|| self.unsupported(statement))?;
        let kind = self.kind(&mut modifiers, statement, |kind| accepts(operation, kind, returns))?;
        self.finish(&modifiers, statement)?;
        let space_fits = matches!(access.space, Space::Generic | Space::Global | Space::Shared);
        if !space_fits || access.elements != 1 {
            return Err(self.unsupported(statement));
        }
        let swaps = operation == AtomicOperation::CompareAndSwap;
        let first = usize::from(returns);
        self.operand_count(statement, first + 2 + usize::from(swaps))?;
        let target = match statement.operands.first() {
            Some(Operand::Sink) if returns => None,
            Some(operand) if returns => Some(self.target(operand, kind, statement)?),
            _ => None,
        };
        let address = self.address(&statement.operands[first], access.space, statement)?;
        let operand = self.operand(&statement.operands[first + 1], kind, statement)?;
        let replacement = match swaps {
            true => Some(self.operand(&statement.operands[first + 2], kind, statement)?),
            false => None,
        };
        let Access { space, order, scope, .. } = access;
        let atomic = Atomic { operation, space, kind, target, address, operand, replacement, order, scope };
        self.push(statement, InstructionClass::Atomic, Operation::Atomic(Box::new(atomic)))
    }
}
