//! Cutting convex solids: no holes, one chain a face and one loop for the cap, so nothing to look up or to sort.

use glam::DVec3;

use super::super::{Convex, Plane, PolyMesh};
use super::{Clipped, Clipper, INSIDE, OUTSIDE, find_sides, measure};

/// Cuts a convex solid by one plane after another, in memory that it keeps.
///
/// What comes out is what a [`Clipper`] makes of the same cuts, bit for bit; that does the few cuts that rounding makes
/// too odd for the short way, and all cuts of surfaces with corner attributes.
///
/// ```
/// use fracas::geometry::{Aabb, Clipped, Convex, ConvexClipper, Plane};
/// use glam::DVec3;
///
/// let mut clipper = ConvexClipper::new();
/// clipper.start(&Convex::cuboid(Aabb { min: DVec3::ZERO, max: DVec3::ONE }));
/// for normal in [DVec3::X, DVec3::Y] {
///     assert_eq!(clipper.clip(&Plane { normal, offset: 0.5 }, 0), Clipped::Part);
/// }
/// assert_eq!(clipper.finish().mass_properties().volume, 0.25);
/// ```
#[derive(Default)]
pub struct ConvexClipper {
    /// The solid as it is now.
    mesh: PolyMesh,
    planes: Vec<Plane>,
    next_mesh: PolyMesh,
    next_planes: Vec<Plane>,
    distances: Vec<f64>,
    sides: Vec<u8>,
    /// The number in the result of each vertex of the input.
    numbers: Vec<u32>,
    /// The cut edges, by their vertices in the input, and the number in the result of the vertex on each.
    crossings: Vec<(u32, u32, u32)>,
    /// Pairs of vertices of the result, of which the second comes after the first around the cap.
    rim: Vec<(u32, u32)>,
    /// The same by the first vertex.
    links: Vec<u32>,
    clipper: Clipper,
}

const NONE: u32 = u32::MAX;

/// A surface that is not cut the short way.
struct Odd;

impl ConvexClipper {
    /// A clipper with no memory yet.
    pub fn new() -> ConvexClipper {
        ConvexClipper::default()
    }

    /// Takes a solid to cut.
    pub fn start(&mut self, convex: &Convex) {
        self.start_from(convex.surface(), convex.planes());
    }

    /// Takes what another one holds.
    pub fn start_as(&mut self, other: &ConvexClipper) {
        self.start_from(&other.mesh, &other.planes);
    }

    fn start_from(&mut self, mesh: &PolyMesh, planes: &[Plane]) {
        copy(&mut self.mesh.positions, &mesh.positions);
        copy(&mut self.mesh.corners, &mesh.corners);
        copy(&mut self.mesh.contour_ends, &mesh.contour_ends);
        copy(&mut self.mesh.face_ends, &mesh.face_ends);
        copy(&mut self.mesh.materials, &mesh.materials);
        self.mesh.corner_normals.clone_from(&mesh.corner_normals);
        self.mesh.corner_uvs.clone_from(&mesh.corner_uvs);
        self.mesh.corner_colors.clone_from(&mesh.corner_colors);
        copy(&mut self.planes, planes);
    }

    /// Cuts off what is outside of a plane; the cap gets a material. Where nothing is left, what was there stays.
    pub fn clip(&mut self, plane: &Plane, material: u32) -> Clipped {
        let clipped = match self.clip_plain(plane, material) {
            Ok(clipped) => clipped,
            Err(Odd) => self.clip_odd(plane, material),
        };
        if clipped == Clipped::Part {
            std::mem::swap(&mut self.mesh, &mut self.next_mesh);
            std::mem::swap(&mut self.planes, &mut self.next_planes);
        }
        clipped
    }

    /// The vertices of what is left.
    pub fn vertices(&self) -> &[DVec3] {
        &self.mesh.positions
    }

    /// The planes of what is left.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// The surface of what is left.
    pub fn surface(&self) -> &PolyMesh {
        &self.mesh
    }

    /// What is left.
    pub fn finish(&self) -> Convex {
        Convex::from_parts(self.mesh.clone(), self.planes.clone())
    }

    fn clip_odd(&mut self, plane: &Plane, material: u32) -> Clipped {
        let clipped = self.clipper.clip(&self.mesh, plane, material, &mut self.next_mesh);
        self.next_planes.clear();
        if clipped == Clipped::Part {
            let planes = self.clipper.sources().iter().map(|&source| self.planes.get(source as usize).unwrap_or(plane));
            self.next_planes.extend(planes);
        }
        clipped
    }

    fn clip_plain(&mut self, plane: &Plane, material: u32) -> Result<Clipped, Odd> {
        let mesh = &self.mesh;
        if mesh.has_attributes() || mesh.contour_ends.len() != mesh.face_ends.len() {
            return Err(Odd);
        }
        let slack = match measure(&mesh.positions, plane, &mut self.distances) {
            Err(clipped) => return Ok(clipped),
            Ok(slack) => slack,
        };
        find_sides(&self.distances, slack, &mut self.sides);
        self.begin();
        let mesh = &self.mesh;
        let mut cut = Cut {
            mesh,
            distances: &self.distances,
            sides: &self.sides,
            result: &mut self.next_mesh,
            numbers: &mut self.numbers,
            crossings: &mut self.crossings,
            rim: &mut self.rim,
            links: &mut self.links,
        };
        let mut start = 0;
        for ((&end, &material), plane) in mesh.contour_ends.iter().zip(&mesh.materials).zip(&self.planes) {
            if cut.take_face(&mesh.corners[start as usize..end as usize])? {
                cut.end_face(material);
                self.next_planes.push(*plane);
            }
            start = end;
        }
        cut.close()?;
        cut.end_face(material);
        self.next_planes.push(*plane);
        Ok(Clipped::Part)
    }

    fn begin(&mut self) {
        let result = &mut self.next_mesh;
        result.positions.clear();
        result.corners.clear();
        result.contour_ends.clear();
        result.face_ends.clear();
        result.materials.clear();
        (result.corner_normals, result.corner_uvs, result.corner_colors) = (None, None, None);
        self.next_planes.clear();
        self.numbers.clear();
        self.numbers.resize(self.mesh.positions.len(), NONE);
        self.crossings.clear();
        self.rim.clear();
    }
}

fn copy<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    to.extend_from_slice(from);
}

/// One cut in progress.
struct Cut<'a> {
    mesh: &'a PolyMesh,
    distances: &'a [f64],
    sides: &'a [u8],
    result: &'a mut PolyMesh,
    numbers: &'a mut [u32],
    crossings: &'a mut Vec<(u32, u32, u32)>,
    rim: &'a mut Vec<(u32, u32)>,
    links: &'a mut Vec<u32>,
}

impl Cut<'_> {
    fn is_inner(&self, vertex: u32) -> bool {
        self.sides[vertex as usize] == INSIDE
    }

    /// Keeps a face, given by its vertices, or what is left of it; whether there is any.
    fn take_face(&mut self, face: &[u32]) -> Result<bool, Odd> {
        let sides = face.iter().fold(0, |sides, &vertex| sides | self.sides[vertex as usize]);
        if sides & INSIDE == 0 {
            // None of it is inside. One that lies in the plane may still be kept.
            return if sides & OUTSIDE != 0 { Ok(false) } else { Err(Odd) };
        }
        let first = self.result.corners.len();
        if sides & OUTSIDE == 0 {
            let (numbers, positions) = (&mut *self.numbers, &mut self.result.positions);
            let kept = face.iter().map(|&vertex| kept(vertex, self.mesh, numbers, positions));
            self.result.corners.extend(kept);
            if sides != INSIDE {
                self.link_edges(face, first);
            }
            return Ok(true);
        }
        self.cut_face(face)?;
        let chain = &self.result.corners[first..];
        let (from, to) = (chain[0], chain[chain.len() - 1]);
        if from == to || chain.len() < 3 {
            return Err(Odd);
        }
        self.rim.push((from, to));
        Ok(true)
    }

    /// Appends what is left of a face, beginning where the plane goes in.
    fn cut_face(&mut self, face: &[u32]) -> Result<(), Odd> {
        let outer = face.iter().position(|&vertex| !self.is_inner(vertex)).ok_or(Odd)?;
        let mut entered = false;
        let (mut from, mut here) = (face[outer], false);
        for &to in face[outer + 1..].iter().chain(&face[..=outer]) {
            let there = self.is_inner(to);
            match (here, there) {
                (false, true) => {
                    if std::mem::replace(&mut entered, true) {
                        return Err(Odd);
                    }
                    let vertices = [self.crossed(to, from), self.kept(to)];
                    self.result.corners.extend(vertices);
                }
                (true, true) => {
                    let vertex = self.kept(to);
                    self.result.corners.push(vertex);
                }
                (true, false) => {
                    let vertex = self.crossed(from, to);
                    self.result.corners.push(vertex);
                }
                (false, false) => {}
            }
            (from, here) = (to, there);
        }
        Ok(())
    }

    /// Links the vertices of a kept face's edges in the plane; its corners in the result begin at `first`.
    fn link_edges(&mut self, face: &[u32], first: usize) {
        for corner in 0..face.len() {
            let next = if corner + 1 == face.len() { 0 } else { corner + 1 };
            if !self.is_inner(face[corner]) && !self.is_inner(face[next]) {
                let [from, to] = [corner, next].map(|corner| self.result.corners[first + corner]);
                self.rim.push((to, from));
            }
        }
    }

    /// The number in the result of a vertex of the input.
    #[inline]
    fn kept(&mut self, vertex: u32) -> u32 {
        kept(vertex, self.mesh, self.numbers, &mut self.result.positions)
    }

    /// Where the plane is between an inner and another vertex: at the other one if that is on the plane.
    fn crossed(&mut self, inner: u32, other: u32) -> u32 {
        if self.sides[other as usize] != OUTSIDE {
            return self.kept(other);
        }
        let (low, high) = (inner.min(other), inner.max(other));
        // The edges around a convex are few, and the one looked for was most often met just before.
        if let Some(&(.., number)) = self.crossings.iter().rev().find(|edge| (edge.0, edge.1) == (low, high)) {
            return number;
        }
        // The same arithmetic whichever way the edge is walked and whichever side is kept.
        let (at_low, at_high) = (self.distances[low as usize], self.distances[high as usize]);
        let share = at_low / (at_low - at_high);
        let (begin, end) = (self.mesh.positions[low as usize], self.mesh.positions[high as usize]);
        let number = self.result.positions.len() as u32;
        self.result.positions.push(begin + share * (end - begin));
        self.crossings.push((low, high, number));
        number
    }

    /// Appends the corners of the cap, which must be one loop through all links.
    fn close(&mut self) -> Result<(), Odd> {
        self.links.clear();
        self.links.resize(self.result.positions.len(), NONE);
        let mut first = NONE;
        for &(from, to) in self.rim.iter() {
            if std::mem::replace(&mut self.links[from as usize], to) != NONE {
                return Err(Odd);
            }
            first = first.min(from);
        }
        let mut vertex = first;
        for place in 0..self.rim.len() {
            // A chain that breaks off or comes back too soon is not all of the loop.
            if vertex == NONE || vertex == first && place > 0 {
                return Err(Odd);
            }
            self.result.corners.push(vertex);
            vertex = self.links[vertex as usize];
        }
        if vertex == first && self.rim.len() >= 3 { Ok(()) } else { Err(Odd) }
    }

    fn end_face(&mut self, material: u32) {
        self.result.contour_ends.push(self.result.corners.len() as u32);
        self.result.face_ends.push(self.result.contour_ends.len() as u32);
        self.result.materials.push(material);
    }
}

/// The number in the result of a vertex of the input, which becomes one of the result's positions if it is none yet.
#[inline]
fn kept(vertex: u32, mesh: &PolyMesh, numbers: &mut [u32], positions: &mut Vec<DVec3>) -> u32 {
    let number = &mut numbers[vertex as usize];
    if *number == NONE {
        *number = positions.len() as u32;
        positions.push(mesh.positions[vertex as usize]);
    }
    *number
}
