//! Building a tree by halves: what \[Heo10\] and most others compare with.

use std::ops::Range;

use glam::DVec3;

use crate::geometry::Aabb;

/// Where a range is cut.
pub(super) fn cut(range: Range<usize>) -> usize {
    range.start + range.len() / 2
}

/// Points from left to right, where a range is sorted along its longest side and cut in the middle, until no more than so many are left.
pub(super) fn order(points: &[DVec3], most: usize) -> Vec<u32> {
    let mut things: Vec<(u32, DVec3)> = (0..).zip(points.iter().copied()).collect();
    sort(&mut things, most);
    things.into_iter().map(|(number, _)| number).collect()
}

fn sort(things: &mut [(u32, DVec3)], most: usize) {
    if things.len() <= most {
        return;
    }
    let size = Aabb::of_points(things.iter().map(|(_, center)| *center)).size();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let middle = cut(0..things.len());
    things.select_nth_unstable_by(middle, |(a, at), (b, other)| at[axis].total_cmp(&other[axis]).then(a.cmp(b)));
    let (left, right) = things.split_at_mut(middle);
    rayon::join(|| sort(left, most), || sort(right, most));
}
