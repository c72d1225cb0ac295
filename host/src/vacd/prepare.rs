//! From a solid to the parts of a compound, without an artist.

use super::automatic::{AutoOptions, decompose_auto};
use super::decompose::{DecomposeError, DecomposeOptions, check_solid};
use super::fit::Fit;
use super::part::Part;
use crate::geometry::{Convex, PolyMesh, convex_hull};
use crate::tolerance::COPLANAR;

/// Points that stand for a solid while its cuts are planned. There may be thousands of solids.
const SAMPLES: usize = 4_000;

/// How solids are prepared for breaking.
#[derive(Clone, Debug, PartialEq)]
pub struct PrepareOptions {
    /// How convexes are fitted to what they hold.
    pub fit: Fit,
    /// The volume of the convexes over that of the solid that is good enough.
    pub ratio: f64,
    /// One more than the cuts that are made at most to reach it.
    pub most_cells: usize,
}

impl Default for PrepareOptions {
    fn default() -> PrepareOptions {
        PrepareOptions { fit: Fit::Hull(20), ratio: 1.2, most_cells: 16 }
    }
}

impl PrepareOptions {
    /// For solids that may overlap, as the sub-meshes of large models do (\[Mueller13\] 4.3): these need not fit tightly,
    /// and thousands of them must not take minutes.
    pub fn overlapping() -> PrepareOptions {
        PrepareOptions { most_cells: 1, ..PrepareOptions::default() }
    }
}

/// The parts of a solid: itself if it is convex, else those after as few cuts as make them tight enough.
///
/// # Errors
/// If the mesh is not the closed surface of a solid turned outwards.
pub fn parts_of(mesh: &PolyMesh, options: &PrepareOptions) -> Result<Vec<Part>, DecomposeError> {
    if let Some(convex) = as_convex(mesh)? {
        return Ok(vec![Part::internal(convex)]);
    }
    let parts = DecomposeOptions { fit: options.fit, ..DecomposeOptions::default() };
    let how = AutoOptions { parts, ratio: options.ratio, samples: SAMPLES };
    decompose_auto(mesh, options.most_cells, &how)
}

/// The mesh as a convex, if it is one: with its own faces if they have normals to keep, else with as few as it needs.
fn as_convex(mesh: &PolyMesh) -> Result<Option<Convex>, DecomposeError> {
    // Looking for a convex among a hundred thousand faces would take longer than to decompose it.
    const MOST_FACES: usize = 2_000;
    if mesh.face_count() > MOST_FACES {
        return Ok(None);
    }
    let welded = check_solid(mesh, false)?;
    let solid = welded.as_ref().unwrap_or(mesh);
    let tolerance = COPLANAR * solid.aabb().diagonal();
    let Ok(hull) = convex_hull(&solid.positions) else { return Ok(None) };
    let [inside, around] = [solid.mass_properties().volume, hull.mass_properties().volume];
    if (around - inside).abs() > COPLANAR * around {
        return Ok(None);
    }
    let is_plain = solid.materials.iter().all(|&material| material == solid.materials[0]);
    if !solid.has_attributes() && is_plain {
        return Ok(Some(hull));
    }
    Ok(Convex::new(solid.clone(), tolerance).ok())
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::geometry::shapes;

    #[test]
    fn a_convex_solid_is_one_part_and_a_concave_one_is_made_tight() {
        let cuboid = PolyMesh::from(&shapes::cuboid(DVec3::new(1.0, 2.0, 3.0)));
        let parts = parts_of(&cuboid, &PrepareOptions::default()).unwrap();
        assert_eq!((parts.len(), parts[0].convex().planes().len()), (1, 6));
        assert!(parts[0].visual().is_none());
        let torus = PolyMesh::from(&shapes::Torus::default().mesh().unwrap());
        let parts = parts_of(&torus, &PrepareOptions::default()).unwrap();
        let volume = torus.mass_properties().volume;
        let sum: f64 = parts.iter().map(|part| part.volume()).sum();
        assert!((sum / volume - 1.0).abs() < 1e-9);
        let around: f64 = parts.iter().map(|part| part.convex().mass_properties().volume).sum();
        assert!(parts.len() >= 4 && around < 1.2 * volume, "{} {}", parts.len(), around / volume);
    }
}
