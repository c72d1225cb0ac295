//! Co-rotational elasticity: linear in a frame that turns with each tetrahedron.

use glam::{DMat3, DQuat, DVec3, Mat3A, Vec3A, Vec3Swizzles};
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
    pub(super) gradients: [Vec3A; 4],
    /// The forces on the corners.
    pub(super) forces: [DVec3; 4],
    /// Volume times shear modulus, and volume times the other of Lamé's numbers.
    pub(super) stiffness: [f32; 2],
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
            gradients: [-(turned[0] + turned[1] + turned[2]), turned[0], turned[1], turned[2]].map(|g| g.as_vec3a()),
            forces: [-(forces[0] + forces[1] + forces[2]), forces[0], forces[1], forces[2]],
            stiffness: [(self.volume * shear) as f32, (self.volume * other) as f32],
        }
    }
}

impl Turned {
    /// How the force on one corner resists motion of another.
    #[inline(always)]
    pub(super) fn block(&self, row: usize, column: usize) -> Mat3A {
        let (own, other) = (self.gradients[row], self.gradients[column]);
        let [shear, volume] = self.stiffness;
        let equal = Vec3A::splat(shear * own.dot(other));
        let (across, along) = (shear * other, volume * own);
        Mat3A::from_cols(
            across * own.xxx() + along * other.xxx() + equal * Vec3A::X,
            across * own.yyy() + along * other.yyy() + equal * Vec3A::Y,
            across * own.zzz() + along * other.zzz() + equal * Vec3A::Z,
        )
    }
}

/// The rotation of a deformation, from a guess: the nearest one, by Newton's method on how well the two agree. Where that has
/// no maximum near by, as in an element that is inside out, it goes up the slope instead (Müller, Bender, Chentanez and Macklin
/// 2016): it never mirrors, and such an element comes back the way it went.
fn rotation_of(deformation: DMat3, guess: DQuat) -> DQuat {
    let mut rotation = guess;
    let size = deformation.x_axis.length() + deformation.y_axis.length() + deformation.z_axis.length();
    for _ in 0..TURNS {
        let stretch = deformation * DMat3::from_quat(rotation).transpose();
        let [x, y, z] = [stretch.x_axis, stretch.y_axis, stretch.z_axis];
        // The slope of the trace as the rotation turns on, and its curvature.
        let slope = DVec3::new(y.z - z.y, z.x - x.z, x.y - y.x);
        let trace = x.x + y.y + z.z;
        let mixed = -0.5 * DVec3::new(y.z + z.y, z.x + x.z, x.y + y.x);
        let diagonal = DVec3::splat(trace) - DVec3::new(x.x, y.y, z.z);
        let newton = solve_symmetric(diagonal, mixed, slope, 0.1 * size);
        let turn = newton.unwrap_or_else(|| slope / (trace.abs() + 1e-9 * size + f64::MIN_POSITIVE));
        if turn.length_squared() < 1e-16 {
            break;
        }
        // A turn by twice the arc tangent of half the vector: the same as by its length where that is small.
        let half = 0.5 * turn.clamp_length_max(1.0);
        rotation = (DQuat::from_xyzw(half.x, half.y, half.z, 1.0) * rotation).normalize();
        // By Newton's method, what is left is of the order of the square of the turn: less strain than single precision tells.
        if newton.is_some() && turn.length_squared() < 1e-7 {
            break;
        }
    }
    rotation
}

/// The solution of a symmetric system with a diagonal and, by the axis that an entry is not of, what is beside it; none if the
/// matrix is not clearly positive.
fn solve_symmetric(diagonal: DVec3, mixed: DVec3, right: DVec3, least: f64) -> Option<DVec3> {
    let (yz, xz, xy) = (mixed.x, mixed.y, mixed.z);
    let minors = DVec3::new(
        diagonal.y * diagonal.z - yz * yz,
        diagonal.x * diagonal.z - xz * xz,
        diagonal.x * diagonal.y - xy * xy,
    );
    let beside = DVec3::new(xy * xz - diagonal.x * yz, xy * yz - diagonal.y * xz, xz * yz - diagonal.z * xy);
    let determinant = diagonal.x * minors.x + xy * beside.z + xz * beside.y;
    if !(diagonal.min_element() > least && minors.min_element() > least * least && determinant > least.powi(3)) {
        return None;
    }
    let x = DVec3::new(minors.x, beside.z, beside.y).dot(right);
    let y = DVec3::new(beside.z, minors.y, beside.x).dot(right);
    let z = DVec3::new(beside.y, beside.x, minors.z).dot(right);
    Some(DVec3::new(x, y, z) / determinant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_stretched_rotation_is_found_again() {
        let mut random = Random::new(3);
        for _ in 0..300 {
            let rotation = DQuat::from_scaled_axis(3.0 * random.in_cube());
            let stretch = random.in_cube().abs() + 0.2;
            let axes = DMat3::from_quat(DQuat::from_scaled_axis(3.0 * random.in_cube()));
            let deformation = DMat3::from_quat(rotation) * axes * DMat3::from_diagonal(stretch) * axes.transpose();
            let mut found = DQuat::from_scaled_axis(random.in_cube()) * rotation;
            (0..4).for_each(|_| found = rotation_of(deformation, found));
            assert!(found.dot(rotation).abs() > 1.0 - 1e-13, "{found} {rotation} {stretch}");
        }
    }

    #[test]
    fn what_is_inside_out_is_turned_and_not_mirrored() {
        let mut random = Random::new(5);
        for _ in 0..300 {
            let columns = [0; 3].map(|_| random.in_cube());
            let deformation = DMat3::from_cols(columns[0], columns[1], columns[2]);
            let found = rotation_of(deformation, DQuat::IDENTITY);
            assert!(found.is_finite() && found.is_normalized());
        }
        assert!(rotation_of(DMat3::ZERO, DQuat::IDENTITY).is_finite());
    }
}
