//! Colours that tell a measure.

use std::fmt;

use glam::{DVec3, Vec3};

/// The colour at each point of a mesh, in sRGB from 0 to 1, as a function of where that is in the mesh's coordinates.
pub struct Measured<'a>(pub Box<dyn Fn(DVec3) -> [f32; 3] + Sync + 'a>);

impl fmt::Debug for Measured<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Measured")
    }
}

/// Colours are one only if they are the same function.
impl PartialEq for Measured<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// What has no measure: neither deep nor near to anything.
pub(super) const PLAIN: [f32; 3] = [0.78, 0.78, 0.77];

/// Dark to bright, which is also told apart without colours (viridis).
const DEPTHS: [[f32; 3]; 6] = [
    [0.267, 0.005, 0.329],
    [0.254, 0.265, 0.530],
    [0.164, 0.471, 0.558],
    [0.128, 0.651, 0.507],
    [0.478, 0.821, 0.32],
    [0.993, 0.906, 0.144],
];

/// From a gap through touching to deep.
const CONTACTS: [[f32; 3]; 5] = [PLAIN, [0.98, 0.87, 0.55], [0.99, 0.72, 0.25], [0.93, 0.35, 0.17], [0.62, 0.05, 0.12]];

/// How many bands a depth is divided into; every other one is a little darker, so that lines of equal depth are seen.
const BANDS: f64 = 20.0;

/// The colour of a depth, as a part of the largest.
pub(super) fn depth_color(share: f64) -> [f32; 3] {
    let is_odd = (share * BANDS).max(0.0) as u64 % 2 == 1;
    along(&DEPTHS, share).map(|part| if is_odd { 0.88 * part } else { part })
}

/// The colour of a contact, from a gap as large as the scale, -1, to a depth as large as that, 1.
pub(super) fn contact_color(share: f64) -> [f32; 3] {
    along(&CONTACTS, 0.5 * (share + 1.0))
}

fn along(colors: &[[f32; 3]], share: f64) -> [f32; 3] {
    let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    let place = share as f32 * (colors.len() - 1) as f32;
    let from = (place as usize).min(colors.len() - 2);
    Vec3::from(colors[from]).lerp(Vec3::from(colors[from + 1]), place - from as f32).to_array()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_from_end_to_end() {
        assert_eq!(along(&DEPTHS, -3.0), DEPTHS[0]);
        assert_eq!(along(&DEPTHS, 7.0), DEPTHS[5]);
        assert_eq!(along(&DEPTHS, f64::NAN), DEPTHS[0]);
        assert_eq!((contact_color(-1.0), contact_color(1.0)), (PLAIN, CONTACTS[4]));
        assert_ne!(depth_color(0.01), depth_color(0.06));
    }
}
