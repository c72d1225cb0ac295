//! `fracas completions` and `fracas man`

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use fracas::whole_file;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::output::{make_folder, print};

pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "fracas", &mut script);
    print(&script)
}

pub(crate) fn man(folder: Option<&Path>) -> Result<(), Failure> {
    let command = Arguments::command();
    let Some(folder) = folder else { return print(&page(&command)?) };
    make_folder(folder)?;
    let write = |path: &Path, bytes: &[u8]| whole_file::write(path, bytes).map_err(Failure::input);
    write(&folder.join("fracas.1"), &page(&command)?)?;
    for subcommand in command.get_subcommands() {
        let name = format!("fracas-{}", subcommand.get_name());
        let path = folder.join(format!("{name}.1"));
        write(&path, &page(&subcommand.clone().name(name.leak() as &'static str))?)?;
    }
    Ok(())
}

fn page(command: &clap::Command) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text).map_err(Failure::input)?;
    Ok(text)
}
