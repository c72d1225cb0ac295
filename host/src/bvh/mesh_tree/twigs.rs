//! Faces of twigs that can meet: what a search of trees comes down to.
//!
//! A twig has no boxes for its faces, which are as quickly made of their vertices as they would be fetched: at both ends of a step, so that
//! faces are also apart which pass where others have been.

use glam::Vec4;

use super::body::Body;
use super::swept::{MovingBox, Space, View};
use super::traverse::Span;
use crate::bvh::Node;
use crate::bvh::node::{Corners, meet};

/// The faces of two twigs, one pair of these after the other; keeps its memory.
#[derive(Default)]
pub(super) struct Twigs {
    faces: [Vec<(u32, MovingBox)>; 2],
}

impl Twigs {
    /// Calls `visit` for every face of a twig and every face of another one, in the body that is seen as `view` says, whose boxes meet; returns how
    /// many these are.
    #[inline]
    pub(super) fn visit_pairs(
        &mut self,
        bodies: [&Body; 2],
        twigs: [&Node; 2],
        view: &View,
        (span, space): (Span, &Space),
        visit: impl FnMut([u32; 2]),
    ) -> u64 {
        match span {
            Span::Step => self.visit_pairs_at::<2>(bodies, twigs, view, space, visit),
            Span::End => self.visit_pairs_at::<1>(bodies, twigs, view, space, visit),
        }
    }

    /// The same for so many of the ends of a step, the last ones.
    fn visit_pairs_at<const ENDS: usize>(
        &mut self,
        bodies: [&Body; 2],
        twigs: [&Node; 2],
        view: &View,
        space: &Space,
        mut visit: impl FnMut([u32; 2]),
    ) -> u64 {
        let around = [twigs[0].lanes(), view.corners(twigs[1].lanes())];
        let [faces, others] = &mut self.faces;
        gather::<ENDS>(faces, bodies[0], twigs[0], Vec4::ZERO, (space, around[1]));
        gather::<ENDS>(others, bodies[1], twigs[1], view.shift, (space, around[0]));
        let mut count = 0;
        for (face, around) in faces {
            let around = around.widened(space.slack());
            for (other, other_around) in others.iter() {
                if !around.passes::<ENDS>(other_around) {
                    count += 1;
                    visit([*face, *other]);
                }
            }
        }
        count
    }

    /// Calls `visit` for every two faces of a twig whose boxes meet; returns how many these are.
    pub(super) fn visit_pairs_within(
        &mut self,
        body: &Body,
        twig: &Node,
        (span, space): (Span, &Space),
        mut visit: impl FnMut([u32; 2]),
    ) -> u64 {
        let everywhere = (Vec4::NEG_INFINITY, Vec4::INFINITY);
        let [faces, _] = &mut self.faces;
        gather::<2>(faces, body, twig, Vec4::ZERO, (space, everywhere));
        let mut count = 0;
        for (place, (face, around)) in faces.iter().enumerate() {
            let around = around.widened(space.slack());
            for (other, other_around) in &faces[place + 1..] {
                let passes = match span {
                    Span::Step => around.passes::<2>(other_around),
                    Span::End => around.passes::<1>(other_around),
                };
                if !passes {
                    count += 1;
                    visit([*face, *other]);
                }
            }
        }
        count
    }
}

/// Lists the faces of a twig that are nearer to a box than the slack, as who sees it shifted at the end.
#[inline(always)]
fn gather<const ENDS: usize>(
    faces: &mut Vec<(u32, MovingBox)>,
    body: &Body,
    twig: &Node,
    shift: Vec4,
    (space, met): (&Space, Corners),
) {
    let slack = Vec4::splat(space.slack());
    faces.clear();
    for leaf in body.leaves_of(twig) {
        let around = MovingBox::around(&body.corner_boxes(leaf.corners, shift));
        let (low, high) = around.hull::<ENDS>();
        if meet((low - slack, high + slack), met) {
            faces.push((leaf.face(), around));
        }
    }
}
