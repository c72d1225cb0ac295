//! Sheets without thickness.

use glam::{DVec3, Vec2, Vec3};
use serde::{Deserialize, Serialize};

use super::super::TriMesh;
use super::error::{Check, ShapeError};

/// A flat rectangular sheet in the xz plane, its upper side towards +y. The default has the 92K triangles of \[Heo10\].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cloth {
    /// Width (x) and depth (z).
    pub size: [f64; 2],
    /// How many cells along x and z, two triangles each.
    pub cells: [u32; 2],
}

impl Default for Cloth {
    fn default() -> Cloth {
        Cloth { size: [2.0, 2.0], cells: [215, 215] }
    }
}

impl Cloth {
    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let check = Check("cloth");
        self.size.into_iter().try_for_each(|size| check.length("size", size))?;
        self.cells.into_iter().try_for_each(|count| check.count("cells", count, 1..=1 << 22))?;
        check.budget(2 * u64::from(self.cells[0]) * u64::from(self.cells[1]))
    }

    /// The mesh. Diagonals alternate, so that the sheet is as stiff one way as the other.
    ///
    /// # Errors
    /// As [`Cloth::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let [columns, rows] = self.cells;
        let mut mesh = TriMesh::default();
        let mut uvs = Vec::new();
        for row in 0..=rows {
            for column in 0..=columns {
                let (u, v) = (f64::from(column) / f64::from(columns), f64::from(row) / f64::from(rows));
                mesh.positions.push(DVec3::new((u - 0.5) * self.size[0], 0.0, (v - 0.5) * self.size[1]));
                uvs.push(Vec2::new(u as f32, 1.0 - v as f32));
            }
        }
        for row in 0..rows {
            for column in 0..columns {
                let a = row * (columns + 1) + column;
                let [b, c, d] = [a + columns + 1, a + columns + 2, a + 1];
                if (row + column) % 2 == 0 {
                    mesh.triangles.extend([[a, b, c], [a, c, d]]);
                } else {
                    mesh.triangles.extend([[a, b, d], [b, c, d]]);
                }
            }
        }
        mesh.normals = Some(vec![Vec3::Y; mesh.positions.len()]);
        mesh.uvs = Some(uvs);
        Ok(mesh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_has_one_border_and_faces_up() {
        for cells in [[1, 1], [3, 2], [16, 9]] {
            let mesh = Cloth { size: [2.0, 3.0], cells }.mesh().unwrap();
            assert_eq!(mesh.check(), Ok(()));
            assert_eq!(mesh.triangles.len() as u32, 2 * cells[0] * cells[1]);
            assert!((mesh.area() - 6.0).abs() < 1e-12);
            assert!(mesh.vertex_normals().iter().all(|normal| (*normal - Vec3::Y).length() < 1e-6));
            let mut edges: Vec<[u32; 2]> =
                mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
            edges.sort_unstable();
            let border = edges.iter().filter(|[from, to]| edges.binary_search(&[*to, *from]).is_err()).count();
            assert_eq!(border as u32, 2 * (cells[0] + cells[1]));
            assert!(edges.windows(2).all(|pair| pair[0] != pair[1]));
        }
        assert!(Cloth { cells: [0, 5], ..Cloth::default() }.mesh().is_err());
        assert!(Cloth { cells: [1 << 20, 1 << 20], ..Cloth::default() }.mesh().is_err());
        assert!((Cloth::default().mesh().unwrap().triangles.len() as f64 / 92_000.0 - 1.0).abs() < 0.01);
    }
}
