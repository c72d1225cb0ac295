//! Surfaces of solids made of the cells of a rectilinear grid: boxes, boards, bricks.

use glam::DVec3;
use rustc_hash::FxHashMap;

use super::super::TriMesh;

/// One side of one cell.
#[derive(Clone, Copy)]
struct Side {
    cell: [u32; 3],
    axis: usize,
    /// Whether it is the side with the higher coordinate.
    upper: bool,
}

/// Collects sides of cells and numbers the grid points they share in the order in which they are first met.
struct SideMesh<'a> {
    lines: [&'a [f64]; 3],
    vertices: FxHashMap<[u32; 3], u32>,
    mesh: TriMesh,
}

impl SideMesh<'_> {
    fn new(lines: [&[f64]; 3]) -> SideMesh<'_> {
        SideMesh { lines, vertices: FxHashMap::default(), mesh: TriMesh::default() }
    }

    fn vertex(&mut self, grid: [u32; 3]) -> u32 {
        let SideMesh { lines, vertices, mesh } = self;
        *vertices.entry(grid).or_insert_with(|| {
            let [x, y, z] = [0, 1, 2].map(|axis| lines[axis][grid[axis] as usize]);
            mesh.positions.push(DVec3::new(x, y, z));
            mesh.positions.len() as u32 - 1
        })
    }

    fn push(&mut self, side: Side) {
        let (u, v) = ((side.axis + 1) % 3, (side.axis + 2) % 3);
        let corner = |along_u: u32, along_v: u32| {
            let mut grid = side.cell;
            grid[side.axis] += u32::from(side.upper);
            grid[u] += along_u;
            grid[v] += along_v;
            grid
        };
        let mut corners = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)].map(|grid| self.vertex(grid));
        if !side.upper {
            corners.reverse();
        }
        let [a, b, c, d] = corners;
        self.mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
}

/// `cells + 1` evenly spaced lines from `low` to `high`, both ends exact.
pub(super) fn even_lines(low: f64, high: f64, cells: u32) -> Vec<f64> {
    (0..=cells)
        .map(|line| if line == cells { high } else { low + (high - low) * f64::from(line) / f64::from(cells) })
        .collect()
}

/// The surface of the box that the grid fills, one pair of triangles to a side of a cell.
pub(super) fn grid_box(lines: [&[f64]; 3]) -> TriMesh {
    let counts = lines.map(|lines| lines.len() as u32 - 1);
    let mut mesh = SideMesh::new(lines);
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for upper in [false, true] {
            for along_v in 0..counts[v] {
                for along_u in 0..counts[u] {
                    let mut cell = [0; 3];
                    cell[axis] = if upper { counts[axis] - 1 } else { 0 };
                    cell[u] = along_u;
                    cell[v] = along_v;
                    mesh.push(Side { cell, axis, upper });
                }
            }
        }
    }
    mesh.mesh
}

/// The surface of the filled cells. Cells that meet only along an edge or in a point would make it non-manifold there;
/// the caller's pattern has none.
pub(super) fn grid_solid(lines: [&[f64]; 3], filled: impl Fn([u32; 3]) -> bool) -> TriMesh {
    let counts = lines.map(|lines| lines.len() as u32 - 1);
    let mut mesh = SideMesh::new(lines);
    for z in 0..counts[2] {
        for y in 0..counts[1] {
            for x in 0..counts[0] {
                let cell = [x, y, z];
                if !filled(cell) {
                    continue;
                }
                for axis in 0..3 {
                    for upper in [false, true] {
                        let border = if upper { counts[axis] - 1 } else { 0 };
                        let mut neighbour = cell;
                        if cell[axis] != border {
                            neighbour[axis] = if upper { cell[axis] + 1 } else { cell[axis] - 1 };
                        }
                        if cell[axis] == border || !filled(neighbour) {
                            mesh.push(Side { cell, axis, upper });
                        }
                    }
                }
            }
        }
    }
    mesh.mesh
}
