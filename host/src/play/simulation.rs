//! The thread that steps a session by the clock.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::INBOX;
use super::board::Board;
use super::command::Command;
use super::session::Session;

/// Pages are told of no more than this many seconds at a time.
const FRAME: Duration = Duration::from_millis(16);

/// How long it steps before it looks what people want.
const LONGEST: Duration = Duration::from_millis(40);

/// Seconds that are caught up with after something took long; what is beyond is lost, and the simulation goes slower.
const MOST_OWED: f64 = 0.1;

/// How often the steps in a second are counted anew.
const COUNTED: Duration = Duration::from_millis(500);

/// Steps that wait to be done one by one; who asks for more than that has asked too often.
pub(super) const MOST_ASKED: u32 = 1000;

/// What the simulation is told.
pub(super) enum Told {
    /// What a page wants.
    Do(u64, Command),
    /// A page has left, or has come.
    Pages(u64),
}

/// How fast it goes.
struct Pace {
    steps: u32,
    since: Instant,
    per_second: f32,
    /// Steps that somebody asked for while it waits.
    asked: u32,
}

impl Pace {
    fn count(&mut self) {
        let elapsed = self.since.elapsed();
        if elapsed >= COUNTED {
            self.per_second = self.steps as f32 / elapsed.as_secs_f32();
            (self.steps, self.since) = (0, Instant::now());
        }
    }
}

/// Steps until the board is over or nobody can tell it anything any more. It waits while nobody watches, so that whoever comes sees the start.
pub(super) fn simulate(session: &mut Session, board: &Board, inbox: &Receiver<Told>) {
    let mut pace = Pace { steps: 0, since: Instant::now(), per_second: f32::NAN, asked: 0 };
    let mut clock = Instant::now();
    let mut owed = 0.0;
    let mut shown = Instant::now();
    // Whether something has happened that was not shown yet.
    let mut is_stale = false;
    loop {
        let is_idle = session.is_paused || board.pages() == 0;
        let due = (session.time_step() - owed) / session.slow_motion;
        let wait = if is_idle { COUNTED } else { Duration::from_secs_f64(due.clamp(0.0, 0.1)) };
        let wait = if pace.asked > 0 { Duration::ZERO } else { wait };
        let wait = if is_stale { wait.min(FRAME.saturating_sub(shown.elapsed())) } else { wait };
        match inbox.recv_timeout(wait) {
            Ok(told) => {
                is_stale = true;
                // Not all that there may be: who says much does not keep it from stepping.
                for told in std::iter::once(told).chain(inbox.try_iter().take(INBOX)) {
                    if board.is_over() {
                        return;
                    }
                    obey(session, board, told, &mut pace);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if board.is_over() {
            return;
        }
        let elapsed = clock.elapsed();
        clock = Instant::now();
        if session.is_paused || board.pages() == 0 {
            owed = 0.0;
            while pace.asked > 0 && clock.elapsed() < LONGEST && !board.is_over() {
                pace.asked -= 1;
                step(session, board, &mut pace);
                is_stale = true;
            }
        } else {
            owed = (owed + elapsed.as_secs_f64() * session.slow_motion).min(MOST_OWED.max(session.time_step()));
            while owed >= session.time_step() && clock.elapsed() < LONGEST && !board.is_over() {
                owed -= session.time_step();
                step(session, board, &mut pace);
                is_stale = true;
                if session.is_paused {
                    break;
                }
            }
        }
        let before = pace.per_second;
        pace.count();
        is_stale |= before.to_bits() != pace.per_second.to_bits();
        if is_stale && shown.elapsed() >= FRAME {
            (shown, is_stale) = (Instant::now(), false);
            board.show(session.snapshot(pace.per_second, board.pages() as u32));
        }
    }
}

fn obey(session: &mut Session, board: &Board, told: Told, pace: &mut Pace) {
    match told {
        Told::Pages(page) => session.leave(page),
        Told::Do(page, command) => {
            match session.perform(page, &command) {
                Ok(None) => {}
                Ok(Some(line)) => board.say(Some(page), false, &line),
                Err(line) => board.say(Some(page), true, &line),
            }
            match command {
                Command::Step(count) if session.is_paused => pace.asked = (pace.asked + count).min(MOST_ASKED),
                // They were meant for what it was before.
                Command::Reset | Command::Pause(_) => pace.asked = 0,
                _ => {}
            }
        }
    }
}

/// One step. A world that cannot go on waits, so that somebody may look at it and begin anew.
fn step(session: &mut Session, board: &Board, pace: &mut Pace) {
    pace.steps += 1;
    if let Err(error) = session.step() {
        session.stop();
        pace.asked = 0;
        board.say(None, true, &format!("The simulation cannot go on: {error}. Reset it to begin anew."));
    }
}
