//! Two bodies, or a body and a plane, that may press each other: the narrow phase of a pair.

use super::body::VoxelBody;
use super::crumb::{ball_below, ball_in, is_crumb, is_speck, is_sunk};
use super::options::Pressure;
use super::press::{Place, Press, Rules};
use super::tip::tip_press;
use crate::geometry::Plane;
use crate::svo::collide::{boundary_below, with_scratch};
use crate::svo::{CollideOptions, Encounter, Intersection};

/// How much a voxel below a plane counts that does not face it.
const LEAST_FACING: f64 = 0.05;

/// The edge of the voxels that a pair is compared by: the larger ones of the two.
pub(super) fn cell_of(first: &VoxelBody, second: Option<&VoxelBody>, level: u32) -> f64 {
    first.placed().cell(level).max(second.map_or(0.0, |second| second.placed().cell(level)))
}

/// A pair and how it is looked at.
pub(super) struct Meeting<'a> {
    /// What [`Press::bodies`] will be.
    pub(super) bodies: [u32; 2],
    pub(super) first: &'a VoxelBody,
    /// None for a plane.
    pub(super) second: Option<&'a VoxelBody>,
    /// As [`cell_of`] has it.
    pub(super) cell: f64,
    pub(super) options: CollideOptions,
    pub(super) pressure: Pressure,
}

/// What came of it.
#[derive(Default)]
pub(super) struct Met {
    pub(super) press: Option<Press>,
    /// Whether one of them was taken for a ball.
    pub(super) is_ball: bool,
    /// Empty if nothing but a ball was looked at.
    pub(super) intersection: Intersection,
}

impl<'a> Meeting<'a> {
    /// The octrees whose intersection [`Meeting::meet`] needs, if it does.
    pub(super) fn encounter(&self) -> Option<Encounter<'a>> {
        let (first, second) = (self.first, self.second?);
        let smaller = if first.volume <= second.volume { first } else { second };
        let encounter = Encounter { first: first.placed(), second: second.placed(), options: self.options };
        (!is_speck(smaller, self.cell)).then_some(encounter)
    }

    /// What presses the pair; the plane is the second if there is no second body. The intersection may be known already.
    pub(super) fn meet(&self, plane: Option<&Plane>, known: Option<Intersection>) -> Met {
        match (self.second, plane) {
            (Some(second), _) => self.meet_body(second, known),
            (None, Some(plane)) => self.meet_plane(plane),
            (None, None) => Met::default(),
        }
    }

    fn meet_body(&self, second: &VoxelBody, known: Option<Intersection>) -> Met {
        let (first, cell, level) = (self.first, self.cell, self.options.level);
        let ball = |is_first: bool| {
            if is_first {
                ball_in(first, second, self.bodies, level, cell)
            } else {
                let [one, other] = self.bodies;
                ball_in(second, first, [other, one], level, cell).map(Press::swapped)
            }
        };
        let is_first = first.volume <= second.volume;
        let smaller = if is_first { first } else { second };
        let Some(encounter) = self.encounter() else {
            return Met { press: ball(is_first), is_ball: true, ..Met::default() };
        };
        let intersection = known.unwrap_or_else(|| encounter.intersection());
        let rules = self.rules();
        let press = rules.press_of(&intersection).or_else(|| tip_press(&rules, &intersection, [first, second], level));
        if press.is_none()
            && is_crumb(smaller, cell)
            && let Some(ball) = ball(is_first)
        {
            return Met { press: Some(ball), is_ball: true, intersection };
        }
        Met { press, is_ball: false, intersection }
    }

    fn meet_plane(&self, plane: &Plane) -> Met {
        let ball = || ball_below(self.first, plane, self.bodies, self.cell);
        if is_speck(self.first, self.cell) || is_sunk(self.first, plane) {
            return Met { press: ball(), is_ball: true, ..Met::default() };
        }
        let mut places = Vec::new();
        let points = with_scratch(|scratch| {
            boundary_below(&self.first.placed(), plane, self.options.level, scratch, |below| {
                // A corner's voxels face all ways.
                let area = self.cell * self.cell * below.facing.max(LEAST_FACING);
                places.push(Place { point: below.middle, area, depth: below.depth });
            })
        });
        let area: f64 = places.iter().map(|place| place.area).sum();
        let press = self.rules().press(-area * plane.normal, area, &places);
        Met { press, is_ball: false, intersection: Intersection { points, ..Intersection::default() } }
    }

    fn rules(&self) -> Rules {
        Rules { bodies: self.bodies, cell: self.cell, pressure: self.pressure }
    }
}
