//! Voxels of chunks that touch, by 26-connectivity, as bits in rows.

use crate::svo::bits::{Bits, LEFT, NONE, and, is_same};

/// Voxels of a chunk that hang together: where they come to its faces.
#[derive(Clone, Debug)]
pub(super) struct Component {
    faces: [Faces; 3],
}

/// The lowest and the highest layer along an axis: bit 8v + u, where u is the first of the other axes.
#[derive(Clone, Copy, Debug, Default)]
struct Faces {
    low: u64,
    high: u64,
}

/// Calls back with the components of a set in rows, in a fixed order.
pub(super) fn components(voxels: &Bits, mut visit: impl FnMut(Bits)) {
    let mut left = *voxels;
    while let Some(word) = left.iter().position(|&word| word != 0) {
        let mut found = NONE;
        found[word] = left[word] & left[word].wrapping_neg();
        loop {
            let grown = and(&dilated(&found), &left);
            if is_same(&grown, &found) {
                break;
            }
            found = grown;
        }
        for (left, found) in left.iter_mut().zip(found) {
            *left &= !found;
        }
        visit(found);
    }
}

impl Component {
    /// Of voxels in rows.
    pub(super) fn new(voxels: &Bits) -> Component {
        let along_x = |x: u32| (0..8).fold(0, |face, z| face | column(voxels[z] >> x) << (8 * z));
        let along_y = |y: u32| (0..8).fold(0, |face, z| face | (voxels[z] >> (8 * y) & 0xff) << (8 * z));
        let faces = [
            Faces { low: along_x(0), high: along_x(7) },
            Faces { low: along_y(0), high: along_y(7) },
            Faces { low: voxels[0], high: voxels[7] },
        ];
        Component { faces }
    }

    /// The layer towards a neighbour along an axis.
    pub(super) fn face(&self, axis: usize, is_high: bool) -> u64 {
        if is_high { self.faces[axis].high } else { self.faces[axis].low }
    }

    /// Whether it touches a component of the neighbouring chunk in a direction.
    pub(super) fn touches(&self, other: &Component, direction: [i32; 3]) -> bool {
        let Some(axis) = (0..3).rev().find(|&axis| direction[axis] != 0) else { return false };
        let is_up = direction[axis] > 0;
        let (mut own, mut others) = (self.face(axis, is_up), other.face(axis, !is_up));
        // The axes of a face, in order.
        let [u, v] = [[1, 2], [0, 2], [0, 1]][axis];
        own = grown(towards(own, direction[u], direction[v]), direction[u] == 0, direction[v] == 0);
        others = towards(others, -direction[u], -direction[v]);
        // What is left of a rim is seen at the same place from both sides.
        own = to_rim(own, direction[u], direction[v]);
        others = to_rim(others, -direction[u], -direction[v]);
        own & others != 0
    }
}

/// The bits of a face at the rim in a direction.
fn towards(face: u64, u: i32, v: i32) -> u64 {
    let columns = match u {
        0 => u64::MAX,
        1.. => 0x8080_8080_8080_8080,
        _ => 0x0101_0101_0101_0101,
    };
    let rows = match v {
        0 => u64::MAX,
        1.. => 0xff << 56,
        _ => 0xff,
    };
    face & columns & rows
}

/// The rim in a direction moved to the lowest bits.
fn to_rim(face: u64, u: i32, v: i32) -> u64 {
    face >> (if u > 0 { 7 } else { 0 } + if v > 0 { 56 } else { 0 })
}

/// With the neighbours along the axes of a face.
fn grown(mut face: u64, along_u: bool, along_v: bool) -> u64 {
    if along_u {
        face |= (face & 0x7f7f_7f7f_7f7f_7f7f) << 1 | (face & 0xfefe_fefe_fefe_fefe) >> 1;
    }
    if along_v {
        face |= face << 8 | face >> 8;
    }
    face
}

/// The lowest bit of each byte, together in one byte.
fn column(word: u64) -> u64 {
    (word & LEFT).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// With all voxels of the 26-neighbourhood in the chunk.
fn dilated(voxels: &Bits) -> Bits {
    let slices: Bits = std::array::from_fn(|z| grown(voxels[z], true, true));
    std::array::from_fn(|z| {
        let below = if z > 0 { slices[z - 1] } else { 0 };
        let above = if z < 7 { slices[z + 1] } else { 0 };
        slices[z] | below | above
    })
}

#[cfg(test)]
mod tests {
    use fracas_kernels::islands::HALF_NEIGHBOURS;
    use proptest::prelude::*;

    use super::*;

    fn voxels(bits: &Bits) -> Vec<[i32; 3]> {
        let is_set = |voxel: &[i32; 3]| bits[voxel[2] as usize] >> (8 * voxel[1] + voxel[0]) & 1 != 0;
        (0..512).map(|voxel| [voxel % 8, voxel / 8 % 8, voxel / 64]).filter(is_set).collect()
    }

    fn sparse() -> impl Strategy<Value = Bits> {
        prop::collection::vec(0usize..512, 0..60).prop_map(|voxels| {
            let mut bits = NONE;
            voxels.into_iter().for_each(|voxel| bits[voxel / 64] |= 1 << (voxel % 64));
            bits
        })
    }

    proptest! {
        #[test]
        fn touching_is_a_pair_of_voxels_a_step_apart(a in sparse(), b in sparse(), direction in 0usize..13) {
            let direction = HALF_NEIGHBOURS[direction];
            let [one, other] = [&a, &b].map(Component::new);
            let is_near = |a: &[i32; 3], b: &[i32; 3]| (0..3).all(|axis| (b[axis] + 8 * direction[axis] - a[axis]).abs() <= 1);
            let expected = voxels(&a).iter().any(|a| voxels(&b).iter().any(|b| is_near(a, b)));
            prop_assert_eq!(one.touches(&other, direction), expected);
        }

        #[test]
        fn components_are_those_of_a_flood(bits in sparse()) {
            let mut found = Vec::new();
            components(&bits, |component| found.push(voxels(&component)));
            prop_assert_eq!(found.iter().map(Vec::len).sum::<usize>(), voxels(&bits).len());
            let near = |a: &[i32; 3], b: &[i32; 3]| (0..3).all(|axis| (a[axis] - b[axis]).abs() <= 1);
            for (number, one) in found.iter().enumerate() {
                for other in &found[..number] {
                    prop_assert!(!one.iter().any(|a| other.iter().any(|b| near(a, b))));
                }
                let mut reached = vec![one[0]];
                let mut next = 0;
                while next < reached.len() {
                    let here = reached[next];
                    let more: Vec<[i32; 3]> =
                        one.iter().filter(|voxel| near(voxel, &here) && !reached.contains(voxel)).copied().collect();
                    reached.extend(more);
                    next += 1;
                }
                prop_assert_eq!(reached.len(), one.len());
            }
        }
    }
}
