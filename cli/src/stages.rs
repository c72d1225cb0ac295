//! The time that each stage of a command takes.

use std::time::Instant;

use serde::{Serialize, Serializer};

/// The time that each stage takes.
pub(crate) struct Clock {
    started: Instant,
    last: Instant,
    stages: Stages,
}

/// Stages in the order of their first lap, with their milliseconds.
#[derive(Default)]
pub(crate) struct Stages(pub(crate) Vec<(&'static str, f64)>);

impl Serialize for Stages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl Clock {
    pub(crate) fn new() -> Clock {
        Clock { started: Instant::now(), last: Instant::now(), stages: Stages::default() }
    }

    pub(crate) fn lap(&mut self, stage: &'static str) {
        self.add(stage, 1e3 * self.last.elapsed().as_secs_f64());
        self.restart();
    }

    pub(crate) fn restart(&mut self) {
        self.last = Instant::now();
    }

    pub(crate) fn add(&mut self, stage: &'static str, milliseconds: f64) {
        match self.stages.0.iter_mut().find(|(known, _)| *known == stage) {
            Some((_, time)) => *time += milliseconds,
            None => self.stages.0.push((stage, milliseconds)),
        }
    }

    pub(crate) fn finish(mut self) -> Stages {
        self.add("total", 1e3 * self.started.elapsed().as_secs_f64());
        self.stages
    }
}
