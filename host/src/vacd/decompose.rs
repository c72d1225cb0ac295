//! The decomposition of a solid into convexes along Voronoi cells (\[Mueller13\] 4.1).

use glam::DVec3;
use thiserror::Error;

use super::part::Part;
use super::separate::{Piece, separate};
use super::visual::islands;
use super::{Fit, fit};
use crate::geometry::{
    Aabb, Clipped, Clipper, Convex, FRACTURE, MeshError, Plane, PolyMesh, ReportOptions, Side, Voronoi, VoronoiCell,
    VoronoiError, is_fracture, merged_identical, mesh_report, voronoi,
};

/// A visual mesh that lacks no more than this share of its cell fills it.
const FILLED: f64 = 1e-9;

/// A piece with less than this share of the solid's volume is dropped.
pub(super) const SLIVER: f64 = 1e-13;

/// Vertices that are asked which plane of a cell cuts off most.
const ASKED: usize = 256;

/// How to decompose.
#[derive(Clone, Debug)]
pub struct DecomposeOptions {
    /// How the convexes are fitted to what they hold.
    pub fit: Fit,
    /// The material of the faces that cuts make; the bit [`FRACTURE`] is set in addition.
    pub material: u32,
    /// Whether to look for faces that pass through each other, which takes longer than the decomposition.
    pub check_self_intersections: bool,
}

impl Default for DecomposeOptions {
    fn default() -> DecomposeOptions {
        DecomposeOptions { fit: Fit::Hull(20), material: 0, check_self_intersections: false }
    }
}

/// Why a mesh has no decomposition.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum DecomposeError {
    /// The lists of the mesh do not fit together.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The surface does not enclose a solid.
    #[error("{problem} (try --repair, or --method svo)")]
    NotSolid {
        /// What is wrong with it.
        problem: String,
    },
    /// The nodes have no Voronoi cells in the mesh's box.
    #[error("the nodes do not divide the mesh's box: {0}")]
    Nodes(#[from] VoronoiError),
}

/// The parts of a solid in the Voronoi cells of some nodes: one for each connected piece of the solid in each cell.
///
/// The visual meshes are the pieces; together they have the solid's volume. The convexes around them do not overlap, and
/// where two pieces were one, their convexes have a face in the same plane, equal to the bit but for the sign. Where
/// pieces in one cell are so entangled that no convexes around them are apart, they are cut further. Without nodes there
/// is one part for each connected solid, where that is possible.
///
/// A result has the same bits for any number of threads.
///
/// # Errors
/// If the mesh is not the closed surface of a solid turned outwards, or a node is outside of its box or in the place of
/// another.
///
/// ```
/// use fracas::geometry::{PolyMesh, shapes::{Figure, figure}};
/// use fracas::vacd::{DecomposeOptions, decompose};
///
/// let mesh = PolyMesh::from(&figure(Figure::Rabbit, 2_000)?);
/// let nodes = [mesh.aabb().min.lerp(mesh.aabb().max, 0.3), mesh.aabb().min.lerp(mesh.aabb().max, 0.6)];
/// let parts = decompose(&mesh, &nodes, &DecomposeOptions::default())?;
/// let volume: f64 = parts.iter().map(|part| part.volume()).sum();
/// assert!((volume / mesh.mass_properties().volume - 1.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decompose(mesh: &PolyMesh, nodes: &[DVec3], options: &DecomposeOptions) -> Result<Vec<Part>, DecomposeError> {
    let welded = check_solid(mesh, options.check_self_intersections)?;
    let mesh = welded.as_ref().unwrap_or(mesh);
    let bounds = mesh.aabb();
    let center = [bounds.center()];
    let cells = voronoi(if nodes.is_empty() { &center } else { nodes }, bounds)?;
    let numbers: Vec<u32> = (0..cells.len() as u32).collect();
    let work = Work { cells: &cells, options, least_volume: SLIVER * mesh.mass_properties().volume };
    Ok(work.parts(mesh, &numbers).into_iter().flat_map(|(_, parts)| parts).collect())
}

/// Whether a mesh is a solid; and, if its vertices are split along seams, the mesh with those at one place merged.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check_solid(mesh: &PolyMesh, self_intersections: bool) -> Result<Option<PolyMesh>, DecomposeError> {
    mesh.check()?;
    let welded = if mesh.is_watertight() { None } else { Some(merged_identical(mesh)) };
    let solid = welded.as_ref().unwrap_or(mesh);
    let is_closed = welded.as_ref().is_none_or(PolyMesh::is_watertight);
    let is_positive = |volume: f64| volume > 0.0;
    if self_intersections || !is_closed || !is_positive(solid.mass_properties().volume) {
        let report = mesh_report(&solid.to_tri_mesh(), &ReportOptions { self_intersections });
        let volume = report.volume.unwrap_or(0.0);
        let inside_out = || {
            (!is_positive(volume)).then(|| format!("the surface encloses a volume of {volume:.3e}, not a positive one"))
        };
        let open = || (!is_closed).then(|| "the surface is not closed".to_owned());
        if let Some(problem) = report.solid_problem().or_else(open).or_else(inside_out) {
            return Err(DecomposeError::NotSolid { problem });
        }
    }
    Ok(welded)
}

struct Work<'a> {
    cells: &'a Voronoi,
    options: &'a DecomposeOptions,
    /// What is smaller is nothing but rounding.
    least_volume: f64,
}

impl Work<'_> {
    /// The parts of a mesh in some cells, by the number of the cell.
    ///
    /// Cutting a cell out of a large mesh looks at all of it, so many cells are first parted in two halves that overlap
    /// little, each with what it needs of the mesh.
    fn parts(&self, mesh: &PolyMesh, numbers: &[u32]) -> Vec<(u32, Vec<Part>)> {
        if let &[number] = numbers {
            let cell = self.cells.cell(number as usize);
            let visual = cut_out(mesh, &cell, FRACTURE | self.options.material);
            return vec![(number, self.parts_of_cell(&cell, visual))];
        }
        let seeds = self.cells.seeds();
        let size = Aabb::of_points(numbers.iter().map(|&number| seeds[number as usize])).size().to_array();
        let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(0);
        let mut sorted = numbers.to_vec();
        sorted.sort_by(|&a, &b| seeds[a as usize][axis].total_cmp(&seeds[b as usize][axis]).then(a.cmp(&b)));
        let (low, high) = sorted.split_at(sorted.len() / 2);
        let half = |numbers: &[u32], sign: f64| match self.half(mesh, numbers, axis, sign) {
            Some(half) => self.parts(&half, numbers),
            None => self.parts(mesh, numbers),
        };
        let (mut parts, others) = rayon::join(|| half(low, 1.0), || half(high, -1.0));
        parts.extend(others);
        parts.sort_by_key(|&(number, _)| number);
        parts
    }

    /// What some cells need of a mesh: all that is not beyond the last of them, in an axis's direction. `None` for all.
    fn half(&self, mesh: &PolyMesh, numbers: &[u32], axis: usize, sign: f64) -> Option<PolyMesh> {
        let bounds = self.cells.bounds();
        let vertices = numbers.iter().flat_map(|&number| self.cells.cell(number as usize).vertices());
        let reach = vertices.fold(f64::NEG_INFINITY, |reach, vertex| reach.max(sign * vertex[axis]));
        let mut normal = DVec3::ZERO;
        normal[axis] = sign;
        // Well beyond the cells, so that nothing of this cut is left when the cells are cut out.
        let plane = Plane { normal, offset: reach + 1e-3 * bounds.diagonal() };
        let mut half = PolyMesh::default();
        let clipped = Clipper::new().clip(mesh, &plane, FRACTURE | self.options.material, &mut half);
        match clipped {
            Clipped::Whole => None,
            Clipped::Nothing => Some(PolyMesh::default()),
            Clipped::Part => Some(half),
        }
    }

    fn parts_of_cell(&self, cell: &VoronoiCell<'_>, visual: PolyMesh) -> Vec<Part> {
        let mut visuals = islands(visual);
        visuals.retain(|visual| visual.mass_properties().volume > self.least_volume);
        if visuals.is_empty() {
            return Vec::new();
        }
        let material = FRACTURE | self.options.material;
        let convex = cell.convex();
        if let [visual] = &visuals[..] {
            let lacks = 1.0 - visual.mass_properties().volume / cell.volume();
            if lacks.abs() <= FILLED && visual.materials.iter().all(|&material| is_fracture(material)) {
                return vec![Part::internal(of_material(&convex, material))];
            }
        }
        let pieces = visuals
            .into_iter()
            .map(|visual| Piece::new(fit(&convex, &visual.positions, &self.options.fit), visual))
            .collect();
        let pieces = separate(pieces, &self.options.fit, material);
        pieces.into_iter().map(|piece| Part::surface(piece.convex, piece.visual)).collect()
    }
}

/// What is of a mesh in a cell.
fn cut_out(mesh: &PolyMesh, cell: &VoronoiCell<'_>, material: u32) -> PolyMesh {
    let mut clipper = Clipper::new();
    // The mesh is inside of the walls as it is.
    let planes = cell.faces().filter(|face| matches!(face.side, Side::Cell(_))).map(|face| cell.plane(face.side));
    let step = mesh.positions.len().div_ceil(ASKED).max(1);
    let mut asked: Vec<DVec3> = mesh.positions.iter().step_by(step).copied().collect();
    let mut planes: Vec<Plane> = planes.collect();
    let mut result = PolyMesh::default();
    let mut spare = PolyMesh::default();
    let mut is_whole = true;
    // Always the plane that cuts off most of what is left, so that the others have the least to do.
    while !planes.is_empty() {
        let outside = |plane: &Plane| asked.iter().filter(|&&point| plane.signed_distance(point) > 0.0).count();
        let most =
            (0..planes.len()).max_by_key(|&number| (outside(&planes[number]), planes.len() - number)).unwrap_or(0);
        let plane = planes.swap_remove(most);
        asked.retain(|&point| plane.signed_distance(point) <= 0.0);
        match clipper.clip(if is_whole { mesh } else { &result }, &plane, material, &mut spare) {
            Clipped::Whole => {}
            Clipped::Nothing => return PolyMesh::default(),
            Clipped::Part => {
                std::mem::swap(&mut result, &mut spare);
                is_whole = false;
            }
        }
    }
    if is_whole { mesh.clone() } else { result }
}

/// A convex with all of its faces of a material.
fn of_material(convex: &Convex, material: u32) -> Convex {
    let mut surface = convex.surface().clone();
    surface.materials.fill(material);
    Convex::from_parts(surface, convex.planes().to_vec())
}
