//! Live play: a scene that goes on by the clock, pages that watch it, and people who throw, break and drag things in it.
//!
//! The simulation has a thread of its own. It shows a [`Snapshot`] now and then and never waits for anybody; each page has a
//! [`Watcher`], which says how the newest snapshot differs from what the page was last told. A page that is slow is told
//! less often, and what it is told then is all that it needs.

mod board;
mod command;
mod session;
mod simulation;
mod snapshot;
#[cfg(test)]
mod tests;
mod tools;
mod watcher;

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};

use thiserror::Error;

use crate::device::SharedBackend;
use crate::export::stream::{Choices, Hello, Messages};
use crate::export::{Page, Source};
use crate::scene::Scene;
use crate::serve::{Server, Site, Socket};
use crate::world::WorldError;
use board::Board;
pub use command::{Command, Ray};
pub use session::Session;
use simulation::{Told, simulate};
pub use snapshot::Snapshot;
pub use watcher::Watcher;

/// The version of the protocol that pages are to speak.
const VERSION: u32 = 1;

/// What waits to be done; pages that want more wait.
const INBOX: usize = 256;

/// Why a scene cannot be played.
#[derive(Debug, Error)]
pub enum PlayError {
    /// It has no world.
    #[error(
        "the scene plays by itself, so there is nothing to do in it; `fracas run` records it and `fracas view` shows that"
    )]
    NoWorld,
    /// What the world says of a body.
    #[error(transparent)]
    World(#[from] WorldError),
}

/// Whether a scene can be played.
///
/// # Errors
/// If it has no world.
pub fn check(scene: &Scene) -> Result<(), PlayError> {
    if scene.animation.is_some() || scene.deformable.is_some() { Err(PlayError::NoWorld) } else { Ok(()) }
}

/// Plays a scene for whoever opens the server's page, until it is over. The calling thread answers; the simulation takes one
/// more and the global rayon pool, each page two.
///
/// # Errors
/// If the scene has no world, or its world cannot be filled.
pub fn play(
    scene: &Scene,
    backend: Option<SharedBackend>,
    server: &Server,
    is_over: impl Fn() -> bool,
) -> Result<(), PlayError> {
    check(scene)?;
    let mut session = Session::new(Arc::new(scene.clone()), backend)?;
    let (outbox, inbox) = sync_channel(INBOX);
    let audience =
        Arc::new(Audience { board: Board::default(), choices: session.choices().clone(), scene: scene.clone() });
    audience.board.show(session.snapshot(f32::NAN, 0));
    let talker = Arc::clone(&audience);
    let html = Page::of(Source::Live("/live".to_owned())).html();
    let site = Site::default().page("/", html).socket("/live", move |socket| talk(socket, &talker, &outbox));
    std::thread::scope(|scope| {
        let board = &audience.board;
        scope.spawn(move || simulate(&mut session, board, &inbox));
        server.run(&site, || {
            let over = is_over();
            if over {
                board.end();
            }
            over
        });
        // With the site goes the last one who could tell the simulation anything.
        drop(site);
    });
    Ok(())
}

/// What all pages share.
struct Audience {
    board: Board,
    choices: Choices,
    scene: Scene,
}

impl Audience {
    fn hello(&self) -> Hello<'_> {
        Hello {
            live: true,
            seconds_per_frame: self.scene.seconds_per_frame(),
            ground: self.scene.ground,
            camera: self.scene.camera,
            scene: &self.scene.name,
            ..Hello::default()
        }
    }
}

/// Talks to one page until it leaves.
fn talk(socket: &Socket, audience: &Audience, outbox: &SyncSender<Told>) {
    let watches = socket.receive().map(|message| Command::read(&message));
    match watches {
        Some(Ok(Some(Command::Watch { version: VERSION }))) => {}
        Some(_) => {
            // It understands whose version it does not speak.
            let mut messages = Messages::begin();
            messages.hello(&audience.hello());
            let _ = socket.send(messages.bytes());
            return;
        }
        None => return,
    }
    let board = &audience.board;
    let page = board.join();
    let _ = outbox.send(Told::Pages(page));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            listen(socket, page, audience, outbox);
            board.leave(page);
        });
        tell(socket, page, audience);
        board.leave(page);
        socket.hang_up();
    });
    let _ = outbox.send(Told::Pages(page));
}

/// Hands on what a page wants.
fn listen(socket: &Socket, page: u64, audience: &Audience, outbox: &SyncSender<Told>) {
    while let Some(message) = socket.receive() {
        match Command::read(&message) {
            Ok(Some(command)) => {
                if outbox.send(Told::Do(page, command)).is_err() {
                    return;
                }
            }
            Ok(None) => {}
            Err(line) => audience.board.say(Some(page), true, line),
        }
    }
}

/// Tells a page of what is new, as fast as it reads.
fn tell(socket: &Socket, page: u64, audience: &Audience) {
    let mut watcher = Watcher::default();
    let mut known = None;
    while let Some(news) = audience.board.wait(page, known) {
        let mut message = Vec::new();
        if let Some(snapshot) = &news.snapshot {
            known = Some((snapshot.epoch, snapshot.number));
            message = watcher.tell(snapshot, &audience.hello(), &audience.choices);
        }
        let mut lines = Messages::default();
        news.lines.iter().for_each(|(is_bad, line)| lines.notice(*is_bad, line));
        message.extend_from_slice(lines.bytes());
        if socket.send(&message).is_err() {
            return;
        }
    }
}
