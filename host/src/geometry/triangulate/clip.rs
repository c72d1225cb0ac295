//! Clipping the ears of one ring.

use glam::DVec2;

use super::grid::Grid;
use super::ring::{Node, Ring};
use crate::geometry::predicates::orient_2d;

/// A ring without a true ear is not simple. After so many of them no more are looked for, so that hopeless input costs
/// linear time.
const PATIENCE: u32 = 32;

/// The corner triples of the ears of a ring, one after the other until nothing is left.
pub(super) fn clip_ears(ring: Ring, first: u32) -> Vec<[u32; 3]> {
    Clipper::new(ring, first).run(first)
}

struct Clipper {
    ring: Ring,
    /// Whether a node is still in the ring and does not turn left: only such a node can be the one that spoils an ear.
    blocks: Vec<bool>,
    remaining: usize,
    grid: Grid,
    triangles: Vec<[u32; 3]>,
}

impl Clipper {
    fn new(ring: Ring, first: u32) -> Clipper {
        let mut blocks = vec![false; ring.nodes.len()];
        let members: Vec<u32> = ring.iter(first).collect();
        for &node in &members {
            blocks[node as usize] = ring.turn(node) <= 0.0;
        }
        let grid = blocking_grid(&ring, &blocks, members.iter().copied());
        let remaining = members.len();
        Clipper { ring, blocks, remaining, grid, triangles: Vec::with_capacity(remaining.saturating_sub(2)) }
    }

    fn run(mut self, first: u32) -> Vec<[u32; 3]> {
        let mut rebuild_at = self.remaining / 2;
        let mut here = first;
        let mut since_last = 0;
        let mut stuck = 0;
        while self.remaining > 2 {
            if self.remaining == 3 || self.is_ear(here) {
                here = self.clip(here);
                since_last = 0;
            } else {
                here = self.ring.node(here).next;
                since_last += 1;
            }
            if since_last > self.remaining {
                here = self.least_bad(here);
                here = self.clip(here);
                since_last = 0;
                stuck += 1;
                if stuck > PATIENCE {
                    break;
                }
            }
            if self.remaining < rebuild_at {
                // Clipped nodes and those that turn left by now would be met in vain.
                self.grid = blocking_grid(&self.ring, &self.blocks, self.ring.iter(here));
                rebuild_at = self.remaining / 2;
            }
        }
        while self.remaining > 2 {
            here = self.clip(here);
        }
        self.triangles
    }

    /// Whether a node's triangle has a positive area and no other part of the ring in it.
    fn is_ear(&self, node: u32) -> bool {
        let Node { position: tip, previous, next, .. } = *self.ring.node(node);
        let (before, after) = (self.ring.position(previous), self.ring.position(next));
        if self.blocks[node as usize] || orient_2d(before, tip, after) <= 0.0 {
            return false;
        }
        let (low, high) = (before.min(tip).min(after), before.max(tip).max(after));
        !self.grid.any_in(low, high, |other| {
            let position = self.ring.position(other);
            self.blocks[other as usize]
                && position.cmpge(low).all()
                && position.cmple(high).all()
                && ![before, tip, after].contains(&position)
                && holds([before, tip, after], position)
        })
    }

    /// In a ring without ears: a node whose triangle has no area, else one that turns left, else any.
    fn least_bad(&self, first: u32) -> u32 {
        let mut left = None;
        for node in self.ring.iter(first) {
            let turn = self.ring.turn(node);
            if turn == 0.0 {
                return node;
            }
            if turn > 0.0 && left.is_none() {
                left = Some(node);
            }
        }
        left.unwrap_or(first)
    }

    /// Clips a node; returns where to look next, which is not its neighbour, so that triangles do not all fan from one.
    fn clip(&mut self, node: u32) -> u32 {
        let Node { corner, previous, next, .. } = *self.ring.node(node);
        self.triangles.push([self.ring.node(previous).corner, corner, self.ring.node(next).corner]);
        self.ring.link(previous, next);
        self.blocks[node as usize] = false;
        self.remaining -= 1;
        for neighbour in [previous, next] {
            // A node that turns left now can turn right later only in a ring that crosses itself, and is then not
            // looked for: the grid holds what blocked when it was built.
            self.blocks[neighbour as usize] = self.ring.turn(neighbour) <= 0.0;
        }
        self.ring.node(next).next
    }
}

fn blocking_grid(ring: &Ring, blocks: &[bool], nodes: impl Iterator<Item = u32>) -> Grid {
    Grid::new(ring, &nodes.filter(|&node| blocks[node as usize]).collect::<Vec<_>>())
}

/// Whether a point is in a counter-clockwise triangle or on its border.
fn holds([a, b, c]: [DVec2; 3], point: DVec2) -> bool {
    orient_2d(a, b, point) >= 0.0 && orient_2d(b, c, point) >= 0.0 && orient_2d(c, a, point) >= 0.0
}
