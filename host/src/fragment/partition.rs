//! Where a body breaks: which nodes stay together, and where edges between those that do not are cut.

use glam::DVec3;

/// A way to part the nodes of a tetrahedral mesh.
///
/// A fragment is what hangs together by edges between nodes of one label, so every fragment owns at least one node
/// (the virtual-node rule).
pub trait Partition {
    /// What the node goes with.
    fn label(&self, node: u32) -> u32;

    /// How far from the first node to the second an edge between different labels is cut, from 0 to 1. It is asked with the smaller
    /// node first.
    fn cut(&self, nodes: [u32; 2]) -> f64;

    /// The weights of three nodes of different labels, which share a face, where the three parts meet; the middle of the cuts
    /// if there is none. Nodes come in growing order.
    fn junction(&self, nodes: [u32; 3]) -> Option<[f64; 3]> {
        let _ = nodes;
        None
    }
}

/// Cells of seeds: every node goes with the seed that it is nearest to, and cracks are planes half-way between.
#[derive(Clone, Debug)]
pub struct SeedPartition<'a> {
    positions: &'a [DVec3],
    seeds: &'a [DVec3],
    /// The seed that each node is nearest to.
    nearest: Vec<u32>,
    /// Only seeds that are nearer to this point than the radius make pieces of their own.
    damaged: Option<(DVec3, f64)>,
}

/// The label of all nodes around the damage.
const UNDAMAGED: u32 = u32::MAX;

impl<'a> SeedPartition<'a> {
    /// The cells of seeds for nodes at these positions; the first of seeds that are equally near gets the node.
    pub fn new(positions: &'a [DVec3], seeds: &'a [DVec3]) -> SeedPartition<'a> {
        let nearest = |&position: &DVec3| {
            let distances = seeds.iter().map(|seed| seed.distance_squared(position)).enumerate();
            distances.min_by(|one, other| one.1.total_cmp(&other.1)).map_or(0, |(seed, _)| seed as u32)
        };
        SeedPartition { positions, seeds, nearest: positions.iter().map(nearest).collect(), damaged: None }
    }

    /// The same within a ball only: the cells of seeds outside of it stay together.
    pub fn within(self, center: DVec3, radius: f64) -> SeedPartition<'a> {
        SeedPartition { damaged: Some((center, radius)), ..self }
    }

    /// How much nearer a node is to one seed than to another, as squares; linear in the place.
    fn preference(&self, node: u32, seed: u32, other: u32) -> f64 {
        let [seed, other] = [seed, other].map(|seed| self.seeds[seed as usize]);
        let position = self.positions[node as usize];
        (other - seed).dot(0.5 * (seed + other) - position)
    }
}

impl Partition for SeedPartition<'_> {
    fn label(&self, node: u32) -> u32 {
        let seed = self.nearest[node as usize];
        let is_damaged = |(center, radius): (DVec3, f64)| {
            self.seeds.get(seed as usize).is_some_and(|seed| seed.distance(center) <= radius)
        };
        if self.damaged.is_none_or(is_damaged) { seed } else { UNDAMAGED }
    }

    fn cut(&self, [a, b]: [u32; 2]) -> f64 {
        let [first, second] = [a, b].map(|node| self.nearest[node as usize]);
        let [at_a, at_b] = [a, b].map(|node| self.preference(node, first, second));
        if at_a > at_b { at_a / (at_a - at_b) } else { 0.5 }
    }

    fn junction(&self, nodes: [u32; 3]) -> Option<[f64; 3]> {
        let [first, second, third] = nodes.map(|node| self.nearest[node as usize]);
        // The weights are orthogonal to both rows of preferences.
        let row = |other: u32| DVec3::from_array(nodes.map(|node| self.preference(node, first, other)));
        let weights = row(second).cross(row(third));
        let weights = weights / weights.element_sum();
        (weights.is_finite() && weights.min_element() > 0.0).then(|| weights.to_array())
    }
}
