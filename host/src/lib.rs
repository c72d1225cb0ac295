//! Fracas breaks solid things in real time and finds every contact between the pieces.
//!
//! Geometry is in double precision, because a fracture must be an exact partition of what broke; rigid-body dynamics
//! is in single precision, because Rapier is. Vectors are [glam]'s, in the version that Rapier uses.

#![cfg_attr(not(feature = "cuda"), forbid(unsafe_code))]
#![cfg_attr(feature = "cuda", deny(unsafe_code))]

pub mod animation;
pub mod benchmark;
pub mod bvh;
pub mod ccd;
pub mod contact;
pub mod device;
pub mod dynamics;
pub mod export;
pub mod fragment;
pub mod geometry;
pub mod hash;
pub mod pattern;
pub mod play;
pub mod random;
// The layer is tested without NVTX.
#[cfg(any(test, feature = "nvtx"))]
pub mod ranges;
pub mod raytrace;
pub mod recording;
pub mod scene;
pub mod serve;
pub mod statistics;
pub mod svo;
pub mod tolerance;
pub mod vacd;
pub mod whole_file;
pub mod world;
