//! Streams. Work on them is done when it is given, so that they are always empty.

use super::code::{Answer, Code, answer, put};
use super::state::{Handle, Stream, working};
use std::ffi::{c_int, c_uint, c_void};

/// The handles of the default streams are null, 1 and 2.
pub(crate) fn find(stream: Handle) -> Answer<Stream> {
    let driver = working()?;
    match stream as usize {
        0..=2 => Ok(Stream { flags: 0, priority: 0 }),
        handle => driver.tables().streams.get(&handle).copied().ok_or(Code::INVALID_HANDLE),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamCreateWithPriority(stream: *mut Handle, flags: c_uint, priority: c_int) -> c_int {
    answer(|| {
        let mut tables = working()?.tables();
        let handle = tables.handle();
        tables.streams.insert(handle, Stream { flags, priority: priority.clamp(-5, 0) });
        // SAFETY: the caller's pointer to a result.
        unsafe { put(stream, handle as Handle) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamCreate(stream: *mut Handle, flags: c_uint) -> c_int {
    // SAFETY: the same promise of the caller.
    unsafe { cuStreamCreateWithPriority(stream, flags, 0) }
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamDestroy_v2(stream: Handle) -> c_int {
    answer(|| {
        let driver = super::state::driver()?;
        driver.tables().streams.remove(&(stream as usize)).map(|_| ()).ok_or(Code::INVALID_HANDLE)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamSynchronize(stream: Handle) -> c_int {
    answer(|| find(stream).map(|_| ()))
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamQuery(stream: Handle) -> c_int {
    answer(|| find(stream).map(|_| ()))
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) -> c_int {
    answer(|| {
        find(stream)?;
        let known = working()?.tables().events.contains_key(&(event as usize));
        if known { Ok(()) } else { Err(Code::INVALID_HANDLE) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamGetFlags(stream: Handle, flags: *mut c_uint) -> c_int {
    // SAFETY: the caller's pointer to a result.
    answer(|| unsafe { put(flags, find(stream)?.flags) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamGetPriority(stream: Handle, priority: *mut c_int) -> c_int {
    // SAFETY: the caller's pointer to a result.
    answer(|| unsafe { put(priority, find(stream)?.priority) })
}

/// A callback with the stream and its state.
type StreamCallback = unsafe extern "C" fn(Handle, c_int, *mut c_void);

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamAddCallback(
    stream: Handle,
    callback: Option<StreamCallback>,
    data: *mut c_void,
    _flags: c_uint,
) -> c_int {
    answer(|| {
        find(stream)?;
        let callback = callback.ok_or(Code::INVALID_VALUE)?;
        // SAFETY: the caller's function, to be called once with the caller's data.
        unsafe { callback(stream, Code::SUCCESS.0, data) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchHostFunc(
    stream: Handle,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    data: *mut c_void,
) -> c_int {
    answer(|| {
        find(stream)?;
        let function = function.ok_or(Code::INVALID_VALUE)?;
        // SAFETY: the caller's function, to be called once with the caller's data.
        unsafe { function(data) };
        Ok(())
    })
}
