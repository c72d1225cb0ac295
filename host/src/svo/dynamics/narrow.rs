//! What comes of the pairs of a step: those that hardly moved follow their gradient, the others have their voxels compared.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::body::VoxelBody;
use super::cache::Found;
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
        let mut known: Vec<Option<Narrow>> = pairs.par_iter().map(|&pair| self.known(pair)).collect();
        let (compared, failure) = match self.compared(pairs, &known) {
            Ok(compared) => (compared, None),
            Err(error) => (vec![None; pairs.len()], Some(error)),
        };
        // Those first that took longest before: a thread must not begin with one when others end.
        let points = |pair: [u32; 2]| self.found.get(&numbers_of(&self.bodies, pair)).map_or(0, |found| found.points);
        let unknown = compared.into_iter().enumerate().filter(|&(place, _)| known[place].is_none());
        let mut order: Vec<(u32, usize, Option<Intersection>)> =
            unknown.map(|(place, compared)| (points(pairs[place]), place, compared)).collect();
        order.sort_unstable_by_key(|&(points, place, _)| (Reverse(points), place));
        let narrow = |(_, place, compared)| (place, self.narrow(pairs[place], compared));
        let found: Vec<(usize, Narrow)> = order.into_par_iter().with_max_len(1).map(narrow).collect();
        found.into_iter().for_each(|(place, narrow)| known[place] = Some(narrow));
        (known.into_iter().map(Option::unwrap_or_default).collect(), failure)
    }

    /// What is known of a pair without comparing its voxels: it was just born, or has hardly moved.
    fn known(&self, pair: [u32; 2]) -> Option<Narrow> {
        let Some(meeting) = self.meeting_of(pair) else { return Some(Narrow::default()) };
        let (first, second, level) = (meeting.first, meeting.second, meeting.options.level);
        let numbers = numbers_of(&self.bodies, pair);
        if let Some(second) = second.filter(|_| self.rests.are_newborn(numbers)) {
            return Some(Narrow { found: Some(Found::birth(first, second, level)), ..Narrow::default() });
        }
        let found = self.found.get(&numbers)?;
        let press = found.follow(first, second, level, self.options.reuse * meeting.cell)?;
        // Bodies may have other places in the list than when it was found.
        let press = press.map(|press| Press { bodies: pair, ..press });
        Some(Narrow { press, found: Some(*found), ..Narrow::default() })
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
        let mut answers = if asked.is_empty() { Vec::new() } else { backend.intersect(&asked)? }.into_iter();
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
