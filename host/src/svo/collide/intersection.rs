//! Volume and gradients of an intersection (\[Domaradzki16\] 5.1.3).

use fracas_kernels::morton;
use fracas_kernels::touch::Touch;
use glam::DVec3;

use super::columns::Bounds;
use super::placed::{Placed, Relative};
use super::points::{Cell, Counts, discretise};
use super::spans::{Density, Span};
use super::touched::Sight;
use super::traverse::traverse;
use super::{CollideOptions, Scratch};
use crate::contact::Contact;
use crate::svo::Tree;

/// How the volume changes as a place of a surface moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gradient {
    /// Where, in the world.
    pub point: DVec3,
    /// Outwards of the intersection, as long as the part of the surface is large.
    pub vector: DVec3,
    /// Whose surface it is: 0 for the first, 1 for the second.
    pub owner: u32,
    /// How long the column through it is inside of both.
    pub depth: f64,
}

/// What two octrees share.
///
/// Gradients come in pairs, an entry and an exit of a column, that cancel in force and in torque.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intersection {
    /// The volume.
    pub volume: f64,
    /// Its gradients, those of columns along the first octree's x, then y, then z; the entry of a column, then its exit.
    pub gradients: Vec<Gradient>,
    /// How many collision points there were.
    pub points: u32,
    /// How many stretches of columns had no entry or no exit and were left out.
    pub unclosed: u32,
    /// Where the surfaces of both would push the first: out of the second one's surface and into its own, where they meet.
    /// What lies wholly inside of the other, or is too small for columns, has gradients that cancel, but has this.
    pub way_out: DVec3,
    /// Where columns find nothing, as in a corner of a few voxels: the middles of the boundary voxels of each that are inside
    /// of the other.
    pub tips: [Vec<DVec3>; 2],
    /// Where they share nothing, how far either may at least move before they do, as far as it was looked at.
    pub clearance: f64,
}

impl Intersection {
    /// The sum of the gradients of one owner: how the volume changes as it moves.
    pub fn gradient(&self, owner: u32) -> DVec3 {
        self.gradients.iter().filter(|gradient| gradient.owner == owner).map(|gradient| gradient.vector).sum()
    }

    /// The contacts that this is: one for each column along the axis that the way out is closest to.
    pub fn contacts(&self) -> Vec<Contact> {
        super::contacts::contacts(self)
    }
}

/// The intersection of two octrees. Nothing meets what is not at a finite place.
pub fn intersect(first: &Placed<'_>, second: &Placed<'_>, options: &CollideOptions) -> Intersection {
    intersect_with(first, second, options, &mut Scratch::default())
}

/// As [`intersect`], with memory to use.
pub(in crate::svo) fn intersect_with(
    first: &Placed<'_>,
    second: &Placed<'_>,
    options: &CollideOptions,
    scratch: &mut Scratch,
) -> Intersection {
    // Columns are those of the coarser lattice: the finer boundary leaves none of them out. Only what lies wholly inside
    // of the other is measured by its own, where it may be much finer.
    let [own, others] = [first, second].map(|placed| placed.cell(options.level));
    let mut is_swapped = others > own;
    let (mut base, mut other) = if is_swapped { (second, first) } else { (first, second) };
    let Some(mut relative) = Relative::new(base, other, options.level) else { return Intersection::default() };
    let clearance = scratch.touch([base.tree, other.tree], &relative) * own.min(others);
    if scratch.touched.iter().all(Vec::is_empty) {
        return Intersection { clearance, ..Intersection::default() };
    }
    if scratch.touched[0].is_empty() && own != others {
        is_swapped = !is_swapped;
        (base, other) = (other, base);
        let Some(turned) = Relative::new(base, other, options.level) else { return Intersection::default() };
        relative = turned;
        scratch.touch([base.tree, other.tree], &relative);
    }
    let trees = [base.tree, other.tree];
    let counts = discretise(trees, &relative, &scratch.touched, options, &mut scratch.cells);
    let densities = densities(&counts, relative.edge);
    scratch.spans.clear();
    let mut unclosed = 0;
    let cells = &scratch.cells.list;
    let bounds = Bounds::of(cells);
    for axis in 0..3 {
        scratch.columns.fill(cells, &bounds, axis);
        unclosed += scratch.reader.read(&scratch.columns, axis, &densities, &mut scratch.spans);
    }
    let owners = if is_swapped { [1, 0] } else { [0, 1] };
    let mut intersection = measure(base, options.level, owners, &scratch.spans);
    intersection.points = counts.points.iter().sum();
    intersection.unclosed = unclosed;
    let out = base.pose.transform_vector(way_out(cells));
    intersection.way_out = if is_swapped { -out } else { out };
    if intersection.gradients.is_empty() {
        let placed = [base, other];
        intersection.tips =
            owners.map(|side| tips(placed[side as usize], options.level, &scratch.touched[side as usize]));
    }
    intersection
}

/// The middles of those voxels that are deep, in the world.
fn tips(placed: &Placed<'_>, level: u32, touched: &[Touch]) -> Vec<DVec3> {
    let deep = touched.iter().filter(|touch| touch.deep != 0);
    deep.map(|touch| placed.in_world(touch_middle(touch), level)).collect()
}

/// The middle of a voxel that was touched, in cells.
pub(super) fn touch_middle(touch: &Touch) -> DVec3 {
    DVec3::from_array(morton::decode_30(touch.code).map(f64::from)) + 0.5
}

/// The direction that the surfaces in some cells push the first owner in, and zero if they cancel.
fn way_out(cells: &[Cell]) -> DVec3 {
    let mut sums = [([0i64; 3], 0i64); 2];
    for cell in cells {
        let (normal, points) = &mut sums[usize::from(cell.owner)];
        (0..3).for_each(|axis| normal[axis] += i64::from(cell.normal[axis]));
        *points += i64::from(cell.count);
    }
    let [own, other] =
        sums.map(|(normal, points)| DVec3::from_array(normal.map(|sum| sum as f64)) / points.max(1) as f64);
    (other - own).normalize_or_zero()
}

/// How far around voxels is looked whether anything is there, in voxels.
const CLEARANCE: f64 = 2.0;

impl Scratch {
    /// Finds the boundary voxels of each of two octrees that the other one comes to. Returns how many of the smaller voxels
    /// they are apart at least.
    pub(super) fn touch(&mut self, trees: [&Tree; 2], relative: &Relative) -> f64 {
        self.touched.iter_mut().for_each(Vec::clear);
        let [Some(first), Some(second)] = [0, 1].map(|side| Sight::new(relative, side)) else { return 0.0 };
        let sights = [first, second];
        traverse(trees, relative, &mut self.reached);
        let grids = |side: usize| (trees[side].grid(relative.levels[side]), trees[1 - side].grid(sights[side].level));
        for (side, sight) in sights.iter().enumerate() {
            let (own, other) = grids(side);
            sight.touch(&self.reached[side].list, &own, &other, &mut self.touched[side]);
        }
        let is_clear = self.touched.iter().all(Vec::is_empty)
            && (0..2).all(|side| {
                let (own, other) = grids(side);
                sights[side].is_clear(&self.reached[side].list, &own, &other, CLEARANCE)
            });
        if is_clear { CLEARANCE } else { 0.0 }
    }
}

/// What a full layer and a full cell have of points. A layer counts as full from half of that on, because as many as fall
/// into a column vary with how the voxels lie in it.
pub(super) fn densities(counts: &Counts, edge: f64) -> [Density; 2] {
    let mean = f64::from(counts.points[1].max(1)) / f64::from(counts.voxels[1].max(1));
    // The first octree's voxels are the cells: each is a full layer.
    let own = Density { layer: f64::MIN_POSITIVE, cell: f64::MIN_POSITIVE };
    [own, Density { layer: 0.5 * mean / (edge * edge), cell: mean / (edge * edge * edge) }]
}

/// The volume and the gradients of spans in the lattice of an octree.
pub(super) fn measure(base: &Placed<'_>, level: u32, owners: [u32; 2], spans: &[Span]) -> Intersection {
    let cell = base.cell(level);
    let face = cell * cell;
    let (mut volumes, mut areas) = ([0.0; 3], [0.0; 3]);
    let mut gradients = Vec::with_capacity(2 * spans.len());
    for span in spans {
        let axis = usize::from(span.axis);
        let depth = span.ends[1] - span.ends[0];
        volumes[axis] += span.share * depth;
        areas[axis] += span.share;
        if span.share == 0.0 {
            continue;
        }
        let mut along = [0.0; 3];
        along[axis] = span.share * face;
        let vector = base.pose.transform_vector(DVec3::from_array(along));
        for end in 0..2 {
            let mut place = [0.0; 3];
            place[axis] = span.ends[end];
            place[(axis + 1) % 3] = span.line[0];
            place[(axis + 2) % 3] = span.line[1];
            let point = base.lattice.origin + cell * DVec3::from_array(place);
            gradients.push(Gradient {
                point: base.pose.transform_point(point),
                vector: if end == 0 { -vector } else { vector },
                owner: owners[usize::from(span.owners[end])],
                depth: cell * depth,
            });
        }
    }
    // Of a thin intersection, columns along it know the thickness only to a voxel, those across it to a fraction; and
    // those across it are many more.
    let weights = areas.map(|area: f64| area * area);
    let sum: f64 = weights.iter().sum();
    let volume = if sum > 0.0 { (0..3).map(|axis| weights[axis] * volumes[axis]).sum::<f64>() / sum } else { 0.0 };
    Intersection { volume: volume * face * cell, gradients, ..Intersection::default() }
}
