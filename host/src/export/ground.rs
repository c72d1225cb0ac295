//! The floor of a picture: an endless plane that fades into the background.

use glam::{DVec2, DVec3, Vec3};

use super::camera::View;

/// The width of a grid line, as a part of the cell.
const LINE_WIDTH: f64 = 0.012;

/// How far the floor and its grid reach, in radii of the scene: where the fading begins and where it ends.
const FADE: [f64; 2] = [1.6, 7.0];

/// A horizontal plane seen from above.
pub(super) struct Ground {
    /// Up in view space.
    pub(super) up: Vec3,
    /// How far the eye is above.
    eye_height: f64,
    /// The middle of the scene, in view space, on the ground.
    center: DVec3,
    /// Half the size of the scene.
    radius: f64,
    /// From line to line.
    spacing: f64,
    view: View,
}

/// What the floor looks like at a point.
pub(super) struct GroundSpot {
    /// Where it is, in view space.
    pub(super) point: Vec3,
    /// How much a grid line covers, from 0 to 1.
    pub(super) line: f32,
    /// How much of the floor is left before the background, from 0 to 1.
    pub(super) presence: f32,
}

impl Ground {
    /// The plane at a height; nothing for an eye that is not above it.
    pub(super) fn new(view: &View, height: f64, center: DVec3, radius: f64) -> Option<Ground> {
        let eye_height = view.eye.y - height;
        let up = view.direction(DVec3::Y);
        let radius = radius.max(1e-3 * view.distance);
        let ground = Ground {
            up: up.as_vec3(),
            eye_height,
            center: center - (center.dot(up) + eye_height) * up,
            radius,
            spacing: round_length(radius * 0.35),
            view: view.clone(),
        };
        (eye_height > 0.0 && ground.center.is_finite()).then_some(ground)
    }

    /// The middle of the scene on the ground, and how far from there things may darken the floor.
    pub(super) fn surroundings(&self) -> (Vec3, f32) {
        (self.center.as_vec3(), (2.6 * self.radius) as f32)
    }

    /// One over the depth of the ground at a point of the picture; negative above the horizon.
    pub(super) fn inverse_depth(&self, x: f64, y: f64) -> f32 {
        // A hair farther away than it is, so that what lies on the ground is seen and not the ground.
        const BEHIND: f64 = 1.0 - 1e-6;
        (-self.view.ray(x, y).dot(self.up.as_dvec3()) / self.eye_height * BEHIND) as f32
    }

    /// Where light that comes through a point from a direction meets the ground.
    pub(super) fn shadow(&self, point: Vec3, direction: Vec3) -> Option<Vec3> {
        let height = point.dot(self.up) + self.eye_height as f32;
        let climb = direction.dot(self.up);
        (height >= 0.0 && climb > 1e-3).then(|| point - direction * (height / climb))
    }

    fn hit(&self, x: f64, y: f64) -> Option<DVec3> {
        let ray = self.view.ray(x, y);
        let falling = -ray.dot(self.up.as_dvec3());
        (falling > 0.0).then(|| ray * (self.eye_height / falling))
    }

    /// The floor at a point of the picture; nothing at the horizon.
    pub(super) fn spot(&self, x: f64, y: f64) -> Option<GroundSpot> {
        let point = self.hit(x, y)?;
        let distance = (point - self.center).length() / self.radius;
        let presence = 1.0 - smooth_step((distance - FADE[0]) / (FADE[1] - FADE[0]));
        if presence <= 0.0 {
            return None;
        }
        let world = self.view.eye + self.view.world_direction(point);
        let neighbours = [self.hit(x + 1.0, y), self.hit(x, y + 1.0)];
        let line = |axis: usize| {
            let across = neighbours.map(|neighbour| {
                neighbour.map_or(f64::INFINITY, |neighbour| self.view.world_direction(neighbour - point)[axis])
            });
            grid_line(world[axis] / self.spacing, DVec2::from(across).length() / self.spacing)
        };
        let (along, across) = (line(0), line(2));
        let line = along + across - along * across;
        Some(GroundSpot { point: point.as_vec3(), line: line as f32, presence: presence as f32 })
    }
}

/// How much a line at each whole number covers of a pixel at a coordinate with a width. Lines thinner than a pixel are
/// drawn as wide as one and as much paler, so that they neither break up nor shimmer.
fn grid_line(coordinate: f64, pixel: f64) -> f64 {
    if !(pixel.is_finite() && coordinate.is_finite()) {
        return LINE_WIDTH;
    }
    let drawn = LINE_WIDTH.max(pixel).min(0.5);
    let distance = (coordinate - coordinate.round()).abs() * 2.0;
    let soft = 1.5 * pixel;
    let covered = smooth_step((drawn + soft - distance) / (2.0 * soft)) * (LINE_WIDTH / drawn).min(1.0);
    // Where cells are narrower than pixels only the mean is left.
    let blur = smooth_step(2.0 * pixel - 0.5);
    covered + (LINE_WIDTH - covered) * blur
}

/// The largest of 1, 2 and 5 times a power of ten that is no more than a length.
fn round_length(length: f64) -> f64 {
    let power = 10f64.powf(length.log10().floor());
    [5.0, 2.0].into_iter().map(|factor| factor * power).find(|&rounded| rounded <= length).unwrap_or(power)
}

fn smooth_step(value: f64) -> f64 {
    let value = value.clamp(0.0, 1.0);
    value * value * (3.0 - 2.0 * value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_rounded_to_one_two_five() {
        for (length, rounded) in [(1.0, 1.0), (1.9, 1.0), (2.3, 2.0), (7.0, 5.0), (0.03, 0.02), (12.0, 10.0)] {
            assert!((round_length(length) - rounded).abs() < 1e-9 * rounded);
        }
    }

    #[test]
    fn a_grid_line_covers_its_width_on_average() {
        for pixel in [1e-3, 0.01, 0.1, 0.3, 2.0] {
            let mean = (0..10_000).map(|step| grid_line(f64::from(step) * 1e-4, pixel)).sum::<f64>() / 1e4;
            assert!((mean / LINE_WIDTH - 1.0).abs() < 0.35, "{pixel}: {mean}");
        }
    }
}
