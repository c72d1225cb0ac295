//! Where cracks have taken the stress away.

use std::collections::VecDeque;

use super::model::ModalModel;
use super::response::Body;

/// How far each node is from the nearest crack of this blow, along edges.
pub(super) struct Relief {
    distances: Vec<f64>,
}

impl Relief {
    /// Nothing has cracked.
    pub(super) fn new(nodes: usize) -> Relief {
        Relief { distances: vec![f64::INFINITY; nodes] }
    }

    /// How far a node is from the nearest crack; infinity if there is none near.
    pub(super) fn distance(&self, node: u32) -> f64 {
        self.distances[node as usize]
    }

    /// Spreads from the nodes near to a crack, as far as `reach`.
    pub(super) fn spread(
        &mut self,
        model: &ModalModel,
        body: &Body,
        near: impl Iterator<Item = (u32, f64)>,
        reach: f64,
    ) {
        let mut queue = VecDeque::new();
        for (node, distance) in near {
            if distance < self.distances[node as usize] {
                self.distances[node as usize] = distance;
                queue.push_back(node);
            }
        }
        while let Some(node) = queue.pop_front() {
            let (here, distance) = (model.positions[node as usize], self.distances[node as usize]);
            for &other in model.graph.neighbours(node) {
                let along = distance + here.distance(model.positions[other as usize]);
                if along < self.distances[other as usize] && along <= reach && body.inside[other as usize] {
                    self.distances[other as usize] = along;
                    queue.push_back(other);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, UVec3};

    use super::super::test_blocks::block;
    use super::super::{ModalModel, ModalOptions};
    use super::*;

    #[test]
    fn distances_are_those_of_the_shortest_ways() {
        let mesh = block(UVec3::new(6, 5, 4), DVec3::new(0.06, 0.05, 0.04));
        let model = ModalModel::new(&mesh, &ModalOptions { modes: 1, ..ModalOptions::default() }).unwrap();
        let body = model.body(None).unwrap();
        let mut relief = Relief::new(mesh.positions.len());
        let (sources, reach) = ([(0, 0.001), (100, 0.0)], 0.03);
        // One after the other, as cracks come.
        sources.iter().for_each(|&source| relief.spread(&model, &body, [source].into_iter(), reach));
        // Every edge again and again, until nothing changes.
        let mut expected = vec![f64::INFINITY; mesh.positions.len()];
        sources.iter().for_each(|&(node, distance)| expected[node as usize] = distance);
        for _ in 0..mesh.positions.len() {
            for a in 0..mesh.positions.len() {
                for &b in model.graph.neighbours(a as u32) {
                    let along = expected[b as usize] + mesh.positions[a].distance(mesh.positions[b as usize]);
                    expected[a] = expected[a].min(along);
                }
            }
        }
        for (node, &expected) in expected.iter().enumerate() {
            let expected = if expected > reach { f64::INFINITY } else { expected };
            let found = relief.distance(node as u32);
            assert!(found == expected || (found - expected).abs() < 1e-15, "{found} {expected}");
        }
    }
}
