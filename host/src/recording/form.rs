//! Where the vertices of a mesh that deforms are: sixteen bits for each coordinate.

use glam::{DVec3, Vec3};

use super::fields::{Fields, put_f32s};
use crate::geometry::Aabb;

/// The positions of all vertices of a mesh, each on a lattice of 65,536 steps along every side of the box around them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Form {
    corner: Vec3,
    step: Vec3,
    places: Vec<[u16; 3]>,
}

impl Form {
    pub(crate) fn new(positions: &[DVec3]) -> Form {
        let bounds = Aabb::of_points(positions.iter().copied());
        if bounds.is_empty() {
            return Form { corner: Vec3::ZERO, step: Vec3::ZERO, places: Vec::new() };
        }
        let corner = bounds.min.as_vec3();
        let step = ((bounds.max - corner.as_dvec3()) / f64::from(u16::MAX)).as_vec3();
        // A box without extent along an axis has one place there.
        let steps = step.as_dvec3().map(|step| if step > 0.0 { 1.0 / step } else { 0.0 });
        let place = |position: &DVec3| {
            let along = (*position - corner.as_dvec3()) * steps;
            // What is beyond, by the rounding of the box, goes to its border.
            along.to_array().map(|along| along.round() as u16)
        };
        Form { corner, step, places: positions.iter().map(place).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn positions(&self) -> Vec<DVec3> {
        let (corner, step) = (self.corner.as_dvec3(), self.step.as_dvec3());
        let position = |place: &[u16; 3]| corner + step * DVec3::from_array(place.map(f64::from));
        self.places.iter().map(position).collect()
    }

    /// Writes differences from one vertex to the next, all low bytes of an axis, then all high ones: neighbours in a mesh
    /// are often neighbours in its list, so the high bytes are nearly all the same.
    pub(crate) fn put(&self, payload: &mut Vec<u8>) {
        put_f32s(payload, &self.corner.to_array());
        put_f32s(payload, &self.step.to_array());
        for axis in 0..3 {
            let before = std::iter::once(0).chain(self.places.iter().map(|place| place[axis]));
            let differences =
                || self.places.iter().zip(before.clone()).map(|(place, last)| place[axis].wrapping_sub(last));
            payload.extend(differences().map(|difference| difference as u8));
            payload.extend(differences().map(|difference| (difference >> 8) as u8));
        }
    }

    /// Reads what was put, of so many vertices.
    pub(crate) fn take(fields: &mut Fields<'_>, count: usize) -> Result<Form, &'static str> {
        let [corner, step] =
            [fields.words()?, fields.words()?].map(|words| Vec3::from_array(words.map(f32::from_bits)));
        let far = corner.as_dvec3() + f64::from(u16::MAX) * step.as_dvec3();
        if !(corner.is_finite() && step.is_finite() && far.as_vec3().is_finite()) {
            return Err("a form is not finite");
        }
        let length = count.checked_mul(6).ok_or("the chunk is too short")?;
        let bytes = fields.bytes(length)?;
        let mut places = vec![[0; 3]; count];
        for axis in 0..3 {
            let (low, high) = bytes[2 * axis * count..2 * (axis + 1) * count].split_at(count);
            let mut last = 0u16;
            for ((place, &low), &high) in places.iter_mut().zip(low).zip(high) {
                last = last.wrapping_add(u16::from_le_bytes([low, high]));
                place[axis] = last;
            }
        }
        Ok(Form { corner, step, places })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn positions_come_back_to_within_half_a_step() {
        let mut random = Random::new(3);
        let size = DVec3::new(5.0, 0.01, 300.0);
        let mut positions: Vec<DVec3> = (0..1000).map(|_| 7.0 + size * random.in_cube()).collect();
        for flat in [false, true] {
            positions.iter_mut().filter(|_| flat).for_each(|position| position.y = -2.0);
            let form = Form::new(&positions);
            let mut payload = Vec::new();
            form.put(&mut payload);
            assert_eq!(payload.len(), 24 + 6 * positions.len());
            let read = Form::take(&mut Fields(&payload), positions.len()).unwrap();
            assert_eq!(read, form);
            for (found, expected) in read.positions().iter().zip(&positions) {
                let error = (*found - *expected).abs() / size;
                assert!(
                    error.max_element() <= 1.01 / f64::from(u16::MAX) + 1e-4 * f64::from(u8::from(flat)),
                    "{error}"
                );
            }
            assert!(Form::take(&mut Fields(&payload), positions.len() + 1).is_err());
            assert!(Form::take(&mut Fields(&payload), usize::MAX).is_err());
            // Each step is finite, all together are not.
            payload[12..16].copy_from_slice(&1e37f32.to_le_bytes());
            assert_eq!(Form::take(&mut Fields(&payload), positions.len()), Err("a form is not finite"));
        }
        assert_eq!(Form::new(&[]).positions(), []);
    }
}
