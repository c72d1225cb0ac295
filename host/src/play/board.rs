//! Where a simulation shows how it stands, and pages look.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::snapshot::Snapshot;

/// Lines that wait for one page; of more the oldest go.
const MOST_LINES: usize = 16;

/// The last snapshot, and what is to be said to whom. The simulation puts it there and goes on; each page looks when it has
/// dealt with the one before. So nobody waits for a slow page, and what waits for it is one snapshot and a few lines.
#[derive(Default)]
pub(super) struct Board {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    snapshot: Option<Arc<Snapshot>>,
    /// By page: whether something went wrong, and the line.
    lines: BTreeMap<u64, Vec<(bool, String)>>,
    next_page: u64,
    is_over: bool,
}

/// What is new for a page.
pub(super) struct News {
    /// If there is one that it does not know.
    pub(super) snapshot: Option<Arc<Snapshot>>,
    pub(super) lines: Vec<(bool, String)>,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new page, and its number.
    pub(super) fn join(&self) -> u64 {
        let mut state = self.lock();
        let page = state.next_page;
        state.next_page += 1;
        state.lines.insert(page, Vec::new());
        page
    }

    pub(super) fn leave(&self, page: u64) {
        self.lock().lines.remove(&page);
        self.changed.notify_all();
    }

    /// How many pages watch.
    pub(super) fn pages(&self) -> usize {
        self.lock().lines.len()
    }

    pub(super) fn show(&self, snapshot: Snapshot) {
        self.lock().snapshot = Some(Arc::new(snapshot));
        self.changed.notify_all();
    }

    /// Says a line to a page, or to all.
    pub(super) fn say(&self, page: Option<u64>, is_bad: bool, line: &str) {
        let mut state = self.lock();
        for (_, lines) in state.lines.iter_mut().filter(|(number, _)| page.is_none_or(|page| page == **number)) {
            if lines.len() >= MOST_LINES {
                lines.remove(0);
            }
            lines.push((is_bad, line.to_owned()));
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Nothing more comes.
    pub(super) fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    /// Whether nothing more is to come.
    pub(super) fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// Waits for what is new to a page that knows a snapshot, by its epoch and number. `None` when the simulation is over or
    /// the page has left.
    pub(super) fn wait(&self, page: u64, known: Option<(u32, u32)>) -> Option<News> {
        let mut state = self.lock();
        loop {
            let has_left = !state.lines.contains_key(&page);
            if state.is_over || has_left {
                return None;
            }
            let snapshot = state.snapshot.clone().filter(|shown| known != Some((shown.epoch, shown.number)));
            let lines = state.lines.get_mut(&page).map(std::mem::take).unwrap_or_default();
            if snapshot.is_some() || !lines.is_empty() {
                return Some(News { snapshot, lines });
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
