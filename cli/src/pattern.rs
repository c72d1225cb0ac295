//! Patterns as they are typed, put around a mesh.

use std::str::FromStr;

use fracas::geometry::Aabb;
use fracas::pattern::{MAX_CELLS, Pattern, PatternError, SpherePattern, VoronoiPattern, WebPattern};
use glam::{DAffine3, DQuat, DVec3};

/// A kind of pattern: `voronoi:N`, `web` or `spheres:N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternKind {
    Voronoi(u32),
    Web,
    Spheres(u32),
}

impl FromStr for PatternKind {
    type Err = String;

    fn from_str(text: &str) -> Result<PatternKind, String> {
        let wrong = || {
            format!(
                "expected voronoi:N, web or spheres:N, such as voronoi:50, with a count from 1 to {MAX_CELLS} for N"
            )
        };
        if text == "web" {
            return Ok(PatternKind::Web);
        }
        let (name, count) = text.split_once(':').ok_or_else(wrong)?;
        let count = count.parse().ok().filter(|count| (1..=MAX_CELLS).contains(count)).ok_or_else(wrong)?;
        match name {
            "voronoi" => Ok(PatternKind::Voronoi(count)),
            "spheres" => Ok(PatternKind::Spheres(count)),
            _ => Err(wrong()),
        }
    }
}

/// What a pattern is put around.
pub(crate) struct Target {
    /// The box of the mesh.
    pub(crate) bounds: Aabb,
    pub(crate) impact: DVec3,
    /// How far the break reaches.
    pub(crate) radius: Option<f64>,
}

/// How much farther a pattern reaches than it has to.
const MARGIN: f64 = 1.0625;

/// With a radius, how many times that the pattern reaches: it need not cover what does not break.
const REACH: f64 = 2.0;

impl PatternKind {
    /// About how many cells there are.
    pub(crate) fn cell_count(self) -> usize {
        match self {
            PatternKind::Voronoi(cells) | PatternKind::Spheres(cells) => cells as usize,
            PatternKind::Web => {
                let WebPattern { rings, spokes, .. } = WebPattern::default();
                ((rings + 1) * spokes) as usize
            }
        }
    }

    /// The pattern in a box from -1 to 1, and the map that puts it around what is to be broken.
    pub(crate) fn around(self, target: &Target, seed: u64) -> Result<(Pattern, DAffine3), PatternError> {
        let Target { bounds, impact, .. } = target;
        let (farthest, reach) = (target.farthest(), target.reach());
        let mut rotation = DQuat::IDENTITY;
        let pattern = match self {
            PatternKind::Voronoi(cells) => voronoi(cells, seed).pattern(),
            PatternKind::Spheres(cells) => spheres(cells, seed).pattern(),
            PatternKind::Web => {
                // Across the thinnest side, all through it.
                let size = bounds.size().to_array();
                let thinnest = (0..3).min_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(2);
                rotation = DQuat::from_rotation_arc(DVec3::Z, DVec3::AXES[thinnest]);
                let depth = (MARGIN * farthest[thinnest] / reach).clamp(1e-3, 1e6);
                WebPattern { radius: 0.8, extent: 1.0, depth, seed, ..Default::default() }.pattern()
            }
        }?;
        Ok((pattern, DAffine3::from_scale_rotation_translation(DVec3::splat(reach), rotation, *impact)))
    }

    /// Where the pattern's seeds stand, for what is divided by which is nearest.
    pub(crate) fn seeds(self, target: &Target, seed: u64) -> Result<Vec<DVec3>, String> {
        let seeds = match self {
            PatternKind::Voronoi(cells) => voronoi(cells, seed).seeds(),
            PatternKind::Spheres(cells) => spheres(cells, seed).seeds(),
            PatternKind::Web => {
                return Err(
                    "the cells of a web have no seeds; with --method svo choose voronoi:N or spheres:N".to_owned()
                );
            }
        };
        let seeds = seeds.map_err(|error| error.to_string())?;
        Ok(seeds.into_iter().map(|seed| target.impact + target.reach() * seed).collect())
    }
}

impl Target {
    /// How far the mesh's box reaches from the impact along each axis.
    fn farthest(&self) -> DVec3 {
        (self.bounds.min - self.impact).abs().max((self.bounds.max - self.impact).abs())
    }

    /// How far the pattern has to reach.
    fn reach(&self) -> f64 {
        let whole = MARGIN * self.farthest().max_element();
        self.radius.map_or(whole, |radius| whole.min(REACH * radius))
    }
}

fn voronoi(cells: u32, seed: u64) -> VoronoiPattern {
    VoronoiPattern { cells, extent: 1.0, seed, ..Default::default() }
}

fn spheres(cells: u32, seed: u64) -> SpherePattern {
    SpherePattern { cells, extent: 1.0, radius: 0.7, seed, ..Default::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_parsed() {
        assert_eq!("voronoi:7".parse(), Ok(PatternKind::Voronoi(7)));
        assert_eq!("spheres:60".parse(), Ok(PatternKind::Spheres(60)));
        assert_eq!("web".parse(), Ok(PatternKind::Web));
        for wrong in ["", "voronoi", "voronoi:0", "voronoi:-1", "voronoi:1000001", "spheres:x", "webs", "web:3"] {
            assert!(wrong.parse::<PatternKind>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_pattern_covers_the_mesh_wherever_the_impact_is() {
        let bounds = Aabb { min: DVec3::new(-1.0, 0.0, 2.0), max: DVec3::new(3.0, 0.2, 7.0) };
        for kind in [PatternKind::Voronoi(9), PatternKind::Web, PatternKind::Spheres(9)] {
            for impact in [bounds.center(), bounds.max, DVec3::new(-20.0, 3.0, 0.0)] {
                let (pattern, map) = kind.around(&Target { bounds, impact, radius: None }, 1).unwrap();
                let pattern = pattern.aligned(map).unwrap();
                assert_eq!(pattern.impact(), impact);
                for corner in bounds.corners() {
                    assert!(pattern.locate(corner).is_some(), "{kind:?} at {impact}: {corner}");
                }
            }
        }
    }

    #[test]
    fn the_axis_of_the_web_is_across_the_thinnest_side() {
        let bounds = Aabb { min: DVec3::ZERO, max: DVec3::new(3.0, 0.2, 2.0) };
        let (_, map) = PatternKind::Web.around(&Target { bounds, impact: bounds.center(), radius: None }, 1).unwrap();
        assert!(map.transform_vector3(DVec3::Z).normalize().abs_diff_eq(DVec3::Y, 1e-12));
    }
}
