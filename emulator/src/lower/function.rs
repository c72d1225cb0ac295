//! One function: the layout of its registers and variables, its statements, and where its branches meet.

use super::{Lowerer, Symbols};
use crate::error::PtxError;
use crate::execute::LOCAL_LIMIT;
use crate::flow::{self, Leave};
use crate::program::{Formal, Function, NOWHERE, Operation};
use crate::ptx::ast::{self, Parameter, Text, Variable, VariableId};
use crate::ptx::types::{ScalarType, Space};

/// The predicate slot that holds the carry flag.
pub(crate) const CARRY: u32 = 0;

/// Bytes of parameter memory of a function: its own and those of all its calls.
const PARAMETER_LIMIT: u32 = 1 << 20;

/// Puts a variable behind the others of its space.
fn place(end: &mut u32, variable: &Variable, limit: u32) -> Result<u32, PtxError> {
    let start = end.next_multiple_of(variable.alignment);
    let stop = u64::from(start) + variable.size;
    if stop > u64::from(limit) {
        let message = format!("with '{}' a function has {stop} bytes of such memory, more than {limit}", variable.name);
        return Err(PtxError::new(variable.line, message));
    }
    *end = stop as u32;
    Ok(start)
}

impl<'text> Lowerer<'text> {
    pub(crate) fn new(
        text: &'text Text,
        symbols: &'text Symbols,
        source: &'text ast::Function,
        shared: &mut Vec<Variable>,
    ) -> Result<Self, PtxError> {
        let (mut registers, mut predicates) = (0, CARRY + 1);
        let slots = source
            .registers
            .iter()
            .map(|(_, kind)| {
                let next = if *kind == ScalarType::Predicate { &mut predicates } else { &mut registers };
                *next += 1;
                *next - 1
            })
            .collect();
        let (mut parameter_bytes, mut local_bytes, mut local_alignment) = (0, 0, 16);
        let mut offsets = Vec::with_capacity(source.variables.len());
        for variable in &source.variables {
            offsets.push(match variable.space {
                Space::Shared => {
                    shared.push(variable.clone());
                    shared.len() as u32 - 1
                }
                Space::Local => {
                    local_alignment = variable.alignment.max(local_alignment);
                    place(&mut local_bytes, variable, LOCAL_LIMIT)?
                }
                _ => place(&mut parameter_bytes, variable, PARAMETER_LIMIT)?,
            });
        }
        Ok(Self {
            text,
            symbols,
            source,
            slots,
            registers,
            predicates,
            offsets,
            parameter_bytes,
            local_bytes: local_bytes.next_multiple_of(16),
            local_alignment,
            instructions: Vec::new(),
            starts: Vec::new(),
            branches: Vec::new(),
            used_shared: Vec::new(),
            calls: Vec::new(),
            calls_indirectly: false,
        })
    }

    pub(crate) fn run(mut self) -> Result<Function, PtxError> {
        for index in 0..self.source.statements.len() {
            self.starts.push(self.instructions.len() as u32);
            self.statement(index)?;
        }
        self.starts.push(self.instructions.len() as u32);
        self.resolve_branches()?;
        // A body may end without a return.
        if !self.source.external {
            let last = self.source.statements.last();
            let line = last.map_or(self.source.line, |statement| statement.line);
            self.instructions.push(crate::program::Instruction {
                operation: Operation::Return,
                guard: None,
                line,
                location: last.and_then(|statement| statement.location),
                class: crate::program::InstructionClass::Control,
            });
        }
        self.reconverge();
        let parameters = self.source.parameters.iter().map(|parameter| self.formal(parameter)).collect();
        let results = self.source.returns.iter().map(|parameter| self.formal(parameter)).collect();
        self.used_shared.sort_unstable();
        self.used_shared.dedup();
        Ok(Function {
            name: self.source.name.clone(),
            kernel: self.source.kernel,
            registers: self.registers,
            predicates: self.predicates,
            parameters,
            results,
            parameter_bytes: self.parameter_bytes,
            local_bytes: self.local_bytes,
            local_alignment: self.local_alignment,
            shared: self.used_shared,
            calls: self.calls,
            calls_indirectly: self.calls_indirectly,
            required_threads: self.source.required_threads,
            maximum_threads: self.source.maximum_threads,
            instructions: self.instructions,
        })
    }

    fn formal(&self, parameter: &Parameter) -> Formal {
        match parameter {
            Parameter::Register(id) => {
                Formal::Register { slot: self.slots[id.0 as usize], bits: self.register(*id).1.bits() }
            }
            Parameter::Memory(VariableId(id)) => {
                let size = self.source.variables[*id as usize].size as u32;
                Formal::Memory { offset: self.offsets[*id as usize], size }
            }
        }
    }

    /// Finds the basic blocks and tells every branch where its lanes meet again.
    fn reconverge(&mut self) {
        let count = self.instructions.len();
        if count == 0 {
            return;
        }
        let mut starts = vec![false; count + 1];
        starts[0] = true;
        for (place, instruction) in self.instructions.iter().enumerate() {
            match &instruction.operation {
                Operation::Branch { target, .. } => starts[*target as usize] = true,
                Operation::BranchIndexed { targets, .. } => {
                    targets.iter().for_each(|target| starts[*target as usize] = true);
                }
                Operation::Return | Operation::Exit | Operation::Trap => {}
                _ => continue,
            }
            starts[place + 1] = true;
        }
        let firsts: Vec<usize> = (0..count).filter(|&place| starts[place]).collect();
        let block_of = |place: u32| firsts.partition_point(|&first| first <= place as usize) - 1;
        let mut successors = Vec::with_capacity(firsts.len());
        let mut leaves = Vec::with_capacity(firsts.len());
        for block in 0..firsts.len() {
            let last = firsts.get(block + 1).copied().unwrap_or(count) - 1;
            let instruction = &self.instructions[last];
            let falls_through = instruction.guard.is_some();
            let (mut next, leave) = match &instruction.operation {
                Operation::Branch { target, .. } => (vec![block_of(*target)], Leave::Never),
                Operation::BranchIndexed { targets, .. } => {
                    (targets.iter().map(|target| block_of(*target)).collect(), Leave::Never)
                }
                Operation::Return | Operation::Exit if !falls_through => (Vec::new(), Leave::Return),
                Operation::Trap if !falls_through => (Vec::new(), Leave::Trap),
                _ => (vec![block + 1], Leave::Never),
            };
            let branches = matches!(instruction.operation, Operation::Branch { .. } | Operation::BranchIndexed { .. });
            if branches && falls_through {
                next.push(block + 1);
            }
            next.sort_unstable();
            next.dedup();
            next.retain(|&block| block < firsts.len());
            successors.push(next);
            leaves.push(leave);
        }
        let meets = flow::reconvergence(&successors, &leaves);
        for (block, meet) in meets.iter().enumerate() {
            let last = firsts.get(block + 1).copied().unwrap_or(count) - 1;
            let place = meet.map_or(NOWHERE, |meet| firsts[meet] as u32);
            match &mut self.instructions[last].operation {
                Operation::Branch { reconverge, .. } | Operation::BranchIndexed { reconverge, .. } => {
                    *reconverge = place;
                }
                _ => {}
            }
        }
    }
}
