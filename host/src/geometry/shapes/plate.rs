//! Plates and dishes.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

use super::super::TriMesh;
use super::error::{Check, ShapeError};
use super::loft::{graded_counts, loft, ring};

/// A plate with a rim and a foot ring, lying in the xz plane with its open side up.
///
/// The default is near the 5,392 triangles of \[Glondu12\], Table 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plate {
    /// From the axis to the outer edge.
    pub radius: f64,
    /// How far the rim stands above the middle.
    pub depth: f64,
    /// Of the clay.
    pub thickness: f64,
    /// How many points the outer edge has.
    pub segments: u32,
    /// How many rings each side is cut into.
    pub rings: u32,
}

impl Default for Plate {
    fn default() -> Plate {
        Plate { radius: 0.13, depth: 0.022, thickness: 0.005, segments: 104, rings: 20 }
    }
}

/// A deep round dish or bowl with its open side up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dish {
    /// From the axis to the outer edge.
    pub radius: f64,
    /// How far the rim stands above the middle.
    pub depth: f64,
    /// Of the clay.
    pub thickness: f64,
    /// How many points the outer edge has.
    pub segments: u32,
    /// How many rings each side is cut into.
    pub rings: u32,
}

impl Default for Dish {
    fn default() -> Dish {
        Dish { radius: 0.12, depth: 0.07, thickness: 0.006, segments: 64, rings: 16 }
    }
}

/// Zero below `from`, one above `to`, smooth between.
fn smooth_step(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

impl Plate {
    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        check_bowl(Check("plate"), [self.radius, self.depth, self.thickness], [self.segments, self.rings])
    }

    /// The mesh.
    ///
    /// # Errors
    /// As [`Plate::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let foot = |x: f64| 0.8 * self.thickness * smooth_step(0.5, 0.55, x) * (1.0 - smooth_step(0.57, 0.62, x));
        let middle = |x: f64| self.depth * (0.75 * smooth_step(0.55, 0.8, x) + 0.25 * smooth_step(0.7, 1.4, x) * 2.0);
        Ok(bowl(
            &Bowl { radius: self.radius, thickness: self.thickness, middle: &middle, foot: &foot },
            self.segments,
            self.rings,
        ))
    }
}

impl Dish {
    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        check_bowl(Check("dish"), [self.radius, self.depth, self.thickness], [self.segments, self.rings])
    }

    /// The mesh.
    ///
    /// # Errors
    /// As [`Dish::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let foot = |x: f64| self.thickness * smooth_step(0.25, 0.3, x) * (1.0 - smooth_step(0.36, 0.42, x));
        let middle = |x: f64| self.depth * (0.75 * x * x + 0.25 * x.powi(4));
        Ok(bowl(
            &Bowl { radius: self.radius, thickness: self.thickness, middle: &middle, foot: &foot },
            self.segments,
            self.rings,
        ))
    }
}

fn check_bowl(check: Check, lengths: [f64; 3], counts: [u32; 2]) -> Result<(), ShapeError> {
    let [radius, depth, thickness] = lengths;
    check.length("radius", radius)?;
    check.range("depth", depth, 0.0..=2.0 * radius)?;
    check.length("thickness", thickness)?;
    check.require(
        thickness <= 0.25 * radius,
        "thickness",
        thickness,
        format!("at most a quarter of the radius {radius}"),
    )?;
    check.count("segments", counts[0], 3..=1 << 20)?;
    check.count("rings", counts[1], 2..=1 << 16)?;
    check.budget(4 * u64::from(counts[0]) * u64::from(counts[1] + 8))
}

struct Bowl<'a> {
    radius: f64,
    thickness: f64,
    /// The height of the sheet's middle over the part of the radius.
    middle: &'a dyn Fn(f64) -> f64,
    /// How much the underside bulges down there.
    foot: &'a dyn Fn(f64) -> f64,
}

impl Bowl<'_> {
    /// How far each side is from the middle, measured upwards. Across a slope this must be more for the sheet to be as
    /// thick measured across.
    fn offset(&self, number: u32, rings: u32) -> f64 {
        let x = f64::from(number) / f64::from(rings);
        let slope = ((self.middle)(x + 1e-4) - (self.middle)(x - 1e-4)) / (2e-4 * self.radius);
        let stretch = if number == rings { 1.0 } else { (1.0 + slope * slope).sqrt().min(2.5) };
        0.5 * self.thickness * stretch
    }
}

/// Both sides are graphs of a height over one and the same triangulation of a disc, seen from above, and at each of its
/// vertices one is above the other: so it is everywhere, and they cannot cross however steep and thin the sheet is.
/// The rim lies outside of that disc.
fn bowl(shape: &Bowl<'_>, segments: u32, rings: u32) -> TriMesh {
    let half = 0.5 * shape.thickness;
    // The rim is half a circle of this radius beyond the last ring.
    let reach = shape.radius - half;
    let upper_side: Vec<DVec2> = (0..=rings)
        .map(|number| {
            let x = f64::from(number) / f64::from(rings);
            DVec2::new(reach * x, (shape.middle)(x) + shape.offset(number, rings))
        })
        .collect();
    let counts = graded_counts(&upper_side, segments);
    let edge = counts[rings as usize];
    let rim_points = 4u32;
    let rim = (1..rim_points).map(|number| {
        let (sin, cos) = (PI * f64::from(number) / f64::from(rim_points)).sin_cos();
        ring(DVec2::new(reach + half * sin, (shape.middle)(1.0) + half * cos), edge)
    });
    let rings_down = upper_side.iter().zip(&counts).map(|(&point, &count)| ring(point, count)).chain(rim);
    // Downwards from the pole of the upper side to the last ring of the rim; outside is to the left of that way.
    let mut mesh = loft(rings_down.collect(), false);
    mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    let upper: u32 = 1 + counts[1..].iter().sum::<u32>();
    let lower_start = mesh.positions.len() as u32;
    for (number, &count) in (0..=rings).zip(&counts) {
        let x = f64::from(number) / f64::from(rings);
        let height = (shape.middle)(x) - shape.offset(number, rings) - (shape.foot)(x);
        let point = DVec2::new(upper_side[number as usize].x, height);
        mesh.positions.extend(ring(point, count));
    }
    let under: Vec<[u32; 3]> = mesh
        .triangles
        .iter()
        .filter(|triangle| triangle.iter().all(|&vertex| vertex < upper))
        .map(|&[a, b, c]| [a + lower_start, c + lower_start, b + lower_start])
        .collect();
    mesh.triangles.extend(under);
    let (from, to) = (lower_start - edge, lower_start + upper - edge);
    for segment in 0..edge {
        let next = (segment + 1) % edge;
        let [a, b, c, d] = [from + segment, from + next, to + next, to + segment];
        mesh.triangles.extend([[a, d, c], [a, c, b]]);
    }
    let bounds = mesh.aabb();
    let lift = DVec3::new(0.0, 0.5 * (bounds.min.y + bounds.max.y), 0.0);
    mesh.positions.iter_mut().for_each(|position| *position -= lift);
    mesh.normals = Some(mesh.vertex_normals());
    mesh
}

#[cfg(test)]
mod tests {
    use super::super::super::self_intersections;
    use super::super::testing::{assert_embedded, assert_solid};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plates_and_dishes_are_solid_at_any_resolution() {
        for (segments, rings) in [(3, 2), (17, 4), (48, 9), (96, 19)] {
            let plate = Plate { segments, rings, ..Plate::default() }.mesh().unwrap();
            assert_solid(&plate, 1, 2);
            assert_embedded(&plate);
            let dish = Dish { segments, rings, ..Dish::default() }.mesh().unwrap();
            assert_solid(&dish, 1, 2);
            assert_embedded(&dish);
        }
        let triangles = Plate::default().mesh().unwrap().triangles.len() as f64;
        assert!((triangles / 5392.0 - 1.0).abs() < 0.03, "{triangles}");
    }

    #[track_caller]
    fn assert_uncrossed(mesh: &TriMesh) {
        assert_solid(mesh, 1, 2);
        assert_eq!(self_intersections(mesh), [[0; 2]; 0]);
    }

    #[test]
    fn deep_and_thin_bowls_do_not_cross_themselves() {
        let plate = |depth, thickness, segments, rings| {
            assert_uncrossed(&Plate { radius: 1.0, depth, thickness, segments, rings }.mesh().unwrap());
        };
        let dish = |depth, thickness, segments, rings| {
            assert_uncrossed(&Dish { radius: 1.0, depth, thickness, segments, rings }.mesh().unwrap());
        };
        plate(2.0, 0.05, 64, 16);
        plate(1.0, 0.03, 24, 4);
        plate(1.5, 1e-6, 24, 12);
        dish(1.0, 0.01, 24, 4);
        dish(2.0, 0.05, 24, 12);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        /// Over all that is accepted, lengths by their logarithm.
        #[test]
        fn no_accepted_bowl_crosses_itself(
            size in -5.0..6.0f64, depth in 0.0..=2.0f64, thinness in 0.0..1.0f64, segments in 3u32..50, rings in 2u32..20
        ) {
            let radius = 10f64.powf(size);
            let thickness = 1e-6 * (0.25 * radius / 1e-6).powf(thinness);
            let depth = depth * radius;
            assert_uncrossed(&Plate { radius, depth, thickness, segments, rings }.mesh().unwrap());
            assert_uncrossed(&Dish { radius, depth, thickness, segments, rings }.mesh().unwrap());
        }
    }

    #[test]
    fn bad_plates_are_refused() {
        assert!(Plate { thickness: 0.1, ..Plate::default() }.mesh().is_err());
        assert!(Dish { segments: u32::MAX, ..Dish::default() }.mesh().is_err());
    }
}
