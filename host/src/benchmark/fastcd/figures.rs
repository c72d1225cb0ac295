//! The charts of \[Heo10\] figures 6 to 8: milliseconds a frame with and without each contribution.

use super::play::{Contender, Played};
use super::record::{Question, time};
use crate::export::{AxisScale, Mark, Plot, Series};

/// The time of each frame that was looked at, by contender.
pub(super) fn figure(title: &str, question: Question, contenders: &[Contender], played: &Played) -> Plot {
    let series = contenders.iter().zip(&played.records).filter_map(|(contender, frames)| {
        let asked = frames.iter().filter(|frame| question.answer(frame).is_some());
        let points: Vec<[f64; 2]> = asked.map(|frame| [f64::from(frame.number), time(frame, question)]).collect();
        (!points.is_empty()).then(|| Series { name: contender.name.into(), points })
    });
    let breaking = played.records.first().into_iter().flatten().filter(|frame| frame.is_topological);
    Plot {
        title: title.into(),
        x_label: "frame".into(),
        y_label: "ms".into(),
        y_scale: AxisScale::Logarithmic,
        series: series.collect(),
        marks: breaking.map(|frame| Mark { x: f64::from(frame.number), name: "bodies break".into() }).collect(),
    }
}
