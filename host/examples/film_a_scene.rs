//! Runs a scene file, records it and draws its last frame: `film_a_scene scenes/first_light.toml`.

use std::ops::ControlFlow;
use std::path::Path;

use fracas::export::{Picture, draw_recording};
use fracas::recording::Recording;
use fracas::scene::{RunOptions, Scene, run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: film_a_scene SCENE.toml")?;
    let scene = Scene::load(Path::new(&file))?;
    let options = RunOptions { recording: Some("film.fracas".into()), ..RunOptions::default() };
    let summary = run(&scene, &options, |progress| {
        println!(
            "frame {} of {}: {} contacts",
            progress.frame,
            progress.frames,
            progress.world.map_or(0, |world| world.contacts().len())
        );
        ControlFlow::Continue(())
    })?;
    let recording = Recording::open(Path::new("film.fracas"))?;
    draw_recording(&recording, summary.frames - 1, &Picture::default())?.write_png("film.png")?;
    println!("{} steps, hash {}; see film.png", summary.steps, summary.hash_text());
    Ok(())
}
