//! One body: its surface, how it moves, and its part of the tree.

use glam::DVec3;

use super::directions::{Directions, DualCone};
use super::features::{Features, NONE};
use crate::bvh::{Frame, Node, build};
use crate::geometry::{Aabb, TriMesh};

/// Names a body of a [`super::MeshTree`] for as long as it is there, and nothing afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyHandle {
    pub(super) slot: u32,
    pub(super) generation: u32,
}

/// What a node knows besides its box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extra {
    pub normals: Directions,
    pub binormals: Directions,
    /// A half-edge of the contour, if the triangles below are a disk.
    pub contour: u32,
    /// TC_i and TC_s of section 5.2.
    pub inter_cost: f32,
    pub self_cost: f32,
    /// TC_s when it was last built; not a number until it is known.
    pub built_cost: f32,
    /// Whether the triangles below are connected by edges.
    pub connected: bool,
}

const _: () = assert!(size_of::<Extra>() + size_of::<Node>() <= 64);

impl Extra {
    const NEW: Extra = Extra {
        normals: Directions::FULL,
        binormals: Directions::FULL,
        contour: NONE,
        inter_cost: 1.0,
        self_cost: 0.0,
        built_cost: f32::NAN,
        connected: false,
    };

    pub(super) fn cone(&self) -> DualCone {
        DualCone { normals: self.normals, binormals: self.binormals }
    }
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
    pub features: Features,
    /// Where vertices are at the start of a step and at its end.
    pub from: Vec<DVec3>,
    pub to: Vec<DVec3>,
    /// Whether these differ.
    pub is_moving: bool,
    /// Whether it was moved since the last update.
    pub was_moved: bool,
    pub stale: Stale,
    /// In the order of [`crate::bvh::Bvh`]: the root first, both children side by side, all below the left one, then all
    /// below the right one.
    pub nodes: Vec<Node>,
    pub extras: Vec<Extra>,
    /// Where from left to right the leaf of each face is.
    pub places: Vec<u32>,
    /// The box of each vertex over the step, as the tree rounds it; its other numbers mean nothing.
    pub vertex_boxes: Vec<Node>,
    pub bounds: Aabb,
}

impl Body {
    pub(super) fn new(handle: BodyHandle, mesh: &TriMesh) -> Body {
        Body {
            handle,
            triangles: mesh.triangles.clone(),
            features: Features::of(&mesh.triangles, mesh.positions.len()),
            from: mesh.positions.clone(),
            to: mesh.positions.clone(),
            is_moving: false,
            was_moved: false,
            stale: Stale::Build,
            nodes: Vec::new(),
            extras: Vec::new(),
            places: Vec::new(),
            vertex_boxes: Vec::new(),
            bounds: mesh.aabb(),
        }
    }

    /// Where vertices are at the start of the step.
    #[inline]
    pub(super) fn start(&self) -> &[DVec3] {
        if self.is_moving { &self.from } else { &self.to }
    }

    /// Ends a step: what was moved since moves in the next one, and all else rests.
    pub(super) fn begin_step(&mut self) {
        let was_moving = std::mem::replace(&mut self.is_moving, std::mem::take(&mut self.was_moved));
        if (was_moving || self.is_moving) && self.stale == Stale::No {
            self.stale = Stale::Refit;
        }
    }

    /// Around all vertices over the step.
    pub(super) fn swept_bounds(&self) -> Aabb {
        match self.stale {
            Stale::No => self.bounds,
            _ => Aabb::of_points(self.start().iter().chain(&self.to).copied()),
        }
    }

    /// The box of a face over the step.
    #[inline]
    pub(super) fn face_box(&self, face: u32) -> Aabb {
        let [a, b, c] = self.triangles[face as usize].map(|vertex| vertex as usize);
        let around = |p: &[DVec3]| Aabb { min: p[a].min(p[b]).min(p[c]), max: p[a].max(p[b]).max(p[c]) };
        if self.is_moving { around(&self.from).union(around(&self.to)) } else { around(&self.to) }
    }

    /// Builds the whole tree.
    pub(super) fn build(&mut self, frame: &Frame, margin: f64) {
        let boxes: Vec<Aabb> =
            (0..self.triangles.len() as u32).map(|face| self.face_box(face).expanded(margin)).collect();
        self.nodes = build::nodes(&boxes, *frame);
        self.extras = vec![Extra::NEW; self.nodes.len()];
        self.places = vec![0; self.triangles.len()];
        if !self.nodes.is_empty() {
            self.find_patches(0, 0);
        }
    }

    /// Builds the tree below a node again; the leaves below it begin at `first_place`.
    pub(super) fn build_below(&mut self, frame: &Frame, margin: f64, node: u32, first_place: u32) {
        let faces = self.faces_below(node);
        let boxes: Vec<Aabb> = faces.iter().map(|&face| self.face_box(face).expanded(margin)).collect();
        let first = self.nodes[node as usize].link;
        let mut nodes = build::nodes(&boxes, *frame);
        // Links were counted from the first of these, which stands in for the node itself.
        for built in &mut nodes {
            built.link = if built.is_leaf() { faces[built.link as usize] } else { built.link + first - 1 };
        }
        self.nodes[node as usize] = nodes[0];
        let below = first as usize..first as usize + nodes.len() - 1;
        self.nodes[below.clone()].copy_from_slice(&nodes[1..]);
        self.extras[below].fill(Extra::NEW);
        self.extras[node as usize].built_cost = f32::NAN;
        self.find_patches(node, first_place);
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

impl Body {
    /// Checks what queries rely on.
    pub(super) fn assert_well_formed(&self, frame: &Frame) {
        assert_eq!(self.nodes.len() + 1, (2 * self.triangles.len()).max(1));
        assert_eq!(self.nodes.len(), self.extras.len());
        let mut seen = 0;
        let mut stack = if self.nodes.is_empty() { Vec::new() } else { vec![0u32] };
        while let Some(number) = stack.pop() {
            let (node, extra) = (&self.nodes[number as usize], &self.extras[number as usize]);
            let Some(child) = node.first_child() else {
                assert_eq!(self.places[node.link as usize], seen, "a face is in another place");
                assert!(node.holds(&frame.leaf(0, &self.face_box(node.link))), "a leaf does not hold its face");
                seen += 1;
                continue;
            };
            assert!(child > number, "children stand behind their parent");
            let cones = [child, child + 1].map(|child| self.extras[child as usize].cone());
            assert_eq!(extra.cone(), cones[0].union(cones[1]));
            assert!(extra.inter_cost >= 1.0 && extra.self_cost > 0.0 && extra.built_cost > 0.0);
            let below = [child, child + 1].map(|child| &self.nodes[child as usize]);
            assert_eq!(node.leaves, below[0].leaves + below[1].leaves);
            assert!(below.iter().all(|below| node.holds(below)), "node {number} does not hold its child");
            stack.extend([child + 1, child]);
        }
        assert_eq!(seen as usize, self.triangles.len());
    }
}
