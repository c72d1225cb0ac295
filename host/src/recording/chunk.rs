//! Chunks: the tagged, checked, compressed pieces that a recording is made of.

use std::io::{self, Read, Write};

use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// A tag, flags, two lengths and two checksums.
const HEADER_LENGTH: usize = 24;

/// No chunk is larger than this once inflated; a file that claims more is damaged or hostile.
const LARGEST: usize = 1 << 30;

/// Payloads below this are not worth compressing.
const SMALLEST_TO_COMPRESS: usize = 256;

const COMPRESSED: u32 = 1;

/// Writes one chunk.
pub(crate) fn write(output: &mut impl Write, tag: &[u8; 4], payload: &[u8]) -> io::Result<()> {
    if payload.len() > LARGEST {
        return Err(io::Error::other("a mesh of more than a gibibyte does not fit into a recording"));
    }
    let compressed = if payload.len() >= SMALLEST_TO_COMPRESS { Some(deflate(payload)?) } else { None };
    let stored = compressed.as_deref().filter(|compressed| compressed.len() < payload.len());
    let (flags, bytes) = stored.map_or((0, payload), |compressed| (COMPRESSED, compressed));
    let fields = [u32::from_le_bytes(*tag), flags, bytes.len() as u32, payload.len() as u32, checksum(bytes)];
    let fields = fields.map(u32::to_le);
    let header: &[u8] = bytemuck::cast_slice(&fields);
    output.write_all(header)?;
    output.write_all(&checksum(header).to_le_bytes())?;
    output.write_all(bytes)
}

fn deflate(payload: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(payload)?;
    encoder.finish()
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// What stands at a place in a file.
pub(crate) enum Found {
    /// A whole chunk, inflated, and where the next begins.
    Chunk { tag: [u8; 4], payload: Vec<u8>, next: usize },
    /// The file ends here, or in the middle of a chunk.
    End,
    /// Bytes that are not a chunk, with more behind them.
    Damaged(String),
}

/// Reads the chunk that begins at `start`.
pub(crate) fn read(file: &[u8], start: usize) -> Found {
    let rest = &file[start.min(file.len())..];
    let Some((header, rest)) = rest.split_at_checked(HEADER_LENGTH) else { return Found::End };
    let word = |index: usize| {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&header[4 * index..4 * index + 4]);
        u32::from_le_bytes(bytes)
    };
    let [tag, flags, stored, inflated, expected, header_expected] = std::array::from_fn(word);
    if checksum(&header[..HEADER_LENGTH - 4]) != header_expected {
        return Found::Damaged("what stands here is not the head of a chunk".into());
    }
    let (stored, inflated) = (stored as usize, inflated as usize);
    if rest.len() < stored {
        return Found::End;
    }
    let (bytes, rest) = rest.split_at(stored);
    let last = rest.is_empty();
    if checksum(bytes) != expected {
        // The last chunk may have been cut short by a crash after the file had grown; anything else is damage.
        return if last { Found::End } else { Found::Damaged("the checksum does not match".into()) };
    }
    if inflated > LARGEST || flags & !COMPRESSED != 0 || flags & COMPRESSED == 0 && inflated != stored {
        return Found::Damaged("the chunk's lengths or flags make no sense".into());
    }
    let next = start + HEADER_LENGTH + stored;
    if flags & COMPRESSED == 0 {
        return Found::Chunk { tag: tag.to_le_bytes(), payload: bytes.to_vec(), next };
    }
    let mut payload = Vec::new();
    // One byte more than promised is enough to see that there is too much.
    match DeflateDecoder::new(bytes).take(inflated as u64 + 1).read_to_end(&mut payload) {
        Ok(length) if length == inflated => Found::Chunk { tag: tag.to_le_bytes(), payload, next },
        _ => Found::Damaged("the chunk does not inflate to the length that it states".into()),
    }
}
