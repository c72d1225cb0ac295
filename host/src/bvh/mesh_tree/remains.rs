//! What is left of a body when pieces come off it keeps its part of the tree (\[Heo10\] section 5.3: tree structures are modified
//! locally).
//!
//! Most of a large body is as it was. If what is left has its faces in the order in which the body had them, and those along cracks
//! behind them, its tree is the old one without the leaves of faces that are gone, beside a new one of the faces that are new. Parts
//! that lost nothing are copied, with what hangs together in them.

use super::BuildMethod;
use super::body::{Body, Extra, pair_below, place_nodes};
use super::features::NONE;
use super::swept::Space;
use crate::bvh::Node;

/// So often a tree is put beside one of new faces; each time it becomes deeper, so in the end it is built anew.
const MOST_LAYERS: u8 = 12;

/// Which faces of a body another one still has.
struct Kept {
    /// For each face of the old body its number in the new one; `NONE` of those that are gone.
    numbers: Vec<u32>,
    /// How many there are; all others of the new body are new.
    count: u32,
}

impl Body {
    /// Makes the shape of the tree that of another body's as far as it is what is left of that; returns whether it was.
    pub(super) fn take_over(&mut self, old: &Body, space: &Space, method: BuildMethod) -> bool {
        let faces = self.triangles.len() as u32;
        let Some(kept) = self.kept_faces(old).filter(|kept| 2 * kept.count > faces) else { return false };
        self.layers = old.layers + u8::from(kept.count < faces);
        if self.layers > MOST_LAYERS {
            return false;
        }
        self.build_features_from(old, &kept);
        self.nodes.resize(2 * faces as usize - 1, Node::bare_leaf(0));
        if !old.extras.is_empty() {
            self.extras.resize(faces as usize - 1, Extra::NEW);
        }
        // Where nothing is new, nothing comes between neighbours.
        let keeps_patches = !self.extras.is_empty() && (kept.count == faces || self.hangs_together_as(old, &kept));
        let mut pruning = Pruning { old, leaves: leaves_kept(old, &kept), kept, new: self, keeps_patches };
        if pruning.kept.count == faces {
            pruning.prune(0, 0, 1);
        } else {
            pruning.prune_beside_new(space, method);
        }
        true
    }

    /// Goes through the faces of both side by side. A face is the same if its corners are in the same places, and those that it shares
    /// with others it still shares with them.
    fn kept_faces(&self, old: &Body) -> Option<Kept> {
        let (start, mut numbers) = (self.start(), vec![NONE; old.triangles.len()]);
        // By which names either knows a vertex of the other.
        let (mut new_names, mut old_names) = (vec![NONE; old.to.len()], vec![NONE; start.len()]);
        let mut faces = old.triangles.iter().zip(&mut numbers);
        let mut count = 0;
        for corners in &self.triangles {
            let is_same = |old_corners: &[u32; 3]| {
                // Corners that are one vertex are so in both.
                coincide(old_corners) == coincide(corners)
                    && old_corners.iter().zip(corners).all(|(&old_corner, &corner)| {
                        let names = (new_names[old_corner as usize], old_names[corner as usize]);
                        let is_new = names == (NONE, NONE) && old.to[old_corner as usize] == start[corner as usize];
                        is_new || names == (corner, old_corner)
                    })
            };
            let Some((old_corners, number)) = faces.find(|(old_corners, _)| is_same(old_corners)) else { break };
            for (&old_corner, &corner) in old_corners.iter().zip(corners) {
                (new_names[old_corner as usize], old_names[corner as usize]) = (corner, old_corner);
            }
            *number = count;
            count += 1;
        }
        (count > 0).then_some(Kept { numbers, count })
    }

    /// Whether faces that are kept and were neighbours still are. New faces at an edge of two make it one of three, of which nobody is
    /// anybody's neighbour: what was a disk then is none.
    fn hangs_together_as(&self, old: &Body, kept: &Kept) -> bool {
        let mut twins = old.features.twins.chunks_exact(3).zip(&kept.numbers).filter(|(_, number)| **number != NONE);
        twins.all(|(twins, &number)| {
            twins.iter().zip(3 * number as usize..).all(|(&twin, half_edge)| {
                let behind = if twin == NONE { NONE } else { kept.numbers[(twin / 3) as usize] };
                behind == NONE || self.features.twins[half_edge] == 3 * behind + twin % 3
            })
        })
    }

    fn build_features_from(&mut self, old: &Body, kept: &Kept) {
        let (triangles, vertices) = (&self.triangles, self.to.len());
        if kept.count as usize == triangles.len() {
            self.features.keep(&old.features, &kept.numbers, triangles, vertices);
        } else {
            self.features.find(triangles, vertices);
        }
    }
}

/// Which corners of a face are the same vertex as the next one.
fn coincide(&[a, b, c]: &[u32; 3]) -> [bool; 3] {
    [a == b, b == c, c == a]
}

/// How many of the leaves below each node are kept.
fn leaves_kept(old: &Body, kept: &Kept) -> Vec<u32> {
    let mut leaves = vec![0; old.nodes.len()];
    for (number, node) in old.nodes.iter().enumerate().rev() {
        leaves[number] = match node.first_child() {
            None => u32::from(kept.numbers[node.link as usize] != NONE),
            Some(child) => leaves[child as usize] + leaves[child as usize + 1],
        };
    }
    leaves
}

/// One tree as it is made from another.
struct Pruning<'a> {
    old: &'a Body,
    kept: Kept,
    leaves: Vec<u32>,
    new: &'a mut Body,
    /// Whether what was found out about parts of the old tree holds.
    keeps_patches: bool,
}

impl Pruning<'_> {
    /// Makes a node of the new tree, and from `first` on those below it, of what is left below one of the old tree.
    fn prune(&mut self, from: u32, to: usize, first: usize) {
        let mut node = self.old.nodes[from as usize];
        let (mut left, mut leaves) = (0, self.leaves[from as usize]);
        // Down to where something is left on both sides.
        while let Some(child) = node.first_child() {
            let below = [self.leaves[child as usize], self.leaves[child as usize + 1]];
            left = below[0];
            match below {
                [0, _] => node = self.old.nodes[child as usize + 1],
                [_, 0] => node = self.old.nodes[child as usize],
                _ => break,
            }
            leaves = below[0] + below[1];
        }
        let Some(child) = node.first_child() else {
            self.new.nodes[to] = Node::bare_leaf(self.kept.numbers[node.link as usize]);
            return;
        };
        self.new.nodes[to] = Node { link: first as u32, leaves, ..node };
        if leaves == node.leaves {
            self.copy_below(&node, first);
        } else {
            self.prune(child, first, first + 2);
            self.prune(child + 1, first + 1, first + 2 * left as usize);
        }
    }

    /// Copies all that is below a node of the old tree which has lost nothing.
    fn copy_below(&mut self, node: &Node, first: usize) {
        let (old_first, count) = (node.link, node.leaves as usize);
        let numbers = &self.kept.numbers;
        let copies = self.new.nodes[first..first + 2 * count - 2].iter_mut();
        for (copy, below) in copies.zip(&self.old.nodes[old_first as usize..]) {
            let link =
                if below.is_leaf() { numbers[below.link as usize] } else { below.link - old_first + first as u32 };
            *copy = Node { link, ..*below };
        }
        if self.keeps_patches {
            let copies = self.new.extras[(first - 1) / 2..][..count - 1].iter_mut();
            for (copy, extra) in copies.zip(&self.old.extras[pair_below(node)..]) {
                *copy = Extra { patch: extra.patch.renumbered(numbers), ..*extra };
            }
        }
    }

    /// The same for a whole tree beside which that of new faces stands.
    fn prune_beside_new(&mut self, space: &Space, method: BuildMethod) {
        let (count, faces) = (self.kept.count, self.new.triangles.len() as u32);
        self.new.nodes[0] = Node { link: 1, leaves: faces, ..self.old.nodes[0] };
        self.prune(0, 1, 3);
        let mut built = self.new.built_over(count..faces, space, method);
        // The first of these stands beside the old root.
        let first = 2 * count + 1;
        place_nodes(&mut built, first, |face| face + count);
        self.new.nodes[2] = built[0];
        self.new.nodes[first as usize..].copy_from_slice(&built[1..]);
    }
}
