//! Boxes, panes and bricks.

use glam::{DAffine3, DVec3};
use serde::{Deserialize, Serialize};

use super::super::TriMesh;
use super::error::{Check, ShapeError};
use super::rectilinear::{even_lines, grid_box};

/// A box of the given size around the origin: 8 vertices, 12 triangles.
pub fn cuboid(size: DVec3) -> TriMesh {
    let half = 0.5 * size.abs();
    grid_box([&[-half.x, half.x], &[-half.y, half.y], &[-half.z, half.z]])
}

/// A box around the origin whose sides are cut into cells, two triangles to a cell.
///
/// ```
/// use fracas::geometry::shapes;
/// use glam::DVec3;
///
/// let wall = shapes::subdivided_cuboid(DVec3::new(4.0, 3.0, 0.2), [40, 30, 2])?;
/// assert_eq!(wall.triangles.len(), 2 * 2 * (40 * 30 + 30 * 2 + 2 * 40));
/// # Ok::<(), shapes::ShapeError>(())
/// ```
///
/// # Errors
/// A size or a count that is out of range.
pub fn subdivided_cuboid(size: DVec3, cells: [u32; 3]) -> Result<TriMesh, ShapeError> {
    Cuboid { size: size.to_array(), cells }.mesh()
}

/// A box around the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cuboid {
    /// Width (x), height (y) and depth (z).
    pub size: [f64; 3],
    /// How many cells each side has along x, y and z.
    pub cells: [u32; 3],
}

impl Default for Cuboid {
    fn default() -> Cuboid {
        Cuboid { size: [1.0; 3], cells: [1; 3] }
    }
}

impl Cuboid {
    /// A window pane or a wall in the xy plane, in cells as nearly square as its size allows.
    pub fn pane(width: f64, height: f64, thickness: f64, cells_along_width: u32) -> Cuboid {
        let cell = width / f64::from(cells_along_width.max(1));
        // A cast of what is out of range saturates, and the check then refuses it.
        let cells = |length: f64| (length / cell).round().max(1.0) as u32;
        Cuboid { size: [width, height, thickness], cells: [cells_along_width, cells(height), cells(thickness)] }
    }

    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let check = Check("cuboid");
        check.lengths("size", self.size)?;
        check_cells(check, self.cells)
    }

    /// The mesh.
    ///
    /// # Errors
    /// As [`Cuboid::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let lines = [0, 1, 2].map(|axis| even_lines(-0.5 * self.size[axis], 0.5 * self.size[axis], self.cells[axis]));
        Ok(grid_box([&lines[0], &lines[1], &lines[2]]))
    }
}

fn check_cells(check: Check, cells: [u32; 3]) -> Result<(), ShapeError> {
    cells.into_iter().try_for_each(|count| check.count("cells", count, 1..=1 << 22))?;
    let [x, y, z] = cells.map(u64::from);
    check.budget(4 * (x * y + y * z + z * x))
}

/// A brick: a box with rounded edges, each edge two bevels wide.
///
/// The default is a standard brick in the 468 triangles of \[Glondu12\], Table 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Brick {
    /// Width (x), height (y) and depth (z), bevels included.
    pub size: [f64; 3],
    /// The radius of the edges.
    pub bevel: f64,
    /// How many cells the flat part of each side has along x, y and z.
    pub cells: [u32; 3],
}

impl Default for Brick {
    fn default() -> Brick {
        Brick { size: [0.215, 0.065, 0.1025], bevel: 0.004, cells: [9, 1, 4] }
    }
}

impl Brick {
    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let check = Check("brick");
        check.lengths("size", self.size)?;
        check.length("bevel", self.bevel)?;
        let least = self.size.into_iter().fold(f64::INFINITY, f64::min);
        check.require(
            self.bevel < 0.49 * least,
            "bevel",
            self.bevel,
            format!("less than 0.49 of the least side {least}"),
        )?;
        check_cells(check, self.cells.map(|count| count.saturating_add(2)))
    }

    /// The mesh.
    ///
    /// # Errors
    /// As [`Brick::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let core = 0.5 * DVec3::from_array(self.size) - self.bevel;
        let lines = [0, 1, 2].map(|axis| {
            let mut lines = even_lines(-core[axis], core[axis], self.cells[axis]);
            lines.insert(0, -core[axis] - self.bevel);
            lines.push(core[axis] + self.bevel);
            lines
        });
        let mut mesh = grid_box([&lines[0], &lines[1], &lines[2]]);
        let mut normals = Vec::with_capacity(mesh.positions.len());
        for position in &mut mesh.positions {
            // The border of the grid lies a bevel outside of the core box; pulling it onto the ball around the nearest
            // point of the core rounds the edges and corners and leaves the flat sides where they are.
            let nearest = position.clamp(-core, core);
            let outward = (*position - nearest).normalize();
            let flat = outward.abs().max_element() == 1.0;
            if !flat {
                *position = nearest + self.bevel * outward;
            }
            normals.push(outward.as_vec3());
        }
        mesh.normals = Some(normals);
        Ok(mesh)
    }
}

/// A wall of bricks in running bond: every other course is shifted by half a brick, its ends filled with half bricks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BrickWall {
    /// The brick, whose width runs along the wall.
    pub brick: Brick,
    /// How many bricks a course is long.
    pub columns: u32,
    /// How many courses the wall is high.
    pub rows: u32,
    /// The gap between neighbours where mortar would be; nothing is made there.
    pub mortar: f64,
}

impl Default for BrickWall {
    fn default() -> BrickWall {
        BrickWall { brick: Brick::default(), columns: 8, rows: 12, mortar: 0.01 }
    }
}

/// One brick of a wall.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedBrick {
    /// The brick around its own origin.
    pub mesh: TriMesh,
    /// Where its origin is in the wall.
    pub offset: DVec3,
}

impl PlacedBrick {
    /// The brick where it stands.
    pub fn in_place(&self) -> TriMesh {
        self.mesh.clone().transformed(&DAffine3::from_translation(self.offset))
    }
}

impl BrickWall {
    /// Whether the parameters make a wall.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        self.brick.check()?;
        let check = Check("wall of bricks");
        check.range("mortar", self.mortar, 0.0..=1e6)?;
        let half_width = 0.5 * (self.brick.size[0] - self.mortar);
        let expected = "so thin that half a brick stays wider than its two bevels";
        check.require(0.49 * half_width > self.brick.bevel, "mortar", self.mortar, expected)?;
        check.count("columns", self.columns, 1..=100_000)?;
        check.count("rows", self.rows, 1..=100_000)?;
        let [x, y, z] = self.brick.cells.map(|count| u64::from(count) + 2);
        check.budget((4 * (x * y + y * z + z * x)).saturating_mul(u64::from(self.columns + 1) * u64::from(self.rows)))
    }

    /// The bricks, course by course from the ground up; the wall stands on y = 0, centred on the y axis.
    ///
    /// # Errors
    /// As [`BrickWall::check`].
    pub fn bricks(&self) -> Result<Vec<PlacedBrick>, ShapeError> {
        self.check()?;
        let [width, height, _] = self.brick.size;
        let pitch = width + self.mortar;
        let length = f64::from(self.columns) * pitch - self.mortar;
        let whole = self.brick.mesh()?;
        let mut half_brick = self.brick.clone();
        half_brick.size[0] = 0.5 * (width - self.mortar);
        half_brick.cells[0] = (half_brick.cells[0] / 2).max(1);
        let half = half_brick.mesh()?;
        let mut bricks = Vec::new();
        for row in 0..self.rows {
            let y = (f64::from(row) + 0.5) * height + f64::from(row) * self.mortar;
            let mut place = |mesh: &TriMesh, x: f64| {
                bricks.push(PlacedBrick { mesh: mesh.clone(), offset: DVec3::new(x - 0.5 * length, y, 0.0) });
            };
            if row % 2 == 0 {
                (0..self.columns).for_each(|column| place(&whole, f64::from(column) * pitch + 0.5 * width));
            } else {
                place(&half, 0.5 * half_brick.size[0]);
                (1..self.columns).for_each(|column| place(&whole, f64::from(column) * pitch - 0.5 * self.mortar));
                place(&half, length - 0.5 * half_brick.size[0]);
            }
        }
        Ok(bricks)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_embedded, assert_solid};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cells_change_neither_volume_nor_inertia() {
        let size = DVec3::new(0.7, 1.3, 2.1);
        for cells in [[1, 1, 1], [3, 1, 2], [5, 4, 7]] {
            let mesh = subdivided_cuboid(size, cells).unwrap();
            assert_solid(&mesh, 1, 2);
            assert_embedded(&mesh);
            let mass = mesh.mass_properties();
            let expected = cuboid(size).mass_properties();
            assert!((mass.volume - size.element_product()).abs() < 1e-13);
            assert!(mass.centroid.length() < 1e-14);
            assert!(mass.inertia.abs_diff_eq(expected.inertia, 1e-12));
            assert!((mass.inertia.x_axis.x - mass.volume * (1.3 * 1.3 + 2.1 * 2.1) / 12.0).abs() < 1e-13);
        }
    }

    #[test]
    fn the_default_brick_has_the_triangles_of_the_paper() {
        let brick = Brick::default().mesh().unwrap();
        assert_eq!(brick.triangles.len(), 468);
        assert_solid(&brick, 1, 2);
        assert_embedded(&brick);
        let block: f64 = Brick::default().size.into_iter().product();
        assert!(brick.volume() < block && brick.volume() > 0.97 * block);
        let bounds = brick.aabb();
        assert!((bounds.max - bounds.min - DVec3::from_array(Brick::default().size)).length() < 1e-15);
    }

    #[test]
    fn bricks_of_a_wall_keep_the_mortar_apart() {
        let wall = BrickWall { columns: 3, rows: 4, ..BrickWall::default() };
        let bricks = wall.bricks().unwrap();
        assert_eq!(bricks.len(), 3 + 4 + 3 + 4);
        let mut whole = TriMesh::default();
        for (number, brick) in bricks.iter().enumerate() {
            assert_solid(&brick.mesh, 1, 2);
            let bounds = brick.in_place().aabb();
            for other in &bricks[..number] {
                let gap = bounds
                    .expanded(0.499 * wall.mortar)
                    .intersection(other.in_place().aabb().expanded(0.499 * wall.mortar));
                assert!(gap.is_empty(), "{:?} {:?}", brick.offset, other.offset);
            }
            whole.append(&brick.in_place());
        }
        assert_solid(&whole, 14, 28);
        let bounds = whole.aabb();
        assert!((bounds.max.x + bounds.min.x).abs() < 1e-12 && bounds.min.y.abs() < 1e-12);
        assert!((bounds.max.x - bounds.min.x - (3.0 * 0.225 - 0.01)).abs() < 1e-12);
    }

    #[test]
    fn bad_boxes_are_refused() {
        assert!(subdivided_cuboid(DVec3::new(1.0, f64::NAN, 1.0), [1; 3]).is_err());
        assert!(subdivided_cuboid(DVec3::new(1.0, -1.0, 1.0), [1; 3]).is_err());
        assert!(subdivided_cuboid(DVec3::ONE, [0, 1, 1]).is_err());
        assert!(subdivided_cuboid(DVec3::ONE, [1 << 20; 3]).is_err());
        assert!(Brick { bevel: 0.04, ..Brick::default() }.mesh().is_err());
        assert!(BrickWall { mortar: 0.3, ..BrickWall::default() }.bricks().is_err());
        assert!(BrickWall { rows: u32::MAX, ..BrickWall::default() }.bricks().is_err());
        assert!(Cuboid::pane(f64::INFINITY, 1.0, 0.0, 0).mesh().is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn every_brick_is_a_solid(size in prop::array::uniform3(0.05f64..2.0), bevel in 0.001f64..0.48, cells in prop::array::uniform3(1u32..5)) {
            let least = size.into_iter().fold(f64::INFINITY, f64::min);
            let mesh = Brick { size, bevel: bevel * least, cells }.mesh().unwrap();
            assert_solid(&mesh, 1, 2);
            assert_embedded(&mesh);
        }
    }
}
