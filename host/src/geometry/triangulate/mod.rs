//! Cutting a polygonal face into triangles.
//!
//! The face is looked at along the main axis of its vector area, which is an exact projection: dropping a coordinate
//! rounds nothing, so corners in line stay in line. Every decision is then an exact orientation. Holes are joined to
//! the outer contour by bridges, and what is left is one contour whose ears are clipped.

mod bridge;
mod clip;
mod grid;
mod ring;

use glam::{DVec2, DVec3};

use super::PolyMesh;
use super::predicates::orient_2d;
use ring::Ring;

/// The triangles of a face, as corner numbers of the mesh.
///
/// A face of `n` corners and `h` holes always gives `n - 2 + 2h` triangles which use every corner, so that a watertight
/// mesh stays watertight whatever its faces look like. The triangles of a simple polygon all face the way it does;
/// those of one that crosses itself, or has no area, may be slivers or turned over.
///
/// ```
/// use fracas::geometry::{PolyMesh, triangulate_face};
/// use glam::DVec3;
///
/// let mut mesh = PolyMesh::default();
/// mesh.positions = vec![DVec3::ZERO, DVec3::X, DVec3::new(0.2, 0.2, 0.0), DVec3::Y];
/// mesh.push_face(&[&[0, 1, 2, 3]], 0);
/// assert_eq!(triangulate_face(&mesh, 0), [[0, 1, 2], [0, 2, 3]]);
/// ```
pub fn triangulate_face(mesh: &PolyMesh, face: usize) -> Vec<[u32; 3]> {
    let mut contours = mesh.contours(face);
    let Some(outer) = contours.next() else { return Vec::new() };
    let has_holes = contours.any(|hole| !hole.is_empty());
    if !has_holes && outer.len() <= 3 {
        let first = outer.start as u32;
        return if outer.len() == 3 { vec![[first, first + 1, first + 2]] } else { Vec::new() };
    }
    let projection = Projection::of_face(mesh, face);
    let project = |corner: usize| projection.apply(mesh.corner_position(corner));
    if !has_holes {
        let count = outer.len();
        let position = |corner: usize| project(outer.start + corner % count);
        // Convex faces, and concave ones that one of the first corners sees all of, need no ears.
        if let Some(apex) = (0..count.min(4)).find(|&apex| sees_all(count, apex, position)) {
            let corner = |offset: usize| (outer.start + (apex + offset) % count) as u32;
            return (1..count - 1).map(|next| [corner(0), corner(next), corner(next + 1)]).collect();
        }
    }
    let mut ring = Ring::new();
    let contours: Vec<u32> = mesh
        .contours(face)
        .filter(|contour| !contour.is_empty())
        .map(|contour| ring.push_contour(contour.map(|corner| (corner as u32, project(corner)))))
        .collect();
    bridge::join_holes(&mut ring, &contours);
    clip::clip_ears(ring, contours[0])
}

/// Whether the triangles fanned from a corner are all positive and turn through less than half a circle, so that they
/// do not overlap.
fn sees_all(count: usize, apex: usize, position: impl Fn(usize) -> DVec2) -> bool {
    let (eye, first) = (position(apex), position(apex + 1));
    let mut previous = first;
    (2..count).all(|offset| {
        let here = position(apex + offset);
        let visible = orient_2d(eye, previous, here) > 0.0 && orient_2d(eye, first, here) > 0.0;
        previous = here;
        visible
    })
}

/// A view along an axis in which the face is counter-clockwise.
#[derive(Clone, Copy)]
struct Projection {
    across: usize,
    up: usize,
}

impl Projection {
    fn of_face(mesh: &PolyMesh, face: usize) -> Projection {
        let area = mesh.vector_area(face);
        let size = area.abs();
        let axis = if size.x > size.y && size.x > size.z {
            0
        } else if size.y > size.z {
            1
        } else {
            2
        };
        let (across, up) = ((axis + 1) % 3, (axis + 2) % 3);
        if area[axis] < 0.0 { Projection { across: up, up: across } } else { Projection { across, up } }
    }

    fn apply(self, point: DVec3) -> DVec2 {
        DVec2::new(point[self.across], point[self.up])
    }
}

#[cfg(test)]
mod tests;
