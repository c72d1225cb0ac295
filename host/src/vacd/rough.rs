//! Rough breaks: the flat faces of a break with bumps, for the eye.
//!
//! What collides stays convex and flat; only what is seen is roughened. A rough face has points inside of it, on a lattice
//! of its plane, and each stands off the plane by a noise of its place. Its outline is not touched, so that the mesh is as
//! closed as before. Place, lattice and noise are the same seen from both sides of a cut, so the pieces fit together.

mod lattice;
mod sheet;
#[cfg(test)]
mod tests;

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::geometry::{PolyMesh, TriMesh, fractal_noise, is_fracture, triangulate_face};
use lattice::{Frame, Outline, is_canonical, rank};
use sheet::{Sheet, Taken};

/// The slope of the bumps at most, as a share of the length of a bump. Steeper ones would pierce breaks nearby: as bumps
/// are a function of the place, two breaks that are close together and not too steep bend the same way.
const STEEPEST: f64 = 0.5;

/// How far a point stands off its plane at most, as a share of its distance from the outline, so that faces that meet at
/// an edge do not pierce each other.
const RISE: f64 = 0.25;

/// How far from its plane a corner of a face may be, relative to the size of the face; what is less flat is no cut.
const FLAT: f64 = 1e-6;

/// How rough breaks are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Roughness {
    /// How far a break departs from its plane at most; with zero it is flat. No more than half a bump's length counts.
    pub amplitude: f64,
    /// How many bumps there are to a metre. Finer and coarser ones are mixed in.
    pub frequency: f64,
    /// Other seeds have other bumps; pieces of one body must have the same.
    pub seed: u64,
}

impl Default for Roughness {
    /// Bumps of ten centimetres and up to two centimetres high, as stone has.
    fn default() -> Roughness {
        Roughness { amplitude: 0.02, frequency: 10.0, seed: 0 }
    }
}

/// The triangles of a mesh with the faces that a break made (those whose material has
/// [`FRACTURE`](crate::geometry::FRACTURE)) roughened.
///
/// `origin` is where the mesh's coordinates are in those of the body that was whole first: the bumps belong to places of
/// that body, so that pieces that were moved to their own coordinates still fit together. Other faces, outlines and
/// materials are as in [`PolyMesh::to_tri_mesh`]. Corner normals, if there are any, follow the bumps; other attributes of
/// new vertices are interpolated. A face gets 2048 new vertices at most; larger ones get a coarser lattice.
///
/// ```
/// use fracas::geometry::{Aabb, Clipper, Convex, FRACTURE, Plane, PolyMesh};
/// use fracas::vacd::{Roughness, roughen};
/// use glam::DVec3;
///
/// let block = Convex::cuboid(Aabb { min: DVec3::ZERO, max: DVec3::ONE });
/// let plane = Plane::through(DVec3::splat(0.5), DVec3::new(0.6, 0.8, 0.0));
/// let mut volume = 0.0;
/// for plane in [plane, plane.flipped()] {
///     let mut half = PolyMesh::default();
///     Clipper::new().clip(block.surface(), &plane, FRACTURE, &mut half);
///     volume += roughen(&half, DVec3::ZERO, &Roughness::default()).volume();
/// }
/// assert!((volume - 1.0).abs() < 1e-12);
/// ```
pub fn roughen(mesh: &PolyMesh, origin: DVec3, roughness: &Roughness) -> TriMesh {
    let Some(grain) = Grain::new(roughness) else { return mesh.to_tri_mesh() };
    let faces: Vec<Face> = (0..mesh.face_count())
        .into_par_iter()
        .map(|face| {
            let patch = is_fracture(mesh.materials[face]).then(|| grain.patch(mesh, face, origin)).flatten();
            patch.map_or_else(|| Face::Flat(triangulate_face(mesh, face)), Face::Rough)
        })
        .collect();
    assemble(mesh, &faces)
}

enum Face {
    /// Triangles over corners of the mesh.
    Flat(Vec<[u32; 3]>),
    Rough(Patch),
}

/// A roughened face. Its vertices are the corners of the face, then the new ones.
struct Patch {
    /// The corners of the mesh that are the face's.
    corners: Vec<u32>,
    /// The new vertices.
    positions: Vec<DVec3>,
    /// What each new vertex is interpolated from.
    taken: Vec<Taken>,
    triangles: Vec<[u32; 3]>,
}

/// Roughness that makes sense.
struct Grain {
    amplitude: f64,
    frequency: f64,
    spacing: f64,
    seed: u64,
}

impl Grain {
    fn new(roughness: &Roughness) -> Option<Grain> {
        let &Roughness { amplitude, frequency, seed } = roughness;
        let spacing = 0.5 / frequency;
        let makes_sense = amplitude > 0.0 && frequency > 0.0 && frequency.is_finite() && spacing > 0.0;
        let amplitude = amplitude.min(STEEPEST / frequency);
        (makes_sense && amplitude.is_finite() && spacing.is_finite()).then_some(Grain {
            amplitude,
            frequency,
            spacing,
            seed,
        })
    }

    /// The face with bumps; `None` if it is too small for any, or no polygon in a plane.
    fn patch(&self, mesh: &PolyMesh, face: usize, origin: DVec3) -> Option<Patch> {
        let is_turned = !is_canonical(mesh.vector_area(face));
        let (polygon, corners) = canonical_polygon(mesh, face, origin, is_turned);
        let first = *polygon.positions.first()?;
        let frame = Frame::new(polygon.vector_area(0).try_normalize()?, first);
        let size = polygon.aabb().size().max_element();
        if !(size.is_finite() && polygon.positions.iter().all(|&point| frame.height(point).abs() <= FLAT * size)) {
            return None;
        }
        let flat: Vec<DVec2> = polygon.positions.iter().map(|&point| frame.flatten(point)).collect();
        let outline = Outline::new(edges(&polygon, &flat));
        let spacing = outline.spacing(self.spacing);
        let reach = 2.0 * spacing;
        let sites = outline.sites(spacing, reach, self.seed);
        if sites.is_empty() {
            return None;
        }
        let triangles = triangulate_face(&polygon, 0);
        let is_turned_over = |&[a, b, c]: &[u32; 3]| {
            let [a, b, c] = [a, b, c].map(|corner| flat[corner as usize]);
            (b - a).perp_dot(c - a) < -1e-12 * size * size
        };
        if triangles.iter().any(is_turned_over) {
            return None;
        }
        let mut sheet = Sheet::new(flat, triangles)?;
        let (mut positions, mut taken): (Vec<DVec3>, Vec<Taken>) = Default::default();
        let (mut row, mut last) = (0, 0);
        for site in sites {
            let Some(new) = sheet.insert(site.point, if site.begins_row { row } else { last }) else { continue };
            last = new.triangle;
            if site.begins_row {
                row = last;
            }
            let fade = site.distance / reach;
            let most = (self.amplitude * fade * fade * (3.0 - 2.0 * fade)).min(RISE * site.distance);
            let height = most * fractal_noise(self.frequency * frame.raise(site.point, 0.0), self.seed);
            positions.push(frame.raise(site.point, height) - origin);
            taken.push(new);
        }
        let mut triangles = sheet.triangles;
        if is_turned {
            triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        }
        Some(Patch { corners, positions, taken, triangles })
    }
}

/// A face in the coordinates of the body that was whole first, turned so that its normal is canonical, and the corners of
/// the mesh. Contours begin, and holes are sorted, by where their corners are: both sides of a cut get the same, bit for
/// bit, whatever order they have them in.
fn canonical_polygon(mesh: &PolyMesh, face: usize, origin: DVec3, is_turned: bool) -> (PolyMesh, Vec<u32>) {
    let position = |corner: u32| mesh.corner_position(corner as usize) + origin;
    let mut contours: Vec<Vec<u32>> = mesh
        .contours(face)
        .map(|contour| {
            let mut corners: Vec<u32> = contour.map(|corner| corner as u32).collect();
            if is_turned {
                corners.reverse();
            }
            let first = (0..corners.len())
                .min_by(|&a, &b| rank(position(corners[a])).total_cmp(&rank(position(corners[b]))))
                .unwrap_or(0);
            corners.rotate_left(first);
            corners
        })
        .filter(|contour| !contour.is_empty())
        .collect();
    if let Some(holes) = contours.get_mut(1..) {
        holes.sort_by(|a, b| rank(position(a[0])).total_cmp(&rank(position(b[0]))));
    }
    let corners: Vec<u32> = contours.concat();
    let mut polygon =
        PolyMesh { positions: corners.iter().map(|&corner| position(corner)).collect(), ..PolyMesh::default() };
    let mut start = 0;
    let numbers: Vec<u32> = (0..corners.len() as u32).collect();
    let parts: Vec<&[u32]> = contours
        .iter()
        .map(|contour| {
            let part = &numbers[start..start + contour.len()];
            start += contour.len();
            part
        })
        .collect();
    polygon.push_face(&parts, 0);
    (polygon, corners)
}

fn edges(polygon: &PolyMesh, flat: &[DVec2]) -> Vec<[DVec2; 2]> {
    let mut edges = Vec::with_capacity(flat.len());
    for contour in polygon.contours(0) {
        let mut previous = flat[contour.end - 1];
        for &here in &flat[contour] {
            edges.push([previous, here]);
            previous = here;
        }
    }
    edges
}

fn assemble(mesh: &PolyMesh, faces: &[Face]) -> TriMesh {
    let split = mesh.has_attributes();
    let vertex = |corner: u32| if split { corner } else { mesh.corners[corner as usize] };
    let mut result = TriMesh {
        positions: if split {
            mesh.corners.iter().map(|&vertex| mesh.positions[vertex as usize]).collect()
        } else {
            mesh.positions.clone()
        },
        normals: mesh.corner_normals.clone(),
        uvs: mesh.corner_uvs.clone(),
        colors: mesh.corner_colors.clone(),
        materials: Some(Vec::new()),
        ..TriMesh::default()
    };
    for (face, kind) in faces.iter().enumerate() {
        let start = result.triangles.len();
        match kind {
            Face::Flat(triangles) => result.triangles.extend(triangles.iter().map(|corners| corners.map(vertex))),
            Face::Rough(patch) => {
                let first = result.positions.len() as u32;
                let outline: Vec<u32> = patch.corners.iter().map(|&corner| vertex(corner)).collect();
                let number = |local: u32| {
                    outline.get(local as usize).copied().unwrap_or_else(|| first + local - outline.len() as u32)
                };
                result.positions.extend_from_slice(&patch.positions);
                result.triangles.extend(patch.triangles.iter().map(|corners| corners.map(number)));
                for taken in &patch.taken {
                    let from = taken.corners.map(|local| number(local) as usize);
                    interpolate(&mut result, from, taken.weights);
                }
                set_normals(&mut result, start, &outline, first);
            }
        }
        let count = result.triangles.len() - start;
        result.materials.get_or_insert_default().extend(std::iter::repeat_n(mesh.materials[face], count));
    }
    result
}

/// Appends attributes between those of three vertices.
fn interpolate(mesh: &mut TriMesh, from: [usize; 3], weights: [f64; 3]) {
    if let Some(uvs) = &mut mesh.uvs {
        uvs.push((0..3).map(|slot| uvs[from[slot]].as_dvec2() * weights[slot]).sum::<DVec2>().as_vec2());
    }
    if let Some(colors) = &mut mesh.colors {
        let blend = |channel: usize| (0..3).map(|slot| f64::from(colors[from[slot]][channel]) * weights[slot]).sum();
        let color: [f64; 4] = std::array::from_fn(blend);
        colors.push(color.map(|channel| channel.round() as u8));
    }
}

/// Sets the normals of a rough face, the last of the mesh so far, to the means of its triangles around each vertex.
fn set_normals(mesh: &mut TriMesh, first_triangle: usize, outline: &[u32], first_new: u32) {
    let Some(normals) = &mut mesh.normals else { return };
    let mut sums = vec![DVec3::ZERO; outline.len() + mesh.positions.len() - first_new as usize];
    let slots: FxHashMap<u32, usize> = outline.iter().enumerate().map(|(slot, &vertex)| (vertex, slot)).collect();
    for triangle in &mesh.triangles[first_triangle..] {
        let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
        let across = (b - a).cross(c - a);
        for &vertex in triangle {
            let slot = match vertex.checked_sub(first_new) {
                Some(new) => outline.len() + new as usize,
                None => slots[&vertex],
            };
            sums[slot] += across;
        }
    }
    for (&vertex, sum) in outline.iter().zip(&sums) {
        normals[vertex as usize] = sum.try_normalize().map_or(normals[vertex as usize], |normal| normal.as_vec3());
    }
    normals.extend(sums[outline.len()..].iter().map(|sum| sum.normalize_or(DVec3::Y).as_vec3()));
}
