//! Memory of the host that the device reads and writes itself, so that copies do not wait.

use cust::error::CudaResult;
use cust::memory::{AsyncCopyDestination, DeviceBuffer, LockedBuffer};
use cust::stream::Stream;

/// The most bytes that are copied at a time: enough for full speed, and little enough to be locked.
const MOST: usize = 1 << 24;

/// The least bytes that are locked.
const LEAST: usize = 1 << 16;

/// One piece of such memory.
#[derive(Default)]
pub(super) struct Staging {
    buffer: Option<LockedBuffer<u8>>,
    /// Whether the device may still read from it.
    is_busy: bool,
}

impl Staging {
    /// Some bytes of it, which nothing reads any more.
    fn part(&mut self, stream: &Stream, bytes: usize) -> CudaResult<&mut [u8]> {
        if self.is_busy {
            stream.synchronize()?;
            self.is_busy = false;
        }
        if self.buffer.as_ref().is_none_or(|buffer| buffer.len() < bytes) {
            self.buffer = None;
            self.buffer = Some(LockedBuffer::new(&0, bytes.next_power_of_two().clamp(LEAST, MOST))?);
        }
        Ok(self.buffer.as_mut().map_or(&mut [], |buffer| &mut buffer[..bytes]))
    }

    /// Copies bytes to the start of a block.
    pub(super) fn write(&mut self, stream: &Stream, block: &DeviceBuffer<u8>, bytes: &[u8]) -> CudaResult<()> {
        let mut first = 0;
        for bytes in bytes.chunks(MOST) {
            let part = self.part(stream, bytes.len())?;
            part.copy_from_slice(bytes);
            // SAFETY: the bytes stay as they are until the stream has been waited for, because the staging is busy.
            unsafe { block.index(first..first + bytes.len()).async_copy_from(&*part, stream)? };
            self.is_busy = true;
            first += bytes.len();
        }
        Ok(())
    }

    /// Copies bytes of a block, when all that the stream has to do before is done.
    pub(super) fn read(
        &mut self,
        stream: &Stream,
        block: &DeviceBuffer<u8>,
        mut first: usize,
        bytes: &mut [u8],
    ) -> CudaResult<()> {
        for bytes in bytes.chunks_mut(MOST) {
            let part = self.part(stream, bytes.len())?;
            // SAFETY: the stream is waited for before the bytes are looked at.
            unsafe { block.index(first..first + bytes.len()).async_copy_to(part, stream)? };
            stream.synchronize()?;
            bytes.copy_from_slice(part);
            first += bytes.len();
        }
        Ok(())
    }
}
