//! Launches.

use super::code::{Answer, Code, answer};
use super::device::USUAL_SHARED;
use super::function::{attributes, find};
use super::state::{Driver, Handle, Kernel, working};
use super::stream;
use crate::error::{Fault, FaultKind};
use crate::execute::{Argument, Dimensions};
use crate::profile::Profile;
use std::ffi::{c_int, c_uint, c_void};
use std::io::Write;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchKernel(
    function: Handle,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared_bytes: c_uint,
    stream: Handle,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> c_int {
    answer(|| {
        let kernel = find(function)?;
        stream::find(stream)?;
        if !extra.is_null() {
            eprintln!("fracas-emulator: kernel '{}': arguments in 'extra' are not supported", kernel.name);
            return Err(Code::NOT_SUPPORTED);
        }
        let dimensions =
            Dimensions { grid: [grid_x, grid_y, grid_z], block: [block_x, block_y, block_z], shared_bytes };
        // SAFETY: by the caller's promise there is a pointer for each parameter of the kernel, to a value of its size.
        let arguments = unsafe { arguments(&kernel, parameters)? };
        launch(working()?, &kernel, dimensions, &arguments)
    })
}

/// # Safety
/// There is a pointer for each parameter of the kernel, to a value of its size.
unsafe fn arguments(kernel: &Kernel, parameters: *mut *mut c_void) -> Answer<Vec<Argument>> {
    let sizes = kernel.module.parameter_sizes(&kernel.name).ok_or(Code::NOT_FOUND)?;
    if parameters.is_null() && !sizes.is_empty() {
        return Err(Code::INVALID_VALUE);
    }
    let mut found = Vec::with_capacity(sizes.len());
    for (index, size) in sizes.into_iter().enumerate() {
        // SAFETY: the index is that of a parameter.
        let pointer = unsafe { parameters.add(index).read() };
        if pointer.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the pointer is that of a value of this size.
        found.push(Argument::bytes(unsafe { std::slice::from_raw_parts(pointer.cast(), size) }));
    }
    Ok(found)
}

fn launch(driver: &Driver, kernel: &Kernel, dimensions: Dimensions, arguments: &[Argument]) -> Answer {
    let limits = attributes(kernel)?;
    let allowed = USUAL_SHARED.max(limits.shared_bytes.saturating_add(kernel.dynamic_shared_limit));
    let needed = limits.shared_bytes.saturating_add(dimensions.shared_bytes);
    if needed > allowed {
        eprintln!(
            "fracas-emulator: kernel '{}' needs {needed} bytes of shared memory; more than {USUAL_SHARED} must be asked \
             for with cuFuncSetAttribute",
            kernel.name
        );
        return Err(Code::INVALID_VALUE);
    }
    match driver.device.launch(&kernel.module, &kernel.name, dimensions, arguments, &driver.settings.options) {
        Ok(profile) => write_profile(driver, &profile),
        Err(fault) => {
            eprintln!("fracas-emulator: {fault}");
            let code = code_of(&fault);
            // A launch that was refused did nothing; a kernel that failed leaves the context broken.
            if fault.kind != FaultKind::InvalidLaunch {
                driver.tables().broken = Some(code);
            }
            Err(code)
        }
    }
}

fn code_of(fault: &Fault) -> Code {
    match fault.kind {
        FaultKind::OutOfBounds | FaultKind::UseAfterFree | FaultKind::ReadOnly => Code::ILLEGAL_ADDRESS,
        FaultKind::Misaligned => Code::MISALIGNED,
        FaultKind::Timeout => Code::TIMEOUT,
        FaultKind::StackOverflow => Code::STACK,
        FaultKind::InvalidOperand => Code::ILLEGAL_INSTRUCTION,
        FaultKind::InvalidLaunch => Code::INVALID_VALUE,
        FaultKind::Uninitialised | FaultKind::BarrierDivergence | FaultKind::Race | FaultKind::Trap => {
            Code::LAUNCH_FAILED
        }
    }
}

/// One line of JSON for each launch.
fn write_profile(driver: &Driver, profile: &Profile) -> Answer {
    let Some(path) = &driver.settings.profile else { return Ok(()) };
    let written = std::fs::OpenOptions::new().create(true).append(true).open(path).and_then(|mut file| {
        let mut line = serde_json::to_string(profile)?;
        line.push('\n');
        file.write_all(line.as_bytes())
    });
    written.map_err(|error| {
        eprintln!("fracas-emulator: the profile {} cannot be written: {error}", path.display());
        Code::UNKNOWN
    })
}
