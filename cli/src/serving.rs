//! Serving a page on this machine, and opening a browser on it.

use std::io::Write;
use std::process::{Command, Stdio};

use fracas::export::{Page, Source};
use fracas::serve::{Server, Site};

use crate::arguments::ServeArguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::print;

/// Listens where the arguments say.
pub(crate) fn listen(arguments: &ServeArguments) -> Result<Server, Failure> {
    Server::listen(arguments.port).map_err(|error| match arguments.port {
        Some(port) => Failure::Input(format!("--port {port}: cannot be listened on: {error}")),
        None => Failure::Input(format!("127.0.0.1 cannot be listened on: {error}")),
    })
}

/// Says where the page is, and opens it unless that is not wanted.
pub(crate) fn announce(server: &Server, arguments: &ServeArguments, what: &str) -> Result<(), Failure> {
    let address = server.address();
    let line = format!("{what}: {address} (Ctrl-C ends it)\n");
    if arguments.on_standard_error {
        eprint!("{line}");
    } else {
        print(line.as_bytes())?;
    }
    // Whoever waits for the line through a pipe is to have it now.
    let _ = std::io::stdout().flush();
    if !arguments.no_open {
        open(&address);
    }
    Ok(())
}

/// Shows a stream until Ctrl-C, which is how this ends. `write` writes the stream, as often as it is asked for.
pub(crate) fn show(
    arguments: &ServeArguments,
    what: &str,
    write: impl Fn(&mut dyn Write) -> std::io::Result<()> + Send + Sync + 'static,
) -> Result<(), Failure> {
    let server = listen(arguments)?;
    let html = Page::of(Source::Address("recording".to_owned())).html();
    let site = Site::default().page("/", html).bytes("/recording", write);
    interrupt::watch();
    announce(&server, arguments, what)?;
    server.run(&site, interrupt::happened);
    Err(Failure::Interrupted)
}

/// Opens an address in the person's browser.
fn open(address: &str) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(before).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        eprintln!("no browser was found; open the address yourself");
    }
}
