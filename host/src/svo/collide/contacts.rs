//! Intersections as the contacts that every method answers with.

use glam::DVec3;

use super::Intersection;
use crate::contact::Contact;

/// One contact for each column along the axis that is closest to the way out.
pub(super) fn contacts(intersection: &Intersection) -> Vec<Contact> {
    let gradients = &intersection.gradients;
    let total: f64 = gradients.iter().map(|gradient| gradient.vector.length()).sum();
    let sum = intersection.gradient(0);
    // What lies wholly inside of the other has no way out that is better than others: the shortest column's.
    let shortest = gradients.iter().min_by(|one, other| one.depth.total_cmp(&other.depth));
    let fallback = shortest.map_or(DVec3::Z, |gradient| gradient.vector.normalize_or(DVec3::Z));
    let out = if sum.length() > 1e-6 * total { -sum.normalize() } else { fallback };
    let Some(steepest) = gradients
        .chunks_exact(2)
        .map(|column| column[1].vector.normalize_or_zero())
        .max_by(|one, other| one.dot(out).abs().total_cmp(&other.dot(out).abs()))
    else {
        return Vec::new();
    };
    let lean = steepest.dot(out).abs();
    let along = gradients.chunks_exact(2).filter(|column| column[1].vector.normalize_or_zero().dot(steepest) > 0.99);
    let number = |vector: DVec3| if vector.dot(out) > 0.0 { 1 } else { 0 };
    along
        .zip(0..)
        .map(|(column, index)| Contact {
            point: 0.5 * (column[0].point + column[1].point),
            normal: out,
            depth: column[0].depth * lean,
            features: [2 * index, 2 * index + number(column[1].vector)],
        })
        .collect()
}
