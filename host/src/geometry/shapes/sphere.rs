//! Spheres.

use glam::{DVec2, DVec3};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

use super::super::TriMesh;
use super::error::{Check, ShapeError};
use super::loft::{loft, ring};

/// An icosahedron whose faces are cut into `frequency`² triangles each and blown up to a sphere.
///
/// ```
/// use fracas::geometry::shapes::Sphere;
///
/// let ball = Sphere { radius: 2.0, frequency: 11 }.mesh()?;
/// assert_eq!(ball.triangles.len(), 20 * 11 * 11);
/// # Ok::<(), fracas::geometry::shapes::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sphere {
    /// From the centre to the vertices.
    pub radius: f64,
    /// Into how many parts each edge of the icosahedron is cut.
    pub frequency: u32,
}

impl Default for Sphere {
    fn default() -> Sphere {
        Sphere { radius: 0.5, frequency: 8 }
    }
}

/// A sphere of meridians and parallels, with its poles on the y axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UvSphere {
    /// From the centre to the vertices.
    pub radius: f64,
    /// How many meridians.
    pub meridians: u32,
    /// How many bands from pole to pole.
    pub bands: u32,
}

impl Default for UvSphere {
    fn default() -> UvSphere {
        UvSphere { radius: 0.5, meridians: 32, bands: 16 }
    }
}

/// The faces of an icosahedron over [`corners`].
const FACES: [[u32; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

fn corners() -> [DVec3; 12] {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let (a, b) = (1.0, golden);
    [
        [-a, b, 0.0],
        [a, b, 0.0],
        [-a, -b, 0.0],
        [a, -b, 0.0],
        [0.0, -a, b],
        [0.0, a, b],
        [0.0, -a, -b],
        [0.0, a, -b],
        [b, 0.0, -a],
        [b, 0.0, a],
        [-b, 0.0, -a],
        [-b, 0.0, a],
    ]
    .map(|corner| DVec3::from_array(corner).normalize())
}

impl Sphere {
    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let check = Check("sphere");
        check.length("radius", self.radius)?;
        check.count("frequency", self.frequency, 1..=1 << 16)?;
        check.budget(20 * u64::from(self.frequency) * u64::from(self.frequency))
    }

    /// The mesh.
    ///
    /// # Errors
    /// As [`Sphere::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let n = self.frequency;
        let corners = corners();
        let mut directions = corners.to_vec();
        // The first inner point of each edge; points are numbered from its lower corner.
        let mut edges = FxHashMap::default();
        for face in FACES {
            for (a, b) in [(face[0], face[1]), (face[1], face[2]), (face[2], face[0])] {
                edges.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    let first = directions.len() as u32;
                    let (low, high) = (corners[a.min(b) as usize], corners[a.max(b) as usize]);
                    directions
                        .extend((1..n).map(|step| (low * f64::from(n - step) + high * f64::from(step)).normalize()));
                    first
                });
            }
        }
        let mut triangles = Vec::with_capacity(20 * n as usize * n as usize);
        for [a, b, c] in FACES {
            let inner = directions.len() as u32;
            // Rows of points run from a (row 0) to the edge from b to c (row n); in a row from the b side to the c side.
            let point = |row: u32, column: u32| {
                let on_edge = |from: u32, to: u32, step: u32| match step {
                    0 => from,
                    step if step == n => to,
                    step => edges[&(from.min(to), from.max(to))] + if from < to { step - 1 } else { n - step - 1 },
                };
                if column == 0 {
                    on_edge(a, b, row)
                } else if column == row {
                    on_edge(a, c, row)
                } else if row == n {
                    on_edge(b, c, column)
                } else {
                    inner + (row - 1) * (row - 2) / 2 + column - 1
                }
            };
            for row in 0..n {
                for column in 0..=row {
                    triangles.push([point(row, column), point(row + 1, column), point(row + 1, column + 1)]);
                    if column < row {
                        triangles.push([point(row, column), point(row + 1, column + 1), point(row, column + 1)]);
                    }
                }
            }
            let [a, b, c] = [a, b, c].map(|corner| corners[corner as usize]);
            for row in 2..n {
                for column in 1..row {
                    let (of_a, of_b, of_c) = (n - row, row - column, column);
                    directions.push((a * f64::from(of_a) + b * f64::from(of_b) + c * f64::from(of_c)).normalize());
                }
            }
        }
        Ok(ball(directions, triangles, self.radius))
    }
}

impl UvSphere {
    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let check = Check("uv sphere");
        check.length("radius", self.radius)?;
        check.count("meridians", self.meridians, 3..=1 << 20)?;
        check.count("bands", self.bands, 2..=1 << 20)?;
        check.budget(2 * u64::from(self.meridians) * u64::from(self.bands))
    }

    /// The mesh.
    ///
    /// # Errors
    /// As [`UvSphere::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let rings = (0..=self.bands).map(|band| {
            let (sin, cos) = (PI * f64::from(band) / f64::from(self.bands)).sin_cos();
            ring(DVec2::new(if band == 0 || band == self.bands { 0.0 } else { sin }, -cos), self.meridians)
        });
        let mesh = loft(rings.collect(), false);
        Ok(ball(mesh.positions, mesh.triangles, self.radius))
    }
}

fn ball(directions: Vec<DVec3>, triangles: Vec<[u32; 3]>, radius: f64) -> TriMesh {
    let normals = directions.iter().map(|direction| direction.as_vec3()).collect();
    let positions = directions.into_iter().map(|direction| radius * direction).collect();
    TriMesh { normals: Some(normals), ..TriMesh::new(positions, triangles) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_embedded, assert_solid, least_angles};
    use super::*;

    #[test]
    fn every_frequency_is_a_sphere() {
        let mut error = f64::INFINITY;
        for frequency in [1, 2, 3, 4, 7, 12] {
            let mesh = Sphere { radius: 1.5, frequency }.mesh().unwrap();
            assert_eq!(mesh.triangles.len() as u32, 20 * frequency * frequency);
            assert_solid(&mesh, 1, 2);
            assert_embedded(&mesh);
            assert!(least_angles(&mesh)[0] > 45.0);
            let mass = mesh.mass_properties();
            let volume = 4.0 / 3.0 * PI * 1.5f64.powi(3);
            let now = volume - mass.volume;
            assert!(now > 0.0 && now < error);
            error = now;
            assert!(mass.centroid.length() < 1e-13);
            assert!(
                (mass.inertia.x_axis.x / (0.4 * mass.volume * 1.5 * 1.5) - 1.0).abs()
                    < 2.5 / f64::from(frequency * frequency)
            );
        }
        assert!(error < 0.02 * 14.0);
    }

    #[test]
    fn meridians_and_parallels_make_a_sphere() {
        for (meridians, bands) in [(3, 2), (8, 5), (40, 20)] {
            let mesh = UvSphere { radius: 0.7, meridians, bands }.mesh().unwrap();
            assert_eq!(mesh.triangles.len() as u32, 2 * meridians * (bands - 1));
            assert_solid(&mesh, 1, 2);
            assert_embedded(&mesh);
        }
        assert!(UvSphere { bands: 1, ..UvSphere::default() }.mesh().is_err());
        assert!(Sphere { frequency: 0, ..Sphere::default() }.mesh().is_err());
        assert!(Sphere { frequency: 60_000, ..Sphere::default() }.mesh().is_err());
        assert!(Sphere { radius: f64::INFINITY, ..Sphere::default() }.mesh().is_err());
    }
}
