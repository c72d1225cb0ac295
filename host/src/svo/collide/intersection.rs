//! Volume and gradients of an intersection (\[Domaradzki16\] 5.1.3).

use std::convert::Infallible;

use fracas_kernels::columns::{self, Frame, Span, Totals};
use glam::DVec3;

use super::columns::Bounds;
use super::comparison::{CLEARANCE, Comparison, Found};
use super::placed::Placed;
use super::points::{Cell, discretise};
use super::traverse::traverse;
use super::{CollideOptions, Scratch};
use crate::contact::Contact;

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
    let Some(comparison) = Comparison::new(first, second, options) else { return Intersection::default() };
    let is_clear = scratch.touch(&comparison);
    let touched = scratch.touched.each_ref().map(Vec::len);
    if touched == [0; 2] {
        return comparison.apart(is_clear);
    }
    if !comparison.asks_to_turn(touched) {
        return scratch.measured(&comparison);
    }
    let Some(turned) = comparison.turned() else { return Intersection::default() };
    scratch.touch(&turned);
    scratch.measured(&turned)
}

impl Scratch {
    /// Finds the boundary voxels of each of two octrees that the other one comes to. Returns whether, if there are none, they
    /// are not near each other either.
    pub(super) fn touch(&mut self, comparison: &Comparison<'_>) -> bool {
        self.touched.iter_mut().for_each(Vec::clear);
        let (trees, sights) = (comparison.trees(), &comparison.sights);
        traverse(trees, &comparison.relative, &mut self.reached);
        let grids = |side: usize| {
            let [own, other] = comparison.grid_levels(side);
            (trees[side].grid(own), trees[1 - side].grid(other))
        };
        for (side, sight) in sights.iter().enumerate() {
            let (own, other) = grids(side);
            sight.touch(&self.reached[side].list, &own, &other, &mut self.touched[side]);
        }
        self.touched.iter().all(Vec::is_empty)
            && (0..2).all(|side| {
                let (own, other) = grids(side);
                sights[side].is_clear(&self.reached[side].list, &own, &other, CLEARANCE)
            })
    }

    /// The intersection, from the voxels that are touched.
    fn measured(&mut self, comparison: &Comparison<'_>) -> Intersection {
        let Comparison { relative, options, .. } = comparison;
        let counts = discretise(comparison.trees(), relative, &self.touched, options, &mut self.cells);
        let densities = comparison.densities(&counts);
        self.spans.clear();
        let mut unclosed = 0;
        let cells = &self.cells.list;
        let bounds = Bounds::of(cells);
        for axis in 0..3 {
            self.columns.fill(cells, &bounds, axis);
            unclosed += self.reader.read(&self.columns, axis, &densities, &mut self.spans);
        }
        let (volume, gradients) = measure(&comparison.frame(), &self.spans);
        let found = Found { points: counts.points, normals: normals(cells), volume, gradients, unclosed };
        let touched = |side: usize| Ok::<_, Infallible>(self.touched[side].clone());
        comparison.intersection(found, touched).unwrap_or_else(|never| match never {})
    }
}

/// The sum of the normals of each owner.
fn normals(cells: &[Cell]) -> [[i64; 3]; 2] {
    let mut sums = [[0; 3]; 2];
    for cell in cells {
        let sum = &mut sums[usize::from(cell.owner)];
        (0..3).for_each(|axis| sum[axis] += i64::from(cell.normal[axis]));
    }
    sums
}

/// The volume and the gradients of spans in the lattice of an octree.
pub(super) fn measure(frame: &Frame, spans: &[Span]) -> (f64, Vec<Gradient>) {
    let frames = std::slice::from_ref(frame);
    let mut totals = Totals::default();
    spans.iter().for_each(|span| totals.add(span));
    let gradients = (0..2 * spans.len()).map(|index| columns::gradient(frames, spans, index).into());
    (columns::volume(frames, &[totals], 0), gradients.collect())
}
