//! Walking through the lines and words of a text file.

use std::borrow::Cow;

use super::error::{Fault, Place, quoted};
use super::number::{float_prefix, integer, is_blank};

/// A place in a text. Words end at blanks; a line ends at a line feed, at the end or, where the format has them, at a
/// comment sign.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
    comments: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a [u8]) -> Cursor<'a> {
        Cursor { text, at: 0, end: text.len(), comments: true }
    }

    /// A cursor that stays within a part of the text, but still counts lines from the beginning.
    pub(super) fn part(text: &'a [u8], start: usize, end: usize) -> Cursor<'a> {
        Cursor { text, at: start, end, comments: true }
    }

    /// The same, for a format in which `#` begins no comment.
    pub(super) fn without_comments(self) -> Cursor<'a> {
        Cursor { comments: false, ..self }
    }

    pub(super) fn offset(&self) -> usize {
        self.at
    }

    pub(super) fn set_offset(&mut self, at: usize) {
        self.at = at.min(self.end);
    }

    /// How many bytes are left: an upper bound for how many things of any kind can follow.
    pub(super) fn remaining(&self) -> usize {
        self.end - self.at
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        if self.at < self.end { Some(self.text[self.at]) } else { None }
    }

    #[inline]
    pub(super) fn advance(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.end);
    }

    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text[self.at..self.end]
    }

    /// Moves over blanks, and over line ends that a backslash takes back.
    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'\n' || (byte == b'\\' && !self.skip_continuation()) {
                return;
            }
            if byte != b'\\' {
                if !is_blank(byte) {
                    return;
                }
                self.at += 1;
            }
        }
    }

    #[cold]
    fn skip_continuation(&mut self) -> bool {
        let rest = self.rest();
        let length = if rest.starts_with(b"\\\n") {
            2
        } else if rest.starts_with(b"\\\r\n") {
            3
        } else {
            0
        };
        self.at += length;
        length > 0
    }

    /// Whether nothing more stands on this line; moves over blanks.
    #[inline]
    pub(super) fn line_is_over(&mut self) -> bool {
        self.skip_blanks();
        match self.peek() {
            None | Some(b'\n') => true,
            Some(b'#') => self.comments,
            Some(_) => false,
        }
    }

    /// Moves to the beginning of the next line; false at the end of the text.
    #[inline]
    pub(super) fn next_line(&mut self) -> bool {
        match self.rest().iter().position(|&byte| byte == b'\n') {
            Some(length) => self.at += length + 1,
            None => self.at = self.end,
        }
        self.at < self.end
    }

    /// Moves to the next line that has a word on it, this one included; false at the end of the text.
    pub(super) fn skip_empty_lines(&mut self) -> bool {
        while self.line_is_over() {
            if !self.next_line() {
                return false;
            }
        }
        true
    }

    /// The next word of this line.
    pub(super) fn word(&mut self) -> Option<&'a [u8]> {
        if self.line_is_over() {
            return None;
        }
        let rest = self.rest();
        let length = rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len());
        self.at += length;
        Some(&rest[..length])
    }

    /// The next word of the text, on whichever line.
    pub(super) fn word_anywhere(&mut self) -> Option<&'a [u8]> {
        if self.skip_empty_lines() { self.word() } else { None }
    }

    /// What is left of this line, without blanks at its ends.
    pub(super) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        self.at += length;
        rest[..length].trim_ascii()
    }

    /// The next number of this line, finite or not.
    #[inline]
    pub(super) fn number(&mut self, what: &str) -> Result<f64, Fault> {
        if self.line_is_over() {
            return Err(self.fault(format!("{what} is missing at the end of the line")));
        }
        match float_prefix(self.rest()) {
            Some((value, length)) => {
                self.at += length;
                Ok(value)
            }
            None => Err(self.bad_number(what)),
        }
    }

    /// The next coordinate of this line, which must be finite.
    #[inline]
    pub(super) fn coordinate(&mut self, what: &str) -> Result<f64, Fault> {
        let value = self.number(what)?;
        if value.is_finite() { Ok(value) } else { Err(self.fault(format!("{what} is {value}, which is not finite"))) }
    }

    /// Three coordinates.
    #[inline]
    pub(super) fn point(&mut self) -> Result<glam::DVec3, Fault> {
        Ok(glam::DVec3::new(self.coordinate("the x coordinate")?, self.coordinate("y")?, self.coordinate("z")?))
    }

    #[cold]
    fn bad_number(&mut self, what: &str) -> Fault {
        let place = self.clone();
        let word = self.word().unwrap_or_default();
        let hint =
            if word.contains(&b',') { "; decimals need a point, and no comma stands between numbers" } else { "" };
        place.fault(format!("found {} where a number ({what}) is expected{hint}", quoted(word)))
    }

    /// The next integer of this line.
    pub(super) fn integer(&mut self, what: &str) -> Result<i64, Fault> {
        let place = self.clone();
        match self.word() {
            None => Err(place.fault(format!("{what} is missing at the end of the line"))),
            Some(word) => integer(word).ok_or_else(|| {
                place.fault(format!("found {} where a whole number ({what}) is expected", quoted(word)))
            }),
        }
    }

    /// The next integer of this line, which counts something and so is not negative.
    pub(super) fn count(&mut self, what: &str) -> Result<usize, Fault> {
        let value = self.integer(what)?;
        usize::try_from(value).map_err(|_| self.fault(format!("{what} is {value}, but must not be negative")))
    }

    /// A count of things that each take at least so many bytes of what is left of the file.
    pub(super) fn bounded_count(&mut self, what: &str, bytes_each: usize) -> Result<usize, Fault> {
        let place = self.clone();
        let count = self.count(what)?;
        if count > u32::MAX as usize || count.saturating_mul(bytes_each) > self.remaining() + bytes_each {
            let left = self.remaining();
            return Err(place.fault(format!("{what} is {count}, but only {left} bytes follow; the file is cut short")));
        }
        Ok(count)
    }

    /// The line that the cursor is on, counted from one.
    pub(super) fn line(&self) -> usize {
        1 + self.text[..self.at].iter().filter(|&&byte| byte == b'\n').count()
    }

    /// A fault on this line.
    #[cold]
    pub(super) fn fault(&self, problem: impl Into<String>) -> Fault {
        Fault { place: Place::Line(self.line()), problem: problem.into() }
    }
}

/// The text as bytes whose words are ASCII: UTF-16 with a byte-order mark is decoded, the mark of UTF-8 is dropped, and
/// the carriage returns of old Macintosh files become line feeds.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, [u8]> {
    let wide = |to_unit: fn([u8; 2]) -> u16| {
        let (pairs, _) = bytes[2..].as_chunks::<2>();
        let text: String = char::decode_utf16(pairs.iter().map(|&pair| to_unit(pair)))
            .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        Cow::Owned(text.into_bytes())
    };
    let text = match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, text @ ..] => Cow::Borrowed(text),
        _ => Cow::Borrowed(bytes),
    };
    let start = &text[..text.len().min(1 << 16)];
    if start.contains(&b'\r') && !start.contains(&b'\n') && !text.contains(&b'\n') {
        return Cow::Owned(text.iter().map(|&byte| if byte == b'\r' { b'\n' } else { byte }).collect());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_and_old_line_ends_read_as_plain_text() {
        let little: Vec<u8> = [0xfeff].into_iter().chain("v 1\n".encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = [0xfeff].into_iter().chain("v 1\n".encode_utf16()).flat_map(u16::to_be_bytes).collect();
        for bytes in [little.as_slice(), big.as_slice(), b"\xef\xbb\xbfv 1\n", b"v 1\r", b"v 1\n"] {
            assert_eq!(decode(bytes).as_ref(), b"v 1\n");
        }
        assert_eq!(decode(b"\xff\xfe\x00").as_ref(), b"");
    }

    #[test]
    fn words_lines_and_continuations() {
        let mut cursor = Cursor::new(b"one \\\n two # three\n\n#x\r\n -3 4.5\\ 6");
        assert_eq!(cursor.word(), Some(&b"one"[..]));
        assert_eq!(cursor.word(), Some(&b"two"[..]));
        assert_eq!(cursor.word(), None);
        assert!(cursor.next_line() && cursor.skip_empty_lines());
        assert_eq!(cursor.line(), 5);
        assert_eq!(cursor.integer("it").unwrap(), -3);
        assert!(cursor.number("it").unwrap_err().problem.contains("`4.5\\\\`"));
        assert_eq!(cursor.word_anywhere(), Some(&b"6"[..]));
        assert_eq!(cursor.word_anywhere(), None);
        assert!(!cursor.next_line());
    }
}
