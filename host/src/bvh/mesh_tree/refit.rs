//! Boxes, cones and costs of a tree whose shape stays: one pass from the leaves up (\[Heo10\] section 5.3).
//!
//! Nodes stand in pairs, and what a node knows besides its box stands where the pair of its children does ([`Extra`]). All
//! pairs below a node are behind its own, so a sweep from the back meets every node after those below it. The tree is
//! swept in blocks that fit the first cache: first all leaves of a block, four at a time, then its pairs.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::body::{Body, Extra};
use super::cost::{Child, set_costs};
use super::directions::DualCone;
use super::four;
use super::restructure::Metric;
use super::swept::Space;
use crate::bvh::Node;
use crate::bvh::build::SERIAL;
use crate::geometry::Aabb;

/// How many leaves are in a block at most.
const BLOCK: usize = 256;

impl Body {
    /// Makes the tree that of where vertices are now.
    pub(super) fn refit(&mut self, space: &Space, metric: Metric) {
        self.place_vertices(space);
        let (mut nodes, mut extras) = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.extras));
        if let [root, below @ ..] = nodes.as_mut_slice() {
            let pass = Pass { body: self, space, metric };
            if below.is_empty() {
                *root = pass.leaf(root.link).0;
            } else {
                pass.refit_below(1, below, &mut extras);
                *root = Node::union(&below[0], &below[1], root.link);
            }
        }
        (self.nodes, self.extras) = (nodes, extras);
        self.bounds = self.nodes.first().map_or(Aabb::EMPTY, |root| space.frame.world(root));
    }

    /// The cones of a face from vertices in double precision.
    #[cold]
    pub(super) fn face_cone(&self, face: u32, scale: f64) -> DualCone {
        let row = self.features.faces[face as usize];
        let sides = |positions: &[DVec3]| -> [Vec3; 2] {
            let [a, b, c] = row.corners.map(|corner| positions[corner as usize]);
            [((b - a) * scale).as_vec3(), ((c - a) * scale).as_vec3()]
        };
        if self.is_moving {
            DualCone::moving(sides(&self.from), sides(&self.to), row.boundary())
        } else {
            DualCone::resting(sides(&self.to), row.boundary())
        }
    }

    /// Brings the vertices into the tree's coordinates.
    fn place_vertices(&mut self, space: &Space) {
        let mut swept = std::mem::take(&mut self.swept);
        let place = |(from, to): (&DVec3, &DVec3)| space.swept(*from, *to);
        if self.to.len() > SERIAL {
            self.start().par_iter().zip(&self.to).with_min_len(SERIAL).map(place).collect_into_vec(&mut swept);
        } else {
            swept.clear();
            swept.extend(self.start().iter().zip(&self.to).map(place));
        }
        self.swept = swept;
    }
}

/// One refit of a body, whose nodes are lent out.
struct Pass<'a> {
    body: &'a Body,
    space: &'a Space,
    metric: Metric,
}

impl Pass<'_> {
    /// Refits all that is below a node, the first of which is node `first`.
    fn refit_below(&self, first: u32, nodes: &mut [Node], extras: &mut [Extra]) {
        let leaves = extras.len() + 1;
        if leaves <= BLOCK {
            return self.refit_block(first, nodes, extras);
        }
        let left = nodes[0].leaves;
        let (left_nodes, right_nodes) = nodes[2..].split_at_mut(2 * left as usize - 2);
        let (left_extras, right_extras) = extras[1..].split_at_mut(left as usize - 1);
        let mut refit_left = || self.refit_below(first + 2, left_nodes, left_extras);
        let mut refit_right = || self.refit_below(first + 2 * left, right_nodes, right_extras);
        if leaves > SERIAL {
            rayon::join(refit_left, refit_right);
        } else {
            refit_left();
            refit_right();
        }
        let mut cones = [DualCone::default(); 2];
        for (node, cone) in nodes.iter_mut().zip(&mut cones).filter(|(node, _)| node.is_leaf()) {
            (*node, *cone) = self.leaf(node.link);
        }
        self.finish_pair(first, 0, nodes, extras, &cones);
    }

    fn refit_block(&self, first: u32, nodes: &mut [Node], extras: &mut [Extra]) {
        let mut cones = [DualCone::default(); 2 * BLOCK];
        // Whether a node is a leaf is not to be guessed, so all are written down and only leaves count.
        let (mut leaves, mut count) = ([0usize; BLOCK + 1], 0);
        for (place, node) in nodes.iter().enumerate() {
            leaves[count] = place;
            count += usize::from(node.is_leaf());
        }
        for four in leaves[..count].chunks(4) {
            let places = [0, 1, 2, 3].map(|lane: usize| four[lane.min(four.len() - 1)]);
            let found = self.four_leaves(places.map(|place| nodes[place].link));
            for (place, (node, cone)) in places.into_iter().zip(found) {
                (nodes[place], cones[place]) = (node, cone);
            }
        }
        for pair in (0..extras.len()).rev() {
            self.finish_pair(first, pair, nodes, extras, &cones[2 * pair..2 * pair + 2]);
        }
    }

    /// Sets the boxes of a pair, and what is known of the node that it is below, from what is below the pair; `leaves` are
    /// the cones of those of the two that are leaves.
    #[inline]
    fn finish_pair(&self, first: u32, pair: usize, nodes: &mut [Node], extras: &mut [Extra], leaves: &[DualCone]) {
        let (before, behind) = nodes.split_at_mut(2 * pair + 2);
        let (extras, extras_behind) = extras.split_at_mut(pair + 1);
        let [.., left, right] = before else { return };
        let known = [(&mut *left, leaves[0]), (&mut *right, leaves[1])].map(|(node, cone)| {
            if node.is_leaf() {
                return (None, cone);
            }
            // The pair below, counted from the one behind this.
            let below = (node.link - first) as usize / 2 - pair - 1;
            *node = Node::union(&behind[2 * below], &behind[2 * below + 1], node.link);
            let extra = &extras_behind[below];
            (Some(extra), extra.cone)
        });
        let child = |node, extra: Option<&Extra>| extra.map_or(Child::leaf(node), |extra| Child::inner(node, extra));
        let (left, right) = (&*left, &*right);
        let children = [child(left, known[0].0), child(right, known[1].0)];
        let extra = &mut extras[pair];
        extra.cone = known[0].1.union(known[1].1);
        set_costs(&Node::union(left, right, 0), extra, children, self.metric);
    }

    fn leaf(&self, face: u32) -> (Node, DualCone) {
        let [leaf, ..] = self.four_leaves([face; 4]);
        leaf
    }

    #[inline]
    fn four_leaves(&self, faces: [u32; 4]) -> [(Node, DualCone); 4] {
        let Body { features, swept, .. } = self.body;
        let rows = faces.map(|face| features.faces[face as usize]);
        let corners = rows.map(|row| row.corners.map(|vertex| &swept[vertex as usize]));
        let boxes = [0, 1, 2, 3].map(|lane| self.space.around(faces[lane], corners[lane]));
        let (mut cones, known) = four::normal_cones(corners, self.space.reach);
        for lane in 0..4 {
            if known & 1 << lane == 0 || rows[lane].has_boundary() {
                cones[lane] = self.body.face_cone(faces[lane], self.space.frame.scale);
            }
        }
        [0, 1, 2, 3].map(|lane| (boxes[lane], cones[lane]))
    }
}
