//! Convexes that need no visual mesh (\[Mueller13\] 3.3, step a).
//!
//! A convex that is wholly inside of the visual mesh is seen as it is. So is one that the mesh's surface leaves convex,
//! as it does at flat faces, convex edges and corners: cut by the planes of the faces there it is what is seen of it.
//! That is most of what blows make of walls and blocks, and it spares them all that is done with meshes.

use glam::DVec3;

use super::fit::largest_coordinate;
use super::islands::face_area;
use super::visual::winding_number;
use crate::geometry::{Aabb, Clipped, Convex, ConvexClipper, Plane, PolyMesh};
use crate::tolerance::ON_PLANE;

/// Where a convex is in a visual mesh.
#[allow(clippy::large_enum_variant, reason = "it is taken apart at once")]
#[derive(Debug)]
pub(super) enum Place {
    /// The surface goes through it.
    Across,
    /// It is empty.
    Outside,
    /// What of it is solid is this convex.
    Solid(Convex),
}

/// More faces than this at one convex are rarely convex.
const MOST_FACES: usize = 10;

/// A face of a convex is covered if no more than this share of the convex's surface is not.
const COVERED: f64 = 1e-10;

/// Memory for finding where convexes are.
#[derive(Default)]
pub(super) struct Placing {
    /// For each vertex of the mesh, the sides of the convex's box that it is outside of, one bit each.
    beyond: Vec<u8>,
    /// The faces of the mesh that come into the convex.
    faces: Vec<usize>,
    sides: Vec<Side>,
    polygon: Vec<DVec3>,
    next_polygon: Vec<DVec3>,
    /// The corners of all faces that are in the convex.
    corners: Vec<DVec3>,
    carved: ConvexClipper,
}

/// A plane with faces of the mesh.
struct Side {
    plane: Plane,
    material: u32,
    /// Of the faces, as far as they are in the convex.
    area: f64,
}

impl Placing {
    /// Where what a clipper holds is in a closed mesh.
    pub(super) fn place_of(&mut self, convex: &ConvexClipper, mesh: &PolyMesh) -> Place {
        self.find_faces(convex, mesh);
        if self.find_sides(convex, mesh).is_none() {
            return Place::Across;
        }
        if self.sides.is_empty() {
            let middle = convex.vertices().iter().sum::<DVec3>() / convex.vertices().len() as f64;
            let is_inside = winding_number(mesh, 0..mesh.face_count(), middle) > 0.5;
            return if is_inside { Place::Solid(convex.finish()) } else { Place::Outside };
        }
        match self.carve(convex) {
            Some(carved) => Place::Solid(carved),
            None => Place::Across,
        }
    }

    /// Finds the faces of the mesh that are not wholly outside of the convex's box or of one of its planes.
    fn find_faces(&mut self, convex: &ConvexClipper, mesh: &PolyMesh) {
        let largest = largest_coordinate(&mesh.positions);
        let bounds = Aabb::of_points(convex.vertices().iter().copied()).expanded(2.0 * ON_PLANE * largest);
        self.beyond.clear();
        self.beyond.extend(mesh.positions.iter().map(|position| {
            let [low, high] = [position.cmplt(bounds.min), position.cmpgt(bounds.max)].map(|beyond| beyond.bitmask());
            (low | high << 3) as u8
        }));
        let is_beyond = |face: usize, plane: &Plane| {
            let slack = ON_PLANE * (largest + plane.offset.abs());
            mesh.face_positions(face).all(|corner| plane.signed_distance(corner) > slack)
        };
        let comes_in = |&face: &usize| {
            let corners = mesh.corners[mesh.face_corners(face)].iter();
            // The box costs least and tells of most faces.
            corners.fold(u8::MAX, |all, &vertex| all & self.beyond[vertex as usize]) == 0
                && !convex.planes().iter().any(|plane| is_beyond(face, plane))
        };
        self.faces.clear();
        self.faces.extend((0..mesh.face_count()).filter(comes_in));
    }

    /// Cuts the convex by the planes of the faces in it, if what is solid of it is what that leaves.
    ///
    /// It is if no face is outside of another's plane and if together they cover the sides that the planes make: then no
    /// surface is inside of what is left, and none is missing around it.
    fn carve(&mut self, convex: &ConvexClipper) -> Option<Convex> {
        let slack = 4.0 * ON_PLANE * largest_coordinate(&self.corners);
        let is_convex = self
            .sides
            .iter()
            .all(|side| self.corners.iter().all(|&corner| side.plane.signed_distance(corner) <= slack));
        if !is_convex {
            return None;
        }
        self.carved.start_as(convex);
        if self.sides.iter().any(|side| self.carved.clip(&side.plane, side.material) == Clipped::Nothing) {
            return None;
        }
        let mut carved = self.carved.finish();
        let areas: Vec<f64> = (0..carved.planes().len() as u32).map(|face| face_area(&carved, face)).collect();
        let most = COVERED * areas.iter().sum::<f64>();
        for side in &self.sides {
            // A face may lie in one of the convex's own, which then is there in its place.
            let is_side = |&face: &usize| {
                let plane = &carved.planes()[face];
                *plane == side.plane || lies_in(carved.surface().face_positions(face), plane.normal, &side.plane, slack)
            };
            let face = (0..carved.planes().len()).find(is_side)?;
            if (areas[face] - side.area).abs() > most {
                return None;
            }
            carved.set_material(face as u32, side.material);
        }
        Some(carved)
    }

    /// Finds the planes of the faces, and how much of each is in the convex; `None` if it is not for carving.
    fn find_sides(&mut self, convex: &ConvexClipper, mesh: &PolyMesh) -> Option<()> {
        self.sides.clear();
        self.corners.clear();
        if self.faces.len() > MOST_FACES || mesh.has_attributes() && !self.faces.is_empty() {
            return None;
        }
        for place in 0..self.faces.len() {
            let face = self.faces[place];
            let mut contours = mesh.contours(face);
            let (Some(contour), None) = (contours.next(), contours.next()) else { return None };
            let vertices = &mesh.corners[contour];
            self.polygon.clear();
            self.polygon.extend(vertices.iter().map(|&vertex| mesh.positions[vertex as usize]));
            let slack = 4.0 * ON_PLANE * largest_coordinate(&self.polygon);
            let plane = Plane::through(self.polygon[0], mesh.vector_area(face).try_normalize()?);
            if self.polygon.iter().any(|&corner| plane.signed_distance(corner).abs() > slack) {
                return None;
            }
            let area = self.clip_polygon(convex.planes(), slack);
            if area <= slack * slack {
                continue;
            }
            self.corners.extend(&self.polygon);
            let material = mesh.materials[face];
            let known = self.sides.iter_mut().find(|side| {
                side.material == material && lies_in(self.polygon.iter().copied(), plane.normal, &side.plane, slack)
            });
            match known {
                Some(side) => side.area += area,
                None => self.sides.push(Side { plane, material, area }),
            }
        }
        Some(())
    }

    /// Clips the polygon by planes, and gives its area. What is in a plane but for rounding is kept.
    fn clip_polygon(&mut self, planes: &[Plane], slack: f64) -> f64 {
        for plane in planes {
            let Some(&last) = self.polygon.last() else { return 0.0 };
            self.next_polygon.clear();
            let mut from = (last, plane.signed_distance(last));
            for &corner in &self.polygon {
                let to = (corner, plane.signed_distance(corner));
                if (from.1 <= slack) != (to.1 <= slack) {
                    let share = (from.1 / (from.1 - to.1)).clamp(0.0, 1.0);
                    self.next_polygon.push(from.0 + share * (to.0 - from.0));
                }
                if to.1 <= slack {
                    self.next_polygon.push(corner);
                }
                from = to;
            }
            std::mem::swap(&mut self.polygon, &mut self.next_polygon);
        }
        let Some((&apex, rest)) = self.polygon.split_first() else { return 0.0 };
        let cross = |edge: &[DVec3]| (edge[0] - apex).cross(edge[1] - apex);
        0.5 * rest.windows(2).map(cross).sum::<DVec3>().length()
    }
}

/// Whether corners of a face with a normal lie in a plane, and look the same way.
fn lies_in(mut corners: impl Iterator<Item = DVec3>, normal: DVec3, plane: &Plane, slack: f64) -> bool {
    normal.dot(plane.normal) > 0.0 && corners.all(|corner| plane.signed_distance(corner).abs() <= slack)
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::geometry::shapes::{PiggyBank, Torus};
    use crate::geometry::{Clipper, Pose};
    use crate::random::Random;

    /// What of a mesh is in a convex.
    fn clipped(mesh: &PolyMesh, convex: &Convex) -> f64 {
        let (mut mesh, mut next) = (mesh.clone(), PolyMesh::default());
        for plane in convex.planes() {
            match Clipper::new().clip(&mesh, plane, 0, &mut next) {
                Clipped::Nothing => return 0.0,
                Clipped::Whole => {}
                Clipped::Part => std::mem::swap(&mut mesh, &mut next),
            }
        }
        mesh.mass_properties().volume
    }

    #[test]
    fn what_is_carved_is_what_clipping_leaves() {
        let block = Convex::cuboid(Aabb::around(DVec3::ZERO, DVec3::new(1.0, 0.7, 0.4))).surface().clone();
        let ring = PolyMesh::from(&Torus { major_segments: 12, minor_segments: 5, ..Torus::default() }.mesh().unwrap());
        let bank = PolyMesh::from(&PiggyBank { slot: false, ..PiggyBank::default() }.mesh().unwrap());
        let mut random = Random::new(5);
        let mut placing = Placing::default();
        let (mut solid, mut outside, mut across) = (0, 0, 0);
        for mesh in [&block, &ring, &bank] {
            let (bounds, size) = (mesh.aabb(), mesh.aabb().diagonal());
            for round in 0..400 {
                let half = size * (0.01 + 0.08 * random.unit()) * (0.3 + 0.7 * random.in_cube().abs());
                // Some are in one plane with faces of the mesh, or meet its vertices.
                let vertex = mesh.positions[random.next_u64() as usize % mesh.positions.len()];
                let cell = match round % 3 {
                    0 => Convex::cuboid(Aabb::around(vertex, half)),
                    1 => Convex::cuboid(Aabb { min: vertex, max: vertex + half }),
                    _ => {
                        let turn = DQuat::from_scaled_axis(3.0 * random.in_cube());
                        let place = bounds.center() + 0.55 * bounds.size() * random.in_cube();
                        let pose = Pose { rotation: turn, translation: place };
                        Convex::cuboid(Aabb::around(DVec3::ZERO, half)).transformed(&pose)
                    }
                };
                let mut clipper = ConvexClipper::new();
                clipper.start(&cell);
                let expected = clipped(mesh, &cell);
                let whole = cell.mass_properties().volume;
                match placing.place_of(&clipper, mesh) {
                    Place::Across => across += 1,
                    Place::Outside => {
                        outside += 1;
                        assert!(expected <= 1e-9 * whole, "{expected} of {whole}");
                    }
                    Place::Solid(convex) => {
                        solid += 1;
                        let volume = convex.mass_properties().volume;
                        assert!((volume - expected).abs() <= 1e-9 * whole, "{volume} for {expected} of {whole}");
                    }
                }
            }
        }
        assert!(solid > 200 && outside > 50 && across > 50, "{solid} {outside} {across}");
    }

    #[test]
    fn a_carved_convex_has_the_materials_of_the_surface() {
        let mut block = Convex::cuboid(Aabb::around(DVec3::ZERO, DVec3::ONE)).surface().clone();
        block.materials = vec![1, 2, 3, 4, 5, 6];
        let cell = Convex::cuboid(Aabb { min: DVec3::splat(0.5), max: DVec3::new(1.0, 1.5, 0.9) });
        let mut clipper = ConvexClipper::new();
        clipper.start(&cell);
        let Place::Solid(carved) = Placing::default().place_of(&clipper, &block) else { panic!("not solid") };
        assert!((carved.mass_properties().volume - 0.5 * 0.5 * 0.4).abs() < 1e-15);
        let material = |normal: DVec3| {
            let face = carved.planes().iter().position(|plane| plane.normal.dot(normal) > 0.9).unwrap();
            carved.surface().materials[face]
        };
        let of_block = |normal: DVec3| {
            let face = (0..6).find(|&face| block.vector_area(face).dot(normal) > 0.1).unwrap();
            block.materials[face]
        };
        // The cell lies in one plane with the face towards x, and is cut by the face towards y.
        assert_eq!(material(DVec3::X), of_block(DVec3::X));
        assert_eq!(material(DVec3::Y), of_block(DVec3::Y));
        assert_eq!(material(DVec3::Z), cell.surface().materials[0]);
    }
}
