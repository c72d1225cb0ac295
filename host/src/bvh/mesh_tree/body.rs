//! One body: its surface, how it moves, and its part of the tree.

use glam::{DVec3, Vec4};

use super::BuildMethod;
use super::directions::DualCone;
use super::features::{Face, Features};
use super::patch::Patch;
use super::pieces::Broken;
use super::refit::Part;
use super::swept::{MovingBox, Space, Swept};
use crate::bvh::{Frame, Node, build, median};
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

/// A node with no more leaves is a twig: it is as quick to search as to look at, and knows nothing besides its box. With larger twigs
/// refits take less time and searches find less to cull: of a cloth, twigs of 8 leave about 4 % more overlaps than none, and twigs of 16 about 11 %.
pub(super) const TWIG: u32 = 8;

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
    /// Around each of these.
    pub around: [Aabb; 2],
    /// How far the whole of it moves in the step, about. The tree moves along: its boxes are around what is left of the
    /// motion, so that parts which move together do not meet because of that.
    pub drift: DVec3,
    /// Whether vertices move in the step.
    pub is_moving: bool,
    /// Whether it was moved since the last update.
    pub was_moved: bool,
    pub stale: Stale,
    /// In the order of [`crate::bvh::Bvh`]: the root first, both children side by side, all below the left one, then all
    /// below the right one.
    pub nodes: Vec<Node>,
    /// Empty until the body is first searched, unless it is a piece of one that was: one that is seen from a point within needs no cones.
    pub extras: Vec<Extra>,
    /// Whether those are of the last update.
    pub has_cones: bool,
    /// Where from left to right the leaf of each face is; empty until the body is first searched.
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

/// The memory of a body that is gone, for the next one. Fresh pages cost as much as what is written to them: half of the time of a large
/// body that breaks.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    triangles: Vec<[u32; 3]>,
    features: Features,
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    nodes: Vec<Node>,
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
        let Memory { mut triangles, features, mut from, mut to, nodes, extras, places, swept } = memory;
        triangles.clone_from(&mesh.triangles);
        from.clone_from(&mesh.positions);
        to.clone_from(&mesh.positions);
        let bounds = mesh.aabb();
        Body {
            handle,
            triangles,
            features,
            from,
            to,
            around: [bounds; 2],
            drift: DVec3::ZERO,
            is_moving: false,
            was_moved: false,
            stale: Stale::Build,
            nodes,
            extras,
            has_cones: false,
            places,
            swept,
            bounds,
            star: None,
            was_star: false,
            born_in: None,
            piece_of: None,
            layers: 0,
        }
    }

    /// What it took, emptied.
    pub(super) fn into_memory(self) -> Memory {
        let Body { triangles, mut features, from, to, mut nodes, mut extras, mut places, mut swept, .. } = self;
        features.clear();
        nodes.clear();
        extras.clear();
        places.clear();
        swept.clear();
        Memory { triangles, features, from, to, nodes, extras, places, swept }
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
            self.drift = self.mean_motion();
            self.begin_star();
        }
    }

    fn mean_motion(&self) -> DVec3 {
        if !self.is_moving {
            return DVec3::ZERO;
        }
        let share = 1.0 / self.to.len().max(1) as f64;
        let mean: DVec3 = self.to.iter().zip(&self.from).map(|(&to, &from)| share * (to - from)).sum();
        // Sums of what is unbelievably large are nothing to move along by.
        if mean.abs().max_element() < 1e150 { mean } else { DVec3::ZERO }
    }

    /// Around all vertices over the step, as everyone sees them and as the tree does.
    pub(super) fn swept_bounds(&self) -> Aabb {
        if self.stale == Stale::No {
            return self.bounds;
        }
        let [before, after] = self.around;
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
    pub(super) fn corner_boxes(&self, face: &Face, shift: Vec4) -> [MovingBox; 3] {
        let [a, b, c] = face.corners;
        let moving = |vertex: u32| self.swept[vertex as usize].moving(shift);
        [moving(a), moving(b), moving(c)]
    }

    /// Whether the body and another one are pieces of one that has just broken.
    pub(super) fn is_newborn_sibling(&self, other: &Body) -> bool {
        self.born_in.is_some() && self.born_in == other.born_in
    }

    /// Builds the whole tree, whose boxes are for a refit to set. `names` is as for [`Body::inherit`].
    pub(super) fn build(&mut self, space: &Space, method: BuildMethod, broken: &[Broken], names: &mut Vec<u32>) {
        if let Some([number, piece]) = self.piece_of.take()
            && self.inherit(&broken[number as usize], piece, space, method, names)
        {
            return;
        }
        self.layers = 0;
        self.features.find(&self.triangles, self.to.len());
        self.nodes = self.built_over(0..self.triangles.len() as u32, space, method);
    }

    /// Makes room for cones and costs, and finds what hangs together, before the body is first searched.
    pub(super) fn prepare_cones(&mut self) {
        if self.places.is_empty() && self.nodes.len() > 1 {
            // Of a piece of another body some are known.
            if self.extras.is_empty() {
                self.extras.resize(self.triangles.len() - 1, Extra::NEW);
            }
            self.places.resize(self.triangles.len(), 0);
            self.find_patches(Part { node: 0, place: 0 });
        }
    }

    /// Builds a part of the tree again.
    pub(super) fn build_below(&mut self, space: &Space, method: BuildMethod, part: Part) {
        let node = part.node;
        let faces = self.faces_below(node);
        let first = self.nodes[node as usize].link;
        let mut nodes = self.built_over(faces.iter().copied(), space, method);
        // The first of these stands in for the node itself.
        place_nodes(&mut nodes, first, |face| faces[face as usize]);
        self.nodes[node as usize] = nodes[0];
        self.nodes[first as usize..first as usize + nodes.len() - 1].copy_from_slice(&nodes[1..]);
        let pair = pair_below(&self.nodes[node as usize]);
        self.extras[pair..pair + faces.len() - 1].fill(Extra::NEW);
        self.find_patches(part);
    }

    /// A tree over faces, whose boxes are for a refit to set.
    pub(super) fn built_over(&self, faces: impl Iterator<Item = u32>, space: &Space, method: BuildMethod) -> Vec<Node> {
        let boxes = faces.map(|face| self.face_box(face));
        match method {
            BuildMethod::Curve => build::shape(&boxes.map(|aabb| build::center(&aabb)).collect::<Vec<DVec3>>()),
            BuildMethod::Median => median::nodes(&boxes.collect::<Vec<Aabb>>(), space.frame),
        }
    }

    /// The faces below a node, from left to right.
    fn faces_below(&self, node: u32) -> Vec<u32> {
        let mut faces = Vec::with_capacity(self.nodes[node as usize].leaves as usize);
        let mut stack = vec![node];
        while let Some(number) = stack.pop() {
            let node = &self.nodes[number as usize];
            match node.first_child() {
                None => faces.push(node.link),
                Some(child) => stack.extend([child + 1, child]),
            }
        }
        faces
    }
}

/// Has nodes of a tree of its own, all but its root, stand from `first` on in another, and faces have the numbers that they have there.
pub(super) fn place_nodes(nodes: &mut [Node], first: u32, number: impl Fn(u32) -> u32) {
    for node in nodes {
        node.link = if node.is_leaf() { number(node.link) } else { node.link + first - 1 };
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
        assert_eq!(self.nodes.len() + 1, (2 * self.triangles.len()).max(1));
        assert!(self.extras.is_empty() || self.extras.len() + 1 == self.triangles.len());
        let mut seen = 0;
        let mut stack = if self.nodes.is_empty() { Vec::new() } else { vec![0u32] };
        while let Some(number) = stack.pop() {
            let node = &self.nodes[number as usize];
            let Some(child) = node.first_child() else {
                let place = self.places.get(node.link as usize);
                assert!(place.is_none_or(|&place| place == seen), "a face is in another place");
                // Not rounded as the tree does it, but by as little.
                let face = self.face_box(node.link);
                let face = if self.is_moving { face.expanded(-8.0 * f64::EPSILON * face.largest()) } else { face };
                assert!(node.holds(&frame.leaf(0, &face)), "a leaf does not hold its face");
                seen += 1;
                continue;
            };
            assert!(child > number, "children stand behind their parent");
            let below = [child, child + 1].map(|child| &self.nodes[child as usize]);
            if self.has_cones && node.leaves > TWIG {
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
        assert_eq!(seen as usize, self.triangles.len());
    }
}
