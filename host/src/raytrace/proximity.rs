//! The baseline of the paper's comparison: what is near pushes itself apart, after Bridson, Fedkiw and Anderson 2002.
//!
//! Every vertex and triangle and every two edges that are nearer than a thickness are a match, along the line between their
//! nearest points. Nothing knows inside from outside; that is what the paper holds against it.

use glam::DVec3;
use rayon::prelude::*;

use super::matches::{DetectionStatistics, Match, MatchKind, SurfacePoint};
use super::{ProximityOptions, Surface};
use crate::bvh::Bvh;
use crate::geometry::{Aabb, closest_point_on_triangle};

/// Pairs of triangles that one task looks at.
const PAIRS_PER_TASK: usize = 512;

/// What proximity asks of a surface: a tree over its triangles, and which triangle speaks for each vertex and edge, so that
/// two features are looked at once however many triangles share them.
#[derive(Clone, Debug, Default)]
pub struct ProximityIndex {
    tree: Bvh,
    boxes: Vec<Aabb>,
    owners: Vec<Owned>,
}

/// The features that a triangle speaks for.
#[derive(Clone, Copy, Debug, Default)]
struct Owned {
    vertices: [bool; 3],
    /// The edge from each corner to the next, if it speaks for it.
    edges: [Option<u32>; 3],
}

impl ProximityIndex {
    /// The index of a surface, in the memory of the last one.
    pub fn rebuild(&mut self, surface: &Surface, options: &ProximityOptions) {
        if self.owners.len() != surface.triangles().len() {
            self.owners = owners(surface);
        }
        let around = |triangle| Aabb::of_points(surface.corners(triangle)).expanded(0.5 * options.reach());
        self.boxes.clear();
        self.boxes.extend((0..surface.triangles().len() as u32).map(around));
        self.tree = Bvh::build(&self.boxes);
    }
}

fn owners(surface: &Surface) -> Vec<Owned> {
    let mut owners = vec![Owned::default(); surface.triangles().len()];
    let mut is_taken = vec![false; surface.positions().len()];
    for (owned, triangle) in owners.iter_mut().zip(surface.triangles()) {
        for corner in 0..3 {
            owned.vertices[corner] = !std::mem::replace(&mut is_taken[triangle[corner] as usize], true);
        }
    }
    for (edge, number) in surface.edges().iter().zip(0..) {
        let owner = edge.triangles[0] as usize;
        let triangle = surface.triangles()[owner];
        for corner in 0..3 {
            let ends = [triangle[corner], triangle[(corner + 1) % 3]];
            if ends == edge.vertices || [ends[1], ends[0]] == edge.vertices {
                owners[owner].edges[corner] = Some(number);
            }
        }
    }
    owners
}

/// Adds all pairs of near features of two surfaces. The same on any number of threads.
pub fn match_near(
    surfaces: [&Surface; 2],
    indices: [&ProximityIndex; 2],
    bodies: [u32; 2],
    options: &ProximityOptions,
    matches: &mut Vec<Match>,
) -> DetectionStatistics {
    let mut statistics = DetectionStatistics::default();
    if !surfaces[0].aabb().expanded(options.reach()).intersects(surfaces[1].aabb()) {
        return statistics;
    }
    statistics.pairs = 1;
    let pairs = indices[0].tree.collect_pairs_with(&indices[1].tree);
    let search = Search { surfaces, indices, bodies, thickness: options.thickness, reach: options.reach() };
    let found: Vec<Vec<Match>> = pairs
        .par_chunks(PAIRS_PER_TASK)
        .map(|pairs| {
            let mut found = Vec::new();
            pairs.iter().for_each(|&pair| search.triangles(pair, &mut found));
            found
        })
        .collect();
    let first = matches.len();
    found.iter().for_each(|found| matches.extend_from_slice(found));
    statistics.count(&matches[first..]);
    statistics
}

struct Search<'a> {
    surfaces: [&'a Surface; 2],
    indices: [&'a ProximityIndex; 2],
    bodies: [u32; 2],
    thickness: f64,
    reach: f64,
}

impl Search<'_> {
    fn triangles(&self, pair: [u32; 2], found: &mut Vec<Match>) {
        let owned = [0, 1].map(|side| self.indices[side].owners[pair[side] as usize]);
        for side in 0..2 {
            let vertices = self.surfaces[side].triangles()[pair[side] as usize];
            for corner in (0..3).filter(|&corner| owned[side].vertices[corner]) {
                found.extend(self.vertex(side, vertices[corner], pair[1 - side]));
            }
        }
        for first in owned[0].edges.iter().flatten() {
            for second in owned[1].edges.iter().flatten() {
                found.extend(self.edges([*first, *second]));
            }
        }
    }

    fn vertex(&self, side: usize, vertex: u32, triangle: u32) -> Option<Match> {
        let [own, other] = [self.surfaces[side], self.surfaces[1 - side]];
        let place = own.positions()[vertex as usize];
        // Most vertices are not near to the triangle's box.
        if !self.indices[1 - side].boxes[triangle as usize].expanded(0.5 * self.reach).contains(place) {
            return None;
        }
        let (nearest, weights) = closest_point_on_triangle(place, other.corners(triangle));
        let matching = SurfacePoint { vertices: other.triangles()[triangle as usize], weights };
        let bodies = [self.bodies[side], self.bodies[1 - side]];
        let points = [SurfacePoint::vertex(vertex), matching];
        self.near(bodies, points, [place, nearest], own.areas()[vertex as usize], MatchKind::NearVertex)
    }

    fn edges(&self, pair: [u32; 2]) -> Option<Match> {
        let edges = [0, 1].map(|side| self.surfaces[side].edges()[pair[side] as usize]);
        let ends = [0, 1].map(|side| edges[side].vertices.map(|end| self.surfaces[side].positions()[end as usize]));
        let boxes = ends.map(Aabb::of_points);
        if !boxes[0].expanded(self.reach).intersects(&boxes[1]) {
            return None;
        }
        let shares = closest_on_segments(ends[0], ends[1]);
        // Where an end is nearest, a vertex and a triangle say the same.
        if shares.iter().any(|&share| share == 0.0 || share == 1.0) {
            return None;
        }
        let places = [0, 1].map(|side| ends[side][0].lerp(ends[side][1], shares[side]));
        let points = [0, 1].map(|side| SurfacePoint::on_edge(edges[side].vertices, shares[side]));
        let area = |side: usize| {
            edges[side].triangles.iter().map(|&triangle| self.surfaces[side].long_normal(triangle).length() / 6.0).sum()
        };
        let area = f64::min(area(0), area(1));
        self.near(self.bodies, points, places, area, MatchKind::NearEdge)
    }

    fn near(
        &self,
        bodies: [u32; 2],
        points: [SurfacePoint; 2],
        places: [DVec3; 2],
        area: f64,
        kind: MatchKind,
    ) -> Option<Match> {
        let offset = places[0] - places[1];
        let distance = offset.length();
        if distance >= self.reach {
            return None;
        }
        let normal = offset.try_normalize()?;
        let depth = self.thickness - distance;
        Some(Match { bodies, points, places, normal, depth, area, cosine: 1.0, kind })
    }
}

/// Where two segments are nearest to each other, as shares of their lengths (Ericson 2005, section 5.1.9).
pub(super) fn closest_on_segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> [f64; 2] {
    let (along, other, between) = (b - a, d - c, a - c);
    let (length, other_length) = (along.length_squared(), other.length_squared());
    let other_offset = other.dot(between);
    if length == 0.0 || other_length == 0.0 {
        let share = if length == 0.0 { 0.0 } else { (-along.dot(between) / length).clamp(0.0, 1.0) };
        let other_share = if other_length == 0.0 { 0.0 } else { (other_offset / other_length).clamp(0.0, 1.0) };
        return [share, other_share];
    }
    let (offset, turn) = (along.dot(between), along.dot(other));
    let parallel = length * other_length - turn * turn;
    let mut share =
        if parallel > 0.0 { ((turn * other_offset - offset * other_length) / parallel).clamp(0.0, 1.0) } else { 0.0 };
    let mut other_share = (turn * share + other_offset) / other_length;
    if !(0.0..=1.0).contains(&other_share) {
        other_share = other_share.clamp(0.0, 1.0);
        share = ((turn * other_share - offset) / length).clamp(0.0, 1.0);
    }
    [share, other_share]
}
