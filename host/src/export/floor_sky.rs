//! How much of the sky reaches the floor.

use glam::Vec3;
use rayon::prelude::*;

use super::sky::SkyMaps;

/// The texels along the side of the square, and how far apart light is blurred.
const RESOLUTION: usize = 288;
const BLUR: [usize; 2] = [2, 3];

/// The light of the sky on the floor around a scene. The floor is the one large plane in a picture, on which the rims of
/// the single directions would show; here they are blurred together, and a floor that is mostly free costs little.
pub(super) struct FloorSky {
    /// The middle of the square and its axes, which reach half its side.
    center: Vec3,
    axes: [Vec3; 2],
    /// The part of the sky that is seen.
    free: Vec<f32>,
}

impl FloorSky {
    /// The light on a square of the plane through `center` that reaches so far to each side.
    pub(super) fn new(sky: &SkyMaps, up: Vec3, center: Vec3, reach: f32) -> FloorSky {
        let (right, forward) = up.any_orthonormal_pair();
        let axes = [right * reach, forward * reach];
        // Without anything in the way; the directions are few, so it is not quite 1.
        let all = sky.free_irradiance(up);
        let coordinate = |place: usize| (place as f32 + 0.5) / RESOLUTION as f32 * 2.0 - 1.0;
        let mut free: Vec<f32> = (0..RESOLUTION * RESOLUTION)
            .into_par_iter()
            .map(|place| {
                let (x, y) = (coordinate(place % RESOLUTION), coordinate(place / RESOLUTION));
                // Towards the rim of the square the shade fades, or the square would be seen.
                let fade = ((1.0 - x.hypot(y)) / 0.4).clamp(0.0, 1.0);
                if fade == 0.0 {
                    return 1.0;
                }
                let seen = sky.irradiance(center + axes[0] * x + axes[1] * y, up)[0] / all;
                1.0 + (seen - 1.0) * fade
            })
            .collect();
        for radius in BLUR {
            // Each pass blurs the rows and turns the square over, so two blur both ways.
            free = blur_rows_transposed(&free, radius);
            free = blur_rows_transposed(&free, radius);
        }
        FloorSky { center, axes, free }
    }

    /// The part of the sky that a point of the floor sees.
    pub(super) fn free(&self, point: Vec3) -> f32 {
        let coordinate = |axis: Vec3| {
            ((point - self.center).dot(axis) / axis.length_squared() + 1.0) * 0.5 * RESOLUTION as f32 - 0.5
        };
        let (x, y) = (coordinate(self.axes[0]), coordinate(self.axes[1]));
        let limit = RESOLUTION as f32 - 1.0;
        if !(x >= 0.0 && y >= 0.0 && x < limit && y < limit) {
            return 1.0;
        }
        let (column, row) = (x as usize, y as usize);
        let (right, below) = (x - column as f32, y - row as f32);
        let first = row * RESOLUTION + column;
        let blend = |place: usize| self.free[place] + (self.free[place + 1] - self.free[place]) * right;
        let (upper, lower) = (blend(first), blend(first + RESOLUTION));
        upper + (lower - upper) * below
    }
}

fn blur_rows_transposed(values: &[f32], radius: usize) -> Vec<f32> {
    let side = RESOLUTION;
    (0..side * side)
        .into_par_iter()
        .map(|place| {
            let (column, row) = (place / side, place % side);
            let (start, end) = (column.saturating_sub(radius), (column + radius).min(side - 1));
            values[row * side + start..=row * side + end].iter().sum::<f32>() / (end - start + 1) as f32
        })
        .collect()
}
