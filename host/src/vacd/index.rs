//! Where the convexes of a compound are: boxes that come and go.

use crate::bvh::Bvh;
use crate::geometry::Aabb;

/// Boxes by number, found by place.
///
/// A few hierarchies, each at least twice as large as the next. New boxes make a small one, and take those up that are
/// not much larger; so a box is built in again only as often as the number of boxes doubles, and adding few to many
/// costs what the few cost. Boxes that are gone are left in until their hierarchy is built again.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    levels: Vec<Level>,
}

#[derive(Clone, Debug)]
struct Level {
    bvh: Bvh,
    numbers: Vec<u32>,
}

impl Index {
    /// Whether no box was ever added.
    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Adds boxes. `aabb` gives the box of a number that was added before, if it is still there.
    pub(super) fn add(&mut self, mut numbers: Vec<u32>, aabb: impl Fn(u32) -> Option<Aabb>) {
        if numbers.is_empty() {
            return;
        }
        while let Some(level) = self.levels.pop_if(|level| level.numbers.len() < 2 * numbers.len()) {
            numbers.extend(level.numbers);
        }
        let (numbers, boxes): (Vec<u32>, Vec<Aabb>) =
            numbers.into_iter().filter_map(|number| Some((number, aabb(number)?))).unzip();
        if !numbers.is_empty() {
            self.levels.push(Level { bvh: Bvh::build(&boxes), numbers });
        }
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let of_level = |level: &Level| level.numbers.capacity() * size_of::<u32>() + size_of_val(level.bvh.nodes());
        self.levels.iter().map(of_level).sum()
    }

    /// Calls `visit` for every number whose box overlaps a box, among them numbers that are gone.
    pub(super) fn overlapping(&self, aabb: &Aabb, mut visit: impl FnMut(u32)) {
        for level in &self.levels {
            level.bvh.overlapping(aabb, |place| visit(level.numbers[place as usize]));
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::random::Random;

    #[test]
    fn finds_what_is_there_after_many_changes() {
        let mut random = Random::new(3);
        let mut boxes: Vec<Option<Aabb>> = Vec::new();
        let mut index = Index::default();
        for round in 0..60 {
            let first = boxes.len() as u32;
            let count = 1 + (random.next_u64() % if round == 0 { 500 } else { 20 }) as u32;
            for _ in 0..count {
                boxes.push(Some(Aabb::around(10.0 * random.in_cube(), DVec3::splat(0.1) + random.unit())));
            }
            index.add((first..first + count).collect(), |number| boxes[number as usize]);
            for _ in 0..5 {
                let gone = random.next_u64() as usize % boxes.len();
                boxes[gone] = None;
            }
            let query = Aabb::around(10.0 * random.in_cube(), DVec3::splat(2.0));
            let mut found = Vec::new();
            index.overlapping(&query, |number| found.push(number));
            found.retain(|&number| boxes[number as usize].is_some());
            found.sort_unstable();
            let hit = |aabb: &Option<Aabb>| aabb.is_some_and(|aabb| aabb.intersects(&query));
            let expected: Vec<u32> = (0..boxes.len() as u32).filter(|&n| hit(&boxes[n as usize])).collect();
            assert_eq!(found, expected);
        }
        assert!(index.levels.len() < 12);
    }
}
