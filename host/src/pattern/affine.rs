//! Patterns and planes under affine maps.

use glam::{DAffine3, DMat3, DVec3};

use super::{Pattern, PatternError, RawCell};
use crate::geometry::{Plane, PolyMesh};

/// An affine map, ready for planes.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaneMap {
    /// The inverse transposed matrix: how normals go.
    normals: DMat3,
    translation: DVec3,
}

impl PlaneMap {
    pub(super) fn new(map: &DAffine3) -> PlaneMap {
        PlaneMap { normals: map.matrix3.inverse().transpose(), translation: map.translation }
    }

    /// Where a plane goes; the outside stays outside, mirrored or not. Flipped planes go to flipped planes, bit for bit.
    pub(super) fn apply(&self, plane: &Plane) -> Plane {
        let normal = self.normals * plane.normal;
        let length = normal.length();
        let normal = normal / length;
        Plane { normal, offset: plane.offset / length + normal.dot(self.translation) }
    }
}

/// Whether a map keeps solids solid.
pub(super) fn check_map(map: &DAffine3) -> Result<f64, PatternError> {
    let determinant = map.matrix3.determinant();
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = map.matrix3;
    // Of the volume that the same axes would span at right angles.
    let upright = x.length() * y.length() * z.length();
    if map.is_finite() && determinant.abs() > 1e-9 * upright && determinant.is_normal() {
        Ok(determinant)
    } else {
        Err(PatternError::Flattens { determinant })
    }
}

impl Pattern {
    /// The pattern stretched, sheared, turned or mirrored about the impact. Cells stay convex and keep numbers, planes,
    /// neighbours and colours; volumes are scaled by the determinant.
    ///
    /// # Errors
    /// If the map moves the origin or flattens the pattern.
    pub fn transformed(&self, map: &DAffine3) -> Result<Pattern, PatternError> {
        if map.translation != DVec3::ZERO {
            return Err(PatternError::Translates { translation: map.translation });
        }
        let determinant = check_map(map)?;
        let plane_map = PlaneMap::new(map);
        let cells = self.cells.iter().map(|cell| RawCell {
            surface: map_surface(cell.convex.surface(), map, determinant < 0.0),
            faces: cell.faces.clone(),
            volume: cell.volume * determinant.abs(),
        });
        let planes = self.planes.iter().map(|plane| plane_map.apply(plane)).collect();
        let pairs = (0..self.cells.len() as u32)
            .flat_map(|cell| self.neighbours(cell).iter().map(move |&neighbour| [cell, neighbour]));
        let mut pattern = Pattern::assemble(cells.collect(), planes, pairs.collect());
        pattern.colors.clone_from(&self.colors);
        pattern.walls = self.walls.map(|wall| plane_map.apply(&wall));
        Ok(pattern)
    }
}

/// A surface under a map; one that mirrors also turns the faces round.
pub(super) fn map_surface(surface: &PolyMesh, map: &DAffine3, mirrors: bool) -> PolyMesh {
    let mut surface = surface.clone();
    for position in &mut surface.positions {
        *position = map.transform_point3(*position);
    }
    if mirrors {
        let mut start = 0;
        for &end in &surface.contour_ends {
            surface.corners[start..end as usize].reverse();
            start = end as usize;
        }
    }
    surface
}
