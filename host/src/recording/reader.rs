//! Reading a recording, whole or cut short.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use glam::{DQuat, DVec3, Quat, Vec2, Vec3};

use super::chunk::{self, Found};
use super::fields::Fields;
use super::form::Form;
use super::{MAGIC, RecordingError, RecordingHeader, VERSION};
use crate::dynamics::Particle;
use crate::geometry::{Pose, TriMesh};
use crate::whole_file;

/// A recording of more than this is hostile, or too long to look at in memory.
const LARGEST: usize = 1 << 32;

/// A recording in memory.
#[derive(Clone, Debug)]
pub struct Recording {
    /// What was known before the first frame.
    pub header: RecordingHeader,
    /// Every mesh that a body has or had.
    pub meshes: Vec<Arc<TriMesh>>,
    /// Every body that was ever there, by number.
    pub bodies: BTreeMap<u32, RecordedBody>,
    /// The statistics of each frame.
    pub frames: Vec<RecordedFrame>,
    /// The particles of each frame that has any.
    particles: BTreeMap<u32, Vec<Particle>>,
    /// Where bodies touch in each frame in which any do.
    contacts: BTreeMap<u32, Vec<RecordedContact>>,
    /// The run's summary; `None` if the run was cut short.
    pub summary: Option<serde_json::Value>,
}

/// A body in a recording.
#[derive(Clone, Debug)]
pub struct RecordedBody {
    /// For people.
    pub name: String,
    /// The body that it is a piece of.
    pub parent: Option<u32>,
    /// Its material's colour, if that has one.
    pub color: Option<[f32; 3]>,
    /// kg.
    pub mass: f32,
    /// m³.
    pub volume: f32,
    /// The first frame that it is in.
    pub born: u32,
    /// The first frame that it is no longer in.
    pub gone: u32,
    /// Its pose from each frame on in which the pose changed.
    track: Vec<(u32, Pose)>,
    looks: Vec<RecordedLook>,
    /// Where the vertices of the look with a key are from a frame on; until the next, or another look.
    forms: BTreeMap<u32, Vec<(u32, Form)>>,
    /// Where in `looks` each key's last look is, while the file is read.
    last_looks: BTreeMap<u32, usize>,
}

/// Something that is seen of a body for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedLook {
    /// What the body calls the part.
    pub key: u32,
    /// Its mesh, a number in [`Recording::meshes`].
    pub mesh: u32,
    /// The first frame in which it is seen.
    pub from: u32,
    /// The first frame in which it is no longer seen.
    pub until: u32,
}

/// What a frame's last step cost and found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordedFrame {
    /// Milliseconds of each stage, in the order of [`Stage::ALL`](crate::statistics::Stage::ALL).
    pub stage_milliseconds: [f32; 5],
    /// Contact points that the response worked on.
    pub contacts: u32,
    /// Points found to be touching or overlapping.
    pub colliding_points: u32,
}

/// Where two bodies touch in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordedContact {
    /// The two bodies.
    pub bodies: [u32; 2],
    /// Where, in the world.
    pub point: Vec3,
    /// The way in which the first body gets free.
    pub normal: Vec3,
    /// How deep they overlap; negative for a gap.
    pub depth: f32,
}

impl RecordedBody {
    /// Where the body is in a frame; `None` before it is born and after it is gone.
    pub fn pose(&self, frame: u32) -> Option<Pose> {
        if frame < self.born || frame >= self.gone {
            return None;
        }
        let later = self.track.partition_point(|&(from, _)| from <= frame);
        self.track.get(later.checked_sub(1)?).map(|&(_, pose)| pose)
    }
}

impl RecordedBody {
    /// What is seen of the body in a frame.
    pub fn looks(&self, frame: u32) -> impl Iterator<Item = &RecordedLook> {
        self.looks.iter().filter(move |look| look.from <= frame && frame < look.until)
    }

    /// Everything that is ever seen of the body, in the order in which it comes up.
    pub fn all_looks(&self) -> &[RecordedLook] {
        &self.looks
    }

    /// The poses that it takes, each with the frame from which on it has it.
    pub fn track(&self) -> &[(u32, Pose)] {
        &self.track
    }

    /// The forms that a look takes, each with the frame from which on it has it; what it was before is its mesh.
    pub fn forms(&self, look: &RecordedLook) -> impl Iterator<Item = (u32, Vec<DVec3>)> {
        let forms = self.forms.get(&look.key).map_or(&[][..], Vec::as_slice);
        let start = forms.partition_point(|&(from, _)| from < look.from);
        let end = forms.partition_point(|&(from, _)| from < look.until).max(start);
        let changes = (start..end).filter(move |&place| place == start || forms[place].1 != forms[place - 1].1);
        changes.map(move |place| (forms[place].0, forms[place].1.positions()))
    }

    fn form(&self, look: &RecordedLook, frame: u32) -> Option<&Form> {
        let forms = self.forms.get(&look.key)?;
        let (from, form) = &forms[forms.partition_point(|&(from, _)| from <= frame).checked_sub(1)?];
        (*from >= look.from).then_some(form)
    }

    /// A key that is shown again without having been taken away changes its look.
    fn show(&mut self, key: u32, mesh: u32, frame: u32) {
        self.hide(key, frame);
        self.last_looks.insert(key, self.looks.len());
        self.looks.push(RecordedLook { key, mesh, from: frame, until: u32::MAX });
    }

    fn hide(&mut self, key: u32, frame: u32) -> bool {
        let last = self.last_looks.remove(&key).map(|place| self.looks[place].until = frame);
        last.is_some()
    }
}

/// The header of a recording, which stands at a byte of a file of some name.
pub(crate) fn parse_header(payload: &[u8], name: &str, at: usize) -> Result<RecordingHeader, RecordingError> {
    #[derive(serde::Deserialize)]
    struct Version {
        version: u32,
    }
    let damaged = |error: serde_json::Error| RecordingError::Damaged {
        path: name.into(),
        byte: at,
        reason: format!("the header cannot be understood: {error}"),
    };
    // The version first: the rest of a newer header may look different.
    let Version { version } = serde_json::from_slice(payload).map_err(damaged)?;
    if version != VERSION {
        return Err(RecordingError::Version { path: name.into(), found: version });
    }
    serde_json::from_slice(payload).map_err(damaged)
}

impl Recording {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is something else, is of another version, or is damaged other than by being cut short.
    pub fn open(path: &Path) -> Result<Recording, RecordingError> {
        let name = path.display().to_string();
        Recording::from_bytes(&whole_file::read(path)?, &name)
    }

    /// Reads a recording from memory; `name` is what errors call it.
    ///
    /// # Errors
    /// As [`Recording::open`].
    pub fn from_bytes(file: &[u8], name: &str) -> Result<Recording, RecordingError> {
        if !file.starts_with(MAGIC) {
            return Err(RecordingError::NotARecording { path: name.into() });
        }
        let damaged = |byte: usize, reason: String| RecordingError::Damaged { path: name.into(), byte, reason };
        let mut at = MAGIC.len();
        let mut recording: Option<Recording> = None;
        let mut inflated = 0;
        loop {
            match chunk::read(file, at) {
                Found::End => break,
                Found::Damaged(reason) => return Err(damaged(at, reason)),
                Found::Chunk { tag, payload, next } => {
                    inflated += payload.len();
                    if inflated > LARGEST {
                        return Err(damaged(at, "the recording inflates to more than 4 GiB".into()));
                    }
                    match &mut recording {
                        None if &tag == b"HEAD" => recording = Some(Recording::begin(&payload, name, at)?),
                        None => return Err(damaged(at, "the first chunk is not HEAD".into())),
                        Some(recording) => {
                            recording.take(&tag, &payload).map_err(|reason| damaged(at, reason.to_owned()))?;
                        }
                    }
                    at = next;
                }
            }
        }
        recording.ok_or_else(|| damaged(at, "the file ends before its header".into()))
    }

    fn begin(payload: &[u8], name: &str, at: usize) -> Result<Recording, RecordingError> {
        Ok(Recording {
            header: parse_header(payload, name, at)?,
            meshes: Vec::new(),
            bodies: BTreeMap::new(),
            frames: Vec::new(),
            particles: BTreeMap::new(),
            contacts: BTreeMap::new(),
            summary: None,
        })
    }

    fn take(&mut self, tag: &[u8; 4], payload: &[u8]) -> Result<(), &'static str> {
        let mut fields = Fields(payload);
        match tag {
            b"MESH" => self.take_mesh(&mut fields),
            b"BODY" => self.take_body(&mut fields),
            b"LOOK" => self.take_looks(&mut fields),
            b"FORM" => self.take_form(&mut fields),
            b"PART" => self.take_particles(&mut fields),
            b"CONT" => self.take_contacts(&mut fields),
            b"GONE" => self.take_gone(&mut fields),
            b"FRAM" => self.take_frame(&mut fields),
            b"HEAD" => Err("a second header"),
            b"DONE" => {
                self.summary = Some(serde_json::from_slice(payload).map_err(|_| "the summary is not JSON")?);
                Ok(())
            }
            // A later minor version may add chunks that this one can do without.
            _ => Ok(()),
        }
    }

    fn take_mesh(&mut self, fields: &mut Fields<'_>) -> Result<(), &'static str> {
        let [number, vertices, triangles, flags] = fields.words()?;
        if number as usize != self.meshes.len() {
            return Err("the meshes are not numbered in order");
        }
        let (vertices, triangles) = (vertices as usize, triangles as usize);
        let positions = fields.list(vertices, |words| Vec3::from_array(words.map(f32::from_bits)).as_dvec3())?;
        let triangles = fields.list(triangles, |corners| corners)?;
        let count = triangles.len();
        let has = |bit: u32| flags >> bit & 1 == 1;
        let normals = if has(0) {
            Some(fields.list(vertices, |words| Vec3::from_array(words.map(f32::from_bits)))?)
        } else {
            None
        };
        let uvs = if has(1) {
            Some(fields.list(vertices, |words| Vec2::from_array(words.map(f32::from_bits)))?)
        } else {
            None
        };
        let colors = if has(2) { Some(fields.list(vertices, |[word]| word.to_le_bytes())?) } else { None };
        let materials = if has(3) { Some(fields.list(count, |[word]| word)?) } else { None };
        let mesh = TriMesh { positions, triangles, normals, uvs, colors, materials };
        mesh.check().map_err(|_| "a mesh names a vertex that is not there, or is not finite")?;
        self.meshes.push(Arc::new(mesh));
        Ok(())
    }

    fn take_body(&mut self, fields: &mut Fields<'_>) -> Result<(), &'static str> {
        let [id, parent, looks] = fields.words()?;
        let [red, green, blue, mass, volume] = fields.words()?.map(f32::from_bits);
        let looks = self.look_list(fields, looks)?;
        let born = self.frames.len() as u32;
        let mut body = RecordedBody {
            name: String::from_utf8_lossy(fields.0).into_owned(),
            parent: (parent != u32::MAX).then_some(parent),
            color: (!red.is_nan()).then_some([red, green, blue]),
            mass,
            volume,
            born,
            gone: u32::MAX,
            track: Vec::new(),
            looks: Vec::new(),
            forms: BTreeMap::new(),
            last_looks: BTreeMap::new(),
        };
        looks.into_iter().for_each(|[key, mesh]| body.show(key, mesh, born));
        match self.bodies.insert(id, body) {
            None => Ok(()),
            Some(_) => Err("a body begins twice"),
        }
    }

    /// Pairs of key and mesh.
    fn look_list(&self, fields: &mut Fields<'_>, count: u32) -> Result<Vec<[u32; 2]>, &'static str> {
        let looks = fields.list(count as usize, |pair: [u32; 2]| pair)?;
        let is_there = |&[_, mesh]: &[u32; 2]| (mesh as usize) < self.meshes.len();
        if looks.iter().all(is_there) { Ok(looks) } else { Err("a body has a mesh that is not there") }
    }

    fn take_looks(&mut self, fields: &mut Fields<'_>) -> Result<(), &'static str> {
        let [id, removed, added] = fields.words()?;
        let removed = fields.list(removed as usize, |[key]| key)?;
        let added = self.look_list(fields, added)?;
        let frame = self.frames.len() as u32;
        let body = self.bodies.get_mut(&id).ok_or("a body that never began changes its looks")?;
        if !removed.into_iter().all(|key| body.hide(key, frame)) {
            return Err("a body loses a look that it does not have");
        }
        added.into_iter().for_each(|[key, mesh]| body.show(key, mesh, frame));
        Ok(())
    }

    fn take_form(&mut self, fields: &mut Fields<'_>) -> Result<(), &'static str> {
        let [id, key, count] = fields.words()?;
        let body = self.bodies.get_mut(&id).ok_or("a body that never began deforms")?;
        let look = body.last_looks.get(&key).ok_or("a look deforms that is not there")?;
        let mesh = &self.meshes[body.looks[*look].mesh as usize];
        let form = Form::take(fields, count as usize)?;
        if form.len() != mesh.positions.len() {
            return Err("a form has other vertices than its mesh");
        }
        let forms = body.forms.entry(key).or_default();
        let frame = self.frames.len() as u32;
        // A look that deforms twice in a frame is as it was last said to be.
        if forms.last().is_some_and(|&(last, _)| last == frame) {
            forms.pop();
        }
        forms.push((frame, form));
        Ok(())
    }

    fn take_particles(&mut self, fields: &mut Fields<'_>) -> Result<(), &'static str> {
        let [count] = fields.words()?;
        let count = count as usize;
        let mut columns: [Vec<f32>; 4] = Default::default();
        for column in &mut columns {
            *column = fields.list(count, |[word]| f32::from_bits(word))?;
        }
        let opacities = fields.bytes(count)?;
        let particle = |place: usize| {
            let [x, y, z, radius] = std::array::from_fn(|column| columns[column][place]);
            Particle { position: Vec3::new(x, y, z), radius, opacity: f32::from(opacities[place]) / 255.0 }
        };
        let particles: Vec<Particle> = (0..count).map(particle).collect();
        if !particles.iter().all(|particle| particle.position.is_finite() && particle.radius.is_finite()) {
            return Err("a particle is not finite");
        }
        self.particles.insert(self.frames.len() as u32, particles);
        Ok(())
    }

    fn take_contacts(&mut self, fields: &mut Fields<'_>) -> Result<(), &'static str> {
        let [count] = fields.words()?;
        let count = count as usize;
        let vector = |words: [u32; 3]| Vec3::from_array(words.map(f32::from_bits));
        let (points, normals) = (fields.list(count, vector)?, fields.list(count, vector)?);
        let depths = fields.list(count, |[word]| f32::from_bits(word))?;
        let (first, second) = (fields.list(count, |[body]| body)?, fields.list(count, |[body]| body)?);
        let contact = |place: usize| RecordedContact {
            bodies: [first[place], second[place]],
            point: points[place],
            normal: normals[place],
            depth: depths[place],
        };
        let contacts: Vec<RecordedContact> = (0..count).map(contact).collect();
        let is_finite = |contact: &RecordedContact| {
            contact.point.is_finite() && contact.normal.is_finite() && contact.depth.is_finite()
        };
        if !contacts.iter().all(is_finite) {
            return Err("a contact is not finite");
        }
        self.contacts.insert(self.frames.len() as u32, contacts);
        Ok(())
    }

    fn take_gone(&mut self, fields: &mut Fields<'_>) -> Result<(), &'static str> {
        while !fields.0.is_empty() {
            let [id] = fields.words()?;
            let body = self.bodies.get_mut(&id);
            body.ok_or("a body ends that never began")?.gone = self.frames.len() as u32;
        }
        Ok(())
    }

    fn take_frame(&mut self, fields: &mut Fields<'_>) -> Result<(), &'static str> {
        let [frame, changed, contacts, colliding_points] = fields.words()?;
        if frame as usize != self.frames.len() {
            return Err("the frames are not numbered in order");
        }
        let stage_milliseconds = fields.words()?.map(f32::from_bits);
        let changed = changed as usize;
        let ids = fields.list(changed, |[word]| word)?;
        let mut columns: [Vec<f32>; 7] = Default::default();
        for column in &mut columns {
            *column = fields.list(changed, |[word]| f32::from_bits(word))?;
        }
        for (row, id) in ids.into_iter().enumerate() {
            let [x, y, z, w, tx, ty, tz] = std::array::from_fn(|column| columns[column][row]);
            let rotation: DQuat = Quat::from_xyzw(x, y, z, w).as_dquat();
            let translation: DVec3 = Vec3::new(tx, ty, tz).as_dvec3();
            if !(rotation.is_finite() && translation.is_finite() && rotation.length_squared() > 0.0) {
                return Err("a pose is not finite");
            }
            let body = self.bodies.get_mut(&id);
            let body = body.ok_or("a frame moves a body that is not there")?;
            body.track.push((frame, Pose { rotation: rotation.normalize(), translation }));
        }
        self.frames.push(RecordedFrame { stage_milliseconds, contacts, colliding_points });
        Ok(())
    }

    /// The particles in the air in a frame.
    pub fn particles(&self, frame: u32) -> &[Particle] {
        self.particles.get(&frame).map_or(&[], Vec::as_slice)
    }

    /// Where bodies touch in a frame; recordings of earlier programs do not say.
    pub fn contacts(&self, frame: u32) -> &[RecordedContact] {
        self.contacts.get(&frame).map_or(&[], Vec::as_slice)
    }

    /// A look of a body as it is in a frame. One that has deformed has no normals: those of its mesh are of another form.
    pub fn mesh(&self, body: &RecordedBody, look: &RecordedLook, frame: u32) -> Cow<'_, TriMesh> {
        let mesh = &*self.meshes[look.mesh as usize];
        match body.form(look, frame) {
            None => Cow::Borrowed(mesh),
            Some(form) => Cow::Owned(TriMesh {
                positions: form.positions(),
                triangles: mesh.triangles.clone(),
                normals: None,
                uvs: mesh.uvs.clone(),
                colors: mesh.colors.clone(),
                materials: mesh.materials.clone(),
            }),
        }
    }

    /// The bodies that are there in a frame, with their numbers and poses, in order.
    pub fn bodies_at(&self, frame: u32) -> impl Iterator<Item = (u32, &RecordedBody, Pose)> {
        self.bodies.iter().filter_map(move |(&id, body)| Some((id, body, body.pose(frame)?)))
    }
}
