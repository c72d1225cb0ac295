//! The fracturable adaptive sphere tree (\[Glondu12\] 5).
//!
//! In the paper a point is on its level and on all levels below, each time with a smaller sphere. Here it is kept once: its
//! children are sorted by the level on which they come, and each knows how far it and all later ones reach. So the sphere of a
//! point on some level is what the next child says.
//!
//! In the paper the nodes inside are in the tree from the beginning, to have crack points hang below them later. Here the solid
//! keeps the whole hierarchy once, and a fragment's tree has what contacts come from: nodes on the surface, and crack points, the
//! first of which takes the place of its node if that is inside. Who hangs below whom is what the paper says: a point is a child
//! of its nearest ancestor in the fragment, or a root.

use glam::{DVec3, Vec3};

use super::ordering::NONE;
use super::ranked_bits::RankedBits;
use super::solid::Solid;

/// The points of a fragment under spheres; a forest, if fracture left points without an ancestor.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SphereTree {
    /// Positions are from here.
    pub(super) origin: DVec3,
    /// Roots first, then the children of each point together, in the order of their parents; siblings by their levels.
    pub(super) points: Vec<TreePoint>,
    pub(super) roots: u32,
    /// All points by their levels: those that come first are far from each other.
    by_level: Vec<u32>,
    /// Their positions in this order, coordinate by coordinate.
    coordinates: [Vec<f32>; 3],
    /// Positions of a few points, as far from each other as can be.
    pub(super) sample: Vec<Vec3>,
}

/// A point of a fragment's surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TreePoint {
    pub(super) position: Vec3,
    /// How far from the parent this point, all later children of the parent and all below them reach; rounded up.
    pub(super) radius: f32,
    /// Its children, first and past the last.
    pub(super) children: [u32; 2],
    pub(super) level: u8,
}

/// A point that a crack made: where it is, and the node of the fragment next to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CrackPoint {
    pub(super) position: DVec3,
    pub(super) node: u32,
}

/// A point on its way into a tree.
#[derive(Clone, Copy)]
struct Member {
    position: Vec3,
    parent: u32,
    /// How far from the parent this point and all below it reach.
    reach: f32,
    level: u8,
}

/// So many points are in a sample.
const SAMPLE: usize = 48;

/// Distances of rounded positions, rounded up: each of the two is off by a few of the last digits of the largest coordinate.
const UP: f32 = 1.0 + 4.0 * f32::EPSILON;

impl SphereTree {
    /// The tree of the nodes and the crack points of a fragment; crack points are sorted by their nodes.
    pub(super) fn new(solid: &Solid, nodes: &RankedBits, cracks: &[CrackPoint]) -> SphereTree {
        let (ordering, is_outer) = (&solid.ordering, &solid.topology.is_outer);
        let rank_of = |node: u32| ordering.ranks[node as usize];
        let outer = nodes.iter().filter(|&node| is_outer[node as usize]);
        let crack_ranks = cracks.iter().map(|crack| rank_of(crack.node));
        let kept = RankedBits::new(solid.node_count(), outer.map(rank_of).chain(crack_ranks));
        let origin = solid.aabb.center();
        let local = |position: DVec3| (position - origin).as_vec3();
        let mut members: Vec<Member> = Vec::with_capacity(kept.len() + cracks.len());
        for rank in kept.iter() {
            let mut above = ordering.parent_ranks[rank as usize];
            let parent = loop {
                match above {
                    NONE => break NONE,
                    _ => match kept.rank(above) {
                        Some(place) => break place as u32,
                        None => above = ordering.parent_ranks[above as usize],
                    },
                }
            };
            let node = ordering.order[rank as usize];
            let level = ordering.levels[node as usize];
            members.push(Member { position: local(solid.positions[node as usize]), parent, reach: 0.0, level });
        }
        let mut before = NONE;
        for crack in cracks {
            let Some(place) = kept.rank(rank_of(crack.node)) else { continue };
            let position = local(crack.position);
            if crack.node != before && !is_outer[crack.node as usize] {
                members[place].position = position;
            } else {
                let level = members[place].level + 1;
                members.push(Member { position, parent: place as u32, reach: 0.0, level });
            }
            before = crack.node;
        }
        widen(&mut members);
        SphereTree::of_members(&members, kept.len(), origin)
    }

    /// Puts the children of each point side by side; from `nodes` on members are crack points.
    fn of_members(members: &[Member], nodes: usize, origin: DVec3) -> SphereTree {
        let count = members.len();
        // First of those without a parent, then of each parent: how many children, then where the next of them goes.
        let mut next = vec![0u32; count + 2];
        let slot = |parent: u32| if parent == NONE { 0 } else { parent as usize + 1 };
        members.iter().for_each(|member| next[slot(member.parent) + 1] += 1);
        for place in 0..=count {
            next[place + 1] += next[place];
        }
        let starts: Vec<[u32; 2]> = (1..=count).map(|place| [next[place], next[place + 1]]).collect();
        let mut tree =
            SphereTree { origin, points: vec![TreePoint::default(); count], roots: next[1], ..SphereTree::default() };
        // Crack points are one level below their parents, where no other child comes before them.
        for number in (nodes..count).chain(0..nodes) {
            let Member { position, parent, reach, level } = members[number];
            let place = &mut next[slot(parent)];
            tree.points[*place as usize] = TreePoint { position, radius: reach, children: starts[number], level };
            *place += 1;
        }
        for [first, last] in starts {
            let mut radius = 0f32;
            for point in tree.points[first as usize..last as usize].iter_mut().rev() {
                radius = radius.max(point.radius);
                point.radius = radius;
            }
        }
        tree.sample = members[..nodes.min(SAMPLE)].iter().map(|member| member.position).collect();
        tree.by_level = (0..count as u32).collect();
        tree.by_level.sort_by_key(|&point| tree.points[point as usize].level);
        let ordered = || tree.by_level.iter().map(|&point| tree.points[point as usize].position);
        tree.coordinates = [0, 1, 2].map(|axis| ordered().map(|position| position[axis]).collect());
        tree
    }

    /// Where a point is, in the coordinates of the solid.
    pub(super) fn position(&self, point: &TreePoint) -> DVec3 {
        self.origin + point.position.as_dvec3()
    }

    /// The position that is farthest in a direction.
    pub(super) fn farthest(&self, direction: Vec3) -> Vec3 {
        const LANES: usize = 8;
        let [x, y, z] = self.coordinates.each_ref().map(|values| values.as_chunks::<LANES>());
        // The highest of each lane, and in which block it is.
        let mut highest = [(f32::NEG_INFINITY, 0u32); LANES];
        for (block, ((x, y), z)) in (0..).zip(x.0.iter().zip(y.0).zip(z.0)) {
            for lane in 0..LANES {
                let height = direction.x * x[lane] + direction.y * y[lane] + direction.z * z[lane];
                if height > highest[lane].0 {
                    highest[lane] = (height, block);
                }
            }
        }
        let mut best = (f32::NEG_INFINITY, 0);
        for (lane, (height, block)) in highest.into_iter().enumerate() {
            if height > best.0 {
                best = (height, block as usize * LANES + lane);
            }
        }
        for place in x.0.len() * LANES..self.points.len() {
            let height = direction.dot(self.points[self.by_level[place] as usize].position);
            if height > best.0 {
                best = (height, place);
            }
        }
        self.by_level.get(best.1).map_or(Vec3::ZERO, |&point| self.points[point as usize].position)
    }

    /// How far the farthest point is in a direction.
    pub(super) fn reach(&self, direction: Vec3) -> f32 {
        let [x, y, z] = self.coordinates.each_ref().map(Vec::as_slice);
        Block { x, y, z }.reach(direction)
    }

    /// The points that are at least so far in a direction, by their levels.
    pub(super) fn beyond(&self, direction: Vec3, least: f32) -> impl Iterator<Item = u32> {
        let blocks = self.by_level.chunks(BLOCK).zip(self.blocks());
        blocks.filter(move |(_, block)| block.reach(direction) >= least).flat_map(move |(points, block)| {
            let heights = points.iter().zip(block.heights(direction));
            heights.filter(move |(_, height)| *height >= least).map(|(&point, _)| point)
        })
    }

    fn blocks(&self) -> impl Iterator<Item = Block<'_>> + use<'_> {
        let [x, y, z] = self.coordinates.each_ref().map(|values| values.chunks(BLOCK));
        x.zip(y).zip(z).map(|((x, y), z)| Block { x, y, z })
    }

    /// Where all points are.
    pub(super) fn positions(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.points.iter().map(|point| self.position(point))
    }
}

/// Points that are looked at together.
const BLOCK: usize = 16;

/// The positions of some points, coordinate by coordinate.
struct Block<'a> {
    x: &'a [f32],
    y: &'a [f32],
    z: &'a [f32],
}

impl<'a> Block<'a> {
    /// How far each point is in a direction.
    #[inline]
    fn heights(&self, direction: Vec3) -> impl Iterator<Item = f32> + use<'a> {
        let xy = self.x.iter().zip(self.y);
        xy.zip(self.z).map(move |((x, y), z)| direction.x * x + direction.y * y + direction.z * z)
    }

    /// How far the farthest is. All lanes go together where there are as many as can be.
    #[inline]
    fn reach(&self, direction: Vec3) -> f32 {
        const LANES: usize = 8;
        let higher = |one: f32, other: f32| if one > other { one } else { other };
        let mut highest = [f32::NEG_INFINITY; LANES];
        let [(x, x_rest), (y, y_rest), (z, z_rest)] =
            [self.x, self.y, self.z].map(|values| values.as_chunks::<LANES>());
        for ((x, y), z) in x.iter().zip(y).zip(z) {
            for lane in 0..LANES {
                let height = direction.x * x[lane] + direction.y * y[lane] + direction.z * z[lane];
                highest[lane] = higher(height, highest[lane]);
            }
        }
        let rest = Block { x: x_rest, y: y_rest, z: z_rest };
        rest.heights(direction).chain(highest).fold(f32::NEG_INFINITY, higher)
    }
}

/// Makes the spheres above each point hold it.
fn widen(members: &mut [Member]) {
    for number in 0..members.len() {
        let position = members[number].position;
        let mut here = number;
        while members[here].parent != NONE {
            let above = members[here].parent as usize;
            let distance = position.distance(members[above].position) * UP;
            members[here].reach = members[here].reach.max(distance);
            here = above;
        }
    }
}

#[cfg(test)]
impl SphereTree {
    /// Checks what queries rely on: every point is below a root, and every sphere holds what is below it.
    ///
    /// # Panics
    /// If it does not.
    pub(super) fn assert_well_formed(&self) {
        let mut parents = vec![NONE; self.points.len()];
        let mut seen = self.roots as usize;
        for (number, point) in (0u32..).zip(&self.points) {
            let [first, last] = point.children;
            let children = &self.points[first as usize..last as usize];
            assert!(children.is_sorted_by_key(|child| child.level));
            assert!(children.iter().all(|child| child.level > point.level));
            for child in first..last {
                assert!(std::mem::replace(&mut parents[child as usize], number) == NONE && child >= self.roots);
                seen += 1;
            }
        }
        assert_eq!(seen, self.points.len(), "a point is below no root");
        for (number, point) in self.points.iter().enumerate() {
            let mut here = number;
            while parents[here] != NONE {
                let above = parents[here] as usize;
                let distance = self.position(point).distance(self.position(&self.points[above]));
                assert!(distance <= f64::from(self.points[here].radius));
                here = above;
            }
        }
    }
}
