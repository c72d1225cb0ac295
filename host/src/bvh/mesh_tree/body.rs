//! One body: its surface, how it moves, and its part of the tree.

use std::ops::Range;

use glam::{DVec3, Vec4};

use super::BuildMethod;
use super::directions::DualCone;
use super::features::Features;
use super::patch::Patch;
use super::pieces::Broken;
use super::refit::Part;
use super::swept::{MovingBox, Swept};
use crate::bvh::build::center;
use crate::bvh::shape::Shape;
use crate::bvh::{Frame, Node};
use crate::geometry::{Aabb, TriMesh};

/// Names a body of a [`super::MeshTree`] for as long as it is there, and nothing afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyHandle {
    pub(super) slot: u32,
    pub(super) generation: u32,
}

impl BodyHandle {
    /// What a body is called that is in no tree, by a number that no other one has.
    pub(crate) fn of_key(key: u32) -> BodyHandle {
        BodyHandle { slot: key, generation: 0 }
    }
}

/// A node with no more faces is a twig: it has no children, because its faces are as quick to search as to look at, and knows nothing besides
/// its box. With larger twigs refits take less time and searches find less to cull: of a cloth, twigs of 8 leave about 4 % more overlaps than
/// none, and twigs of 16 about 11 %.
pub(super) const TWIG: u32 = 8;

/// A face as the tree holds it, in one load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub corners: [u32; 3],
    /// Twice the number of the face, and one if it is at a boundary.
    tag: u32,
}

impl Leaf {
    #[inline]
    pub(super) fn of(features: &Features, face: u32) -> Leaf {
        let row = features.faces[face as usize];
        Leaf { corners: row.corners, tag: 2 * face + u32::from(row.has_boundary()) }
    }

    #[inline(always)]
    pub(super) fn face(self) -> u32 {
        self.tag / 2
    }

    #[inline(always)]
    pub(super) fn has_boundary(self) -> bool {
        self.tag % 2 == 1
    }
}

/// What a node that is no twig knows besides its box. As many nodes have children as there are pairs of them, so it stands
/// where the pair of its children does among pairs ([`pair_below`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extra {
    pub cone: DualCone,
    /// What hangs together below.
    pub patch: Patch,
    /// TC_i and TC_s of section 5.2.
    pub inter_cost: f32,
    pub self_cost: f32,
    /// What the measure of restructuring was when it was last built; not a number until it is known.
    pub built_cost: f32,
}

const _: () = assert!(size_of::<Extra>() + size_of::<Node>() <= 64);

impl Extra {
    pub(super) const NEW: Extra =
        Extra { cone: DualCone::FULL, patch: Patch::SCATTERED, inter_cost: 1.0, self_cost: 0.0, built_cost: f32::NAN };
}

/// Where the children of a node are among all pairs of siblings.
#[inline]
pub(super) fn pair_below(node: &Node) -> usize {
    (node.link as usize - 1) / 2
}

/// What has to be done to a body's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stale {
    /// Nothing.
    No,
    /// It moved, or was moving before.
    Refit,
    /// It is new.
    Build,
}

#[derive(Clone, Debug)]
pub(super) struct Body {
    pub handle: BodyHandle,
    pub triangles: Vec<[u32; 3]>,
    /// Known from the first update on.
    pub features: Features,
    /// Where vertices are at the start of a step and at its end.
    pub from: Vec<DVec3>,
    pub to: Vec<DVec3>,
    /// Where each of these are as a whole.
    pub extents: [Extent; 2],
    /// How far the whole of it moves in the step, about. The tree moves along: its boxes are around what is left of the
    /// motion, so that parts which move together do not meet because of that.
    pub drift: DVec3,
    /// Whether vertices move in the step.
    pub is_moving: bool,
    /// Whether it was moved since the last update.
    pub was_moved: bool,
    pub stale: Stale,
    /// In the order of [`crate::bvh::Bvh`]: the root first, both children side by side, all below the left one, then all
    /// below the right one. Those without children are twigs, whose links are the places of their first faces.
    pub nodes: Vec<Node>,
    /// The faces from left to right.
    pub leaves: Vec<Leaf>,
    /// Empty until the body is first searched, unless it is a piece of one that was: one that is seen from a point within needs no cones.
    pub extras: Vec<Extra>,
    /// Whether those are of the last update.
    pub has_cones: bool,
    /// Where each face is among these; empty until the body is first searched.
    pub places: Vec<u32>,
    /// Each vertex over the step, as the tree rounds it.
    pub swept: Vec<Swept>,
    pub bounds: Aabb,
    /// Whether it is seen from a point within, if that is known; and whether it was in the step before.
    pub star: Option<bool>,
    pub was_star: bool,
    /// The break that it is a piece of, in its first step.
    pub born_in: Option<u64>,
    /// Which of the bodies that broke it is a piece of, and which piece, until its tree is made from that one's.
    pub piece_of: Option<[u32; 2]>,
    /// How often its tree was put beside that of new faces since it was built.
    pub layers: u8,
}

/// Where vertices are as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub around: Aabb,
    pub mean: DVec3,
    /// Whether all their coordinates are numbers.
    pub is_finite: bool,
}

impl Extent {
    pub(super) fn of(positions: &[DVec3]) -> Extent {
        let share = 1.0 / positions.len().max(1) as f64;
        let mut extent = Extent { around: Aabb::EMPTY, mean: DVec3::ZERO, is_finite: true };
        for &position in positions {
            extent.around = extent.around.including(position);
            extent.mean += share * position;
            extent.is_finite &= position.is_finite();
        }
        extent
    }
}

/// The memory of a body that is gone, for the next one. Fresh pages cost as much as what is written to them: half of the time of a large
/// body that breaks.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    triangles: Vec<[u32; 3]>,
    features: Features,
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    extras: Vec<Extra>,
    places: Vec<u32>,
    swept: Vec<Swept>,
}

impl Memory {
    /// Whether a mesh fits in, and fills a good part.
    pub(super) fn suits(&self, mesh: &TriMesh) -> bool {
        let (room, count) = (self.triangles.capacity(), mesh.triangles.len());
        count <= room && room <= 4 * count
    }
}

impl Body {
    #[cfg(test)]
    pub(super) fn new(handle: BodyHandle, mesh: &TriMesh) -> Body {
        Body::within(Memory::default(), handle, mesh)
    }

    /// A body in the memory of one that is gone.
    pub(super) fn within(memory: Memory, handle: BodyHandle, mesh: &TriMesh) -> Body {
        let Memory { mut triangles, features, mut from, mut to, nodes, leaves, extras, places, swept } = memory;
        triangles.clone_from(&mesh.triangles);
        from.clone_from(&mesh.positions);
        to.clone_from(&mesh.positions);
        let extent = Extent::of(&mesh.positions);
        Body {
            handle,
            triangles,
            features,
            from,
            to,
            extents: [extent; 2],
            drift: DVec3::ZERO,
            is_moving: false,
            was_moved: false,
            stale: Stale::Build,
            nodes,
            leaves,
            extras,
            has_cones: false,
            places,
            swept,
            bounds: extent.around,
            star: None,
            was_star: false,
            born_in: None,
            piece_of: None,
            layers: 0,
        }
    }

    /// What it took, emptied.
    pub(super) fn into_memory(self) -> Memory {
        let Body {
            triangles, mut features, from, to, mut nodes, mut leaves, mut extras, mut places, mut swept, ..
        } = self;
        features.clear();
        nodes.clear();
        leaves.clear();
        extras.clear();
        places.clear();
        swept.clear();
        Memory { triangles, features, from, to, nodes, leaves, extras, places, swept }
    }

    /// Where vertices are at the start of the step.
    #[inline]
    pub(super) fn start(&self) -> &[DVec3] {
        if self.is_moving { &self.from } else { &self.to }
    }

    /// Ends a step: what was moved since moves in the next one, and all else rests.
    pub(super) fn begin_step(&mut self) {
        if self.stale != Stale::Build {
            self.born_in = None;
        }
        let was_moving = std::mem::replace(&mut self.is_moving, std::mem::take(&mut self.was_moved));
        if (was_moving || self.is_moving) && self.stale == Stale::No {
            self.stale = Stale::Refit;
        }
        if was_moving || self.is_moving {
            let [start, end] = self.steps();
            let motion = end.mean - start.mean;
            // What is unbelievably large is nothing to move along by.
            let is_believable = motion.abs().cmplt(DVec3::splat(1e150)).all();
            self.drift = if is_believable { motion } else { DVec3::ZERO };
            self.begin_star();
        }
    }

    /// Where the vertices are as a whole at the start of the step and at its end.
    pub(super) fn steps(&self) -> [Extent; 2] {
        let [from, to] = self.extents;
        if self.is_moving { [from, to] } else { [to, to] }
    }

    /// Around all vertices over the step, as everyone sees them and as the tree does.
    pub(super) fn swept_bounds(&self) -> Aabb {
        if self.stale == Stale::No {
            return self.bounds;
        }
        let [before, after] = self.extents.map(|extent| extent.around);
        if !self.is_moving {
            return after;
        }
        before.union(after).union(moved(after, -self.drift))
    }

    /// A box that what is in it has left by the end of the step, and where it has gone.
    pub(super) fn along(&self, aabb: Aabb) -> Aabb {
        if self.is_moving { aabb.union(moved(aabb, self.drift)) } else { aabb }
    }

    /// The box of a face over the step, as the tree sees it, but for rounding.
    #[inline]
    pub(super) fn face_box(&self, face: u32) -> Aabb {
        let [a, b, c] = self.triangles[face as usize].map(|vertex| vertex as usize);
        let around = |p: &[DVec3]| Aabb { min: p[a].min(p[b]).min(p[c]), max: p[a].max(p[b]).max(p[c]) };
        let after = around(&self.to);
        let after = Aabb { min: after.min - self.drift, max: after.max - self.drift };
        if self.is_moving { around(&self.from).union(after) } else { after }
    }

    /// The corners of a face over the step, as the tree rounds them, for who sees the body shifted at the end.
    #[inline(always)]
    pub(super) fn corner_boxes(&self, [a, b, c]: [u32; 3], shift: Vec4) -> [MovingBox; 3] {
        let moving = |vertex: u32| self.swept[vertex as usize].moving(shift);
        [moving(a), moving(b), moving(c)]
    }

    /// Whether the body and another one are pieces of one that has just broken.
    pub(super) fn is_newborn_sibling(&self, other: &Body) -> bool {
        self.born_in.is_some() && self.born_in == other.born_in
    }

    /// Builds the whole tree, whose boxes are for a refit to set. `names` is as for [`Body::inherit`].
    pub(super) fn build(&mut self, method: BuildMethod, broken: &[Broken], names: &mut Vec<u32>) {
        if let Some([number, piece]) = self.piece_of.take()
            && self.inherit(&broken[number as usize], piece, method, names)
        {
            return;
        }
        self.layers = 0;
        self.features.find(&self.triangles, self.to.len());
        let Shape { nodes, order } = self.shape_over(0..self.triangles.len() as u32, method);
        self.nodes = nodes;
        self.leaves.clear();
        self.leaves.extend(order.into_iter().map(|face| Leaf::of(&self.features, face)));
    }

    /// Makes room for cones and costs, and finds what hangs together, before the body is first searched.
    pub(super) fn prepare_cones(&mut self) {
        if self.places.is_empty() && self.nodes.len() > 1 {
            // Of a piece of another body some are known.
            if self.extras.is_empty() {
                self.extras.resize(self.nodes.len() / 2, Extra::NEW);
            }
            self.places.resize(self.triangles.len(), 0);
            self.find_patches(Part { node: 0, place: 0 });
        }
    }

    /// The faces of a twig, from left to right.
    #[inline(always)]
    pub(super) fn leaves_of(&self, twig: &Node) -> &[Leaf] {
        &self.leaves[twig.link as usize..][..twig.leaves as usize]
    }

    /// The places of the faces below two siblings, the first of which has this number.
    pub(super) fn places_below(&self, first: u32) -> Range<usize> {
        let [left, right] = [&self.nodes[first as usize], &self.nodes[first as usize + 1]];
        let mut leftmost = left;
        while let Some(child) = leftmost.first_child_over(TWIG) {
            leftmost = &self.nodes[child as usize];
        }
        let start = leftmost.link as usize;
        start..start + (left.leaves + right.leaves) as usize
    }

    /// The shape of a tree over faces, which have the numbers there in which they come.
    pub(super) fn shape_over(&self, faces: impl Iterator<Item = u32>, method: BuildMethod) -> Shape {
        let centers: Vec<DVec3> = faces.map(|face| center(&self.face_box(face))).collect();
        match method {
            BuildMethod::Curve => Shape::along_curve(&centers, TWIG),
            BuildMethod::Median => Shape::of_halves(&centers, TWIG),
        }
    }
}

/// A box elsewhere, and a little around it for what is rounded.
fn moved(aabb: Aabb, by: DVec3) -> Aabb {
    let moved = Aabb { min: aabb.min + by, max: aabb.max + by };
    let moved = moved.expanded(2.0 * f64::EPSILON * aabb.largest().max(moved.largest()));
    // Beyond the largest numbers there is nothing.
    Aabb { min: moved.min.max(DVec3::MIN), max: moved.max.min(DVec3::MAX) }
}

impl Body {
    /// Checks what queries rely on.
    pub(super) fn assert_well_formed(&self, frame: &Frame) {
        assert_eq!(self.leaves.len(), self.triangles.len());
        assert!(self.extras.is_empty() || self.extras.len() == self.nodes.len() / 2);
        let (mut seen, mut visited) = (0, 0);
        let mut stack = if self.nodes.is_empty() { Vec::new() } else { vec![0u32] };
        while let Some(number) = stack.pop() {
            visited += 1;
            let node = &self.nodes[number as usize];
            let Some(child) = node.first_child_over(TWIG) else {
                assert_eq!(node.link, seen, "a twig is in another place");
                for &leaf in &self.leaves[seen as usize..][..node.leaves as usize] {
                    assert_eq!(leaf, Leaf::of(&self.features, leaf.face()));
                    let place = self.places.get(leaf.face() as usize);
                    assert!(place.is_none_or(|&place| place == seen), "a face is in another place");
                    // Not rounded as the tree does it, but by as little.
                    let face = self.face_box(leaf.face());
                    let face = if self.is_moving { face.expanded(-8.0 * f64::EPSILON * face.largest()) } else { face };
                    assert!(node.holds(&frame.leaf(0, &face)), "a twig does not hold its face");
                    seen += 1;
                }
                continue;
            };
            assert!(child > number, "children stand behind their parent");
            let below = [child, child + 1].map(|child| &self.nodes[child as usize]);
            if self.has_cones {
                let extra = &self.extras[pair_below(node)];
                for below in below.iter().filter(|below| below.leaves > TWIG) {
                    let cone = self.extras[pair_below(below)].cone;
                    assert_eq!(extra.cone.union(cone), extra.cone, "a cone does not hold that of a child");
                }
                assert!(extra.inter_cost >= 1.0 && extra.self_cost > 0.0 && extra.built_cost > 0.0);
            }
            assert_eq!(node.leaves, below[0].leaves + below[1].leaves);
            assert!(below.iter().all(|below| node.holds(below)), "node {number} does not hold its child");
            stack.extend([child + 1, child]);
        }
        assert_eq!((seen as usize, visited), (self.triangles.len(), self.nodes.len()));
        let mut faces: Vec<u32> = self.leaves.iter().map(|leaf| leaf.face()).collect();
        faces.sort_unstable();
        assert!(faces.into_iter().eq(0..seen), "a face is in no twig, or in two");
    }
}
