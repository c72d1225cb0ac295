//! Which voxels a triangle comes to: the separating axis test in integers, so exact for the rounded triangle.

use glam::DVec3;

use crate::svo::Lattice;
use crate::svo::lattice::MOST_LEVEL;

/// Steps of a rounded coordinate in the edge of a voxel.
pub(super) const STEPS: i64 = 64;

/// The edge of a chunk in voxels.
pub(super) const CHUNK: i64 = 8;

/// Chunks along the edge of the largest lattice.
const MOST_CHUNKS: usize = 1 << (MOST_LEVEL - 3);

/// A point rounded to the steps of a lattice.
pub(super) fn rounded(lattice: &Lattice, point: DVec3) -> [i64; 3] {
    let most = STEPS * i64::from(lattice.size()) - 1;
    (STEPS as f64 * lattice.inward(point)).to_array().map(|coordinate| (coordinate.round() as i64).clamp(0, most))
}

/// The space between two parallel planes: low <= normal . point <= high.
#[derive(Clone, Copy, Debug, Default)]
struct Slab {
    normal: [i64; 3],
    low: i64,
    high: i64,
}

impl Slab {
    /// The slab that a triangle fills.
    fn of(normal: [i64; 3], corners: &[[i64; 3]; 3]) -> Slab {
        let along = corners.map(|corner| dot(normal, corner));
        Slab { normal, low: along[0].min(along[1]).min(along[2]), high: along[0].max(along[1]).max(along[2]) }
    }

    /// Made thicker, so that it holds the lowest corner of every cube of an edge that the slab comes to, and moved so that a
    /// point is the origin.
    fn for_cubes(&self, edge: i64, origin: [i64; 3]) -> Slab {
        let shift = dot(self.normal, origin);
        let positive: i64 = self.normal.iter().map(|&step| step.max(0)).sum();
        let negative: i64 = self.normal.iter().map(|&step| step.min(0)).sum();
        Slab { normal: self.normal, low: self.low - edge * positive - shift, high: self.high - edge * negative - shift }
    }
}

fn dot(a: [i64; 3], b: [i64; 3]) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A triangle with rounded corners, and the axes that can separate it from a cube.
pub(super) struct Triangle {
    pub(super) corners: [[i64; 3]; 3],
    /// Twice its area, along its normal.
    pub(super) normal: [i64; 3],
    /// The axis along which its normal is longest.
    dominant: usize,
    low: [i64; 3],
    high: [i64; 3],
    plane: Slab,
    /// Edge j across axis i is slab 3i + j.
    edges: [Slab; 9],
}

impl Triangle {
    pub(super) fn new(corners: [[i64; 3]; 3]) -> Triangle {
        let edge = |from: usize, to: usize| -> [i64; 3] {
            std::array::from_fn(|axis| corners[to][axis] - corners[from][axis])
        };
        let edges = [edge(0, 1), edge(1, 2), edge(2, 0)];
        let [a, b] = [edges[0], edge(0, 2)];
        let normal = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        let dominant = (0..3).max_by_key(|&axis| (normal[axis].abs(), 2 - axis)).unwrap_or(0);
        let across = |number: usize| {
            let (axis, edge) = (number / 3, edges[number % 3]);
            let mut across = [0; 3];
            across[(axis + 1) % 3] = -edge[(axis + 2) % 3];
            across[(axis + 2) % 3] = edge[(axis + 1) % 3];
            Slab::of(across, &corners)
        };
        let of_axis = |pick: fn(i64, i64) -> i64| -> [i64; 3] {
            std::array::from_fn(|axis| pick(pick(corners[0][axis], corners[1][axis]), corners[2][axis]))
        };
        Triangle {
            corners,
            normal,
            dominant,
            low: of_axis(i64::min),
            high: of_axis(i64::max),
            plane: Slab::of(normal, &corners),
            edges: std::array::from_fn(across),
        }
    }

    /// Calls back with every chunk that the triangle comes to.
    pub(super) fn chunks(&self, mut visit: impl FnMut([i64; 3])) {
        let edge = STEPS * CHUNK;
        let [low, high] = [self.low, self.high].map(|corner| corner.map(|coordinate| coordinate / edge));
        if low == high {
            visit(low);
            return;
        }
        self.cubes::<{ MOST_CHUNKS }>([0; 3], edge, low, high, |axes, place| {
            let mut chunk = [0; 3];
            for (axis, coordinate) in axes.into_iter().zip(place) {
                chunk[axis] = i64::from(coordinate);
            }
            visit(chunk);
        });
    }

    /// Calls back with every voxel of a chunk that the triangle comes to: 64z + 8y + x.
    pub(super) fn voxels(&self, chunk: [i64; 3], mut visit: impl FnMut(usize)) {
        let origin = chunk.map(|coordinate| coordinate * CHUNK * STEPS);
        let within = |coordinate: i64, axis: usize| ((coordinate - origin[axis]) >> STEPS.ilog2()).clamp(0, CHUNK - 1);
        let low = std::array::from_fn(|axis| within(self.low[axis], axis));
        let high = std::array::from_fn(|axis| within(self.high[axis], axis));
        self.cubes::<{ CHUNK as usize }>(origin, STEPS, low, high, |axes, place| {
            visit((0..3).map(|number| (place[number] as usize) << (3 * axes[number])).sum());
        });
    }

    /// Calls back with every cube that the triangle comes to, of those with numbers from `low` to `high` from an origin
    /// on, as the order of axes and the numbers along these. Numbers are below `MOST`.
    ///
    /// Each axis that can separate says which numbers along one axis are possible, given those along the others; so
    /// nothing is asked of cubes that the triangle does not come to.
    #[inline]
    fn cubes<const MOST: usize>(
        &self,
        origin: [i64; 3],
        edge: i64,
        low: [i64; 3],
        high: [i64; 3],
        mut visit: impl FnMut([usize; 3], [u32; 3]),
    ) {
        let w = self.dominant;
        let (u, v) = ((w + 1) % 3, (w + 2) % 3);
        let range = |slab: &Slab, along: usize, fixed: usize| {
            Range::new(&slab.for_cubes(edge, origin), edge, along, fixed, MOST as f64)
        };
        let ranges = |seen: usize, along: usize, fixed: usize| -> [Range; 3] {
            std::array::from_fn(|number| range(&self.edges[3 * seen + number], along, fixed))
        };
        let plane = range(&self.plane, w, u);
        let plane_step = plane.turned(self.plane.normal[v] * edge);
        let bounds = |axis: usize| [low[axis] as u32, high[axis] as u32 + 1];
        // The edges seen along v do not depend on it: what they allow is asked once for each number along u.
        let mut columns = [[0; 2]; MOST];
        let seen_along_v = ranges(v, w, u);
        for first in low[u]..=high[u] {
            columns[first as usize] = within(&seen_along_v, first as f64, bounds(w));
        }
        let [seen_along_u, seen_along_w] = [ranges(u, w, v), ranges(w, u, v)];
        for second in low[v]..=high[v] {
            let place = second as f64;
            let [first, last] = within(&seen_along_w, place, bounds(u));
            let row = within(&seen_along_u, place, bounds(w));
            for first in first..last {
                let [from, to] = plane.at(plane_step * place + plane.fixed * f64::from(first));
                let column = columns[first as usize];
                for third in from.max(row[0]).max(column[0])..to.min(row[1]).min(column[1]) {
                    visit([u, v, w], [first, second as u32, third]);
                }
            }
        }
    }

    /// Calls back with every row of a chunk's voxels along x whose middle line goes through the triangle in the chunk: the
    /// row's y and z in the chunk, the first voxel in x whose centre lies behind, and the step of the winding number
    /// there.
    pub(super) fn crossings(&self, chunk: [i64; 3], mut visit: impl FnMut([i64; 2], i64, i32)) {
        if self.normal[0] == 0 {
            return;
        }
        let origin = chunk.map(|coordinate| coordinate * CHUNK * STEPS);
        let middle = STEPS / 2;
        // Rows whose middle lines pass the triangle's box; one below for lines on its rim.
        let first = |axis: usize| ((self.low[axis] - origin[axis] - middle) >> STEPS.ilog2()).clamp(0, CHUNK - 1);
        let last = |axis: usize| ((self.high[axis] - origin[axis] - middle) >> STEPS.ilog2()).clamp(-1, CHUNK - 1);
        let [first_y, first_z] = [first(1), first(2)];
        let [last_y, last_z] = [last(1), last(2)];
        let turn = self.normal[0].signum();
        let corner = [origin[1] + STEPS * first_y + middle, origin[2] + STEPS * first_z + middle];
        let mut edges: [Edge; 3] =
            std::array::from_fn(|edge| Edge::new(self.corners[edge], self.corners[(edge + 1) % 3], corner, turn));
        // The plane: n . (p - a) = 0, solved for x as steps from the chunk's origin.
        let below = turn * self.normal[0];
        let arm = [corner[0] - self.corners[0][1], corner[1] - self.corners[0][2]];
        let across = self.normal[1] * arm[0] + self.normal[2] * arm[1];
        let mut above = turn * ((self.corners[0][0] - origin[0]) * self.normal[0] - across);
        let steps = [1, 2].map(|axis| turn * STEPS * self.normal[axis]);
        for z in first_z..=last_z {
            let (mut left, mut ahead) = (edges.map(|edge| edge.left), above);
            for y in first_y..=last_y {
                if left.iter().all(|&left| left > 0) && (0..CHUNK * STEPS * below).contains(&ahead) {
                    let behind = floor((ahead - below * middle) as f64 / (below * STEPS) as f64) + 1;
                    visit([y, z], behind, -turn as i32);
                }
                for (left, edge) in left.iter_mut().zip(&edges) {
                    *left += edge.steps[0];
                }
                ahead -= steps[0];
            }
            for edge in &mut edges {
                edge.left += edge.steps[1];
            }
            above -= steps[1];
        }
    }
}

/// The numbers that a slab allows along an axis, for a number along another one.
///
/// All is in doubles that hold integers or quarters of them exactly, up to a quotient. A slab is made thicker by a quarter
/// of what its bounds can differ by, so the quotient's rounding decides nothing.
#[derive(Clone, Copy)]
struct Range {
    low: f64,
    high: f64,
    /// What a step along the other axis adds.
    fixed: f64,
    /// One over what a step along the axis adds.
    reciprocal: f64,
    sign: f64,
}

impl Range {
    /// From a slab that holds the lowest corners of cubes of an edge.
    #[inline]
    fn new(slab: &Slab, edge: i64, along: usize, fixed: usize, most: f64) -> Range {
        let step = (slab.normal[along] * edge) as f64;
        let (sign, low, high) = if step < 0.0 { (-1.0, -slab.high, -slab.low) } else { (1.0, slab.low, slab.high) };
        Range {
            low: low as f64 - 0.25,
            high: high as f64 + 0.25,
            fixed: sign * (slab.normal[fixed] * edge) as f64,
            // Where the axis does not matter, a quarter decides for all numbers or none.
            reciprocal: if step == 0.0 { 8.0 * most } else { 1.0 / step.abs() },
            sign,
        }
    }

    /// What a step along a third axis adds.
    fn turned(&self, step: i64) -> f64 {
        self.sign * step as f64
    }

    /// The first number and the one after the last, when the other axes come to `rest`.
    #[inline]
    fn at(&self, rest: f64) -> [u32; 2] {
        // Rounding up is one more, rounded down, where no quotient is an integer. What is below zero converts to zero.
        [self.low, self.high].map(|bound| ((bound - rest) * self.reciprocal + 1.0) as u32)
    }
}

/// The numbers that some slabs and a range allow.
#[inline]
fn within(ranges: &[Range; 3], place: f64, [mut from, mut to]: [u32; 2]) -> [u32; 2] {
    for range in ranges {
        let [low, high] = range.at(range.fixed * place);
        (from, to) = (from.max(low), to.min(high));
    }
    [from, to]
}

/// Rounded down, without a call.
#[inline]
fn floor(value: f64) -> i64 {
    let whole = value as i64;
    whole - i64::from(value < whole as f64)
}

/// On which side of an edge, seen along x, lines are, for lines at steps along y and z.
#[derive(Clone, Copy)]
struct Edge {
    /// Positive if the first line is left of the edge, seen so that the triangle turns left; zero for an edge along x.
    left: i64,
    steps: [i64; 2],
}

impl Edge {
    /// A line on the edge counts as moved by a hair along y, or less than that along z, so two triangles at an edge never
    /// both have it and never both lack it.
    fn new(from: [i64; 3], to: [i64; 3], line: [i64; 2], turn: i64) -> Edge {
        let [y, z] = [to[1] - from[1], to[2] - from[2]];
        let cross = y * (line[1] - from[2]) - z * (line[0] - from[1]);
        let hair = if z != 0 { -z.signum() } else { y.signum() };
        Edge { left: turn * (2 * cross + hair), steps: [-2 * turn * z * STEPS, 2 * turn * y * STEPS] }
    }
}
