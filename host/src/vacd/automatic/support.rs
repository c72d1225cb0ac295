//! How far samples reach, and the volume of their hull, quickly and roughly.

use glam::Vec3;

/// One of each opposite pair of the directions in which samples are bounded.
///
/// Those after the first [`FLAT`] are scaled so that their x is one: then they bound a line along x without a division.
/// The last is there twice to make their number one of whole registers.
const AXES: [[f32; 3]; 28] = [
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [0.0, -1.0, 1.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 1.0],
    [1.0, -1.0, -1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.5, 0.5],
    [1.0, -0.5, -0.5],
    [1.0, -0.5, 0.5],
    [1.0, 0.5, -0.5],
    [1.0, 2.0, 1.0],
    [1.0, -2.0, -1.0],
    [1.0, -2.0, 1.0],
    [1.0, 2.0, -1.0],
    [1.0, 1.0, 2.0],
    [1.0, -1.0, -2.0],
    [1.0, -1.0, 2.0],
    [1.0, 1.0, -2.0],
    [1.0, 1.0, -2.0],
    [1.0, 1.0, -2.0],
    [1.0, 1.0, -2.0],
];

/// So many of them are different.
const DIRECTIONS: usize = 25;

/// The most lines of a volume in each direction.
const ROWS: f32 = 24.0;

/// So many directions have no x.
const FLAT: usize = 4;

/// How far samples reach.
#[derive(Clone)]
pub(super) struct Support {
    low: [f32; AXES.len()],
    high: [f32; AXES.len()],
}

impl Support {
    pub(super) const NONE: Support =
        Support { low: [f32::INFINITY; AXES.len()], high: [f32::NEG_INFINITY; AXES.len()] };

    #[inline]
    pub(super) fn include(&mut self, point: Vec3) {
        let [x, y, z] = point.to_array();
        for (axis, &[a, b, c]) in AXES.iter().enumerate() {
            let place = a * x + b * y + c * z;
            self.low[axis] = if place < self.low[axis] { place } else { self.low[axis] };
            self.high[axis] = if place > self.high[axis] { place } else { self.high[axis] };
        }
    }

    pub(super) fn include_all(&mut self, other: &Support) {
        for axis in 0..AXES.len() {
            self.low[axis] = self.low[axis].min(other.low[axis]);
            self.high[axis] = self.high[axis].max(other.high[axis]);
        }
    }

    /// The volume, by the lengths of lines along x about as far apart as the lattice's.
    pub(super) fn volume(&self) -> f32 {
        if self.low[0] > self.high[0] {
            // Nothing, of which the steps below would be no numbers.
            return 0.0;
        }
        let rows = |axis: usize| {
            let extent = self.high[axis] - self.low[axis];
            let count = extent.round().clamp(1.0, ROWS);
            (self.low[axis], extent / count, count as u32)
        };
        let (y_low, y_step, y_count) = rows(0);
        let (z_low, z_step, z_count) = rows(1);
        let mut length = 0.0;
        for row in 0..z_count {
            let z = z_low + (row as f32 + 0.5) * z_step;
            for row in 0..y_count {
                let y = y_low + (row as f32 + 0.5) * y_step;
                let is_in = |flat: usize| {
                    let place = AXES[flat][1] * y + AXES[flat][2] * z;
                    self.low[flat] <= place && place <= self.high[flat]
                };
                if is_in(2) && is_in(3) {
                    length += self.length(y, z).max(0.0);
                }
            }
        }
        length * y_step * z_step
    }

    /// How long the line along x is inside; negative outside.
    #[inline]
    fn length(&self, y: f32, z: f32) -> f32 {
        let mut lows = [f32::NEG_INFINITY; 4];
        let mut highs = [f32::INFINITY; 4];
        for first in (FLAT..AXES.len()).step_by(4) {
            for lane in 0..4 {
                let axis = first + lane;
                let place = AXES[axis][1] * y + AXES[axis][2] * z;
                let (low, high) = (self.low[axis] - place, self.high[axis] - place);
                lows[lane] = if low > lows[lane] { low } else { lows[lane] };
                highs[lane] = if high < highs[lane] { high } else { highs[lane] };
            }
        }
        let low = lows[0].max(lows[1]).max(lows[2].max(lows[3]));
        highs[0].min(highs[1]).min(highs[2].min(highs[3])) - low
    }
}

/// The directions of the planes by which a set of samples may be divided.
pub(super) fn split_directions() -> impl Iterator<Item = Vec3> {
    AXES[..DIRECTIONS].iter().map(|&axis| Vec3::from_array(axis).normalize())
}
