//! Variables, parameters and the heads of functions.

use super::ast::{Function, Initial, Parameter, RegisterId, Variable, VariableId};
use super::lexer::Token;
use super::parser::{Linkage, Parser};
use super::statement::Body;
use super::types::{ScalarType, Space};
use crate::error::PtxError;

impl Parser {
    /// Module variables of one declaration: `.global .align 4 .b8 name[8] = {1, 2};`
    pub(crate) fn module_variables(&mut self, linkage: Linkage) -> Result<Vec<Variable>, PtxError> {
        let space = self.space()?;
        self.variables(space, linkage)
    }

    pub(crate) fn space(&mut self) -> Result<Space, PtxError> {
        if let Some(Token::Dotted(name)) = self.peek()
            && let Some(space) = Space::from_name(name)
        {
            self.next()?;
            return Ok(space);
        }
        Err(self.error(format!("expected a state space, found {}", self.describe())))
    }

    pub(crate) fn variables(&mut self, space: Space, linkage: Linkage) -> Result<Vec<Variable>, PtxError> {
        let (kind, alignment) = self.variable_type()?;
        let mut found = Vec::new();
        loop {
            let variable = self.declarator(space, kind, alignment, linkage)?;
            // `name<3>` declares name0, name1 and name2, as it does for registers.
            found.extend(variable);
            if !self.accept(',') {
                break;
            }
        }
        self.expect(';')?;
        Ok(found)
    }

    /// `.align 8 .b64`, with what else may stand there.
    fn variable_type(&mut self) -> Result<(ScalarType, Option<u32>), PtxError> {
        let mut alignment = None;
        loop {
            match self.peek().cloned() {
                Some(Token::Dotted(word)) if word == "align" => {
                    self.next()?;
                    let value = self.unsigned()?;
                    if !value.is_power_of_two() {
                        return Err(self.error(format!("an alignment of {value} is no power of two")));
                    }
                    alignment = Some(value);
                }
                // How a pointer parameter is to be used: the address space is checked when it is used.
                Some(Token::Dotted(word))
                    if matches!(word.as_str(), "ptr" | "global" | "shared" | "const" | "local") =>
                {
                    self.next()?;
                }
                Some(Token::Dotted(word)) if word.starts_with("attribute") || word == "managed" => {
                    return Err(self.error(format!("'.{word}' is not supported")));
                }
                Some(Token::Dotted(word)) => {
                    let kind = ScalarType::from_name(&word)
                        .ok_or_else(|| self.error(format!("'.{word}' is not a supported type")))?;
                    self.next()?;
                    return self.pointer_attributes(kind, alignment);
                }
                _ => return Err(self.error(format!("expected a type, found {}", self.describe()))),
            }
        }
    }

    /// `.param .u64 .ptr .global .align 4 name`
    fn pointer_attributes(
        &mut self,
        kind: ScalarType,
        alignment: Option<u32>,
    ) -> Result<(ScalarType, Option<u32>), PtxError> {
        if self.peek() == Some(&Token::Dotted("ptr".to_owned())) {
            self.next()?;
            while let Some(Token::Dotted(word)) = self.peek().cloned() {
                self.next()?;
                if word == "align" {
                    // It is the alignment of what is pointed at, not of the parameter.
                    self.unsigned()?;
                }
            }
        }
        Ok((kind, alignment))
    }

    fn declarator(
        &mut self,
        space: Space,
        kind: ScalarType,
        alignment: Option<u32>,
        linkage: Linkage,
    ) -> Result<Vec<Variable>, PtxError> {
        let line = self.line();
        let name = self.word()?;
        let mut copies = None;
        if self.accept('<') {
            copies = Some(self.unsigned()?);
            self.expect('>')?;
        }
        let mut count = 1_u64;
        let mut unsized_array = false;
        while self.accept('[') {
            if self.accept(']') {
                unsized_array = true;
                continue;
            }
            let value = self.integer()?;
            let value = u64::try_from(value).map_err(|_| self.error(format!("{value} is no size of an array")))?;
            count = count.checked_mul(value).ok_or_else(|| self.error("the array is too large"))?;
            self.expect(']')?;
        }
        let mut initial = Vec::new();
        if self.accept('=') {
            self.initialiser(kind, &mut initial)?;
        }
        let element = u64::from(kind.bytes());
        let given: u64 = initial
            .iter()
            .map(|part| match part {
                Initial::Bytes(bytes) => bytes.len() as u64,
                Initial::Symbol { bytes, .. } => u64::from(*bytes),
            })
            .sum();
        let size = if unsized_array && !initial.is_empty() { given } else { count * element };
        if given > size {
            return Err(PtxError::new(line, format!("'{name}' has {size} bytes but {given} bytes of values")));
        }
        let variable = Variable {
            name,
            space,
            alignment: alignment.unwrap_or(kind.bytes()),
            size: if unsized_array && initial.is_empty() { 0 } else { size },
            unsized_array: unsized_array && initial.is_empty(),
            external: linkage.external,
            initial,
            line,
        };
        Ok(match copies {
            None => vec![variable],
            Some(count) => (0..count)
                .map(|index| Variable { name: format!("{}{index}", variable.name), ..variable.clone() })
                .collect(),
        })
    }

    fn initialiser(&mut self, kind: ScalarType, into: &mut Vec<Initial>) -> Result<(), PtxError> {
        if self.accept('{') {
            if self.accept('}') {
                return Ok(());
            }
            loop {
                self.initialiser(kind, into)?;
                if !self.accept(',') {
                    break;
                }
            }
            return self.expect('}');
        }
        let width = kind.bytes() as usize;
        match self.peek().cloned() {
            Some(Token::Word(_)) => {
                let symbol = self.symbol_value(kind.bytes(), 0)?;
                into.push(symbol);
            }
            Some(Token::Single(bits)) => {
                self.next()?;
                into.push(Initial::Bytes(bits.to_le_bytes().to_vec()));
            }
            Some(Token::Double(bits)) => {
                self.next()?;
                let bytes = match kind {
                    ScalarType::F32 => (f64::from_bits(bits) as f32).to_bits().to_le_bytes().to_vec(),
                    _ => bits.to_le_bytes().to_vec(),
                };
                into.push(Initial::Bytes(bytes));
            }
            _ => {
                let value = self.integer()?;
                // `0xFF00(name)`: one byte of an address, because the address itself would not be aligned.
                if self.accept('(') {
                    let mask = value as u64;
                    if mask == 0 || mask != 0xff_u64 << mask.trailing_zeros() {
                        return Err(self.error(format!("{mask:#x} does not name one byte of an address")));
                    }
                    let symbol = self.symbol_value(1, mask.trailing_zeros())?;
                    into.push(symbol);
                    return self.expect(')');
                }
                into.push(Initial::Bytes(value.to_le_bytes()[..width].to_vec()));
            }
        }
        Ok(())
    }

    fn symbol_value(&mut self, bytes: u32, shift: u32) -> Result<Initial, PtxError> {
        let mut name = self.word()?;
        // Generic and global addresses are the same number here.
        if name == "generic" && self.accept('(') {
            name = self.word()?;
            self.expect(')')?;
        }
        let mut offset = 0;
        if self.accept('+') || self.peek() == Some(&Token::Symbol('-')) {
            offset = self.integer()? as i64;
        }
        Ok(Initial::Symbol { name, offset, bytes, shift })
    }

    /// From after `.entry` or `.func` to the end of the body.
    pub(crate) fn function(&mut self, kernel: bool) -> Result<Function, PtxError> {
        let line = self.line();
        let mut body = Body::new(kernel);
        let returns = if !kernel && self.accept('(') { self.parameters(&mut body)? } else { Vec::new() };
        body.function.name = self.word()?;
        body.function.line = line;
        body.function.returns = returns;
        if self.accept('(') {
            body.function.parameters = self.parameters(&mut body)?;
        }
        loop {
            match self.peek().cloned() {
                Some(Token::Symbol(';')) => {
                    self.next()?;
                    body.function.external = true;
                    return Ok(body.function);
                }
                Some(Token::Symbol('{')) => {
                    self.next()?;
                    self.body(&mut body)?;
                    return Ok(body.function);
                }
                Some(Token::Dotted(word)) => {
                    self.next()?;
                    match word.as_str() {
                        "maxntid" => body.function.maximum_threads = Some(self.extent()?),
                        "reqntid" => body.function.required_threads = Some(self.extent()?),
                        "minnctapersm" | "maxnctapersm" | "maxnreg" => {
                            self.unsigned()?;
                        }
                        "noreturn" => {}
                        "pragma" => {
                            while !self.accept(';') {
                                self.next()?;
                            }
                        }
                        _ => return Err(self.error(format!("'.{word}' of a function is not supported"))),
                    }
                }
                _ => return Err(self.error(format!("expected a function's body, found {}", self.describe()))),
            }
        }
    }

    fn extent(&mut self) -> Result<[u32; 3], PtxError> {
        let mut extent = [1; 3];
        extent[0] = self.unsigned()?;
        for component in &mut extent[1..] {
            if !self.accept(',') {
                break;
            }
            *component = self.unsigned()?;
        }
        Ok(extent)
    }

    /// The list after an opening parenthesis.
    fn parameters(&mut self, body: &mut Body) -> Result<Vec<Parameter>, PtxError> {
        let mut found = Vec::new();
        if self.accept(')') {
            return Ok(found);
        }
        loop {
            let Token::Dotted(word) = self.next()? else {
                return Err(self.error("expected '.param' or '.reg'"));
            };
            match word.as_str() {
                "reg" => {
                    let (kind, _) = self.variable_type()?;
                    let name = self.word()?;
                    found.push(Parameter::Register(body.declare_register(name, kind)));
                }
                "param" => {
                    let (kind, alignment) = self.variable_type()?;
                    for variable in self.declarator(Space::Parameter, kind, alignment, Linkage::default())? {
                        found.push(Parameter::Memory(body.declare_variable(variable)));
                    }
                }
                _ => return Err(self.error(format!("'.{word}' is no parameter"))),
            }
            if !self.accept(',') {
                break;
            }
        }
        self.expect(')')?;
        Ok(found)
    }
}

impl Body {
    pub(crate) fn declare_register(&mut self, name: String, kind: ScalarType) -> RegisterId {
        let id = RegisterId(self.function.registers.len() as u32);
        self.function.registers.push((name.clone(), kind));
        self.bind(name, super::statement::Binding::Register(id));
        id
    }

    pub(crate) fn declare_variable(&mut self, variable: Variable) -> VariableId {
        let id = VariableId(self.function.variables.len() as u32);
        self.bind(variable.name.clone(), super::statement::Binding::Variable(id));
        self.function.variables.push(variable);
        id
    }
}
