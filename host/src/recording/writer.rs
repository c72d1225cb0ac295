//! Writing a recording while the run goes on.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Vec3;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::fields::{put_f32s, put_u32s};
use super::{MAGIC, RecordingError, RecordingHeader, chunk};
use crate::dynamics::Particle;
use crate::export::stream::{Touch, put_contacts, put_shape};
use crate::geometry::{Pose, TriMesh};
use crate::statistics::{Stage, StepStatistics};
use crate::whole_file::FileError;
use crate::world::{Body, BodyContact, BodyId, LazyMesh, World};

/// What a recording says of a body so far.
struct Written {
    pose: [f32; 7],
    look_version: u32,
    /// The address of each look.
    looks: BTreeMap<u32, usize>,
}

/// Writes a recording, a frame at a time. Each frame is handed to the operating system when it is complete, so that a
/// run that is killed leaves a recording up to its last whole frame.
pub struct RecordingWriter {
    pub(super) path: PathBuf,
    pub(super) output: BufWriter<File>,
    /// The number of each mesh already written, by address.
    meshes: FxHashMap<usize, u32>,
    /// The meshes written, kept alive so that no address is used twice.
    kept: Vec<(LazyMesh, Arc<TriMesh>)>,
    mesh_count: u32,
    /// What was last written of each body, by number; `None` before it begins and once it is gone.
    written: Vec<Option<Written>>,
    pub(super) frame: u32,
    pub(super) payload: Vec<u8>,
}

impl RecordingWriter {
    /// Begins a recording; an existing file is replaced.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, header: &RecordingHeader) -> Result<RecordingWriter, RecordingError> {
        let attempt = || {
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
            // Two runs that write one file would leave a mixture of both.
            file.try_lock().map_err(|error| match error {
                TryLockError::WouldBlock => io::Error::other("another run is writing it"),
                TryLockError::Error(error) => error,
            })?;
            file.set_len(0)?;
            let mut output = BufWriter::new(file);
            output.write_all(MAGIC)?;
            chunk::write(&mut output, b"HEAD", &serde_json::to_vec(header)?)?;
            output.flush()?;
            Ok(output)
        };
        let output = attempt().map_err(|source| FileError::writing(path, source))?;
        Ok(RecordingWriter {
            path: path.to_owned(),
            output,
            meshes: FxHashMap::default(),
            kept: Vec::new(),
            mesh_count: 0,
            written: Vec::new(),
            frame: 0,
            payload: Vec::new(),
        })
    }

    /// Appends the world as it stands as the next frame: new meshes, bodies that began or ended, poses that changed.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_frame(&mut self, world: &World) -> Result<(), RecordingError> {
        Ok(self.try_write_frame(world).map_err(|source| FileError::writing(&self.path, source))?)
    }

    fn try_write_frame(&mut self, world: &World) -> std::io::Result<()> {
        let gone: Vec<u32> = (0..self.written.len() as u32)
            .filter(|&id| self.written[id as usize].is_some() && world.body(BodyId(id)).is_none())
            .collect();
        if !gone.is_empty() {
            chunk::write(&mut self.output, b"GONE", bytemuck::cast_slice(&gone))?;
            for id in gone {
                self.written[id as usize] = None;
            }
        }
        let mut changed: Vec<(u32, [f32; 7])> = Vec::new();
        for (id, body) in world.bodies() {
            let pose = world.pose(id).map(|pose| seven(&pose)).unwrap_or_default();
            let index = id.0 as usize;
            if self.written.len() <= index {
                self.written.resize_with(index + 1, || None);
            }
            match &mut self.written[index] {
                Some(written) => {
                    if written.pose != pose {
                        written.pose = pose;
                        changed.push((id.0, pose));
                    }
                    if written.look_version != body.look_version() {
                        self.write_looks(id, body)?;
                    }
                }
                None => {
                    self.write_birth(id, body)?;
                    let looks = body.looks().iter().map(|(&key, look)| (key, look.address())).collect();
                    self.written[index] = Some(Written { pose, look_version: body.look_version(), looks });
                    changed.push((id.0, pose));
                }
            }
        }
        self.write_particles(world.particles())?;
        self.write_contacts(world)?;
        self.write_poses(world.statistics(), &changed)?;
        self.frame += 1;
        self.output.flush()
    }

    fn write_birth(&mut self, id: BodyId, body: &Body) -> std::io::Result<()> {
        let looks = self.write_meshes(body.looks().iter().map(|(&key, look)| (key, look)))?;
        let color = body.material().color.unwrap_or([f32::NAN; 3]);
        self.payload.clear();
        let parent = body.parent().map_or(u32::MAX, |parent| parent.0);
        put_u32s(&mut self.payload, &[id.0, parent, looks.len() as u32]);
        put_f32s(&mut self.payload, &color);
        put_f32s(&mut self.payload, &[body.mass() as f32, body.mass_properties().volume as f32]);
        put_u32s(&mut self.payload, looks.as_flattened());
        self.payload.extend_from_slice(body.name().as_bytes());
        chunk::write(&mut self.output, b"BODY", &self.payload)
    }

    /// Writes how a body's looks differ from what the recording says of them.
    fn write_looks(&mut self, id: BodyId, body: &Body) -> std::io::Result<()> {
        let Some(Some(written)) = self.written.get_mut(id.0 as usize) else { return Ok(()) };
        written.look_version = body.look_version();
        let now: BTreeMap<u32, usize> = body.looks().iter().map(|(&key, look)| (key, look.address())).collect();
        let before = std::mem::replace(&mut written.looks, now);
        let differs = |key: &u32, address: usize| before.get(key) != Some(&address);
        let added = body.looks().iter().filter(|(key, look)| differs(key, look.address()));
        let added: Vec<(u32, &LazyMesh)> = added.map(|(&key, look)| (key, look)).collect();
        let stays = |key: &u32, address: usize| body.looks().get(key).is_some_and(|look| look.address() == address);
        let removed = before.iter().filter(|&(key, &address)| !stays(key, address));
        let removed: Vec<u32> = removed.map(|(&key, _)| key).collect();
        let added = self.write_meshes(added)?;
        self.payload.clear();
        put_u32s(&mut self.payload, &[id.0, removed.len() as u32, added.len() as u32]);
        put_u32s(&mut self.payload, &removed);
        put_u32s(&mut self.payload, added.as_flattened());
        chunk::write(&mut self.output, b"LOOK", &self.payload)
    }

    fn write_particles(&mut self, particles: &[Particle]) -> std::io::Result<()> {
        if particles.is_empty() {
            return Ok(());
        }
        self.payload.clear();
        put_u32s(&mut self.payload, &[particles.len() as u32]);
        for coordinate in 0..3 {
            particles.iter().for_each(|particle| put_f32s(&mut self.payload, &[particle.position[coordinate]]));
        }
        particles.iter().for_each(|particle| put_f32s(&mut self.payload, &[particle.radius]));
        self.payload.extend(particles.iter().map(|particle| (particle.opacity.clamp(0.0, 1.0) * 255.0).round() as u8));
        chunk::write(&mut self.output, b"PART", &self.payload)
    }

    /// Where bodies touch: what only comes near is no contact to somebody who looks.
    fn write_contacts(&mut self, world: &World) -> std::io::Result<()> {
        let touches: Vec<Touch> = touches(world).into_iter().map(coarse).collect();
        if touches.is_empty() {
            return Ok(());
        }
        self.payload.clear();
        put_contacts(&mut self.payload, &touches);
        chunk::write(&mut self.output, b"CONT", &self.payload)
    }

    /// Pairs of key and mesh number. Meshes that are new are triangulated and written.
    fn write_meshes<'a>(
        &mut self,
        looks: impl IntoIterator<Item = (u32, &'a LazyMesh)>,
    ) -> std::io::Result<Vec<[u32; 2]>> {
        looks.into_iter().map(|(key, look)| Ok([key, self.write_look(look)?])).collect()
    }

    fn write_look(&mut self, look: &LazyMesh) -> std::io::Result<u32> {
        if let Some(&number) = self.meshes.get(&look.address()) {
            return Ok(number);
        }
        let mesh = look.mesh();
        let number = self.write_mesh(mesh)?;
        self.meshes.insert(look.address(), number);
        self.kept.push((look.clone(), Arc::clone(mesh)));
        Ok(number)
    }

    /// The number of a mesh, which is written when it is first met.
    fn write_mesh(&mut self, mesh: &Arc<TriMesh>) -> std::io::Result<u32> {
        let address = Arc::as_ptr(mesh).addr();
        match self.meshes.get(&address) {
            Some(&number) => Ok(number),
            None => {
                let number = self.put_mesh(mesh)?;
                self.meshes.insert(address, number);
                Ok(number)
            }
        }
    }

    /// Writes a mesh and gives it the next number.
    pub(super) fn put_mesh(&mut self, mesh: &TriMesh) -> std::io::Result<u32> {
        let number = self.mesh_count;
        self.mesh_count += 1;
        self.payload.clear();
        put_shape(&mut self.payload, number, mesh, false);
        chunk::write(&mut self.output, b"MESH", &self.payload)?;
        Ok(number)
    }

    pub(super) fn write_poses(
        &mut self,
        statistics: &StepStatistics,
        changed: &[(u32, [f32; 7])],
    ) -> std::io::Result<()> {
        let StepStatistics { times, contacts, colliding_points, .. } = statistics;
        self.payload.clear();
        put_u32s(&mut self.payload, &[self.frame, changed.len() as u32, *contacts as u32, *colliding_points as u32]);
        put_f32s(&mut self.payload, &Stage::ALL.map(|stage| times[stage].as_secs_f32() * 1e3));
        // Numbers first, then each coordinate by itself: equal bytes come to stand side by side, which compresses.
        for (id, _) in changed {
            put_u32s(&mut self.payload, &[*id]);
        }
        for coordinate in 0..7 {
            for (_, pose) in changed {
                put_f32s(&mut self.payload, &[pose[coordinate]]);
            }
        }
        chunk::write(&mut self.output, b"FRAM", &self.payload)
    }

    /// Ends the recording with the run's summary.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(mut self, summary: &impl Serialize) -> Result<(), RecordingError> {
        let mut attempt = || {
            chunk::write(&mut self.output, b"DONE", &serde_json::to_vec(summary)?)?;
            self.output.flush()
        };
        Ok(attempt().map_err(|source| FileError::writing(&self.path, source))?)
    }
}

/// A contact with as many digits as somebody sees: others are noise, which does not compress.
fn coarse(touch: Touch) -> Touch {
    let keep = |value: f32, bits: u32| f32::from_bits(value.to_bits() & u32::MAX << (23 - bits));
    let keep_all = |vector: Vec3, bits: u32| Vec3::from_array(vector.to_array().map(|value| keep(value, bits)));
    Touch {
        point: keep_all(touch.point, 15),
        normal: keep_all(touch.normal, 9),
        depth: keep(touch.depth, 9),
        pieces: touch.pieces,
    }
}

/// The contacts of a world's last step that are more than nearness.
pub(crate) fn touches(world: &World) -> Vec<Touch> {
    let touching = |contact: &BodyContact| contact.contact.depth >= 0.0 || contact.impulse > 0.0;
    let touch = |BodyContact { bodies, contact, .. }: BodyContact| Touch {
        point: contact.point.as_vec3(),
        normal: contact.normal.as_vec3(),
        depth: contact.depth as f32,
        pieces: bodies.map(|body| Some(body.0)),
    };
    let all = world.contacts().into_iter().filter(touching).map(touch);
    all.filter(|touch| touch.point.is_finite() && touch.normal.is_finite() && touch.depth.is_finite()).collect()
}

/// A pose as it is written.
pub(crate) fn seven(pose: &Pose) -> [f32; 7] {
    let [x, y, z, w] = pose.rotation.as_quat().to_array();
    let [tx, ty, tz] = pose.translation.as_vec3().to_array();
    [x, y, z, w, tx, ty, tz]
}
