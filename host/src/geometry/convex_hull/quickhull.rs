//! Growing a hull point by point, the farthest first (Barber, Dobkin, Huhdanpaa 1996, The Quickhull algorithm for
//! convex hulls), with exact signs.
//!
//! A facet is visible from a point that is strictly outside of its plane. Facets in the plane of the point are not, so
//! no facet without area is ever made: a point in line with an edge of the horizon would lie in the planes of both facets
//! there, and the one that the horizon borders on would not be visible.

use glam::DVec3;

use crate::geometry::Aabb;
use crate::geometry::predicates::orient_3d;

const NONE: u32 = u32::MAX;

/// A triangle of the hull, counter-clockwise from outside.
pub(super) struct Facet {
    pub corners: [u32; 3],
    /// The facet across the edge from each corner to the next.
    pub neighbours: [u32; 3],
    pub alive: bool,
    /// Not normalised.
    normal: DVec3,
    /// A distance along the normal that is certainly more than its rounding.
    slack: f64,
    /// The first of the points that are outside of this facet and wait.
    waiting: u32,
    farthest: u32,
    distance: f64,
    /// The number of the last point that found the facet visible.
    visible_from: u32,
}

/// A hull under construction.
pub(super) struct Quickhull<'a> {
    points: &'a [DVec3],
    pub facets: Vec<Facet>,
    /// The next point that waits at the same facet.
    next_waiting: Vec<u32>,
    /// The new facet whose edge on the horizon starts at a point.
    starting_at: Vec<u32>,
    /// The length of the longest side of the box around the points.
    extent: f64,
}

impl<'a> Quickhull<'a> {
    /// The tetrahedron of four points, of which the last is inside of the plane of the others, and all other points
    /// waiting at its facets.
    pub(super) fn new(points: &'a [DVec3], [a, b, c, d]: [u32; 4]) -> Quickhull<'a> {
        let mut hull = Quickhull {
            points,
            facets: Vec::new(),
            next_waiting: vec![NONE; points.len()],
            starting_at: vec![NONE; points.len()],
            extent: Aabb::of_points(points.iter().copied()).size().max_element(),
        };
        hull.push([a, b, c], [2, 3, 1]);
        hull.push([a, c, d], [0, 3, 2]);
        hull.push([b, a, d], [0, 1, 3]);
        hull.push([c, b, d], [0, 2, 1]);
        for point in 0..points.len() as u32 {
            hull.assign(point, 0);
        }
        hull
    }

    /// Takes in points until none is outside.
    pub(super) fn run(&mut self) {
        let mut pending: Vec<u32> = (0..4).collect();
        let mut visible = Vec::new();
        let mut horizon = Vec::new();
        while let Some(facet) = pending.pop() {
            if !self.facets[facet as usize].alive || self.facets[facet as usize].waiting == NONE {
                continue;
            }
            let point = self.facets[facet as usize].farthest;
            self.find_horizon(facet, point, &mut visible, &mut horizon);
            let first_new = self.facets.len();
            self.build_cone(point, &horizon);
            for &old in &visible {
                let mut waiting = self.facets[old as usize].waiting;
                self.facets[old as usize].alive = false;
                while waiting != NONE {
                    let next = self.next_waiting[waiting as usize];
                    self.assign(waiting, first_new);
                    waiting = next;
                }
            }
            pending.extend(first_new as u32..self.facets.len() as u32);
        }
    }

    /// The facets that a point sees, starting from one, and the edges around them: each the facet beyond, the edge of it
    /// that borders on the visible part, and the two ends as the visible part walks them.
    fn find_horizon(&mut self, facet: u32, point: u32, visible: &mut Vec<u32>, horizon: &mut Vec<HorizonEdge>) {
        visible.clear();
        horizon.clear();
        visible.push(facet);
        self.facets[facet as usize].visible_from = point;
        let mut next = 0;
        while let Some(&here) = visible.get(next) {
            next += 1;
            for edge in 0..3 {
                let beyond = self.facets[here as usize].neighbours[edge];
                if self.facets[beyond as usize].visible_from == point {
                    continue;
                }
                if self.distance_outside(beyond as usize, point).is_some() {
                    self.facets[beyond as usize].visible_from = point;
                    visible.push(beyond);
                } else {
                    let corners = self.facets[here as usize].corners;
                    horizon.push(HorizonEdge { beyond, from: corners[edge], to: corners[(edge + 1) % 3] });
                }
            }
        }
    }

    /// New facets from the horizon to a point.
    fn build_cone(&mut self, point: u32, horizon: &[HorizonEdge]) {
        let first = self.facets.len() as u32;
        for (number, edge) in horizon.iter().enumerate() {
            let new = first + number as u32;
            self.starting_at[edge.from as usize] = new;
            self.push([edge.from, edge.to, point], [edge.beyond, NONE, NONE]);
            let beyond = &mut self.facets[edge.beyond as usize];
            if let Some(side) = (0..3).find(|&side| beyond.corners[side] == edge.to) {
                beyond.neighbours[side] = new;
            }
        }
        for number in 0..horizon.len() as u32 {
            let new = first + number;
            let following = self.starting_at[self.facets[new as usize].corners[1] as usize];
            self.facets[new as usize].neighbours[1] = following;
            self.facets[following as usize].neighbours[2] = new;
        }
    }

    fn push(&mut self, corners: [u32; 3], neighbours: [u32; 3]) {
        let [a, b, c] = corners.map(|corner| self.points[corner as usize]);
        let (u, v) = (b - a, c - a);
        // Each coordinate of u and v is off by half an ulp, each of their products by three, their difference by four;
        // three such numbers times a distance, and their sum, by less than 64 in all.
        let slack = 32.0 * f64::EPSILON * u.abs().max_element() * v.abs().max_element() * self.extent;
        self.facets.push(Facet {
            corners,
            neighbours,
            alive: true,
            normal: u.cross(v),
            slack,
            waiting: NONE,
            farthest: NONE,
            distance: f64::NEG_INFINITY,
            visible_from: NONE,
        });
    }

    /// How far a point is outside of a facet, times the length of its normal, if it is.
    fn distance_outside(&self, facet: usize, point: u32) -> Option<f64> {
        let Facet { corners: [a, b, c], normal, slack, .. } = self.facets[facet];
        // A corner is on the plane, which it would take all digits to find out.
        if point == a || point == b || point == c {
            return None;
        }
        let (origin, position) = (self.points[a as usize], self.points[point as usize]);
        let distance = normal.dot(position - origin);
        let outside = if distance.abs() > slack {
            distance > 0.0
        } else {
            orient_3d(origin, self.points[b as usize], self.points[c as usize], position) > 0.0
        };
        outside.then_some(distance)
    }

    /// Makes a point wait at the first facet, from a given one on, that it is outside of; at none if it is inside of all.
    fn assign(&mut self, point: u32, first: usize) {
        for facet in first..self.facets.len() {
            if let Some(distance) = self.distance_outside(facet, point) {
                let facet = &mut self.facets[facet];
                self.next_waiting[point as usize] = facet.waiting;
                facet.waiting = point;
                if distance > facet.distance {
                    (facet.farthest, facet.distance) = (point, distance);
                }
                return;
            }
        }
    }
}

/// An edge between what a point sees and what it does not.
struct HorizonEdge {
    beyond: u32,
    from: u32,
    to: u32,
}
