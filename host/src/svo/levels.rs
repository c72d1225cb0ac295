//! A tree level by level: its blocks of eight siblings and where their parents are.

use fracas_kernels::{morton, node::Node};

use super::tree::{Color, FRACTURED, ORIGINAL, Tree};

/// The nodes of a level: blocks of eight siblings, and the Morton codes of their parents, in order.
pub(super) struct Level<'a> {
    pub(super) level: u32,
    pub(super) nodes: &'a [Node],
    pub(super) parents: Vec<u32>,
}

impl Level<'_> {
    /// Which of the siblings of a block are something.
    #[inline]
    pub(super) fn mask(block: &[Node], is: impl Fn(Node) -> bool) -> u32 {
        block.iter().rev().fold(0, |mask, &node| mask << 1 | u32::from(is(node)))
    }

    /// Each block with its parent's place.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (&[Node], [u32; 3])> {
        self.nodes.chunks_exact(8).zip(self.parents.iter().map(|&code| morton::decode_30(code)))
    }
}

impl Tree {
    /// The nodes of a level; none where the tree has no such level.
    pub(super) fn nodes_of(&self, level: u32) -> &[Node] {
        let level = level as usize;
        match self.starts.get(level..level + 2) {
            Some(&[start, end]) => &self.nodes[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The numbers of the attributes of a level's boundary nodes, in Morton order.
    pub(super) fn attributes_of(&self, level: u32) -> std::ops::Range<u32> {
        let leaves = self.colors.len() as u32;
        let level = level as usize;
        if level >= self.level as usize {
            return 0..leaves;
        }
        // Every boundary node above the leaves has a block of eight children, and deeper levels come first.
        let blocks = |level: usize| self.starts[level + 1] - self.starts[level];
        let first = leaves + (level + 2..=self.level as usize).map(|below| blocks(below) / 8).sum::<u32>();
        first..first + blocks(level + 1) / 8
    }

    /// Tells which children of a level's boundary nodes the surface comes to, by the nodes' attributes; `None` for leaves.
    pub(super) fn children_with_surface(&self, level: u32) -> impl Fn(u32) -> Option<u32> {
        let (nodes, first) = (self.nodes_of(level + 1), self.attributes_of(level).start);
        move |attributes| {
            let block = nodes.get(8 * (attributes - first) as usize..)?.get(..8)?;
            Some(Level::mask(block, Node::is_boundary))
        }
    }

    /// The levels below the root, each with the codes of its blocks' parents.
    pub(super) fn levels(&self) -> impl Iterator<Item = Level<'_>> {
        let mut parents = vec![0];
        (1..=self.level).map(move |level| {
            let nodes = self.nodes_of(level);
            let here = std::mem::take(&mut parents);
            if level < self.level {
                for (block, &code) in nodes.chunks_exact(8).zip(&here) {
                    parents
                        .extend((code << 3..).zip(block).filter(|(_, node)| node.is_boundary()).map(|(code, _)| code));
                }
            }
            Level { level, nodes, parents: here }
        })
    }

    /// The colours of a level's boundary nodes, in Morton order: the means of their leaves'.
    pub(super) fn colors_of(&self, level: u32) -> Vec<Color> {
        // How many leaves each boundary node has, from the leaves up.
        let mut counts = vec![1u32; self.colors.len()];
        for below in (level + 1..=self.level).rev() {
            let mut from = counts.iter();
            counts = self
                .nodes_of(below)
                .chunks_exact(8)
                .map(|block| {
                    let children = block.iter().filter(|node| node.is_boundary()).count();
                    from.by_ref().take(children).sum()
                })
                .collect();
        }
        let mut rest = &*self.colors;
        let mean = |count: u32| {
            let (leaves, behind) = rest.split_at(count as usize);
            rest = behind;
            let fractured = leaves.iter().filter(|color| color[3] == FRACTURED).count();
            let kind = if 2 * fractured > leaves.len() { FRACTURED } else { ORIGINAL };
            let channel = |channel: usize| {
                let sum: u64 = leaves.iter().map(|color| u64::from(color[channel])).sum();
                ((sum + u64::from(count) / 2) / u64::from(count.max(1))) as u8
            };
            [channel(0), channel(1), channel(2), kind]
        };
        counts.into_iter().map(mean).collect()
    }
}
