//! The fracture boundary set (\[Domaradzki16\] 4.1 and 4.4) on a device.

use fracas_kernels::arguments::extract as arguments;
use fracas_kernels::arguments::pieces::{ArrangeSolids, ArrangeVoxels, FirstOfCell, SolidKey, VoxelCell};
use fracas_kernels::cells::Seed;
use fracas_kernels::extract::{FractureVoxel, Place, Solid};
use fracas_kernels::node::Node;

use super::DeviceError;
use super::machine::Machine;
use super::memory::{Device, List};
use super::sort::bits;
use crate::svo::{Seeds, Tree};

/// Voxels and solids in the order in which they were found.
pub(super) struct Found<'a, M: Machine> {
    voxels: List<'a, M, FractureVoxel>,
    solids: List<'a, M, Solid>,
}

/// What each cell has: voxels in the order of their codes, and solids likewise.
pub(super) struct Cells<'a, M: Machine> {
    pub(super) voxels: List<'a, M, FractureVoxel>,
    pub(super) codes: List<'a, M, u32>,
    pub(super) cells: List<'a, M, u32>,
    /// The first voxel of each cell, and the number of all.
    pub(super) starts: List<'a, M, u32>,
    pub(super) solids: List<'a, M, Solid>,
    pub(super) solid_starts: List<'a, M, u32>,
}

/// What a level's children are.
struct Next<'a, M: Machine> {
    places: List<'a, M, Place>,
    seeds: List<'a, M, Seed>,
    solids: List<'a, M, Solid>,
}

impl<M: Machine> Device<M> {
    /// Walks an octree with the seeds of a fracture.
    pub(super) fn extract(&self, tree: &Tree, seeds: &[Seed]) -> Result<Found<'_, M>, DeviceError> {
        let nodes = self.upload(tree.nodes())?;
        let root = Place { node: tree.root(), code: 0, first_seed: 0, seeds: seeds.len() as u32 };
        let (mut places, mut seeds) = (self.upload(&[root])?, self.upload(seeds)?);
        let mut solids = Vec::new();
        for height in (1..tree.level()).rev() {
            let next = self.next_places(&nodes, &places, &seeds, height)?;
            (places, seeds) = (next.places, next.seeds);
            solids.push(next.solids);
        }
        let finest = self.copies(&nodes, &places, &seeds)?;
        solids.push(finest.solids);
        Ok(Found { voxels: finest.voxels, solids: self.joined(&solids)? })
    }

    /// The places of the next level with their seeds, and the solids of this one.
    fn next_places(
        &self,
        nodes: &List<'_, M, Node>,
        places: &List<'_, M, Place>,
        seeds: &List<'_, M, Seed>,
        height: u32,
    ) -> Result<Next<'_, M>, DeviceError> {
        let level = level(nodes, places, seeds, height);
        let children = 8 * places.len();
        let counts = [self.list(children)?, self.list(children)?, self.list(children)?];
        let [place_counts, seed_counts, solid_counts] = &counts;
        self.launch(&arguments::CountChild {
            level,
            places: place_counts.write(),
            seeds: seed_counts.write(),
            solids: solid_counts.write(),
        })?;
        let (place_starts, places) = self.starts(place_counts)?;
        let (seed_starts, seeds) = self.starts(seed_counts)?;
        let (solid_starts, solids) = self.starts(solid_counts)?;
        let (places, seeds, solids) = (self.list(places)?, self.list(seeds)?, self.list(solids)?);
        self.launch(&arguments::MakeChild {
            level,
            place_starts: place_starts.read(),
            seed_starts: seed_starts.read(),
            solid_starts: solid_starts.read(),
            places: places.write(),
            seeds: seeds.write(),
            solids: solids.write(),
        })?;
        Ok(Next { places, seeds, solids })
    }

    /// The copies of the finest voxels, and the solids among them.
    fn copies(
        &self,
        nodes: &List<'_, M, Node>,
        places: &List<'_, M, Place>,
        seeds: &List<'_, M, Seed>,
    ) -> Result<Found<'_, M>, DeviceError> {
        let level = level(nodes, places, seeds, 0);
        let children = 8 * places.len();
        let (voxel_counts, solid_counts) = (self.list(children)?, self.list(children)?);
        self.launch(&arguments::CountCopies { level, voxels: voxel_counts.write(), solids: solid_counts.write() })?;
        let (voxel_starts, voxels) = self.starts(&voxel_counts)?;
        let (solid_starts, solids) = self.starts(&solid_counts)?;
        let (voxels, solids) = (self.list(voxels)?, self.list(solids)?);
        self.launch(&arguments::MakeCopies {
            level,
            voxel_starts: voxel_starts.read(),
            solid_starts: solid_starts.read(),
            voxels: voxels.write(),
            solids: solids.write(),
        })?;
        Ok(Found { voxels, solids })
    }

    /// Sorts what was found by cell; voxels come by code already.
    pub(super) fn by_cell(
        &self,
        found: &Found<'_, M>,
        seeds: &Seeds,
        levels: u32,
    ) -> Result<Cells<'_, M>, DeviceError> {
        let Found { voxels, solids } = found;
        let (count, cell_bits) = (seeds.cells as usize, bits(seeds.cells as usize));
        let keys = self.list(voxels.len())?;
        self.launch(&VoxelCell { voxels: voxels.read(), keys: keys.write() })?;
        let (cells, order) = self.sorted::<u32>(keys, cell_bits)?;
        let (arranged, codes) = (self.list(voxels.len())?, self.list(voxels.len())?);
        self.launch(&ArrangeVoxels {
            voxels: voxels.read(),
            order: order.read(),
            output: arranged.write(),
            codes: codes.write(),
        })?;
        let starts = self.list(count + 1)?;
        self.launch(&FirstOfCell { cells: cells.read(), firsts: starts.write() })?;

        let keys = self.list(solids.len())?;
        self.launch(&SolidKey { solids: solids.read(), levels: u64::from(levels), keys: keys.write() })?;
        let (_, order) = self.sorted::<u64>(keys, 3 * levels + cell_bits)?;
        let (sorted_solids, solid_cells) = (self.list(solids.len())?, self.list(solids.len())?);
        self.launch(&ArrangeSolids {
            solids: solids.read(),
            order: order.read(),
            output: sorted_solids.write(),
            cells: solid_cells.write(),
        })?;
        let solid_starts = self.list(count + 1)?;
        self.launch(&FirstOfCell { cells: solid_cells.read(), firsts: solid_starts.write() })?;
        Ok(Cells { voxels: arranged, codes, cells, starts, solids: sorted_solids, solid_starts })
    }
}

fn level<M: Machine>(
    nodes: &List<'_, M, Node>,
    places: &List<'_, M, Place>,
    seeds: &List<'_, M, Seed>,
    height: u32,
) -> arguments::Level {
    arguments::Level { nodes: nodes.read(), places: places.read(), seeds: seeds.read(), height: u64::from(height) }
}
