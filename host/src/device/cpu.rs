//! The operations on the CPU, in its own ways.

use fracas_kernels::islands::HALF_NEIGHBOURS;
use fracas_kernels::morton;
use fracas_kernels::scan::Segmented;
use rayon::prelude::*;

use super::{Backend, DeviceError, Scan};
use crate::geometry::{DisjointSets, TriMesh};
use crate::svo::{
    Encounter, FractureOptions, Fractured, Intersection, Lattice, Seeds, Tree, VoxeliseOptions, voxelise,
};

/// This machine's processors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cpu;

impl Backend for Cpu {
    fn name(&self) -> String {
        format!("cpu: {} threads", rayon::current_num_threads())
    }

    fn scan(&self, elements: &[u32], kind: Scan) -> Result<Vec<u32>, DeviceError> {
        Ok(sums(elements.iter().map(|&value| Segmented::value(value)), kind))
    }

    fn scan_segments(&self, elements: &[Segmented], kind: Scan) -> Result<Vec<u32>, DeviceError> {
        Ok(sums(elements.iter().copied(), kind))
    }

    fn sort(&self, keys: &[u64]) -> Result<(Vec<u64>, Vec<u32>), DeviceError> {
        let mut pairs: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
        // No two pairs are equal, so the order is that of a stable sort.
        pairs.par_sort_unstable();
        Ok(pairs.into_iter().unzip())
    }

    fn islands(&self, codes: &[u32], groups: &[u32]) -> Result<Vec<u32>, DeviceError> {
        let mut sets = DisjointSets::new(codes.len());
        for voxel in 1..codes.len() {
            if (groups[voxel - 1], codes[voxel - 1]) == (groups[voxel], codes[voxel]) {
                sets.join(voxel as u32 - 1, voxel as u32);
            }
        }
        let beside: Vec<[u32; 2]> = (0..codes.len())
            .into_par_iter()
            .flat_map_iter(|voxel| neighbours(codes, groups, voxel).map(move |other| [voxel as u32, other]))
            .collect();
        for [voxel, other] in beside {
            sets.join(voxel, other);
        }
        let mut last = vec![0; codes.len()];
        for voxel in 0..codes.len() as u32 {
            last[sets.find(voxel) as usize] = voxel;
        }
        Ok((0..codes.len() as u32).map(|voxel| last[sets.find(voxel) as usize]).collect())
    }

    fn voxelise(&self, mesh: &TriMesh, options: &VoxeliseOptions) -> Result<(Lattice, Tree), DeviceError> {
        Ok(voxelise(mesh, options)?)
    }

    fn fracture(&self, tree: &Tree, seeds: &Seeds, options: &FractureOptions) -> Result<Fractured, DeviceError> {
        Ok(tree.fracture(seeds, options)?)
    }

    fn intersect(&self, pairs: &[Encounter<'_>]) -> Result<Vec<Intersection>, DeviceError> {
        // One by one: pairs take from nothing to milliseconds.
        Ok(pairs.par_iter().with_max_len(1).map(Encounter::intersection).collect())
    }
}

fn sums(elements: impl Iterator<Item = Segmented>, kind: Scan) -> Vec<u32> {
    let mut sum = Segmented::default();
    let next = |element: Segmented| {
        let before = if element.head != 0 { 0 } else { sum.value };
        sum = sum.combine(element);
        if kind == Scan::Inclusive { sum.value } else { before }
    };
    elements.map(next).collect()
}

/// Half of the voxels of the same group beside a voxel; the other half have it among theirs.
fn neighbours<'a>(codes: &'a [u32], groups: &'a [u32], voxel: usize) -> impl Iterator<Item = u32> + 'a {
    let group = groups[voxel];
    let start = groups[..voxel].partition_point(|&other| other < group);
    let end = voxel + groups[voxel..].partition_point(|&other| other == group);
    let place = morton::decode_30(codes[voxel]);
    HALF_NEIGHBOURS.iter().filter_map(move |offset| {
        let mut beside = [0; 3];
        for (axis, coordinate) in beside.iter_mut().enumerate() {
            *coordinate = place[axis].checked_add_signed(offset[axis]).filter(|coordinate| coordinate >> 10 == 0)?;
        }
        let code = morton::encode_30(beside[0], beside[1], beside[2]);
        codes[start..end].binary_search(&code).ok().map(|found| (start + found) as u32)
    })
}
