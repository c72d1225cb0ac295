//! Shelves.

use serde::{Deserialize, Serialize};

use super::super::TriMesh;
use super::error::{Check, ShapeError};
use super::rectilinear::{even_lines, grid_solid};

/// Two upright sides with boards between them, one solid. The default is near the 4,652 triangles of \[Glondu12\], Table 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shelf {
    /// Width (x), height (y) and depth (z) of the whole.
    pub size: [f64; 3],
    /// Of the boards and sides.
    pub thickness: f64,
    /// How many boards, the lowest at the bottom and the highest at the top.
    pub boards: u32,
    /// Whether a back panel (at the low end of z) closes it.
    pub back: bool,
    /// No cell of the surface is longer than this, as nearly as the boards allow.
    pub cell: f64,
}

impl Default for Shelf {
    fn default() -> Shelf {
        Shelf { size: [1.2, 0.9, 0.32], thickness: 0.03, boards: 3, back: false, cell: 0.041 }
    }
}

impl Shelf {
    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let check = Check("shelf");
        check.lengths("size", self.size)?;
        check.length("thickness", self.thickness)?;
        check.length("cell", self.cell)?;
        check.count("boards", self.boards, 2..=10_000)?;
        let room = [self.size[0] / 2.0, self.size[1] / f64::from(self.boards), self.size[2] / 2.0];
        let least = room.into_iter().fold(f64::INFINITY, f64::min);
        let expected = format!("less than 0.99 of {least}, so that there is room between the boards");
        check.require(self.thickness < 0.99 * least, "thickness", self.thickness, expected)?;
        let [x, y, z] = self.size.map(|size| (size / self.cell).ceil() + 2.0 * f64::from(self.boards) + 2.0);
        // The solid is found cell by cell, so the cells count too.
        check.budget((x * y * z).max(4.0 * f64::from(self.boards) * (x * y + y * z + z * x)).min(1e18) as u64)
    }

    /// The mesh.
    ///
    /// # Errors
    /// As [`Shelf::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let [x, y, z] = self.size.map(|size| 0.5 * size);
        let board = self.thickness;
        let across = self.lines(&[-x, -x + board, x - board, x]);
        let pitch = (2.0 * y - board) / f64::from(self.boards - 1);
        let edges: Vec<f64> = (0..self.boards)
            .flat_map(|number| [-y + f64::from(number) * pitch, -y + f64::from(number) * pitch + board])
            .collect();
        let up = self.lines(&edges);
        let deep = if self.back { self.lines(&[-z, -z + board, z]) } else { self.lines(&[-z, z]) };
        let solid = |[column, row, layer]: [u32; 3]| {
            across.1[column as usize] != 1
                || up.1[row as usize].is_multiple_of(2)
                || (self.back && deep.1[layer as usize] == 0)
        };
        Ok(grid_solid([&across.0, &up.0, &deep.0], solid))
    }

    /// Grid lines with every given edge among them, and for each cell the interval that it lies in.
    fn lines(&self, edges: &[f64]) -> (Vec<f64>, Vec<usize>) {
        let (mut lines, mut intervals) = (vec![edges[0]], Vec::new());
        for (interval, ends) in edges.windows(2).enumerate() {
            let cells = ((ends[1] - ends[0]) / self.cell).round().max(1.0) as u32;
            lines.extend_from_slice(&even_lines(ends[0], ends[1], cells)[1..]);
            intervals.extend((0..cells).map(|_| interval));
        }
        (lines, intervals)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_embedded, assert_solid};
    use super::*;

    #[test]
    fn a_shelf_has_a_hole_between_any_two_boards() {
        for (boards, cell) in [(2, 1.0), (3, 0.1), (5, 0.2)] {
            let shelf = Shelf { boards, cell, ..Shelf::default() };
            let mesh = shelf.mesh().unwrap();
            assert_solid(&mesh, 1, 2 - 2 * i64::from(boards - 1));
            assert_embedded(&mesh);
            let expected = 0.32 * (2.0 * 0.03 * 0.9 + f64::from(boards) * 0.03 * (1.2 - 0.06));
            assert!((mesh.volume() - expected).abs() < 1e-12);
            let closed = Shelf { back: true, ..shelf }.mesh().unwrap();
            assert_solid(&closed, 1, 2);
            assert_embedded(&closed);
        }
        let triangles = Shelf::default().mesh().unwrap().triangles.len() as f64;
        assert!((triangles / 4652.0 - 1.0).abs() < 0.05, "{triangles}");
        assert!(Shelf { thickness: 0.5, ..Shelf::default() }.mesh().is_err());
        assert!(Shelf { cell: 1e-6, ..Shelf::default() }.mesh().is_err());
    }
}
