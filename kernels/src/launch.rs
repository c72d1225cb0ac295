//! Launches for the tests: a body for every index, in several orders and on several threads at once.

extern crate std;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::vec::Vec;

/// How a launch goes over its indices.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    Forward,
    Reverse,
    Shuffled,
    Parallel,
}

/// Every order: the result of a kernel must be the same for each.
pub(crate) const ORDERS: [Order; 4] = [Order::Forward, Order::Reverse, Order::Shuffled, Order::Parallel];

impl Order {
    /// Calls the body once for each index below `count`.
    pub(crate) fn launch(self, count: usize, body: impl Fn(usize) + Sync) {
        match self {
            Order::Parallel => in_parallel(count, &body),
            _ => self.indices(count).into_iter().for_each(body),
        }
    }

    /// What the body returns for each index, at that index.
    pub(crate) fn map<T: Clone>(self, count: usize, body: impl Fn(usize) -> T) -> Vec<T> {
        let mut results = std::vec![None; count];
        for index in self.indices(count) {
            results[index] = Some(body(index));
        }
        results.into_iter().map(|result| result.expect("each index was visited")).collect()
    }

    /// The indices below `count`, for bodies that share nothing and so need no threads.
    pub(crate) fn indices(self, count: usize) -> Vec<usize> {
        match self {
            Order::Forward => (0..count).collect(),
            Order::Reverse => (0..count).rev().collect(),
            Order::Shuffled | Order::Parallel => shuffled(count),
        }
    }
}

/// Fisher and Yates with a fixed seed.
fn shuffled(count: usize) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..count).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for last in (1..count).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        indices.swap(last, (state >> 33) as usize % (last + 1));
    }
    indices
}

/// Four threads that take small strips in turn, so that neighbours run at the same time.
fn in_parallel(count: usize, body: &(impl Fn(usize) + Sync)) {
    const STRIP: usize = 7;
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let start = next.fetch_add(STRIP, Relaxed);
                    if start >= count {
                        return;
                    }
                    (start..count.min(start + STRIP)).for_each(body);
                }
            });
        }
    });
}
