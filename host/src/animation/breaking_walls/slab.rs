//! A wall as a flat sheet of triangles that has a thickness.

use std::ops::Range;

use glam::DVec2;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::random::Random;

/// So many rows of triangles across the thickness, wherever there is a side.
pub(super) const LAYERS: u32 = 1;

/// A rectangle as a sheet of triangles, whole and cut along the borders between the cells of sites.
pub(super) struct Slab {
    /// In the plane of the wall: across and up.
    points: Vec<DVec2>,
    /// For each point that came by cutting, the corners of the triangle that it is in and what it has of each. The points of
    /// the whole stand before these.
    within: Vec<([u32; 3], [f64; 3])>,
    /// The whole sheet, counter-clockwise, then each of its parts.
    triangles: Vec<[u32; 3]>,
    /// Where each part begins among the triangles, and where the last one ends. The whole is before the first.
    starts: Vec<u32>,
}

/// The surface of a part of a slab: triangles over vertices, each a point of the slab in a layer.
pub(super) struct Solid {
    pub(super) vertices: Vec<[u32; 2]>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Slab {
    /// A slab of a size, from the ground up, its middle at zero, with sites that are dense around the point where it
    /// will be hit.
    pub(super) fn new(size: DVec2, cells: [u32; 2], sites: u32, hit: DVec2, seed: u64) -> Slab {
        let mut random = Random::new(seed);
        let sites = scatter(size, sites, hit, &mut random);
        let [columns, rows] = cells;
        let cell = size / DVec2::new(f64::from(columns), f64::from(rows));
        let mut slab = Slab { points: Vec::new(), within: Vec::new(), triangles: Vec::new(), starts: Vec::new() };
        for row in 0..=rows {
            for column in 0..=columns {
                let corner = DVec2::new(f64::from(column) - 0.5 * f64::from(columns), f64::from(row));
                slab.points.push(corner * cell);
            }
        }
        for row in 0..rows {
            for column in 0..columns {
                let a = row * (columns + 1) + column;
                let [b, c, d] = [a + 1, a + columns + 2, a + columns + 1];
                let is_even = (row + column) % 2 == 0;
                slab.triangles.extend(if is_even { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
            }
        }
        slab.cut(&sites);
        slab
    }

    /// What the sheet breaks into.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Solid> + '_ {
        self.starts.windows(2).map(|ends| self.solid(ends[0] as usize..ends[1] as usize))
    }

    /// All of it.
    pub(super) fn whole(&self) -> Solid {
        self.solid(0..self.starts[0] as usize)
    }

    /// A point and a value there that is linear within the triangles of the whole, given the values at their corners.
    pub(super) fn point_and_value(&self, point: u32, at_corner: impl Fn(DVec2) -> f64) -> (DVec2, f64) {
        let at = |corner: u32| at_corner(self.points[corner as usize]);
        let cut = (point as usize).checked_sub(self.points.len() - self.within.len());
        let value = cut.map_or_else(
            || at(point),
            |cut| {
                let ([a, b, c], weights) = self.within[cut];
                weights[0] * at(a) + weights[1] * at(b) + weights[2] * at(c)
            },
        );
        (self.points[point as usize], value)
    }

    /// Cuts the triangles of the whole by the cell of each site. What is on both sides of a border is cut at the same points.
    fn cut(&mut self, sites: &[DVec2]) {
        let whole = self.triangles.len();
        self.starts.push(whole as u32);
        let key = |point: DVec2| point.to_array().map(f64::to_bits);
        let mut numbers: FxHashMap<[u64; 2], u32> = self.points.iter().copied().map(key).zip(0..).collect();
        // For each triangle its middle, how far it reaches from there, and how far the nearest site is.
        let around: Vec<(DVec2, f64, f64)> = (self.triangles.iter())
            .map(|triangle| {
                let corners = triangle.map(|point| self.points[point as usize]);
                let middle = corners.iter().sum::<DVec2>() / 3.0;
                let reach = corners.iter().map(|point| point.distance(middle)).fold(0.0, f64::max);
                (middle, reach, sites.iter().map(|site| site.distance(middle)).fold(f64::INFINITY, f64::min))
            })
            .collect();
        let mut polygon = Vec::new();
        for (place, &site) in sites.iter().enumerate() {
            for (triangle, &(middle, reach, nearest)) in around.iter().enumerate() {
                if middle.distance(site) - nearest > 2.0 * reach {
                    continue;
                }
                polygon.clear();
                polygon.extend(self.triangles[triangle].map(|point| self.points[point as usize]));
                for (other_place, &other) in sites.iter().enumerate() {
                    // A border farther off than the triangle reaches leaves it whole.
                    let (near, far) = (middle.distance(site), middle.distance(other));
                    if other_place == place || far - near > 2.0 * reach {
                        continue;
                    }
                    let ordered = if place < other_place { [site, other] } else { [other, site] };
                    polygon = clipped(&polygon, |point| {
                        let side = point.distance_squared(ordered[1]) - point.distance_squared(ordered[0]);
                        if place < other_place { side } else { -side }
                    });
                    if polygon.is_empty() {
                        break;
                    }
                }
                let face = self.triangles[triangle];
                let mut number = |&point: &DVec2| {
                    *numbers.entry(key(point)).or_insert_with(|| {
                        let corners = face.map(|corner| self.points[corner as usize]);
                        self.within.push((face, weights(point, corners)));
                        self.points.push(point);
                        self.points.len() as u32 - 1
                    })
                };
                let corners: Vec<u32> = polygon.iter().map(&mut number).collect();
                for pair in corners.windows(2).skip(1) {
                    self.triangles.push([corners[0], pair[0], pair[1]]);
                }
            }
            if self.triangles.len() as u32 > self.starts[self.starts.len() - 1] {
                self.starts.push(self.triangles.len() as u32);
            }
        }
    }

    /// The closed surface of some triangles of the slab: these in front, the same behind, and sides between.
    fn solid(&self, part: Range<usize>) -> Solid {
        let corners = || self.triangles[part.clone()].iter().copied();
        let sides = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]];
        let edges: FxHashSet<[u32; 2]> = corners().flat_map(sides).collect();
        let mut solid = Solid { vertices: Vec::new(), triangles: Vec::new() };
        let mut numbers: FxHashMap<[u32; 2], u32> = FxHashMap::default();
        let mut push = |solid: &mut Solid, corners: [[u32; 2]; 3]| {
            let triangle = corners.map(|vertex| {
                *numbers.entry(vertex).or_insert_with(|| {
                    solid.vertices.push(vertex);
                    solid.vertices.len() as u32 - 1
                })
            });
            solid.triangles.push(triangle);
        };
        for [a, b, c] in corners() {
            push(&mut solid, [[a, 0], [b, 0], [c, 0]]);
            push(&mut solid, [[a, LAYERS], [c, LAYERS], [b, LAYERS]]);
        }
        for [a, b] in corners().flat_map(sides).filter(|&[a, b]| !edges.contains(&[b, a])) {
            for layer in 0..LAYERS {
                push(&mut solid, [[b, layer], [a, layer], [a, layer + 1]]);
                push(&mut solid, [[b, layer], [a, layer + 1], [b, layer + 1]]);
            }
        }
        solid
    }
}

/// Sites all over a rectangle, half of them around a point.
fn scatter(size: DVec2, count: u32, hit: DVec2, random: &mut Random) -> Vec<DVec2> {
    let mut sites = Vec::with_capacity(count as usize);
    while sites.len() < count as usize {
        let (u, v) = (random.unit(), random.unit());
        let site = if sites.len() % 2 == 0 {
            DVec2::new(u - 0.5, v) * size
        } else {
            hit + 0.35 * size.x * u * DVec2::from_angle(std::f64::consts::TAU * v)
        };
        if site.x.abs() <= 0.5 * size.x && (0.0..=size.y).contains(&site.y) {
            sites.push(site);
        }
    }
    sites
}

/// What a point in a triangle has of each corner.
fn weights(point: DVec2, [a, b, c]: [DVec2; 3]) -> [f64; 3] {
    let whole = (b - a).perp_dot(c - a);
    let [second, third] = [(point - a).perp_dot(c - a) / whole, (b - a).perp_dot(point - a) / whole];
    [1.0 - second - third, second, third]
}

/// The part of a convex polygon where a linear function is positive. An edge is cut at the same point whichever way it runs.
fn clipped(polygon: &[DVec2], value: impl Fn(DVec2) -> f64) -> Vec<DVec2> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (place, &from) in polygon.iter().enumerate() {
        let to = polygon[(place + 1) % polygon.len()];
        let (at_from, at_to) = (value(from), value(to));
        if at_from > 0.0 {
            kept.push(from);
        }
        if (at_from > 0.0) != (at_to > 0.0) {
            let is_forward = (from.x, from.y) < (to.x, to.y);
            let (low, high, at_low, at_high) =
                if is_forward { (from, to, at_from, at_to) } else { (to, from, at_to, at_from) };
            kept.push(low.lerp(high, (at_low / (at_low - at_high)).clamp(0.0, 1.0)));
        }
    }
    kept.dedup();
    if kept.first() == kept.last() {
        kept.pop();
    }
    if kept.len() < 3 { Vec::new() } else { kept }
}
