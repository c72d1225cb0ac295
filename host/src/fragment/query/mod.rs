//! Contacts of a sphere tree with a distance field, as few as suffice (\[Glondu12\] 3, Algorithm 1, and 5.3).

mod candidates;
mod descent;

use descent::Entry;
use glam::{DMat3, DVec3};

use super::distance_field::{DistanceField, Surface};
use super::fragment::Fragment;
use super::parting::{HalfSpace, Parting};
use crate::contact::Contact;
use crate::geometry::Pose;

/// How contacts are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryOptions {
    /// Up to so many contacts are taken as they come; after that only deep ones.
    pub most: usize,
    /// Contacts are taken before they touch, from this distance on, in metres.
    pub detection: f64,
    /// After the first contacts, those deeper than this are still taken, in metres.
    pub tolerance: f64,
}

impl QueryOptions {
    /// The paper's: eight contacts, and tolerances of 0.2 % of an object's radius.
    pub fn for_radius(radius: f64) -> QueryOptions {
        QueryOptions { most: 8, detection: 0.002 * radius, tolerance: 0.002 * radius }
    }

    /// All contacts that there are, for comparison.
    pub fn full(self) -> QueryOptions {
        QueryOptions { most: usize::MAX, ..self }
    }
}

/// A point of a fragment in, or near to, something else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointContact {
    /// The number of the point among those of the fragment.
    pub point: u32,
    /// Where it is, in the coordinates of what it is in.
    pub position: DVec3,
    /// How far the surface is, negative inside, and which way is out.
    pub surface: Surface,
}

/// What is kept of a pair from query to query, so that no query takes long.
///
/// After the first contacts a query goes on for deep ones (5.3), which on parallel surfaces means to look at all of their points:
/// just after a fracture, at every crack. So each query looks at a part of what is left, and the next at another: in a
/// configuration that is stable all of it is looked at within twice [`MOST_PARTS`] queries. What was found to be deep is looked at
/// every time. A memory belongs to one fragment and one field.
#[derive(Clone, Debug, Default)]
pub struct QueryMemory {
    /// Into how many parts the rest is divided; zero before the first query.
    parts: u32,
    /// Which is next.
    turn: u32,
    /// How many points a query of this round looked at for it, at most.
    most_visits: usize,
    /// Points that were deep.
    deep: Vec<u32>,
    /// Points that somebody wants to be looked at again.
    kept: Vec<u32>,
    /// How many points a query may look at before the rest is divided.
    budget: usize,
    /// What all of the field is in.
    half_space: HalfSpace,
    /// How high over that the lowest point of the fragment is, if there is such a half-space.
    lowest: Option<f64>,
}

/// What is kept of two fragments, and of no others.
#[derive(Clone, Debug, Default)]
pub struct PairMemory {
    /// Of the points of the first, and of those of the second.
    pub sides: [QueryMemory; 2],
    parting: Parting,
}

impl PairMemory {
    /// Looks at everything each time.
    pub fn all() -> PairMemory {
        PairMemory { sides: [QueryMemory::all(), QueryMemory::all()], parting: Parting::default() }
    }
}

/// The rest of a query is divided into no more parts than this.
pub const MOST_PARTS: u32 = 64;

/// How many points a query may look at after its first contacts; with more, it is divided into more parts.
const ENOUGH_VISITS: usize = 64;

/// How many points a query looks at, at most, before the rest is divided although there are not enough contacts: surfaces that are
/// just about to touch would be looked at all over. The first query of a pair has to do with few, because at a fracture there are
/// many such pairs at once; each later one with twice as many, up to the second number, and so do those that have found nothing yet.
const MOST_VISITS: [usize; 2] = [48, 512];

/// Fields may tell depths that are too large by this part; half-spaces are exact.
const FIELD_ERROR: f64 = 0.5;

/// The rest of the first query of a pair is divided into parts of about so many points: at a fracture there are many such pairs at
/// once.
const FIRST_PART: u32 = 2;

/// No more deep points than this are kept.
const MOST_DEEP: usize = 64;

impl QueryMemory {
    /// Looks at everything each time.
    fn all() -> QueryMemory {
        QueryMemory { parts: 1, ..QueryMemory::default() }
    }

    /// Has the next query look at these points, whatever else it finds: what holds two bodies apart now must not be forgotten for
    /// others that are found first.
    pub fn keep(&mut self, points: impl Iterator<Item = u32>) {
        self.kept.clear();
        self.kept.extend(points);
    }

    /// Whether a point's children are looked at in this query.
    fn has_turn(&self, point: u32) -> bool {
        // Neighbours in the tree go to different parts.
        (point.wrapping_mul(0x9E37_79B1) >> 16) & (self.parts - 1) == self.turn
    }

    /// Goes on to the next part; after all of them, divides the rest so that a query takes about as long as it may.
    fn adapt(&mut self, visits: usize) {
        self.budget = (2 * self.budget).min(MOST_VISITS[1]);
        self.most_visits = self.most_visits.max(visits);
        self.turn += 1;
        if self.turn < self.parts {
            return;
        }
        if self.most_visits > ENOUGH_VISITS {
            self.parts = (2 * self.parts).min(MOST_PARTS);
        } else if 4 * self.most_visits < ENOUGH_VISITS {
            self.parts = (self.parts / 2).max(1);
        }
        (self.turn, self.most_visits) = (0, 0);
    }
}

/// Memory that queries use again.
#[derive(Clone, Debug, Default)]
pub struct QueryScratch {
    /// Points whose children of a level are to be looked at, by level.
    levels: Vec<Vec<Entry>>,
    /// How many points were looked at; of those near to a half-space that turn out to be too many for that, none.
    pub visited: usize,
}

/// A query under way.
struct Query<'a, Field> {
    fragment: &'a Fragment,
    field: &'a Field,
    /// From where the tree has its origin to the coordinates of the field.
    rotation: DMat3,
    translation: DVec3,
    /// What all of the field is in.
    half_space: HalfSpace,
    options: QueryOptions,
    contacts: &'a mut Vec<PointContact>,
    scratch: &'a mut QueryScratch,
    memory: &'a mut QueryMemory,
    /// How many contacts were there before.
    first: usize,
    /// Whether nothing that is left can count.
    is_done: bool,
}

impl Fragment {
    /// The points of the fragment that are in something else, or near to it, in the order of their sphere tree: breadth first,
    /// so that the first contacts are far from each other. `pose` takes the fragment's coordinates to the field's.
    pub fn query<Field: DistanceField>(
        &self,
        field: &Field,
        pose: &Pose,
        options: QueryOptions,
        scratch: &mut QueryScratch,
        contacts: &mut Vec<PointContact>,
    ) {
        self.query_again(field, pose, options, &mut QueryMemory::all(), scratch, contacts);
    }

    /// As [`Fragment::query`], for a pair that is asked about again and again.
    pub fn query_again<Field: DistanceField>(
        &self,
        field: &Field,
        pose: &Pose,
        options: QueryOptions,
        memory: &mut QueryMemory,
        scratch: &mut QueryScratch,
        contacts: &mut Vec<PointContact>,
    ) {
        let first = contacts.len();
        scratch.visited = 0;
        if memory.parts == 0 {
            memory.parts = (self.point_count() as u32 / FIRST_PART).next_power_of_two().clamp(1, MOST_PARTS);
            memory.budget = MOST_VISITS[0];
        }
        if let Some(normal) = field.plane() {
            memory.half_space = HalfSpace::under_plane(normal);
            memory.lowest = memory.half_space.lowest_of(self, pose);
        }
        let keeps = memory.parts > 1 || !memory.deep.is_empty();
        let rotation = DMat3::from_quat(pose.rotation);
        let translation = pose.transform_point(self.tree.origin);
        let half_space = memory.half_space;
        let mut query = Query {
            fragment: self,
            field,
            rotation,
            translation,
            half_space,
            options,
            contacts,
            scratch,
            memory,
            first,
            is_done: false,
        };
        let visits_before = match query.look_at_candidates(pose) {
            Some(visits) => Some(visits),
            None => query.search_tree(),
        };
        if keeps {
            query.look_at_deep_points();
        }
        query.look_at_kept_points();
        let visits = visits_before.map_or(0, |before| query.scratch.visited - before);
        memory.adapt(visits);
    }
}

impl Fragment {
    /// As [`Fragment::query_again`] for the points of this fragment in another and those of the other in this, for which a plane
    /// between the two is looked for. `pose` takes the other's coordinates to this one's.
    pub fn query_pair(
        &self,
        other: &Fragment,
        pose: &Pose,
        options: [QueryOptions; 2],
        memory: &mut PairMemory,
        scratch: &mut QueryScratch,
        contacts: &mut [Vec<PointContact>; 2],
    ) {
        let PairMemory { parting, sides: [own, others] } = memory;
        parting.with(
            |parting| parting.search([self, other], pose),
            |[first, second]| {
                let inverse = pose.inverse();
                (own.half_space, others.half_space) = (second, first);
                // What is all over the half-space of the other has nothing in it, nor near to it.
                let reach = options[0].detection.max(options[1].detection);
                let is_apart = |lowest: Option<f64>| lowest.is_some_and(|lowest| lowest > reach);
                own.lowest = second.lowest_of(self, &inverse);
                if is_apart(own.lowest) {
                    return 0;
                }
                others.lowest = first.lowest_of(other, pose);
                if is_apart(others.lowest) {
                    return 0;
                }
                self.query_again(other, &inverse, options[0], own, scratch, &mut contacts[0]);
                let visited = scratch.visited;
                other.query_again(self, pose, options[1], others, scratch, &mut contacts[1]);
                visited + scratch.visited
            },
        );
    }

    /// The contacts of two fragments, those of this one's points in the other first. `pose` takes this one's coordinates to the
    /// other's, in which the contacts are.
    ///
    /// ```
    /// use fracas::fragment::{Fragment, QueryOptions, QueryScratch, Solid, SolidOptions, cuboid_tets};
    /// use fracas::geometry::Pose;
    /// use glam::DVec3;
    ///
    /// let solid = Solid::new(&cuboid_tets(DVec3::splat(0.5), [4; 3])?, &SolidOptions::default())?;
    /// let (one, other) = (Fragment::whole(&solid), Fragment::whole(&solid));
    /// let options = QueryOptions::for_radius(solid.radius());
    /// let mut contacts = Vec::new();
    /// one.contacts(&other, &Pose::at(DVec3::Y * 0.9), options, &mut QueryScratch::default(), &mut contacts);
    /// assert!(contacts.iter().all(|contact| contact.depth < 0.11));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contacts(
        &self,
        other: &Fragment,
        pose: &Pose,
        options: QueryOptions,
        scratch: &mut QueryScratch,
        contacts: &mut Vec<Contact>,
    ) {
        let mut found = Vec::new();
        self.query(other, pose, options, scratch, &mut found);
        contacts.extend(found.iter().map(|contact| Contact {
            point: contact.position,
            normal: contact.surface.normal,
            depth: -contact.surface.distance,
            features: [contact.point, u32::MAX],
        }));
        found.clear();
        other.query(self, &pose.inverse(), options, scratch, &mut found);
        contacts.extend(found.iter().map(|contact| Contact {
            point: pose.transform_point(contact.position),
            normal: -pose.transform_vector(contact.surface.normal),
            depth: -contact.surface.distance,
            features: [u32::MAX, contact.point],
        }));
    }
}

impl<Field: DistanceField> Query<'_, Field> {
    /// Whether from now on only deep contacts count.
    fn is_enough(&self) -> bool {
        self.contacts.len() - self.first >= self.options.most
    }

    /// Whether from now on a part of what is left is looked at.
    fn is_divided(&self) -> bool {
        // What is not known to touch is looked for longer: a first contact must not come late.
        let budget = if self.contacts.len() > self.first { self.memory.budget } else { MOST_VISITS[1] };
        self.is_enough() || (self.memory.parts > 1 && self.scratch.visited >= budget)
    }

    /// Whether the half-space alone says that no point is deep.
    fn none_is_deep(&self) -> bool {
        self.memory.lowest.is_some_and(|lowest| lowest > -FIELD_ERROR * self.options.tolerance)
    }

    /// Takes a contact if it counts.
    fn take(&mut self, contact: PointContact) {
        let (is_divided, is_deep) = (self.is_divided(), -contact.surface.distance > self.options.tolerance);
        if is_deep || !self.is_enough() {
            self.contacts.push(contact);
            let deep = &mut self.memory.deep;
            // It may not have its turn the next time. One that is known already must not take the place of another.
            let is_to_keep = is_deep && is_divided && self.memory.parts > 1;
            if is_to_keep && deep.len() < MOST_DEEP && !deep.contains(&contact.point) {
                deep.push(contact.point);
            }
        }
    }

    #[inline]
    fn position(&self, point: u32) -> DVec3 {
        self.rotation * self.fragment.tree.points[point as usize].position.as_dvec3() + self.translation
    }

    /// Looks again at points that were deep, and forgets those that no longer are in contact.
    fn look_at_deep_points(&mut self) {
        let mut deep = std::mem::take(&mut self.memory.deep);
        deep.sort_unstable();
        deep.dedup();
        let count = self.fragment.point_count() as u32;
        deep.retain(|&number| {
            if number >= count {
                return false;
            }
            if self.contacts[self.first..].iter().any(|contact| contact.point == number) {
                return true;
            }
            self.scratch.visited += 1;
            let position = self.position(number);
            let surface = self.field.surface(position, 0.0);
            self.contacts.extend(surface.map(|surface| PointContact { point: number, position, surface }));
            surface.is_some()
        });
        self.memory.deep = deep;
    }

    /// Looks again at points that somebody wants to know of.
    fn look_at_kept_points(&mut self) {
        let kept = std::mem::take(&mut self.memory.kept);
        for &number in kept.iter().filter(|&&number| (number as usize) < self.fragment.point_count()) {
            if self.contacts[self.first..].iter().all(|contact| contact.point != number) {
                self.scratch.visited += 1;
                let position = self.position(number);
                let surface = self.field.surface(position, self.options.detection);
                self.contacts.extend(surface.map(|surface| PointContact { point: number, position, surface }));
            }
        }
        self.memory.kept = kept;
    }
}
