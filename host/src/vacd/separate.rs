//! Keeping the convexes around the pieces in one cell apart.
//!
//! \[Mueller13\] 3.3 lets them overlap. Here they do not: where a plane parts the pieces, it parts their convexes too; and
//! where none does, because one reaches around the other, it is cut.

use glam::DVec3;

use super::fit::{Reach, clip_to_reach};
use super::visual::islands;
use super::{Fit, fit};
use crate::geometry::{Clipped, Clipper, Convex, Plane, PolyMesh};

/// Convexes that share no more than this of the volume of the smaller one are apart.
const APART: f64 = 1e-9;

/// How often a piece may be cut. What is still entangled then, links of a fine chain say, stays so.
const CUTS: u32 = 8;

/// How many directions are tried before two pieces count as entangled.
const DIRECTIONS: usize = 64;

/// A visual mesh and the convex around it.
pub(super) struct Piece {
    pub(super) convex: Convex,
    pub(super) visual: PolyMesh,
    cuts: u32,
}

impl Piece {
    pub(super) fn new(convex: Convex, visual: PolyMesh) -> Piece {
        Piece { convex, visual, cuts: 0 }
    }

    /// How much more the convex holds than the mesh.
    fn excess(&self) -> f64 {
        self.convex.mass_properties().volume - self.visual.mass_properties().volume
    }

    /// The parts of the piece on both sides of a plane across the longest side of its box, near to a point.
    fn cut_near(&self, point: DVec3, how: &Fit, material: u32) -> Vec<Piece> {
        let bounds = self.visual.aabb();
        let size = bounds.size().to_array();
        let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(0);
        // Not too near to an end, so that the pieces become smaller.
        let place = point[axis].clamp(bounds.min[axis] + 0.25 * size[axis], bounds.max[axis] - 0.25 * size[axis]);
        let mut normal = DVec3::ZERO;
        normal[axis] = 1.0;
        let plane = Plane { normal, offset: place };
        let mut clipper = Clipper::new();
        let mut pieces = Vec::new();
        for plane in [plane, plane.flipped()] {
            let mut half = PolyMesh::default();
            if clipper.clip(&self.visual, &plane, material, &mut half) == Clipped::Part
                && let Some(convex) = self.convex.clipped_with(&plane, &mut clipper)
            {
                pieces.extend(islands(half).into_iter().map(|visual| Piece {
                    convex: fit(&convex, &visual.positions, how),
                    visual,
                    cuts: self.cuts + 1,
                }));
            }
        }
        pieces
    }
}

/// The pieces, cut and their convexes trimmed until none overlaps another.
pub(super) fn separate(mut pieces: Vec<Piece>, how: &Fit, material: u32) -> Vec<Piece> {
    let mut clipper = Clipper::new();
    // All before this one are apart.
    let mut apart = 1;
    while apart < pieces.len() {
        let (before, rest) = pieces.split_at_mut(apart);
        let here = &mut rest[0];
        let mut to_cut = None;
        for (number, other) in before.iter_mut().enumerate() {
            let Some(overlap) = overlap(&here.convex, &other.convex, &mut clipper) else { continue };
            if part(here, other) {
                continue;
            }
            let number = if other.excess() > here.excess() { number } else { apart };
            let entangled = if number == apart { &*here } else { &*other };
            if entangled.cuts < CUTS {
                to_cut = Some((number, overlap.aabb().center()));
                break;
            }
        }
        match to_cut {
            Some((number, point)) => {
                let cut = pieces[number].cut_near(point, how, material);
                if cut.len() < 2 {
                    pieces[number].cuts = CUTS;
                } else {
                    pieces.remove(number);
                    pieces.extend(cut);
                    apart = apart.min(number).max(1);
                    continue;
                }
            }
            None => apart += 1,
        }
    }
    pieces
}

/// What two convexes share, if that is more than nothing.
pub(super) fn overlap(one: &Convex, other: &Convex, clipper: &mut Clipper) -> Option<Convex> {
    if one.aabb().intersection(other.aabb()).is_empty() {
        return None;
    }
    let mut rest = one.clone();
    for plane in other.planes() {
        rest = rest.clipped_with(plane, clipper)?;
    }
    let smaller = one.mass_properties().volume.min(other.mass_properties().volume);
    (rest.mass_properties().volume > APART * smaller).then_some(rest)
}

/// Trims the convexes of two pieces at a plane between them, each where its own piece ends, so that they do not touch;
/// whether there is one.
fn part(one: &mut Piece, other: &mut Piece) -> bool {
    let Some(direction) = separating_direction(&one.visual.positions, &other.visual.positions) else { return false };
    for (piece, direction) in [(one, direction), (other, -direction)] {
        let reach = Reach::of_outermost(&piece.visual.positions, &[direction]);
        if let Some(convex) = clip_to_reach(piece.convex.clone(), &reach) {
            piece.convex = convex;
        }
    }
    true
}

/// A unit vector along which all of some points come before all of others, if one is found.
///
/// Chung and Wang's search: where the outermost points of both sets show that a direction does not part them, it is
/// mirrored at the plane across their difference.
fn separating_direction(before: &[DVec3], after: &[DVec3]) -> Option<DVec3> {
    let mean = |points: &[DVec3]| points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let mut direction = (mean(after) - mean(before)).try_normalize()?;
    for _ in 0..DIRECTIONS {
        let last = *before.iter().max_by(|a, b| direction.dot(**a).total_cmp(&direction.dot(**b)))?;
        let first = *after.iter().min_by(|a, b| direction.dot(**a).total_cmp(&direction.dot(**b)))?;
        if direction.dot(last) <= direction.dot(first) {
            return Some(direction);
        }
        let apart = (first - last).try_normalize()?;
        direction = (direction - 2.0 * direction.dot(apart) * apart).try_normalize()?;
    }
    None
}
