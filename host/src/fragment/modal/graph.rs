//! Which nodes of a mesh share an edge.

use super::super::topology::Lists;
use crate::geometry::TetMesh;

/// The neighbours of every node, in rising order.
#[derive(Clone, Debug)]
pub(super) struct Graph(Lists<u32>);

impl Graph {
    /// The edges of a mesh.
    pub(super) fn of(mesh: &TetMesh) -> Graph {
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(12 * mesh.tets.len());
        for tet in &mesh.tets {
            for &a in tet {
                pairs.extend(tet.iter().filter(|&&b| b != a).map(|&b| (a, b)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        Graph(Lists::new(mesh.positions.len(), pairs.iter().copied()))
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The nodes that share an edge with a node.
    pub(super) fn neighbours(&self, node: u32) -> &[u32] {
        self.0.of(node)
    }

    /// The number of the part that each node belongs to, and how many parts there are.
    pub(super) fn parts(&self) -> (Vec<u32>, usize) {
        let mut parts = vec![u32::MAX; self.len()];
        let (mut count, mut stack) = (0, Vec::new());
        for first in 0..self.len() as u32 {
            if parts[first as usize] != u32::MAX {
                continue;
            }
            parts[first as usize] = count;
            stack.push(first);
            while let Some(node) = stack.pop() {
                for &other in self.neighbours(node) {
                    if parts[other as usize] == u32::MAX {
                        parts[other as usize] = count;
                        stack.push(other);
                    }
                }
            }
            count += 1;
        }
        (parts, count as usize)
    }
}
