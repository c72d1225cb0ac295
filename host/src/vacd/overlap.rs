//! How much of a face another one covers (\[Mueller13\] 3.1, step 5).

use glam::{DVec2, DVec3};

use crate::geometry::{Convex, Plane};

/// Memory for overlaps.
#[derive(Default)]
pub(super) struct Overlap {
    subject: Vec<DVec2>,
    window: Vec<DVec2>,
    next: Vec<DVec2>,
}

impl Overlap {
    /// The area that two faces in one plane share; their normals are opposite.
    pub(super) fn area(&mut self, one: (&Convex, u32), other: (&Convex, u32)) -> f64 {
        let plane = one.0.planes()[one.1 as usize];
        // Near the faces, so that coordinates lose nothing.
        let origin = corners(one).next().unwrap_or(DVec3::ZERO);
        let (u, v) = plane.axes();
        let flat = |point: DVec3| DVec2::new(u.dot(point - origin), v.dot(point - origin));
        self.subject.clear();
        self.subject.extend(corners(one).map(flat));
        self.window.clear();
        self.window.extend(corners(other).map(flat));
        // The other looks the other way, so its corners go round clockwise here.
        self.window.reverse();
        for index in 0..self.window.len() {
            let (from, to) = (self.window[index], self.window[(index + 1) % self.window.len()]);
            self.clip(from, to - from);
            if self.subject.len() < 3 {
                return 0.0;
            }
        }
        polygon_area(&self.subject)
    }

    /// Keeps what of the subject is to the left of a line.
    fn clip(&mut self, from: DVec2, along: DVec2) {
        self.next.clear();
        let Some(&last) = self.subject.last() else { return };
        let mut previous = last;
        let mut previous_side = along.perp_dot(previous - from);
        for &point in &self.subject {
            let side = along.perp_dot(point - from);
            if (side >= 0.0) != (previous_side >= 0.0) {
                self.next.push(previous + previous_side / (previous_side - side) * (point - previous));
            }
            if side >= 0.0 {
                self.next.push(point);
            }
            (previous, previous_side) = (point, side);
        }
        std::mem::swap(&mut self.subject, &mut self.next);
    }
}

/// The corners of a face.
fn corners((convex, face): (&Convex, u32)) -> impl Iterator<Item = DVec3> + '_ {
    convex.surface().face_positions(face as usize)
}

fn polygon_area(polygon: &[DVec2]) -> f64 {
    let apex = polygon[0];
    0.5 * polygon.windows(2).map(|edge| (edge[0] - apex).perp_dot(edge[1] - apex)).sum::<f64>()
}

/// Whether two faces lie in one plane and look at each other.
pub(super) fn are_opposed(one: &Plane, other: (&Convex, u32), slack: f64) -> bool {
    let plane = &other.0.planes()[other.1 as usize];
    one.normal.dot(plane.normal) < -0.999 && corners(other).all(|corner| one.signed_distance(corner).abs() <= slack)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::Aabb;

    fn cuboid(min: [f64; 3], max: [f64; 3]) -> Convex {
        Convex::cuboid(Aabb { min: min.into(), max: max.into() })
    }

    proptest! {
        #[test]
        fn rectangles_share_what_their_intervals_share(
            x in -2.0..2.0f64, y in -2.0..2.0f64, width in 0.1..2.0f64, height in 0.1..2.0f64,
        ) {
            let below = cuboid([0.0, 0.0, -1.0], [1.0, 1.0, 0.0]);
            let above = cuboid([x, y, 0.0], [x + width, y + height, 1.0]);
            let share = |low: f64, size: f64| ((low + size).min(1.0) - low.max(0.0)).max(0.0);
            let expected = share(x, width) * share(y, height);
            // Faces 5 and 4 of a box look up and down.
            let mut overlap = Overlap::default();
            prop_assert!(are_opposed(&below.planes()[5], (&above, 4), 1e-12));
            prop_assert!((overlap.area((&below, 5), (&above, 4)) - expected).abs() < 1e-12);
            prop_assert!((overlap.area((&above, 4), (&below, 5)) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn faces_that_look_the_same_way_or_lie_apart_are_not_opposed() {
        let below = cuboid([0.0, 0.0, -1.0], [1.0, 1.0, 0.0]);
        let higher = cuboid([0.0, 0.0, 1e-3], [1.0, 1.0, 1.0]);
        assert!(!are_opposed(&below.planes()[5], (&below, 5), 1e-9));
        assert!(!are_opposed(&below.planes()[5], (&higher, 4), 1e-9));
    }
}
