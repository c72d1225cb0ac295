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
pub(super) const FAR: f64 = 2.3;

/// The level and number of a cluster.
#[derive(Clone, Copy)]
pub(super) struct Cluster {
    level: u32,
    number: u32,
}

/// Triangles, summed up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dipole {
    /// The sum of the areas, along the normals.
    normal: DVec3,
    /// The mean of the triangles' middles, weighted by area, and the sum of the weights.
    pub(super) middle: DVec3,
    area: f64,
    /// Of the ball around the middle that holds all.
    pub(super) radius: f64,
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

    /// All triangles, if there are any.
    pub(super) fn root(&self) -> Option<Cluster> {
        let level = self.levels.len() - 1;
        (!self.levels[level].is_empty()).then_some(Cluster { level: level as u32, number: 0 })
    }

    pub(super) fn dipole(&self, cluster: Cluster) -> &Dipole {
        &self.levels[cluster.level as usize][cluster.number as usize]
    }

    /// The clusters or the triangles that a cluster is made of.
    pub(super) fn divide(&self, cluster: Cluster, clusters: &mut Vec<Cluster>, triangles: &mut Vec<u32>) {
        match cluster.level.checked_sub(1) {
            Some(level) => {
                let numbers = parts(cluster.number, PAIR, self.levels[level as usize].len());
                clusters.extend(numbers.map(|number| Cluster { level, number }));
            }
            None => triangles.extend(parts(cluster.number, CLUSTER, self.triangles.len())),
        }
    }

    /// How far a triangle is from a point; not a number if it has no area.
    pub(super) fn distance(&self, triangle: u32, point: DVec3) -> f64 {
        distance(&self.triangles[triangle as usize], point)
    }

    /// The solid angle of a cluster.
    pub(super) fn below(&self, cluster: Cluster, point: DVec3) -> f64 {
        let dipole = self.dipole(cluster);
        if dipole.middle.distance_squared(point) > (FAR * dipole.radius).powi(2) {
            return dipole.angle(point);
        }
        match cluster.level.checked_sub(1) {
            Some(level) => parts(cluster.number, PAIR, self.levels[level as usize].len())
                .map(|number| self.below(Cluster { level, number }, point))
                .sum(),
            None => self.triangles(parts(cluster.number, CLUSTER, self.triangles.len()), point),
        }
    }

    /// The solid angle of some triangles.
    pub(super) fn triangles(&self, triangles: impl Iterator<Item = u32>, point: DVec3) -> f64 {
        let mut sum = Angle::default();
        for triangle in triangles {
            sum.add(&self.triangles[triangle as usize], point);
        }
        sum.angle()
    }
}

/// The numbers of what a cluster is made of.
fn parts(number: u32, each: usize, count: usize) -> std::ops::Range<u32> {
    let first = number * each as u32;
    first..(first + each as u32).min(count as u32)
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
    /// Its solid angle, seen from far away.
    #[inline]
    pub(super) fn angle(&self, point: DVec3) -> f64 {
        let arm = self.middle - point;
        let distance = arm.length_squared();
        self.normal.dot(arm) / (distance * distance.sqrt())
    }

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

/// A sum of solid angles (Van Oosterom and Strackee 1983), positive from behind. Half of a triangle's is the angle of a
/// complex number, so a product of those needs one arc tangent for all.
struct Angle {
    real: f64,
    imaginary: f64,
    /// Whole turns that the product does not show.
    turns: f64,
}

impl Default for Angle {
    fn default() -> Angle {
        Angle { real: 1.0, imaginary: 0.0, turns: 0.0 }
    }
}

impl Angle {
    #[inline]
    fn add(&mut self, triangle: &[DVec3; 3], point: DVec3) {
        let [a, b, c] = triangle.map(|corner| corner - point);
        let [x, y, z] = [a.length(), b.length(), c.length()];
        let real = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
        let imaginary = a.dot(b.cross(c));
        let product = [self.real * real - self.imaginary * imaginary, self.real * imaginary + self.imaginary * real];
        // Two angles up to half a turn are more than that together if they are on one side and the sum on the other.
        if self.imaginary >= 0.0 && imaginary >= 0.0 && product[1] < 0.0 {
            self.turns += 1.0;
        } else if self.imaginary < 0.0 && imaginary < 0.0 && product[1] >= 0.0 {
            self.turns -= 1.0;
        }
        // Lest many factors grow too large or too small.
        let size = product[0].abs() + product[1].abs();
        if size > 0.0 {
            (self.real, self.imaginary) = (product[0] / size, product[1] / size);
        }
    }

    fn angle(&self) -> f64 {
        2.0 * (self.imaginary.atan2(self.real) + TAU * self.turns)
    }
}

/// The distance of a point from a triangle (Ericson 2005, 5.1.5); not a number if that has no area.
fn distance(&[a, b, c]: &[DVec3; 3], point: DVec3) -> f64 {
    let normal = (b - a).cross(c - a);
    let is_within = |from: DVec3, to: DVec3| normal.cross(to - from).dot(point - from) >= 0.0;
    if is_within(a, b) && is_within(b, c) && is_within(c, a) {
        return (normal.dot(point - a) / normal.length()).abs();
    }
    let to_edge = |from: DVec3, to: DVec3| {
        let edge = to - from;
        let share = (edge.dot(point - from) / edge.length_squared()).clamp(0.0, 1.0);
        point.distance(from + share * edge)
    };
    to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a))
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
        let at = |point: DVec3| winding.below(winding.root().unwrap(), point) / (2.0 * TAU);
        for step in 0..400 {
            let point = DVec3::new(f64::from(step * 37 % 100), f64::from(step * 61 % 100), f64::from(step * 17 % 100));
            let distance = point.distance(DVec3::splat(50.0));
            if (distance - 40.0).abs() > 0.2 {
                let expected = if distance < 40.0 { 1.0 } else { 0.0 };
                assert!((at(point) - expected).abs() < 0.05, "{distance} {}", at(point));
            }
        }
    }
}
