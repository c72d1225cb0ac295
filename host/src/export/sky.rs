//! How much of the sky reaches a point, by coarse height maps along many axes.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::height_map::{LIFT, LightFrame, NOTHING, STEEPEST, fill_triangle};
use super::scene::Scene;

/// Coarse on purpose: the shade of the sky is soft, and a texel's width is what softens the rim of each direction.
const RESOLUTION: usize = 160;

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
        let frames: Vec<LightFrame> = hemisphere(up, count)
            .into_iter()
            .map(|direction| {
                let across = corners.map(|corner| LightFrame::across(direction, corner));
                let low = across.into_iter().reduce(Vec2::min).unwrap_or_default();
                let high = across.into_iter().reduce(Vec2::max).unwrap_or_default();
                LightFrame::new(direction, low, high, RESOLUTION)
            })
            .collect();
        let finest = frames.iter().map(LightFrame::texel).fold(f32::INFINITY, f32::min);
        let covers = Covers::new(scene, finest);
        SkyMaps { axes: frames.into_par_iter().map(|frame| covers.seen_along(frame)).collect() }
    }

    /// The light that a surface gets from the upper half of the sphere if it faces `up` and nothing is in the way.
    pub(super) fn free_irradiance(&self, up: Vec3) -> f32 {
        let sum: f32 = self.axes.iter().map(|axis| axis.frame.direction.dot(up)).sum();
        sum * 2.0 / self.axes.len().max(1) as f32
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

/// What may cover the sky: triangles, and single points in place of those triangles that are smaller than texels. A fine
/// mesh is drawn several times as fast by its points.
struct Covers {
    triangles: Vec<[Vec3; 3]>,
    points: Vec<Vec3>,
}

impl Covers {
    fn new(scene: &Scene<'_>, texel: f32) -> Covers {
        // No point of a triangle is farther from all corners than the longest side over the root of three. With sides
        // up to this, each texel whose centre the triangle covers has a corner in it, from wherever it is seen.
        const LONGEST_SIDE: f32 = 0.8;
        let limit = (LONGEST_SIDE * texel).powi(2);
        let mut triangles = Vec::new();
        let mut is_point = vec![false; scene.positions.len()];
        scene.for_triangles(0..scene.triangle_count(), |_, vertices| {
            let [a, b, c] = scene.corners(vertices);
            let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
            if longest <= limit {
                vertices.into_iter().for_each(|vertex| is_point[vertex] = true);
            } else {
                triangles.push([a, b, c]);
            }
        });
        let points =
            scene.positions.iter().zip(is_point).filter_map(|(&position, is_point)| is_point.then_some(position));
        Covers { triangles, points: points.collect() }
    }

    fn seen_along(&self, frame: LightFrame) -> SkyAxis {
        let mut highest = vec![NOTHING; RESOLUTION * RESOLUTION];
        let mut lowest = highest.clone();
        let mut plot = |place: usize, height: f32| {
            highest[place] = highest[place].max(height);
            lowest[place] = lowest[place].max(-height);
        };
        for triangle in &self.triangles {
            fill_triangle(triangle.map(|corner| frame.map(corner)), RESOLUTION, &mut plot);
        }
        for &point in &self.points {
            let mapped = frame.map(point);
            if let Some(place) = frame.place(mapped.truncate()) {
                plot(place, mapped.z);
            }
        }
        SkyAxis { frame, highest, lowest }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_point_sees_half_a_sphere() {
        let sphere = hemisphere(Vec3::Y, 400);
        let mean: f32 = sphere.iter().map(|direction| direction.y).sum::<f32>() / 400.0;
        assert!((mean - 0.5).abs() < 1e-3);
        let sideways: Vec3 = sphere.iter().sum::<Vec3>() / 400.0;
        assert!(sideways.x.abs() < 0.01 && sideways.z.abs() < 0.01);
    }
}
