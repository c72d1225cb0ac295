//! The parser's cursor and the top level of a module.

use super::ast::{Function, Text};
use super::lexer::{Token, tokens};
use crate::error::PtxError;

/// Parses a whole PTX text.
pub(crate) fn parse(text: &str) -> Result<Text, PtxError> {
    let mut parser = Parser { tokens: tokens(text)?, position: 0, text: Text::default() };
    while !parser.at_end() {
        parser.top_level()?;
    }
    Ok(parser.text)
}

pub(crate) struct Parser {
    tokens: Vec<(Token, u32)>,
    position: usize,
    pub(crate) text: Text,
}

/// What stands before a declaration.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Linkage {
    pub(crate) external: bool,
}

impl Parser {
    pub(crate) fn at_end(&self) -> bool {
        self.position >= self.tokens.len()
    }

    pub(crate) fn line(&self) -> u32 {
        let last = self.tokens.len().saturating_sub(1);
        self.tokens.get(self.position.min(last)).map_or(1, |token| token.1)
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> PtxError {
        PtxError::new(self.line(), message)
    }

    pub(crate) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.position).map(|token| &token.0)
    }

    pub(crate) fn peek_after(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.position + ahead).map(|token| &token.0)
    }

    pub(crate) fn next(&mut self) -> Result<Token, PtxError> {
        let token = self.peek().cloned().ok_or_else(|| self.error("the text ends too early"))?;
        self.position += 1;
        Ok(token)
    }

    pub(crate) fn accept(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(&Token::Symbol(symbol));
        self.position += usize::from(found);
        found
    }

    pub(crate) fn expect(&mut self, symbol: char) -> Result<(), PtxError> {
        if self.accept(symbol) {
            return Ok(());
        }
        Err(self.error(format!("expected '{symbol}', found {}", self.describe())))
    }

    pub(crate) fn describe(&self) -> String {
        match self.peek() {
            None => "the end of the text".to_owned(),
            Some(Token::Word(word)) => format!("'{word}'"),
            Some(Token::Dotted(word)) => format!("'.{word}'"),
            Some(Token::Symbol(symbol)) => format!("'{symbol}'"),
            Some(Token::Text(text)) => format!("\"{text}\""),
            Some(Token::Integer(value)) => format!("'{value}'"),
            Some(Token::Single(bits)) => format!("'0f{bits:08X}'"),
            Some(Token::Double(bits)) => format!("'0d{bits:016X}'"),
        }
    }

    pub(crate) fn word(&mut self) -> Result<String, PtxError> {
        match self.peek() {
            Some(Token::Word(_)) => {}
            _ => return Err(self.error(format!("expected a name, found {}", self.describe()))),
        }
        match self.next()? {
            Token::Word(word) => Ok(word),
            _ => Err(self.error("expected a name")),
        }
    }

    /// An integer with an optional sign.
    pub(crate) fn integer(&mut self) -> Result<i128, PtxError> {
        let negative = self.accept('-');
        match self.next()? {
            Token::Integer(value) => Ok(if negative { -value } else { value }),
            _ => {
                self.position -= 1;
                Err(self.error(format!("expected an integer, found {}", self.describe())))
            }
        }
    }

    pub(crate) fn unsigned(&mut self) -> Result<u32, PtxError> {
        let value = self.integer()?;
        u32::try_from(value).map_err(|_| self.error(format!("{value} is out of range")))
    }

    fn top_level(&mut self) -> Result<(), PtxError> {
        let line = self.line();
        let Token::Dotted(directive) = self.next()? else {
            self.position -= 1;
            return Err(self.error(format!("expected a directive, found {}", self.describe())));
        };
        match directive.as_str() {
            "version" => {
                // `8.0` reads as a number with a point.
                self.next()?;
            }
            "target" => {
                self.text.target = self.word()?;
                while self.accept(',') {
                    self.word()?;
                }
            }
            "address_size" => {
                if self.unsigned()? != 64 {
                    return Err(PtxError::new(line, "only 64-bit addresses are supported"));
                }
            }
            "file" => self.file()?,
            "section" => self.skip_section()?,
            "pragma" => {
                while !self.accept(';') {
                    self.next()?;
                }
            }
            "visible" | "weak" | "common" => self.linked(Linkage::default())?,
            "extern" => self.linked(Linkage { external: true })?,
            _ => {
                self.position -= 1;
                self.linked(Linkage::default())?;
            }
        }
        Ok(())
    }

    fn linked(&mut self, linkage: Linkage) -> Result<(), PtxError> {
        while matches!(self.peek(), Some(Token::Dotted(word)) if word == "visible" || word == "weak") {
            self.position += 1;
        }
        match self.peek() {
            Some(Token::Dotted(word)) if word == "entry" || word == "func" => {
                let kernel = word == "entry";
                self.position += 1;
                let function = self.function(kernel)?;
                self.add_function(function)
            }
            Some(Token::Dotted(word)) if matches!(word.as_str(), "global" | "const" | "shared") => {
                let variables = self.module_variables(linkage)?;
                self.text.variables.extend(variables);
                Ok(())
            }
            _ => Err(self.error(format!("{} is not a supported directive", self.describe()))),
        }
    }

    /// A prototype may stand before the function or repeat.
    fn add_function(&mut self, function: Function) -> Result<(), PtxError> {
        match self.text.functions.iter_mut().find(|known| known.name == function.name) {
            Some(known) if known.external => *known = function,
            Some(_) if function.external => {}
            Some(known) => {
                let message = format!("'{}' is defined twice, first on line {}", function.name, known.line);
                return Err(PtxError::new(function.line, message));
            }
            None => self.text.functions.push(function),
        }
        Ok(())
    }

    pub(crate) fn file(&mut self) -> Result<(), PtxError> {
        let number = self.unsigned()?;
        let Token::Text(name) = self.next()? else {
            return Err(self.error("expected the name of a file"));
        };
        while self.accept(',') {
            self.integer()?;
        }
        self.text.files.insert(number, name);
        Ok(())
    }

    /// Debug information: read past, because only `.loc` and `.file` serve the reports.
    pub(crate) fn skip_section(&mut self) -> Result<(), PtxError> {
        while !self.accept('{') {
            self.next()?;
        }
        while !self.accept('}') {
            self.next()?;
        }
        Ok(())
    }
}
