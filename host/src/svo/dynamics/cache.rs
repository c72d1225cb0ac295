//! Pairs that have hardly moved against each other since their intersection was last found.
//!
//! As long as that is a fraction of a voxel, the volume follows from its gradient, and no voxel has to be looked at: pieces
//! that fall together, and piles that are about to come to rest, cost next to nothing. The way is measured from where the
//! intersection was found, so errors do not add up.

use glam::DVec3;

use super::body::VoxelBody;
use super::press::Press;
use crate::geometry::Pose;
use crate::svo::Intersection;

/// How much farther pairs may move that come apart, or that were not looked at since they were born.
const PARTING: f64 = 4.0;

/// An intersection as it was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// The first body as the second one sees it.
    relative: Pose,
    level: u32,
    /// In the second one's frame.
    press: Option<Press>,
    /// How far they may at least move before they touch, if they do not.
    clearance: f64,
    /// How many points were compared: what it will cost to compare them again.
    pub(super) points: u32,
    /// Whether they are as they were born, as pieces of one thing, and were not looked at since.
    pub(super) is_birth: bool,
}

/// What a pair has come to since its intersection was found.
struct Way {
    /// The first body as the second one sees it now.
    now: Pose,
    turn: DVec3,
    /// No point of the first body has moved farther.
    length: f64,
}

/// A body's frame; the ground's is the world's.
fn frame(body: Option<&VoxelBody>) -> Pose {
    body.map_or(Pose::IDENTITY, VoxelBody::pose)
}

impl Found {
    pub(super) fn new(first: &VoxelBody, second: Option<&VoxelBody>, level: u32, press: Option<Press>) -> Found {
        let back = frame(second).inverse();
        let press = press.map(|press| moved(press, &back));
        Found { relative: back * first.pose(), level, press, clearance: 0.0, points: 0, is_birth: false }
    }

    /// With what the intersection tells beside the press.
    pub(super) fn with(self, intersection: &Intersection) -> Found {
        Found { clearance: intersection.clearance, points: intersection.points, ..self }
    }

    /// Two pieces of one thing as they are born: whatever they share, they are at rest with it.
    pub(super) fn birth(first: &VoxelBody, second: &VoxelBody, level: u32) -> Found {
        Found { is_birth: true, ..Found::new(first, Some(second), level, None) }
    }

    /// What presses the pair now, if it has moved by no more than some way since.
    pub(super) fn follow(
        &self,
        first: &VoxelBody,
        second: Option<&VoxelBody>,
        level: u32,
        most: f64,
    ) -> Option<Option<Press>> {
        if level != self.level {
            return None;
        }
        let frame = frame(second);
        let way = self.way(first, frame.inverse() * first.pose());
        let Some(press) = self.press else {
            let most = if self.is_birth { PARTING * most } else { most };
            return (way.length <= most.max(self.clearance)).then_some(None);
        };
        let growth = self.growth(&press, &way);
        // What comes apart is pressed less and less; nothing new can happen to it but along the little that it slides.
        let is_parting = growth <= -0.5 * press.area * way.length;
        let most = if is_parting { PARTING * most } else { most };
        let volume = press.volume + growth;
        (way.length <= most).then(|| (volume > 0.0).then(|| moved(press.turned(volume, way.turn), &frame)))
    }

    /// The volume that the pair shared when it was born, by the gradient of what it shares now.
    pub(super) fn volume_at(&self, birth: &Found, first: &VoxelBody) -> f64 {
        let way = self.way(first, birth.relative);
        self.press.map_or(0.0, |press| (press.volume + self.growth(&press, &way)).max(0.0))
    }

    fn way(&self, first: &VoxelBody, now: Pose) -> Way {
        let moved = now.transform_point(first.centroid).distance(self.relative.transform_point(first.centroid));
        let turn = now.rotation * self.relative.rotation.inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis();
        Way { now, turn, length: moved + turn.length() * first.radius }
    }

    /// How the volume changes along a way.
    fn growth(&self, press: &Press, way: &Way) -> f64 {
        let moved_to = way.now.transform_point(self.relative.inverse().transform_point(press.center));
        press.gradient.dot(moved_to - press.center)
    }
}

/// A press of one frame in another.
fn moved(press: Press, pose: &Pose) -> Press {
    Press {
        gradient: pose.transform_vector(press.gradient),
        center: pose.transform_point(press.center),
        lean: pose.transform_vector(press.lean),
        reach: press.reach.map(|axis| pose.transform_vector(axis)),
        ..press
    }
}
