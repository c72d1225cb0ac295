//! The list of everything that is to be built, before it is built.

use std::sync::Arc;

use glam::{DAffine3, DVec3};

use super::super::super::PolyMesh;
use super::solids::{Ground, block};
use super::{ArenaMaterial, ArenaPart};

/// A solid that is used in many places.
#[derive(Clone)]
pub(super) struct Template {
    pub(super) mesh: Arc<PolyMesh>,
    pub(super) convex: bool,
}

impl Template {
    pub(super) fn convex(mesh: PolyMesh) -> Template {
        Template { mesh: Arc::new(mesh), convex: true }
    }

    pub(super) fn concave(mesh: PolyMesh) -> Template {
        Template { mesh: Arc::new(mesh), convex: false }
    }

    pub(super) fn block(low: [f64; 3], high: [f64; 3]) -> Template {
        Template::convex(block(DVec3::from_array(low), DVec3::from_array(high)))
    }
}

/// One thing to build.
pub(super) struct Order {
    pub(super) name: String,
    pub(super) material: ArenaMaterial,
    pub(super) template: Template,
    pub(super) place: DAffine3,
}

impl Order {
    pub(super) fn build(self) -> ArenaPart {
        let mut mesh = super::solids::placed(&self.template.mesh, &self.place);
        mesh.materials = vec![self.material as u32; mesh.face_count()];
        ArenaPart { name: self.name, mesh, material: self.material, convex: self.template.convex }
    }
}

/// The ground, the detail asked for, and the orders so far.
pub(super) struct Site {
    pub(super) ground: Ground,
    /// The square root of the detail: what lengths and counts along one direction go with.
    pub(super) fineness: f64,
    pub(super) orders: Vec<Order>,
}

impl Site {
    /// A count at full detail, scaled to the detail asked for, at least so many.
    pub(super) fn count(&self, full: f64, least: u32) -> u32 {
        ((full * self.fineness).round() as u32).max(least)
    }

    /// As [`Site::count`], made even.
    pub(super) fn even(&self, full: f64, least: u32) -> u32 {
        2 * self.count(0.5 * full, least.div_ceil(2))
    }

    pub(super) fn add(
        &mut self,
        name: impl Into<String>,
        material: ArenaMaterial,
        template: &Template,
        place: DAffine3,
    ) {
        self.orders.push(Order { name: name.into(), material, template: template.clone(), place });
    }

    /// Something that is there once, already in its place.
    pub(super) fn add_once(&mut self, name: impl Into<String>, material: ArenaMaterial, template: Template) {
        self.orders.push(Order { name: name.into(), material, template, place: DAffine3::IDENTITY });
    }
}
