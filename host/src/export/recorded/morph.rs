//! Looks that deform, by some of their forms.

use std::ops::Range;

use glam::{DVec3, Vec3};

use crate::geometry::TriMesh;
use crate::recording::{RecordedBody, RecordedLook};

/// The forms that a look takes, and when. Between two of them it goes straight from one to the other.
#[derive(Default)]
pub(super) struct Morph {
    /// Where the vertices are, in each form. The first is the one that it begins with.
    pub(super) forms: Vec<Vec<DVec3>>,
    /// Which form it has in a frame.
    pub(super) keys: Vec<(u32, usize)>,
}

/// The forms of a look in a recording.
pub(super) struct Forms<'a> {
    pub(super) body: &'a RecordedBody,
    pub(super) look: &'a RecordedLook,
    pub(super) mesh: &'a TriMesh,
    pub(super) seen: Range<u32>,
}

/// When a look that deforms takes its forms, and how many vertices each has.
pub(super) struct Changes {
    pub(super) frames: Vec<u32>,
    pub(super) vertices: usize,
}

impl Changes {
    /// What is kept with a stride takes in a file: a position and a normal for each vertex of each form, and how much of each
    /// form there is in each key.
    pub(super) fn bytes(&self, stride: u32) -> u64 {
        let count = |(forms, keys): (u64, u64), (_, held): (usize, Option<u32>)| {
            (forms + 1, keys + 1 + u64::from(held.is_some()))
        };
        let (forms, keys) = kept(&self.frames, stride).fold((0, 0), count);
        24 * forms * self.vertices as u64 + 4 * forms * keys
    }

    /// With this stride or a greater one only the first form and the last are kept.
    pub(super) fn most(&self) -> u32 {
        self.frames.last().zip(self.frames.first()).map_or(1, |(last, first)| last - first + 1)
    }
}

/// Which of the forms that begin in these frames are kept: every so many, the first, the last, and those that stay for more
/// frames than that. With each comes the frame until which it stays, if that is another.
fn kept(frames: &[u32], stride: u32) -> impl Iterator<Item = (usize, Option<u32>)> {
    (0..frames.len()).filter_map(move |place| {
        let stays = frames.get(place + 1).map(|next| next - frames[place]);
        let is_kept = place.is_multiple_of(stride as usize) || stays.is_none_or(|stays| stays > stride);
        is_kept.then(|| (place, stays.filter(|&stays| stays > 1).map(|stays| frames[place] + stays - 1)))
    })
}

impl Forms<'_> {
    /// The frames from which on the look has another form, that of the first one included.
    pub(super) fn changes(&self) -> impl Iterator<Item = (u32, Vec<DVec3>)> {
        let forms = self.body.forms(self.look).filter(|(frame, _)| self.seen.contains(frame));
        let mut forms = forms.peekable();
        let is_told = forms.peek().is_some_and(|(frame, _)| *frame == self.seen.start);
        let first = (!is_told).then(|| (self.seen.start, self.mesh.positions.clone()));
        first.into_iter().chain(forms)
    }

    /// The forms that are kept with a stride, and how far from its place any vertex is at most in the frames between.
    pub(super) fn keyed(&self, stride: u32) -> (Morph, f64) {
        let frames: Vec<u32> = self.changes().map(|(frame, _)| frame).collect();
        let mut morph = Morph::default();
        let mut kept = kept(&frames, stride).peekable();
        for (place, (frame, positions)) in self.changes().enumerate() {
            let Some((_, held)) = kept.next_if(|kept| kept.0 == place) else { continue };
            let form = morph.forms.len();
            morph.keys.push((frame, form));
            // Before a change that comes after a pause the form stands once more.
            morph.keys.extend(held.map(|held| (held, form)));
            morph.forms.push(positions);
        }
        let deviation = if stride == 1 { 0.0 } else { self.deviation(&morph, &frames) };
        (morph, deviation)
    }

    /// A form that stays for a while is farthest from what is shown in the first frame of these or in the last.
    fn deviation(&self, morph: &Morph, frames: &[u32]) -> f64 {
        let off = |frame: u32, positions: &[DVec3]| {
            let next = morph.keys.partition_point(|&(key, _)| key < frame).min(morph.keys.len() - 1);
            let (from, to) = (morph.keys[next.saturating_sub(1)], morph.keys[next]);
            let share = if to.0 > from.0 { f64::from(frame - from.0) / f64::from(to.0 - from.0) } else { 1.0 };
            let (one, other) = (&morph.forms[from.1], &morph.forms[to.1]);
            let between = one.iter().zip(other).map(|(one, other)| one.lerp(*other, share.min(1.0)));
            between.zip(positions).map(|(found, place)| found.distance(*place)).fold(0.0, f64::max)
        };
        let of_change = |(place, (frame, positions)): (usize, (u32, Vec<DVec3>))| {
            let last = frames.get(place + 1).map_or(frame, |next| next - 1);
            off(frame, &positions).max(if last > frame { off(last, &positions) } else { 0.0 })
        };
        self.changes().enumerate().map(of_change).fold(0.0, f64::max)
    }
}

/// The unit normals of a mesh in another form.
pub(super) fn form_normals(mesh: &TriMesh, form: &[DVec3]) -> Vec<Vec3> {
    let mesh = TriMesh::new(form.to_vec(), mesh.triangles.clone());
    mesh.vertex_normals().into_iter().map(|normal| normal.try_normalize().unwrap_or(Vec3::Z)).collect()
}
