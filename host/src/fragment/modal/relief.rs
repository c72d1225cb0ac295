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
