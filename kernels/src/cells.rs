//! Which Voronoi cells a voxel lies in, from the seeds alone (\[Domaradzki16\] 4.2 and 4.3).
//!
//! Seeds stand on a lattice [`SUBVOXEL`] times as fine as the finest voxels, so every comparison of distances is exact:
//! no voxel depends on rounding, and a part of space that is left out because another seed is nearer is left out rightly.

use bytemuck::{Pod, Zeroable};

use crate::normal;

/// Steps of a seed's coordinates in an edge of the finest voxels.
pub const SUBVOXEL: i32 = 64;

/// The largest coordinate of a seed, in absolute value: 16 times the edge of the largest octree.
pub const FARTHEST: i32 = 1 << 20;

/// A seed of a fracture pattern, and the piece that its cell belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Seed {
    /// Where it stands, in steps of 1 / [`SUBVOXEL`] voxel from the octree's corner; at most [`FARTHEST`].
    pub position: [i32; 3],
    /// The cell's number; seeds that share one make one cell (\[Domaradzki16\] 4.7).
    pub cell: u32,
}

const _: () = assert!(size_of::<Seed>() == 16);

impl Seed {
    /// The square of the distance to a point, less the square of the point's own distance from the octree's corner, which
    /// is the same for all seeds. It is linear in the point.
    #[inline]
    pub const fn power(&self, point: [i32; 3]) -> i64 {
        let [x, y, z] = self.position;
        let (x, y, z) = (x as i64, y as i64, z as i64);
        x * (x - 2 * point[0] as i64) + y * (y - 2 * point[1] as i64) + z * (z - 2 * point[2] as i64)
    }

    /// Whether another seed, of a lower number or not, is nearer to every point of a box than this one.
    #[inline]
    pub const fn is_beaten(&self, other: &Seed, other_is_lower: bool, low: [i32; 3], high: [i32; 3]) -> bool {
        // How much farther this seed is than the other is linear too, so its least is at a corner.
        let mut corner = [0; 3];
        let mut axis = 0;
        while axis < 3 {
            corner[axis] = if self.position[axis] < other.position[axis] { low[axis] } else { high[axis] };
            axis += 1;
        }
        let farther = self.power(corner) - other.power(corner);
        farther > 0 || farther == 0 && other_is_lower
    }
}

/// The corner of a voxel, in a seed's steps. Corner i stands at x + (i & 1), y + (i >> 1 & 1), z + (i >> 2).
#[inline]
pub const fn corner(voxel: [u32; 3], number: u32) -> [i32; 3] {
    [
        (voxel[0] + (number & 1)) as i32 * SUBVOXEL,
        (voxel[1] + (number >> 1 & 1)) as i32 * SUBVOXEL,
        (voxel[2] + (number >> 2)) as i32 * SUBVOXEL,
    ]
}

/// The nearest seed to a point; of equally near ones the first, so that a face that runs through voxels' corners cuts
/// the voxels on one side only.
#[inline]
pub fn nearest(seeds: &[Seed], point: [i32; 3]) -> u32 {
    let mut best = (0, i64::MAX);
    for (number, seed) in seeds.iter().enumerate() {
        let power = seed.power(point);
        if power < best.1 {
            best = (number as u32, power);
        }
    }
    best.0
}

/// The nearest seed to each corner of a voxel of the finest level: the set U(V) of \[Domaradzki16\] 4.3, with repeats.
#[inline]
pub fn of_voxel(seeds: &[Seed], voxel: [u32; 3]) -> [u32; 8] {
    core::array::from_fn(|number| nearest(seeds, corner(voxel, number as u32)))
}

/// The normal of a cut voxel's copy in a cell: the mean of the normals of the faces between the cell's seeds and the
/// others' (\[Domaradzki16\] 4.4), each face once. `nearest` are seeds as [`of_voxel`] gives them.
#[inline]
pub fn fracture_normal(seeds: &[Seed], nearest: &[u32], cell: u32) -> u16 {
    let mut sum = [0; 3];
    for (place, &own) in nearest.iter().enumerate() {
        let is_new = |number: u32, place: usize| !nearest[..place].contains(&number);
        if seeds[own as usize].cell != cell || !is_new(own, place) {
            continue;
        }
        for (place, &other) in nearest.iter().enumerate() {
            if seeds[other as usize].cell != cell && is_new(other, place) {
                let face = face_normal(&seeds[own as usize], &seeds[other as usize]);
                sum = [sum[0] + face[0], sum[1] + face[1], sum[2] + face[2]];
            }
        }
    }
    normal::pack(sum)
}

/// The direction from one seed to another, of a length between 1,182 and 2,048.
#[inline]
fn face_normal(from: &Seed, to: &Seed) -> [i32; 3] {
    let way: [i64; 3] = core::array::from_fn(|axis| (to.position[axis] - from.position[axis]) as i64);
    let length = way[0].abs() + way[1].abs() + way[2].abs();
    if length == 0 { [0; 3] } else { way.map(|step| (2048 * step / length) as i32) }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    fn seeds() -> impl Strategy<Value = Vec<Seed>> {
        prop::collection::vec((prop::array::uniform3(-2000i32..3000), 0u32..5), 1..20)
            .prop_map(|seeds| seeds.into_iter().map(|(position, cell)| Seed { position, cell }).collect())
    }

    proptest! {
        #[test]
        fn the_nearest_is_nearest(seeds in seeds(), point in prop::array::uniform3(0i32..1024)) {
            let distance = |seed: &Seed| -> i64 {
                (0..3).map(|axis| i64::from(seed.position[axis] - point[axis]).pow(2)).sum()
            };
            let expected = seeds.iter().map(distance).enumerate().min_by_key(|&(_, distance)| distance);
            prop_assert_eq!(nearest(&seeds, point), expected.map_or(0, |(number, _)| number as u32));
        }

        #[test]
        fn what_is_beaten_in_a_box_is_nearest_nowhere_in_it(
            seeds in seeds(),
            low in prop::array::uniform3(0i32..900),
            size in 1i32..100,
            inside in prop::array::uniform3(0i32..100),
        ) {
            let high = low.map(|coordinate| coordinate + size);
            let point: [i32; 3] = core::array::from_fn(|axis| low[axis] + inside[axis] % (size + 1));
            let winner = nearest(&seeds, point) as usize;
            for (number, seed) in seeds.iter().enumerate() {
                let beaten = seeds[winner].is_beaten(seed, number < winner, low, high);
                prop_assert!(number == winner || !beaten, "{} beats the nearest {}", number, winner);
            }
        }
    }

    #[test]
    fn a_face_through_corners_cuts_one_side_only() {
        let seeds = [Seed { position: [0, 32, 32], cell: 0 }, Seed { position: [128, 32, 32], cell: 1 }];
        assert_eq!(of_voxel(&seeds, [0, 0, 0]), [0; 8]);
        assert_eq!(of_voxel(&seeds, [1, 0, 0]), [0, 1, 0, 1, 0, 1, 0, 1]);
        assert_eq!(normal::unpack(fracture_normal(&seeds, &[0, 1, 0, 1], 0)), [normal::SCALE, 0, 0]);
        assert_eq!(normal::unpack(fracture_normal(&seeds, &[0, 1, 0, 1], 1)), [-normal::SCALE, 0, 0]);
    }
}
