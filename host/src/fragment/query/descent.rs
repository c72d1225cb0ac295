//! Algorithm 1 itself: down the sphere tree, breadth first.

use super::{FIELD_ERROR, PointContact, Query};
use crate::fragment::distance_field::{DistanceField, Nearness};

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    point: u32,
    /// The first child that was not looked at.
    child: u32,
    /// How deep the point is; if it is not near, minus a distance that the field is not nearer than.
    depth: f64,
    is_near: bool,
    /// Whether it had its turn after the first contacts.
    had_turn: bool,
}

impl<Field: DistanceField> Query<'_, Field> {
    /// Goes through the tree, breadth first. How many points were looked at before the rest was divided, if it was.
    pub(super) fn search_tree(&mut self) -> Option<usize> {
        for root in 0..self.fragment.tree.roots {
            self.visit(root, false);
        }
        let mut level = 0;
        let mut visits_before = None;
        while level < self.scratch.levels.len() {
            let mut entries = std::mem::take(&mut self.scratch.levels[level]);
            for entry in entries.drain(..) {
                if self.is_done {
                    break;
                }
                self.descend(entry);
                if visits_before.is_none() && self.is_divided() {
                    visits_before = Some(self.scratch.visited);
                    self.is_done = self.is_enough() && self.none_is_deep();
                }
            }
            self.scratch.levels[level] = entries;
            level += 1;
        }
        visits_before
    }

    /// Looks at a point for the first time.
    fn visit(&mut self, number: u32, had_turn: bool) {
        self.scratch.visited += 1;
        let position = self.position(number);
        let height = self.half_space.height(position);
        let reach = self.options.detection;
        let nearness = if height > reach { Nearness::Beyond(height) } else { self.field.look(position, reach) };
        let (depth, is_near) = match nearness {
            Nearness::Near(surface) => {
                self.take(PointContact { point: number, position, surface });
                (-surface.distance, true)
            }
            Nearness::Beyond(distance) => (-distance.max(height), false),
        };
        let [first, last] = self.fragment.tree.points[number as usize].children;
        if first < last {
            self.push(Entry { point: number, child: first, depth, is_near, had_turn });
        }
    }

    /// Remembers a point until its next children's turn.
    #[inline]
    fn push(&mut self, entry: Entry) {
        let level = self.fragment.tree.points[entry.child as usize].level as usize;
        if self.scratch.levels.len() <= level {
            self.scratch.levels.resize(level + 1, Vec::new());
        }
        self.scratch.levels[level].push(entry);
    }

    /// Looks at the children that come on a level, if any of them may be in contact.
    fn descend(&mut self, mut entry: Entry) {
        let points = &self.fragment.tree.points;
        let next = &points[entry.child as usize];
        let (level, radius) = (next.level, f64::from(next.radius));
        let is_enough = self.is_enough();
        if self.is_divided() && !entry.had_turn {
            if !self.memory.has_turn(entry.point) {
                return;
            }
            entry.had_turn = true;
        }
        // What still counts has to be so deep.
        let least = if is_enough { self.options.tolerance } else { -self.options.detection };
        if entry.depth + radius <= least {
            return;
        }
        let position = self.position(entry.point);
        // Nothing is deeper than the half-space lets it be; but fields are not quite exact.
        let lowest = if is_enough { FIELD_ERROR * least } else { least };
        if self.half_space.height(position) > radius - lowest
            || !(entry.is_near || self.field.meets_sphere(position, radius - least))
        {
            return;
        }
        let last = points[entry.point as usize].children[1];
        while entry.child < last && points[entry.child as usize].level == level {
            self.visit(entry.child, entry.had_turn);
            entry.child += 1;
        }
        if entry.child < last {
            self.push(entry);
        }
    }
}
