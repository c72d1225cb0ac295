//! Patches that cannot meet themselves, without looking at pairs: the contour test that never misses.
//!
//! Theorem 4.2 of \[Heo10\] looks at the boundary of the mesh only and so is blind where a patch ends inside it; with those
//! edges too no patch would pass, because the binormals of a closed contour point everywhere. But of a contour it is not
//! the spread of directions that matters; it is how far it ever turns back.
//!
//! **Theorem.** Let a patch be a triangulated disk that, seen along some direction, shows every triangle from the front.
//! If its contour turns by 2π in all, and no part of it by -π or less, the patch does not meet itself.
//!
//! *Proof.* Seen along the direction, the patch is mapped to the plane without folds. With the metric of the plane it is a
//! flat disk; around an inner vertex the angles add up to 2πk, and by Gauss and Bonnet the contour turns by 2π plus
//! 2π(k - 1) for every inner vertex. So every k is 1, and the map is one to one near every inner point; near one of the
//! contour it is as well, because an angle of 2π and more there would turn by -π or less. Suppose two points had the same
//! image. Join them by the shortest way within the disk, and take a part of it whose image is a simple loop but for its
//! ends. The way is straight but for bends at vertices of the contour. A simple loop turns by ±2π, of which its corner is
//! π at most, so the bends turn by at least π in sum, say to the left (else look in a mirror). Left of the way, between
//! its first and its last left bend, lie disks bounded by the way and by the contour, which runs against the way there.
//! Where the way has turned by ρ between two left bends, and the contour leaves one and comes to the other at angles a
//! and b to the way (not negative), the contour has turned by a + b - ρ by Gauss and Bonnet; at a left bend by β it turns
//! by -β - a - b with the angles on its two sides. All but the two outermost angles cancel: from before the last
//! left bend to behind the first one the contour turns by no more than minus what the way turns between them, which is
//! π or more because right bends further out can only have taken from it. That part of the contour contradicts the
//! assumption. So the map is one to one, on the contour too, and two points of the patch that meet in space have one
//! image, so they are one point. ∎
//!
//! Corners are measured by their shorter turn, and around a vertex of the contour the triangles may go farther than once, which
//! turns by less than is measured. But what is measured is then too much, and what is true is at least 2π as above, so a
//! measured 2π says that no corner was misread.
//!
//! **Over a step** it is enough that each triangle is seen from the front at all times, which the cone of normals says, and
//! that no part of the contour has turned by -π or less at any time. Turning is continuous in time, the directions of its
//! two ends change it and nothing else does, and the direction of an edge between two linearly moving points stays
//! between its first and last one. That the whole turns by 2π need only be seen once.
//!
//! Angles are never computed: going around the unit diamond instead of the unit circle keeps the order of directions and
//! takes opposite ones to opposite ones, and a half turn is all that is asked for.

use glam::{DVec2, DVec3};

use super::features::{NONE, next};

/// A half turn around the diamond.
const HALF: f64 = 2.0;

/// What rounding may have done to a direction, and far more.
const DOUBT: f64 = 1e-6;

/// A body's surface, as far as contours need it.
#[derive(Clone, Copy)]
pub(super) struct Surface<'a> {
    pub triangles: &'a [[u32; 3]],
    pub twins: &'a [u32],
    /// Where in the tree, from left to right, the leaf of each face is.
    pub places: &'a [u32],
}

impl Surface<'_> {
    /// Whether the other side of a half-edge is in a patch, the faces at a range of places.
    #[inline]
    pub(super) fn is_inside(&self, half_edge: u32, patch: &std::ops::Range<u32>) -> bool {
        let twin = self.twins[half_edge as usize];
        twin != NONE && patch.contains(&self.places[(twin / 3) as usize])
    }

    /// The half-edge of a patch's contour after this one.
    #[inline]
    pub(super) fn next_of_contour(&self, half_edge: u32, patch: &std::ops::Range<u32>) -> u32 {
        let mut after = next(half_edge);
        while self.is_inside(after, patch) {
            after = next(self.twins[after as usize]);
        }
        after
    }

    /// Whether the contour that `start` is a part of turns as the theorem asks, seen along `view`, while vertices move
    /// from the first to the second of two lists.
    pub(super) fn turns_forward(
        &self,
        start: u32,
        patch: &std::ops::Range<u32>,
        view: DVec3,
        [from, to]: [&[DVec3]; 2],
    ) -> bool {
        let (across, up) = view.any_orthonormal_pair();
        // From the front is with the view coming at the eye.
        let (across, up) = if across.cross(up).dot(view) > 0.0 { (across, up) } else { (up, across) };
        let seen = |positions: &[DVec3], half_edge: u32| {
            let face = self.triangles[(half_edge / 3) as usize];
            let (tail, head) = (face[(half_edge % 3) as usize], face[(next(half_edge) % 3) as usize]);
            let edge = positions[head as usize] - positions[tail as usize];
            let flat = DVec2::new(across.dot(edge), up.dot(edge));
            // An edge along the view has no direction that is known.
            (flat.length_squared() > 1e-12 * edge.length_squared()).then(|| around(flat))
        };
        let Some(first) = seen(from, start) else { return false };
        let (mut here, mut direction, mut half_edge) = (first, first, start);
        let (mut farthest, mut nearest) = (f64::NEG_INFINITY, f64::INFINITY);
        loop {
            let Some(last) = seen(to, half_edge) else { return false };
            let change = turn(direction, last);
            let (low, high) = (here + change.min(0.0), here + change.max(0.0));
            if change.abs() > HALF - DOUBT {
                return false;
            }
            // Parts that end here, and parts that start here and end where the contour has come around to before.
            farthest = farthest.max(high);
            nearest = nearest.min(low);
            if low - farthest < -HALF + DOUBT || nearest + 2.0 * HALF - high < -HALF + DOUBT {
                return false;
            }
            half_edge = self.next_of_contour(half_edge, patch);
            let Some(after) = seen(from, half_edge) else { return false };
            let corner = turn(direction, after);
            if corner.abs() > HALF - DOUBT {
                return false;
            }
            (here, direction) = (here + corner, after);
            if half_edge == start {
                return (here - first - 2.0 * HALF).abs() < DOUBT;
            }
        }
    }
}

/// How far around the diamond, from 0 to 4, a direction points.
#[inline]
fn around(direction: DVec2) -> f64 {
    let part = direction.x / (direction.x.abs() + direction.y.abs());
    if direction.y >= 0.0 { 1.0 - part } else { 3.0 + part }
}

/// The shorter way around from one direction to another, to the left if positive.
#[inline]
fn turn(from: f64, to: f64) -> f64 {
    let turn = to - from;
    if turn > HALF {
        turn - 2.0 * HALF
    } else if turn < -HALF {
        turn + 2.0 * HALF
    } else {
        turn
    }
}
