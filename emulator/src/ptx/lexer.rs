//! Splits PTX text into tokens, each with its line.

use crate::error::PtxError;

/// One token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    /// A name without dots: an opcode, a register with its `%`, a label, a symbol.
    Word(String),
    /// A dot and what follows it, without the dot: a directive, a modifier, the `x` of `%tid.x`.
    Dotted(String),
    Integer(i128),
    /// The bits of a `0f` literal.
    Single(u32),
    /// The bits of a `0d` literal, or of a decimal one.
    Double(u64),
    Text(String),
    Symbol(char),
}

/// The tokens of a text and the line of each, from 1.
pub(crate) fn tokens(text: &str) -> Result<Vec<(Token, u32)>, PtxError> {
    let mut lexer = Lexer { bytes: text.as_bytes(), position: 0, line: 1 };
    let mut found = Vec::new();
    while let Some(token) = lexer.next()? {
        found.push(token);
    }
    Ok(found)
}

struct Lexer<'text> {
    bytes: &'text [u8],
    position: usize,
    line: u32,
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%')
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.position + ahead).copied().unwrap_or(0)
    }

    fn error(&self, message: impl Into<String>) -> PtxError {
        PtxError::new(self.line, message)
    }

    fn skip_blanks(&mut self) -> Result<(), PtxError> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (b'\n', _) => {
                    self.line += 1;
                    self.position += 1;
                }
                (b' ' | b'\t' | b'\r', _) => self.position += 1,
                (b'/', b'/') => {
                    while self.position < self.bytes.len() && self.peek(0) != b'\n' {
                        self.position += 1;
                    }
                }
                (b'/', b'*') => {
                    self.position += 2;
                    while (self.peek(0), self.peek(1)) != (b'*', b'/') {
                        if self.position >= self.bytes.len() {
                            return Err(self.error("a comment has no end"));
                        }
                        if self.peek(0) == b'\n' {
                            self.line += 1;
                        }
                        self.position += 1;
                    }
                    self.position += 2;
                }
                _ => return Ok(()),
            }
        }
    }

    fn next(&mut self) -> Result<Option<(Token, u32)>, PtxError> {
        self.skip_blanks()?;
        // The C string that a driver is handed ends in a zero byte.
        if self.position >= self.bytes.len() || self.peek(0) == 0 {
            return Ok(None);
        }
        let line = self.line;
        let token = match self.peek(0) {
            b'0'..=b'9' => self.number()?,
            b'"' => self.text()?,
            b'.' if is_name(self.peek(1)) => {
                self.position += 1;
                Token::Dotted(self.dotted_name())
            }
            byte if is_name(byte) => Token::Word(self.name()),
            byte if byte.is_ascii_graphic() => {
                self.position += 1;
                Token::Symbol(char::from(byte))
            }
            byte => return Err(self.error(format!("the byte {byte:#04x} has no place in PTX"))),
        };
        Ok(Some((token, line)))
    }

    fn name(&mut self) -> String {
        let start = self.position;
        while is_name(self.peek(0)) {
            self.position += 1;
        }
        String::from_utf8_lossy(&self.bytes[start..self.position]).into_owned()
    }

    /// A modifier may carry a sub-qualifier: `shared::cta`, `L2::128B`.
    fn dotted_name(&mut self) -> String {
        let mut name = self.name();
        while self.peek(0) == b':' && self.peek(1) == b':' && is_name(self.peek(2)) {
            self.position += 2;
            name.push_str("::");
            name.push_str(&self.name());
        }
        name
    }

    fn text(&mut self) -> Result<Token, PtxError> {
        self.position += 1;
        let start = self.position;
        while self.peek(0) != b'"' {
            if self.position >= self.bytes.len() || self.peek(0) == b'\n' {
                return Err(self.error("a string has no end"));
            }
            self.position += 1;
        }
        let text = String::from_utf8_lossy(&self.bytes[start..self.position]).into_owned();
        self.position += 1;
        Ok(Token::Text(text))
    }

    fn number(&mut self) -> Result<Token, PtxError> {
        let start = self.position;
        // A point belongs to the number only if a digit follows it.
        while is_name(self.peek(0)) || (self.peek(0) == b'.' && self.peek(1).is_ascii_digit()) {
            let exponent = matches!(self.peek(0), b'e' | b'E') && matches!(self.peek(1), b'+' | b'-');
            let hexadecimal = matches!(self.bytes.get(start + 1), Some(b'x' | b'X'));
            self.position += if exponent && !hexadecimal { 2 } else { 1 };
        }
        let text = String::from_utf8_lossy(&self.bytes[start..self.position]).into_owned();
        parse_number(&text).ok_or_else(|| self.error(format!("'{text}' is not a number")))
    }
}

fn parse_number(text: &str) -> Option<Token> {
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0f").filter(|digits| digits.len() == 8) {
        return u32::from_str_radix(digits, 16).ok().map(Token::Single);
    }
    if let Some(digits) = lower.strip_prefix("0d").filter(|digits| digits.len() == 16) {
        return u64::from_str_radix(digits, 16).ok().map(Token::Double);
    }
    let integer = lower.strip_suffix('u').unwrap_or(&lower);
    let parsed = if let Some(digits) = integer.strip_prefix("0x") {
        u64::from_str_radix(digits, 16).ok()
    } else if let Some(digits) = integer.strip_prefix("0b") {
        u64::from_str_radix(digits, 2).ok()
    } else if integer.len() > 1 && integer.starts_with('0') && integer.bytes().all(|digit| digit.is_ascii_digit()) {
        u64::from_str_radix(integer, 8).ok()
    } else {
        integer.parse::<u64>().ok()
    };
    match parsed {
        Some(value) => Some(Token::Integer(i128::from(value))),
        // An integer of more than 64 bits is no number with a point.
        None if lower.contains(['.', 'e']) => lower.parse::<f64>().ok().map(|value| Token::Double(value.to_bits())),
        None => None,
    }
}
