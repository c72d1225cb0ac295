//! The convexes that a compound is made of (\[Mueller13\] 3.1 and 3.3).

use std::sync::Arc;

use glam::DVec3;

use crate::geometry::{Aabb, Convex, MassProperties, PolyMesh};

/// One convex of a compound, and what is seen of it.
///
/// An internal convex is seen as it is. A surface convex holds a visual mesh: closed, in one piece, anywhere inside of
/// the convex and possibly concave.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    convex: Arc<Convex>,
    visual: Option<Box<PolyMesh>>,
    mass: MassProperties,
    /// Of the convex.
    bounds: Aabb,
    role: Role,
    anchor: Anchor,
}

/// What a convex counts for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// It is matter.
    #[default]
    Solid,
    /// It is where others overlap (\[Mueller13\] 4.3): never seen, never touched, only weighed.
    Ghost {
        /// Whether its volume is taken away. Where an even number of convexes overlap it is, else it is given back.
        is_negative: bool,
    },
}

/// Whether a convex is fixed to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// It is not.
    #[default]
    Free,
    /// Where it reaches into one of the compound's anchor regions; what is cut off from there is free.
    Region,
    /// Wherever it is cut.
    Whole,
}

impl Part {
    /// A convex that is seen as it is.
    pub fn internal(convex: Convex) -> Part {
        let bounds = convex.aabb();
        let mass = convex.surface().mass_properties_in(&bounds);
        Part::new(convex, bounds, None, mass, Role::Solid)
    }

    /// A convex around a visual mesh, which weighs what the mesh encloses.
    pub fn surface(convex: Convex, visual: PolyMesh) -> Part {
        let (bounds, mass) = (convex.aabb(), visual.mass_properties());
        Part::new(convex, bounds, Some(Box::new(visual)), mass, Role::Solid)
    }

    /// The place where others overlap.
    pub(crate) fn ghost(convex: Convex, is_negative: bool) -> Part {
        let bounds = convex.aabb();
        let mut mass = convex.surface().mass_properties_in(&bounds);
        if is_negative {
            mass.volume = -mass.volume;
            mass.inertia = -mass.inertia;
        }
        Part::new(convex, bounds, None, mass, Role::Ghost { is_negative })
    }

    fn new(convex: Convex, bounds: Aabb, visual: Option<Box<PolyMesh>>, mass: MassProperties, role: Role) -> Part {
        Part { convex: Arc::new(convex), visual, mass, bounds, role, anchor: Anchor::Free }
    }

    /// The part fixed to the world, or freed.
    #[must_use]
    pub fn anchored(mut self, anchor: Anchor) -> Part {
        self.anchor = anchor;
        self
    }

    /// The convex.
    pub fn convex(&self) -> &Arc<Convex> {
        &self.convex
    }

    /// The visual mesh, if it is not the convex itself.
    pub fn visual(&self) -> Option<&PolyMesh> {
        self.visual.as_deref()
    }

    /// What is seen: the visual mesh, or the convex itself.
    pub fn look(&self) -> &PolyMesh {
        self.visual.as_deref().unwrap_or(self.convex.surface())
    }

    /// Volume, centroid and inertia of what is seen; those of a ghost may be negative.
    pub fn mass_properties(&self) -> &MassProperties {
        &self.mass
    }

    /// The volume of what is seen; that of a ghost may be negative.
    pub fn volume(&self) -> f64 {
        self.mass.volume
    }

    /// What it counts for.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Whether it is only the place where others overlap.
    pub fn is_ghost(&self) -> bool {
        self.role != Role::Solid
    }

    /// Whether it is fixed to the world.
    pub fn anchor(&self) -> Anchor {
        self.anchor
    }

    /// The box around the convex.
    pub fn aabb(&self) -> Aabb {
        self.bounds
    }

    /// Whether any of the convex is no farther from a point than a radius.
    pub(super) fn is_within(&self, point: DVec3, radius: f64) -> bool {
        let to_box = (self.bounds.min - point).max(point - self.bounds.max).max(DVec3::ZERO);
        let is_near = |vertex: &DVec3| vertex.distance_squared(point) <= radius * radius;
        to_box.length_squared() <= radius * radius
            && (self.convex.vertices().iter().any(is_near) || self.convex.distance(point) <= radius)
    }

    /// The memory that it takes beyond its visual mesh.
    pub(super) fn bytes(&self) -> usize {
        // Two shared pointers count their owners in front of what they point to.
        4 * size_of::<usize>() + size_of::<Part>() + self.convex.bytes()
    }

    /// Sets bits in the material of a face of the convex.
    pub(super) fn mark_face(&mut self, face: u32, bits: u32) {
        Arc::make_mut(&mut self.convex).mark_face(face, bits);
    }

    /// The part moved.
    #[must_use]
    pub fn translated(mut self, by: DVec3) -> Part {
        self.convex = Arc::new(Arc::unwrap_or_clone(self.convex).translated(by));
        self.bounds = self.convex.aabb();
        if let Some(visual) = &mut self.visual {
            visual.positions.iter_mut().for_each(|position| *position += by);
        }
        self.mass.centroid += by;
        self
    }
}
