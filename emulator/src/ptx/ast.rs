//! A parsed module: variables, functions and their statements.

use super::types::{ScalarType, Space};
use rustc_hash::FxHashMap;

/// A register of a function; predicates are counted with the others here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RegisterId(pub(crate) u32);

/// A `.param`, `.local` or `.shared` variable of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct VariableId(pub(crate) u32);

/// An operand of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operand {
    Register(RegisterId),
    /// A variable declared inside of the function.
    Variable(VariableId),
    /// A label, a module variable, a function or a special register: resolved when the statement is lowered.
    Symbol(String),
    /// `name+4`, outside of brackets.
    Offset(Box<Operand>, i64),
    Integer(i128),
    Single(u32),
    Double(u64),
    /// `[base+offset]`; without a base the offset is the address.
    Address(Option<Box<Operand>>, i64),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `(a, b)` of a call.
    Group(Vec<Operand>),
    /// `p|q`
    Pair(Box<Operand>, Box<Operand>),
    /// `!p`
    Not(Box<Operand>),
    /// `_`
    Sink,
}

/// An instruction as written.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) line: u32,
    /// The source position that the last `.loc` named: file number and line.
    pub(crate) location: Option<(u32, u32)>,
    pub(crate) scope: usize,
    /// The guard predicate, and whether it is negated.
    pub(crate) guard: Option<(RegisterId, bool)>,
    pub(crate) opcode: String,
    pub(crate) modifiers: Vec<String>,
    pub(crate) operands: Vec<Operand>,
}

impl Statement {
    /// The instruction's name with its modifiers, for messages.
    pub(crate) fn full_name(&self) -> String {
        let mut name = self.opcode.clone();
        for modifier in &self.modifiers {
            name.push('.');
            name.push_str(modifier);
        }
        name
    }
}

/// A value in the initialiser of a module variable.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Initial {
    Bytes(Vec<u8>),
    /// So many bytes that no value is given for.
    Zeros(u64),
    /// The address of a symbol plus an offset, in so many bytes, shifted right by so many bits.
    Symbol {
        name: String,
        offset: i64,
        bytes: u32,
        shift: u32,
    },
}

impl Initial {
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Zeros(count) => *count,
            Self::Symbol { bytes, .. } => u64::from(*bytes),
        }
    }
}

/// A variable in memory.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) alignment: u32,
    pub(crate) size: u64,
    /// Declared with `[]`: its size is what the launch gives.
    pub(crate) unsized_array: bool,
    pub(crate) external: bool,
    pub(crate) initial: Vec<Initial>,
    pub(crate) line: u32,
}

/// A parameter or a returned value of a function.
#[derive(Debug, Clone)]
pub(crate) enum Parameter {
    Register(RegisterId),
    Memory(VariableId),
}

/// A label with the scope in which it stands.
#[derive(Debug, Clone)]
pub(crate) struct Label {
    pub(crate) name: String,
    pub(crate) scope: usize,
    /// The index of the statement that follows it.
    pub(crate) statement: usize,
    /// The labels of a `.branchtargets` list.
    pub(crate) targets: Option<Vec<String>>,
}

/// A function or a kernel.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) kernel: bool,
    pub(crate) line: u32,
    pub(crate) returns: Vec<Parameter>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) registers: Vec<(String, ScalarType)>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) statements: Vec<Statement>,
    pub(crate) labels: Vec<Label>,
    /// The parent of each scope; the first is the function's own.
    pub(crate) scopes: Vec<Option<usize>>,
    /// `.reqntid` and `.maxntid`.
    pub(crate) required_threads: Option<[u32; 3]>,
    pub(crate) maximum_threads: Option<[u32; 3]>,
    /// A declaration without a body.
    pub(crate) external: bool,
}

/// A whole text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    pub(crate) target: String,
    pub(crate) files: FxHashMap<u32, String>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Function>,
}
