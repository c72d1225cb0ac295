//! A body of many boxes that loses those near an impact, for tests.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::*;
use crate::geometry::{Aabb, Convex, MassProperties};

/// Boxes side by side, numbered along x, then y, then z. The lowest ones are anchored if the body is fixed.
#[derive(Clone)]
pub(crate) struct Lattice {
    count: [u32; 3],
    cell: f64,
    gone: BTreeSet<u32>,
    anchors: usize,
    /// The moments of the boxes' centres, so that the mass of the rest need not be summed up anew.
    boxes: f64,
    first: DVec3,
    second: DMat3,
}

fn outer(vector: DVec3) -> DMat3 {
    DMat3::from_cols(vector * vector.x, vector * vector.y, vector * vector.z)
}

impl Lattice {
    pub(crate) fn new(count: [u32; 3], cell: f64) -> Lattice {
        let mut lattice = Lattice {
            count,
            cell,
            gone: BTreeSet::new(),
            anchors: (count[0] * count[2]) as usize,
            boxes: 0.0,
            first: DVec3::ZERO,
            second: DMat3::ZERO,
        };
        for key in 0..count.iter().product() {
            lattice.weigh(key, 1.0);
        }
        lattice
    }

    fn weigh(&mut self, key: u32, sign: f64) {
        let center = self.center(key);
        self.boxes += sign;
        self.first += sign * center;
        self.second += outer(center) * sign;
    }

    fn place(&self, key: u32) -> [u32; 3] {
        [key % self.count[0], key / self.count[0] % self.count[1], key / self.count[0] / self.count[1]]
    }

    fn center(&self, key: u32) -> DVec3 {
        let place = DVec3::from(self.place(key).map(|step| f64::from(step) + 0.5));
        self.cell * (place - 0.5 * DVec3::from(self.count.map(f64::from)))
    }

    pub(crate) fn mass(&self) -> MassProperties {
        let volume = self.boxes * self.cell.powi(3);
        let centroid = self.first / self.boxes;
        let spread = (self.second - outer(centroid) * self.boxes) * self.cell.powi(3);
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        let own = DMat3::IDENTITY * (volume * self.cell * self.cell / 6.0);
        MassProperties { volume, centroid, inertia: DMat3::from_diagonal(DVec3::splat(trace)) - spread + own }
    }

    fn convex(&self, center: DVec3) -> Arc<Convex> {
        Arc::new(Convex::cuboid(Aabb::around(center, DVec3::splat(0.5 * self.cell))))
    }

    pub(crate) fn describe(self, motion: Motion) -> BodyDescription {
        let keys = 0..self.count.iter().product::<u32>();
        let parts: ConvexParts = keys.map(|key| (key, self.convex(self.center(key)))).collect();
        let look = |convex: &Arc<Convex>| {
            let convex = Arc::clone(convex);
            LazyMesh::lazy(12, move || convex.to_tri_mesh())
        };
        BodyDescription {
            looks: parts.iter().map(|(&key, convex)| (key, look(convex))).collect(),
            mass: Some(self.mass()),
            motion,
            fracture: Some(Arc::new(Break { lattice: self, motion })),
            ..BodyDescription::new("lattice", TriMesh::default(), Representation::Convexes(parts))
        }
    }
}

#[derive(Clone)]
struct Break {
    lattice: Lattice,
    motion: Motion,
}

impl Fracture for Break {
    fn piece_kind(&self) -> RepresentationKind {
        RepresentationKind::Solid
    }

    fn duplicate(&self) -> Box<dyn Fracture> {
        Box::new(self.clone())
    }

    fn fracture(&mut self, impact: &Impact) -> Result<Fractured, FractureError> {
        let lattice = &mut self.lattice;
        let radius = impact.radius.unwrap_or(1e9);
        let corner = |point: DVec3, axis: usize| {
            let along = (point[axis] / lattice.cell + 0.5 * f64::from(lattice.count[axis])).floor();
            along.clamp(0.0, f64::from(lattice.count[axis] - 1)) as u32
        };
        let low: [u32; 3] = std::array::from_fn(|axis| corner(impact.point - DVec3::splat(radius), axis));
        let high: [u32; 3] = std::array::from_fn(|axis| corner(impact.point + DVec3::splat(radius), axis));
        let mut broken = Vec::new();
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let key = x + lattice.count[0] * (y + lattice.count[1] * z);
                    if lattice.center(key).distance(impact.point) <= radius && !lattice.gone.contains(&key) {
                        broken.push(key);
                    }
                }
            }
        }
        if broken.is_empty() {
            return Err(FractureError::Method("the impact misses the body".into()));
        }
        let mut exposed = ExposedFaces::default();
        let mut pieces = Vec::new();
        for &key in &broken {
            lattice.gone.insert(key);
            lattice.weigh(key, -1.0);
            lattice.anchors -= usize::from(lattice.place(key)[1] == 0);
            let convex = lattice.convex(DVec3::ZERO);
            let mesh = Arc::clone(&convex);
            exposed.push(convex.vertices()[..3].iter().map(|&vertex| vertex + lattice.center(key)), DVec3::NEG_Z);
            pieces.push(Piece {
                looks: Looks::from([(key, LazyMesh::lazy(12, move || mesh.to_tri_mesh()))]),
                representation: Representation::Convexes(ConvexParts::from([(key, convex)])),
                pose: Pose::at(lattice.center(key)),
                motion: Motion::Dynamic,
                mass: None,
                fracture: Some(Box::new(Break {
                    lattice: Lattice::new([1, 1, 1], lattice.cell),
                    motion: Motion::Dynamic,
                })),
                size: lattice.cell,
            });
        }
        let rest = if lattice.boxes < 0.5 {
            Rest::Gone
        } else {
            if lattice.anchors == 0 {
                self.motion = Motion::Dynamic;
            }
            Rest::Changed(Change {
                removed: broken,
                added: Vec::new(),
                motion: self.motion,
                mass: Some(lattice.mass()),
            })
        };
        Ok(Fractured { pieces, rest, exposed, lost_volume: 0.0 })
    }
}
