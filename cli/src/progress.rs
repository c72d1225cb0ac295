//! Progress bars for what takes longer than a second.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that takes less than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar that appears once the work has taken a second; never when standard output is no terminal, or with --quiet.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    started: Instant,
}

impl Progress {
    /// A bar of some length that counts the given things.
    pub(crate) fn new(length: u64, things: &str, quiet: bool) -> Progress {
        let wanted = !quiet && std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
        let bar = wanted.then(|| {
            let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
            let template = format!("{{bar:40}} {{pos}}/{{len}} {things}, {{eta}} left");
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
            bar
        });
        Progress { bar, started: Instant::now() }
    }

    /// How much is done.
    pub(crate) fn set(&self, done: u64) {
        if let Some(bar) = &self.bar {
            if bar.is_hidden() && self.started.elapsed() > PATIENCE {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.set_position(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
