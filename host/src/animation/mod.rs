//! The benchmark scenes of \[Heo10\] (Heo, Seong, Kim, Otaduy, Hong, Tang and Yoon 2010, section 6): meshes that move, deform and
//! break by a simulation of their own, to ask a [`MeshTree`](crate::bvh::MeshTree) about.
//!
//! | animation | triangles | frames | topology changes |
//! |---|---|---|---|
//! | `n_body` | 34K | 149 | 0 |
//! | `cloth` | 92K | 465 | 0 |
//! | `breaking_walls` | 42K to 140K | 80 | 8 |
//! | `exploding_dragon` | 252K | 250 | 4 |
//!
//! What happens in a frame depends on the frames before and on nothing else: not on what contacts are found, nor on the
//! number of threads.

mod breaking_walls;
mod cloth;
mod exploding_dragon;
mod n_body;
mod player;
mod rubble;
#[cfg(test)]
mod tests;

pub use player::{Player, apply};

use glam::DVec3;

use crate::geometry::TriMesh;

/// A change of the meshes of a scene, in the terms of the update interface of \[Heo10\] 5.1. Bodies have keys that are never
/// used twice.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A body appears.
    Add {
        /// What it is called from now on.
        key: u32,
        /// Its surface.
        mesh: TriMesh,
    },
    /// A body is taken out.
    Delete {
        /// Which.
        key: u32,
    },
    /// A body breaks.
    Split {
        /// Which.
        key: u32,
        /// What it breaks into.
        pieces: Vec<NewPiece>,
    },
    /// Bodies become one.
    Merge {
        /// Which.
        keys: Vec<u32>,
        /// What the one is called from now on.
        key: u32,
        /// Its surface, where it is at the start of the step.
        mesh: TriMesh,
    },
    /// A body moves or deforms.
    Move {
        /// Which.
        key: u32,
        /// Where its vertices are at the end of the step.
        positions: Vec<DVec3>,
    },
}

/// A piece that a body breaks into.
#[derive(Clone, Debug, PartialEq)]
pub struct NewPiece {
    /// What it is called from now on.
    pub key: u32,
    /// Its surface, where it is at the start of the step; a [`Change::Move`] of the same frame says where it goes.
    pub mesh: TriMesh,
    /// Which faces of the body its first faces were, as in [`Piece`](crate::bvh::Piece).
    pub old_faces: Vec<u32>,
}

impl Change {
    /// Whether surfaces come, go or are divided, rather than only move.
    pub fn is_topological(&self) -> bool {
        !matches!(self, Change::Move { .. })
    }
}

/// Meshes that move, deform and break as a function of the frame alone.
pub trait Animation: Send {
    /// The name that [`by_name`] knows it by.
    fn name(&self) -> &'static str;

    /// How many frames there are. Whoever asks for more gets more of the same.
    fn frames(&self) -> u32;

    /// Appends what happens from the last frame to this one. The first frame adds what there is.
    fn next_frame(&mut self, changes: &mut Vec<Change>);
}

/// The names of all animations.
pub const NAMES: [&str; 4] = ["n_body", "cloth", "breaking_walls", "exploding_dragon"];

/// How many frames an animation has, without making it.
pub fn frames(name: &str) -> Option<u32> {
    Some(match name {
        "n_body" => n_body::FRAMES,
        "cloth" => cloth::FRAMES,
        "breaking_walls" => breaking_walls::FRAMES,
        "exploding_dragon" => exploding_dragon::FRAMES,
        _ => return None,
    })
}

/// More detail than this is more than is made.
pub const MOST_DETAIL: f64 = 16.0;

/// Makes an animation. With a `detail` of one it has as many triangles as the paper's, else about so many times as many.
pub fn by_name(name: &str, detail: f64) -> Option<Box<dyn Animation>> {
    let detail = if detail.is_finite() { detail.clamp(0.0, MOST_DETAIL) } else { 1.0 };
    Some(match name {
        "n_body" => Box::new(n_body::NBody::new(detail)),
        "cloth" => Box::new(cloth::FallingCloth::new(detail)),
        "breaking_walls" => Box::new(breaking_walls::BreakingWalls::new(detail)),
        "exploding_dragon" => Box::new(exploding_dragon::ExplodingDragon::new(detail)),
        _ => return None,
    })
}
