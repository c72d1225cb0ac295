//! What deformable bodies are made of.

use super::DeformableError;

/// An elastic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticMaterial {
    /// Young's modulus, in pascals.
    pub young: f64,
    /// Poisson's ratio, from 0 to less than one half.
    pub poisson: f64,
    /// Kilograms for each cubic metre.
    pub density: f64,
    /// Damping of deformation: so many seconds of stiffness (Rayleigh's beta).
    pub stiffness_damping: f64,
    /// Damping of all motion, for each second (Rayleigh's alpha).
    pub mass_damping: f64,
}

impl Default for ElasticMaterial {
    /// Soft rubber.
    fn default() -> ElasticMaterial {
        ElasticMaterial { young: 1e6, poisson: 0.3, density: 1000.0, stiffness_damping: 2e-3, mass_damping: 0.0 }
    }
}

impl ElasticMaterial {
    /// Whether the numbers are those of a material.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), DeformableError> {
        let conditions = [
            ("young", self.young, self.young > 0.0 && self.young.is_finite(), "positive"),
            ("poisson", self.poisson, (0.0..0.4999).contains(&self.poisson), "from 0 to less than 0.4999"),
            ("density", self.density, self.density > 0.0 && self.density.is_finite(), "positive"),
            ("stiffness_damping", self.stiffness_damping, is_amount(self.stiffness_damping), "zero or more"),
            ("mass_damping", self.mass_damping, is_amount(self.mass_damping), "zero or more"),
        ];
        match conditions.into_iter().find(|condition| !condition.2) {
            None => Ok(()),
            Some((name, value, _, expected)) => Err(DeformableError::Material { name, value, expected }),
        }
    }

    /// Lamé's two numbers: shear, and the other.
    pub(super) fn lame(&self) -> [f64; 2] {
        let shear = self.young / (2.0 * (1.0 + self.poisson));
        [shear, self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson))]
    }
}

fn is_amount(value: f64) -> bool {
    value >= 0.0 && value.is_finite()
}
