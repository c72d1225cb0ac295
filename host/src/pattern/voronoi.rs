//! Voronoi cells, smaller towards the impact.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::error::Check;
use super::{MAX_CELLS, Pattern, PatternError, PatternFace, RawCell};
use crate::geometry::{Aabb, Plane, PolyMesh, Side, Voronoi, shapes::LENGTHS, voronoi};
use crate::random::Random;

/// Voronoi cells of random seeds that are denser towards the impact (\[Mueller13\] 3.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VoronoiPattern {
    /// How many cells there are.
    pub cells: u32,
    /// How far the box reaches from the impact along each axis.
    pub extent: f64,
    /// How the density of seeds falls with the distance r from the impact: as r to the power of minus this. Zero is
    /// even.
    pub falloff: f64,
    /// Chooses the random numbers.
    pub seed: u64,
}

impl Default for VoronoiPattern {
    fn default() -> VoronoiPattern {
        VoronoiPattern { cells: 200, extent: 10.0, falloff: 2.0, seed: 1 }
    }
}

impl VoronoiPattern {
    /// Whether the parameters make a pattern.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), PatternError> {
        let check = Check("voronoi");
        check.count("cells", self.cells, 1..=MAX_CELLS)?;
        check.range("extent", self.extent, LENGTHS)?;
        check.range("falloff", self.falloff, 0.0..=2.5)
    }

    /// Where the cells' seeds stand around the impact.
    ///
    /// # Errors
    /// As [`VoronoiPattern::check`].
    pub fn seeds(&self) -> Result<Vec<DVec3>, PatternError> {
        self.check()?;
        let mut random = Random::new(self.seed);
        let bounds = self.bounds();
        let reach = 3f64.sqrt() * self.extent;
        // Out to the corners, and what falls outside of the box is left out: so the density is the same function of the
        // distance everywhere in the box.
        let power = 1.0 / (3.0 - self.falloff);
        let seeds = std::iter::repeat_with(|| direction(&mut random) * (reach * random.unit().powf(power)));
        Ok(seeds.filter(|&seed| bounds.contains(seed)).take(self.cells as usize).collect())
    }

    /// The pattern.
    ///
    /// # Errors
    /// As [`VoronoiPattern::check`].
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        Ok(from_seeds(&self.seeds()?, self.bounds())?)
    }

    fn bounds(&self) -> Aabb {
        Aabb::around(DVec3::ZERO, DVec3::splat(self.extent))
    }
}

impl Pattern {
    /// The Voronoi cells of seeds of one's own in a box, the impact at the origin.
    ///
    /// # Errors
    /// Seeds outside of the box or in the same place, or a box without a volume.
    pub fn voronoi(seeds: &[DVec3], bounds: Aabb) -> Result<Pattern, PatternError> {
        Ok(from_seeds(seeds, bounds)?)
    }
}

/// A random unit vector.
pub(super) fn direction(random: &mut Random) -> DVec3 {
    loop {
        let point = random.in_cube();
        let squared = point.length_squared();
        if (1e-6..=1.0).contains(&squared) {
            return point / squared.sqrt();
        }
    }
}

/// The pattern of the Voronoi cells of seeds.
pub(super) fn from_seeds(seeds: &[DVec3], bounds: Aabb) -> Result<Pattern, crate::geometry::VoronoiError> {
    let diagram = voronoi(seeds, bounds)?;
    let touching = touching(&diagram);
    let wall_planes = (0..6).map(|wall| diagram.plane(0, Side::Wall(wall)));
    let planes: Vec<Plane> =
        wall_planes.chain(touching.iter().map(|&[low, high]| diagram.plane(low, Side::Cell(high)))).collect();
    let face_of = |seed: u32, side: Side| match side {
        Side::Wall(wall) => PatternFace { plane: u32::from(wall), is_flipped: false },
        Side::Cell(other) => {
            let place = touching.partition_point(|&pair| pair < [seed.min(other), seed.max(other)]);
            PatternFace { plane: 6 + place as u32, is_flipped: seed > other }
        }
    };
    let cells = diagram.iter().map(|cell| {
        let mut surface = PolyMesh { positions: cell.vertices().to_vec(), ..PolyMesh::default() };
        cell.faces().for_each(|face| surface.push_face(&[face.corners], 0));
        let faces = cell.faces().map(|face| face_of(cell.seed(), face.side)).collect();
        RawCell { surface, faces, volume: cell.volume() }
    });
    Ok(Pattern::assemble(cells.collect(), planes, touching))
}

/// The pairs of cells with a common face, the lower number first, sorted.
fn touching(diagram: &Voronoi) -> Vec<[u32; 2]> {
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    for cell in diagram.iter() {
        pairs.extend(cell.faces().filter_map(|face| match face.side {
            Side::Cell(other) => Some([cell.seed().min(other), cell.seed().max(other)]),
            Side::Wall(_) => None,
        }));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
