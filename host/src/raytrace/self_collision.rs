//! Where a body meets itself: section 3.3.
//!
//! A ray from a vertex inwards normally leaves the body once and is outside then. Where another part of the same body
//! stands in the first, the ray comes to the inward side of a surface twice in a row.

use rayon::prelude::*;

use super::matches::{DetectionStatistics, Match, MatchKind, SurfacePoint};
use super::pairs::matched;
use super::{Hit, Ray, Surface};

/// Rays that one task casts.
const RAYS_PER_TASK: usize = 128;

/// Matching points of a surface with itself, by the double-hit rule. The same on any number of threads.
pub fn match_itself(surface: &Surface, body: u32, matches: &mut Vec<Match>) -> DetectionStatistics {
    let vertices = surface.positions().len();
    let found: Vec<Option<Match>> = (0..vertices as u32)
        .into_par_iter()
        .with_min_len(RAYS_PER_TASK)
        .map_init(Vec::new, |hits, vertex| match_vertex(surface, body, vertex, hits))
        .collect();
    let first = matches.len();
    matches.extend(found.into_iter().flatten());
    let mut statistics = DetectionStatistics { rays: vertices, ..DetectionStatistics::default() };
    statistics.count(&matches[first..]);
    statistics
}

fn match_vertex(surface: &Surface, body: u32, vertex: u32, hits: &mut Vec<Hit>) -> Option<Match> {
    let ray = Ray::new(surface.positions()[vertex as usize], -surface.normals()[vertex as usize]);
    surface.octree().all_hits(&ray, hits);
    hits.retain(|hit| !surface.triangles()[hit.triangle as usize].contains(&vertex));
    // Leaving twice in a row: after the first the ray is out of one of the two parts that overlap, and still in the other.
    let [first, second] = [hits.first()?, hits.get(1)?];
    if !(first.leaving && second.leaving) {
        return None;
    }
    let point = SurfacePoint::vertex(vertex);
    let area = surface.areas()[vertex as usize];
    Some(matched(surface, [body; 2], point, &ray, first, area, MatchKind::Itself))
}
