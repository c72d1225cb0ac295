//! Distance updates upon fracture (\[Glondu12\] 4.2), by front propagation after Heidelberger et al. 2004.

use glam::Vec3;

use super::cut_tet::CutTet;
use super::fracture::OTHERS;
use super::solid::{NodeField, Solid};
use super::topology::Topology;
use crate::geometry::closest_point_on_triangle;

/// A distance has to become smaller by this much, relative to the mean edge, to be worth telling the neighbours.
const ENOUGH: f32 = 0.005;

/// A tetrahedron that several pieces share.
pub(super) struct SharedTet {
    pub(super) tet: u32,
    /// How, whoever's it is.
    pub(super) share: CutTet,
    /// Whether this fracture cut it.
    pub(super) is_new: bool,
}

impl SharedTet {
    /// The pieces that have a share, each with its corners by bits.
    pub(super) fn owners(&self, topology: &Topology, of_node: &[u32]) -> impl Iterator<Item = (u32, u8)> + use<> {
        let owners = topology.tets[self.tet as usize].map(|node| of_node[node as usize]);
        (0..4).filter(move |&corner| owners[corner] != OTHERS && !owners[..corner].contains(&owners[corner])).map(
            move |corner| {
                let same = (0..4).filter(|&other| owners[other] == owners[corner]);
                (owners[corner], same.fold(0, |bits, other| bits | 1u8 << other))
            },
        )
    }
}

/// Updates the field after a fracture: nodes of tetrahedra that were cut have their distances from the cracks there, and the
/// others from their neighbours, step by step, as long as that makes distances smaller.
pub(super) fn update(solid: &Solid, of_node: &[u32], shared: &[SharedTet], field: &mut [NodeField]) {
    let mut front = start(solid, of_node, shared, field);
    let mut sums = vec![Sum::default(); field.len()];
    let mut reached = Vec::new();
    let enough = ENOUGH * solid.edge_length as f32;
    while !front.is_empty() {
        for &node in &front {
            let NodeField { distance, direction } = field[node as usize];
            let direction = Vec3::from_array(direction);
            let piece = of_node[node as usize];
            for neighbour in solid.topology.neighbours.of(node) {
                let other = neighbour.node as usize;
                // What is at the surface cannot come nearer.
                if of_node[other] != piece || field[other].distance <= enough {
                    continue;
                }
                let weight = neighbour.weight;
                let sum = &mut sums[other];
                if sum.weight == 0.0 {
                    reached.push(neighbour.node);
                }
                // Equations 1 and 2.
                sum.weight += weight;
                sum.distance += weight * (distance - direction.dot(neighbour.way));
                sum.direction += weight * direction;
            }
        }
        front.clear();
        for &node in &reached {
            let Sum { weight, distance, direction } = std::mem::take(&mut sums[node as usize]);
            let distance = (distance / weight).max(0.0);
            if distance + enough < field[node as usize].distance {
                field[node as usize] = NodeField { distance, direction: direction.normalize_or_zero().to_array() };
                front.push(node);
            }
        }
        reached.clear();
    }
}

/// What reaches a node in one step.
#[derive(Clone, Copy, Default)]
struct Sum {
    weight: f32,
    distance: f32,
    direction: Vec3,
}

/// Gives the nodes of tetrahedra that were cut their exact distances from the cracks there, and tells which have a smaller
/// one now.
fn start(solid: &Solid, of_node: &[u32], shared: &[SharedTet], field: &mut [NodeField]) -> Vec<u32> {
    let topology = &solid.topology;
    let mut front = Vec::new();
    for shared in shared.iter().filter(|shared| shared.is_new) {
        let tet = shared.tet;
        let corners = topology.corners(tet, &solid.positions);
        for (_, own) in shared.owners(topology, of_node) {
            let share = shared.share.seen_by(own);
            for [a, b, c] in share.crack_places(|face| topology.outward_face(tet, face), &corners) {
                let normal = (b - a).cross(c - a);
                let area = normal.length();
                for corner in (0..4).filter(|&corner| share.owns(corner)) {
                    let node = topology.tets[tet as usize][corner];
                    let known = &mut field[node as usize];
                    // No point of a triangle is nearer than its plane.
                    let height = normal.dot(a - corners[corner]) / area;
                    if height >= f64::from(known.distance) {
                        continue;
                    }
                    let (nearest, _) = closest_point_on_triangle(corners[corner], [a, b, c]);
                    let way = nearest - corners[corner];
                    let distance = way.length();
                    // A crack goes on in the next tetrahedron, mostly in the same plane: then what is nearest is there.
                    let (distance, direction) =
                        if height > 0.5 * distance { (height, normal / area) } else { (distance, way / distance) };
                    if (distance as f32) < known.distance {
                        *known = NodeField::new(distance, direction);
                        front.push(node);
                    }
                }
            }
        }
    }
    front.sort_unstable();
    front.dedup();
    front
}
