//! Who stops when.

use glam::DVec3;
use rapier3d::parry::shape::TriMesh;
use rapier3d::prelude::{ColliderHandle, RigidBodyHandle};
use rayon::prelude::*;

use super::SURFACE_THICKNESS;
use super::fragment::{FragmentMeeting, FragmentPart};
use super::meeting::{Limits, Meeting, Side};
use super::path::Path;
use super::solid::Solid;
use super::surface::SurfaceMeeting;
use crate::geometry::{Plane, Pose};

/// A body that has to stop, when it does and where it is then.
pub(super) type Stop = (RigidBodyHandle, f64, Pose);

/// Two colliders of which one is a fragment.
pub(super) type Held = [ColliderHandle; 2];

/// A collider or a half-space that may meet others.
pub(super) struct Part<'a> {
    pub(super) mover: usize,
    /// Of a surface, only its points; of a fragment, its hull.
    pub(super) solid: Solid<'a>,
    /// Zero of a surface and of a half-space, which is thicker than anything.
    pub(super) thickness: f64,
    /// A surface, and where it is in its body; of a fragment, too.
    pub(super) surface: Option<(&'a TriMesh, Pose)>,
    /// Of a fragment, what is asked whether a point is inside, and balls that are; the largest first.
    pub(super) fragment: Option<FragmentPart<'a>>,
}

impl Part<'_> {
    /// Whether a point of the body is inside, of a fragment.
    pub(super) fn has_inside(&self, point: DVec3) -> bool {
        self.fragment.as_ref().is_some_and(|fragment| fragment.has_inside(point))
    }
}

/// Two that may meet.
struct Pair {
    /// If there is a surface that something meets triangle by triangle, it is the second; so is a half-space.
    parts: [usize; 2],
    movers: [usize; 2],
    /// Whether they are looked at however little they move.
    is_deep: bool,
}

/// All bodies, colliders and pairs that a step is looked at for.
pub(super) struct Problem<'a> {
    /// The first is the world, which does not move.
    movers: Vec<(Option<RigidBodyHandle>, Path)>,
    parts: Vec<Part<'a>>,
    pairs: Vec<Pair>,
    length_unit: f64,
    /// The colliders of parts; half-spaces have none.
    colliders: Vec<Option<ColliderHandle>>,
}

impl<'a> Problem<'a> {
    /// The mover of what does not move.
    pub(super) const STILL: usize = 0;

    pub(super) fn new(length_unit: f64) -> Problem<'a> {
        Problem {
            movers: vec![(None, Path::still())],
            parts: Vec::new(),
            pairs: Vec::new(),
            length_unit,
            colliders: Vec::new(),
        }
    }

    pub(super) fn add_mover(&mut self, handle: RigidBodyHandle, path: Path) -> usize {
        self.movers.push((Some(handle), path));
        self.movers.len() - 1
    }

    pub(super) fn add_part(&mut self, part: Part<'a>, collider: Option<ColliderHandle>) -> usize {
        self.colliders.push(collider);
        self.parts.push(part);
        self.parts.len() - 1
    }

    pub(super) fn add_pair(&mut self, one: usize, other: usize, is_deep: bool) {
        if [one, other].iter().any(|&part| self.parts[part].fragment.is_some()) {
            return self.add_ordered([one, other], is_deep);
        }
        match [one, other].map(|part| self.parts[part].surface.is_some()) {
            // Nothing answers for two surfaces.
            [true, true] => {}
            [true, false] => self.add_ordered([other, one], is_deep),
            _ => self.add_ordered([one, other], is_deep),
        }
    }

    /// Adds a half-space.
    pub(super) fn add_plane(&mut self, plane: &Plane) -> usize {
        let solid = Solid::half_space(plane);
        self.add_part(Part { mover: Problem::STILL, solid, thickness: 0.0, surface: None, fragment: None }, None)
    }

    /// A part and a half-space that may meet; the part may be a surface, of which the points meet it.
    pub(super) fn add_landing(&mut self, part: usize, plane: usize, is_deep: bool) {
        self.add_ordered([part, plane], is_deep);
    }

    fn add_ordered(&mut self, parts: [usize; 2], is_deep: bool) {
        let movers = parts.map(|part| self.parts[part].mover);
        if movers[0] != movers[1] {
            self.pairs.push(Pair { parts, movers, is_deep });
        }
    }

    /// The colliders of a pair with a fragment.
    fn held(&self, pair: &Pair) -> Option<Held> {
        let is_fragment = pair.parts.iter().any(|&part| self.parts[part].fragment.is_some());
        let [one, other] = pair.parts.map(|part| self.colliders[part]);
        let mut held = [one?, other?];
        // In one order, so that no pair is looked at twice.
        held.sort_unstable_by_key(|collider| collider.into_raw_parts());
        is_fragment.then_some(held)
    }

    /// When a pair has to stop, from a time on that it has got to.
    fn stop(&self, pair: &Pair, from: f64) -> Option<f64> {
        let [one, other] = pair.movers.map(|mover| &self.movers[mover].1);
        let limits = self.limits(pair);
        let ((way, turned), (other_way, other_turned)) = (one.rest(from), other.rest(from));
        let farthest = (way - other_way).length() + turned + other_turned;
        if farthest <= limits.rounding || (farthest <= limits.depth && !pair.is_deep) {
            return None;
        }
        let mut times = [from, one.stop.max(from), other.stop.max(from)];
        times.sort_unstable_by(f64::total_cmp);
        times.windows(2).find_map(|times| {
            let [begin, end] = [times[0], times[1]];
            if begin < end { self.stop_within(pair, limits, begin, end) } else { None }
        })
    }

    fn stop_within(&self, pair: &Pair, limits: Limits, from: f64, to: f64) -> Option<f64> {
        if pair.parts.iter().any(|&part| self.parts[part].fragment.is_some()) {
            let sides = pair.parts.map(|part| (&self.parts[part], &self.movers[self.parts[part].mover].1));
            return FragmentMeeting { sides, limits, length_unit: self.length_unit }.stop(from, to);
        }
        let side = |part: usize| {
            let part = &self.parts[part];
            Side { path: &self.movers[part.mover].1, solid: &part.solid }
        };
        let sides = pair.parts.map(side);
        match self.parts[pair.parts[1]].surface {
            Some((mesh, local)) => {
                SurfaceMeeting { side: sides[0], path: sides[1].path, mesh, local, limits }.stop(from, to)
            }
            None => Meeting { sides, limits }.stop(from, to),
        }
    }

    fn limits(&self, pair: &Pair) -> Limits {
        let thicknesses = pair.parts.map(|part| self.parts[part].thickness);
        let [path, other] = pair.movers.map(|mover| &self.movers[mover].1);
        let thin = thicknesses.into_iter().filter(|thickness| *thickness > 0.0).min_by(f64::total_cmp);
        let thin = thin.unwrap_or(f64::from(SURFACE_THICKNESS) * path.reach);
        Limits::new(thin, path.farthest().max(other.farthest()), self.length_unit)
    }
}

/// The bodies that have to stop, in a fixed order, and which fragments had to because of what.
///
/// Each round looks at the pairs whose bodies were stopped in the last one, from then on. The earliest stop of all is that of
/// its pair for good, whatever comes later; so is every one that is the earliest of both of its bodies. There are as many
/// rounds as contacts follow from each other in a step, and in the worst case as many as bodies.
pub(super) fn settle(mut problem: Problem<'_>) -> (Vec<Stop>, Vec<Held>) {
    let mut held = Vec::new();
    let mut times: Vec<Option<f64>> = vec![None; problem.pairs.len()];
    let mut waiting: Vec<(usize, f64)> = (0..problem.pairs.len()).map(|pair| (pair, 0.0)).collect();
    while !waiting.is_empty() {
        let look = |&(pair, from): &(usize, f64)| problem.stop(&problem.pairs[pair], from);
        let found: Vec<Option<f64>> = waiting.par_iter().map(look).collect();
        for ((pair, _), time) in waiting.iter().zip(found) {
            times[*pair] = time;
        }
        let mut earliest = vec![f64::INFINITY; problem.movers.len()];
        for (pair, time) in problem.pairs.iter().zip(&times) {
            for mover in pair.movers {
                earliest[mover] = earliest[mover].min(time.unwrap_or(f64::INFINITY));
            }
        }
        let mut changed = vec![f64::INFINITY; problem.movers.len()];
        for (pair, time) in problem.pairs.iter().zip(&mut times) {
            let Some(t) = *time else { continue };
            let moving = pair.movers.map(|mover| mover != Problem::STILL && problem.movers[mover].1.stop > t);
            if (0..2).any(|side| moving[side] && earliest[pair.movers[side]] < t) {
                continue;
            }
            *time = None;
            held.extend(problem.held(pair));
            for (mover, _) in pair.movers.into_iter().zip(moving).filter(|(_, moving)| *moving) {
                changed[mover] = t;
            }
        }
        for (mover, &t) in changed.iter().enumerate() {
            if t < f64::INFINITY {
                problem.movers[mover].1.stop = t;
            }
        }
        let again = |pair: &Pair| pair.movers.iter().map(|&mover| changed[mover]).fold(f64::INFINITY, f64::min);
        let again = problem.pairs.iter().map(again).enumerate();
        waiting = again.filter(|(_, from)| *from < f64::INFINITY).collect();
    }
    let stopped = |(handle, path): (Option<RigidBodyHandle>, Path)| {
        (path.stop < 1.0).then(|| handle.map(|handle| (handle, path.stop, path.at(path.stop)))).flatten()
    };
    (problem.movers.into_iter().filter_map(stopped).collect(), held)
}
