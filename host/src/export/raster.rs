//! Which triangle each sample of a tile sees.

use super::bin::{ProjectedTriangle, SUBPIXELS, TILE};

/// In place of a triangle's number where nothing is seen.
pub(super) const BACKGROUND: u32 = u32::MAX;

/// In place of a triangle's number where the ground is seen.
pub(super) const GROUND: u32 = u32::MAX - 1;

/// Large triangles are tested by squares of this many pixels.
const BLOCK: i32 = 8;

/// Where the samples of a pixel are, in sixteenths of a pixel from its centre. These are the usual patterns of graphics
/// hardware: no two samples share a row or a column, so edges of any slope have as many steps as there are samples.
pub(super) fn sample_pattern<const S: usize>() -> [[i32; 2]; S] {
    const ONE: [[i32; 2]; 1] = [[0, 0]];
    const TWO: [[i32; 2]; 2] = [[4, 4], [-4, -4]];
    const FOUR: [[i32; 2]; 4] = [[-2, -6], [6, -2], [-6, 2], [2, 6]];
    const EIGHT: [[i32; 2]; 8] = [[1, -3], [-1, 3], [5, 1], [-3, -5], [-5, 5], [-7, -1], [3, 7], [7, -7]];
    #[rustfmt::skip]
    const SIXTEEN: [[i32; 2]; 16] = [
        [1, 1], [-1, -3], [-3, 2], [4, -1], [-5, -2], [2, 5], [5, 3], [3, -5],
        [-2, 6], [0, -7], [-4, -6], [-6, 4], [-8, 0], [7, -4], [6, 7], [-7, -8],
    ];
    let pattern: &[[i32; 2]] = match S {
        1 => &ONE,
        2 => &TWO,
        4 => &FOUR,
        8 => &EIGHT,
        _ => &SIXTEEN,
    };
    std::array::from_fn(|sample| pattern[sample % pattern.len()])
}

/// What the samples of a tile see: pixel by pixel, row by row.
pub(super) struct TileSamples<const S: usize> {
    /// The samples of each pixel in sub-pixels from its upper left corner.
    offsets: [[i32; 2]; S],
    /// One over the depth of what is seen; zero at infinity.
    pub(super) inverse_depth: Vec<[f32; S]>,
    /// The number of the triangle that is seen.
    pub(super) source: Vec<[u32; S]>,
}

impl<const S: usize> TileSamples<S> {
    pub(super) fn new() -> TileSamples<S> {
        let pixels = (TILE * TILE) as usize;
        TileSamples {
            offsets: sample_pattern::<S>().map(|offset| offset.map(|sixteenths| (sixteenths + 8) * SUBPIXELS / 16)),
            inverse_depth: vec![[0.0; S]; pixels],
            source: vec![[BACKGROUND; S]; pixels],
        }
    }

    /// Forgets what was seen. Where the given inverse depth of the ground is above zero, the ground is seen.
    pub(super) fn clear(&mut self, column: u32, row: u32, ground: Option<impl Fn(f64, f64) -> f32>) {
        self.inverse_depth.fill([0.0; S]);
        self.source.fill([BACKGROUND; S]);
        let Some(ground) = ground else { return };
        for place in 0..TILE * TILE {
            let [x, y] = [column * TILE + place % TILE, row * TILE + place / TILE];
            for sample in 0..S {
                let [along, down] = self.offsets[sample].map(|offset| f64::from(offset) / f64::from(SUBPIXELS));
                let inverse_depth = ground(f64::from(x) + along, f64::from(y) + down);
                if inverse_depth > 0.0 {
                    self.inverse_depth[place as usize][sample] = inverse_depth;
                    self.source[place as usize][sample] = GROUND;
                }
            }
        }
    }

    /// Draws a triangle into the tile in a column and row of tiles.
    ///
    /// A sample belongs to a triangle if it lies inside, or on an edge that is at the top or on the left of it: of two
    /// triangles with a common edge exactly one has the sample.
    pub(super) fn draw(&mut self, triangle: &ProjectedTriangle, column: u32, row: u32) {
        let [left, top] = [column, row].map(|place| (place * TILE) as i32);
        let last = TILE as i32 - 1;
        let [x0, y0, x1, y1] = triangle.pixel_box();
        let (x0, x1) = ((x0 - left).max(0), (x1 - left).min(last));
        let (y0, y1) = ((y0 - top).max(0), (y1 - top).min(last));
        if x0 > x1 || y0 > y1 {
            return;
        }
        let setup = Setup::new(triangle, [left, top], &self.offsets);
        if x1 - x0 < BLOCK && y1 - y0 < BLOCK {
            self.draw_pixels(&setup, [x0, y0, x1, y1], false);
            return;
        }
        for block_y in y0 / BLOCK..=y1 / BLOCK {
            for block_x in x0 / BLOCK..=x1 / BLOCK {
                let corner = [block_x * BLOCK, block_y * BLOCK];
                let (all_out, all_in) = setup.classify(corner);
                if !all_out {
                    let [start_x, start_y] = corner;
                    let pixels = [
                        start_x.max(x0),
                        start_y.max(y0),
                        (start_x + BLOCK - 1).min(x1),
                        (start_y + BLOCK - 1).min(y1),
                    ];
                    self.draw_pixels(&setup, pixels, all_in);
                }
            }
        }
    }

    fn draw_pixels(&mut self, setup: &Setup<S>, [x0, y0, x1, y1]: [i32; 4], all_in: bool) {
        for y in y0..=y1 {
            let mut edges = setup.edges_at(x0, y);
            for x in x0..=x1 {
                let place = (y * TILE as i32 + x) as usize;
                let base = setup.depth_at(x, y);
                let (depths, sources) = (&mut self.inverse_depth[place], &mut self.source[place]);
                for sample in 0..S {
                    let signs = (edges[0] + setup.edge_offsets[0][sample])
                        | (edges[1] + setup.edge_offsets[1][sample])
                        | (edges[2] + setup.edge_offsets[2][sample]);
                    if all_in || signs >= 0 {
                        let depth = (base + setup.depth_offsets[sample]).clamp(setup.farthest, setup.nearest) as f32;
                        let nearer =
                            depth > depths[sample] || (depth == depths[sample] && setup.source < sources[sample]);
                        if nearer {
                            depths[sample] = depth;
                            sources[sample] = setup.source;
                        }
                    }
                }
                for (edge, step) in edges.iter_mut().zip(setup.step_x) {
                    *edge += step;
                }
            }
        }
    }
}

/// A triangle's edge functions and depth plane, relative to the upper left corner of a tile.
struct Setup<const S: usize> {
    /// The edge functions at the tile's corner; not below zero inside.
    origin: [i64; 3],
    /// Their change from pixel to pixel.
    step_x: [i64; 3],
    step_y: [i64; 3],
    /// Their change from a pixel's corner to its samples.
    edge_offsets: [[i64; S]; 3],
    depth_origin: f64,
    depth_step: [f64; 2],
    depth_offsets: [f64; S],
    /// The least and greatest inverse depth of the corners: rounding in a sliver must not shoot beyond them.
    farthest: f64,
    nearest: f64,
    source: u32,
}

impl<const S: usize> Setup<S> {
    fn new(triangle: &ProjectedTriangle, tile: [i32; 2], offsets: &[[i32; 2]; S]) -> Setup<S> {
        let corner = tile.map(|pixel| pixel * SUBPIXELS);
        let corners = triangle.corners.map(|[x, y]| [i64::from(x - corner[0]), i64::from(y - corner[1])]);
        let mut origin = [0; 3];
        let mut slope = [[0; 2]; 3];
        for edge in 0..3 {
            let ([px, py], [qx, qy]) = (corners[edge], corners[(edge + 1) % 3]);
            let (dx, dy) = (qx - px, qy - py);
            let top_or_left = dy < 0 || (dy == 0 && dx > 0);
            slope[edge] = [-dy, dx];
            origin[edge] = dy * px - dx * py - i64::from(!top_or_left);
        }
        let along = |x: i32, y: i32| slope.map(|[sx, sy]| sx * i64::from(x) + sy * i64::from(y));

        let [[ax, ay], [bx, by], [cx, cy]] = corners.map(|corner| corner.map(|value| value as f64));
        let [qa, qb, qc] = triangle.inverse_depth.map(f64::from);
        let (ux, uy, vx, vy) = (bx - ax, by - ay, cx - ax, cy - ay);
        let area = ux * vy - uy * vx;
        let gradient_x = ((qb - qa) * vy - (qc - qa) * uy) / area;
        let gradient_y = ((qc - qa) * ux - (qb - qa) * vx) / area;
        let pixel = f64::from(SUBPIXELS);
        Setup {
            origin,
            step_x: along(SUBPIXELS, 0),
            step_y: along(0, SUBPIXELS),
            edge_offsets: [0, 1, 2].map(|edge| offsets.map(|[x, y]| along(x, y)[edge])),
            depth_origin: qa - gradient_x * ax - gradient_y * ay,
            depth_step: [gradient_x * pixel, gradient_y * pixel],
            depth_offsets: offsets.map(|[x, y]| gradient_x * f64::from(x) + gradient_y * f64::from(y)),
            farthest: qa.min(qb).min(qc),
            nearest: qa.max(qb).max(qc),
            source: triangle.source,
        }
    }

    fn edges_at(&self, x: i32, y: i32) -> [i64; 3] {
        std::array::from_fn(|edge| {
            self.origin[edge] + self.step_x[edge] * i64::from(x) + self.step_y[edge] * i64::from(y)
        })
    }

    fn depth_at(&self, x: i32, y: i32) -> f64 {
        self.depth_origin + self.depth_step[0] * f64::from(x) + self.depth_step[1] * f64::from(y)
    }

    /// Whether a block lies wholly outside, and whether it lies wholly inside.
    fn classify(&self, [x, y]: [i32; 2]) -> (bool, bool) {
        let (mut all_out, mut all_in) = (false, true);
        for (edge, value) in self.edges_at(x, y).into_iter().enumerate() {
            let block = i64::from(BLOCK);
            let (along, down) = (self.step_x[edge] * block, self.step_y[edge] * block);
            all_out |= value + along.max(0) + down.max(0) < 0;
            all_in &= value + along.min(0) + down.min(0) >= 0;
        }
        (all_out, all_in)
    }
}
