//! Particles in a picture: soft discs that face the eye.

use glam::Vec3;

use super::bin::TILE;
use super::camera::View;
use crate::dynamics::Particle;

/// A disc smaller than this many pixels across its radius is drawn at this size and fainter, so that it does not flicker.
const SMALLEST: f32 = 0.7;

/// No disc is larger than this part of the picture's height: nearer ones would only be a veil before the lens.
const LARGEST: f32 = 0.25;

/// A particle on the screen.
#[derive(Clone, Copy)]
struct Disc {
    /// The middle, in pixels.
    x: f32,
    y: f32,
    /// In pixels.
    radius: f32,
    inverse_depth: f32,
    opacity: f32,
}

/// The particles of a picture, by tile, the farthest first.
pub(super) struct Haze {
    discs: Vec<Disc>,
    tiles: Vec<Vec<u32>>,
    columns: u32,
    color: Vec3,
}

impl Haze {
    /// Puts particles on a picture. `color` is in linear light.
    pub(super) fn new(particles: &[Particle], view: &View, [width, height]: [u32; 2], color: Vec3) -> Haze {
        let mut discs: Vec<Disc> = particles.iter().filter_map(|particle| disc(particle, view, height)).collect();
        // Stable, so that particles at one depth keep their order.
        discs.sort_by(|a, b| a.inverse_depth.total_cmp(&b.inverse_depth));
        let [columns, rows] = [width, height].map(|size| size.div_ceil(TILE));
        let mut tiles = vec![Vec::new(); if discs.is_empty() { 0 } else { (columns * rows) as usize }];
        for (number, disc) in discs.iter().enumerate() {
            let range = |middle: f32, count: u32| {
                let [low, high] = [middle - disc.radius, middle + disc.radius].map(|at| (at / TILE as f32).floor());
                // Casts saturate, so what is far off the picture ends at its rim and is then found empty.
                low.max(0.0) as u32..(high + 1.0).clamp(0.0, count as f32) as u32
            };
            for row in range(disc.y, rows) {
                for column in range(disc.x, columns) {
                    tiles[(row * columns + column) as usize].push(number as u32);
                }
            }
        }
        Haze { discs, tiles, columns, color }
    }

    /// The discs that may reach into a tile.
    pub(super) fn of_tile(&self, column: u32, row: u32) -> &[u32] {
        self.tiles.get((row * self.columns + column) as usize).map_or(&[], Vec::as_slice)
    }

    /// The colour of a pixel behind the discs of its tile. `depths` are one over the depths that the pixel's samples see: a
    /// disc is only before those that are farther away.
    pub(super) fn over(&self, mut color: Vec3, discs: &[u32], [x, y]: [u32; 2], depths: &[f32]) -> Vec3 {
        for &number in discs {
            let disc = &self.discs[number as usize];
            let [dx, dy] = [x as f32 + 0.5 - disc.x, y as f32 + 0.5 - disc.y];
            let distance = (dx * dx + dy * dy) / (disc.radius * disc.radius);
            if distance < 1.0 {
                let before = depths.iter().filter(|&&depth| depth < disc.inverse_depth).count();
                let share = before as f32 / depths.len() as f32;
                color = color.lerp(self.color, disc.opacity * share * (1.0 - distance) * (1.0 - distance));
            }
        }
        color
    }
}

fn disc(particle: &Particle, view: &View, height: u32) -> Option<Disc> {
    let point = view.point(particle.position.as_dvec3());
    if !(point.is_finite() && point.z > view.near && particle.radius > 0.0 && particle.opacity > 0.0) {
        return None;
    }
    let scale = view.focal / point.z;
    let radius = (scale * f64::from(particle.radius)) as f32;
    let drawn = radius.clamp(SMALLEST, (LARGEST * height as f32).max(SMALLEST));
    let fainter = if radius < drawn { (radius / drawn) * (radius / drawn) } else { 1.0 };
    let [x, y] = [view.center[0] + scale * point.x, view.center[1] - scale * point.y].map(|at| at as f32);
    (x.is_finite() && y.is_finite()).then_some(Disc {
        x,
        y,
        radius: drawn,
        inverse_depth: (1.0 / point.z) as f32,
        opacity: particle.opacity.min(1.0) * fainter,
    })
}
