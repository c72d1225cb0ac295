//! Nodes placed without an artist: where cells between them make the convexes tightest.
//!
//! This is what \[Mueller13\] 4.1 leaves as future work. The solid is taken as some thousand points of a lattice; the cost
//! of some nodes is the volume of the hulls of the connected samples in each cell. The cell whose hulls have the most in
//! excess is divided by the plane that helps most, with a node on each side, until there are enough
//! nodes; then each node in turn moves to wherever the cost is less.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::decompose::{DecomposeError, check_solid};
use super::node_search::Search;
use super::samples::Samples;
use crate::geometry::PolyMesh;
use crate::random::Random;

/// How nodes are placed.
#[derive(Clone, Debug)]
pub struct NodeOptions {
    /// About how many points stand for the solid.
    pub samples: usize,
    /// How often each node may move in the end.
    pub rounds: usize,
    /// Of the moves that are tried.
    pub seed: u64,
}

impl Default for NodeOptions {
    fn default() -> NodeOptions {
        NodeOptions { samples: 12_000, rounds: 12, seed: 0 }
    }
}

/// Nodes for [`decompose`](super::decompose()) with which the convexes fit tightly: as many as asked for, or fewer where
/// more would not help, as in a box. (A ball takes them all: the measure by which they are placed is a little loose.)
///
/// A result has the same bits for any number of threads.
///
/// # Errors
/// If the mesh is not the closed surface of a solid turned outwards.
///
/// ```
/// use fracas::geometry::{PolyMesh, shapes::{Figure, figure}};
/// use fracas::vacd::{DecomposeOptions, NodeOptions, decompose, place_nodes};
///
/// let mesh = PolyMesh::from(&figure(Figure::Rabbit, 2_000)?);
/// let nodes = place_nodes(&mesh, 6, &NodeOptions::default())?;
/// let parts = decompose(&mesh, &nodes, &DecomposeOptions::default())?;
/// let convexes: f64 = parts.iter().map(|part| part.convex().mass_properties().volume).sum();
/// assert!(convexes < 1.5 * mesh.mass_properties().volume);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn place_nodes(mesh: &PolyMesh, count: usize, options: &NodeOptions) -> Result<Vec<DVec3>, DecomposeError> {
    let welded = check_solid(mesh, false)?;
    let mesh = welded.as_ref().unwrap_or(mesh);
    let bounds = mesh.aabb();
    let samples = Samples::of(mesh, options.samples.clamp(64, 1 << 24));
    let mut random = Random::new(options.seed);
    let mut search = Search::new(&samples);
    while search.nodes.len() < count && search.divide(search.nodes.len()) {
        if search.nodes.len().is_power_of_two() {
            improve(&mut search, 0.5, &mut random);
        }
    }
    for round in 0..options.rounds {
        improve(&mut search, 0.6 * 0.8f32.powi(round as i32), &mut random);
        if round < options.rounds / 2 {
            (0..RELOCATIONS).take_while(|_| search.relocate()).for_each(drop);
        }
    }
    Ok(search.nodes.iter().map(|&node| samples.to_world(node).clamp(bounds.min, bounds.max)).collect())
}

/// How many nodes are taken elsewhere after each of the first moves.
const RELOCATIONS: usize = 4;

/// How many places are tried for a node at a time.
const TRIES: usize = 8;

/// Moves each node once, to the best of some places around it, if one is better than its own. The step is relative to
/// the size of the node's cell.
fn improve(search: &mut Search<'_>, step: f32, random: &mut Random) {
    for node in 0..search.nodes.len() {
        let here = search.nodes[node];
        let reach = step * search.cell_radius(node);
        let mut places: Vec<Vec3> = (0..TRIES).map(|_| here + reach * random.in_cube().as_vec3()).collect();
        places.push(here.lerp(search.center(node), step.min(1.0)));
        let cost = search.cost();
        let costs: Vec<f64> = places
            .par_iter()
            .map_init(Default::default, |scratch, &place| search.cost_with(&[(node, place)], scratch))
            .collect();
        let best = (0..places.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b]));
        if let Some(best) = best.filter(|&best| costs[best] < cost) {
            search.set(&[(node, places[best])]);
        }
    }
}
