//! Marching tetrahedra, block by block.

use glam::{DVec3, IVec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::super::implicit::Field;
use super::lattice::{EdgeKey, Lattice, edge_key, key_edge, tetrahedra};

/// Cells along the side of a block.
const BLOCK: i32 = 4;

/// A raw surface: points on lattice edges and triangles between them.
pub(super) struct Cuts {
    /// The edge of each cut, in rising order.
    pub(super) edges: Vec<EdgeKey>,
    /// How far along its edge each cut is, from the lower vertex, between 0 and 1.
    pub(super) parts: Vec<f64>,
    /// Three cuts for each triangle.
    pub(super) triangles: Vec<[u32; 3]>,
}

/// No cut is nearer to the end of its edge than this, or the triangles there would be needles.
pub(super) const LEAST_PART: f64 = 0.06;

/// How far the tetrahedra that belong to a cube of cells reach from its centre, in spacings: to its corners, or to the
/// centres of the cells beyond its sides, whichever is farther; with a little for rounding.
fn reach(side: i32) -> f64 {
    let half = 0.5 * f64::from(side);
    let corner = DVec3::splat(half).length();
    let beyond = DVec3::new(half + 0.5, half - 0.5, half - 0.5).length();
    corner.max(beyond) * (1.0 + 1e-9)
}

/// The blocks that the surface can pass through, and the field as seen from each, with nothing in it that does not
/// matter there.
pub(super) struct LocalFields<'a, F> {
    whole: &'a F,
    lattice: &'a Lattice,
    /// The blocks by their lowest cells, in rising order of [`block_order`].
    local: Vec<(IVec3, F)>,
}

fn block_order(block: IVec3) -> [i32; 3] {
    [block.z, block.y, block.x]
}

impl<'a, F: Field> LocalFields<'a, F> {
    /// Halves the lattice over and over, and leaves out each cube whose centre is too far from the surface.
    pub(super) fn new(whole: &'a F, lattice: &'a Lattice) -> LocalFields<'a, F> {
        let blocks = (lattice.cells.max_element() + BLOCK - 1) / BLOCK;
        let mut side = BLOCK * (blocks as u32).next_power_of_two() as i32;
        let mut cubes = vec![(IVec3::ZERO, whole.clone())];
        loop {
            cubes = cubes
                .into_par_iter()
                .filter_map(|(cube, field)| {
                    let center = lattice.position(2 * cube + side);
                    let near = field.clearance(center) <= reach(side) * lattice.spacing;
                    // Half a cell to spare, so that differences can be taken at points on the border.
                    near.then(|| (cube, field.within(center, (reach(side) + 0.5) * lattice.spacing)))
                })
                .collect();
            if side == BLOCK {
                break;
            }
            side /= 2;
            cubes = cubes
                .into_par_iter()
                .flat_map_iter(|(cube, field)| {
                    let octants =
                        (0..8).map(move |octant| cube + side * IVec3::new(octant & 1, octant >> 1 & 1, octant >> 2));
                    octants.filter(|cube| cube.cmplt(lattice.cells).all()).map(move |cube| (cube, field.clone()))
                })
                .collect();
        }
        cubes.par_sort_unstable_by_key(|(block, _)| block_order(*block));
        LocalFields { whole, lattice, local: cubes }
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.local.len()
    }
}

impl<F> LocalFields<'_, F> {
    /// The field to ask around a point.
    pub(super) fn at(&self, point: DVec3) -> &F {
        let cell = ((point - self.lattice.origin) / self.lattice.spacing).floor().as_ivec3();
        let block = cell.div_euclid(IVec3::splat(BLOCK)) * BLOCK;
        let found = self.local.binary_search_by_key(&block_order(block), |(block, _)| block_order(*block));
        found.map_or(self.whole, |number| &self.local[number].1)
    }
}

/// Cuts every tetrahedron of the blocks.
pub(super) fn march<F: Field>(lattice: &Lattice, fields: &LocalFields<'_, F>) -> Cuts {
    let pieces: Vec<Piece> =
        fields.local.par_iter().map(|(block, field)| march_block(field, lattice, *block)).collect();
    let mut keyed: Vec<(EdgeKey, f64)> =
        pieces.iter().flat_map(|piece| piece.edges.iter().copied().zip(piece.parts.iter().copied())).collect();
    keyed.par_sort_unstable_by_key(|cut| cut.0);
    // Blocks that share an edge have found the same cut on it.
    keyed.dedup_by_key(|cut| cut.0);
    let (edges, parts): (Vec<EdgeKey>, Vec<f64>) = keyed.into_iter().unzip();
    let number = |edge: &EdgeKey| edges.binary_search(edge).map_or(u32::MAX, |number| number as u32);
    let triangles = pieces
        .par_iter()
        .flat_map_iter(|piece| {
            let numbers: Vec<u32> = piece.edges.iter().map(number).collect();
            piece.triangles.iter().map(move |triangle| triangle.map(|cut| numbers[cut as usize]))
        })
        .collect();
    Cuts { edges, parts, triangles }
}

#[derive(Default)]
struct Piece {
    edges: Vec<EdgeKey>,
    parts: Vec<f64>,
    triangles: Vec<[u32; 3]>,
}

/// The values at the vertices of a block, found when first asked for.
struct Values<'a, F> {
    field: &'a F,
    lattice: &'a Lattice,
    /// The lowest vertex of the block.
    lowest: IVec3,
    /// Corners, then centres; NaN where not yet known.
    known: Vec<f64>,
}

const ROW: i32 = BLOCK + 1;

impl<F: Field> Values<'_, F> {
    fn at(&mut self, vertex: IVec3) -> f64 {
        let local = vertex - self.lowest;
        let odd = local.x & 1;
        let cell = (local - odd) / 2;
        let number = (((odd * ROW + cell.z) * ROW + cell.y) * ROW + cell.x) as usize;
        if self.known[number].is_nan() {
            let value = self.field.value(self.lattice.position(vertex));
            // A field that has no number somewhere has no surface there.
            self.known[number] = if value.is_nan() { f64::MAX } else { value };
        }
        self.known[number]
    }
}

fn march_block(field: &impl Field, lattice: &Lattice, block: IVec3) -> Piece {
    let mut values =
        Values { field, lattice, lowest: 2 * block, known: vec![f64::NAN; 2 * (ROW * ROW * ROW) as usize] };
    let shapes = [0, 1, 2].map(tetrahedra);
    let mut piece = Piece::default();
    let mut numbers = FxHashMap::default();
    for sub_block in cells(block, BLOCK, 2) {
        if field.clearance(lattice.position(2 * sub_block + 2)) > reach(2) * lattice.spacing {
            continue;
        }
        for cell in cells(sub_block, 2, 1) {
            let first = 2 * cell + 1;
            for tetrahedron in shapes.as_flattened() {
                let corners = tetrahedron.map(|step| first + step);
                let signs = corners.map(|corner| values.at(corner) < 0.0);
                let mut cut = |inside: usize, outside: usize| {
                    let (edge, backwards) = edge_key(corners[inside], corners[outside]);
                    *numbers.entry(edge).or_insert_with(|| {
                        let ends = if backwards { [outside, inside] } else { [inside, outside] };
                        let [low, high] = ends.map(|end| values.at(corners[end]));
                        let part = keep_off_ends(low / (low - high));
                        piece.edges.push(edge);
                        piece.parts.push(part);
                        piece.edges.len() as u32 - 1
                    })
                };
                match polygon(signs) {
                    Polygon::None => {}
                    Polygon::Triangle(edges) => {
                        let triangle = edges.map(|[inside, outside]| cut(inside, outside));
                        piece.triangles.push(triangle);
                    }
                    Polygon::Quad(edges) => {
                        let [a, b, c, d] = edges.map(|[inside, outside]| cut(inside, outside));
                        let [p, q, r, s] = [a, b, c, d].map(|number| {
                            position(lattice, piece.edges[number as usize], piece.parts[number as usize])
                        });
                        if p.distance_squared(r) <= q.distance_squared(s) {
                            piece.triangles.extend([[a, b, c], [a, c, d]]);
                        } else {
                            piece.triangles.extend([[a, b, d], [b, c, d]]);
                        }
                    }
                }
            }
        }
    }
    piece
}

/// The lowest cells of the cubes of side `step` in a cube of side `side`, row by row.
fn cells(lowest: IVec3, side: i32, step: i32) -> impl Iterator<Item = IVec3> {
    let count = side / step;
    (0..count * count * count)
        .map(move |number| lowest + step * IVec3::new(number % count, number / count % count, number / count / count))
}

/// Where a cut is.
pub(super) fn position(lattice: &Lattice, edge: EdgeKey, part: f64) -> DVec3 {
    let (lower, step) = key_edge(edge);
    lattice.origin + 0.5 * lattice.spacing * (lower.as_dvec3() + part * step.as_dvec3())
}

fn keep_off_ends(part: f64) -> f64 {
    if part.is_nan() { 0.5 } else { part.clamp(LEAST_PART, 1.0 - LEAST_PART) }
}

/// Where along an edge the field vanishes, by false position (in the Illinois form) from a first guess; kept off the ends.
pub(super) fn refined(field: &impl Field, lattice: &Lattice, edge: EdgeKey, guess: f64) -> f64 {
    let at = |part: f64| field.value(position(lattice, edge, part));
    let (mut low, mut high, mut at_low, mut at_high) = (0.0, 1.0, at(0.0), at(1.0));
    let mut part = guess;
    for _ in 0..2 {
        let value = at(part);
        if (value < 0.0) == (at_low < 0.0) {
            (low, at_low, at_high) = (part, value, 0.5 * at_high);
        } else {
            (high, at_high, at_low) = (part, value, 0.5 * at_low);
        }
        let next = low + (high - low) * at_low / (at_low - at_high);
        if !next.is_finite() {
            break;
        }
        part = next;
    }
    keep_off_ends(part)
}

/// The surface in a tetrahedron, as edges from inside to outside, counter-clockwise seen from outside.
enum Polygon {
    None,
    Triangle([[usize; 2]; 3]),
    Quad([[usize; 2]; 4]),
}

fn polygon(inside: [bool; 4]) -> Polygon {
    // For each corner the other three, counter-clockwise seen from it, in a tetrahedron of positive volume.
    const OTHERS: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
    match inside.iter().filter(|&&inside| inside).count() {
        1 => {
            let corner = inside.iter().position(|&inside| inside).unwrap_or(0);
            Polygon::Triangle(OTHERS[corner].map(|other| [corner, other]))
        }
        3 => {
            let corner = inside.iter().position(|&inside| !inside).unwrap_or(0);
            let [a, b, c] = OTHERS[corner];
            Polygon::Triangle([a, c, b].map(|other| [other, corner]))
        }
        2 => {
            let first = inside.iter().position(|&inside| inside).unwrap_or(0);
            let others = OTHERS[first];
            let turn = others.iter().position(|&other| inside[other]).unwrap_or(0);
            let [second, c, d] = [0, 1, 2].map(|step| others[(turn + step) % 3]);
            Polygon::Quad([[first, c], [first, d], [second, d], [second, c]])
        }
        _ => Polygon::None,
    }
}
