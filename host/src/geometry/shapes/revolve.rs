//! Solids of revolution: any profile, and cylinders.

use glam::DVec2;
use serde::{Deserialize, Serialize};

use super::super::TriMesh;
use super::super::predicates::orient_2d;
use super::error::{Check, LENGTHS, ShapeError};
use super::loft::{loft, ring};

/// A profile of (radius, height) points turned round the y axis.
///
/// Either the profile is open and both of its ends are on the axis (radius exactly 0), or it is `closed`, keeps off
/// the axis and gives a ring. It may run either way; the surface is turned outwards.
///
/// ```
/// use fracas::geometry::shapes::Revolve;
///
/// // A double cone.
/// let spindle = Revolve { profile: vec![[0.0, -1.0], [0.5, 0.0], [0.0, 1.0]], ..Revolve::default() };
/// assert_eq!(spindle.mesh()?.triangles.len(), 2 * 32);
/// # Ok::<(), fracas::geometry::shapes::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Revolve {
    /// Radius and height of each point, in order.
    pub profile: Vec<[f64; 2]>,
    /// Whether the last point is joined to the first.
    pub closed: bool,
    /// How many points a full turn has.
    pub segments: u32,
}

impl Default for Revolve {
    fn default() -> Revolve {
        Revolve { profile: vec![[0.0, -0.5], [0.5, -0.5], [0.5, 0.5], [0.0, 0.5]], closed: false, segments: 32 }
    }
}

/// Crossing edges are sought in all pairs, so profiles are kept to what people draw.
const MAX_PROFILE: usize = 4096;

impl Revolve {
    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let check = Check("revolve");
        let points: Vec<DVec2> = self.profile.iter().map(|&point| DVec2::from_array(point)).collect();
        let count = points.len();
        check.require(
            (3..=MAX_PROFILE).contains(&count),
            "number of profile points",
            count,
            format!("3 to {MAX_PROFILE}"),
        )?;
        check.count("segments", self.segments, 3..=1 << 22)?;
        for (number, point) in points.iter().enumerate() {
            let on_axis = point.x == 0.0 && !self.closed && (number == 0 || number == count - 1);
            let expected = "above 0, except exactly 0 at the ends of an open profile";
            check.require(on_axis || LENGTHS.contains(&point.x), "radius of a profile point", point.x, expected)?;
            check.range("height of a profile point", point.y, -LENGTHS.end()..=*LENGTHS.end())?;
        }
        if !self.closed {
            let ends = [points[0].x, points[count - 1].x];
            let expected = "exactly 0: an open profile begins and ends on the axis";
            for end in ends {
                check.require(end == 0.0, "radius of an end of the profile", end, expected)?;
            }
        }
        let edges = if self.closed { count } else { count - 1 };
        let edge = |number: usize| (points[number], points[(number + 1) % count]);
        for one in 0..edges {
            for other in one + 1..edges {
                let adjacent = other == one + 1 || (self.closed && one == 0 && other == edges - 1);
                let bad = if adjacent { folds(edge(one), edge(other)) } else { meet(edge(one), edge(other)) };
                check.require(!bad, "profile", format!("crossing itself at edges {one} and {other}"), "simple")?;
            }
        }
        check.budget(2 * count as u64 * u64::from(self.segments))
    }

    /// The mesh.
    ///
    /// # Errors
    /// As [`Revolve::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let rings = self.profile.iter().map(|&point| ring(DVec2::from_array(point), self.segments)).collect();
        let mut mesh = loft(rings, self.closed);
        if mesh.volume() < 0.0 {
            mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        Ok(mesh)
    }
}

/// Revolves a profile round the y axis; see [`Revolve`].
///
/// # Errors
/// As [`Revolve::check`].
pub fn revolve(profile: &[[f64; 2]], closed: bool, segments: u32) -> Result<TriMesh, ShapeError> {
    Revolve { profile: profile.to_vec(), closed, segments }.mesh()
}

fn meet((p, q): (DVec2, DVec2), (a, b): (DVec2, DVec2)) -> bool {
    let sides = |p: DVec2, q: DVec2, a: DVec2, b: DVec2| {
        let (one, other) = (orient_2d(p, q, a), orient_2d(p, q, b));
        (one >= 0.0 && other <= 0.0) || (one <= 0.0 && other >= 0.0)
    };
    let boxes = p.min(q).cmple(a.max(b)).all() && a.min(b).cmple(p.max(q)).all();
    boxes && sides(p, q, a, b) && sides(a, b, p, q)
}

/// Whether neighbouring edges run back along each other, or one has no length.
fn folds((a, b): (DVec2, DVec2), (c, d): (DVec2, DVec2)) -> bool {
    let (before, joint, after) = if b == c { (a, b, d) } else { (c, a, b) };
    before == joint
        || joint == after
        || (orient_2d(before, joint, after) == 0.0 && (before - joint).dot(after - joint) > 0.0)
}

/// A prism over a regular polygon that passes for a cylinder, its axis along y.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cylinder {
    /// From the axis to the corners of the polygon.
    pub radius: f64,
    /// From cap to cap.
    pub height: f64,
    /// How many sides the polygon has.
    pub sides: u32,
    /// Into how many courses the side is cut.
    pub rings: u32,
    /// Into how many rings each cap is cut.
    pub cap_rings: u32,
}

impl Default for Cylinder {
    fn default() -> Cylinder {
        Cylinder { radius: 0.5, height: 1.0, sides: 32, rings: 1, cap_rings: 1 }
    }
}

impl Cylinder {
    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let check = Check("cylinder");
        check.length("radius", self.radius)?;
        check.length("height", self.height)?;
        check.count("sides", self.sides, 3..=1 << 20)?;
        check.count("rings", self.rings, 1..=1 << 20)?;
        check.count("cap_rings", self.cap_rings, 1..=1 << 20)?;
        check.budget(2 * u64::from(self.sides) * (u64::from(self.rings) + 2 * u64::from(self.cap_rings)))
    }

    /// The mesh.
    ///
    /// # Errors
    /// As [`Cylinder::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let part = |number: u32, of: u32| f64::from(number) / f64::from(of);
        let bottom = (0..self.cap_rings).map(|number| DVec2::new(self.radius * part(number, self.cap_rings), -0.5));
        let side = (0..=self.rings).map(|number| DVec2::new(self.radius, part(number, self.rings) - 0.5));
        let top = (0..self.cap_rings).rev().map(|number| DVec2::new(self.radius * part(number, self.cap_rings), 0.5));
        let profile: Vec<DVec2> =
            bottom.chain(side).chain(top).map(|point| DVec2::new(point.x, self.height * point.y)).collect();
        let rings = profile.iter().map(|&point| ring(point, self.sides)).collect();
        Ok(loft(rings, false))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_embedded, assert_solid};
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::{PI, TAU};

    /// The area of a regular polygon over the area of its circumscribed circle's square radius.
    fn polygon_area(sides: u32) -> f64 {
        0.5 * f64::from(sides) * (TAU / f64::from(sides)).sin()
    }

    #[test]
    fn a_cylinder_is_an_exact_prism() {
        for (sides, rings, cap_rings) in [(3, 1, 1), (10, 1, 1), (32, 5, 3), (150, 2, 4)] {
            let cylinder = Cylinder { radius: 0.4, height: 1.5, sides, rings, cap_rings };
            let mesh = cylinder.mesh().unwrap();
            assert_solid(&mesh, 1, 2);
            assert_embedded(&mesh);
            let mass = mesh.mass_properties();
            let base = 0.16 * polygon_area(sides);
            assert!((mass.volume - 1.5 * base).abs() < 1e-13);
            assert!(mass.centroid.length() < 1e-13);
            // The polar moment of a regular polygon of circumradius R: A R² (2 + cos(2π/n)) / 6.
            let polar = base * 0.16 * (2.0 + (TAU / f64::from(sides)).cos()) / 6.0;
            assert!((mass.inertia.y_axis.y - 1.5 * polar).abs() < 1e-13);
        }
    }

    #[test]
    fn revolving_obeys_pappus() {
        // A closed square profile: area times the way of its centroid; a polygon of n sides shortens the way by the
        // ratio of polygon to circle.
        let profile = [[0.8, -0.1], [1.0, -0.1], [1.0, 0.1], [0.8, 0.1]];
        for segments in [3, 12, 200] {
            let ring = revolve(&profile, true, segments).unwrap();
            assert_solid(&ring, 1, 0);
            assert_embedded(&ring);
            let pappus = 0.04 * TAU * 0.9;
            assert!((ring.volume() - pappus * polygon_area(segments) / PI).abs() < 1e-13);
        }
        let cone = revolve(&[[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]], false, 64).unwrap();
        assert_solid(&cone, 1, 2);
        assert!((cone.volume() - 2.0 * polygon_area(64) / 3.0).abs() < 1e-13);
        let reversed = revolve(&[[0.0, 2.0], [1.0, 0.0], [0.0, 0.0]], false, 64).unwrap();
        assert!((reversed.volume() - cone.volume()).abs() < 1e-14);
    }

    #[test]
    fn bad_profiles_are_refused() {
        let refused = |profile: &[[f64; 2]], closed| revolve(profile, closed, 16).unwrap_err().to_string();
        assert!(refused(&[[0.0, 0.0], [1.0, 0.0]], false).contains("number of profile points"));
        assert!(refused(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], false).contains("on the axis"));
        assert!(refused(&[[0.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], false).contains("radius"));
        assert!(refused(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], false).contains("crossing itself"));
        assert!(refused(&[[0.0, 0.0], [1.0, 0.0], [0.5, 0.0], [0.0, 1.0]], false).contains("crossing itself"));
        assert!(refused(&[[1.0, 0.0], [2.0, 0.0], [1.0, 0.0]], true).contains("crossing itself"));
        assert!(refused(&[[0.0, f64::NAN], [1.0, 0.0], [0.0, 1.0]], false).contains("height"));
        assert!(Cylinder { sides: 2, ..Cylinder::default() }.mesh().is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn any_star_shaped_ring_is_embedded(radii in prop::collection::vec(0.05f64..0.4, 3..12), segments in 3u32..16) {
            let count = radii.len() as f64;
            let profile: Vec<[f64; 2]> = radii.iter().enumerate().map(|(number, radius)| {
                let (sin, cos) = (TAU * number as f64 / count).sin_cos();
                [1.0 + radius * cos, radius * sin]
            }).collect();
            let mesh = revolve(&profile, true, segments).unwrap();
            assert_solid(&mesh, 1, 0);
            assert_embedded(&mesh);
        }
    }
}
