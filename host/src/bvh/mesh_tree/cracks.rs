//! Pairs of pieces that the search has left alone in the step in which they are born.
//!
//! Where a body breaks, its pieces touch from the start of the step, all along the cracks: a hundred thousand pairs of features at time 0,
//! of which who broke it knows. So such pairs are told as what they are, two bodies, and searched from the next step on.

use rayon::prelude::*;

use super::apart::{Parting, Vertices, parting};
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
        let bodies = || self.tops.iter().map(|&slot| self.bodies[slot as usize].as_ref());
        if bodies().flatten().all(|body| body.born_in.is_none()) {
            return Vec::new();
        }
        let bodies: Vec<_> = bodies().collect();
        let newborn = |number: u32| bodies[number as usize].filter(|body| body.born_in.is_some());
        let siblings = self.top.collect_self_pairs_where(|a, b| {
            newborn(a).zip(newborn(b)).is_some_and(|(one, other)| one.is_newborn_sibling(other))
        });
        let vertices: Vec<Option<Vertices>> = (0..bodies.len() as u32)
            .into_par_iter()
            .map(|number| newborn(number).and_then(|body| Vertices::of(body, Span::Step)))
            .collect();
        let is_crack = |pair: &[u32; 2]| {
            let [Some(one), Some(other)] = pair.map(newborn) else { return false };
            let view = self.space.view(one.drift, other.drift, Span::Step);
            let [Some(a), Some(b)] = pair.map(|number| vertices[number as usize].as_ref()) else { return true };
            matches!(parting([a, b], &view, &self.space), Parting::Overlapping(_))
        };
        let mut cracks: Vec<[BodyHandle; 2]> = (siblings.into_par_iter().filter(is_crack))
            .filter_map(|pair| {
                let [one, other] = pair.map(|number| newborn(number).map(|body| body.handle));
                one.zip(other).map(|(one, other)| [one.min(other), one.max(other)])
            })
            .collect();
        cracks.par_sort_unstable();
        cracks
    }
}
