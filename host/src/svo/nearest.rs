//! The boundary voxel of an octree that is nearest to a place.

use fracas_kernels::node::Node;
use glam::DVec3;

use super::tree::Tree;

/// A boundary voxel near a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    pub(super) node: Node,
    /// Its middle, in voxels of its level from the lattice's corner.
    pub(super) middle: DVec3,
    distance_squared: f64,
}

struct Search<'a> {
    tree: &'a Tree,
    place: DVec3,
    level: u32,
    best: Nearest,
}

impl Tree {
    /// The boundary voxel of a level whose middle is nearest to a place, if that is nearer than `reach`; all in voxels of the
    /// level. Of those that are as near, always the same one.
    pub(super) fn nearest_boundary(&self, place: DVec3, level: u32, reach: f64) -> Option<Nearest> {
        let nothing = Nearest { node: Node::OUTSIDE, middle: DVec3::NAN, distance_squared: reach * reach };
        let mut search = Search { tree: self, place, level, best: nothing };
        search.visit(self.root(), 0, DVec3::ZERO);
        (!search.best.node.is_empty()).then_some(search.best)
    }
}

impl Search<'_> {
    fn visit(&mut self, node: Node, level: u32, corner: DVec3) {
        let size = f64::from(1u32 << (self.level - level));
        // No middle is nearer to the faces of its node than half a voxel.
        let nearest = self.place.clamp(corner + 0.5, corner + (size - 0.5));
        if node.is_empty() || nearest.distance_squared(self.place) >= self.best.distance_squared {
            return;
        }
        if level == self.level || node.is_terminal() {
            let distance_squared = nearest.distance_squared(self.place);
            self.best = Nearest { node, middle: corner + 0.5 * size, distance_squared };
            return;
        }
        let half = 0.5 * size;
        let side = |axis: usize| usize::from(self.place[axis] >= corner[axis] + half) << axis;
        let first = side(0) | side(1) | side(2);
        for turn in 0..8 {
            // The octant that the place is in comes first, the opposite one last.
            let child = first ^ turn;
            let along = |axis: usize| if child >> axis & 1 == 0 { 0.0 } else { half };
            let corner = corner + DVec3::new(along(0), along(1), along(2));
            self.visit(self.tree.children(node)[child], level + 1, corner);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::shapes::{Sphere, cuboid};
    use crate::svo::{VoxeliseOptions, voxelise};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn the_nearest_voxel_is_that_of_a_search_through_all(
            place in prop::array::uniform3(-8.0..40.0f64), level in 3..6u32, is_ball: bool, reach in 0.5..60.0f64,
        ) {
            let mesh = if is_ball {
                Sphere { radius: 0.5, frequency: 9 }.mesh().unwrap()
            } else {
                cuboid(DVec3::new(1.0, 0.3, 0.6))
            };
            let (_, tree) = voxelise(&mesh, &VoxeliseOptions { level: 5, ..VoxeliseOptions::default() }).unwrap();
            let place = DVec3::from_array(place);
            let size = 1u32 << level;
            let voxels = (0..size.pow(3)).map(|number| [number % size, number / size % size, number / size / size]);
            let distances = voxels.filter(|&voxel| tree.node_at(voxel, level).is_boundary()).map(|[x, y, z]| {
                (DVec3::new(x.into(), y.into(), z.into()) + 0.5).distance(place)
            });
            let least = distances.fold(f64::INFINITY, f64::min);
            match tree.nearest_boundary(place, level, reach) {
                Some(nearest) => prop_assert!((nearest.middle.distance(place) - least).abs() < 1e-12),
                None => prop_assert!(least >= reach),
            }
        }
    }
}
