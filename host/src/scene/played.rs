//! Scenes that are played: surfaces that move by themselves, frame by frame, with no world around them.

use std::ops::ControlFlow;

use super::runner::{Progress, RunError, RunSummary};
use crate::animation::Change;
use crate::hash::StateHash;
use crate::recording::RecordingWriter;
use crate::statistics::StepStatistics;

/// What is played, a frame at a time.
pub(super) trait Played {
    /// Goes on by a frame. Adds what each step of it cost and found, of which the last is recorded with the frame, and writes its
    /// state into the hash. In the first frame there is no step: everything comes.
    fn advance(&mut self, steps: &mut Vec<StepStatistics>, hash: &mut StateHash) -> Result<(), RunError>;

    /// What has happened to the surfaces in the frame.
    fn changes(&self) -> &[Change];
}

/// Plays it from the first frame on.
pub(super) fn play(
    played: &mut impl Played,
    frames: u32,
    mut recording: Option<&mut RecordingWriter>,
    summary: &mut RunSummary,
    mut observe: impl FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<(), RunError> {
    let mut hash = StateHash::new();
    let mut steps = Vec::new();
    for frame in 0..frames {
        steps.clear();
        played.advance(&mut steps, &mut hash)?;
        let last = steps.last().copied().unwrap_or_default();
        if let Some(recording) = &mut recording {
            recording.write_changes(played.changes(), &last)?;
        }
        if frame == 0 {
            summary.statistics.triangles = last.triangles;
        } else {
            steps.iter().for_each(|&step| summary.take_step(step));
            summary.steps += steps.len() as u64;
        }
        summary.frames = frame + 1;
        if observe(Progress { frame: frame + 1, frames, world: None }).is_break() {
            summary.interrupted = frame + 1 < frames;
            break;
        }
    }
    summary.hash = hash.finish();
    Ok(())
}
