//! What is inside between the chunks that the surface comes to.

use fracas_kernels::morton;

use super::Row;
use crate::svo::build::{Chunk, empty_nodes};

/// The chunks of each row along x, and whether what follows them is inside.
pub(super) struct Spans {
    size: u32,
    /// Where each row begins in `chunks`; row z * size + y.
    starts: Vec<u32>,
    /// A chunk's x, and whether what follows it is inside.
    chunks: Vec<(u32, bool)>,
}

impl Spans {
    /// From rows in order; rows without chunks may be missing.
    pub(super) fn new(size: u32, rows: &[Row]) -> Spans {
        let mut starts = vec![0; (size * size) as usize + 1];
        let mut chunks = Vec::new();
        for row in rows {
            for (chunk, &is_inside) in row.chunks.iter().zip(&row.is_inside) {
                let [x, y, z] = morton::decode_30(chunk.code);
                chunks.push((x, is_inside));
                starts[(z * size + y) as usize + 1] += 1;
            }
        }
        for row in 1..starts.len() {
            starts[row] += starts[row - 1];
        }
        Spans { size, starts, chunks }
    }

    fn is_inside(&self, code: u32) -> bool {
        let [x, y, z] = morton::decode_30(code);
        let row = (z * self.size + y) as usize;
        let row = &self.chunks[self.starts[row] as usize..self.starts[row + 1] as usize];
        let before = row.partition_point(|&(other, _)| other < x);
        before > 0 && row[before - 1].1
    }

    /// A chunk in each node that is inside and beside a node that the surface comes to, in Morton order.
    pub(super) fn solids(&self, chunks: &[&Chunk]) -> Vec<u32> {
        let empty = empty_nodes(chunks.iter().map(|chunk| chunk.code), self.size.ilog2());
        let first_chunks = empty.into_iter().map(|(code, height)| code << (3 * height));
        let mut solids: Vec<u32> = first_chunks.filter(|&code| self.is_inside(code)).collect();
        solids.sort_unstable();
        solids
    }
}
