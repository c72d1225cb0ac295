//! Octrees of voxels that are given as such: a scan, a painted model, a simulation's grid.

use fracas_kernels::{morton, normal};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::SvoError;
use super::bits::{Bits, NONE, and, and_not, covered, is_same, to_morton, to_rows};
use super::build::{Chunk, build, voxels};
use super::lattice::check_level;
use super::tree::{Color, ORIGINAL, Tree};

/// A voxel of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolidVoxel {
    /// Where it is on the lattice.
    pub place: [u32; 3],
    /// Its colour, which is kept if it is on the surface. Colours inside can be seen as a
    /// [`Texture::Volume`](super::Texture::Volume).
    pub color: [u8; 3],
}

impl Tree {
    /// The octree of the voxels of a solid. Those with a side that is open become boundary voxels, with normals that look
    /// away from the solid around them; the others are inside. Of a voxel that is given twice the first counts.
    ///
    /// ```
    /// use fracas::svo::{SolidVoxel, Tree};
    ///
    /// let place = |number: u32| [8 + number % 9, 8 + number / 9 % 9, 8 + number / 81];
    /// let voxels: Vec<SolidVoxel> =
    ///     (0..729).map(|number| SolidVoxel { place: place(number), color: [180, 60, 40] }).collect();
    /// let tree = Tree::from_voxels(6, &voxels)?;
    /// assert_eq!((tree.counts().boundary, tree.counts().internal), (729 - 343, 343));
    /// # Ok::<(), fracas::svo::SvoError>(())
    /// ```
    ///
    /// # Errors
    /// If the level is not one that octrees have, a voxel is not on the lattice, or there are none.
    pub fn from_voxels(level: u32, voxels: &[SolidVoxel]) -> Result<Tree, SvoError> {
        check_level(level)?;
        let is_off = |voxel: &SolidVoxel| voxel.place.iter().any(|&coordinate| coordinate >> level != 0);
        if let Some(number) = voxels.iter().position(is_off) {
            return Err(SvoError::OffLattice { voxel: number, place: voxels[number].place, size: 1 << level });
        }
        if voxels.is_empty() {
            return Err(SvoError::NoVoxels);
        }
        let mut sorted: Vec<(u32, [u8; 3])> = voxels.iter().map(|voxel| (encode(voxel.place), voxel.color)).collect();
        sorted.par_sort_by_key(|&(code, _)| code);
        sorted.dedup_by_key(|&mut (code, _)| code);
        Grid::new(&sorted).tree(level)
    }
}

/// Solid voxels by chunks, in Morton order.
struct Grid<'a> {
    /// The code of each chunk, its voxels in Morton order, and the number of the first.
    chunks: Vec<(u32, Bits, usize)>,
    /// The voxels of each chunk in rows, by its place.
    rows: FxHashMap<[i32; 3], Bits>,
    voxels: &'a [(u32, [u8; 3])],
}

impl Grid<'_> {
    /// Of voxels in Morton order.
    fn new(voxels: &[(u32, [u8; 3])]) -> Grid<'_> {
        let mut chunks = Vec::new();
        let mut first = 0;
        for run in voxels.chunk_by(|(a, _), (b, _)| a >> 9 == b >> 9) {
            let mut bits = NONE;
            for (code, _) in run {
                bits[(code >> 6 & 7) as usize] |= 1 << (code & 63);
            }
            chunks.push((run[0].0 >> 9, bits, first));
            first += run.len();
        }
        let rows = chunks.iter().map(|(code, bits, _)| (place(*code), to_rows(bits))).collect();
        Grid { chunks, rows, voxels }
    }

    fn tree(&self, level: u32) -> Result<Tree, SvoError> {
        let divided: Vec<(Chunk, usize)> = self
            .chunks
            .par_iter()
            .map(|&(code, bits, first)| {
                let solid = to_morton(&self.surrounded(place(code)));
                (Chunk { code, boundary: and_not(&bits, &solid), solid }, first)
            })
            .collect();
        let (inside, surface): (Vec<_>, Vec<_>) =
            divided.iter().partition(|(chunk, _)| is_same(&chunk.boundary, &NONE));
        let solids: Vec<u32> = inside.iter().map(|(chunk, _)| chunk.code).collect();
        let chunks: Vec<&Chunk> = surface.iter().map(|(chunk, _)| chunk).collect();
        build(level, &chunks, &solids, &|number: usize, normals: &mut [u16], colors: &mut [Color]| {
            let (chunk, first) = surface[number];
            let attributes = normals.iter_mut().zip(colors);
            for (voxel, (normal, color)) in voxels(&chunk.boundary).zip(attributes) {
                let [red, green, blue] = self.voxels[first + before(chunk, voxel)].1;
                *color = [red, green, blue, ORIGINAL];
                *normal = self.normal(chunk.code, voxel);
            }
        })
    }

    /// The voxels of a chunk with others on all six sides, in rows.
    fn surrounded(&self, place: [i32; 3]) -> Bits {
        let set = self.rows[&place];
        let beside = |axis: usize, step: i32| {
            let mut beside = place;
            beside[axis] += step;
            self.rows.get(&beside).copied().unwrap_or(NONE)
        };
        let next = [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)].map(|(axis, step)| beside(axis, step));
        covered(&set, &next).iter().fold(set, |all, side| and(&all, side))
    }

    /// Away from the solid around a voxel.
    fn normal(&self, code: u32, voxel: u32) -> u16 {
        let [x, y, z] = morton::decode_30(code << 9 | voxel).map(|coordinate| coordinate as i32);
        let mut sum = [0; 3];
        for step in 0..27 {
            let [dx, dy, dz] = [step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1];
            if !self.is_solid([x + dx, y + dy, z + dz]) {
                sum = [sum[0] + dx, sum[1] + dy, sum[2] + dz];
            }
        }
        normal::pack(sum)
    }

    fn is_solid(&self, [x, y, z]: [i32; 3]) -> bool {
        let rows = self.rows.get(&[x >> 3, y >> 3, z >> 3]);
        rows.is_some_and(|rows| rows[(z & 7) as usize] >> (8 * (y & 7) + (x & 7)) & 1 != 0)
    }
}

/// How many voxels of a chunk come before one.
fn before(chunk: &Chunk, voxel: u32) -> usize {
    let (word, bit) = (voxel as usize / 64, voxel % 64);
    let count = |word: usize| (chunk.boundary[word] | chunk.solid[word]).count_ones();
    let in_word = ((chunk.boundary[word] | chunk.solid[word]) & ((1 << bit) - 1)).count_ones();
    ((0..word).map(count).sum::<u32>() + in_word) as usize
}

fn encode([x, y, z]: [u32; 3]) -> u32 {
    morton::encode_30(x, y, z)
}

fn place(code: u32) -> [i32; 3] {
    morton::decode_30(code).map(|coordinate| coordinate as i32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::svo::dense::{Dense, Voxel, cube};

    fn colored(place: [i32; 3]) -> SolidVoxel {
        SolidVoxel { place: place.map(|c| c as u32), color: place.map(|c| c as u8) }
    }

    fn check(level: u32, is_solid: impl Fn([i32; 3]) -> bool) {
        let size = 1 << level;
        let solid: Vec<SolidVoxel> = cube(size).filter(|&place| is_solid(place)).map(colored).collect();
        // Twice, and not in order.
        let given: Vec<SolidVoxel> = solid.iter().rev().chain(&solid).copied().collect();
        let tree = Tree::from_voxels(level, &given).expect("voxels are on the lattice");
        tree.check();
        let dense = Dense::new(&tree);
        dense.check_separated();
        for place in cube(size) {
            let is_there = |place: [i32; 3]| place.iter().all(|c| (0..size).contains(c)) && is_solid(place);
            let sides = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
            let is_closed = sides.iter().all(|side| is_there(std::array::from_fn(|axis| place[axis] + side[axis])));
            let expected = match (is_there(place), is_closed) {
                (false, _) => Voxel::Outside,
                (true, false) => Voxel::Boundary,
                (true, true) => Voxel::Inside,
            };
            assert_eq!(dense.get(place), expected, "{place:?}");
        }
        for (leaf, code) in tree.boundary_codes().into_iter().enumerate() {
            let [red, green, blue] = morton::decode_30(code).map(|coordinate| coordinate as u8);
            assert_eq!(tree.colors()[leaf], [red, green, blue, ORIGINAL]);
        }
    }

    #[test]
    fn a_ball_a_shell_and_all_of_the_lattice() {
        let distance = |place: [i32; 3]| place.iter().map(|c| (2 * c - 31) * (2 * c - 31)).sum::<i32>();
        check(5, |place| distance(place) < 900);
        check(5, |place| (400..900).contains(&distance(place)));
        check(4, |_| true);
        check(3, |place| place == [7, 0, 3]);
    }

    #[test]
    fn normals_of_a_ball_look_outwards() {
        let middle = |place: [i32; 3]| place.map(|c| f64::from(2 * c - 63));
        let length = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
        let voxels: Vec<SolidVoxel> = cube(64).filter(|&place| length(middle(place)) < 50.0).map(colored).collect();
        let tree = Tree::from_voxels(6, &voxels).expect("a ball");
        for (leaf, code) in tree.boundary_codes().into_iter().enumerate() {
            let out = middle(place(code));
            let normal = tree.leaf_normal(leaf).to_array().map(f64::from);
            let dot: f64 = (0..3).map(|axis| out[axis] * normal[axis]).sum::<f64>() / length(out) / length(normal);
            assert!(dot > 0.85, "{out:?} {normal:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        let voxel = SolidVoxel { place: [1, 16, 2], color: [0; 3] };
        let message = |level: u32, voxels: &[SolidVoxel]| match Tree::from_voxels(level, voxels) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        assert!(message(4, &[voxel]).contains("voxel 0 at [1, 16, 2]"), "{}", message(4, &[voxel]));
        assert!(message(5, &[]).contains("no voxels"));
        assert!(message(11, &[voxel]).contains("level 11"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
        #[test]
        fn any_voxels(bits in prop::collection::vec(any::<bool>(), 4096), often in any::<bool>()) {
            prop_assume!(bits.iter().any(|&bit| bit != often));
            let at = |[x, y, z]: [i32; 3]| bits[((z * 16 + y) * 16 + x) as usize] != often;
            // Blocks of 1 to 8 voxels, so that there is an inside too.
            check(4, |place| at(place.map(|c| c & !3)) || at(place.map(|c| c | 1)));
        }
    }
}
