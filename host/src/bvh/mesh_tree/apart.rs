//! Pairs of bodies that some direction keeps apart: most of those whose boxes overlap, where something has broken.
//!
//! The boxes of two pieces that lie along a crack overlap all the way down to their triangles, because cracks run as they
//! like. But pieces are convex or nearly so, and a plane fits between them.
//!
//! **Over a step**, vertices move in straight lines, so how far a vertex of one body is from one of the other along a direction
//! changes linearly. If all of one body is before all of the other at the start and at the end, it is at all times. So the
//! differences between vertices of the two, at the start and at the end together, are one cloud of points, and what is asked for is a
//! plane through the origin that has all of it on one side: the way from the origin to the nearest point of the cloud's hull
//! is the normal of one, if there is any (Gilbert, Johnson and Keerthi 1988, A fast procedure for computing the distance
//! between complex objects in three-dimensional space). Whatever direction comes out, the vertices themselves say
//! whether it keeps the bodies apart by more than rounding hides.

use glam::{DVec3, Vec3, Vec4};

use super::body::Body;
use super::lanes::Lanes;
use super::swept::{Space, View};
use super::traverse::Span;

/// Bodies with more vertices are not looked at: their boxes are small beside them, and their tree is the quicker way.
const MOST_VERTICES: usize = 1024;

/// More directions than this are not tried: bodies that are apart by more than a little take four or five.
const MOST_DIRECTIONS: u32 = 12;

/// The vertices of a body, four side by side; the last stands in for those that are missing.
pub(super) struct Vertices {
    /// None, if only the end is asked about.
    pub start: Vec<Lanes>,
    pub end: Vec<Lanes>,
    middle: Vec3,
}

impl Vertices {
    /// Those of a body that is small enough.
    pub(super) fn of(body: &Body, span: Span) -> Option<Vertices> {
        let last = body.swept.last().filter(|_| body.swept.len() <= MOST_VERTICES)?;
        let block = |place: usize, end: bool| {
            let lane = |lane: usize| {
                let (from, to) = body.swept.get(place + lane).unwrap_or(last).ends();
                if end { to } else { from }
            };
            Lanes::of(lane(0), lane(1), lane(2), lane(3))
        };
        let blocks = |end: bool| (0..body.swept.len()).step_by(4).map(|place| block(place, end)).collect();
        // What is asked about the end alone has no other start.
        let end: Vec<Lanes> = blocks(true);
        let start = if span == Span::Step { blocks(false) } else { Vec::new() };
        let sum = end.iter().fold(Lanes::splat(0.0), |sum, block| sum.plus(block));
        let middle = Vec3::new(sum.x.element_sum(), sum.y.element_sum(), sum.z.element_sum());
        Some(Vertices { middle: middle / (4 * end.len()) as f32, start, end })
    }
}

/// The vertex that is farthest along a direction, and how far it is.
#[inline]
pub(super) fn farthest(vertices: &[Lanes], direction: Vec3) -> (f32, Vec3) {
    let direction = Lanes::same(direction);
    // Without branches: which vertex is the farthest so far is as good as random. Numbers of blocks are small, and so exact.
    let (mut most, mut blocks, mut block) = (Vec4::splat(f32::NEG_INFINITY), Vec4::ZERO, Vec4::ZERO);
    for four in vertices {
        let along = four.dot(&direction);
        let is_farther = along.cmpgt(most);
        most = Vec4::select(is_farther, along, most);
        blocks = Vec4::select(is_farther, block, blocks);
        block += 1.0;
    }
    let lanes = most.to_array();
    let lane = (1..4).fold(0, |best, lane| if lanes[lane] > lanes[best] { lane } else { best });
    (lanes[lane], vertices.get(blocks[lane] as usize).map_or(Vec3::ZERO, |four| four.lane(lane)))
}

/// How two bodies stand to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Parting {
    /// This direction keeps them apart.
    Apart(Vec3),
    /// None was found that does; along this one, of those that were tried, they overlap least.
    Overlapping(Vec3),
}

/// Looks for a direction that keeps two bodies apart, in the whole step or at its end, by more than rounding and the margin of the
/// tree hide. Sees the second one as `view` says.
pub(super) fn parting(bodies: [&Vertices; 2], view: &View, space: &Space) -> Parting {
    let [one, other] = bodies;
    let shift = view.shift.truncate();
    let mut direction = other.middle + shift - one.middle;
    let mut simplex = Simplex::default();
    // A direction that tells nothing, until there is a better one.
    let (mut least, mut along) = (f32::NEG_INFINITY, Vec3::ZERO);
    for _ in 0..MOST_DIRECTIONS {
        let (reach, vertex) = farthest(&one.end, direction);
        let (other_reach, other_vertex) = farthest(&other.end, -direction);
        // The nearest point of the cloud along the direction, of those at the end and of those at the start.
        let mut nearest = other_vertex + shift - vertex;
        let mut gap = (direction.dot(shift) - other_reach) - reach;
        if !one.start.is_empty() {
            let (reach, vertex) = farthest(&one.start, direction);
            let (other_reach, other_vertex) = farthest(&other.start, -direction);
            if -other_reach - reach < gap {
                (gap, nearest) = (-other_reach - reach, other_vertex - vertex);
            }
        }
        let slack = space.dot_slack() * direction.abs().element_sum();
        if slack >= f32::MIN_POSITIVE {
            if gap > slack {
                return Parting::Apart(direction);
            }
            if gap > least * direction.length() {
                (least, along) = (gap / direction.length(), direction);
            }
        }
        let Some(way) = simplex.add(nearest.as_dvec3()) else { break };
        direction = way.normalize().as_vec3();
    }
    Parting::Overlapping(along)
}

/// Up to four points of the cloud whose hull is the nearest to the origin so far.
#[derive(Default)]
struct Simplex {
    points: [DVec3; 4],
    count: usize,
    /// How far it is from the origin, squared.
    nearest: Option<f64>,
}

impl Simplex {
    /// Adds a point and keeps only those that the nearest point of the hull is between; returns the way there, if the hull has
    /// come nearer and does not hold the origin.
    fn add(&mut self, point: DVec3) -> Option<DVec3> {
        self.points[self.count] = point;
        self.count += 1;
        let (way, kept) = self.nearest_point();
        let mut count = 0;
        for place in 0..self.count {
            if kept & 1 << place != 0 {
                self.points[count] = self.points[place];
                count += 1;
            }
        }
        self.count = count;
        let distance = way.length_squared();
        let scale = self.points[..count].iter().map(|point| point.length_squared()).fold(0.0, f64::max);
        let comes_nearer = self.nearest.is_none_or(|before| distance < (1.0 - 1e-6) * before);
        self.nearest = Some(distance);
        (count < 4 && comes_nearer && distance > 1e-14 * scale).then_some(way)
    }

    /// The nearest point to the origin, and which points it is between, as bits.
    fn nearest_point(&self) -> (DVec3, u32) {
        let p = &self.points;
        match self.count {
            1 => (p[0], 0b1),
            2 => on_segment(p, [0, 1]),
            3 => on_triangle(p, [0, 1, 2]),
            _ => on_tetrahedron(p),
        }
    }
}

fn on_segment(points: &[DVec3; 4], [a, b]: [usize; 2]) -> (DVec3, u32) {
    let (from, way) = (points[a], points[b] - points[a]);
    let (along, length) = (-from.dot(way), way.length_squared());
    if along <= 0.0 {
        (from, 1 << a)
    } else if along >= length {
        (points[b], 1 << b)
    } else {
        (from + along / length * way, 1 << a | 1 << b)
    }
}

fn on_triangle(points: &[DVec3; 4], [a, b, c]: [usize; 3]) -> (DVec3, u32) {
    let normal = (points[b] - points[a]).cross(points[c] - points[a]);
    let is_within = |from: usize, to: usize| normal.cross(points[to] - points[from]).dot(points[from]) <= 0.0;
    let size = normal.length_squared();
    if size > 0.0 && is_within(a, b) && is_within(b, c) && is_within(c, a) {
        return (points[a].dot(normal) / size * normal, 1 << a | 1 << b | 1 << c);
    }
    nearer(nearer(on_segment(points, [a, b]), on_segment(points, [b, c])), on_segment(points, [c, a]))
}

fn on_tetrahedron(points: &[DVec3; 4]) -> (DVec3, u32) {
    let mut best: Option<(DVec3, u32)> = None;
    for [a, b, c, apex] in [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]] {
        let normal = (points[b] - points[a]).cross(points[c] - points[a]);
        // The origin is beyond this face, or there is no telling.
        if normal.dot(points[a]) * normal.dot(points[apex] - points[a]) >= 0.0 {
            let found = on_triangle(points, [a, b, c]);
            best = Some(best.map_or(found, |best| nearer(best, found)));
        }
    }
    best.unwrap_or((DVec3::ZERO, 0b1111))
}

fn nearer(one: (DVec3, u32), other: (DVec3, u32)) -> (DVec3, u32) {
    if other.0.length_squared() < one.0.length_squared() { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::Frame;
    use crate::bvh::mesh_tree::body::{BodyHandle, Extent};
    use crate::geometry::{Aabb, TriMesh};
    use crate::random::Random;
    use glam::DQuat;

    /// A box with its corners and some points within.
    fn brick(random: &mut Random, middle: DVec3, turn: DQuat, half: DVec3) -> Vec<DVec3> {
        let corner =
            |bits: u32| DVec3::from_array([0, 1, 2].map(|axis| if bits & 1 << axis == 0 { -1.0 } else { 1.0 }));
        let inner = (0..random.next_u64() % 9).map(|_| random.in_cube()).collect::<Vec<_>>();
        (0..8).map(corner).chain(inner).map(|point| middle + turn * (half * point)).collect()
    }

    fn body(from: Vec<DVec3>, to: Vec<DVec3>, space: &Space) -> Body {
        let handle = BodyHandle { slot: 0, generation: 0 };
        let mut body = Body::new(handle, &TriMesh::new(from.clone(), vec![[0, 1, 2]]));
        body.drift = to.iter().zip(&from).map(|(&to, &from)| to - from).sum::<DVec3>() / from.len() as f64;
        body.swept = from.iter().zip(&to).map(|(&from, &to)| space.swept(from, to, body.drift)).collect();
        body.extents = [&from, &to].map(|vertices| Extent::of(vertices));
        (body.from, body.to) = (from, to);
        body
    }

    #[test]
    fn a_direction_keeps_all_vertices_apart_and_is_found_where_there_is_one() {
        let mut random = Random::new(10);
        let bounds = Aabb { min: DVec3::splat(-8.0), max: DVec3::splat(8.0) };
        let space = Space::new(Frame::around(bounds), &bounds, 0.0);
        let (mut found, mut missed, mut met) = (0, 0, 0);
        for round in 0..4000 {
            // Two boxes on the two sides of a plane, or over it, turned about its normal; they keep their sides while they move.
            let normal = random.in_cube().normalize_or(DVec3::X);
            let gap = [0.3, 0.01, 0.001, -0.2][round % 4];
            let halves = [0, 1].map(|_| 0.2 * DVec3::ONE + 0.8 * random.in_cube().abs());
            let mut at = |side: usize| {
                let turn = DQuat::from_rotation_arc(DVec3::X, normal) * DQuat::from_rotation_x(6.0 * random.unit());
                let out = [-1.0, 1.0][side] * (halves[side].x + 0.5 * gap);
                let aside = turn * (DVec3::new(0.0, 1.0, 1.0) * random.in_cube());
                brick(&mut random, out * normal + aside, turn, halves[side])
            };
            let [(from, mut to), (other_from, mut other_to)] = [(at(0), at(0)), (at(1), at(1))];
            to.resize(from.len(), to[0]);
            other_to.resize(other_from.len(), other_to[0]);
            let way = random.in_cube();
            to.iter_mut().chain(&mut other_to).for_each(|vertex| *vertex += way);
            let bodies = [body(from, to, &space), body(other_from, other_to, &space)];
            for span in [Span::Step, Span::End] {
                let view = space.view(bodies[0].drift, bodies[1].drift, span);
                let vertices = [0, 1].map(|side| Vertices::of(&bodies[side], span).unwrap());
                let Parting::Apart(direction) = parting([&vertices[0], &vertices[1]], &view, &space) else {
                    missed += u32::from(gap > 0.0);
                    met += u32::from(gap < 0.0);
                    continue;
                };
                let direction = direction.as_dvec3();
                found += u32::from(gap > 0.0);
                let is_before = |one: &[DVec3], other: &[DVec3]| {
                    let most = one.iter().map(|vertex| vertex.dot(direction)).fold(f64::MIN, f64::max);
                    other.iter().all(|vertex| vertex.dot(direction) > most)
                };
                assert!(is_before(&bodies[0].to, &bodies[1].to));
                assert!(span == Span::End || is_before(&bodies[0].from, &bodies[1].from));
            }
        }
        assert!(found > 5000 && met > 1000, "{found} found, {missed} missed, {met} met");
        assert!(50 * missed < found, "{found} found, {missed} missed");
    }
}
