//! The operations of a backend on a device: up, kernels, down.

use fracas_kernels::arguments::islands::Voxels;
use fracas_kernels::arguments::pieces::FirstOfCell;
use fracas_kernels::scan::Segmented;

use super::machine::Machine;
use super::{Backend, Device, DeviceError, Scan};
use crate::geometry::TriMesh;
use crate::svo::{
    Encounter, FractureOptions, Fractured, Intersection, Lattice, Seeds, Tree, VoxeliseOptions, voxel_lists,
};

impl<M: Machine> Backend for Device<M> {
    fn name(&self) -> String {
        self.machine.name()
    }

    fn scan(&self, elements: &[u32], kind: Scan) -> Result<Vec<u32>, DeviceError> {
        self.scanned(&self.upload(elements)?, kind)?.download()
    }

    fn scan_segments(&self, elements: &[Segmented], kind: Scan) -> Result<Vec<u32>, DeviceError> {
        self.scanned(&self.upload(elements)?, kind)?.download()
    }

    fn sort(&self, keys: &[u64]) -> Result<(Vec<u64>, Vec<u32>), DeviceError> {
        // Digits that all keys have as zeros need no pass.
        let all = keys.iter().fold(0, |bits, key| bits | key);
        let (keys, order) = self.sorted(self.upload(keys)?, u64::BITS - all.leading_zeros())?;
        Ok((keys.download()?, order.download()?))
    }

    fn islands(&self, codes: &[u32], groups: &[u32]) -> Result<Vec<u32>, DeviceError> {
        let starts = self.list(groups.last().map_or(0, |last| *last as usize + 1) + 1)?;
        let (codes, groups) = (self.upload(codes)?, self.upload(groups)?);
        self.launch(&FirstOfCell { cells: groups.read(), firsts: starts.write() })?;
        self.labels(Voxels { codes: codes.read(), groups: groups.read(), starts: starts.read() })?.download()
    }

    fn voxelise(&self, mesh: &TriMesh, options: &VoxeliseOptions) -> Result<(Lattice, Tree), DeviceError> {
        let (lattice, voxels) = voxel_lists(mesh, options)?;
        Ok((lattice, self.octree(voxels)?))
    }

    fn fracture(&self, tree: &Tree, seeds: &Seeds, options: &FractureOptions) -> Result<Fractured, DeviceError> {
        self.broken(tree, seeds, options)
    }

    fn intersect(&self, pairs: &[Encounter<'_>]) -> Result<Vec<Intersection>, DeviceError> {
        self.intersections(pairs)
    }
}
