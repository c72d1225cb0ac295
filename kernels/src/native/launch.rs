//! A launch, in runs of several turns that threads take.

use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use super::Claims;
use crate::arguments::{Handle, NativeKernel};

/// Threads of a device whose work is done in a run.
const THREADS: usize = 512;

/// A launch that was checked and has its memory for itself.
#[derive(Debug)]
pub struct Launch<'a, K> {
    arguments: &'a K,
    claims: Claims,
    turns: usize,
    turns_of_a_run: usize,
    next: AtomicUsize,
}

impl<'a, K: NativeKernel> Launch<'a, K> {
    /// # Safety
    /// The lists are those of the arguments, and as [`NativeKernel::run`] asks for as long as this exists.
    pub(super) unsafe fn new(arguments: &'a K, lists: &[Handle]) -> Launch<'a, K> {
        let turns = arguments.threads() as usize / K::THREADS_OF_A_TURN;
        assert!(u32::try_from(turns).is_ok_and(|turns| turns < u32::MAX), "a launch of {turns} turns");
        let turns_of_a_run = THREADS.div_ceil(K::THREADS_OF_A_TURN);
        Launch { arguments, claims: Claims::new(lists), turns, turns_of_a_run, next: AtomicUsize::new(0) }
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        self.turns.div_ceil(self.turns_of_a_run)
    }

    /// Does the next run, if there is one left. Several threads may be at it at once.
    ///
    /// # Panics
    /// If the kernel does, or two of its threads write the same element.
    pub fn run(&self) {
        let first = self.next.fetch_add(1, Relaxed).saturating_mul(self.turns_of_a_run);
        if first < self.turns {
            let end = self.turns.min(first + self.turns_of_a_run);
            // SAFETY: the promise of `new`; no two calls get the same run.
            unsafe { self.arguments.run(&self.claims, first..end) }
        }
    }
}
