//! The numbers that payloads are made of.

pub(crate) fn put_u32s(payload: &mut Vec<u8>, values: &[u32]) {
    values.iter().for_each(|value| payload.extend_from_slice(&value.to_le_bytes()));
}

pub(crate) fn put_f32s(payload: &mut Vec<u8>, values: &[f32]) {
    values.iter().for_each(|value| payload.extend_from_slice(&value.to_le_bytes()));
}

/// What is left of a payload.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], &'static str> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or("the chunk is too short")?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn words<const N: usize>(&mut self) -> Result<[u32; N], &'static str> {
        let bytes = self.bytes(4 * N)?;
        Ok(std::array::from_fn(|index| {
            let mut word = [0; 4];
            word.copy_from_slice(&bytes[4 * index..4 * index + 4]);
            u32::from_le_bytes(word)
        }))
    }

    /// `count` rows of N words; nothing is allocated before the bytes are known to be there.
    pub(crate) fn list<const N: usize, T>(
        &mut self,
        count: usize,
        make: impl Fn([u32; N]) -> T,
    ) -> Result<Vec<T>, &'static str> {
        let length = count.checked_mul(4 * N).ok_or("the chunk is too short")?;
        let mut rows = Fields(self.bytes(length)?);
        (0..count).map(|_| Ok(make(rows.words()?))).collect()
    }
}
