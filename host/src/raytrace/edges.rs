//! Edges that are inside of another body though their ends are not: what no ray of a vertex sees.

use rayon::prelude::*;

use super::matches::{Match, MatchKind, SurfacePoint};
use super::pairs::{Asked, leaves_first, matched};
use super::surface::Edge;
use super::{Hit, Ray, Surface};
use crate::geometry::Aabb;

/// Edges that one task looks at.
const EDGES_PER_TASK: usize = 512;

/// Adds the matches of the edges of each of two bodies with the other; says how many rays that took.
pub(super) fn match_edges(
    surfaces: [&Surface; 2],
    bodies: [u32; 2],
    asked: &[Asked; 2],
    region: &Aabb,
    matches: &mut Vec<Match>,
) -> usize {
    let of_side = |side: usize| {
        let bodies = [bodies[side], bodies[1 - side]];
        match_side(surfaces[side], surfaces[1 - side], bodies, &asked[side].is_inside, region)
    };
    let sides = rayon::join(|| of_side(0), || of_side(1));
    let mut rays = 0;
    for (count, found) in sides.0.into_iter().chain(sides.1) {
        rays += count + 2 * found.len();
        matches.extend(found);
    }
    rays
}

/// The matches of a body's edges, some at a time, each with how many edges were looked at.
fn match_side(
    own: &Surface,
    other: &Surface,
    bodies: [u32; 2],
    is_inside: &[bool],
    region: &Aabb,
) -> Vec<(usize, Vec<Match>)> {
    let edges = own.edges().par_chunks(EDGES_PER_TASK);
    let look = |hits: &mut Vec<Hit>, edges: &[Edge]| {
        let mut found = (0, Vec::new());
        for edge in edges.iter().filter(|edge| edge.vertices.iter().all(|&end| !is_inside[end as usize])) {
            let [from, to] = edge.vertices.map(|end| own.positions()[end as usize]);
            if Aabb::of_points([from, to]).intersects(region) {
                found.0 += 1;
                found.1.extend(match_edge(own, other, bodies, edge, hits));
            }
        }
        found
    };
    edges.map_init(Vec::new, look).collect()
}

fn match_edge(own: &Surface, other: &Surface, bodies: [u32; 2], edge: &Edge, hits: &mut Vec<Hit>) -> Option<Match> {
    let [from, to] = edge.vertices.map(|end| own.positions()[end as usize]);
    let segment = Ray::between(from, to);
    other.octree().all_hits(&segment, hits);
    // The longest stretch of the edge that is inside.
    let stretches = hits.windows(2).filter(|pair| !pair[0].leaving && pair[1].leaving);
    let lengths = stretches.map(|pair| (pair[1].along - pair[0].along, 0.5 * (pair[0].along + pair[1].along)));
    let (length, middle) = lengths.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let [first, second] = edge.triangles.map(|triangle| own.long_normal(triangle));
    let direction = -(first.normalize_or_zero() + second.normalize_or_zero()).try_normalize()?;
    let ray = Ray::new(segment.at(middle), direction);
    let hit = other.octree().first_hit(&ray).filter(|hit| hit.leaving)?;
    let corners = edge.triangles.map(|triangle| own.triangles()[triangle as usize]);
    if leaves_first(own, &ray, &hit, |triangle| corners.contains(triangle)) {
        return None;
    }
    // A third of the triangles on both sides, as far as the edge is inside.
    let area = (first.length() + second.length()) / 6.0 * length;
    let point = SurfacePoint::on_edge(edge.vertices, middle);
    Some(matched(other, bodies, point, &ray, &hit, area, MatchKind::Edge))
}
