//! How one crack runs through a body.
//!
//! A crack is where a level is zero. It starts as the plane through the node of a seed, across the direction in which
//! that is pulled most, and is carried on from node to node: in each step, nodes next to those of the last one get the
//! mean of what their levels and directions foretell, by the inverse squares of distances (as in \[Glondu12\],
//! equations 1 and 2), and turn towards the direction in which they are pulled themselves. Only nodes near to the
//! surface carry it on, so a crack that bends follows itself and not a short cut. Each node gets one level, so each
//! edge is cut at most once.

use glam::DVec3;

use super::brittleness::Brittleness;
use super::model::ModalModel;
use super::response::{Body, Response};

/// What a crack runs through.
pub(super) struct Field<'a> {
    pub(super) model: &'a ModalModel,
    pub(super) body: &'a Body,
    pub(super) response: &'a Response,
    pub(super) brittleness: &'a Brittleness,
}

/// How a crack runs.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Run {
    /// Along the stress.
    Bent,
    /// In the plane in which it started.
    Straight,
}

/// How far a crack drives itself on, as a part of the body's diagonal: the tension at its tip falls to a third over
/// this length where the stress before the crack would let it end. The stress at the tip of a running crack is larger
/// than it was there before, which is what takes cracks through the side of a bent body that was pressed.
const DRIVE: f64 = 0.5;
/// How much a crack turns towards the local stress from one node to the next, at most.
const TURN: f64 = 0.5;
/// How near to a node an edge may be cut, as a part of its length; nearer makes slivers.
const MARGIN: f64 = 0.05;

/// How far from a surface a node stands clear of it, as a part of the longest edge there.
const CLEAR: f64 = 0.3;

/// A crack, and the memory to grow the next one.
pub(super) struct Crack {
    /// In which step each node was reached, counted from one; zero if it was not.
    steps: Vec<u32>,
    levels: Vec<f64>,
    normals: Vec<DVec3>,
    tensions: Vec<f64>,
    /// The nodes that were, in that order.
    pub(super) reached: Vec<u32>,
}

impl Crack {
    /// No crack, in a mesh of so many nodes.
    pub(super) fn new(nodes: usize) -> Crack {
        Crack {
            steps: vec![0; nodes],
            levels: vec![0.0; nodes],
            normals: vec![DVec3::ZERO; nodes],
            tensions: vec![0.0; nodes],
            reached: Vec::new(),
        }
    }

    /// Grows a crack from a seed through the nodes that have its label.
    pub(super) fn grow(&mut self, field: &Field<'_>, labels: &[u32], seed: u32, run: Run) {
        for node in self.reached.drain(..) {
            self.steps[node as usize] = 0;
        }
        let start = field.response.principal(seed);
        self.steps[seed as usize] = 1;
        self.levels[seed as usize] = 0.0;
        self.normals[seed as usize] = start.directions[0];
        self.tensions[seed as usize] = start.values[0];
        self.reached.push(seed);
        let (mut first, mut step) = (0, 1);
        while first < self.reached.len() {
            let last = self.reached.len();
            for place in first..last {
                let node = self.reached[place];
                if !self.runs_on(field, node) {
                    continue;
                }
                for &other in field.model.graph.neighbours(node) {
                    if self.steps[other as usize] == 0 && labels[other as usize] == labels[seed as usize] {
                        self.steps[other as usize] = step + 1;
                        self.reached.push(other);
                    }
                }
            }
            for place in last..self.reached.len() {
                self.carry(field, self.reached[place], step, run);
            }
            (first, step) = (last, step + 1);
        }
    }

    /// Whether the surface passes near to a node and the tension there drives it on.
    fn runs_on(&self, field: &Field<'_>, node: u32) -> bool {
        let Brittleness { arrest, strength, .. } = *field.brittleness;
        self.is_near(field.model, node) && self.tensions[node as usize] >= arrest * strength
    }

    /// Whether the surface may cut an edge at a node.
    pub(super) fn is_near(&self, model: &ModalModel, node: u32) -> bool {
        self.levels[node as usize].abs() <= model.longest[node as usize]
    }

    /// Whether a node stands clear of the surface. A piece of which no node does would be a skin as thin as the margin.
    pub(super) fn is_clear(&self, model: &ModalModel, node: u32) -> bool {
        self.steps[node as usize] == 0 || self.levels[node as usize].abs() > CLEAR * model.longest[node as usize]
    }

    /// What the nodes of a step say about one of the next.
    fn carry(&mut self, field: &Field<'_>, node: u32, step: u32, run: Run) {
        let here = field.model.positions[node as usize];
        let drive = DRIVE * field.body.size;
        let (mut level, mut normal, mut tension, mut total) = (0.0, DVec3::ZERO, 0.0, 0.0);
        for &other in field.model.graph.neighbours(node) {
            let other = other as usize;
            if self.steps[other] == step {
                let offset = here - field.model.positions[other];
                let weight = 1.0 / offset.length_squared();
                level += weight * (self.levels[other] + self.normals[other].dot(offset));
                normal += weight * self.normals[other];
                tension += weight * self.tensions[other] * (-offset.length() / drive).exp();
                total += weight;
            }
        }
        let node = node as usize;
        self.levels[node] = level / total;
        let mean = normal.normalize_or(DVec3::X);
        self.normals[node] = match run {
            Run::Bent if self.is_near(field.model, node as u32) => turned(field, node, mean),
            Run::Bent | Run::Straight => mean,
        };
        let opening = self.normals[node].dot(field.response.stress[node].apply(self.normals[node]));
        self.tensions[node] = opening.max(tension / total);
    }

    /// Whether the surface passes between two nodes.
    pub(super) fn parts(&self, a: u32, b: u32) -> bool {
        let is_reached = |node: u32| self.steps[node as usize] != 0;
        is_reached(a) && is_reached(b) && (self.levels[a as usize] < 0.0) != (self.levels[b as usize] < 0.0)
    }

    /// Where it does, as a part of the way from the first.
    pub(super) fn cut(&self, a: u32, b: u32) -> f64 {
        let (from, to) = (self.levels[a as usize], self.levels[b as usize]);
        (from / (from - to)).clamp(MARGIN, 1.0 - MARGIN)
    }

    /// The nodes near to the surface and their distances from it.
    pub(super) fn near(&self, model: &ModalModel) -> impl Iterator<Item = (u32, f64)> {
        let near = self.reached.iter().filter(|&&node| self.is_near(model, node));
        near.map(|&node| (node, self.levels[node as usize].abs()))
    }

    /// The area of the surface, by how much volume is how near to it: each node counts by a hat as high as it is
    /// narrow.
    pub(super) fn area(&self, model: &ModalModel) -> f64 {
        let share = |(node, distance): (u32, f64)| {
            let width = model.longest[node as usize];
            model.volumes[node as usize] * (1.0 - distance / width) / width
        };
        self.near(model).map(share).sum()
    }
}

/// The direction of a surface at a node that turns to where the node is pulled: the more, the more it is pulled, and
/// the more in this direction rather than in others.
fn turned(field: &Field<'_>, node: usize, normal: DVec3) -> DVec3 {
    let own = field.response.principal(node as u32);
    let [first, second, _] = own.values;
    if first <= 0.0 {
        return normal;
    }
    let aligned = own.directions[0].dot(normal);
    let pulled = (first / field.brittleness.strength).min(1.0);
    let distinct = (1.0 - second / first).clamp(0.0, 1.0);
    let weight = TURN * pulled * distinct * aligned.abs();
    normal.lerp(own.directions[0] * aligned.signum(), weight).normalize_or(normal)
}
