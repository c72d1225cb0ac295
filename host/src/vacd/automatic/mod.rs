//! Decomposition without an artist: the cuts that make the convexes tightest.
//!
//! This is what \[Mueller13\] 4.1 leaves as future work. The cells of Voronoi nodes are a poor choice for it, since each
//! new one moves the walls of all around it. Here a cell is cut in two by a plane that nothing else minds. Cuts are
//! planned for some thousand points of a lattice in the solid, more of them than asked for; they are made; and those are
//! kept that make the fitted convexes smallest.

mod cell;
mod plan;
mod samples;
mod support;
mod sweep;
mod tree;

use self::plan::Plan;
use self::samples::Samples;
use self::tree::Cutter;
use super::decompose::{DecomposeError, DecomposeOptions, SLIVER, check_solid, decompose};
use super::part::Part;
use crate::geometry::{Convex, PolyMesh};

/// So many times as many cuts as asked for are tried, so that those can be kept that are worth most together. A cut
/// that only helps with the next ones, as the first one of a ring, is then made where these are worth it.
const TRIED: usize = 3;

/// No more cuts are tried than this.
const MOST_TRIED: usize = 1 << 16;

/// How to decompose without an artist.
#[derive(Clone, Debug)]
pub struct AutoOptions {
    /// What to do with the pieces.
    pub parts: DecomposeOptions,
    /// The volume of the convexes over that of the solid that is good enough: no more cells are made than it takes.
    pub ratio: f64,
    /// About how many points stand for the solid while cuts are planned.
    pub samples: usize,
}

impl Default for AutoOptions {
    fn default() -> AutoOptions {
        AutoOptions { parts: DecomposeOptions::default(), ratio: 1.0, samples: 20_000 }
    }
}

/// The parts of a solid in convex cells that make the convexes tight: one for each connected piece of the solid in each
/// cell. There are as many cells as asked for, or fewer where more would not help, as in a box, or where the samples that
/// stand for the solid are too few to cut finer.
///
/// What is promised of the parts of [`decompose`](super::decompose()) is true of these too.
///
/// A result has the same bits for any number of threads.
///
/// # Errors
/// If the mesh is not the closed surface of a solid turned outwards.
///
/// ```
/// use fracas::geometry::{PolyMesh, shapes::{Figure, figure}};
/// use fracas::vacd::{AutoOptions, decompose_auto};
///
/// let mesh = PolyMesh::from(&figure(Figure::Rabbit, 2_000)?);
/// let parts = decompose_auto(&mesh, 6, &AutoOptions::default())?;
/// let convexes: f64 = parts.iter().map(|part| part.convex().mass_properties().volume).sum();
/// assert!(convexes < 1.4 * mesh.mass_properties().volume);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decompose_auto(mesh: &PolyMesh, count: usize, options: &AutoOptions) -> Result<Vec<Part>, DecomposeError> {
    if count < 2 {
        return decompose(mesh, &[], &options.parts);
    }
    let welded = check_solid(mesh, options.parts.check_self_intersections)?;
    let mesh = welded.unwrap_or_else(|| mesh.clone());
    let (volume, region) = (mesh.mass_properties().volume, Convex::cuboid(mesh.aabb()));
    let samples = Samples::of(&mesh, options.samples.clamp(64, 1 << 24));
    let plan = Plan::of(&samples, TRIED.saturating_mul(count).min(MOST_TRIED));
    let cutter = Cutter {
        plan: &plan,
        samples: &samples,
        options: &options.parts,
        most: count - 1,
        least_volume: SLIVER * volume,
    };
    let pieces = cutter.pieces(cutter.branch(mesh, &region, 0), options.ratio * volume);
    Ok(pieces.into_iter().map(|piece| Part::surface(piece.convex, piece.visual)).collect())
}
