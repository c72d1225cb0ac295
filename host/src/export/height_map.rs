//! Orthographic maps of how far a scene reaches towards a light.

use glam::{Mat3, Vec2, Vec3};

/// The height of a texel over which nothing stands.
pub(super) const NOTHING: f32 = f32::NEG_INFINITY;

/// Points are lifted off their own surface by this many texels before they are compared with a map.
pub(super) const LIFT: f32 = 1.2;

/// The steepest slope of a receiver that is followed; see [`LightFrame::slope`].
pub(super) const STEEPEST: f32 = 4.0;

/// The square of the scene that a map shows. Lengths in a map, heights too, are in texels, so that slopes and biases
/// need no unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct LightFrame {
    right: Vec3,
    up: Vec3,
    /// Towards the light.
    pub(super) direction: Vec3,
    texels_per_unit: f32,
    /// From view space to columns, rows and heights.
    to_texels: Mat3,
    origin: Vec3,
    pub(super) resolution: usize,
}

impl LightFrame {
    /// The frame that shows a rectangle across the light, given in the coordinates of [`LightFrame::across`].
    pub(super) fn new(direction: Vec3, low: Vec2, high: Vec2, resolution: usize) -> LightFrame {
        // Filters reach over the rim; a margin keeps what they find there true.
        const MARGIN: f32 = 2.0;
        let extent = (high - low).max_element().max(low.abs().max(high.abs()).max_element() * 1e-5).max(1e-9);
        let texels_per_unit = (resolution as f32 - 2.0 * MARGIN) / extent;
        let (right, up) = direction.any_orthonormal_pair();
        let center = 0.5 * (low + high);
        let low = center - 0.5 * resolution as f32 / texels_per_unit;
        let to_texels = Mat3::from_cols(right, up, direction).transpose() * texels_per_unit;
        let origin = -low.extend(0.0) * texels_per_unit;
        LightFrame { right, up, direction, texels_per_unit, to_texels, origin, resolution }
    }

    /// The two coordinates of a point that the light does not see change along its rays.
    pub(super) fn across(direction: Vec3, point: Vec3) -> Vec2 {
        let (right, up) = direction.any_orthonormal_pair();
        Vec2::new(point.dot(right), point.dot(up))
    }

    /// Column, row and height of a point.
    #[inline]
    pub(super) fn map(&self, point: Vec3) -> Vec3 {
        self.to_texels * point + self.origin
    }

    /// How the height of a plane changes by column and row. Planes along the light have no slope; they get a steep one.
    pub(super) fn slope(&self, normal: Vec3, steepest: f32) -> Vec2 {
        let along = normal.dot(self.direction);
        let slope = -Vec2::new(normal.dot(self.right), normal.dot(self.up)) / along;
        let length = slope.length();
        if length <= steepest {
            slope
        } else if length.is_finite() {
            slope * (steepest / length)
        } else {
            Vec2::ZERO
        }
    }

    /// The length of a texel.
    pub(super) fn texel(&self) -> f32 {
        1.0 / self.texels_per_unit
    }

    /// The place in a map's list of the texel at a point; nothing outside.
    pub(super) fn place(&self, at: Vec2) -> Option<usize> {
        let limit = self.resolution as f32;
        let inside = at.x >= 0.0 && at.y >= 0.0 && at.x < limit && at.y < limit;
        inside.then(|| at.y as usize * self.resolution + at.x as usize)
    }

    /// The four texels whose centres are around a point; nothing if one of them is outside.
    #[inline]
    pub(super) fn around(&self, at: Vec2) -> Option<Around> {
        let corner = at - 0.5;
        let limit = self.resolution as f32 - 1.0;
        let inside = corner.x >= 0.0 && corner.y >= 0.0 && corner.x < limit && corner.y < limit;
        inside.then(|| {
            let (column, row) = (corner.x as usize, corner.y as usize);
            let part = corner - Vec2::new(column as f32, row as f32);
            let first = row * self.resolution + column;
            Around { places: [first, first + 1, first + self.resolution, first + self.resolution + 1], part }
        })
    }
}

/// Four neighbouring texels of a map, and where between their centres a point is.
pub(super) struct Around {
    places: [usize; 4],
    part: Vec2,
}

impl Around {
    /// The part, weighted by closeness, of the four texels where nothing stands above a plane through the point.
    #[inline]
    pub(super) fn free(&self, heights: &[f32], height: f32, slope: Vec2) -> f32 {
        let Vec2 { x, y } = self.part;
        let here = height - slope.x * x - slope.y * y;
        let levels = [here, here + slope.x, here + slope.y, here + slope.x + slope.y];
        let free = |corner: usize| f32::from(heights[self.places[corner]] <= levels[corner]);
        let upper = free(0) + (free(1) - free(0)) * x;
        let lower = free(2) + (free(3) - free(2)) * x;
        upper + (lower - upper) * y
    }
}

/// Calls back with the place and the height of each texel whose centre a triangle covers, given mapped corners.
///
/// Edges count as covered, from both sides: a map must have no cracks, and a texel seen twice does no harm.
pub(super) fn fill_triangle([a, b, c]: [Vec3; 3], resolution: usize, mut plot: impl FnMut(usize, f32)) {
    let last = resolution as i32 - 1;
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    // Most triangles of a fine mesh lie between texel centres and must be got rid of quickly.
    let (x0, x1) = (first_center(low.x), last_center(high.x).min(last));
    let (y0, y1) = (first_center(low.y), last_center(high.y).min(last));
    if x0 > x1 || y0 > y1 {
        return;
    }
    let (u, v) = (b - a, c - a);
    let area = u.x * v.y - u.y * v.x;
    if area == 0.0 || !area.is_finite() {
        return;
    }
    let side = area.signum();
    let edges = [(a, b), (b, c), (c, a)].map(|(from, to)| {
        let (dx, dy) = (side * (to.x - from.x), side * (to.y - from.y));
        // dx (y - from.y) - dy (x - from.x) >= 0 inside
        (dx, dy, from)
    });
    let slope_x = (u.z * v.y - v.z * u.y) / area;
    let slope_y = (v.z * u.x - u.z * v.x) / area;
    for row in y0..=y1 {
        let y = row as f32 + 0.5;
        let (mut from_x, mut to_x) = (x0 as f32, x1 as f32 + 1.0);
        for (dx, dy, from) in edges {
            let along = dx * (y - from.y);
            if dy < 0.0 {
                from_x = from_x.max(from.x + along / dy);
            } else if dy > 0.0 {
                to_x = to_x.min(from.x + along / dy);
            } else if along < 0.0 {
                to_x = f32::NEG_INFINITY;
            }
        }
        let start = first_center(from_x).max(x0);
        let end = last_center(to_x).min(x1);
        for column in start..=end {
            let x = column as f32 + 0.5;
            let height = a.z + slope_x * (x - a.x) + slope_y * (y - a.y);
            plot(row as usize * resolution + column as usize, height.max(low.z).min(high.z));
        }
    }
}

/// The first texel, from 0 on, whose centre is not before a coordinate. A cast cuts off the fraction, saturates and makes
/// zero of NaN; it costs far less than rounding up, for which the baseline of x86 has no instruction.
fn first_center(coordinate: f32) -> i32 {
    (coordinate.max(0.0) + 0.5) as i32
}

/// The last texel whose centre is not behind a coordinate; -1 if there is none.
fn last_center(coordinate: f32) -> i32 {
    ((coordinate.max(0.0) + 0.5) as i32) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        (-8.0..40.0f32, -8.0..40.0f32, -5.0..5.0f32).prop_map(|(x, y, z)| Vec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn filled_texels_are_those_inside(a in point(), b in point(), c in point()) {
            let mut heights = vec![f32::NAN; 32 * 32];
            fill_triangle([a, b, c], 32, |place, height| heights[place] = height);
            let (u, v) = ((b - a).as_dvec3(), (c - a).as_dvec3());
            let area = u.x * v.y - u.y * v.x;
            prop_assume!(area.abs() > 1.0);
            for (place, &height) in heights.iter().enumerate() {
                let x = (place % 32) as f64 + 0.5 - f64::from(a.x);
                let y = (place / 32) as f64 + 0.5 - f64::from(a.y);
                let (s, t) = ((x * v.y - y * v.x) / area, (u.x * y - u.y * x) / area);
                let inside = s.min(t).min(1.0 - s - t);
                if inside > 1e-4 {
                    let expected = f64::from(a.z) + s * u.z + t * v.z;
                    prop_assert!((f64::from(height) - expected).abs() < 1e-2, "{height} {expected}");
                } else if inside < -1e-4 {
                    prop_assert!(height.is_nan());
                }
            }
        }
    }

    #[test]
    fn wild_corners_stay_in_the_map() {
        let wild = [f32::NAN, f32::INFINITY, -1e30, 1e30, 3.0];
        for a in wild {
            for b in wild {
                let corners = [Vec3::new(a, b, 0.0), Vec3::new(b, 5.0, a), Vec3::new(1.0, a, b)];
                fill_triangle(corners, 8, |place, _| assert!(place < 64));
            }
        }
    }

    #[test]
    fn the_whole_rectangle_is_in_the_frame() {
        let direction = Vec3::new(0.3, 0.9, -0.2).normalize();
        let points = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 0.5, 9.0), Vec3::new(2.0, -7.0, 4.0)];
        let across = points.map(|point| LightFrame::across(direction, point));
        let low = across[0].min(across[1]).min(across[2]);
        let high = across[0].max(across[1]).max(across[2]);
        let frame = LightFrame::new(direction, low, high, 64);
        for point in points {
            let mapped = frame.map(point);
            assert!(mapped.truncate().min_element() >= 1.0 && mapped.truncate().max_element() <= 63.0, "{mapped}");
        }
        assert!(((frame.map(points[0] + direction) - frame.map(points[0])).z * frame.texel() - 1.0).abs() < 1e-4);
    }
}
