//! Finished cells in flat lists.

use glam::DVec3;

use super::clipper::CellClipper;

/// Some cells, one after another. Corners count the vertices of their own cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cells {
    pub(super) vertices: Vec<DVec3>,
    pub(super) corners: Vec<u32>,
    pub(super) faces: Vec<Face>,
    pub(super) ends: Vec<Ends>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Face {
    pub(super) label: u32,
    /// Where its corners end, counted from the first corner of the cell.
    pub(super) end: u32,
}

/// Where the parts of a cell end in the lists.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ends {
    pub(super) vertices: usize,
    pub(super) corners: usize,
    pub(super) faces: usize,
    pub(super) volume: f64,
}

/// Memory for finishing a cell, kept from one to the next.
#[derive(Default)]
pub(super) struct Finish {
    seen: Vec<u8>,
    positions: Vec<DVec3>,
    same_as: Vec<u32>,
}

impl Cells {
    /// Appends what a clipper holds, moved from the seed-centred coordinates. Vertices joined by edges not longer than
    /// `shortest` become one.
    pub(super) fn push(&mut self, clipper: &CellClipper, seed: DVec3, shortest: f64, finish: &mut Finish) {
        let begin = self.ends.last().copied().unwrap_or_default();
        let count = clipper.vertex_count();
        finish.positions.clear();
        finish.positions.extend((0..count).map(|vertex| clipper.solved_position(vertex, shortest)));
        finish.seen.clear();
        finish.seen.resize(count, 0);
        let mut volume = 0.0;
        for vertex in 0..count {
            for slot in 0..3 {
                if finish.seen[vertex] >> slot & 1 != 0 {
                    continue;
                }
                let apex = finish.positions[vertex];
                let mut cross = DVec3::ZERO;
                let mut spoke = DVec3::ZERO;
                let (mut here, mut along) = (vertex, slot);
                loop {
                    finish.seen[here] |= 1 << along;
                    self.corners.push(here as u32);
                    (here, along) = clipper.next_corner(here, along);
                    if (here, along) == (vertex, slot) {
                        break;
                    }
                    let next = finish.positions[here] - apex;
                    cross += spoke.cross(next);
                    spoke = next;
                }
                volume += apex.dot(cross);
                let label = clipper.plane(clipper.faces()[vertex][slot]).label;
                self.faces.push(Face { label, end: (self.corners.len() - begin.corners) as u32 });
            }
        }
        if finish.find_short_edges(clipper, shortest) {
            self.merge(begin, &finish.same_as, &mut finish.positions);
        }
        self.vertices.extend(finish.positions.iter().map(|&position| seed + position));
        self.ends.push(Ends {
            vertices: self.vertices.len(),
            corners: self.corners.len(),
            faces: self.faces.len(),
            volume: volume / 6.0,
        });
    }

    /// Rewrites the faces of the last cell over merged vertices: faces without area go, and vertices with them that are
    /// no corners any more.
    fn merge(&mut self, begin: Ends, same_as: &[u32], positions: &mut Vec<DVec3>) {
        let mut rings: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut start = begin.corners;
        for face in &self.faces[begin.faces..] {
            let end = begin.corners + face.end as usize;
            let ring = self.corners[start..end].iter().map(|&corner| same_as[corner as usize]);
            split_ring(ring, |part| rings.push((face.label, part)));
            start = end;
        }
        // A vertex between only two faces lies within their common edge. Taking it out may flatten a face in turn.
        let mut counts = vec![0u32; same_as.len()];
        loop {
            counts.fill(0);
            rings.iter().flat_map(|(_, ring)| ring).for_each(|&corner| counts[corner as usize] += 1);
            if rings.iter().flat_map(|(_, ring)| ring).all(|&corner| counts[corner as usize] > 2) {
                break;
            }
            for (_, ring) in &mut rings {
                ring.retain(|&corner| counts[corner as usize] > 2);
            }
            rings.retain(|(_, ring)| ring.len() > 2);
        }
        let mut numbers = vec![u32::MAX; same_as.len()];
        let mut kept = Vec::new();
        for (vertex, &position) in positions.iter().enumerate() {
            if counts[vertex] > 0 {
                numbers[vertex] = kept.len() as u32;
                kept.push(position);
            }
        }
        *positions = kept;
        self.corners.truncate(begin.corners);
        self.faces.truncate(begin.faces);
        for (label, ring) in rings {
            self.corners.extend(ring.iter().map(|&corner| numbers[corner as usize]));
            self.faces.push(Face { label, end: (self.corners.len() - begin.corners) as u32 });
        }
    }
}

impl Finish {
    /// Finds which vertices are the same; false if none are.
    fn find_short_edges(&mut self, clipper: &CellClipper, shortest: f64) -> bool {
        let is_short = |positions: &[DVec3], from: usize, to: usize| {
            positions[from].distance_squared(positions[to]) <= shortest * shortest
        };
        let links = clipper.links();
        let mut edges = links.iter().enumerate().flat_map(|(from, links)| links.map(|to| (from, to as usize)));
        if !edges.any(|(from, to)| from < to && is_short(&self.positions, from, to)) {
            return false;
        }
        self.same_as.clear();
        self.same_as.extend(0..links.len() as u32);
        // Few vertices: the smallest number spreads until nothing changes.
        let mut changed = true;
        while changed {
            changed = false;
            for (from, links) in links.iter().enumerate() {
                for to in links.map(|link| link as usize) {
                    if self.same_as[to] < self.same_as[from] && is_short(&self.positions, from, to) {
                        self.same_as[from] = self.same_as[to];
                        changed = true;
                    }
                }
            }
        }
        true
    }
}

/// Splits a ring where it comes back to a vertex; gives the parts that have at least three corners.
fn split_ring(ring: impl Iterator<Item = u32>, mut give: impl FnMut(Vec<u32>)) {
    let mut open: Vec<u32> = Vec::new();
    for corner in ring {
        if let Some(place) = open.iter().position(|&other| other == corner) {
            let part = open.split_off(place);
            if part.len() > 2 {
                give(part);
            }
        }
        open.push(corner);
    }
    if open.len() > 2 {
        give(open);
    }
}
