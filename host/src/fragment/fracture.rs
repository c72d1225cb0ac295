//! Breaking a fragment, by the virtual-node rule.

use std::time::{Duration, Instant};

use glam::{DMat3, DVec3};

use super::cut_tet::{CutTet, FACE_POINT, MIDDLE_POINT, NEAREST_CUT};
use super::fragment::{EdgeCut, Fragment};
use super::occupancy::Occupancy;
use super::partition::Partition;
use super::propagate::{self, SharedTet};
use super::ranked_bits::RankedBits;
use super::solid::NodeField;
use super::sphere_tree::{CrackPoint, SphereTree};
use super::topology::FACES;
use crate::geometry::{Aabb, DisjointSets, MassProperties};

/// The piece of nodes that are not the fragment's.
pub(super) const OTHERS: u32 = u32::MAX;

/// Which node of the solid goes into which piece.
struct Pieces {
    of_node: Vec<u32>,
    count: usize,
}

impl Fragment {
    /// Breaks the fragment into what hangs together by nodes of one label; nothing if that is all of it. Pieces are in the
    /// order of their smallest nodes.
    pub fn fracture(&self, partition: &dyn Partition) -> Vec<Fragment> {
        self.fracture_timed(partition).0
    }

    /// As [`Fragment::fracture`], with the time that the distance field, the sphere trees and the masks took: what the paper
    /// calls the update.
    pub fn fracture_timed(&self, partition: &dyn Partition) -> (Vec<Fragment>, Duration) {
        let pieces = self.pieces(partition);
        if pieces.count < 2 {
            return (Vec::new(), Duration::ZERO);
        }
        let cuts = self.cut_edges(partition, &pieces);
        let shared = self.cut_tetrahedra(partition, &pieces, &cuts);
        let clock = Instant::now();
        let field = self.updated_field(&pieces, &shared);
        let mut update = clock.elapsed();
        let fragments = self.assemble(&pieces, &cuts, &shared, &field, &mut update);
        (fragments, update)
    }

    fn pieces(&self, partition: &dyn Partition) -> Pieces {
        let topology = &self.solid.topology;
        let count = self.solid.node_count();
        let mut labels = vec![0; count];
        self.nodes.iter().for_each(|node| labels[node as usize] = partition.label(node));
        let mut sets = DisjointSets::new(count);
        for node in self.nodes.iter() {
            for neighbour in topology.neighbours.of(node) {
                let other = neighbour.node;
                if other < node && labels[other as usize] == labels[node as usize] && self.nodes.contains(other) {
                    sets.join(node, other);
                }
            }
        }
        let mut pieces = Pieces { of_node: vec![OTHERS; count], count: 0 };
        for node in self.nodes.iter() {
            // The name of a set is its smallest node, which was here before.
            let first = sets.find(node);
            pieces.of_node[node as usize] = if first == node {
                pieces.count += 1;
                pieces.count as u32 - 1
            } else {
                pieces.of_node[first as usize]
            };
        }
        pieces
    }

    /// Where each edge of the solid is cut; no number where it is not, as far as this fragment knows.
    fn cut_edges(&self, partition: &dyn Partition, pieces: &Pieces) -> Vec<f64> {
        let mut cuts = vec![f64::NAN; self.solid.topology.edge_count];
        self.edge_cuts.iter().for_each(|cut| cuts[cut.edge as usize] = cut.at);
        for node in self.nodes.iter() {
            for neighbour in self.solid.topology.neighbours.of(node) {
                let [one, other] = [node, neighbour.node].map(|node| pieces.of_node[node as usize]);
                if node < neighbour.node && one != other && other != OTHERS {
                    let at = partition.cut([node, neighbour.node]);
                    let at = if at.is_finite() { at.clamp(NEAREST_CUT, 1.0 - NEAREST_CUT) } else { 0.5 };
                    cuts[neighbour.edge as usize] = at;
                }
            }
        }
        cuts
    }

    /// The tetrahedra that pieces share, in growing order.
    fn cut_tetrahedra(&self, partition: &dyn Partition, pieces: &Pieces, cuts: &[f64]) -> Vec<SharedTet> {
        let topology = &self.solid.topology;
        let is_parted = |tet: u32| {
            let mut own = topology.tets[tet as usize].map(|node| pieces.of_node[node as usize]).into_iter();
            let mut own = own.by_ref().filter(|&piece| piece != OTHERS);
            own.next().is_some_and(|first| own.any(|piece| piece != first))
        };
        let parted = |node: u32| {
            let is_border = topology
                .neighbours
                .of(node)
                .iter()
                .map(|neighbour| pieces.of_node[neighbour.node as usize])
                .any(|piece| piece != OTHERS && piece != pieces.of_node[node as usize]);
            let around = if is_border { topology.node_tets.of(node) } else { &[] };
            around.iter().copied().filter(|&tet| is_parted(tet))
        };
        let tets = RankedBits::new(topology.tets.len(), self.cut.iter().chain(self.nodes.iter().flat_map(parted)));
        let share = |tet: u32| {
            let (nodes, edges) = (topology.tets[tet as usize], topology.tet_edges[tet as usize]);
            let before = self.cut_tet(tet);
            // Of edges between others the fragment knows only what was so when it came off them.
            let known = before.map_or(0, |before| before.cut);
            let is_cut = |edge: &usize| !cuts[edges[*edge] as usize].is_nan();
            let cut = (0..6).filter(is_cut).fold(known, |bits, edge| bits | 1u8 << edge);
            match before {
                Some(&before) if before.cut == cut => SharedTet { tet, share: before, is_new: false },
                _ => {
                    let junction = |face: usize| {
                        let weights = partition.junction(FACES[face].map(|corner| nodes[corner]))?;
                        let usable = weights.iter().all(|weight| (NEAREST_CUT..=1.0).contains(weight));
                        usable.then_some(weights)
                    };
                    let share = CutTet::new(before, cut, |edge| cuts[edges[edge] as usize], junction);
                    SharedTet { tet, share, is_new: true }
                }
            }
        };
        tets.iter().map(share).collect()
    }

    /// The distance field at all nodes of the solid that are the fragment's, after the update.
    fn updated_field(&self, pieces: &Pieces, shared: &[SharedTet]) -> Vec<NodeField> {
        let mut field = vec![NodeField::default(); self.solid.node_count()];
        self.nodes.iter().zip(&self.field).for_each(|(node, &known)| field[node as usize] = known);
        propagate::update(&self.solid, &pieces.of_node, shared, &mut field);
        field
    }

    /// The pieces, each with what is its own.
    fn assemble(
        &self,
        pieces: &Pieces,
        cuts: &[f64],
        shared: &[SharedTet],
        field: &[NodeField],
        update: &mut Duration,
    ) -> Vec<Fragment> {
        let solid = &self.solid;
        let topology = &solid.topology;
        let of_node = &pieces.of_node;
        let mut nodes = vec![Vec::new(); pieces.count];
        self.nodes.iter().for_each(|node| nodes[of_node[node as usize] as usize].push(node));
        let nodes: Vec<RankedBits> = nodes.into_iter().map(|own| RankedBits::new(solid.node_count(), own)).collect();
        let mut shares = vec![(Vec::new(), Vec::new()); pieces.count];
        for shared in shared {
            for (piece, own) in shared.owners(topology, of_node) {
                let (tets, shares) = &mut shares[piece as usize];
                tets.push(shared.tet);
                shares.push(shared.share.seen_by(own));
            }
        }
        let mut faces = vec![Vec::new(); pieces.count];
        for &face in &self.faces {
            let (tet, opposite) = topology.surface[face as usize];
            let mut owners =
                FACES[opposite as usize].map(|corner| of_node[topology.tets[tet as usize][corner] as usize]);
            owners.sort_unstable();
            for (place, &piece) in owners.iter().enumerate() {
                if piece != OTHERS && (place == 0 || owners[place - 1] != piece) {
                    faces[piece as usize].push(face);
                }
            }
        }
        let (edge_cuts, cracks) = self.crack_points(pieces, cuts, shared);
        let clock = Instant::now();
        let trees: Vec<SphereTree> =
            nodes.iter().zip(&cracks).map(|(nodes, cracks)| SphereTree::new(solid, nodes, cracks)).collect();
        let masks: Vec<Occupancy> = nodes.iter().map(|nodes| solid.cells.occupancy(nodes)).collect();
        *update += clock.elapsed();
        let parts = nodes.into_iter().zip(shares).zip(edge_cuts).zip(cracks).zip(faces).zip(trees).zip(masks);
        let piece = |((((((nodes, (tets, shares)), edge_cuts), cracks), faces), tree), occupancy)| {
            let nodes: RankedBits = nodes;
            let cracks: Vec<CrackPoint> = cracks;
            let own = nodes.iter().map(|node| solid.positions[node as usize]);
            let aabb = Aabb::of_points(own.chain(cracks.iter().map(|crack| crack.position)));
            let mut fragment = Fragment {
                solid: solid.clone(),
                field: nodes.iter().map(|node| field[node as usize]).collect(),
                cut: RankedBits::new(solid.tet_count(), tets),
                shares,
                edge_cuts,
                cracks,
                faces,
                occupancy,
                aabb,
                mass: MassProperties { volume: 0.0, centroid: DVec3::ZERO, inertia: DMat3::ZERO },
                tree,
                nodes,
            };
            fragment.mass = fragment.integrate();
            fragment
        };
        parts.map(piece).collect()
    }

    /// The cut edges of each piece, and the points of its cracks, old and new: on edges, and where three pieces or more meet.
    fn crack_points(
        &self,
        pieces: &Pieces,
        cuts: &[f64],
        shared: &[SharedTet],
    ) -> (Vec<Vec<EdgeCut>>, Vec<Vec<CrackPoint>>) {
        let (topology, positions) = (&self.solid.topology, &self.solid.positions);
        let of_node = &pieces.of_node;
        let mut edge_cuts = vec![Vec::new(); pieces.count];
        let mut cracks: Vec<Vec<CrackPoint>> = vec![Vec::new(); pieces.count];
        self.cracks.iter().for_each(|crack| cracks[of_node[crack.node as usize] as usize].push(*crack));
        for node in self.nodes.iter() {
            let piece = of_node[node as usize];
            for neighbour in topology.neighbours.of(node) {
                let at = cuts[neighbour.edge as usize];
                if at.is_nan() {
                    continue;
                }
                edge_cuts[piece as usize].push(EdgeCut { edge: neighbour.edge, at });
                let other = of_node[neighbour.node as usize];
                if other != OTHERS {
                    let [a, b] =
                        [node.min(neighbour.node), node.max(neighbour.node)].map(|end| positions[end as usize]);
                    cracks[piece as usize].push(CrackPoint { position: a + at * (b - a), node });
                }
            }
        }
        // A face is seen from two sides.
        let mut junctions: Vec<([u32; 3], u32, usize)> = Vec::new();
        for (place, shared) in shared.iter().enumerate().filter(|(_, shared)| shared.is_new) {
            let nodes = topology.tets[shared.tet as usize];
            let before = self.cut_tet(shared.tet);
            let is_new = |face: &usize| {
                shared.share.is_junction(*face) && before.is_none_or(|before| !before.is_junction(*face))
            };
            let mut any = false;
            for face in (0..4).filter(is_new) {
                any = true;
                junctions.push((FACES[face].map(|corner| nodes[corner]), face as u32, place));
            }
            if any {
                let middle = shared.share.point(MIDDLE_POINT, &topology.corners(shared.tet, positions));
                push_to_owners(&mut cracks, of_node, &nodes, middle);
            }
        }
        junctions.sort_unstable();
        junctions.dedup_by_key(|junction| junction.0);
        for (nodes, face, place) in junctions {
            let SharedTet { tet, share, .. } = &shared[place];
            let meeting = share.point(FACE_POINT + face as u8, &topology.corners(*tet, positions));
            push_to_owners(&mut cracks, of_node, &nodes, meeting);
        }
        cracks.iter_mut().for_each(|cracks| cracks.sort_by_key(|crack| crack.node));
        (edge_cuts, cracks)
    }
}

/// Gives a point to each piece that owns one of these nodes, next to the first of them.
fn push_to_owners(cracks: &mut [Vec<CrackPoint>], of_node: &[u32], nodes: &[u32], position: DVec3) {
    for (place, &node) in nodes.iter().enumerate() {
        let piece = of_node[node as usize];
        if piece != OTHERS && !nodes[..place].iter().any(|&before| of_node[before as usize] == piece) {
            cracks[piece as usize].push(CrackPoint { position, node });
        }
    }
}
