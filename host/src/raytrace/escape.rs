//! Ways out for parts of a surface that are inside of another body and whose rays all leave through their own body first:
//! thin things in thick ones, and bodies that are wholly inside of others.
//!
//! Rays along the normals of such a part would push its sides against each other. So the whole part goes one way, that on
//! which it is out soonest.

use std::ops::Range;

use glam::DVec3;

use super::matches::{Match, MatchKind, SurfacePoint};
use super::pairs::{Answer, Asked, matched};
use super::{Hit, Ray, RayOptions, Surface};
use crate::geometry::DisjointSets;

/// Vertices of a part that try out a direction.
const PROBES: usize = 12;

/// How often the normals of where the best direction leads out are tried in turn.
const ROUNDS: usize = 2;

/// Adds the matches of parts that `matches[known]` does not touch; says how many rays that took.
pub(super) fn match_escapes(
    surfaces: [&Surface; 2],
    bodies: [u32; 2],
    asked: &[Asked; 2],
    options: &RayOptions,
    known: Range<usize>,
    matches: &mut Vec<Match>,
) -> usize {
    let mut rays = 0;
    for side in 0..2 {
        let is_stuck = |answer: &Answer| matches!(answer, Answer::OwnSurface);
        if !asked[side].answers.iter().any(is_stuck) {
            continue;
        }
        let (own, other) = (surfaces[side], surfaces[1 - side]);
        let bodies = [bodies[side], bodies[1 - side]];
        for part in stuck_parts(own, bodies[0], &asked[side], &matches[known.clone()]) {
            let is_enclosed = part.len() == own.positions().len();
            if if is_enclosed { options.enclosed } else { options.escapes } {
                let kind = if is_enclosed { MatchKind::Enclosed } else { MatchKind::Escape };
                rays += lead_out(own, other, bodies, &part, kind, matches);
            }
        }
    }
    rays
}

/// Sets of vertices inside of the other body that hang together by edges, of which no vertex has a match.
fn stuck_parts(own: &Surface, body: u32, asked: &Asked, known: &[Match]) -> Vec<Vec<u32>> {
    let count = own.positions().len();
    let is_inside = &asked.is_inside;
    let mut sets = DisjointSets::new(count);
    for edge in own.edges() {
        if edge.vertices.iter().all(|&end| is_inside[end as usize]) {
            sets.join(edge.vertices[0], edge.vertices[1]);
        }
    }
    let mut is_matched = vec![false; count];
    for found in known {
        for side in (0..2).filter(|&side| found.bodies[side] == body) {
            found.points[side].iter().for_each(|(vertex, _)| is_matched[sets.find(vertex) as usize] = true);
        }
    }
    let mut numbers = vec![usize::MAX; count];
    let mut parts: Vec<Vec<u32>> = Vec::new();
    for vertex in (0..count as u32).filter(|&vertex| is_inside[vertex as usize]) {
        let root = sets.find(vertex) as usize;
        if is_matched[root] {
            continue;
        }
        if numbers[root] == usize::MAX {
            numbers[root] = parts.len();
            parts.push(Vec::new());
        }
        parts[numbers[root]].push(vertex);
    }
    parts
}

fn lead_out(
    own: &Surface,
    other: &Surface,
    bodies: [u32; 2],
    part: &[u32],
    kind: MatchKind,
    matches: &mut Vec<Match>,
) -> usize {
    let mut rays = 0;
    let out = |vertex: u32, direction: DVec3| {
        let ray = Ray::new(own.positions()[vertex as usize], direction);
        (ray, other.octree().first_hit(&ray).filter(|hit| hit.leaving))
    };
    let stride = part.len().div_ceil(PROBES);
    let probes: Vec<u32> = part.iter().copied().step_by(stride).collect();
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let mut candidates: Vec<DVec3> = axes.into_iter().chain(axes.map(|axis| -axis)).collect();
    let mut best = (f64::INFINITY, DVec3::ZERO);
    for _ in 0..ROUNDS {
        let mut exits: Vec<Hit> = Vec::new();
        for direction in candidates {
            rays += probes.len();
            let hits: Vec<Hit> = probes.iter().filter_map(|&vertex| out(vertex, direction).1).collect();
            if hits.len() < probes.len() {
                continue;
            }
            let length: f64 = hits.iter().map(|hit| hit.along).sum();
            if length < best.0 {
                best = (length, direction);
                exits = hits;
            }
        }
        candidates = exits.iter().filter_map(|hit| other.long_normal(hit.triangle).try_normalize()).collect();
    }
    if best.1 == DVec3::ZERO {
        return rays;
    }
    rays += part.len();
    for &vertex in part {
        if let (ray, Some(hit)) = out(vertex, best.1) {
            let area = own.areas()[vertex as usize];
            matches.push(matched(other, bodies, SurfacePoint::vertex(vertex), &ray, &hit, area, kind));
        }
    }
    rays
}
