//! Triangles that intersect at the end of a step.

use glam::Vec4;
use rayon::prelude::*;

use super::MeshTree;
use super::body::Body;
use super::candidates::Feature;
use super::features::Face;
use super::rough;
use super::swept::MovingBox;
use super::traverse::{Span, TraversalCounts};
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
        let slack = self.space.slack();
        let (parts, counts) = self.search(Span::End, true, |[a, b], view, [face, other], found| {
            let (row, other_row) = (&a.features.faces[face as usize], &b.features.faces[other as usize]);
            // Neighbours are most of what meets within a body.
            if std::ptr::eq(a, b) && row.shares_a_corner(other_row) {
                return;
            }
            let (boxes, other_boxes) = (a.corner_boxes(row, Vec4::ZERO), b.corner_boxes(other_row, view.shift));
            let around = |[a, b, c]: [MovingBox; 3]| a.union(b).union(c);
            // Comparisons in single precision, after which few are left that are not clear.
            if around(boxes).widened(slack).is_apart_after(&around(other_boxes)) {
                return;
            }
            let places = |[a, b, c]: [MovingBox; 3]| [a.place_after(), b.place_after(), c.place_after()];
            if let Some(meet) = rough::meet(places(boxes), places(other_boxes), slack) {
                if meet {
                    found.push(pair(a, face, b, other));
                }
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

fn pair(body: &Body, face: u32, other: &Body, other_face: u32) -> TrianglePair {
    let mut pair = [Feature { body: body.handle, number: face }, Feature { body: other.handle, number: other_face }];
    pair.sort_unstable();
    pair
}
