//! Joining corners that stand at the same place, for formats that number no vertices.

use std::hash::Hash;

use glam::DVec3;

use super::hash::SeededMap;

/// Numbers places in the order in which they come up.
///
/// One table, walked in the order of the file: neighbouring triangles share corners, so most lookups find their entry in
/// the cache. (Dealing the corners into heaps for several cores was measured; it loses that and is slower.)
pub(super) struct Welder<K> {
    numbers: SeededMap<K, u32>,
    pub(super) positions: Vec<DVec3>,
}

/// The coordinates of a single-precision point; equal ones have equal keys.
pub(super) fn single_key(point: [f32; 3]) -> (u64, u32) {
    // Adding zero turns the negative zero into the positive one, which is equal to it.
    let [x, y, z] = point.map(|coordinate| (coordinate + 0.0).to_bits());
    (u64::from(x) << 32 | u64::from(y), z)
}

/// The coordinates of a point; equal ones have equal keys.
pub(super) fn double_key(point: DVec3) -> (u64, u64, u64) {
    let [x, y, z] = point.to_array().map(|coordinate| (coordinate + 0.0).to_bits());
    (x, y, z)
}

impl<K: Hash + Eq> Welder<K> {
    /// Room for the vertices of a closed mesh with so many triangles, which has half as many.
    pub(super) fn for_triangles(triangles: usize) -> Welder<K> {
        let mut numbers = SeededMap::default();
        numbers.reserve(triangles / 2);
        Welder { numbers, positions: Vec::with_capacity(triangles / 2) }
    }

    /// The number of a place.
    #[inline]
    pub(super) fn number(&mut self, key: K, position: impl FnOnce() -> DVec3) -> u32 {
        let next = self.positions.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.positions.push(position());
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn equal_places_get_one_number_in_order(parts in proptest::collection::vec((-2_i8..3, -1_i8..2, 0_i8..2), 0..300)) {
            let mut singles = Welder::for_triangles(4);
            let mut doubles = Welder::for_triangles(4);
            let mut expected: Vec<DVec3> = Vec::new();
            for (x, y, z) in parts {
                let corner = DVec3::new(f64::from(x) * 0.5, f64::from(y) * -0.0, f64::from(z));
                let place = expected.iter().position(|place| *place == corner).unwrap_or_else(|| {
                    expected.push(corner);
                    expected.len() - 1
                });
                prop_assert_eq!(singles.number(single_key(corner.as_vec3().to_array()), || corner), place as u32);
                prop_assert_eq!(doubles.number(double_key(corner), || corner), place as u32);
            }
            prop_assert_eq!(&singles.positions, &expected);
            prop_assert_eq!(&doubles.positions, &expected);
        }
    }
}
