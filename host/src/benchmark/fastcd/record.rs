//! What the frames of an animation took, summed up.

use super::play::{Answer, Frame};

/// A question that is asked in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// What touches over the step.
    Continuous,
    /// What intersects at its end.
    Discrete,
}

impl Question {
    pub(super) fn name(self) -> &'static str {
        match self {
            Question::Continuous => "CCD",
            Question::Discrete => "DCD",
        }
    }

    /// What it asks for.
    pub(super) fn finds(self) -> &'static str {
        match self {
            Question::Continuous => "contacts",
            Question::Discrete => "intersections",
        }
    }

    pub(super) fn answer(self, frame: &Frame) -> Option<Answer> {
        match self {
            Question::Continuous => frame.continuous,
            Question::Discrete => frame.discrete,
        }
    }
}

/// The frames of an animation that one contender was asked in.
pub(super) struct Record<'a> {
    pub frames: &'a [Frame],
    /// How many there were in all.
    pub all: u32,
}

impl Record<'_> {
    /// The milliseconds of a frame, on average.
    pub(super) fn mean_time(&self, question: Question) -> f64 {
        self.mean(|frame| time(frame, question))
    }

    /// The mean over all frames: of those in which something breaks each is known, and the regular ones stand for the rest.
    pub(super) fn mean(&self, value: impl Fn(&Frame) -> f64) -> f64 {
        let breaking: Vec<f64> = self.frames.iter().filter(|frame| frame.is_topological).map(&value).collect();
        let regular = self.frames.iter().filter(|frame| frame.is_regular && !frame.is_topological).map(&value);
        let others = f64::from(self.all.saturating_sub(1)) - breaking.len() as f64;
        (breaking.iter().sum::<f64>() + others * mean(regular)) / f64::from(self.all.saturating_sub(1).max(1))
    }

    /// The share of the time that goes into updates.
    pub(super) fn update_share(&self, question: Question) -> f64 {
        self.mean(|frame| frame.update) / self.mean_time(question)
    }

    /// How many times as long as the frame after it a frame takes in which something breaks, on average, if anything does.
    pub(super) fn breaking_ratio(&self, question: Question) -> Option<f64> {
        let ratio = |pair: &[Frame]| {
            let follows = pair[0].number + 1 == pair[1].number && pair[0].is_topological && !pair[1].is_topological;
            follows.then(|| time(&pair[0], question) / time(&pair[1], question))
        };
        let ratios: Vec<f64> = self.frames.windows(2).filter_map(ratio).collect();
        (!ratios.is_empty()).then(|| mean(ratios.into_iter()))
    }

    /// The milliseconds of a frame in which something breaks, on average.
    pub(super) fn mean_breaking_time(&self, question: Question) -> f64 {
        mean(self.frames.iter().filter(|frame| frame.is_topological).map(|frame| time(frame, question)))
    }

    /// A sum over all frames that were looked at.
    pub(super) fn total(&self, question: Question, value: impl Fn(&Answer) -> u64) -> u64 {
        self.frames.iter().filter_map(|frame| question.answer(frame)).map(|answer| value(&answer)).sum()
    }
}

/// What a frame took, the update and the answer.
pub(super) fn time(frame: &Frame, question: Question) -> f64 {
    frame.update + question.answer(frame).map_or(0.0, |answer| answer.time)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaking_frames_count_once_and_regular_ones_for_the_rest() {
        let frame = |number: u32, is_topological, is_regular, time| Frame {
            number,
            is_topological,
            is_regular,
            update: 1.0,
            continuous: Some(Answer { time, found: 2, ..Answer::default() }),
            discrete: None,
        };
        // 101 frames, of which the first is none.
        let frames = [
            frame(10, false, true, 4.0),
            frame(15, true, false, 11.0),
            frame(16, false, false, 5.0),
            frame(20, true, true, 17.0),
            frame(21, false, false, 5.0),
            frame(30, false, true, 6.0),
        ];
        let record = Record { frames: &frames, all: 101 };
        assert_eq!(record.mean_time(Question::Continuous), (12.0 + 18.0 + 98.0 * 6.0) / 100.0);
        assert_eq!(record.breaking_ratio(Question::Continuous), Some(2.5));
        assert_eq!(record.mean_breaking_time(Question::Continuous), 15.0);
        assert_eq!(record.total(Question::Continuous, |answer| answer.found as u64), 12);
    }
}
