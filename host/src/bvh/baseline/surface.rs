//! A body without a tree.

use glam::DVec3;
use rustc_hash::FxHashMap;

use crate::bvh::mesh_tree::Motion;
use crate::bvh::{BodyHandle, Feature};
use crate::geometry::{Aabb, TriMesh};

/// A body as a list of triangles that move, with the numbers that a [`MeshTree`](crate::bvh::MeshTree) gives to its features.
///
/// ```
/// use fracas::bvh::baseline::{Surface, spatial_hash};
/// use fracas::bvh::{MeshTree, MeshTreeOptions};
/// use fracas::geometry::shapes;
/// use glam::{DAffine3, DVec3};
///
/// let cube = shapes::cuboid(DVec3::ONE);
/// let shifted = cube.clone().transformed(&DAffine3::from_translation(DVec3::splat(0.5)));
/// let mut tree = MeshTree::new(MeshTreeOptions::default());
/// let bodies = [Surface::new(tree.add(&cube)?, &cube), Surface::new(tree.add(&shifted)?, &shifted)];
/// tree.update();
/// assert_eq!(spatial_hash::intersections(&bodies), tree.intersections());
/// # Ok::<(), fracas::bvh::UpdateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Surface {
    body: BodyHandle,
    pub(super) triangles: Vec<[u32; 3]>,
    /// The ends of every edge, the smaller number first.
    pub(super) edges: Vec<[u32; 2]>,
    /// The edge at each side of a face, from corner 0 to 1, 1 to 2 and 2 to 0.
    pub(super) sides: Vec<[u32; 3]>,
    /// Which corners (bits 0 to 2) and sides (bits 3 to 5) belong to a face: those that no face before it has.
    pub(super) owned: Vec<u8>,
    /// Where vertices are at the start of the step and at its end.
    pub(super) start: Vec<DVec3>,
    pub(super) end: Vec<DVec3>,
}

impl Surface {
    /// A body at rest, which is called as the tree calls it. Its mesh is one that the tree accepts.
    pub fn new(body: BodyHandle, mesh: &TriMesh) -> Surface {
        let (mut edges, mut numbers) = (Vec::new(), FxHashMap::default());
        let mut seen = vec![false; mesh.positions.len()];
        let (mut sides, mut owned) = (vec![[0; 3]; mesh.triangles.len()], vec![0; mesh.triangles.len()]);
        for (face, triangle) in mesh.triangles.iter().enumerate() {
            for corner in 0..3 {
                let (from, to) = (triangle[corner], triangle[(corner + 1) % 3]);
                if !std::mem::replace(&mut seen[from as usize], true) {
                    owned[face] |= 1 << corner;
                }
                let ends = [from.min(to), from.max(to)];
                sides[face][corner] = *numbers.entry(ends).or_insert_with(|| {
                    edges.push(ends);
                    owned[face] |= 8 << corner;
                    edges.len() as u32 - 1
                });
            }
        }
        let (triangles, start) = (mesh.triangles.clone(), mesh.positions.clone());
        Surface { body, triangles, edges, sides, owned, end: start.clone(), start }
    }

    /// What it is called.
    pub fn body(&self) -> BodyHandle {
        self.body
    }

    /// Its triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Where its vertices are at the start of the step and at its end.
    pub fn positions(&self) -> [&[DVec3]; 2] {
        [&self.start, &self.end]
    }

    /// Ends a step: the next one starts where it ended.
    pub fn begin_step(&mut self) {
        self.start.copy_from_slice(&self.end);
    }

    /// Says where the vertices are at the end of the step.
    ///
    /// # Panics
    /// If there are other vertices than the body has.
    pub fn move_to(&mut self, positions: &[DVec3]) {
        self.end.copy_from_slice(positions);
    }

    pub(super) fn feature(&self, number: u32) -> Feature {
        Feature { body: self.body, number }
    }

    /// The corners of a face at the end of the step.
    #[inline]
    pub(super) fn corners(&self, face: u32) -> [DVec3; 3] {
        self.triangles[face as usize].map(|vertex| self.end[vertex as usize])
    }

    /// The box of some vertices over the step.
    #[inline]
    pub(super) fn swept<const COUNT: usize>(&self, vertices: [u32; COUNT]) -> Aabb {
        vertices.into_iter().map(|vertex| vertex as usize).fold(Aabb::EMPTY, |aabb, vertex| {
            let (start, end) = (self.start[vertex], self.end[vertex]);
            aabb.union(Aabb { min: start.min(end), max: start.max(end) })
        })
    }
}

/// Where four vertices are at the start of the step and at its end.
#[inline]
pub(super) fn motion(points: [(&Surface, u32); 4]) -> Motion {
    let at = |end: bool| {
        points.map(|(surface, vertex)| {
            let positions = if end { &surface.end } else { &surface.start };
            positions[vertex as usize]
        })
    };
    [at(false), at(true)]
}
