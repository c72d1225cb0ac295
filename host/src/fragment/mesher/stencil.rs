//! What of a lattice tetrahedron is inside, as tetrahedra (\[Labelle07\] 3.2, Figure 3).

use super::lattice::{Place, is_long};

/// A corner of a lattice tetrahedron.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub(super) place: Place,
    pub(super) number: u32,
    pub(super) side: Side,
}

/// Where a lattice point is, in the order that a stencil wants them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Inside,
    On,
    Outside,
}

impl Side {
    #[inline]
    pub(super) fn of(distance: f64) -> Side {
        if distance < 0.0 {
            Side::Inside
        } else if distance == 0.0 {
            Side::On
        } else {
            Side::Outside
        }
    }
}

/// Hands out the tetrahedra that a positive lattice tetrahedron has inside, positive as well. `cut` names the vertex where
/// the edge from an inner to an outer corner is cut.
pub(super) fn fill(mut corners: [Corner; 4], cut: impl Fn(u32, u32) -> u32, mut emit: impl FnMut([u32; 4])) {
    if corners.iter().all(|corner| corner.side != Side::Inside) {
        return;
    }
    let is_even = sort(&mut corners);
    let mut emit = |[a, b, c, d]: [u32; 4]| emit(if is_even { [a, b, c, d] } else { [a, b, d, c] });
    let [p, q, r, s] = corners;
    let cut = |from: Corner, to: Corner| cut(from.number, to.number);
    let end = |from: Corner, to: Corner| if to.side == Side::Outside { cut(from, to) } else { to.number };
    match corners.map(|corner| corner.side) {
        [.., Side::Inside | Side::On] => emit(corners.map(|corner| corner.number)),
        [_, Side::On | Side::Outside, ..] => emit([p.number, end(p, q), end(p, r), end(p, s)]),
        [_, _, Side::On, _] => {
            let (to_p, to_q) = (cut(p, s), cut(q, s));
            if starts_at_first(p.place, q.place, s.place) {
                emit([p.number, q.number, r.number, to_q]);
                emit([p.number, to_q, r.number, to_p]);
            } else {
                emit([p.number, q.number, r.number, to_p]);
                emit([to_p, q.number, r.number, to_q]);
            }
        }
        [_, _, Side::Outside, _] => {
            let bottom = [p.number, cut(p, r), cut(p, s)];
            let top = [q.number, cut(q, r), cut(q, s)];
            let first = starts_at_first(p.place, q.place, r.place);
            let second = starts_at_first(p.place, q.place, s.place);
            // The third is on the surface and nobody else's; it must not go round with the others.
            prism(bottom, top, [first, !first, second], emit);
        }
        [_, _, Side::Inside, _] => {
            let [a, b, c] = [p, q, r].map(|corner| corner.place);
            let diagonals = [(a, b), (b, c), (a, c)].map(|(one, other)| starts_at_first(one, other, s.place));
            prism([p, q, r].map(|corner| corner.number), [p, q, r].map(|corner| cut(corner, s)), diagonals, emit);
        }
    }
}

/// Sorts corners by side; says whether an even number of swaps did it.
fn sort(corners: &mut [Corner; 4]) -> bool {
    let mut is_even = true;
    for end in (1..4).rev() {
        for place in 0..end {
            if corners[place].side > corners[place + 1].side {
                corners.swap(place, place + 1);
                is_even = !is_even;
            }
        }
    }
    is_even
}

/// How the quadrilateral between two inner corners and the cuts on their edges to an outer one is halved: whether its
/// diagonal starts at the first, and so ends at the cut from the second. The same from both sides of the face.
fn starts_at_first(one: Place, other: Place, outer: Place) -> bool {
    match (is_long(one, outer), is_long(other, outer)) {
        // It ends at the cut of the long edge.
        (true, _) => false,
        (_, true) => true,
        // The parity rule: the corner has an odd number of coordinates above those of the cut.
        _ => {
            let above = |axis: usize| {
                if one[axis] == other[axis] { outer[axis] < other[axis] } else { one[axis] > other[axis] }
            };
            (0..3).filter(|&axis| above(axis)).count() % 2 == 1
        }
    }
}

/// Cuts a prism into three. The diagonals of its sides from the first to the second, the second to the third and the first
/// to the third corner start at the bottom of the former, or else at the bottom of the latter; not all in one turn.
fn prism(
    bottom: [u32; 3],
    top: [u32; 3],
    [first_second, second_third, first_third]: [bool; 3],
    mut emit: impl FnMut([u32; 4]),
) {
    let starts = [
        u8::from(first_second) + u8::from(first_third),
        u8::from(!first_second) + u8::from(second_third),
        u8::from(!second_third) + u8::from(!first_third),
    ];
    let corner = |count: u8| starts.iter().position(|&starts| starts == count).expect("the diagonals do not go round");
    let (most, some, none) = (corner(2), corner(1), corner(0));
    let is_even = (most + 1) % 3 == some;
    let mut emit = |[a, b, c, d]: [u32; 4]| emit(if is_even { [a, b, c, d] } else { [a, c, b, d] });
    emit([bottom[most], bottom[some], bottom[none], top[none]]);
    emit([bottom[most], bottom[some], top[none], top[some]]);
    emit([bottom[most], top[some], top[none], top[most]]);
}
