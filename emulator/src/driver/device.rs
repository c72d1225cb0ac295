//! What the device says of itself.

use super::code::{Answer, Code, answer, put};
use super::state::driver;
use crate::execute::{MAXIMUM_SHARED, MAXIMUM_THREADS};
use std::ffi::{c_char, c_int};

const NAME: &std::ffi::CStr = c"Fracas emulator";
const IDENTITY: [u8; 16] = *b"fracas-emulator\0";
/// The capability whose instructions the emulator takes.
const CAPABILITY: (c_int, c_int) = (9, 0);
/// Shared memory of a block that asks for no more than usual.
pub(crate) const USUAL_SHARED: u32 = 48 << 10;
pub(crate) const MULTIPROCESSORS: c_int = 16;

/// The device is there once the driver is.
pub(crate) fn check_device(device: c_int) -> Answer {
    driver()?;
    if device == 0 { Ok(()) } else { Err(Code::INVALID_DEVICE) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> c_int {
    answer(|| {
        driver()?;
        // SAFETY: the caller's pointer to a result.
        unsafe { put(count, 1) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> c_int {
    answer(|| {
        check_device(ordinal)?;
        // SAFETY: the caller's pointer to a result.
        unsafe { put(device, 0) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int) -> c_int {
    answer(|| {
        check_device(device)?;
        if name.is_null() || length <= 0 {
            return Err(Code::INVALID_VALUE);
        }
        let bytes = NAME.to_bytes();
        let count = bytes.len().min(length as usize - 1);
        // SAFETY: the caller's buffer has `length` bytes, and at most that many are written, the zero included.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), name, count);
            name.add(count).write(0);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetUuid(identity: *mut [u8; 16], device: c_int) -> c_int {
    answer(|| {
        check_device(device)?;
        // SAFETY: the caller's pointer to a result.
        unsafe { put(identity, IDENTITY) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetUuid_v2(identity: *mut [u8; 16], device: c_int) -> c_int {
    // SAFETY: the same promise of the caller.
    unsafe { cuDeviceGetUuid(identity, device) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) -> c_int {
    answer(|| {
        check_device(device)?;
        let capacity = driver()?.device.capacity();
        // SAFETY: the caller's pointer to a result.
        unsafe { put(bytes, capacity as usize) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, device: c_int) -> c_int {
    answer(|| {
        check_device(device)?;
        // SAFETY: the caller's pointers to results.
        unsafe {
            put(major, CAPABILITY.0)?;
            put(minor, CAPABILITY.1)
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) -> c_int {
    answer(|| {
        check_device(device)?;
        // SAFETY: the caller's pointer to a result.
        unsafe { put(value, device_attribute(attribute)) }
    })
}

/// The attributes by number; what has no meaning here is 0, as "not supported" is.
fn device_attribute(attribute: c_int) -> c_int {
    match attribute {
        // Threads of a block, in all and in each direction.
        1 => MAXIMUM_THREADS as c_int,
        2 | 3 => 1024,
        4 => 64,
        // Blocks of a grid.
        5 => c_int::MAX,
        6 | 7 => 65_535,
        // Shared and constant memory of a block, warp size, pitch, registers.
        8 => USUAL_SHARED as c_int,
        9 => 65_536,
        10 => 32,
        11 => c_int::MAX,
        12 | 82 => 65_536,
        // Clock in kHz, texture alignment, overlap of copies.
        13 => 1_000_000,
        14 => 512,
        15 => 1,
        16 => MULTIPROCESSORS,
        // Mapped host memory, concurrent kernels.
        19 | 31 => 1,
        // Memory clock in kHz, bus width, second-level cache.
        36 => 1_000_000,
        37 => 256,
        38 => 4 << 20,
        // Threads of a multiprocessor, copy engines, unified addresses.
        39 => 2048,
        40 => 2,
        41 => 1,
        75 => CAPABILITY.0,
        76 => CAPABILITY.1,
        // Stream priorities, caches for global and local memory, managed memory.
        78..=80 | 83 => 1,
        81 => MAXIMUM_SHARED as c_int + 1024,
        // Blocks may ask for more shared memory than usual; blocks of a multiprocessor; memory pools.
        97 => MAXIMUM_SHARED as c_int,
        106 => 32,
        115 => 1,
        _ => 0,
    }
}
