//! What pieces share from birth.
//!
//! The voxels that a cut goes through are in the pieces on both sides, and where three pieces meet, or a cut comes to the
//! surface, the middle of the boundary is not quite the same for both. The volume that two pieces share at first is what
//! they are at rest with. It shrinks as soon as they share less, and never grows. It is known when a pair is first looked
//! at, which is when the two have moved against each other: most pieces fly apart and never are.

use std::collections::BTreeMap;
use std::ops::Range;

use super::body::VoxelBody;
use super::press::Press;

/// The volumes at rest of pairs of bodies, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Rests {
    volumes: BTreeMap<[u32; 2], f64>,
    /// Bodies that were born since the last step.
    newborn: Vec<Range<u32>>,
}

impl Rests {
    pub(super) fn expect(&mut self, numbers: Range<u32>) {
        self.newborn.push(numbers);
    }

    /// Whether two bodies were born of one since the last step.
    pub(super) fn are_newborn(&self, pair: [u32; 2]) -> bool {
        self.newborn.iter().any(|numbers| pair.iter().all(|number| numbers.contains(number)))
    }

    /// Takes the volumes at rest away from those of pairs, and forgets pairs that are apart. Pairs of which both are asleep
    /// are not among those that press, and stay as they are. `births` are the volumes of pairs that were first looked at.
    pub(super) fn subtract(
        &mut self,
        presses: &mut Vec<Press>,
        births: impl Iterator<Item = ([u32; 2], f64)>,
        bodies: &[VoxelBody],
    ) {
        self.newborn.clear();
        self.volumes.extend(births);
        if self.volumes.is_empty() {
            return;
        }
        let is_awake = |number: u32| {
            let place = bodies.binary_search_by_key(&number, |body| body.number);
            place.is_ok_and(|place| bodies[place].is_moving())
        };
        let mut before = std::mem::take(&mut self.volumes);
        for press in presses.iter_mut() {
            let [Some(first), Some(second)] = press.bodies.map(|body| bodies.get(body as usize)) else { continue };
            let pair = [first.number, second.number];
            if let Some(rest) = before.remove(&pair) {
                let rest = rest.min(press.volume);
                self.volumes.insert(pair, rest);
                press.volume -= rest;
            }
        }
        before.retain(|pair, _| pair.iter().all(|&number| !is_awake(number)));
        self.volumes.append(&mut before);
        presses.retain(|press| press.volume > 0.0);
    }
}
