//! What a solid is made of, and how one linear tetrahedron of it resists.

use glam::{DMat3, DVec3};

use super::error::{ModalError, positive, require};
use super::principal::SymmetricTensor;
use crate::geometry::TetMesh;

/// An isotropic, linearly elastic material; the default is a stoneware.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// Young's modulus, in Pa.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Mass by volume, in kg/m³.
    pub density: f64,
}

impl Default for Elasticity {
    fn default() -> Elasticity {
        Elasticity { young: 6e10, poisson: 0.22, density: 2300.0 }
    }
}

impl Elasticity {
    /// Whether there can be such a material.
    ///
    /// # Errors
    /// The first number that is out of its range.
    pub fn check(&self) -> Result<(), ModalError> {
        positive("elasticity", "young", self.young)?;
        positive("elasticity", "density", self.density)?;
        let holds = self.poisson > -1.0 && self.poisson < 0.499;
        require("elasticity", "poisson", self.poisson, holds, "a number above -1 and below 0.499")
    }

    /// Lamé's two constants: of what changes the volume, and of what shears.
    pub(super) fn lame(&self) -> [f64; 2] {
        let shear = self.young / (2.0 * (1.0 + self.poisson));
        [2.0 * shear * self.poisson / (1.0 - 2.0 * self.poisson), shear]
    }

    /// The stress that belongs to a strain.
    pub(super) fn stress(&self, strain: SymmetricTensor) -> SymmetricTensor {
        let [volume, shear] = self.lame();
        let pressure = SymmetricTensor { diagonal: DVec3::splat(volume * strain.trace()), off_diagonal: DVec3::ZERO };
        pressure.plus(2.0 * shear, strain)
    }
}

/// A linear tetrahedron: its volume and the gradients of the four functions that are one at a corner and zero at the
/// others. They are what a strain-displacement matrix has in its columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub(super) volume: f64,
    pub(super) gradients: [DVec3; 4],
}

/// The least volume of a tetrahedron, relative to the cube of its longest edge. The gradients of a flatter one have
/// lost half of their digits.
const FLATTEST: f64 = 1e-8;

impl Element {
    /// The tetrahedra of a mesh.
    pub(super) fn all(mesh: &TetMesh) -> Result<Vec<Element>, ModalError> {
        (0..mesh.tets.len()).map(|tet| Element::of(mesh, tet)).collect()
    }

    fn of(mesh: &TetMesh, tet: usize) -> Result<Element, ModalError> {
        let [a, b, c, d] = mesh.corners(tet);
        let (u, v, w) = (b - a, c - a, d - a);
        let six = u.cross(v).dot(w);
        let longest = [u, v, w, v - u, w - u, w - v].iter().map(|edge| edge.length()).fold(0.0, f64::max);
        let [p, q, r] = [v.cross(w) / six, w.cross(u) / six, u.cross(v) / six];
        let gradients = [-(p + q + r), p, q, r];
        let volume = six / 6.0;
        if volume > FLATTEST * longest.powi(3) && volume.is_normal() && gradients.iter().all(|g| g.is_finite()) {
            Ok(Element { volume, gradients })
        } else {
            Err(ModalError::Flat { tet, volume })
        }
    }

    /// The block of the stiffness that says how a corner is pushed when another one moves.
    pub(super) fn stiffness(&self, [volume, shear]: [f64; 2], row: usize, column: usize) -> DMat3 {
        let (a, b) = (self.gradients[row], self.gradients[column]);
        let outer = |left: DVec3, right: DVec3| DMat3::from_cols(right.x * left, right.y * left, right.z * left);
        self.volume
            * (volume * outer(a, b) + shear * outer(b, a) + DMat3::from_diagonal(DVec3::splat(shear * a.dot(b))))
    }

    /// The strain when the corners are displaced.
    pub(super) fn strain(&self, displacements: [DVec3; 4]) -> SymmetricTensor {
        let mut gradient = DMat3::ZERO;
        for (&g, u) in self.gradients.iter().zip(displacements) {
            gradient += DMat3::from_cols(g.x * u, g.y * u, g.z * u);
        }
        SymmetricTensor::of(gradient)
    }
}
