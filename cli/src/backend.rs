//! What to compute on.

use fracas::device::{self, Cpu};

use crate::arguments::Backend;
use crate::failure::Failure;

/// The backend that was asked for. `auto` takes what there is.
pub(crate) fn open(backend: Backend) -> Result<Box<dyn device::Backend>, Failure> {
    match backend {
        Backend::Cpu => Ok(Box::new(Cpu)),
        Backend::Cuda => cuda(),
        Backend::Auto => Ok(cuda().unwrap_or_else(|_| Box::new(Cpu))),
    }
}

#[cfg(feature = "cuda")]
fn cuda() -> Result<Box<dyn device::Backend>, Failure> {
    let device = device::Device::cuda(0).map_err(Failure::input)?;
    Ok(Box::new(device))
}

#[cfg(not(feature = "cuda"))]
fn cuda() -> Result<Box<dyn device::Backend>, Failure> {
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
