//! Exact answers on small integers by a way of its own: clipping with fractions.
//!
//! Two triangles meet where a convex combination of one's corners equals one of the other's. The set of pairs is a
//! polytope in the four free weights; Fourier-Motzkin elimination over fractions says whether it is empty.

/// A linear inequality `coefficients · x + constant >= 0`.
type Inequality = ([i128; 4], i128);

fn reduce((mut coefficients, mut constant): Inequality) -> Inequality {
    let gcd = |mut a: i128, mut b: i128| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a.abs()
    };
    let divisor = coefficients.iter().fold(constant, |d, &c| gcd(d, c)).abs().max(1);
    for coefficient in &mut coefficients {
        *coefficient /= divisor;
    }
    constant /= divisor;
    (coefficients, constant)
}

/// Whether a system of inequalities and equations has a real solution.
fn has_solution(mut inequalities: Vec<Inequality>, mut equations: Vec<Inequality>) -> bool {
    let mut open = [true; 4];
    // Equations first: each takes one unknown out.
    while let Some((coefficients, constant)) = equations.pop() {
        let Some(pivot) = (0..4).find(|&i| coefficients[i] != 0) else {
            if constant != 0 {
                return false;
            }
            continue;
        };
        open[pivot] = false;
        let factor = coefficients[pivot];
        let substitute = |(mut other, mut rest): Inequality| {
            let times = other[pivot];
            for i in 0..4 {
                other[i] = (other[i] * factor - coefficients[i] * times) * factor.signum();
            }
            rest = (rest * factor - constant * times) * factor.signum();
            reduce((other, rest))
        };
        inequalities = inequalities.into_iter().map(substitute).collect();
        equations = equations.into_iter().map(substitute).collect();
    }
    for unknown in (0..4).filter(|&i| open[i]) {
        let (mut below, mut above, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for inequality in inequalities {
            match inequality.0[unknown].signum() {
                1 => below.push(inequality),
                -1 => above.push(inequality),
                _ => rest.push(inequality),
            }
        }
        for low in &below {
            for high in &above {
                let (p, q) = (low.0[unknown], -high.0[unknown]);
                rest.push(reduce((std::array::from_fn(|i| low.0[i] * q + high.0[i] * p), low.1 * q + high.1 * p)));
            }
        }
        rest.sort_unstable();
        rest.dedup();
        inequalities = rest;
    }
    inequalities.iter().all(|&(_, constant)| constant >= 0)
}

/// Weights (s, t) and (u, v) of the second and third corners, each in the unit triangle.
fn weights() -> Vec<Inequality> {
    vec![
        ([1, 0, 0, 0], 0),
        ([0, 1, 0, 0], 0),
        ([-1, -1, 0, 0], 1),
        ([0, 0, 1, 0], 0),
        ([0, 0, 0, 1], 0),
        ([0, 0, -1, -1], 1),
    ]
}

fn same_place(a: [[i64; 3]; 3], b: [[i64; 3]; 3]) -> Vec<Inequality> {
    (0..3)
        .map(|axis| {
            let along = |from: [i64; 3], to: [i64; 3]| i128::from(to[axis] - from[axis]);
            ([along(a[0], a[1]), along(a[0], a[2]), -along(b[0], b[1]), -along(b[0], b[2])], along(b[0], a[0]))
        })
        .collect()
}

/// Whether two closed triangles share a point.
pub(in crate::geometry) fn triangles_meet(a: [[i64; 3]; 3], b: [[i64; 3]; 3]) -> bool {
    has_solution(weights(), same_place(a, b))
}

/// Whether two closed triangles share a point other than `apex`, which is in both.
///
/// The shared points form a convex set with `apex`; there is another one if, for a direction along an axis, some scale
/// of it is reached. As corners are integers, a set that is not only the apex reaches at least 2⁻⁴⁰ away along an axis.
pub(in crate::geometry) fn meet_beyond(a: [[i64; 3]; 3], b: [[i64; 3]; 3], apex: [i64; 3]) -> bool {
    (0..3).any(|axis| {
        [1, -1].into_iter().any(|sign| {
            let mut inequalities = weights();
            // sign * (point - apex)[axis] >= 2^-40, multiplied out.
            let scale = 1i128 << 40;
            let along = |to: i64| i128::from(to - a[0][axis]) * scale * sign;
            let start = i128::from(a[0][axis] - apex[axis]) * scale * sign;
            inequalities.push(([along(a[1][axis]), along(a[2][axis]), 0, 0], start - 1));
            has_solution(inequalities, same_place(a, b))
        })
    })
}
