//! Fracture of tetrahedral meshes and the contacts of their fragments (\[Glondu12\]).

pub mod modal;

pub use modal::{Blow, Brittleness, Cracks, Elasticity, ModalError, ModalModel, ModalOptions};
