//! The animations of the paper and what is compared in each.

use super::SUITE;
use super::figures::figure;
use super::play::{Contender, Method, Played, play};
use super::record::{Question, Record};
use crate::animation;
use crate::benchmark::{Findings, Row};
use crate::bvh::{BuildMethod, Culling, MeshTreeOptions, Metric, RestructureOptions};

/// Names of contenders, by which rows and charts know them.
const OURS: &str = "ours";
const CRACKS: &str = "contacts along cracks told";
const TWO_THREADS: &str = "ours on two threads";
const UNCULLED: &str = "nothing culled";
const DUAL_CONES: &str = "dual cones";
const NORMAL_CONES: &str = "normal cones alone";
const MEDIAN: &str = "median build";
const LM: &str = "median build, LM metric";
const HASH: &str = "spatial hashing as published";
const BETTER_HASH: &str = "spatial hashing, boxes first";
const REBUILT: &str = "built anew where bodies break";

fn contender(name: &'static str) -> Contender {
    let ours = MeshTreeOptions::default();
    let tree = |options| Contender::tree(name, options);
    match name {
        TWO_THREADS => Contender { threads: 2, ..tree(ours) },
        CRACKS => tree(MeshTreeOptions { crack_contacts: true, ..ours }),
        UNCULLED => tree(MeshTreeOptions { culling: Culling::Off, ..ours }),
        DUAL_CONES => tree(MeshTreeOptions { culling: Culling::DualCones, ..ours }),
        NORMAL_CONES => tree(MeshTreeOptions { culling: Culling::NormalCones, ..ours }),
        MEDIAN => tree(MeshTreeOptions { build: BuildMethod::Median, ..ours }),
        LM => {
            let restructure = RestructureOptions { metric: Metric::VolumeRatio, ..ours.restructure };
            tree(MeshTreeOptions { build: BuildMethod::Median, restructure, ..ours })
        }
        HASH => Contender { method: Method::PublishedHash, ..tree(ours) },
        BETTER_HASH => Contender { method: Method::Hash, ..tree(ours) },
        REBUILT => Contender { method: Method::Rebuilt(ours), ..tree(ours) },
        _ => tree(ours),
    }
}

/// An animation and the paper's figures about it.
pub(super) struct Scene {
    name: &'static str,
    /// How many frames are looked at, about.
    pub samples: u32,
    /// Milliseconds a frame on one thread.
    continuous: Option<f64>,
    discrete: Option<f64>,
    others: &'static [Other],
    /// The name of its chart, what stands above and what it is about.
    plot: Option<(&'static str, &'static str, Question)>,
}

/// What ours is compared with.
struct Other {
    name: &'static str,
    question: Question,
    /// Of all frames, or of those in which something breaks.
    breaking: bool,
    /// How many times as fast the paper's method is.
    paper: Option<f64>,
}

const fn other(name: &'static str, question: Question, paper: Option<f64>) -> Other {
    Other { name, question, breaking: false, paper }
}

use Question::{Continuous, Discrete};

pub(super) const ALL: [Scene; 4] = [
    Scene {
        name: "n_body",
        samples: 24,
        continuous: Some(17.0),
        discrete: None,
        others: &[
            other(UNCULLED, Continuous, None),
            other(HASH, Discrete, Some(7.0)),
            other(BETTER_HASH, Discrete, None),
        ],
        plot: None,
    },
    Scene {
        name: "cloth",
        samples: 24,
        continuous: Some(345.0),
        discrete: None,
        others: &[
            other(UNCULLED, Continuous, None),
            other(DUAL_CONES, Continuous, None),
            other(NORMAL_CONES, Continuous, None),
            other(HASH, Discrete, Some(1.56)),
            other(BETTER_HASH, Discrete, None),
        ],
        plot: Some(("figure8_cloth_ccd", "Cloth, continuous collision detection", Continuous)),
    },
    Scene {
        name: "breaking_walls",
        samples: 20,
        continuous: None,
        discrete: Some(97.0),
        others: &[
            Other { breaking: true, ..other(CRACKS, Continuous, None) },
            other(UNCULLED, Discrete, None),
            other(LM, Discrete, Some(1.76)),
            other(HASH, Discrete, Some(20.0)),
            other(BETTER_HASH, Discrete, None),
        ],
        plot: Some(("figure7_walls_dcd", "Breaking walls, discrete collision detection", Discrete)),
    },
    Scene {
        name: "exploding_dragon",
        samples: 20,
        continuous: Some(715.0),
        discrete: Some(252.0),
        others: &[
            Other { breaking: true, ..other(CRACKS, Continuous, None) },
            other(LM, Continuous, Some(1.27)),
            Other { breaking: true, ..other(MEDIAN, Continuous, Some(1.84)) },
            Other { breaking: true, ..other(REBUILT, Continuous, None) },
        ],
        plot: Some(("figure6_dragon_ccd", "Exploding dragon, continuous collision detection", Continuous)),
    },
];

impl Scene {
    /// Plays the animation with about so many times the paper's triangles, and looks at about so many frames.
    pub(super) fn run(&self, detail: f64, samples: u32) -> Result<Findings, String> {
        let animation = animation::by_name(self.name, detail)
            .ok_or_else(|| format!("there is no animation of the name `{}`", self.name))?;
        let mut contenders = vec![contender(OURS), contender(TWO_THREADS)];
        contenders.extend(self.others.iter().map(|other| Contender {
            continuous: other.question == Continuous,
            discrete: other.question == Discrete,
            ..contender(other.name)
        }));
        tracing::info!(animation = self.name, "is played");
        let played = play(animation, &contenders, samples)?;
        let plot = |(file, title, question): (&str, &str, Question)| {
            (file.to_owned(), figure(title, question, &contenders, &played))
        };
        Ok(Findings { rows: self.rows(&contenders, &played), plots: self.plot.map(plot).into_iter().collect() })
    }

    fn rows(&self, contenders: &[Contender], played: &Played) -> Vec<Row> {
        let record = |name: &str| {
            let place = contenders.iter().position(|contender| contender.name == name)?;
            Some(Record { frames: &played.records[place], all: played.frames })
        };
        let Some(ours) = record(OURS) else { return Vec::new() };
        let triangles = match played.triangles {
            [first, last] if first == last => format!("{first}"),
            [first, last] => format!("{first} to {last}"),
        };
        let name = format!("{}, {triangles} triangles, {} of {} frames", played.name, ours.frames.len(), played.frames);
        let row = |stage: String, ours: f64, unit: &str| Row::new(SUITE, name.clone(), &stage, ours, unit);
        let mut rows = Vec::new();
        for (question, paper) in [(Continuous, self.continuous), (Discrete, self.discrete)] {
            let (kind, time) = (question.name(), ours.mean_time(question));
            rows.push(Row { paper, ..row(format!("{kind}, one thread"), time, "ms") });
            if let Some(two) = record(TWO_THREADS) {
                rows.push(
                    row(format!("{kind}, two threads"), two.mean_time(question), "ms").against("one thread", time),
                );
            }
            rows.push(row(format!("{kind}, updates"), 100.0 * ours.update_share(question), "% of the time"));
            let found = ours.mean(|frame| question.answer(frame).map_or(0.0, |answer| answer.found as f64));
            rows.push(row(format!("{kind}, {}", question.finds()), found, "a frame"));
            if let Some(ratio) = ours.breaking_ratio(question) {
                rows.push(row(format!("{kind}, a frame that breaks"), ratio, "x the one after"));
            }
        }
        if let Some(ratio) = record(CRACKS).and_then(|record| record.breaking_ratio(Continuous)) {
            rows.push(row(format!("CCD, a frame that breaks, {CRACKS}"), ratio, "x the one after"));
        }
        for Other { name, question, breaking, paper } in self.others {
            let Some(other) = record(name) else { continue };
            let (kind, of) = (question.name(), if *breaking { " where bodies break" } else { "" });
            let mean = |record: &Record<'_>| match breaking {
                true => record.mean_breaking_time(*question),
                false => record.mean_time(*question),
            };
            let [ours, theirs] = [&ours, &other].map(mean);
            rows.push(row(format!("{kind}{of}, one thread"), ours, "ms").against(name, theirs));
            let faster = row(format!("{kind}{of}, compared with {name}"), theirs / ours, "x as fast");
            rows.push(Row { paper: *paper, ..faster });
        }
        if let Some(all) = record(UNCULLED) {
            rows.extend(self.culling(&row, &all, [OURS, DUAL_CONES, NORMAL_CONES].map(|name| (name, record(name)))));
        }
        rows
    }

    /// How many overlaps of boxes the culling saves, and how many contacts it loses.
    fn culling(
        &self,
        row: &impl Fn(String, f64, &str) -> Row,
        all: &Record<'_>,
        others: [(&str, Option<Record<'_>>); 3],
    ) -> Vec<Row> {
        let question = if self.continuous.is_some() { Continuous } else { Discrete };
        let (kind, finds) = (question.name(), question.finds());
        let overlaps = |record: &Record<'_>| record.total(question, |answer| answer.counts.overlaps) as f64;
        let found = |record: &Record<'_>| record.total(question, |answer| answer.found as u64);
        let mut rows = Vec::new();
        for (name, record) in others {
            let Some(record) = record else { continue };
            let saved = 100.0 * (1.0 - overlaps(&record) / overlaps(all).max(1.0));
            let ratio = row(format!("{kind}, culling ratio, {name}"), saved, "% of overlaps");
            let paper = (self.name == "cloth" && name != NORMAL_CONES).then_some(46.5);
            rows.push(Row { paper, ..ratio });
            let missed = found(all).saturating_sub(found(&record)) as f64;
            let missed = row(format!("{kind}, {finds} missed, {name}"), missed, &format!("of {}", found(all)));
            // Of normal cones alone it says that they do miss some.
            let paper = (self.name == "cloth" && name != NORMAL_CONES).then_some(0.0);
            rows.push(Row { paper, ..missed });
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_has_its_rows_and_its_chart() {
        for scene in ALL {
            let Findings { rows, plots } = scene.run(0.02, 4).unwrap();
            assert!(rows.iter().all(|row| row.suite == SUITE && row.ours.is_finite()), "{rows:#?}");
            let stage = |start: &str| rows.iter().find(|row| row.stage.starts_with(start));
            assert!(stage("CCD, one thread").is_some_and(|row| row.paper == scene.continuous && row.ours > 0.0));
            assert!(stage("DCD, two threads").is_some_and(|row| row.baseline.is_some()));
            assert_eq!(stage("CCD, a frame that breaks").is_some(), scene.name.contains('_') && scene.name != "n_body");
            // What cannot miss has missed nothing.
            for row in rows.iter().filter(|row| row.stage.ends_with("missed, ours")) {
                assert_eq!(row.ours, 0.0);
            }
            assert_eq!(plots.len(), usize::from(scene.plot.is_some()));
            for (_, plot) in plots {
                assert!(plot.series.len() > 2 && plot.series.iter().all(|series| series.points.len() >= 4));
            }
        }
    }
}
