//! Dynamic fracture with volumetric approximate convex decompositions (\[Mueller13\]).

mod approximate_hull;
mod candidates;
mod fit;
mod growing_hull;
mod part;
mod turn;
#[allow(dead_code)]
mod visual;

pub use approximate_hull::{ApproximateHullError, approximate_hull, volume_maximising_normals};
pub use fit::{Fit, FitError, fit};
pub use part::{Anchor, Part, Role};

#[cfg(test)]
mod approximate_hull_tests;
#[cfg(test)]
mod fit_tests;
