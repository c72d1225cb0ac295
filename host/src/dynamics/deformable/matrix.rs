//! The stiffness of all bodies as one sparse matrix of 3 x 3 blocks.
//!
//! Only blocks off the diagonal are kept: as forces depend on differences of places alone, a row is the sum of its blocks
//! times `x_j - x_i`. So the rounding of the blocks, which are in single precision, makes no force on a body from nothing.
//! Products inside of the solver are in single precision too, once the differences are taken.

use glam::{DMat3, DVec3, Vec3A};
use rayon::prelude::*;

use super::ROWS_PER_TASK;
use super::elements::Elements;

#[derive(Clone, Debug, Default)]
pub(super) struct StiffnessMatrix {
    /// Behind the last entry of each row.
    ends: Vec<u32>,
    columns: Vec<u32>,
    /// Three columns each.
    blocks: Vec<[Vec3A; 3]>,
    /// Behind the last source of each entry.
    source_ends: Vec<u32>,
    /// What adds up to an entry: a tetrahedron, the corner that is the row and the one that is the column.
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
                } else {
                    matrix.columns.push(entry[0].1);
                    matrix.sources.extend(sources);
                    matrix.source_ends.push(matrix.sources.len() as u32);
                }
            }
            matrix.ends.push(matrix.columns.len() as u32);
            matrix.force_ends.push(matrix.force_sources.len() as u32);
        }
        matrix.blocks = vec![[Vec3A::ZERO; 3]; matrix.columns.len()];
        matrix
    }

    /// The entries and the forces of the elements as they stand.
    pub(super) fn assemble(&mut self, elements: &Elements, forces: &mut [DVec3]) {
        let (source_ends, sources) = (&self.source_ends, &self.sources);
        let blocks = self.blocks.par_chunks_mut(16 * ROWS_PER_TASK).enumerate();
        blocks.for_each(|(chunk, blocks)| {
            let first = chunk * 16 * ROWS_PER_TASK;
            for (offset, block) in blocks.iter_mut().enumerate() {
                let mut sum = [DVec3::ZERO; 3];
                for source in &sources[range(source_ends, first + offset)] {
                    let [row, column] = source.corners.map(usize::from);
                    let part = elements.turned[source.tet as usize].block(row, column);
                    (0..3).for_each(|axis| sum[axis] += part[axis]);
                }
                *block = [sum[0].as_vec3a(), sum[1].as_vec3a(), sum[2].as_vec3a()];
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
            let [x, y, z] = [block[0].as_dvec3(), block[1].as_dvec3(), block[2].as_dvec3()];
            sum += x * other.x + y * other.y + z * other.z;
        }
        sum
    }

    /// The same to single precision.
    #[inline(always)]
    pub(super) fn fast_row(&self, row: usize, vector: &[DVec3]) -> DVec3 {
        let own = vector[row];
        let entries = range(&self.ends, row);
        let mut sum = Vec3A::ZERO;
        for ([x, y, z], &column) in self.blocks[entries.clone()].iter().zip(&self.columns[entries]) {
            let other = (vector[column as usize] - own).as_vec3a();
            sum += *x * other.x + *y * other.y + *z * other.z;
        }
        sum.as_dvec3()
    }

    /// The block on the diagonal.
    pub(super) fn diagonal(&self, row: usize) -> DMat3 {
        let mut sum = DMat3::ZERO;
        for [x, y, z] in &self.blocks[range(&self.ends, row)] {
            sum -= DMat3::from_cols(x.as_dvec3(), y.as_dvec3(), z.as_dvec3());
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
