//! Pairs of boxes that overlap, within a tree and between two.

use rayon::prelude::*;

use super::{Bvh, Node};

/// How many nodes one task looks at.
const NODES_PER_TASK: usize = 2048;

/// How many pairs of subtrees a search between two trees is split into.
const TASKS: usize = 256;

impl Bvh {
    /// Calls `visit` once for every two things whose boxes overlap, the smaller number first, in no useful order (but
    /// always the same).
    pub fn self_pairs(&self, mut visit: impl FnMut(u32, u32)) {
        self.self_pairs_below(&self.nodes, &mut Vec::new(), &mut visit);
    }

    /// All pairs of things whose boxes overlap, the smaller number first, sorted.
    pub fn collect_self_pairs(&self) -> Vec<[u32; 2]> {
        let parts: Vec<Vec<[u32; 2]>> = self
            .nodes
            .par_chunks(NODES_PER_TASK)
            .map_init(Vec::new, |stack, nodes| {
                let mut pairs = Vec::new();
                self.self_pairs_below(nodes, stack, &mut |a, b| pairs.push([a, b]));
                pairs
            })
            .collect();
        sort_pairs(&parts, self.len())
    }

    /// Calls `visit` once for every thing of this tree and thing of another whose boxes overlap.
    pub fn pairs_with(&self, other: &Bvh, mut visit: impl FnMut(u32, u32)) {
        if let (Some(root), Some(other_root)) = (self.nodes.first(), other.nodes.first())
            && root.overlaps(other_root)
        {
            cross(&self.nodes, &other.nodes, &mut vec![(0, 0)], &mut visit);
        }
    }

    /// All pairs of a thing of this tree and a thing of another whose boxes overlap, sorted.
    pub fn collect_pairs_with(&self, other: &Bvh) -> Vec<[u32; 2]> {
        let mut tasks = Vec::new();
        if let (Some(root), Some(other_root)) = (self.nodes.first(), other.nodes.first())
            && root.overlaps(other_root)
        {
            tasks.push((0, 0));
        }
        while (1..TASKS).contains(&tasks.len()) {
            let mut finer = Vec::new();
            for &(a, b) in &tasks {
                if !descend(&self.nodes, &other.nodes, (a, b), &mut finer) {
                    finer.push((a, b));
                }
            }
            // Nothing but leaves is left.
            if finer == tasks {
                break;
            }
            tasks = finer;
        }
        let parts: Vec<Vec<[u32; 2]>> = tasks
            .into_par_iter()
            .map(|task| {
                let mut pairs = Vec::new();
                cross(&self.nodes, &other.nodes, &mut vec![task], &mut |a, b| pairs.push([a, b]));
                pairs
            })
            .collect();
        sort_pairs(&parts, self.len())
    }

    /// Every pair within the tree is one between the two children of exactly one node: it is enough to look at each.
    fn self_pairs_below(&self, nodes: &[Node], stack: &mut Vec<(u32, u32)>, visit: &mut impl FnMut(u32, u32)) {
        for left in nodes.iter().filter_map(Node::first_child) {
            if self.nodes[left as usize].overlaps(&self.nodes[left as usize + 1]) {
                stack.push((left, left + 1));
                cross(&self.nodes, &self.nodes, stack, &mut |a, b| visit(a.min(b), a.max(b)));
            }
        }
    }
}

/// Visits the pairs of leaves below the pairs of nodes on a stack, all of which overlap.
#[inline]
fn cross(a: &[Node], b: &[Node], stack: &mut Vec<(u32, u32)>, visit: &mut impl FnMut(u32, u32)) {
    while let Some(pair) = stack.pop() {
        if !descend(a, b, pair, stack) {
            visit(a[pair.0 as usize].link, b[pair.1 as usize].link);
        }
    }
}

/// Replaces a pair of nodes by the pairs of their children that overlap; `false` for two leaves.
#[inline]
fn descend(a: &[Node], b: &[Node], (i, j): (u32, u32), out: &mut Vec<(u32, u32)>) -> bool {
    let (node, other) = (&a[i as usize], &b[j as usize]);
    match (node.is_leaf(), other.is_leaf()) {
        (true, true) => return false,
        (true, false) => {
            for child in [other.link, other.link + 1] {
                if node.overlaps(&b[child as usize]) {
                    out.push((i, child));
                }
            }
        }
        (false, true) => {
            for child in [node.link, node.link + 1] {
                if other.overlaps(&a[child as usize]) {
                    out.push((child, j));
                }
            }
        }
        (false, false) => {
            for child in [node.link, node.link + 1] {
                for other_child in [other.link, other.link + 1] {
                    if a[child as usize].overlaps(&b[other_child as usize]) {
                        out.push((child, other_child));
                    }
                }
            }
        }
    }
    true
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
