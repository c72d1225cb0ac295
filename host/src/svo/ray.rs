//! The test for internal nodes of \[Domaradzki16\] 3.2, and how far it is from what is really inside.
//!
//! For each empty node a ray goes from its centre along its parent's normal to the first leaf; the node is inside if the
//! leaf looks the same way as the ray. The normal of a parent with several sheets of surface may point anywhere and a
//! ray that slips past an edge hits what is behind, so the test errs; the winding numbers of `voxelise` do not.

use fracas_kernels::{morton, node::Node, normal};
use glam::DVec3;
use rayon::prelude::*;

use super::Tree;
use super::levels::Level;

/// How often the ray test says something else than the flags of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RayErrors {
    /// Empty nodes that it takes for inside though they are outside, or the other way round.
    pub wrong: u64,
    /// Empty nodes.
    pub asked: u64,
    /// The voxels of the finest level in the wrong nodes.
    pub wrong_voxels: u64,
    /// The voxels in all empty nodes.
    pub asked_voxels: u64,
}

impl RayErrors {
    /// The share of nodes that are wrong.
    pub fn share(&self) -> f64 {
        self.wrong as f64 / self.asked.max(1) as f64
    }

    /// The share of voxels in wrong nodes.
    pub fn voxel_share(&self) -> f64 {
        self.wrong_voxels as f64 / self.asked_voxels.max(1) as f64
    }
}

/// The tree with the inside that rays find (\[Domaradzki16\] 3.2).
#[must_use]
pub fn ray_inside(tree: &Tree) -> Tree {
    let mut nodes = tree.nodes.clone();
    for level in tree.levels() {
        let start = tree.starts[level.level as usize] as usize;
        let answers = answers(tree, &level);
        for (node, is_inside) in nodes[start..].iter_mut().zip(answers) {
            if node.is_empty() {
                *node = if is_inside { Node::INSIDE } else { Node::OUTSIDE };
            }
        }
    }
    Tree { nodes, ..tree.clone() }
}

/// How often rays (\[Domaradzki16\] 3.2) find another inside than a tree has.
pub fn ray_errors(tree: &Tree) -> RayErrors {
    let mut errors = RayErrors::default();
    for level in tree.levels() {
        let voxels = 1 << (3 * (tree.level() - level.level));
        for (node, is_inside) in level.nodes.iter().zip(answers(tree, &level)).filter(|(node, _)| node.is_empty()) {
            let is_wrong = u64::from(is_inside != node.is_internal());
            errors.wrong += is_wrong;
            errors.asked += 1;
            errors.wrong_voxels += is_wrong * voxels;
            errors.asked_voxels += voxels;
        }
    }
    errors
}

/// For each node of a level, whether a ray says that it is inside; boundary nodes are not asked.
fn answers(tree: &Tree, level: &Level<'_>) -> Vec<bool> {
    // Attributes of a level stand in the order of its boundary nodes, and so of the blocks below.
    let first = tree.nodes_of(level.level - 1).iter().find(|node| node.is_boundary()).map_or(0, |node| node.attributes);
    let edge = f64::from(1u32 << (tree.level() - level.level));
    let block = |(number, (block, &parent)): (usize, (&[Node], &u32))| -> [bool; 8] {
        let direction = unpacked(tree.normals[first as usize + number]);
        std::array::from_fn(|child| {
            let [x, y, z] = morton::decode_30(parent << 3 | child as u32).map(|coordinate| f64::from(coordinate) + 0.5);
            block[child].is_empty() && is_inside(tree, edge * DVec3::new(x, y, z), direction)
        })
    };
    level.nodes.par_chunks_exact(8).zip(&level.parents).enumerate().flat_map_iter(block).collect()
}

fn unpacked(packed: u16) -> DVec3 {
    DVec3::from_array(normal::unpack(packed).map(f64::from))
}

/// Whether the first leaf that a ray hits looks the same way as the ray; the origin is in finest voxels.
fn is_inside(tree: &Tree, origin: DVec3, direction: DVec3) -> bool {
    // Children in the order of the ray: those lower along it come first.
    let flip = (0..3).fold(0, |flip, axis| flip | usize::from(direction[axis] < 0.0) << axis);
    let ray = Ray { tree, origin, direction, flip };
    ray.first_leaf(tree.root(), DVec3::ZERO, f64::from(1u32 << tree.level()))
        .is_some_and(|leaf| direction.dot(unpacked(tree.normals[leaf.attributes as usize])) > 0.0)
}

struct Ray<'a> {
    tree: &'a Tree,
    origin: DVec3,
    direction: DVec3,
    flip: usize,
}

impl Ray<'_> {
    fn first_leaf(&self, node: Node, low: DVec3, edge: f64) -> Option<Node> {
        if node.is_empty() || !self.meets(low, edge) {
            return None;
        }
        if node.is_terminal() {
            return Some(node);
        }
        let children = self.tree.children(node);
        let half = 0.5 * edge;
        (0..8).map(|child| child ^ self.flip).find_map(|child| {
            let step = DVec3::new((child & 1) as f64, (child >> 1 & 1) as f64, (child >> 2) as f64);
            self.first_leaf(children[child], low + half * step, half)
        })
    }

    fn meets(&self, low: DVec3, edge: f64) -> bool {
        let (mut enter, mut leave) = (0.0f64, f64::INFINITY);
        for axis in 0..3 {
            let (near, far) = (low[axis] - self.origin[axis], low[axis] + edge - self.origin[axis]);
            let direction = self.direction[axis];
            if direction == 0.0 {
                // Cubes side by side share their faces; a ray along one belongs to the higher.
                if near > 0.0 || far <= 0.0 {
                    return false;
                }
            } else {
                let (one, other) = (near / direction, far / direction);
                enter = enter.max(one.min(other));
                leave = leave.min(one.max(other));
            }
        }
        enter < leave
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{TriMesh, shapes};
    use crate::svo::{VoxeliseOptions, voxelise};

    fn octree(mesh: &TriMesh, level: u32) -> Tree {
        voxelise(mesh, &VoxeliseOptions { level, ..Default::default() }).unwrap().1
    }

    /// The first leaf by small steps along the ray.
    fn marched(tree: &Tree, origin: DVec3, direction: DVec3) -> bool {
        let size = 1u32 << tree.level();
        let step = 0.001 * direction.normalize();
        let mut point = origin;
        while point.min_element() >= 0.0 && point.max_element() < f64::from(size) {
            let node = tree.node_at(point.as_uvec3().to_array(), tree.level());
            if node.is_boundary() {
                return direction.dot(unpacked(tree.normals[node.attributes as usize])) > 0.0;
            }
            point += step;
        }
        false
    }

    #[test]
    fn rays_through_a_ball_agree_with_small_steps() {
        let tree = octree(&shapes::Sphere { radius: 1.0, frequency: 10 }.mesh().unwrap(), 4);
        for step in 0..300 {
            let origin =
                DVec3::new(f64::from(step * 7 % 16), f64::from(step * 5 % 16), f64::from(step * 3 % 16)) + 0.31;
            let direction =
                DVec3::new(f64::from(step % 11) - 5.0, f64::from(step % 7) - 3.0, f64::from(step % 13) - 6.5);
            assert_eq!(is_inside(&tree, origin, direction), marched(&tree, origin, direction), "{step}");
        }
    }

    #[test]
    fn a_ball_is_nearly_right_and_flags_are_what_errors_count() {
        let tree = octree(&shapes::Sphere { radius: 1.0, frequency: 40 }.mesh().unwrap(), 6);
        let errors = ray_errors(&tree);
        assert!(errors.share() < 0.05, "{errors:?}");
        let flagged = ray_inside(&tree);
        let differing = tree.nodes().iter().zip(flagged.nodes()).filter(|(a, b)| a != b).count();
        assert_eq!(differing as u64, errors.wrong);
        let counts = tree.counts();
        assert_eq!(errors.asked_voxels, (1 << 18) - counts.boundary);
    }
}
