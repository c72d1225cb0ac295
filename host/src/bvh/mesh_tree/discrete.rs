//! Triangles that intersect at the end of a step.

use glam::Vec4;
use rayon::prelude::*;

use super::MeshTree;
use super::body::Body;
use super::candidates::Feature;
use super::features::Face;
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
            let around = |body: &Body, row: &Face, shift: Vec4| {
                let [a, b, c] = body.corner_boxes(row, shift);
                a.union(b).union(c)
            };
            // Neighbours are most of what meets within a body.
            if (std::ptr::eq(a, b) && row.shares_a_corner(other_row))
                || around(a, row, Vec4::ZERO).widened(slack).is_apart_after(&around(b, other_row, view.shift))
            {
                return;
            }
            let corners = |body: &Body, row: &Face| row.corners.map(|vertex| body.to[vertex as usize]);
            if triangles_intersect(corners(a, row), corners(b, other_row)) {
                let mut pair = [Feature { body: a.handle, number: face }, Feature { body: b.handle, number: other }];
                pair.sort_unstable();
                found.push(pair);
            }
        });
        let mut pairs: Vec<TrianglePair> = parts.into_iter().flatten().collect();
        pairs.par_sort_unstable();
        (pairs, counts)
    }
}
