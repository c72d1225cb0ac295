//! The pieces of a fracture as other programs load them.

use std::collections::HashMap;

use glam::{DVec3, Vec2, Vec3};

use crate::geometry::{MassProperties, PolyMesh, TriMesh, merged_identical};
use crate::vacd::{Compound, Roughness, roughen};

/// Breaks are flat or have gentle bumps; what turns more than this is an edge.
const CREASE: f64 = 35.0;

/// Where more corners meet than this, each keeps the normal of its own triangle: all pairs of them would take for ever.
const MOST_AROUND: usize = 2048;

/// The triangles of a piece, and figures measured on them.
#[derive(Clone, Debug)]
pub struct PieceMesh {
    /// The triangles, with a normal at each vertex. Where one part of the piece has texture coordinates or colours, all
    /// have.
    pub mesh: TriMesh,
    /// Volume, centroid and inertia of what the triangles enclose.
    pub mass: MassProperties,
    /// Whether the triangles of each part leave no border.
    pub is_watertight: bool,
}

/// The mesh of a piece: all faces of all of its parts, in the coordinates of the compound.
///
/// Faces between parts are there too, once for each side, so that the mesh is closed and encloses the right volume for
/// whoever loads it; to draw less, there is [`Compound::look`].
///
/// With a roughness the faces that breaks made have bumps, which fit those of the other pieces.
///
/// ```
/// use fracas::export::piece_mesh;
/// use fracas::geometry::{Aabb, Convex};
/// use fracas::vacd::{Compound, CompoundOptions, Part};
/// use glam::DVec3;
///
/// let cube = Part::internal(Convex::cuboid(Aabb::around(DVec3::ZERO, DVec3::ONE)));
/// let piece = piece_mesh(&Compound::new(vec![cube], &CompoundOptions::default())?, None);
/// assert!(piece.is_watertight && piece.mesh.normals.is_some());
/// assert!((piece.mass.volume - 8.0).abs() < 1e-12);
/// # Ok::<(), fracas::vacd::CompoundError>(())
/// ```
pub fn piece_mesh(piece: &Compound, roughness: Option<&Roughness>) -> PieceMesh {
    let mut meshes = Vec::new();
    let mut masses = Vec::new();
    for (_, part) in piece.parts() {
        if part.is_ghost() {
            masses.push(*part.mass_properties());
            continue;
        }
        let mesh = match roughness {
            Some(roughness) => roughen(part.look(), piece.origin(), roughness),
            None => part.look().to_tri_mesh(),
        };
        masses.push(mesh.mass_properties());
        meshes.push(mesh);
    }
    let is_closed = |mesh: &TriMesh| merged_identical(&PolyMesh::from(mesh)).is_watertight();
    let is_watertight = meshes.iter().all(is_closed);
    PieceMesh { mesh: together(meshes), mass: MassProperties::combined(masses), is_watertight }
}

/// Meshes as one that has the attributes of all; vertices that agree in everything are one.
fn together(meshes: Vec<TriMesh>) -> TriMesh {
    let [has_uvs, has_colors] =
        [meshes.iter().any(|mesh| mesh.uvs.is_some()), meshes.iter().any(|mesh| mesh.colors.is_some())];
    let mut all = TriMesh::default();
    for mut mesh in meshes.into_iter().filter(|mesh| !mesh.triangles.is_empty()) {
        if mesh.normals.is_none() {
            mesh = with_normals(&mesh);
        }
        let count = mesh.positions.len();
        if has_uvs {
            mesh.uvs.get_or_insert_with(|| vec![Vec2::ZERO; count]);
        }
        if has_colors {
            mesh.colors.get_or_insert_with(|| vec![[255; 4]; count]);
        }
        all.append(&mesh);
    }
    share_vertices(&all)
}

/// A normal for each corner of each triangle: the mean of those of the triangles around the corner's place that turn from
/// the corner's own by less than an angle in degrees, so that what is curved is smooth and edges stay sharp.
///
/// ```
/// use fracas::export::crease_normals;
/// use fracas::geometry::shapes::cuboid;
/// use glam::{DVec3, Vec3};
///
/// let normals = crease_normals(&cuboid(DVec3::ONE), 35.0);
/// assert_eq!(normals.len(), 36);
/// assert!(normals.iter().all(|normal| normal.abs().max_element() == 1.0));
/// ```
pub fn crease_normals(mesh: &TriMesh, angle: f64) -> Vec<Vec3> {
    let faces: Vec<DVec3> = mesh.iter_corners().map(|[a, b, c]| (b - a).cross(c - a).normalize_or_zero()).collect();
    let mut places: HashMap<[u64; 3], u32> = HashMap::new();
    // The corners by their place, each with its number; the numbers of places are in the order of first corners.
    let mut around: Vec<(u32, u32)> = Vec::with_capacity(3 * faces.len());
    for (corner, &vertex) in mesh.triangles.as_flattened().iter().enumerate() {
        let next = places.len() as u32;
        let place = *places.entry(bits(mesh.positions[vertex as usize])).or_insert(next);
        around.push((place, corner as u32));
    }
    around.sort_unstable();
    let cosine = angle.to_radians().cos();
    let mut normals = vec![Vec3::ZERO; around.len()];
    for corners in around.chunk_by(|one, other| one.0 == other.0) {
        for &(_, corner) in corners {
            let own = faces[corner as usize / 3];
            let mut sum = DVec3::ZERO;
            for &(_, other) in corners.iter().filter(|_| corners.len() <= MOST_AROUND) {
                let normal = faces[other as usize / 3];
                if normal.dot(own) >= cosine {
                    sum += corner_angle(mesh, other) * normal;
                }
            }
            normals[corner as usize] = sum.normalize_or(own).as_vec3();
        }
    }
    normals
}

/// The angle of a triangle at one of its corners.
fn corner_angle(mesh: &TriMesh, corner: u32) -> f64 {
    let corners = mesh.corners(corner as usize / 3);
    let [at, next, last] = [0, 1, 2].map(|turn| corners[(corner as usize + turn) % 3]);
    let [to_next, to_last] = [next - at, last - at];
    if to_next == DVec3::ZERO || to_last == DVec3::ZERO { 0.0 } else { to_next.angle_between(to_last) }
}

/// A mesh with normals: what is curved is smooth, and vertices along edges are several.
pub(super) fn with_normals(mesh: &TriMesh) -> TriMesh {
    let normals = crease_normals(mesh, CREASE);
    share_vertices(&TriMesh { normals: Some(normals), ..split_corners(mesh.clone()) })
}

/// A mesh with a vertex of its own for each corner.
fn split_corners(mesh: TriMesh) -> TriMesh {
    fn split<T: Copy>(values: &[T], triangles: &[[u32; 3]]) -> Vec<T> {
        triangles.as_flattened().iter().map(|&vertex| values[vertex as usize]).collect()
    }
    let triangles = &mesh.triangles;
    TriMesh {
        positions: split(&mesh.positions, triangles),
        normals: mesh.normals.as_ref().map(|normals| split(normals, triangles)),
        uvs: mesh.uvs.as_ref().map(|uvs| split(uvs, triangles)),
        colors: mesh.colors.as_ref().map(|colors| split(colors, triangles)),
        triangles: (0..triangles.len() as u32).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner)).collect(),
        materials: mesh.materials,
    }
}

/// A mesh in which vertices that agree in everything are one, and vertices that no triangle has are gone.
fn share_vertices(mesh: &TriMesh) -> TriMesh {
    let mut shared = TriMesh {
        normals: mesh.normals.as_ref().map(|_| Vec::new()),
        uvs: mesh.uvs.as_ref().map(|_| Vec::new()),
        colors: mesh.colors.as_ref().map(|_| Vec::new()),
        materials: mesh.materials.clone(),
        ..TriMesh::default()
    };
    let mut numbers = HashMap::new();
    let mut number = |vertex: u32| {
        let vertex = vertex as usize;
        let normal = mesh.normals.as_ref().map(|normals| normals[vertex]);
        let uv = mesh.uvs.as_ref().map(|uvs| uvs[vertex]);
        let color = mesh.colors.as_ref().map(|colors| colors[vertex]);
        let key = (
            bits(mesh.positions[vertex]),
            normal.map(|normal| normal.to_array().map(f32::to_bits)),
            uv.map(|uv| uv.to_array().map(f32::to_bits)),
            color,
        );
        *numbers.entry(key).or_insert_with(|| {
            shared.positions.push(mesh.positions[vertex]);
            shared.normals.iter_mut().zip(normal).for_each(|(normals, normal)| normals.push(normal));
            shared.uvs.iter_mut().zip(uv).for_each(|(uvs, uv)| uvs.push(uv));
            shared.colors.iter_mut().zip(color).for_each(|(colors, color)| colors.push(color));
            shared.positions.len() as u32 - 1
        })
    };
    let triangles = mesh.triangles.iter().map(|triangle| triangle.map(&mut number)).collect();
    shared.triangles = triangles;
    shared
}

/// A position as a key; the two zeros are one.
fn bits(position: DVec3) -> [u64; 3] {
    position.to_array().map(|coordinate| (coordinate + 0.0).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Aabb, Convex, is_fracture, shapes};
    use crate::pattern::VoronoiPattern;
    use crate::vacd::{CompoundOptions, DecomposeOptions, FractureOptions, Part, decompose};
    use glam::DQuat;

    #[test]
    fn a_piece_of_several_parts_is_closed() {
        let cube = |x: f64| Part::internal(Convex::cuboid(Aabb::around(DVec3::X * x, DVec3::splat(0.5))));
        let pair = Compound::new(vec![cube(0.0), cube(1.0)], &CompoundOptions::default()).unwrap();
        let piece = piece_mesh(&pair, None);
        assert_eq!(piece.mesh.triangles.len(), 24);
        assert!((piece.mesh.volume() - 2.0).abs() < 1e-12);
        assert!((piece.mass.volume - 2.0).abs() < 1e-12 && piece.is_watertight);
        // Four vertices for each face of each cube, less those that the four pairs of faces in one plane share.
        assert_eq!(piece.mesh.positions.len(), 48 - 4 * 2);
    }

    #[test]
    fn rough_and_flat_pieces_have_the_volume_of_the_whole_and_all_attributes() {
        let mut mesh = shapes::Sphere::default().mesh().unwrap();
        mesh.uvs = Some(mesh.positions.iter().map(|position| position.truncate().as_vec2()).collect());
        let mut poly = PolyMesh::from(&mesh);
        poly.corner_normals = Some(crease_normals(&mesh, 60.0));
        let parts = decompose(&poly, &[], &DecomposeOptions::default()).unwrap();
        let pattern = VoronoiPattern { cells: 20, extent: 2.0, ..VoronoiPattern::default() }.pattern().unwrap();
        let mut whole = Compound::new(parts, &CompoundOptions::default()).unwrap();
        let pattern = pattern.at(DVec3::ZERO, DQuat::IDENTITY);
        let pieces = whole.fracture(&pattern, &FractureOptions::default()).unwrap().pieces;
        for roughness in [None, Some(Roughness { amplitude: 0.02, frequency: 10.0, seed: 1 })] {
            let pieces: Vec<PieceMesh> = pieces.iter().map(|piece| piece_mesh(piece, roughness.as_ref())).collect();
            let volume: f64 = pieces.iter().map(|piece| piece.mass.volume).sum();
            assert!((volume / mesh.volume() - 1.0).abs() < 1e-9, "{volume}");
            for piece in &pieces {
                assert!(piece.is_watertight && piece.mesh.check().is_ok());
                assert!(piece.mesh.normals.is_some());
                assert!(piece.mesh.materials.as_ref().unwrap().iter().any(|&material| is_fracture(material)));
            }
            assert!(pieces.iter().any(|piece| piece.mesh.uvs.is_some()));
        }
    }
}
