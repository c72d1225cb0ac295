//! Fragments of tetrahedral meshes: distance fields and sphere trees that survive fracture (\[Glondu12\]).

mod body;
mod cut_tet;
mod dense_grid;
mod distance_field;
mod fracture;
#[expect(clippy::module_inception, reason = "it is what the module is about")]
mod fragment;
mod grid;
mod inside;
mod locator;
pub mod mesher;
pub mod modal;
mod occupancy;
mod ordering;
mod parting;
mod partition;
mod penetration;
mod propagate;
mod query;
mod ranked_bits;
mod solid;
mod sphere_tree;
mod surface;
#[cfg(test)]
mod tests;
mod topology;

pub use body::{CrackModel, FragmentBody, FragmentBreakage};
pub use distance_field::{DistanceField, Nearness, Surface};
pub use fragment::Fragment;
pub use mesher::{MeshQuality, Meshed, MesherError, MesherOptions, cuboid_tets, tetrahedralise};
pub use modal::{Blow, Brittleness, Cracks, Elasticity, ModalError, ModalModel, ModalOptions};
pub use ordering::maximum_distance_order;
pub use partition::{Partition, SeedPartition};
pub use query::{MOST_PARTS, PairMemory, PointContact, QueryMemory, QueryOptions, QueryScratch};
pub use solid::{Solid, SolidError, SolidOptions};
