//! Pairs that have hardly moved against each other since their intersection was last found.
//!
//! As long as that is a fraction of a voxel, the volume follows from its gradient, and no voxel has to be looked at: pieces
//! that fall together, and piles that are about to come to rest, cost next to nothing. The way is measured from where the
//! intersection was found, so errors do not add up.

use glam::DMat3;

use super::body::VoxelBody;
use super::press::Press;
use crate::geometry::Pose;

/// An intersection as it was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// The first body as the second one sees it.
    relative: Pose,
    level: u32,
    /// In the second one's frame.
    press: Option<Press>,
}

/// A body's frame; the ground's is the world's.
fn frame(body: Option<&VoxelBody>) -> Pose {
    body.map_or(Pose::IDENTITY, VoxelBody::pose)
}

impl Found {
    pub(super) fn new(first: &VoxelBody, second: Option<&VoxelBody>, level: u32, press: Option<Press>) -> Found {
        let back = frame(second).inverse();
        Found { relative: back * first.pose(), level, press: press.map(|press| moved(press, &back)) }
    }

    /// What presses the pair now, if it has moved by no more than some way since.
    pub(super) fn follow(
        &self,
        first: &VoxelBody,
        second: Option<&VoxelBody>,
        level: u32,
        most: f64,
    ) -> Option<Option<Press>> {
        let frame = frame(second);
        let now = frame.inverse() * first.pose();
        let way = now.transform_point(first.centroid).distance(self.relative.transform_point(first.centroid));
        let turn = now.rotation * self.relative.rotation.inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis();
        let is_near = way + turn.length() * first.radius <= most;
        if level != self.level || !is_near {
            return None;
        }
        Some(self.press.and_then(|press| {
            let moved_to = now.transform_point(self.relative.inverse().transform_point(press.center));
            let volume = press.volume + press.gradient.dot(moved_to - press.center) + press.turning.dot(turn);
            (volume > 0.0).then(|| moved(Press { volume, ..press }, &frame))
        }))
    }
}

fn moved(press: Press, pose: &Pose) -> Press {
    let axes = DMat3::from_quat(pose.rotation);
    Press {
        gradient: axes * press.gradient,
        turning: axes * press.turning,
        center: pose.transform_point(press.center),
        spread: axes * press.spread * axes.transpose(),
        ..press
    }
}
