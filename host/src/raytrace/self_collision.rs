//! Where a body meets itself: section 3.3.
//!
//! A ray from a vertex inwards normally leaves the body once and is outside then. Where another part of the same body
//! stands in the first, the ray comes to the inward side of a surface once more than to the outward side.
//!
//! The paper takes two hits in a row from the inside for that, and the first of them for the match. On a thin part the first is
//! that part's own far side: pushed towards it, the part would be pressed flat, and never get free. So the hits are told apart
//! as Algorithm 1 does it for two bodies: through its own part a ray leaves about as far away as that part was thick when the
//! body was made, while what has come from elsewhere was farther away then. The first way out is a match only if it is not
//! the own part's.

use rayon::prelude::*;

use super::matches::{DetectionStatistics, Match, MatchKind, SurfacePoint};
use super::pairs::matched;
use super::{Hit, Ray, Surface};

/// Rays that one task casts.
const RAYS_PER_TASK: usize = 128;

/// Parts of which neither has come nearer by this much more than the other, as those of a body that was made like that, are not
/// told apart: then the first is the match, as in the paper.
const ALIKE: f64 = 1.001;

/// Matching points of a surface with itself. The same on any number of threads.
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
    let first = hits.first().filter(|hit| hit.leaving)?;
    // How many parts the vertex is in: as often as the ray leaves more than it enters.
    let leaving = hits.iter().filter(|hit| hit.leaving).count();
    if 2 * leaving < hits.len() + 2 {
        return None;
    }
    let approach = |hit: &Hit| surface.approach(vertex, hit.triangle, hit.weights, hit.along);
    let others = hits[1..].iter().filter(|hit| hit.leaving).map(approach).fold(f64::INFINITY, f64::min);
    if ALIKE * approach(first) < others {
        return None;
    }
    let point = SurfacePoint::vertex(vertex);
    let area = surface.areas()[vertex as usize];
    Some(matched(surface, [body; 2], point, &ray, first, area, MatchKind::Itself))
}
