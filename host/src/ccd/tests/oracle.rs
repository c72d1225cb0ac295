//! Whether and when there is a contact, in rational arithmetic.
//!
//! At the first contact the four points are in one plane. If they are not so all the time, it is at a root of a cubic; else
//! something else changes its sign there: a side of the domain, seen along an axis, or an order along an axis. So contact is
//! only asked for at finitely many algebraic numbers, and that takes signs of polynomials at them.

use num_rational::BigRational;
use num_traits::{One, Zero};

use super::polynomial::{Polynomial, Root};
use crate::ccd::{Kind, Query};

type Vector = [Polynomial; 3];

fn rational(value: f64) -> BigRational {
    BigRational::from_float(value).expect("coordinates are finite")
}

/// A coordinate times 2⁶⁰, which changes no sign and leaves integers of most: their fractions need not be reduced.
fn coordinate(value: f64) -> BigRational {
    rational(value) * rational(2f64.powi(60))
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    let component = |i: usize, j: usize| a[i].times(&b[j]).minus(&a[j].times(&b[i]));
    [component(1, 2), component(2, 0), component(0, 1)]
}

fn minus(a: &Vector, b: &Vector) -> Vector {
    [0, 1, 2].map(|axis| a[axis].minus(&b[axis]))
}

/// What is asked about one instant.
struct Signs {
    volume: Polynomial,
    normal: Vector,
    /// u, v and what is left to the other sides of the domain, times the normal.
    sides: Vec<Vector>,
    /// Whether the offset and the longer vectors are in line.
    bends: Vec<Vector>,
    /// The corners of the domain, less the offset.
    corners: Vec<Vector>,
}

impl Signs {
    fn of(query: &Query) -> Signs {
        let moving = |point: usize| -> Vector {
            let [start, end] = [query.start[point], query.end[point]].map(|point| point.to_array());
            [0, 1, 2].map(|axis| {
                let (from, to) = (coordinate(start[axis]), coordinate(end[axis]));
                Polynomial::new(vec![from.clone(), to - from])
            })
        };
        let [a, b, c, d] = [0, 1, 2, 3].map(moving);
        let (offset, first, second) = match query.kind {
            Kind::VertexFace => (minus(&a, &b), minus(&c, &b), minus(&d, &b)),
            Kind::EdgeEdge => (minus(&c, &a), minus(&b, &a), minus(&c, &d)),
        };
        let normal = cross(&first, &second);
        let [u, v] = [cross(&offset, &second), cross(&first, &offset)];
        let volume = (0..3).fold(Polynomial::new(vec![]), |sum, i| sum.plus(&offset[i].times(&normal[i])));
        let mut corners =
            vec![minus(&minus(&offset, &offset), &offset), minus(&first, &offset), minus(&second, &offset)];
        let mut sides = vec![u.clone(), v.clone()];
        match query.kind {
            Kind::VertexFace => sides.push(minus(&minus(&normal, &u), &v)),
            Kind::EdgeEdge => {
                sides.extend([minus(&normal, &u), minus(&normal, &v)]);
                corners.push([0, 1, 2].map(|axis| corners[1][axis].plus(&second[axis])));
            }
        }
        Signs { volume, normal, sides, bends: vec![u, v], corners }
    }

    /// Whether there is a contact at an instant at which the volume is zero.
    fn contact(&self, at: &mut Root) -> bool {
        for axis in 0..3 {
            let normal = at.sign(&self.normal[axis]);
            if normal != 0 {
                return self.sides.iter().all(|side| at.sign(&side[axis]) * normal >= 0);
            }
        }
        let in_line = self.bends.iter().flatten().all(|bend| at.sign(bend) == 0);
        in_line
            && (0..3).all(|axis| {
                let signs: Vec<i32> = self.corners.iter().map(|corner| at.sign(&corner[axis])).collect();
                signs.iter().any(|&sign| sign >= 0) && signs.iter().any(|&sign| sign <= 0)
            })
    }
}

/// The time of the first contact, from below and from above, at most 2⁻⁴⁰ apart; `None` if there is none.
pub(super) fn first_contact(query: &Query) -> Option<[f64; 2]> {
    let signs = Signs::of(query);
    let mut instants = if signs.volume.is_zero() {
        let others = signs.sides.iter().chain(&signs.corners).chain([&signs.normal]).flatten();
        let start = Polynomial::new(vec![BigRational::zero(), BigRational::one()]);
        let changing = others.filter(|polynomial| !polynomial.is_zero());
        changing.chain([&start]).flat_map(Polynomial::roots).collect()
    } else {
        signs.volume.roots()
    };
    let mut first: Option<[f64; 2]> = None;
    let width = rational(2f64.powi(-40));
    for root in &mut instants {
        if signs.contact(root) {
            root.narrow(&width);
            let [low, high] = [&root.low, &root.high].map(double);
            first = Some(first.map_or([low, high], |[a, b]| [a.min(low), b.min(high)]));
        }
    }
    first
}

/// The nearest double to a time, up to a rounding or two.
fn double(t: &BigRational) -> f64 {
    num_traits::ToPrimitive::to_f64(t).expect("times are between 0 and 1")
}
