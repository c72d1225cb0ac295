//! The solids that a visual mesh consists of (\[Mueller13\] 3.3, step b).

use glam::{DVec2, DVec3};

use crate::geometry::{Aabb, DisjointSets, PolyMesh};

/// The closed surface of no volume that rounding may leave, relative to the cube of the mesh's diagonal.
const SLIVER: f64 = 1e-12;

/// So many vertices of a cavity are asked where they are, for as long as they may lie on the surface of the other solid.
const ASKED: usize = 8;

/// The connected solids of a closed mesh, in the order of their first faces.
///
/// Faces hang together by the vertices that they share. A surface that is turned inwards is a cavity and goes to the
/// smallest solid around it. Faces keep their order and their attributes; vertices that no face has are dropped.
pub(crate) fn islands(mesh: PolyMesh) -> Vec<PolyMesh> {
    let mut components = Components::of(&mesh);
    if components.count > 1 {
        components.join_cavities(&mesh);
    }
    match components.count {
        0 => Vec::new(),
        1 if !components.has_dropped => vec![compacted(mesh)],
        _ => components.split(&mesh),
    }
}

/// A face that belongs to nothing any more.
const DROPPED: u32 = u32::MAX;

struct Components {
    /// Of each face, counted in the order of first faces.
    of_face: Vec<u32>,
    count: usize,
    has_dropped: bool,
}

impl Components {
    fn of(mesh: &PolyMesh) -> Components {
        let mut sets = DisjointSets::new(mesh.positions.len());
        for face in 0..mesh.face_count() {
            let mut corners = mesh.contours(face).flat_map(|contour| &mesh.corners[contour]);
            if let Some(&first) = corners.next() {
                corners.for_each(|&corner| {
                    sets.join(first, corner);
                });
            }
        }
        let mut numbers = vec![DROPPED; mesh.positions.len()];
        let mut count = 0;
        let of_face = (0..mesh.face_count())
            .map(|face| {
                let corner = mesh.contours(face).next().map_or(0, |contour| contour.start);
                let number = &mut numbers[sets.find(mesh.corners[corner]) as usize];
                if *number == DROPPED {
                    *number = count;
                    count += 1;
                }
                *number
            })
            .collect();
        Components { of_face, count: count as usize, has_dropped: false }
    }

    /// Gives each cavity to the smallest solid around it. One that is in no solid is a piece of its own, unless it is
    /// nothing but rounding.
    fn join_cavities(&mut self, mesh: &PolyMesh) {
        let shells = self.shells(mesh);
        if shells.iter().all(|shell| shell.volume > 0.0) || shells.iter().all(|shell| shell.volume <= 0.0) {
            return;
        }
        let mut faces: Vec<Vec<u32>> = vec![Vec::new(); self.count];
        for (face, &component) in self.of_face.iter().enumerate() {
            faces[component as usize].push(face as u32);
        }
        let nothing = SLIVER * mesh.aabb().diagonal().powi(3);
        let mut homes: Vec<u32> = (0..self.count as u32).collect();
        for (cavity, shell) in shells.iter().enumerate().filter(|(_, shell)| shell.volume <= 0.0) {
            let is_around = |&outer: &usize| {
                let other = &shells[outer];
                other.volume >= -shell.volume
                    && other.bounds.contains(shell.bounds.min)
                    && other.bounds.contains(shell.bounds.max)
                    && contains(mesh, &faces[outer], &faces[cavity])
            };
            let by_volume = |a: &usize, b: &usize| shells[*a].volume.total_cmp(&shells[*b].volume);
            let outers = (0..self.count).filter(|&outer| shells[outer].volume > 0.0);
            homes[cavity] = match outers.filter(is_around).min_by(by_volume) {
                Some(home) => home as u32,
                None if -shell.volume <= nothing => DROPPED,
                None => cavity as u32,
            };
        }
        self.move_to(&homes);
    }

    /// Moves each component into another, and counts again.
    fn move_to(&mut self, homes: &[u32]) {
        let mut numbers = vec![DROPPED; self.count];
        let mut count = 0;
        for component in &mut self.of_face {
            let home = homes[*component as usize];
            if home == DROPPED {
                *component = DROPPED;
                self.has_dropped = true;
                continue;
            }
            let number = &mut numbers[home as usize];
            if *number == DROPPED {
                *number = count;
                count += 1;
            }
            *component = *number;
        }
        self.count = count as usize;
    }

    fn shells(&self, mesh: &PolyMesh) -> Vec<Shell> {
        let mut shells = vec![Shell { reference: None, volume: 0.0, bounds: Aabb::EMPTY }; self.count];
        for (face, &component) in self.of_face.iter().enumerate() {
            let shell = &mut shells[component as usize];
            mesh.for_each_fanned(face, |corners| {
                let reference = *shell.reference.get_or_insert(corners[0]);
                let [a, b, c] = corners.map(|corner| corner - reference);
                shell.volume += a.dot(b.cross(c)) / 6.0;
                shell.bounds = corners.into_iter().fold(shell.bounds, Aabb::including);
            });
        }
        shells
    }

    fn split(&self, mesh: &PolyMesh) -> Vec<PolyMesh> {
        let empty = PolyMesh {
            corner_normals: mesh.corner_normals.as_ref().map(|_| Vec::new()),
            corner_uvs: mesh.corner_uvs.as_ref().map(|_| Vec::new()),
            corner_colors: mesh.corner_colors.as_ref().map(|_| Vec::new()),
            ..PolyMesh::default()
        };
        let mut pieces = vec![empty; self.count];
        // A vertex is in one component only, so one list of numbers does for all.
        let mut numbers = vec![u32::MAX; mesh.positions.len()];
        for (face, &component) in self.of_face.iter().enumerate() {
            let Some(piece) = pieces.get_mut(component as usize) else { continue };
            for contour in mesh.contours(face) {
                for &vertex in &mesh.corners[contour.clone()] {
                    let number = &mut numbers[vertex as usize];
                    if *number == u32::MAX {
                        *number = piece.positions.len() as u32;
                        piece.positions.push(mesh.positions[vertex as usize]);
                    }
                    piece.corners.push(*number);
                }
                extend(&mut piece.corner_normals, &mesh.corner_normals, &contour);
                extend(&mut piece.corner_uvs, &mesh.corner_uvs, &contour);
                extend(&mut piece.corner_colors, &mesh.corner_colors, &contour);
                piece.contour_ends.push(piece.corners.len() as u32);
            }
            piece.face_ends.push(piece.contour_ends.len() as u32);
            piece.materials.push(mesh.materials[face]);
        }
        pieces
    }
}

#[derive(Clone)]
struct Shell {
    /// A point of it, about which its volume is summed.
    reference: Option<DVec3>,
    volume: f64,
    bounds: Aabb,
}

fn extend<T: Copy>(piece: &mut Option<Vec<T>>, mesh: &Option<Vec<T>>, corners: &std::ops::Range<usize>) {
    if let (Some(piece), Some(mesh)) = (piece, mesh) {
        piece.extend_from_slice(&mesh[corners.clone()]);
    }
}

/// Without the vertices that no face has.
fn compacted(mut mesh: PolyMesh) -> PolyMesh {
    let mut used = vec![false; mesh.positions.len()];
    mesh.corners.iter().for_each(|&vertex| used[vertex as usize] = true);
    if used.iter().all(|&used| used) {
        return mesh;
    }
    let mut kept = 0;
    let numbers: Vec<u32> = used
        .iter()
        .map(|&used| {
            kept += u32::from(used);
            kept.wrapping_sub(1)
        })
        .collect();
    mesh.corners.iter_mut().for_each(|vertex| *vertex = numbers[*vertex as usize]);
    let mut used = used.iter();
    mesh.positions.retain(|_| used.next() == Some(&true));
    mesh
}

/// Whether a shell that does not pass through another is inside of it: whether its vertices are.
fn contains(mesh: &PolyMesh, outer: &[u32], inner: &[u32]) -> bool {
    let corners = inner.iter().filter_map(|&face| mesh.contours(face as usize).next()).map(|contour| contour.start);
    let mut turns = 0.0;
    for corner in corners.take(ASKED) {
        turns = winding_number(mesh, outer.iter().map(|&face| face as usize), mesh.corner_position(corner));
        if !(0.1..0.9).contains(&turns) {
            break;
        }
    }
    turns >= 0.5
}

/// How often a closed surface goes round a point: the sum of the solid angles of its triangles, over that of a sphere.
pub(super) fn winding_number(mesh: &PolyMesh, faces: impl Iterator<Item = usize>, point: DVec3) -> f64 {
    // The sum of the half angles as a direction and the turns that it made: one arc tangent in the end, not one a triangle.
    let (mut sum, mut turns) = (DVec2::X, 0.0);
    for face in faces {
        mesh.for_each_fanned(face, |corners| {
            let [a, b, c] = corners.map(|corner| corner - point);
            let [x, y, z] = [a.length(), b.length(), c.length()];
            let half = DVec2::new(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y, a.dot(b.cross(c)));
            let size = half.abs().max_element();
            if size == 0.0 {
                return;
            }
            let next = sum.rotate(half / size);
            // Two angles to one side that add up to one on the other went past half a turn.
            if sum.y >= 0.0 && half.y >= 0.0 && next.y < 0.0 {
                turns += 1.0;
            } else if sum.y < 0.0 && half.y < 0.0 && next.y >= 0.0 {
                turns -= 1.0;
            }
            sum = next / next.abs().max_element();
        });
    }
    turns + sum.to_angle() / std::f64::consts::TAU
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shapes::{Figure, PiggyBank, Sphere, figure};
    use crate::geometry::{Convex, TriMesh};

    fn cube(center: DVec3, half: f64) -> PolyMesh {
        Convex::cuboid(Aabb::around(center, DVec3::splat(half))).surface().clone()
    }

    fn turned_inwards(mut mesh: PolyMesh) -> PolyMesh {
        for face in 0..mesh.face_count() {
            for contour in mesh.contours(face).collect::<Vec<_>>() {
                mesh.corners[contour].reverse();
            }
        }
        mesh
    }

    fn together(meshes: &[PolyMesh]) -> PolyMesh {
        let mut all = PolyMesh::default();
        for (number, mesh) in meshes.iter().enumerate() {
            let first = all.positions.len() as u32;
            all.positions.extend(&mesh.positions);
            for face in 0..mesh.face_count() {
                let contours: Vec<Vec<u32>> = mesh
                    .contours(face)
                    .map(|contour| mesh.corners[contour].iter().map(|&vertex| first + vertex).collect())
                    .collect();
                let contours: Vec<&[u32]> = contours.iter().map(Vec::as_slice).collect();
                all.push_face(&contours, number as u32);
            }
        }
        all
    }

    fn volumes(pieces: &[PolyMesh]) -> Vec<f64> {
        pieces.iter().map(|piece| (1e9 * piece.mass_properties().volume).round() / 1e9).collect()
    }

    #[test]
    fn one_solid_stays_as_it_is() {
        let mesh = PolyMesh::from(&figure(Figure::Rabbit, 2_000).unwrap());
        assert_eq!(islands(mesh.clone()), [mesh]);
        assert!(islands(PolyMesh::default()).is_empty());
    }

    #[test]
    fn unused_vertices_are_dropped() {
        let mut mesh = cube(DVec3::ZERO, 1.0);
        mesh.positions.insert(3, DVec3::splat(9.0));
        mesh.corners.iter_mut().for_each(|vertex| *vertex += u32::from(*vertex >= 3));
        mesh.positions.push(DVec3::splat(8.0));
        assert_eq!(islands(mesh), [cube(DVec3::ZERO, 1.0)]);
    }

    #[test]
    fn solids_apart_come_in_the_order_of_their_faces_with_their_attributes() {
        let mut mesh = together(&[cube(DVec3::ZERO, 1.0), cube(DVec3::X, 2.0), cube(9.0 * DVec3::X, 0.5)]);
        mesh.corner_colors = Some((0..mesh.corners.len()).map(|corner| [corner as u8; 4]).collect());
        let pieces = islands(mesh);
        assert_eq!(volumes(&pieces), [8.0, 64.0, 1.0]);
        for (number, piece) in pieces.iter().enumerate() {
            assert!(piece.is_watertight() && piece.check().is_ok());
            assert_eq!(piece.materials, [number as u32; 6]);
            let colors: Vec<[u8; 4]> = (24 * number..24 * (number + 1)).map(|corner| [corner as u8; 4]).collect();
            assert_eq!(piece.corner_colors, Some(colors));
        }
    }

    #[test]
    fn a_cavity_belongs_to_the_smallest_solid_around_it() {
        let shells = [
            turned_inwards(cube(DVec3::ZERO, 0.5)),
            cube(DVec3::ZERO, 1.0),
            turned_inwards(cube(DVec3::ZERO, 2.0)),
            cube(DVec3::ZERO, 3.0),
            turned_inwards(cube(DVec3::splat(2.5), 0.25)),
            cube(8.0 * DVec3::X, 1.0),
        ];
        let pieces = islands(together(&shells));
        assert_eq!(volumes(&pieces), [7.0, 216.0 - 64.0 - 0.125, 8.0]);
        assert_eq!(pieces[0].materials, [[0; 6], [1; 6]].concat());
        assert_eq!(pieces[1].materials, [[2; 6], [3; 6], [4; 6]].concat());
    }

    #[test]
    fn a_cavity_in_the_box_but_not_in_the_solid_is_found_out() {
        // The ring's box holds the small ball in its middle, and the hollow that is in the ball.
        let ring = crate::geometry::shapes::Torus { major_radius: 2.0, minor_radius: 1.0, ..Default::default() };
        let ring = PolyMesh::from(&ring.mesh().unwrap());
        let shells = [ring.clone(), cube(DVec3::ZERO, 0.2), turned_inwards(cube(DVec3::ZERO, 0.1))];
        let pieces = islands(together(&shells));
        assert_eq!(pieces.len(), 2);
        assert!((pieces[1].mass_properties().volume - (0.064 - 0.008)).abs() < 1e-12);
        // What is in no solid stays what it is; what is nothing but rounding goes.
        let inwards = turned_inwards(cube(DVec3::ZERO, 0.1));
        assert_eq!(islands(together(&[ring.clone(), inwards])).len(), 2);
        let mut flat = PolyMesh { positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y], ..PolyMesh::default() };
        flat.push_face(&[&[0, 1, 2]], 0);
        flat.push_face(&[&[2, 1, 0]], 0);
        let pieces = islands(together(&[ring.clone(), flat]));
        assert_eq!((pieces.len(), pieces[0].face_count()), (1, ring.face_count()));
    }

    #[test]
    fn a_hollow_bank_is_one_solid() {
        let bank: TriMesh = PiggyBank { slot: false, ..PiggyBank::default() }.mesh().unwrap();
        let mesh = PolyMesh::from(&bank);
        assert_eq!(islands(mesh.clone()), [mesh]);
    }

    #[test]
    fn the_winding_number_tells_inside_from_outside() {
        let ball = PolyMesh::from(&Sphere { radius: 1.0, ..Sphere::default() }.mesh().unwrap());
        let faces = 0..ball.face_count();
        assert!((winding_number(&ball, faces.clone(), DVec3::splat(0.3)) - 1.0).abs() < 1e-12);
        assert!(winding_number(&ball, faces, DVec3::splat(1.3)).abs() < 1e-12);
    }
}
