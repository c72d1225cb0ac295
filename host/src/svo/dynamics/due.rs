//! Which pairs have their voxels compared in a step.
//!
//! The pieces of a fracture begin to move all at once, and then all their pairs would be due in the same steps. A pair whose
//! volume has followed its gradient for a little longer than it should is not far off, so some of them wait: as many as it
//! takes to stay within a budget, those first compared that have gone farthest. The budget counts points and pairs and no
//! time, so every machine and every number of threads decides alike.

use glam::DVec3;

use super::body::VoxelBody;

/// How many times the way that a pair may go it may have gone before it no longer waits.
const PATIENCE: f64 = 4.0;

/// What a pair costs beside its points, in points: walking down two octrees, and looking at chunks that do not meet.
const PAIR: u64 = 1000;

/// Collision points for each square of a voxel's edge of a surface that two pieces share: four for either.
const POINTS: f64 = 8.0;

/// What a pair would have of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    /// How far the pair has gone since its voxels were compared, in ways that it may go.
    pub(super) strain: f64,
    /// The points that will be compared, as far as that is known.
    pub(super) points: u32,
}

/// How many points two bodies may have that were not compared before: as many as a surface has that goes through where their
/// boxes overlap.
pub(super) fn expected_points(first: &VoxelBody, second: &VoxelBody, cell: f64) -> u32 {
    let size = first.aabb().intersection(second.aabb()).size().max(DVec3::ZERO) / cell;
    let across = (size.x * size.y).max(size.y * size.z).max(size.z * size.x);
    (POINTS * across) as u32
}

/// Whether each of some pairs is compared, within a budget of points as far as pairs can wait.
pub(super) fn due(claims: &[Claim], budget: u64) -> Vec<bool> {
    let cost = |claim: &Claim| u64::from(claim.points) + PAIR;
    let can_wait = |claim: &Claim| claim.strain <= PATIENCE;
    let mut is_due: Vec<bool> = claims.iter().map(|claim| !can_wait(claim)).collect();
    let mut spent: u64 = claims.iter().zip(&is_due).filter(|(_, is_due)| **is_due).map(|(claim, _)| cost(claim)).sum();
    let mut late: Vec<usize> = (0..claims.len()).filter(|&pair| !is_due[pair] && claims[pair].strain > 1.0).collect();
    late.sort_by(|&one, &other| claims[other].strain.total_cmp(&claims[one].strain));
    for pair in late {
        // One that is larger than the budget has its turn too.
        if spent == 0 || spent + cost(&claims[pair]) <= budget {
            spent += cost(&claims[pair]);
            is_due[pair] = true;
        }
    }
    is_due
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(all: &[(f64, u32)]) -> Vec<Claim> {
        all.iter().map(|&(strain, points)| Claim { strain, points }).collect()
    }

    #[test]
    fn those_that_went_farthest_are_compared_within_the_budget() {
        let claims = claims(&[(1.5, 4000), (0.9, 0), (2.5, 4000), (2.0, 4000), (1.1, 0)]);
        assert_eq!(due(&claims, u64::MAX), [true, false, true, true, true]);
        assert_eq!(due(&claims, 10_000), [false, false, true, true, false]);
        assert_eq!(due(&claims, 6_000), [false, false, true, false, true]);
        // Something is always compared, or what is larger than the budget would wait for as long as it can.
        assert_eq!(due(&claims, 0), [false, false, true, false, false]);
    }

    #[test]
    fn what_cannot_wait_is_compared_and_counts() {
        let claims = claims(&[(f64::INFINITY, 5000), (PATIENCE + 0.1, 5000), (f64::NAN, 0), (PATIENCE, 0), (2.0, 0)]);
        assert_eq!(due(&claims, 0), [true, true, true, false, false]);
        assert_eq!(due(&claims, 14_000), [true, true, true, true, false]);
    }
}
