//! Algorithm 1: matching points of two bodies.

use rayon::prelude::*;

use super::matches::{DetectionStatistics, Match, MatchKind, SurfacePoint};
use super::{Hit, Ray, RayOptions, Surface, edges, escape, rim};
use crate::geometry::Aabb;

/// Rays that one task casts.
const RAYS_PER_TASK: usize = 256;

/// What a ray of a vertex says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answer {
    /// The vertex is not inside of the other body.
    Outside,
    /// It is, but the ray leaves through its own body first.
    OwnSurface,
    /// It is, and this is the matching point.
    Inside(Match),
}

/// Vertices of one body that may be inside of another, and what their rays say.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) vertices: Vec<u32>,
    pub(super) answers: Vec<Answer>,
    /// Of all vertices of the body.
    pub(super) is_inside: Vec<bool>,
}

impl Asked {
    fn new(own: &Surface, other: &Surface, bodies: [u32; 2], region: &Aabb) -> Asked {
        let inside = |vertex: &u32| region.contains(own.positions()[*vertex as usize]);
        let vertices: Vec<u32> = (0..own.positions().len() as u32).filter(inside).collect();
        let ask = |&vertex: &u32| ask(own, other, bodies, vertex);
        let answers: Vec<Answer> = if vertices.len() <= RAYS_PER_TASK {
            vertices.iter().map(ask).collect()
        } else {
            vertices.par_iter().with_min_len(RAYS_PER_TASK).map(ask).collect()
        };
        let mut is_inside = vec![false; own.positions().len()];
        for (&vertex, answer) in vertices.iter().zip(&answers) {
            is_inside[vertex as usize] = !matches!(answer, Answer::Outside);
        }
        Asked { vertices, answers, is_inside }
    }

    fn matches(&self) -> impl Iterator<Item = &Match> {
        self.answers.iter().filter_map(|answer| match answer {
            Answer::Inside(found) => Some(found),
            _ => None,
        })
    }

    fn count(&self, statistics: &mut DetectionStatistics) {
        statistics.rays += self.answers.len();
        for answer in &self.answers {
            match answer {
                Answer::Outside => statistics.outside += 1,
                Answer::OwnSurface => {
                    statistics.rays += 1;
                    statistics.own_surface += 1;
                }
                Answer::Inside(_) => statistics.rays += 1,
            }
        }
    }
}

/// Matching points of two surfaces, whose octrees are up to date. The same on any number of threads.
///
/// ```
/// use fracas::geometry::shapes;
/// use fracas::raytrace::{RayOptions, Surface, match_pair};
/// use glam::DVec3;
///
/// let mut ball = shapes::UvSphere::default().mesh()?;
/// let lower = Surface::new(&ball)?;
/// ball.positions.iter_mut().for_each(|position| *position += 0.9 * DVec3::Y);
/// let upper = Surface::new(&ball)?;
/// let mut matches = Vec::new();
/// match_pair([&lower, &upper], [0, 1], &RayOptions::default(), &mut matches);
/// assert!(matches.iter().all(|found| found.depth < 0.2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn match_pair(
    surfaces: [&Surface; 2],
    bodies: [u32; 2],
    options: &RayOptions,
    matches: &mut Vec<Match>,
) -> DetectionStatistics {
    let mut statistics = DetectionStatistics::default();
    let region = surfaces[0].aabb().intersection(*surfaces[1].aabb());
    if region.is_empty() {
        return statistics;
    }
    statistics.pairs = 1;
    let first = matches.len();
    let ask = |own: &Surface, other: &Surface, bodies: [u32; 2]| {
        let mut asked = Asked::new(own, other, bodies, &region);
        let rays = if options.rims { rim::clip(own, other, bodies, &mut asked) } else { 0 };
        (asked, rays)
    };
    let [a, b] = surfaces;
    let sides = rayon::join(|| ask(a, b, bodies), || ask(b, a, [bodies[1], bodies[0]]));
    statistics.rays += sides.0.1 + sides.1.1;
    let asked = [sides.0.0, sides.1.0];
    for side in &asked {
        side.count(&mut statistics);
        matches.extend(side.matches());
    }
    if options.edges {
        statistics.rays += edges::match_edges(surfaces, bodies, &asked, &region, matches);
    }
    if options.escapes || options.enclosed {
        let found = matches.len();
        statistics.rays += escape::match_escapes(surfaces, bodies, &asked, options, first..found, matches);
    }
    statistics.count(&matches[first..]);
    statistics
}

fn ask(own: &Surface, other: &Surface, bodies: [u32; 2], vertex: u32) -> Answer {
    let direction = -own.normals()[vertex as usize];
    let ray = Ray::new(own.positions()[vertex as usize], direction);
    // From the inside: the angle between the two normals is not acute.
    let Some(hit) = other.octree().first_hit(&ray).filter(|hit| hit.leaving) else {
        return Answer::Outside;
    };
    if leaves_first(own, &ray, &hit, |corners| corners.contains(&vertex)) {
        return Answer::OwnSurface;
    }
    let point = SurfacePoint::vertex(vertex);
    Answer::Inside(matched(other, bodies, point, &ray, &hit, own.areas()[vertex as usize], MatchKind::Vertex))
}

/// Whether a ray meets its own surface before it gets to a hit. The triangles that it starts from do not count.
pub(super) fn leaves_first(own: &Surface, ray: &Ray, hit: &Hit, is_start: impl Fn(&[u32; 3]) -> bool) -> bool {
    let mut meets = false;
    own.octree().cast(&Ray { limit: hit.along, ..*ray }, |own_hit| {
        meets |= own_hit.along < hit.along && !is_start(&own.triangles()[own_hit.triangle as usize]);
        if meets { -1.0 } else { hit.along }
    });
    meets
}

/// The match of the start of a ray of unit length and a hit.
pub(super) fn matched(
    other: &Surface,
    bodies: [u32; 2],
    point: SurfacePoint,
    ray: &Ray,
    hit: &Hit,
    area: f64,
    kind: MatchKind,
) -> Match {
    let matching = SurfacePoint { vertices: other.triangles()[hit.triangle as usize], weights: hit.weights };
    let cosine = ray.direction.dot(other.triangle_normal(hit.triangle)).clamp(0.0, 1.0);
    let places = [ray.origin, ray.at(hit.along)];
    Match { bodies, points: [point, matching], places, normal: ray.direction, depth: hit.along, area, cosine, kind }
}
