//! Distance updates upon fracture (\[Glondu12\] 4.2), by front propagation after Heidelberger et al. 2004.

use glam::{DVec3, Vec3};

use super::cut_tet::{CutTet, Rim};
use super::fracture::OTHERS;
use super::solid::{NodeField, Solid};
use super::topology::Topology;
use crate::geometry::closest_point_on_triangle;

/// A distance has to become smaller by this much, relative to the mean edge, to be worth telling the neighbours.
const ENOUGH: f32 = 0.05;

/// A crack is looked at if its plane is nearer than this part of the distance that a node has: parts of one plane are as near
/// as each other, but for rounding.
const WORTH: f64 = 0.999;

/// Four points are in a plane if they are no farther from it than this part of what lies between them.
const FLAT: f64 = 1e-3;

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
    const ALL: u8 = 15;
    let topology = &solid.topology;
    let mut is_nearer = vec![false; field.len()];
    for shared in shared.iter().filter(|shared| shared.is_new) {
        let tet = shared.tet;
        let nodes = topology.tets[tet as usize];
        let corners = topology.corners(tet, &solid.positions);
        let outward = |face: usize| topology.outward_face(tet, face);
        let mut look = |share: &CutTet, asked: u8, face: CrackFace| {
            for corner in (0..4).filter(|&corner| asked >> corner & 1 == 1) {
                let node = nodes[corner] as usize;
                let side = if share.owns(corner) { 1.0 } else { -1.0 };
                if let Some(nearer) = face.nearer(corners[corner], side, field[node].distance) {
                    field[node] = nearer;
                    is_nearer[node] = true;
                }
            }
        };
        for (_, own) in shared.owners(topology, of_node) {
            let share = shared.share.seen_by(own);
            // What parts two pieces is the same from both sides, and seen once.
            let is_between_two = share.parts_two() && nodes.iter().all(|&node| of_node[node as usize] != OTHERS);
            if is_between_two && let Some(face) = CrackFace::flat(&share, outward, &corners) {
                look(&share, ALL, face);
                break;
            }
            for triangle in share.crack_places(outward, &corners) {
                look(&share, own, CrackFace::triangle(triangle));
            }
        }
    }
    (0..).zip(is_nearer).filter(|(_, is_nearer)| *is_nearer).map(|(node, _)| node).collect()
}

/// A flat part of a crack.
struct CrackFace {
    /// Three or four corners; where there are three, the last comes twice.
    rim: [DVec3; 4],
    /// Out of the fragment whose it is.
    normal: DVec3,
}

impl CrackFace {
    fn triangle([a, b, c]: [DVec3; 3]) -> CrackFace {
        CrackFace { rim: [a, b, c, c], normal: (b - a).cross(c - a).normalize_or_zero() }
    }

    /// All of a crack between two fragments, if it is flat.
    fn flat(share: &CutTet, outward: impl Fn(usize) -> [usize; 3], corners: &[DVec3; 4]) -> Option<CrackFace> {
        match share.rim(outward)? {
            Rim::Triangle(points) => Some(CrackFace::triangle(points.map(|point| share.point(point, corners)))),
            Rim::Quadrilateral(points) => {
                let rim = points.map(|point| share.point(point, corners));
                let [a, b, c, d] = rim;
                let normal = (c - a).cross(d - b).normalize_or_zero();
                (normal.dot(b - a).abs() <= FLAT * (c - a).length()).then_some(CrackFace { rim, normal })
            }
        }
    }

    /// What a node has from the face if that is nearer than what it knows; `side` is negative for one that is beyond.
    fn nearer(&self, position: DVec3, side: f64, known: f32) -> Option<NodeField> {
        // Nothing of the face is nearer than its plane.
        let [a, b, c, d] = self.rim;
        let height = side * self.normal.dot(a - position);
        if height >= WORTH * f64::from(known) {
            return None;
        }
        let mut way = closest_point_on_triangle(position, [a, b, c]).0 - position;
        if c != d {
            let other = closest_point_on_triangle(position, [a, c, d]).0 - position;
            if other.length_squared() < way.length_squared() {
                way = other;
            }
        }
        let distance = way.length();
        // A crack goes on in the next tetrahedron, mostly in the same plane: then what is nearest is there.
        let is_plane = height > 0.5 * distance;
        let (distance, direction) = if is_plane { (height, side * self.normal) } else { (distance, way / distance) };
        ((distance as f32) < known).then(|| NodeField::new(distance, direction))
    }
}
