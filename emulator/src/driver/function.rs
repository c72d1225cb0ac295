//! What is asked of and set for a kernel.

use super::code::{Answer, Code, answer, put};
use super::state::{Handle, Kernel, driver, working};
use crate::execute::{KernelAttributes, MAXIMUM_SHARED};
use std::ffi::c_int;

pub(crate) fn find(function: Handle) -> Answer<Kernel> {
    working()?.tables().kernels.get(&(function as usize)).cloned().ok_or(Code::INVALID_HANDLE)
}

pub(crate) fn attributes(kernel: &Kernel) -> Answer<KernelAttributes> {
    kernel.module.kernel_attributes(&kernel.name).ok_or(Code::NOT_FOUND)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: Handle) -> c_int {
    answer(|| {
        let kernel = find(function)?;
        let found = attributes(&kernel)?;
        let answer = match attribute {
            0 => found.maximum_threads as c_int,
            1 => found.shared_bytes as c_int,
            // Constant memory of a kernel is its parameters, which are counted elsewhere.
            2 => 0,
            3 => found.local_bytes as c_int,
            4 => found.registers as c_int,
            // The versions of the PTX and of the machine code.
            5 | 6 => 90,
            8 => kernel.dynamic_shared_limit as c_int,
            _ => 0,
        };
        // SAFETY: the caller's pointer to a result.
        unsafe { put(value, answer) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncSetAttribute(function: Handle, attribute: c_int, value: c_int) -> c_int {
    answer(|| {
        let mut tables = driver()?.tables();
        let kernel = tables.kernels.get_mut(&(function as usize)).ok_or(Code::INVALID_HANDLE)?;
        if attribute == 8 {
            let limit = u32::try_from(value).map_err(|_| Code::INVALID_VALUE)?;
            if u64::from(limit) > MAXIMUM_SHARED {
                return Err(Code::INVALID_VALUE);
            }
            kernel.dynamic_shared_limit = limit;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncSetCacheConfig(function: Handle, _config: c_int) -> c_int {
    answer(|| find(function).map(|_| ()))
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncSetSharedMemConfig(function: Handle, _config: c_int) -> c_int {
    answer(|| find(function).map(|_| ()))
}
