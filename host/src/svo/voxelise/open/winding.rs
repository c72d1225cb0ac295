//! Generalised winding numbers (Jacobson, Kavan and Sorkine-Hornung 2013): for a closed mesh, how often it goes around a
//! point; for one with holes, a smooth function that is about one inside and about zero outside.
//!
//! Triangles far away count together as a dipole (Barill, Dickson, Schmidt, Levin and Jacobson 2018).

use std::f64::consts::TAU;

use glam::DVec3;
use rayon::prelude::*;

use crate::geometry::Aabb;

/// Triangles of a cluster.
const CLUSTER: usize = 4;

/// Clusters of a cluster of clusters.
const PAIR: usize = 2;

/// How many times its radius away a node is far away.
const FAR: f64 = 2.3;

/// Triangles, summed up.
#[derive(Clone, Copy, Debug, Default)]
struct Dipole {
    /// The sum of the areas, along the normals.
    normal: DVec3,
    /// The mean of the triangles' middles, weighted by area, and the sum of the weights.
    middle: DVec3,
    area: f64,
    /// Of the ball around the middle that holds all.
    radius: f64,
}

/// A hierarchy of clusters of triangles.
pub(super) struct Winding {
    triangles: Vec<[DVec3; 3]>,
    /// Clusters of triangles first, then clusters of clusters.
    levels: Vec<Vec<Dipole>>,
}

impl Winding {
    pub(super) fn new(mut triangles: Vec<[DVec3; 3]>) -> Winding {
        sort(&mut triangles);
        let first: Vec<Dipole> = triangles.par_chunks(CLUSTER).map(Dipole::of_triangles).collect();
        let mut levels = vec![first];
        while let Some(above) = levels.last().filter(|level| level.len() > 1) {
            levels.push(above.par_chunks(PAIR).map(Dipole::of_dipoles).collect());
        }
        Winding { triangles, levels }
    }

    /// The winding number at a point.
    pub(super) fn at(&self, point: DVec3) -> f64 {
        self.below(self.levels.len() - 1, 0, point) / (2.0 * TAU)
    }

    /// The solid angle of a cluster.
    fn below(&self, level: usize, number: usize, point: DVec3) -> f64 {
        let Some(dipole) = self.levels[level].get(number) else { return 0.0 };
        let arm = dipole.middle - point;
        let distance = arm.length_squared();
        if distance > (FAR * dipole.radius).powi(2) {
            return dipole.normal.dot(arm) / (distance * distance.sqrt());
        }
        if level == 0 {
            let end = self.triangles.len().min(CLUSTER * (number + 1));
            return self.triangles[CLUSTER * number..end].iter().map(|triangle| solid_angle(triangle, point)).sum();
        }
        (PAIR * number..PAIR * (number + 1)).map(|child| self.below(level - 1, child, point)).sum()
    }
}

/// Brings triangles that are near each other together: halves along the longest side, where each first half is a cluster
/// times a power of two.
fn sort(triangles: &mut [[DVec3; 3]]) {
    if triangles.len() <= CLUSTER {
        return;
    }
    let middle = |triangle: &[DVec3; 3]| triangle[0] + triangle[1] + triangle[2];
    let size = Aabb::of_points(triangles.iter().map(middle)).size();
    let axis = (0..3).fold(0, |longest, axis| if size[axis] > size[longest] { axis } else { longest });
    let half = CLUSTER * triangles.len().div_ceil(CLUSTER).next_power_of_two() / 2;
    triangles.select_nth_unstable_by(half, |a, b| middle(a)[axis].total_cmp(&middle(b)[axis]));
    let (low, high) = triangles.split_at_mut(half);
    if low.len() > 4096 {
        rayon::join(|| sort(low), || sort(high));
    } else {
        sort(low);
        sort(high);
    }
}

impl Dipole {
    fn of_triangles(triangles: &[[DVec3; 3]]) -> Dipole {
        let each = triangles.iter().map(|&[a, b, c]| {
            let normal = 0.5 * (b - a).cross(c - a);
            Dipole { normal, middle: (a + b + c) / 3.0, area: normal.length(), radius: 0.0 }
        });
        let mut sum = Dipole::sum(each);
        let corners = triangles.iter().flatten();
        sum.radius = corners.fold(0.0, |radius, corner| radius.max(corner.distance(sum.middle)));
        sum
    }

    fn of_dipoles(dipoles: &[Dipole]) -> Dipole {
        let mut sum = Dipole::sum(dipoles.iter().copied());
        let reach = |dipole: &Dipole| dipole.radius + dipole.middle.distance(sum.middle);
        sum.radius = dipoles.iter().map(reach).fold(0.0, f64::max);
        sum
    }

    fn sum(dipoles: impl Iterator<Item = Dipole>) -> Dipole {
        let mut sum = Dipole::default();
        let (mut plain, mut count) = (DVec3::ZERO, 0.0);
        for dipole in dipoles {
            sum.normal += dipole.normal;
            sum.middle += dipole.area * dipole.middle;
            sum.area += dipole.area;
            plain += dipole.middle;
            count += 1.0;
        }
        sum.middle = if sum.area > 0.0 { sum.middle / sum.area } else { plain / count };
        sum
    }
}

/// The solid angle of a triangle seen from a point (Van Oosterom and Strackee 1983), positive from behind.
fn solid_angle(triangle: &[DVec3; 3], point: DVec3) -> f64 {
    let [a, b, c] = triangle.map(|corner| corner - point);
    let [x, y, z] = [a.length(), b.length(), c.length()];
    let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
    2.0 * a.dot(b.cross(c)).atan2(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shapes;

    #[test]
    fn a_ball_goes_around_its_inside_once() {
        let mesh = shapes::Sphere { radius: 40.0, frequency: 30 }.mesh().unwrap();
        let triangles: Vec<[DVec3; 3]> =
            mesh.iter_corners().map(|corners| corners.map(|corner| corner + 50.0)).collect();
        let winding = Winding::new(triangles);
        for step in 0..400 {
            let point = DVec3::new(f64::from(step * 37 % 100), f64::from(step * 61 % 100), f64::from(step * 17 % 100));
            let distance = point.distance(DVec3::splat(50.0));
            if (distance - 40.0).abs() > 0.2 {
                let expected = if distance < 40.0 { 1.0 } else { 0.0 };
                assert!((winding.at(point) - expected).abs() < 0.05, "{distance} {}", winding.at(point));
            }
        }
    }
}
