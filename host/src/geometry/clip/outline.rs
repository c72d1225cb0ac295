//! The cap: the outline that the kept faces leave open, and which of its loops are holes.

use std::ops::Range;

use glam::{DVec2, Vec2};

use super::{CAP, Cut};

/// Memory for the outline.
#[derive(Default)]
pub(super) struct OutlineScratch {
    edges: Vec<[u32; 2]>,
    used: Vec<bool>,
    corners: Vec<u32>,
    ends: Vec<usize>,
}

impl Cut<'_> {
    /// Closes the result with a cap.
    pub(super) fn close(&mut self, material: u32) {
        let mut outline = std::mem::take(&mut self.clipper.outline);
        open_edges(&mut self.clipper.rim, &mut outline.edges);
        let (u, v) = self.plane.axes();
        let flat = |vertex: u32| {
            let position = self.result.positions[vertex as usize];
            DVec2::new(u.dot(position), v.dot(position))
        };
        follow_loops(&mut outline, flat);
        if outline.ends.len() == 1 {
            self.push_cap_contour(&outline.corners);
            self.end_cap(material);
        } else if outline.ends.len() > 1 {
            let contours = contour_ranges(&outline.ends);
            for group in group_contours(&contours, |corner| flat(outline.corners[corner])) {
                for contour in group {
                    self.push_cap_contour(&outline.corners[contours[contour].clone()]);
                }
                self.end_cap(material);
            }
        }
        self.clipper.outline = outline;
    }

    fn push_cap_contour(&mut self, vertices: &[u32]) {
        let (u, v) = self.plane.axes();
        for &vertex in vertices {
            let position = self.result.positions[vertex as usize];
            let place = Vec2::new(u.dot(position) as f32, v.dot(position) as f32);
            self.result.corners.push(vertex);
            self.result.corner_normals.iter_mut().for_each(|all| all.push(self.plane.normal.as_vec3()));
            self.result.corner_uvs.iter_mut().for_each(|all| all.push(place));
            self.result.corner_colors.iter_mut().for_each(|all| all.push([255; 4]));
        }
        self.result.contour_ends.push(self.result.corners.len() as u32);
    }

    fn end_cap(&mut self, material: u32) {
        self.result.face_ends.push(self.result.contour_ends.len() as u32);
        self.result.materials.push(material);
        self.clipper.sources.push(CAP);
    }
}

/// The edges that are lacking: the reverse of each edge that no other face walks the other way, sorted.
fn open_edges(rim: &mut [[u32; 2]], open: &mut Vec<[u32; 2]>) {
    rim.sort_unstable_by_key(|&[from, to]| (from.min(to), from.max(to)));
    open.clear();
    for sides in rim.chunk_by(|one, other| {
        (one[0].min(one[1]), one[0].max(one[1])) == (other[0].min(other[1]), other[0].max(other[1]))
    }) {
        let [low, high] = [sides[0][0].min(sides[0][1]), sides[0][0].max(sides[0][1])];
        let upwards = sides.iter().filter(|side| side[0] == low).count();
        let downwards = sides.len() - upwards;
        open.extend(std::iter::repeat_n([high, low], upwards.saturating_sub(downwards)));
        open.extend(std::iter::repeat_n([low, high], downwards.saturating_sub(upwards)));
    }
    open.sort_unstable();
}

/// Joins the open edges to loops. Where loops touch, the sharpest turn to the left keeps them apart.
fn follow_loops(outline: &mut OutlineScratch, flat: impl Fn(u32) -> DVec2) {
    let OutlineScratch { edges, used, corners, ends } = outline;
    used.clear();
    used.resize(edges.len(), false);
    corners.clear();
    ends.clear();
    for first in 0..edges.len() {
        if used[first] {
            continue;
        }
        let begin = corners.len();
        let mut edge = first;
        loop {
            used[edge] = true;
            let [from, to] = edges[edge];
            corners.push(from);
            if to == edges[first][0] {
                break;
            }
            let out = edges.partition_point(|next| next[0] < to);
            let options = (out..edges.len()).take_while(|&next| edges[next][0] == to).filter(|&next| !used[next]);
            let mut alone = options.clone();
            if let (Some(only), None) = (alone.next(), alone.next()) {
                edge = only;
                continue;
            }
            let incoming = flat(to) - flat(from);
            let turn = |next: usize| {
                let outgoing = flat(edges[next][1]) - flat(to);
                incoming.perp_dot(outgoing).atan2(incoming.dot(outgoing))
            };
            let next = options.max_by(|&one, &other| turn(one).total_cmp(&turn(other)));
            // In a closed mesh every vertex of the outline has as many edges in as out.
            let Some(next) = next else { break };
            edge = next;
        }
        if corners.len() - begin < 3 {
            corners.truncate(begin);
        } else {
            ends.push(corners.len());
        }
    }
}

/// The ranges between ends.
pub(super) fn contour_ranges(ends: &[usize]) -> Vec<Range<usize>> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, &end)| start..end).collect()
}

/// Which contours make a face together: each outer one (counter-clockwise) with the holes in it, the outer one first.
pub(super) fn group_contours(contours: &[Range<usize>], point: impl Fn(usize) -> DVec2) -> Vec<Vec<usize>> {
    let polygons: Vec<Vec<DVec2>> = contours.iter().map(|contour| contour.clone().map(&point).collect()).collect();
    let areas: Vec<f64> = polygons.iter().map(|polygon| signed_area(polygon)).collect();
    let mut groups: Vec<Vec<usize>> = (0..contours.len()).filter(|&c| areas[c] > 0.0).map(|c| vec![c]).collect();
    for hole in (0..contours.len()).filter(|&contour| areas[contour] <= 0.0) {
        let around = |group: &&mut Vec<usize>| {
            let outer = &polygons[group[0]];
            areas[group[0]] >= -areas[hole] && polygons[hole].iter().any(|&corner| contains(outer, corner))
        };
        // The smallest that holds it: outer contours may stand in the holes of others.
        let home = groups.iter_mut().filter(around).min_by(|one, other| areas[one[0]].total_cmp(&areas[other[0]]));
        match home {
            Some(group) => group.push(hole),
            // A loop without area, or one that rounding turned over: a face of its own keeps the surface closed.
            None => groups.push(vec![hole]),
        }
    }
    groups
}

fn signed_area(polygon: &[DVec2]) -> f64 {
    let apex = polygon[0];
    polygon.windows(2).map(|edge| (edge[0] - apex).perp_dot(edge[1] - apex)).sum()
}

/// Whether a point is inside of a polygon, by the parity of the edges to its right.
fn contains(polygon: &[DVec2], point: DVec2) -> bool {
    let mut inside = false;
    for (index, &from) in polygon.iter().enumerate() {
        let to = polygon[(index + 1) % polygon.len()];
        if (from.y > point.y) != (to.y > point.y) {
            let crossing = from.x + (point.y - from.y) / (to.y - from.y) * (to.x - from.x);
            inside ^= point.x < crossing;
        }
    }
    inside
}
