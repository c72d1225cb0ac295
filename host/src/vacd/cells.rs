//! The cells of a pattern as one blow uses them (\[Mueller13\] 3.2).

use glam::DVec3;
use rayon::prelude::*;

use super::fit::Fit;
use super::part::Part;
use crate::bvh::Bvh;
use crate::geometry::{Aabb, Convex, FRACTURE, Plane};
use crate::pattern::AlignedPattern;
use crate::tolerance::ON_PLANE;

/// The cell of what is outside of the pattern, or of the walls around all that is near the impact.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// The walls are fitted to the near cells like this. With more walls there is less between these and the cells; with
/// fewer, what is outside falls into fewer parts.
const WALLS: Fit = Fit::Aabb;

/// The cells around an impact, in the coordinates of what is hit.
///
/// With a radius, only the near cells matter: what is not in one of them stays in one piece, and should be cut as little
/// as possible. So there are walls around the near cells. What is outside of them is not cut by cells, only by the walls.
#[derive(Default)]
pub(super) struct Cells {
    /// The cells that reach inside of the walls.
    cells: Vec<Cell>,
    bvh: Bvh,
    /// What is inside of all walls, and what is outside of each and inside of those before it.
    pub(super) inside: Cell,
    pub(super) outsides: Vec<Cell>,
    /// The largest coordinate of any cell.
    largest: f64,
}

/// One cell.
#[derive(Default)]
pub(super) struct Cell {
    /// In the pattern, or [`OUTSIDE`].
    pub(super) number: u32,
    /// Normals out, and whether each is the flipped side of the pattern's.
    pub(super) planes: Vec<(Plane, bool)>,
    /// The cell itself, if it is one of the pattern's.
    pub(super) solid: Option<Convex>,
    /// Whether the impact's sphere may reach into it.
    is_near: bool,
}

impl Cells {
    /// The cells of a pattern, or those around the sphere of a partial fracture, their faces of a material.
    pub(super) fn new(pattern: &AlignedPattern<'_>, radius: Option<f64>, material: u32) -> Cells {
        let whole = pattern.pattern();
        let mut walls = pattern.walls().to_vec();
        let mut all: Vec<u32> = (0..whole.cells().len() as u32).collect();
        let mut near = all.clone();
        if let Some(radius) = radius {
            near = self::near(pattern, radius);
            if near.is_empty() {
                return Cells::default();
            }
            let of_cell = |&cell: &u32| whole.cells()[cell as usize].convex().aabb();
            let bounds = near.iter().map(of_cell).fold(Aabb::EMPTY, Aabb::union);
            // The pattern's own walls only matter where they are inside of these.
            let own = whole.walls().iter().zip(walls).filter(|(wall, _)| farthest(wall, &bounds) > 0.0);
            let own: Vec<Plane> = own.map(|(_, mapped)| mapped).collect();
            let vertices = |&cell: &u32| whole.cells()[cell as usize].convex().vertices();
            let sides = sides_around(near.iter().flat_map(vertices));
            walls = sides.iter().map(|side| pattern.mapped(side)).chain(own).collect();
            all.clear();
            whole.overlapping(&bounds, |cell| all.push(cell));
            let is_beyond = |side: &Plane, cell: &u32| vertices(cell).iter().all(|&at| side.signed_distance(at) >= 0.0);
            all.retain(|cell| !sides.iter().any(|side| is_beyond(side, cell)));
            all.sort_unstable();
        }
        let solid = |&number: &u32| Cell::solid(pattern, number, near.binary_search(&number).is_ok(), material);
        let cells: Vec<Cell> = all.par_iter().with_min_len(16).map(solid).collect();
        let boxes: Vec<Aabb> = cells.iter().filter_map(|cell| Some(cell.solid.as_ref()?.aabb())).collect();
        let reach = boxes.iter().fold(DVec3::ZERO, |reach, aabb| reach.max(aabb.min.abs()).max(aabb.max.abs()));
        let inside = Cell { planes: walls.iter().map(|&wall| (wall, false)).collect(), ..Cell::default() };
        let outside = |wall: usize| {
            let mut planes = inside.planes[..wall].to_vec();
            planes.push((walls[wall].flipped(), true));
            Cell { number: OUTSIDE, planes, ..Cell::default() }
        };
        let outsides = (0..walls.len()).map(outside).collect();
        Cells { cells, bvh: Bvh::build(&boxes), inside, outsides, largest: reach.max_element() }
    }

    /// A cell, by its place in this list.
    pub(super) fn get(&self, cell: u32) -> &Cell {
        &self.cells[cell as usize]
    }

    /// Calls `visit` for every cell that a part may be in, in no order.
    pub(super) fn around(&self, part: &Part, mut visit: impl FnMut(u32)) {
        let aabb = part.aabb();
        let margin = self.margin(&aabb);
        self.bvh.overlapping(&aabb.expanded(margin), |cell| {
            let here = self.get(cell);
            if !here.is_beyond(&aabb, margin) && !here.is_before(part, margin) {
                visit(cell);
            }
        });
    }

    /// The cells outside of walls that a part may be in; none if it is inside of all.
    pub(super) fn outside_of(&self, part: &Part) -> impl Iterator<Item = &Cell> {
        let aabb = part.aabb();
        let margin = self.margin(&aabb);
        let is_inside = !self.inside.planes.iter().any(|(wall, _)| farthest(wall, &aabb) > margin);
        self.outsides.iter().filter(move |cell| !is_inside && !cell.is_beyond(&aabb, margin))
    }

    /// Whether a part may be in a cell that the impact's sphere reaches into.
    pub(super) fn is_near(&self, part: &Part) -> bool {
        let mut is_near = false;
        self.around(part, |cell| is_near |= self.get(cell).is_near);
        is_near
    }

    /// What rounding does to a box and to cells is no more than this.
    fn margin(&self, aabb: &Aabb) -> f64 {
        ON_PLANE * (aabb.min.abs().max(aabb.max.abs()).max_element() + self.largest)
    }
}

impl Cell {
    fn solid(pattern: &AlignedPattern<'_>, number: u32, is_near: bool, material: u32) -> Cell {
        let mut solid = pattern.convex(number);
        let faces = pattern.pattern().cells()[number as usize].faces();
        let planes = solid.planes().iter().zip(faces).map(|(&plane, face)| (plane, face.is_flipped)).collect();
        (0..faces.len() as u32).for_each(|face| solid.mark_face(face, FRACTURE | material));
        Cell { number, planes, solid: Some(solid), is_near }
    }

    /// Whether a box is outside of one of the cell's planes.
    fn is_beyond(&self, aabb: &Aabb, margin: f64) -> bool {
        let (center, half) = (aabb.center(), 0.5 * aabb.size());
        let nearest = |plane: &Plane| plane.signed_distance(center) - plane.normal.abs().dot(half);
        self.planes.iter().any(|(plane, _)| nearest(plane) > margin)
    }

    /// Whether the cell is outside of one of a part's planes.
    fn is_before(&self, part: &Part, margin: f64) -> bool {
        let vertices = self.solid.as_ref().map_or(&[][..], Convex::vertices);
        let beyond = |plane: &Plane| vertices.iter().all(|&vertex| plane.signed_distance(vertex) > margin);
        part.convex().planes().iter().any(beyond)
    }
}

/// The cells that a sphere around the impact may reach into, in rising order.
fn near(pattern: &AlignedPattern<'_>, radius: f64) -> Vec<u32> {
    let impact = pattern.impact();
    let mut near = Vec::new();
    pattern.overlapping(&Aabb::around(impact, DVec3::splat(radius)), |cell| near.push(cell));
    near.retain(|&cell| pattern.planes(cell).all(|(_, plane)| plane.signed_distance(impact) <= radius));
    near.sort_unstable();
    near
}

/// The planes of a fit around points, normals out.
fn sides_around<'a>(points: impl Iterator<Item = &'a DVec3> + Clone) -> Vec<Plane> {
    let side = |normal: DVec3| {
        let offset = points.clone().map(|&point| normal.dot(point)).fold(f64::NEG_INFINITY, f64::max);
        Plane { normal, offset }
    };
    WALLS.axes().iter().map(|axis| axis.normalize()).flat_map(|axis| [axis, -axis]).map(side).collect()
}

/// How far the farthest point of a box is outside of a plane.
fn farthest(plane: &Plane, aabb: &Aabb) -> f64 {
    plane.signed_distance(aabb.center()) + 0.5 * plane.normal.abs().dot(aabb.size())
}
