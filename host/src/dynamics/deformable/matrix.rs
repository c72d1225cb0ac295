//! The stiffness of all bodies as one sparse matrix of 3 x 3 blocks.
//!
//! Only blocks off the diagonal are kept: as forces depend on differences of places alone, a row is the sum of its blocks
//! times `x_j - x_i`. So the rounding of the blocks, which are in single precision, makes no force on a body from nothing.

use glam::{DMat3, DVec3, Mat3A, Vec3A};
use rayon::prelude::*;

use super::ROWS_PER_TASK;
use super::elements::Elements;

/// Entries that one task looks at.
const ENTRIES_PER_TASK: usize = 1024;

#[derive(Clone, Debug, Default)]
pub(super) struct StiffnessMatrix {
    /// Behind the last entry of each row.
    ends: Vec<u32>,
    columns: Vec<u32>,
    blocks: Vec<Mat3A>,
    /// The entries above the diagonal by themselves, and for each entry twice the number of that which it is, and one more
    /// if it is transposed.
    upper: Vec<Mat3A>,
    upper_of: Vec<u32>,
    /// Behind the last source of each entry above the diagonal.
    source_ends: Vec<u32>,
    /// What adds up to it: a tetrahedron, the corner that is the row and the one that is the column.
    sources: Vec<Source>,
    /// The same for the forces of a row.
    force_ends: Vec<u32>,
    force_sources: Vec<Source>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Source {
    tet: u32,
    corners: [u8; 2],
}

impl StiffnessMatrix {
    /// The places of the entries.
    pub(super) fn new(elements: &Elements, nodes: usize) -> StiffnessMatrix {
        let mut all: Vec<(u32, u32, Source)> = Vec::with_capacity(16 * elements.tets.len());
        for (element, tet) in elements.tets.iter().zip(0..) {
            for row in 0..4 {
                for column in 0..4 {
                    let corners = [row as u8, column as u8];
                    all.push((element.nodes[row], element.nodes[column], Source { tet, corners }));
                }
            }
        }
        all.par_sort_unstable();
        let mut matrix = StiffnessMatrix::default();
        let mut entries = all.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).peekable();
        for node in 0..nodes as u32 {
            while let Some(entry) = entries.next_if(|entry| entry[0].0 == node) {
                let sources = entry.iter().map(|&(_, _, source)| source);
                if entry[0].1 == node {
                    matrix.force_sources.extend(sources);
                    continue;
                }
                let column = entry[0].1;
                matrix.columns.push(column);
                if column > node {
                    matrix.upper_of.push((matrix.source_ends.len() as u32) << 1);
                    matrix.sources.extend(sources);
                    matrix.source_ends.push(matrix.sources.len() as u32);
                } else {
                    let above = range(&matrix.ends, column as usize);
                    let place = matrix.columns[above.clone()].partition_point(|&column| column < node);
                    matrix.upper_of.push(matrix.upper_of[above.start + place] | 1);
                }
            }
            matrix.ends.push(matrix.columns.len() as u32);
            matrix.force_ends.push(matrix.force_sources.len() as u32);
        }
        matrix.blocks = vec![Mat3A::ZERO; matrix.columns.len()];
        matrix.upper = vec![Mat3A::ZERO; matrix.source_ends.len()];
        matrix
    }

    /// The entries and the forces of the elements as they stand.
    pub(super) fn assemble(&mut self, elements: &Elements, forces: &mut [DVec3]) {
        let (source_ends, sources) = (&self.source_ends, &self.sources);
        self.upper.par_chunks_mut(ENTRIES_PER_TASK).enumerate().for_each(|(chunk, upper)| {
            for (offset, block) in upper.iter_mut().enumerate() {
                *block = Mat3A::ZERO;
                for source in &sources[range(source_ends, chunk * ENTRIES_PER_TASK + offset)] {
                    let [row, column] = source.corners.map(usize::from);
                    *block += elements.turned[source.tet as usize].block(row, column);
                }
            }
        });
        let (upper, upper_of) = (&self.upper, &self.upper_of);
        let blocks = self.blocks.par_chunks_mut(ENTRIES_PER_TASK).zip(upper_of.par_chunks(ENTRIES_PER_TASK));
        blocks.for_each(|(blocks, upper_of)| {
            for (block, &entry) in blocks.iter_mut().zip(upper_of) {
                let found = upper[(entry >> 1) as usize];
                *block = if entry & 1 == 0 { found } else { found.transpose() };
            }
        });
        let (force_ends, force_sources) = (&self.force_ends, &self.force_sources);
        forces.par_chunks_mut(ROWS_PER_TASK).enumerate().for_each(|(chunk, forces)| {
            for (offset, force) in forces.iter_mut().enumerate() {
                *force = DVec3::ZERO;
                for source in &force_sources[range(force_ends, chunk * ROWS_PER_TASK + offset)] {
                    *force += elements.turned[source.tet as usize].forces[source.corners[0] as usize];
                }
            }
        });
    }

    /// One row of the product with a vector: for two nodes the parts of one in the other's rows cancel to the last bit or so.
    pub(super) fn row(&self, row: usize, vector: &[DVec3]) -> DVec3 {
        let own = vector[row];
        let entries = range(&self.ends, row);
        let mut sum = DVec3::ZERO;
        for (block, &column) in self.blocks[entries.clone()].iter().zip(&self.columns[entries]) {
            let other = vector[column as usize] - own;
            let [x, y, z] = [block.x_axis.as_dvec3(), block.y_axis.as_dvec3(), block.z_axis.as_dvec3()];
            sum += x * other.x + y * other.y + z * other.z;
        }
        sum
    }

    /// The same in single precision.
    #[inline(always)]
    pub(super) fn fast_row(&self, row: usize, vector: &[Vec3A]) -> Vec3A {
        let own = vector[row];
        let entries = range(&self.ends, row);
        let mut sum = Vec3A::ZERO;
        for (block, &column) in self.blocks[entries.clone()].iter().zip(&self.columns[entries]) {
            sum += *block * (vector[column as usize] - own);
        }
        sum
    }

    /// The block on the diagonal.
    pub(super) fn diagonal(&self, row: usize) -> DMat3 {
        let mut sum = DMat3::ZERO;
        for block in &self.blocks[range(&self.ends, row)] {
            sum -= DMat3::from_cols(block.x_axis.as_dvec3(), block.y_axis.as_dvec3(), block.z_axis.as_dvec3());
        }
        sum
    }
}

/// What belongs to a number, in a list divided by where its parts end.
#[inline(always)]
pub(super) fn range(ends: &[u32], number: usize) -> std::ops::Range<usize> {
    let begin = if number == 0 { 0 } else { ends[number - 1] };
    begin as usize..ends[number] as usize
}
