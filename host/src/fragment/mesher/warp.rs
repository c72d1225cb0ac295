//! Moves lattice points that are too near to the surface onto it (\[Labelle07\] 3.1).

use glam::DVec3;

use super::cuts::Cut;
use super::field::LatticeField;

/// A point moves to a cut that is nearer than this share of a long edge.
///
/// With [`SHORT`] it makes the smallest dihedral angle of all stencils as large as it gets, with cuts and moved points
/// wherever these allow them: angles are from 10.75 to 164.77 degrees, as \[Labelle07\] has it. (The pair of 0.24999 and
/// 0.41189 makes the largest angle small instead: 9.2 to 161.7 degrees.)
pub(super) const LONG: f64 = 0.2852;

/// A point moves to a cut that is nearer than this share of a short edge.
pub(super) const SHORT: f64 = 0.39775;

/// What is left of a lattice: points that moved to the surface, and the cuts that nobody moved to.
pub(super) struct Warped {
    /// The points that moved and where to, by number.
    pub(super) moved: Vec<(u32, DVec3)>,
    /// The cuts of edges none of whose ends moved, in order.
    pub(super) cuts: Vec<Cut>,
}

/// Moves points onto the surface, the first in number first: once one has moved, its edges are no longer cut. The field has
/// them at distance zero then.
pub(super) fn warp(field: &mut LatticeField, cuts: &[Cut]) -> Warped {
    let mut ends: Vec<(u32, u32)> = cuts
        .iter()
        .enumerate()
        .flat_map(|(cut, ends)| [(ends.inside, cut as u32), (ends.outside, cut as u32)])
        .collect();
    ends.sort_unstable();
    let mut is_gone = vec![false; cuts.len()];
    let mut moved = Vec::new();
    for at_point in ends.chunk_by(|one, other| one.0 == other.0) {
        let point = at_point[0].0;
        let nearest = at_point
            .iter()
            .filter(|&&(_, cut)| !is_gone[cut as usize])
            .filter_map(|&(_, cut)| too_near(&cuts[cut as usize], point).map(|length| (length, cut)))
            .min_by(|one, other| one.0.total_cmp(&other.0));
        if let Some((_, cut)) = nearest {
            moved.push((point, cuts[cut as usize].position));
            field.put_on_surface(point);
            at_point.iter().for_each(|&(_, cut)| is_gone[cut as usize] = true);
        }
    }
    let cuts = cuts.iter().zip(is_gone).filter(|(_, is_gone)| !is_gone).map(|(cut, _)| *cut).collect();
    Warped { moved, cuts }
}

/// How far a cut is from an end of its edge, in cells, if that is too near.
fn too_near(cut: &Cut, end: u32) -> Option<f64> {
    let share = if cut.inside == end { cut.share } else { 1.0 - cut.share };
    let (limit, length) = if cut.is_long { (LONG, 1.0) } else { (SHORT, 0.75f64.sqrt()) };
    (share < limit).then_some(share * length)
}
