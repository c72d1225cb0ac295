//! Collision points of the voxels that two octrees touch each other with.
//!
//! A voxel of the boundary says that the surface passes through it, not where; so it stands for points that are spread
//! evenly over it: the middles of four of its eighths, no two side by side, or, above the finest level, of all those that
//! the surface comes to.

use bytemuck::{Pod, Zeroable};

use super::{CollisionPoint, UNITS};
use crate::morton;
use crate::node::Node;
use crate::normal;
use crate::touch::Touch;

/// The eighths of a voxel of the finest level that have a point: along each axis they are seen where all eight would be.
const SPREAD: u32 = 0b0110_1001;

/// How the voxels of an owner stand in the lattice of cells. Matrices are given by their columns.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Stand {
    /// What a vector in the owner's voxels is in cells.
    pub turn: [[f64; 3]; 3],
    /// Where the corner of the owner's lattice is, in cells.
    pub corner: [f64; 3],
    /// The rotation alone, for normals.
    pub rotation: [[f64; 3]; 3],
    /// From the middle of a voxel to those of its eighths, in [`UNITS`].
    pub ways: [[i32; 3]; 8],
    /// The edge of the lattice of cells, in [`UNITS`].
    pub size: i32,
    /// The level of the voxels.
    pub level: u32,
    /// 1 if points of voxels that are not deep are moved along the normal to the voxel's face (\[Domaradzki16\] 5.1.2),
    /// else 0.
    pub to_face: u32,
    /// Where the nodes of the owner's octree start, the root first.
    pub nodes: u32,
    /// Where its packed normals start.
    pub normals: u32,
    /// Nothing.
    pub padding: u32,
}

const _: () = assert!(size_of::<Stand>() == 288 && align_of::<Stand>() == 8);

/// The octrees of all owners, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Surfaces<'a> {
    /// How the owners stand, by the number of their sight.
    pub stands: &'a [Stand],
    /// Nodes.
    pub nodes: &'a [Node],
    /// The packed normals of boundary nodes, by the number of their attributes.
    pub normals: &'a [u16],
}

/// One thread for each eighth of each touched voxel: the collision point there, if there is one and it is on the lattice;
/// beyond, the other octree never is.
#[inline]
pub fn point(surfaces: &Surfaces<'_>, touches: &[Touch], index: usize) -> Option<CollisionPoint> {
    let (touch, eighth) = (&touches[index / 8], index % 8);
    let stand = &surfaces.stands[touch.sight as usize];
    if !has_point(&surfaces.nodes[stand.nodes as usize..], stand.level, touch.code, eighth) {
        return None;
    }
    let packed = surfaces.normals[stand.normals as usize + touch.attributes as usize];
    let direction = normal::unpack(packed).map(f64::from);
    let mut middle = morton::decode_30(touch.code).map(|coordinate| f64::from(coordinate) + 0.5);
    if stand.to_face != 0 && touch.deep == 0 {
        let [x, y, z] = direction.map(f64::abs);
        let reach = 0.5 / x.max(y).max(z);
        middle = [0, 1, 2].map(|axis: usize| middle[axis] + direction[axis] * reach);
    }
    let turned = product(&stand.turn, middle);
    let way = stand.ways[eighth];
    let position =
        [0, 1, 2].map(|axis: usize| rounded((turned[axis] + stand.corner[axis]) * f64::from(UNITS)) + way[axis]);
    let normal = product(&stand.rotation, direction).map(rounded);
    let is_on_lattice = position.iter().all(|coordinate| (0..stand.size).contains(coordinate));
    is_on_lattice.then_some(CollisionPoint { position, normal, owner: touch.sight, deep: touch.deep })
}

#[inline]
fn has_point(nodes: &[Node], level: u32, code: u32, eighth: usize) -> bool {
    let mut node = nodes[0];
    let mut above = level;
    while above > 0 && !node.is_terminal() {
        above -= 1;
        node = nodes[node.first_child() as usize + (code >> (3 * above) & 7) as usize];
    }
    match node.is_terminal() {
        true => SPREAD >> eighth & 1 != 0,
        false => nodes[node.first_child() as usize + eighth].is_boundary(),
    }
}

#[inline]
fn product(columns: &[[f64; 3]; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|row: usize| columns[0][row] * x + columns[1][row] * y + columns[2][row] * z)
}

/// The nearest integer, halves upwards. A conversion cuts off, so it is done where all is positive.
#[inline]
fn rounded(value: f64) -> i32 {
    const OFFSET: i32 = 1 << 28;
    (value + (f64::from(OFFSET) + 0.5)) as i32 - OFFSET
}
