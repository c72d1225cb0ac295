//! Cutting convex solids: no holes, one chain a face and one loop for the cap, so nothing to look up or to sort.

use glam::DVec3;

use super::super::{Convex, Plane, PolyMesh};
use super::{Clipped, Clipper, measure};

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
    /// The number in the result of each vertex of the input.
    numbers: Vec<u32>,
    /// The cut edges, by their vertices in the input, and the number in the result of the vertex on each.
    crossings: Vec<(u32, u32, u32)>,
    /// For each vertex of the result, the vertex that comes after it around the cap.
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
        self.begin();
        let mesh = &self.mesh;
        let mut cut = Cut {
            mesh,
            distances: &self.distances,
            slack,
            result: &mut self.next_mesh,
            numbers: &mut self.numbers,
            crossings: &mut self.crossings,
            links: &mut self.links,
            rim: 0,
        };
        let mut start = 0;
        for (face, &end) in mesh.contour_ends.iter().enumerate() {
            if cut.take_face(start as usize, end as usize)? {
                cut.end_face(mesh.materials[face]);
                self.next_planes.push(self.planes[face]);
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
        self.links.clear();
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
    slack: f64,
    result: &'a mut PolyMesh,
    numbers: &'a mut [u32],
    crossings: &'a mut Vec<(u32, u32, u32)>,
    links: &'a mut Vec<u32>,
    /// How many edges of kept faces lie in the plane.
    rim: usize,
}

impl Cut<'_> {
    fn distance(&self, corner: usize) -> f64 {
        self.distances[self.mesh.corners[corner] as usize]
    }

    fn is_inner(&self, corner: usize) -> bool {
        self.distance(corner) < -self.slack
    }

    /// Keeps a face or what is left of it; whether there is any.
    fn take_face(&mut self, start: usize, end: usize) -> Result<bool, Odd> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut outer = end;
        for corner in start..end {
            let distance = self.distance(corner);
            low = if distance < low { distance } else { low };
            high = if distance > high { distance } else { high };
            if outer == end && !self.is_inner(corner) {
                outer = corner;
            }
        }
        if low >= -self.slack {
            // None of it is inside. One that lies in the plane may still be kept.
            return if high > self.slack { Ok(false) } else { Err(Odd) };
        }
        let first = self.result.corners.len();
        if high <= self.slack {
            for corner in start..end {
                let vertex = self.kept(corner);
                self.result.corners.push(vertex);
            }
            if outer < end {
                self.link_edges(start, end, first)?;
            }
            return Ok(true);
        }
        self.cut_face(start, end, outer)?;
        let (from, to) = (self.result.corners[first], self.result.corners[self.result.corners.len() - 1]);
        if from == to || self.result.corners.len() - first < 3 {
            return Err(Odd);
        }
        self.link(from, to)?;
        Ok(true)
    }

    /// Appends what is left of a face, beginning where the plane goes in.
    fn cut_face(&mut self, start: usize, end: usize, outer: usize) -> Result<(), Odd> {
        let mut entered = false;
        let mut corner = outer;
        let mut here = false;
        loop {
            let next = if corner + 1 == end { start } else { corner + 1 };
            let there = self.is_inner(next);
            match (here, there) {
                (false, true) => {
                    if std::mem::replace(&mut entered, true) {
                        return Err(Odd);
                    }
                    let vertices = [self.crossed(next, corner), self.kept(next)];
                    self.result.corners.extend(vertices);
                }
                (true, true) => {
                    let vertex = self.kept(next);
                    self.result.corners.push(vertex);
                }
                (true, false) => {
                    let vertex = self.crossed(corner, next);
                    self.result.corners.push(vertex);
                }
                (false, false) => {}
            }
            corner = next;
            here = there;
            if corner == outer {
                return Ok(());
            }
        }
    }

    /// Links the vertices of a kept face's edges in the plane.
    fn link_edges(&mut self, start: usize, end: usize, first: usize) -> Result<(), Odd> {
        for corner in start..end {
            let next = if corner + 1 == end { start } else { corner + 1 };
            if !self.is_inner(corner) && !self.is_inner(next) {
                let [from, to] = [corner, next].map(|corner| self.result.corners[first + corner - start]);
                self.link(to, from)?;
            }
        }
        Ok(())
    }

    fn link(&mut self, from: u32, to: u32) -> Result<(), Odd> {
        self.rim += 1;
        let link = std::mem::replace(&mut self.links[from as usize], to);
        if link == NONE { Ok(()) } else { Err(Odd) }
    }

    fn push_vertex(&mut self, position: DVec3) -> u32 {
        self.result.positions.push(position);
        self.links.push(NONE);
        self.result.positions.len() as u32 - 1
    }

    /// The number in the result of a corner of the input.
    fn kept(&mut self, corner: usize) -> u32 {
        let vertex = self.mesh.corners[corner] as usize;
        if self.numbers[vertex] == NONE {
            self.numbers[vertex] = self.push_vertex(self.mesh.positions[vertex]);
        }
        self.numbers[vertex]
    }

    /// Where the plane is between an inner and another corner: at the other one if that is on the plane.
    fn crossed(&mut self, inner: usize, other: usize) -> u32 {
        if self.distance(other) <= self.slack {
            return self.kept(other);
        }
        let (from, to) = (self.mesh.corners[inner], self.mesh.corners[other]);
        let (low, high) = (from.min(to), from.max(to));
        // The edges around a convex are few, and the one looked for was most often met just before.
        if let Some(&(.., number)) = self.crossings.iter().rev().find(|edge| (edge.0, edge.1) == (low, high)) {
            return number;
        }
        // The same arithmetic whichever way the edge is walked and whichever side is kept.
        let (at_low, at_high) = (self.distances[low as usize], self.distances[high as usize]);
        let share = at_low / (at_low - at_high);
        let (begin, end) = (self.mesh.positions[low as usize], self.mesh.positions[high as usize]);
        let number = self.push_vertex(begin + share * (end - begin));
        self.crossings.push((low, high, number));
        number
    }

    /// Appends the corners of the cap, which must be one loop through all links.
    fn close(&mut self) -> Result<(), Odd> {
        let first = self.links.iter().position(|&link| link != NONE).ok_or(Odd)? as u32;
        let before = self.result.corners.len();
        let mut vertex = first;
        for _ in 0..self.rim {
            self.result.corners.push(vertex);
            vertex = self.links[vertex as usize];
            if vertex == first {
                break;
            }
            if vertex == NONE {
                return Err(Odd);
            }
        }
        let count = self.result.corners.len() - before;
        if vertex == first && count == self.rim && count >= 3 { Ok(()) } else { Err(Odd) }
    }

    fn end_face(&mut self, material: u32) {
        self.result.contour_ends.push(self.result.corners.len() as u32);
        self.result.face_ends.push(self.result.contour_ends.len() as u32);
        self.result.materials.push(material);
    }
}
