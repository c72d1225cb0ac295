//! Which voxels of a chunk each seed's cell comes to (\[Domaradzki16\] 4.3).
//!
//! A voxel is in a cell if one of its corners is. How much farther one seed is from a corner than another is linear, so
//! along a row of corners the nearer one changes once at most, and 81 rows tell all 729 corners of a chunk.

use fracas_kernels::cells::{SUBVOXEL, Seed, nearest as nearest_of};

use super::bits::{Bits, NONE};

/// Corners along an edge of a chunk.
const CORNERS: usize = 9;

/// Bit x of row 9z + y is a corner.
type CornerRows = [u16; CORNERS * CORNERS];

/// Of more candidates than this, the nearest to each corner is looked for instead of comparing all with each other.
const MANY: usize = 24;

/// Which voxels the candidates' cells come to, and room to find out.
#[derive(Default)]
pub(super) struct Touched {
    /// Candidates, in order; not those that are nearest to no corner, if there were many.
    pub(super) candidates: Vec<u32>,
    /// For each candidate, voxels in rows.
    pub(super) voxels: Vec<Bits>,
    nearest: Vec<CornerRows>,
}

/// For each candidate, the voxels in rows whose corners it is nearest to. `chunk` is the chunk's lowest voxel, and the
/// candidates are in order.
pub(super) fn touch(seeds: &[Seed], candidates: &[u32], chunk: [u32; 3], touched: &mut Touched) {
    let origin = chunk.map(|voxel| voxel as i32 * SUBVOXEL);
    let Touched { candidates: kept, voxels: touched, nearest } = touched;
    kept.clear();
    nearest.clear();
    if candidates.len() > MANY {
        nearest_to_corners(seeds, candidates, origin, kept, nearest);
    } else {
        kept.extend_from_slice(candidates);
        compare(seeds, candidates, origin, nearest);
    }
    touched.clear();
    touched.extend(nearest.iter().map(voxels));
}

/// The corners of those candidates that are nearest to any.
fn nearest_to_corners(
    seeds: &[Seed],
    candidates: &[u32],
    origin: [i32; 3],
    kept: &mut Vec<u32>,
    nearest: &mut Vec<CornerRows>,
) {
    let near: Vec<Seed> = candidates.iter().map(|&number| seeds[number as usize]).collect();
    let corners = CORNERS * CORNERS * CORNERS;
    let of_corner: Vec<u32> = (0..corners)
        .map(|corner| {
            let place = [corner % CORNERS, corner / CORNERS % CORNERS, corner / CORNERS / CORNERS];
            candidates
                [nearest_of(&near, std::array::from_fn(|axis| origin[axis] + place[axis] as i32 * SUBVOXEL)) as usize]
        })
        .collect();
    kept.extend_from_slice(&of_corner);
    kept.sort_unstable();
    kept.dedup();
    nearest.resize(kept.len(), [0; CORNERS * CORNERS]);
    for (corner, number) in of_corner.into_iter().enumerate() {
        if let Ok(place) = kept.binary_search(&number) {
            nearest[place][corner / CORNERS] |= 1 << (corner % CORNERS);
        }
    }
}

/// The corners of each candidate, by comparing it with each other one.
fn compare(seeds: &[Seed], candidates: &[u32], origin: [i32; 3], nearest: &mut Vec<CornerRows>) {
    nearest.resize(candidates.len(), [0x1ff; CORNERS * CORNERS]);
    for later in 1..candidates.len() {
        for earlier in 0..later {
            let [one, other] = [candidates[earlier], candidates[later]].map(|number| &seeds[number as usize]);
            let rows = nearer(one, other, origin);
            for row in 0..rows.len() {
                nearest[earlier][row] &= rows[row];
                nearest[later][row] &= !rows[row];
            }
        }
    }
}

/// The corners that one seed is nearer to than another, or as near.
fn nearer(one: &Seed, other: &Seed, origin: [i32; 3]) -> CornerRows {
    let farther = (other.power(origin) - one.power(origin)) as f64;
    let step: [f64; 3] =
        std::array::from_fn(|axis| f64::from(2 * SUBVOXEL) * f64::from(one.position[axis] - other.position[axis]));
    // All of these are integers below 2^53, and a quotient that is no integer is farther from one than its rounding,
    // so doubles are exact here.
    let mut rows = [0; CORNERS * CORNERS];
    for (row, bits) in rows.iter_mut().enumerate() {
        let value = farther + (row % CORNERS) as f64 * step[1] + (row / CORNERS) as f64 * step[2];
        // The first corner that is nearer, or the last: rounded by hand, because a call costs more than the division.
        let quotient = (-value / step[0]).clamp(-1.0, CORNERS as f64);
        let whole = quotient as i32;
        *bits = if step[0] > 0.0 {
            let first = whole + i32::from(quotient > f64::from(whole));
            0x1ff << first.max(0) & 0x1ff
        } else if step[0] < 0.0 {
            let last = whole - i32::from(quotient < f64::from(whole));
            (1 << (last + 1)) - 1
        } else if value >= 0.0 {
            0x1ff
        } else {
            0
        };
    }
    rows
}

/// The voxels that have one of some corners.
fn voxels(corners: &CornerRows) -> Bits {
    let mut bits = NONE;
    for (z, word) in bits.iter_mut().enumerate() {
        for y in 0..8 {
            let row = CORNERS * z + y;
            let any = corners[row] | corners[row + 1] | corners[row + CORNERS] | corners[row + CORNERS + 1];
            *word |= u64::from((any | any >> 1) & 0xff) << (8 * y);
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use fracas_kernels::cells::of_voxel;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_agree_with_every_corner(
            positions in prop::collection::vec(prop::array::uniform3(-40_000i32..100_000), 2..6),
            near in prop::collection::vec(prop::array::uniform3(-600i32..600), 0..2 * MANY),
            chunk in prop::array::uniform3(0u32..127),
        ) {
            let middle = chunk.map(|coordinate| ((8 * coordinate + 4) * 64) as i32);
            let near = near.iter().map(|offset| std::array::from_fn(|axis| middle[axis] + offset[axis]));
            let seeds: Vec<Seed> = positions.into_iter().chain(near).map(|position| Seed { position, cell: 0 }).collect();
            let candidates: Vec<u32> = (0..seeds.len() as u32).collect();
            let mut all = Touched::default();
            touch(&seeds, &candidates, chunk.map(|coordinate| 8 * coordinate), &mut all);
            for voxel in 0..512usize {
                let [x, y, z] = [voxel % 8, voxel / 8 % 8, voxel / 64];
                let place = [8 * chunk[0] + x as u32, 8 * chunk[1] + y as u32, 8 * chunk[2] + z as u32];
                let expected = of_voxel(&seeds, place);
                let is_touched = |bits: &Bits| bits[z] >> (8 * y + x) & 1 != 0;
                for (number, bits) in all.candidates.iter().zip(&all.voxels) {
                    prop_assert_eq!(is_touched(bits), expected.contains(number));
                }
                prop_assert!(expected.iter().all(|number| all.candidates.contains(number)));
            }
        }
    }
}
