//! What somebody sees who looks along a ray.

use glam::DVec3;

use super::{BodyId, World};
use crate::geometry::TriMesh;

/// Where a ray meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The body.
    pub body: BodyId,
    /// Where, in the world.
    pub point: DVec3,
    /// How far from the origin.
    pub distance: f64,
}

impl World {
    /// The first place where a ray meets what is seen of a body, or of any. All triangles are looked at: this is for what a
    /// person points at, now and then.
    pub fn cast_ray(&self, origin: DVec3, direction: DVec3, body: Option<BodyId>) -> Option<RayHit> {
        let direction = direction.try_normalize()?;
        let wanted = self.bodies().filter(|&(id, _)| body.is_none_or(|wanted| wanted == id));
        let hits = wanted.filter_map(|(id, seen)| {
            let to_body = self.pose(id)?.inverse();
            let (start, way) = (to_body.transform_point(origin), to_body.transform_vector(direction));
            let distances = seen.looks().values().filter_map(|look| first_hit(look.mesh(), start, way));
            let distance = distances.min_by(f64::total_cmp)?;
            Some(RayHit { body: id, point: origin + distance * direction, distance })
        });
        hits.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }
}

/// How far along a ray the first triangle of a mesh is, whichever way it faces.
fn first_hit(mesh: &TriMesh, origin: DVec3, direction: DVec3) -> Option<f64> {
    let hit = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
        let (ab, ac) = (b - a, c - a);
        let across = direction.cross(ac);
        let determinant = ab.dot(across);
        if determinant == 0.0 {
            return None;
        }
        let from = origin - a;
        let u = from.dot(across) / determinant;
        let turned = from.cross(ab);
        let v = direction.dot(turned) / determinant;
        let distance = ac.dot(turned) / determinant;
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance >= 0.0).then_some(distance)
    };
    mesh.triangles.iter().filter_map(hit).min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Pose, shapes};
    use crate::random::Random;
    use crate::world::{BodyDescription, Motion, Representation, WorldOptions};
    use glam::DQuat;

    #[test]
    fn a_ray_meets_a_turned_box_where_its_sides_say() {
        let mut world = World::new(&WorldOptions::default());
        let size = DVec3::new(1.0, 2.0, 0.5);
        let pose = Pose { rotation: DQuat::from_rotation_z(0.7), translation: DVec3::new(0.3, 1.0, -0.2) };
        let add = |world: &mut World, name: &str, pose: Pose| {
            let cuboid = Representation::Cuboid { half_extents: 0.5 * size };
            let description = BodyDescription::new(name, shapes::cuboid(size), cuboid);
            world.add(BodyDescription { pose, motion: Motion::Fixed, ..description }).unwrap()
        };
        let near = add(&mut world, "near", pose);
        let far = add(&mut world, "far", Pose::at(DVec3::new(0.0, 0.0, -40.0)));
        let mut random = Random::new(4);
        let (mut hits, mut misses) = (0, 0);
        for _ in 0..500 {
            let origin = 6.0 * random.in_cube().normalize();
            let direction = (pose.translation + 1.2 * random.in_cube() - origin).normalize();
            // Slabs, in the coordinates of the box.
            let to_body = pose.inverse();
            let (start, way) = (to_body.transform_point(origin), to_body.transform_vector(direction));
            let [a, b] = [(-0.5 * size - start) / way, (0.5 * size - start) / way];
            let (enter, leave) = (a.min(b).max_element(), a.max(b).min_element());
            let found = world.cast_ray(origin, direction, Some(near));
            if (enter - leave).abs() < 1e-9 {
                continue;
            }
            match found {
                Some(hit) => {
                    hits += 1;
                    assert!(enter < leave && (hit.distance - enter).abs() < 1e-9, "{enter} {leave} {hit:?}");
                    assert_eq!(world.cast_ray(origin, direction, None).unwrap().body, near);
                }
                None => {
                    misses += 1;
                    assert!(enter > leave);
                }
            }
        }
        assert!(hits > 50 && misses > 50, "{hits} {misses}");
        let hit = world.cast_ray(DVec3::new(0.0, 0.0, -60.0), DVec3::Z * 7.0, None).unwrap();
        assert_eq!((hit.body, hit.distance), (far, 19.75));
        assert!(world.cast_ray(DVec3::ZERO, DVec3::ZERO, None).is_none());
        assert!(world.cast_ray(DVec3::NAN, DVec3::X, None).is_none());
    }
}
