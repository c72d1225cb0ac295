//! Which voxels a triangle comes to: the separating axis test in integers, so exact for the rounded triangle.

use glam::DVec3;

use crate::svo::Lattice;

/// Steps of a rounded coordinate in the edge of a voxel.
pub(super) const STEPS: i64 = 64;

/// The edge of a chunk in voxels.
pub(super) const CHUNK: i64 = 8;

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

    fn holds(&self, point: [i64; 3]) -> bool {
        let along = dot(self.normal, point);
        self.low <= along && along <= self.high
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
        // The smallest power of two of chunks that covers the box: a large triangle is split, not scanned.
        let mut size = 1;
        while (0..3).any(|axis| low[axis] / size != high[axis] / size) {
            size *= 2;
        }
        self.chunks_below(low.map(|coordinate| coordinate / size * size), size, &low, &high, &mut visit);
    }

    fn chunks_below(
        &self,
        corner: [i64; 3],
        size: i64,
        low: &[i64; 3],
        high: &[i64; 3],
        visit: &mut impl FnMut([i64; 3]),
    ) {
        if (0..3).any(|axis| corner[axis] > high[axis] || corner[axis] + size <= low[axis]) {
            return;
        }
        let edge = STEPS * CHUNK;
        let comes = |slab: &Slab| slab.for_cubes(size * edge, corner.map(|chunk| chunk * edge)).holds([0; 3]);
        if !comes(&self.plane) || !self.edges.iter().all(comes) {
            return;
        }
        if size == 1 {
            visit(corner);
            return;
        }
        let half = size / 2;
        for child in 0..8 {
            let corner = std::array::from_fn(|axis| corner[axis] + (child >> axis & 1) * half);
            self.chunks_below(corner, half, low, high, visit);
        }
    }

    /// Calls back with every voxel of a chunk that the triangle comes to.
    pub(super) fn voxels(&self, chunk: [i64; 3], mut visit: impl FnMut([i64; 3])) {
        let origin = chunk.map(|coordinate| coordinate * CHUNK * STEPS);
        let within = |coordinate: i64, axis: usize| ((coordinate - origin[axis]).div_euclid(STEPS)).clamp(0, CHUNK - 1);
        let low: [i64; 3] = std::array::from_fn(|axis| within(self.low[axis], axis));
        let high: [i64; 3] = std::array::from_fn(|axis| within(self.high[axis], axis));
        // Slabs over voxels' numbers in the chunk.
        let scaled = |slab: &Slab| {
            let slab = slab.for_cubes(STEPS, origin);
            Slab { normal: slab.normal.map(|step| STEPS * step), ..slab }
        };
        let plane = scaled(&self.plane);
        let w = self.dominant;
        let (u, v) = ((w + 1) % 3, (w + 2) % 3);
        // The edges seen along the dominant axis do not depend on it, so they are asked once for a column.
        let column: [Slab; 3] = std::array::from_fn(|edge| scaled(&self.edges[3 * w + edge]));
        let others: [Slab; 6] =
            std::array::from_fn(|edge| scaled(&self.edges[3 * (if edge < 3 { u } else { v }) + edge % 3]));
        let mut voxel = [0; 3];
        for second in low[v]..=high[v] {
            voxel[v] = second;
            let in_row = |slab: &Slab| slab.normal[v] * second;
            let mut along_columns = column.map(|slab| in_row(&slab) + slab.normal[u] * low[u]);
            let along_others = others.map(|slab| in_row(&slab));
            for first in low[u]..=high[u] {
                voxel[u] = first;
                let is_in =
                    column.iter().zip(along_columns).all(|(slab, along)| slab.low <= along && along <= slab.high);
                for (along, slab) in along_columns.iter_mut().zip(&column) {
                    *along += slab.normal[u];
                }
                if !is_in {
                    continue;
                }
                let [from, to] = plane.range(in_row(&plane) + plane.normal[u] * first, w);
                for third in from.max(low[w])..=to.min(high[w]) {
                    let comes = |(slab, along): (&Slab, i64)| {
                        let along = along + slab.normal[u] * first + slab.normal[w] * third;
                        slab.low <= along && along <= slab.high
                    };
                    if others.iter().zip(along_others).all(comes) {
                        voxel[w] = third;
                        visit(voxel);
                    }
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
        let first = |axis: usize| (self.low[axis] - origin[axis] - middle).div_euclid(STEPS).clamp(0, CHUNK - 1);
        let last = |axis: usize| (self.high[axis] - origin[axis] - middle).div_euclid(STEPS).clamp(-1, CHUNK - 1);
        let turn = self.normal[0].signum();
        for z in first(2)..=last(2) {
            for y in first(1)..=last(1) {
                let line = [origin[1] + STEPS * y + middle, origin[2] + STEPS * z + middle];
                let is_left = |edge: usize| side(self.corners[edge], self.corners[(edge + 1) % 3], line) == turn;
                if !(0..3).all(is_left) {
                    continue;
                }
                // The plane: n . (p - a) = 0, solved for x as steps from the chunk's origin.
                let arm = [line[0] - self.corners[0][1], line[1] - self.corners[0][2]];
                let across = self.normal[1] * arm[0] + self.normal[2] * arm[1];
                let x = self.corners[0][0] - origin[0];
                let [above, below] = [turn * (x * self.normal[0] - across), turn * self.normal[0]];
                let edge = (below * STEPS) as f64;
                if (0..CHUNK).contains(&floor(above as f64 / edge)) {
                    let behind = floor((above - below * middle) as f64 / edge) + 1;
                    visit([y, z], behind, -turn as i32);
                }
            }
        }
    }
}

impl Slab {
    /// The numbers along an axis for which a point is in the slab, when the other axes come to `rest`. Only those in a
    /// chunk are exact: there, quotients that are no integers are farther from one than a double's rounding.
    #[inline]
    fn range(&self, rest: i64, axis: usize) -> [i64; 2] {
        let [low, high] = [self.low - rest, self.high - rest];
        let step = self.normal[axis];
        if step == 0 {
            return if low <= 0 && 0 <= high { [0, CHUNK - 1] } else { [0, -1] };
        }
        let [low, high] = if step > 0 { [low, high] } else { [-high, -low] };
        let step = step.abs() as f64;
        [-floor(-low as f64 / step), floor(high as f64 / step)]
    }
}

/// Rounded down, without a call.
#[inline]
fn floor(value: f64) -> i64 {
    let whole = value as i64;
    whole - i64::from(value < whole as f64)
}

/// On which side of an edge, seen along x, a line is: 1 is left. A line on the edge counts as moved by a hair along y, or
/// less than that along z, so two triangles at an edge never both have it and never both lack it.
fn side(from: [i64; 3], to: [i64; 3], line: [i64; 2]) -> i64 {
    let [y, z] = [to[1] - from[1], to[2] - from[2]];
    let cross = y * (line[1] - from[2]) - z * (line[0] - from[1]);
    if cross != 0 {
        cross.signum()
    } else if z != 0 {
        -z.signum()
    } else {
        y.signum()
    }
}
