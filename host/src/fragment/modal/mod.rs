//! Where a blow cracks a brittle solid: linear modal analysis of its tetrahedra, after Glondu, Marchal and Dumont,
//! "Real-time simulation of brittle fracture using modal analysis" (2012).
//!
//! Once for each object, [`ModalModel::new`] finds its lowest elastic modes. A [`Blow`] then excites them; the
//! deformation at the worst instant gives the stress of every node, and where its largest principal value exceeds a
//! strength a crack starts. It grows from node to node, across the direction in which the solid is pulled apart most,
//! and what it separates are the pieces of [`Cracks`].
//!
//! Results are the same to the bit for every run and every number of threads on one kind of processor. The
//! factorisation uses the widest vectors that the processor has, so the last digits of modes may differ between kinds
//! of processors.

mod blow;
mod brittleness;
mod cracks;
mod elasticity;
mod error;
mod factor;
mod graph;
mod grow;
mod lanczos;
mod model;
mod modes;
mod pieces;
mod principal;
mod relief;
mod response;
mod rigid;
mod stiffness;

pub use blow::Blow;
pub use brittleness::Brittleness;
pub use cracks::{Cracks, NO_PIECE};
pub use elasticity::Elasticity;
pub use error::ModalError;
pub use model::{ModalModel, ModalOptions};
pub use modes::Modes;
pub use principal::{Principal, SymmetricTensor};
pub use response::Response;

#[cfg(test)]
mod crack_tests;
#[cfg(test)]
mod grow_tests;
#[cfg(test)]
mod mode_tests;
#[cfg(test)]
mod response_tests;
#[cfg(test)]
mod test_blocks;
