//! What the readers agree on about normals, colours and materials.

use glam::Vec3;

use crate::geometry::TriMesh;

/// A normal of unit length; one that is so already, as far as single precision goes, keeps its bits, and one that
/// points nowhere is zero.
pub(super) fn unit_normal(normal: Vec3) -> Vec3 {
    if (normal.length_squared() - 1.0).abs() <= 1e-6 { normal } else { normal.normalize_or_zero() }
}

/// Gives each vertex without a normal the mean of those of its triangles.
pub(super) fn fill_missing_normals(mesh: &mut TriMesh) {
    let Some(mut normals) = mesh.normals.take() else { return };
    if normals.contains(&Vec3::ZERO) {
        let means = mesh.vertex_normals();
        for (normal, mean) in normals.iter_mut().zip(means).filter(|(normal, _)| **normal == Vec3::ZERO) {
            *normal = mean;
        }
    }
    mesh.normals = Some(normals);
}

/// A share of one as a byte.
pub(super) fn byte_of_share(share: f64) -> u8 {
    (share * 255.0).round() as u8
}

/// The part of linear light that an sRGB byte stands for.
pub(super) fn linear_of_srgb(byte: u8) -> f64 {
    let share = f64::from(byte) / 255.0;
    if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
}

/// The sRGB byte nearest to a part of linear light.
pub(super) fn srgb_of_linear(share: f64) -> u8 {
    byte_of_share(if share <= 0.003_130_8 { 12.92 * share } else { 1.055 * share.powf(1.0 / 2.4) - 0.055 })
}

/// How the writers name a material of which only the number is known.
pub(super) fn material_name(number: u32) -> String {
    format!("material_{number}")
}

/// The material numbers for names: the number in the name where every name is one of [`material_name`]'s, so that
/// numbers survive a file, and the place in the list otherwise.
pub(super) fn material_numbers<'a>(names: impl ExactSizeIterator<Item = &'a [u8]> + Clone) -> Vec<u32> {
    let in_name = |name: &[u8]| -> Option<u32> {
        let number = std::str::from_utf8(name).ok()?.strip_prefix("material_")?.parse().ok()?;
        (material_name(number).as_bytes() == name).then_some(number)
    };
    let count = names.len() as u32;
    names.map(in_name).collect::<Option<Vec<u32>>>().unwrap_or_else(|| (0..count).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_bytes_survive_sixteen_bits_of_linear_light() {
        for byte in 0..=255 {
            let stored = (linear_of_srgb(byte) * 65535.0).round() as u16;
            assert_eq!(srgb_of_linear(f64::from(stored) / 65535.0), byte);
        }
        assert_eq!((srgb_of_linear(-1.0), srgb_of_linear(7.0), srgb_of_linear(f64::NAN)), (0, 255, 0));
    }

    #[test]
    fn our_own_material_names_keep_their_numbers() {
        let numbers = |names: &[&str]| material_numbers(names.iter().map(|name| name.as_bytes()));
        assert_eq!(numbers(&["material_7", "material_3"]), [7, 3]);
        assert_eq!(numbers(&["material_7", "glass"]), [0, 1]);
        assert_eq!(numbers(&["material_07"]), [0]);
    }
}
