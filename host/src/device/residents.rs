//! Octrees that stay on a device, so that a step of a world uploads only what was born since the last one.

use fracas_kernels::node::Node;
use fracas_kernels::touch::{Chunk, GridPlace};
use rustc_hash::FxHashMap;

use super::DeviceError;
use super::machine::Machine;
use super::memory::{Device, Kept};
use crate::svo::Tree;

/// The octrees that a device has, one after the other. They are known by the names of the octrees, which are never given
/// twice. When there is no more room, all go but those that are asked for.
#[derive(Debug)]
pub(super) struct Residents<M: Machine> {
    octrees: FxHashMap<u64, OctreePlace>,
    grids: FxHashMap<(u64, u32), GridPlace>,
    pub(super) nodes: Kept<M, Node>,
    pub(super) normals: Kept<M, u16>,
    pub(super) numbers: Kept<M, u32>,
    pub(super) chunks: Kept<M, Chunk>,
}

impl<M: Machine> Default for Residents<M> {
    fn default() -> Residents<M> {
        Residents {
            octrees: FxHashMap::default(),
            grids: FxHashMap::default(),
            nodes: Kept::default(),
            normals: Kept::default(),
            numbers: Kept::default(),
            chunks: Kept::default(),
        }
    }
}

/// Lists are numbered in 32 bits.
const MOST_ELEMENTS: usize = u32::MAX as usize;

/// Lists of nodes, normals, numbers and chunks that are longer do not grow for the sake of what was there before: about 100 MB
/// each.
const KEPT: [usize; 4] = [1 << 24, 1 << 25, 1 << 24, 1 << 20];

/// Where the nodes and the normals of an octree start.
#[derive(Clone, Copy, Debug)]
pub(super) struct OctreePlace {
    pub(super) nodes: u32,
    pub(super) normals: u32,
}

/// What is not there yet.
#[derive(Default)]
struct Missing<'a> {
    trees: Vec<&'a Tree>,
    grids: Vec<(&'a Tree, u32)>,
    /// Nodes, normals, numbers and chunks.
    lengths: [usize; 4],
}

impl<M: Machine> Residents<M> {
    /// Where an octree is that was asked for.
    pub(super) fn octree(&self, tree: &Tree) -> OctreePlace {
        self.octrees[&tree.name()]
    }

    /// Where a grid is that was asked for.
    pub(super) fn grid(&self, tree: &Tree, level: u32) -> GridPlace {
        self.grids[&(tree.name(), level)]
    }

    /// Sees to it that some octrees, each with a grid of a level, are there. One may be named several times.
    pub(super) fn ask<'a>(
        &mut self,
        device: &Device<M>,
        wanted: impl Iterator<Item = (&'a Tree, u32)> + Clone,
    ) -> Result<(), DeviceError> {
        let mut missing = self.missing(wanted.clone());
        let lengths = missing.lengths;
        let has_room = self.nodes.has_room(lengths[0])
            && self.normals.has_room(lengths[1])
            && self.numbers.has_room(lengths[2])
            && self.chunks.has_room(lengths[3]);
        if !has_room {
            self.octrees.clear();
            self.grids.clear();
            missing = self.missing(wanted);
            if let Some(&elements) = missing.lengths.iter().find(|&&length| length > MOST_ELEMENTS) {
                return Err(DeviceError::Octrees { elements });
            }
            // Twice as much as is asked for or was there, so that those of other steps and what is born next fit in too.
            let before = [self.nodes.room(), self.normals.room(), self.numbers.room(), self.chunks.room()];
            let room: [usize; 4] = std::array::from_fn(|list| {
                (2 * missing.lengths[list].max(before[list].min(KEPT[list]))).min(MOST_ELEMENTS)
            });
            self.nodes.clear(device, room[0])?;
            self.normals.clear(device, room[1])?;
            self.numbers.clear(device, room[2])?;
            self.chunks.clear(device, room[3])?;
        }
        self.add(device, &missing)
    }

    fn missing<'a>(&self, wanted: impl Iterator<Item = (&'a Tree, u32)>) -> Missing<'a> {
        let mut missing = Missing::default();
        let (mut trees, mut grids) = (FxHashMap::default(), FxHashMap::default());
        for (tree, level) in wanted {
            let name = tree.name();
            if !self.octrees.contains_key(&name) && trees.insert(name, ()).is_none() {
                missing.trees.push(tree);
                missing.lengths[0] += tree.nodes().len();
                missing.lengths[1] += tree.normals().len();
            }
            if !self.grids.contains_key(&(name, level)) && grids.insert((name, level), ()).is_none() {
                let grid = tree.grid(level);
                missing.grids.push((tree, level));
                missing.lengths[2] += grid.numbers.len();
                missing.lengths[3] += grid.chunks.len();
            }
        }
        missing
    }

    fn add(&mut self, device: &Device<M>, missing: &Missing<'_>) -> Result<(), DeviceError> {
        if missing.trees.is_empty() && missing.grids.is_empty() {
            return Ok(());
        }
        let [node_count, normal_count, number_count, chunk_count] = missing.lengths;
        let (mut octrees, mut grids) = (Vec::new(), Vec::new());
        let (mut nodes, mut normals) = (Vec::with_capacity(node_count), Vec::with_capacity(normal_count));
        for tree in &missing.trees {
            let place = OctreePlace {
                nodes: (self.nodes.len() + nodes.len()) as u32,
                normals: (self.normals.len() + normals.len()) as u32,
            };
            octrees.push((tree.name(), place));
            nodes.extend_from_slice(tree.nodes());
            normals.extend_from_slice(tree.normals());
        }
        let (mut numbers, mut chunks) = (Vec::with_capacity(number_count), Vec::with_capacity(chunk_count));
        for &(tree, level) in &missing.grids {
            let grid = tree.grid(level);
            let place = GridPlace {
                low: grid.low,
                size: grid.size,
                numbers: (self.numbers.len() + numbers.len()) as u32,
                chunks: (self.chunks.len() + chunks.len()) as u32,
            };
            grids.push(((tree.name(), level), place));
            numbers.extend_from_slice(grid.numbers);
            chunks.extend_from_slice(grid.chunks);
        }
        self.nodes.extend(device, &nodes)?;
        self.normals.extend(device, &normals)?;
        self.numbers.extend(device, &numbers)?;
        self.chunks.extend(device, &chunks)?;
        // Only what has wholly arrived is there. What did before a failure is never asked for.
        self.octrees.extend(octrees);
        self.grids.extend(grids);
        Ok(())
    }
}
