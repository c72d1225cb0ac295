//! Sparse voxel octrees (\[Domaradzki16\] 3).

use fracas_kernels::{morton, node::Node, normal};
use glam::Vec3;

use super::bits::{Bits, NONE};
use super::collide::Grids;

/// A colour with the fourth byte at [`ORIGINAL`] or [`FRACTURED`].
pub type Color = [u8; 4];

/// The fourth byte of the colour of what was surface from the beginning.
pub const ORIGINAL: u8 = 255;

/// The fourth byte of the colour of what a fracture laid open.
pub const FRACTURED: u8 = 254;

/// An octree of voxels: boundary voxels where the surface is, empty nodes inside and outside.
///
/// Nodes stand level by level; every boundary node above the finest level has a block of eight children, and blocks
/// stand in Morton order of their parents. Attributes of the leaves come first, in Morton order, then those of the level
/// above, and so on to the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    pub(super) level: u32,
    pub(super) nodes: Vec<Node>,
    /// Where the nodes of each level begin, and the end.
    pub(super) starts: Vec<u32>,
    pub(super) normals: Vec<u16>,
    /// Leaves only.
    pub(super) colors: Vec<Color>,
    /// For collisions.
    pub(super) grids: Grids,
}

/// How many voxels of the finest level there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VoxelCounts {
    /// Voxels that the surface comes to.
    pub boundary: u64,
    /// Voxels inside.
    pub internal: u64,
}

impl Tree {
    /// The octree of lists that a device made.
    pub(crate) fn from_parts(
        level: u32,
        nodes: Vec<Node>,
        starts: Vec<u32>,
        normals: Vec<u16>,
        colors: Vec<Color>,
    ) -> Tree {
        Tree { level, nodes, starts, normals, colors, grids: Grids::default() }
    }

    /// How often the cube is halved down to the finest voxels.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// All nodes, the root first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The packed normals of all boundary nodes; see [`fracas_kernels::normal`].
    pub fn normals(&self) -> &[u16] {
        &self.normals
    }

    /// The colours of the boundary voxels, in Morton order.
    pub fn colors(&self) -> &[Color] {
        &self.colors
    }

    /// The root.
    pub fn root(&self) -> Node {
        self.nodes[0]
    }

    /// The eight children of a node that has some.
    #[inline]
    pub fn children(&self, node: Node) -> &[Node] {
        let first = node.first_child() as usize;
        &self.nodes[first..first + 8]
    }

    /// The node that a voxel of a level is in: of that level, or a terminal one above.
    pub fn node_at(&self, voxel: [u32; 3], level: u32) -> Node {
        let code = morton::encode_30(voxel[0], voxel[1], voxel[2]);
        let mut node = self.root();
        for above in (0..level.min(self.level)).rev() {
            if node.is_terminal() {
                break;
            }
            node = self.children(node)[(code >> (3 * above) & 7) as usize];
        }
        node
    }

    /// The normal of a boundary node.
    pub fn normal(&self, node: Node) -> Vec3 {
        self.leaf_normal(node.attributes as usize)
    }

    /// The normal of a boundary voxel, by its number in Morton order.
    pub fn leaf_normal(&self, leaf: usize) -> Vec3 {
        unit_vector(self.normals[leaf])
    }

    /// How many boundary nodes a level has.
    pub fn boundary_count(&self, level: u32) -> usize {
        self.nodes_of(level.min(self.level)).iter().filter(|node| node.is_boundary()).count()
    }

    /// The Morton codes of the boundary voxels, in order.
    pub fn boundary_codes(&self) -> Vec<u32> {
        let mut codes = Vec::with_capacity(self.colors.len());
        self.visit(&mut |node, level, code| {
            if level == self.level && node.is_boundary() {
                codes.push(code);
            }
        });
        codes
    }

    /// Calls back with every node, its level and its Morton code at that level, parents before children, in Morton order.
    pub fn visit(&self, visit: &mut impl FnMut(Node, u32, u32)) {
        self.visit_below(self.root(), 0, 0, visit);
    }

    fn visit_below(&self, node: Node, level: u32, code: u32, visit: &mut impl FnMut(Node, u32, u32)) {
        visit(node, level, code);
        if !node.is_terminal() {
            for (child, &node) in (0..).zip(self.children(node)) {
                self.visit_below(node, level + 1, code << 3 | child, visit);
            }
        }
    }

    /// How many voxels of the finest level are boundary and internal.
    pub fn counts(&self) -> VoxelCounts {
        let mut internal = 0;
        for level in 0..=self.level {
            let nodes = &self.nodes[self.starts[level as usize] as usize..self.starts[level as usize + 1] as usize];
            let here = nodes.iter().filter(|node| node.is_internal()).count() as u64;
            internal += here << (3 * (self.level - level));
        }
        VoxelCounts { boundary: self.colors.len() as u64, internal }
    }

    /// Bytes of nodes and attributes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.normals) + size_of_val(&*self.colors)
    }

    /// The boundary and internal voxels of a chunk, in Morton order, and the attributes of its first boundary voxel.
    pub(super) fn chunk(&self, chunk: Node) -> (Bits, Bits, u32) {
        let (mut boundary, mut internal, mut first) = (NONE, NONE, u32::MAX);
        for (word, &child) in self.children(chunk).iter().enumerate() {
            if child.is_terminal() {
                internal[word] = if child.is_internal() { u64::MAX } else { 0 };
                continue;
            }
            for (byte, &child) in self.children(child).iter().enumerate() {
                if child.is_terminal() {
                    internal[word] |= if child.is_internal() { 0xff << (8 * byte) } else { 0 };
                    continue;
                }
                for (bit, leaf) in self.children(child).iter().enumerate() {
                    let place = 8 * byte + bit;
                    boundary[word] |= u64::from(leaf.is_boundary()) << place;
                    internal[word] |= u64::from(leaf.is_internal()) << place;
                    // Attributes stand in Morton order, and empty nodes have the largest number.
                    first = first.min(leaf.attributes);
                }
            }
        }
        (boundary, internal, first)
    }
}

/// A packed direction as a unit vector.
pub(super) fn unit_vector(packed: u16) -> Vec3 {
    let [x, y, z] = normal::unpack(packed);
    Vec3::new(x as f32, y as f32, z as f32).normalize()
}
