//! What a cut leaves of a face.

use std::ops::Range;

use glam::DVec2;

use super::outline::{contour_ranges, group_contours};
use super::{Cut, INSIDE, ON, OUTSIDE};
use crate::geometry::{Clipper, Plane, PolyMesh};

/// A corner of a kept face: a corner of the input, or a place between two of them.
#[derive(Clone, Copy)]
struct Corner {
    /// In the result.
    vertex: u32,
    /// Corners of the input.
    from: u32,
    to: u32,
    /// How far from the one to the other.
    share: f64,
}

/// What is left of a contour between two crossings of the plane.
struct Chain {
    /// In [`FaceScratch::chained`]; the first and the last corner lie on the plane.
    corners: Range<usize>,
    /// Where the first and the last corner are along the cut.
    start: f64,
    end: f64,
}

/// Memory for the face at hand.
#[derive(Default)]
pub(super) struct FaceScratch {
    chained: Vec<Corner>,
    chains: Vec<Chain>,
    /// The corners of the contours that are left, and where each contour ends.
    corners: Vec<Corner>,
    ends: Vec<usize>,
    order: Vec<usize>,
    successors: Vec<usize>,
}

impl Cut<'_> {
    /// Keeps a face, a part of it, or nothing; the sides that its corners are on.
    pub(super) fn take_face(&mut self, face: usize) -> u8 {
        let corners = self.mesh.face_corners(face);
        let vertices = &self.mesh.corners[corners.clone()];
        let sides = vertices.iter().fold(0, |sides, &vertex| sides | self.side(vertex));
        let (is_inside, is_outside) = (sides & INSIDE != 0, sides & OUTSIDE != 0);
        if sides == INSIDE {
            self.keep_face(face, corners);
        }
        if sides == INSIDE || is_outside && !is_inside {
            return sides;
        }
        self.clipper.face.corners.clear();
        self.clipper.face.ends.clear();
        if is_inside && is_outside {
            self.cut_face(face);
        } else if is_inside || self.mesh.vector_area(face).dot(self.plane.normal) > 0.0 {
            // A face that lies in the plane belongs to the side that its solid is on.
            for contour in self.mesh.contours(face) {
                self.keep_contour(contour);
            }
        }
        self.push_face(face);
        sides
    }

    /// Keeps a face that is clear of the plane, as it is.
    fn keep_face(&mut self, face: usize, corners: Range<usize>) {
        let shift = self.result.corners.len().wrapping_sub(corners.start) as u32;
        for corner in corners.clone() {
            let number = self.number(self.mesh.corners[corner]);
            self.result.corners.push(number);
        }
        extend(&mut self.result.corner_normals, &self.mesh.corner_normals, &corners);
        extend(&mut self.result.corner_uvs, &self.mesh.corner_uvs, &corners);
        extend(&mut self.result.corner_colors, &self.mesh.corner_colors, &corners);
        let ends = self.mesh.contours(face).map(|contour| (contour.end as u32).wrapping_add(shift));
        self.result.contour_ends.extend(ends);
        self.end_face(face);
    }

    fn keep_contour(&mut self, contour: Range<usize>) {
        for corner in contour {
            let corner = self.kept(corner);
            self.clipper.face.corners.push(corner);
        }
        self.clipper.face.ends.push(self.clipper.face.corners.len());
    }

    fn cut_face(&mut self, face: usize) {
        self.clipper.face.chained.clear();
        self.clipper.face.chains.clear();
        for contour in self.mesh.contours(face) {
            self.cut_contour(contour);
        }
        if self.clipper.face.chains.len() > 1 {
            let along = self.plane.normal.cross(self.mesh.vector_area(face));
            let scratch = &mut self.clipper.face;
            for chain in &mut scratch.chains {
                let place = |corner: usize| along.dot(self.result.positions[scratch.chained[corner].vertex as usize]);
                (chain.start, chain.end) = (place(chain.corners.start), place(chain.corners.end - 1));
            }
        }
        self.clipper.face.join_chains();
    }

    /// Finds the chains of a contour, or keeps it as it is if it is wholly inside.
    fn cut_contour(&mut self, contour: Range<usize>) {
        let inner = |cut: &Self, corner: usize| cut.side(cut.mesh.corners[corner]) == INSIDE;
        let Some(outer) = contour.clone().find(|&corner| !inner(self, corner)) else {
            return self.keep_contour(contour);
        };
        let mut begin = 0;
        let mut corner = outer;
        loop {
            let next = if corner + 1 == contour.end { contour.start } else { corner + 1 };
            match (inner(self, corner), inner(self, next)) {
                (false, true) => {
                    begin = self.clipper.face.chained.len();
                    let corners = [self.crossed(next, corner), self.kept(next)];
                    self.clipper.face.chained.extend(corners);
                }
                (true, true) => {
                    let kept = self.kept(next);
                    self.clipper.face.chained.push(kept);
                }
                (true, false) => {
                    let crossed = self.crossed(corner, next);
                    let scratch = &mut self.clipper.face;
                    scratch.chained.push(crossed);
                    scratch.chains.push(Chain { corners: begin..scratch.chained.len(), start: 0.0, end: 0.0 });
                }
                (false, false) => {}
            }
            corner = next;
            if corner == outer {
                return;
            }
        }
    }

    /// A corner of the input as it is.
    fn kept(&mut self, corner: usize) -> Corner {
        let vertex = self.number(self.mesh.corners[corner]);
        Corner { vertex, from: corner as u32, to: corner as u32, share: 0.0 }
    }

    /// Where the plane is between an inner and another corner: at the other one if that is on the plane.
    fn crossed(&mut self, inner: usize, other: usize) -> Corner {
        let (from, to) = (self.mesh.corners[inner], self.mesh.corners[other]);
        if self.side(to) == ON {
            return self.kept(other);
        }
        let (vertex, share) = self.crossing(from, to);
        Corner { vertex, from: inner as u32, to: other as u32, share }
    }

    /// Appends the contours in the scratch to the result, as many faces as there are outer ones, and remembers their
    /// edges in the plane.
    fn push_face(&mut self, face: usize) {
        self.clipper.face.drop_repeated();
        match self.clipper.face.ends.len() {
            0 => return,
            // By far the most faces: nothing to sort.
            1 => {
                self.push_contour(0..self.clipper.face.corners.len());
                return self.end_face(face);
            }
            _ => {}
        }
        let contours = contour_ranges(&self.clipper.face.ends);
        let plane = Plane { normal: self.mesh.vector_area(face).normalize_or_zero(), offset: 0.0 };
        let (u, v) = plane.axes();
        let corners = &self.clipper.face.corners;
        let groups = group_contours(&contours, |corner| {
            let position = self.result.positions[corners[corner].vertex as usize];
            DVec2::new(u.dot(position), v.dot(position))
        });
        for group in groups {
            for contour in group {
                self.push_contour(contours[contour].clone());
            }
            self.end_face(face);
        }
    }

    fn end_face(&mut self, face: usize) {
        self.result.face_ends.push(self.result.contour_ends.len() as u32);
        self.result.materials.push(self.mesh.materials[face]);
        self.clipper.sources.push(face as u32);
    }

    fn push_contour(&mut self, corners: Range<usize>) {
        let (Clipper { face, planar, rim, .. }, result) = (&mut *self.clipper, &mut *self.result);
        let contour = &face.corners[corners];
        let mut from = contour[contour.len() - 1].vertex;
        let mut is_planar = planar[from as usize];
        for corner in contour {
            let was_planar = std::mem::replace(&mut is_planar, planar[corner.vertex as usize]);
            if was_planar && is_planar {
                rim.push([from, corner.vertex]);
            }
            from = corner.vertex;
        }
        result.corners.extend(contour.iter().map(|corner| corner.vertex));
        if self.mesh.has_attributes() {
            contour.iter().for_each(|&corner| push_attributes(result, self.mesh, corner));
        }
        result.contour_ends.push(result.corners.len() as u32);
    }
}

/// Appends the attributes of a corner.
fn push_attributes(result: &mut PolyMesh, mesh: &PolyMesh, corner: Corner) {
    let Corner { from, to, share, .. } = corner;
    let (from, to) = (from as usize, to as usize);
    if let (Some(result), Some(input)) = (&mut result.corner_normals, &mesh.corner_normals) {
        result.push(input[from].lerp(input[to], share as f32).normalize_or(input[from]));
    }
    if let (Some(result), Some(input)) = (&mut result.corner_uvs, &mesh.corner_uvs) {
        result.push(input[from].lerp(input[to], share as f32));
    }
    if let (Some(result), Some(input)) = (&mut result.corner_colors, &mesh.corner_colors) {
        let mix = |channel: usize| {
            let (start, end) = (f64::from(input[from][channel]), f64::from(input[to][channel]));
            (start + share * (end - start)).round() as u8
        };
        result.push(std::array::from_fn(mix));
    }
}

fn extend<T: Copy>(result: &mut Option<Vec<T>>, input: &Option<Vec<T>>, corners: &Range<usize>) {
    if let (Some(result), Some(input)) = (result, input) {
        result.extend_from_slice(&input[corners.clone()]);
    }
}

impl FaceScratch {
    /// Drops corners that repeat the one before, and contours of fewer than three: their edges cancel.
    fn drop_repeated(&mut self) {
        let (mut kept, mut start, mut contours) = (0, 0, 0);
        for contour in 0..self.ends.len() {
            let (begin, end) = (kept, self.ends[contour]);
            for index in start..end {
                if kept == begin || self.corners[kept - 1].vertex != self.corners[index].vertex {
                    self.corners[kept] = self.corners[index];
                    kept += 1;
                }
            }
            while kept > begin + 1 && self.corners[kept - 1].vertex == self.corners[begin].vertex {
                kept -= 1;
            }
            if kept - begin < 3 {
                kept = begin;
            } else {
                self.ends[contours] = kept;
                contours += 1;
            }
            start = end;
        }
        self.ends.truncate(contours);
        self.corners.truncate(kept);
    }

    /// Joins the ends of the chains to their starts, both sorted along the cut and taken by rank, to closed contours.
    fn join_chains(&mut self) {
        let FaceScratch { chained, chains, corners, ends, order, successors } = self;
        if chains.len() == 1 && ends.is_empty() {
            // By far the most faces: the chain is the contour.
            std::mem::swap(chained, corners);
            ends.push(corners.len());
            return;
        }
        chains.sort_by(|one, other| one.start.total_cmp(&other.start));
        order.clear();
        order.extend(0..chains.len());
        order.sort_by(|&one, &other| chains[one].end.total_cmp(&chains[other].end));
        successors.clear();
        successors.resize(chains.len(), 0);
        for (rank, &chain) in order.iter().enumerate() {
            successors[chain] = rank;
        }
        const DONE: usize = usize::MAX;
        for first in 0..chains.len() {
            let mut chain = first;
            while successors[chain] != DONE {
                corners.extend_from_slice(&chained[chains[chain].corners.clone()]);
                chain = std::mem::replace(&mut successors[chain], DONE);
            }
            if ends.last().copied().unwrap_or(0) < corners.len() {
                ends.push(corners.len());
            }
        }
    }
}
