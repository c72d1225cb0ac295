//! Which nodes are over triangles that hang together, and which of these are disks (\[Heo10\] section 4.2).
//!
//! Depends on the mesh and on the shape of the tree, not on where vertices are: found when a tree is built. Of a tree that was made from another one
//! most is known, and only what is above that is looked for.

use std::ops::Range;

use rayon::prelude::*;

use super::body::{Body, Leaf, TWIG, pair_below};
use super::contour::Surface;
use super::features::NONE;
use super::refit::Part;
use crate::geometry::DisjointSets;

/// Larger parts are not looked at: few of them are flat enough, and what they would save beyond their children is little.
const LARGEST: u32 = 1 << 13;

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

    /// The same where faces have other numbers.
    #[inline]
    pub(super) fn renumbered(self, number: impl Fn(u32) -> u32) -> Patch {
        self.contour().map_or(self, |half_edge| Patch(3 * number(half_edge / 3) + half_edge % 3))
    }

    /// A half-edge of the contour, if the triangles below are a disk.
    #[inline]
    pub(super) fn contour(self) -> Option<u32> {
        (self.0 < Patch::CONNECTED.0).then_some(self.0)
    }
}

impl Body {
    /// Finds the places of the faces of a part of the tree, and what they form where that is not known.
    pub(super) fn find_patches(&mut self, Part { node, place: first_place }: Part) {
        // Subtrees that are small enough, with the place that they start at.
        let mut parts = Vec::new();
        let mut end = first_place;
        let mut stack = vec![(node, false)];
        while let Some((number, in_part)) = stack.pop() {
            let node = self.nodes[number as usize];
            let Some(child) = node.first_child_over(TWIG) else {
                end += node.leaves;
                continue;
            };
            let is_part = !in_part && node.leaves <= LARGEST;
            // What was built before is known, if nothing below it has changed.
            if is_part && self.extras[pair_below(&node)].built_cost.is_nan() {
                parts.push((number, end));
            }
            stack.extend([(child + 1, in_part || is_part), (child, in_part || is_part)]);
        }
        for (leaf, place) in self.leaves[first_place as usize..end as usize].iter().zip(first_place..) {
            self.places[leaf.face() as usize] = place;
        }
        let vertices = self.to.len();
        // Not for each part, because that is as long as the body.
        let parts_at_once = parts.len().div_ceil(4 * rayon::current_num_threads());
        let found: Vec<Vec<(u32, Patch)>> = parts
            .par_iter()
            .with_min_len(parts_at_once)
            .map_init(
                || vec![NONE; vertices],
                |before, &(part, start)| {
                    let count = self.nodes[part as usize].leaves;
                    let faces = &self.leaves[start as usize..][..count as usize];
                    let mut finder = Finder::new(self, start, faces, before);
                    finder.look_below(part, start);
                    finder.finish()
                },
            )
            .collect();
        for (pair, patch) in found.into_iter().flatten() {
            self.extras[pair as usize].patch = patch;
        }
    }
}

/// Looks at one subtree.
///
/// What two triangles share counts at the lowest node that both are below. On the way up a node therefore looks only at what
/// its right half shares with triangles farther left, and takes what it finds in its left half off: of most triangles
/// nothing is left after a few levels, and of a part what crosses its contour.
struct Finder<'a> {
    body: &'a Body,
    start: u32,
    faces: &'a [Leaf],
    /// The place where each vertex was last met; `NONE` if nowhere.
    before: &'a mut [u32],
    /// For each place, those of the triangles behind its sides; `NONE` where there is none.
    neighbours: Vec<[u32; 3]>,
    /// Two places that share an edge, the one farther left last, where the node of both is still to come.
    open_edges: Vec<[u32; 2]>,
    /// The same for vertices, of which the one farther left is enough.
    open_vertices: Vec<u32>,
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
    /// Of the faces from the place `start` on; `before` is `NONE` everywhere.
    fn new(body: &'a Body, start: u32, faces: &'a [Leaf], before: &'a mut [u32]) -> Finder<'a> {
        Finder {
            body,
            start,
            faces,
            before,
            neighbours: Vec::with_capacity(faces.len()),
            open_edges: Vec::new(),
            open_vertices: Vec::new(),
            sets: DisjointSets::new(faces.len()),
            found: Vec::with_capacity(faces.len()),
        }
    }

    /// What was found, with `before` as it was.
    fn finish(self) -> Vec<(u32, Patch)> {
        for leaf in self.faces {
            for vertex in leaf.corners {
                self.before[vertex as usize] = NONE;
            }
        }
        self.found
    }

    /// Finds out about a node and those below it, from what is known of its children and what these share.
    fn look_below(&mut self, number: u32, place: u32) -> Counts {
        let node = self.body.nodes[number as usize];
        let Some(child) = node.first_child_over(TWIG) else {
            return self.look_at_twig(place..place + node.leaves);
        };
        let extra = &self.body.extras[pair_below(&node)];
        if let Some(contour) = extra.patch.contour().filter(|_| !extra.built_cost.is_nan()) {
            return self.look_at_disk(contour, place..place + node.leaves);
        }
        let middle = place + self.body.nodes[child as usize].leaves;
        let left = self.look_below(child, place);
        let (first_edge, first_vertex) = (self.open_edges.len(), self.open_vertices.len());
        let right = self.look_below(child + 1, middle);
        let both = Counts {
            parts: left.parts + right.parts,
            vertices: left.vertices + right.vertices,
            boundary: left.boundary + right.boundary,
        };
        let counts = self.close(first_edge, first_vertex, place, both);
        let is_one = counts.parts == 1;
        let patch = if is_one { self.patch(place..place + node.leaves, counts) } else { Patch::SCATTERED };
        self.found.push((pair_below(&node) as u32, patch));
        counts
    }

    /// Counts what the triangles of a twig form.
    fn look_at_twig(&mut self, places: Range<u32>) -> Counts {
        let (first_edge, first_vertex) = (self.open_edges.len(), self.open_vertices.len());
        let mut all = Counts { parts: 0, vertices: 0, boundary: 0 };
        for place in places.clone() {
            let one = self.look_at(self.faces[(place - self.start) as usize], place);
            all.parts += 1;
            all.vertices += one.vertices;
            all.boundary += one.boundary;
        }
        self.close(first_edge, first_vertex, places.start, all)
    }

    /// Counts what a part forms that is known to be a disk. Whatever edges it shares with others are on its contour, whose half-edges come one after
    /// the other from one of them on. A vertex within that others touch by it alone is not counted: such a disk is one for those who walk around
    /// it all the same.
    fn look_at_disk(&mut self, contour: u32, patch: Range<u32>) -> Counts {
        let Body { triangles, features, places, .. } = self.body;
        let surface = Surface { triangles, twins: &features.twins, places };
        let (first, faces) = (patch.start, patch.len() as u32);
        self.neighbours.extend(patch.clone().map(|place| [place; 3]));
        let (mut boundary, mut repeated, mut half_edge) = (0, 0, contour);
        loop {
            let (face, side) = ((half_edge / 3) as usize, (half_edge % 3) as usize);
            let (here, neighbour) = (places[face], self.place_behind(half_edge));
            boundary += 1;
            self.sets.join(here - self.start, first - self.start);
            self.neighbours[(here - self.start) as usize][side] = neighbour;
            if (self.start..first).contains(&neighbour) {
                self.open_edges.push([here, neighbour]);
            }
            let earlier = std::mem::replace(&mut self.before[triangles[face][side] as usize], first);
            repeated += u32::from(earlier == first);
            if earlier < first {
                self.open_vertices.push(earlier);
            }
            half_edge = surface.next_of_contour(half_edge, &patch);
            if half_edge == contour {
                break;
            }
        }
        // By Euler's number, but that a vertex which is on the contour twice counts once here as elsewhere.
        Counts { parts: 1, vertices: (faces + boundary) / 2 + 1 - repeated, boundary }
    }

    /// The place of the face behind a half-edge; `NONE` where there is none.
    fn place_behind(&self, half_edge: u32) -> u32 {
        let twin = self.body.features.twins[half_edge as usize];
        if twin == NONE { NONE } else { self.body.places[(twin / 3) as usize] }
    }

    /// Takes what is shared between the triangles from a place on off the sum of their counts. What is open from some edge and some vertex
    /// on may be within them; what is not stays open.
    fn close(&mut self, first_edge: usize, first_vertex: usize, place: u32, mut counts: Counts) -> Counts {
        let (open_edges, open_vertices) = (self.open_edges.len(), self.open_vertices.len());
        let mut kept = first_edge;
        for open in first_edge..open_edges {
            let [here, neighbour] = self.open_edges[open];
            if neighbour < place {
                self.open_edges[kept] = [here, neighbour];
                kept += 1;
            } else if counts.parts > 1 {
                counts.parts -= u32::from(self.sets.join(here - self.start, neighbour - self.start));
            }
        }
        self.open_edges.truncate(kept);
        counts.boundary -= 2 * (open_edges - kept) as u32;
        let mut kept = first_vertex;
        for open in first_vertex..open_vertices {
            let earlier = self.open_vertices[open];
            self.open_vertices[kept] = earlier;
            kept += usize::from(earlier < place);
        }
        self.open_vertices.truncate(kept);
        counts.vertices -= (open_vertices - kept) as u32;
        counts
    }

    /// Finds out about one triangle, and what it shares with those to the left.
    fn look_at(&mut self, leaf: Leaf, place: u32) -> Counts {
        let mut counts = Counts { parts: 1, vertices: 0, boundary: 0 };
        for vertex in leaf.corners {
            let earlier = std::mem::replace(&mut self.before[vertex as usize], place);
            counts.vertices += u32::from(earlier != place);
            if earlier < place {
                self.open_vertices.push(earlier);
            }
        }
        let neighbours = [0, 1, 2].map(|side| 3 * leaf.face() + side).map(|half_edge| self.place_behind(half_edge));
        for neighbour in neighbours {
            counts.boundary += u32::from(neighbour != place);
            if (self.start..place).contains(&neighbour) {
                self.open_edges.push([place, neighbour]);
            }
        }
        self.neighbours.push(neighbours);
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
            let at = (place - self.start) as usize;
            let side = self.neighbours[at].iter().position(|neighbour| !patch.contains(neighbour))?;
            Some(Patch(3 * self.faces[at].face() + side as u32))
        };
        patch.clone().find_map(outside).unwrap_or(Patch::CONNECTED)
    }
}
