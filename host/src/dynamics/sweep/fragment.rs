//! Fragments, and what they are swept by.
//!
//! A fragment is not convex, and its surface has too many triangles to look at each. So it has cores, balls that are inside of
//! it: the largest one that was found, others that are nearly as large where it is long or flat, one at its centre of mass if
//! there is room, and small ones towards its corners. The large cores of one must not get through the surface of another; the
//! small ones tell when its corners touch, so that two that have to stop do so before they are far in each other.
//! A convex that meets a fragment has such cores, too.
//!
//! # What is proven
//!
//! - The middle of a large core does not get through a surface, of a fragment or a mesh, nor into a convex: it would be as deep
//!   as the radius, and a step takes it no deeper than an eighth of how thick the thinner of the two is, if it was not deeper
//!   than half the radius before. Seams make no difference to a ball, for its middle is as far from every triangle. See `core`.
//! - All points of a fragment stay above a half-space, up to an eighth of how thick its largest core is.
//!
//! # What is not
//!
//! - What sticks out of the cores, corners, edges and thin tails, may be in another fragment, or through a thin one, when the
//!   two stop. The distance field pushes it out, or leaves it stuck where it comes out on both sides.
//! - Steps that take two against each other by less than an eighth of how thick the largest core of the thinner one is are not
//!   looked at, unless the solver knew of a contact half as deep, which the distance field tells by its points alone. Nor are
//!   those of less than what the field is exact to.
//! - A fragment whose surface is not closed in single precision, or which is flat there, has no cores and is the solver's alone.

use glam::DVec3;
use rapier3d::parry::shape::TriMesh as RapierMesh;
use rapier3d::prelude::Vector;

use super::core::{Core, CoreMeeting};
use super::meeting::{Limits, Meeting, Side};
use super::path::Path;
use super::settle::Part;
use super::solid::Solid;
use crate::dynamics::rapier::FragmentShape;
use crate::dynamics::rigid_shape::{PartShape, convex_shape, single};
use crate::fragment::Fragment;
use crate::geometry::{Pose, SignedDistance, convex_hull};

/// The share of the largest ball that a core is: where fragments touch, their cores do not.
const CORE: f64 = 0.9;

/// Small cores are at least this part of the largest one.
const SMALL: f64 = 0.25;

/// Cores that were deeper in something than this when the step began, as a part of their radius, are the solver's alone.
const DEEPEST: f64 = 0.5;

/// Cores of at least this part of the largest one count as large.
const LARGE: f64 = 0.6;

/// Towards how many corners cores are looked for at most, and at how many places on the way.
const MOST_CORNERS: usize = 7;
const PLACES: u32 = 12;

/// From how many nodes the deepest place is looked for.
const STARTS: usize = 16;

/// How often a search for a deeper place goes on with half the stride.
const HALVINGS: usize = 6;

/// What a fragment looks like to the sweep, in the coordinates of its shape.
#[derive(Debug)]
pub(in crate::dynamics) struct FragmentForm {
    /// The largest first.
    pub(super) cores: Vec<Core>,
    mesh: RapierMesh,
    hull: PartShape,
}

/// What only fragments have.
pub(super) struct FragmentPart<'a> {
    fragment: &'a Fragment,
    /// From the coordinates of the body to those of the fragment.
    to_fragment: Pose,
    /// Balls inside, in the coordinates of the body, the largest first.
    cores: Vec<Core>,
}

impl FragmentPart<'_> {
    /// Whether a point of the body is inside.
    pub(super) fn has_inside(&self, point: DVec3) -> bool {
        self.fragment.is_inside(self.to_fragment.transform_point(point))
    }
}

impl FragmentForm {
    /// The form of a fragment around a place in its coordinates.
    pub(in crate::dynamics) fn new(fragment: &Fragment, origin: DVec3) -> Option<FragmentForm> {
        let surface = fragment.surface_mesh();
        let distance = SignedDistance::new(&surface).ok()?;
        let points: Option<Vec<Vector>> = surface.positions.iter().map(|&place| single(place - origin)).collect();
        let mesh = RapierMesh::new(points?, surface.triangles.clone()).ok()?;
        let hull = convex_hull(&surface.positions).ok()?;
        let place = |core: Core| Core { center: core.center - origin, ..core };
        let cores: Vec<Core> = cores(fragment, &distance, hull.vertices()).into_iter().map(place).collect();
        let hull = convex_shape(&hull)?;
        let hull = PartShape { offset: single(hull.offset.as_dvec3() - origin)?, ..hull };
        cores.first()?;
        Some(FragmentForm { cores, mesh, hull })
    }

    /// The part of a fragment that is at a place in a body, with a least thickness.
    pub(super) fn part<'a>(
        &'a self,
        shape: &'a FragmentShape,
        mover: usize,
        local: Pose,
        least: f64,
    ) -> Option<Part<'a>> {
        let convex = self.hull.shape.as_convex_polyhedron()?;
        let at_hull = local * Pose::at(self.hull.offset.as_dvec3());
        let solid = Solid::bare(convex, at_hull, convex.points().iter().copied());
        let place = |core: &Core| Core { center: local.transform_point(core.center), ..*core };
        let cores: Vec<Core> = self.cores.iter().map(place).collect();
        let thickness = (2.0 * cores.first()?.radius).max(least);
        let to_fragment = Pose::at(shape.origin().as_dvec3()) * local.inverse();
        let fragment = Some(FragmentPart { fragment: shape.fragment(), to_fragment, cores });
        Some(Part { mover, solid, thickness, surface: Some((&self.mesh, local)), fragment })
    }
}

/// Balls inside of a fragment, the largest first; none if it seems to have no inside.
fn cores(fragment: &Fragment, distance: &SignedDistance, corners: &[DVec3]) -> Vec<Core> {
    let depth = |place: DVec3| -distance.at(place);
    let mut starts = fragment.deepest_nodes(STARTS);
    starts.push(fragment.mass_properties().centroid);
    // All nodes may be on the surface; what is between two of them need not.
    let middles: Vec<DVec3> = starts.windows(2).map(|pair| pair[0].midpoint(pair[1])).collect();
    starts.extend(middles);
    let deepest = |best: (DVec3, f64), place: DVec3| {
        let depth = depth(place);
        if depth > best.1 { (place, depth) } else { best }
    };
    let start = starts.into_iter().fold((DVec3::ZERO, f64::NEG_INFINITY), deepest);
    let deepest = climb(start, 0.25 * fragment.aabb().size(), depth);
    let mut cores = cores_towards(deepest, corners, depth);
    // Where a fragment counts as being.
    let centroid = fragment.mass_properties().centroid;
    let (radius, is_large) = (CORE * depth(centroid), true);
    if cores.first().is_some_and(|largest| radius >= LARGE * largest.radius && radius < largest.radius) {
        cores.push(Core { center: centroid, radius, is_large });
    }
    cores
}

/// The largest core, others that are nearly as large where a fragment is long or flat, and small ones towards corners.
fn cores_towards((middle, radius): (DVec3, f64), corners: &[DVec3], depth: impl Fn(DVec3) -> f64) -> Vec<Core> {
    // Also false for NaN.
    if !(radius > 0.0 && radius.is_finite()) {
        return Vec::new();
    }
    let mut cores = vec![Core { center: middle, radius: CORE * radius, is_large: true }];
    let mut chosen = vec![middle];
    while chosen.len() <= MOST_CORNERS {
        // The corner that is farthest from all that were chosen; the first of equal ones.
        let gap =
            |corner: DVec3| chosen.iter().map(|place| place.distance_squared(corner)).fold(f64::INFINITY, f64::min);
        let gaps = corners.iter().map(|&corner| (corner, gap(corner)));
        let (corner, _) = gaps.fold((middle, radius * radius), |best, next| if next.1 > best.1 { next } else { best });
        if corner == middle {
            break;
        }
        chosen.push(corner);
        let along = (1..PLACES).map(|place| corner.lerp(middle, f64::from(place) / f64::from(PLACES)));
        let along: Vec<(DVec3, f64)> = along.map(|place| (place, depth(place))).collect();
        let first = |least: f64| along.iter().find(|(_, depth)| *depth >= least * radius);
        let is_apart = |(center, _): &&(DVec3, f64)| cores.iter().all(|core| core.center.distance(*center) > radius);
        let large = first(LARGE).filter(is_apart);
        let small = first(SMALL).filter(|small| Some(*small) != large);
        let core =
            |is_large: bool| move |&(center, depth): &(DVec3, f64)| Core { center, radius: CORE * depth, is_large };
        let found = large.map(core(true)).into_iter().chain(small.map(core(false)));
        cores.extend(found.collect::<Vec<Core>>());
    }
    cores
}

/// The deepest place that is found from a start on, with its depth.
fn climb(start: (DVec3, f64), stride: DVec3, depth: impl Fn(DVec3) -> f64) -> (DVec3, f64) {
    let (mut best, mut stride) = (start, stride);
    for _ in 0..HALVINGS {
        // Each round makes the place deeper, and no deeper than the fragment is; still, no search is without end.
        for _ in 0..8 {
            let ways = DVec3::AXES.into_iter().flat_map(|axis| [stride * axis, -stride * axis]);
            let tried = ways.map(|way| best.0 + way).map(|place| (place, depth(place)));
            let better = tried.fold(best, |best, next| if next.1 > best.1 { next } else { best });
            if better.1 <= best.1 * (1.0 + 1e-3) {
                break;
            }
            best = better;
        }
        stride *= 0.5;
    }
    best
}

/// Two that may meet, of which one is a fragment.
pub(super) struct FragmentMeeting<'a> {
    pub(super) sides: [(&'a Part<'a>, &'a Path); 2],
    /// Of the pair as a whole.
    pub(super) limits: Limits,
    pub(super) length_unit: f64,
}

impl FragmentMeeting<'_> {
    /// When the two have to stop between two times, if they have to; neither stops by itself in between.
    pub(super) fn stop(&self, from: f64, to: f64) -> Option<f64> {
        let stops = [self.stop_of(0, from, to), self.stop_of(1, from, to)];
        stops.into_iter().flatten().min_by(f64::total_cmp)
    }

    /// When the cores of one side have to stop at the surface of the other.
    fn stop_of(&self, one: usize, from: f64, to: f64) -> Option<f64> {
        let [(part, path), (other, other_path)] = [self.sides[one], self.sides[1 - one]];
        if other.solid.plane.is_some() {
            let sides = [Side { path, solid: &part.solid }, Side { path: other_path, solid: &other.solid }];
            return Meeting { sides, limits: self.limits }.stop(from, to);
        }
        let convex;
        let cores = match &part.fragment {
            Some(fragment) => fragment.cores.as_slice(),
            None => {
                convex = cores_of_convex(part);
                convex.as_slice()
            }
        };
        let farthest = path.farthest().max(other_path.farthest());
        let meeting = |core: &Core| {
            let thin = [2.0 * core.radius, other.thickness].into_iter().filter(|thickness| *thickness > 0.0);
            let limits = Limits::new(thin.fold(f64::INFINITY, f64::min), farthest, self.length_unit);
            // The middle of a ball is on its own side even where the ball is through something thin.
            let limits = Limits { deepest: limits.deepest.max(DEEPEST * core.radius), ..limits };
            CoreMeeting { core: *core, path, other, other_path, limits }
        };
        let large = cores.iter().filter(|core| core.is_large);
        let stop = large.filter_map(|core| meeting(core).stop(from, to)).min_by(f64::total_cmp)?;
        // Corners come first. They only tell when to stop and not whether, or else nothing would move in a heap.
        let small = cores.iter().filter(|core| !core.is_large);
        small.filter_map(|core| meeting(core).contact(from, stop)).chain([stop]).min_by(f64::total_cmp)
    }
}

/// Balls inside of a convex, as those of a fragment; none of a surface or a half-space.
fn cores_of_convex(part: &Part<'_>) -> Vec<Core> {
    if part.surface.is_some() || part.solid.plane.is_some() {
        return Vec::new();
    }
    let depth = |place: DVec3| part.solid.distance(place).map_or(f64::NEG_INFINITY, |distance| -distance);
    let middle = part.solid.middle();
    cores_towards((middle, depth(middle)), &part.solid.points, depth)
}
