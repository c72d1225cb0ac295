//! Where the points of a rough break are: on a lattice of its plane, a little out of place.

use glam::{DVec2, DVec3};

use crate::geometry::lattice_bits;

/// How far a point is from its place in the lattice at most, in spacings.
const JITTER: f64 = 0.3;

/// How near to the outline a point may be, in spacings. More than [`JITTER`], so that a point inside has its place inside
/// too.
const CLEARANCE: f64 = 0.35;

/// The distance between rows of a lattice of equal triangles, in spacings.
const ROW: f64 = 0.866_025_403_784_438_6;

/// How many points a face gets at most.
const MOST_POINTS: f64 = 2048.0;

/// How many rows of points a face gets at most.
const MOST_ROWS: f64 = 1024.0;

/// A direction that no edge or plane of a building has, so that what is in line with the axes has no ties to break and
/// rounding decides nothing.
const ODD: DVec3 = DVec3::new(0.634_817_2, 0.540_302_3, 0.552_371_9);

/// Another one, for planes across the first.
const OTHER_ODD: DVec3 = DVec3::new(0.812_716_4, -0.361_934_8, -0.456_728_1);

/// A plane with axes, which are the same for both of its sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) normal: DVec3,
    along: DVec3,
    up: DVec3,
    offset: f64,
}

impl Frame {
    /// The frame of a plane through a point. The normal is one of the two.
    pub(super) fn new(normal: DVec3, point: DVec3) -> Frame {
        let normal = if is_canonical(normal) { normal } else { -normal };
        let guide = if normal.dot(ODD).abs() < 0.95 { ODD } else { OTHER_ODD };
        let along = (guide - normal * normal.dot(guide)).normalize();
        Frame { normal, along, up: normal.cross(along), offset: normal.dot(point) }
    }

    pub(super) fn flatten(&self, point: DVec3) -> DVec2 {
        DVec2::new(self.along.dot(point), self.up.dot(point))
    }

    pub(super) fn raise(&self, point: DVec2, height: f64) -> DVec3 {
        self.normal * (self.offset + height) + self.along * point.x + self.up * point.y
    }

    /// How far a point is from the plane.
    pub(super) fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// Whether a normal is the one that both sides of a cut agree on.
pub(super) fn is_canonical(normal: DVec3) -> bool {
    normal.dot(ODD) > 0.0
}

/// What contours are begun and sorted by.
pub(super) fn rank(point: DVec3) -> f64 {
    point.dot(ODD)
}

/// A point inside of a polygon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) point: DVec2,
    /// Its distance from the outline, or the reach if that is less.
    pub(super) distance: f64,
    /// Whether it is the first of its row.
    pub(super) begins_row: bool,
}

/// Edges of a polygon, outer contour and holes alike.
pub(super) struct Outline {
    edges: Vec<[DVec2; 2]>,
}

impl Outline {
    pub(super) fn new(edges: Vec<[DVec2; 2]>) -> Outline {
        Outline { edges }
    }

    /// The spacing for this polygon: that which is asked for, doubled until there are not too many points. Doubling keeps
    /// every second row in its place, and the two sides of a cut agree on it even if they are a little different.
    pub(super) fn spacing(&self, asked: f64) -> f64 {
        let area = 0.5 * self.edges.iter().map(|[from, to]| from.perp_dot(*to)).sum::<f64>().abs();
        let (low, high) = self.bounds();
        let size = (high - low).max_element();
        let mut spacing = asked;
        while area > MOST_POINTS * ROW * spacing * spacing || size > MOST_ROWS * ROW * spacing {
            spacing *= 2.0;
        }
        spacing
    }

    fn bounds(&self) -> (DVec2, DVec2) {
        self.edges
            .iter()
            .fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), [from, _]| (low.min(*from), high.max(*from)))
    }

    /// The points of a lattice that are inside, row by row. They depend on the outline only in which of them there are.
    pub(super) fn sites(&self, spacing: f64, reach: f64, seed: u64) -> Vec<Site> {
        let (low, high) = self.bounds();
        let mut sites = Vec::new();
        let (mut near, mut crossings): (Vec<[DVec2; 2]>, Vec<f64>) = Default::default();
        let row_height = ROW * spacing;
        for row in (low.y / row_height).ceil() as i64..=(high.y / row_height).floor() as i64 {
            let height = row as f64 * row_height;
            near.clear();
            near.extend(self.edges.iter().copied().filter(|[from, to]| {
                let far = reach + JITTER * spacing;
                from.y.min(to.y) <= height + far && from.y.max(to.y) >= height - far
            }));
            crossings.clear();
            for [from, to] in near.iter().filter(|[from, to]| (from.y <= height) != (to.y <= height)) {
                crossings.push(from.x + (to.x - from.x) * ((height - from.y) / (to.y - from.y)));
            }
            crossings.sort_unstable_by(f64::total_cmp);
            let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
            let mut begins_row = true;
            for span in crossings.chunks_exact(2) {
                for column in (span[0] / spacing - shift).ceil() as i64..=(span[1] / spacing - shift).floor() as i64 {
                    let place = DVec2::new((column as f64 + shift) * spacing, height);
                    let point = place + spacing * jitter(column, row, seed);
                    let distance =
                        near.iter().fold(reach * reach, |least, edge| squared_distance(point, edge).min(least));
                    if distance >= (CLEARANCE * spacing).powi(2) {
                        sites.push(Site { point, distance: distance.sqrt(), begins_row });
                        begins_row = false;
                    }
                }
            }
        }
        sites
    }
}

/// A random step, not longer than [`JITTER`].
fn jitter(column: i64, row: i64, seed: u64) -> DVec2 {
    let bits = lattice_bits([column, row, 0], seed);
    let number = |shift: u32| ((bits >> shift) & 0xffff_ffff) as f64 * (2.0 / 0xffff_ffff_u32 as f64) - 1.0;
    JITTER * std::f64::consts::FRAC_1_SQRT_2 * DVec2::new(number(0), number(32))
}

fn squared_distance(point: DVec2, [from, to]: &[DVec2; 2]) -> f64 {
    let edge = *to - *from;
    let length = edge.length_squared();
    let share = if length > 0.0 { ((point - *from).dot(edge) / length).clamp(0.0, 1.0) } else { 0.0 };
    point.distance_squared(*from + share * edge)
}
