//! An animation and the tree that it is played in.

use rustc_hash::FxHashMap;

use super::{Animation, Change, NewPiece};
use crate::bvh::{BodyHandle, MeshTree, MeshTreeOptions, Piece, UpdateError};

/// Plays an animation in a [`MeshTree`], a frame at a time.
///
/// ```no_run
/// use fracas::animation::{Player, by_name};
/// use fracas::bvh::MeshTreeOptions;
///
/// let animation = by_name("n_body", 0.1).expect("it is one of the names");
/// let mut player = Player::new(animation, MeshTreeOptions::default());
/// for _ in 0..10 {
///     player.step()?;
///     println!("{} pairs of triangles intersect", player.tree.intersections().len());
/// }
/// # Ok::<(), fracas::bvh::UpdateError>(())
/// ```
pub struct Player {
    /// What is played.
    pub animation: Box<dyn Animation>,
    /// What queries are asked of.
    pub tree: MeshTree,
    /// The body in the tree of every key that is there.
    pub handles: FxHashMap<u32, BodyHandle>,
    /// What happened in the last step.
    pub changes: Vec<Change>,
}

impl Player {
    /// A player before the first frame, with an empty tree.
    pub fn new(animation: Box<dyn Animation>, options: MeshTreeOptions) -> Player {
        Player { animation, tree: MeshTree::new(options), handles: FxHashMap::default(), changes: Vec::new() }
    }

    /// Goes on by one frame: what happens, in the tree, which is then brought up to date.
    ///
    /// # Errors
    /// If the animation does something that the tree refuses.
    pub fn step(&mut self) -> Result<(), UpdateError> {
        self.advance();
        self.update()
    }

    /// The first part of [`Player::step`]: finds out what happens. The tree does not know of it yet.
    pub fn advance(&mut self) {
        self.changes.clear();
        self.animation.next_frame(&mut self.changes);
    }

    /// The second part of [`Player::step`]: tells the tree what happened, and brings it up to date.
    ///
    /// # Errors
    /// As [`Player::step`].
    pub fn update(&mut self) -> Result<(), UpdateError> {
        apply(&self.changes, &mut self.tree, &mut self.handles)?;
        self.tree.update();
        Ok(())
    }
}

/// Makes changes in a tree; `handles` says where each key is.
///
/// # Errors
/// The first change that the tree refuses, or that names a key which is not there; those before it have been made.
pub fn apply(
    changes: &[Change],
    tree: &mut MeshTree,
    handles: &mut FxHashMap<u32, BodyHandle>,
) -> Result<(), UpdateError> {
    for change in changes {
        match change {
            Change::Add { key, mesh } => {
                handles.insert(*key, tree.add(mesh)?);
            }
            Change::Delete { key } => tree.delete(take(handles, *key)?)?,
            Change::Split { key, pieces } => {
                let known = pieces.iter().map(|NewPiece { mesh, old_faces, .. }| Piece { mesh, old_faces });
                let added = tree.split(take(handles, *key)?, known)?;
                handles.extend(pieces.iter().map(|piece| piece.key).zip(added));
            }
            Change::Merge { keys, key, mesh } => {
                let merged: Vec<BodyHandle> = keys.iter().map(|&key| take(handles, key)).collect::<Result<_, _>>()?;
                handles.insert(*key, tree.merge(&merged, mesh)?);
            }
            Change::Move { key, positions } => {
                let body = *handles.get(key).ok_or(UpdateError::UnknownBody)?;
                tree.move_to(body, positions)?;
            }
        }
    }
    Ok(())
}

fn take(handles: &mut FxHashMap<u32, BodyHandle>, key: u32) -> Result<BodyHandle, UpdateError> {
    handles.remove(&key).ok_or(UpdateError::UnknownBody)
}
