//! Triangles around a vertex of many.
//!
//! Their boxes all meet at that vertex, so boxes leave every pair of them to be tested. But triangles that meet anywhere
//! else lie in a common direction from it: the boxes of the directions tell most of them apart.

use glam::DVec3;
use rayon::prelude::*;

use crate::bvh::Bvh;
use crate::geometry::Aabb;

/// With fewer triangles around a vertex, testing all pairs is as quick.
const MANY: u32 = 64;

/// No vertex.
const NONE: u32 = u32::MAX;

/// Which triangles are around which vertex of many; each around one at most.
pub(super) struct Fans {
    /// The vertex in the middle, for each triangle.
    middles: Vec<u32>,
}

impl Fans {
    pub(super) fn new(triangles: &[[u32; 3]], vertices: usize) -> Fans {
        let mut counts = vec![0u32; vertices];
        for &vertex in triangles.iter().flatten() {
            if let Some(count) = counts.get_mut(vertex as usize) {
                *count += 1;
            }
        }
        let count = |vertex: u32| counts.get(vertex as usize).copied().unwrap_or(0);
        let middle = |&[a, b, c]: &[u32; 3]| {
            let busier = if count(b) > count(a) { b } else { a };
            let busiest = if count(c) > count(busier) { c } else { busier };
            if count(busiest) >= MANY { busiest } else { NONE }
        };
        Fans { middles: triangles.iter().map(middle).collect() }
    }

    /// Whether two triangles are around one vertex of many, and so among [`Fans::pairs`] if they meet elsewhere.
    #[inline]
    pub(super) fn have_both(&self, a: u32, b: u32) -> bool {
        let middle = self.middles[a as usize];
        middle == self.middles[b as usize] && middle != NONE
    }

    /// The pairs around one vertex that `keep` says yes to, in no useful order (but always the same). Triangles with a
    /// corner that is not finite are in none.
    pub(super) fn pairs(
        &self,
        triangles: &[[u32; 3]],
        position: impl Fn(u32) -> DVec3 + Sync,
        keep: impl Fn(u32, u32) -> bool + Sync,
    ) -> Vec<[u32; 2]> {
        let mut members: Vec<(u32, u32)> = (self.middles.iter().zip(0u32..))
            .filter(|&(&middle, _)| middle != NONE)
            .map(|(&middle, triangle)| (middle, triangle))
            .collect();
        members.par_sort_unstable();
        let fans: Vec<&[(u32, u32)]> = members.chunk_by(|a, b| a.0 == b.0).collect();
        let parts: Vec<Vec<[u32; 2]>> = fans
            .into_par_iter()
            .map(|fan| {
                let directions = |&(middle, triangle): &(u32, u32)| {
                    let ends = triangles[triangle as usize].map(|corner| (corner != middle).then(|| position(corner)));
                    directions(position(middle), ends.into_iter().flatten())
                };
                let boxes: Vec<Aabb> = fan.iter().map(directions).collect();
                // Members are sorted, so the smaller number stays first.
                let named = |member: u32| fan[member as usize].1;
                let pairs = Bvh::build(&boxes).collect_self_pairs_where(|a, b| keep(named(a), named(b)));
                pairs.into_iter().map(|pair| pair.map(named)).collect()
            })
            .collect();
        parts.concat()
    }
}

/// A box around all directions from a point to the segment between one or two ends.
fn directions(from: DVec3, ends: impl Iterator<Item = DVec3>) -> Aabb {
    const EVERYWHERE: Aabb = Aabb { min: DVec3::splat(-2.0), max: DVec3::splat(2.0) };
    let mut bounds = Aabb::EMPTY;
    for end in ends {
        let way = end - from;
        let length = way.length();
        if !length.is_finite() {
            return Aabb::EMPTY;
        }
        // Squares of what is shorter underflow.
        if length < 1e-140 {
            return EVERYWHERE;
        }
        bounds = bounds.including(way / length);
    }
    // An arc with chord c rises above it by 1 - sqrt(1 - c²/4), which is at most c²/4; the rest is for rounding.
    let chord = bounds.size().length_squared().min(4.0);
    bounds.expanded(0.25 * chord + 1e-14)
}
