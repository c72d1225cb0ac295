//! Surfaces stretched over a stack of rings.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};

use super::super::TriMesh;

/// A loop of points round the y axis, counter-clockwise seen from above, or the single point of a pole.
///
/// The loops of one stack have the same number of points, or twice or half that of the neighbour; in the latter case
/// point 0 of both is at the same angle.
pub(super) type Ring = Vec<DVec3>;

/// Stretches a surface over rings, from the first to the last; if `closed`, also from the last back to the first.
/// Outside is to the right of the way up.
pub(super) fn loft(rings: Vec<Ring>, closed: bool) -> TriMesh {
    let starts: Vec<u32> = rings
        .iter()
        .scan(0, |end, ring| {
            let start = *end;
            *end += ring.len() as u32;
            Some(start)
        })
        .collect();
    let mut mesh = TriMesh { positions: rings.concat(), ..TriMesh::default() };
    let last = if closed { rings.len() } else { rings.len() - 1 };
    for lower in 0..last {
        let upper = (lower + 1) % rings.len();
        let below = Loop { start: starts[lower], count: rings[lower].len() as u32 };
        let above = Loop { start: starts[upper], count: rings[upper].len() as u32 };
        stitch(&mut mesh, below, above);
    }
    mesh
}

#[derive(Clone, Copy)]
struct Loop {
    start: u32,
    count: u32,
}

impl Loop {
    fn point(self, number: u32) -> u32 {
        self.start + number % self.count
    }
}

fn stitch(mesh: &mut TriMesh, below: Loop, above: Loop) {
    let TriMesh { positions, triangles, .. } = mesh;
    let (fewer, more) = (below.count.min(above.count), below.count.max(above.count));
    for segment in 0..if fewer == 1 { more } else { fewer } {
        if below.count == 1 {
            triangles.push([below.start, above.point(segment + 1), above.point(segment)]);
        } else if above.count == 1 {
            triangles.push([above.start, below.point(segment), below.point(segment + 1)]);
        } else if below.count == above.count {
            let [a, b] = [segment, segment + 1].map(|point| below.point(point));
            let [d, c] = [segment, segment + 1].map(|point| above.point(point));
            let length = |from: u32, to: u32| positions[from as usize].distance_squared(positions[to as usize]);
            if length(b, d) < length(a, c) {
                triangles.extend([[a, b, d], [b, c, d]]);
            } else {
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        } else if below.count > above.count {
            let [a, m, b] = [0, 1, 2].map(|point| below.point(2 * segment + point));
            let [d, c] = [segment, segment + 1].map(|point| above.point(point));
            triangles.extend([[a, m, d], [m, c, d], [m, b, c]]);
        } else {
            let [a, b] = [segment, segment + 1].map(|point| below.point(point));
            let [d, m, c] = [0, 1, 2].map(|point| above.point(2 * segment + point));
            triangles.extend([[a, m, d], [a, b, m], [b, c, m]]);
        }
    }
}

/// The unit vector at one of `count` even angles; the quarter turns are exact.
pub(super) fn direction(number: u32, count: u32) -> DVec2 {
    let (quarter, rest) = ((4 * u64::from(number) / u64::from(count)) % 4, (4 * u64::from(number)) % u64::from(count));
    let (sin, cos) = (TAU * rest as f64 / (4.0 * f64::from(count))).sin_cos();
    match quarter {
        0 => DVec2::new(cos, sin),
        1 => DVec2::new(-sin, cos),
        2 => DVec2::new(-cos, -sin),
        _ => DVec2::new(sin, -cos),
    }
}

/// The ring that a point of a profile (radius, height) describes round the y axis; a pole where the radius is 0.
///
/// Angles run from +x towards -z, which is counter-clockwise seen from above.
pub(super) fn ring(point: DVec2, segments: u32) -> Ring {
    if point.x == 0.0 {
        return vec![DVec3::new(0.0, point.y, 0.0)];
    }
    (0..segments)
        .map(|segment| {
            let direction = direction(segment, segments);
            DVec3::new(point.x * direction.x, point.y, -point.x * direction.y)
        })
        .collect()
}

/// How many points to give the ring of each point of a profile that begins on the axis and only moves away from it:
/// fewer where the radius is small, so that the triangles stay as wide as they are long.
///
/// Counts never fall on the way out. Seen from above each ring is then strictly inside of the next whatever the radii,
/// and a surface lofted over the rings is the graph of a height.
pub(super) fn graded_counts(profile: &[DVec2], segments: u32) -> Vec<u32> {
    let least = 6.min(segments);
    let mut counts: Vec<u32> = (0..profile.len())
        .map(|point| {
            let here = profile[point];
            let before = here.distance(profile[point.saturating_sub(1)]);
            let width = before.max(here.distance(profile[(point + 1).min(profile.len() - 1)]));
            let mut count = segments;
            while count.is_multiple_of(2) && count / 2 >= least && TAU * here.x / f64::from(count) < 0.7 * width {
                count /= 2;
            }
            count
        })
        .collect();
    if let Some(edge) = counts.last_mut() {
        *edge = segments;
    }
    for point in 1..counts.len() {
        counts[point] = counts[point].max(counts[point - 1]);
    }
    // Neighbours may differ by a factor of two only.
    for point in (1..counts.len()).rev() {
        counts[point - 1] = counts[point - 1].max(counts[point] / 2);
    }
    counts
}
