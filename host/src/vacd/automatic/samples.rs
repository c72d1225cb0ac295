//! A solid as a few thousand points of a lattice, for questions that are asked often and need no exact answer.

use glam::{DVec3, IVec3, Vec3};

use crate::geometry::{Plane, PolyMesh};

/// No lattice has more points than this, solid or not.
const LARGEST_LATTICE: f64 = 4e6;

/// No sample.
pub(super) const NOTHING: u32 = u32::MAX;

/// The points of a lattice that are in a solid or whose voxel has a part of its surface, in units of the lattice.
pub(super) struct Samples {
    /// Where each is: the middle of the surface in its voxel, or else the voxel's centre.
    pub(super) points: Vec<Vec3>,
    /// The voxel of each. There are voxels around all of them, so that every one has six neighbours.
    pub(super) voxels: Vec<u32>,
    /// The sample of each voxel that has one.
    pub(super) of_voxel: Vec<u32>,
    /// How far the numbers of a voxel and its neighbours are apart; those on the other side are as far.
    pub(super) steps: [u32; 3],
    /// How much of its voxel is solid, about.
    pub(super) shares: Vec<f32>,
    /// The volume of the solid.
    pub(super) volume: f64,
    origin: DVec3,
    /// The length of a voxel.
    pub(super) spacing: f64,
}

impl Samples {
    /// About so many samples of a closed mesh.
    pub(super) fn of(mesh: &PolyMesh, count: usize) -> Samples {
        let bounds = mesh.aabb();
        let spacing = spacing(mesh, count as f64);
        // Off the corners of the box, since models often have many vertices at the same height.
        let origin = bounds.min - spacing * DVec3::new(0.797, 0.871, 0.913);
        let size = ((bounds.max - origin) / spacing).round().as_ivec3() + 2;
        let mut lattice = Lattice { size, voxels: vec![Voxel::default(); size.as_usizevec3().element_product()] };
        let local = |position: DVec3| (position - origin) / spacing;
        let mut crossings = Vec::new();
        // A fan of triangles would not do for the surface: that of a concave face reaches beyond it.
        let surface = mesh.to_tri_mesh();
        for triangle in &surface.triangles {
            let corners = triangle.map(|vertex| local(surface.positions[vertex as usize]));
            lattice.add_surface(corners);
            lattice.add_crossings(corners, &mut crossings);
        }
        lattice.fill(crossings);
        let mut of_voxel = vec![NOTHING; lattice.voxels.len()];
        let (mut points, mut voxels) = (Vec::new(), Vec::new());
        let volume = mesh.mass_properties().volume / spacing.powi(3);
        let (whole, cut) = lattice.voxels.iter().fold((0.0, 0.0), |(whole, cut), voxel| match voxel {
            voxel if voxel.points > 0.0 => (whole, cut + 1.0),
            voxel => (whole + f64::from(u8::from(voxel.is_inside)), cut),
        });
        let share_of_cut = ((volume - whole) / cut).clamp(0.0, 1.0) as f32;
        let mut shares = Vec::new();
        for (voxel, of_voxel) in of_voxel.iter_mut().enumerate() {
            if let Some(point) = lattice.sample(voxel) {
                *of_voxel = points.len() as u32;
                points.push(point.as_vec3());
                voxels.push(voxel as u32);
                shares.push(if lattice.voxels[voxel].points > 0.0 { share_of_cut } else { 1.0 });
            }
        }
        let steps = [1, size.x as u32, (size.x * size.y) as u32];
        Samples { points, voxels, of_voxel, steps, shares, volume, origin, spacing }
    }

    /// The plane in the world with this normal and offset in the lattice.
    pub(super) fn plane_to_world(&self, direction: Vec3, offset: f32) -> Plane {
        let normal = direction.as_dvec3().normalize();
        Plane { normal, offset: f64::from(offset) * self.spacing + normal.dot(self.origin) }
    }
}

/// The spacing of a lattice of which so many points are in a solid or near to its surface.
fn spacing(mesh: &PolyMesh, count: f64) -> f64 {
    let size = mesh.aabb().size();
    let volume = mesh.mass_properties().volume.max(0.0);
    let area: f64 = 0.5 * (0..mesh.face_count()).map(|face| mesh.vector_area(face).length()).sum::<f64>();
    let samples = |spacing: f64| (volume / spacing + 0.5 * area) / (spacing * spacing);
    let lattice = |spacing: f64| ((size / spacing) + 3.0).element_product();
    // Rough bounds, halved often enough for a thousandth.
    let (mut low, mut high) = (1e-4 * size.max_element(), 0.5 * size.max_element());
    for _ in 0..40 {
        let middle = (low * high).sqrt();
        if samples(middle) > count || lattice(middle) > LARGEST_LATTICE { low = middle } else { high = middle }
    }
    high
}

#[derive(Clone, Copy, Default)]
struct Voxel {
    /// The sum of points of the surface in it, and how many there are.
    surface: DVec3,
    points: f64,
    is_inside: bool,
}

struct Lattice {
    size: IVec3,
    voxels: Vec<Voxel>,
}

/// Where a line of the lattice along x crosses the surface: the line, the place, and whether it goes in or out.
type Crossing = (u32, f64, i32);

impl Lattice {
    fn index(&self, at: IVec3) -> usize {
        // The outermost voxels stay empty whatever rounding does.
        let [x, y, z] = at.clamp(IVec3::ONE, self.size - 2).as_usizevec3().to_array();
        let [width, height, _] = self.size.as_usizevec3().to_array();
        (z * height + y) * width + x
    }

    /// Points of a triangle, no farther apart than the voxels.
    fn add_surface(&mut self, [a, b, c]: [DVec3; 3]) {
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        let steps = (longest / 0.7).ceil().clamp(1.0, 1e4) as usize;
        for i in 0..steps {
            for j in 0..steps - i {
                // The middles of the small triangles that point the same way.
                let [u, v] = [i, j].map(|step| (step as f64 + 1.0 / 3.0) / steps as f64);
                let point = a + u * (b - a) + v * (c - a);
                let index = self.index(point.round().as_ivec3());
                let voxel = &mut self.voxels[index];
                voxel.surface += point;
                voxel.points += 1.0;
            }
        }
    }

    fn add_crossings(&self, [a, b, c]: [DVec3; 3], crossings: &mut Vec<Crossing>) {
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let normal = (b - a).cross(c - a);
        if normal.x == 0.0 {
            return;
        }
        for z in low.z.ceil().max(1.0) as i32..=(high.z.floor() as i32).min(self.size.z - 2) {
            for y in low.y.ceil().max(1.0) as i32..=(high.y.floor() as i32).min(self.size.y - 2) {
                let side = |from: DVec3, to: DVec3| {
                    (to.y - from.y) * (f64::from(z) - from.z) - (to.z - from.z) * (f64::from(y) - from.y)
                };
                let sides = [side(a, b), side(b, c), side(c, a)];
                if sides.iter().all(|&side| side > 0.0) || sides.iter().all(|&side| side < 0.0) {
                    let x = a.x - (normal.y * (f64::from(y) - a.y) + normal.z * (f64::from(z) - a.z)) / normal.x;
                    crossings.push(((z * self.size.y + y) as u32, x, if normal.x < 0.0 { 1 } else { -1 }));
                }
            }
        }
    }

    /// Marks what is inside. A line that met an edge or a vertex, and so does not come out as often as it goes in, is
    /// left to its neighbours.
    fn fill(&mut self, mut crossings: Vec<Crossing>) {
        crossings.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(b.2.cmp(&a.2)));
        for line in crossings.chunk_by(|a, b| a.0 == b.0) {
            if line.iter().map(|crossing| crossing.2).sum::<i32>() != 0 {
                continue;
            }
            let first = line[0].0 as usize * self.size.x as usize;
            let mut depth = 0;
            for pair in line.windows(2) {
                depth += pair[0].2;
                if depth > 0 {
                    let (begin, end) = (pair[0].1.ceil().max(0.0) as usize, pair[1].1.floor().max(-1.0) + 1.0);
                    for x in begin.max(1)..(end as usize).min(self.size.x as usize - 1) {
                        self.voxels[first + x].is_inside = true;
                    }
                }
            }
        }
    }

    /// Where the sample of a voxel is, if it has one.
    fn sample(&self, index: usize) -> Option<DVec3> {
        let Voxel { surface, points, is_inside } = self.voxels[index];
        let [width, height, _] = self.size.as_usizevec3().to_array();
        let center =
            || DVec3::new((index % width) as f64, (index / width % height) as f64, (index / width / height) as f64);
        if points > 0.0 { Some(surface / points) } else { is_inside.then(center) }
    }
}
