//! What comes of the pairs of a step: those that hardly moved follow their gradient, the others have their voxels compared.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::body::VoxelBody;
use super::cache::{Followed, Found};
use super::due::{Claim, due, expected_points};
use super::meet::{Meeting, Met, cell_of};
use super::pairs::plane_of;
use super::press::Press;
use super::world::VoxelWorld;
use crate::device::DeviceError;
use crate::svo::{CollideOptions, Encounter, Intersection};

/// What came of a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Narrow {
    pub(super) press: Option<Press>,
    pub(super) found: Option<Found>,
    /// The volume of pieces at their birth, where they are looked at for the first time.
    pub(super) birth: Option<f64>,
    pub(super) points: u32,
    pub(super) unclosed: u32,
}

/// The numbers that a pair is known by: those of its bodies, which they keep, and a plane's own.
pub(super) fn numbers_of(bodies: &[VoxelBody], pair: [u32; 2]) -> [u32; 2] {
    pair.map(|body| bodies.get(body as usize).map_or(body, |body| body.number))
}

impl VoxelWorld {
    /// What comes of all pairs, and why a backend could not compare them if it could not; the CPU has then.
    pub(super) fn narrow_all(&self, pairs: &[[u32; 2]]) -> (Vec<Narrow>, Option<DeviceError>) {
        let followed: Vec<Option<Followed>> = pairs.iter().map(|&pair| self.follow(pair)).collect();
        let claims: Vec<Claim> =
            pairs.iter().zip(&followed).map(|(&pair, followed)| self.claim(pair, followed)).collect();
        let is_due = due(&claims, self.options.budget);
        let known = |place: usize| self.known(pairs[place], followed[place].filter(|_| !is_due[place]));
        let mut known: Vec<Option<Narrow>> = (0..pairs.len()).map(known).collect();
        let (mut compared, failure) = match self.compared(pairs, &known) {
            Ok(compared) => (compared, None),
            Err(error) => (vec![None; pairs.len()], Some(error)),
        };
        // Those first that took longest before: a thread must not begin with one when others end.
        let mut order: Vec<(usize, Option<Intersection>)> = Vec::new();
        order.extend(
            (0..pairs.len()).filter(|&place| known[place].is_none()).map(|place| (place, compared[place].take())),
        );
        order.sort_by_key(|&(place, _)| Reverse(claims[place].points));
        let narrow = |(place, compared)| (place, self.narrow(pairs[place], compared));
        let found: Vec<(usize, Narrow)> = order.into_par_iter().with_max_len(1).map(narrow).collect();
        found.into_iter().for_each(|(place, narrow)| known[place] = Some(narrow));
        (known.into_iter().map(Option::unwrap_or_default).collect(), failure)
    }

    /// What a pair has become without comparing its voxels, if it was found before.
    fn follow(&self, pair: [u32; 2]) -> Option<Followed> {
        let found = self.found.get(&numbers_of(&self.bodies, pair))?;
        let meeting = self.meeting_of(pair)?;
        found.follow(meeting.first, meeting.second, meeting.options.level, self.options.reuse * meeting.cell)
    }

    /// What a pair would have of the step.
    fn claim(&self, pair: [u32; 2], followed: &Option<Followed>) -> Claim {
        let numbers = numbers_of(&self.bodies, pair);
        if self.rests.are_newborn(numbers) {
            return Claim { strain: 0.0, points: 0 };
        }
        let strain = followed.map_or(f64::INFINITY, |followed| followed.strain);
        let known = self.found.get(&numbers).filter(|found| !found.is_birth);
        let points = match (known, pair.map(|body| self.bodies.get(body as usize))) {
            (Some(found), _) => found.points,
            (None, [Some(first), Some(second)]) => {
                expected_points(first, second, self.meeting(pair, first, Some(second)).cell)
            }
            _ => 0,
        };
        Claim { strain, points }
    }

    /// What is known of a pair that is not to be compared: it was just born, or has become something.
    fn known(&self, pair: [u32; 2], followed: Option<Followed>) -> Option<Narrow> {
        let [first, second] = pair.map(|body| self.bodies.get(body as usize));
        let Some(first) = first else { return Some(Narrow::default()) };
        let numbers = numbers_of(&self.bodies, pair);
        if let Some(second) = second.filter(|_| self.rests.are_newborn(numbers)) {
            let level = self.meeting(pair, first, Some(second)).options.level;
            return Some(Narrow { found: Some(Found::birth(first, second, level)), ..Narrow::default() });
        }
        let Followed { press, .. } = followed?;
        Some(Narrow { press, found: self.found.get(&numbers).copied(), ..Narrow::default() })
    }

    /// The intersections of those pairs that nothing is known of, if a backend compares them.
    fn compared(&self, pairs: &[[u32; 2]], known: &[Option<Narrow>]) -> Result<Vec<Option<Intersection>>, DeviceError> {
        let Some(backend) = &self.backend else { return Ok(vec![None; pairs.len()]) };
        let encounter = |(&pair, known): (&[u32; 2], &Option<Narrow>)| match known {
            Some(_) => None,
            None => self.meeting_of(pair)?.encounter(),
        };
        let encounters: Vec<Option<Encounter<'_>>> = pairs.iter().zip(known).map(encounter).collect();
        let asked: Vec<Encounter<'_>> = encounters.iter().copied().flatten().collect();
        let mut answers = backend.intersect(&asked)?.into_iter();
        Ok(encounters.iter().map(|encounter| encounter.and_then(|_| answers.next())).collect())
    }

    /// What comes of a pair when its voxels are compared, or were.
    fn narrow(&self, pair: [u32; 2], compared: Option<Intersection>) -> Narrow {
        let Some(meeting) = self.meeting_of(pair) else { return Narrow::default() };
        let (first, second, level) = (meeting.first, meeting.second, meeting.options.level);
        let plane = plane_of(pair[1], self.planes.len()).map(|plane| &self.planes[plane]);
        let Met { press, is_ball, intersection } = meeting.meet(plane, compared);
        let Intersection { points, unclosed, .. } = intersection;
        let birth = self.found.get(&numbers_of(&self.bodies, pair)).filter(|before| before.is_birth);
        if is_ball {
            let birth = birth.map(|_| press.map_or(0.0, |ball| ball.volume));
            return Narrow { press, found: None, birth, points, unclosed };
        }
        let found = Found::new(first, second, level, press).with(&intersection);
        let birth = birth.map(|birth| found.volume_at(birth, first));
        Narrow { press, found: Some(found), birth, points, unclosed }
    }

    /// How a pair of places in the list is looked at.
    fn meeting_of(&self, pair: [u32; 2]) -> Option<Meeting<'_>> {
        let [first, second] = pair.map(|body| self.bodies.get(body as usize));
        Some(self.meeting(pair, first?, second))
    }

    /// Whether two bodies press each other.
    pub(super) fn overlap(&self, first: &VoxelBody, second: &VoxelBody) -> bool {
        self.meeting([0, 1], first, Some(second)).meet(None, None).press.is_some()
    }

    /// How a pair is looked at.
    fn meeting<'a>(&self, bodies: [u32; 2], first: &'a VoxelBody, second: Option<&'a VoxelBody>) -> Meeting<'a> {
        let place = second.map_or(first.center, |second| 0.5 * (first.center + second.center));
        let options = CollideOptions { level: self.options.level.at(place), placement: self.options.placement };
        let cell = cell_of(first, second, options.level);
        Meeting { bodies, first, second, cell, options, pressure: self.options.response.pressure }
    }
}
