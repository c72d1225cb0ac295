//! Allocation, copies, fills.

use super::code::{Answer, Code, answer, put, put_new};
use super::state::{Handle, HostMemory, driver, working};
use super::stream;
use crate::memory::MemoryError;
use std::ffi::{c_int, c_uchar, c_uint, c_ushort, c_void};
use std::ptr::NonNull;

/// Tells what went wrong and answers with its code.
fn refuse(error: &MemoryError) -> Code {
    eprintln!("fracas-emulator: {error}");
    match error {
        MemoryError::OutOfMemory { .. } => Code::OUT_OF_MEMORY,
        _ => Code::INVALID_VALUE,
    }
}

/// The asynchronous form of a function: the same at once, if the stream is one.
fn on(stream: Handle, work: impl FnOnce() -> c_int) -> c_int {
    match answer(|| stream::find(stream).map(|_| ())) {
        0 => work(),
        code => code,
    }
}

fn allocate(size: usize) -> Answer<u64> {
    let driver = working()?;
    if size == 0 {
        return Err(Code::INVALID_VALUE);
    }
    driver.device.allocate(size as u64).map_err(|error| refuse(&error))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAlloc_v2(pointer: *mut u64, size: usize) -> c_int {
    // SAFETY: the caller's pointer to a result.
    answer(|| unsafe { put_new(pointer, || allocate(size)) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAllocAsync(pointer: *mut u64, size: usize, stream: Handle) -> c_int {
    // SAFETY: the same promise of the caller.
    on(stream, || unsafe { cuMemAlloc_v2(pointer, size) })
}

/// Memory of the host that kernels see under its own address.
fn allocate_host(size: usize, kind: HostMemory) -> Answer<NonNull<u8>> {
    let driver = working()?;
    if size == 0 {
        return Err(Code::INVALID_VALUE);
    }
    let pointer = driver.device.allocate_host(size as u64).map_err(|error| refuse(&error))?;
    driver.tables().host_memory.insert(pointer.as_ptr() as usize, kind);
    Ok(pointer)
}

/// A launch that still uses the memory holds on to it until it ends.
fn free_host(address: usize, kind: HostMemory) -> Answer {
    let driver = driver()?;
    let mut tables = driver.tables();
    if tables.host_memory.get(&address) != Some(&kind) {
        return Err(Code::INVALID_VALUE);
    }
    tables.host_memory.remove(&address);
    driver.device.free(address as u64).map_err(|error| refuse(&error))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAllocManaged(pointer: *mut u64, size: usize, _flags: c_uint) -> c_int {
    // SAFETY: the caller's pointer to a result.
    answer(|| unsafe { put_new(pointer, || Ok(allocate_host(size, HostMemory::Managed)?.as_ptr() as u64)) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAllocHost_v2(pointer: *mut *mut c_void, size: usize) -> c_int {
    // SAFETY: the caller's pointer to a result.
    answer(|| unsafe { put_new(pointer, || Ok(allocate_host(size, HostMemory::Pinned)?.as_ptr().cast())) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostAlloc(pointer: *mut *mut c_void, size: usize, _flags: c_uint) -> c_int {
    // SAFETY: the same promise of the caller.
    unsafe { cuMemAllocHost_v2(pointer, size) }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeHost(pointer: *mut c_void) -> c_int {
    answer(|| free_host(pointer as usize, HostMemory::Pinned))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostGetDevicePointer_v2(device: *mut u64, host: *mut c_void, _flags: c_uint) -> c_int {
    answer(|| {
        working()?.device.check(host as u64, 1).map_err(|error| refuse(&error))?;
        // SAFETY: the caller's pointer to a result.
        unsafe { put(device, host as u64) }
    })
}

/// Freeing works after a fault too: a program that gives up must be able to clean up.
#[unsafe(no_mangle)]
extern "C" fn cuMemFree_v2(pointer: u64) -> c_int {
    answer(|| {
        let driver = driver()?;
        if pointer == 0 {
            return Ok(());
        }
        if driver.tables().host_memory.contains_key(&(pointer as usize)) {
            return free_host(pointer as usize, HostMemory::Managed);
        }
        driver.device.free(pointer).map_err(|error| refuse(&error))
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeAsync(pointer: u64, stream: Handle) -> c_int {
    on(stream, || cuMemFree_v2(pointer))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> c_int {
    answer(|| {
        let device = &driver()?.device;
        // SAFETY: the caller's pointers to results.
        unsafe {
            put(free, (device.capacity() - device.used()) as usize)?;
            put(total, device.capacity() as usize)
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemGetAddressRange_v2(base: *mut u64, size: *mut usize, pointer: u64) -> c_int {
    answer(|| {
        let (start, length) = driver()?.device.range(pointer).map_err(|error| refuse(&error))?;
        if !base.is_null() {
            // SAFETY: the caller's pointer to a result.
            unsafe { put(base, start)? };
        }
        if !size.is_null() {
            // SAFETY: the caller's pointer to a result.
            unsafe { put(size, length as usize)? };
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyHtoD_v2(target: u64, source: *const c_void, size: usize) -> c_int {
    answer(|| {
        let driver = working()?;
        if size == 0 {
            return Ok(());
        }
        if source.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // A size that no allocation has is not read either.
        driver.device.check(target, size as u64).map_err(|error| refuse(&error))?;
        // SAFETY: the caller promises that so many bytes can be read there.
        let bytes = unsafe { std::slice::from_raw_parts(source.cast::<u8>(), size) };
        driver.device.write(target, bytes).map_err(|error| refuse(&error))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoH_v2(target: *mut c_void, source: u64, size: usize) -> c_int {
    answer(|| {
        let driver = working()?;
        if size == 0 {
            return Ok(());
        }
        if target.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        driver.device.check(source, size as u64).map_err(|error| refuse(&error))?;
        let mut bytes = vec![0; size];
        driver.device.read(source, &mut bytes).map_err(|error| refuse(&error))?;
        // SAFETY: the caller promises that so many bytes can be written there.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target.cast(), size) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoD_v2(target: u64, source: u64, size: usize) -> c_int {
    answer(|| working()?.device.copy(target, source, size as u64).map_err(|error| refuse(&error)))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpy(target: u64, source: u64, size: usize) -> c_int {
    cuMemcpyDtoD_v2(target, source, size)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyHtoDAsync_v2(target: u64, source: *const c_void, size: usize, stream: Handle) -> c_int {
    // SAFETY: the same promise of the caller.
    on(stream, || unsafe { cuMemcpyHtoD_v2(target, source, size) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoHAsync_v2(target: *mut c_void, source: u64, size: usize, stream: Handle) -> c_int {
    // SAFETY: the same promise of the caller.
    on(stream, || unsafe { cuMemcpyDtoH_v2(target, source, size) })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoDAsync_v2(target: u64, source: u64, size: usize, stream: Handle) -> c_int {
    on(stream, || cuMemcpyDtoD_v2(target, source, size))
}

fn fill(target: u64, element: &[u8], count: usize) -> Answer {
    let driver = working()?;
    if !target.is_multiple_of(element.len() as u64) {
        return Err(Code::INVALID_VALUE);
    }
    let size = element.len().checked_mul(count).ok_or(Code::INVALID_VALUE)?;
    driver.device.check(target, size as u64).map_err(|error| refuse(&error))?;
    driver.device.write(target, &element.repeat(count)).map_err(|error| refuse(&error))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD8_v2(target: u64, value: c_uchar, count: usize) -> c_int {
    answer(|| fill(target, &[value], count))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD16_v2(target: u64, value: c_ushort, count: usize) -> c_int {
    answer(|| fill(target, &value.to_le_bytes(), count))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD32_v2(target: u64, value: c_uint, count: usize) -> c_int {
    answer(|| fill(target, &value.to_le_bytes(), count))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD8Async(target: u64, value: c_uchar, count: usize, stream: Handle) -> c_int {
    on(stream, || cuMemsetD8_v2(target, value, count))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD16Async(target: u64, value: c_ushort, count: usize, stream: Handle) -> c_int {
    on(stream, || cuMemsetD16_v2(target, value, count))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD32Async(target: u64, value: c_uint, count: usize, stream: Handle) -> c_int {
    on(stream, || cuMemsetD32_v2(target, value, count))
}

/// Hints on managed memory, which is always where it is needed.
#[unsafe(no_mangle)]
extern "C" fn cuMemAdvise(_pointer: u64, _count: usize, _advice: c_int, _device: c_int) -> c_int {
    answer(|| working().map(|_| ()))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPrefetchAsync(_pointer: u64, _count: usize, _device: c_int, _stream: Handle) -> c_int {
    answer(|| working().map(|_| ()))
}
