//! From parsed statements to the register program.
//!
//! Every modifier of an instruction must be known and every register must have the width that the instruction asks for;
//! anything else is an error with its line, when the module is loaded and not when it runs.

mod atomics;
mod bits;
mod compare;
mod control;
mod convert;
mod float;
mod function;
mod integer;
mod memory;
mod modifiers;
mod operands;
mod warp;

pub(crate) use function::CARRY;

use crate::error::PtxError;
use crate::program::{Function, Instruction, InstructionClass, Operation};
use crate::ptx::ast::{self, Statement, Text};
use crate::ptx::types::Space;
use rustc_hash::FxHashMap;

/// What the names of a module stand for.
pub(crate) struct Symbols {
    /// Module variables, by name: the space and the index among those of global and constant memory, or among the
    /// shared ones.
    pub(crate) variables: FxHashMap<String, (Space, u32)>,
    /// Functions, by name.
    pub(crate) functions: FxHashMap<String, u32>,
}

/// A lowered module without its text.
pub(crate) struct Lowered {
    pub(crate) functions: Vec<Function>,
    /// Variables of global and constant memory.
    pub(crate) globals: Vec<ast::Variable>,
    /// Shared variables of the module and of its functions.
    pub(crate) shared: Vec<ast::Variable>,
}

/// Lowers a module.
pub(crate) fn lower(text: &Text) -> Result<Lowered, PtxError> {
    let mut symbols = Symbols { variables: FxHashMap::default(), functions: FxHashMap::default() };
    let (mut globals, mut shared) = (Vec::new(), Vec::new());
    for variable in &text.variables {
        let list: &mut Vec<ast::Variable> = if variable.space == Space::Shared { &mut shared } else { &mut globals };
        if variable.external && variable.space != Space::Shared {
            return Err(PtxError::new(variable.line, format!("'{}' is not defined in this module", variable.name)));
        }
        let known = symbols.variables.insert(variable.name.clone(), (variable.space, list.len() as u32));
        if known.is_some() {
            return Err(PtxError::new(variable.line, format!("'{}' is defined twice", variable.name)));
        }
        list.push(variable.clone());
    }
    for (index, function) in text.functions.iter().enumerate() {
        symbols.functions.insert(function.name.clone(), index as u32);
    }
    for variable in &globals {
        check_initial(variable, &symbols)?;
    }
    let mut functions = Vec::with_capacity(text.functions.len());
    for function in &text.functions {
        functions.push(Lowerer::new(text, &symbols, function, &mut shared)?.run()?);
    }
    Ok(Lowered { functions, globals, shared })
}

/// The addresses in an initialiser must be those of global memory or of functions.
fn check_initial(variable: &ast::Variable, symbols: &Symbols) -> Result<(), PtxError> {
    for part in &variable.initial {
        let ast::Initial::Symbol { name, .. } = part else { continue };
        let shared = symbols.variables.get(name).map(|(space, _)| *space == Space::Shared);
        if shared.unwrap_or(!symbols.functions.contains_key(name)) {
            let message = format!("'{}' starts with the address of '{name}', which is not known", variable.name);
            return Err(PtxError::new(variable.line, message));
        }
    }
    Ok(())
}

/// The state while one function is lowered.
pub(crate) struct Lowerer<'text> {
    pub(crate) text: &'text Text,
    pub(crate) symbols: &'text Symbols,
    pub(crate) source: &'text ast::Function,
    /// The slot of each register: predicates and the others are counted apart.
    pub(crate) slots: Vec<u32>,
    pub(crate) registers: u32,
    pub(crate) predicates: u32,
    /// For each variable of the function its offset in its space, or its index among the shared variables.
    pub(crate) offsets: Vec<u32>,
    pub(crate) parameter_bytes: u32,
    pub(crate) local_bytes: u32,
    pub(crate) local_alignment: u32,
    pub(crate) instructions: Vec<Instruction>,
    /// The first instruction of each statement.
    pub(crate) starts: Vec<u32>,
    /// Branches whose labels are resolved at the end: instruction, statement.
    pub(crate) branches: Vec<(usize, usize)>,
    pub(crate) used_shared: Vec<u32>,
    pub(crate) calls: Vec<u32>,
    pub(crate) calls_indirectly: bool,
}

impl Lowerer<'_> {
    /// Lowers one statement; the dispatch on its opcode.
    fn statement(&mut self, index: usize) -> Result<(), PtxError> {
        let source = self.source;
        let statement = &source.statements[index];
        match statement.opcode.as_str() {
            "add" | "sub" | "mul" | "mad" | "fma" | "div" | "abs" | "neg" | "min" | "max" => {
                match modifiers::is_float(statement) {
                    true => self.float_arithmetic(statement),
                    false => self.integer_arithmetic(statement),
                }
            }
            "addc" | "subc" | "madc" => self.carry(statement),
            "rem" | "sad" | "mul24" | "mad24" | "dp4a" | "dp2a" => self.integer_arithmetic(statement),
            "sqrt" | "rcp" | "rsqrt" | "sin" | "cos" | "ex2" | "lg2" | "tanh" => self.special_function(statement),
            "copysign" | "testp" => self.float_bits(statement),
            "and" | "or" | "xor" | "not" | "cnot" => self.logic(statement),
            "shl" | "shr" | "shf" | "bfe" | "bfi" | "bfind" | "brev" | "clz" | "popc" | "prmt" | "bmsk" | "szext"
            | "fns" => self.bit_operation(statement),
            "lop3" => self.logic3(statement),
            "setp" | "set" => self.compare(statement),
            "selp" | "slct" => self.select(statement),
            "cvt" => self.convert(statement),
            "mov" => self.mov(statement),
            "cvta" => self.convert_address(statement),
            "isspacep" => self.is_space(statement),
            "ld" | "ldu" => self.load(statement),
            "st" => self.store(statement),
            "atom" | "red" => self.atomic(statement),
            "shfl" => self.shuffle(statement),
            "vote" => self.vote(statement),
            "match" => self.match_lanes(statement),
            "redux" => self.reduce(statement),
            "activemask" => self.active_mask(statement),
            "bar" | "barrier" => self.barrier(statement),
            "membar" | "fence" => self.fence(statement),
            "bra" | "brx" => self.branch(index),
            "call" => self.call(statement),
            "ret" | "exit" | "trap" | "brkpt" => self.leave(statement),
            "prefetch" | "prefetchu" | "nanosleep" | "applypriority" | "pmevent" => self.hint(statement),
            _ => Err(self.unsupported(statement)),
        }
    }

    /// An instruction that the emulator does not know.
    pub(crate) fn unsupported(&self, statement: &Statement) -> PtxError {
        PtxError::new(statement.line, format!("the instruction '{}' is not supported", statement.full_name()))
    }

    pub(crate) fn error(&self, statement: &Statement, message: impl AsRef<str>) -> PtxError {
        PtxError::new(statement.line, format!("{}: {}", statement.full_name(), message.as_ref()))
    }

    /// Adds the instruction of a statement.
    pub(crate) fn push(
        &mut self,
        statement: &Statement,
        class: InstructionClass,
        operation: Operation,
    ) -> Result<(), PtxError> {
        let guard = match statement.guard {
            Some((register, negated)) => Some((self.predicate_slot(register, statement)?, negated)),
            None => None,
        };
        let (line, location) = (statement.line, statement.location);
        self.instructions.push(Instruction { operation, guard, line, location, class });
        Ok(())
    }
}
