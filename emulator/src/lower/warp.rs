//! Exchanges between the lanes of a warp, and barriers.

use super::Lowerer;
use super::modifiers::Modifiers;
use crate::error::PtxError;
use crate::program::{
    BarrierForm, BarrierReduction, InstructionClass, Operation, Reduction, Shuffle, ShuffleForm, Vote, VoteTarget,
};
use crate::ptx::ast::{Operand, Statement};
use crate::ptx::types::ScalarType;

const BITS: ScalarType = ScalarType::B32;

impl Lowerer<'_> {
    /// `shfl{.sync}.mode.b32 d|p, a, b, c{, members}`
    pub(crate) fn shuffle(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let synchronised = modifiers.take("sync");
        let mode = modifiers.take_map(|name| {
            Some(match name {
                "up" => Shuffle::Up,
                "down" => Shuffle::Down,
                "bfly" => Shuffle::Butterfly,
                "idx" => Shuffle::Index,
                _ => return None,
            })
        });
        let mode = mode.ok_or_else(|| self.unsupported(statement))?;
        self.kind(&mut modifiers, statement, |kind| kind == BITS)?;
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, if synchronised { 5 } else { 4 })?;
        let (value, predicate) = match &statement.operands[0] {
            Operand::Pair(value, predicate) => (value.as_ref(), self.predicate_target(predicate, statement)?),
            value => (value, None),
        };
        let target = match value {
            Operand::Sink => None,
            value => Some(self.target(value, BITS, statement)?),
        };
        let form = ShuffleForm {
            mode,
            target,
            predicate,
            value: self.operand(&statement.operands[1], BITS, statement)?,
            lane: self.operand(&statement.operands[2], BITS, statement)?,
            clamp: self.operand(&statement.operands[3], BITS, statement)?,
            members: match synchronised {
                true => Some(self.operand(&statement.operands[4], BITS, statement)?),
                false => None,
            },
        };
        self.push(statement, InstructionClass::Warp, Operation::Shuffle(Box::new(form)))
    }

    /// `vote{.sync}.mode.pred p, {!}a{, members}` and `vote{.sync}.ballot.b32 d, {!}a{, members}`
    pub(crate) fn vote(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let synchronised = modifiers.take("sync");
        let mode = modifiers.take_map(|name| {
            Some(match name {
                "all" => Vote::All,
                "any" => Vote::Any,
                "uni" => Vote::Uniform,
                "ballot" => Vote::Ballot,
                _ => return None,
            })
        });
        let mode = mode.ok_or_else(|| self.unsupported(statement))?;
        let ballot = mode == Vote::Ballot;
        let expected = if ballot { BITS } else { ScalarType::Predicate };
        self.kind(&mut modifiers, statement, |kind| kind == expected)?;
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, if synchronised { 3 } else { 2 })?;
        let target = if ballot {
            VoteTarget::Register(self.target(&statement.operands[0], BITS, statement)?)
        } else {
            let slot = self.predicate_target(&statement.operands[0], statement)?;
            VoteTarget::Predicate(slot.ok_or_else(|| self.error(statement, "the destination is no predicate"))?)
        };
        let source = self.predicate(&statement.operands[1], statement)?;
        let members = match synchronised {
            true => Some(self.operand(&statement.operands[2], BITS, statement)?),
            false => None,
        };
        self.push(statement, InstructionClass::Warp, Operation::Vote { mode, target, source, members })
    }

    /// `match.any.sync.type d, a, members` and `match.all.sync.type d|p, a, members`
    pub(crate) fn match_lanes(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let all = modifiers.take("all");
        if all == modifiers.take("any") || !modifiers.take("sync") {
            return Err(self.unsupported(statement));
        }
        let kind = self.kind(&mut modifiers, statement, |kind| matches!(kind, ScalarType::B32 | ScalarType::B64))?;
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, 3)?;
        let (value, predicate) = match &statement.operands[0] {
            Operand::Pair(value, predicate) if all => (value.as_ref(), self.predicate_target(predicate, statement)?),
            value => (value, None),
        };
        let target = match value {
            Operand::Sink => None,
            value => Some(self.target(value, BITS, statement)?),
        };
        let value = self.operand(&statement.operands[1], kind, statement)?;
        let members = self.operand(&statement.operands[2], BITS, statement)?;
        let operation = Operation::Match { all, target, predicate, value, bits: kind.bits(), members };
        self.push(statement, InstructionClass::Warp, operation)
    }

    /// `redux.sync.op.type d, a, members`
    pub(crate) fn reduce(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let reduction = modifiers.take_map(|name| {
            Some(match name {
                "add" => Reduction::Add,
                "min" => Reduction::Minimum,
                "max" => Reduction::Maximum,
                "and" => Reduction::And,
                "or" => Reduction::Or,
                "xor" => Reduction::Xor,
                _ => return None,
            })
        });
        let reduction = reduction.ok_or_else(|| self.unsupported(statement))?;
        if !modifiers.take("sync") {
            return Err(self.unsupported(statement));
        }
        let logic = matches!(reduction, Reduction::And | Reduction::Or | Reduction::Xor);
        let kind = self.kind(&mut modifiers, statement, |kind| {
            if logic { kind == BITS } else { matches!(kind, ScalarType::U32 | ScalarType::S32) }
        })?;
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, 3)?;
        let target = self.target(&statement.operands[0], kind, statement)?;
        let value = self.operand(&statement.operands[1], kind, statement)?;
        let members = self.operand(&statement.operands[2], BITS, statement)?;
        let operation = Operation::Reduce { reduction, signed: kind.is_signed(), target, value, members };
        self.push(statement, InstructionClass::Warp, operation)
    }

    pub(crate) fn active_mask(&mut self, statement: &Statement) -> Result<(), PtxError> {
        if statement.modifiers != ["b32"] {
            return Err(self.unsupported(statement));
        }
        self.operand_count(statement, 1)?;
        let target = self.target(&statement.operands[0], BITS, statement)?;
        self.push(statement, InstructionClass::Warp, Operation::ActiveMask { target })
    }

    /// `bar` and `barrier`, of the block and of the warp.
    pub(crate) fn barrier(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let class = InstructionClass::Synchronisation;
        let old = statement.opcode == "bar";
        if old && modifiers.take("warp") {
            if !modifiers.take("sync") {
                return Err(self.unsupported(statement));
            }
            self.finish(&modifiers, statement)?;
            self.operand_count(statement, 1)?;
            let members = self.operand(&statement.operands[0], BITS, statement)?;
            return self.push(statement, class, Operation::WarpBarrier { members });
        }
        modifiers.take("cta");
        let aligned = old || modifiers.take("aligned");
        let mut operands = statement.operands.as_slice();
        let mut reduction = None;
        let wait = !modifiers.take("arrive");
        if wait && modifiers.take("red") {
            reduction = Some(self.barrier_reduction(statement, &mut modifiers)?);
            operands = operands.get(1..operands.len().saturating_sub(1)).unwrap_or_default();
        } else if wait && !modifiers.take("sync") {
            return Err(self.unsupported(statement));
        }
        self.finish(&modifiers, statement)?;
        let (barrier, count) = match operands {
            [barrier] if wait => (barrier, None),
            [barrier, count] => (barrier, Some(count)),
            _ => return Err(self.error(statement, "a barrier has a number and perhaps a count of threads")),
        };
        let barrier = self.operand(barrier, ScalarType::U32, statement)?;
        let count = match count {
            Some(count) => Some(self.operand(count, ScalarType::U32, statement)?),
            None => None,
        };
        let form = BarrierForm { wait, aligned, barrier, count, reduction };
        self.push(statement, class, Operation::Barrier(Box::new(form)))
    }

    fn barrier_reduction(
        &mut self,
        statement: &Statement,
        modifiers: &mut Modifiers<'_>,
    ) -> Result<(BarrierReduction, crate::program::PredicateSource), PtxError> {
        let counts = modifiers.take("popc");
        let all = !counts && modifiers.take("and");
        let is_known =
            if counts { modifiers.take("u32") } else { (all || modifiers.take("or")) && modifiers.take("pred") };
        if !is_known {
            return Err(self.unsupported(statement));
        }
        self.finish(modifiers, statement)?;
        let (Some(result), Some(condition)) = (statement.operands.first(), statement.operands.last()) else {
            return Err(self.error(statement, "operands are missing"));
        };
        let slot = |operand: &Operand| {
            self.predicate_target(operand, statement)?
                .ok_or_else(|| self.error(statement, "the destination is no predicate"))
        };
        let reduction = if counts {
            BarrierReduction::Count(self.target(result, ScalarType::U32, statement)?)
        } else if all {
            BarrierReduction::And(slot(result)?)
        } else {
            BarrierReduction::Or(slot(result)?)
        };
        Ok((reduction, self.predicate(condition, statement)?))
    }
}
