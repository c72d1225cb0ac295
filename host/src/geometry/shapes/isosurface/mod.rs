//! The zero surface of a field as a triangle mesh: marching tetrahedra on a body-centred cubic lattice, and a clean-up
//! that keeps the mesh valid.
//!
//! Why the result is manifold and free of self-intersections. The lattice's tetrahedra fill space and meet face to face.
//! The field's sign at the lattice vertices decides which edges the surface cuts; in each tetrahedron it is one triangle
//! or two between the cuts, and neighbours agree on what they share ([`march`]). Cuts that crowd round a lattice vertex
//! are then merged into one, which amounts to moving that lattice vertex onto the surface ([`cluster`]): the move is only
//! made if all tetrahedra around the vertex keep their orientation, so that the moved lattice still fills space without
//! overlaps, and if the merged cuts form a disc, so that the surface's topology stays. Every triangle still lies in a
//! tetrahedron of its own, so no two can cross. (The idea of snapping lattice vertices is that of isosurface stuffing,
//! Labelle and Shewchuk 2007; of merging that of regularised marching tetrahedra, Treece, Prager and Gee 1999.)

mod cluster;
mod lattice;
mod march;

use rayon::prelude::*;

use super::super::TriMesh;
use super::error::{Check, ShapeError};
use super::implicit::Field;
use lattice::Lattice;

/// The most triangles that an isosurface may have: while it is made it takes some 300 bytes for each.
const MAX_TRIANGLES: u64 = 10_000_000;

fn check_size(check: Check, triangles: u64) -> Result<(), ShapeError> {
    let expected = format!("at most {MAX_TRIANGLES}");
    check.require(triangles <= MAX_TRIANGLES, "number of triangles", triangles, expected)
}

/// How many lattice cells there may be along an edge of the box; more than the lattice's keys can name.
const MAX_CELLS: f64 = 200_000.0;

/// Extracts the zero surface of a field over a lattice of cubes of the given spacing.
///
/// ```
/// use fracas::geometry::shapes::{Primitive, Sculpture, isosurface};
/// use glam::DVec3;
///
/// let mut drop = Sculpture::default();
/// drop.add(Primitive::ball(DVec3::ZERO, 1.0), 0.0);
/// drop.add(Primitive::Cone { from: DVec3::ZERO, to: 2.0 * DVec3::Y, from_radius: 0.8, to_radius: 0.1 }, 0.3);
/// let mesh = isosurface(&drop, 0.1)?;
/// assert!(mesh.volume() > 4.1 && mesh.normals.is_some());
/// # Ok::<(), fracas::geometry::shapes::ShapeError>(())
/// ```
///
/// # Errors
/// A spacing that is not positive, or so small that the mesh would have more than ten million triangles.
pub fn isosurface<F: Field>(field: &F, spacing: f64) -> Result<TriMesh, ShapeError> {
    let check = Check("isosurface");
    check.length("spacing", spacing)?;
    let bounds = field.bounds();
    if bounds.is_empty() {
        return Ok(TriMesh::default());
    }
    let extent = bounds.max - bounds.min;
    check.require(bounds.min.is_finite() && extent.is_finite(), "box of the field", format!("{bounds:?}"), "finite")?;
    let cells = (extent / spacing).max_element();
    check.require(cells <= MAX_CELLS, "spacing", spacing, format!("at least {}", extent.max_element() / MAX_CELLS))?;
    let lattice = Lattice::over(&bounds, spacing);
    // A round shape has about half as many triangles as its box has squares of the lattice on its sides; far more is
    // refused before the lattice is walked.
    let [x, y, z] = (extent / spacing + 1.0).to_array();
    check_size(check, (2.0 * (x * y + y * z + z * x)) as u64 / 4)?;
    let fields = march::LocalFields::new(field, &lattice);
    // A block of 4 x 4 x 4 cells that the surface passes through has some 100 triangles.
    check_size(check, fields.blocks() as u64 * 50)?;
    let cuts = march::march(&lattice, &fields);
    let mut mesh = cluster::cluster(&fields, &lattice, cuts);
    let step = 0.05 * spacing;
    let normals = (mesh.positions.par_iter().zip(mesh.vertex_normals()))
        .map(|(&position, of_mesh)| {
            let of_field = fields.at(position).gradient(position, step).normalize_or_zero().as_vec3();
            // Where the lattice is too coarse for a feature the field knows of slopes that the mesh does not have.
            if of_field.dot(of_mesh) > 0.3 { of_field } else { of_mesh }
        })
        .collect();
    mesh.normals = Some(normals);
    Ok(mesh)
}

/// Extracts a surface with about so many triangles, by choosing the spacing; `field` is told the spacing, so that it can
/// leave out what is too fine for it.
///
/// The number of triangles goes with the inverse square of the spacing once the shape is resolved, so a few rounds
/// suffice; the best of them is given, within 3 % of the target in practice and for anything but the coarsest meshes.
///
/// # Errors
/// As [`isosurface`].
pub fn isosurface_of_size<F: Field>(field: impl Fn(f64) -> F, triangles: u64) -> Result<TriMesh, ShapeError> {
    cleaned_isosurface_of_size(field, triangles, |mesh| mesh)
}

/// As [`isosurface_of_size`], with something done to each mesh before its triangles are counted.
pub(super) fn cleaned_isosurface_of_size<F: Field>(
    field: impl Fn(f64) -> F,
    triangles: u64,
    clean: impl Fn(TriMesh) -> TriMesh,
) -> Result<TriMesh, ShapeError> {
    let check = Check("isosurface");
    check.require(triangles >= 100, "number of triangles", triangles, "at least 100")?;
    check_size(check, triangles)?;
    let bounds = field(0.0).bounds();
    let extent = bounds.max - bounds.min;
    check.require(!bounds.is_empty() && extent.is_finite(), "box of the field", format!("{bounds:?}"), "finite")?;
    // A first look at an eighth of the size costs little and tells the area.
    let target = triangles as f64;
    let look = (target / 8.0).clamp(target.min(4000.0), target);
    let mut spacing = (3.0 * extent.length_squared() / look).sqrt();
    let mut best: Option<(f64, f64, TriMesh)> = None;
    let mut before: Option<(f64, f64)> = None;
    for round in 0..24 {
        let mesh = clean(isosurface(&field(spacing), spacing)?);
        let found = mesh.triangles.len() as f64;
        let error = (found / target - 1.0).abs();
        if best.as_ref().is_none_or(|(least, ..)| error < *least) {
            best = Some((error, spacing, mesh));
        }
        let Some((least, nearest, _)) = best.as_ref() else { break };
        if *least < 0.03 {
            break;
        }
        // The count goes with a power of the spacing: minus two for a smooth shape, more where finer relief comes into
        // view, as the last two rounds tell. A step too coarse to see the shape at all is halved.
        let power = before.map_or(2.0, |(at, count)| ((count / found).ln() / (spacing / at).ln()).clamp(1.5, 4.0));
        let change = if found < 20.0 { 0.5 } else { (found / target).powf(1.0 / power).clamp(0.2, 5.0) };
        before = (found >= 20.0).then_some((spacing, found));
        spacing = match round {
            0..6 => spacing * change,
            // On a coarse lattice the count jumps about; then what lies on either side of the best is tried.
            _ => nearest * (1.0 + 0.004 * f64::from(round / 2 - 2) * if round % 2 == 0 { 1.0 } else { -1.0 }),
        };
    }
    Ok(best.map(|(.., mesh)| mesh).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::implicit::{Sculpture, pebbles};
    use super::super::primitive::Primitive;
    use super::super::testing::{assert_embedded, assert_same_for_any_thread_count, assert_solid, least_angles};
    use super::*;
    use glam::{DMat3, DVec3};
    use proptest::prelude::*;
    use std::f64::consts::PI;

    fn solid(shape: Primitive) -> Sculpture {
        let mut sculpture = Sculpture::default();
        sculpture.add(shape, 0.0);
        sculpture
    }

    #[test]
    fn a_ball_converges_in_volume_with_good_angles() {
        let ball = solid(Primitive::ball(DVec3::new(0.01, -0.02, 0.03), 1.0));
        for (spacing, tolerance) in [(0.4, 0.08), (0.2, 0.02), (0.1, 0.005)] {
            let mesh = isosurface(&ball, spacing).unwrap();
            assert_solid(&mesh, 1, 2);
            assert_embedded(&mesh);
            assert!((mesh.volume() / (4.0 / 3.0 * PI) - 1.0).abs() < tolerance, "{spacing}: {}", mesh.volume());
            let angles = least_angles(&mesh);
            assert!(angles[0] > 5.0 && angles[angles.len() / 20] > 20.0, "{} {}", angles[0], angles[angles.len() / 20]);
        }
    }

    #[test]
    fn topology_is_that_of_the_field() {
        let ring = Primitive::Ring {
            center: DVec3::ZERO,
            axes: DMat3::from_rotation_x(0.4),
            major_radius: 1.0,
            minor_radius: 0.35,
        };
        let mesh = isosurface(&solid(ring), 0.15).unwrap();
        assert_solid(&mesh, 1, 0);
        assert_embedded(&mesh);
        assert!((mesh.volume() / (2.0 * PI * PI * 0.35 * 0.35) - 1.0).abs() < 0.03);
        let mut shell = solid(Primitive::ball(DVec3::ZERO, 1.0));
        shell.wall = Some(0.2);
        let mesh = isosurface(&shell, 0.15).unwrap();
        assert_solid(&mesh, 2, 4);
        assert_embedded(&mesh);
        assert!((mesh.volume() / (4.0 / 3.0 * PI * (1.0 - 0.8f64.powi(3))) - 1.0).abs() < 0.03);
        assert!(isosurface(&Sculpture::default(), 0.1).unwrap().triangles.is_empty());
    }

    #[test]
    fn thread_count_and_size_hold() {
        let mut bumpy = solid(Primitive::ball(DVec3::ZERO, 1.0));
        bumpy.add(
            Primitive::Cone { from: DVec3::ZERO, to: DVec3::new(2.0, 1.0, 0.5), from_radius: 0.4, to_radius: 0.2 },
            0.3,
        );
        let relief = super::super::implicit::Relief { amplitude: 0.04, pattern: |point| pebbles(4.0 * point) };
        bumpy.reliefs.push(relief);
        assert_same_for_any_thread_count(|| isosurface(&bumpy, 0.08).unwrap());
        for target in [500, 2_000, 9_000] {
            let mesh = isosurface_of_size(|_| bumpy.clone(), target).unwrap();
            assert_solid(&mesh, 1, 2);
            let ratio = mesh.triangles.len() as f64 / target as f64;
            assert!((ratio - 1.0).abs() < 0.05, "{target}: {ratio}");
        }
        assert!(isosurface(&bumpy, f64::NAN).is_err());
        assert!(isosurface(&bumpy, 1e-6).is_err());
        assert!(isosurface(&bumpy, 0.0005).is_err());
        assert!(isosurface_of_size(|_| bumpy.clone(), 5).is_err());
        assert!(isosurface_of_size(|_| bumpy.clone(), 1 << 40).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// Thin, under-resolved and touching parts: whatever the topology, the mesh is closed, manifold and embedded.
        #[test]
        fn any_field_gives_a_valid_mesh(parts in prop::collection::vec((prop::array::uniform3(-1.0f64..1.0), prop::array::uniform3(-1.0f64..1.0), 0.03f64..0.4), 1..7),
                                        wall in prop::option::of(0.02f64..0.2), spacing in 0.15f64..0.5) {
            let mut sculpture = Sculpture { wall, ..Sculpture::default() };
            for (from, to, radius) in parts {
                let [from, to] = [from, to].map(DVec3::from_array);
                sculpture.add(Primitive::Cone { from, to, from_radius: radius, to_radius: 0.5 * radius }, 0.1);
            }
            let mesh = isosurface(&sculpture, spacing).unwrap();
            if !mesh.triangles.is_empty() {
                let volumes = super::super::testing::component_volumes(&mesh);
                let euler = super::super::testing::euler_characteristic(&mesh);
                let positive = TriMesh { normals: None, ..mesh };
                assert_solid(&positive, volumes.len(), euler);
                assert_embedded(&positive);
            }
        }
    }
}
