//! The intersection of an octree with what is below a plane.

use fracas_kernels::columns::Density;
use fracas_kernels::node::Node;
use fracas_kernels::touch::Touch;
use glam::DVec3;

use super::columns::Bounds;
use super::comparison::{frame, touch_middle};
use super::intersection::measure;
use super::placed::{Placed, Relative};
use super::points::discretise;
use super::{CollideOptions, Intersection, Scratch};
use crate::geometry::Plane;
use crate::svo::Tree;

/// The intersection of an octree with the half-space that a plane's normal points out of. The octree is owner 0, the plane
/// owner 1.
pub fn intersect_half_space(body: &Placed<'_>, ground: &Plane, options: &CollideOptions) -> Intersection {
    let mut scratch = Scratch::default();
    let Some(relative) = Relative::new(body, body, options.level) else { return Intersection::default() };
    let level = relative.levels[0];
    let Some(local) = in_cells(ground, body, level) else { return Intersection::default() };
    let Plane { normal, offset } = local;
    scratch.touched.iter_mut().for_each(Vec::clear);
    let own = &mut scratch.touched[0];
    Walk { tree: body.tree, level, normal, offset: offset + MARGIN, touched: own }.start();
    if scratch.touched[0].is_empty() {
        return Intersection::default();
    }
    let trees = [body.tree, body.tree];
    let counts = discretise(trees, &relative, &scratch.touched, options, &mut scratch.cells);
    let density = Density { layer: f64::MIN_POSITIVE, cell: f64::MIN_POSITIVE };
    scratch.spans.clear();
    let cells = &scratch.cells.list;
    let mut unclosed = 0;
    let bounds = Bounds::of(cells);
    for axis in 0..3 {
        scratch.columns.fill(cells, &bounds, axis);
        let plane = (normal, offset);
        unclosed += scratch.reader.read_below(&scratch.columns, axis, &density, plane, &mut scratch.spans);
    }
    let (volume, gradients) = measure(&frame(body, options.level, [0, 1]), &scratch.spans);
    Intersection { volume, gradients, points: counts.points[0], unclosed, ..Intersection::default() }
}

/// A plane in the cells of an octree's level; `None` if it is not finite there.
fn in_cells(plane: &Plane, body: &Placed<'_>, level: u32) -> Option<Plane> {
    let Plane { normal, offset } = plane.transformed(&body.pose.inverse());
    let offset = (offset - normal.dot(body.lattice.origin)) / body.cell(level);
    (normal.is_finite() && offset.is_finite()).then_some(Plane { normal, offset })
}

/// A boundary voxel with its middle below a plane.
pub(in crate::svo) struct Below {
    pub(in crate::svo) middle: DVec3,
    pub(in crate::svo) depth: f64,
    /// How much it faces the plane: the cosine, or less than zero where it looks away.
    pub(in crate::svo) facing: f64,
}

/// Calls back with each boundary voxel that has its middle below a plane. Returns how many were looked at.
pub(in crate::svo) fn boundary_below(
    body: &Placed<'_>,
    ground: &Plane,
    level: u32,
    scratch: &mut Scratch,
    mut visit: impl FnMut(Below),
) -> u32 {
    let (level, cell) = (body.physics_level(level), body.cell(level));
    let Some(Plane { normal, offset }) = in_cells(ground, body, level) else { return 0 };
    let touched = &mut scratch.touched[0];
    touched.clear();
    Walk { tree: body.tree, level, normal, offset, touched }.start();
    for touch in touched.iter() {
        let middle = touch_middle(touch);
        let depth = cell * (offset - normal.dot(middle));
        if depth > 0.0 {
            let facing = -body.tree.leaf_normal(touch.attributes as usize).as_dvec3().dot(normal);
            visit(Below { middle: body.in_world(middle, level), depth, facing });
        }
    }
    touched.len() as u32
}

struct Walk<'a> {
    tree: &'a Tree,
    level: u32,
    normal: DVec3,
    offset: f64,
    touched: &'a mut Vec<Touch>,
}

/// Voxels above the plane that are looked at too, so that the voxels which one crossing of the surface makes are seen all
/// or not at all.
const MARGIN: f64 = 2.0;

impl Walk<'_> {
    fn start(&mut self) {
        let half = 0.5 * f64::from(1u32 << self.level);
        self.visit(self.tree.root(), 0, 0, DVec3::splat(half), half);
    }

    fn visit(&mut self, node: Node, level: u32, code: u32, middle: DVec3, half: f64) {
        let lowest = self.normal.dot(middle) - half * self.normal.abs().element_sum();
        if node.is_empty() || lowest > self.offset {
            return;
        }
        if level == self.level || node.is_terminal() {
            self.touched.push(Touch { attributes: node.attributes, code, deep: 1, sight: 0 });
            return;
        }
        let quarter = 0.5 * half;
        for (child, &node) in (0..8u32).zip(self.tree.children(node)) {
            let side = |axis: u32| if child >> axis & 1 == 0 { -quarter } else { quarter };
            let middle = middle + DVec3::new(side(0), side(1), side(2));
            self.visit(node, level + 1, code << 3 | child, middle, quarter);
        }
    }
}
