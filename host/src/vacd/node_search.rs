//! The cost of nodes, and what it would be with others.

use glam::Vec3;
use rayon::prelude::*;

use super::sample_hulls::{HullScratch, hull_volume, split_directions};
use super::samples::Samples;

/// Nodes come no closer than this to each other, in units of the lattice.
const CLOSEST: f32 = 0.05;

/// What part of a cell is on the one side of the planes that are tried to divide it.
const SHARES: [f32; 5] = [0.15, 0.3, 0.5, 0.7, 0.85];

/// Planes, of those that are tried, for which nodes on both sides are tried.
const PLANES: usize = 8;

/// How far from the plane these nodes are, relative to the size of the cell.
const DISTANCES: [f32; 2] = [0.3, 0.6];

/// The place of a node that has no cell.
const AWAY: Vec3 = Vec3::splat(1e9);

/// A hull with less in excess than this share of the solid's volume is good enough.
const LEAST_EXCESS: f64 = 5e-4;

/// A new node may make things worse by this share of the solid's volume, until others have moved.
const MOST_LOSS: f64 = 0.03;

/// Nodes and the samples that are nearest to each.
pub(super) struct Search<'a> {
    samples: &'a Samples,
    pub(super) nodes: Vec<Vec3>,
    /// The nearest node of each sample, and how far it is, squared.
    owners: Vec<u32>,
    distances: Vec<f32>,
    /// The samples of each node.
    cells: Vec<Vec<u32>>,
    /// The volume of the hulls of each node's samples.
    costs: Vec<f64>,
    /// Cells that cannot be divided to any good.
    is_done: Vec<bool>,
}

/// Memory for one thread.
#[derive(Default)]
pub(super) struct SearchScratch {
    owners: Vec<u32>,
    is_changed: Vec<bool>,
    cells: Vec<Vec<u32>>,
    hulls: HullScratch,
}

impl<'a> Search<'a> {
    /// With one node in the middle.
    pub(super) fn new(samples: &'a Samples) -> Search<'a> {
        let mut search = Search {
            samples,
            nodes: Vec::new(),
            owners: vec![0; samples.points.len()],
            distances: Vec::new(),
            cells: Vec::new(),
            costs: Vec::new(),
            is_done: Vec::new(),
        };
        let middle = samples.points.iter().sum::<Vec3>() / samples.points.len().max(1) as f32;
        search.set(&[(0, middle)]);
        search
    }

    pub(super) fn cost(&self) -> f64 {
        self.costs.iter().sum()
    }

    pub(super) fn center(&self, node: usize) -> Vec3 {
        let cell = &self.cells[node];
        cell.iter().map(|&sample| self.samples.points[sample as usize]).sum::<Vec3>() / cell.len().max(1) as f32
    }

    /// The volume of what is solid in a cell.
    fn solid(&self, node: usize) -> f64 {
        self.cells[node].iter().map(|&sample| f64::from(self.samples.shares[sample as usize])).sum()
    }

    /// The radius of a ball as large as what is solid in a cell.
    pub(super) fn cell_radius(&self, node: usize) -> f32 {
        (0.239 * self.cells[node].len().max(1) as f32).cbrt()
    }

    /// Moves nodes, or appends new ones.
    pub(super) fn set(&mut self, moves: &[(usize, Vec3)]) {
        for &(node, place) in moves {
            if node == self.nodes.len() {
                self.nodes.push(place);
                self.costs.push(0.0);
                self.cells.push(Vec::new());
                self.is_done.push(false);
            }
            self.nodes[node] = place;
        }
        let old_owners = std::mem::take(&mut self.owners);
        (self.owners, self.distances) =
            self.samples.points.par_iter().with_min_len(1024).map(|&point| nearest(&self.nodes, point)).unzip();
        let mut is_changed = vec![false; self.nodes.len()];
        moves.iter().for_each(|&(node, _)| is_changed[node] = true);
        for (&old, &new) in old_owners.iter().zip(&self.owners) {
            if old != new {
                is_changed[old as usize] = true;
                is_changed[new as usize] = true;
            }
        }
        self.cells.iter_mut().for_each(Vec::clear);
        for (sample, &owner) in self.owners.iter().enumerate() {
            self.cells[owner as usize].push(sample as u32);
        }
        let (samples, cells, nodes_now, owners) = (self.samples, &self.cells, &self.nodes, &self.owners);
        let nodes = self.costs.par_iter_mut().zip(&mut self.is_done).enumerate().filter(|(node, _)| is_changed[*node]);
        nodes.for_each_init(HullScratch::default, |scratch, (node, (cost, is_done))| {
            *cost = hull_volume(samples, &cells[node], scratch, between(nodes_now, owners));
            *is_done = false;
        });
    }

    /// The cost after some nodes have moved or joined.
    pub(super) fn cost_with(&self, moves: &[(usize, Vec3)], scratch: &mut SearchScratch) -> f64 {
        let mut nodes = self.nodes.clone();
        for &(node, place) in moves {
            if node == nodes.len() {
                nodes.push(place);
            }
            nodes[node] = place;
        }
        let is_moved = |node: usize| moves.iter().any(|&(moved, _)| moved == node);
        let too_close = |&(node, place): &(usize, Vec3)| {
            nodes.iter().enumerate().any(|(other, &at)| other != node && at.distance(place) < CLOSEST)
        };
        let is_outside = |&(_, place): &(usize, Vec3)| {
            place != AWAY && !(place.cmpge(Vec3::ONE).all() && place.cmple(self.samples.highest).all())
        };
        if moves.iter().any(|to| too_close(to) || is_outside(to)) {
            return f64::INFINITY;
        }
        let SearchScratch { owners, is_changed, cells, hulls } = scratch;
        is_changed.clear();
        is_changed.extend((0..nodes.len()).map(is_moved));
        let moved = is_changed.clone();
        owners.clear();
        let known = self.owners.iter().zip(&self.distances).zip(&self.samples.points);
        owners.extend(known.map(|((&owner, &distance), &point)| {
            if moved[owner as usize] {
                return nearest(&nodes, point).0;
            }
            let mut best = (distance, owner);
            for &(node, place) in moves {
                let distance = place.distance_squared(point);
                if distance < best.0 {
                    best = (distance, node as u32);
                }
            }
            best.1
        }));
        for (&old, &new) in self.owners.iter().zip(owners.iter()) {
            is_changed[old as usize] |= old != new;
            is_changed[new as usize] |= old != new;
        }
        cells.resize(cells.len().max(nodes.len()), Vec::new());
        cells.iter_mut().for_each(Vec::clear);
        for (sample, &owner) in owners.iter().enumerate() {
            if is_changed[owner as usize] {
                cells[owner as usize].push(sample as u32);
            }
        }
        let cost = |node: usize| {
            if is_changed[node] {
                hull_volume(self.samples, &cells[node], hulls, between(&nodes, owners))
            } else {
                self.costs[node]
            }
        };
        (0..nodes.len()).map(cost).sum()
    }

    /// Divides the cell whose hulls have the most in excess, with a node of a number that may be new; whether any was.
    pub(super) fn divide(&mut self, added: usize) -> bool {
        loop {
            let enough = LEAST_EXCESS * self.samples.volume;
            let excess = |node: usize| self.costs[node] - self.solid(node);
            let open =
                (0..self.nodes.len()).filter(|&node| node != added && !self.is_done[node] && excess(node) > enough);
            let Some(worst) = open.max_by(|&a, &b| excess(a).total_cmp(&excess(b))) else { return false };
            let pairs = self.pairs_of_nodes(worst);
            let costs: Vec<f64> = pairs
                .par_iter()
                .map_init(SearchScratch::default, |scratch, &[low, high]| {
                    self.cost_with(&[(worst, low), (added, high)], scratch)
                })
                .collect();
            let best = (0..pairs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b]));
            match best.filter(|&best| costs[best] < self.cost() + MOST_LOSS * self.samples.volume) {
                Some(best) => {
                    let [low, high] = pairs[best];
                    self.set(&[(worst, low), (added, high)]);
                    return true;
                }
                None => self.is_done[worst] = true,
            }
        }
    }

    /// Takes the node that is missed least to where it helps most; whether that made the cost less.
    pub(super) fn relocate(&mut self) -> bool {
        let (nodes, cost) = (self.nodes.clone(), self.cost());
        let costs: Vec<f64> = (0..nodes.len())
            .into_par_iter()
            .map_init(SearchScratch::default, |scratch, node| self.cost_with(&[(node, AWAY)], scratch))
            .collect();
        let Some(least) = (0..nodes.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b])) else { return false };
        self.set(&[(least, AWAY)]);
        if self.divide(least) && self.cost() < cost {
            return true;
        }
        let back: Vec<(usize, Vec3)> =
            (0..nodes.len()).filter(|&node| self.nodes[node] != nodes[node]).map(|node| (node, nodes[node])).collect();
        self.set(&back);
        false
    }

    /// Pairs of nodes on both sides of the planes that divide a cell best.
    fn pairs_of_nodes(&self, node: usize) -> Vec<[Vec3; 2]> {
        let cell = &self.cells[node];
        let directions: Vec<Vec3> = split_directions().collect();
        let mut planes: Vec<(f64, Vec3, f32)> = directions
            .par_iter()
            .map_init(Default::default, |(hulls, places): &mut (HullScratch, Vec<f32>), &direction| {
                places.clear();
                places.extend(cell.iter().map(|&sample| direction.dot(self.samples.points[sample as usize])));
                places.sort_unstable_by(f32::total_cmp);
                SHARES.map(|share| {
                    let offset = places[((places.len() as f32 * share) as usize).min(places.len() - 1)];
                    let (low, high): (Vec<u32>, Vec<u32>) =
                        cell.iter().partition(|&&sample| direction.dot(self.samples.points[sample as usize]) < offset);
                    // Where other cells begin, it is good enough to end at the last sample.
                    let below = |point: Vec3, _: u32, _: u32| offset - direction.dot(point);
                    let above = |point: Vec3, _: u32, _: u32| direction.dot(point) - offset;
                    let cost =
                        hull_volume(self.samples, &low, hulls, below) + hull_volume(self.samples, &high, hulls, above);
                    (cost, direction, offset)
                })
            })
            .flatten_iter()
            .collect();
        planes.sort_by(|a, b| a.0.total_cmp(&b.0));
        planes.truncate(PLANES);
        let center = self.center(node);
        let radius = self.cell_radius(node);
        let pairs = planes.iter().flat_map(|&(_, direction, offset)| {
            let middle = center + (offset - direction.dot(center)) * direction;
            let here = self.nodes[node];
            // With the node where it is and its mirror image, the cell is divided by just this plane.
            let mirrored = here + 2.0 * (offset - direction.dot(here)) * direction;
            let moved = DISTANCES.map(|distance| [-distance, distance].map(|side| middle + side * radius * direction));
            [[here, mirrored], moved[0], moved[1]]
        });
        pairs.collect()
    }
}

/// How far a point is on the side of the node of one sample, from the plane between it and that of another.
fn between<'a>(nodes: &'a [Vec3], owners: &'a [u32]) -> impl Fn(Vec3, u32, u32) -> f32 + 'a {
    |point, one, other| {
        let [one, other] = [one, other].map(|sample| nodes[owners[sample as usize] as usize]);
        point.distance_squared(other) - point.distance_squared(one)
    }
}

/// The nearest node, the first of equals, and how far it is, squared.
fn nearest(nodes: &[Vec3], point: Vec3) -> (u32, f32) {
    let mut best = (0, f32::INFINITY);
    for (node, place) in nodes.iter().enumerate() {
        let distance = place.distance_squared(point);
        if distance < best.1 {
            best = (node as u32, distance);
        }
    }
    best
}
