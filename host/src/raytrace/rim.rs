//! Vertices at the rim of an overlap: how much of their triangles is inside of the other body.
//!
//! A vertex stands for a third of the triangles around it, but of those that cross the other surface only a part is inside.
//! Taken whole, they make the force lean by as much as a coarse mesh happens to stand askew: the paper's figure 7. So the
//! edges that cross are cut where they do, and the vertex gets the area, and the direction, of what is inside. As the depth
//! along such a triangle is linear, that is its exact integral: where the other surface is a plane, forces do not lean at all.

use glam::DVec3;
use rustc_hash::FxHashMap;

use super::matches::{Match, MatchKind, SurfacePoint};
use super::pairs::{Answer, Asked, leaves_first, matched};
use super::{Ray, Surface};

/// Gives the matches of vertices at the rim the areas and directions of what is inside; says how many rays that took.
pub(super) fn clip(own: &Surface, other: &Surface, bodies: [u32; 2], asked: &mut Asked) -> usize {
    let (outside, mut rays) = outside_areas(own, other, asked);
    for (&vertex, answer) in asked.vertices.iter().zip(&mut asked.answers) {
        let Answer::Inside(found) = answer else { continue };
        let Some(&outside) = outside.get(&vertex) else { continue };
        let whole = own.areas()[vertex as usize] * own.normals()[vertex as usize];
        rays += 2;
        *found = clipped(own, other, bodies, vertex, whole - outside).unwrap_or_else(|| {
            // What is inside faces where no ray leads out: the way that was found, and what is seen of the area from there.
            Match { area: (outside - whole).dot(found.normal).max(0.0), ..*found }
        });
    }
    rays
}

fn clipped(own: &Surface, other: &Surface, bodies: [u32; 2], vertex: u32, inside: DVec3) -> Option<Match> {
    let ray = Ray::new(own.positions()[vertex as usize], -inside.try_normalize()?);
    let hit = other.octree().first_hit(&ray).filter(|hit| hit.leaving)?;
    if leaves_first(own, &ray, &hit, |corners| corners.contains(&vertex)) {
        return None;
    }
    Some(matched(other, bodies, SurfacePoint::vertex(vertex), &ray, &hit, inside.length(), MatchKind::Vertex))
}

/// What is outside of the areas that vertices at the rim stand for, each along its triangle's normal; and how many rays that
/// took.
fn outside_areas(own: &Surface, other: &Surface, asked: &Asked) -> (FxHashMap<u32, DVec3>, usize) {
    let mut outside: FxHashMap<u32, DVec3> = FxHashMap::default();
    let mut rays = 0;
    for (number, triangle) in (0..).zip(own.triangles()) {
        let inside = triangle.map(|vertex| asked.is_inside[vertex as usize]);
        let count = inside.iter().filter(|&&inside| inside).count();
        if count == 0 || count == 3 {
            continue;
        }
        rays += 2;
        // The corner that is alone on its side, and the two others behind it.
        let alone = (0..3).find(|&corner| inside[corner] == (count == 1)).unwrap_or(0);
        let [tip, second, third] = [0, 1, 2].map(|turn| triangle[(alone + turn) % 3]);
        let share = |from: u32, to: u32| share_inside(own, other, [from, to]);
        let area = own.long_normal(number) / 6.0;
        let mut lose = |vertex: u32, kept: f64| *outside.entry(vertex).or_default() += (1.0 - kept) * area;
        if count == 1 {
            lose(tip, share(tip, second) * share(tip, third));
        } else {
            // Cut along either diagonal, the part that is inside is two triangles: both say the same where the other
            // surface is a plane.
            let (of_second, of_third) = (share(second, tip), share(third, tip));
            let both = of_second + of_third - of_second * of_third;
            lose(second, 0.5 * (of_second + both));
            lose(third, 0.5 * (of_third + both));
        }
    }
    (outside, rays)
}

/// How much of an edge is inside of another body, from the end that is.
fn share_inside(own: &Surface, other: &Surface, edge: [u32; 2]) -> f64 {
    let [from, to] = edge.map(|end| own.positions()[end as usize]);
    other.octree().first_hit(&Ray::between(from, to)).map_or(1.0, |hit| hit.along)
}
