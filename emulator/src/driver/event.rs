//! Events: moments of the host's clock.

use super::code::{Answer, Code, answer, put};
use super::state::{Handle, driver, working};
use super::stream;
use std::ffi::{c_int, c_uint};
use std::time::Instant;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventCreate(event: *mut Handle, _flags: c_uint) -> c_int {
    answer(|| {
        let mut tables = working()?.tables();
        let handle = tables.handle();
        tables.events.insert(handle, None);
        // SAFETY: the caller's pointer to a result.
        unsafe { put(event, handle as Handle) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventDestroy_v2(event: Handle) -> c_int {
    answer(|| driver()?.tables().events.remove(&(event as usize)).map(|_| ()).ok_or(Code::INVALID_HANDLE))
}

#[unsafe(no_mangle)]
extern "C" fn cuEventRecord(event: Handle, stream: Handle) -> c_int {
    answer(|| {
        stream::find(stream)?;
        let mut tables = working()?.tables();
        let moment = tables.events.get_mut(&(event as usize)).ok_or(Code::INVALID_HANDLE)?;
        *moment = Some(Instant::now());
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventRecordWithFlags(event: Handle, stream: Handle, _flags: c_uint) -> c_int {
    cuEventRecord(event, stream)
}

fn find(event: Handle) -> Answer<Option<Instant>> {
    working()?.tables().events.get(&(event as usize)).copied().ok_or(Code::INVALID_HANDLE)
}

/// An event that was never recorded counts as done.
#[unsafe(no_mangle)]
extern "C" fn cuEventQuery(event: Handle) -> c_int {
    answer(|| find(event).map(|_| ()))
}

#[unsafe(no_mangle)]
extern "C" fn cuEventSynchronize(event: Handle) -> c_int {
    answer(|| find(event).map(|_| ()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) -> c_int {
    answer(|| {
        let (Some(start), Some(end)) = (find(start)?, find(end)?) else {
            return Err(Code::INVALID_HANDLE);
        };
        let elapsed = match end.checked_duration_since(start) {
            Some(elapsed) => elapsed.as_secs_f32(),
            None => -(start - end).as_secs_f32(),
        };
        // SAFETY: the caller's pointer to a result.
        unsafe { put(milliseconds, elapsed * 1000.0) }
    })
}
