//! Dynamic fracture with volumetric approximate convex decompositions (\[Mueller13\]).

mod approximate_hull;
mod automatic;
mod body;
mod candidates;
mod cells;
mod compound;
mod decompose;
mod exposed;
mod fit;
mod fracture;
mod ghost;
mod growing_hull;
mod index;
mod inside;
mod intersect;
mod islands;
mod overlap;
mod part;
mod prepare;
mod rough;
mod separate;
mod solids;
mod sort;
mod support;
mod turn;
mod visual;
mod weld;

pub use approximate_hull::{ApproximateHullError, approximate_hull, volume_maximising_normals};
pub use automatic::{AutoOptions, decompose_auto};
pub use body::{Breakage, CompoundBody, Turn};
pub use compound::{Compound, CompoundError, CompoundOptions};
pub use decompose::{DecomposeError, DecomposeOptions, decompose};
pub use fit::{Fit, FitError, fit};
pub use fracture::{FractureOptions, FractureTimes, Fractured};
pub use islands::{Bond, NO_FACE};
pub use part::{Anchor, Part, Role};
pub use prepare::{PrepareOptions, parts_of};
pub use rough::{Roughness, roughen};
pub use solids::solids;

#[cfg(test)]
mod approximate_hull_tests;
#[cfg(test)]
mod body_tests;
#[cfg(test)]
mod decompose_tests;
#[cfg(test)]
mod fit_tests;
#[cfg(test)]
mod fracture_tests;
