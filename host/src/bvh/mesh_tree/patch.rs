//! Which nodes are over triangles that hang together, and which of these are disks (\[Heo10\] section 4.2).
//!
//! Depends on the mesh and on the shape of the tree, not on where vertices are: found when a tree is built.

use std::ops::Range;

use rayon::prelude::*;

use super::body::Body;
use super::contour::Surface;
use super::features::NONE;
use crate::bvh::Node;
use crate::geometry::DisjointSets;

/// Larger parts are not looked at: few of them are flat enough, and what they would save beyond their children is little.
const LARGEST: u32 = 1 << 13;

/// Smaller parts are as quick to search.
const SMALLEST: u32 = 2;

impl Body {
    /// Finds the places of the faces below a node, which start at `first_place`, and what parts they form.
    pub(super) fn find_patches(&mut self, node: u32, first_place: u32) {
        let mut faces = Vec::with_capacity(self.nodes[node as usize].leaves as usize);
        // Subtrees that are small enough, with the place that they start at.
        let mut parts = Vec::new();
        let mut stack = vec![(node, false)];
        while let Some((number, in_part)) = stack.pop() {
            let node = self.nodes[number as usize];
            let is_part = !in_part && node.leaves <= LARGEST && node.leaves >= SMALLEST;
            if is_part {
                parts.push((number, first_place + faces.len() as u32));
            }
            match node.first_child() {
                None => {
                    self.places[node.link as usize] = first_place + faces.len() as u32;
                    faces.push(node.link);
                }
                Some(child) => stack.extend([(child + 1, in_part || is_part), (child, in_part || is_part)]),
            }
        }
        let surface = Surface { triangles: &self.triangles, twins: &self.features.twins, places: &self.places };
        let found: Vec<Vec<Found>> = parts
            .par_iter()
            .map_init(
                || vec![NONE; self.from.len()],
                |before, &(part, start)| {
                    let count = self.nodes[part as usize].leaves;
                    let faces = &faces[(start - first_place) as usize..][..count as usize];
                    let mut finder = Finder::new(surface, &self.nodes, start, faces, before);
                    finder.components(part, start);
                    finder.found
                },
            )
            .collect();
        for Found { node, connected, contour } in found.into_iter().flatten() {
            let extra = &mut self.extras[node as usize];
            (extra.connected, extra.contour) = (connected, contour);
        }
    }
}

/// What is known of a node.
struct Found {
    node: u32,
    connected: bool,
    contour: u32,
}

/// Looks at one subtree.
struct Finder<'a> {
    surface: Surface<'a>,
    nodes: &'a [Node],
    start: u32,
    faces: &'a [u32],
    /// For each corner in the order of places, the place in the subtree where its vertex was last met; `NONE` if nowhere.
    earlier: Vec<[u32; 3]>,
    /// Sets of places, joined as subtrees are.
    sets: DisjointSets,
    found: Vec<Found>,
}

impl<'a> Finder<'a> {
    fn new(surface: Surface<'a>, nodes: &'a [Node], start: u32, faces: &'a [u32], before: &mut [u32]) -> Finder<'a> {
        let mut earlier = Vec::with_capacity(faces.len());
        for (&face, place) in faces.iter().zip(start..) {
            let corners = surface.triangles[face as usize];
            earlier.push(corners.map(|vertex| std::mem::replace(&mut before[vertex as usize], place)));
        }
        for &face in faces {
            for vertex in surface.triangles[face as usize] {
                before[vertex as usize] = NONE;
            }
        }
        Finder {
            surface,
            nodes,
            start,
            faces,
            earlier,
            sets: DisjointSets::new(faces.len()),
            found: Vec::with_capacity(2 * faces.len()),
        }
    }

    /// Finds out about a node and those below it; returns how many parts the triangles below it are in.
    fn components(&mut self, number: u32, place: u32) -> u32 {
        let node = &self.nodes[number as usize];
        let Some(child) = node.first_child() else {
            self.found.push(Found { node: number, connected: true, contour: NONE });
            return 1;
        };
        let (count, left) = (node.leaves, self.nodes[child as usize].leaves);
        let middle = place + left;
        let mut parts = self.components(child, place) + self.components(child + 1, middle);
        // Edges between the two sides, seen from the smaller one.
        let (small, large) = if left <= count - left {
            (place..middle, middle..place + count)
        } else {
            (middle..place + count, place..middle)
        };
        for here in small {
            let face = self.faces[(here - self.start) as usize];
            for half_edge in 3 * face..3 * face + 3 {
                if self.surface.is_inside(half_edge, &large) {
                    let there = self.surface.places[(self.surface.twins[half_edge as usize] / 3) as usize];
                    parts -= u32::from(self.sets.join(here - self.start, there - self.start));
                }
            }
        }
        let contour = if parts == 1 { self.contour(place..place + count) } else { NONE };
        self.found.push(Found { node: number, connected: parts == 1, contour });
        parts
    }

    /// A half-edge of the contour of a patch that is connected, if it is a disk.
    fn contour(&self, patch: Range<u32>) -> u32 {
        let (mut vertices, mut boundary, mut start) = (0, 0, NONE);
        for place in patch.clone() {
            let local = (place - self.start) as usize;
            vertices += self.earlier[local].iter().filter(|&&earlier| earlier == NONE || earlier < patch.start).count();
            for half_edge in 3 * self.faces[local]..3 * self.faces[local] + 3 {
                if !self.surface.is_inside(half_edge, &patch) {
                    (boundary, start) = (boundary + 1, half_edge);
                }
            }
        }
        // Euler's number of a disk is one. Where a vertex is in the patch twice it counts once, so what is pinched there
        // has less.
        let faces = patch.len();
        if start == NONE || vertices + faces != (3 * faces + boundary) / 2 + 1 {
            return NONE;
        }
        let (mut half_edge, mut length) = (start, 0);
        loop {
            half_edge = self.surface.next_of_contour(half_edge, &patch);
            length += 1;
            if half_edge == start {
                return if length == boundary { start } else { NONE };
            }
            if length > boundary {
                return NONE;
            }
        }
    }
}
