//! A recording as other programs animate: things that are seen for a while, and keys of how they move.

use std::borrow::Cow;
use std::ops::Range;

use glam::{DQuat, DVec3};
use rayon::prelude::*;

use super::ExportOptions;
use super::morph::{Changes, Forms, Morph};
use super::rigid::rigid_motion;
use super::track::keys;
use crate::export::piece::with_normals;
use crate::export::still::whole_color;
use crate::geometry::{Pose, TriMesh};
use crate::recording::{RecordedBody, RecordedLook, Recording};

/// What there is to see in a recording.
pub(super) struct Film<'a> {
    /// Its meshes by number, with normals if they had none. Those that no part keeps as they are are empty.
    pub(super) shapes: Vec<Cow<'a, TriMesh>>,
    pub(super) actors: Vec<Actor<'a>>,
    pub(super) frames: Range<u32>,
    /// Of the forms every so many have a key, and those that stay for more frames.
    pub(super) stride: u32,
    /// How far from its place a vertex is at most, where forms have no key.
    pub(super) deviation: f64,
}

/// A body.
pub(super) struct Actor<'a> {
    pub(super) id: u32,
    pub(super) body: &'a RecordedBody,
    pub(super) name: String,
    /// sRGB from 0 to 1.
    pub(super) color: [f32; 3],
    pub(super) seen: Range<u32>,
    pub(super) track: Vec<(u32, Pose)>,
    pub(super) parts: Vec<Part>,
}

/// A look of a body.
pub(super) struct Part {
    pub(super) key: u32,
    pub(super) mesh: usize,
    pub(super) seen: Range<u32>,
    pub(super) motion: Motion,
}

/// How a look moves within its body.
pub(super) enum Motion {
    Still,
    /// Its forms are the mesh in other places.
    Rigid(Vec<(u32, Pose)>),
    Deforming(Morph),
}

impl<'a> Film<'a> {
    pub(super) fn new(recording: &'a Recording, options: &ExportOptions) -> Film<'a> {
        let frames = 0..recording.frames.len() as u32;
        let mut names: Vec<&str> = recording.bodies.values().map(|body| body.name.as_str()).collect();
        names.sort_unstable();
        let is_unique = |name: &str| {
            names.partition_point(|other| *other <= name) - names.partition_point(|other| *other < name) == 1
        };
        let mut actors: Vec<Actor<'a>> = recording
            .bodies
            .iter()
            .filter_map(|(&id, body)| {
                let seen = body.born..body.gone.min(frames.end);
                let part = |look: &RecordedLook| Part {
                    key: look.key,
                    mesh: look.mesh as usize,
                    seen: look.from.max(seen.start)..look.until.min(seen.end),
                    motion: Motion::Still,
                };
                let parts: Vec<Part> = body.all_looks().iter().map(part).collect();
                let is_seen = |part: &Part| !part.seen.is_empty() && !recording.meshes[part.mesh].triangles.is_empty();
                let parts: Vec<Part> = parts.into_iter().filter(is_seen).collect();
                let name = if is_unique(&body.name) { body.name.clone() } else { format!("{} {id}", body.name) };
                let track: Vec<(u32, Pose)> =
                    body.track().iter().copied().filter(|key| seen.contains(&key.0)).collect();
                let color = whole_color(recording, id, body);
                let track = keys(&one_sided(track));
                (!parts.is_empty() && !track.is_empty()).then_some(Actor { id, body, name, color, seen, track, parts })
            })
            .collect();
        let changes = Film::find_motions(&mut actors, recording);
        let (stride, deviation) = Film::key_forms(&mut actors, recording, &changes, options);
        let mut is_used = vec![false; recording.meshes.len()];
        let keeps_shape = |part: &&Part| !matches!(part.motion, Motion::Deforming(_));
        let parts = actors.iter().flat_map(|actor| &actor.parts);
        parts.filter(keeps_shape).for_each(|part| is_used[part.mesh] = true);
        let shape = |(mesh, is_used): (&'a std::sync::Arc<TriMesh>, bool)| match is_used {
            true if mesh.normals.is_none() => Cow::Owned(with_normals(mesh)),
            true => Cow::Borrowed(&**mesh),
            false => Cow::Owned(TriMesh::default()),
        };
        let shapes = recording.meshes.par_iter().zip(is_used).map(shape).collect();
        Film { shapes, actors, frames, stride, deviation }
    }

    /// Sees which looks that take other forms only move, and gives when all others take their forms.
    fn find_motions(actors: &mut [Actor<'_>], recording: &Recording) -> Vec<Changes> {
        let of_actor = |actor: &mut Actor<'_>| {
            let body = actor.body;
            let find = |part: &mut Part| {
                let look = look_of(body, part)?;
                let mesh = &recording.meshes[part.mesh];
                match rigid_track(body, look, mesh, &part.seen) {
                    Some(track) => {
                        if !track.is_empty() {
                            part.motion = Motion::Rigid(keys(&one_sided(track)));
                        }
                        None
                    }
                    None => {
                        part.motion = Motion::Deforming(Morph::default());
                        let forms = Forms { body, look, mesh, seen: part.seen.clone() };
                        let frames = forms.changes().map(|(frame, _)| frame).collect();
                        Some(Changes { frames, vertices: mesh.positions.len() })
                    }
                }
            };
            actor.parts.iter_mut().filter_map(find).collect::<Vec<Changes>>()
        };
        actors.par_iter_mut().flat_map_iter(of_actor).collect()
    }

    /// Keeps as many forms as the options allow, and says which and how far off what is between them can be.
    fn key_forms(
        actors: &mut [Actor<'_>],
        recording: &Recording,
        changes: &[Changes],
        options: &ExportOptions,
    ) -> (u32, f64) {
        let allowed = u64::from(options.form_megabytes) << 20;
        let fits = |stride: &u32| changes.iter().map(|changes| changes.bytes(*stride)).sum::<u64>() <= allowed;
        let most = changes.iter().map(Changes::most).max().unwrap_or(1);
        // Large strides are tried in steps of an eighth: each look at all frames takes its time.
        let strides = std::iter::successors(Some(1), |stride: &u32| Some(stride + 1 + stride / 8));
        let stride = strides.take_while(|stride| *stride < most).find(fits).unwrap_or(most);
        let of_actor = |actor: &mut Actor<'_>| {
            let body = actor.body;
            let key = |part: &mut Part| {
                let (Motion::Deforming(_), Some(look)) = (&part.motion, look_of(body, part)) else { return 0.0 };
                let forms = Forms { body, look, mesh: &recording.meshes[part.mesh], seen: part.seen.clone() };
                let (morph, deviation) = forms.keyed(stride);
                part.motion = Motion::Deforming(morph);
                deviation
            };
            actor.parts.iter_mut().map(key).fold(0.0, f64::max)
        };
        (stride, actors.par_iter_mut().map(of_actor).reduce(|| 0.0, f64::max))
    }
}

fn look_of<'a>(body: &'a RecordedBody, part: &Part) -> Option<&'a RecordedLook> {
    body.all_looks().iter().find(|look| {
        // One that was shown anew in the same frame was never seen.
        let is_seen = look.from.max(body.born) == part.seen.start && look.until > part.seen.start;
        look.key == part.key && look.mesh as usize == part.mesh && is_seen
    })
}

/// How a look moves if that is all that it does. Nothing moves without forms.
fn rigid_track(
    body: &RecordedBody,
    look: &RecordedLook,
    mesh: &TriMesh,
    seen: &Range<u32>,
) -> Option<Vec<(u32, Pose)>> {
    let mut likely = DQuat::IDENTITY;
    let mut track = Vec::new();
    for (frame, positions) in body.forms(look).filter(|(frame, _)| seen.contains(frame)) {
        let motion = rigid_motion(&mesh.positions, &positions, likely)?;
        if track.is_empty() && frame > seen.start {
            track.push((seen.start, Pose::IDENTITY));
        }
        likely = motion.rotation;
        track.push((frame, motion));
    }
    Some(track)
}

/// Of the two quaternions of each rotation the one nearer to that before: programs differ in which way they turn between
/// others.
fn one_sided(mut track: Vec<(u32, Pose)>) -> Vec<(u32, Pose)> {
    for place in 1..track.len() {
        let before = track[place - 1].1.rotation;
        let rotation = &mut track[place].1.rotation;
        if rotation.dot(before) < 0.0 {
            *rotation = -*rotation;
        }
    }
    track
}

/// The point at which the eye of a camera stands, and its turn, if the recording has one.
pub(super) fn camera_pose(recording: &Recording) -> Option<(Pose, f64)> {
    let camera = crate::export::still::recorded_camera(recording)?;
    let back = (camera.eye - camera.target).try_normalize()?;
    let right = camera.up.cross(back).try_normalize().or_else(|| DVec3::Z.cross(back).try_normalize())?;
    let axes = glam::DMat3::from_cols(right, back.cross(right), back);
    let pose = Pose { rotation: DQuat::from_mat3(&axes).normalize(), translation: camera.eye };
    Some((pose, camera.vertical_field_of_view))
}
