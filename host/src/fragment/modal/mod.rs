//! Where a blow cracks a brittle solid: linear modal analysis of its tetrahedra, after Glondu, Marchal and Dumont, "Real-time
//! simulation of brittle fracture using modal analysis" (2012).
//!
//! Once for each object, [`ModalModel::new`] finds its lowest elastic modes. A [`Blow`] then excites them; the deformation
//! at the worst instant gives the stress of every node, and where its largest principal value exceeds a strength a crack
//! starts. It grows from node to node, across the direction in which the solid is pulled apart most, and what it separates
//! are the pieces of [`Cracks`].
//!
//! Results are the same to the bit for every run and every number of threads on one kind of processor. The factorisation
//! uses the widest vectors that the processor has, so the last digits of modes may differ between kinds of processors.

mod elasticity;
mod error;
mod factor;
mod graph;
mod lanczos;
mod modes;
mod principal;
mod rigid;
mod stiffness;

pub use elasticity::Elasticity;
pub use error::ModalError;
pub use modes::Modes;
pub use principal::{Principal, SymmetricTensor};

#[cfg(test)]
mod mode_tests;
#[cfg(test)]
mod test_blocks;
