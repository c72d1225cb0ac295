//! Whole fractures on a device: up go the octree and the seeds, down come the octrees of the pieces.

use std::time::Instant;

use fracas_kernels::morton;
use fracas_kernels::node::{CHILD, NO_ATTRIBUTES};
use rayon::prelude::*;
use tracing::debug_span;

use super::DeviceError;
use super::build::{Forest, level_starts};
use super::machine::Machine;
use super::memory::Device;
use crate::svo::{Color, FractureOptions, FractureTimes, Fractured, Painter, Seeds, SvoError, Tree};

impl<M: Machine> Device<M> {
    /// Breaks an octree. The times of the stages are those until the device has counted what comes out, which it has to
    /// before the next one; what is left then is counted with the next.
    pub(super) fn broken(
        &self,
        tree: &Tree,
        seeds: &Seeds,
        options: &FractureOptions,
    ) -> Result<Fractured, DeviceError> {
        if options.coarser_islands > 3 {
            return Err(SvoError::CoarserIslands { levels: options.coarser_islands }.into());
        }
        let mut clock = Instant::now();
        let mut lap = || {
            let now = Instant::now();
            now - std::mem::replace(&mut clock, now)
        };
        let mut times = FractureTimes::default();
        let levels = tree.level();
        let found = debug_span!("extraction").in_scope(|| self.extract(tree, &seeds.seeds))?;
        times.extraction = lap();
        let cells = debug_span!("sorting").in_scope(|| self.by_cell(&found, seeds, levels))?;
        drop(found);
        times.sorting = lap();
        let pieces = debug_span!("islands").in_scope(|| self.pieces(&cells, levels, options.coarser_islands))?;
        times.islands = lap();
        let _stage = debug_span!("building").entered();
        let forest = self.build(&cells, pieces, tree.normals(), levels)?;
        let painter = Painter::new(&options.interior, levels);
        let trees = (0..forest.cells.len()).into_par_iter().map(|piece| forest.tree(tree, piece, &painter));
        let trees = trees.collect::<Result<Vec<Tree>, SvoError>>()?;
        times.building = lap();
        Ok(Fractured { pieces: trees, cells: forest.cells, voxels: forest.codes.len() as u64, times })
    }
}

/// The part of a list that is a piece's, from where each piece's starts.
fn part<'a, T>(list: &'a [T], starts: &[u32], piece: usize) -> &'a [T] {
    let end = starts.get(piece + 1).map_or(list.len(), |&end| end as usize);
    &list[starts[piece] as usize..end]
}

impl Forest {
    /// The octree of a piece of another, with colours.
    fn tree(&self, original: &Tree, piece: usize, painter: &Painter<'_>) -> Result<Tree, SvoError> {
        let (level, pieces) = (original.level(), self.cells.len());
        let nodes = part(&self.grown.nodes, &self.grown.node_starts, piece);
        let first = self.grown.runs[piece].first as usize;
        let end = if piece + 1 < pieces { self.grown.runs[piece + 1].first as usize } else { self.codes.len() };
        if nodes.len() > CHILD as usize + 1 {
            return Err(SvoError::TooManyVoxels { voxels: (end - first) as u64, level });
        }
        let color = |leaf: usize| -> Color {
            match self.attributes[leaf] {
                NO_ATTRIBUTES => painter.color(morton::decode_30(self.codes[leaf])),
                attributes => original.colors()[attributes as usize],
            }
        };
        Ok(Tree::from_parts(
            level,
            nodes.to_vec(),
            level_starts(&self.grown.runs, piece, pieces, level, nodes.len()),
            part(&self.grown.normals, &self.grown.attribute_starts, piece).to_vec(),
            (first..end).map(color).collect(),
        ))
    }
}
