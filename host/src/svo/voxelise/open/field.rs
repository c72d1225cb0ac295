//! What is inside by the generalised winding number, asked at as few points as will do.

use fracas_kernels::{morton, normal};
use glam::DVec3;

use super::grid::Content;
use super::local::Local;
use crate::svo::bits::{ALL, Bits, LEFT, NONE, and_not, ones, or};

/// How far above a half the winding number is, in absolute value, from the cube above a node.
pub(super) struct Field<'a, 'b>(pub(super) &'a Local<'b>);

/// How far from a half the winding number is where no hole is near, so that one sample will do.
const CLEAR: f64 = 0.4;

/// Samples that decide for a set of voxels.
const SAMPLES: usize = 10;

impl Field<'_, '_> {
    fn at(&self, point: DVec3) -> f64 {
        self.0.at(point).abs() - 0.5
    }

    /// Whether all between some samples is inside, or outside; if that can be told.
    fn common(samples: &[f64]) -> Option<bool> {
        let low = samples.iter().copied().fold(f64::INFINITY, f64::min);
        let high = samples.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Between samples it may swing farther by some part of their difference.
        let margin = 0.25 * (high - low);
        if low > margin {
            Some(true)
        } else if high < -margin {
            Some(false)
        } else {
            None
        }
    }

    /// Which voxels of a chunk that are not boundary are inside, in rows.
    pub(super) fn inside(&self, code: u32, boundary: &Bits) -> Bits {
        let mut own = None;
        let origin = DVec3::from_array(morton::decode_30(code).map(|coordinate| f64::from(8 * coordinate)));
        let middle =
            |voxel: usize| origin + DVec3::new((voxel % 8) as f64, (voxel / 8 % 8) as f64, (voxel / 64) as f64) + 0.5;
        let mut inside = NONE;
        let mut left = and_not(&ALL, boundary);
        while left != NONE {
            let part = flooded(&left);
            left = and_not(&left, &part);
            let members: Vec<usize> =
                (0..8).flat_map(|z| ones(part[z]).map(move |bit| 64 * z + bit as usize)).collect();
            let ends = [members[0], members[members.len() / 2]].map(|voxel| self.at(middle(voxel)));
            if ends.iter().all(|&value| value > CLEAR) {
                inside = or(&inside, &part);
                continue;
            } else if ends.iter().all(|&value| value < -CLEAR) {
                continue;
            }
            let own = Field(own.get_or_insert_with(|| self.0.child(code)));
            let stride = members.len().div_ceil(SAMPLES);
            let samples: Vec<f64> = members.iter().step_by(stride).map(|&voxel| own.at(middle(voxel))).collect();
            match Field::common(&samples) {
                Some(true) => inside = or(&inside, &part),
                Some(false) => {}
                None => {
                    for &voxel in members.iter().filter(|&&voxel| own.at(middle(voxel)) > 0.0) {
                        inside[voxel / 64] |= 1 << (voxel % 64);
                    }
                }
            }
        }
        inside
    }

    /// Divides a node that no surface comes to until its parts are inside or outside, or chunks.
    pub(super) fn divide(&self, code: u32, height: u32, found: &mut Vec<(u32, u32, Content)>) {
        let edge = f64::from(8u32 << height);
        let origin = edge * DVec3::from_array(morton::decode_30(code).map(f64::from));
        let middle = self.at(origin + 0.5 * edge);
        if middle.abs() > CLEAR {
            if middle > 0.0 {
                found.push((code, height, Content::Inside));
            }
            return;
        }
        let own = self.0.child(code);
        let own = Field(&own);
        // Three points along each edge, a little inwards: the surface may touch the node from outside.
        let samples: [f64; 27] = std::array::from_fn(|point| {
            let steps = DVec3::new((point % 3) as f64, (point / 3 % 3) as f64, (point / 9) as f64);
            own.at(origin + 0.5 * edge + (0.5 * edge - 0.25) * (steps - 1.0))
        });
        match Field::common(&samples) {
            Some(true) => found.push((code, height, Content::Inside)),
            Some(false) => {}
            None if height > 0 => (0..8).for_each(|child| own.divide(code << 3 | child, height - 1, found)),
            None => found.push((code, 0, Content::Mixed(Box::new(interpolated(&samples))))),
        }
    }

    /// The direction out at a voxel, which points `towards` what is outside if the winding number cannot tell.
    pub(super) fn normal(&self, middle: DVec3, towards: [i32; 3]) -> u16 {
        let slope = DVec3::from_array(
            [DVec3::X, DVec3::Y, DVec3::Z].map(|step| self.at(middle - step) - self.at(middle + step)),
        );
        let direction = (1000.0 * slope.normalize_or_zero()).round().as_ivec3().to_array();
        let is_out = (0..3).map(|axis| direction[axis] * towards[axis]).sum::<i32>() > 0;
        normal::pack(if is_out { direction } else { towards })
    }
}

/// The voxels of a chunk above zero, from three samples along each edge: there is no surface in it, so the function is
/// smooth there.
fn interpolated(samples: &[f64; 27]) -> Bits {
    let mut bits = NONE;
    for voxel in 0..512 {
        let place = [voxel % 8, voxel / 8 % 8, voxel / 64];
        let share = place.map(|coordinate| ((coordinate % 4) as f64 + 0.5) / 4.0);
        let value: f64 = (0..8usize)
            .map(|corner| {
                let high = [corner & 1, corner >> 1 & 1, corner >> 2];
                let [x, y, z]: [usize; 3] = std::array::from_fn(|axis| place[axis] / 4 + high[axis]);
                let weight: f64 =
                    (0..3).map(|axis| if high[axis] == 1 { share[axis] } else { 1.0 - share[axis] }).product();
                weight * samples[9 * z + 3 * y + x]
            })
            .sum();
        bits[voxel / 64] |= u64::from(value > 0.0) << (voxel % 64);
    }
    bits
}

/// The voxels that the first one of a set is connected with by faces.
fn flooded(voxels: &Bits) -> Bits {
    let mut found = NONE;
    if let Some(word) = voxels.iter().position(|&word| word != 0) {
        found[word] = voxels[word] & voxels[word].wrapping_neg();
    }
    loop {
        let grown: Bits = std::array::from_fn(|z| {
            let here = found[z];
            let along_x = (here & !(LEFT << 7)) << 1 | (here & !LEFT) >> 1;
            let along_z = if z > 0 { found[z - 1] } else { 0 } | if z < 7 { found[z + 1] } else { 0 };
            (here | along_x | here << 8 | here >> 8 | along_z) & voxels[z]
        });
        if grown == found {
            return found;
        }
        found = grown;
    }
}
