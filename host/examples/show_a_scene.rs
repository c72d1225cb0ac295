//! Runs a scene, writes a report with a replay in it, and serves the replay until Enter is pressed.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fracas::export::stream::RecordedStream;
use fracas::export::{Page, Replay, Report, Source};
use fracas::scene::{RunOptions, Scene, run};
use fracas::serve::{Server, Site};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "scenes/falling_bricks.toml".to_owned());
    let recording = std::env::temp_dir().join("show_a_scene.fracas");
    let options = RunOptions { recording: Some(recording.clone()), ..RunOptions::default() };
    let summary = run(&Scene::load(Path::new(&path))?, &options, |_| ControlFlow::Continue(()))?;

    let report = recording.with_extension("html");
    Report::of_run(&summary, &format!("show_a_scene {path}"), Replay::of_recording(&recording)?).write(&report)?;
    println!("{}: a report, which opens from disk", report.display());

    let stream = RecordedStream::open(&recording)?;
    let site = Site::default().page("/", Page::of(Source::Address("recording".to_owned())).html()).bytes(
        "/recording",
        move |output: &mut dyn Write| {
            stream.clone().map_while(Result::ok).try_for_each(|messages| output.write_all(&messages))
        },
    );
    let server = Server::listen(None)?;
    println!("{}: the replay, until Enter is pressed", server.address());
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| server.run(&site, || is_over.load(Ordering::Relaxed)));
        let outcome = std::io::stdin().read_line(&mut String::new());
        is_over.store(true, Ordering::Relaxed);
        Ok(outcome.map(|_| ())?)
    })
}
