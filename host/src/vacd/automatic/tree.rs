//! The planned cuts of a solid, made, and those kept that are worth it.

use glam::DVec3;

use super::plan::Plan;
use super::samples::Samples;
use crate::geometry::{Clipped, Clipper, Convex, FRACTURE, Plane, PolyMesh};
use crate::vacd::decompose::DecomposeOptions;
use crate::vacd::fit::fit;
use crate::vacd::separate::{Piece, separate};
use crate::vacd::visual::islands;

/// Cuts that make the convexes smaller by less than this share are not worth it.
const WORTH: f64 = 2e-4;

/// How far a plane may move to vertices that are all in one plane, in units of the lattice.
const SNAP: f64 = 0.75;

/// What is solid in a convex region, uncut, and what cuts make of it.
pub(super) struct Branch {
    pieces: Vec<Piece>,
    halves: Option<Box<[Branch; 2]>>,
    /// The least volume of the convexes by the number of cuts.
    volumes: Vec<f64>,
}

/// What is needed to cut.
pub(super) struct Cutter<'a> {
    pub(super) plan: &'a Plan,
    pub(super) samples: &'a Samples,
    pub(super) options: &'a DecomposeOptions,
    /// The most cuts that will be kept.
    pub(super) most: usize,
    /// What is smaller is nothing but rounding.
    pub(super) least_volume: f64,
}

impl Cutter<'_> {
    /// What the cuts of a node of the plan make of a solid.
    pub(super) fn branch(&self, solid: PolyMesh, region: &Convex, node: u32) -> Branch {
        let halves = self.plan.nodes[node as usize].cut.as_ref().map(|cut| {
            let plane = self.samples.plane_to_world(cut.direction, cut.offset);
            let plane = snapped(plane, &solid, SNAP * self.samples.spacing);
            let half = |plane: &Plane, node: u32| {
                let (solid, region) = self.half(&solid, region, plane)?;
                Some(self.branch(solid, &region, node))
            };
            let [low, high] = cut.sides;
            rayon::join(|| half(&plane, low), || half(&plane.flipped(), high))
        });
        let mut visuals = islands(solid);
        visuals.retain(|visual| visual.mass_properties().volume > self.least_volume);
        let piece = |visual: PolyMesh| Piece::new(fit(region, &visual.positions, &self.options.fit), visual);
        let pieces: Vec<Piece> = visuals.into_iter().map(piece).collect();
        let mut volumes = vec![pieces.iter().map(|piece| piece.convex.mass_properties().volume).sum()];
        let halves = match halves {
            Some((Some(low), Some(high))) => Some(Box::new([low, high])),
            _ => None,
        };
        if let Some([low, high]) = halves.as_deref() {
            volumes.extend(sums(&low.volumes, &high.volumes, self.most));
        }
        Branch { pieces, halves, volumes }
    }

    /// What is on the inner side of a plane, if there is anything.
    fn half(&self, solid: &PolyMesh, region: &Convex, plane: &Plane) -> Option<(PolyMesh, Convex)> {
        let mut clipper = Clipper::new();
        let mut half = PolyMesh::default();
        let half = match clipper.clip(solid, plane, FRACTURE | self.options.material, &mut half) {
            Clipped::Part => half,
            Clipped::Whole | Clipped::Nothing => return None,
        };
        Some((half, region.clipped_with(plane, &mut clipper)?))
    }

    /// The pieces after as few cuts as make their convexes no larger than `enough`, or nearly as small as can be.
    pub(super) fn pieces(&self, branch: Branch, enough: f64) -> Vec<Piece> {
        let least = branch.volumes.iter().copied().fold(f64::INFINITY, f64::min);
        let enough = enough.max((1.0 + WORTH) * least);
        let cuts = branch.volumes.iter().position(|&volume| volume <= enough).unwrap_or(0);
        let mut pieces = Vec::new();
        self.take_pieces(branch, cuts, &mut pieces);
        pieces
    }

    fn take_pieces(&self, branch: Branch, cuts: usize, pieces: &mut Vec<Piece>) {
        match branch.halves {
            Some(halves) if cuts > 0 => {
                let [low, high] = *halves;
                let total = |share: usize| low.volumes[share] + high.volumes[cuts - 1 - share];
                let is_there = |&share: &usize| share < low.volumes.len() && cuts - 1 - share < high.volumes.len();
                let shares = (0..cuts).filter(is_there);
                let share = shares.min_by(|&a, &b| total(a).total_cmp(&total(b))).unwrap_or(0);
                self.take_pieces(low, share, pieces);
                self.take_pieces(high, cuts - 1 - share, pieces);
            }
            _ => pieces.extend(separate(branch.pieces, &self.options.fit, FRACTURE | self.options.material)),
        }
    }
}

/// The least sums of two volumes, by the number of cuts in both; for fewer than `most` cuts.
fn sums(low: &[f64], high: &[f64], most: usize) -> Vec<f64> {
    let mut sums = vec![f64::INFINITY; (low.len() + high.len() - 1).min(most)];
    for (a, low) in low.iter().enumerate() {
        for (sum, high) in sums.iter_mut().skip(a).zip(high) {
            *sum = sum.min(low + high);
        }
    }
    sums
}

/// The plane moved to the vertices near to it, if these are all in one plane and have a face there. So boxes come apart
/// where they meet.
fn snapped(plane: Plane, solid: &PolyMesh, reach: f64) -> Plane {
    let is_near = |&&position: &&DVec3| plane.signed_distance(position).abs() < reach;
    let mut near = solid.positions.iter().filter(is_near).map(|&position| plane.normal.dot(position));
    let Some(offset) = near.next() else { return plane };
    if !near.all(|other| (other - offset).abs() < 1e-9 * reach) {
        return plane;
    }
    let mut corners = (0..solid.face_count()).map(|face| solid.contours(face).flatten());
    let is_in = |corner: usize| plane.signed_distance(solid.corner_position(corner)).abs() < reach;
    // Without a face, what is left on a side may hang together by an edge or a vertex.
    let has_face = corners.any(|mut corners| corners.all(is_in));
    if has_face { Plane { offset, ..plane } } else { plane }
}
