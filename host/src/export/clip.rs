//! Cuts off what is behind the camera or too far beside it to have screen coordinates.

use glam::DVec3;

use super::camera::View;

/// How far from the axis screen coordinates may go, in pixels. Beyond the rim of the largest picture (8192), and small
/// enough that products of fixed-point differences stay far from the ends of 64 bits.
const GUARD: f64 = 16384.0;

/// A triangle cut by five planes has at most eight corners.
pub(super) const MAX_CORNERS: usize = 8;

/// A convex polygon in view space, of at most eight corners.
#[derive(Clone, Copy)]
pub(super) struct ClippedPolygon {
    corners: [DVec3; MAX_CORNERS],
    count: usize,
}

impl ClippedPolygon {
    pub(super) fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    fn push(&mut self, corner: DVec3) {
        // Rounding could make a needle cross a plane more than twice; what does not fit is thinner than a rounding error.
        if self.count < MAX_CORNERS {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }
}

/// The planes that everything drawn lies within, as a normal and an offset.
fn planes(view: &View) -> [(DVec3, f64); 5] {
    [
        (DVec3::Z, -view.near),
        (DVec3::new(view.focal, 0.0, GUARD), 0.0),
        (DVec3::new(-view.focal, 0.0, GUARD), 0.0),
        (DVec3::new(0.0, view.focal, GUARD), 0.0),
        (DVec3::new(0.0, -view.focal, GUARD), 0.0),
    ]
}

/// Whether a corner needs no clipping.
pub(super) fn is_inside(corner: DVec3, view: &View) -> bool {
    let reach = GUARD * corner.z;
    corner.z >= view.near && view.focal * corner.x.abs() <= reach && view.focal * corner.y.abs() <= reach
}

/// The part of a triangle that has screen coordinates.
///
/// A cut is always reckoned from the end that stays to the end that goes, so that two triangles with a common edge
/// get the very same corner on it, and no gap.
pub(super) fn clip(triangle: [DVec3; 3], view: &View) -> ClippedPolygon {
    let empty = ClippedPolygon { corners: [DVec3::ZERO; MAX_CORNERS], count: 0 };
    let mut polygon = empty;
    triangle.into_iter().for_each(|corner| polygon.push(corner));
    for (normal, offset) in planes(view) {
        let mut kept = empty;
        let corners = polygon.corners();
        for (place, &corner) in corners.iter().enumerate() {
            let next = corners[(place + 1) % corners.len()];
            let (here, there) = (normal.dot(corner) + offset, normal.dot(next) + offset);
            if here >= 0.0 {
                kept.push(corner);
            }
            if (here >= 0.0) != (there >= 0.0) {
                let (stays, goes, at, beyond) =
                    if here >= 0.0 { (corner, next, here, there) } else { (next, corner, there, here) };
                kept.push(stays + at / (at - beyond) * (goes - stays));
            }
        }
        polygon = kept;
    }
    polygon
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::Camera;

    fn view() -> View {
        let camera = Camera { eye: DVec3::ZERO, target: DVec3::NEG_Z, up: DVec3::Y, vertical_field_of_view: 60.0 };
        camera.view(640, 480).unwrap()
    }

    #[test]
    fn a_triangle_in_view_is_left_alone() {
        let triangle = [DVec3::new(-1.0, 0.0, 3.0), DVec3::new(1.0, 0.0, 3.0), DVec3::new(0.0, 1.0, 5.0)];
        assert!(triangle.iter().all(|&corner| is_inside(corner, &view())));
        assert_eq!(clip(triangle, &view()).corners(), triangle);
    }

    #[test]
    fn what_is_kept_is_the_part_before_the_camera() {
        let view = view();
        let triangle = [DVec3::new(0.0, 0.0, 3.0), DVec3::new(0.5, 0.0, -3.0), DVec3::new(-0.5, 1.0, -3.0)];
        let polygon = clip(triangle, &view);
        assert!(polygon.corners().len() >= 3);
        for &corner in polygon.corners() {
            assert!(corner.z >= view.near * (1.0 - 1e-9));
            assert!(view.focal * corner.x.abs() <= GUARD * corner.z * (1.0 + 1e-9));
        }
        let behind = triangle.map(|corner| corner - 4.0 * DVec3::Z);
        assert!(clip(behind, &view).corners().is_empty());
    }

    #[test]
    fn neighbours_are_cut_at_the_same_points() {
        let view = view();
        let (a, b) = (DVec3::new(0.3, 0.1, 2.0), DVec3::new(-50.0, 7.0, -0.4));
        let left = clip([a, b, DVec3::new(1.0, 3.0, 1.0)], &view);
        let right = clip([b, a, DVec3::new(-1.0, -3.0, 1.0)], &view);
        let shared = left.corners().iter().filter(|corner| right.corners().contains(corner)).count();
        assert_eq!(shared, 2);
    }
}
