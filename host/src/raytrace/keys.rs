//! Keys of cells: sorted, they are the tree.

use glam::DVec3;

use super::octree::{MARGIN, Root};

/// How keys are made: the bits of a cell's place, its level, the triangle's number.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyBits {
    pub(super) number: u32,
    pub(super) depth: u32,
}

impl KeyBits {
    pub(super) const LEVEL: u32 = 4;

    pub(super) fn number(self, key: u64) -> u32 {
        (key & ((1 << self.number) - 1)) as u32
    }

    pub(super) fn level(self, key: u64) -> u32 {
        (key >> self.number) as u32 & ((1 << KeyBits::LEVEL) - 1)
    }

    /// Which child of a cell of a level a key belongs to.
    pub(super) fn child(self, key: u64, level: u32) -> u32 {
        (key >> (self.number + KeyBits::LEVEL + 3 * (self.depth - level - 1))) as u32 & 7
    }
}

pub(super) fn is_finite(corners: &[DVec3; 3]) -> bool {
    corners.iter().all(|corner| corner.is_finite())
}

pub(super) fn largest_side([a, b, c]: &[DVec3; 3]) -> f64 {
    (a.max(*b).max(*c) - a.min(*b).min(*c)).max_element()
}

/// The deepest level whose cells are larger than a length.
pub(super) fn level_of(length: f64, root: f64, cap: u32) -> u32 {
    // The binary exponent of how often it fits is the level, but a cell of just that length is too small.
    let ratio = (root / length).min(1e9);
    let exponent = (ratio.to_bits() >> 52) as i64 - 1023;
    let is_power = ratio.to_bits() << 12 == 0;
    (exponent - i64::from(is_power)).clamp(0, i64::from(cap)) as u32
}

/// One key for each cell that a triangle is in.
pub(super) fn emit_triangle(root: &Root, bits: KeyBits, number: u64, corners: &[DVec3; 3], keys: &mut Vec<u64>) {
    let [a, b, c] = *corners;
    let margin = MARGIN * root.size;
    let low = a.min(b).min(c) - margin - root.low;
    let high = a.max(b).max(c) + margin - root.low;
    let level = level_of((high - low).max_element(), root.size, bits.depth);
    let cells = f64::from(1u32 << level);
    let scale = cells / root.size;
    let place = |offset: DVec3| (offset * scale).clamp(DVec3::ZERO, DVec3::splat(cells - 1.0)).as_uvec3();
    let (first, last) = (place(low), place(high));
    let tail = u64::from(level) << bits.number | number;
    let key = |x: u32, y: u32, z: u32| {
        let cell = spread(x) | spread(y) << 1 | spread(z) << 2;
        (cell << (3 * (bits.depth - level)) << (KeyBits::LEVEL + bits.number)) | tail
    };
    if first == last {
        keys.push(key(first.x, first.y, first.z));
        return;
    }
    // Of the cells that the box is in, those that the plane misses have nothing of the triangle.
    let normal = (b - a).cross(c - a);
    let half = 0.5 / scale;
    let is_sliver = normal.length_squared() < 1e-12 * (high - low).length_squared().powi(2);
    // The direction of a sliver's normal is mostly rounding.
    let reach = if is_sliver { f64::INFINITY } else { (half + margin) * normal.abs().element_sum() * (1.0 + 1e-9) };
    let offset = normal.dot(root.low - a);
    for z in first.z..=last.z {
        for y in first.y..=last.y {
            for x in first.x..=last.x {
                let center = (glam::UVec3::new(x, y, z).as_dvec3() + 0.5) / scale;
                if (normal.dot(center) + offset).abs() <= reach {
                    keys.push(key(x, y, z));
                }
            }
        }
    }
}

/// The lower 21 bits of a number, each followed by two zeros.
fn spread(number: u32) -> u64 {
    let mut bits = u64::from(number);
    bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}
