//! Which nodes are over triangles that hang together, and which of these are disks (\[Heo10\] section 4.2).
//!
//! Depends on the mesh and on the shape of the tree, not on where vertices are: found when a tree is built.

use std::ops::Range;

use rayon::prelude::*;

use super::body::{Body, pair_below};
use super::features::{Face, NONE};
use super::refit::Part;
use crate::bvh::Node;
use crate::geometry::DisjointSets;

/// Larger parts are not looked at: few of them are flat enough, and what they would save beyond their children is little.
const LARGEST: u32 = 1 << 13;

/// Smaller parts are as quick to search.
const SMALLEST: u32 = 2;

/// What hangs together below a node: nothing is known to, all does, or all does and is a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Patch(u32);

impl Patch {
    pub(super) const SCATTERED: Patch = Patch(NONE);
    const CONNECTED: Patch = Patch(NONE - 1);

    /// Whether the triangles below are connected by edges.
    #[inline]
    pub(super) fn is_connected(self) -> bool {
        self != Patch::SCATTERED
    }

    /// A half-edge of the contour, if the triangles below are a disk.
    #[inline]
    pub(super) fn contour(self) -> Option<u32> {
        (self.0 < Patch::CONNECTED.0).then_some(self.0)
    }
}

impl Body {
    /// Finds the places of the faces of a part of the tree, and what they form.
    pub(super) fn find_patches(&mut self, Part { node, place: first_place }: Part) {
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
        let vertices = self.to.len();
        let found: Vec<Vec<(u32, Patch)>> = parts
            .par_iter()
            .map_init(
                || vec![NONE; vertices],
                |before, &(part, start)| {
                    let count = self.nodes[part as usize].leaves;
                    let faces = &faces[(start - first_place) as usize..][..count as usize];
                    let mut finder = Finder::new(self, start, faces, before);
                    finder.look_below(part, start);
                    finder.found
                },
            )
            .collect();
        for (pair, patch) in found.into_iter().flatten() {
            self.extras[pair as usize].patch = patch;
        }
    }
}

/// A triangle at its place in the tree, with what it shares with others.
struct Placed {
    face: u32,
    /// The places of the triangles behind its sides; `NONE` where there is none.
    neighbours: [u32; 3],
    /// For each corner, the place in the subtree where its vertex was last met; `NONE` if nowhere.
    earlier: [u32; 3],
}

/// Looks at one subtree.
struct Finder<'a> {
    nodes: &'a [Node],
    start: u32,
    placed: Vec<Placed>,
    /// Sets of places, joined as subtrees are.
    sets: DisjointSets,
    found: Vec<(u32, Patch)>,
}

/// What a part of the surface is made of.
#[derive(Clone, Copy)]
struct Counts {
    /// How many parts it is in.
    parts: u32,
    vertices: u32,
    /// Half-edges without a twin in it.
    boundary: u32,
}

impl<'a> Finder<'a> {
    fn new(body: &'a Body, start: u32, faces: &[u32], before: &mut [u32]) -> Finder<'a> {
        let Body { features, places, nodes, .. } = body;
        let mut placed = Vec::with_capacity(faces.len());
        for (&face, place) in faces.iter().zip(start..) {
            let Face { corners, .. } = features.faces[face as usize];
            let half_edge = 3 * face as usize;
            let neighbours = std::array::from_fn(|side| match features.twins[half_edge + side] {
                NONE => NONE,
                twin => places[(twin / 3) as usize],
            });
            let earlier = corners.map(|vertex| std::mem::replace(&mut before[vertex as usize], place));
            placed.push(Placed { face, neighbours, earlier });
        }
        for &face in faces {
            for vertex in features.faces[face as usize].corners {
                before[vertex as usize] = NONE;
            }
        }
        Finder { nodes, start, sets: DisjointSets::new(faces.len()), found: Vec::with_capacity(faces.len()), placed }
    }

    /// Finds out about a node and those below it, from what is known of its children and what these share.
    fn look_below(&mut self, number: u32, place: u32) -> Counts {
        let node = &self.nodes[number as usize];
        let Some(child) = node.first_child() else {
            let Placed { neighbours, earlier, .. } = &self.placed[(place - self.start) as usize];
            return Counts {
                parts: 1,
                vertices: earlier.iter().filter(|&&earlier| earlier != place).count() as u32,
                boundary: neighbours.iter().filter(|&&neighbour| neighbour != place).count() as u32,
            };
        };
        let (count, middle) = (node.leaves, place + self.nodes[child as usize].leaves);
        let left = self.look_below(child, place);
        let right = self.look_below(child + 1, middle);
        // What is on the right and on the left as well.
        let (mut edges, mut vertices, mut parts) = (0, 0, left.parts + right.parts);
        for here in middle..place + count {
            let Placed { neighbours, earlier, .. } = &self.placed[(here - self.start) as usize];
            vertices += earlier.iter().filter(|&&earlier| (place..middle).contains(&earlier)).count() as u32;
            for &neighbour in neighbours.iter().filter(|&&neighbour| (place..middle).contains(&neighbour)) {
                edges += 1;
                if parts > 1 {
                    parts -= u32::from(self.sets.join(here - self.start, neighbour - self.start));
                }
            }
        }
        let counts = Counts {
            parts,
            vertices: left.vertices + right.vertices - vertices,
            boundary: left.boundary + right.boundary - 2 * edges,
        };
        let patch = if parts > 1 { Patch::SCATTERED } else { self.patch(place..place + count, counts) };
        self.found.push((pair_below(node) as u32, patch));
        counts
    }

    /// What triangles that are connected form.
    ///
    /// Euler's number of a connected surface with a boundary is one for a disk and less for any other; and less than its
    /// own where a vertex is in it twice, which counts once here.
    fn patch(&self, patch: Range<u32>, counts: Counts) -> Patch {
        let faces = patch.len() as u32;
        if counts.boundary == 0 || counts.vertices + faces != (3 * faces + counts.boundary) / 2 + 1 {
            return Patch::CONNECTED;
        }
        let outside = |place: u32| {
            let Placed { face, neighbours, .. } = &self.placed[(place - self.start) as usize];
            let side = neighbours.iter().position(|neighbour| !patch.contains(neighbour))?;
            Some(Patch(3 * face + side as u32))
        };
        patch.clone().find_map(outside).unwrap_or(Patch::CONNECTED)
    }
}
