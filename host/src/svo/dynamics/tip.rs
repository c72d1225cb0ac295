//! Corners and edges of a few voxels inside of another body.
//!
//! Their voxels face all ways, so that columns do not tell where they enter and leave. Were they not seen until they are
//! several voxels deep, what stands on a corner would drop and be thrown back for ever.

use glam::DVec3;

use super::body::VoxelBody;
use super::crumb::surface_near;
use super::press::{Place, Press, Rules};
use crate::svo::Intersection;

/// The most voxels that are asked how deep they are.
const MOST_ASKED: usize = 64;

/// What presses corners of either of two bodies and the other one.
pub(super) fn tip_press(
    rules: &Rules,
    intersection: &Intersection,
    [first, second]: [&VoxelBody; 2],
    level: u32,
) -> Option<Press> {
    let [one, other] = &intersection.tips;
    let area = rules.cell * rules.cell;
    let (mut places, mut out) = (Vec::new(), DVec3::ZERO);
    for (tips, other, sign) in [(one, second, 1.0), (other, first, -1.0)] {
        for &tip in tips.iter().step_by(tips.len().div_ceil(MOST_ASKED).max(1)) {
            let Some(plane) = surface_near(tip, 0.0, &other.placed(), level) else { continue };
            let depth = -plane.signed_distance(tip);
            if depth > 0.0 {
                places.push(Place { point: tip, area, depth });
                out += sign * depth * plane.normal;
            }
        }
    }
    rules.press(-area * out.try_normalize()?, area, &places)
}
