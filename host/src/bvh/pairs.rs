//! Pairs of boxes that overlap, within a tree and between two.

use std::borrow::Cow;
use std::convert::identity;

use rayon::prelude::*;

use super::node::{Corners, meet};
use super::{Bvh, Node};

/// How many nodes one task looks at.
const NODES_PER_TASK: usize = 2048;

/// How many pairs of subtrees a search between two trees is split into.
const TASKS: usize = 256;

/// Subtrees that hold no more things together are one task.
pub(super) const SMALL: u32 = 2048;

/// How many levels down that splitting goes at most.
const DEPTH: usize = 16;

impl Bvh {
    /// Calls `visit` once for every two things whose boxes overlap, the smaller number first, in no useful order (but
    /// always the same).
    pub fn self_pairs(&self, mut visit: impl FnMut(u32, u32)) {
        self.self_pairs_below(&self.nodes, &mut Stack::default(), &mut visit);
    }

    /// All pairs of things whose boxes overlap, the smaller number first, sorted.
    pub fn collect_self_pairs(&self) -> Vec<[u32; 2]> {
        self.collect_self_pairs_where(|_, _| true)
    }

    /// Those pairs of things whose boxes overlap that `keep` says yes to, the smaller number first, sorted. Takes no
    /// memory for the others.
    pub fn collect_self_pairs_where(&self, keep: impl Fn(u32, u32) -> bool + Sync) -> Vec<[u32; 2]> {
        let parts: Vec<Vec<[u32; 2]>> = self
            .nodes
            .par_chunks(NODES_PER_TASK)
            .map_init(Stack::default, |stack, nodes| {
                let mut pairs = Vec::new();
                self.self_pairs_below(nodes, stack, &mut |a, b| {
                    if keep(a, b) {
                        pairs.push([a, b]);
                    }
                });
                pairs
            })
            .collect();
        sort_pairs(&parts, self.len())
    }

    /// Calls `visit` once for every thing of this tree and thing of another whose boxes overlap.
    pub fn pairs_with(&self, other: &Bvh, mut visit: impl FnMut(u32, u32)) {
        let [nodes, other_nodes] = &self.in_one_frame(other);
        if let (Some(root), Some(other_root)) = (nodes.first(), other_nodes.first())
            && root.overlaps(other_root)
        {
            cross(nodes, other_nodes, &mut Stack::of((0, 0)), &mut visit);
        }
    }

    /// All pairs of a thing of this tree and a thing of another whose boxes overlap, sorted.
    pub fn collect_pairs_with(&self, other: &Bvh) -> Vec<[u32; 2]> {
        let [nodes, other_nodes] = &self.in_one_frame(other);
        let parts: Vec<Vec<[u32; 2]>> = tasks_between::<1>(nodes, other_nodes, (0, 0), identity)
            .into_par_iter()
            .map(|task| {
                let mut pairs = Vec::new();
                cross(nodes, other_nodes, &mut Stack::of(task), &mut |a, b| pairs.push([a, b]));
                pairs
            })
            .collect();
        sort_pairs(&parts, self.len())
    }

    /// The nodes of two trees in the coordinates of the larger one, so that the smaller one is rewritten.
    pub(super) fn in_one_frame<'a>(&'a self, other: &'a Bvh) -> [Cow<'a, [Node]>; 2] {
        let adopted = |by: &Bvh, tree: &Bvh| {
            Cow::Owned(tree.nodes.iter().map(|&node| by.frame.adopt(&tree.frame, node)).collect::<Vec<Node>>())
        };
        if self.frame == other.frame {
            [Cow::Borrowed(&self.nodes), Cow::Borrowed(&other.nodes)]
        } else if self.len() >= other.len() {
            [Cow::Borrowed(&self.nodes), adopted(self, other)]
        } else {
            [adopted(other, self), Cow::Borrowed(&other.nodes)]
        }
    }

    /// Every pair within the tree is one between the two children of exactly one node: it is enough to look at each.
    fn self_pairs_below(&self, nodes: &[Node], stack: &mut Stack, visit: &mut impl FnMut(u32, u32)) {
        // From the back, where children stand: small subtrees first, while their nodes are still in the cache.
        for left in nodes.iter().rev().filter_map(Node::first_child) {
            let [node, sibling] = children(&self.nodes, left);
            if node.overlaps(sibling) {
                stack.push([((left, left + 1), true)]);
                cross(&self.nodes, &self.nodes, stack, &mut |a, b| visit(a.min(b), a.max(b)));
            }
        }
    }
}

/// The pairs of subtrees that a search below two nodes of two trees is split into, in whose leaves are up to `MOST` things. `seen` is
/// where the boxes of the second tree are as the first one sees them.
pub(super) fn tasks_between<const MOST: u32>(
    nodes: &[Node],
    others: &[Node],
    (node, other): (u32, u32),
    seen: impl Fn(Corners) -> Corners + Copy,
) -> Vec<(u32, u32)> {
    let mut tasks = Vec::new();
    if let (Some(top), Some(other_top)) = (nodes.get(node as usize), others.get(other as usize))
        && meet(top.lanes(), seen(other_top.lanes()))
    {
        tasks.push((node, other));
    }
    // A few levels down, breadth first; more than that only if the trees overlap little.
    for _ in 0..DEPTH {
        let is_small = |&(i, j): &(u32, u32)| nodes[i as usize].leaves + others[j as usize].leaves <= SMALL;
        if tasks.len() >= TASKS || tasks.iter().all(is_small) {
            break;
        }
        let mut finer = Stack::default();
        for pair in &tasks {
            if is_small(pair) || !descend::<MOST>(nodes, others, *pair, seen, &mut finer) {
                finer.push([(*pair, true)]);
            }
        }
        finer.pairs.truncate(finer.top);
        tasks = finer.pairs;
    }
    tasks
}

/// Pairs of nodes that overlap and wait to be looked into.
#[derive(Default)]
pub(super) struct Stack {
    pairs: Vec<(u32, u32)>,
    top: usize,
}

impl Stack {
    fn of(pair: (u32, u32)) -> Stack {
        Stack { pairs: vec![pair; 64], top: 1 }
    }

    pub(super) fn pop(&mut self) -> Option<(u32, u32)> {
        self.top = self.top.checked_sub(1)?;
        Some(self.pairs[self.top])
    }

    /// Pushes those of up to four pairs that overlap. All are written and the top moves by what counts, because
    /// whether boxes overlap is what a processor guesses wrong most.
    #[inline]
    pub(super) fn push<const COUNT: usize>(&mut self, candidates: [((u32, u32), bool); COUNT]) {
        if self.pairs.len() < self.top + 4 {
            self.pairs.resize(2 * self.top + 64, (0, 0));
        }
        let slots = &mut self.pairs[self.top..self.top + 4];
        let mut count = 0;
        for (pair, overlaps) in candidates {
            slots[count & 3] = pair;
            count += usize::from(overlaps);
        }
        self.top += count;
    }
}

/// Visits the pairs of leaves below the pairs of nodes on a stack, all of which overlap.
#[inline]
fn cross(a: &[Node], b: &[Node], stack: &mut Stack, visit: &mut impl FnMut(u32, u32)) {
    while let Some(pair) = stack.pop() {
        if !descend::<1>(a, b, pair, identity, stack) {
            visit(a[pair.0 as usize].link, b[pair.1 as usize].link);
        }
    }
}

/// Replaces a pair of nodes by the pairs of their children that overlap; `false` for two leaves.
#[inline]
pub(super) fn descend<const MOST: u32>(
    a: &[Node],
    b: &[Node],
    (i, j): (u32, u32),
    seen: impl Fn(Corners) -> Corners,
    stack: &mut Stack,
) -> bool {
    let (node, other) = (&a[i as usize], &b[j as usize]);
    match (node.first_child_over(MOST), other.first_child_over(MOST)) {
        (None, None) => return false,
        (None, Some(child)) => {
            let [left, right] = children(b, child).map(|child| seen(child.lanes()));
            let corners = node.lanes();
            stack.push([((i, child), meet(corners, left)), ((i, child + 1), meet(corners, right))]);
        }
        (Some(child), None) => {
            let [left, right] = children(a, child).map(Node::lanes);
            let corners = seen(other.lanes());
            stack.push([((child, j), meet(left, corners)), ((child + 1, j), meet(right, corners))]);
        }
        (Some(child), Some(other_child)) => {
            let [left, right] = children(a, child).map(Node::lanes);
            let [other_left, other_right] = children(b, other_child).map(|child| seen(child.lanes()));
            stack.push([
                ((child, other_child), meet(left, other_left)),
                ((child, other_child + 1), meet(left, other_right)),
                ((child + 1, other_child), meet(right, other_left)),
                ((child + 1, other_child + 1), meet(right, other_right)),
            ]);
        }
    }
    true
}

#[inline]
pub(super) fn children(nodes: &[Node], first: u32) -> [&Node; 2] {
    let pair = &nodes[first as usize..first as usize + 2];
    [&pair[0], &pair[1]]
}

/// Gathers pairs into one sorted list: by counting for the first number, which is below `count`, then each short run
/// by the second.
fn sort_pairs(parts: &[Vec<[u32; 2]>], count: usize) -> Vec<[u32; 2]> {
    let total: usize = parts.iter().map(Vec::len).sum();
    let mut ends = vec![0usize; count];
    for &[first, _] in parts.iter().flatten() {
        ends[first as usize] += 1;
    }
    let mut start = 0;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    let mut pairs = vec![[0, 0]; total];
    for &pair in parts.iter().flatten() {
        let slot = &mut ends[pair[0] as usize];
        pairs[*slot] = pair;
        *slot += 1;
    }
    let mut start = 0;
    for end in ends {
        pairs[start..end].sort_unstable_by_key(|pair| pair[1]);
        start = end;
    }
    pairs
}
