//! Symmetric tensors of three dimensions and their principal values.

use glam::{DMat3, DVec3};

/// A symmetric tensor, a stress or a strain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SymmetricTensor {
    /// The entries xx, yy and zz.
    pub diagonal: DVec3,
    /// The entries yz, zx and xy.
    pub off_diagonal: DVec3,
}

/// An entry so small beside others near to one that it changes neither values nor directions; its square is still a
/// number.
const NOTHING: f64 = f64::EPSILON * f64::EPSILON;

impl SymmetricTensor {
    /// The symmetric part of a matrix.
    pub fn of(matrix: DMat3) -> SymmetricTensor {
        let DMat3 { x_axis: x, y_axis: y, z_axis: z } = matrix;
        SymmetricTensor {
            diagonal: DVec3::new(x.x, y.y, z.z),
            off_diagonal: 0.5 * DVec3::new(y.z + z.y, z.x + x.z, x.y + y.x),
        }
    }

    /// The sum with a multiple of another tensor.
    pub fn plus(self, factor: f64, other: SymmetricTensor) -> SymmetricTensor {
        SymmetricTensor {
            diagonal: self.diagonal + factor * other.diagonal,
            off_diagonal: self.off_diagonal + factor * other.off_diagonal,
        }
    }

    /// A multiple of the tensor.
    pub fn scaled(self, factor: f64) -> SymmetricTensor {
        SymmetricTensor { diagonal: factor * self.diagonal, off_diagonal: factor * self.off_diagonal }
    }

    /// The tensor applied to a vector; for a stress and a unit normal, the traction.
    pub fn apply(self, vector: DVec3) -> DVec3 {
        let (off, v) = (self.off_diagonal, vector);
        let rest = DVec3::new(off.z * v.y + off.y * v.z, off.z * v.x + off.x * v.z, off.y * v.x + off.x * v.y);
        self.diagonal * v + rest
    }

    /// The sum of the diagonal.
    pub fn trace(self) -> f64 {
        self.diagonal.element_sum()
    }

    /// The sum of the squares of all nine entries.
    pub fn norm_squared(self) -> f64 {
        self.diagonal.length_squared() + 2.0 * self.off_diagonal.length_squared()
    }

    /// The largest principal value, by the closed form of the cubic's roots: quick, to half of the digits where values
    /// are nearly the same.
    pub(super) fn largest(self) -> f64 {
        let mean = self.trace() / 3.0;
        let rest = SymmetricTensor { diagonal: self.diagonal - mean, ..self };
        let size = (rest.norm_squared() / 6.0).sqrt();
        if size == 0.0 {
            return mean;
        }
        // Of a tensor of size one, because cubes leave the range of numbers early.
        let SymmetricTensor { diagonal: d, off_diagonal: o } = rest.scaled(1.0 / size);
        let determinant = d.element_product() + 2.0 * o.element_product() - (d * o * o).element_sum();
        let cosine = (0.5 * determinant).clamp(-1.0, 1.0);
        mean + 2.0 * size * (cosine.acos() / 3.0).cos()
    }

    /// Principal values and directions, by Jacobi rotations: slower than the roots of the cubic, but as exact for
    /// values that are nearly the same as for others, and the directions are orthogonal whatever the values.
    pub fn principal(self) -> Principal {
        let largest = self.diagonal.abs().max(self.off_diagonal.abs()).max_element();
        if largest == 0.0 || !largest.is_finite() {
            return Principal { values: self.diagonal.to_array(), directions: [DVec3::X, DVec3::Y, DVec3::Z] };
        }
        // Entries near to one, so that squares neither overflow nor vanish.
        let SymmetricTensor { diagonal, off_diagonal } = self.scaled(1.0 / largest);
        let (mut values, mut off) = (diagonal.to_array(), off_diagonal.to_array());
        let mut directions = [DVec3::X, DVec3::Y, DVec3::Z];
        // Convergence is quadratic: five sweeps are the most that were seen.
        for _ in 0..16 {
            if off.iter().all(|entry| entry.abs() < NOTHING) {
                break;
            }
            for axis in 0..3 {
                rotate(&mut values, &mut off, &mut directions, axis);
            }
        }
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        Principal { values: order.map(|i| values[i] * largest), directions: order.map(|i| directions[i]) }
    }
}

/// Turns about an axis so that the entry of the other two vanishes.
fn rotate(values: &mut [f64; 3], off: &mut [f64; 3], directions: &mut [DVec3; 3], axis: usize) {
    let entry = off[axis];
    if entry.abs() < NOTHING {
        return;
    }
    let (p, q) = ((axis + 1) % 3, (axis + 2) % 3);
    let half = 0.5 * (values[q] - values[p]);
    // The smaller of the two angles; it keeps what has converged in its place.
    let tangent = entry / (half.abs() + (half * half + entry * entry).sqrt()) * if half < 0.0 { -1.0 } else { 1.0 };
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = tangent * cosine;
    values[p] -= tangent * entry;
    values[q] += tangent * entry;
    off[axis] = 0.0;
    // The entry of p and axis stands opposite of q, that of q and axis opposite of p.
    (off[q], off[p]) = (cosine * off[q] - sine * off[p], sine * off[q] + cosine * off[p]);
    let (first, second) = (directions[p], directions[q]);
    directions[p] = cosine * first - sine * second;
    directions[q] = sine * first + cosine * second;
}

/// The principal values of a symmetric tensor, the largest first, and the unit directions that they belong to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Principal {
    /// The values, in falling order.
    pub values: [f64; 3],
    /// Their directions, orthogonal to each other.
    pub directions: [DVec3; 3],
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tensor(e: [f64; 6]) -> SymmetricTensor {
        SymmetricTensor { diagonal: DVec3::new(e[0], e[1], e[2]), off_diagonal: DVec3::new(e[3], e[4], e[5]) }
    }

    fn is_principal(tensor: SymmetricTensor) -> bool {
        let found = tensor.principal();
        let scale = tensor.norm_squared().sqrt();
        let holds = |k: usize| {
            let (value, direction) = (found.values[k], found.directions[k]);
            (tensor.apply(direction) - value * direction).length() <= 8.0 * f64::EPSILON * scale
                && (direction.length() - 1.0).abs() < 1e-14
                && direction.dot(found.directions[(k + 1) % 3]).abs() < 1e-14
        };
        (0..3).all(holds) && found.values.is_sorted_by(|a, b| a >= b)
    }

    #[test]
    fn a_diagonal_tensor_has_its_entries_in_falling_order() {
        let tensor = SymmetricTensor { diagonal: DVec3::new(-1.0, 7.0, 3.0), off_diagonal: DVec3::ZERO };
        assert_eq!(tensor.principal().values, [7.0, 3.0, -1.0]);
        assert_eq!(tensor.principal().directions[0], DVec3::Y);
        assert_eq!(SymmetricTensor::default().principal().values, [0.0; 3]);
        assert_eq!(SymmetricTensor::default().largest(), 0.0);
        assert_eq!(tensor.largest(), 7.0);
    }

    #[test]
    fn a_pull_is_a_principal_value() {
        let direction = DVec3::new(1.0, 2.0, -2.0) / 3.0;
        let tensor = SymmetricTensor::of(DMat3::from_cols(
            5.0 * direction.x * direction,
            5.0 * direction.y * direction,
            5.0 * direction.z * direction,
        ));
        let found = tensor.principal();
        assert!((found.values[0] - 5.0).abs() < 1e-14 && found.values[1].abs() < 1e-14);
        assert!((found.directions[0].dot(direction).abs() - 1.0).abs() < 1e-14);
    }

    proptest! {
        #[test]
        fn random_tensors(e in prop::array::uniform6(-1.0..1.0f64), powers in prop::array::uniform6(-12..13i32)) {
            let e: [f64; 6] = std::array::from_fn(|k| e[k] * 10f64.powi(powers[k]));
            let tensor = tensor(e);
            prop_assert!(is_principal(tensor), "{:?}", tensor.principal());
            prop_assert!(is_principal(tensor.scaled(1e-200)) && is_principal(tensor.scaled(1e120)));
            let large = tensor.scaled(1e120).largest() * 1e-120;
            prop_assert!((large - tensor.largest()).abs() < 1e-7 * tensor.norm_squared().sqrt());
            prop_assert!((tensor.largest() - tensor.principal().values[0]).abs() < 1e-7 * tensor.norm_squared().sqrt());
        }

        #[test]
        fn values_that_are_nearly_the_same(e in prop::array::uniform6(-1.0..1.0f64), power in -18..0i32) {
            let e = e.map(|entry| entry * 10f64.powi(power));
            let rest = tensor(e);
            let tensor = SymmetricTensor { diagonal: DVec3::ONE + rest.diagonal, ..rest };
            prop_assert!(is_principal(tensor));
            prop_assert!((tensor.largest() - tensor.principal().values[0]).abs() < 1e-7);
        }

        #[test]
        fn values_do_not_change_when_the_tensor_is_turned(
            e in prop::array::uniform6(-1.0..1.0f64),
            angles in prop::array::uniform3(-3.0..3.0f64),
        ) {
            let tensor = tensor(e);
            let turn = DMat3::from_euler(glam::EulerRot::XYZ, angles[0], angles[1], angles[2]);
            let back = turn.transpose();
            let column = |axis: DVec3| turn * tensor.apply(axis);
            let turned = DMat3::from_cols(column(back.x_axis), column(back.y_axis), column(back.z_axis));
            let (a, b) = (tensor.principal().values, SymmetricTensor::of(turned).principal().values);
            prop_assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-14));
        }
    }
}
