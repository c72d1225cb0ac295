//! One file for each command.

pub(crate) mod bench;
pub(crate) mod ccd;
pub(crate) mod ccd_queries;
pub(crate) mod collide;
pub(crate) mod decompose;
pub(crate) mod export;
pub(crate) mod fracture;
pub(crate) mod info;
pub(crate) mod manual;
pub(crate) mod mesh;
pub(crate) mod play;
pub(crate) mod render;
pub(crate) mod run;
pub(crate) mod view;
pub(crate) mod voxelize;
