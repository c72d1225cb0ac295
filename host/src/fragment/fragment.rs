//! Fragments of a solid.

use std::sync::Arc;

use glam::DVec3;

use super::cut_tet::CutTet;
use super::occupancy::Occupancy;
use super::ranked_bits::RankedBits;
use super::solid::{NodeField, Solid};
use super::sphere_tree::{CrackPoint, SphereTree};
use crate::geometry::{Aabb, MassProperties};

/// A part of a solid: the nodes that it owns and its share of the tetrahedra around them, with its distance field and its
/// sphere tree. A solid that is whole is a fragment, too.
///
/// Fragments do not change: breaking one makes others. What one does not share with the solid it has for itself, so nothing
/// that happens to one is seen by another.
#[derive(Clone, Debug)]
pub struct Fragment {
    pub(super) solid: Arc<Solid>,
    /// The nodes of the solid that it owns.
    pub(super) nodes: RankedBits,
    /// The distance field at each of them.
    pub(super) field: Vec<NodeField>,
    /// The tetrahedra that it shares with others.
    pub(super) cut: RankedBits,
    /// How each of them is shared.
    pub(super) shares: Vec<CutTet>,
    /// The cut edges that have an end here.
    pub(super) edge_cuts: Vec<EdgeCut>,
    /// The points of its cracks, sorted by the nodes next to them.
    pub(super) cracks: Vec<CrackPoint>,
    /// The faces of the solid's surface that it has a part of.
    pub(super) faces: Vec<u32>,
    pub(super) tree: SphereTree,
    pub(super) occupancy: Occupancy,
    pub(super) aabb: Aabb,
    pub(super) mass: MassProperties,
}

/// An edge that is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EdgeCut {
    pub(super) edge: u32,
    /// How far from the smaller node to the larger.
    pub(super) at: f64,
}

impl Fragment {
    /// All of a solid.
    pub fn whole(solid: &Arc<Solid>) -> Fragment {
        let nodes = RankedBits::new(solid.node_count(), 0..solid.node_count() as u32);
        let mut whole = Fragment {
            solid: solid.clone(),
            field: solid.exact.clone(),
            cut: RankedBits::new(solid.tet_count(), []),
            shares: Vec::new(),
            edge_cuts: Vec::new(),
            cracks: Vec::new(),
            faces: (0..solid.topology.surface.len() as u32).collect(),
            tree: SphereTree::new(solid, &nodes, &[]),
            occupancy: solid.cells.occupancy(&nodes),
            aabb: solid.aabb,
            mass: MassProperties { volume: 0.0, centroid: DVec3::ZERO, inertia: glam::DMat3::ZERO },
            nodes,
        };
        whole.mass = whole.integrate();
        whole
    }

    /// The solid that it is a part of.
    pub fn solid(&self) -> &Arc<Solid> {
        &self.solid
    }

    /// The smallest box around it.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// Volume, centroid and inertia at density one.
    pub fn mass_properties(&self) -> MassProperties {
        self.mass
    }

    /// How many nodes of the solid it owns.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes of the solid that it owns, in growing order.
    pub fn nodes(&self) -> impl Iterator<Item = u32> + '_ {
        self.nodes.iter()
    }

    /// How many points its sphere tree has.
    pub fn point_count(&self) -> usize {
        self.tree.points.len()
    }

    /// How far its farthest point is from a place.
    pub fn farthest_from(&self, place: DVec3) -> f64 {
        self.tree.positions().map(|position| position.distance_squared(place)).fold(0.0, f64::max).sqrt()
    }

    /// How far the deepest of its nodes is from the surface, about.
    pub fn greatest_depth(&self) -> f64 {
        f64::from(self.field.iter().map(|node| node.distance).fold(0.0, f32::max))
    }

    /// Where its deepest nodes are, by what the field tells, at most so many.
    pub(crate) fn deepest_nodes(&self, count: usize) -> Vec<DVec3> {
        let mut nodes: Vec<(u32, f32)> = self.nodes.iter().zip(self.field.iter().map(|node| node.distance)).collect();
        nodes.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        nodes.truncate(count);
        nodes.into_iter().map(|(node, _)| self.solid.positions[node as usize]).collect()
    }

    /// The point of its sphere tree that is nearest to a place.
    pub fn nearest_point(&self, place: DVec3) -> DVec3 {
        let nearest =
            self.tree.positions().min_by(|a, b| a.distance_squared(place).total_cmp(&b.distance_squared(place)));
        nearest.unwrap_or(place)
    }

    /// How a tetrahedron is shared, if the fragment shares it with others.
    #[inline]
    pub(super) fn cut_tet(&self, tet: u32) -> Option<&CutTet> {
        self.cut.rank(tet).map(|rank| &self.shares[rank])
    }

    pub(super) fn cut_tets(&self) -> impl Iterator<Item = (u32, &CutTet)> {
        self.cut.iter().zip(&self.shares)
    }
}
