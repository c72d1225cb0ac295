//! The solids that the arena is put together from, as polygonal meshes with flat faces.

use glam::{DAffine3, DVec2, DVec3};

use super::super::super::PolyMesh;
use super::super::loft::direction;

/// A prism over a simple polygon, counter-clockwise in the xy plane, from one height along z to another.
pub(super) fn prism(polygon: &[DVec2], from: f64, to: f64) -> PolyMesh {
    prism_in_pieces(polygon, &[(0..polygon.len() as u32).collect()], from, to)
}

/// As [`prism`], with both ends cut into pieces: lists of corners of the polygon, each counter-clockwise.
pub(super) fn prism_in_pieces(polygon: &[DVec2], pieces: &[Vec<u32>], from: f64, to: f64) -> PolyMesh {
    let count = polygon.len() as u32;
    let mut mesh = PolyMesh::default();
    for height in [from, to] {
        mesh.positions.extend(polygon.iter().map(|point| point.extend(height)));
    }
    for piece in pieces {
        let below: Vec<u32> = piece.iter().rev().copied().collect();
        let above: Vec<u32> = piece.iter().map(|corner| count + corner).collect();
        mesh.push_face(&[&below], 0);
        mesh.push_face(&[&above], 0);
    }
    for side in 0..count {
        let next = (side + 1) % count;
        mesh.push_face(&[&[side, next, count + next, count + side]], 0);
    }
    mesh
}

/// A box between two corners.
pub(super) fn block(low: DVec3, high: DVec3) -> PolyMesh {
    let rectangle = [(low.x, low.y), (high.x, low.y), (high.x, high.y), (low.x, high.y)];
    prism(&rectangle.map(|(x, y)| DVec2::new(x, y)), low.z, high.z)
}

/// The map that stands a prism up: its z becomes y.
pub(super) fn upright() -> DAffine3 {
    DAffine3::from_mat3(glam::DMat3::from_cols(DVec3::X, DVec3::NEG_Z, DVec3::Y))
}

/// A solid of revolution round y over (radius, height) points that rise; its ends are flat.
pub(super) fn turned(profile: &[[f64; 2]], segments: u32) -> PolyMesh {
    let mut mesh = PolyMesh::default();
    for &[radius, height] in profile {
        mesh.positions.extend((0..segments).map(|segment| {
            let direction = direction(segment, segments);
            DVec3::new(radius * direction.x, height, -radius * direction.y)
        }));
    }
    let last = (profile.len() as u32 - 1) * segments;
    let below: Vec<u32> = (0..segments).rev().collect();
    let above: Vec<u32> = (last..last + segments).collect();
    mesh.push_face(&[&below], 0);
    mesh.push_face(&[&above], 0);
    for ring in 0..profile.len() as u32 - 1 {
        for segment in 0..segments {
            let [a, b] = [segment, (segment + 1) % segments].map(|segment| ring * segments + segment);
            mesh.push_face(&[&[a, b, b + segments, a + segments]], 0);
        }
    }
    mesh
}

/// A drum of a fluted column, standing on y = 0.
pub(super) fn drum(bottom: f64, height: f64, flutes: u32, points: u32) -> PolyMesh {
    let count = flutes * points;
    let polygon: Vec<DVec2> = (0..count)
        .map(|point| {
            let part = f64::from(point % points) / f64::from(points);
            let across = ((part - 0.1).abs().max(0.1) - 0.1) / 0.8;
            let along = 2.0 * across - 1.0;
            bottom * (1.0 - 0.075 * (1.0 - along * along).max(0.0).sqrt()) * direction(point, count)
        })
        .collect();
    placed(&prism(&polygon, 0.0, height), &upright())
}

/// The ellipse of the outer wall and all that run inside of it at a depth.
#[derive(Clone, Copy)]
pub(super) struct Ground {
    pub(super) half_length: f64,
    pub(super) half_width: f64,
}

impl Ground {
    /// A point at a depth inside of the outer wall; turns are counted as parts of a full one.
    pub(super) fn at(&self, depth: f64, turn: f64, height: f64) -> DVec3 {
        let (sin, cos) = (std::f64::consts::TAU * turn).sin_cos();
        DVec3::new((self.half_length - depth) * cos, height, (self.half_width - depth) * sin)
    }

    /// The frame of a straight bay between two turns: x along it from its middle, y up, z inwards. Also half its width.
    pub(super) fn bay(&self, depth: f64, turns: [f64; 2], height: f64) -> (DAffine3, f64) {
        let [from, to] = turns.map(|turn| self.at(depth, turn, height));
        let along = (to - from).normalize_or(DVec3::X);
        let axes = glam::DMat3::from_cols(along, DVec3::Y, along.cross(DVec3::Y));
        (DAffine3::from_mat3_translation(axes, 0.5 * (from + to)), 0.5 * from.distance(to))
    }

    /// The frame of a point of the wall: as of a bay that is centred on it.
    pub(super) fn frame(&self, depth: f64, turn: f64, height: f64) -> DAffine3 {
        let (mut frame, _) = self.bay(depth, [turn - 1e-4, turn + 1e-4], height);
        frame.translation = self.at(depth, turn, height);
        frame
    }

    /// As [`Ground::frame`], but with z along the line on which the depth grows: the way of stairs and radial walls.
    pub(super) fn radial(&self, depth: f64, turn: f64, height: f64) -> DAffine3 {
        let (sin, cos) = (std::f64::consts::TAU * turn).sin_cos();
        let inwards = DVec3::new(-cos, 0.0, -sin);
        let axes = glam::DMat3::from_cols(DVec3::Y.cross(inwards), DVec3::Y, inwards);
        DAffine3::from_mat3_translation(axes, self.at(depth, turn, height))
    }

    /// A profile of (depth, height) points swept from turn to turn. All edges of the profile are level or upright, so
    /// that all faces are flat.
    pub(super) fn sweep(&self, profile: &[[f64; 2]], turns: [f64; 2], segments: u32) -> PolyMesh {
        let count = profile.len() as u32;
        let mut mesh = PolyMesh::default();
        for segment in 0..=segments {
            let turn = turns[0] + (turns[1] - turns[0]) * f64::from(segment) / f64::from(segments);
            mesh.positions.extend(profile.iter().map(|&[depth, height]| self.at(depth, turn, height)));
        }
        let first: Vec<u32> = (0..count).collect();
        let last: Vec<u32> = (segments * count..(segments + 1) * count).rev().collect();
        mesh.push_face(&[&first], 0);
        mesh.push_face(&[&last], 0);
        for segment in 0..segments {
            for point in 0..count {
                let [a, b] = [point, (point + 1) % count].map(|point| segment * count + point);
                mesh.push_face(&[&[b, a, a + count, b + count]], 0);
            }
        }
        turned_outwards(mesh)
    }
}

/// Turns all faces round if the mesh is inside out.
fn turned_outwards(mut mesh: PolyMesh) -> PolyMesh {
    if mesh.mass_properties().volume < 0.0 {
        let mut start = 0;
        for &end in &mesh.contour_ends {
            mesh.corners[start as usize..end as usize].reverse();
            start = end;
        }
    }
    mesh
}

/// A copy of a mesh, moved by a map that does not mirror.
pub(super) fn placed(mesh: &PolyMesh, map: &DAffine3) -> PolyMesh {
    let positions = mesh.positions.iter().map(|&position| map.transform_point3(position)).collect();
    PolyMesh { positions, ..mesh.clone() }
}
