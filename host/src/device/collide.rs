//! Intersections of many pairs of octrees at once (\[Domaradzki16\] 5.1) on a device.
//!
//! Up go octrees that are not there yet and how the pairs stand to each other; down come volumes and gradients, and the few
//! voxels of those corners that columns do not see.

use tracing::debug_span;

use super::DeviceError;
use super::columns::Measured;
use super::machine::Machine;
use super::meet::{Touched, counts};
use super::memory::Device;
use crate::svo::{Comparison, Counts, Encounter, Found, Intersection};

/// The most boundary voxels of pairs that are compared at once: what they make of points is counted in 32 bits.
const MOST_VOXELS: usize = 1 << 26;

/// What came of a comparison.
enum Outcome {
    Found(Intersection),
    /// That it sees more the other way around.
    Turn,
}

impl<M: Machine> Device<M> {
    pub(super) fn intersections(&self, pairs: &[Encounter<'_>]) -> Result<Vec<Intersection>, DeviceError> {
        let mut found: Vec<Intersection> = pairs.iter().map(|_| Intersection::default()).collect();
        let (places, comparisons): (Vec<usize>, Vec<Comparison<'_>>) =
            (0..).zip(pairs).filter_map(|(place, pair)| Some((place, pair.comparison()?))).unzip();
        let (mut turned_places, mut turned) = (Vec::new(), Vec::new());
        for (number, outcome) in self.compare_in_parts(&comparisons, true)?.into_iter().enumerate() {
            match outcome {
                Outcome::Found(intersection) => found[places[number]] = intersection,
                Outcome::Turn => {
                    if let Some(comparison) = comparisons[number].turned() {
                        turned_places.push(places[number]);
                        turned.push(comparison);
                    }
                }
            }
        }
        for (place, outcome) in turned_places.into_iter().zip(self.compare_in_parts(&turned, false)?) {
            if let Outcome::Found(intersection) = outcome {
                found[place] = intersection;
            }
        }
        Ok(found)
    }

    /// As many at once as there may be.
    fn compare_in_parts(&self, comparisons: &[Comparison<'_>], may_turn: bool) -> Result<Vec<Outcome>, DeviceError> {
        let (mut outcomes, mut rest) = (Vec::with_capacity(comparisons.len()), comparisons);
        while !rest.is_empty() {
            let mut voxels = 0usize;
            let fits = |comparison: &&Comparison<'_>| {
                voxels = voxels.saturating_add(comparison.voxels());
                voxels <= MOST_VOXELS
            };
            let count = rest.iter().take_while(fits).count().max(1);
            let (now, later) = rest.split_at(count);
            outcomes.extend(self.compare(now, may_turn)?);
            rest = later;
        }
        Ok(outcomes)
    }

    fn compare(&self, comparisons: &[Comparison<'_>], may_turn: bool) -> Result<Vec<Outcome>, DeviceError> {
        let wanted = comparisons.iter().flat_map(|comparison| {
            let trees = comparison.trees();
            [0, 1].into_iter().flat_map(move |side| {
                let [own, other] = comparison.grid_levels(side);
                [(trees[side], own), (trees[1 - side], other)]
            })
        });
        let residents = &mut *self.residents.borrow_mut();
        debug_span!("octrees").in_scope(|| residents.ask(self, wanted))?;
        let touched = debug_span!("touch").in_scope(|| self.touched(comparisons, residents))?;
        let cells = debug_span!("discretise").in_scope(|| self.cells(comparisons, &touched, residents))?;
        let counts_of =
            |number: usize| Counts { points: counts(&cells.firsts, number), voxels: touched.counts(number) };
        let densities: Vec<_> = comparisons
            .iter()
            .enumerate()
            .map(|(number, comparison)| comparison.densities(&counts_of(number)))
            .collect();
        let frames: Vec<_> = comparisons.iter().map(Comparison::frame).collect();
        let measured = debug_span!("columns").in_scope(|| self.measured(&cells.list, &densities, &frames))?;
        let outcome = |(number, (comparison, measured)): (usize, (&Comparison<'_>, Measured))| {
            let voxels = touched.counts(number).map(|count| count as usize);
            if voxels == [0; 2] {
                return Ok(Outcome::Found(comparison.apart(touched.near[number] == 0)));
            }
            if may_turn && comparison.asks_to_turn(voxels) {
                return Ok(Outcome::Turn);
            }
            let points = counts_of(number).points;
            found(comparison, &touched, number, points, measured).map(Outcome::Found)
        };
        comparisons.iter().zip(measured).enumerate().map(outcome).collect()
    }
}

/// The intersection of a comparison that touches something.
fn found<M: Machine>(
    comparison: &Comparison<'_>,
    touched: &Touched<'_, M>,
    number: usize,
    points: [u32; 2],
    measured: Measured,
) -> Result<Intersection, DeviceError> {
    let Measured { normals, volume, gradients, unclosed } = measured;
    let found = Found { points, normals, volume, gradients, unclosed };
    comparison.intersection(found, |side| {
        let [first, end] = [0, 1].map(|next| touched.firsts[2 * number + side + next] as usize);
        touched.touches.download_part(first..end)
    })
}
