//! Numbers as people read them.

/// A count with commas between thousands.
pub(super) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and what is counted; the plural adds an s, except that of vertex.
pub(super) fn counted(count: usize, thing: &str) -> String {
    if count == 1 {
        return format!("1 {thing}");
    }
    let plural = match thing.strip_suffix("ex") {
        Some(stem) => format!("{stem}ices"),
        None => format!("{thing}s"),
    };
    format!("{} {plural}", grouped(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1234567), "1,234,567");
        assert_eq!(counted(1, "vertex"), "1 vertex");
        assert_eq!(counted(5808, "vertex"), "5,808 vertices");
        assert_eq!(counted(2, "border edge"), "2 border edges");
    }
}
