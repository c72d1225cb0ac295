//! Seeds of a fracture on a lattice (\[Domaradzki16\] 4.2 and 4.7).

use fracas_kernels::cells::{FARTHEST, SUBVOXEL, Seed};
use glam::DVec3;

use super::{Lattice, SvoError};

/// The seeds of a fracture: space is divided by which is nearest, and seeds with the same number make one piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Seeds {
    pub(crate) seeds: Vec<Seed>,
    pub(crate) cells: u32,
}

impl Seeds {
    /// Seeds that make a piece each.
    ///
    /// # Errors
    /// If there are none, or one is not finite.
    pub fn new(lattice: &Lattice, points: &[DVec3]) -> Result<Seeds, SvoError> {
        Seeds::with_cells(lattice, points.iter().copied().zip(0..))
    }

    /// Seeds for a blow that reaches no farther than a radius: those farther from the impact make one piece, the rest.
    ///
    /// # Errors
    /// As [`Seeds::new`].
    pub fn local(lattice: &Lattice, points: &[DVec3], impact: DVec3, radius: f64) -> Result<Seeds, SvoError> {
        let mut next = 0;
        Seeds::with_cells(
            lattice,
            points.iter().map(|&point| {
                let is_near = point.distance_squared(impact) <= radius * radius;
                next += u32::from(is_near);
                (point, if is_near { next } else { 0 })
            }),
        )
    }

    /// Seeds with the numbers of the pieces that they belong to.
    ///
    /// # Errors
    /// As [`Seeds::new`].
    pub fn with_cells(lattice: &Lattice, seeds: impl IntoIterator<Item = (DVec3, u32)>) -> Result<Seeds, SvoError> {
        let mut numbers: Vec<u32> = Vec::new();
        let mut placed = Vec::new();
        for (number, (point, cell)) in seeds.into_iter().enumerate() {
            if !point.is_finite() {
                return Err(SvoError::SeedNotFinite { seed: number });
            }
            let farthest = f64::from(FARTHEST);
            let steps = (f64::from(SUBVOXEL) * lattice.inward(point)).round();
            let position = steps.clamp(DVec3::splat(-farthest), DVec3::splat(farthest)).as_ivec3().to_array();
            placed.push(Seed { position, cell });
            numbers.push(cell);
        }
        if placed.is_empty() {
            return Err(SvoError::NoSeeds);
        }
        // Numbers without gaps, in their own order.
        numbers.sort_unstable();
        numbers.dedup();
        for seed in &mut placed {
            seed.cell = numbers.partition_point(|&number| number < seed.cell) as u32;
        }
        Ok(Seeds { seeds: placed, cells: numbers.len() as u32 })
    }

    /// How many seeds there are.
    pub fn len(&self) -> usize {
        self.seeds.len()
    }

    /// Whether there are none; never so.
    pub fn is_empty(&self) -> bool {
        self.seeds.is_empty()
    }
}
