//! The spider web in which glass breaks.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

use super::error::Check;
use super::{Pattern, PatternError, PatternFace, RawCell};
use crate::geometry::{Plane, PolyMesh, shapes::LENGTHS};
use crate::random::Random;

/// A spider web: straight cracks from the impact outwards, and rings of cracks between them, all through the pane. The
/// pane lies in the xy plane; turn the pattern so that its z axis is the pane's normal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebPattern {
    /// How many rings there are.
    pub rings: u32,
    /// How many cracks run outwards.
    pub spokes: u32,
    /// The radius of the outermost ring.
    pub radius: f64,
    /// The width of each ring over that of the one within it.
    pub growth: f64,
    /// How uneven the web is: 0 is regular, 1 as uneven as the cells allow.
    pub jitter: f64,
    /// How far the box reaches from the impact along x and y.
    pub extent: f64,
    /// How far the box reaches from the impact along z; half of the pane's thickness or more.
    pub depth: f64,
    /// Chooses the random numbers.
    pub seed: u64,
}

impl Default for WebPattern {
    fn default() -> WebPattern {
        WebPattern { rings: 7, spokes: 14, radius: 1.0, growth: 1.4, jitter: 0.7, extent: 10.0, depth: 1.0, seed: 1 }
    }
}

/// The faces of the box come first among the planes, as the Voronoi cells have them.
const WALLS: u32 = 6;

impl WebPattern {
    /// Whether the parameters make a pattern.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), PatternError> {
        let check = Check("web");
        check.count("rings", self.rings, 1..=500)?;
        check.count("spokes", self.spokes, 3..=2000)?;
        check.range("extent", self.extent, LENGTHS)?;
        check.range("radius", self.radius, 1e-3 * self.extent..=0.95 * self.extent)?;
        check.range("growth", self.growth, 0.1..=10.0)?;
        check.range("jitter", self.jitter, 0.0..=1.0)?;
        check.range("depth", self.depth, LENGTHS)?;
        // Rings thinner than this would be lost in rounding.
        let thinnest = self.widths().fold(f64::INFINITY, f64::min) / self.radius;
        check.range("thinnest ring over radius (see rings and growth)", thinnest, 1e-6..=1.0)
    }

    /// The widths of the rings, the innermost first.
    fn widths(&self) -> impl Iterator<Item = f64> {
        let powers = move |growth: f64, rings: u32| (0..rings).map(move |ring| growth.powi(ring as i32));
        let total: f64 = powers(self.growth, self.rings).sum();
        let unit = self.radius / total;
        powers(self.growth, self.rings).map(move |power| power * unit)
    }

    /// The pattern. Cell `ring * spokes + spoke` is on a ring, counted from the middle, counter-clockwise of a spoke; the
    /// ring after the last is everything out to the box.
    ///
    /// # Errors
    /// As [`WebPattern::check`].
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        self.check()?;
        let web = Web::new(self);
        let (rings, spokes) = (self.rings, self.spokes);
        let mut cells = Vec::new();
        let mut touching = Vec::new();
        for ring in 0..=rings {
            for spoke in 0..spokes {
                let cell = ring * spokes + spoke;
                cells.push(web.prism(&web.outline(ring, spoke), self.depth));
                touching.push([cell, ring * spokes + (spoke + 1) % spokes]);
                if ring > 0 {
                    touching.push([cell - spokes, cell]);
                }
            }
        }
        Ok(Pattern::assemble(cells, web.planes(self), touching))
    }
}

/// Where the cracks run.
struct Web {
    rings: u32,
    extent: f64,
    /// The direction of each spoke.
    directions: Vec<DVec2>,
    /// Where each spoke meets the box.
    hits: Vec<DVec2>,
    /// Where ring and spoke cross, ring by ring.
    crossings: Vec<DVec2>,
}

/// One side of a cell's outline: where it begins, and the plane in it.
type OutlineSide = (DVec2, PatternFace);

impl Web {
    fn new(options: &WebPattern) -> Web {
        let mut random = Random::new(options.seed);
        let mut wobble = move || options.jitter * (random.unit() - 0.5);
        let sector = TAU / f64::from(options.spokes);
        let directions: Vec<DVec2> = (0..options.spokes)
            .map(|spoke| {
                // Three spokes, the fewest, stay less than half a turn apart with this.
                let direction = DVec2::from_angle(sector * (f64::from(spoke) + 0.4 * wobble()));
                // A spoke that all but hits an edge of the box hits it.
                let is_diagonal = (direction.x.abs() - direction.y.abs()).abs() < 1e-9;
                if is_diagonal { direction.signum() * FRAC_1_SQRT_2 } else { direction }
            })
            .collect();
        let extent = options.extent;
        let hits = directions.iter().map(|&direction| {
            let hit = direction * (extent / direction.abs().max_element());
            let snap = |value: f64, by: f64| {
                if by.abs() == direction.abs().max_element() { extent * by.signum() } else { value }
            };
            DVec2::new(snap(hit.x, direction.x), snap(hit.y, direction.y))
        });
        let widths: Vec<f64> = options.widths().collect();
        let mut crossings = Vec::new();
        let mut radius = 0.0;
        for (ring, width) in widths.iter().enumerate() {
            radius += width;
            let beyond = widths.get(ring + 1).copied().unwrap_or(extent - options.radius);
            // At most two fifths of the way to the next ring, so that rings never meet.
            crossings
                .extend(directions.iter().map(|&direction| direction * (radius + 0.8 * width.min(beyond) * wobble())));
        }
        Web { rings: options.rings, extent, hits: hits.collect(), directions, crossings }
    }

    fn spoke_count(&self) -> u32 {
        self.directions.len() as u32
    }

    fn crossing(&self, ring: u32, spoke: u32) -> DVec2 {
        self.crossings[(ring * self.spoke_count() + spoke) as usize]
    }

    /// The planes: the walls, the spokes, the rings' sides.
    fn planes(&self, options: &WebPattern) -> Vec<Plane> {
        let reach = DVec3::new(self.extent, self.extent, options.depth);
        let walls = [DVec3::NEG_X, DVec3::X, DVec3::NEG_Y, DVec3::Y, DVec3::NEG_Z, DVec3::Z];
        let mut planes: Vec<Plane> =
            walls.iter().map(|&normal| Plane { normal, offset: normal.abs().dot(reach) }).collect();
        // The normal is that of the cell before the spoke.
        planes.extend(
            self.directions.iter().map(|direction| Plane { normal: direction.perp().extend(0.0), offset: 0.0 }),
        );
        for ring in 0..self.rings {
            for spoke in 0..self.spoke_count() {
                let (from, to) = (self.crossing(ring, spoke), self.crossing(ring, (spoke + 1) % self.spoke_count()));
                let normal = -(to - from).perp().normalize().extend(0.0);
                planes.push(Plane { normal, offset: normal.dot(0.5 * (from + to).extend(0.0)) });
            }
        }
        planes
    }

    /// The outline of a cell, counter-clockwise.
    fn outline(&self, ring: u32, spoke: u32) -> Vec<OutlineSide> {
        let count = self.spoke_count();
        let next = (spoke + 1) % count;
        let spoke_side = |spoke: u32, is_flipped: bool| PatternFace { plane: WALLS + spoke, is_flipped };
        let ring_side =
            |ring: u32, is_flipped: bool| PatternFace { plane: WALLS + count + ring * count + spoke, is_flipped };
        let mut outline = Vec::new();
        if ring == 0 {
            outline.push((DVec2::ZERO, spoke_side(spoke, true)));
        } else {
            outline.push((self.crossing(ring - 1, next), ring_side(ring - 1, true)));
            outline.push((self.crossing(ring - 1, spoke), spoke_side(spoke, true)));
        }
        if ring < self.rings {
            outline.push((self.crossing(ring, spoke), ring_side(ring, false)));
            outline.push((self.crossing(ring, next), spoke_side(next, false)));
            return outline;
        }
        let mut border = vec![self.hits[spoke as usize]];
        border.extend(self.corners_between(spoke as usize, next as usize));
        border.push(self.hits[next as usize]);
        for side in border.windows(2) {
            outline.push((side[0], PatternFace { plane: self.wall(side[0], side[1]), is_flipped: false }));
        }
        outline.push((self.hits[next as usize], spoke_side(next, false)));
        outline
    }

    /// The corners of the box strictly between two spokes, counter-clockwise.
    fn corners_between(&self, spoke: usize, next: usize) -> Vec<DVec2> {
        let (from, to) = (self.directions[spoke], self.directions[next]);
        let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(x, y)| DVec2::new(x, y));
        let mut between: Vec<DVec2> =
            corners.into_iter().filter(|&corner| from.perp_dot(corner) > 0.0 && corner.perp_dot(to) > 0.0).collect();
        // Less than half a turn apart, so there are at most two.
        between.sort_by(|a, b| b.perp_dot(*a).total_cmp(&a.perp_dot(*b)));
        between.into_iter().map(|corner| corner * self.extent).collect()
    }

    /// The side of the box that two points of its border are both on.
    fn wall(&self, from: DVec2, to: DVec2) -> u32 {
        let axis = usize::from(!(from.x == to.x && from.x.abs() == self.extent));
        2 * axis as u32 + u32::from(from[axis] > 0.0)
    }

    /// A cell from its outline, through the box along z.
    fn prism(&self, outline: &[OutlineSide], depth: f64) -> RawCell {
        let count = outline.len() as u32;
        let mut surface = PolyMesh::default();
        for z in [-depth, depth] {
            surface.positions.extend(outline.iter().map(|(point, _)| point.extend(z)));
        }
        let mut faces = Vec::with_capacity(outline.len() + 2);
        let bottom: Vec<u32> = (0..count).rev().collect();
        let top: Vec<u32> = (count..2 * count).collect();
        for (plane, cap) in [(4, bottom), (5, top)] {
            surface.push_face(&[&cap], 0);
            faces.push(PatternFace { plane, is_flipped: false });
        }
        for (side, &(_, face)) in (0..count).zip(outline) {
            let next = (side + 1) % count;
            surface.push_face(&[&[side, next, count + next, count + side]], 0);
            faces.push(face);
        }
        let doubled: f64 = (0..outline.len())
            .map(|side| (outline[side].0 - outline[0].0).perp_dot(outline[(side + 1) % outline.len()].0 - outline[0].0))
            .sum();
        RawCell { surface, faces, volume: doubled * depth }
    }
}
