//! SHA-1 (RFC 3174), by which a WebSocket's handshake shows that it was understood. It keeps no secret here.

/// The digest of a message.
pub(super) fn sha1(message: &[u8]) -> [u8; 20] {
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend_from_slice(&(8 * message.len() as u64).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut words = [0u32; 80];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        for place in 16..80 {
            let mixed = words[place - 3] ^ words[place - 8] ^ words[place - 14] ^ words[place - 16];
            words[place] = mixed.rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (place, &word) in words.iter().enumerate() {
            let (mix, constant) = match place {
                0..20 => (b & c | !b & d, 0x5a82_7999),
                20..40 => (b ^ c ^ d, 0x6ed9_eba1),
                40..60 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = [mix, e, constant, word].into_iter().fold(a.rotate_left(5), u32::wrapping_add);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        state = std::array::from_fn(|place| state[place].wrapping_add([a, b, c, d, e][place]));
    }
    let mut digest = [0; 20];
    digest.chunks_exact_mut(4).zip(state).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_be_bytes()));
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard() {
        let hexadecimal = |message: &[u8]| sha1(message).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(hexadecimal(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hexadecimal(long), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
        assert_eq!(hexadecimal(&[b'a'; 1_000_000]), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
        assert_eq!(hexadecimal(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    }
}
