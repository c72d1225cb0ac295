//! Patterns that an artist made.

use std::path::PathBuf;

use glam::{DAffine3, DVec2, DVec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::error::Check;
use super::{Pattern, PatternError, PatternFace, RawCell};
use crate::bvh::Bvh;
use crate::geometry::io::read_tri_mesh;
use crate::geometry::{Aabb, CellClipper, Convex, Cut, DisjointSets, HalfSpace, Plane, PolyMesh, TriMesh, convex_hull};
use crate::tolerance;

/// A pattern from a mesh whose parts (that share no vertex) are the cells: convex, closed, not overlapping, and around the
/// origin, where the impact is.
///
/// The cells need not fill a box; what is between them belongs to no cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoadedPattern {
    /// The mesh file.
    pub file: PathBuf,
    /// What all coordinates are multiplied by.
    pub scale: f64,
}

impl Default for LoadedPattern {
    fn default() -> LoadedPattern {
        LoadedPattern { file: PathBuf::new(), scale: 1.0 }
    }
}

/// How much of the smaller of two cells may be in the other, and how much of its hull a cell may leave empty: what the
/// rounding of single-precision files makes of cells that touch.
const ROUNDING: f64 = 1e-5;

impl LoadedPattern {
    /// Whether the parameters make a pattern; the file is not read.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), PatternError> {
        Check("loaded").range("scale", self.scale, 1e-6..=1e6)
    }

    /// Reads the file.
    ///
    /// # Errors
    /// If it cannot be read, or as [`LoadedPattern::from_mesh`].
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        self.check()?;
        let mesh = read_tri_mesh(&self.file)?;
        LoadedPattern::from_mesh(&mesh.transformed(&DAffine3::from_scale(DVec3::splat(self.scale))))
    }

    /// The pattern whose cells are the parts of a mesh.
    ///
    /// # Errors
    /// Names the part that is not closed or not convex, the parts that overlap, or that the impact is not among them.
    pub fn from_mesh(mesh: &TriMesh) -> Result<Pattern, PatternError> {
        let parts = mesh.components();
        if parts.is_empty() {
            return Err(PatternError::Empty);
        }
        let cells: Vec<Result<Convex, PatternError>> =
            parts.par_iter().enumerate().map(|(number, part)| convex_cell(number, part)).collect();
        let cells = cells.into_iter().collect::<Result<Vec<Convex>, PatternError>>()?;
        let bounds = cells.iter().fold(Aabb::EMPTY, |bounds, cell| bounds.union(cell.aabb()));
        if !bounds.contains(DVec3::ZERO) {
            return Err(PatternError::NotAroundOrigin { min: bounds.min, max: bounds.max });
        }
        let volumes: Vec<f64> = cells.iter().map(|cell| cell.mass_properties().volume).collect();
        let flat = tolerance::WELD * bounds.diagonal();
        let boxes: Vec<Aabb> = cells.iter().map(|cell| cell.aabb().expanded(flat)).collect();
        let pairs = Bvh::build(&boxes).collect_self_pairs();
        let overlaps: Vec<f64> = pairs
            .par_iter()
            .map_init(CellClipper::default, |clipper, &[one, other]| {
                common_volume(clipper, &cells[one as usize], &cells[other as usize])
            })
            .collect();
        for (&[one, other], &volume) in pairs.iter().zip(&overlaps) {
            let (first, second) = (one as usize, other as usize);
            if volume > ROUNDING * volumes[first].min(volumes[second]) {
                return Err(PatternError::Overlap { first, second, volume });
            }
        }
        Ok(join(cells, &volumes, &pairs, flat))
    }
}

fn convex_cell(cell: usize, part: &TriMesh) -> Result<Convex, PatternError> {
    let place = part.aabb().center();
    if !PolyMesh::from(part).is_watertight() {
        return Err(PatternError::NotClosed { cell, place });
    }
    let hull = convex_hull(&part.positions).map_err(|_| PatternError::Flat { cell, place })?;
    let share = part.volume().abs() / hull.mass_properties().volume;
    if share < 1.0 - ROUNDING {
        return Err(PatternError::NotConvex { cell, place, percent: 100.0 * share });
    }
    Ok(hull)
}

fn common_volume(clipper: &mut CellClipper, one: &Convex, other: &Convex) -> f64 {
    let common = one.aabb().intersection(other.aabb());
    if common.is_empty() || common.volume() == 0.0 {
        return 0.0;
    }
    let center = common.center();
    clipper.reset(Aabb { min: common.min - center, max: common.max - center });
    let tolerance = tolerance::CELL_PLANE * common.min.abs().max(common.max.abs()).length();
    for plane in one.planes().iter().chain(other.planes()) {
        let offset = -plane.signed_distance(center);
        if clipper.cut(HalfSpace { normal: plane.normal, offset, label: 0 }, tolerance) == Cut::Gone {
            return 0.0;
        }
    }
    clipper.volume()
}

/// Finds which faces touch and gives these one plane.
fn join(cells: Vec<Convex>, volumes: &[f64], pairs: &[[u32; 2]], flat: f64) -> Pattern {
    let mut starts = vec![0u32];
    for cell in &cells {
        starts.push(starts[starts.len() - 1] + cell.planes().len() as u32);
    }
    let all_planes: Vec<Plane> = cells.iter().flat_map(|cell| cell.planes()).copied().collect();
    let touches: Vec<Vec<[u32; 2]>> = pairs
        .par_iter()
        .map(|&[one, other]| touching_faces(&cells[one as usize], &cells[other as usize], flat))
        .collect();
    let mut sets = DisjointSets::new(all_planes.len());
    for (&[one, other], touches) in pairs.iter().zip(&touches) {
        for &[face, other_face] in touches {
            sets.join(starts[one as usize] + face, starts[other as usize] + other_face);
        }
    }
    let touching =
        pairs.iter().zip(&touches).filter(|(_, touches)| !touches.is_empty()).map(|(&pair, _)| pair).collect();
    // A set is named after its first face, whose plane all of them get.
    let mut planes = Vec::new();
    let mut numbers = vec![u32::MAX; all_planes.len()];
    let faces: Vec<PatternFace> = (0..all_planes.len() as u32)
        .map(|face| {
            let first = sets.find(face);
            if first == face {
                numbers[face as usize] = planes.len() as u32;
                planes.push(all_planes[face as usize]);
            }
            let is_flipped = all_planes[face as usize].normal.dot(all_planes[first as usize].normal) < 0.0;
            PatternFace { plane: numbers[first as usize], is_flipped }
        })
        .collect();
    let raw = cells.iter().enumerate().map(|(number, cell)| RawCell {
        surface: cell.surface().clone(),
        faces: faces[starts[number] as usize..starts[number + 1] as usize].to_vec(),
        volume: volumes[number],
    });
    Pattern::assemble(raw.collect(), planes, touching)
}

/// The pairs of faces of two solids that lie in one plane, back to back, and overlap there.
fn touching_faces(one: &Convex, other: &Convex, flat: f64) -> Vec<[u32; 2]> {
    let mut touching = Vec::new();
    for (face, plane) in one.planes().iter().enumerate() {
        if other.vertices().iter().filter(|&&vertex| plane.signed_distance(vertex).abs() <= flat).count() < 3 {
            continue;
        }
        let (u, v) = plane.axes();
        let outline = |solid: &Convex, face: usize| -> Vec<DVec2> {
            let corners = solid.surface().contours(face).next().unwrap_or(0..0);
            corners
                .map(|corner| solid.surface().corner_position(corner))
                .map(|point| DVec2::new(u.dot(point), v.dot(point)))
                .collect()
        };
        let here = outline(one, face);
        for (other_face, other_plane) in other.planes().iter().enumerate() {
            let mut corners = other.surface().contours(other_face).next().unwrap_or(0..0);
            let lies_in =
                corners.all(|corner| plane.signed_distance(other.surface().corner_position(corner)).abs() <= flat);
            if !lies_in || plane.normal.dot(other_plane.normal) > -0.5 {
                continue;
            }
            let mut there = outline(other, other_face);
            there.reverse();
            let smaller = area(&here).min(area(&there));
            if area(&common_polygon(&here, there)) > 1e-6 * smaller {
                touching.push([face as u32, other_face as u32]);
            }
        }
    }
    touching
}

fn area(polygon: &[DVec2]) -> f64 {
    let Some(&apex) = polygon.first() else { return 0.0 };
    let doubled: f64 = polygon.windows(2).map(|side| (side[0] - apex).perp_dot(side[1] - apex)).sum();
    0.5 * doubled
}

/// What two convex polygons have in common, both counter-clockwise (Sutherland and Hodgman).
fn common_polygon(window: &[DVec2], mut polygon: Vec<DVec2>) -> Vec<DVec2> {
    for number in 0..window.len() {
        let (from, to) = (window[number], window[(number + 1) % window.len()]);
        let side = |point: DVec2| (to - from).perp_dot(point - from);
        let mut clipped = Vec::with_capacity(polygon.len() + 1);
        for number in 0..polygon.len() {
            let (here, next) = (polygon[number], polygon[(number + 1) % polygon.len()]);
            let (inside, ahead) = (side(here), side(next));
            if inside >= 0.0 {
                clipped.push(here);
            }
            if (inside > 0.0 && ahead < 0.0) || (inside < 0.0 && ahead > 0.0) {
                clipped.push(here + (next - here) * (inside / (inside - ahead)));
            }
        }
        polygon = clipped;
    }
    polygon
}
