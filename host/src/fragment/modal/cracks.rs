//! All cracks of a blow.

use super::blow::Blow;
use super::brittleness::Brittleness;
use super::grow::{Crack, Field, Run};
use super::model::ModalModel;
use super::pieces::Pieces;
use super::relief::Relief;
use super::response::Response;

/// The label of a node that does not belong to the body that was hit.
pub const NO_PIECE: u32 = u32::MAX;

/// How a body breaks: which piece each node goes to, and where the edges between pieces are cut.
///
/// All nodes of a piece hang together by edges that no crack cuts.
#[derive(Clone, Debug, PartialEq)]
pub struct Cracks {
    /// The piece of each node, from zero without gaps in the order of their smallest nodes; [`NO_PIECE`] for nodes that
    /// the body does not have.
    pub labels: Vec<u32>,
    pieces: u32,
    /// The edges that are cut and where, in rising order; the first node is the smaller one.
    cuts: Vec<(u32, u32, f64)>,
}

impl Cracks {
    /// How many pieces there are.
    pub fn pieces(&self) -> u32 {
        self.pieces
    }

    /// Where the edge between two nodes of different pieces is cut, as a part of the way from the first to the second,
    /// above zero and below one. Seen from the other end it is the rest of the way. Edges that no crack cuts have a
    /// half.
    pub fn cut(&self, a: u32, b: u32) -> f64 {
        let key = (a.min(b), a.max(b));
        let place = self.cuts.binary_search_by_key(&key, |&(first, second, _)| (first, second));
        let part = place.map_or(0.5, |place| self.cuts[place].2);
        if a < b { part } else { 1.0 - part }
    }

    /// The edges between pieces, the smaller node first, in rising order.
    pub fn cut_edges(&self) -> impl Iterator<Item = [u32; 2]> {
        self.cuts.iter().map(|&(first, second, _)| [first, second])
    }
}

/// How often a crack is tried for each that may open.
const TRIES: usize = 4;

impl ModalModel {
    /// How a blow breaks the whole object, or the fragment that has some of its nodes; `None` if it breaks nothing off,
    /// or if the blow, the brittleness or the nodes cannot be used ([`Blow::check`], [`Brittleness::check`]).
    ///
    /// Cracks start where the largest principal stress exceeds the strength, the largest first, and run across its
    /// direction. One that separates nothing, because it stops within, leaves no mark, but it takes the stress around
    /// it away as the others do. What of the stress a fragment has is told at [`ModalModel::response`].
    pub fn crack(&self, nodes: Option<&[u32]>, blow: &Blow, brittleness: &Brittleness) -> Option<Cracks> {
        brittleness.check().ok()?;
        let body = self.body(nodes)?;
        let response = self.response_of(&body, blow)?;
        self.crack_under(&Field { model: self, body: &body, response: &response, brittleness })
    }

    /// How a stress breaks a body.
    pub(super) fn crack_under(&self, field: &Field<'_>) -> Option<Cracks> {
        let Field { body, response, brittleness, .. } = *field;
        let mut pieces = Pieces::of(&self.graph, body);
        let mut relief = Relief::new(self.positions.len());
        let mut crack = Crack::new(self.positions.len());
        let (mut cuts, mut energy, mut opened, mut tried) = (Vec::new(), response.energy, 0, 0);
        for (seed, tension) in seeds(response, brittleness.strength) {
            if opened == brittleness.most_cracks || tried == TRIES * brittleness.most_cracks {
                break;
            }
            let reach = brittleness.relief * body.size;
            if relief.distance(seed) < reach * brittleness.strength / tension {
                continue;
            }
            tried += 1;
            // One that bends may miss itself on the other side of a hollow body; one in a plane does not.
            for run in [Run::Bent, Run::Straight] {
                crack.grow(field, &pieces.labels, seed, run);
                let needed = brittleness.toughness * crack.area(self);
                let label = pieces.labels[seed as usize];
                let is_clear = |node| crack.is_clear(self, node);
                let parts = |a, b| crack.parts(a, b);
                if needed <= energy && pieces.split(&self.graph, label, brittleness.least_nodes, is_clear, parts) {
                    energy -= needed;
                    opened += 1;
                    self.record(&crack, &pieces, &mut cuts);
                    break;
                }
            }
            relief.spread(self, body, crack.near(self), reach);
        }
        cuts.sort_unstable_by_key(|&(first, second, _)| (first, second));
        let (labels, count) = pieces.finish(body);
        (opened > 0).then_some(Cracks { labels, pieces: count, cuts })
    }

    /// Adds the edges that a crack has cut between pieces.
    fn record(&self, crack: &Crack, pieces: &Pieces, cuts: &mut Vec<(u32, u32, f64)>) {
        for &node in &crack.reached {
            for &other in self.graph.neighbours(node).iter().filter(|&&other| other > node) {
                let separate = pieces.labels[node as usize] != pieces.labels[other as usize];
                if separate && crack.parts(node, other) {
                    cuts.push((node, other, crack.cut(node, other)));
                }
            }
        }
    }
}

/// The nodes that are pulled by more than the strength, and by how much, the one that is pulled most first.
fn seeds(response: &Response, strength: f64) -> Vec<(u32, f64)> {
    let tensions = response.stress.iter().enumerate().map(|(node, stress)| (node as u32, stress.largest()));
    let mut seeds: Vec<(u32, f64)> = tensions.filter(|&(_, tension)| tension > strength).collect();
    seeds.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    seeds
}
