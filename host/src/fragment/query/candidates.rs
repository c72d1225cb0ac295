//! Queries with a half-space: most points are far over it, and of the others few need to be looked at.

use super::{PointContact, Query};
use crate::fragment::distance_field::{DistanceField, Nearness};
use crate::geometry::Pose;

/// Of the points that a half-space leaves so many are looked at one by one, as long as no more than the second number are not far
/// from the field; then the tree is asked after all.
const MOST_CANDIDATES: usize = 512;
const MOST_LOOKS: usize = 64;

impl<Field: DistanceField> Query<'_, Field> {
    /// Looks at the points that are near to the half-space or in it, without the tree, and tells how many it looked at before only deep
    /// ones counted; nothing if there is no half-space, or it leaves so many that the tree has to be asked.
    pub(super) fn look_at_candidates(&mut self, pose: &Pose) -> Option<usize> {
        let reach = self.options.detection;
        if self.memory.lowest? > reach {
            return Some(0);
        }
        let none_is_deep = self.none_is_deep();
        let fragment = self.fragment;
        let (mut looks, mut before) = (0, None);
        for point in self.half_space.points_below(fragment, pose, reach) {
            let position = self.position(point);
            if self.is_enough() {
                before = before.or(Some(self.scratch.visited));
                if none_is_deep {
                    break;
                }
                // Fields may tell far too much of what is hardly inside, but nothing of what is not.
                let may_be_deep = self.half_space.height(position) <= 0.0;
                if !may_be_deep || !self.memory.has_turn(point) {
                    continue;
                }
            } else if looks >= MOST_CANDIDATES || self.scratch.visited >= MOST_LOOKS {
                self.contacts.truncate(self.first);
                // The tree has a budget of its own: with what is left of it, there would be too few contacts.
                self.scratch.visited = 0;
                return None;
            }
            looks += 1;
            match self.field.look(position, reach) {
                Nearness::Near(surface) => {
                    self.scratch.visited += 1;
                    self.take(PointContact { point, position, surface });
                }
                // What is far is told so without much ado.
                Nearness::Beyond(distance) => self.scratch.visited += usize::from(distance < reach),
            }
        }
        Some(before.unwrap_or(self.scratch.visited))
    }
}
