//! Forms of a mesh that are only the mesh in another place.

use glam::{DMat3, DQuat, DVec3};

use crate::geometry::{Aabb, Pose};

/// How far a vertex may be from where the motion takes it, as a part of the diagonal of the box around the form. Recorded
/// forms are on a lattice with 65,535 steps along each side of that box, half of which is 0.64 of this.
const TOLERANCE: f64 = 1.2e-5;

/// The same as a part of the largest coordinate: recorded meshes and boxes are in single precision.
const ROUNDING: f64 = 4.0 * f32::EPSILON as f64;

/// Turns until the rotation stands still, and how many of them are those for far away.
const MOST_TURNS: usize = 40;
const FAR_TURNS: usize = 20;

/// The motion that takes points to where they are in another form, to within the lattice of recorded forms; nothing if
/// they also change their shape. The turn that is likely, such as the frame's before, is where the search begins.
pub(super) fn rigid_motion(from: &[DVec3], to: &[DVec3], likely: DQuat) -> Option<Pose> {
    if from.is_empty() || from.len() != to.len() {
        return None;
    }
    let mean = |points: &[DVec3]| points.iter().sum::<DVec3>() / points.len() as f64;
    let (from_center, to_center) = (mean(from), mean(to));
    let mut spread = DMat3::ZERO;
    for (one, other) in from.iter().zip(to) {
        let (one, other) = (*one - from_center, *other - to_center);
        spread += DMat3::from_cols(other * one.x, other * one.y, other * one.z);
    }
    let largest = from.iter().chain(to).map(|point| point.abs().max_element()).fold(0.0, f64::max);
    let allowed = TOLERANCE * Aabb::of_points(to.iter().copied()).diagonal() + ROUNDING * largest;
    // A body that turned by half since the frame before is found from one of the other starts.
    let starts = [DQuat::IDENTITY, DQuat::from_rotation_x(2.0), DQuat::from_rotation_y(2.0)];
    starts.into_iter().map(|turn| likely * turn).find_map(|start| {
        let rotation = rotation_of(&spread, start);
        let motion = Pose { rotation, translation: to_center - rotation * from_center };
        let is_near = |(one, other): (&DVec3, &DVec3)| motion.transform_point(*one).distance(*other) <= allowed;
        from.iter().zip(to).all(is_near).then_some(motion)
    })
}

/// The rotation nearest to a matrix, by turns about the axis along which its columns pull the rotation's (Müller, Bender,
/// Chentanez and Macklin 2016, "A robust method to extract the rotational part of deformations"), which come near from
/// anywhere, and then by those of Newton, which end.
fn rotation_of(matrix: &DMat3, start: DQuat) -> DQuat {
    let mut rotation = start.normalize();
    for round in 0..MOST_TURNS {
        let own = DMat3::from_quat(rotation);
        let columns = [(own.x_axis, matrix.x_axis), (own.y_axis, matrix.y_axis), (own.z_axis, matrix.z_axis)];
        let pull: DVec3 = columns.iter().map(|(own, other)| own.cross(*other)).sum();
        let along: f64 = columns.iter().map(|(own, other)| own.dot(*other)).sum();
        let turn = if round < FAR_TURNS {
            pull / (along.abs() + f64::MIN_POSITIVE)
        } else {
            let product = *matrix * own.transpose();
            let even = 0.5 * (product + product.transpose());
            // Slightly more than there is, so that a rod, for which any turn about itself is as good, has an answer.
            (DMat3::from_diagonal(DVec3::splat((1.0 + 1e-12) * along)) - even).inverse() * pull
        };
        let angle = turn.length();
        if !angle.is_finite() || angle < 1e-13 {
            break;
        }
        rotation = (DQuat::from_axis_angle(turn / angle, angle) * rotation).normalize();
    }
    rotation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn motions_are_found_from_any_start_and_nothing_else_is_one() {
        let mut random = Random::new(5);
        for round in 0..200 {
            let points: Vec<DVec3> = (0..30).map(|_| DVec3::new(1.0, 0.3, 2.0) * random.in_cube() + DVec3::X).collect();
            let axis = random.in_cube().normalize_or(DVec3::X);
            let angle = f64::from(round) * std::f64::consts::PI / 199.0;
            let motion = Pose::new(DQuat::from_axis_angle(axis, angle), 5.0 * random.in_cube());
            let moved: Vec<DVec3> = points.iter().map(|&point| motion.transform_point(point)).collect();
            let found = rigid_motion(&points, &moved, DQuat::IDENTITY).expect("a motion");
            assert!((found.translation - motion.translation).length() < 1e-9, "{angle}");
            assert!(found.rotation.dot(motion.rotation).abs() > 1.0 - 1e-12, "{angle}");
            let mut bent = moved.clone();
            bent[7] += DVec3::Y * 0.01;
            assert!(rigid_motion(&points, &bent, motion.rotation).is_none());
            // A reflection is no motion.
            let mirrored: Vec<DVec3> = points.iter().map(|point| point.with_x(-point.x)).collect();
            assert!(rigid_motion(&points, &mirrored, DQuat::IDENTITY).is_none());
        }
        assert!(rigid_motion(&[], &[], DQuat::IDENTITY).is_none());
        let one = rigid_motion(&[DVec3::ZERO], &[DVec3::X], DQuat::IDENTITY).unwrap();
        assert_eq!(one.translation, DVec3::X);
    }
}
