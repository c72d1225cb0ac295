//! Mass and extent of an octree.

use fracas_kernels::morton;
use glam::{DMat3, DVec3};

use crate::geometry::{Aabb, MassProperties};
use crate::svo::{Lattice, Tree};

/// The mass properties of an octree of density one, and the box around its boundary voxels. Boundary voxels weigh half,
/// because the surface passes through their middle.
pub fn voxel_mass(tree: &Tree, lattice: &Lattice) -> (MassProperties, Aabb) {
    let (mut weight, mut first, mut squares) = (0.0, DVec3::ZERO, DMat3::ZERO);
    let (mut low, mut high) = ([u32::MAX; 3], [0u32; 3]);
    // Sums are about the lattice's middle, in voxels, where they lose the least.
    let middle = 0.5 * f64::from(lattice.size());
    tree.visit(&mut |node, level, code| {
        let is_leaf = level == tree.level() && node.is_boundary();
        if !is_leaf && !node.is_internal() {
            return;
        }
        let corner = morton::decode_30(code);
        if is_leaf {
            low = std::array::from_fn(|axis| low[axis].min(corner[axis]));
            high = std::array::from_fn(|axis| high[axis].max(corner[axis] + 1));
        }
        let edge = f64::from(1u32 << (tree.level() - level));
        let mass = if is_leaf { 0.5 } else { edge * edge * edge };
        let place = (DVec3::from_array(corner.map(f64::from)) + 0.5) * edge - middle;
        weight += mass;
        first += mass * place;
        let outer = DMat3::from_cols(place * place.x, place * place.y, place * place.z);
        // A cube has a twelfth of its edge's square along each axis.
        squares += mass * (outer + DMat3::from_diagonal(DVec3::splat(edge * edge / 12.0)));
    });
    if weight == 0.0 {
        let centroid = lattice.aabb().center();
        return (MassProperties { volume: 0.0, centroid, inertia: DMat3::ZERO }, Aabb::EMPTY);
    }
    let mean = first / weight;
    let outer = DMat3::from_cols(mean * mean.x, mean * mean.y, mean * mean.z);
    let squares = squares - weight * outer;
    let trace = squares.x_axis.x + squares.y_axis.y + squares.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - squares;
    let cube = lattice.voxel.powi(3);
    let mass = MassProperties {
        volume: weight * cube,
        centroid: lattice.outward(mean + middle),
        inertia: inertia * (cube * lattice.voxel * lattice.voxel),
    };
    let corner = |place: [u32; 3]| lattice.outward(DVec3::from_array(place.map(f64::from)));
    (mass, Aabb { min: corner(low), max: corner(high) })
}
