//! A vertex for each of the sheets of a surface that meet at an edge or at a corner only.
//!
//! Where voxels share nothing but an edge, four faces meet, and at a corner several fans of faces can. The surface is a
//! manifold if every fan has a vertex of its own and no two edges have both vertices in common. Of four faces at an edge,
//! those of one voxel go together, so the two voxels come apart. Where they hang together around both ends all the same,
//! the two edges would have both vertices in common; there the faces around the same outside go together, and the voxels
//! are joined. That makes two fans of one at either end, and never one of two, so each edge is looked at once.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use rustc_hash::FxHashSet;

use super::cells::{CORNERS, SIDES};
use super::corners::{Quad, Quads};

/// How far the fans of a corner move from it, in voxels, so that no two stand at one place.
const APART: f32 = 0.1;

/// Faces at a corner: bit `3 * octant + axis` is that of the voxel in an octant, across an axis.
type Faces = u32;

/// An octant of a corner has bit 0, 1 and 2 where it lies high along x, y and z; and so is the voxel in it.
const OCTANTS: usize = 8;

/// The faces that a corner can have.
const FACES: usize = 3 * OCTANTS;

/// The edges from a corner: `2 * axis`, one more for the way up.
const EDGES: usize = 6;

/// The octant and axis of a side at one of its corners.
fn place(side: u16, slot: usize) -> [usize; 2] {
    let corner = CORNERS[side as usize][slot];
    let octant = (0..3).map(|axis| (1 - corner[axis] as usize) << axis).sum();
    [octant, side as usize / 2]
}

fn number([octant, axis]: [usize; 2]) -> usize {
    3 * octant + axis
}

/// The faces at a corner around some octants that are solid.
fn faces_around(solid: usize) -> Faces {
    let is_solid = |octant: usize| solid >> octant & 1 != 0;
    let is_face = |face: &usize| is_solid(face / 3) && !is_solid((face / 3) ^ (1 << (face % 3)));
    (0..FACES).filter(is_face).map(|face| 1 << face).sum()
}

/// Those of some faces that are at an edge.
fn at_edge(faces: Faces, edge: usize) -> impl Iterator<Item = [usize; 2]> {
    let (along, is_high) = (edge / 2, edge % 2);
    let all = (0..FACES).filter(move |face| faces >> face & 1 != 0).map(|face| [face / 3, face % 3]);
    all.filter(move |&[octant, axis]| octant >> along & 1 == is_high && axis != along)
}

fn is_crowded(faces: Faces, edge: usize) -> bool {
    at_edge(faces, edge).count() > 2
}

/// A corner that is not the middle of one fan of faces with two at each edge.
struct Corner {
    faces: Faces,
    /// The edges, as bits, whose four faces go together by what is outside.
    joined: u32,
    /// For each face the first one of its fan.
    fans: [u8; FACES],
}

impl Corner {
    fn new(faces: Faces, joined: u32) -> Corner {
        let mut fans = std::array::from_fn(|face| face as u8);
        for edge in 0..EDGES {
            let is_joined = joined >> edge & 1 != 0;
            let key = |&[octant, axis]: &[usize; 2]| if is_joined { octant ^ 1 << axis } else { octant };
            for one in at_edge(faces, edge) {
                for other in at_edge(faces, edge).filter(|other| !is_crowded(faces, edge) || key(other) == key(&one)) {
                    let [one, other] = [one, other].map(|place| fans[number(place)]);
                    fans.iter_mut().filter(|fan| **fan == one.max(other)).for_each(|fan| *fan = one.min(other));
                }
            }
        }
        Corner { faces, joined, fans }
    }

    fn is_simple(&self) -> bool {
        self.fans().len() == 1 && (0..EDGES).all(|edge| !is_crowded(self.faces, edge))
    }

    /// The first face of each fan.
    fn fans(&self) -> Vec<u8> {
        (0..FACES as u8).filter(|&face| self.faces >> face & 1 != 0 && self.fans[usize::from(face)] == face).collect()
    }

    /// Whether all faces at an edge are of one fan.
    fn is_one_at(&self, edge: usize) -> bool {
        let fans: BTreeSet<u8> = at_edge(self.faces, edge).map(|place| self.fans[number(place)]).collect();
        fans.len() == 1
    }

    /// The way of a fan to the side of it that has fewer octants, which no other fan is in.
    fn way(&self, fan: u8) -> Vec3 {
        let (mut inside, mut outside, mut outward) = (BTreeSet::new(), BTreeSet::new(), Vec3::ZERO);
        for face in (0..FACES).filter(|&face| self.faces >> face & 1 != 0 && self.fans[face] == fan) {
            let (octant, axis) = (face / 3, face % 3);
            inside.insert(octant);
            outside.insert(octant ^ 1 << axis);
            outward[axis] += if octant >> axis & 1 == 0 { 1.0 } else { -1.0 };
        }
        let way = outward.normalize_or_zero();
        match inside.len().cmp(&outside.len()) {
            std::cmp::Ordering::Less => -way,
            std::cmp::Ordering::Equal => Vec3::ZERO,
            std::cmp::Ordering::Greater => way,
        }
    }
}

impl Quads {
    /// Gives each sheet of faces vertices of its own, a little apart.
    pub(super) fn split(&mut self) {
        let mut corners = crowded(&self.quads, self.corners.len());
        if corners.is_empty() {
            return;
        }
        for ((low, axis), high) in edges(&self.quads, &corners) {
            let ends = [(low, 2 * axis + 1), (high, 2 * axis)];
            if ends.iter().all(|(corner, edge)| corners[corner].is_one_at(*edge)) {
                for (corner, edge) in ends {
                    let Some(corner) = corners.get_mut(&corner) else { continue };
                    *corner = Corner::new(corner.faces, corner.joined | 1 << edge);
                }
            }
        }
        let mut numbers: BTreeMap<(u32, u8), u32> = BTreeMap::new();
        for (&number, corner) in &corners {
            let fans = corner.fans();
            if fans.len() == 1 {
                continue;
            }
            let place = self.corners[number as usize];
            for (order, &fan) in fans.iter().enumerate() {
                let moved = place + APART * corner.way(fan);
                if order == 0 {
                    self.corners[number as usize] = moved;
                    continue;
                }
                numbers.insert((number, fan), self.corners.len() as u32);
                self.corners.push(moved);
            }
        }
        for quad in &mut self.quads {
            for slot in 0..4 {
                let Some(corner) = corners.get(&quad.corners[slot]) else { continue };
                let fan = corner.fans[number(place(quad.side, slot))];
                if let Some(&own) = numbers.get(&(quad.corners[slot], fan)) {
                    quad.corners[slot] = own;
                }
            }
        }
    }
}

/// The corners, by number, that are not simple.
fn crowded(quads: &[Quad], count: usize) -> BTreeMap<u32, Corner> {
    let faces_of: [[Faces; 4]; SIDES] =
        std::array::from_fn(|side| std::array::from_fn(|slot| 1 << number(place(side as u16, slot))));
    let mut faces: Vec<Faces> = vec![0; count];
    for quad in quads {
        for (&corner, face) in quad.corners.iter().zip(faces_of[quad.side as usize]) {
            faces[corner as usize] |= face;
        }
    }
    let around = (0..1 << OCTANTS).map(faces_around);
    let simple: FxHashSet<Faces> = around.filter(|&faces| Corner::new(faces, 0).is_simple()).collect();
    let others = (0..).zip(faces).filter(|(_, faces)| !simple.contains(faces));
    others.map(|(number, faces)| (number, Corner::new(faces, 0))).collect()
}

/// The edges with more than two faces: the lower corner and the axis, and the higher corner.
fn edges(quads: &[Quad], corners: &BTreeMap<u32, Corner>) -> BTreeMap<(u32, usize), u32> {
    let mut edges = BTreeMap::new();
    for quad in quads.iter().filter(|quad| quad.corners.iter().any(|corner| corners.contains_key(corner))) {
        for slot in 0..4 {
            let next = (slot + 1) % 4;
            let [from, to] = [slot, next].map(|slot| CORNERS[quad.side as usize][slot]);
            let Some(axis) = (0..3).find(|&axis| from[axis] != to[axis]) else { continue };
            let [low, high] = if from[axis] < to[axis] { [slot, next] } else { [next, slot] };
            let [low, high] = [low, high].map(|slot| quad.corners[slot]);
            if corners.get(&low).is_some_and(|corner| is_crowded(corner.faces, 2 * axis + 1))
                && corners.contains_key(&high)
            {
                edges.insert((low, axis), high);
            }
        }
    }
    edges
}
