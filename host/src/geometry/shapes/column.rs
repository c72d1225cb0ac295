//! Fluted columns.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::super::TriMesh;
use super::error::{Check, ShapeError};
use super::loft::{Ring, direction, loft};

/// A column on a square plinth: two round mouldings, a fluted shaft that swells and tapers, and a capital under a
/// square slab; one solid, standing on y = 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Column {
    /// From the ground to the top of the slab.
    pub height: f64,
    /// Of the shaft at its foot.
    pub radius: f64,
    /// How many flutes go round; a multiple of 4, so that the corners of the square parts are met.
    pub flutes: u32,
    /// How many points a flute has; even.
    pub flute_points: u32,
    /// How many courses the shaft is cut into.
    pub courses: u32,
    /// How deep the flutes are, as a part of the radius.
    pub flute_depth: f64,
}

impl Default for Column {
    fn default() -> Column {
        Column { height: 4.0, radius: 0.3, flutes: 20, flute_points: 6, courses: 40, flute_depth: 0.07 }
    }
}

/// The outline of a ring.
#[derive(Clone, Copy)]
enum Outline {
    /// A square, by half of its side.
    Square(f64),
    /// A circle, by its radius, with a part of the flutes' depth taken out.
    Round(f64, f64),
}

/// How much narrower the shaft is at the top.
const TAPER: f64 = 0.16;

impl Column {
    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let check = Check("column");
        check.length("height", self.height)?;
        check.length("radius", self.radius)?;
        let slender = self.height >= 4.0 * self.radius;
        check.require(slender, "height", self.height, format!("at least four radii, {}", 4.0 * self.radius))?;
        check.count("flutes", self.flutes, 4..=1 << 16)?;
        check.require(self.flutes.is_multiple_of(4), "flutes", self.flutes, "a multiple of 4")?;
        check.count("flute_points", self.flute_points, 2..=1 << 10)?;
        check.require(self.flute_points.is_multiple_of(2), "flute_points", self.flute_points, "an even number")?;
        check.count("courses", self.courses, 1..=1 << 20)?;
        check.range("flute_depth", self.flute_depth, 0.0..=0.4)?;
        check.budget(2 * u64::from(self.flutes) * u64::from(self.flute_points) * (u64::from(self.courses) + 40))
    }

    /// The mesh.
    ///
    /// Every ring is star-shaped round the axis and lies above the one before, so that each pair of triangles has a
    /// slice of a wedge to itself and none can cross another, whatever the parameters.
    ///
    /// # Errors
    /// As [`Column::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let points = self.flutes * self.flute_points;
        let mut rings: Vec<Ring> = vec![vec![DVec3::ZERO]];
        for (height, outline) in self.outlines() {
            rings.push((0..points).map(|point| self.at(height, outline, point, points)).collect());
        }
        rings.push(vec![DVec3::new(0.0, self.height, 0.0)]);
        Ok(loft(rings, false))
    }

    fn at(&self, height: f64, outline: Outline, point: u32, points: u32) -> DVec3 {
        let direction = direction(point, points);
        let radius = match outline {
            Outline::Square(half) => half / direction.abs().max_element(),
            Outline::Round(radius, fluting) => radius * (1.0 - fluting * self.flute_depth * self.hollow(point)),
        };
        DVec3::new(radius * direction.x, height, -radius * direction.y)
    }

    /// The depth of a flute at one of its points, from 0 on the ridge to 1.
    fn hollow(&self, point: u32) -> f64 {
        // A quarter of each flute is the flat ridge; what is left is half an ellipse.
        let part = f64::from(point % self.flute_points) / f64::from(self.flute_points);
        let across = ((part - 0.125).abs().max(0.125) - 0.125) / 0.75;
        let along = 2.0 * across - 1.0;
        (1.0 - along * along).max(0.0).sqrt()
    }

    /// Outlines from the ground up, in heights that strictly grow.
    fn outlines(&self) -> Vec<(f64, Outline)> {
        use Outline::{Round, Square};
        let r = self.radius;
        // The smallest step, for edges that should look level.
        let step = 0.004 * r;
        let mut outlines = vec![(0.0, Square(1.36 * r)), (0.34 * r, Square(1.36 * r))];
        // Torus, scotia, torus: bulges and a hollow by their part of a half turn.
        let mut moulding = |from: f64, to: f64, base: f64, bulge: f64, steps: u32| {
            for number in 0..=steps {
                let part = f64::from(number) / f64::from(steps);
                let turn = std::f64::consts::PI * part;
                outlines.push((
                    r * (from + (to - from) * 0.5 * (1.0 - turn.cos())),
                    Round(r * (base + bulge * turn.sin()), 0.0),
                ));
            }
        };
        moulding(0.34 + 0.004, 0.60, 1.22, 0.13, 6);
        moulding(0.62, 0.74, 1.16, -0.05, 4);
        moulding(0.76, 0.92, 1.12, 0.08, 5);
        let foot = 0.96 * r;
        let capital = self.height - 0.95 * r;
        outlines.push((foot, Round(1.08 * r, 0.0)));
        let fade = 0.22 * r;
        let swelling = |part: f64| r * (1.0 - TAPER * part.powf(1.8) + 0.012 * (std::f64::consts::PI * part).sin());
        let shaft = |part: f64, fluting: f64| {
            (foot + step + (capital - foot - 2.0 * step) * part, Round(swelling(part), fluting))
        };
        // The flutes begin and end in a quarter round, so the ends of the shaft have rings of their own.
        let part_of_fade = fade / (capital - foot);
        outlines.push(shaft(0.0, 0.0));
        outlines.push(shaft(0.5 * part_of_fade, 0.0));
        outlines.push(shaft(0.7 * part_of_fade, 0.75));
        for course in 0..=self.courses {
            let part = f64::from(course) / f64::from(self.courses);
            outlines.push(shaft(part_of_fade + (1.0 - 2.0 * part_of_fade) * part, 1.0));
        }
        outlines.push(shaft(1.0 - 0.7 * part_of_fade, 0.75));
        outlines.push(shaft(1.0 - 0.5 * part_of_fade, 0.0));
        outlines.push(shaft(1.0, 0.0));
        let top = swelling(1.0);
        outlines.push((capital, Round(top + 0.06 * r, 0.0)));
        outlines.push((capital + 0.05 * r, Round(top + 0.09 * r, 0.0)));
        outlines.push((capital + 0.10 * r, Round(top + 0.06 * r, 0.0)));
        outlines.push((capital + 0.10 * r + step, Round(top + 0.01 * r, 0.0)));
        outlines.push((capital + 0.28 * r, Round(top + 0.01 * r, 0.0)));
        outlines.push((capital + 0.28 * r + step, Round(top + 0.05 * r, 0.0)));
        for number in 0..=5 {
            let turn = std::f64::consts::FRAC_PI_2 * f64::from(number) / 5.0;
            outlines.push((
                capital + r * (0.33 + 0.27 * (1.0 - turn.cos())),
                Round(top + r * (0.07 + 0.32 * turn.sin()), 0.0),
            ));
        }
        outlines.push((capital + 0.62 * r, Square(1.3 * r)));
        outlines.push((capital + 0.80 * r, Square(1.3 * r)));
        outlines.push((capital + 0.80 * r + step, Square(1.38 * r)));
        outlines.push((self.height, Square(1.38 * r)));
        outlines
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_embedded, assert_solid};
    use super::*;

    #[test]
    fn columns_are_solid_at_any_resolution() {
        for (flutes, flute_points, courses) in [(4, 2, 1), (16, 4, 5), (24, 8, 12)] {
            let column = Column { flutes, flute_points, courses, ..Column::default() };
            let outlines = column.outlines();
            assert!(outlines.windows(2).all(|pair| pair[0].0 < pair[1].0), "rings do not rise");
            let mesh = column.mesh().unwrap();
            assert_solid(&mesh, 1, 2);
            assert_embedded(&mesh);
            assert!((mesh.aabb().max.y - 4.0).abs() < 1e-12 && mesh.aabb().min.y == 0.0);
            let core = std::f64::consts::PI * 0.09 * 4.0;
            assert!(mesh.volume() > 0.6 * core && mesh.volume() < 1.3 * core, "{} of {core}", mesh.volume());
        }
        let shortest = Column { height: 1.2, ..Column::default() };
        assert_solid(&shortest.mesh().unwrap(), 1, 2);
        assert!(shortest.outlines().windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(Column { flutes: 22, ..Column::default() }.mesh().is_err());
        assert!(Column { flute_points: 3, ..Column::default() }.mesh().is_err());
        assert!(Column { height: 1.0, ..Column::default() }.mesh().is_err());
    }
}
