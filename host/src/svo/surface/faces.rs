//! The outer faces of boundary voxels, as they are.

use glam::{DVec3, Vec3};

use super::cells::{CORNERS, Cells};
use super::material;
use crate::geometry::TriMesh;
use crate::svo::{Lattice, Tree};

/// The faces between the boundary voxels of a level and what lies outside, two triangles each: a mesh around all of the
/// solid. Levels below the tree's finest are taken as the finest.
///
/// Every face has vertices of its own, which carry its flat normal and its voxel's colour; vertices of neighbouring faces
/// stand at exactly the same place. Materials have the bit [`crate::geometry::FRACTURE`] where a fracture laid the
/// voxel open.
pub fn voxel_faces(tree: &Tree, lattice: &Lattice, level: u32) -> TriMesh {
    let level = level.min(tree.level());
    let cells = Cells::new(tree, level);
    let colors_of = tree.colors_of(level);
    let edge = f64::from(1u32 << (tree.level() - level));
    let count = cells.count();
    let mut positions = Vec::with_capacity(4 * count);
    let mut triangles = Vec::with_capacity(2 * count);
    let mut normals = Vec::with_capacity(4 * count);
    let mut colors = Vec::with_capacity(4 * count);
    let mut materials = Vec::with_capacity(2 * count);
    for cell in &cells.cells {
        let origin: [u32; 3] = std::array::from_fn(|axis| cells.low[axis] + 8 * cell.place[axis]);
        cells.faces(cell, |face| {
            let first = positions.len() as u32;
            positions.extend(CORNERS[face.side].iter().map(|corner| {
                let place =
                    std::array::from_fn(|axis| edge * f64::from(origin[axis] + face.voxel[axis] + corner[axis]));
                lattice.outward(DVec3::from_array(place))
            }));
            triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
            let mut normal = Vec3::ZERO;
            normal[face.side / 2] = if face.side % 2 == 1 { 1.0 } else { -1.0 };
            normals.extend([normal; 4]);
            let color = colors_of[face.number as usize];
            materials.extend([material(color); 2]);
            colors.extend([[color[0], color[1], color[2], u8::MAX]; 4]);
        });
    }
    TriMesh {
        positions,
        triangles,
        normals: Some(normals),
        uvs: None,
        colors: Some(colors),
        materials: Some(materials),
    }
}
