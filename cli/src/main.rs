//! The command line of Fracas: arguments, progress and tables. What it does is in the library.

#![forbid(unsafe_code)]

mod arguments;
mod backend;
mod commands;
mod extras;
mod failure;
mod frames;
mod interrupt;
mod output;
mod pattern;
mod pieces;
mod progress;
mod serving;
mod solid;
mod stages;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use failure::Failure;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Breaking things makes and drops thousands of small meshes, on all threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    start_logging(arguments.verbose);
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(line) = failure.line() {
                // Names from files may hold anything; what is printed stays one line.
                let printable: String = line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
                eprintln!("fracas: {printable}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    let quiet = arguments.quiet;
    match arguments.command {
        Command::Run(run) => commands::run::run(&run, quiet),
        Command::Bench(bench) => commands::bench::bench(&bench, quiet),
        Command::Render(render) => commands::render::render(&render, quiet),
        Command::Export(export) => commands::export::export(&export, quiet),
        Command::View(view) => commands::view::view(&view),
        Command::Play(play) => commands::play::play(&play),
        Command::Mesh(mesh) => commands::mesh::mesh(&mesh, quiet),
        Command::Decompose(decompose) => commands::decompose::decompose(&decompose, quiet),
        Command::Fracture(fracture) => commands::fracture::fracture(&fracture, quiet),
        Command::Voxelize(voxelize) => commands::voxelize::voxelize(&voxelize, quiet),
        Command::Collide(collide) => commands::collide::collide(&collide, quiet),
        Command::Ccd(ccd) => commands::ccd::ccd(&ccd, quiet),
        Command::CcdQueries(queries) => commands::ccd_queries::ccd_queries(&queries, quiet),
        Command::Info(info) => commands::info::info(&info),
        Command::Completions { shell } => commands::manual::completions(shell),
        Command::Man { out } => commands::manual::man(out.as_deref()),
    }
}

/// Logs go to standard error, so that standard output stays the answer.
fn start_logging(verbose: u8) {
    let level = match verbose {
        0 => tracing::Level::WARN,
        1 => tracing::Level::INFO,
        2 => tracing::Level::DEBUG,
        _ => tracing::Level::TRACE,
    };
    let log = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(verbose > 1)
        .with_filter(LevelFilter::from_level(level));
    let subscriber = tracing_subscriber::registry().with(log);
    #[cfg(feature = "nvtx")]
    let subscriber = subscriber.with(fracas::ranges::nvtx());
    subscriber.init();
}
