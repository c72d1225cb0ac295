//! Clipping the ears of one ring.

use glam::DVec2;

use super::grid::Grid;
use super::ring::{Node, Ring};
use crate::geometry::predicates::orient_2d;

/// A ring without a true ear is not simple. After so many of them no more are looked for, so that hopeless input costs
/// linear time.
const PATIENCE: u32 = 32;

/// Spurs of more edges are not looked for, so that a ring that does nothing but walk to and fro costs linear time.
const SPUR: usize = 64;

/// An ear is a needle if it is lower than this part of the ring's extent. Corners meant to be in line make such ears
/// once they are rounded; in space they can point anywhere, out of the face's plane.
const NEEDLE: f64 = 1e-9;

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
    /// Below this height an ear is a needle.
    needle: f64,
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
        let low = members.iter().fold(DVec2::INFINITY, |low, &node| low.min(ring.position(node)));
        let high = members.iter().fold(DVec2::NEG_INFINITY, |high, &node| high.max(ring.position(node)));
        let needle = NEEDLE * (high - low).max_element();
        Clipper { ring, blocks, remaining, grid, needle, triangles: Vec::with_capacity(remaining.saturating_sub(2)) }
    }

    fn run(mut self, first: u32) -> Vec<[u32; 3]> {
        let mut here = self.clip_spurs(first);
        let mut rebuild_at = self.remaining / 2;
        let mut since_last = 0;
        let mut stuck = 0;
        // Needles are taken when nothing else is left; after so many rounds in vain they are no longer shunned.
        let mut shuns_needles = true;
        let mut rounds_in_vain = 0;
        while self.remaining > 2 {
            if self.remaining == 3 || ((!shuns_needles || self.is_stout(here)) && self.is_ear(here)) {
                here = self.clip(here);
                since_last = 0;
                shuns_needles = rounds_in_vain < PATIENCE;
            } else {
                here = self.ring.node(here).next;
                since_last += 1;
            }
            if since_last > self.remaining && shuns_needles {
                shuns_needles = false;
                rounds_in_vain += 1;
                since_last = 0;
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

    /// Whether a node's triangle is no needle, and clipping it folds no needle onto the new edge.
    fn is_stout(&self, node: u32) -> bool {
        let Node { position: tip, previous, next, .. } = *self.ring.node(node);
        let (before, after) = (self.ring.position(previous), self.ring.position(next));
        let folds = |from: DVec2, joint: DVec2, to: DVec2| {
            (from - joint).dot(to - joint) > 0.0 && self.is_needle(from, joint, to)
        };
        !self.is_needle(before, tip, after)
            && !folds(self.ring.position(self.ring.node(previous).previous), before, after)
            && !folds(before, after, self.ring.position(self.ring.node(next).next))
    }

    /// Whether the height over the longest side is next to nothing.
    fn is_needle(&self, a: DVec2, b: DVec2, c: DVec2) -> bool {
        let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a)).sqrt();
        (b - a).perp_dot(c - a).abs() <= self.needle * longest
    }

    /// Clips the spurs that stick out of the ring: edges walked out and back. Their tips would have to be reached from
    /// within by triangles that overlap. Spurs into the inside are slits, which ears go round. Returns a node of the
    /// ring that is left.
    fn clip_spurs(&mut self, first: u32) -> u32 {
        let mut here = first;
        let members = self.remaining;
        let mut to_see = members;
        while to_see > 0 && self.remaining > 3 {
            to_see -= 1;
            let mut tip = here;
            here = self.ring.node(here).next;
            while self.remaining > 4 && self.is_outward_spur(tip) {
                // The tip and one of the two nodes at its foot; the other becomes the tip of what is left of the spur.
                let foot = self.ring.node(tip).previous;
                let other_foot = self.ring.node(tip).next;
                self.clip(tip);
                self.clip(foot);
                tip = other_foot;
                here = self.ring.node(tip).next;
            }
        }
        if self.remaining < members {
            // The foot of a spur may block only once the spur is gone.
            self.grid = blocking_grid(&self.ring, &self.blocks, self.ring.iter(here));
        }
        here
    }

    /// Whether the ring walks out to a node and back, through its outside.
    fn is_outward_spur(&self, tip: u32) -> bool {
        let place = |node: u32| self.ring.position(node);
        let mut beyond = place(tip);
        let (mut out, mut back) = (self.ring.node(tip).previous, self.ring.node(tip).next);
        if place(out) != place(back) {
            return false;
        }
        // Down to the foot of the spur, where the ways part.
        for _ in 0..SPUR.min(self.remaining / 2) {
            let foot = place(out);
            let (before, after) = (self.ring.node(out).previous, self.ring.node(back).next);
            if place(before) == place(after) {
                beyond = if place(before) == foot { beyond } else { foot };
                (out, back) = (before, after);
                continue;
            }
            let left_of_before = orient_2d(place(before), foot, beyond) > 0.0;
            let left_of_after = orient_2d(foot, place(after), beyond) > 0.0;
            let convex = orient_2d(place(before), foot, place(after)) > 0.0;
            let inside = if convex { left_of_before && left_of_after } else { left_of_before || left_of_after };
            return beyond != foot && !inside;
        }
        false
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
