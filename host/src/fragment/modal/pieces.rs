//! The pieces of a body.

use std::collections::BTreeMap;

use super::cracks::NO_PIECE;
use super::graph::Graph;
use super::response::Body;
use crate::geometry::DisjointSets;

/// Which piece each node belongs to.
pub(super) struct Pieces {
    pub(super) labels: Vec<u32>,
    /// The nodes of each piece, in rising order.
    members: Vec<Vec<u32>>,
}

impl Pieces {
    /// A piece for each part of the body that hangs together.
    pub(super) fn of(graph: &Graph, body: &Body) -> Pieces {
        let mut pieces = Pieces { labels: vec![NO_PIECE; graph.len()], members: vec![body.nodes.clone()] };
        body.nodes.iter().for_each(|&node| pieces.labels[node as usize] = 0);
        pieces.split(graph, 0, 1, |_| true, |_, _| false);
        pieces
    }

    /// Splits a piece where `parts` says that an edge is cut. Parts of fewer than `least` nodes, or without any node
    /// that stands clear of the crack, stay on the neighbour that they share most edges with. Returns whether there are
    /// more pieces now; a crack that ends within leaves the piece as it is.
    pub(super) fn split(
        &mut self,
        graph: &Graph,
        label: u32,
        least: usize,
        is_clear: impl Fn(u32) -> bool,
        parts: impl Fn(u32, u32) -> bool,
    ) -> bool {
        let nodes = std::mem::take(&mut self.members[label as usize]);
        let mut components = self.components(graph, &nodes, is_clear, parts);
        let count = merge_small(graph, &nodes, &mut components, least);
        // The first part, with the smallest node, keeps the label.
        let fresh = self.members.len() as u32;
        self.members.resize_with(self.members.len() + count - 1, Vec::new);
        for node in nodes {
            let component = components.of[node as usize];
            let new = if component == 0 { label } else { fresh + component - 1 };
            self.labels[node as usize] = new;
            self.members[new as usize].push(node);
        }
        count > 1
    }

    /// The parts of a piece that hang together without the edges that are cut.
    fn components(
        &self,
        graph: &Graph,
        nodes: &[u32],
        is_clear: impl Fn(u32) -> bool,
        parts: impl Fn(u32, u32) -> bool,
    ) -> Components {
        let mut of = vec![NO_PIECE; graph.len()];
        let (mut sizes, mut stack) = (Vec::new(), Vec::new());
        for &first in nodes {
            if of[first as usize] != NO_PIECE {
                continue;
            }
            let number = sizes.len() as u32;
            of[first as usize] = number;
            stack.push(first);
            let (mut size, mut clear) = (0, false);
            while let Some(node) = stack.pop() {
                size += 1;
                clear |= is_clear(node);
                for &other in graph.neighbours(node) {
                    let same = self.labels[other as usize] == self.labels[node as usize];
                    let is_new = of[other as usize] == NO_PIECE && same;
                    if is_new && !parts(node, other) {
                        of[other as usize] = number;
                        stack.push(other);
                    }
                }
            }
            sizes.push(if clear { size } else { 0 });
        }
        Components { of, sizes }
    }

    /// Labels from zero without gaps, in the order of the smallest nodes, and how many there are.
    pub(super) fn finish(self, body: &Body) -> (Vec<u32>, u32) {
        let mut names = vec![NO_PIECE; self.members.len()];
        let (mut labels, mut count) = (self.labels, 0);
        for &node in &body.nodes {
            let label = &mut labels[node as usize];
            let name = &mut names[*label as usize];
            if *name == NO_PIECE {
                *name = count;
                count += 1;
            }
            *label = *name;
        }
        (labels, count)
    }
}

/// The part that each node belongs to, numbered in the order of their smallest nodes, and how many nodes each has; none
/// if no node stands clear of the crack.
struct Components {
    of: Vec<u32>,
    sizes: Vec<usize>,
}

/// Joins parts that are too small to neighbours; returns how many parts are left.
fn merge_small(graph: &Graph, nodes: &[u32], components: &mut Components, least: usize) -> usize {
    let Components { of, sizes } = components;
    if sizes.len() == 1 {
        return 1;
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); sizes.len()];
    for &node in nodes.iter().filter(|&&node| sizes[of[node as usize] as usize] < least) {
        members[of[node as usize] as usize].push(node);
    }
    let mut sets = DisjointSets::new(sizes.len());
    let mut order: Vec<u32> = (0..sizes.len() as u32).collect();
    order.sort_by_key(|&part| sizes[part as usize]);
    for part in order {
        let own = sets.find(part);
        if sizes[own as usize] >= least {
            continue;
        }
        let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
        for &node in &members[own as usize] {
            for &other in graph.neighbours(node).iter().filter(|&&other| of[other as usize] != NO_PIECE) {
                *shared.entry(sets.find(of[other as usize])).or_default() += 1;
            }
        }
        shared.remove(&own);
        // Of equals the first.
        let Some((&into, _)) = shared.iter().max_by_key(|&(&part, &edges)| (edges, std::cmp::Reverse(part))) else {
            continue;
        };
        sets.join(own, into);
        let (kept, gone) = (own.min(into) as usize, own.max(into) as usize);
        sizes[kept] += sizes[gone];
        let moved = std::mem::take(&mut members[gone]);
        members[kept].extend(moved);
    }
    let mut numbers = BTreeMap::new();
    for &node in nodes {
        let next = numbers.len() as u32;
        of[node as usize] = *numbers.entry(sets.find(of[node as usize])).or_insert(next);
    }
    numbers.len()
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, UVec3};

    use super::super::graph::Graph;
    use super::super::test_blocks::block;
    use super::*;

    /// The pieces of a row of cells when the edges across some planes are cut; nodes are named by the cell below them.
    fn cut_at(planes: &[f64], least: usize, is_clear: impl Fn(f64) -> bool) -> (Vec<u32>, bool) {
        let mesh = block(UVec3::new(8, 1, 1), DVec3::new(8.0, 1.0, 1.0));
        let (graph, x) = (Graph::of(&mesh), |node: u32| mesh.positions[node as usize].x + 4.0);
        let count = mesh.positions.len();
        let body = Body { nodes: (0..count as u32).collect(), inside: vec![true; count], volume: 8.0, size: 8.0 };
        let mut pieces = Pieces::of(&graph, &body);
        let between = |a: u32, b: u32| planes.iter().any(|plane| (x(a) < *plane) != (x(b) < *plane));
        let split = pieces.split(&graph, 0, least, |node| is_clear(x(node)), between);
        let (labels, number) = pieces.finish(&body);
        assert_eq!(split, number > 1);
        // The first nine nodes are those of one edge of the row.
        assert!((0..count).all(|node| labels[node] == labels[node % 9]));
        (labels[..9].to_vec(), split)
    }

    #[test]
    fn cuts_part_and_small_parts_stay_on_a_neighbour() {
        assert_eq!(cut_at(&[3.5], 1, |_| true), (vec![0, 0, 0, 0, 1, 1, 1, 1, 1], true));
        assert_eq!(cut_at(&[2.5, 5.5], 12, |_| true), (vec![0, 0, 0, 1, 1, 1, 2, 2, 2], true));
        assert_eq!(cut_at(&[], 1, |_| true), (vec![0; 9], false));
        // Four nodes are too few; the one neighbour takes them.
        assert_eq!(cut_at(&[0.5, 4.5], 5, |_| true), (vec![0, 0, 0, 0, 0, 1, 1, 1, 1], true));
        assert_eq!(cut_at(&[0.5], 5, |_| true), (vec![0; 9], false));
        // Crumbs beside each other become a piece if they are large enough together.
        assert_eq!(cut_at(&[0.5, 1.5, 4.5], 8, |_| true), (vec![0, 0, 1, 1, 1, 2, 2, 2, 2], true));
        assert_eq!(cut_at(&[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5], 37, |_| true), (vec![0; 9], false));
    }

    #[test]
    fn a_skin_is_no_piece() {
        assert_eq!(cut_at(&[0.5, 4.5], 1, |x| x > 0.5), (vec![0, 0, 0, 0, 0, 1, 1, 1, 1], true));
        assert_eq!(cut_at(&[0.5], 1, |x| x > 0.5), (vec![0; 9], false));
    }
}
