//! The motions that deform nothing.

use faer::Mat;
use glam::DVec3;

/// Six columns for each part of a mesh: its translations and its turns about its centre of mass, scaled by the roots of
/// the masses and orthonormal.
pub(super) fn rigid_modes(positions: &[DVec3], masses: &[f64], parts: &[u32], count: usize) -> Mat<f64> {
    let mut centers = vec![DVec3::ZERO; count];
    let mut totals = vec![0.0; count];
    for ((&part, &mass), &position) in parts.iter().zip(masses).zip(positions) {
        centers[part as usize] += mass * position;
        totals[part as usize] += mass;
    }
    let mut modes = Mat::zeros(3 * positions.len(), 6 * count);
    for (node, (&part, &mass)) in parts.iter().zip(masses).enumerate() {
        let arm = positions[node] - centers[part as usize] / totals[part as usize];
        for (axis, &unit) in DVec3::AXES.iter().enumerate() {
            for (column, motion) in [(axis, unit), (3 + axis, unit.cross(arm))] {
                for row in 0..3 {
                    modes[(3 * node + row, 6 * part as usize + column)] = mass.sqrt() * motion[row];
                }
            }
        }
    }
    for part in 0..count {
        let members = || (0..parts.len()).filter(|&node| parts[node] as usize == part).flat_map(|n| 3 * n..3 * n + 3);
        for column in 6 * part..6 * part + 6 {
            // Twice, because once leaves rounding relative to what was taken out.
            for before in (6 * part..column).chain(6 * part..column) {
                let dot: f64 = members().map(|row| modes[(row, before)] * modes[(row, column)]).sum();
                members().for_each(|row| modes[(row, column)] -= dot * modes[(row, before)]);
            }
            let length = members().map(|row| modes[(row, column)] * modes[(row, column)]).sum::<f64>().sqrt();
            members().for_each(|row| modes[(row, column)] /= length);
        }
    }
    modes
}
