//! Contacts of a sphere tree with a distance field, as few as suffice (\[Glondu12\] 3, Algorithm 1, and 5.3).

use glam::DVec3;

use super::distance_field::{DistanceField, Surface};
use super::fragment::Fragment;
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

/// Memory that queries use again.
#[derive(Clone, Debug, Default)]
pub struct QueryScratch {
    /// Points whose children of a level are to be looked at, by level.
    levels: Vec<Vec<Entry>>,
    /// How many points were looked at.
    pub visited: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    point: u32,
    /// The first child that was not looked at.
    child: u32,
    /// How deep the point is, negative outside.
    depth: f64,
    position: DVec3,
}

/// A query under way.
struct Query<'a, Field> {
    fragment: &'a Fragment,
    field: &'a Field,
    pose: &'a Pose,
    options: QueryOptions,
    contacts: &'a mut Vec<PointContact>,
    scratch: &'a mut QueryScratch,
    /// How many contacts were there before.
    first: usize,
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
        let first = contacts.len();
        scratch.visited = 0;
        let mut query = Query { fragment: self, field, pose, options, contacts, scratch, first };
        for &root in &self.tree.roots {
            query.visit(root);
        }
        let mut level = 0;
        while level < query.scratch.levels.len() {
            let mut entries = std::mem::take(&mut query.scratch.levels[level]);
            entries.drain(..).for_each(|entry| query.descend(entry));
            query.scratch.levels[level] = entries;
            level += 1;
        }
    }
}

impl Fragment {
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
    /// Looks at a point for the first time.
    fn visit(&mut self, number: u32) {
        self.scratch.visited += 1;
        let point = &self.fragment.tree.points[number as usize];
        let position = self.pose.transform_point(point.position);
        let surface = self.field.surface(position, self.options.detection);
        let depth = surface.map_or(-1.0, |surface| -surface.distance);
        if let Some(surface) = surface.filter(|_| point.is_outer) {
            let is_enough = self.contacts.len() - self.first >= self.options.most;
            if !is_enough || depth > self.options.tolerance {
                self.contacts.push(PointContact { point: number, position, surface });
            }
        }
        self.push(Entry { point: number, child: point.children[0], depth, position });
    }

    /// Remembers a point until its next children's turn.
    fn push(&mut self, entry: Entry) {
        let tree = &self.fragment.tree;
        if entry.child < tree.points[entry.point as usize].children[1] {
            let child = tree.children[entry.child as usize].point;
            let level = tree.points[child as usize].level as usize;
            if self.scratch.levels.len() <= level {
                self.scratch.levels.resize(level + 1, Vec::new());
            }
            self.scratch.levels[level].push(entry);
        }
    }

    /// Looks at the children that come on a level, if any of them may be in contact.
    fn descend(&mut self, mut entry: Entry) {
        let tree = &self.fragment.tree;
        let radius = f64::from(tree.children[entry.child as usize].radius);
        let is_enough = self.contacts.len() - self.first >= self.options.most;
        // What still counts has to be so deep.
        let least = if is_enough { self.options.tolerance } else { -self.options.detection };
        let may_meet = match entry.depth >= 0.0 {
            true => entry.depth + radius > least,
            false => radius > least && self.field.meets_sphere(entry.position, radius - least),
        };
        if !may_meet {
            return;
        }
        let last = tree.points[entry.point as usize].children[1];
        let level_of = |child: u32| tree.points[tree.children[child as usize].point as usize].level;
        let level = level_of(entry.child);
        while entry.child < last && level_of(entry.child) == level {
            self.visit(tree.children[entry.child as usize].point);
            entry.child += 1;
        }
        self.push(entry);
    }
}
