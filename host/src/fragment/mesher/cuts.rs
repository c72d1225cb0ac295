//! Where the surface crosses the edges of a lattice.

use glam::DVec3;
use rayon::prelude::*;

use super::field::LatticeField;
use super::lattice::{BLOCK_POINTS, is_long, owned_edges};
use crate::geometry::SignedDistance;

/// Where the surface crosses an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The end that is inside.
    pub(super) inside: u32,
    /// The end that is not.
    pub(super) outside: u32,
    /// How far from the inner end, as a share of the edge.
    pub(super) share: f64,
    pub(super) position: DVec3,
    pub(super) is_long: bool,
}

/// How near to the surface a cut is, relative to the cell.
const ON_SURFACE: f64 = 1e-10;

/// All cuts, in the order of the points that own their edges.
pub(super) fn find_cuts(field: &LatticeField, distance: &SignedDistance) -> Vec<Cut> {
    let of_block = |&(block, values): &(usize, &[f64; BLOCK_POINTS])| {
        let lattice = &field.lattice;
        let mut cuts = Vec::new();
        for (inner, &value) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            let number = (block * BLOCK_POINTS + inner) as u32;
            let place = lattice.place(number);
            for other in owned_edges(place) {
                let other_value = field.at(other);
                if value * other_value >= 0.0 {
                    continue;
                }
                // What is beyond the lattice is outside, as is all that it has at its border.
                let Some(other_number) = lattice.number(other) else { continue };
                let ends = [(number, place, value), (other_number, other, other_value)];
                let [inside, outside] = if value < 0.0 { ends } else { [ends[1], ends[0]] };
                let [from, to] = [inside, outside].map(|(_, place, _)| lattice.position(place));
                let share = crossing(distance, [from, to], [inside.2, outside.2], ON_SURFACE * lattice.cell);
                cuts.push(Cut {
                    inside: inside.0,
                    outside: outside.0,
                    share,
                    position: from.lerp(to, share),
                    is_long: is_long(place, other),
                });
            }
        }
        cuts
    };
    let parts: Vec<Vec<Cut>> = field.near().par_iter().map(of_block).collect();
    parts.concat()
}

/// Where the distance along a segment is zero, as a share of it, from the values at its ends, negative and positive: by
/// false position with the Illinois rule (Dowell and Jarratt 1971), and by halves where that is slow. Where the field jumps
/// from one sign to the other, which it does only if the surface crosses itself, that place.
fn crossing(distance: &SignedDistance, ends: [DVec3; 2], values: [f64; 2], tolerance: f64) -> f64 {
    let ([mut low, mut high], [mut below, mut above]) = ([0.0, 1.0], values);
    let mut hint = None;
    let mut side = 0;
    let mut share = 0.5;
    for round in 0..60 {
        let guess = low + (high - low) * (below / (below - above));
        share = if round % 4 != 3 && guess > low && guess < high { guess } else { 0.5 * (low + high) };
        let place = ends[0].lerp(ends[1], share);
        let found = match hint {
            Some(triangle) => distance.nearest_from(place, triangle),
            None => distance.nearest(place),
        };
        hint = Some(found.triangle);
        if found.distance.abs() <= tolerance || high - low < 1e-12 {
            break;
        }
        if found.distance < 0.0 {
            (low, below) = (share, found.distance);
            above *= if side < 0 { 0.5 } else { 1.0 };
            side = -1;
        } else {
            (high, above) = (share, found.distance);
            below *= if side > 0 { 0.5 } else { 1.0 };
            side = 1;
        }
    }
    share
}

#[cfg(test)]
mod tests {
    use super::super::lattice::Lattice;
    use super::*;
    use crate::geometry::shapes::{Figure, figure};

    #[test]
    fn cuts_are_on_the_surface_and_every_crossed_edge_has_one() {
        let mesh = figure(Figure::Rabbit, 2000).unwrap();
        let distance = SignedDistance::new(&mesh).unwrap();
        let lattice = Lattice::around(&mesh.aabb(), mesh.aabb().size().max_element() / 16.0);
        let field = LatticeField::new(lattice, &distance);
        let cuts = find_cuts(&field, &distance);
        for cut in &cuts {
            assert!(distance.at(cut.position).abs() <= 1e-9 * lattice.cell);
            assert!((0.0..=1.0).contains(&cut.share));
        }
        let mut crossed = 0;
        for number in 0..lattice.point_count() {
            let place = lattice.place(number);
            crossed += owned_edges(place).filter(|&other| (field.at(place) < 0.0) != (field.at(other) < 0.0)).count();
        }
        assert_eq!(cuts.len(), crossed);
    }
}
