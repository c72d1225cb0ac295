//! Whether a point is inside a fragment (\[Glondu12\] 4.3).

use glam::DVec3;

use super::fragment::Fragment;
use super::locator::Place;

impl Fragment {
    /// Whether a point is inside.
    pub fn is_inside(&self, point: DVec3) -> bool {
        self.solid.locator.find(point).is_some_and(|place| self.owns(&place))
    }

    /// Whether a place in the solid is the fragment's.
    #[inline]
    pub(super) fn owns(&self, place: &Place) -> bool {
        match self.cut_tet(place.tet) {
            Some(share) => share.owns(share.owner(place.weights)),
            None => self.nodes.contains(self.solid.topology.tets[place.tet as usize][0]),
        }
    }
}
