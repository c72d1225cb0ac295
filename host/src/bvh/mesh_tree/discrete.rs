//! Triangles that intersect at the end of a step.

use glam::Vec4;
use rayon::prelude::*;

use super::MeshTree;
use super::body::Body;
use super::candidates::Feature;
use super::features::Face;
use super::swept::{MovingBox, Space, pass_along_normal};
use super::traverse::{FacePair, Span, TraversalCounts};
use crate::geometry::triangles_intersect;

/// Two triangles, the smaller feature first.
pub type TrianglePair = [Feature; 2];

impl MeshTree {
    /// All pairs of triangles that share a point where the bodies are now, sorted.
    ///
    /// Triangles of one body that share a vertex are neighbours and never a pair. Every decision is exact: touching
    /// counts, and so does lying in one plane.
    pub fn intersections(&self) -> Vec<TrianglePair> {
        self.intersections_counted().0
    }

    /// [`MeshTree::intersections`], and what the search did.
    pub fn intersections_counted(&self) -> (Vec<TrianglePair>, TraversalCounts) {
        let (parts, counts) = self.search(Span::End, true, |met, found| {
            let FacePair { bodies: [a, b], faces: [face, other], .. } = *met;
            let (row, other_row) = (&a.features.faces[face as usize], &b.features.faces[other as usize]);
            // Neighbours are most of what meets within a body.
            if std::ptr::eq(a, b) && row.shares_a_corner(other_row) {
                return;
            }
            if !met.is_compared && are_apart(met, &self.space) {
                return;
            }
            let corners = |body: &Body, row: &Face| {
                let [a, b, c] = row.corners;
                [body.to[a as usize], body.to[b as usize], body.to[c as usize]]
            };
            if triangles_intersect(corners(a, row), corners(b, other_row)) {
                found.push(pair(a, face, b, other));
            }
        });
        let mut pairs: Vec<TrianglePair> = parts.into_iter().flatten().collect();
        pairs.par_sort_unstable();
        (pairs, counts)
    }
}

/// Whether two faces are apart at the end of the step as told in single precision, after which few are left that are not clear.
#[inline(always)]
fn are_apart(&FacePair { bodies: [a, b], view, faces, .. }: &FacePair<'_>, space: &Space) -> bool {
    let [row, other_row] = [&a.features.faces[faces[0] as usize], &b.features.faces[faces[1] as usize]];
    let (boxes, other_boxes) = (a.corner_boxes(row.corners, Vec4::ZERO), b.corner_boxes(other_row.corners, view.shift));
    MovingBox::around(&boxes).widened(space.slack()).passes::<1>(&MovingBox::around(&other_boxes))
        || pass_along_normal::<1>(&boxes, &other_boxes, space.dot_slack())
        || pass_along_normal::<1>(&other_boxes, &boxes, space.dot_slack())
}

fn pair(body: &Body, face: u32, other: &Body, other_face: u32) -> TrianglePair {
    let mut pair = [Feature { body: body.handle, number: face }, Feature { body: other.handle, number: other_face }];
    pair.sort_unstable();
    pair
}
