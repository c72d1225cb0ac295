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
const ROWS: f32 = 16.0;

/// So many directions have no x.
const FLAT: usize = 4;

/// A half-space: what is no farther in a direction than an offset.
pub(super) type Wall = (Vec3, f32);

/// A wall whose normal has less in x than this does not bound a line along x.
const ALONG: f32 = 1e-3;

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

    /// The volume within walls, by the lengths of lines along x about as far apart as the lattice's.
    ///
    /// The walls are those of the cell: a convex that is fitted has them as faces, but none of the directions need be
    /// theirs, and without them what is cut across another direction would count for more than it is.
    pub(super) fn volume(&self, walls: &[Wall]) -> f32 {
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
                    length += self.length(y, z, walls).max(0.0);
                }
            }
        }
        length * y_step * z_step
    }

    /// How long the line along x is inside; not positive outside.
    #[inline]
    fn length(&self, y: f32, z: f32, walls: &[Wall]) -> f32 {
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
        let mut low = lows[0].max(lows[1]).max(lows[2].max(lows[3]));
        let mut high = highs[0].min(highs[1]).min(highs[2].min(highs[3]));
        for &(direction, offset) in walls {
            let rest = offset - direction.y * y - direction.z * z;
            if direction.x > ALONG {
                high = high.min(rest / direction.x);
            } else if direction.x < -ALONG {
                low = low.max(rest / direction.x);
            } else if rest < 0.0 {
                return 0.0;
            }
        }
        high - low
    }
}

/// The directions of the planes by which a set of samples may be divided.
pub(super) fn split_directions() -> impl Iterator<Item = Vec3> {
    AXES[..DIRECTIONS].iter().map(|&axis| Vec3::from_array(axis).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(half: f32) -> Support {
        let mut support = Support::NONE;
        for corner in 0..8 {
            let sign = |bit: u32| if corner >> bit & 1 == 0 { -half } else { half };
            support.include(Vec3::new(sign(0), sign(1), sign(2)));
        }
        support
    }

    #[test]
    fn walls_cut_a_cube_to_its_share() {
        let (cube, whole) = (cube(8.0), 16.0f32.powi(3));
        assert!((cube.volume(&[]) / whole - 1.0).abs() < 1e-3, "{}", cube.volume(&[]));
        // Directions of walls that are not among those of a support, and one that no line along x meets.
        for direction in [Vec3::new(0.7, 0.3, -0.2), Vec3::new(-0.2, 0.9, 0.5), Vec3::new(0.0, 0.4, 0.8), -Vec3::X] {
            let direction = direction.normalize();
            // Through the middle, on either side.
            for wall in [(direction, 0.0), (-direction, 0.0)] {
                let share = cube.volume(&[wall]) / whole;
                assert!((share - 0.5).abs() < 0.02, "{direction} {share}");
            }
            // All in front of it, and all behind it.
            assert!((cube.volume(&[(direction, 20.0)]) / whole - 1.0).abs() < 1e-3);
            assert_eq!(cube.volume(&[(direction, -20.0)]), 0.0);
        }
        // A corner, x + y + z > 18: the tetrahedron with legs of 6.
        let corner = cube.volume(&[(-Vec3::ONE, -18.0)]);
        assert!((corner - 36.0).abs() < 3.0, "{corner}");
    }
}
