//! Deformable bodies: tetrahedra with co-rotational elasticity, an implicit step, and contacts that rays find.

mod body;
mod contacts;
mod elements;
mod error;
mod material;
mod matrix;
mod scenes;
mod solver;
mod step;
mod tubes;
mod world;

#[cfg(test)]
mod tests;

pub use body::DeformableBody;
pub use error::DeformableError;
pub use material::ElasticMaterial;
pub use scenes::{DeformableScene, chain, cylinder_plane, tori_drop, tori_interpenetrating, tori_pile};
pub use solver::SolverOptions;
pub use tubes::{cylinder_tets, torus_tets};
pub use world::{DeformableOptions, DeformableStatistics, DeformableWorld};

/// Rows of vectors and matrices that one task looks at. Sums are made of pieces of this size.
const ROWS_PER_TASK: usize = 64;
