//! Where a picture is taken from.

use glam::{DVec3, Vec3};

use crate::geometry::Aabb;

/// Nothing nearer than this part of the distance to the target is drawn. The depth buffer holds inverse depths in
/// floating point, whose relative precision does not depend on this, so it can be small.
const NEAR: f64 = 1e-4;

/// The part of the picture that [`Camera::framing`] fills.
const FILL: f64 = 0.86;

/// The field of view of [`Camera::framing`], in degrees: long enough a lens that boxes look like boxes.
const FRAMING_FIELD_OF_VIEW: f64 = 32.0;

/// What is farther away than this many times the target is scenery: it does not count for how finely light is reckoned
/// around the target.
pub(super) const SCENERY: f64 = 3.0;

/// A perspective camera. The world's y axis points up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the camera is.
    pub eye: DVec3,
    /// The point in the middle of the picture.
    pub target: DVec3,
    /// What is up in the picture; any direction that is not the viewing direction.
    pub up: DVec3,
    /// The angle between the lowest and the highest ray, in degrees, above 0 and below 180.
    pub vertical_field_of_view: f64,
}

impl Camera {
    /// A three-quarter view from slightly above that just holds the whole box, for a picture of the given width over
    /// height. An empty or infinite box counts as the unit cube.
    ///
    /// ```
    /// use fracas::export::Camera;
    /// use fracas::geometry::Aabb;
    /// use glam::DVec3;
    ///
    /// let camera = Camera::framing(Aabb::around(DVec3::ZERO, DVec3::ONE), 16.0 / 9.0);
    /// assert!(camera.eye.y > 1.0);
    /// ```
    pub fn framing(aabb: Aabb, aspect: f64) -> Camera {
        Camera::framing_from(aabb, aspect, DVec3::new(0.62, 0.46, 1.0))
    }

    /// As [`Camera::framing`], seen from the given side of the box.
    pub fn framing_from(aabb: Aabb, aspect: f64, towards_eye: DVec3) -> Camera {
        let usable = !aabb.is_empty() && aabb.size().is_finite() && aabb.center().is_finite();
        let aabb = if usable { aabb } else { Aabb::around(DVec3::ZERO, DVec3::splat(0.5)) };
        let floor = (aabb.diagonal().max(aabb.center().length() * 1e-6)).max(1e-9) * 1e-3;
        let aabb = aabb.expanded(floor);
        let aspect = if aspect.is_finite() && aspect > 0.0 { aspect } else { 1.0 };

        let forward = -usable_direction(towards_eye).unwrap_or(DVec3::Z);
        let (right, up) = frame(forward, DVec3::Y);
        let tangent_y = (0.5 * FRAMING_FIELD_OF_VIEW.to_radians()).tan() * FILL;
        let tangent_x = tangent_y * aspect;

        // A corner at (x, z) is in view of an eye at (e_x, e_z) if |x - e_x| <= t (z - e_z). Of all eyes that see every
        // corner, the nearest has both outermost corners on the rim.
        let center = aabb.center();
        let corners = aabb.corners().map(|corner| corner - center);
        let fit = |axis: DVec3, tangent: f64| {
            let slack = |sign: f64| {
                let reach = |corner: &DVec3| sign * corner.dot(axis) - tangent * corner.dot(forward);
                corners.iter().map(reach).fold(f64::NEG_INFINITY, f64::max)
            };
            let (high, low) = (slack(1.0), slack(-1.0));
            (0.5 * (high - low), -(high + low) / (2.0 * tangent))
        };
        let (eye_x, depth_x) = fit(right, tangent_x);
        let (eye_y, depth_y) = fit(up, tangent_y);
        let depth = depth_x.min(depth_y);
        let eye = center + eye_x * right + eye_y * up + depth * forward;
        Camera { eye, target: eye - depth * forward, up: DVec3::Y, vertical_field_of_view: FRAMING_FIELD_OF_VIEW }
    }

    /// The camera prepared for a picture of a size in pixels; nothing where no picture can be taken.
    pub(super) fn view(&self, width: u32, height: u32) -> Option<View> {
        let to_target = self.target - self.eye;
        let distance = to_target.length();
        let angle = self.vertical_field_of_view;
        // Bounds far outside any scene keep products and quotients of lengths finite.
        let sound = self.eye.is_finite() && (1e-9..1e15).contains(&distance) && angle > 0.0 && angle < 180.0;
        let forward = usable_direction(to_target).filter(|_| sound)?;
        let (right, up) = frame(forward, self.up);
        Some(View {
            eye: self.eye,
            right,
            up,
            forward,
            focal: 0.5 * f64::from(height) / (0.5 * angle.to_radians()).tan(),
            center: [0.5 * f64::from(width), 0.5 * f64::from(height)],
            near: NEAR * distance,
            distance,
        })
    }
}

/// A camera for a picture of a certain size. View space is x to the right, y up, z forward, the eye at the origin; it is
/// left-handed, so that depth is z.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) eye: DVec3,
    right: DVec3,
    up: DVec3,
    forward: DVec3,
    /// Pixels per unit of x over z.
    pub(super) focal: f64,
    /// The pixel coordinates of the axis.
    pub(super) center: [f64; 2],
    /// The depth of the nearest thing that is drawn.
    pub(super) near: f64,
    /// From the eye to the target.
    pub(super) distance: f64,
}

impl View {
    /// A direction of the world in view space.
    pub(super) fn direction(&self, world: DVec3) -> DVec3 {
        DVec3::new(world.dot(self.right), world.dot(self.up), world.dot(self.forward))
    }

    /// A direction in view space as one of the world.
    pub(super) fn world_direction(&self, view: DVec3) -> DVec3 {
        view.x * self.right + view.y * self.up + view.z * self.forward
    }

    /// A point of the world in view space.
    pub(super) fn point(&self, world: DVec3) -> DVec3 {
        self.direction(world - self.eye)
    }

    /// The ray through a point of the picture, with depth 1. Pixel centres are at halves; y runs down.
    pub(super) fn ray(&self, x: f64, y: f64) -> DVec3 {
        DVec3::new((x - self.center[0]) / self.focal, (self.center[1] - y) / self.focal, 1.0)
    }

    /// Whether a point in view space is in the picture, or off it by at most half its size, and no farther away than so
    /// many times the target.
    pub(super) fn nearly_sees(&self, point: Vec3, farthest: f64) -> bool {
        let reach = |axis: usize| 2.0 * self.center[axis] * f64::from(point.z);
        f64::from(point.z) > self.near
            && f64::from(point.z) < farthest * self.distance
            && f64::from(point.x.abs()) * self.focal <= reach(0)
            && f64::from(point.y.abs()) * self.focal <= reach(1)
    }
}

/// What is right and up of a viewing direction. Where `up` is no help, another axis is.
fn frame(forward: DVec3, up: DVec3) -> (DVec3, DVec3) {
    let right = [up, DVec3::Y, DVec3::NEG_Z]
        .into_iter()
        .filter_map(usable_direction)
        .map(|up| forward.cross(up))
        .find(|right| right.length() > 1e-6)
        .unwrap_or_else(|| forward.any_orthogonal_vector())
        .normalize();
    (right, right.cross(forward))
}

/// The unit vector along another, if there is one.
pub(super) fn usable_direction(vector: DVec3) -> Option<DVec3> {
    let largest = vector.abs().max_element();
    let scaled = vector / largest;
    (largest.is_finite() && scaled.is_finite()).then(|| scaled.normalize())
}
