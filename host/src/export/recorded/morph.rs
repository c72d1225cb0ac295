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

impl Morph {
    /// What so many forms of so many vertices take in a file: a position and a normal for each vertex of each, and how much of
    /// each form there is of each.
    pub(super) fn bytes(forms: u64, vertices: u64) -> u64 {
        24 * forms * vertices + 4 * forms * forms
    }
}

impl Forms<'_> {
    /// The frames from which on the look has another form, that of the first one included.
    fn changes(&self) -> impl Iterator<Item = (u32, Vec<DVec3>)> {
        let forms = self.body.forms(self.look).filter(|(frame, _)| self.seen.contains(frame));
        let mut forms = forms.peekable();
        let is_told = forms.peek().is_some_and(|(frame, _)| *frame == self.seen.start);
        let first = (!is_told).then(|| (self.seen.start, self.mesh.positions.clone()));
        first.into_iter().chain(forms)
    }

    /// Every so many of the forms, the first and the last among them, and how far from its place any vertex is at most in
    /// the frames between.
    pub(super) fn keyed(&self, stride: u32) -> (Morph, f64) {
        let frames: Vec<u32> = self.changes().map(|(frame, _)| frame).collect();
        let mut morph = Morph::default();
        for (place, (frame, positions)) in self.changes().enumerate() {
            // Before a change that comes after a pause the form stands once more.
            let before_next = frames.get(place + 1).map(|next| next - 1);
            let pauses = before_next.is_some_and(|before_next| before_next > frame);
            if place.is_multiple_of(stride as usize) || before_next.is_none() || pauses {
                let held = before_next.filter(|_| pauses).map(|before_next| (before_next, morph.forms.len()));
                morph.keys.push((frame, morph.forms.len()));
                morph.keys.extend(held);
                morph.forms.push(positions);
            }
        }
        let deviation = if stride == 1 { 0.0 } else { self.deviation(&morph) };
        (morph, deviation)
    }

    fn deviation(&self, morph: &Morph) -> f64 {
        let mut farthest: f64 = 0.0;
        for (frame, positions) in self.changes() {
            let next = morph.keys.partition_point(|&(key, _)| key < frame).min(morph.keys.len() - 1);
            let (from, to) = (morph.keys[next.saturating_sub(1)], morph.keys[next]);
            let share = if to.0 > from.0 { f64::from(frame - from.0) / f64::from(to.0 - from.0) } else { 1.0 };
            let (one, other) = (&morph.forms[from.1], &morph.forms[to.1]);
            let between = one.iter().zip(other).map(|(one, other)| one.lerp(*other, share.min(1.0)));
            farthest = between.zip(&positions).map(|(found, place)| found.distance(*place)).fold(farthest, f64::max);
        }
        farthest
    }
}

/// The unit normals of a mesh in another form.
pub(super) fn form_normals(mesh: &TriMesh, form: &[DVec3]) -> Vec<Vec3> {
    let mesh = TriMesh::new(form.to_vec(), mesh.triangles.clone());
    mesh.vertex_normals().into_iter().map(|normal| normal.try_normalize().unwrap_or(Vec3::Z)).collect()
}
