//! Directions in 16 bits, by the octahedron: the sphere is pressed onto |x| + |y| + |z| = 127, the lower half folded out,
//! and two coordinates kept. Integers only, so that every machine packs alike; the axes are packed exactly.

/// The sum of the absolute coordinates of an unpacked direction.
pub const SCALE: i32 = 127;

/// What packs to nothing: the direction of a sum that is zero.
const UP: [i32; 3] = [0, 0, SCALE];

/// A direction, from a vector of any length; the zero vector becomes +z. Coordinates below 2^21 in absolute value.
#[inline]
pub const fn pack(vector: [i32; 3]) -> u16 {
    let [x, y, z] = vector;
    let length = x.abs() + y.abs() + z.abs();
    let [x, y, z] = if length == 0 { UP } else { vector };
    let length = if length == 0 { SCALE } else { length };
    // Folding before rounding: on the lower half, what is kept is the distance to the rim.
    let (u, v) = if z < 0 { ((length - y.abs()) * sign(x), (length - x.abs()) * sign(y)) } else { (x, y) };
    (round(u, length) + SCALE) as u16 | ((round(v, length) + SCALE) as u16) << 8
}

/// The direction that was packed, as a vector whose absolute coordinates sum to [`SCALE`].
#[inline]
pub const fn unpack(packed: u16) -> [i32; 3] {
    let u = (packed & 0xff) as i32 - SCALE;
    let v = (packed >> 8) as i32 - SCALE;
    let z = SCALE - u.abs() - v.abs();
    if z < 0 { [(SCALE - v.abs()) * sign(u), (SCALE - u.abs()) * sign(v), z] } else { [u, v, z] }
}

/// The direction of the sum of some; that of all of them if they are the same, as on flat faces.
#[inline]
pub fn mean(packed: &[u16]) -> u16 {
    if let Some((&first, rest)) = packed.split_first()
        && rest.iter().all(|&other| other == first)
    {
        return first;
    }
    let mut sum = [0; 3];
    for &direction in packed {
        let [x, y, z] = unpack(direction);
        sum = [sum[0] + x, sum[1] + y, sum[2] + z];
    }
    pack(sum)
}

#[inline]
const fn sign(value: i32) -> i32 {
    if value < 0 { -1 } else { 1 }
}

/// The nearest integer to `SCALE * value / length`, halves away from zero.
#[inline]
const fn round(value: i32, length: i32) -> i32 {
    (2 * SCALE * value + sign(value) * length) / (2 * length)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn axes_are_exact() {
        for axis in 0..3 {
            for direction in [-1, 1] {
                let mut vector = [0; 3];
                vector[axis] = 1000 * direction;
                let mut expected = [0; 3];
                expected[axis] = SCALE * direction;
                assert_eq!(unpack(pack(vector)), expected);
            }
        }
    }

    #[test]
    fn what_is_unpacked_packs_to_itself() {
        for u in 0..255u16 {
            for v in 0..255u16 {
                let direction = unpack(u | v << 8);
                assert_eq!(direction.iter().map(|c| c.abs()).sum::<i32>(), SCALE);
                assert_eq!(unpack(pack(direction)), direction);
            }
        }
    }

    proptest! {
        #[test]
        fn directions_are_kept_to_about_a_degree(vector in prop::array::uniform3(-100_000i32..100_000)) {
            prop_assume!(vector != [0; 3]);
            let length = |v: [i32; 3]| v.iter().map(|&c| f64::from(c) * f64::from(c)).sum::<f64>().sqrt();
            let back = unpack(pack(vector));
            let dot: f64 = vector.iter().zip(back).map(|(&a, b)| f64::from(a) * f64::from(b)).sum();
            prop_assert!(dot / (length(vector) * length(back)) > (1.3f64).to_radians().cos());
        }
    }
}
