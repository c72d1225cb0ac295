//! Co-rotational elasticity: linear in a frame that turns with each tetrahedron.

use glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;

use super::DeformableBody;

/// Tetrahedra that one task looks at.
const TETS_PER_TASK: usize = 256;

/// Turns towards the deformation's own rotation at most, in one step.
const TURNS: usize = 24;

/// All tetrahedra of a world.
#[derive(Clone, Debug, Default)]
pub(super) struct Elements {
    pub(super) tets: Vec<Element>,
    /// What the last [`Elements::turn`] made of them.
    pub(super) turned: Vec<Turned>,
}

/// A tetrahedron as it was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub(super) nodes: [u32; 4],
    /// The gradients of the weights of corners 1 to 3, undeformed, as rows.
    inverse_edges: DMat3,
    volume: f64,
    lame: [f64; 2],
    /// How it is turned; the last answer is where the next search begins.
    rotation: DQuat,
}

/// A tetrahedron as it stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turned {
    /// The gradients of the corners' weights, undeformed but turned.
    pub(super) gradients: [DVec3; 4],
    /// The forces on the corners.
    pub(super) forces: [DVec3; 4],
    /// Volume times shear modulus, and volume times the other of Lamé's numbers.
    pub(super) stiffness: [f64; 2],
}

impl Elements {
    pub(super) fn add(&mut self, body: &DeformableBody, first_node: u32) {
        let lame = body.material.lame();
        for (tet, nodes) in body.mesh.tets.iter().enumerate() {
            self.tets.push(Element {
                nodes: nodes.map(|node| node + first_node),
                inverse_edges: body.inverse_edges(tet),
                volume: body.mesh.tet_volume(tet),
                lame,
                rotation: DQuat::IDENTITY,
            });
        }
        self.turned.resize(self.tets.len(), Turned::default());
    }

    /// Finds how each tetrahedron is turned, and its forces.
    pub(super) fn turn(&mut self, positions: &[DVec3]) {
        let tasks = self.tets.par_chunks_mut(TETS_PER_TASK).zip(self.turned.par_chunks_mut(TETS_PER_TASK));
        tasks.for_each(|(tets, turned)| {
            tets.iter_mut().zip(turned).for_each(|(tet, turned)| *turned = tet.turn(positions));
        });
    }
}

impl Element {
    fn turn(&mut self, positions: &[DVec3]) -> Turned {
        let [a, b, c, d] = self.nodes.map(|node| positions[node as usize]);
        let deformation = DMat3::from_cols(b - a, c - a, d - a) * self.inverse_edges;
        self.rotation = rotation_of(deformation, self.rotation);
        let rotation = DMat3::from_quat(self.rotation);
        let [shear, other] = self.lame;
        let stretch = rotation.transpose() * deformation;
        let strain = 0.5 * (stretch + stretch.transpose()) - DMat3::IDENTITY;
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        let stress = 2.0 * shear * strain + DMat3::from_diagonal(DVec3::splat(other * trace));
        let rows = self.inverse_edges.transpose();
        let gradients = [rows.x_axis, rows.y_axis, rows.z_axis];
        let turned = gradients.map(|gradient| rotation * gradient);
        let forces = gradients.map(|gradient| -self.volume * (rotation * (stress * gradient)));
        Turned {
            gradients: [-(turned[0] + turned[1] + turned[2]), turned[0], turned[1], turned[2]],
            forces: [-(forces[0] + forces[1] + forces[2]), forces[0], forces[1], forces[2]],
            stiffness: [self.volume * shear, self.volume * other],
        }
    }
}

impl Turned {
    /// How the force on one corner resists motion of another, as columns.
    pub(super) fn block(&self, row: usize, column: usize) -> [DVec3; 3] {
        let (own, other) = (self.gradients[row], self.gradients[column]);
        let [shear, volume] = self.stiffness;
        let equal = shear * own.dot(other);
        let (across, along) = (shear * other, volume * own);
        let mut columns =
            [across * own.x + along * other.x, across * own.y + along * other.y, across * own.z + along * other.z];
        columns[0].x += equal;
        columns[1].y += equal;
        columns[2].z += equal;
        columns
    }
}

/// The rotation of a deformation, from a guess (Müller, Bender, Chentanez and Macklin 2016). It turns no faster than the
/// deformation does, and never mirrors: an element that is inside out comes back the way it went.
fn rotation_of(deformation: DMat3, guess: DQuat) -> DQuat {
    let mut rotation = guess;
    let size = deformation.x_axis.length() + deformation.y_axis.length() + deformation.z_axis.length();
    for _ in 0..TURNS {
        let axes = DMat3::from_quat(rotation);
        let torque = axes.x_axis.cross(deformation.x_axis)
            + axes.y_axis.cross(deformation.y_axis)
            + axes.z_axis.cross(deformation.z_axis);
        let along = axes.x_axis.dot(deformation.x_axis)
            + axes.y_axis.dot(deformation.y_axis)
            + axes.z_axis.dot(deformation.z_axis);
        let turn = torque / (along.abs() + 1e-9 * size + f64::MIN_POSITIVE);
        if turn.length_squared() < 1e-14 {
            break;
        }
        // A turn by twice the arc tangent of half the vector: the same as by its length where that is small.
        let half = 0.5 * turn;
        rotation = (DQuat::from_xyzw(half.x, half.y, half.z, 1.0) * rotation).normalize();
    }
    rotation
}
