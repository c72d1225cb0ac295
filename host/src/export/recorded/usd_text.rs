//! The text of USD: blocks, lists and samples.

use std::fmt::Write;

use glam::Vec3;

/// A text with blocks in each other.
#[derive(Default)]
pub(super) struct Text {
    text: String,
    depth: usize,
}

impl Text {
    pub(super) fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn line(&mut self, line: &str) {
        (0..self.depth).for_each(|_| self.text.push_str("    "));
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Begins a block, with what is said about the whole of it.
    pub(super) fn open(&mut self, head: &str, meta: &[&str]) {
        if meta.is_empty() {
            self.line(head);
        } else {
            self.line(&format!("{head} ("));
            self.depth += 1;
            meta.iter().for_each(|line| self.line(line));
            self.depth -= 1;
            self.line(")");
        }
        self.line("{");
        self.depth += 1;
    }

    pub(super) fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// Three numbers, each in the fewest digits that give back the same float.
pub(super) fn triple(vector: Vec3, text: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(text, "({}, {}, {})", vector.x, vector.y, vector.z);
}

pub(super) fn array<T>(values: &[T], put: impl Fn(&T, &mut String)) -> String {
    let mut text = String::from("[");
    for (place, value) in values.iter().enumerate() {
        if place > 0 {
            text.push_str(", ");
        }
        put(value, &mut text);
    }
    text.push(']');
    text
}

/// How many corners each of so many triangles has.
pub(super) fn face_counts(count: usize) -> String {
    array(&vec![3; count], |_, text| text.push('3'))
}

/// An attribute with a value at each key, or with one value if there are no more.
pub(super) fn sampled<T>(attribute: &str, keys: &[(u32, T)], value: impl Fn(&T) -> String) -> String {
    if let [(_, only)] = keys {
        return format!("{attribute} = {}", value(only));
    }
    let mut text = format!("{attribute}.timeSamples = {{ ");
    for (frame, key) in keys {
        let _ = write!(text, "{frame}: {}, ", value(key));
    }
    text.push('}');
    text
}

/// A name as USD allows them: letters, digits and underscores, and no digit first.
pub(super) fn identifier(name: &str) -> String {
    let allowed = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let name: String = name.chars().map(allowed).collect();
    match name.chars().next() {
        Some(first) if !first.is_ascii_digit() => name,
        Some(_) => format!("_{name}"),
        None => "body".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers() {
        assert_eq!(identifier("piggy bank"), "piggy_bank");
        assert_eq!(identifier("20,000 m/s"), "_20_000_m_s");
        assert_eq!(identifier(""), "body");
        assert_eq!(identifier("Würfel"), "W_rfel");
    }

    #[test]
    fn one_value_needs_no_samples() {
        let text = |value: &u8| value.to_string();
        assert_eq!(sampled("int a", &[(3, 7)], text), "int a = 7");
        assert_eq!(sampled("int a", &[(3, 7), (5, 8)], text), "int a.timeSamples = { 3: 7, 5: 8, }");
    }
}
