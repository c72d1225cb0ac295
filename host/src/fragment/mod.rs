//! Solids as tetrahedra that break (\[Glondu12\]).

pub mod mesher;

pub use mesher::{MeshQuality, Meshed, MesherError, MesherOptions, cuboid_tets, tetrahedralise};
