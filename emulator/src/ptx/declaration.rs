//! Variables, parameters and the heads of functions.

use super::ast::{Function, Initial, Parameter, RegisterId, Variable, VariableId};
use super::lexer::Token;
use super::parser::{Linkage, Parser};
use super::statement::Body;
use super::types::{ScalarType, Space};
use crate::error::PtxError;

/// What no module needs is refused here, so that a damaged text asks for no more memory than a sound one.
const MAXIMUM_ALIGNMENT: u32 = 4096;
const MAXIMUM_COPIES: u32 = 4096;
const MAXIMUM_EXTENTS: usize = 16;
const MAXIMUM_SIZE: u64 = u32::MAX as u64;

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
                    if !value.is_power_of_two() || value > MAXIMUM_ALIGNMENT {
                        let message = format!("an alignment of {value} is no power of two up to {MAXIMUM_ALIGNMENT}");
                        return Err(self.error(message));
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
                        .filter(|kind| *kind != ScalarType::Predicate)
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
        if copies.is_some_and(|count| count > MAXIMUM_COPIES) {
            return Err(self.error(format!("more than {MAXIMUM_COPIES} variables of one name")));
        }
        let element = u64::from(kind.bytes());
        let extents = self.extents()?;
        let given = match extents.first() {
            Some(None) => &extents[1..],
            _ => &extents[..],
        };
        let count = given.iter().flatten().try_fold(element, |size, extent| size.checked_mul(*extent));
        let count = count.filter(|size| *size <= MAXIMUM_SIZE).ok_or_else(|| self.error("the array is too large"))?;
        let mut unsized_array = given.len() < extents.len();
        let mut initial = Vec::new();
        if self.accept('=') {
            if !matches!(space, Space::Global | Space::Constant) {
                return Err(PtxError::new(line, format!("'{name}' lies in memory that has no first values")));
            }
            self.initialiser(kind, &extents, &mut initial)?;
        }
        let values: u64 = initial.iter().map(Initial::size).sum();
        let mut size = count;
        if unsized_array && !initial.is_empty() {
            // As many as are given, in whole rows.
            size = values.next_multiple_of(count.max(1));
            unsized_array = false;
        } else if unsized_array {
            if space != Space::Shared {
                return Err(PtxError::new(line, format!("'{name}' has no size")));
            }
            size = 0;
        } else if values > size {
            return Err(PtxError::new(line, format!("'{name}' has {size} bytes but {values} bytes of values")));
        }
        let variable = Variable {
            name,
            space,
            alignment: alignment.unwrap_or(kind.bytes()),
            size,
            unsized_array,
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

    /// `[2][3]`; the first may be empty.
    fn extents(&mut self) -> Result<Vec<Option<u64>>, PtxError> {
        let mut extents = Vec::new();
        while self.accept('[') {
            if extents.len() == MAXIMUM_EXTENTS {
                return Err(self.error(format!("an array of more than {MAXIMUM_EXTENTS} directions")));
            }
            if extents.is_empty() && self.accept(']') {
                extents.push(None);
                continue;
            }
            let value = self.integer()?;
            let extent = u64::try_from(value).map_err(|_| self.error(format!("{value} is no size of an array")))?;
            extents.push(Some(extent));
            self.expect(']')?;
        }
        Ok(extents)
    }

    /// A value, or those of an array in braces; what a row leaves out is zero, as in C.
    fn initialiser(
        &mut self,
        kind: ScalarType,
        extents: &[Option<u64>],
        into: &mut Vec<Initial>,
    ) -> Result<(), PtxError> {
        if !self.accept('{') {
            return self.initial_value(kind, into);
        }
        let Some((first, inner)) = extents.split_first() else {
            return Err(self.error("braces around a value that is no array"));
        };
        let (start, mut rows, mut values) = (into.len(), 0, 0);
        while self.peek() != Some(&Token::Symbol('}')) {
            if self.peek() == Some(&Token::Symbol('{')) {
                rows += 1;
            } else {
                values += 1;
            }
            self.initialiser(kind, inner, into)?;
            if !self.accept(',') {
                break;
            }
        }
        if rows != 0 && values != 0 {
            return Err(self.error("rows with and without braces in one array"));
        }
        self.expect('}')?;
        let given: u64 = into[start..].iter().map(Initial::size).sum();
        // The product was checked with the size of the variable.
        let row = inner.iter().flatten().product::<u64>() * u64::from(kind.bytes());
        if let Some(size) = first.map(|first| first * row) {
            if given > size {
                return Err(self.error(format!("{given} bytes of values where {size} are")));
            }
            into.push(Initial::Zeros(size - given));
        }
        Ok(())
    }

    fn initial_value(&mut self, kind: ScalarType, into: &mut Vec<Initial>) -> Result<(), PtxError> {
        let (bits, width) = (kind.bits(), kind.bytes() as usize);
        let wrong = |parser: &Self| parser.error(format!("a value that is no .{}", kind.name()));
        match self.peek().cloned() {
            Some(Token::Word(_)) => {
                if width != 8 {
                    return Err(self.error("an address has 64 bits"));
                }
                let symbol = self.symbol_value(8, 0)?;
                into.push(symbol);
            }
            Some(Token::Single(number)) => {
                self.next()?;
                into.push(Initial::Bytes(match kind {
                    ScalarType::F32 | ScalarType::B32 => number.to_le_bytes().to_vec(),
                    ScalarType::F64 => f64::from(f32::from_bits(number)).to_le_bytes().to_vec(),
                    _ => return Err(wrong(self)),
                }));
            }
            Some(Token::Double(number)) => {
                self.next()?;
                into.push(Initial::Bytes(match kind {
                    ScalarType::F32 => (f64::from_bits(number) as f32).to_le_bytes().to_vec(),
                    ScalarType::F64 | ScalarType::B64 => number.to_le_bytes().to_vec(),
                    _ => return Err(wrong(self)),
                }));
            }
            _ => {
                let value = self.integer()?;
                // `0xFF00(name)`: one byte of an address, because the address itself would not be aligned.
                if self.accept('(') {
                    let mask = value as u64;
                    if width != 1 || mask == 0 || mask != 0xff_u64 << mask.trailing_zeros() {
                        return Err(self.error(format!("{mask:#x} does not name one byte of an address")));
                    }
                    let symbol = self.symbol_value(1, mask.trailing_zeros())?;
                    into.push(symbol);
                    return self.expect(')');
                }
                if kind.is_float() || value >= 1_i128 << bits || value < -(1_i128 << (bits - 1)) {
                    return Err(wrong(self));
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
