//! The numbers and texts that messages are made of.

/// A payload that is being written, at the end of a stream.
pub(super) struct Payload<'a>(pub(super) &'a mut Vec<u8>);

impl Payload<'_> {
    pub(super) fn u32s(&mut self, values: &[u32]) -> &mut Self {
        values.iter().for_each(|value| self.0.extend_from_slice(&value.to_le_bytes()));
        self
    }

    /// What is not a number has the same bits everywhere, so that equal streams are equal bytes.
    pub(super) fn f32s(&mut self, values: &[f32]) -> &mut Self {
        for value in values {
            let bits = if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() };
            self.0.extend_from_slice(&bits.to_le_bytes());
        }
        self
    }

    pub(super) fn f64(&mut self, value: f64) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Bytes, and zeros up to the next multiple of four: payloads begin at one.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }

    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.u32s(&[text.len() as u32]).bytes(text.as_bytes())
    }

    /// A number that may be missing.
    pub(super) fn maybe(&mut self, number: Option<u32>) -> &mut Self {
        self.u32s(&[number.unwrap_or(NONE)])
    }
}

/// A number that is missing.
pub(super) const NONE: u32 = u32::MAX;
