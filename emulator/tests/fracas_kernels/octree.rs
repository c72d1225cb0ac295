//! Octrees for the kernels that walk through them.

use fracas_kernels::morton;
use fracas_kernels::node::Node;
use fracas_kernels::touch::{BEFORE, Chunk, INSIDE, OUTSIDE};
use fracas_kernels::traverse::Reached;

use super::gpu::Random;

/// What a voxel is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voxel {
    Outside,
    Boundary,
    Inside,
}

/// An octree, breadth first.
pub(crate) struct Octree {
    pub(crate) level: u32,
    pub(crate) nodes: Vec<Node>,
    /// By Morton code.
    pub(crate) voxels: Vec<Voxel>,
    /// How many boundary nodes each level has.
    pub(crate) boundary: Vec<u32>,
}

impl Octree {
    /// A ball of some radius in the middle, with a hole of another.
    pub(crate) fn ball(level: u32, radius: f64, hole: f64) -> Octree {
        let middle = f64::from(1 << level) / 2.0;
        let is_solid = |place: [i32; 3]| {
            let square: f64 = place.iter().map(|&coordinate| (f64::from(coordinate) + 0.5 - middle).powi(2)).sum();
            (hole * hole..radius * radius).contains(&square)
        };
        let voxels = (0..1 << (3 * level)).map(|code| {
            let place = morton::decode_30(code).map(|coordinate| coordinate as i32);
            let beside = (0..6).map(|side: usize| {
                let mut other = place;
                other[side / 2] += 2 * (side % 2) as i32 - 1;
                other
            });
            match is_solid(place) {
                false => Voxel::Outside,
                true if beside.into_iter().all(is_solid) => Voxel::Inside,
                true => Voxel::Boundary,
            }
        });
        Octree::new(level, voxels.collect())
    }

    fn new(level: u32, voxels: Vec<Voxel>) -> Octree {
        let mut nodes = vec![Node::OUTSIDE];
        // Where the nodes of a level are, and their codes.
        let mut row = vec![(0, 0)];
        let mut rows = vec![];
        for height in (0..=level).rev() {
            let mut next = vec![];
            let mut boundary = vec![];
            for &(place, code) in &row {
                let below: &[Voxel] = &voxels[code << (3 * height)..(code + 1) << (3 * height)];
                if !below.contains(&Voxel::Boundary) {
                    nodes[place] = if below[0] == Voxel::Inside { Node::INSIDE } else { Node::OUTSIDE };
                    continue;
                }
                boundary.push(place);
                nodes[place] = Node::leaf(0);
                if height > 0 {
                    nodes[place] = Node::branch(nodes.len() as u32, 0);
                    next.extend((0..8).map(|octant| (nodes.len() + octant, code << 3 | octant)));
                    nodes.extend([Node::OUTSIDE; 8]);
                }
            }
            rows.push(boundary);
            row = next;
        }
        for (attributes, &place) in (0..).zip(rows.iter().rev().flatten()) {
            nodes[place].attributes = attributes;
        }
        let boundary = rows.iter().map(|row| row.len() as u32).collect();
        Octree { level, nodes, voxels, boundary }
    }

    /// The first attributes of a level: those of the finest come first.
    pub(crate) fn first_attributes(&self, level: u32) -> u32 {
        self.boundary[level as usize + 1..].iter().sum()
    }

    /// A packed normal for each boundary node.
    pub(crate) fn normals(&self) -> Vec<u16> {
        let mut random = Random(11);
        (0..self.boundary.iter().sum()).map(|_| (random.below(255) | random.below(255) << 8) as u16).collect()
    }
}

/// The chunks of the finest voxels.
pub(crate) struct Chunks {
    pub(crate) size: u32,
    pub(crate) numbers: Vec<u32>,
    pub(crate) chunks: Vec<Chunk>,
    /// Those with boundary voxels.
    pub(crate) reached: Vec<Reached>,
}

impl Chunks {
    pub(crate) fn new(octree: &Octree) -> Chunks {
        let size = 1 << (octree.level - 3);
        let all = |solid: u64| Chunk { boundary: [0; 8], solid: [solid; 8], attributes: 0, padding: 0 };
        let mut chunks = vec![all(0), all(u64::MAX)];
        let mut numbers = vec![OUTSIDE; (size * size * size) as usize];
        let (mut attributes, mut reached) = (0, vec![]);
        for (code, voxels) in (0..).zip(octree.voxels.chunks(512)) {
            let words = |is: fn(&Voxel) -> bool| -> [u64; 8] {
                std::array::from_fn(|word| {
                    (0..64).fold(0, |bits, bit| bits | u64::from(is(&voxels[64 * word + bit])) << bit)
                })
            };
            let boundary = words(|voxel| *voxel == Voxel::Boundary);
            let [x, y, z] = morton::decode_30(code);
            let place = ((z * size + y) * size + x) as usize;
            if boundary == [0; 8] {
                numbers[place] = if voxels[0] == Voxel::Inside { INSIDE } else { OUTSIDE };
                continue;
            }
            numbers[place] = chunks.len() as u32;
            reached.push(Reached { number: chunks.len() as u32 - BEFORE, code, sight: 0 });
            chunks.push(Chunk { boundary, solid: words(|voxel| *voxel != Voxel::Outside), attributes, padding: 0 });
            attributes += boundary.iter().map(|word| word.count_ones()).sum::<u32>();
        }
        Chunks { size, numbers, chunks, reached }
    }
}
