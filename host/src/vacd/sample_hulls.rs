//! The volumes of hulls of samples, quickly and roughly.

use glam::Vec3;

use super::samples::Samples;

/// One of each opposite pair of the directions in which samples are bounded.
const AXES: [[f32; 3]; 25] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, -1.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
    [2.0, 1.0, 1.0],
    [-2.0, 1.0, 1.0],
    [2.0, -1.0, 1.0],
    [2.0, 1.0, -1.0],
    [1.0, 2.0, 1.0],
    [-1.0, 2.0, 1.0],
    [1.0, -2.0, 1.0],
    [1.0, 2.0, -1.0],
    [1.0, 1.0, 2.0],
    [-1.0, 1.0, 2.0],
    [1.0, -1.0, 2.0],
    [1.0, 1.0, -2.0],
];

const ELSEWHERE: u8 = 0;
const WAITING: u8 = 1;
const VISITED: u8 = 2;

/// Memory for one thread.
#[derive(Default)]
pub(super) struct HullScratch {
    /// Whether each sample is in another cell, still to be visited, or was.
    states: Vec<u8>,
    island: Vec<u32>,
}

/// How many points of the lattice are in the hulls of the islands of some samples, about.
pub(super) fn hull_count(samples: &Samples, cell: &[u32], scratch: &mut HullScratch) -> f64 {
    let HullScratch { states, island } = scratch;
    states.resize(samples.points.len(), ELSEWHERE);
    cell.iter().for_each(|&sample| states[sample as usize] = WAITING);
    let mut count = 0.0;
    for &first in cell {
        if states[first as usize] != WAITING {
            continue;
        }
        states[first as usize] = VISITED;
        island.clear();
        island.push(first);
        let mut next = 0;
        let mut support = Support::NONE;
        while next < island.len() {
            let sample = island[next] as usize;
            next += 1;
            let mut is_border = false;
            for neighbour in samples.neighbours[sample] {
                let state = states.get_mut(neighbour as usize).filter(|state| **state != ELSEWHERE);
                match state {
                    Some(state) if *state == WAITING => {
                        *state = VISITED;
                        island.push(neighbour);
                    }
                    Some(_) => {}
                    None => is_border = true,
                }
            }
            // What is between others of the island reaches no farther than they do.
            if is_border {
                support.include(samples.points[sample]);
            }
        }
        count += f64::from(support.count().max(island.len() as f32));
    }
    cell.iter().for_each(|&sample| states[sample as usize] = ELSEWHERE);
    count
}

/// How far samples reach.
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
        for axis in 0..AXES.len() {
            let [a, b, c] = AXES[axis];
            let place = a * x + b * y + c * z;
            self.low[axis] = if place < self.low[axis] { place } else { self.low[axis] };
            self.high[axis] = if place > self.high[axis] { place } else { self.high[axis] };
        }
    }

    /// How many points of the lattice are inside, not counted one by one but line by line along x. Ends count half, for
    /// that is how far a cut between samples is from them.
    pub(super) fn count(&self) -> f32 {
        let mut count = 0.0;
        let [y_low, y_high] = [self.low[1], self.high[1]];
        let [z_low, z_high] = [self.low[2], self.high[2]];
        for z in z_low.round() as i32..=z_high.round() as i32 {
            let z = (z as f32).clamp(z_low, z_high);
            for y in y_low.round() as i32..=y_high.round() as i32 {
                let y = (y as f32).clamp(y_low, y_high);
                let (mut low, mut high) = (self.low[0], self.high[0]);
                for axis in 3..AXES.len() {
                    let [a, b, c] = AXES[axis];
                    let place = b * y + c * z;
                    let (under, over) = (self.low[axis] - place, self.high[axis] - place);
                    let (begin, end) = if a > 0.0 {
                        (under / a, over / a)
                    } else if a < 0.0 {
                        (over / a, under / a)
                    } else if under > 0.0 || over < 0.0 {
                        (f32::INFINITY, f32::NEG_INFINITY)
                    } else {
                        continue;
                    };
                    low = low.max(begin);
                    high = high.min(end);
                }
                if high >= low {
                    count += high - low + 1.0;
                }
            }
        }
        count
    }
}

/// The directions of the planes by which a set of samples may be divided.
pub(super) fn split_directions() -> impl Iterator<Item = Vec3> {
    AXES.iter().map(|&axis| Vec3::from_array(axis).normalize())
}
