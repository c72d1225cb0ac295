//! Building a tree from boxes along the Z-order curve.
//!
//! Things are sorted by the Morton code of their box's centre; a range is cut where the highest bit that differs in it
//! changes, which is the middle plane of the smallest octree cell around it (Lauterbach et al. 2009, Fast BVH
//! construction on GPUs). A tree over `n` things has `2n - 1` nodes wherever it is cut, so each part knows its place in
//! the list beforehand and the two sides are built at the same time without sharing anything.

use fracas_kernels::morton;
use glam::DVec3;
use rayon::prelude::*;

use super::{Bvh, Frame, Node};
use crate::geometry::Aabb;

/// Ranges up to this size are not worth another thread.
const SERIAL: usize = 4096;

/// A thing and where it stands on the curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    code: u64,
    number: u32,
}

impl Bvh {
    /// A tree over boxes, which are numbered in their order.
    ///
    /// A box that is empty, or has a coordinate that is not a number, is in the tree but meets nothing.
    ///
    /// # Panics
    /// With more than 2³¹ boxes, whose nodes could not be numbered.
    pub fn build(boxes: &[Aabb]) -> Bvh {
        assert!(boxes.len() <= 1 << 31, "{} boxes are more than a tree can number", boxes.len());
        if boxes.is_empty() {
            return Bvh::default();
        }
        let places = sorted_places(boxes);
        let mut nodes = vec![bytemuck::Zeroable::zeroed(); 2 * boxes.len() - 1];
        let frame = Frame::around(boxes);
        nodes[0] = build_range((&frame, boxes), &places, &mut nodes[1..], 1);
        Bvh { nodes, frame }
    }
}

/// Builds what is below a range of places into `below`, the first of which is node `first`; returns the top.
fn build_range(boxes: (&Frame, &[Aabb]), places: &[Place], below: &mut [Node], first: u32) -> Node {
    if let [place] = places {
        return boxes.0.leaf(place.number, &boxes.1[place.number as usize]);
    }
    let (left_places, right_places) = places.split_at(cut(places));
    let (children, below) = below.split_at_mut(2);
    let (left_below, right_below) = below.split_at_mut(2 * left_places.len() - 2);
    let (left_first, right_first) = (first + 2, first + 2 * left_places.len() as u32);
    let mut left = || build_range(boxes, left_places, left_below, left_first);
    let mut right = || build_range(boxes, right_places, right_below, right_first);
    let (left, right) = if places.len() > SERIAL { rayon::join(left, right) } else { (left(), right()) };
    children.copy_from_slice(&[left, right]);
    Node::over(&left, &right, first)
}

/// Where the highest bit that differs changes; the middle, where all codes are the same.
fn cut(places: &[Place]) -> usize {
    let (first, last) = (places[0].code, places[places.len() - 1].code);
    if first == last {
        return places.len() / 2;
    }
    let bit = 63 - (first ^ last).leading_zeros();
    places.partition_point(|place| place.code >> bit & 1 == 0)
}

fn sorted_places(boxes: &[Aabb]) -> Vec<Place> {
    // Half of each, because the sum could overflow.
    let center = |aabb: &Aabb| 0.5 * aabb.min + 0.5 * aabb.max;
    let bounds = boxes.iter().map(center).filter(|center| center.is_finite()).fold(Aabb::EMPTY, Aabb::including);
    let cells = (1u64 << morton::BITS_63) as f64;
    let size = 0.5 * bounds.max - 0.5 * bounds.min;
    let scale = 0.5 * cells / size.max_element().max(f64::MIN_POSITIVE);
    let code = |center: DVec3| {
        // The cast takes what is not a number to zero, and what lies beyond to the last cell.
        let cell = ((center - bounds.min) * scale).to_array().map(|c| (c as u32).min((1 << morton::BITS_63) - 1));
        morton::encode_63(cell[0], cell[1], cell[2])
    };
    let place = |(number, aabb): (usize, &Aabb)| Place { code: code(center(aabb)), number: number as u32 };
    let mut places: Vec<Place> = boxes.par_iter().with_min_len(SERIAL).enumerate().map(place).collect();
    sort(&mut places);
    places
}

/// Sorts by code, then number: a radix sort from the lowest digit, which keeps the order of the numbers.
fn sort(places: &mut Vec<Place>) {
    const DIGIT_BITS: u32 = 11;
    const DIGITS: usize = 63usize.div_ceil(DIGIT_BITS as usize);
    const VALUES: usize = 1 << DIGIT_BITS;
    if places.len() < VALUES {
        places.sort_unstable();
        return;
    }
    let digit = |place: &Place, pass: usize| (place.code >> (pass as u32 * DIGIT_BITS)) as usize % VALUES;
    let mut counts = vec![[0u32; VALUES]; DIGITS];
    for place in places.iter() {
        for (pass, counts) in counts.iter_mut().enumerate() {
            counts[digit(place, pass)] += 1;
        }
    }
    let mut sorted = vec![Place::default(); places.len()];
    for (pass, counts) in counts.iter_mut().enumerate() {
        if counts[digit(&places[0], pass)] as usize == places.len() {
            continue;
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            start += std::mem::replace(count, start);
        }
        for place in places.iter() {
            let slot = &mut counts[digit(place, pass)];
            sorted[*slot as usize] = *place;
            *slot += 1;
        }
        std::mem::swap(places, &mut sorted);
    }
}
