//! Fracture patterns: how a thing breaks around an impact (\[Mueller13\] 3.1, \[Domaradzki16\] 4.2).
//!
//! A pattern cuts a large box around the origin into convex cells; the origin is where the impact is. Breaking something
//! means to put the pattern at the impact ([`Pattern::at`]) and to sort what was there by the cells.

mod affine;
mod aligned;
mod color;
mod error;
mod impact_pattern;
mod loaded;
mod seed_pattern;
mod spheres;
mod voronoi;
mod web;

#[cfg(test)]
mod tests;

use glam::{DAffine3, DQuat, DVec3};

use crate::bvh::Bvh;
use crate::geometry::{Aabb, Convex, Plane, PolyMesh};

pub use aligned::AlignedPattern;
pub use error::{MAX_CELLS, PatternError};
pub use impact_pattern::ImpactPattern;
pub use loaded::LoadedPattern;
pub use seed_pattern::SeedPattern;
pub use spheres::SpherePattern;
pub use voronoi::VoronoiPattern;
pub use web::WebPattern;

/// A box around the origin, cut into convex cells that do not overlap.
///
/// ```
/// use fracas::pattern::VoronoiPattern;
/// use glam::{DQuat, DVec3};
///
/// let pattern = VoronoiPattern { cells: 50, ..VoronoiPattern::default() }.pattern()?;
/// let impact = DVec3::new(3.0, 1.0, 0.0);
/// let aligned = pattern.at(impact, DQuat::IDENTITY);
/// let cell = aligned.locate(impact).expect("the impact is in the middle of the pattern");
/// assert!(aligned.planes(cell).all(|(_, plane)| plane.signed_distance(impact) < 1e-9));
/// # Ok::<(), fracas::pattern::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    cells: Vec<PatternCell>,
    planes: Vec<Plane>,
    /// The neighbours of all cells, cell by cell, and where those of each end.
    neighbours: Vec<u32>,
    neighbour_ends: Vec<u32>,
    colors: Option<Vec<u32>>,
    bounds: Aabb,
    /// The sides of the box that the cells are in, normals out; mapped with the cells.
    walls: [Plane; 6],
    bvh: Bvh,
}

/// One cell of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternCell {
    convex: Convex,
    volume: f64,
    faces: Vec<PatternFace>,
}

/// Which of the pattern's planes a face of a cell lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatternFace {
    /// The number of the plane. The faces on both sides of it have the same, so faces can be matched without comparing
    /// coordinates.
    pub plane: u32,
    /// Whether the cell is on the plane's outside, so that the face's own plane is the flipped one.
    pub is_flipped: bool,
}

/// A cell before the planes are put in.
struct RawCell {
    surface: PolyMesh,
    faces: Vec<PatternFace>,
    volume: f64,
}

impl PatternCell {
    /// The cell as a solid, the impact at the origin.
    pub fn convex(&self) -> &Convex {
        &self.convex
    }

    /// The volume.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Which plane each face of the solid lies in.
    pub fn faces(&self) -> &[PatternFace] {
        &self.faces
    }
}

impl Pattern {
    /// Puts a pattern together from cells, the planes that their faces name, and which cells touch.
    fn assemble(cells: Vec<RawCell>, planes: Vec<Plane>, mut touching: Vec<[u32; 2]>) -> Pattern {
        let cells: Vec<PatternCell> = cells
            .into_iter()
            .map(|RawCell { surface, faces, volume }| {
                let own = faces.iter().map(|face| face.of(&planes)).collect();
                PatternCell { convex: Convex::from_parts(surface, own), volume, faces }
            })
            .collect();
        let reversed: Vec<[u32; 2]> = touching.iter().map(|&[one, other]| [other, one]).collect();
        touching.extend(reversed);
        touching.sort_unstable();
        touching.dedup();
        let ends = (0..cells.len() as u32).map(|cell| touching.partition_point(|&[one, _]| one <= cell) as u32);
        let neighbour_ends = ends.collect();
        let neighbours = touching.into_iter().map(|[_, other]| other).collect();
        let boxes: Vec<Aabb> = cells.iter().map(|cell| cell.convex.aabb()).collect();
        let bounds = boxes.iter().copied().fold(Aabb::EMPTY, Aabb::union);
        let (walls, bvh) = (bounds.sides(), Bvh::build(&boxes));
        Pattern { cells, planes, neighbours, neighbour_ends, colors: None, bounds, walls, bvh }
    }

    /// The cells.
    pub fn cells(&self) -> &[PatternCell] {
        &self.cells
    }

    /// The planes that the faces of the cells lie in.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// The box around all cells. The cells fill it, unless the pattern was loaded or deformed.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The sides of the box that the cells fill, their normals out of it. What they leave out is in no cell.
    pub fn walls(&self) -> &[Plane; 6] {
        &self.walls
    }

    /// The volume of all cells.
    pub fn volume(&self) -> f64 {
        self.cells.iter().map(|cell| cell.volume).sum()
    }

    /// Whether some of its box is in no cell, as in patterns that were loaded.
    pub fn has_gaps(&self) -> bool {
        let [x, y, z, ..] = self.walls;
        // The walls are the sides of a box under an affine map, three and then their opposites.
        let across = |one: usize| self.walls[one].offset + self.walls[one + 3].offset;
        let volume = across(0) * across(1) * across(2) / x.normal.cross(y.normal).dot(z.normal).abs();
        self.volume() < (1.0 - 1e-9) * volume
    }

    /// The cells that share a part of a face with a cell, in rising order.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn neighbours(&self, cell: u32) -> &[u32] {
        let start = if cell == 0 { 0 } else { self.neighbour_ends[cell as usize - 1] };
        &self.neighbours[start as usize..self.neighbour_ends[cell as usize] as usize]
    }

    /// The colour of a cell: what has the same colour stays together. Without colouring, each cell has its own.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn color(&self, cell: u32) -> u32 {
        self.colors.as_ref().map_or(cell, |colors| colors[cell as usize])
    }

    /// How many colours there are.
    pub fn color_count(&self) -> usize {
        let highest = self.colors.as_ref().map(|colors| colors.iter().max().map_or(0, |&color| color as usize + 1));
        highest.unwrap_or(self.cells.len())
    }

    /// Calls `visit` for every cell whose box overlaps a box.
    pub fn overlapping(&self, aabb: &Aabb, visit: impl FnMut(u32)) {
        self.bvh.overlapping(aabb, visit);
    }

    /// The hierarchy over the boxes of the cells, for searches of one's own.
    pub fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    /// The cell that a point is in; the one whose border is farthest (the first of them in number), for a point that
    /// rounding puts into several or none.
    pub fn locate(&self, point: DVec3) -> Option<u32> {
        let margin = 1e-12 * self.bounds.diagonal();
        let mut best: Option<(f64, u32)> = None;
        self.overlapping(&Aabb::around(point, DVec3::splat(margin)), |cell| {
            let planes = self.cells[cell as usize].convex.planes();
            let outside = planes.iter().map(|plane| plane.signed_distance(point)).fold(f64::NEG_INFINITY, f64::max);
            if outside <= margin && best.is_none_or(|known| (outside, cell) < known) {
                best = Some((outside, cell));
            }
        });
        best.map(|(_, cell)| cell)
    }

    /// The pattern with the impact at a point and turned.
    pub fn at(&self, impact: DVec3, rotation: DQuat) -> AlignedPattern<'_> {
        AlignedPattern::new(self, DAffine3::from_rotation_translation(rotation, impact))
    }
}

impl PatternFace {
    /// The plane of the face, its normal out of the cell.
    pub fn of(&self, planes: &[Plane]) -> Plane {
        let plane = planes[self.plane as usize];
        if self.is_flipped { plane.flipped() } else { plane }
    }
}
