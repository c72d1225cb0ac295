//! How much of the sun reaches a point, by a fine height map.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::camera::{SCENERY, View};
use super::height_map::{LIFT, LightFrame, NOTHING, STEEPEST, fill_triangle};
use super::scene::{Scene, TRIANGLES_PER_TASK};

const RESOLUTION: usize = 2048;

/// The tangent of the angle that the sun reaches to each side. Larger than the real one: a softer light is kinder.
const SUN_RADIUS: f32 = 0.035;

/// Texels around a point that are searched for what may half cover the sun.
const WIDEST_PENUMBRA: f32 = 14.0;

/// Even the sharpest shadow is softened over this many texels, or its staircase would show.
const NARROWEST_PENUMBRA: f32 = 1.3;

const SEARCH_TAPS: usize = 16;
const FILTER_TAPS: usize = 32;

/// A map of what is around the target, and a coarser one of all the rest if that reaches much farther.
pub(super) struct SunMaps {
    /// The finest first.
    maps: Vec<SunMap>,
}

impl SunMaps {
    /// Maps of all that is in view or casts its shadow there. `shadow` says where the shadow of a point falls on the
    /// ground.
    pub(super) fn new(
        scene: &Scene<'_>,
        view: &View,
        direction: Vec3,
        shadow: impl Fn(Vec3) -> Option<Vec3> + Sync,
    ) -> SunMaps {
        let (right, up) = direction.any_orthonormal_pair();
        let [fine, coarse] = [SCENERY, f64::INFINITY].map(|farthest| {
            let sees = |point: Vec3| view.nearly_sees(point, farthest);
            let matters = |point: Vec3| sees(point) || shadow(point).is_some_and(sees);
            scene.bounds(matters, |point| Vec3::new(point.dot(right), point.dot(up), 0.0))
        });
        let mut maps = Vec::new();
        if let (Some(fine), Some(coarse)) = (fine, coarse) {
            let size = |(low, high): (Vec3, Vec3)| (high - low).max_element();
            let widest = if size(fine) < 0.5 * size(coarse) {
                // Where the fine map ends, the shadows in it should have ended before.
                let margin = 0.1 * (fine.1 - fine.0);
                maps.push(SunMap::new(scene, direction, (fine.0 - margin, fine.1 + margin), f32::INFINITY));
                maps[0].widest * maps[0].frame.texel()
            } else {
                f32::INFINITY
            };
            maps.push(SunMap::new(scene, direction, coarse, widest));
        }
        SunMaps { maps }
    }

    /// The part of the sun that is seen from a point of a surface: 1 is all of it.
    pub(super) fn visibility(&self, point: Vec3, normal: Vec3) -> f32 {
        let known = self.maps.iter().find(|map| map.shows(point));
        known.map_or(1.0, |map| map.visibility(point, normal))
    }
}

/// The highest point towards the sun over each texel.
struct SunMap {
    frame: LightFrame,
    heights: Vec<f32>,
    /// How far the search for what covers the sun goes, in texels.
    widest: f32,
    search: [Vec2; SEARCH_TAPS],
    filter: [Vec2; FILTER_TAPS],
}

impl SunMap {
    /// A map of a rectangle across the light, whose shadows have no rims wider than a length.
    fn new(scene: &Scene<'_>, direction: Vec3, (low, high): (Vec3, Vec3), widest: f32) -> SunMap {
        let frame = LightFrame::new(direction, low.truncate(), high.truncate(), RESOLUTION);
        // The greatest of a set is the same in any order, so the threads may write as they come.
        let texels = RESOLUTION * RESOLUTION;
        let heights: Vec<AtomicU32> = std::iter::repeat_with(AtomicU32::default).take(texels).collect();
        let count = scene.triangle_count();
        (0..count.div_ceil(TRIANGLES_PER_TASK)).into_par_iter().for_each(|task| {
            let start = task * TRIANGLES_PER_TASK;
            scene.for_triangles(start..count.min(start + TRIANGLES_PER_TASK), |_, vertices| {
                let corners = scene.corners(vertices).map(|corner| frame.map(corner));
                fill_triangle(corners, RESOLUTION, |place, height| {
                    let key = to_key(height);
                    if heights[place].load(Ordering::Relaxed) < key {
                        heights[place].fetch_max(key, Ordering::Relaxed);
                    }
                });
            });
        });
        let heights = heights.into_iter().map(|key| from_key(key.into_inner())).collect();
        SunMap {
            frame,
            heights,
            widest: (widest / frame.texel()).clamp(NARROWEST_PENUMBRA, WIDEST_PENUMBRA),
            search: std::array::from_fn(|number| disc_tap(number, SEARCH_TAPS)),
            filter: std::array::from_fn(|number| disc_tap(number, FILTER_TAPS)),
        }
    }

    fn shows(&self, point: Vec3) -> bool {
        self.frame.place(self.frame.map(point).truncate()).is_some()
    }

    /// The wider the gap between a point and what covers the sun, the softer is the shadow's rim
    /// (percentage-closer soft shadows, Fernando 2005).
    fn visibility(&self, point: Vec3, normal: Vec3) -> f32 {
        let mapped = self.frame.map(point + normal * (LIFT * self.frame.texel()));
        let slope = self.frame.slope(normal, STEEPEST);
        let tap = |offset: Vec2| (mapped.truncate() + offset, mapped.z + slope.dot(offset) + 0.5);
        let (mut covering, mut gap) = (0, 0.0);
        for offset in self.search {
            let (at, height) = tap(offset * self.widest);
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
        let radius = (gap / covering as f32 * SUN_RADIUS).clamp(NARROWEST_PENUMBRA, self.widest);
        let seen = self.filter.iter().map(|&offset| {
            let (at, height) = tap(offset * radius);
            self.frame.around(at).map_or(1.0, |around| around.free(&self.heights, height, slope))
        });
        seen.sum::<f32>() / FILTER_TAPS as f32
    }
}

/// Point `number` of `count` that fill the unit disc evenly (Vogel's spiral).
fn disc_tap(number: usize, count: usize) -> Vec2 {
    const GOLDEN_ANGLE: f32 = 2.399_963_1;
    let radius = ((number as f32 + 0.5) / count as f32).sqrt();
    Vec2::from_angle(number as f32 * GOLDEN_ANGLE) * radius
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
}
