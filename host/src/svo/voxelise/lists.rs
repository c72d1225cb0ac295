//! Voxels as lists, for a device that builds the octree.

use fracas_kernels::extract::Solid;

use crate::svo::SvoError;
use crate::svo::build::{Chunk, Paint, build, empty_nodes, voxels};
use crate::svo::tree::{Color, Tree};

/// What the chunks of a mesh are made into.
pub(super) trait FromChunks: Sized {
    /// As [`build`] takes them.
    fn from_chunks(level: u32, chunks: &[&Chunk], solids: &[u32], paint: &impl Paint) -> Result<Self, SvoError>;
}

impl FromChunks for Tree {
    fn from_chunks(level: u32, chunks: &[&Chunk], solids: &[u32], paint: &impl Paint) -> Result<Tree, SvoError> {
        build(level, chunks, solids, paint)
    }
}

/// The boundary voxels of a mesh in Morton order, and what is inside, likewise.
pub(crate) struct VoxelLists {
    pub(crate) level: u32,
    pub(crate) codes: Vec<u32>,
    pub(crate) normals: Vec<u16>,
    pub(crate) colors: Vec<Color>,
    pub(crate) solids: Vec<Solid>,
}

impl FromChunks for VoxelLists {
    fn from_chunks(level: u32, chunks: &[&Chunk], inside: &[u32], paint: &impl Paint) -> Result<VoxelLists, SvoError> {
        let of_chunk = |chunk: &Chunk, voxel: u32| chunk.code << 9 | voxel;
        let codes: Vec<u32> =
            chunks.iter().flat_map(|chunk| voxels(&chunk.boundary).map(move |voxel| of_chunk(chunk, voxel))).collect();
        let (mut normals, mut colors) = (vec![0; codes.len()], vec![Color::default(); codes.len()]);
        let mut first = 0;
        for (number, chunk) in chunks.iter().enumerate() {
            let end = first + voxels(&chunk.boundary).count();
            paint(number, &mut normals[first..end], &mut colors[first..end]);
            first = end;
        }
        // Single voxels of the chunks that the surface comes to, and whole nodes between these.
        let single = chunks.iter().flat_map(|chunk| {
            voxels(&chunk.solid).map(move |voxel| Solid { cell: 0, code: of_chunk(chunk, voxel), height: 0 })
        });
        let nodes = empty_nodes(chunks.iter().map(|chunk| chunk.code), level - 3).into_iter();
        let nodes = nodes.filter_map(|(code, height)| {
            let [first, end] = [code, code + 1].map(|code| u64::from(code) << (3 * height));
            let next = inside.partition_point(|&chunk| u64::from(chunk) < first);
            let is_inside = inside.get(next).is_some_and(|&chunk| u64::from(chunk) < end);
            is_inside.then_some(Solid { cell: 0, code: (first << 9) as u32, height: height + 3 })
        });
        let mut solids: Vec<Solid> = single.chain(nodes).collect();
        solids.sort_unstable_by_key(|solid| solid.code);
        Ok(VoxelLists { level, codes, normals, colors, solids })
    }
}
