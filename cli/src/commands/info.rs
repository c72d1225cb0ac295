//! `fracas info`

use serde::Serialize;

use crate::arguments::InfoArguments;
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
        backends: vec!["cpu"],
        devices: vec![format!("cpu: {} threads", rayon::current_num_threads())],
        kernels: Vec::new(),
    };
    if let Some(path) = &arguments.json {
        return write_json(path, &info);
    }
    let list = |items: &[String]| if items.is_empty() { "none".to_owned() } else { items.join(", ") };
    let names = |items: &[&str]| list(&items.iter().map(|&item| item.to_owned()).collect::<Vec<_>>());
    let text = format!(
        "fracas {}\nbackends  {}\ndevices   {}\nkernels   {}\n",
        info.version,
        names(&info.backends),
        list(&info.devices),
        names(&info.kernels)
    );
    print(text.as_bytes())
}
