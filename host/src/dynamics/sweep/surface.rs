//! A solid that may meet a surface of triangles.

use rapier3d::parry::bounding_volume::{Aabb as RapierAabb, BoundingVolume};
use rapier3d::parry::shape::TriMesh;

use super::meeting::{Limits, Meeting, Side};
use super::path::Path;
use super::solid::Solid;
use crate::geometry::{Aabb, Pose};

/// With more triangles in its way, the step is divided.
const MANY: usize = 32;

/// Shorter parts of a step are not divided.
const SHORTEST: f64 = 1.0 / 256.0;

/// A solid and a surface that may meet.
pub(super) struct SurfaceMeeting<'a> {
    pub(super) side: Side<'a>,
    pub(super) path: &'a Path,
    pub(super) mesh: &'a TriMesh,
    /// Where the mesh is in its body.
    pub(super) local: Pose,
    pub(super) limits: Limits,
}

impl SurfaceMeeting<'_> {
    /// When the two have to stop between two times, if they have to; neither stops by itself in between.
    pub(super) fn stop(&self, from: f64, to: f64) -> Option<f64> {
        let triangles = self.triangles_within(from, to);
        if triangles.len() > MANY && to - from > SHORTEST {
            let middle = 0.5 * (from + to);
            return self.stop(from, middle).or_else(|| self.stop(middle, to));
        }
        let stop = |triangle: u32| {
            let triangle = self.mesh.triangle(triangle);
            let solid = Solid::triangle(&triangle, self.local);
            let other = Side { path: self.path, solid: &solid };
            Meeting { sides: [self.side, other], limits: self.limits }.stop(from, to)
        };
        triangles.into_iter().filter_map(stop).min_by(f64::total_cmp)
    }

    /// Triangles that the solid may come near between two times.
    fn triangles_within(&self, from: f64, to: f64) -> Vec<u32> {
        let mut around = Aabb::EMPTY;
        let mut farthest = 0.0f64;
        for t in [from, to] {
            let inverse = (self.path.at(t) * self.local).inverse();
            let (pose, center) = (self.side.path.at(t), self.path.at(t).translation);
            for &point in &self.side.solid.points {
                let place = pose.transform_point(point);
                around = around.including(inverse.transform_point(place));
                farthest = farthest.max(place.distance(center));
            }
        }
        // As the mesh sees it a point goes along R(t)⁻¹ y(t). With y straight up to its own stray, the acceleration of that
        // is at most angle² |y| + 2 angle |way|, and an eighth of it is how far the point gets from its chord.
        let angle = self.path.turn(from, to);
        let way = (self.side.path.way(from, to) - self.path.way(from, to)).length()
            + self.side.path.reach * self.side.path.turn(from, to)
            + self.path.reach * angle;
        let stray = self.side.path.stray(from, to) + self.path.stray(from, to);
        let curved = 0.125 * angle * angle * (farthest + stray + way) + 0.25 * angle * way;
        let margin = stray + curved + self.side.solid.round + 2.0 * self.limits.gap;
        let Aabb { min, max } = around.expanded(margin + 1e-6 * around.largest());
        let asked = RapierAabb::new(min.as_vec3(), max.as_vec3());
        let mut triangles: Vec<u32> = self.mesh.bvh().leaves(|node| node.aabb().intersects(&asked)).collect();
        triangles.sort_unstable();
        triangles
    }
}
