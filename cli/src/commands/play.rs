//! `fracas play`

use fracas::scene::{Scene, SceneOptions};

use super::run::find_scene;
use crate::arguments::PlayArguments;
use crate::backend;
use crate::failure::Failure;
use crate::interrupt;
use crate::serving::{announce, listen};

pub(crate) fn play(arguments: &PlayArguments) -> Result<(), Failure> {
    let backend = backend::open(arguments.backend)?;
    let path = find_scene(&arguments.scene);
    // The simulation has a thread of its own, which asks the pool that everybody has.
    let threads = arguments.threads.map_or(0, usize::from);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(Failure::input)?;
    let scene = Scene::load_with(&path, &SceneOptions { most_level: arguments.level }).map_err(Failure::input)?;
    fracas::play::check(&scene).map_err(Failure::input).map_err(|failure| failure.about(&path))?;
    let server = listen(&arguments.serve)?;
    interrupt::watch();
    announce(&server, &arguments.serve, &path.display().to_string())?;
    let played = fracas::play::play(&scene, backend, &server, interrupt::happened);
    played.map_err(Failure::input).map_err(|failure| failure.about(&path))?;
    Err(Failure::Interrupted)
}
