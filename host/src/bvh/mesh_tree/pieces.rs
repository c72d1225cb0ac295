//! Pieces keep what was theirs of the tree of the body that broke (\[Heo10\] section 5.3: tree structures are modified locally).
//!
//! A piece that is said to have faces of the body gets the part of the old tree that is over these: the parts that lost nothing are copied, with
//! what hangs together in them, and above them stand those nodes that have something of the piece on both sides. One walk through the old tree
//! finds this for all pieces ([`Broken::divide`]), and each then makes its own. Faces that are new, along cracks, get a tree beside it.

use bytemuck::Zeroable;

use super::BuildMethod;
use super::body::{Body, Extra, Leaf, TWIG};
use super::features::NONE;
use super::update::UpdateError;
use crate::bvh::Node;
use crate::bvh::shape::{Shape, append, end_below, push_pair, set_pair};
use crate::geometry::TriMesh;

/// So often a tree is put beside one of new faces; each time it becomes deeper, so in the end it is built anew.
const MOST_LAYERS: u8 = 12;

/// A piece of a body that breaks, for [`MeshTree::split`](super::MeshTree::split).
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Its surface.
    pub mesh: &'a TriMesh,
    /// Which faces of the body its first faces were, one number each, with corners in the same order; those behind are new. Vertices may have
    /// other numbers, but what old faces shared they have to share. Empty if nothing is known.
    ///
    /// A piece keeps what the tree knows about its old faces, which takes a fraction of the time of building it. It is built anew if not more than half
    /// of its faces are old, if the body was not updated since it was added, if corners do not match, and after a dozen breaks with new faces.
    pub old_faces: &'a [u32],
}

impl<'a> From<&'a TriMesh> for Piece<'a> {
    fn from(mesh: &'a TriMesh) -> Piece<'a> {
        Piece { mesh, old_faces: &[] }
    }
}

/// Where a face of a body that broke has gone: the piece, and its number there; `NONE` if it is in none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heir {
    pub piece: u32,
    pub face: u32,
}

const NOBODY: Heir = Heir { piece: NONE, face: NONE };

/// Below this node are faces of several pieces.
const SEVERAL: u32 = NONE - 1;

/// A body that broke, until its pieces have taken over what was theirs.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    pub body: Body,
    /// For each of its faces.
    heirs: Vec<Heir>,
    /// The old faces of all pieces, one after the other, and where those of each end.
    old_faces: Vec<u32>,
    ends: Vec<usize>,
    /// Nodes of the old tree of which some piece has something on both sides.
    joints: Vec<Joint>,
    /// What each piece has of the tree, by the number of the piece.
    shares: Vec<Share>,
}

/// What is left of a node for a piece.
#[derive(Clone, Copy, Debug)]
struct Joint {
    below: [Share; 2],
}

/// What a piece has below some node.
#[derive(Clone, Copy, Debug)]
struct Share {
    piece: u32,
    leaves: u32,
    top: Top,
}

#[derive(Clone, Copy, Debug)]
enum Top {
    /// A node with all that is below it; of a twig, those faces that the piece has.
    Node(u32),
    Joint(u32),
}

/// Which faces of a body of so many pieces say that they have.
pub(super) fn heirs_of(faces: usize, pieces: &[Piece<'_>]) -> Result<Vec<Heir>, UpdateError> {
    let mut heirs = vec![NOBODY; faces];
    for (number, piece) in pieces.iter().enumerate() {
        if piece.old_faces.len() > piece.mesh.triangles.len() {
            return Err(UpdateError::OldFaceCount {
                piece: number,
                found: piece.old_faces.len(),
                faces: piece.mesh.triangles.len(),
            });
        }
        for (&old, face) in piece.old_faces.iter().zip(0..) {
            match heirs.get_mut(old as usize) {
                Some(heir) if heir.piece == NONE => *heir = Heir { piece: number as u32, face },
                _ => return Err(UpdateError::OldFace { piece: number, face: old, faces }),
            }
        }
    }
    Ok(heirs)
}

impl Broken {
    pub(super) fn new(body: Body, heirs: Vec<Heir>, pieces: &[Piece<'_>]) -> Broken {
        let (mut old_faces, mut ends) = (Vec::with_capacity(heirs.len()), Vec::with_capacity(pieces.len()));
        for piece in pieces {
            old_faces.extend_from_slice(piece.old_faces);
            ends.push(old_faces.len());
        }
        Broken { body, heirs, old_faces, ends, joints: Vec::new(), shares: Vec::new() }
    }

    fn old_faces_of(&self, piece: u32) -> &[u32] {
        let start = if piece == 0 { 0 } else { self.ends[piece as usize - 1] };
        &self.old_faces[start..self.ends[piece as usize]]
    }

    /// Divides the tree among the pieces.
    pub(super) fn divide(&mut self) {
        let nodes = &self.body.nodes;
        let common = |one: u32, other: u32| if one == other { one } else { SEVERAL };
        // Whose everything is below each node.
        let mut owners = vec![NONE; nodes.len()];
        for (number, node) in nodes.iter().enumerate().rev() {
            owners[number] = match node.first_child_over(TWIG) {
                None => self.pieces_in(node).reduce(common).unwrap_or(NONE),
                Some(child) => common(owners[child as usize], owners[child as usize + 1]),
            };
        }
        let mut division =
            Division { broken: self, owners, joints: Vec::new(), shares: Vec::new(), merged: Vec::new() };
        if !nodes.is_empty() {
            division.gather(0);
        }
        let Division { joints, shares, .. } = division;
        (self.joints, self.shares) = (joints, shares);
    }

    /// The pieces that have the faces of a twig, from left to right.
    fn pieces_in(&self, twig: &Node) -> impl Iterator<Item = u32> {
        self.body.leaves_of(twig).iter().map(|leaf| self.heirs[leaf.face() as usize].piece)
    }

    fn share_of(&self, piece: u32) -> Option<Share> {
        let place = self.shares.binary_search_by_key(&piece, |share| share.piece).ok()?;
        Some(self.shares[place])
    }
}

/// A walk through a tree that is divided.
struct Division<'a> {
    broken: &'a Broken,
    owners: Vec<u32>,
    joints: Vec<Joint>,
    /// The shares below nodes that are still to be joined with those of their siblings, of each by piece.
    shares: Vec<Share>,
    merged: Vec<Share>,
}

impl Division<'_> {
    /// Puts what every piece has below a node on the list.
    fn gather(&mut self, number: u32) {
        let node = &self.broken.body.nodes[number as usize];
        match (self.owners[number as usize], node.first_child_over(TWIG)) {
            (NONE, _) => {}
            (SEVERAL, None) => {
                let mut pieces: Vec<u32> = self.broken.pieces_in(node).filter(|&piece| piece != NONE).collect();
                pieces.sort_unstable();
                let shares = pieces.chunk_by(|one, other| one == other);
                self.shares.extend(shares.map(|same| Share {
                    piece: same[0],
                    leaves: same.len() as u32,
                    top: Top::Node(number),
                }));
            }
            (SEVERAL, Some(child)) => {
                let first = self.shares.len();
                self.gather(child);
                let middle = self.shares.len();
                self.gather(child + 1);
                self.merge(first, middle);
            }
            (piece, _) => self.shares.push(Share { piece, leaves: node.leaves, top: Top::Node(number) }),
        }
    }

    /// Makes one list of those of two siblings.
    fn merge(&mut self, first: usize, middle: usize) {
        self.merged.clear();
        let (mut left, mut right) = (self.shares[first..middle].iter().peekable(), self.shares[middle..].iter());
        for share in &mut right {
            while let Some(&before) = left.next_if(|left| left.piece < share.piece) {
                self.merged.push(before);
            }
            self.merged.push(match left.next_if(|left| left.piece == share.piece) {
                Some(&beside) => {
                    self.joints.push(Joint { below: [beside, *share] });
                    let top = Top::Joint(self.joints.len() as u32 - 1);
                    Share { piece: share.piece, leaves: beside.leaves + share.leaves, top }
                }
                None => *share,
            });
        }
        self.merged.extend(left);
        self.shares.truncate(first);
        self.shares.append(&mut self.merged);
    }
}

impl Body {
    /// Makes the shape of the tree that of its share in the one of a body that broke, as one of its pieces; returns whether it did. `names` is
    /// room for a number for each vertex and each edge of that body, all `NONE`, and so again afterwards.
    pub(super) fn inherit(&mut self, broken: &Broken, piece: u32, method: BuildMethod, names: &mut Vec<u32>) -> bool {
        let old = &broken.body;
        let (faces, old_faces) = (self.triangles.len(), broken.old_faces_of(piece));
        // A twig is built as fast as that.
        let is_worth_it = 2 * old_faces.len() > faces && faces as u32 > TWIG;
        let Some(share) = broken.share_of(piece).filter(|_| is_worth_it) else { return false };
        let has_new = old_faces.len() < faces;
        self.layers = old.layers + u8::from(has_new);
        if self.layers > MOST_LAYERS || !self.has_vertices_of(old, old_faces, names) {
            return false;
        }
        if has_new {
            self.features.find(&self.triangles, self.to.len());
        } else {
            self.features.keep(&old.features, old_faces, (&broken.heirs, piece), &self.triangles, self.to.len(), names);
        }
        // Where nothing is new, nothing comes between neighbours.
        let keeps_patches =
            !old.extras.is_empty() && (!has_new || self.hangs_together_as(old, old_faces, &broken.heirs, piece));
        let beside = if has_new { Some(self.shape_over(old_faces.len() as u32..faces as u32, method)) } else { None };
        Planting { broken, new: self, keeps_patches }.plant_whole(share, beside);
        true
    }

    /// Whether the first faces have vertices one to one with those of some faces of another body.
    fn has_vertices_of(&self, old: &Body, old_faces: &[u32], new_names: &mut Vec<u32>) -> bool {
        let mut old_names = vec![NONE; self.to.len()];
        new_names.resize(new_names.len().max(old.to.len()), NONE);
        let mut pairs = old_faces.iter().zip(&self.triangles).flat_map(|(&old_face, corners)| {
            let old_corners = old.triangles[old_face as usize];
            [0, 1, 2].map(|corner| (old_corners[corner], corners[corner]))
        });
        let are_the_same = pairs.all(|(old_corner, corner)| {
            let (name, old_name) = (&mut new_names[old_corner as usize], &mut old_names[corner as usize]);
            if (*name, *old_name) == (NONE, NONE) {
                (*name, *old_name) = (corner, old_corner);
            }
            (*name, *old_name) == (corner, old_corner)
        });
        // Those that were met are the only ones that have names.
        for name in old_names.into_iter().filter(|&name| name != NONE) {
            new_names[name as usize] = NONE;
        }
        are_the_same
    }

    /// Whether old faces are neighbours exactly where they were. New faces at an edge of two make it one of three, of which nobody is anybody's
    /// neighbour, and one of three becomes one of two where the third has gone: what was a disk then is none.
    fn hangs_together_as(&self, old: &Body, old_faces: &[u32], heirs: &[Heir], piece: u32) -> bool {
        old_faces.iter().zip((0u32..).step_by(3)).all(|(&old_face, first)| {
            let twins = &old.features.twins[3 * old_face as usize..][..3];
            twins.iter().zip(first..).all(|(&twin, half_edge)| {
                let behind = if twin == NONE { NOBODY } else { heirs[(twin / 3) as usize] };
                let now = self.features.twins[half_edge as usize];
                match behind.piece == piece {
                    true => now == 3 * behind.face + twin % 3,
                    // Nobody, or a new face.
                    false => now == NONE || (now / 3) as usize >= old_faces.len(),
                }
            })
        })
    }
}

/// The tree of a piece as it is made from an old one.
struct Planting<'a> {
    broken: &'a Broken,
    new: &'a mut Body,
    /// Whether what was found out about parts of the old tree holds.
    keeps_patches: bool,
}

impl Planting<'_> {
    /// Makes the tree: that of a share, and beside it one over new faces.
    fn plant_whole(&mut self, share: Share, beside: Option<Shape>) {
        let (count, faces) = (share.leaves, self.new.triangles.len() as u32);
        let Body { nodes, leaves, extras, .. } = self.new;
        nodes.clear();
        leaves.clear();
        extras.clear();
        nodes.push(Node::zeroed());
        self.new.nodes[0] = match beside {
            None => self.plant(share),
            Some(shape) => {
                let link = self.push_pair();
                let left = self.plant(share);
                let right = append(&mut self.new.nodes, &shape.nodes, TWIG, count);
                set_pair(&mut self.new.nodes, link, [left, right]);
                let order = shape.order.into_iter().map(|number| Leaf::of(&self.new.features, count + number));
                self.new.leaves.extend(order);
                Node { link, leaves: faces, ..Node::zeroed() }
            }
        };
        // Of a body that was never searched there are none.
        let pairs = if self.broken.body.extras.is_empty() { 0 } else { self.new.nodes.len() / 2 };
        self.new.extras.resize(pairs, Extra::NEW);
    }

    fn push_pair(&mut self) -> u32 {
        self.new.extras.push(Extra::NEW);
        push_pair(&mut self.new.nodes)
    }

    /// Makes what is below the topmost node of a share, and returns that.
    fn plant(&mut self, share: Share) -> Node {
        let mut node = Node { link: self.new.leaves.len() as u32, leaves: share.leaves, ..Node::zeroed() };
        match share.top {
            _ if share.leaves <= TWIG => self.plant_leaves(share),
            Top::Node(number) => node.link = self.copy_below(self.broken.body.nodes[number as usize].link),
            Top::Joint(number) => {
                let Joint { below: [left, right] } = self.broken.joints[number as usize];
                node.link = self.push_pair();
                let pair = [self.plant(left), self.plant(right)];
                set_pair(&mut self.new.nodes, node.link, pair);
            }
        }
        node
    }

    /// Makes the leaves of a share that is a twig.
    fn plant_leaves(&mut self, share: Share) {
        let Broken { body: old, heirs, joints, .. } = self.broken;
        match share.top {
            Top::Node(number) => {
                let leaves = old.leaves_of(&old.nodes[number as usize]).iter();
                let heirs = leaves.map(|leaf| heirs[leaf.face() as usize]).filter(|heir| heir.piece == share.piece);
                self.new.leaves.extend(heirs.map(|heir| Leaf::of(&self.new.features, heir.face)));
            }
            Top::Joint(number) => joints[number as usize].below.into_iter().for_each(|below| self.plant_leaves(below)),
        }
    }

    /// Copies all that is below a node of the old tree which has lost nothing, from its first child on; returns where that is now.
    fn copy_below(&mut self, old_first: u32) -> u32 {
        let Broken { body: old, heirs, .. } = self.broken;
        let Body { nodes, leaves, extras, features, .. } = &mut *self.new;
        let below = old_first as usize..end_below(&old.nodes, old_first, TWIG) as usize;
        let places = old.places_below(old_first);
        let (first, first_place) = (nodes.len() as u32, leaves.len() as u32);
        let (by, places_by) = (first.wrapping_sub(old_first), first_place.wrapping_sub(places.start as u32));
        nodes.extend(old.nodes[below.clone()].iter().map(|node| node.moved(TWIG, by, places_by)));
        let face = |old_face: u32| heirs[old_face as usize].face;
        leaves.extend(old.leaves[places].iter().map(|leaf| Leaf::of(features, face(leaf.face()))));
        if self.keeps_patches {
            let old_extras = old.extras[below.start / 2..below.end / 2].iter();
            extras.extend(old_extras.map(|extra| Extra { patch: extra.patch.renumbered(face), ..*extra }));
        } else {
            extras.resize(nodes.len() / 2, Extra::NEW);
        }
        first
    }
}
