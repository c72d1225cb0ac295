//! Modules: PTX texts, because there is no machine code to load.

use super::code::{Answer, Code, answer, put, put_new, text};
use super::state::{Handle, Kernel, driver, working};
use crate::module::Module;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::Arc;

fn load(ptx: &str) -> Answer<usize> {
    let driver = working()?;
    let module = Module::parse(ptx).map_err(|error| {
        eprintln!("fracas-emulator: {error}");
        Code::INVALID_PTX
    })?;
    let loaded = driver.device.load(module).map_err(|_| Code::OUT_OF_MEMORY)?;
    let mut tables = driver.tables();
    let handle = tables.handle();
    tables.modules.insert(handle, Arc::new(loaded));
    Ok(handle)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoad(module: *mut Handle, path: *const c_char) -> c_int {
    answer(|| {
        // SAFETY: the caller's string.
        let path = unsafe { text(path)? };
        let ptx = std::fs::read_to_string(path).map_err(|_| Code::FILE_NOT_FOUND)?;
        // SAFETY: the caller's pointer to a result.
        unsafe { put_new(module, || Ok(load(&ptx)? as Handle)) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadData(module: *mut Handle, image: *const c_void) -> c_int {
    answer(|| {
        // SAFETY: an image is a string of PTX that ends in a zero byte; other formats are refused by their first byte,
        // which is a string too.
        let ptx = unsafe { text(image.cast())? };
        // SAFETY: the caller's pointer to a result.
        unsafe { put_new(module, || Ok(load(&ptx)? as Handle)) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut Handle,
    image: *const c_void,
    _count: c_uint,
    _options: *mut c_int,
    _values: *mut *mut c_void,
) -> c_int {
    // SAFETY: the same promise of the caller.
    unsafe { cuModuleLoadData(module, image) }
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleUnload(module: Handle) -> c_int {
    answer(|| {
        let driver = driver()?;
        let mut tables = driver.tables();
        let loaded = tables.modules.remove(&(module as usize)).ok_or(Code::INVALID_HANDLE)?;
        tables.kernels.retain(|_, kernel| !Arc::ptr_eq(&kernel.module, &loaded));
        drop(tables);
        match Arc::try_unwrap(loaded) {
            Ok(loaded) => driver.device.unload(loaded).map_err(|_| Code::INVALID_VALUE),
            // A launch on another thread still uses it.
            Err(_) => Ok(()),
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) -> c_int {
    answer(|| {
        let driver = working()?;
        // SAFETY: the caller's string.
        let name = unsafe { text(name)? };
        let mut tables = driver.tables();
        let module = tables.modules.get(&(module as usize)).cloned().ok_or(Code::INVALID_HANDLE)?;
        if module.kernel_attributes(&name).is_none() {
            return Err(Code::NOT_FOUND);
        }
        let known = tables
            .kernels
            .iter()
            .find(|(_, kernel)| kernel.name == name && Arc::ptr_eq(&kernel.module, &module))
            .map(|(handle, _)| *handle);
        let handle = match known {
            Some(handle) => handle,
            None => {
                let handle = tables.handle();
                tables.kernels.insert(handle, Kernel { module, name, dynamic_shared_limit: 0 });
                handle
            }
        };
        // SAFETY: the caller's pointer to a result.
        unsafe { put(function, handle as Handle) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetGlobal_v2(
    address: *mut u64,
    size: *mut usize,
    module: Handle,
    name: *const c_char,
) -> c_int {
    answer(|| {
        let driver = working()?;
        // SAFETY: the caller's string.
        let name = unsafe { text(name)? };
        let module = driver.tables().modules.get(&(module as usize)).cloned().ok_or(Code::INVALID_HANDLE)?;
        let (found, length) = module.global(&name).ok_or(Code::NOT_FOUND)?;
        if !address.is_null() {
            // SAFETY: the caller's pointer to a result.
            unsafe { put(address, found)? };
        }
        if !size.is_null() {
            // SAFETY: the caller's pointer to a result.
            unsafe { put(size, length as usize)? };
        }
        Ok(())
    })
}
