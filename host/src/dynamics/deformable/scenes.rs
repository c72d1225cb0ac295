//! The scenes of the paper, as plain data.

use glam::{DMat3, DQuat, DVec3};

use super::{
    DeformableBody, DeformableError, DeformableOptions, DeformableWorld, ElasticMaterial, cylinder_tets, torus_tets,
};
use crate::fragment::mesher::cuboid_tets;
use crate::geometry::shapes::{ShapeError, Torus, TorusChain};
use crate::geometry::{Plane, TetMesh};
use crate::raytrace::{DetectionMethod, ProximityOptions, ResponseOptions};

/// Bodies, what holds for all of them, and how long to look at them.
#[derive(Clone, Debug, PartialEq)]
pub struct DeformableScene {
    /// The name that the scene is known by.
    pub name: &'static str,
    /// The bodies, in order.
    pub bodies: Vec<DeformableBody>,
    /// What holds for all.
    pub options: DeformableOptions,
    /// The time step that the scene is made for, in seconds.
    pub step: f64,
    /// How many steps show what there is to see.
    pub steps: usize,
}

impl DeformableScene {
    /// The scene, ready to be stepped.
    ///
    /// # Errors
    /// The first body that cannot be simulated.
    pub fn world(&self) -> Result<DeformableWorld, DeformableError> {
        let mut world = DeformableWorld::new(self.options.clone());
        for body in &self.bodies {
            world.add(body)?;
        }
        Ok(world)
    }

    /// Whether two bodies of which one falls on the other lie on each other and not in each other, in six seconds of steps of
    /// some length: what the paper asks of a step in its figure 11.
    ///
    /// # Errors
    /// A body that cannot be simulated, or a step that is none.
    pub fn comes_to_rest(&self, step: f64) -> Result<bool, DeformableError> {
        let mut world = self.world()?;
        for _ in 0..(6.0 / step).ceil() as usize {
            world.step(step)?;
        }
        let is_calm = |body: usize| world.velocities(body).iter().all(|velocity| velocity.length() < 1.0);
        let overlap = world.surface(0).aabb().max.y - world.surface(1).aabb().min.y;
        Ok((0..world.len()).all(is_calm) && overlap < 0.25 * TUBE)
    }

    /// The same scene with collisions found by distance: the paper's comparison. Things push from a fifth of the tube's radius
    /// on, and are watched from where a fall of a fifth of a second would take them.
    #[must_use]
    pub fn with_proximity(mut self) -> DeformableScene {
        self.options.detection =
            DetectionMethod::Proximity(ProximityOptions { thickness: 0.2 * TUBE, alarm: 0.6 * TUBE });
        self
    }
}

/// The radius of the tube of every torus, in metres: in the first 0.45 s, the longest step of the paper, a body falls this
/// far.
const TUBE: f64 = 2.0;

/// A torus of 1,600 triangles.
fn torus() -> Torus {
    Torus { major_radius: 3.5 * TUBE, minor_radius: TUBE, ..Torus::default() }
}

fn material() -> ElasticMaterial {
    ElasticMaterial { young: 1e6, poisson: 0.3, density: 200.0, stiffness_damping: 0.01, mass_damping: 0.0 }
}

fn response() -> ResponseOptions {
    // A tube pressed flat by its own radius pushes as hard as its elasticity does.
    ResponseOptions { stiffness: material().young / TUBE, ..ResponseOptions::default() }
}

fn placed(mesh: &TetMesh, turn: DQuat, shift: DVec3) -> DeformableBody {
    let turn = DMat3::from_quat(turn);
    let positions = mesh.positions.iter().map(|&position| turn * position + shift).collect();
    DeformableBody::new(TetMesh { positions, tets: mesh.tets.clone() }, material())
}

fn quarter(axis: DVec3) -> DQuat {
    DQuat::from_axis_angle(axis, std::f64::consts::FRAC_PI_2)
}

/// Two tori that start deep in each other, without gravity: the paper's figure 10. Rays part them, the baseline does not.
///
/// # Errors
/// None for these shapes.
pub fn tori_interpenetrating() -> Result<DeformableScene, ShapeError> {
    let mesh = torus_tets(&torus())?;
    let shift = DVec3::new(0.35 * TUBE, 1.1 * TUBE, 0.2 * TUBE);
    let bodies = vec![placed(&mesh, DQuat::IDENTITY, DVec3::ZERO), placed(&mesh, DQuat::IDENTITY, shift)];
    let options = DeformableOptions { gravity: DVec3::ZERO, response: response(), ..DeformableOptions::default() };
    Ok(DeformableScene { name: "tori_interpenetrating", bodies, options, step: 0.02, steps: 200 })
}

/// A torus that falls onto another, which rests on the ground (it stands in it by what its weight presses in): the paper's
/// figure 11.
///
/// # Errors
/// None for these shapes.
pub fn tori_drop() -> Result<DeformableScene, ShapeError> {
    let mesh = torus_tets(&torus())?;
    let shift = DVec3::new(0.2 * TUBE, 2.5 * TUBE, 0.1 * TUBE);
    let bodies = vec![placed(&mesh, DQuat::IDENTITY, DVec3::ZERO), placed(&mesh, DQuat::IDENTITY, shift)];
    let ground = Some(Plane::through(DVec3::NEG_Y * 0.95 * TUBE, DVec3::Y));
    let options = DeformableOptions { ground, response: response(), ..DeformableOptions::default() };
    Ok(DeformableScene { name: "tori_drop", bodies, options, step: 0.1, steps: 100 })
}

/// Rings hung into each other, the first and the last one held: the paper's figure 12. The paper's rings are volumes, as these
/// are; shells would have no inside for a ray to be in.
///
/// # Errors
/// None for these shapes.
pub fn chain() -> Result<DeformableScene, ShapeError> {
    let link = Torus { minor_radius: 0.7 * TUBE, ..torus() };
    let chain = TorusChain { link: link.clone(), links: 6, clearance: 0.2 * TUBE };
    chain.check()?;
    let mesh = torus_tets(&link)?;
    let body = |number: u32| {
        let shift = chain.pitch() * (f64::from(number) - 0.5 * f64::from(chain.links - 1)) * DVec3::X;
        let turn = if number.is_multiple_of(2) { DQuat::IDENTITY } else { quarter(DVec3::X) };
        placed(&mesh, turn, shift)
    };
    let mut bodies: Vec<DeformableBody> = (0..chain.links).map(body).collect();
    let end = 0.5 * chain.pitch() * f64::from(chain.links - 1) + 0.5 * link.major_radius;
    // Links bear the weight of the others, so they are stiffer than what only falls.
    let young = 30.0 * material().young;
    for body in &mut bodies {
        *body = body.clone().fixed_where(|place| place.x.abs() > end);
        body.material.young = young;
    }
    let response = ResponseOptions { stiffness: young / TUBE, ..response() };
    let options = DeformableOptions { response, ..DeformableOptions::default() };
    Ok(DeformableScene { name: "chain", bodies, options, step: 0.02, steps: 200 })
}

/// A cylinder of some sides that lies in a slab by three tenths of its radius, and comes up out of it: the paper's figures 7 and 8.
/// Were the forces on it to lean, it would roll away; [`crate::raytrace::CylinderPlane`] measures by how much they do.
///
/// # Errors
/// None for these shapes.
pub fn cylinder_plane(sides: u32) -> Result<DeformableScene, ShapeError> {
    let cylinder = placed(&cylinder_tets(sides, TUBE, 4.0 * TUBE), DQuat::IDENTITY, 0.7 * TUBE * DVec3::Y);
    let slab = cuboid_tets(TUBE * DVec3::new(4.0, 0.5, 3.0), [16, 2, 12]).expect("it has cells in all directions");
    let slab = placed(&slab, DQuat::IDENTITY, 0.5 * TUBE * DVec3::NEG_Y).fixed_where(|_| true);
    let options = DeformableOptions { response: response(), ..DeformableOptions::default() };
    Ok(DeformableScene { name: "cylinder_plane", bodies: vec![cylinder, slab], options, step: 0.02, steps: 200 })
}

/// Tori in a heap, each overlapping the next at the start: the paper's figure 13, for 2 to 64 of them. They lie in layers of
/// two by two.
///
/// # Errors
/// None for these shapes.
pub fn tori_pile(tori: u32) -> Result<DeformableScene, ShapeError> {
    let shape = torus();
    let mesh = torus_tets(&shape)?;
    // A little less than the width, so that neighbours overlap.
    let pitch = 2.0 * (shape.major_radius + shape.minor_radius) - 0.3 * TUBE;
    let body = |number: u32| {
        let (column, row, layer) = (number % 2, number / 2 % 2, number / 4);
        let shift = DVec3::new(f64::from(column), 0.0, f64::from(row)) * pitch;
        let wobble = 0.6 * TUBE * f64::from(layer % 2) * DVec3::new(1.0, 0.0, 0.5);
        placed(&mesh, DQuat::IDENTITY, shift + wobble + f64::from(layer) * 1.7 * TUBE * DVec3::Y)
    };
    let ground = Some(Plane::through(DVec3::NEG_Y * TUBE, DVec3::Y));
    let options = DeformableOptions { ground, response: response(), ..DeformableOptions::default() };
    Ok(DeformableScene { name: "tori_pile", bodies: (0..tori).map(body).collect(), options, step: 0.02, steps: 200 })
}
