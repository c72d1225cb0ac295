//! What a step cost and what it found, in the columns of the papers' tables.

use std::ops::{AddAssign, Index, IndexMut};
use std::time::Duration;

use serde::{Serialize, Serializer, ser::SerializeMap};

/// A part of a step that is timed on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Finding the pairs of bodies that may touch.
    Broad,
    /// Finding the contacts of those pairs.
    Narrow,
    /// Turning contacts into motion.
    Response,
    /// Bringing the acceleration structures up to date.
    Update,
    /// Breaking bodies.
    Fracture,
}

impl Stage {
    /// Every stage, in the order in which they are printed.
    pub const ALL: [Stage; 5] = [Stage::Broad, Stage::Narrow, Stage::Response, Stage::Update, Stage::Fracture];

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Broad => "broad",
            Stage::Narrow => "narrow",
            Stage::Response => "response",
            Stage::Update => "update",
            Stage::Fracture => "fracture",
        }
    }
}

/// The time spent in each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes([Duration; Stage::ALL.len()]);

impl StageTimes {
    /// All stages together.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }
}

impl Index<Stage> for StageTimes {
    type Output = Duration;

    fn index(&self, stage: Stage) -> &Duration {
        &self.0[stage as usize]
    }
}

impl IndexMut<Stage> for StageTimes {
    fn index_mut(&mut self, stage: Stage) -> &mut Duration {
        &mut self.0[stage as usize]
    }
}

impl AddAssign for StageTimes {
    fn add_assign(&mut self, other: StageTimes) {
        for stage in Stage::ALL {
            self[stage] += other[stage];
        }
    }
}

/// What one step of a [`World`](crate::world::World) cost and found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepStatistics {
    /// The time spent in each stage.
    pub times: StageTimes,
    /// Contact points that the response worked on: those of bodies that are awake, near misses included.
    pub contacts: usize,
    /// Points found to be touching or overlapping, of sleeping bodies too, before any selection.
    pub colliding_points: usize,
    /// Bodies that are pieces of something that broke.
    pub fragments: usize,
    /// Triangles of all bodies' looks.
    pub triangles: usize,
    /// Those of the fragments that are debris.
    pub debris: usize,
    /// Pieces that could not be simulated and were dropped, since the world began.
    pub lost: usize,
}

impl StepStatistics {
    /// The larger of each figure.
    fn most(mut self, other: &StepStatistics) -> StepStatistics {
        for stage in Stage::ALL {
            self.times[stage] = self.times[stage].max(other.times[stage]);
        }
        StepStatistics {
            times: self.times,
            contacts: self.contacts.max(other.contacts),
            colliding_points: self.colliding_points.max(other.colliding_points),
            fragments: self.fragments.max(other.fragments),
            triangles: self.triangles.max(other.triangles),
            debris: self.debris.max(other.debris),
            lost: self.lost.max(other.lost),
        }
    }
}

/// What steps cost and found, one after the other, for a chart: of a long run the most of so many steps each, so that it
/// takes no more memory however long it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepHistory {
    entries: Vec<StepStatistics>,
    /// How often neighbours have become one.
    doublings: u32,
    /// Steps in the last entry.
    in_last: u64,
}

/// More entries than this are not drawn.
const MOST_ENTRIES: usize = 1 << 10;

impl StepHistory {
    /// Takes in one more step.
    pub fn add(&mut self, step: &StepStatistics) {
        let stride = self.stride();
        if let Some(last) = self.entries.last_mut().filter(|_| self.in_last < stride) {
            *last = last.most(step);
            self.in_last += 1;
            return;
        }
        if self.entries.len() == MOST_ENTRIES {
            self.entries = self.entries.chunks(2).map(|pair| pair[0].most(&pair[pair.len() - 1])).collect();
            self.doublings += 1;
        }
        self.entries.push(*step);
        self.in_last = 1;
    }

    /// How many steps there are in each entry but the last.
    pub fn stride(&self) -> u64 {
        1 << self.doublings
    }

    /// The most of every so many steps.
    pub fn entries(&self) -> &[StepStatistics] {
        &self.entries
    }
}

/// The mean and the maximum of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// How many values there were.
    pub count: u64,
    /// Their sum.
    pub sum: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// Takes in one more value.
    pub fn add(&mut self, value: f64) {
        self.max = if self.count == 0 { value } else { self.max.max(value) };
        self.count += 1;
        self.sum += value;
    }

    /// The mean; zero of none.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// Serialises as `{"mean", "max"}`, each key with a suffix such as `_ms`.
    fn serialize_as<S: Serializer>(&self, serializer: S, mean: &str, max: &str) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry(mean, &self.mean())?;
        map.serialize_entry(max, &self.max)?;
        map.end()
    }
}

impl Serialize for Spread {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_as(serializer, "mean", "max")
    }
}

/// A [`Spread`] of milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Milliseconds(pub Spread);

impl Serialize for Milliseconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize_as(serializer, "mean_ms", "max_ms")
    }
}

/// The statistics of many steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunStatistics {
    /// Milliseconds of each stage, a step at a time.
    pub stages: [Milliseconds; Stage::ALL.len()],
    /// Milliseconds of all stages together.
    pub total: Milliseconds,
    /// Contact points that the response worked on.
    pub contacts: Spread,
    /// Points found to be touching or overlapping.
    pub colliding_points: Spread,
    /// Pieces at the end.
    pub fragments: usize,
    /// Triangles at the end.
    pub triangles: usize,
    /// Debris at the end.
    pub debris: usize,
    /// Pieces that could not be simulated and were dropped.
    pub lost: usize,
}

impl RunStatistics {
    /// Takes in one more step.
    pub fn add(&mut self, step: &StepStatistics) {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        for stage in Stage::ALL {
            self.stages[stage as usize].0.add(milliseconds(step.times[stage]));
        }
        self.total.0.add(milliseconds(step.times.total()));
        self.contacts.add(step.contacts as f64);
        self.colliding_points.add(step.colliding_points as f64);
        self.fragments = step.fragments;
        self.triangles = step.triangles;
        self.debris = step.debris;
        self.lost = step.lost;
    }

    /// The rows of the stage table, the total last.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, Milliseconds)> + '_ {
        Stage::ALL.iter().map(|&stage| (stage.name(), self.stages[stage as usize])).chain([("total", self.total)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_history_has_the_most_of_every_so_many_steps() {
        let of = |contacts: usize| StepStatistics { contacts, ..StepStatistics::default() };
        for count in [1, MOST_ENTRIES, MOST_ENTRIES + 1, 5 * MOST_ENTRIES + 3] {
            let mut history = StepHistory::default();
            let values: Vec<usize> = (0..count).map(|step| (step * 7919) % 1009).collect();
            values.iter().for_each(|&value| history.add(&of(value)));
            let stride = history.stride() as usize;
            let expected: Vec<usize> = values.chunks(stride).map(|steps| *steps.iter().max().unwrap()).collect();
            let found: Vec<usize> = history.entries().iter().map(|entry| entry.contacts).collect();
            assert_eq!(found, expected, "{count}");
            assert!(found.len() <= MOST_ENTRIES && (stride == 1) == (count <= MOST_ENTRIES));
        }
    }

    #[test]
    fn means_and_maxima_are_those_of_the_series() {
        let mut run = RunStatistics::default();
        for milliseconds in [2, 4, 9] {
            let mut step = StepStatistics { contacts: milliseconds as usize, ..StepStatistics::default() };
            step.times[Stage::Narrow] = Duration::from_millis(milliseconds);
            step.times[Stage::Fracture] = Duration::from_millis(1);
            run.add(&step);
        }
        let narrow = run.stages[Stage::Narrow as usize].0;
        assert_eq!((narrow.mean(), narrow.max), (5.0, 9.0));
        assert_eq!((run.total.0.mean(), run.total.0.max), (6.0, 10.0));
        assert_eq!(run.contacts.mean(), 5.0);
        let rows: Vec<_> = run.rows().map(|(name, _)| name).collect();
        assert_eq!(rows, ["broad", "narrow", "response", "update", "fracture", "total"]);
        let json = serde_json::to_string(&run.total).unwrap();
        assert_eq!(json, r#"{"mean_ms":6.0,"max_ms":10.0}"#);
    }
}
