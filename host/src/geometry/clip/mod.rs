//! Cutting a solid by a plane, watertight by construction (\[Mueller13\] 3.3).
//!
//! Each vertex is inside, outside or on the plane, decided once; the new vertex of a cut edge is made once, keyed by the
//! edge; everything after that is bookkeeping of corners, so a closed surface stays closed whatever rounding does. Faces
//! may be concave and have holes: the ends and the starts of the chains that are left of a face are each sorted along the
//! cut and joined by rank, which is the geometrically right pairing where the geometry is clear and a closed one where it
//! is not. What the kept faces lack to be closed is the outline of the cap.
//!
//! A plane and its flip see the same vertices on them and make the same new ones, bit for bit, so the two sides of a cut
//! fit together exactly.

mod convex;
mod face;
mod outline;

pub use convex::ConvexClipper;

use glam::DVec3;

use super::{Convex, Plane, PolyMesh};
use crate::tolerance::ON_PLANE;

/// What a cut leaves of a mesh on the inner side of the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clipped {
    /// Nothing was cut off; what is in the result means nothing.
    Whole,
    /// Nothing is left; what is in the result means nothing.
    Nothing,
    /// A part is left, and is the result.
    Part,
}

/// The face of the input that a face of the result is, or is a part of; this for a cap.
pub const CAP: u32 = u32::MAX;

/// Cuts meshes; keeps its memory from one cut to the next.
///
/// ```
/// use fracas::geometry::{Aabb, Clipped, Clipper, Convex, Plane, PolyMesh};
/// use glam::DVec3;
///
/// let cube = Convex::cuboid(Aabb { min: DVec3::ZERO, max: DVec3::ONE });
/// let (mut clipper, mut half) = (Clipper::new(), PolyMesh::default());
/// let plane = Plane::through(DVec3::splat(0.5), DVec3::ONE.normalize());
/// assert_eq!(clipper.clip(cube.surface(), &plane, 1, &mut half), Clipped::Part);
/// assert!(half.is_watertight() && (half.mass_properties().volume - 0.5).abs() < 1e-12);
/// ```
#[derive(Default)]
pub struct Clipper {
    distances: Vec<f64>,
    sides: Vec<u8>,
    /// The number in the result of each vertex of the input.
    numbers: Vec<u32>,
    /// Where the list of cut edges begins that lead from each vertex of the input to vertices of higher numbers.
    first_crossings: Vec<u32>,
    crossings: Vec<Crossing>,
    face: face::FaceScratch,
    /// Whether each vertex of the result lies in the plane.
    planar: Vec<bool>,
    /// Edges of kept faces that lie in the plane.
    rim: Vec<[u32; 2]>,
    outline: outline::OutlineScratch,
    sources: Vec<u32>,
}

/// A cut edge.
struct Crossing {
    /// The vertex of the input with the higher number.
    high: u32,
    /// The number in the result of the vertex on the edge.
    number: u32,
    /// The next cut edge of the vertex with the lower number.
    next: u32,
}

const NONE: u32 = u32::MAX;

/// On which side of the plane a vertex is: one bit each, so that those of a face are known by one pass over its corners.
const INSIDE: u8 = 1;
const ON: u8 = 2;
const OUTSIDE: u8 = 4;

impl Clipper {
    /// A clipper with no memory yet.
    pub fn new() -> Clipper {
        Clipper::default()
    }

    /// Cuts a closed mesh and writes what is on the inner side of the plane to `result`, closed by a cap of the given
    /// material. Corner attributes are interpolated; a cap has the plane's normal, its coordinates in the plane for
    /// texture coordinates, and white for colour.
    pub fn clip(&mut self, mesh: &PolyMesh, plane: &Plane, cap_material: u32, result: &mut PolyMesh) -> Clipped {
        let slack = match measure(&mesh.positions, plane, &mut self.distances) {
            Err(clipped) => return clipped,
            Ok(slack) => slack,
        };
        find_sides(&self.distances, slack, &mut self.sides);
        self.begin(mesh, result);
        let mut cut = Cut { clipper: self, mesh, plane, result };
        let sides = (0..mesh.face_count()).fold(0, |sides, face| sides | cut.take_face(face));
        // Vertices that no face has may be anywhere.
        if sides & OUTSIDE == 0 {
            return Clipped::Whole;
        }
        if sides & INSIDE == 0 {
            return Clipped::Nothing;
        }
        cut.close(cap_material);
        if result.face_count() == 0 { Clipped::Nothing } else { Clipped::Part }
    }

    /// The face of the input that each face of the last result came from; [`CAP`] for a cap.
    pub fn sources(&self) -> &[u32] {
        &self.sources
    }

    fn begin(&mut self, mesh: &PolyMesh, result: &mut PolyMesh) {
        self.numbers.clear();
        self.numbers.resize(mesh.positions.len(), NONE);
        self.first_crossings.clear();
        self.first_crossings.resize(mesh.positions.len(), NONE);
        self.crossings.clear();
        self.planar.clear();
        self.rim.clear();
        self.sources.clear();
        result.positions.clear();
        result.corners.clear();
        result.contour_ends.clear();
        result.face_ends.clear();
        result.materials.clear();
        clear_like(&mut result.corner_normals, &mesh.corner_normals);
        clear_like(&mut result.corner_uvs, &mesh.corner_uvs);
        clear_like(&mut result.corner_colors, &mesh.corner_colors);
    }
}

/// Finds how far vertices are from a plane, and how near to it counts as on it; or that nothing has to be cut.
fn measure(positions: &[DVec3], plane: &Plane, distances: &mut Vec<f64>) -> Result<f64, Clipped> {
    distances.clear();
    let (mut largest, mut low, mut high) = (DVec3::ZERO, f64::INFINITY, f64::NEG_INFINITY);
    distances.extend(positions.iter().map(|&position| {
        let distance = plane.signed_distance(position);
        largest = largest.max(position.abs());
        low = if distance < low { distance } else { low };
        high = if distance > high { distance } else { high };
        distance
    }));
    let slack = ON_PLANE * (largest.max_element() + plane.offset.abs());
    if high <= slack {
        Err(Clipped::Whole)
    } else if low >= -slack {
        Err(Clipped::Nothing)
    } else {
        Ok(slack)
    }
}

/// Finds on which side of the plane each vertex is.
fn find_sides(distances: &[f64], slack: f64, sides: &mut Vec<u8>) {
    let side = |&distance: &f64| match distance {
        distance if distance < -slack => INSIDE,
        distance if distance > slack => OUTSIDE,
        _ => ON,
    };
    sides.clear();
    sides.extend(distances.iter().map(side));
}

fn clear_like<T>(result: &mut Option<Vec<T>>, input: &Option<Vec<T>>) {
    match input {
        Some(_) => result.get_or_insert_default().clear(),
        None => *result = None,
    }
}

/// One cut in progress.
struct Cut<'a> {
    clipper: &'a mut Clipper,
    mesh: &'a PolyMesh,
    plane: &'a Plane,
    result: &'a mut PolyMesh,
}

impl Cut<'_> {
    fn side(&self, vertex: u32) -> u8 {
        self.clipper.sides[vertex as usize]
    }

    /// The number in the result of a vertex of the input.
    #[inline]
    fn number(&mut self, vertex: u32) -> u32 {
        if self.clipper.numbers[vertex as usize] == NONE {
            self.clipper.numbers[vertex as usize] = self.result.positions.len() as u32;
            self.result.positions.push(self.mesh.positions[vertex as usize]);
            self.clipper.planar.push(self.side(vertex) == ON);
        }
        self.clipper.numbers[vertex as usize]
    }

    /// The number in the result of the new vertex between two vertices of the input, and how far it is from the first.
    fn crossing(&mut self, from: u32, to: u32) -> (u32, f64) {
        // The same arithmetic whichever way the edge is walked and whichever side is kept.
        let (low, high) = (from.min(to), from.max(to));
        let (at_low, at_high) = (self.clipper.distances[low as usize], self.clipper.distances[high as usize]);
        let share = at_low / (at_low - at_high);
        let first = self.clipper.first_crossings[low as usize];
        let mut place = first;
        while place != NONE && self.clipper.crossings[place as usize].high != high {
            place = self.clipper.crossings[place as usize].next;
        }
        if place == NONE {
            let (start, end) = (self.mesh.positions[low as usize], self.mesh.positions[high as usize]);
            place = self.clipper.crossings.len() as u32;
            let number = self.result.positions.len() as u32;
            self.clipper.crossings.push(Crossing { high, number, next: first });
            self.clipper.first_crossings[low as usize] = place;
            self.result.positions.push(start + share * (end - start));
            self.clipper.planar.push(true);
        }
        let number = self.clipper.crossings[place as usize].number;
        (number, if from == low { share } else { 1.0 - share })
    }
}

impl Convex {
    /// What is on the inner side of a plane: `None` if nothing is, the solid itself if nothing is cut off. Faces that are
    /// left keep their planes to the bit, and the last face is the cap.
    pub fn clipped(&self, plane: &Plane) -> Option<Convex> {
        self.clipped_with(plane, &mut Clipper::new())
    }

    /// As [`Convex::clipped`], with the memory of earlier cuts.
    pub fn clipped_with(&self, plane: &Plane, clipper: &mut Clipper) -> Option<Convex> {
        let mut surface = PolyMesh::default();
        match clipper.clip(self.surface(), plane, 0, &mut surface) {
            Clipped::Nothing => None,
            Clipped::Whole => Some(self.clone()),
            Clipped::Part => {
                let planes =
                    clipper.sources().iter().map(|&source| self.planes().get(source as usize).unwrap_or(plane));
                let planes = planes.copied().collect();
                Some(Convex::from_parts(surface, planes))
            }
        }
    }
}

#[cfg(test)]
mod tests;
