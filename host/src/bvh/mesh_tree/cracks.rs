//! Pairs of pieces that the search has left alone in the step in which they are born.
//!
//! Where a body breaks, its pieces touch from the start of the step, all along the cracks: a hundred thousand pairs of features at time 0,
//! of which who broke it knows. So such pairs are told as what they are, two bodies, and searched from the next step on.

use rayon::prelude::*;

use super::apart::{Parting, Vertices, parting};
use super::body::Body;
use super::traverse::Span;
use super::{BodyHandle, MeshTree};

impl MeshTree {
    /// The pairs of bodies whose features [`MeshTree::contacts`] says nothing about, unless
    /// [`MeshTreeOptions::crack_contacts`](super::MeshTreeOptions::crack_contacts) asks for them: pieces of one body that broke in the last step, whose boxes
    /// meet and that no plane was found between. Whatever touches in the step is in the one list or of a pair in the other.
    pub fn cracks(&self) -> Vec<[BodyHandle; 2]> {
        if self.options.crack_contacts {
            return Vec::new();
        }
        let newborn = |&slot: &u32| self.bodies[slot as usize].as_ref().filter(|body| body.born_in.is_some());
        let bodies: Vec<Option<&Body>> = self.tops.iter().map(newborn).collect();
        if bodies.iter().all(Option::is_none) {
            return Vec::new();
        }
        let vertices: Vec<Option<Vertices>> =
            bodies.par_iter().map(|body| body.and_then(|body| Vertices::of(body, Span::Step))).collect();
        let siblings = self.top.collect_self_pairs_where(|a, b| {
            bodies[a as usize].zip(bodies[b as usize]).is_some_and(|(one, other)| one.is_newborn_sibling(other))
        });
        let crack = |pair: [u32; 2]| {
            let [one, other] = pair.map(|number| bodies[number as usize]);
            let (one, other) = one.zip(other)?;
            let view = self.space.view(one.drift, other.drift, Span::Step);
            let [a, b] = pair.map(|number| vertices[number as usize].as_ref());
            // What has too many vertices to be looked at may touch.
            let parting = a.zip(b).map(|(a, b)| parting([a, b], &view, &self.space));
            let is_apart = matches!(parting, Some(Parting::Apart(_)));
            (!is_apart).then(|| [one.handle.min(other.handle), one.handle.max(other.handle)])
        };
        let mut cracks: Vec<[BodyHandle; 2]> = siblings.into_par_iter().filter_map(crack).collect();
        cracks.par_sort_unstable();
        cracks
    }
}
