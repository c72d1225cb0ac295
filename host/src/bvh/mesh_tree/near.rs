//! Faces of two small bodies that can meet, without their trees.
//!
//! Where no plane fits between two bodies, one nearly does: pieces along a crack touch in it, rubble lies on each other. Along the
//! direction in which they overlap least, only few faces of each reach as far as the other body begins. Trees find that out box
//! by box; looking at every vertex once is quicker. What is left is compared face by face, one of the first body with four of the second at
//! a time: along the axes, and along the normals of both.
//!
//! **Over a step** the same two comparisons suffice that are made in `apart`. The least of a body along a direction is, between its
//! start and its end, never below the line from the one to the other, because the least of linear functions is concave. So a vertex
//! which is beyond it at some time is beyond that line, and, being linear too, beyond it at the start or at the end.

use glam::{BVec4A, Vec3, Vec4};

use super::apart::{Vertices, farthest};
use super::body::Body;
use super::lanes::Lanes;
use super::swept::{MovingBox, Space, View};
use super::traverse::Span;

/// What is found of two bodies, one after the other; keeps its memory.
#[derive(Default)]
pub(super) struct Near {
    faces: [Vec<NearFace>; 2],
    /// The faces of the second, four side by side, at each end of the span.
    fours: Vec<Four>,
    /// Of each vertex of the body that is looked at.
    is_beyond: Vec<bool>,
}

struct NearFace {
    face: u32,
    corners: [MovingBox; 3],
}

impl Near {
    /// Finds the faces of two bodies that reach into each other along a direction from the first to the second; returns how many
    /// pairs they make. The second is seen as `view` says.
    pub(super) fn find(
        &mut self,
        bodies: [&Body; 2],
        vertices: [&Vertices; 2],
        view: &View,
        space: &Space,
        direction: Vec3,
    ) -> usize {
        let slack = space.dot_slack() * direction.abs().element_sum();
        let shift = view.shift.truncate().dot(direction);
        for (side, toward) in [direction, -direction].into_iter().enumerate() {
            let (own, other) = (vertices[side], vertices[1 - side]);
            let begins = |other: &[Lanes], shift: f32| (shift - farthest(other, -toward).0) - slack;
            self.is_beyond.clear();
            mark(&mut self.is_beyond, &own.end, toward, begins(&other.end, shift));
            if !own.start.is_empty() {
                mark(&mut self.is_beyond, &own.start, toward, begins(&other.start, 0.0));
            }
            let shift = if side == 0 { Vec4::ZERO } else { view.shift };
            let (body, is_beyond) = (bodies[side], &self.is_beyond);
            let near = body.features.faces.iter().zip(0..).filter_map(|(row, face)| {
                let reaches = row.corners.iter().fold(false, |any, &corner| any | is_beyond[corner as usize]);
                reaches.then(|| NearFace { face, corners: body.corner_boxes(row.corners, shift) })
            });
            self.faces[side].clear();
            self.faces[side].extend(near);
        }
        self.faces[0].len() * self.faces[1].len()
    }

    /// Calls `visit` for the pairs of faces that were found which neither an axis nor a normal of theirs keeps apart; returns how many.
    pub(super) fn visit_pairs(&mut self, span: Span, space: &Space, visit: impl FnMut([u32; 2])) -> u64 {
        match span {
            Span::Step => self.visit_pairs_at::<2>(space, visit),
            Span::End => self.visit_pairs_at::<1>(space, visit),
        }
    }

    /// The same for so many of the ends of a step, the last ones.
    fn visit_pairs_at<const ENDS: usize>(&mut self, space: &Space, mut visit: impl FnMut([u32; 2])) -> u64 {
        let [faces, others] = &mut self.faces;
        // What does not meet the box of all others meets none of them.
        let keep = |some: &mut Vec<NearFace>, all: &[NearFace]| {
            let around = all.iter().map(|near| MovingBox::around(&near.corners)).reduce(MovingBox::union);
            let around = around.map(|around| around.widened(space.slack()));
            some.retain(|near| around.is_some_and(|around| !MovingBox::around(&near.corners).passes::<ENDS>(&around)));
        };
        keep(faces, others);
        keep(others, faces);
        let first = 2 - ENDS;
        self.fours.clear();
        self.fours.extend(others.chunks(4).flat_map(|chunk| {
            // The last one stands in for those that are missing.
            let vertex = |lane: usize, corner: usize, end: usize| {
                chunk[lane.min(chunk.len() - 1)].corners[corner].vertex_at(first + end)
            };
            let four = |corner: usize, end: usize| {
                Lanes::of(
                    vertex(0, corner, end),
                    vertex(1, corner, end),
                    vertex(2, corner, end),
                    vertex(3, corner, end),
                )
            };
            Four::at_ends::<ENDS>(std::array::from_fn(|end| [0, 1, 2].map(|corner| four(corner, end))), space)
        }));
        let (blocks, _) = self.fours.as_chunks::<ENDS>();
        let mut count = 0;
        for near in faces.iter() {
            let same = |end: usize| near.corners.map(|corner| Lanes::same(corner.vertex_at(first + end).truncate()));
            let one = Four::at_ends::<ENDS>(std::array::from_fn(same), space);
            for (block, chunk) in blocks.iter().zip(others.chunks(4)) {
                let lanes = !Four::are_apart(&one, block) & ((1 << chunk.len()) - 1);
                count += u64::from(lanes.count_ones());
                for (other, lane) in chunk.iter().zip(0..) {
                    if lanes & 1 << lane != 0 {
                        visit([near.face, other.face]);
                    }
                }
            }
        }
        count
    }
}

/// Four faces at one end of a step.
#[derive(Clone, Copy)]
struct Four {
    corners: [Lanes; 3],
    /// What is around each, wider by the slack.
    low: Lanes,
    high: Lanes,
    /// Along these, at all ends the same, each is between the least and the most, wider by the slack.
    normals: Lanes,
    least: Vec4,
    most: Vec4,
}

impl Four {
    /// From the corners at each end.
    #[inline(always)]
    fn at_ends<const ENDS: usize>(corners: [[Lanes; 3]; ENDS], space: &Space) -> [Four; ENDS] {
        let [a, b, c] = &corners[0];
        let normals = b.minus(a).cross(&c.minus(a));
        let slack = normals.sum_of_sizes() * space.dot_slack();
        // A normal so short that products with it would underflow tells nothing.
        let slack = Vec4::select(slack.cmpge(Vec4::splat(f32::MIN_POSITIVE)), slack, Vec4::INFINITY);
        let wide = Lanes::splat(space.slack());
        corners.map(|corners| {
            let [a, b, c] = &corners;
            let (low, high) = (a.min(b).min(c).minus(&wide), a.max(b).max(c).plus(&wide));
            let (least, most) = between(&corners, &normals);
            Four { corners, low, high, normals, least: least - slack, most: most + slack }
        })
    }

    /// Which of four and four are apart along an axis or a normal, on the same side at all ends, as bits.
    #[inline(always)]
    fn are_apart<const ENDS: usize>(one: &[Four; ENDS], other: &[Four; ENDS]) -> u32 {
        let (mut above, mut below) = ([BVec4A::splat(true); 3], [BVec4A::splat(true); 3]);
        for (one, other) in one.iter().zip(other) {
            for (axis, (above, below)) in above.iter_mut().zip(&mut below).enumerate() {
                *above &= one.low.axis(axis).cmpgt(other.high.axis(axis));
                *below &= one.high.axis(axis).cmplt(other.low.axis(axis));
            }
        }
        let by_boxes = above[0] | above[1] | above[2] | below[0] | below[1] | below[2];
        if by_boxes.all() {
            return 0b1111;
        }
        let (mut above, mut below) = ([BVec4A::splat(true); 2], [BVec4A::splat(true); 2]);
        for (one, other) in one.iter().zip(other) {
            for (side, [base, seen]) in [[one, other], [other, one]].into_iter().enumerate() {
                let (least, most) = between(&seen.corners, &base.normals);
                above[side] &= least.cmpgt(base.most);
                below[side] &= most.cmplt(base.least);
            }
        }
        (by_boxes | above[0] | above[1] | below[0] | below[1]).bitmask()
    }
}

/// The least and the most of three points each along four directions.
#[inline(always)]
fn between([a, b, c]: &[Lanes; 3], directions: &Lanes) -> (Vec4, Vec4) {
    let (a, b, c) = (a.dot(directions), b.dot(directions), c.dot(directions));
    (a.min(b).min(c), a.max(b).max(c))
}

/// Marks the vertices that reach a place along a direction, besides those that are marked.
fn mark(is_beyond: &mut Vec<bool>, vertices: &[Lanes], direction: Vec3, place: f32) {
    let direction = Lanes::same(direction);
    is_beyond.resize(4 * vertices.len(), false);
    for (block, marks) in vertices.iter().zip(is_beyond.chunks_exact_mut(4)) {
        let beyond = block.dot(&direction).cmpge(Vec4::splat(place)).bitmask();
        marks.iter_mut().zip(0..).for_each(|(mark, lane)| *mark |= beyond & 1 << lane != 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::mesh_tree::apart::{Parting, parting};
    use crate::bvh::mesh_tree::{Candidate, Culling, Feature, MeshTree, MeshTreeOptions};
    use crate::geometry::{TriMesh, shapes};
    use crate::random::Random;
    use glam::{DQuat, DVec3};

    /// A ball somewhere near the origin, turned, and a little dented.
    fn pebble(random: &mut Random, mesh: &TriMesh) -> Vec<DVec3> {
        let turn = DQuat::from_axis_angle(random.in_cube().normalize_or(DVec3::X), 6.0 * random.unit());
        let (middle, size) = (0.9 * random.in_cube(), 0.6 * DVec3::ONE + 0.4 * random.in_cube());
        mesh.positions.iter().map(|&place| middle + turn * (size * place)).collect()
    }

    #[test]
    fn faces_that_meet_are_near_whatever_the_direction() {
        let mut random = Random::new(4);
        let ball = shapes::Sphere { radius: 1.0, frequency: 3 }.mesh().unwrap();
        let mut near = Near::default();
        let (mut met, mut overlapping, mut compared) = (0, 0, 0);
        for _ in 0..60 {
            let mut tree = MeshTree::new(MeshTreeOptions { culling: Culling::Off, ..Default::default() });
            for _ in 0..2 {
                let mesh = TriMesh::new(pebble(&mut random, &ball), ball.triangles.clone());
                let body = tree.add(&mesh).unwrap();
                tree.move_to(body, &pebble(&mut random, &ball)).unwrap();
            }
            tree.update();
            let [Some(a), Some(b)] = &tree.bodies[..] else { panic!("two bodies were added") };
            for span in [Span::Step, Span::End] {
                let view = tree.space.view(a.drift, b.drift, span);
                let [one, other] = [a, b].map(|body| Vertices::of(body, span).unwrap());
                let Parting::Overlapping(along) = parting([&one, &other], &view, &tree.space) else { continue };
                overlapping += 1;
                // Without culling all pairs of bodies are searched by trees. Any face around a vertex will do.
                let face_of = |feature: Feature, is_vertex: bool| match is_vertex {
                    true => {
                        let body = if feature.body == a.handle { a } else { b };
                        body.triangles.iter().position(|face| face.contains(&feature.number)).unwrap() as u32
                    }
                    false => feature.number,
                };
                let features: Vec<[(Feature, bool); 2]> = match span {
                    Span::End => tree.intersections().iter().map(|pair| pair.map(|face| (face, false))).collect(),
                    Span::Step => {
                        let (contacts, _) = tree.contacts(&Default::default()).unwrap();
                        let faces = contacts.iter().filter_map(|contact| match contact.candidate {
                            Candidate::VertexFace { vertex, face } => Some([(vertex, true), (face, false)]),
                            Candidate::EdgeEdge { .. } => None,
                        });
                        faces.collect()
                    }
                };
                let between = features.into_iter().filter(|[one, other]| one.0.body != other.0.body);
                let expected: Vec<[u32; 2]> = between
                    .map(|mut pair| {
                        pair.sort_unstable_by_key(|(feature, _)| feature.body);
                        pair.map(|(feature, is_vertex)| face_of(feature, is_vertex))
                    })
                    .collect();
                for direction in [along, random.in_cube().as_vec3(), Vec3::ZERO] {
                    compared += near.find([a, b], [&one, &other], &view, &tree.space, direction);
                    let mut found = Vec::new();
                    near.visit_pairs(span, &tree.space, |pair| found.push(pair));
                    assert!(expected.iter().all(|pair| found.contains(pair)));
                    met += expected.len();
                }
            }
        }
        assert!(met > 1000 && overlapping > 40 && compared > met, "{met} met, {overlapping} overlap, {compared}");
    }
}
