//! Triangles that intersect at the end of a step.

use super::MeshTree;
use super::candidates::Feature;
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
        let (mut pairs, counts) = self.search(Span::End, |[a, b], [face, other], found| {
            let (one, two) = (a.triangles[face as usize], b.triangles[other as usize]);
            let is_same = a.handle == b.handle;
            if is_same && one.iter().any(|vertex| two.contains(vertex)) {
                return;
            }
            let corners =
                |vertices: [u32; 3], body: &super::body::Body| vertices.map(|vertex| body.to[vertex as usize]);
            if triangles_intersect(corners(one, a), corners(two, b)) {
                let mut pair = [Feature { body: a.handle, number: face }, Feature { body: b.handle, number: other }];
                pair.sort_unstable();
                found.push(pair);
            }
        });
        pairs.sort_unstable();
        (pairs, counts)
    }
}
