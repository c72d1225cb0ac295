//! `fracas info`

use serde::Serialize;

use crate::arguments::InfoArguments;
use crate::backend;
use crate::failure::Failure;
use crate::output::{print, write_json};

#[derive(Serialize)]
struct Info {
    version: &'static str,
    backends: Vec<&'static str>,
    devices: Vec<String>,
    kernels: Vec<&'static str>,
}

pub(crate) fn info(arguments: &InfoArguments) -> Result<(), Failure> {
    let info = Info {
        version: env!("CARGO_PKG_VERSION"),
        backends: backend::names(),
        devices: backend::devices(),
        kernels: fracas::device::kernels(),
    };
    if let Some(path) = &arguments.json {
        return write_json(path, &info);
    }
    let text = format!(
        "fracas {}\nbackends  {}\ndevices   {}\nkernels   {}, which --json names\n",
        info.version,
        info.backends.join(", "),
        info.devices.join(", "),
        info.kernels.len()
    );
    print(text.as_bytes())
}
