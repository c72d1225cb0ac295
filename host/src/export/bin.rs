//! Triangles on the screen, sorted into the tiles that they touch.

use glam::DVec3;
use rayon::prelude::*;

use super::camera::View;
use super::clip::{clip, is_inside};
use super::scene::{Scene, TRIANGLES_PER_TASK};

/// The width and height of a tile in pixels.
pub(super) const TILE: u32 = 64;

/// Screen coordinates are whole numbers of this part of a pixel, so that sides are decided exactly.
pub(super) const SUBPIXELS: i32 = 256;

/// A triangle over more tiles than this is listed once for all tiles, which bounds the memory for the lists.
const MANY_TILES: u64 = 16;

/// A triangle on the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProjectedTriangle {
    /// The corners in sub-pixels from the upper left corner of the picture. They turn clockwise as seen.
    pub(super) corners: [[i32; 2]; 3],
    /// One over the depth of each corner: linear on the screen, and precise at any distance.
    pub(super) inverse_depth: [f32; 3],
    /// The number of the triangle in the scene.
    pub(super) source: u32,
}

impl ProjectedTriangle {
    /// The pixels of the smallest box around the triangle: left, top, right, bottom, all included.
    pub(super) fn pixel_box(&self) -> [i32; 4] {
        let [[ax, ay], [bx, by], [cx, cy]] = self.corners;
        // Division that rounds down, also left of and above the picture.
        let pixel = |coordinate: i32| coordinate.div_euclid(SUBPIXELS);
        [pixel(ax.min(bx).min(cx)), pixel(ay.min(by).min(cy)), pixel(ax.max(bx).max(cx)), pixel(ay.max(by).max(cy))]
    }
}

/// What one task has set up.
struct Batch {
    triangles: Vec<ProjectedTriangle>,
    /// Tile numbers in the upper half, places in `triangles` in the lower; sorted.
    tiled: Vec<u64>,
    /// Places in `triangles` of those over many tiles.
    large: Vec<u32>,
}

/// All triangles of the picture, by tile.
pub(super) struct Bins {
    batches: Vec<Batch>,
    /// Tiles in a row.
    pub(super) columns: u32,
}

impl Bins {
    pub(super) fn new(scene: &Scene<'_>, view: &View, width: u32, height: u32) -> Bins {
        let columns = width.div_ceil(TILE);
        let count = scene.triangle_count();
        let batches = (0..count.div_ceil(TRIANGLES_PER_TASK))
            .into_par_iter()
            .map(|task| {
                let mut batch = Batch { triangles: Vec::new(), tiled: Vec::new(), large: Vec::new() };
                let start = task * TRIANGLES_PER_TASK;
                scene.for_triangles(start..count.min(start + TRIANGLES_PER_TASK), |number, vertices| {
                    project(scene.corners(vertices).map(|corner| corner.as_dvec3()), number as u32, view, |triangle| {
                        batch.add(triangle, width, height, columns);
                    });
                });
                batch.tiled.sort_unstable();
                batch
            })
            .collect();
        Bins { batches, columns }
    }

    /// The triangles that may touch a tile.
    pub(super) fn of_tile(&self, column: u32, row: u32) -> impl Iterator<Item = &ProjectedTriangle> {
        let tile = u64::from(row * self.columns + column);
        let [left, top] = [column, row].map(|place| (place * TILE) as i32);
        let (right, bottom) = (left + TILE as i32 - 1, top + TILE as i32 - 1);
        self.batches.iter().flat_map(move |batch| {
            let start = batch.tiled.partition_point(|&entry| entry >> 32 < tile);
            let own = batch.tiled[start..].iter().take_while(move |&&entry| entry >> 32 == tile);
            let own = own.map(|&entry| &batch.triangles[entry as u32 as usize]);
            let large = batch.large.iter().map(|&place| &batch.triangles[place as usize]);
            own.chain(large.filter(move |triangle| {
                let [x0, y0, x1, y1] = triangle.pixel_box();
                x0 <= right && x1 >= left && y0 <= bottom && y1 >= top
            }))
        })
    }
}

impl Batch {
    fn add(&mut self, triangle: ProjectedTriangle, width: u32, height: u32, columns: u32) {
        let [x0, y0, x1, y1] = triangle.pixel_box();
        if x1 < 0 || y1 < 0 || x0 >= width as i32 || y0 >= height as i32 {
            return;
        }
        let tile = |pixel: i32, size: u32| pixel.clamp(0, size as i32 - 1) as u32 / TILE;
        let (left, right, top, bottom) = (tile(x0, width), tile(x1, width), tile(y0, height), tile(y1, height));
        let place = self.triangles.len() as u32;
        self.triangles.push(triangle);
        if u64::from(right - left + 1) * u64::from(bottom - top + 1) > MANY_TILES {
            self.large.push(place);
            return;
        }
        for row in top..=bottom {
            for column in left..=right {
                self.tiled.push(u64::from(row * columns + column) << 32 | u64::from(place));
            }
        }
    }
}

/// Clips and projects a triangle; calls back for each part of it that is not a line on the screen.
fn project(corners: [DVec3; 3], source: u32, view: &View, mut emit: impl FnMut(ProjectedTriangle)) {
    if corners.iter().any(|corner| corner.is_nan()) {
        return;
    }
    if corners.iter().all(|&corner| is_inside(corner, view)) {
        emit_oriented(corners.map(|corner| to_screen(corner, view)), source, &mut emit);
        return;
    }
    let polygon = clip(corners, view);
    let screen = |place: usize| to_screen(polygon.corners()[place], view);
    for place in 2..polygon.corners().len() {
        emit_oriented([screen(0), screen(place - 1), screen(place)], source, &mut emit);
    }
}

/// Sub-pixel coordinates and inverse depth.
fn to_screen(corner: DVec3, view: &View) -> ([i32; 2], f32) {
    let inverse = 1.0 / corner.z;
    let subpixel = |pixel: f64| (pixel * f64::from(SUBPIXELS)).round() as i32;
    let x = view.center[0] + view.focal * corner.x * inverse;
    let y = view.center[1] - view.focal * corner.y * inverse;
    ([subpixel(x), subpixel(y)], inverse as f32)
}

fn emit_oriented([a, mut b, mut c]: [([i32; 2], f32); 3], source: u32, emit: &mut impl FnMut(ProjectedTriangle)) {
    let difference = |to: [i32; 2], axis: usize| i64::from(to[axis]) - i64::from(a.0[axis]);
    let area = difference(b.0, 0) * difference(c.0, 1) - difference(b.0, 1) * difference(c.0, 0);
    if area == 0 {
        return;
    }
    if area < 0 {
        std::mem::swap(&mut b, &mut c);
    }
    emit(ProjectedTriangle { corners: [a.0, b.0, c.0], inverse_depth: [a.1, b.1, c.1], source });
}
