//! Rings and chains of rings.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

use super::super::TriMesh;
use super::error::{Check, ShapeError};
use super::loft::{direction, loft};

/// A ring round the y axis. The default has the 1,600 triangles of \[Hermann08\], Figure 10.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Torus {
    /// From the axis to the middle of the tube.
    pub major_radius: f64,
    /// Of the tube.
    pub minor_radius: f64,
    /// How many points go round the axis.
    pub major_segments: u32,
    /// How many points go round the tube.
    pub minor_segments: u32,
}

impl Default for Torus {
    fn default() -> Torus {
        Torus { major_radius: 0.35, minor_radius: 0.1, major_segments: 40, minor_segments: 20 }
    }
}

impl Torus {
    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let check = Check("torus");
        check.length("major_radius", self.major_radius)?;
        check.length("minor_radius", self.minor_radius)?;
        let expected = format!("less than the major radius {}", self.major_radius);
        check.require(self.minor_radius < 0.999 * self.major_radius, "minor_radius", self.minor_radius, expected)?;
        check.count("major_segments", self.major_segments, 3..=1 << 20)?;
        check.count("minor_segments", self.minor_segments, 3..=1 << 20)?;
        check.budget(2 * u64::from(self.major_segments) * u64::from(self.minor_segments))
    }

    /// The mesh.
    ///
    /// # Errors
    /// As [`Torus::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let point = |major: u32, minor: u32| {
            let (around, across) = (direction(major, self.major_segments), direction(minor, self.minor_segments));
            let outward = DVec3::new(around.x, 0.0, -around.y);
            (outward, across.x * outward + across.y * DVec3::Y)
        };
        let rings = (0..self.minor_segments).map(|minor| {
            let along = |major| point(major, minor);
            (0..self.major_segments)
                .map(along)
                .map(|(outward, normal)| self.major_radius * outward + self.minor_radius * normal)
                .collect()
        });
        let mut mesh = loft(rings.collect(), true);
        let normals = (0..self.minor_segments)
            .flat_map(|minor| (0..self.major_segments).map(move |major| point(major, minor).1.as_vec3()));
        mesh.normals = Some(normals.collect());
        Ok(mesh)
    }
}

/// Rings hung into each other along x, each turned a quarter against its neighbours, none touching another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TorusChain {
    /// The shape of every link.
    pub link: Torus,
    /// How many links.
    pub links: u32,
    /// The least gap between the tubes of neighbours; it is a little more where the links are coarse.
    pub clearance: f64,
}

impl Default for TorusChain {
    fn default() -> TorusChain {
        TorusChain { link: Torus { minor_radius: 0.07, ..Torus::default() }, links: 8, clearance: 0.02 }
    }
}

impl TorusChain {
    /// Whether the parameters make a chain.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        self.link.check()?;
        let check = Check("chain of tori");
        check.length("clearance", self.clearance)?;
        check.count("links", self.links, 1..=1_000_000)?;
        // Every other link lies in the same plane, two pitches on.
        let room = 2.0 * self.inscribed_radius() - self.link.major_radius - 3.0 * self.link.minor_radius;
        check.require(
            self.clearance < room - 1e-9 * self.link.major_radius,
            "clearance",
            self.clearance,
            format!("less than {room}, which thinner tubes, a larger major radius or more major segments raise"),
        )?;
        let finest = 1e-13 * self.pitch() * f64::from(self.links);
        check.require(
            self.clearance > finest,
            "clearance",
            self.clearance,
            format!("more than {finest}, what rounding leaves of a gap at the ends of so long a chain"),
        )?;
        let each = 2 * u64::from(self.link.major_segments) * u64::from(self.link.minor_segments);
        check.budget(each.saturating_mul(u64::from(self.links)))
    }

    /// From the middle of one link to the next.
    ///
    /// A link lies within its minor radius of the polygon through the middle of its tube, and that polygon may come as
    /// near to the axis as its inscribed circle. Two such polygons, hung into each other at a right angle, are nowhere
    /// nearer to each other than twice the inscribed radius less the pitch.
    pub fn pitch(&self) -> f64 {
        2.0 * self.inscribed_radius() - 2.0 * self.link.minor_radius - self.clearance
    }

    fn inscribed_radius(&self) -> f64 {
        self.link.major_radius * (std::f64::consts::PI / f64::from(self.link.major_segments)).cos()
    }

    /// The links from -x to +x, the chain centred on the origin; the first lies in the xz plane.
    ///
    /// # Errors
    /// As [`TorusChain::check`].
    pub fn meshes(&self) -> Result<Vec<TriMesh>, ShapeError> {
        self.check()?;
        let flat = self.link.mesh()?;
        let place = |number: u32| {
            let shift = DVec3::X * self.pitch() * (f64::from(number) - 0.5 * f64::from(self.links - 1));
            let turn = if number.is_multiple_of(2) {
                DMat3::IDENTITY
            } else {
                DMat3::from_cols(DVec3::X, DVec3::Z, -DVec3::Y)
            };
            flat.clone().transformed(&glam::DAffine3::from_mat3_translation(turn, shift))
        };
        Ok((0..self.links).map(place).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::self_intersections;
    use super::super::testing::{assert_embedded, assert_solid};
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn a_torus_converges_to_the_closed_form() {
        let (major_radius, minor_radius) = (0.8, 0.3);
        let volume = 2.0 * PI * PI * major_radius * minor_radius * minor_radius;
        let mut last = f64::INFINITY;
        for segments in [3, 8, 20, 40] {
            let torus = Torus { major_radius, minor_radius, major_segments: 2 * segments, minor_segments: segments };
            let mesh = torus.mesh().unwrap();
            assert_eq!(mesh.triangles.len() as u32, 4 * segments * segments);
            assert_solid(&mesh, 1, 0);
            assert_embedded(&mesh);
            let error = volume - mesh.volume();
            assert!(error > 0.0 && error < last);
            last = error;
        }
        assert!(last < 0.01 * volume);
        assert_eq!(Torus::default().mesh().unwrap().triangles.len(), 1600);
    }

    #[test]
    fn links_hang_in_each_other_without_touching() {
        let link = Torus { major_segments: 24, minor_segments: 10, ..TorusChain::default().link };
        let chain = TorusChain { links: 4, link, ..TorusChain::default() };
        let meshes = chain.meshes().unwrap();
        let mut whole = TriMesh::default();
        meshes.iter().for_each(|mesh| whole.append(mesh));
        assert_solid(&whole, 4, 0);
        assert_embedded(&whole);
        assert!(whole.mass_properties().centroid.length() < 1e-12);
        // The second link passes through the hole of the first: its leftmost point is inside of the first's circle.
        assert!(meshes[1].aabb().min.x < meshes[0].aabb().max.x - 2.0 * chain.link.minor_radius);
        let least = meshes[0].positions.iter().flat_map(|p| meshes[1].positions.iter().map(move |q| p.distance(*q)));
        assert!(least.fold(f64::INFINITY, f64::min) >= chain.clearance - 1e-12);
        assert!(TorusChain { clearance: 0.2, ..TorusChain::default() }.meshes().is_err());
        assert!(Torus { minor_radius: 0.35, ..Torus::default() }.mesh().is_err());
    }
    #[test]
    fn links_of_few_segments_do_not_cross() {
        let coarse = Torus { major_radius: 1.0, minor_radius: 0.3, major_segments: 3, minor_segments: 3 };
        let chain = TorusChain { link: coarse, links: 5, clearance: 1e-6 };
        assert!(chain.meshes().is_err(), "triangles of such thick tubes cannot hang in each other");
        let mut accepted = 0;
        for major_segments in [4, 5, 6, 7, 9, 12, 31] {
            for minor_segments in [3, 4, 7] {
                for minor_radius in [0.01, 0.05, 0.13, 0.2, 0.31] {
                    let link = Torus { major_radius: 1.0, minor_radius, major_segments, minor_segments };
                    for clearance in [1e-6, 0.02, 0.09, 0.3] {
                        let Ok(meshes) = TorusChain { link: link.clone(), links: 5, clearance }.meshes() else {
                            continue;
                        };
                        accepted += 1;
                        let mut whole = TriMesh::default();
                        meshes.iter().for_each(|mesh| whole.append(mesh));
                        assert_eq!(self_intersections(&whole), [[0; 2]; 0], "{link:?} {clearance}");
                    }
                }
            }
        }
        assert!(accepted > 150, "{accepted}");
    }

    #[test]
    fn a_chain_too_long_for_its_clearance_is_refused() {
        let link = Torus { major_radius: 1e6, minor_radius: 1.0, major_segments: 8, minor_segments: 3 };
        assert!(TorusChain { link, links: 100_000, clearance: 1e-3 }.check().is_err());
    }
}
