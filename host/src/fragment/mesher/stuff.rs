//! Fills the inside of a warped lattice with tetrahedra.

use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::super::ranked_bits::RankedBits;
use super::field::{Block, LatticeField};
use super::lattice::{BLOCK_CELLS, BLOCK_POINTS, FACES, shifted};
use super::stencil::{Corner, Side, fill};
use super::warp::Warped;
use crate::geometry::TetMesh;

/// Tetrahedra, and which of their vertices are on the surface.
#[derive(Clone, Debug, Default)]
pub(super) struct Stuffed {
    pub(super) mesh: TetMesh,
    pub(super) is_outer: Vec<bool>,
}

/// The tetrahedra inside. Vertices and tetrahedra are in the order of the lattice.
///
/// `is_solid` is asked about tetrahedra whose corners are all on the surface. \[Labelle07\] leaves them out; but walls of about
/// a cell have hardly any others.
pub(super) fn stuff(field: &LatticeField, warped: &Warped, is_solid: impl Fn([DVec3; 4]) -> bool + Sync) -> Stuffed {
    let points = field.lattice.point_count();
    let cuts: FxHashMap<(u32, u32), u32> =
        warped.cuts.iter().zip(points..).map(|(cut, number)| ((cut.inside, cut.outside), number)).collect();
    let moved: FxHashMap<u32, DVec3> = warped.moved.iter().copied().collect();
    let position = |number: u32| {
        moved.get(&number).copied().unwrap_or_else(|| field.lattice.position(field.lattice.place(number)))
    };
    let is_solid = |numbers: [u32; 4]| is_solid(numbers.map(position));
    let parts: Vec<Vec<[u32; 4]>> = (0..field.blocks.len())
        .into_par_iter()
        .map(|block| match &field.blocks[block] {
            Block::Outside => Vec::new(),
            Block::Inside | Block::Near(_) => fill_block(field, block, &cuts, &is_solid),
        })
        .collect();
    let tets = parts.concat();
    let numbers = RankedBits::new(points as usize + warped.cuts.len(), tets.iter().flatten().copied());
    let mut stuffed = Stuffed {
        mesh: TetMesh { positions: Vec::with_capacity(numbers.len()), tets },
        is_outer: Vec::with_capacity(numbers.len()),
    };
    for number in numbers.iter() {
        let (position, is_outer) = if number >= points {
            (warped.cuts[(number - points) as usize].position, true)
        } else {
            (position(number), field.at(field.lattice.place(number)) == 0.0)
        };
        stuffed.mesh.positions.push(position);
        stuffed.is_outer.push(is_outer);
    }
    stuffed.mesh.tets.par_iter_mut().for_each(|tet| *tet = tet.map(|number| numbers.rank(number).unwrap_or(0) as u32));
    stuffed
}

fn fill_block(
    field: &LatticeField,
    block: usize,
    cuts: &FxHashMap<(u32, u32), u32>,
    is_solid: &impl Fn([u32; 4]) -> bool,
) -> Vec<[u32; 4]> {
    let lattice = &field.lattice;
    let mut tets = Vec::new();
    for cell in 0..BLOCK_CELLS {
        let center = (block * BLOCK_POINTS + BLOCK_CELLS + cell) as u32;
        let place = lattice.place(center);
        let corner = |place| Some(Corner { place, number: lattice.number(place)?, side: Side::of(field.at(place)) });
        let near = Corner { place, number: center, side: Side::of(field.at(place)) };
        for (far, ring) in FACES {
            // What is partly outside of the lattice is wholly outside of the surface.
            let Some(far) = corner(shifted(place, far)) else { continue };
            let [Some(a), Some(b), Some(c), Some(d)] = ring.map(|by| corner(shifted(place, by))) else { continue };
            for [one, other] in [[a, b], [b, c], [c, d], [d, a]] {
                let corners = [near, far, one, other];
                if corners.iter().all(|corner| corner.side == Side::On) {
                    tets.extend(Some(corners.map(|corner| corner.number)).filter(|&tet| is_solid(tet)));
                } else {
                    fill(corners, |inside, outside| cuts[&(inside, outside)], |tet| tets.push(tet));
                }
            }
        }
    }
    tets
}

#[cfg(test)]
mod tests {
    use super::super::cuts::Cut;
    use super::super::lattice::{Lattice, is_long, owned_edges};
    use super::super::quality::angles;
    use super::super::warp::{LONG, SHORT, warp};
    use super::*;
    use crate::geometry::Aabb;
    use crate::geometry::predicates::orient_3d;
    use crate::random::Random;

    /// The bound is one for any surface, so for cuts anywhere: each on its own, with those the worst that are just not too
    /// near to a point, or just too near.
    #[test]
    fn the_angles_are_bounded_wherever_edges_are_cut() {
        let bounds = Aabb { min: DVec3::ZERO, max: DVec3::splat(5.0) };
        let lattice = Lattice::around(&bounds, 1.0);
        let mut random = Random::new(3);
        let mut range = [f64::INFINITY, 0.0];
        for round in 0..200 {
            let inner = |place: [i32; 3]| place.iter().all(|half| (3..12).contains(half));
            let density = 0.2 + 0.6 * random.unit();
            let mut values = Box::new([1.0; BLOCK_POINTS]);
            for number in 0..lattice.point_count() {
                if inner(lattice.place(number)) && random.unit() < density {
                    values[number as usize] = -1.0;
                }
            }
            let mut field = LatticeField { lattice, blocks: vec![Block::Near(values)] };
            let mut cuts = Vec::new();
            for number in 0..lattice.point_count() {
                let place = lattice.place(number);
                for other in owned_edges(place).filter(|&other| lattice.locate(other).is_some()) {
                    if field.at(place) * field.at(other) > 0.0 {
                        continue;
                    }
                    let ends = if field.at(place) < 0.0 { [place, other] } else { [other, place] };
                    let is_long = is_long(place, other);
                    let limit = if is_long { LONG } else { SHORT };
                    let share = match random.next_u64() % 5 {
                        0 => limit,
                        1 => 1.0 - limit,
                        2 => limit - 1e-9,
                        3 => 1.0 - limit + 1e-9,
                        _ if round % 2 == 0 => 0.5,
                        _ => random.unit(),
                    };
                    let [from, to] = ends.map(|end| lattice.position(end));
                    let [inside, outside] = ends.map(|end| lattice.number(end).unwrap());
                    cuts.push(Cut { inside, outside, share, position: from.lerp(to, share), is_long });
                }
            }
            let warped = warp(&mut field, &cuts);
            let stuffed = stuff(&field, &warped, |_| false);
            for tet in 0..stuffed.mesh.tets.len() {
                let corners = stuffed.mesh.corners(tet);
                let [a, b, c, d] = corners;
                assert!(orient_3d(a, b, c, d) > 0.0);
                let [least, most] = angles(corners);
                range = [range[0].min(least), range[1].max(most)];
            }
            let (inside, around) = (stuffed.mesh.volume(), stuffed.mesh.surface().volume());
            assert!((inside - around).abs() <= 1e-9 * inside, "{inside} {around}");
        }
        assert!(range[0] > 10.7 && range[1] < 164.8, "{range:?}");
    }
}
