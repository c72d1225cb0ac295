//! The winding number in a part of space, where what is far away is a smooth function.
//!
//! A cube keeps the solid angles of far triangles at few points and interpolates between them, so they cost the same however
//! many there are; what is near is summed up anew for every question. The halves of a cube take over what it knows, and
//! have fewer triangles near, as in the fast multipole method (Greengard and Rokhlin 1987).

use std::f64::consts::TAU;

use glam::DVec3;
use rayon::prelude::*;

use super::winding::{Cluster, FAR, Winding};

/// Points along an edge of a cube.
const POINTS: usize = 4;

/// Where the points are, from -1 to 1: zeros of the Chebyshev polynomial of degree four.
const PLACES: [f64; POINTS] =
    [-0.923_879_532_511_286_7, -0.382_683_432_365_089_8, 0.382_683_432_365_089_8, 0.923_879_532_511_286_7];

/// How many times half an edge away from the middle a triangle's solid angle is smooth in the whole cube, to about a
/// hundredth at its corners, and much better elsewhere.
const SMOOTH: f64 = 3.0;

/// A cube, with what it knows of the mesh.
pub(super) struct Local<'a> {
    winding: &'a Winding,
    middle: DVec3,
    /// Half of its edge.
    half: f64,
    /// The solid angle of what is far away at each point.
    far: [f64; POINTS * POINTS * POINTS],
    /// What is not.
    triangles: Vec<u32>,
    clusters: Vec<Cluster>,
}

impl<'a> Local<'a> {
    /// A cube that is so large that nothing is far away.
    fn new(winding: &'a Winding, half: f64) -> Local<'a> {
        let clusters = winding.root().into_iter().collect();
        Local {
            winding,
            middle: DVec3::splat(half),
            half,
            far: [0.0; POINTS * POINTS * POINTS],
            triangles: Vec::new(),
            clusters,
        }
    }

    /// The winding number at a point in the cube or not far outside.
    pub(super) fn at(&self, point: DVec3) -> f64 {
        let place = (point - self.middle) / self.half;
        let [x, y, z] = place.to_array().map(weights);
        let mut sum = 0.0;
        for (slice, along_z) in self.far.chunks_exact(POINTS * POINTS).zip(z) {
            for (row, along_y) in slice.chunks_exact(POINTS).zip(y) {
                sum += along_z * along_y * (row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3] * x[3]);
            }
        }
        if !self.triangles.is_empty() {
            sum += self.winding.triangles(self.triangles.iter().copied(), point);
        }
        for &cluster in &self.clusters {
            sum += self.winding.below(cluster, point);
        }
        sum / (2.0 * TAU)
    }

    /// One of the eight cubes that this one is made of, by the last bits of its code.
    pub(super) fn child(&self, code: u32) -> Local<'a> {
        let half = 0.5 * self.half;
        let sides = [code & 1, code >> 1 & 1, code >> 2 & 1].map(|is_high| if is_high == 1 { 0.5 } else { -0.5 });
        let mut child = Local {
            winding: self.winding,
            middle: self.middle + self.half * DVec3::from_array(sides),
            half,
            far: self.far,
            triangles: Vec::with_capacity(self.triangles.len()),
            clusters: Vec::with_capacity(self.clusters.len()),
        };
        if self.far.iter().any(|&angle| angle != 0.0) {
            for (axis, side) in sides.into_iter().enumerate() {
                interpolate(&mut child.far, axis, side);
            }
        }
        child.sort(self);
        child
    }

    /// Takes what is near the cube above into what is near and what is far away here.
    fn sort(&mut self, above: &Local<'_>) {
        let (mut triangles, mut dipoles) = (Vec::new(), Vec::new());
        let mut clusters = above.clusters.clone();
        let mut singles = above.triangles.clone();
        while let Some(cluster) = clusters.pop() {
            let dipole = self.winding.dipole(cluster);
            let distance = dipole.middle.distance(self.middle);
            // The corners of the cube are farthest from its middle.
            let nearest = distance - 3f64.sqrt() * self.half;
            if distance > SMOOTH * self.half && nearest > FAR * dipole.radius {
                dipoles.push(cluster);
            } else if dipole.radius > self.half {
                // It reaches so far that parts of it may be far away.
                self.winding.divide(cluster, &mut clusters, &mut singles);
            } else {
                self.clusters.push(cluster);
            }
        }
        for triangle in singles {
            let is_far = self.winding.distance(triangle, self.middle) > SMOOTH * self.half;
            (if is_far { &mut triangles } else { &mut self.triangles }).push(triangle);
        }
        if triangles.is_empty() && dipoles.is_empty() {
            return;
        }
        for (number, angle) in self.far.iter_mut().enumerate() {
            let place =
                [number % POINTS, number / POINTS % POINTS, number / POINTS / POINTS].map(|place| PLACES[place]);
            let point = self.middle + self.half * DVec3::from_array(place);
            *angle += self.winding.triangles(triangles.iter().copied(), point);
            *angle += dipoles.iter().map(|&cluster| self.winding.dipole(cluster).angle(point)).sum::<f64>();
        }
    }
}

/// One over the product of the differences of each place from the others.
const SCALES: [f64; POINTS] = {
    let mut scales = [1.0; POINTS];
    let mut own = 0;
    while own < POINTS {
        let mut other = 0;
        while other < POINTS {
            if other != own {
                scales[own] /= PLACES[own] - PLACES[other];
            }
            other += 1;
        }
        own += 1;
    }
    scales
};

/// The weights of the four points along an edge at a place from -1 to 1 (Lagrange's polynomials).
#[inline]
fn weights(place: f64) -> [f64; POINTS] {
    let [a, b, c, d] = PLACES.map(|own| place - own);
    let [low, high] = [a * b, c * d];
    [b * high * SCALES[0], a * high * SCALES[1], d * low * SCALES[2], c * low * SCALES[3]]
}

/// Replaces values by those at the points of the lower or higher half along an axis.
fn interpolate(values: &mut [f64; POINTS * POINTS * POINTS], axis: usize, side: f64) {
    let stride = POINTS.pow(axis as u32);
    let rows = PLACES.map(|place| weights(side + 0.5 * place));
    for first in (0..values.len()).filter(|number| (number / stride).is_multiple_of(POINTS)) {
        let old: [f64; POINTS] = std::array::from_fn(|number| values[first + number * stride]);
        for (number, row) in rows.iter().enumerate() {
            values[first + number * stride] = (0..POINTS).map(|other| row[other] * old[other]).sum();
        }
    }
}

/// Calls back for each of some nodes of the octree, given as Morton code and level above the chunks', with its number and
/// the cube above it. Nodes share nothing and are in order; edges are in voxels.
pub(super) fn each<T: Send>(
    winding: &Winding,
    top: u32,
    nodes: &[(u32, u32)],
    visit: impl Fn(usize, &Local<'_>) -> T + Sync,
) -> Vec<T> {
    // The whole octree has something above it too.
    let above = Local::new(winding, f64::from(8u32 << top));
    let walk = Walk { nodes, visit };
    if nodes.is_empty() { Vec::new() } else { walk.go(&above, 0, top, [0, nodes.len()]) }
}

struct Walk<'a, F> {
    nodes: &'a [(u32, u32)],
    visit: F,
}

impl<F> Walk<'_, F> {
    fn go<T: Send>(&self, above: &Local<'_>, code: u32, height: u32, [first, end]: [usize; 2]) -> Vec<T>
    where
        F: Fn(usize, &Local<'_>) -> T + Sync,
    {
        if self.nodes[first].1 == height {
            return vec![(self.visit)(first, above)];
        }
        let here = above.child(code);
        let children = (code << 3..(code + 1) << 3).scan(first, |start, child| {
            let is_before = |&(code, own): &(u32, u32)| code >> (3 * (height - 1 - own)) <= child;
            let range = [*start, *start + self.nodes[*start..end].partition_point(is_before)];
            *start = range[1];
            Some((child, range))
        });
        let children: Vec<(u32, [usize; 2])> = children.filter(|(_, [first, end])| first < end).collect();
        let go = |(child, range)| self.go(&here, child, height - 1, range);
        match height {
            // What is below is not worth a task each.
            ..=2 => children.into_iter().flat_map(go).collect(),
            _ => children.into_par_iter().flat_map_iter(go).collect(),
        }
    }
}
