//! How much light reaches a point: from the sun by one fine height map, from the sky by many coarse ones.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::camera::View;
use super::height_map::{LightFrame, NOTHING, fill_triangle};
use super::scene::{Scene, TRIANGLES_PER_TASK};

const SUN_RESOLUTION: usize = 2048;
const SKY_RESOLUTION: usize = 160;

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

/// The highest point towards the sun over each texel.
pub(super) struct SunMap {
    frame: LightFrame,
    heights: Vec<f32>,
    search: [Vec2; SEARCH_TAPS],
    filter: [Vec2; FILTER_TAPS],
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
        let texels = SUN_RESOLUTION * SUN_RESOLUTION;
        let heights: Vec<AtomicU32> = std::iter::repeat_with(AtomicU32::default).take(texels).collect();
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
        let heights = heights.into_iter().map(|key| from_key(key.into_inner())).collect();
        Some(SunMap {
            frame,
            heights,
            search: std::array::from_fn(|number| disc_tap(number, SEARCH_TAPS)),
            filter: std::array::from_fn(|number| disc_tap(number, FILTER_TAPS)),
        })
    }

    /// The part of the sun that is seen from a point of a surface: 1 is all of it.
    ///
    /// The wider the gap between a point and what covers the sun, the softer is the shadow's rim
    /// (percentage-closer soft shadows, Fernando 2005).
    pub(super) fn visibility(&self, point: Vec3, normal: Vec3) -> f32 {
        let mapped = self.frame.map(point + normal * (LIFT * self.frame.texel()));
        let slope = self.frame.slope(normal, STEEPEST);
        let tap = |offset: Vec2| (mapped.truncate() + offset, mapped.z + slope.dot(offset) + 0.5);
        let (mut covering, mut gap) = (0, 0.0);
        for offset in self.search {
            let (at, height) = tap(offset * WIDEST_PENUMBRA);
            let above = self.frame.place(at).map_or(NOTHING, |place| self.heights[place]) - height;
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
        let seen = self.filter.iter().map(|&offset| {
            let (at, height) = tap(offset * radius);
            self.frame.around(at).map_or(1.0, |around| around.free(&self.heights, height, slope))
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
            let free = frame
                .around(mapped.truncate())
                .map_or(1.0, |around| around.free(map, end * mapped.z + 0.5, end * frame.slope(normal, STEEPEST)));
            sums[half] += cosine.abs() * free;
        }
        // The mean of the cosine over a half sphere is a half.
        sums.map(|sum| sum * 2.0 / self.axes.len().max(1) as f32)
    }
}

/// The light of the sky on the floor around a scene. The floor is the one large plane in a picture, on which the rims of
/// the single directions would show; here they are blurred together, and a floor that is mostly free costs little.
pub(super) struct FloorSky {
    /// The middle of the square and its axes, which reach half its side.
    center: Vec3,
    axes: [Vec3; 2],
    /// The part of the sky that is seen.
    free: Vec<f32>,
}

/// The texels along the side of the square, and how far apart light is blurred.
const FLOOR_RESOLUTION: usize = 288;
const FLOOR_BLUR: [usize; 2] = [2, 3];

impl FloorSky {
    /// The light on a square of the plane through `center` that reaches so far to each side.
    pub(super) fn new(sky: &SkyMaps, up: Vec3, center: Vec3, reach: f32) -> FloorSky {
        let (right, forward) = up.any_orthonormal_pair();
        let axes = [right * reach, forward * reach];
        // Without anything in the way; the directions are few, so it is not quite 1.
        let all = sky.axes.iter().map(|axis| axis.frame.direction.dot(up)).sum::<f32>() * 2.0 / sky.axes.len() as f32;
        let coordinate = |place: usize| (place as f32 + 0.5) / FLOOR_RESOLUTION as f32 * 2.0 - 1.0;
        let mut free: Vec<f32> = (0..FLOOR_RESOLUTION * FLOOR_RESOLUTION)
            .into_par_iter()
            .map(|place| {
                let (x, y) = (coordinate(place % FLOOR_RESOLUTION), coordinate(place / FLOOR_RESOLUTION));
                // Towards the rim of the square the shade fades, or the square would be seen.
                let fade = ((1.0 - x.hypot(y)) / 0.4).clamp(0.0, 1.0);
                if fade == 0.0 {
                    return 1.0;
                }
                let seen = sky.irradiance(center + axes[0] * x + axes[1] * y, up)[0] / all;
                1.0 + (seen - 1.0) * fade
            })
            .collect();
        for radius in FLOOR_BLUR {
            // Each pass blurs the rows and turns the square over, so two blur both ways.
            free = blur_rows_transposed(&free, radius);
            free = blur_rows_transposed(&free, radius);
        }
        FloorSky { center, axes, free }
    }

    /// The part of the sky that a point of the floor sees.
    pub(super) fn free(&self, point: Vec3) -> f32 {
        let coordinate = |axis: Vec3| {
            ((point - self.center).dot(axis) / axis.length_squared() + 1.0) * 0.5 * FLOOR_RESOLUTION as f32 - 0.5
        };
        let (x, y) = (coordinate(self.axes[0]), coordinate(self.axes[1]));
        let limit = FLOOR_RESOLUTION as f32 - 1.0;
        if !(x >= 0.0 && y >= 0.0 && x < limit && y < limit) {
            return 1.0;
        }
        let (column, row) = (x as usize, y as usize);
        let (right, below) = (x - column as f32, y - row as f32);
        let first = row * FLOOR_RESOLUTION + column;
        let blend = |place: usize| self.free[place] + (self.free[place + 1] - self.free[place]) * right;
        let (upper, lower) = (blend(first), blend(first + FLOOR_RESOLUTION));
        upper + (lower - upper) * below
    }
}

fn blur_rows_transposed(values: &[f32], radius: usize) -> Vec<f32> {
    let side = FLOOR_RESOLUTION;
    (0..side * side)
        .into_par_iter()
        .map(|place| {
            let (column, row) = (place / side, place % side);
            let (start, end) = (column.saturating_sub(radius), (column + radius).min(side - 1));
            values[row * side + start..=row * side + end].iter().sum::<f32>() / (end - start + 1) as f32
        })
        .collect()
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

/// The box around the vertices that matter, or around all where none does, in coordinates of the caller's choice.
pub(super) fn bounds(
    scene: &Scene<'_>,
    matters: impl Fn(Vec3) -> bool + Sync,
    coordinates: impl Fn(Vec3) -> Vec3 + Sync,
) -> Option<(Vec3, Vec3)> {
    let around = |kept: &(dyn Fn(Vec3) -> bool + Sync)| {
        let chunks = scene.positions.par_chunks(8192).filter_map(|chunk| {
            let kept = chunk.iter().filter(|position| !position.is_nan() && kept(**position));
            let points = kept.map(|&position| coordinates(position)).map(|point| (point, point));
            points.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        });
        chunks.reduce_with(|a, b| (a.0.min(b.0), a.1.max(b.1)))
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
