//! Contours as linked rings of nodes.

use glam::DVec2;

use crate::geometry::predicates::orient_2d;

/// A corner in a ring. Bridges put a corner into two nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub position: DVec2,
    pub corner: u32,
    pub previous: u32,
    pub next: u32,
}

/// Nodes linked into one or more rings, each with the inside on its left.
#[derive(Debug)]
pub(super) struct Ring {
    pub nodes: Vec<Node>,
}

impl Ring {
    pub(super) fn new() -> Ring {
        Ring { nodes: Vec::new() }
    }

    /// Appends a closed contour of at least one corner; returns its first node.
    pub(super) fn push_contour(&mut self, corners: impl Iterator<Item = (u32, DVec2)>) -> u32 {
        let first = self.nodes.len() as u32;
        for (corner, position) in corners {
            let here = self.nodes.len() as u32;
            self.nodes.push(Node { position, corner, previous: here.wrapping_sub(1), next: here + 1 });
        }
        let last = self.nodes.len() as u32 - 1;
        self.nodes[first as usize].previous = last;
        self.nodes[last as usize].next = first;
        first
    }

    pub(super) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    pub(super) fn position(&self, node: u32) -> DVec2 {
        self.nodes[node as usize].position
    }

    /// The nodes of a ring, once round from `first`.
    pub(super) fn iter(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let mut here = Some(first);
        std::iter::from_fn(move || {
            let node = here?;
            let next = self.node(node).next;
            here = (next != first).then_some(next);
            Some(node)
        })
    }

    pub(super) fn link(&mut self, from: u32, to: u32) {
        self.nodes[from as usize].next = to;
        self.nodes[to as usize].previous = from;
    }

    /// A second node for the same corner, not linked to anything yet.
    pub(super) fn duplicate(&mut self, node: u32) -> u32 {
        let copy = self.nodes[node as usize];
        self.nodes.push(copy);
        self.nodes.len() as u32 - 1
    }

    /// Positive where the ring turns left at a node, negative where right, zero where it goes on or comes to nothing.
    pub(super) fn turn(&self, node: u32) -> f64 {
        let Node { position, previous, next, .. } = *self.node(node);
        orient_2d(self.position(previous), position, self.position(next))
    }
}
