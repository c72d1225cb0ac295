//! Fitting a convex tightly around the visual mesh inside of it (\[Mueller13\] section 4.2).

use std::fmt;
use std::str::FromStr;

use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::approximate_hull::directions;
use super::growing_hull::GrownHull;
use super::turn::clip_by_turned;
use crate::geometry::{Aabb, Clipped, Convex, ConvexClipper, Plane};
use crate::tolerance;

/// In which directions a convex is fitted to the points inside of it.
///
/// On the command line and in files: `aabb`, `dop14`, `dop26`, `hull:20`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Fit {
    /// Along the axes.
    Aabb,
    /// Along the axes and the diagonals of space.
    #[default]
    Dop14,
    /// Along the axes, the diagonals of space and the diagonals of the faces.
    Dop26,
    /// As [`super::approximate_hull`] does with so many vertices; at least four.
    Hull(u32),
}

/// Why a text names no fit.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FitError {
    /// None of the names.
    #[error("there is no fit {0:?}; expected aabb, dop14, dop26 or hull:N, such as hull:20")]
    Unknown(String),
    /// Not a number of vertices.
    #[error("hull:{0} names no number of vertices; expected a whole number from 4 up, such as hull:20")]
    Vertices(String),
}

impl FromStr for Fit {
    type Err = FitError;

    fn from_str(text: &str) -> Result<Fit, FitError> {
        match text {
            "aabb" => Ok(Fit::Aabb),
            "dop14" => Ok(Fit::Dop14),
            "dop26" => Ok(Fit::Dop26),
            "hull" => Err(FitError::Vertices(String::new())),
            _ => match text.strip_prefix("hull:") {
                Some(number) => match number.parse() {
                    Ok(vertices @ 4..) => Ok(Fit::Hull(vertices)),
                    _ => Err(FitError::Vertices(number.to_owned())),
                },
                None => Err(FitError::Unknown(text.to_owned())),
            },
        }
    }
}

impl TryFrom<String> for Fit {
    type Error = FitError;

    fn try_from(text: String) -> Result<Fit, FitError> {
        text.parse()
    }
}

impl From<Fit> for String {
    fn from(fit: Fit) -> String {
        fit.to_string()
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fit::Aabb => formatter.write_str("aabb"),
            Fit::Dop14 => formatter.write_str("dop14"),
            Fit::Dop26 => formatter.write_str("dop26"),
            Fit::Hull(vertices) => write!(formatter, "hull:{vertices}"),
        }
    }
}

/// The directions of \[Mueller13\] equations 1 to 3, one of each opposite pair, not normalised.
const AXES: [DVec3; 13] = [
    DVec3::X,
    DVec3::Y,
    DVec3::Z,
    DVec3::new(1.0, 1.0, 1.0),
    DVec3::new(-1.0, 1.0, 1.0),
    DVec3::new(1.0, -1.0, 1.0),
    DVec3::new(1.0, 1.0, -1.0),
    DVec3::new(0.0, 1.0, 1.0),
    DVec3::new(0.0, -1.0, 1.0),
    DVec3::new(1.0, 0.0, 1.0),
    DVec3::new(1.0, 0.0, -1.0),
    DVec3::new(1.0, 1.0, 0.0),
    DVec3::new(-1.0, 1.0, 0.0),
];

/// A convex cut down to what the points inside of it need, in the directions of a fit.
///
/// The result never reaches farther than the convex did, so it never overlaps what the convex did not; and a face that
/// a point still touches keeps its plane, bit for bit, so it stays in one plane with the face of the neighbour there.
/// Every point that was inside still is. Where nothing would be cut off but what rounding left there
/// ([`tolerance::FIT`]), nothing is, and no face is made that lies on another.
///
/// A direction across which the points are flat is left alone, so that what comes out has a volume; points that are flat
/// in any way have no hull, and are fitted as by [`Fit::Dop26`]. Without points the convex stays as it is.
///
/// ```
/// use fracas::geometry::{Aabb, Convex};
/// use fracas::vacd::{Fit, fit};
/// use glam::DVec3;
///
/// let cell = Convex::cuboid(Aabb { min: DVec3::ZERO, max: DVec3::ONE });
/// let points = [DVec3::ZERO, DVec3::X, DVec3::Y, 0.5 * DVec3::Z];
/// let fitted = fit(&cell, &points, &Fit::Aabb);
/// assert_eq!(fitted.aabb().max, DVec3::new(1.0, 1.0, 0.5));
/// ```
#[must_use]
pub fn fit(convex: &Convex, points: &[DVec3], fit: &Fit) -> Convex {
    let mut fitter = Fitter::default();
    fitter.whole.start(convex);
    fitter.fit(points, fit)
}

/// Fits what it holds, in memory that it keeps.
#[derive(Default)]
pub(super) struct Fitter {
    /// What is fitted.
    pub(super) whole: ConvexClipper,
    fitted: ConvexClipper,
    reach: Reach,
}

impl Fitter {
    /// As [`fit`].
    pub(super) fn fit(&mut self, points: &[DVec3], way: &Fit) -> Convex {
        let axes = match *way {
            Fit::Aabb => &AXES[..3],
            Fit::Dop14 => &AXES[..7],
            Fit::Dop26 => &AXES,
            Fit::Hull(vertices) => match finite_directions(points, vertices) {
                Some(hull) => {
                    let whole = self.whole.finish();
                    return clip_by_turned(&whole, &hull).unwrap_or(whole);
                }
                None => &AXES,
            },
        };
        self.reach.set_both_ways(points, axes);
        self.fitted.start_as(&self.whole);
        if self.reach.clip(&mut self.fitted) { self.fitted.finish() } else { self.whole.finish() }
    }
}

fn finite_directions(points: &[DVec3], vertices: u32) -> Option<GrownHull> {
    let usable = points.len() < u32::MAX as usize && points.iter().all(|point| point.is_finite());
    usable.then(|| directions(points, vertices as usize).ok())?
}

/// How far points reach: planes that have all of them inside.
#[derive(Default)]
pub(super) struct Reach {
    pub planes: Vec<Plane>,
    /// How far the points are apart across each plane.
    depths: Vec<f64>,
}

impl Reach {
    /// The reach of points along some directions and their opposites.
    fn set_both_ways(&mut self, points: &[DVec3], directions: &[DVec3]) {
        let largest = largest_coordinate(points);
        self.planes.clear();
        self.depths.clear();
        for direction in directions {
            let normal = direction.normalize();
            let [low, high] = extent(points, normal);
            // Along an axis nothing is rounded; else three products and two sums are, of which each plane takes twice
            // the bound.
            let margin = if normal.abs().max_element() == 1.0 { 0.0 } else { 16.0 * f64::EPSILON * largest };
            self.planes.push(Plane { normal: -normal, offset: margin - low });
            self.planes.push(Plane { normal, offset: high + margin });
            self.depths.extend([high - low; 2]);
        }
    }

    /// Clips what a clipper holds by each plane that cuts off something; whether anything is left.
    fn clip(&self, clipper: &mut ConvexClipper) -> bool {
        let nothing = next_to_nothing(Aabb::of_points(clipper.vertices().iter().copied()));
        for (plane, &depth) in self.planes.iter().zip(&self.depths) {
            let cuts = || clipper.vertices().iter().any(|&vertex| plane.signed_distance(vertex) > nothing);
            if depth > nothing && cuts() && clipper.clip(plane, 0) == Clipped::Nothing {
                return false;
            }
        }
        true
    }

    /// The reach in some directions of the points that are outermost of a set but for rounding.
    pub(super) fn of_outermost(points: &[DVec3], normals: &[DVec3]) -> Reach {
        // Beside the products and sums, the coordinates themselves were rounded when the points were chosen: by three
        // ulps, or by eight where a hull took faces together.
        let margin = 32.0 * f64::EPSILON * largest_coordinate(points);
        let (planes, depths) = normals
            .iter()
            .map(|&normal| {
                let [low, high] = extent(points, normal);
                (Plane { normal, offset: high + margin }, high - low)
            })
            .unzip();
        Reach { planes, depths }
    }
}

pub(super) fn largest_coordinate(points: &[DVec3]) -> f64 {
    points.iter().fold(DVec3::ZERO, |largest, point| largest.max(point.abs())).max_element()
}

/// The lowest and the highest place of points along a direction.
fn extent(points: &[DVec3], direction: DVec3) -> [f64; 2] {
    const BLOCK: usize = 4096;
    const NOTHING: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];
    let of_block = |block: &[DVec3]| {
        block.iter().fold(NOTHING, |[low, high], point| {
            let place = direction.dot(*point);
            [if place < low { place } else { low }, if place > high { place } else { high }]
        })
    };
    let union = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
    if points.len() <= BLOCK {
        of_block(points)
    } else {
        points.par_chunks(BLOCK).map(of_block).reduce(|| NOTHING, union)
    }
}

/// What is thinner than this in a box of that size is rounding.
fn next_to_nothing(bounds: Aabb) -> f64 {
    (tolerance::FIT * bounds.diagonal()).max(64.0 * f64::EPSILON * bounds.largest())
}

/// A convex clipped by each plane that cuts off something; `None` if nothing is left.
pub(super) fn clip_to_reach(convex: Convex, reach: &Reach) -> Option<Convex> {
    let mut clipper = ConvexClipper::new();
    clipper.start(&convex);
    reach.clip(&mut clipper).then(|| clipper.finish())
}
