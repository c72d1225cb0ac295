//! The fracturable adaptive sphere tree (\[Glondu12\] 5).
//!
//! In the paper a point is on its level and on all levels below, each time with a smaller sphere. Here it is kept once: its
//! children are sorted by the level on which they come, and each knows how far it and all later ones reach. So the sphere of a
//! point on some level is what the next child says.

use glam::DVec3;

use super::ordering::NONE;
use super::ranked_bits::RankedBits;
use super::solid::Solid;

/// The points of a fragment under spheres; a forest, if fracture left points without an ancestor.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SphereTree {
    /// Nodes of the solid first, in their order; then the points that cracks made.
    pub(super) points: Vec<TreePoint>,
    /// The children of all points.
    pub(super) children: Vec<Child>,
    /// Points without a parent, in order.
    pub(super) roots: Vec<u32>,
}

/// A point of a fragment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TreePoint {
    pub(super) position: DVec3,
    /// Its children in the list of all, first and past the last.
    pub(super) children: [u32; 2],
    pub(super) parent: u32,
    /// How far from the parent this point and all below it reach, rounded up.
    pub(super) reach: f32,
    pub(super) source: Source,
    pub(super) level: u8,
    /// Whether it is on the surface, where contacts are.
    pub(super) is_outer: bool,
}

/// Where a point comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A node of the solid.
    Node(u32),
    /// A crack, next to a node of the solid.
    Crack(u32),
}

impl Source {
    /// The node that is in the same fragment.
    pub(super) fn node(self) -> u32 {
        match self {
            Source::Node(node) | Source::Crack(node) => node,
        }
    }
}

/// A child of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Child {
    pub(super) point: u32,
    /// How far from the parent this child, all later ones and all below them reach.
    pub(super) radius: f32,
}

/// A point that a crack made: where it is, and the node of the fragment next to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CrackPoint {
    pub(super) position: DVec3,
    pub(super) node: u32,
}

/// A distance in single precision that is no less.
fn up(distance: f64) -> f32 {
    (distance as f32).next_up()
}

impl SphereTree {
    /// The tree of a solid that is whole.
    pub(super) fn new(solid: &Solid) -> SphereTree {
        let ordering = &solid.ordering;
        let mut ranks = vec![NONE; solid.node_count()];
        ordering.order.iter().zip(0..).for_each(|(&node, rank)| ranks[node as usize] = rank);
        let point = |&node: &u32| {
            let parent = ordering.parents[node as usize];
            TreePoint {
                position: solid.positions[node as usize],
                children: [0; 2],
                parent: if parent == NONE { NONE } else { ranks[parent as usize] },
                reach: 0.0,
                source: Source::Node(node),
                level: ordering.levels[node as usize],
                is_outer: solid.topology.is_outer[node as usize],
            }
        };
        let mut tree = SphereTree { points: ordering.order.iter().map(point).collect(), ..SphereTree::default() };
        for point in 0..tree.points.len() as u32 {
            tree.widen(point);
        }
        tree.link();
        tree
    }

    /// Makes the spheres above a point hold it.
    fn widen(&mut self, point: u32) {
        let position = self.points[point as usize].position;
        let mut here = point;
        while self.points[here as usize].parent != NONE {
            let above = self.points[here as usize].parent;
            let distance = position.distance(self.points[above as usize].position);
            let reach = &mut self.points[here as usize].reach;
            *reach = reach.max(up(distance));
            here = above;
        }
    }

    /// The tree of each piece (5.2): a point whose parent went with another piece is a child of its nearest ancestor that did
    /// not; without one it is a root. Then the points of new cracks come, as children of the nodes next to them.
    ///
    /// Spheres stay large enough: an ancestor's already held everything below.
    pub(super) fn split(&self, pieces: &[u32], nodes: &[RankedBits], cracks: &[Vec<CrackPoint>]) -> Vec<SphereTree> {
        let mut trees = vec![SphereTree::default(); nodes.len()];
        for (tree, (nodes, cracks)) in trees.iter_mut().zip(nodes.iter().zip(cracks)) {
            tree.points.reserve(nodes.len() + cracks.len());
        }
        let piece_of = |point: u32| pieces[self.points[point as usize].source.node() as usize];
        let mut places = vec![0u32; self.points.len()];
        for (number, point) in (0u32..).zip(&self.points) {
            let piece = piece_of(number);
            let tree = &mut trees[piece as usize];
            let (mut above, mut reach) = (point.parent, point.reach);
            while above != NONE && piece_of(above) != piece {
                reach = self.points[above as usize].reach;
                above = self.points[above as usize].parent;
            }
            places[number as usize] = tree.points.len() as u32;
            let parent = if above == NONE { NONE } else { places[above as usize] };
            tree.points.push(TreePoint { parent, reach, ..*point });
        }
        for (tree, (nodes, cracks)) in trees.iter_mut().zip(nodes.iter().zip(cracks)) {
            tree.insert(nodes, cracks);
            tree.link();
        }
        trees
    }

    /// Hangs the points of cracks below the nodes next to them.
    fn insert(&mut self, nodes: &RankedBits, cracks: &[CrackPoint]) {
        if cracks.is_empty() {
            return;
        }
        let mut places = vec![NONE; nodes.len()];
        for (place, point) in (0..).zip(&self.points) {
            if let Source::Node(node) = point.source
                && let Some(rank) = nodes.rank(node)
            {
                places[rank] = place;
            }
        }
        for crack in cracks {
            let Some(rank) = nodes.rank(crack.node) else { continue };
            let parent = places[rank];
            let number = self.points.len() as u32;
            self.points.push(TreePoint {
                position: crack.position,
                children: [0; 2],
                parent,
                reach: 0.0,
                source: Source::Crack(crack.node),
                level: self.points[parent as usize].level + 1,
                is_outer: true,
            });
            self.widen(number);
        }
    }

    /// Lists the children of each point by their levels, and the roots.
    fn link(&mut self) {
        let count = self.points.len();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by_key(|&point| self.points[point as usize].level);
        let mut starts = vec![0u32; count + 1];
        self.roots.clear();
        for &point in &order {
            match self.points[point as usize].parent {
                NONE => self.roots.push(point),
                parent => starts[parent as usize + 1] += 1,
            }
        }
        for place in 0..count {
            starts[place + 1] += starts[place];
            self.points[place].children = [starts[place], starts[place]];
        }
        self.children.clear();
        self.children.resize(starts[count] as usize, Child::default());
        for &point in &order {
            let TreePoint { parent, reach, .. } = self.points[point as usize];
            if parent != NONE {
                let end = &mut self.points[parent as usize].children[1];
                self.children[*end as usize] = Child { point, radius: reach };
                *end += 1;
            }
        }
        for point in &self.points {
            let children = &mut self.children[point.children[0] as usize..point.children[1] as usize];
            let mut radius = 0f32;
            for child in children.iter_mut().rev() {
                radius = radius.max(child.radius);
                child.radius = radius;
            }
        }
    }

    /// Checks what queries rely on: every point is below a root, and every sphere holds what is below it.
    ///
    /// # Panics
    /// If it does not; for tests.
    #[cfg(test)]
    pub(super) fn assert_well_formed(&self) {
        let mut seen = vec![false; self.points.len()];
        let mut stack = self.roots.clone();
        while let Some(point) = stack.pop() {
            assert!(!std::mem::replace(&mut seen[point as usize], true));
            let TreePoint { children: [first, last], .. } = self.points[point as usize];
            let children = &self.children[first as usize..last as usize];
            let levels: Vec<u8> = children.iter().map(|child| self.points[child.point as usize].level).collect();
            assert!(levels.is_sorted());
            stack.extend(children.iter().map(|child| child.point));
        }
        assert!(seen.iter().all(|&seen| seen), "a point is below no root");
        for (number, point) in (0u32..).zip(&self.points) {
            let (mut here, mut above) = (number, point.parent);
            while above != NONE {
                let parent = &self.points[above as usize];
                let children = &self.children[parent.children[0] as usize..parent.children[1] as usize];
                let child = children.iter().find(|child| child.point == here).expect("a parent knows its child");
                assert!(point.position.distance(parent.position) <= f64::from(child.radius));
                (here, above) = (above, parent.parent);
            }
        }
    }
}
