//! A wall as a flat sheet of triangles that has a thickness.

use glam::DVec2;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::geometry::DisjointSets;
use crate::random::Random;

/// So many rows of triangles across the thickness, wherever there is a side.
pub(super) const LAYERS: u32 = 4;

/// A rectangle that is divided into triangles, some edges of which lie between the cells of sites, so that it can break there.
pub(super) struct Slab {
    /// In the plane of the wall: across and up.
    pub(super) points: Vec<DVec2>,
    /// Counter-clockwise.
    pub(super) triangles: Vec<[u32; 3]>,
    /// What the sheet breaks into, as numbers of triangles.
    pub(super) pieces: Vec<Vec<u32>>,
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
        let mut slab = Slab { points: Vec::new(), triangles: Vec::new(), pieces: Vec::new() };
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
        slab.move_to_borders(cells, cell, &sites);
        slab.divide(&sites);
        slab
    }

    /// Moves points that are near a border between the cells of two sites onto it, so that pieces have straight sides.
    fn move_to_borders(&mut self, [columns, rows]: [u32; 2], cell: DVec2, sites: &[DVec2]) {
        let mut around = vec![Vec::new(); self.points.len()];
        for (number, triangle) in self.triangles.iter().enumerate() {
            triangle.iter().for_each(|&corner| around[corner as usize].push(number));
        }
        let smallest = 0.1 * cell.x * cell.y;
        for row in 1..rows {
            for column in 1..columns {
                let vertex = (row * (columns + 1) + column) as usize;
                let point = self.points[vertex];
                let [first, second] = two_nearest(point, sites);
                let (one, other) = (sites[first], sites[second]);
                let between = other - one;
                let way = (other - point).length_squared() - (one - point).length_squared();
                let shift = 0.5 * way / between.length_squared() * between;
                if shift.length() > 0.5 * cell.min_element() {
                    continue;
                }
                self.points[vertex] = point + shift;
                if around[vertex].iter().any(|&triangle| self.area(triangle) < smallest) {
                    self.points[vertex] = point;
                }
            }
        }
    }

    fn area(&self, triangle: usize) -> f64 {
        let [a, b, c] = self.triangles[triangle].map(|vertex| self.points[vertex as usize]);
        0.5 * (b - a).perp_dot(c - a)
    }

    /// Triangles whose middles are nearest to one site and that are connected are a piece.
    fn divide(&mut self, sites: &[DVec2]) {
        let middle =
            |corners: &[u32; 3]| corners.iter().map(|&corner| self.points[corner as usize]).sum::<DVec2>() / 3.0;
        let cells: Vec<usize> = self.triangles.iter().map(|corners| two_nearest(middle(corners), sites)[0]).collect();
        let mut sets = DisjointSets::new(self.triangles.len());
        let mut sides: FxHashMap<[u32; 2], usize> = FxHashMap::default();
        for (number, &[a, b, c]) in self.triangles.iter().enumerate() {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                if let Some(&other) = sides.get(&[to, from]).filter(|&&other| cells[other] == cells[number]) {
                    sets.join(other as u32, number as u32);
                }
                sides.insert([from, to], number);
            }
        }
        let mut numbers = FxHashMap::default();
        for triangle in 0..self.triangles.len() {
            let next = numbers.len();
            let number = *numbers.entry(sets.find(triangle as u32)).or_insert(next);
            if number == self.pieces.len() {
                self.pieces.push(Vec::new());
            }
            self.pieces[number].push(triangle as u32);
        }
    }

    /// The closed surface of some triangles of the slab: these in front, the same behind, and sides between.
    pub(super) fn solid(&self, part: impl Iterator<Item = u32> + Clone) -> Solid {
        let corners = || part.clone().map(|triangle| self.triangles[triangle as usize]);
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

/// The two sites that are nearest to a point, the nearest first.
fn two_nearest(point: DVec2, sites: &[DVec2]) -> [usize; 2] {
    let mut nearest = [(f64::INFINITY, 0); 2];
    for (number, site) in sites.iter().enumerate() {
        let distance = site.distance_squared(point);
        if distance < nearest[0].0 {
            nearest = [(distance, number), nearest[0]];
        } else if distance < nearest[1].0 {
            nearest[1] = (distance, number);
        }
    }
    nearest.map(|(_, number)| number)
}
