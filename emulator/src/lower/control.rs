//! Branches, calls, returns.

use super::Lowerer;
use super::modifiers::Modifiers;
use crate::error::PtxError;
use crate::program::{Argument, Callee, InstructionClass, NOWHERE, Operation, Source};
use crate::ptx::ast::{Label, Operand, Parameter, Statement};
use crate::ptx::types::{ScalarType, Space};

impl Lowerer<'_> {
    /// `bra`, `brx.idx`; the labels are resolved when every statement has its place.
    pub(crate) fn branch(&mut self, index: usize) -> Result<(), PtxError> {
        let source = self.source;
        let statement = &source.statements[index];
        let mut modifiers = Modifiers::new(statement);
        let indexed = statement.opcode == "brx";
        if indexed && !modifiers.take("idx") {
            return Err(self.unsupported(statement));
        }
        let uniform = modifiers.take("uni");
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, if indexed { 2 } else { 1 })?;
        let operation = if indexed {
            let index = self.operand(&statement.operands[0], ScalarType::U32, statement)?;
            Operation::BranchIndexed { targets: Vec::new(), index, reconverge: NOWHERE, uniform }
        } else {
            Operation::Branch { target: NOWHERE, reconverge: NOWHERE, uniform }
        };
        self.push(statement, InstructionClass::Control, operation)?;
        self.branches.push((self.instructions.len() - 1, index));
        Ok(())
    }

    /// The label of this name that the statement sees: in its own scope or in one around it.
    fn label(&self, name: &str, statement: &Statement) -> Result<&Label, PtxError> {
        let mut scope = Some(statement.scope);
        while let Some(current) = scope {
            if let Some(label) = self.source.labels.iter().find(|label| label.scope == current && label.name == name) {
                return Ok(label);
            }
            scope = self.source.scopes[current];
        }
        Err(self.error(statement, format!("the label '{name}' is not known")))
    }

    fn place(&self, name: &str, statement: &Statement) -> Result<u32, PtxError> {
        let label = self.label(name, statement)?;
        Ok(self.starts[label.statement])
    }

    /// Fills in the targets of the branches.
    pub(crate) fn resolve_branches(&mut self) -> Result<(), PtxError> {
        for (instruction, index) in std::mem::take(&mut self.branches) {
            let source = self.source;
            let statement = &source.statements[index];
            let Some(Operand::Symbol(name)) = statement.operands.last() else {
                return Err(self.error(statement, "expected a label"));
            };
            let mut found = Vec::new();
            if statement.opcode == "brx" {
                let names = self.label(name, statement)?.targets.clone();
                for name in names.ok_or_else(|| self.error(statement, "expected a list of branch targets"))? {
                    found.push(self.place(&name, statement)?);
                }
            } else {
                found.push(self.place(name, statement)?);
            }
            match &mut self.instructions[instruction].operation {
                Operation::Branch { target, .. } => *target = found[0],
                Operation::BranchIndexed { targets, .. } => *targets = found,
                _ => {}
            }
        }
        Ok(())
    }

    /// `ret`, `exit`, `trap`, `brkpt`
    pub(crate) fn leave(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let operation = match statement.opcode.as_str() {
            "ret" => {
                modifiers.take("uni");
                Operation::Return
            }
            "exit" => Operation::Exit,
            "trap" => Operation::Trap,
            _ => Operation::Breakpoint,
        };
        self.finish(&modifiers, statement)?;
        self.operand_count(statement, 0)?;
        self.push(statement, InstructionClass::Control, operation)
    }

    /// `call{.uni} (results), function, (arguments){, prototype}`
    pub(crate) fn call(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        modifiers.take("uni");
        self.finish(&modifiers, statement)?;
        let mut operands = statement.operands.iter().peekable();
        let group = |operands: &mut std::iter::Peekable<std::slice::Iter<'_, Operand>>| match operands
            .next_if(|operand| matches!(operand, Operand::Group(_)))
        {
            Some(Operand::Group(list)) => list.clone(),
            _ => Vec::new(),
        };
        let results = group(&mut operands);
        let callee = operands.next().ok_or_else(|| self.error(statement, "no function is named"))?;
        let arguments = group(&mut operands);
        let callee = match callee {
            Operand::Symbol(name) => {
                let &index = self
                    .symbols
                    .functions
                    .get(name)
                    .ok_or_else(|| self.error(statement, format!("the function '{name}' is not known")))?;
                self.check_call(statement, index, &arguments, &results)?;
                self.calls.push(index);
                Callee::Function(index)
            }
            register @ Operand::Register(_) => {
                self.calls_indirectly = true;
                Callee::Indirect(self.operand(register, ScalarType::B64, statement)?)
            }
            _ => return Err(self.error(statement, "expected a function")),
        };
        let arguments = arguments.iter().map(|operand| self.argument(operand, statement)).collect::<Result<_, _>>()?;
        if results.iter().any(|operand| matches!(operand, Operand::Integer(_))) {
            return Err(self.error(statement, "a result goes to a register or a parameter"));
        }
        let results = results.iter().map(|operand| self.argument(operand, statement)).collect::<Result<_, _>>()?;
        self.push(statement, InstructionClass::Control, Operation::Call { callee, arguments, results })
    }

    /// The bytes of what is passed; a constant has those that are taken.
    fn passed_bytes(&self, operand: &Operand) -> Option<u64> {
        match operand {
            Operand::Variable(id) => Some(self.source.variables[id.0 as usize].size),
            Operand::Register(id) => Some(self.register(*id).1.bytes().into()),
            _ => None,
        }
    }

    fn argument(&mut self, operand: &Operand, statement: &Statement) -> Result<Argument, PtxError> {
        match operand {
            Operand::Variable(id) => {
                let offset = self.offsets[id.0 as usize];
                let variable = &self.source.variables[id.0 as usize];
                if variable.space != Space::Parameter {
                    return Err(self.error(statement, format!("'{}' is no parameter", variable.name)));
                }
                Ok(Argument::Memory { offset, size: variable.size as u32 })
            }
            Operand::Register(id) => {
                let (_, kind) = self.register(*id);
                Ok(Argument::Value(self.operand(operand, kind, statement)?))
            }
            Operand::Integer(value) => Ok(Argument::Value(Source::immediate(*value as u64))),
            _ => Err(self.error(statement, "an argument has the wrong form")),
        }
    }

    /// The sizes of what is passed must be those of what is taken.
    fn check_call(
        &self,
        statement: &Statement,
        index: u32,
        arguments: &[Operand],
        results: &[Operand],
    ) -> Result<(), PtxError> {
        let function = &self.text.functions[index as usize];
        if function.external {
            let message = format!("the function '{}' is declared but not defined in this module", function.name);
            return Err(self.error(statement, message));
        }
        if function.kernel {
            return Err(self.error(statement, format!("'{}' is a kernel", function.name)));
        }
        for (given, taken) in [(arguments, &function.parameters), (results, &function.returns)] {
            if given.len() != taken.len() {
                let message = format!("'{}' takes {} values, not {}", function.name, taken.len(), given.len());
                return Err(self.error(statement, message));
            }
            for (operand, parameter) in given.iter().zip(taken) {
                let size = match parameter {
                    Parameter::Memory(id) => function.variables[id.0 as usize].size,
                    Parameter::Register(id) => function.registers[id.0 as usize].1.bytes().into(),
                };
                let passed = self.passed_bytes(operand).unwrap_or(size.min(8));
                if passed != size {
                    let message = format!("'{}' takes a value of {size} bytes, not {passed}", function.name);
                    return Err(self.error(statement, message));
                }
            }
        }
        Ok(())
    }
}
