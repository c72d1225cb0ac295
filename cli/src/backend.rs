//! What to compute on.

use fracas::device::{self, Cpu, SharedBackend};

use crate::arguments::Backend;
use crate::failure::Failure;

/// The backend that was asked for; none is the CPU. `auto` takes what there is.
pub(crate) fn open(backend: Backend) -> Result<Option<SharedBackend>, Failure> {
    match backend {
        Backend::Cpu => Ok(None),
        Backend::Cuda => cuda().map(Some),
        Backend::Auto => Ok(cuda().ok()),
    }
}

/// As [`open`], for what has no way of its own on the CPU.
pub(crate) fn open_any(backend: Backend) -> Result<SharedBackend, Failure> {
    Ok(open(backend)?.unwrap_or_else(|| SharedBackend::new(Cpu)))
}

#[cfg(feature = "cuda")]
fn cuda() -> Result<SharedBackend, Failure> {
    let device = device::Device::cuda(0).map_err(Failure::input)?;
    Ok(SharedBackend::device(device))
}

#[cfg(not(feature = "cuda"))]
fn cuda() -> Result<SharedBackend, Failure> {
    Err(Failure::Input("this build has no CUDA backend; use --backend cpu".to_owned()))
}

/// The backends of this build.
pub(crate) fn names() -> Vec<&'static str> {
    if cfg!(feature = "cuda") { vec!["cpu", "cuda"] } else { vec!["cpu"] }
}

/// The devices that there are.
pub(crate) fn devices() -> Vec<String> {
    std::iter::once(device::Backend::name(&Cpu)).chain(cuda_devices()).collect()
}

#[cfg(feature = "cuda")]
fn cuda_devices() -> Vec<String> {
    let names = device::cuda_devices().unwrap_or_else(|error| {
        tracing::warn!("{error}");
        Vec::new()
    });
    names.into_iter().map(|name| format!("cuda: {name}")).collect()
}

#[cfg(not(feature = "cuda"))]
fn cuda_devices() -> Vec<String> {
    Vec::new()
}
