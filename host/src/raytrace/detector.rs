//! Matches of all bodies of a scene.

use rayon::prelude::*;

use super::matches::{DetectionStatistics, Match};
use super::pairs::match_pair;
use super::proximity::{ProximityIndex, match_near};
use super::self_collision::match_itself;
use super::{DetectionMethod, Surface};
use crate::bvh::Bvh;
use crate::geometry::Aabb;

/// Finds the matches of all pairs of bodies, and keeps the memory that takes for the next time.
///
/// ```
/// use fracas::geometry::shapes;
/// use fracas::raytrace::{DetectionMethod, Detector, Surface};
/// use glam::DVec3;
///
/// let ball = shapes::UvSphere::default().mesh()?;
/// let shifted = |by: f64| ball.positions.iter().map(move |&position| position + by * DVec3::X);
/// let mut surfaces = vec![Surface::new(&ball)?; 3];
/// surfaces[1].move_to(shifted(0.8));
/// surfaces[2].move_to(shifted(3.0));
/// let mut detector = Detector::default();
/// let statistics = detector.detect(&mut surfaces, &DetectionMethod::default());
/// assert_eq!(statistics.pairs, 1);
/// assert!(detector.matches().iter().all(|found| found.bodies != [2, 2] && found.depth > 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Detector {
    matches: Vec<Match>,
    indices: Vec<ProximityIndex>,
}

impl Detector {
    /// What the last call found, in the order of the pairs of bodies.
    pub fn matches(&self) -> &[Match] {
        &self.matches
    }

    /// Finds all matches of surfaces that have been moved to where they are; bodies are numbered by their places in the list.
    /// The same on any number of threads.
    pub fn detect(&mut self, surfaces: &mut [Surface], method: &DetectionMethod) -> DetectionStatistics {
        self.matches.clear();
        let margin = match method {
            DetectionMethod::Rays(_) => 0.0,
            DetectionMethod::Proximity(options) => 0.5 * options.reach(),
        };
        let boxes: Vec<Aabb> = surfaces.iter().map(|surface| surface.aabb().expanded(margin)).collect();
        let mut pairs = Bvh::build(&boxes).collect_self_pairs();
        // The tree's boxes are a little larger than those it was built of.
        pairs.retain(|&[a, b]| boxes[a as usize].intersects(&boxes[b as usize]));
        let mut is_wanted = vec![false; surfaces.len()];
        pairs.iter().flatten().for_each(|&body| is_wanted[body as usize] = true);
        match method {
            DetectionMethod::Rays(options) => {
                is_wanted.iter_mut().for_each(|is_wanted| *is_wanted |= options.itself);
                let all = surfaces.par_iter_mut().zip(&is_wanted).filter(|(_, is_wanted)| **is_wanted);
                all.for_each(|(surface, _)| surface.rebuild_octree());
                let surfaces = &*surfaces;
                let pair = |&bodies: &[u32; 2]| {
                    let mut found = Vec::new();
                    let pair = bodies.map(|body| &surfaces[body as usize]);
                    (match_pair(pair, bodies, options, &mut found), found)
                };
                let mut found: Vec<_> = pairs.par_iter().map(pair).collect();
                if options.itself {
                    found.par_extend(surfaces.par_iter().zip(0..surfaces.len() as u32).map(|(surface, body)| {
                        let mut found = Vec::new();
                        (match_itself(surface, body, &mut found), found)
                    }));
                }
                self.gather(found)
            }
            DetectionMethod::Proximity(options) => {
                self.indices.resize_with(surfaces.len(), ProximityIndex::default);
                let surfaces = &*surfaces;
                let all = self.indices.par_iter_mut().zip(surfaces).zip(&is_wanted);
                all.filter(|(_, is_wanted)| **is_wanted)
                    .for_each(|((index, surface), _)| index.rebuild(surface, options));
                let indices = &self.indices;
                let pair = |&bodies: &[u32; 2]| {
                    let mut found = Vec::new();
                    let pair = bodies.map(|body| &surfaces[body as usize]);
                    let trees = bodies.map(|body| &indices[body as usize]);
                    (match_near(pair, trees, bodies, options, &mut found), found)
                };
                let found = pairs.par_iter().map(pair).collect();
                self.gather(found)
            }
        }
    }

    fn gather(&mut self, found: Vec<(DetectionStatistics, Vec<Match>)>) -> DetectionStatistics {
        let mut total = DetectionStatistics::default();
        for (statistics, matches) in found {
            total += statistics;
            self.matches.extend(matches);
        }
        total
    }
}
