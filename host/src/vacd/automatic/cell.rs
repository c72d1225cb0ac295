//! The samples of a convex region of space, with where its planes have cut them.

use glam::Vec3;

use super::samples::Samples;
use super::support::Support;

pub(super) use super::samples::NOTHING as NONE;

/// Samples and the links between them. Where a link was cut there is one more sample, in the plane of the cut, that has
/// no volume.
#[derive(Default)]
pub(super) struct Cell {
    pub(super) points: Vec<Vec3>,
    /// The neighbours of each sample, [`NONE`] where it has none.
    pub(super) links: Vec<[u32; 6]>,
    /// Whether a sample is not amid neighbours.
    pub(super) is_border: Vec<bool>,
    shares: Vec<f32>,
    /// The volume that is solid.
    solid: f32,
    /// The volume of the hulls of what is connected.
    hull: f32,
}

impl Cell {
    /// All of a solid.
    pub(super) fn of(samples: &Samples) -> Cell {
        let neighbour = |voxel: u32, step: i64| samples.of_voxel[(i64::from(voxel) + step) as usize];
        let steps = samples.steps.map(i64::from);
        let links = samples.voxels.iter().map(|&voxel| {
            let [x, y, z] = steps;
            [-x, x, -y, y, -z, z].map(|step| neighbour(voxel, step))
        });
        let mut all = Cell {
            points: samples.points.clone(),
            links: links.collect(),
            shares: samples.shares.clone(),
            ..Cell::default()
        };
        all.finish();
        all
    }

    /// The number of samples.
    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    /// How much more the hulls hold than is solid.
    pub(super) fn excess(&self) -> f32 {
        self.hull - self.solid
    }

    fn push(&mut self, point: Vec3, links: [u32; 6], share: f32) {
        self.points.push(point);
        self.links.push(links);
        self.shares.push(share);
    }

    /// What is on either side of a plane.
    pub(super) fn cut(&self, direction: Vec3, offset: f32) -> [Cell; 2] {
        let places: Vec<f32> = self.points.iter().map(|&point| direction.dot(point) - offset).collect();
        [false, true].map(|is_high| {
            let is_here = |sample: usize| (places[sample] >= 0.0) == is_high;
            let mut numbers = vec![NONE; self.points.len()];
            let mut half = Cell::default();
            for sample in (0..self.points.len()).filter(|&sample| is_here(sample)) {
                numbers[sample] = half.points.len() as u32;
                half.push(self.points[sample], self.links[sample], self.shares[sample]);
            }
            for sample in (0..self.points.len()).filter(|&sample| is_here(sample)) {
                let number = numbers[sample];
                for (side, &other) in self.links[sample].iter().enumerate().filter(|&(_, &other)| other != NONE) {
                    let mut link = numbers[other as usize];
                    if link == NONE {
                        let share = places[sample] / (places[sample] - places[other as usize]);
                        let point = self.points[sample].lerp(self.points[other as usize], share.clamp(0.0, 1.0));
                        link = half.points.len() as u32;
                        half.push(point, [number, NONE, NONE, NONE, NONE, NONE], 0.0);
                    }
                    half.links[number as usize][side] = link;
                }
            }
            half.finish();
            half
        })
    }

    fn finish(&mut self) {
        self.is_border = self.links.iter().map(|links| links.contains(&NONE)).collect();
        self.hull = self.hulls();
        self.solid = self.shares.iter().sum();
    }

    fn hulls(&self) -> f32 {
        let mut is_known = vec![false; self.points.len()];
        let mut volume = 0.0;
        let mut members = Vec::new();
        for first in 0..self.points.len() as u32 {
            if is_known[first as usize] {
                continue;
            }
            members.clear();
            members.push(first);
            is_known[first as usize] = true;
            let mut next = 0;
            let mut support = Support::NONE;
            while let Some(&sample) = members.get(next) {
                next += 1;
                if self.is_border[sample as usize] {
                    support.include(self.points[sample as usize]);
                }
                for &other in self.links[sample as usize].iter().filter(|&&other| other != NONE) {
                    if !is_known[other as usize] {
                        is_known[other as usize] = true;
                        members.push(other);
                    }
                }
            }
            volume += if members.len() > 1 { support.volume() } else { 0.0 };
        }
        volume
    }
}
