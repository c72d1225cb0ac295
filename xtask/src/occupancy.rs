//! Theoretical occupancy: how many of the warps that a multiprocessor can hold a kernel lets it hold.
//!
//! A multiprocessor takes whole blocks as long as none of four things runs out:
//!
//! - blocks, and warps, of which it has slots;
//! - registers: a warp gets 32 times what a thread needs, rounded up to 256, and the four schedulers have a quarter of the
//!   65,536 each, so that the number of warps is rounded down to a multiple of four;
//! - shared memory: what a block declares and, from sm_80 on, 1 KiB of the system's, rounded up to 128 bytes.
//!
//! The occupancy is the warps of these blocks over the slots for warps. The limits are those of the table of compute
//! capabilities in NVIDIA's programming guide.

/// What a multiprocessor has.
struct Limits {
    warps: u32,
    blocks: u32,
    shared: u32,
    /// Shared memory of each block that the system takes.
    reserved: u32,
}

fn limits(architecture: u32) -> Limits {
    let (warps, blocks, kibibytes) = match architecture {
        ..80 => (32, 16, 64),
        80 => (64, 32, 164),
        81..=86 => (48, 16, 100),
        87 => (48, 16, 164),
        88..=89 => (48, 24, 100),
        90..=109 => (64, 32, 228),
        110..=119 => (48, 24, 228),
        _ => (48, 24, 100),
    };
    Limits { warps, blocks, shared: 1024 * kibibytes, reserved: if architecture < 80 { 0 } else { 1024 } }
}

const REGISTERS: u32 = 65_536;

/// The occupancy of a kernel on an architecture, in percent.
pub(crate) fn percent(architecture: u32, block: u32, registers: u32, shared: u32) -> u32 {
    let limits = limits(architecture);
    let warps_of_block = block.div_ceil(32);
    let of_warp = (32 * registers.max(1)).next_multiple_of(256);
    let by_registers = REGISTERS / of_warp / 4 * 4 / warps_of_block;
    let by_shared = limits.shared.checked_div((shared + limits.reserved).next_multiple_of(128)).unwrap_or(u32::MAX);
    let blocks = limits.blocks.min(limits.warps / warps_of_block).min(by_registers).min(by_shared);
    100 * blocks * warps_of_block / limits.warps
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn each_limit_binds() {
        // Few registers: the warps.
        assert_eq!(percent(75, 256, 32, 0), 100);
        // 72 registers are 2,304 for a warp, so 28 warps, so three blocks of eight.
        assert_eq!(percent(75, 256, 72, 0), 75);
        // The slots for blocks.
        assert_eq!(percent(86, 32, 16, 0), 33);
        // Shared memory: two blocks of 32 KiB; and with the system's share, three instead of four of 40 KiB.
        assert_eq!(percent(75, 256, 32, 32 * 1024), 50);
        assert_eq!(percent(80, 256, 32, 41 * 1024), 37);
    }
}
