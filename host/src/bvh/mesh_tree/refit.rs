//! Boxes, cones and costs of a tree whose shape stays: one pass from the leaves up (\[Heo10\] section 5.3).

use glam::{DVec3, Vec3};

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
        let (mut nodes, mut extras) = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.extras));
        if let (Some((root, below)), Some((extra, extras))) = (nodes.split_first_mut(), extras.split_first_mut()) {
            let body = &*self;
            body.refit_below(&Leaves { frame, margin }, (root, extra), (below, extras));
        }
        (self.nodes, self.extras) = (nodes, extras);
        self.bounds = self.nodes.first().map_or(Aabb::EMPTY, |root| frame.world(root));
    }

    /// Refits a node and what is below it, which stands in a list of its own.
    fn refit_below(&self, leaves: &Leaves<'_>, top: (&mut Node, &mut Extra), below: (&mut [Node], &mut [Extra])) {
        let (node, extra) = top;
        if node.is_leaf() {
            self.refit_leaf(leaves, node, extra);
            return;
        }
        let (children, nodes) = below.0.split_at_mut(2);
        let (child_extras, extras) = below.1.split_at_mut(2);
        {
            let ([left, right], [left_extra, right_extra]) = (&mut *children, &mut *child_extras) else { return };
            let count = 2 * left.leaves as usize - 2;
            let (left_nodes, right_nodes) = nodes.split_at_mut(count);
            let (left_extras, right_extras) = extras.split_at_mut(count);
            let first = || self.refit_below(leaves, (left, left_extra), (left_nodes, left_extras));
            let second = || self.refit_below(leaves, (right, right_extra), (right_nodes, right_extras));
            if node.leaves as usize > SERIAL {
                rayon::join(first, second);
            } else {
                let (mut first, mut second) = (first, second);
                first();
                second();
            }
        }
        let ([left, right], [left_extra, right_extra]) = (&*children, &*child_extras) else { return };
        *node = Node::over(left, right, node.link);
        let cone = left_extra.cone().union(right_extra.cone());
        (extra.normals, extra.binormals) = (cone.normals, cone.binormals);
        set_costs(node, extra, [(left, left_extra), (right, right_extra)]);
    }

    #[inline]
    fn refit_leaf(&self, leaves: &Leaves<'_>, node: &mut Node, extra: &mut Extra) {
        let face = node.link;
        *node = leaves.frame.leaf(face, &self.face_box(face).expanded(leaves.margin));
        let scale = leaves.frame.scale;
        let corners = self.triangles[face as usize].map(|vertex| vertex as usize);
        let sides = |positions: &[DVec3]| -> [Vec3; 2] {
            let [a, b, c] = corners.map(|corner| positions[corner]);
            [((b - a) * scale).as_vec3(), ((c - a) * scale).as_vec3()]
        };
        let half_edge = 3 * face as usize;
        let boundary = [0, 1, 2].map(|side| self.features.twins[half_edge + side] == NONE);
        let cone = if self.is_moving {
            DualCone::moving(sides(&self.from), sides(&self.to), boundary)
        } else {
            DualCone::resting(sides(&self.to), boundary)
        };
        (extra.normals, extra.binormals) = (cone.normals, cone.binormals);
        (extra.inter_cost, extra.self_cost) = (1.0, 0.0);
    }
}

/// What leaves are made with.
struct Leaves<'a> {
    frame: &'a Frame,
    margin: f64,
}
