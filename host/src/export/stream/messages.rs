//! Messages as bytes, one after the other.

use glam::Vec3;

use super::payload::Payload;
use crate::dynamics::Particle;
use crate::export::Camera;
use crate::geometry::TriMesh;

/// The first bytes of a stream.
const MAGIC: &[u8; 8] = b"FRACASV\n";

/// The version that this library writes.
const VERSION: u32 = 1;

/// Most stages, and most fields, that a page takes.
const MOST_STAGES: usize = 16;
const MOST_FIELDS: usize = 64;

/// What a page reads, as it grows. Messages are in the order in which they are put; the page's `PROTOCOL.md` says which
/// that may be.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    bytes: Vec<u8>,
}

/// What is known before the first frame.
#[derive(Clone, Debug, Default)]
pub struct Hello<'a> {
    /// Whether it comes from a simulation that goes on.
    pub live: bool,
    /// How many frames there will be; 0 if nobody knows.
    pub frames: u32,
    /// Seconds from frame to frame.
    pub seconds_per_frame: f64,
    /// The height of the ground.
    pub ground: Option<f64>,
    /// Where to look from.
    pub camera: Option<Camera>,
    /// The name of the scene.
    pub scene: &'a str,
    /// The names of the stages that frames have times of.
    pub stages: &'a [&'a str],
    /// The names and the units of fields.
    pub fields: &'a [(&'a str, &'a str)],
}

/// A piece that begins.
#[derive(Clone, Debug, Default)]
pub struct Birth<'a> {
    /// A number that was never used before.
    pub piece: u32,
    /// What it came of.
    pub parent: Option<u32>,
    /// What hangs together has one number.
    pub island: Option<u32>,
    /// The number of its material.
    pub material: Option<u32>,
    /// Its own colour.
    pub color: Option<[f32; 3]>,
    /// kg, or NaN.
    pub mass: f32,
    /// m³, or NaN.
    pub volume: f32,
    /// Keys of its looks, and their shapes.
    pub looks: &'a [[u32; 2]],
    /// For people.
    pub name: &'a str,
}

/// Where two pieces touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Where, in the world.
    pub point: Vec3,
    /// The way in which the first piece gets free.
    pub normal: Vec3,
    /// How deep they overlap; negative for a gap.
    pub depth: f32,
    /// The two pieces; what is missing is no piece, as the ground may be.
    pub pieces: [Option<u32>; 2],
}

/// What a field is a measure of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// The piece.
    Piece,
    /// The vertices of a look, by its key.
    Vertices(u32),
    /// The triangles of a look whose shape was announced to have such fields.
    Triangles(u32),
}

/// What closes a frame.
#[derive(Clone, Debug, Default)]
pub struct Frame<'a> {
    /// Above that of the frame before.
    pub number: u32,
    /// Seconds.
    pub time: f64,
    /// Contacts that the step worked on.
    pub contacts: u32,
    /// Points that were found to touch.
    pub touching: u32,
    /// The milliseconds of each stage.
    pub stages: &'a [f32],
    /// The pieces whose pose changed: the rotation's x, y, z, w and the position's x, y, z.
    pub moved: &'a [(u32, [f32; 7])],
}

/// A value of a slider, and where the slider ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slider {
    /// The least value.
    pub least: f32,
    /// The largest value.
    pub most: f32,
    /// The value from the start.
    pub now: f32,
    /// From one value to the next; 0 for no steps.
    pub step: f32,
}

/// What somebody at a page can do to a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choices {
    /// Whether balls can be thrown, pieces broken and dragged.
    pub tools: [bool; 3],
    /// How breaks can run.
    pub patterns: Vec<String>,
    /// How pieces can be broken.
    pub methods: Vec<String>,
    /// The radius of a break.
    pub radius: Slider,
    /// The speed of a ball.
    pub ball_speed: Slider,
    /// The radius of a ball.
    pub ball_radius: Slider,
}

/// How a simulation goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Status {
    /// Whether it waits.
    pub is_paused: bool,
    /// Seconds of the simulation for a second of the clock.
    pub slow_motion: f32,
    /// Steps in a second of the clock, or NaN.
    pub steps_per_second: f32,
    /// How many pages watch.
    pub pages: u32,
}

impl Messages {
    /// The beginning of a stream.
    pub fn begin() -> Messages {
        Messages { bytes: MAGIC.to_vec() }
    }

    /// What was put so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What was put.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Any message, by its kind.
    pub(super) fn put(&mut self, kind: u32, fill: impl FnOnce(&mut Payload<'_>)) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 8]);
        fill(&mut Payload(&mut self.bytes));
        let length = (self.bytes.len() - start - 8) as u32;
        self.bytes[start..start + 4].copy_from_slice(&kind.to_le_bytes());
        self.bytes[start + 4..start + 8].copy_from_slice(&length.to_le_bytes());
    }

    /// `HELLO`, the first. Of more stages and fields than a page takes the rest is left out.
    pub fn hello(&mut self, hello: &Hello<'_>) {
        let camera = hello.camera.map_or([f32::NAN; 10], |camera| {
            let [eye, target, up] = [camera.eye, camera.target, camera.up].map(|v| v.as_vec3().to_array());
            let mut ten = [camera.vertical_field_of_view as f32; 10];
            ten[..9].copy_from_slice([eye, target, up].as_flattened());
            ten
        });
        let stages = &hello.stages[..hello.stages.len().min(MOST_STAGES)];
        let fields = &hello.fields[..hello.fields.len().min(MOST_FIELDS)];
        self.put(1, |payload| {
            payload.u32s(&[VERSION, u32::from(hello.live), 1, hello.frames]).f64(hello.seconds_per_frame);
            payload.f32s(&[hello.ground.map_or(f32::NAN, |height| height as f32)]).f32s(&camera);
            payload.u32s(&[stages.len() as u32, fields.len() as u32]).text(hello.scene);
            stages.iter().for_each(|stage| _ = payload.text(stage));
            fields.iter().for_each(|(name, unit)| _ = payload.text(name).text(unit));
        });
    }

    /// `SHAPE`: a mesh under a number. `is_apart` announces fields by triangle.
    pub fn shape(&mut self, number: u32, mesh: &TriMesh, is_apart: bool) {
        self.put(2, |payload| put_shape(payload.0, number, mesh, is_apart));
    }

    /// `BIRTH`.
    pub fn birth(&mut self, birth: &Birth<'_>) {
        self.put(3, |payload| {
            payload.u32s(&[birth.piece]).maybe(birth.parent).maybe(birth.island).maybe(birth.material);
            payload.f32s(&birth.color.unwrap_or([f32::NAN; 3])).f32s(&[birth.mass, birth.volume]);
            payload.u32s(&[birth.looks.len() as u32]).u32s(birth.looks.as_flattened()).text(birth.name);
        });
    }

    /// `DEATH`.
    pub fn death(&mut self, pieces: &[u32]) {
        self.put(4, |payload| _ = payload.u32s(&[pieces.len() as u32]).u32s(pieces));
    }

    /// `LOOK`: keys that are no longer seen, then keys with their shapes.
    pub fn look(&mut self, piece: u32, removed: &[u32], added: &[[u32; 2]]) {
        self.put(5, |payload| {
            payload.u32s(&[piece, removed.len() as u32, added.len() as u32]).u32s(removed).u32s(added.as_flattened());
        });
    }

    /// `FORM`: where the vertices of a look are.
    pub fn form(&mut self, piece: u32, key: u32, positions: &[Vec3]) {
        self.put(6, |payload| {
            payload.u32s(&[piece, key, positions.len() as u32, 0]).f32s(bytemuck::cast_slice(positions));
        });
    }

    /// `PARTICLES`.
    pub fn particles(&mut self, particles: &[Particle]) {
        let column = |of: fn(&Particle) -> f32| particles.iter().map(of).collect::<Vec<f32>>();
        let opacity = |particle: &Particle| (particle.opacity.clamp(0.0, 1.0) * 255.0).round() as u8;
        self.put(7, |payload| {
            payload.u32s(&[particles.len() as u32]);
            let columns: [fn(&Particle) -> f32; 4] =
                [|p| p.position.x, |p| p.position.y, |p| p.position.z, |p| p.radius];
            columns.into_iter().for_each(|of| _ = payload.f32s(&column(of)));
            payload.bytes(&particles.iter().map(opacity).collect::<Vec<u8>>());
        });
    }

    /// `CONTACTS`.
    pub fn contacts(&mut self, touches: &[Touch]) {
        self.put(8, |payload| put_contacts(payload.0, touches));
    }

    /// `FIELD`: values over a piece, or the vertices or the triangles of one of its looks.
    pub fn field(&mut self, field: u32, piece: u32, domain: Domain, values: &[f32]) {
        let (kind, key) = match domain {
            Domain::Piece => (0, 0),
            Domain::Vertices(key) => (1, key),
            Domain::Triangles(key) => (2, key),
        };
        self.put(9, |payload| _ = payload.u32s(&[field, piece, kind, key, values.len() as u32]).f32s(values));
    }

    /// `MATERIAL`.
    pub fn material(&mut self, number: u32, color: Option<[f32; 3]>, name: &str) {
        self.put(10, |payload| _ = payload.u32s(&[number]).f32s(&color.unwrap_or([f32::NAN; 3])).text(name));
    }

    /// `FRAME`.
    pub fn frame(&mut self, frame: &Frame<'_>) {
        self.put(11, |payload| {
            payload.u32s(&[frame.number, frame.moved.len() as u32]).f64(frame.time);
            payload.u32s(&[frame.contacts, frame.touching]).f32s(frame.stages);
            frame.moved.iter().for_each(|&(piece, _)| _ = payload.u32s(&[piece]));
            // A page has positions before rotations.
            for column in [4, 5, 6, 0, 1, 2, 3] {
                frame.moved.iter().for_each(|(_, pose)| _ = payload.f32s(&[pose[column]]));
            }
        });
    }

    /// `END`, with the run's summary as JSON.
    pub fn end(&mut self, summary: &str) {
        self.put(12, |payload| _ = payload.text(summary));
    }

    /// `FORGET`: shapes that no piece has and none will have.
    pub fn forget(&mut self, shapes: &[u32]) {
        self.put(13, |payload| _ = payload.u32s(&[shapes.len() as u32]).u32s(shapes));
    }

    /// `NOTICE`: a line for the person.
    pub fn notice(&mut self, is_bad: bool, line: &str) {
        self.put(14, |payload| _ = payload.u32s(&[u32::from(is_bad)]).text(line));
    }

    /// `CHOICES`.
    pub fn choices(&mut self, choices: &Choices) {
        let Choices { tools, patterns, methods, radius, ball_speed, ball_radius } = choices;
        let tools = tools.iter().enumerate().map(|(bit, &offered)| u32::from(offered) << bit).sum();
        self.put(15, |payload| {
            payload.u32s(&[tools, patterns.len() as u32, methods.len() as u32]);
            for Slider { least, most, now, step } in [radius, ball_speed, ball_radius] {
                payload.f32s(&[*least, *most, *now, *step]);
            }
            patterns.iter().chain(methods).for_each(|name| _ = payload.text(name));
        });
    }

    /// `STATUS`.
    pub fn status(&mut self, status: &Status) {
        self.put(16, |payload| {
            payload.u32s(&[u32::from(status.is_paused)]);
            payload.f32s(&[status.slow_motion, status.steps_per_second]).u32s(&[status.pages]);
        });
    }
}

/// A mesh as a payload, which a recording's is too.
pub(crate) fn put_shape(bytes: &mut Vec<u8>, number: u32, mesh: &TriMesh, is_apart: bool) {
    let there = [mesh.normals.is_some(), mesh.uvs.is_some(), mesh.colors.is_some(), mesh.materials.is_some(), is_apart];
    let flags = there.iter().enumerate().map(|(bit, &there)| u32::from(there) << bit).sum();
    let mut payload = Payload(bytes);
    payload.u32s(&[number, mesh.positions.len() as u32, mesh.triangles.len() as u32, flags]);
    mesh.positions.iter().for_each(|position| _ = payload.f32s(&position.as_vec3().to_array()));
    payload.u32s(mesh.triangles.as_flattened());
    mesh.normals.iter().flatten().for_each(|normal| _ = payload.f32s(&normal.to_array()));
    mesh.uvs.iter().flatten().for_each(|uv| _ = payload.f32s(&uv.to_array()));
    payload.bytes(mesh.colors.as_deref().unwrap_or_default().as_flattened());
    payload.u32s(mesh.materials.as_deref().unwrap_or_default());
}

/// Contacts as a payload, which a recording's is too.
pub(crate) fn put_contacts(bytes: &mut Vec<u8>, touches: &[Touch]) {
    let mut payload = Payload(bytes);
    payload.u32s(&[touches.len() as u32]);
    touches.iter().for_each(|touch| _ = payload.f32s(&touch.point.to_array()));
    touches.iter().for_each(|touch| _ = payload.f32s(&touch.normal.to_array()));
    touches.iter().for_each(|touch| _ = payload.f32s(&[touch.depth]));
    for side in 0..2 {
        touches.iter().for_each(|touch| _ = payload.maybe(touch.pieces[side]));
    }
}
