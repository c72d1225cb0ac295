//! How much light reaches a point: from the sun by one fine height map, from the sky by many coarse ones.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::camera::View;
use super::height_map::{LightFrame, NOTHING, fill_triangle};
use super::scene::Scene;

const SUN_RESOLUTION: usize = 2048;
const SKY_RESOLUTION: usize = 320;

/// The tangent of the angle that the sun reaches to each side. Larger than the real one: a softer light is kinder.
const SUN_RADIUS: f32 = 0.035;

/// Texels around a point that are searched for what may half cover the sun.
const WIDEST_PENUMBRA: f32 = 14.0;

/// Even the sharpest shadow is softened over this many texels, or its staircase would show.
const NARROWEST_PENUMBRA: f32 = 1.3;

const SEARCH_TAPS: usize = 16;
const FILTER_TAPS: usize = 32;

/// Points are lifted off their own surface by this many texels before they are compared with the map.
const LIFT: f32 = 1.2;

/// The steepest slope of a receiver that is followed; see [`LightFrame::slope`].
const STEEPEST: f32 = 4.0;

/// Triangles are drawn into the sun's map this many at a time.
const TRIANGLES_PER_TASK: usize = 16384;

/// The highest point towards the sun over each texel.
pub(super) struct SunMap {
    frame: LightFrame,
    heights: Vec<f32>,
}

impl SunMap {
    /// A map of all that is in view or casts its shadow there. `shadow` says where the shadow of a point falls on the
    /// ground. Nothing if there is nothing to show.
    pub(super) fn new(
        scene: &Scene<'_>,
        view: &View,
        direction: Vec3,
        shadow: impl Fn(Vec3) -> Option<Vec3> + Sync,
    ) -> Option<SunMap> {
        let matters = |point: Vec3| view.nearly_sees(point) || shadow(point).is_some_and(|spot| view.nearly_sees(spot));
        let (low, high) = bounds(scene, matters, |point| LightFrame::across(direction, point).extend(0.0))?;
        let frame = LightFrame::new(direction, low.truncate(), high.truncate(), SUN_RESOLUTION);
        // The greatest of a set is the same in any order, so the threads may write as they come.
        let heights: Vec<AtomicU32> =
            vec![0; SUN_RESOLUTION * SUN_RESOLUTION].into_par_iter().map(AtomicU32::new).collect();
        let count = scene.triangle_count();
        (0..count.div_ceil(TRIANGLES_PER_TASK)).into_par_iter().for_each(|task| {
            let start = task * TRIANGLES_PER_TASK;
            scene.for_triangles(start..count.min(start + TRIANGLES_PER_TASK), |_, vertices| {
                let corners = scene.corners(vertices).map(|corner| frame.map(corner));
                fill_triangle(corners, SUN_RESOLUTION, |place, height| {
                    let key = to_key(height);
                    if heights[place].load(Ordering::Relaxed) < key {
                        heights[place].fetch_max(key, Ordering::Relaxed);
                    }
                });
            });
        });
        let heights = heights.into_par_iter().map(|key| from_key(key.into_inner())).collect();
        Some(SunMap { frame, heights })
    }

    fn height(&self, column: i32, row: i32) -> f32 {
        self.frame.place(column, row).map_or(NOTHING, |place| self.heights[place])
    }

    /// The part of the sun that is seen from a point of a surface: 1 is all of it.
    ///
    /// The wider the gap between a point and what covers the sun, the softer is the shadow's rim
    /// (percentage-closer soft shadows, Fernando 2005).
    pub(super) fn visibility(&self, point: Vec3, normal: Vec3) -> f32 {
        let mapped = self.frame.map(point + normal * (LIFT * self.frame.texel()));
        let slope = self.frame.slope(normal, STEEPEST);
        let tap = |number: usize, count: usize, radius: f32| {
            let offset = disc_tap(number, count) * radius;
            (mapped.truncate() + offset, mapped.z + slope.dot(offset) + 0.5)
        };
        let (mut covering, mut gap) = (0, 0.0);
        for number in 0..SEARCH_TAPS {
            let (at, height) = tap(number, SEARCH_TAPS, WIDEST_PENUMBRA);
            let above = self.height(at.x.floor() as i32, at.y.floor() as i32) - height;
            if above > 0.0 {
                covering += 1;
                gap += above;
            }
        }
        if covering == 0 {
            return 1.0;
        }
        if covering == SEARCH_TAPS {
            return 0.0;
        }
        let radius = (gap / covering as f32 * SUN_RADIUS).clamp(NARROWEST_PENUMBRA, WIDEST_PENUMBRA);
        let seen = (0..FILTER_TAPS).map(|number| {
            let (at, height) = tap(number, FILTER_TAPS, radius);
            bilinear(at, |column, row| f32::from(self.height(column, row) <= height))
        });
        seen.sum::<f32>() / FILTER_TAPS as f32
    }
}

/// What covers the sky along some axes, from both ends of each.
pub(super) struct SkyMaps {
    axes: Vec<SkyAxis>,
}

struct SkyAxis {
    frame: LightFrame,
    /// The highest point of the scene over each texel, along the axis.
    highest: Vec<f32>,
    /// The lowest, turned over so that it is the highest in the opposite direction.
    lowest: Vec<f32>,
}

impl SkyMaps {
    /// Maps of a box of the scene along so many axes, whose upper ends are spread evenly over the half of the sphere
    /// around `up`.
    pub(super) fn new(scene: &Scene<'_>, (low, high): (Vec3, Vec3), up: Vec3, count: usize) -> SkyMaps {
        let corners: [Vec3; 8] = std::array::from_fn(|corner| {
            let pick = |axis: usize| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] };
            Vec3::new(pick(0), pick(1), pick(2))
        });
        let directions = hemisphere(up, count);
        let axes = directions.into_par_iter().map_init(Vec::new, |mapped: &mut Vec<Vec3>, direction| {
            let across = corners.map(|corner| LightFrame::across(direction, corner));
            let low = across.into_iter().reduce(Vec2::min).unwrap_or_default();
            let high = across.into_iter().reduce(Vec2::max).unwrap_or_default();
            let frame = LightFrame::new(direction, low, high, SKY_RESOLUTION);
            mapped.clear();
            mapped.extend(scene.positions.iter().map(|&position| frame.map(position)));
            let mut highest = vec![NOTHING; SKY_RESOLUTION * SKY_RESOLUTION];
            let mut lowest = highest.clone();
            scene.for_triangles(0..scene.triangle_count(), |_, vertices| {
                fill_triangle(vertices.map(|vertex| mapped[vertex]), SKY_RESOLUTION, |place, height| {
                    highest[place] = highest[place].max(height);
                    lowest[place] = lowest[place].max(-height);
                });
            });
            SkyAxis { frame, highest, lowest }
        });
        SkyMaps { axes: axes.collect() }
    }

    /// The light that a point of a surface gets from the upper and from the lower half of the sphere, where 1 is a
    /// whole sphere of light.
    pub(super) fn irradiance(&self, point: Vec3, normal: Vec3) -> [f32; 2] {
        let mut sums = [0.0; 2];
        for axis in &self.axes {
            let frame = &axis.frame;
            let cosine = normal.dot(frame.direction);
            let (map, end, half) = if cosine >= 0.0 { (&axis.highest, 1.0, 0) } else { (&axis.lowest, -1.0, 1) };
            let mapped = frame.map(point + normal * (LIFT * frame.texel()));
            let slope = frame.slope(normal, STEEPEST);
            let seen = bilinear(mapped.truncate(), |column, row| {
                let Some(place) = frame.place(column, row) else { return 1.0 };
                let offset = Vec2::new(column as f32 + 0.5, row as f32 + 0.5) - mapped.truncate();
                f32::from(map[place] <= end * (mapped.z + slope.dot(offset)) + 0.5)
            });
            sums[half] += cosine.abs() * seen;
        }
        // The mean of the cosine over a half sphere is a half.
        sums.map(|sum| sum * 2.0 / self.axes.len().max(1) as f32)
    }
}

/// Directions spread evenly over the half of the sphere around `up`, by the golden angle.
fn hemisphere(up: Vec3, count: usize) -> Vec<Vec3> {
    const GOLDEN_ANGLE: f32 = 2.399_963_1;
    let (right, forward) = up.any_orthonormal_pair();
    (0..count)
        .map(|number| {
            let height = (number as f32 + 0.5) / count as f32;
            let (sine, cosine) = (number as f32 * GOLDEN_ANGLE).sin_cos();
            let across = (1.0 - height * height).sqrt();
            (up * height + (right * cosine + forward * sine) * across).normalize()
        })
        .collect()
}

/// Point `number` of `count` that fill the unit disc evenly (Vogel's spiral).
fn disc_tap(number: usize, count: usize) -> Vec2 {
    const GOLDEN_ANGLE: f32 = 2.399_963_1;
    let radius = ((number as f32 + 0.5) / count as f32).sqrt();
    Vec2::from_angle(number as f32 * GOLDEN_ANGLE) * radius
}

/// The weighted mean of a function of the four texels whose centres are around a point.
fn bilinear(at: Vec2, value: impl Fn(i32, i32) -> f32) -> f32 {
    let corner = (at - 0.5).floor();
    let part = at - 0.5 - corner;
    let (column, row) = (corner.x as i32, corner.y as i32);
    // Far outside the map the cast saturates.
    let (right, below) = (column.saturating_add(1), row.saturating_add(1));
    let upper = value(column, row) * (1.0 - part.x) + value(right, row) * part.x;
    let lower = value(column, below) * (1.0 - part.x) + value(right, below) * part.x;
    upper * (1.0 - part.y) + lower * part.y
}

/// The box around the vertices that matter, or around all where none does, in coordinates of the caller's choice.
pub(super) fn bounds(
    scene: &Scene<'_>,
    matters: impl Fn(Vec3) -> bool + Sync,
    coordinates: impl Fn(Vec3) -> Vec3 + Sync,
) -> Option<(Vec3, Vec3)> {
    let around = |kept: &(dyn Fn(Vec3) -> bool + Sync)| {
        let kept = scene.positions.par_iter().filter(|position| !position.is_nan() && kept(**position));
        let points = kept.map(|&position| coordinates(position)).map(|point| (point, point));
        points.reduce_with(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    };
    around(&matters).or_else(|| around(&|_| true))
}

/// A whole number for each float that keeps their order; above zero for all but negative NaN.
fn to_key(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The float of a key; zero, with which the map begins, stands for nothing.
fn from_key(key: u32) -> f32 {
    match key {
        0 => NOTHING,
        key if key >> 31 == 1 => f32::from_bits(key & !(1 << 31)),
        key => f32::from_bits(!key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_order_of_floats() {
        let values = [-1e30, -2.0, -1.0, -1e-20, 0.0, 1e-20, 1.0, 2.0, 1e30f32];
        assert!(values.windows(2).all(|pair| to_key(pair[0]) < to_key(pair[1])));
        assert!(values.iter().all(|&value| to_key(value) > 0 && from_key(to_key(value)) == value));
    }

    #[test]
    fn a_free_point_sees_half_a_sphere() {
        let sphere = hemisphere(Vec3::Y, 400);
        let mean: f32 = sphere.iter().map(|direction| direction.y).sum::<f32>() / 400.0;
        assert!((mean - 0.5).abs() < 1e-3);
        let sideways: Vec3 = sphere.iter().sum::<Vec3>() / 400.0;
        assert!(sideways.x.abs() < 0.01 && sideways.z.abs() < 0.01);
    }
}
