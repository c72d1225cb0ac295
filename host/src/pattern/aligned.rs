//! Patterns put to an impact.

use glam::{DAffine3, DVec3};

use super::affine::{PlaneMap, check_map, map_surface};
use super::{Pattern, PatternError, PatternFace};
use crate::geometry::{Aabb, Convex, Plane};

/// A pattern seen through an affine map (\[Mueller13\] 3.1, alignment). Nothing is copied; what is asked for is mapped.
#[derive(Clone, Copy, Debug)]
pub struct AlignedPattern<'a> {
    pattern: &'a Pattern,
    map: DAffine3,
    inverse: DAffine3,
    plane_map: PlaneMap,
    determinant: f64,
}

impl Pattern {
    /// The pattern seen through any affine map that does not flatten it; the impact is where the origin goes.
    ///
    /// # Errors
    /// If the map flattens the pattern or is not finite.
    pub fn aligned(&self, map: DAffine3) -> Result<AlignedPattern<'_>, PatternError> {
        check_map(&map)?;
        Ok(AlignedPattern::new(self, map))
    }
}

impl<'a> AlignedPattern<'a> {
    pub(super) fn new(pattern: &'a Pattern, map: DAffine3) -> AlignedPattern<'a> {
        let (inverse, plane_map) = (map.inverse(), PlaneMap::new(&map));
        AlignedPattern { pattern, map, inverse, plane_map, determinant: map.matrix3.determinant() }
    }

    /// The pattern itself.
    pub fn pattern(&self) -> &'a Pattern {
        self.pattern
    }

    /// The map from the pattern to the world.
    pub fn map(&self) -> DAffine3 {
        self.map
    }

    /// Where the impact is.
    pub fn impact(&self) -> DVec3 {
        self.map.translation
    }

    /// One of the pattern's planes in the world.
    ///
    /// # Panics
    /// If there is no such plane.
    pub fn plane(&self, number: u32) -> Plane {
        self.mapped(&self.pattern.planes[number as usize])
    }

    /// A plane of the pattern's space in the world.
    pub fn mapped(&self, plane: &Plane) -> Plane {
        self.plane_map.apply(plane)
    }

    /// The planes of a cell in the world, normals out of the cell. Those that two cells share differ in the sign only.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn planes(&self, cell: u32) -> impl ExactSizeIterator<Item = (PatternFace, Plane)> + use<'a> {
        let (planes, plane_map) = (&self.pattern.planes, self.plane_map);
        let faces = &self.pattern.cells[cell as usize].faces;
        faces.iter().map(move |&face| {
            let plane = plane_map.apply(&planes[face.plane as usize]);
            (face, if face.is_flipped { plane.flipped() } else { plane })
        })
    }

    /// The vertices of a cell in the world.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn vertices(&self, cell: u32) -> impl ExactSizeIterator<Item = DVec3> + use<'a> {
        let map = self.map;
        self.pattern.cells[cell as usize].convex.vertices().iter().map(move |&vertex| map.transform_point3(vertex))
    }

    /// A cell as a solid in the world.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn convex(&self, cell: u32) -> Convex {
        let surface = self.pattern.cells[cell as usize].convex.surface();
        let surface = map_surface(surface, &self.map, self.determinant < 0.0);
        Convex::from_parts(surface, self.planes(cell).map(|(_, plane)| plane).collect())
    }

    /// The volume of a cell in the world.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn volume(&self, cell: u32) -> f64 {
        self.pattern.cells[cell as usize].volume * self.determinant.abs()
    }

    /// The cell that a point of the world is in.
    pub fn locate(&self, point: DVec3) -> Option<u32> {
        self.pattern.locate(self.inverse.transform_point3(point))
    }

    /// All of the pattern's planes in the world, by number.
    pub fn all_planes(&self) -> Vec<Plane> {
        self.pattern.planes.iter().map(|plane| self.plane_map.apply(plane)).collect()
    }

    /// Calls `visit` for every cell that may overlap what is around some points of the world.
    pub fn around(&self, points: impl IntoIterator<Item = DVec3>, visit: impl FnMut(u32)) {
        let local = Aabb::of_points(points.into_iter().map(|point| self.inverse.transform_point3(point)));
        if !local.is_empty() {
            // The map back is rounded; what it rounds is far below this.
            let margin = 1e-12 * (local.diagonal() + self.pattern.bounds.diagonal());
            self.pattern.overlapping(&local.expanded(margin), visit);
        }
    }

    /// Calls `visit` for every cell that may overlap a box of the world.
    pub fn overlapping(&self, aabb: &Aabb, visit: impl FnMut(u32)) {
        if aabb.is_empty() {
            return;
        }
        self.around(aabb.corners(), visit);
    }
}
