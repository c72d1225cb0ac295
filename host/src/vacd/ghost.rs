//! Ghost convexes: where sub-meshes overlap (\[Mueller13\] 4.3).

use rayon::prelude::*;

use super::compound::CompoundError;
use super::part::Part;
use crate::bvh::Bvh;
use crate::geometry::{Aabb, Clipped, Convex, ConvexClipper, Plane};

/// The overlaps among parts, and which parts each is the overlap of.
#[derive(Default)]
pub(super) struct Ghosts {
    pub(super) parts: Vec<Part>,
    /// A ghost, numbered on from the parts, and one of the parts that overlap there.
    pub(super) links: Vec<[u32; 2]>,
}

/// An overlap of some parts.
struct Common {
    convex: Convex,
    /// In rising order.
    members: Vec<u32>,
}

/// Overlaps of fewer than this share of the smaller convex are rounding, not overlap.
const LEAST: f64 = 1e-9;

/// More overlaps than this to a part are not a model but a heap of copies.
const MOST_PER_PART: usize = 64;

/// The overlaps of parts: of two, which are counted twice; of three, which are then taken away once too often; and so on
/// until nothing overlaps any more (inclusion and exclusion).
pub(super) fn ghosts(parts: &[Part]) -> Result<Ghosts, CompoundError> {
    let boxes: Vec<Aabb> = parts.iter().map(Part::aabb).collect();
    let bvh = Bvh::build(&boxes);
    let pairs = bvh.collect_self_pairs();
    let pair = |clipper: &mut ConvexClipper, &[one, other]: &[u32; 2]| {
        let [first, second] = [one, other].map(|part| parts[part as usize].convex());
        let convex = intersection(first, second, clipper)?;
        Some(Common { convex, members: vec![one.min(other), one.max(other)] })
    };
    let mut found: Vec<Common> =
        pairs.par_iter().with_min_len(32).map_init(ConvexClipper::new, pair).flatten().collect();
    found.sort_by(|one, other| one.members.cmp(&other.members));
    let mut all = Vec::new();
    while !found.is_empty() {
        if all.len() + found.len() > MOST_PER_PART * parts.len() {
            return Err(CompoundError::TooManyOverlaps { ghosts: all.len() + found.len(), parts: parts.len() });
        }
        let extend = |clipper: &mut ConvexClipper, common: &Common| {
            let last = common.members[common.members.len() - 1];
            let mut candidates = Vec::new();
            bvh.overlapping(&common.convex.aabb(), |part| candidates.extend((part > last).then_some(part)));
            candidates.sort_unstable();
            let with = |part: u32| {
                let convex = intersection(&common.convex, parts[part as usize].convex(), clipper)?;
                Some(Common { convex, members: common.members.iter().copied().chain([part]).collect() })
            };
            candidates.into_iter().filter_map(with).collect::<Vec<_>>()
        };
        let next = found.par_iter().map_init(ConvexClipper::new, extend).flatten_iter().collect();
        all.extend(std::mem::replace(&mut found, next));
    }
    let mut ghosts = Ghosts::default();
    for (number, Common { convex, members }) in (parts.len() as u32..).zip(all) {
        ghosts.parts.push(Part::ghost(convex, members.len() % 2 == 0));
        ghosts.links.extend(members.into_iter().map(|member| [number, member]));
    }
    Ok(ghosts)
}

/// What two convexes have in common, if it is more than rounding.
pub(super) fn intersection(one: &Convex, other: &Convex, clipper: &mut ConvexClipper) -> Option<Convex> {
    if are_apart(one, other, 0.0) {
        return None;
    }
    clipper.start(one);
    if other.planes().iter().any(|plane| clipper.clip(plane, 0) == Clipped::Nothing) {
        return None;
    }
    let common = clipper.finish();
    let volume = |convex: &Convex| convex.mass_properties().volume;
    (volume(&common) > LEAST * volume(one).min(volume(other))).then_some(common)
}

/// Whether a face of one of two convexes is between them, which may be so deep in each other. Some that are apart are not
/// told so.
pub(super) fn are_apart(one: &Convex, other: &Convex, depth: f64) -> bool {
    let is_between = |one: &Convex, other: &Convex| {
        let beyond = |plane: &Plane| other.vertices().iter().all(|&vertex| plane.signed_distance(vertex) >= -depth);
        one.planes().iter().any(beyond)
    };
    is_between(one, other) || is_between(other, one)
}
