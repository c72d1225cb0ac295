//! Which convexes touch, and what hangs together (\[Mueller13\] 3.1, step 5).

use rayon::prelude::*;

use super::overlap::{Overlap, are_opposed};
use super::part::Part;
use crate::geometry::{Aabb, DisjointSets};
use crate::tolerance::{COPLANAR, TOUCHING};

/// Two convexes that touch, seen from one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// The number of the other convex.
    pub other: u32,
    /// The face of this convex that touches; [`NO_FACE`] between a ghost and what it is the overlap of.
    pub face: u32,
    /// The face of the other convex.
    pub other_face: u32,
    /// The area that the faces share.
    pub area: f64,
}

/// The face of a bond that needs none.
pub const NO_FACE: u32 = u32::MAX;

/// A bond between two of a list of convexes, by their places in the list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Touch {
    pub(super) parts: [u32; 2],
    pub(super) faces: [u32; 2],
    pub(super) area: f64,
}

/// A face in the list that is sorted by |d|.
struct Entry {
    distance: f64,
    part: u32,
    face: u32,
}

/// Finds all faces of different convexes that touch: those on the same distance from the origin, looking at each other,
/// with an area in common. Pairs of which both are at `first_known` or later in the list are not looked at.
///
/// Ghosts are left out: what they connect is known from where they came from.
pub(super) fn touching(parts: &[&Part], first_known: usize) -> Vec<Touch> {
    if parts.iter().filter(|part| !part.is_ghost()).nth(1).is_none() {
        return Vec::new();
    }
    let largest = parts.iter().fold(0.0f64, |largest, part| largest.max(part.aabb().largest()));
    let slack = COPLANAR * largest;
    let mut entries = Vec::new();
    for (number, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_ghost()) {
        entries.extend(part.convex().planes().iter().enumerate().map(|(face, plane)| Entry {
            distance: plane.offset.abs(),
            part: number as u32,
            face: face as u32,
        }));
    }
    entries.par_sort_unstable_by(|one, other| {
        one.distance.total_cmp(&other.distance).then(one.part.cmp(&other.part)).then(one.face.cmp(&other.face))
    });
    let clusters = entries.chunk_by(|one, other| other.distance - one.distance <= slack);
    let is_new = |entry: &Entry| (entry.part as usize) < first_known;
    let clusters: Vec<&[Entry]> = clusters.filter(|faces| faces.len() > 1 && faces.iter().any(is_new)).collect();
    let search = |(mut found, mut memory): (Vec<Touch>, Sweep), cluster: &&[Entry]| {
        Cluster { parts, first_known, slack }.sweep(cluster, &mut memory, &mut found);
        (found, memory)
    };
    // Most clusters are tiny: they are worth a task by the dozen.
    let found: Vec<Vec<Touch>> = clusters
        .par_iter()
        .with_min_len(64)
        .fold(<(Vec<Touch>, Sweep)>::default, search)
        .map(|(found, _)| found)
        .collect();
    let mut touches = found.concat();
    touches.sort_unstable_by_key(|touch| (touch.parts, touch.faces));
    touches
}

/// Memory for sweeps.
#[derive(Default)]
struct Sweep {
    boxes: Vec<Aabb>,
    order: Vec<u32>,
    overlap: Overlap,
}

/// So few faces are compared all with all.
const FEW: usize = 8;

struct Cluster<'a> {
    parts: &'a [&'a Part],
    first_known: usize,
    slack: f64,
}

impl Cluster<'_> {
    /// Compares the faces of a cluster whose boxes overlap. Large buildings have thousands of faces on one level, so
    /// comparing all with all would not do.
    fn sweep(&self, entries: &[Entry], memory: &mut Sweep, touches: &mut Vec<Touch>) {
        let Sweep { boxes, order, overlap } = memory;
        if entries.len() <= FEW {
            for (place, one) in entries.iter().enumerate() {
                touches.extend(entries[place + 1..].iter().filter_map(|other| self.compare(one, other, overlap)));
            }
            return;
        }
        boxes.clear();
        boxes.extend(entries.iter().map(|entry| self.face_box(entry)));
        let size = boxes.iter().copied().fold(Aabb::EMPTY, Aabb::union).size();
        let axis = size.max_position();
        let start = |entry: u32| boxes[entry as usize].min[axis];
        order.clear();
        order.extend(0..entries.len() as u32);
        order.sort_unstable_by(|&one, &other| start(one).total_cmp(&start(other)).then(one.cmp(&other)));
        for (place, &one) in order.iter().enumerate() {
            let (aabb, one) = (&boxes[one as usize], &entries[one as usize]);
            for &other in order[place + 1..].iter().take_while(|&&other| start(other) <= aabb.max[axis]) {
                if aabb.intersects(&boxes[other as usize]) {
                    touches.extend(self.compare(one, &entries[other as usize], overlap));
                }
            }
        }
    }

    fn compare(&self, one: &Entry, other: &Entry, overlap: &mut Overlap) -> Option<Touch> {
        let (one, other) = if (one.part, one.face) < (other.part, other.face) { (one, other) } else { (other, one) };
        if one.part == other.part || one.part as usize >= self.first_known {
            return None;
        }
        let [first, second] = [one, other].map(|entry| (&**self.parts[entry.part as usize].convex(), entry.face));
        if !are_opposed(&first.0.planes()[first.1 as usize], second, self.slack) {
            return None;
        }
        let area = overlap.area(first, second);
        if area <= 0.0 {
            return None;
        }
        let smaller = face_area(first.0, first.1).min(face_area(second.0, second.1));
        let faces = [one.face, other.face];
        (area > TOUCHING * smaller).then_some(Touch { parts: [one.part, other.part], faces, area })
    }

    fn face_box(&self, entry: &Entry) -> Aabb {
        let surface = self.parts[entry.part as usize].convex().surface();
        Aabb::of_points(surface.face_positions(entry.face as usize)).expanded(self.slack)
    }
}

/// The area of a face of a convex.
pub(super) fn face_area(convex: &crate::geometry::Convex, face: u32) -> f64 {
    0.5 * convex.surface().vector_area(face as usize).length()
}

/// The sets of things that hang together by pairs, each sorted, in the order of their first members.
pub(super) fn connected(count: usize, pairs: impl IntoIterator<Item = [u32; 2]>) -> Vec<Vec<u32>> {
    let mut sets = DisjointSets::new(count);
    for [one, other] in pairs {
        sets.join(one, other);
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
    for number in 0..count as u32 {
        members[sets.find(number) as usize].push(number);
    }
    members.retain(|members| !members.is_empty());
    members
}
