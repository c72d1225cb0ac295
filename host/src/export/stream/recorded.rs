//! Recordings as streams, chunk by chunk: nothing but the chunk at hand is in memory twice.

use std::path::Path;
use std::sync::Arc;

use glam::DVec3;

use super::messages::{Frame, Hello, Messages};
use crate::export::Camera;
use crate::recording::chunk::{self, Found};
use crate::recording::fields::Fields;
use crate::recording::{MAGIC, RecordingError, RecordingHeader, parse_header};
use crate::statistics::Stage;
use crate::whole_file;

/// A recording's file as what a page reads: an iterator over the bytes of its messages. A recording that was cut short ends
/// after its last whole chunk; one that is damaged gives an error there, and nothing more.
#[derive(Clone, Debug)]
pub struct RecordedStream {
    file: Arc<[u8]>,
    name: String,
    header: RecordingHeader,
    /// Where the next chunk begins.
    at: usize,
    has_begun: bool,
    is_over: bool,
}

impl RecordedStream {
    /// Reads a file. What comes after its header is looked at as it is asked for.
    ///
    /// # Errors
    /// If it cannot be read, is something else, is of another version, or has no header.
    pub fn open(path: &Path) -> Result<RecordedStream, RecordingError> {
        RecordedStream::from_bytes(whole_file::read(path)?, &path.display().to_string())
    }

    /// Takes a recording from memory; `name` is what errors call it.
    ///
    /// # Errors
    /// As [`RecordedStream::open`].
    pub fn from_bytes(file: Vec<u8>, name: &str) -> Result<RecordedStream, RecordingError> {
        if !file.starts_with(MAGIC) {
            return Err(RecordingError::NotARecording { path: name.into() });
        }
        let damaged = |reason: String| RecordingError::Damaged { path: name.into(), byte: MAGIC.len(), reason };
        match chunk::read(&file, MAGIC.len()) {
            Found::End => Err(damaged("the file ends before its header".into())),
            Found::Damaged(reason) => Err(damaged(reason)),
            Found::Chunk { tag, .. } if &tag != b"HEAD" => Err(damaged("the first chunk is not HEAD".into())),
            Found::Chunk { payload, next, .. } => {
                let header = parse_header(&payload, name, MAGIC.len())?;
                Ok(RecordedStream {
                    file: file.into(),
                    name: name.into(),
                    header,
                    at: next,
                    has_begun: false,
                    is_over: false,
                })
            }
        }
    }

    /// What was known before the first frame.
    pub fn header(&self) -> &RecordingHeader {
        &self.header
    }

    /// The whole stream.
    ///
    /// # Errors
    /// If the recording is damaged.
    pub fn read_all(self) -> Result<Vec<u8>, RecordingError> {
        let mut bytes = Vec::new();
        for messages in self {
            bytes.extend_from_slice(&messages?);
        }
        Ok(bytes)
    }

    fn hello(&self) -> Vec<u8> {
        let header = &self.header;
        let camera = header.camera.zip(header.field_of_view).map(|([eye, target, up], vertical_field_of_view)| {
            let [eye, target, up] = [eye, target, up].map(DVec3::from_array);
            Camera { eye, target, up, vertical_field_of_view }
        });
        let mut messages = Messages::begin();
        messages.hello(&Hello {
            frames: header.frames,
            seconds_per_frame: header.seconds_per_frame,
            ground: header.ground,
            camera,
            scene: &header.scene,
            stages: &Stage::ALL.map(Stage::name),
            ..Hello::default()
        });
        messages.into_bytes()
    }

    fn next_chunk(&mut self) -> Result<Option<Vec<u8>>, RecordingError> {
        let damaged = |reason: String| RecordingError::Damaged { path: self.name.clone(), byte: self.at, reason };
        match chunk::read(&self.file, self.at) {
            Found::End => Ok(None),
            Found::Damaged(reason) => Err(damaged(reason)),
            Found::Chunk { tag, payload, next } => {
                let mut messages = Messages::default();
                translate(&mut messages, &tag, &payload, self.header.seconds_per_frame)
                    .map_err(|reason| damaged(reason.to_owned()))?;
                self.at = next;
                Ok(Some(messages.into_bytes()))
            }
        }
    }
}

impl Iterator for RecordedStream {
    type Item = Result<Vec<u8>, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.has_begun {
            self.has_begun = true;
            return Some(Ok(self.hello()));
        }
        if self.is_over {
            return None;
        }
        let next = self.next_chunk();
        self.is_over = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}

/// What a chunk is as a message; the page checks what the numbers mean.
fn translate(messages: &mut Messages, tag: &[u8; 4], chunk: &[u8], seconds: f64) -> Result<(), &'static str> {
    let mut fields = Fields(chunk);
    match tag {
        b"GONE" => {
            let count = chunk.len() / 4;
            messages.death(&fields.list(count, |[piece]| piece)?);
        }
        b"MESH" => messages.put(2, |payload| _ = payload.bytes(chunk)),
        b"BODY" => {
            let [piece, parent, looks] = fields.words()?;
            let measures = fields.bytes(20)?;
            let pairs = fields.list(looks as usize, |pair: [u32; 2]| pair)?;
            let name = String::from_utf8_lossy(fields.0);
            messages.put(3, |payload| {
                payload.u32s(&[piece, parent]).maybe(None).maybe(None).bytes(measures);
                payload.u32s(&[looks]).u32s(pairs.as_flattened()).text(&name);
            });
        }
        b"LOOK" => messages.put(5, |payload| _ = payload.bytes(chunk)),
        b"FORM" => {
            let head: [u32; 3] = fields.words()?;
            messages.put(6, |payload| _ = payload.u32s(&head).u32s(&[1]).bytes(fields.0));
        }
        b"PART" => messages.put(7, |payload| _ = payload.bytes(chunk)),
        b"CONT" => messages.put(8, |payload| _ = payload.bytes(chunk)),
        b"FRAM" => {
            let [number, moved, contacts, touching] = fields.words()?;
            let stages: [f32; Stage::ALL.len()] = fields.words()?.map(f32::from_bits);
            let count = moved as usize;
            let pieces = fields.list(count, |[piece]| piece)?;
            let mut poses: Vec<(u32, [f32; 7])> = pieces.into_iter().map(|piece| (piece, [0.0; 7])).collect();
            for column in 0..7 {
                let values = fields.list(count, |[word]| f32::from_bits(word))?;
                poses.iter_mut().zip(values).for_each(|((_, pose), value)| pose[column] = value);
            }
            let time = f64::from(number) * seconds;
            messages.frame(&Frame { number, time, contacts, touching, stages: &stages, moved: &poses });
        }
        b"DONE" => messages.end(std::str::from_utf8(chunk).map_err(|_| "the summary is not UTF-8")?),
        b"HEAD" => return Err("a second header"),
        // What a later version added, a page of this one can do without.
        _ => {}
    }
    Ok(())
}
