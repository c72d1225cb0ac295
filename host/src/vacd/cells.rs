//! The cells of a pattern as one blow uses them (\[Mueller13\] 3.2).

use glam::DVec3;
use rayon::prelude::*;

use super::part::Part;
use crate::bvh::Bvh;
use crate::geometry::{Aabb, Convex, FRACTURE, Plane};
use crate::pattern::AlignedPattern;
use crate::tolerance::ON_PLANE;

/// The cell of what is outside of the pattern, or of the walls around all that is near the impact.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// The cells around an impact, in the coordinates of what is hit.
///
/// With a radius, only the near cells matter: what is not in one of them stays in one piece, and should be cut as little
/// as possible. So each part gets walls around the near cells that it may be in. What is outside of these is not cut by
/// cells, only by the walls.
pub(super) struct Cells<'a> {
    pattern: AlignedPattern<'a>,
    is_partial: bool,
    /// All cells in the box around the near ones.
    cells: Vec<Cell>,
    bvh: Bvh,
    /// The box around the near cells, in the pattern's coordinates.
    bounds: Aabb,
    /// The largest coordinate of any cell.
    largest: f64,
}

/// What is inside of all walls of a part, and what is outside of each and inside of those before it.
#[derive(Default)]
pub(super) struct Walls {
    pub(super) inside: Cell,
    pub(super) outsides: Vec<Cell>,
}

/// One cell.
pub(super) struct Cell {
    /// In the pattern, or [`OUTSIDE`].
    pub(super) number: u32,
    /// Normals out, and whether each is the flipped side of the pattern's.
    pub(super) planes: Vec<(Plane, bool)>,
    /// The cell itself, if it is one of the pattern's.
    pub(super) solid: Option<Convex>,
    /// How far the corners of its faces are from their planes: in patterns from files more than rounding.
    roughness: f64,
    /// The box around it, and around its roughness.
    pub(super) bounds: Aabb,
    is_exact: bool,
    /// Whether the impact's sphere may reach into it.
    pub(super) is_near: bool,
}

impl<'a> Cells<'a> {
    /// The cells of a pattern, or those around the sphere of a partial fracture, their faces of a material.
    ///
    /// Without a radius, `reach` bounds what is hit.
    pub(super) fn new(pattern: &AlignedPattern<'a>, radius: Option<f64>, reach: &Aabb, material: u32) -> Cells<'a> {
        let mut near = Vec::new();
        match radius {
            None => pattern.overlapping(reach, |cell| near.push(cell)),
            Some(radius) => near = self::near(pattern, radius),
        }
        near.sort_unstable();
        let bounds = near.iter().map(|&cell| local_bounds(pattern, cell)).fold(Aabb::EMPTY, Aabb::union);
        let mut all = near.clone();
        if radius.is_some() && !near.is_empty() {
            all.clear();
            pattern.pattern().overlapping(&bounds, |cell| all.push(cell));
            all.sort_unstable();
        }
        let solid = |&number: &u32| Cell::solid(pattern, number, near.binary_search(&number).is_ok(), material);
        let cells: Vec<Cell> = all.par_iter().with_min_len(16).map(solid).collect();
        let boxes: Vec<Aabb> = cells.iter().map(|cell| cell.bounds).collect();
        let (bvh, largest) = (Bvh::build(&boxes), boxes.iter().map(Aabb::largest).fold(0.0, f64::max));
        Cells { pattern: *pattern, is_partial: radius.is_some(), cells, bvh, bounds, largest }
    }

    /// The cell with a number of the pattern.
    pub(super) fn numbered(&self, number: u32) -> Option<&Cell> {
        let place = self.cells.binary_search_by_key(&number, |cell| cell.number).ok()?;
        self.cells.get(place)
    }

    /// The cells that a part may be in, in rising order.
    pub(super) fn around(&self, part: &Part) -> Vec<&Cell> {
        let aabb = part.aabb();
        let margin = self.margin(&aabb);
        let mut around = Vec::new();
        self.bvh.overlapping(&aabb.expanded(margin), |cell| {
            let cell = &self.cells[cell as usize];
            if cell.may_hold(part, &aabb, margin) {
                around.push(cell);
            }
        });
        around.sort_unstable_by_key(|cell| cell.number);
        around
    }

    /// Those of the cells around a part that a piece of it may be in.
    pub(super) fn still_around<'b>(&self, piece: &Part, around: &[&'b Cell]) -> Vec<&'b Cell> {
        let aabb = piece.aabb();
        let margin = self.margin(&aabb);
        let reach = aabb.expanded(margin);
        let may_hold = |cell: &&&Cell| cell.bounds.intersects(&reach) && cell.may_hold(piece, &aabb, margin);
        around.iter().filter(may_hold).copied().collect()
    }

    /// The walls of a part, without those that it is inside of, by the cells around it; `None` if it is inside of all.
    pub(super) fn walls(&self, part: &Part, around: &[&Cell]) -> Option<Walls> {
        if self.cells.is_empty() {
            return None;
        }
        let (aabb, pattern) = (part.aabb(), &self.pattern);
        let margin = self.margin(&aabb);
        let mut walls = Vec::new();
        let mut own = pattern.pattern().walls().to_vec();
        if self.is_partial {
            let near = around.iter().filter(|cell| cell.is_near).map(|cell| local_bounds(pattern, cell.number));
            let bounds = near.reduce(Aabb::union).unwrap_or(self.bounds);
            walls.extend(bounds.sides());
            // The pattern's own walls only matter where they are inside of these.
            own.retain(|wall| wall.range_of_box(&bounds)[1] > 0.0);
        }
        walls.extend(own);
        let mut walls: Vec<Plane> = walls.iter().map(|wall| pattern.mapped(wall)).collect();
        walls.retain(|wall| wall.range_of_box(&aabb)[1] > margin);
        if walls.is_empty() {
            return None;
        }
        let inside = Cell { planes: walls.iter().map(|&wall| (wall, false)).collect(), ..Cell::default() };
        let outside = |wall: usize| {
            let mut planes = inside.planes[..wall].to_vec();
            planes.push((walls[wall].flipped(), true));
            Cell { number: OUTSIDE, planes, ..Cell::default() }
        };
        Some(Walls { outsides: (0..walls.len()).map(outside).collect(), inside })
    }

    /// Whether a part may be in a cell that the impact's sphere reaches into.
    pub(super) fn is_near(&self, part: &Part) -> bool {
        let aabb = part.aabb();
        let margin = self.margin(&aabb);
        let mut is_near = false;
        self.bvh.overlapping(&aabb.expanded(margin), |cell| {
            let cell = &self.cells[cell as usize];
            is_near = is_near || cell.is_near && cell.may_hold(part, &aabb, margin);
        });
        is_near
    }

    /// What rounding does to a box and to cells is no more than this.
    fn margin(&self, aabb: &Aabb) -> f64 {
        ON_PLANE * (aabb.largest() + self.largest)
    }
}

impl Default for Cell {
    fn default() -> Cell {
        Cell {
            number: 0,
            planes: Vec::new(),
            solid: None,
            roughness: 0.0,
            bounds: Aabb::EMPTY,
            is_exact: false,
            is_near: false,
        }
    }
}

impl Cell {
    fn solid(pattern: &AlignedPattern<'_>, number: u32, is_near: bool, material: u32) -> Cell {
        let mut solid = pattern.convex(number);
        let faces = pattern.pattern().cells()[number as usize].faces();
        let planes = solid.planes().iter().zip(faces).map(|(&plane, face)| (plane, face.is_flipped)).collect();
        (0..faces.len() as u32).for_each(|face| solid.mark_face(face, FRACTURE | material));
        let of_face = |(face, plane): (usize, &Plane)| {
            let corners = solid.surface().face_positions(face);
            corners.fold(0.0, |most: f64, corner| most.max(plane.signed_distance(corner).abs()))
        };
        let roughness = solid.planes().iter().enumerate().map(of_face).fold(0.0, f64::max);
        let bounds = solid.aabb();
        let is_exact = roughness <= ON_PLANE * bounds.largest();
        Cell { number, planes, solid: Some(solid), roughness, bounds: bounds.expanded(roughness), is_exact, is_near }
    }

    /// The cell as a solid that can be cut instead of what is in it: only if its corners are where its planes are.
    pub(super) fn exact_solid(&self) -> Option<&Convex> {
        self.solid.as_ref().filter(|_| self.is_exact)
    }

    /// Whether any of a part, whose box is given, may be in the cell.
    fn may_hold(&self, part: &Part, aabb: &Aabb, margin: f64) -> bool {
        !self.is_beyond(aabb, margin) && !self.is_before(part, margin)
    }

    /// Whether a box is outside of one of the cell's planes.
    fn is_beyond(&self, aabb: &Aabb, margin: f64) -> bool {
        self.planes.iter().any(|(plane, _)| plane.range_of_box(aabb)[0] > margin)
    }

    /// Whether the cell is outside of one of a part's planes.
    fn is_before(&self, part: &Part, margin: f64) -> bool {
        let vertices = self.solid.as_ref().map_or(&[][..], Convex::vertices);
        let margin = margin + self.roughness;
        let beyond = |plane: &Plane| vertices.iter().all(|&vertex| plane.signed_distance(vertex) > margin);
        part.convex().planes().iter().any(beyond)
    }
}

/// The cells that a sphere around the impact may reach into.
fn near(pattern: &AlignedPattern<'_>, radius: f64) -> Vec<u32> {
    let impact = pattern.impact();
    let mut near = Vec::new();
    pattern.overlapping(&Aabb::around(impact, DVec3::splat(radius)), |cell| near.push(cell));
    let reach = radius + ON_PLANE * (radius + impact.abs().max_element());
    near.retain(|&cell| pattern.planes(cell).all(|(_, plane)| plane.signed_distance(impact) <= reach));
    near
}

/// The box around a cell in the pattern's coordinates.
fn local_bounds(pattern: &AlignedPattern<'_>, cell: u32) -> Aabb {
    pattern.pattern().cells()[cell as usize].convex().aabb()
}
