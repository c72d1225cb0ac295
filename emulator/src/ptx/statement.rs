//! The body of a function: scopes, labels, registers and instructions.

use super::ast::{Function, Label, Operand, RegisterId, Statement, VariableId};
use super::lexer::Token;
use super::parser::{Linkage, Parser};
use super::types::{ScalarType, Space};
use crate::error::PtxError;
use rustc_hash::FxHashMap;

/// Registers that a function may declare: far more than any compiler asks for, and few enough to be kept.
const MAXIMUM_REGISTERS: usize = 1 << 18;

/// What a name inside of a function stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Binding {
    Register(RegisterId),
    Variable(VariableId),
}

/// A function while it is parsed: the function and the names in each open scope.
pub(crate) struct Body {
    pub(crate) function: Function,
    names: Vec<FxHashMap<String, Binding>>,
    open: Vec<usize>,
    location: Option<(u32, u32)>,
}

impl Body {
    pub(crate) fn new(kernel: bool) -> Self {
        Self {
            function: Function {
                name: String::new(),
                kernel,
                line: 0,
                returns: Vec::new(),
                parameters: Vec::new(),
                registers: Vec::new(),
                variables: Vec::new(),
                statements: Vec::new(),
                labels: Vec::new(),
                scopes: vec![None],
                required_threads: None,
                maximum_threads: None,
                external: false,
            },
            names: vec![FxHashMap::default()],
            open: vec![0],
            location: None,
        }
    }

    pub(crate) fn bind(&mut self, name: String, binding: Binding) {
        if let Some(names) = self.names.last_mut() {
            names.insert(name, binding);
        }
    }

    fn find(&self, name: &str) -> Option<Binding> {
        self.names.iter().rev().find_map(|names| names.get(name).copied())
    }

    fn scope(&self) -> usize {
        self.open.last().copied().unwrap_or(0)
    }
}

impl Parser {
    /// From after the opening brace to the closing one.
    pub(crate) fn body(&mut self, body: &mut Body) -> Result<(), PtxError> {
        loop {
            match self.peek().cloned() {
                Some(Token::Symbol('{')) => {
                    self.next()?;
                    body.function.scopes.push(Some(body.scope()));
                    body.open.push(body.function.scopes.len() - 1);
                    body.names.push(FxHashMap::default());
                }
                Some(Token::Symbol('}')) => {
                    self.next()?;
                    body.open.pop();
                    body.names.pop();
                    if body.open.is_empty() {
                        return Ok(());
                    }
                }
                Some(Token::Symbol(';')) => {
                    self.next()?;
                }
                Some(Token::Dotted(word)) => self.directive(&word, body)?,
                Some(Token::Word(name)) if self.peek_after(1) == Some(&Token::Symbol(':')) => {
                    self.next()?;
                    self.next()?;
                    self.label(name, body)?;
                }
                Some(Token::Word(_) | Token::Symbol('@')) => self.instruction(body)?,
                _ => return Err(self.error(format!("expected an instruction, found {}", self.describe()))),
            }
        }
    }

    fn label(&mut self, name: String, body: &mut Body) -> Result<(), PtxError> {
        let mut targets = None;
        match self.peek().cloned() {
            Some(Token::Dotted(word)) if word == "branchtargets" => {
                self.next()?;
                let mut names = vec![self.word()?];
                while self.accept(',') {
                    names.push(self.word()?);
                }
                self.expect(';')?;
                targets = Some(names);
            }
            Some(Token::Dotted(word)) if word == "callprototype" => {
                // The types of an indirect call are checked against the function that it reaches.
                while !self.accept(';') {
                    self.next()?;
                }
                return Ok(());
            }
            _ => {}
        }
        let scope = body.scope();
        if body.function.labels.iter().any(|label| label.name == name && label.scope == scope) {
            return Err(self.error(format!("the label '{name}' is defined twice")));
        }
        body.function.labels.push(Label { name, scope, statement: body.function.statements.len(), targets });
        Ok(())
    }

    fn directive(&mut self, word: &str, body: &mut Body) -> Result<(), PtxError> {
        self.next()?;
        match word {
            "reg" => self.registers(body),
            "param" | "local" | "shared" => {
                let space = Space::from_name(word).unwrap_or(Space::Local);
                for variable in self.variables(space, Linkage::default())? {
                    body.declare_variable(variable);
                }
                Ok(())
            }
            "loc" => self.location(body),
            "file" => self.file(),
            "section" => self.skip_section(),
            "pragma" => {
                while !self.accept(';') {
                    self.next()?;
                }
                Ok(())
            }
            _ => Err(self.error(format!("'.{word}' in a function is not supported"))),
        }
    }

    /// `.loc 1 20 5` and, for inlined code, `, function_name $L, inlined_at 1 3 4`.
    fn location(&mut self, body: &mut Body) -> Result<(), PtxError> {
        let file = self.unsigned()?;
        let line = self.unsigned()?;
        self.unsigned()?;
        body.location = Some((file, line));
        while self.accept(',') {
            let word = self.word()?;
            if word == "function_name" {
                self.word()?;
                if self.accept('+') {
                    self.integer()?;
                }
            } else {
                for _ in 0..3 {
                    self.unsigned()?;
                }
            }
        }
        Ok(())
    }

    fn registers(&mut self, body: &mut Body) -> Result<(), PtxError> {
        let Token::Dotted(word) = self.next()? else {
            return Err(self.error("expected the type of registers"));
        };
        let kind = ScalarType::from_name(&word)
            .ok_or_else(|| self.error(format!("registers of type '.{word}' are not supported")))?;
        loop {
            let name = self.word()?;
            if self.accept('<') {
                let count = self.unsigned()?;
                self.expect('>')?;
                if count as usize + body.function.registers.len() > MAXIMUM_REGISTERS {
                    return Err(self.error(format!("a function with more than {MAXIMUM_REGISTERS} registers")));
                }
                for index in 0..count {
                    body.declare_register(format!("{name}{index}"), kind);
                }
            } else {
                body.declare_register(name, kind);
            }
            if !self.accept(',') {
                break;
            }
        }
        self.expect(';')
    }

    fn instruction(&mut self, body: &mut Body) -> Result<(), PtxError> {
        let line = self.line();
        let mut guard = None;
        if self.accept('@') {
            let negated = self.accept('!');
            let name = self.word()?;
            match body.find(&name) {
                Some(Binding::Register(id)) => guard = Some((id, negated)),
                _ => return Err(PtxError::new(line, format!("the guard '{name}' is no register"))),
            }
        }
        let opcode = self.word()?;
        let mut modifiers = Vec::new();
        while let Some(Token::Dotted(word)) = self.peek().cloned() {
            self.next()?;
            modifiers.push(word);
        }
        let mut operands = Vec::new();
        if !self.accept(';') {
            // Operands of a form that no known instruction has are its fault, so it is named.
            let named = |error: PtxError| {
                let name = modifiers.iter().fold(opcode.clone(), |name, modifier| format!("{name}.{modifier}"));
                PtxError::new(
                    error.line,
                    format!("the instruction '{name}' is not supported like this: {}", error.message),
                )
            };
            loop {
                operands.push(self.operand(body).map_err(named)?);
                if !self.accept(',') {
                    break;
                }
            }
            self.expect(';').map_err(named)?;
        }
        let scope = body.scope();
        let location = body.location;
        body.function.statements.push(Statement { line, location, scope, guard, opcode, modifiers, operands });
        Ok(())
    }

    fn operand(&mut self, body: &Body) -> Result<Operand, PtxError> {
        if self.accept('{') {
            return Ok(Operand::Vector(self.list('}', body)?));
        }
        if self.accept('(') {
            return Ok(Operand::Group(self.list(')', body)?));
        }
        let first = self.simple_operand(body)?;
        if self.accept('|') {
            let second = self.simple_operand(body)?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    /// An operand that is no list.
    fn simple_operand(&mut self, body: &Body) -> Result<Operand, PtxError> {
        match self.peek().cloned() {
            Some(Token::Symbol('!')) => {
                self.next()?;
                let name = self.word()?;
                Ok(Operand::Not(Box::new(self.name(name, body)?)))
            }
            Some(Token::Symbol('[')) => {
                self.next()?;
                self.address(body)
            }
            Some(Token::Single(bits)) => {
                self.next()?;
                Ok(Operand::Single(bits))
            }
            Some(Token::Double(bits)) => {
                self.next()?;
                Ok(Operand::Double(bits))
            }
            Some(Token::Word(name)) => {
                self.next()?;
                let named = self.name(name, body)?;
                if self.accept('+') {
                    return Ok(Operand::Offset(Box::new(named), self.integer()? as i64));
                }
                Ok(named)
            }
            Some(Token::Symbol('-')) if matches!(self.peek_after(1), Some(Token::Double(_) | Token::Single(_))) => {
                self.next()?;
                Ok(match self.next()? {
                    Token::Single(bits) => Operand::Single(bits ^ (1 << 31)),
                    Token::Double(bits) => Operand::Double(bits ^ (1 << 63)),
                    _ => return Err(self.error("expected a number")),
                })
            }
            _ => Ok(Operand::Integer(self.integer()?)),
        }
    }

    fn list(&mut self, end: char, body: &Body) -> Result<Vec<Operand>, PtxError> {
        let mut found = Vec::new();
        if self.accept(end) {
            return Ok(found);
        }
        loop {
            found.push(self.simple_operand(body)?);
            if !self.accept(',') {
                break;
            }
        }
        self.expect(end)?;
        Ok(found)
    }

    fn name(&mut self, mut name: String, body: &Body) -> Result<Operand, PtxError> {
        if name == "_" {
            return Ok(Operand::Sink);
        }
        if let Some(Token::Dotted(component)) = self.peek().cloned() {
            // Only the special registers have components.
            self.next()?;
            name = format!("{name}.{component}");
        }
        Ok(match body.find(&name) {
            Some(Binding::Register(id)) => Operand::Register(id),
            Some(Binding::Variable(id)) => Operand::Variable(id),
            None => Operand::Symbol(name),
        })
    }

    fn address(&mut self, body: &Body) -> Result<Operand, PtxError> {
        let mut base = None;
        let mut offset = 0_i128;
        match self.peek().cloned() {
            Some(Token::Word(name)) => {
                self.next()?;
                base = Some(Box::new(self.name(name, body)?));
                if self.accept('+') || self.peek() == Some(&Token::Symbol('-')) {
                    offset = self.integer()?;
                }
            }
            _ => offset = self.integer()?,
        }
        self.expect(']')?;
        // An address that is only a number may use all 64 bits.
        Ok(Operand::Address(base, offset as i64))
    }
}
