//! Initialisation and contexts.

use super::code::{Answer, Code, answer, put};
use super::device::check_device;
use super::state::{Handle, Tables, current, driver, initialise, with_stack, working};
use std::ffi::{c_int, c_uint};

/// The version of the driver interface that cust_raw was made for.
const VERSION: c_int = 11_040;

#[unsafe(no_mangle)]
extern "C" fn cuInit(flags: c_uint) -> c_int {
    answer(|| if flags == 0 { initialise() } else { Err(Code::INVALID_VALUE) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> c_int {
    // SAFETY: the caller's pointer to a result.
    answer(|| unsafe { put(version, VERSION) })
}

fn check_context(tables: &Tables, context: Handle) -> Answer<usize> {
    let handle = context as usize;
    if tables.contexts.contains_key(&handle) { Ok(handle) } else { Err(Code::INVALID_CONTEXT) }
}

/// A context that is gone takes the errors with it.
fn destroy(tables: &mut Tables, context: usize) {
    tables.contexts.remove(&context);
    tables.broken = None;
    with_stack(|stack| stack.retain(|held| *held != context));
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxCreate_v2(context: *mut Handle, flags: c_uint, device: c_int) -> c_int {
    answer(|| {
        check_device(device)?;
        let mut tables = driver()?.tables();
        let handle = tables.handle();
        // SAFETY: the caller's pointer to a result. Without one there is no context either.
        unsafe { put(context, handle as Handle)? };
        tables.contexts.insert(handle, flags);
        with_stack(|stack| stack.push(handle));
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxDestroy_v2(context: Handle) -> c_int {
    answer(|| {
        let mut tables = driver()?.tables();
        let handle = check_context(&tables, context)?;
        destroy(&mut tables, handle);
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) -> c_int {
    answer(|| {
        let driver = driver()?;
        check_device(device)?;
        let mut tables = driver.tables();
        let handle = match tables.primary {
            Some(handle) => handle,
            None => {
                let handle = tables.handle();
                let flags = tables.primary_flags;
                tables.contexts.insert(handle, flags);
                tables.primary = Some(handle);
                handle
            }
        };
        tables.primary_users += 1;
        // SAFETY: the caller's pointer to a result.
        unsafe { put(context, handle as Handle) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> c_int {
    answer(|| {
        check_device(device)?;
        let mut tables = driver()?.tables();
        tables.primary_users = tables.primary_users.checked_sub(1).ok_or(Code::INVALID_CONTEXT)?;
        if tables.primary_users == 0
            && let Some(handle) = tables.primary.take()
        {
            destroy(&mut tables, handle);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxReset_v2(device: c_int) -> c_int {
    answer(|| {
        check_device(device)?;
        driver()?.tables().broken = None;
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint) -> c_int {
    answer(|| {
        check_device(device)?;
        let mut tables = driver()?.tables();
        tables.primary_flags = flags;
        if let Some(handle) = tables.primary {
            tables.contexts.insert(handle, flags);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int) -> c_int {
    answer(|| {
        check_device(device)?;
        let tables = driver()?.tables();
        // SAFETY: the caller's pointers to results.
        unsafe {
            put(flags, tables.primary_flags)?;
            put(active, c_int::from(tables.primary.is_some()))
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxPushCurrent_v2(context: Handle) -> c_int {
    answer(|| {
        let handle = check_context(&driver()?.tables(), context)?;
        with_stack(|stack| stack.push(handle));
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxPopCurrent_v2(context: *mut Handle) -> c_int {
    answer(|| {
        driver()?;
        let handle = with_stack(Vec::pop).ok_or(Code::INVALID_CONTEXT)?;
        if context.is_null() {
            return Ok(());
        }
        // SAFETY: the caller's pointer to a result.
        unsafe { put(context, handle as Handle) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCurrent(context: Handle) -> c_int {
    answer(|| {
        let driver = driver()?;
        if context.is_null() {
            with_stack(Vec::pop);
            return Ok(());
        }
        let handle = check_context(&driver.tables(), context)?;
        with_stack(|stack| match stack.last_mut() {
            Some(top) => *top = handle,
            None => stack.push(handle),
        });
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetCurrent(context: *mut Handle) -> c_int {
    answer(|| {
        driver()?;
        // SAFETY: the caller's pointer to a result; none current is no error here.
        unsafe { put(context, current().unwrap_or(0) as Handle) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetDevice(device: *mut c_int) -> c_int {
    answer(|| {
        current()?;
        // SAFETY: the caller's pointer to a result.
        unsafe { put(device, 0) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetFlags(flags: *mut c_uint) -> c_int {
    answer(|| {
        let context = current()?;
        let found = driver()?.tables().contexts.get(&context).copied().ok_or(Code::INVALID_CONTEXT)?;
        // SAFETY: the caller's pointer to a result.
        unsafe { put(flags, found) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetApiVersion(_context: Handle, version: *mut c_uint) -> c_int {
    // SAFETY: the caller's pointer to a result.
    answer(|| unsafe { put(version, 3020) })
}

/// The work is done when it is asked for, so that only its errors are left to tell.
#[unsafe(no_mangle)]
extern "C" fn cuCtxSynchronize() -> c_int {
    answer(|| working().map(|_| ()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetCacheConfig(config: *mut c_int) -> c_int {
    answer(|| {
        current()?;
        // SAFETY: the caller's pointer to a result.
        unsafe { put(config, 0) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCacheConfig(_config: c_int) -> c_int {
    answer(|| current().map(|_| ()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetSharedMemConfig(config: *mut c_int) -> c_int {
    answer(|| {
        current()?;
        // SAFETY: the caller's pointer to a result.
        unsafe { put(config, 1) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetSharedMemConfig(_config: c_int) -> c_int {
    answer(|| current().map(|_| ()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetLimit(value: *mut usize, limit: c_int) -> c_int {
    answer(|| {
        current()?;
        let found = driver()?.tables().limits.get(&limit).copied().unwrap_or(1024);
        // SAFETY: the caller's pointer to a result.
        unsafe { put(value, found) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetLimit(limit: c_int, value: usize) -> c_int {
    answer(|| {
        current()?;
        driver()?.tables().limits.insert(limit, value);
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) -> c_int {
    answer(|| {
        current()?;
        // SAFETY: the caller's pointers to results.
        unsafe {
            put(least, 0)?;
            put(greatest, -5)
        }
    })
}
