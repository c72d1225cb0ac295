//! A convex solid that planes are cut off from, one after another.

use glam::DVec3;

use super::super::Aabb;

/// What a cut did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The plane took nothing away.
    Missed,
    /// The plane took a part away and became a face.
    Taken,
    /// Nothing is left.
    Gone,
}

/// The inside of a plane: the points p with `normal · p <= offset`. The normal need not have unit length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfSpace {
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
    /// What the caller calls the plane.
    pub(crate) label: u32,
}

/// The solid as a graph in which every vertex has exactly three edges; where more than three planes meet in a point,
/// several vertices stand there. Cutting follows Sugihara and Iri: numbers decide only which vertices are taken away,
/// and where rounding makes these a set that no plane could take (not in one piece, or leaving pieces), the set is
/// corrected. So the graph is that of a convex solid for any input.
///
/// All memory is kept from solid to solid.
#[derive(Default)]
pub(crate) struct CellClipper {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    /// The other end of each edge, counter-clockwise seen from outside.
    links: Vec<[u32; 3]>,
    /// The plane of the face between each edge and the next.
    faces: Vec<[u32; 3]>,
    planes: Vec<HalfSpace>,
    /// The greatest squared distance of a vertex from the origin.
    radius_squared: f64,
    sides: Vec<f64>,
    is_removed: Vec<bool>,
    removed: Vec<u32>,
    crossings: Vec<Crossing>,
}

/// Where the cut crosses an edge between a removed vertex and a kept one.
#[derive(Clone, Copy)]
struct Crossing {
    kept: u32,
    removed: u32,
    position: DVec3,
    /// The face between this crossing and the next.
    face: u32,
}

impl CellClipper {
    /// Begins with a box; its sides have the labels of [`super::wall_label`].
    pub(crate) fn reset(&mut self, aabb: Aabb) {
        self.planes.clear();
        for axis in 0..3 {
            let mut normal = DVec3::ZERO;
            normal[axis] = -1.0;
            self.planes.push(HalfSpace { normal, offset: -aabb.min[axis], label: super::wall_label(2 * axis) });
            normal[axis] = 1.0;
            self.planes.push(HalfSpace { normal, offset: aabb.max[axis], label: super::wall_label(2 * axis + 1) });
        }
        for list in [&mut self.x, &mut self.y, &mut self.z] {
            list.clear();
        }
        self.links.clear();
        self.faces.clear();
        for (corner, position) in aabb.corners().into_iter().enumerate() {
            self.push_position(position);
            // Seen from outside, the edges along x, y and z turn left at the highest corner and at every second one.
            let axes = if corner.count_ones() % 2 == 1 { [0, 1, 2] } else { [0, 2, 1] };
            let side = |axis: usize| (2 * axis + (corner >> axis & 1)) as u32;
            self.links.push(axes.map(|axis| (corner ^ 1 << axis) as u32));
            self.faces.push([side(axes[2]), side(axes[0]), side(axes[1])]);
        }
        self.measure_radius();
    }

    /// The greatest squared distance of a vertex from the origin.
    #[inline]
    pub(crate) fn radius_squared(&self) -> f64 {
        self.radius_squared
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.x.len()
    }

    pub(super) fn links(&self) -> &[[u32; 3]] {
        &self.links
    }

    pub(super) fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    pub(super) fn plane(&self, number: u32) -> &HalfSpace {
        &self.planes[number as usize]
    }

    pub(super) fn position(&self, vertex: usize) -> DVec3 {
        DVec3::new(self.x[vertex], self.y[vertex], self.z[vertex])
    }

    /// The point where the three planes of a vertex meet. Cutting leaves vertices as precise as the box is large; this
    /// is as precise as the planes are. Planes almost parallel to a line meet anywhere along it; a vertex that would move
    /// by more than `reach` stays where it is.
    pub(super) fn solved_position(&self, vertex: usize, reach: f64) -> DVec3 {
        let position = self.position(vertex);
        let [a, b, c] = self.faces[vertex].map(|face| &self.planes[face as usize]);
        let (ab, bc, ca) = (a.normal.cross(b.normal), b.normal.cross(c.normal), c.normal.cross(a.normal));
        let determinant = a.normal.dot(bc);
        // Solved for the step from where the vertex is, so that what is rounded is small.
        let [da, db, dc] = [a, b, c].map(|plane| plane.offset - plane.normal.dot(position));
        let step = (bc * da + ca * db + ab * dc) / determinant;
        // Also false for a step that is not a number.
        if step.length_squared() <= reach * reach { position + step } else { position }
    }

    /// Takes away what is outside of a plane, unless no vertex stands further outside than `tolerance`.
    #[inline]
    pub(crate) fn cut(&mut self, plane: HalfSpace, tolerance: f64) -> Cut {
        let HalfSpace { normal, offset, .. } = plane;
        self.sides.clear();
        let positions = self.x.iter().zip(&self.y).zip(&self.z);
        self.sides.extend(positions.map(|((x, y), z)| x * normal.x + y * normal.y + z * normal.z - offset));
        let mut farthest = 0.0;
        for &side in &self.sides {
            farthest = if side > farthest { side } else { farthest };
        }
        if farthest == 0.0 {
            return Cut::Missed;
        }
        let threshold = tolerance * normal.length();
        if farthest <= threshold {
            return Cut::Missed;
        }
        self.take(plane, farthest, threshold)
    }

    fn take(&mut self, plane: HalfSpace, farthest: f64, threshold: f64) -> Cut {
        self.flood(farthest, threshold);
        if !self.walk() {
            self.correct();
            if !self.walk() {
                return if self.crossings.is_empty() { Cut::Gone } else { Cut::Missed };
            }
        }
        let face = self.planes.len() as u32;
        self.planes.push(plane);
        self.replace(face);
        self.measure_radius();
        Cut::Taken
    }

    /// Removes the outside vertices that hang together with the one farthest out.
    fn flood(&mut self, farthest: f64, threshold: f64) {
        self.is_removed.clear();
        self.is_removed.resize(self.x.len(), false);
        let start = self.sides.iter().position(|&side| side == farthest).unwrap_or(0);
        self.is_removed[start] = true;
        self.removed.clear();
        self.removed.push(start as u32);
        let mut next = 0;
        while let Some(&vertex) = self.removed.get(next) {
            next += 1;
            for link in self.links[vertex as usize] {
                if self.sides[link as usize] > threshold && !self.is_removed[link as usize] {
                    self.is_removed[link as usize] = true;
                    self.removed.push(link);
                }
            }
        }
    }

    /// Removes also what is not connected to the innermost vertex without the removed ones.
    fn correct(&mut self) {
        let kept = (0..self.x.len()).filter(|&vertex| !self.is_removed[vertex]);
        let Some(start) = kept.min_by(|&a, &b| self.sides[a].total_cmp(&self.sides[b])) else { return };
        let mut reached = vec![false; self.x.len()];
        reached[start] = true;
        let mut stack = vec![start as u32];
        while let Some(vertex) = stack.pop() {
            for link in self.links[vertex as usize] {
                if !self.is_removed[link as usize] && !std::mem::replace(&mut reached[link as usize], true) {
                    stack.push(link);
                }
            }
        }
        for (vertex, reached) in reached.into_iter().enumerate() {
            if !reached && !std::mem::replace(&mut self.is_removed[vertex], true) {
                self.removed.push(vertex as u32);
            }
        }
    }

    /// Collects the crossings in order around the removed part; false if they are not one ring.
    fn walk(&mut self) -> bool {
        self.crossings.clear();
        let mut expected = 0;
        let mut start = None;
        for &vertex in &self.removed {
            for (slot, &link) in self.links[vertex as usize].iter().enumerate() {
                if !self.is_removed[link as usize] {
                    expected += 1;
                    start = Some((vertex, slot));
                }
            }
        }
        let Some(start) = start else { return false };
        let (mut vertex, mut slot) = start;
        loop {
            let kept = self.links[vertex as usize][slot];
            let position = self.crossing(kept as usize, vertex as usize);
            let face = self.faces[vertex as usize][slot];
            self.crossings.push(Crossing { kept, removed: vertex, position, face });
            // Along the face, through removed vertices, to the next edge that leaves them.
            slot = after(slot);
            loop {
                let link = self.links[vertex as usize][slot];
                if !self.is_removed[link as usize] {
                    break;
                }
                slot = after(slot_of(&self.links[link as usize], vertex));
                vertex = link;
            }
            if (vertex, slot) == start || self.crossings.len() > expected {
                break;
            }
        }
        self.crossings.len() == expected && expected >= 3
    }

    fn crossing(&self, kept: usize, removed: usize) -> DVec3 {
        let (inside, outside) = (self.sides[kept], self.sides[removed]);
        let here = self.position(kept);
        if inside >= 0.0 {
            return here;
        }
        here + (self.position(removed) - here) * (inside / (inside - outside))
    }

    /// Puts a vertex at every crossing in the place of the removed ones.
    fn replace(&mut self, new_face: u32) {
        let count = self.crossings.len();
        while self.removed.len() < count {
            let vertex = self.x.len() as u32;
            self.removed.push(vertex);
            self.push_position(DVec3::ZERO);
            self.links.push([u32::MAX; 3]);
            self.faces.push([u32::MAX; 3]);
        }
        for crossing in &self.crossings {
            // The kept vertex still names the removed one; it is marked first, because that number is used again.
            let links = &mut self.links[crossing.kept as usize];
            links[slot_of(links, crossing.removed)] |= MARK;
        }
        for number in 0..count {
            let previous = if number == 0 { count - 1 } else { number - 1 };
            let next = if number + 1 == count { 0 } else { number + 1 };
            let (vertex, Crossing { kept, removed, position, face }) = (self.removed[number], self.crossings[number]);
            let links = &mut self.links[kept as usize];
            links[slot_of(links, removed | MARK)] = vertex;
            let vertex = vertex as usize;
            (self.x[vertex], self.y[vertex], self.z[vertex]) = (position.x, position.y, position.z);
            self.links[vertex] = [kept, self.removed[next], self.removed[previous]];
            self.faces[vertex] = [face, new_face, self.crossings[previous].face];
        }
        let holes = &mut self.removed[count..];
        holes.sort_unstable_by(|a, b| b.cmp(a));
        for &hole in &self.removed[count..] {
            let last = self.x.len() as u32 - 1;
            for list in [&mut self.x, &mut self.y, &mut self.z] {
                list.swap_remove(hole as usize);
            }
            let links = self.links[last as usize];
            self.links.swap_remove(hole as usize);
            self.faces.swap_remove(hole as usize);
            if hole != last {
                for link in links {
                    let back = &mut self.links[link as usize];
                    back[slot_of(back, last)] = hole;
                }
            }
        }
    }

    fn push_position(&mut self, position: DVec3) {
        self.x.push(position.x);
        self.y.push(position.y);
        self.z.push(position.z);
    }

    fn measure_radius(&mut self) {
        let positions = self.x.iter().zip(&self.y).zip(&self.z);
        self.radius_squared = 0.0;
        for ((x, y), z) in positions {
            let squared = x * x + y * y + z * z;
            self.radius_squared = if squared > self.radius_squared { squared } else { self.radius_squared };
        }
    }

    /// The volume of what is left.
    pub(crate) fn volume(&self) -> f64 {
        let mut seen = vec![[false; 3]; self.x.len()];
        let mut volume = 0.0;
        for vertex in 0..self.x.len() {
            for slot in 0..3 {
                if seen[vertex][slot] {
                    continue;
                }
                let apex = self.position(vertex);
                let (mut here, mut along) = (vertex, slot);
                loop {
                    seen[here][along] = true;
                    let (there, leaving) = self.next_corner(here, along);
                    volume += apex.dot(self.position(here).cross(self.position(there)));
                    (here, along) = (there, leaving);
                    if (here, along) == (vertex, slot) {
                        break;
                    }
                }
            }
        }
        volume / 6.0
    }

    /// The next corner of a face, counter-clockwise, and the edge by which the face's border leaves it.
    #[inline]
    pub(super) fn next_corner(&self, vertex: usize, slot: usize) -> (usize, usize) {
        let next = self.links[vertex][slot] as usize;
        (next, after(after(slot_of(&self.links[next], vertex as u32))))
    }
}

/// Set in a link that is about to change.
const MARK: u32 = 1 << 31;

/// Where a vertex stands among the links of another.
#[inline]
fn slot_of(links: &[u32; 3], vertex: u32) -> usize {
    if links[0] == vertex {
        0
    } else if links[1] == vertex {
        1
    } else {
        2
    }
}

/// The next of the three slots of a vertex; a division by three would take as long as the rest of a step of a walk.
#[inline]
fn after(slot: usize) -> usize {
    if slot == 2 { 0 } else { slot + 1 }
}
