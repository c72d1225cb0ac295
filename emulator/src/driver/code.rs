//! The results of driver functions.

use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// `CUresult`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Code(pub(crate) c_int);

macro_rules! codes {
    ($($constant:ident = $number:literal, $name:literal, $text:literal;)*) => {
        #[allow(dead_code, reason = "some results only have names, for callers that ask")]
        impl Code {
            $(pub(crate) const $constant: Self = Self($number);)*

            /// The name and the description of a result.
            fn strings(self) -> Option<(&'static CStr, &'static CStr)> {
                match self.0 {
                    $($number => Some(($name, $text)),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    SUCCESS = 0, c"CUDA_SUCCESS", c"no error";
    INVALID_VALUE = 1, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument";
    OUT_OF_MEMORY = 2, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory";
    NOT_INITIALISED = 3, c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error";
    NO_DEVICE = 100, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected";
    INVALID_DEVICE = 101, c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal";
    INVALID_CONTEXT = 201, c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context";
    INVALID_PTX = 218, c"CUDA_ERROR_INVALID_PTX", c"a PTX JIT compilation failed";
    FILE_NOT_FOUND = 301, c"CUDA_ERROR_FILE_NOT_FOUND", c"file not found";
    INVALID_HANDLE = 400, c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle";
    NOT_FOUND = 500, c"CUDA_ERROR_NOT_FOUND", c"named symbol not found";
    NOT_READY = 600, c"CUDA_ERROR_NOT_READY", c"device not ready";
    ILLEGAL_ADDRESS = 700, c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered";
    OUT_OF_RESOURCES = 701, c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", c"too many resources requested for launch";
    TIMEOUT = 702, c"CUDA_ERROR_LAUNCH_TIMEOUT", c"the launch timed out and was terminated";
    CONTEXT_IS_DESTROYED = 709, c"CUDA_ERROR_CONTEXT_IS_DESTROYED", c"context is destroyed";
    STACK = 714, c"CUDA_ERROR_HARDWARE_STACK_ERROR", c"hardware stack error";
    ILLEGAL_INSTRUCTION = 715, c"CUDA_ERROR_ILLEGAL_INSTRUCTION", c"an illegal instruction was encountered";
    MISALIGNED = 716, c"CUDA_ERROR_MISALIGNED_ADDRESS", c"misaligned address";
    LAUNCH_FAILED = 719, c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure";
    NOT_SUPPORTED = 801, c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported";
    UNKNOWN = 999, c"CUDA_ERROR_UNKNOWN", c"unknown error";
}

/// What a driver function does inside.
pub(crate) type Answer<T = ()> = Result<T, Code>;

/// Runs the inside of a driver function. A panic must not cross into the caller's language.
pub(crate) fn answer(work: impl FnOnce() -> Answer) -> c_int {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => Code::SUCCESS.0,
        Ok(Err(code)) => code.0,
        Err(_) => Code::UNKNOWN.0,
    }
}

/// Writes a result through a pointer of the caller.
///
/// # Safety
/// The pointer is null or valid for a write.
pub(crate) unsafe fn put<T>(pointer: *mut T, value: T) -> Answer {
    if pointer.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: not null, so valid by the caller's promise.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Makes something and writes its handle through a pointer of the caller; without a pointer nothing is made.
///
/// # Safety
/// The pointer is null or valid for a write.
pub(crate) unsafe fn put_new<T>(pointer: *mut T, make: impl FnOnce() -> Answer<T>) -> Answer {
    if pointer.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the same promise of the caller.
    unsafe { put(pointer, make()?) }
}

/// The text at a pointer.
///
/// # Safety
/// The pointer is null or points to a string that ends in a zero byte.
pub(crate) unsafe fn text(pointer: *const c_char) -> Answer<String> {
    if pointer.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: not null, so a string by the caller's promise.
    Ok(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorName(code: c_int, name: *mut *const c_char) -> c_int {
    answer(|| {
        let (found, _) = Code(code).strings().ok_or(Code::INVALID_VALUE)?;
        // SAFETY: the caller's pointer to a result.
        unsafe { put(name, found.as_ptr()) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(code: c_int, text: *mut *const c_char) -> c_int {
    answer(|| {
        let (_, found) = Code(code).strings().ok_or(Code::INVALID_VALUE)?;
        // SAFETY: the caller's pointer to a result.
        unsafe { put(text, found.as_ptr()) }
    })
}
