//! Recording meshes that deform and break, without a world.

use std::io::{self, Write};

use super::chunk;
use super::fields::{put_f32s, put_u32s};
use super::form::Form;
use super::writer::{RecordingWriter, seven};
use super::{FileError, RecordingError};
use crate::animation::Change;
use crate::geometry::{Pose, TriMesh};
use crate::statistics::StepStatistics;

impl RecordingWriter {
    /// Appends what happens in an animation as the next frame. The bodies of the recording have the keys of the animation,
    /// and one look each, whose key is zero.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_changes(&mut self, changes: &[Change], statistics: &StepStatistics) -> Result<(), RecordingError> {
        let attempt = self.try_write_changes(changes, statistics);
        Ok(attempt.map_err(|source| FileError::writing(&self.path, source))?)
    }

    fn try_write_changes(&mut self, changes: &[Change], statistics: &StepStatistics) -> io::Result<()> {
        let mut gone: Vec<u32> = Vec::new();
        let mut born: Vec<(u32, Option<u32>, &TriMesh)> = Vec::new();
        for change in changes {
            match change {
                Change::Add { key, mesh } => born.push((*key, None, mesh)),
                Change::Delete { key } => gone.push(*key),
                Change::Split { key, pieces } => {
                    gone.push(*key);
                    born.extend(pieces.iter().map(|piece| (piece.key, Some(*key), &piece.mesh)));
                }
                Change::Merge { keys, key, mesh } => {
                    gone.extend(keys);
                    born.push((*key, keys.first().copied(), mesh));
                }
                Change::Move { .. } => {}
            }
        }
        if !gone.is_empty() {
            self.payload.clear();
            put_u32s(&mut self.payload, &gone);
            chunk::write(&mut self.output, b"GONE", &self.payload)?;
        }
        for &(key, parent, mesh) in &born {
            let number = self.put_mesh(mesh)?;
            self.payload.clear();
            put_u32s(&mut self.payload, &[key, parent.unwrap_or(u32::MAX), 1]);
            // No colour of its own; it is a surface, without mass and volume.
            put_f32s(&mut self.payload, &[f32::NAN, f32::NAN, f32::NAN, 0.0, 0.0]);
            put_u32s(&mut self.payload, &[0, number]);
            self.payload.extend_from_slice(format!("body {key}").as_bytes());
            chunk::write(&mut self.output, b"BODY", &self.payload)?;
        }
        for change in changes {
            if let Change::Move { key, positions } = change {
                self.payload.clear();
                put_u32s(&mut self.payload, &[*key, 0, positions.len() as u32]);
                Form::new(positions).put(&mut self.payload);
                chunk::write(&mut self.output, b"FORM", &self.payload)?;
            }
        }
        let poses: Vec<(u32, [f32; 7])> = born.iter().map(|&(key, ..)| (key, seven(&Pose::IDENTITY))).collect();
        self.write_poses(statistics, &poses)?;
        self.frame += 1;
        self.output.flush()
    }
}
