//! Meshes of which a part is cut away, to see inside.

use std::borrow::Cow;

use glam::DVec3;

use crate::geometry::{CAP, Clipped, Clipper, FRACTURE, Plane, PolyMesh, TriMesh, merged_identical};

/// What is left of a mesh behind planes. Closed meshes are closed again where they are cut, by faces as breaks have them;
/// of others one sees the inside.
pub(super) fn cut_away<'a>(mesh: Cow<'a, TriMesh>, planes: &[Plane]) -> Cow<'a, TriMesh> {
    let reaches = |plane: &&Plane| mesh.positions.iter().any(|position| plane.signed_distance(*position) > 0.0);
    let planes: Vec<&Plane> = planes.iter().filter(reaches).collect();
    if planes.is_empty() {
        return mesh;
    }
    let solid = merged_identical(&PolyMesh::from(&*mesh));
    if solid.is_watertight() {
        return Cow::Owned(cut_solid(solid, &planes).to_tri_mesh());
    }
    Cow::Owned(planes.into_iter().fold(mesh.into_owned(), |open, plane| cut_open(&open, plane)))
}

fn cut_solid(mut solid: PolyMesh, planes: &[&Plane]) -> PolyMesh {
    let inside = inside_color(&solid);
    let mut clipper = Clipper::new();
    for plane in planes {
        let mut rest = PolyMesh::default();
        match clipper.clip(&solid, plane, FRACTURE, &mut rest) {
            Clipped::Whole => continue,
            Clipped::Nothing => return PolyMesh::default(),
            Clipped::Part => {}
        }
        let caps = (0..rest.face_count()).filter(|&face| clipper.sources()[face] == CAP);
        let corners: Vec<usize> = caps.flat_map(|face| rest.contours(face)).flatten().collect();
        if let (Some(colors), Some(inside)) = (&mut rest.corner_colors, inside) {
            corners.into_iter().for_each(|corner| colors[corner] = inside);
        }
        solid = rest;
    }
    solid
}

/// The mean colour of a mesh with colours, a little darker: what is inside has none of its own.
fn inside_color(mesh: &PolyMesh) -> Option<[u8; 4]> {
    let colors = mesh.corner_colors.as_ref().filter(|colors| !colors.is_empty())?;
    let mean = |channel: usize| {
        let sum: u64 = colors.iter().map(|color| u64::from(color[channel])).sum();
        (sum * 4 / 5 / colors.len() as u64) as u8
    };
    Some([mean(0), mean(1), mean(2), 255])
}

/// The triangles behind a plane, each with what is left of it. Normals are left to the picture.
fn cut_open(mesh: &TriMesh, plane: &Plane) -> TriMesh {
    let mut rest = TriMesh {
        uvs: None,
        colors: mesh.colors.clone(),
        materials: mesh.materials.as_ref().map(|_| Vec::new()),
        ..TriMesh::new(mesh.positions.clone(), Vec::new())
    };
    let distances: Vec<f64> = mesh.positions.iter().map(|position| plane.signed_distance(*position)).collect();
    for (number, triangle) in mesh.triangles.iter().enumerate() {
        let mut corners: Vec<u32> = Vec::with_capacity(4);
        for place in 0..3 {
            let (from, to) = (triangle[place], triangle[(place + 1) % 3]);
            let [near, far] = [from, to].map(|vertex| distances[vertex as usize]);
            if near <= 0.0 {
                corners.push(from);
            }
            if (near <= 0.0) != (far <= 0.0) {
                corners.push(rest.positions.len() as u32);
                let share = near / (near - far);
                let [from, to] = [from as usize, to as usize];
                let position: DVec3 = rest.positions[from].lerp(rest.positions[to], share);
                rest.positions.push(position);
                if let Some(colors) = &mut rest.colors {
                    let nearer = if share < 0.5 { from } else { to };
                    colors.push(colors[nearer]);
                }
            }
        }
        for place in 2..corners.len() {
            rest.triangles.push([corners[0], corners[place - 1], corners[place]]);
            if let (Some(kept), Some(all)) = (&mut rest.materials, &mesh.materials) {
                kept.push(all[number]);
            }
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{is_fracture, shapes};

    #[test]
    fn what_is_closed_stays_closed_and_has_the_volume_that_is_left() {
        let mut cube = shapes::cuboid(DVec3::ONE);
        cube.colors = Some(vec![[100, 200, 50, 255]; cube.positions.len()]);
        let planes = [Plane::through(DVec3::X * 0.25, DVec3::X), Plane::through(DVec3::ZERO, DVec3::Y)];
        let rest = cut_away(Cow::Borrowed(&cube), &planes);
        assert!((rest.volume() - 0.75 * 0.5).abs() < 1e-12);
        assert!(merged_identical(&PolyMesh::from(&*rest)).is_watertight());
        let caps = rest.materials.as_ref().unwrap().iter().filter(|&&material| is_fracture(material)).count();
        assert!(caps >= 4, "{caps}");
        assert!(rest.colors.as_ref().unwrap().contains(&[80, 160, 40, 255]));
        let far = [Plane::through(DVec3::X * 3.0, DVec3::X)];
        assert!(matches!(cut_away(Cow::Borrowed(&cube), &far), Cow::Borrowed(_)));
        let all = [Plane::through(DVec3::X * -3.0, DVec3::X)];
        assert!(cut_away(Cow::Borrowed(&cube), &all).triangles.is_empty());
    }

    #[test]
    fn of_what_is_open_the_part_behind_the_plane_is_left() {
        let mut open = shapes::cuboid(DVec3::ONE);
        open.triangles.pop();
        let area = open.area();
        let plane = Plane::through(DVec3::new(0.1, 0.2, 0.05), DVec3::new(1.0, 2.0, -0.5).normalize());
        let [rest, other] = [plane, plane.flipped()].map(|plane| cut_away(Cow::Borrowed(&open), &[plane]).into_owned());
        assert!((rest.area() + other.area() - area).abs() < 1e-12);
        let behind = |position: &DVec3| plane.signed_distance(*position) < 1e-12;
        assert!(rest.triangles.as_flattened().iter().all(|&vertex| behind(&rest.positions[vertex as usize])));
    }
}
