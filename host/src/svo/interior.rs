//! What the inside of a solid looks like where a fracture lays it open (\[Domaradzki16\] 4.4): a texture of space.

use std::sync::Arc;

use glam::DVec3;

use super::tree::{Color, FRACTURED};
use crate::geometry::fractal_noise;

/// A texture of space.
#[derive(Clone, Debug, PartialEq)]
pub struct Interior {
    /// The colour.
    pub color: [u8; 3],
    /// How far single voxels are lighter or darker.
    pub grain: u8,
    /// What it has besides one colour.
    pub texture: Texture,
}

impl Default for Interior {
    fn default() -> Interior {
        Interior { color: [150, 128, 110], grain: 12, texture: Texture::Even }
    }
}

/// Where space has other colours. Lengths are parts of the lattice's edge, so every level looks alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Texture {
    /// Nowhere.
    #[default]
    Even,
    /// Crooked veins, as in marble.
    Veins {
        /// The colour in the middle of a vein.
        color: [u8; 3],
        /// How many there are along the lattice.
        count: f64,
        /// How wide they are, as a part of the way from one to the next.
        width: f64,
    },
    /// Bent layers, as in sandstone.
    Layers {
        /// The colour of every other layer; one runs into the next.
        color: [u8; 3],
        /// How many pairs of layers there are along the lattice.
        count: f64,
        /// Which way they are stacked.
        direction: DVec3,
    },
    /// Colours on a grid over the lattice.
    Volume(Volume),
}

/// Colours on a grid: what was scanned or painted elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    size: [u32; 3],
    colors: Arc<[[u8; 3]]>,
}

impl Volume {
    /// A grid of colours, x first, then y; none if there are not as many colours as places.
    pub fn new(size: [u32; 3], colors: impl Into<Arc<[[u8; 3]]>>) -> Option<Volume> {
        let colors = colors.into();
        let places = size.iter().try_fold(1usize, |places, &side| places.checked_mul(side as usize))?;
        (places > 0 && colors.len() == places).then_some(Volume { size, colors })
    }

    /// The colour of a place from 0 to 1 along each axis.
    fn color(&self, place: DVec3) -> [u8; 3] {
        let [x, y, z] = std::array::from_fn(|axis| {
            let side = self.size[axis];
            ((place[axis] * f64::from(side)) as u32).min(side - 1) as usize
        });
        self.colors[(z * self.size[1] as usize + y) * self.size[0] as usize + x]
    }
}

/// How many times as long as a vein is far from the next it runs straight.
const STRAIGHT: f64 = 1.5;

impl Texture {
    /// The colour of a place from 0 to 1 along each axis, where else it is `base`.
    fn color(&self, base: [u8; 3], place: DVec3) -> [u8; 3] {
        match self {
            Texture::Even => base,
            Texture::Veins { color, count, width } => {
                // Noise is zero on a crooked surface, and grows about evenly to both sides of it.
                let away = fractal_noise(place * *count / STRAIGHT, 1).abs();
                mixed(*color, base, away / width.max(f64::MIN_POSITIVE))
            }
            Texture::Layers { color, count, direction } => {
                let along = place.dot(direction.normalize_or(DVec3::Y)) * count;
                let bent = along + 0.3 * fractal_noise(place * *count / (4.0 * STRAIGHT), 2);
                // From 0 in the middle of one layer to 1 in the middle of the next.
                mixed(*color, base, (2.0 * (bent - bent.floor()) - 1.0).abs())
            }
            Texture::Volume(volume) => volume.color(place),
        }
    }
}

/// From one colour at 0 to another at 1, with smooth ends.
fn mixed(from: [u8; 3], to: [u8; 3], part: f64) -> [u8; 3] {
    let part = part.clamp(0.0, 1.0);
    let part = part * part * (3.0 - 2.0 * part);
    let channel = |axis: usize| f64::from(from[axis]) + part * (f64::from(to[axis]) - f64::from(from[axis]));
    std::array::from_fn(|axis| channel(axis).round() as u8)
}

impl Interior {
    /// The colour of a voxel on a lattice of some levels.
    pub fn color(&self, voxel: [u32; 3], level: u32) -> [u8; 3] {
        let [red, green, blue, _] = Painter::new(self, level).color(voxel);
        [red, green, blue]
    }
}

/// What is the same for all voxels of a lattice.
pub(crate) struct Painter<'a> {
    interior: &'a Interior,
    /// The colour in each shade.
    shades: [Color; 256],
    voxel: f64,
}

impl Painter<'_> {
    pub(crate) fn new(interior: &Interior, level: u32) -> Painter<'_> {
        let shades = std::array::from_fn(|shade| shaded(interior.color, interior.grain, shade as u32));
        Painter { interior, shades, voxel: 1.0 / f64::from(1u32 << level) }
    }

    /// The colour of a voxel that a fracture lays open.
    #[inline]
    pub(crate) fn color(&self, voxel: [u32; 3]) -> Color {
        let mixed = voxel[0].wrapping_mul(0x9e37_79b1)
            ^ voxel[1].wrapping_mul(0x85eb_ca77)
            ^ voxel[2].wrapping_mul(0xc2b2_ae3d);
        // A second round of the multiplicative hash, so that neighbours get unrelated shades.
        let shade = (mixed ^ mixed >> 15).wrapping_mul(0x2c1b_3c6d) >> 24;
        match &self.interior.texture {
            Texture::Even => self.shades[shade as usize],
            texture => {
                let place = DVec3::from_array(voxel.map(|coordinate| (f64::from(coordinate) + 0.5) * self.voxel));
                shaded(texture.color(self.interior.color, place), self.interior.grain, shade)
            }
        }
    }
}

/// A colour lighter or darker: by nothing in shade 128.
fn shaded(color: [u8; 3], grain: u8, shade: u32) -> Color {
    let lighter = i32::from(grain) * (shade as i32 - 128) / 128;
    let [red, green, blue] = color.map(|channel| (i32::from(channel) + lighter).clamp(0, 255) as u8);
    [red, green, blue, FRACTURED]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The colours along a line through the middle.
    fn line(texture: Texture, level: u32) -> Vec<[u8; 3]> {
        let interior = Interior { color: [250, 250, 250], grain: 0, texture };
        let side = 1u32 << level;
        (0..side).map(|y| interior.color([side / 2, y, side / 2], level)).collect()
    }

    #[test]
    fn grain_is_about_the_colour_and_even_without_any() {
        let interior = Interior::default();
        let shades: Vec<i32> = (0..4096).map(|x| i32::from(interior.color([x, 0, 0], 12)[0]) - 150).collect();
        assert!(shades.iter().all(|shade| shade.abs() <= 12) && shades.iter().any(|shade| shade.abs() > 8));
        assert!(shades.iter().sum::<i32>().abs() < 4096);
        assert!(line(Texture::Even, 6).iter().all(|&color| color == [250; 3]));
    }

    #[test]
    fn layers_take_turns() {
        let layers = Texture::Layers { color: [50; 3], count: 8.0, direction: DVec3::Y };
        let colors = line(layers, 9);
        let is_dark = |color: &[u8; 3]| color[0] < 150;
        let changes = colors.windows(2).filter(|pair| is_dark(&pair[0]) != is_dark(&pair[1])).count();
        assert!((12..=20).contains(&changes), "{changes}");
        assert!(colors.iter().any(|color| color[0] < 60) && colors.iter().any(|color| color[0] > 240));
    }

    #[test]
    fn veins_are_narrow_and_the_same_on_every_level() {
        let veins = |width: f64| Texture::Veins { color: [20; 3], count: 12.0, width };
        let narrow = line(veins(0.1), 10);
        let dark = narrow.iter().filter(|color| color[0] < 135).count() as f64 / narrow.len() as f64;
        assert!((0.02..0.3).contains(&dark), "{dark}");
        // The middles of coarse and fine voxels are not quite at the same places, so wide veins are compared.
        let [coarse, fine] = [7, 10].map(|level| line(veins(1.0), level));
        let difference = coarse.iter().zip(fine.iter().skip(4).step_by(8)).map(|(a, b)| a[0].abs_diff(b[0])).max();
        assert!(difference < Some(40), "{difference:?}");
    }

    #[test]
    fn volumes_are_looked_up_and_need_all_their_colors() {
        let volume = Volume::new([1, 2, 1], vec![[1, 2, 3], [7, 8, 9]]).expect("two places, two colours");
        let colors = line(Texture::Volume(volume), 3);
        assert_eq!(colors, [[[1, 2, 3]; 4], [[7, 8, 9]; 4]].concat());
        assert!(Volume::new([2, 2, 1], vec![[0; 3]; 3]).is_none() && Volume::new([0, 1, 1], vec![]).is_none());
        assert!(Volume::new([u32::MAX; 3], vec![]).is_none());
    }
}
