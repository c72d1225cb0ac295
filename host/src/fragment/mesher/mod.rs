//! Tetrahedral meshes of solids, by isosurface stuffing.
//!
//! A body-centred cubic lattice is laid over the solid; lattice points too near to the surface are moved onto it; and what of
//! the lattice's tetrahedra is inside is cut into tetrahedra from a few stencils. Whatever the surface, the dihedral angles
//! are then between 10.7 and 164.8 degrees (\[Labelle07\]: Labelle and Shewchuk 2007, Isosurface Stuffing: Fast Tetrahedral
//! Meshes with Good Dihedral Angles). All vertices of the result's surface are on the input's. Sharp edges, which the
//! lattice cuts off, are restored as far as that leaves the angles within the same bounds.

mod crumbs;
mod cuboid;
mod cuts;
mod error;
mod features;
mod field;
mod lattice;
mod manifold;
mod order;
mod quality;
mod stencil;
mod stuff;
mod warp;

pub use cuboid::cuboid_tets;
pub use error::MesherError;
pub use quality::MeshQuality;

use crumbs::drop_crumbs;
use cuts::find_cuts;
use features::{ANGLES, Sharpened, sharpen};
use field::LatticeField;
use lattice::{BLOCK_CELLS, Lattice};
use manifold::{make_manifold, outer_faces};
use order::along_curve;
use quality::angles;
use stuff::stuff;
use warp::warp;

use glam::{DAffine3, DVec3};

use crate::geometry::{Aabb, SignedDistance, SolidError, TetMesh, TriMesh};

/// No lattice has more cells than this.
pub const MAX_CELLS: usize = 50_000_000;

/// No mesh has more tetrahedra than about this.
pub const MAX_TETS: usize = 20_000_000;

/// How a solid is meshed.
#[derive(Clone, Debug, PartialEq)]
pub struct MesherOptions {
    /// The side of a cell of the lattice: about the length of an edge. Without it, `cells` says.
    pub cell: Option<f64>,
    /// How many cells the longest side of the solid's box has.
    pub cells: u32,
    /// What the side of a cell is multiplied by along each axis. Less than one across a plate gives it layers that cubes would
    /// need many more tetrahedra for; the bound on angles is that of cubes.
    pub stretch: DVec3,
    /// Whether to move vertices to the sharp edges and corners of the input. Without it, edges are bevelled by up to a cell.
    pub features: bool,
    /// The angle by which the surface turns at a sharp edge, in degrees.
    pub sharp_angle: f64,
}

impl Default for MesherOptions {
    fn default() -> MesherOptions {
        MesherOptions { cell: None, cells: 20, stretch: DVec3::ONE, features: true, sharp_angle: 40.0 }
    }
}

/// A solid as tetrahedra, and what became of it.
///
/// What is thinner than a cell may have holes, fall into parts or vanish: compare the components and the volume error of the
/// report.
#[derive(Clone, Debug, PartialEq)]
pub struct Meshed {
    /// The tetrahedra, with vertices and tetrahedra in order along a Z-order curve. The surface is a closed manifold.
    pub mesh: TetMesh,
    /// How good the mesh is.
    pub report: MeshQuality,
    /// The side of a cell of the lattice.
    pub cell: f64,
    /// Vertices that are there twice or more because parts of the solid touched in them only.
    pub split_vertices: usize,
    /// Tetrahedra that were left out because the surface touched itself there.
    pub dropped_tets: usize,
    /// Vertices that were moved to a sharp edge or corner.
    pub sharp_vertices: usize,
    /// Edges of the surface that still cut a sharp edge off, because moving their ends would have made angles too bad.
    pub bevels: usize,
}

/// Meshes the inside of a closed surface.
///
/// A result has the same bits for any number of threads.
///
/// # Errors
/// If the surface is not that of a solid, an option makes no sense, the lattice would be too fine, or it is so coarse that
/// nothing is inside.
///
/// ```
/// use fracas::fragment::{MesherOptions, tetrahedralise};
/// use fracas::geometry::shapes::{Figure, figure};
///
/// let rabbit = figure(Figure::Rabbit, 3_000)?;
/// let meshed = tetrahedralise(&rabbit, &MesherOptions { cells: 12, ..MesherOptions::default() })?;
/// assert_eq!(meshed.report.components, 1);
/// assert!(meshed.report.smallest_angle > 5.0 && meshed.report.volume_error.unwrap().abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn tetrahedralise(mesh: &TriMesh, options: &MesherOptions) -> Result<Meshed, MesherError> {
    mesh.check().map_err(SolidError::from)?;
    let cell = cell_size(mesh, options)?;
    let mesh = &mesh.clone().transformed(&DAffine3::from_scale(options.stretch.recip()));
    let distance = SignedDistance::new(mesh)?;
    let mut field = LatticeField::new(Lattice::around(&mesh.aabb(), cell), &distance);
    let cuts = find_cuts(&field, &distance);
    let warped = warp(&mut field, &cuts);
    let is_solid = |corners: [DVec3; 4]| {
        let [least, most] = angles(corners);
        least >= ANGLES[0] && most <= ANGLES[1] && distance.is_inside(0.25 * corners.into_iter().sum::<DVec3>())
    };
    let mut stuffed = stuff(&field, &warped, is_solid);
    drop_crumbs(&mut stuffed);
    if stuffed.mesh.tets.is_empty() {
        return Err(MesherError::NothingInside { cell });
    }
    let mended = make_manifold(&mut stuffed);
    let sharpened = if options.features {
        sharpen(&mut stuffed, mesh, &distance, options.sharp_angle.to_radians(), cell)
    } else {
        Sharpened::default()
    };
    let surface_triangles = outer_faces(&stuffed).len();
    let volume_error = stuffed.mesh.volume() / mesh.volume().abs() - 1.0;
    stuffed.mesh.positions.iter_mut().for_each(|position| *position *= options.stretch);
    let tets = along_curve(&stuffed.mesh).0;
    let report =
        MeshQuality { volume_error: Some(volume_error), ..MeshQuality::with_surface(&tets, surface_triangles) };
    Ok(Meshed {
        mesh: tets,
        report,
        cell,
        split_vertices: mended.split_vertices,
        dropped_tets: mended.dropped_tets,
        sharp_vertices: sharpened.vertices,
        bevels: sharpened.bevels,
    })
}

/// The side of a cell that the options ask for, if it makes a lattice that can be had.
fn cell_size(mesh: &TriMesh, options: &MesherOptions) -> Result<f64, MesherError> {
    let size = mesh.aabb().size();
    let length = |what: &'static str, value: f64| {
        // So that no volume, and no square of one, is too small or too large for a number.
        if (1e-30..=1e30).contains(&value) { Ok(value) } else { Err(MesherError::BadLength { what, value }) }
    };
    for stretch in options.stretch.to_array() {
        length("the stretch of a cell", stretch)?;
    }
    if !(options.sharp_angle > 0.0 && options.sharp_angle <= 180.0) {
        return Err(MesherError::BadAngle { value: options.sharp_angle });
    }
    if mesh.triangles.is_empty() {
        // Which has no size; what is wrong with it is for others to say.
        return Ok(1.0);
    }
    let longest = length("the size of the mesh", size.max_element())?;
    if options.cell.is_none() && options.cells == 0 {
        return Err(MesherError::NoCells);
    }
    let cell = length("the cell", options.cell.unwrap_or(longest / f64::from(options.cells)))?;
    let bounds = Aabb { min: DVec3::ZERO, max: size / options.stretch };
    let blocks: f64 = Lattice::blocks_around(&bounds, cell).iter().product();
    let cells = blocks * BLOCK_CELLS as f64;
    if cells > MAX_CELLS as f64 {
        return Err(MesherError::TooManyCells { cells, limit: MAX_CELLS });
    }
    let tets = 12.0 * mesh.volume().abs() / options.stretch.element_product() / cell.powi(3);
    if tets > MAX_TETS as f64 {
        return Err(MesherError::TooManyTets { tets, limit: MAX_TETS });
    }
    Ok(cell)
}

#[cfg(test)]
mod tests;
