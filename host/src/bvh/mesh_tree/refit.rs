//! Boxes, cones and costs of a tree whose shape stays: one pass from the leaves up (\[Heo10\] section 5.3).

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::body::{Body, Extra};
use super::cost::set_costs;
use super::directions::DualCone;
use super::features::NONE;
use crate::bvh::build::SERIAL;
use crate::bvh::{Frame, Node};
use crate::geometry::Aabb;

impl Body {
    /// Makes the tree that of where vertices are now.
    pub(super) fn refit(&mut self, frame: &Frame, margin: f64) {
        let mut boxes = std::mem::take(&mut self.vertex_boxes);
        let (from, to) = (self.start(), self.to.as_slice());
        boxes.clear();
        let vertex_box = |(from, to): (&DVec3, &DVec3)| {
            frame.leaf(0, &Aabb { min: from.min(*to), max: from.max(*to) }.expanded(margin))
        };
        from.par_iter().zip(to).with_min_len(SERIAL).map(vertex_box).collect_into_vec(&mut boxes);
        self.vertex_boxes = boxes;
        let (mut nodes, mut extras) = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.extras));
        if let (Some((root, below)), Some((extra, extras))) = (nodes.split_first_mut(), extras.split_first_mut()) {
            self.refit_below(frame.scale, (root, extra), (below, extras));
        }
        (self.nodes, self.extras) = (nodes, extras);
        self.bounds = self.nodes.first().map_or(Aabb::EMPTY, |root| frame.world(root));
    }

    /// Refits a node and what is below it, which stands in a list of its own.
    fn refit_below(
        &self,
        scale: f64,
        (node, extra): (&mut Node, &mut Extra),
        (nodes, extras): (&mut [Node], &mut [Extra]),
    ) {
        if node.is_leaf() {
            return self.refit_leaf(scale, node, extra);
        }
        if node.leaves as usize > SERIAL {
            let ([left, right, nodes @ ..], [left_extra, right_extra, extras @ ..]) = (&mut *nodes, &mut *extras)
            else {
                return;
            };
            let count = 2 * left.leaves as usize - 2;
            let (left_nodes, right_nodes) = nodes.split_at_mut(count);
            let (left_extras, right_extras) = extras.split_at_mut(count);
            rayon::join(
                || self.refit_below(scale, (left, left_extra), (left_nodes, left_extras)),
                || self.refit_below(scale, (right, right_extra), (right_nodes, right_extras)),
            );
        } else {
            // Children stand behind their parents.
            let first = node.link;
            for place in (0..nodes.len()).rev() {
                let (before, behind) = nodes.split_at_mut(place + 1);
                let (extras_before, extras_behind) = extras.split_at_mut(place + 1);
                let (node, extra) = (&mut before[place], &mut extras_before[place]);
                if node.is_leaf() {
                    self.refit_leaf(scale, node, extra);
                } else {
                    let child = (node.link - first) as usize - place - 1;
                    merge(node, extra, &behind[child..child + 2], &extras_behind[child..child + 2]);
                }
            }
        }
        merge(node, extra, &nodes[..2], &extras[..2]);
    }

    #[inline]
    fn refit_leaf(&self, scale: f64, node: &mut Node, extra: &mut Extra) {
        let face = node.link;
        let corners = self.triangles[face as usize].map(|vertex| vertex as usize);
        let around = Node::around(corners.map(|corner| &self.vertex_boxes[corner]));
        *node = Node { link: face, leaves: 1, ..around };
        let sides = |positions: &[DVec3]| -> [Vec3; 2] {
            let [a, b, c] = corners.map(|corner| positions[corner]);
            [((b - a) * scale).as_vec3(), ((c - a) * scale).as_vec3()]
        };
        let half_edge = 3 * face as usize;
        let twins = &self.features.twins[half_edge..half_edge + 3];
        let boundary = [twins[0] == NONE, twins[1] == NONE, twins[2] == NONE];
        let cone = if self.is_moving {
            DualCone::moving(sides(&self.from), sides(&self.to), boundary)
        } else {
            DualCone::resting(sides(&self.to), boundary)
        };
        (extra.normals, extra.binormals) = (cone.normals, cone.binormals);
        (extra.inter_cost, extra.self_cost) = (1.0, 0.0);
    }
}

#[inline]
fn merge(node: &mut Node, extra: &mut Extra, children: &[Node], extras: &[Extra]) {
    *node = Node::over(&children[0], &children[1], node.link);
    let cone = extras[0].cone().union(extras[1].cone());
    (extra.normals, extra.binormals) = (cone.normals, cone.binormals);
    set_costs(node, extra, [(&children[0], &extras[0]), (&children[1], &extras[1])]);
}
