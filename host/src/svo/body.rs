//! Octrees as bodies of a world.

use std::sync::Arc;

use fracas_kernels::morton;
use glam::DVec3;
use rayon::prelude::*;

use super::tree::FRACTURED;
use super::{FractureOptions, Lattice, Seeds, Tree, mass_properties, smooth_surface, tight_box};
use crate::device::{Backend, Cpu, DeviceError, SharedBackend};
use crate::geometry::{Aabb, MassProperties, Pose};
use crate::pattern::{ImpactPattern, SeedPattern};
use crate::world::{
    BodyDescription, ExposedFaces, Fracture, FractureError, Impact, LazyMesh, Looks, Motion, Piece, Representation,
    RepresentationKind, Rest,
};

/// An octree and where its voxels are, in the coordinates of a body.
#[derive(Clone, Debug)]
pub struct Voxels {
    /// The octree.
    pub tree: Arc<Tree>,
    /// The lattice that it was made on.
    pub lattice: Lattice,
}

/// How bodies of voxels break.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelBreakage {
    /// Where the seeds of a blow stand.
    pub pattern: SeedPattern,
    /// How far from the impact seeds make pieces of their own, for impacts that do not say; everywhere if there is none.
    pub radius: Option<f64>,
    /// How octrees are broken.
    pub options: FractureOptions,
    /// The finest level that surfaces are made of for looking at.
    pub look_level: u32,
    /// Pieces of fewer boundary voxels than this are dust.
    pub least_voxels: usize,
    /// What is in these boxes, in the body's coordinates, stays where it is.
    pub anchors: Vec<Aabb>,
}

impl VoxelBreakage {
    /// Breaks by a pattern of seeds.
    pub fn new(pattern: SeedPattern) -> VoxelBreakage {
        VoxelBreakage {
            pattern,
            radius: None,
            options: FractureOptions::default(),
            look_level: 8,
            least_voxels: 8,
            anchors: Vec::new(),
        }
    }
}

/// Most squares of laid-open surface that a blow tells of.
const MOST_EXPOSED: usize = 4096;

/// An octree in a world: it breaks around the point where it is hit.
#[derive(Clone, Debug)]
pub struct SvoBody {
    voxels: Voxels,
    /// What it weighs at density one.
    solid: MassProperties,
    breakage: Arc<VoxelBreakage>,
}

impl SvoBody {
    /// An octree that breaks so.
    pub fn new(tree: Tree, lattice: Lattice, breakage: Arc<VoxelBreakage>) -> SvoBody {
        let solid = mass_properties(&tree, &lattice);
        SvoBody { voxels: Voxels { tree: Arc::new(tree), lattice }, solid, breakage }
    }

    /// A body of a world; what an anchor holds is fixed.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use fracas::geometry::shapes;
    /// use fracas::pattern::SpherePattern;
    /// use fracas::svo::{SeedPattern, SvoBody, VoxelBreakage, VoxeliseOptions, voxelise};
    /// use fracas::world::{Impact, World, WorldOptions};
    /// use glam::DVec3;
    ///
    /// let cube = shapes::cuboid(DVec3::ONE);
    /// let (lattice, tree) = voxelise(&cube, &VoxeliseOptions { level: 5, ..VoxeliseOptions::default() })?;
    /// let pattern = SpherePattern { cells: 20, radius: 0.5, ..SpherePattern::default() };
    /// let breakage = Arc::new(VoxelBreakage::new(SeedPattern::Spheres(pattern)));
    /// let mut world = World::new(&WorldOptions::default());
    /// let body = world.add(SvoBody::new(tree, lattice, breakage).describe("block"))?;
    /// assert!(world.fracture(body, &Impact::at(DVec3::ZERO))?.len() > 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn describe(self, name: impl Into<String>) -> BodyDescription {
        BodyDescription {
            looks: self.looks(),
            motion: self.motion(),
            mass: Some(self.solid),
            fracture: Some(Arc::new(self.clone())),
            ..BodyDescription::new(name, crate::geometry::TriMesh::default(), Representation::Voxels(self.voxels))
        }
    }

    fn looks(&self) -> Looks {
        let Voxels { tree, lattice } = self.voxels.clone();
        let level = self.breakage.look_level.min(tree.level());
        // About two triangles for each boundary voxel of the level.
        let triangles = tree.boundary_count(level) * 2;
        let look = LazyMesh::lazy(triangles, move || smooth_surface(&tree, &lattice, level));
        Looks::from([(0, look)])
    }

    fn motion(&self) -> Motion {
        let Voxels { tree, lattice } = &self.voxels;
        let anchors = &self.breakage.anchors;
        let near = |aabb: &Aabb| anchors.iter().any(|anchor| anchor.intersects(aabb));
        if anchors.is_empty() || !near(&tight_box(tree, lattice)) {
            return Motion::Dynamic;
        }
        let is_held = |code: u32| {
            let [x, y, z] = morton::decode_30(code).map(|coordinate| f64::from(coordinate) + 0.5);
            let middle = lattice.outward(DVec3::new(x, y, z));
            anchors.iter().any(|anchor| anchor.contains(middle))
        };
        if tree.boundary_codes().into_iter().any(is_held) { Motion::Fixed } else { Motion::Dynamic }
    }

    fn piece(body: SvoBody) -> Piece {
        let Voxels { tree, lattice } = &body.voxels;
        Piece {
            looks: body.looks(),
            representation: Representation::Voxels(body.voxels.clone()),
            pose: Pose::IDENTITY,
            motion: body.motion(),
            mass: Some(body.solid),
            size: tight_box(tree, lattice).largest(),
            fracture: Some(Box::new(body)),
        }
    }

    /// Some of the voxels that were laid open, as squares of as much area as all of them.
    fn exposed(&self, pieces: &[Tree]) -> ExposedFaces {
        let lattice = &self.voxels.lattice;
        let open = |tree: &Tree| tree.colors().iter().filter(|color| color[3] == FRACTURED).count();
        let stride = pieces.par_iter().map(open).sum::<usize>().div_ceil(MOST_EXPOSED).max(1);
        let half = 0.5 * lattice.voxel * (stride as f64).sqrt();
        let square = |tree: &Tree, leaf: usize, code: u32| {
            let [x, y, z] = morton::decode_30(code).map(|coordinate| f64::from(coordinate) + 0.5);
            let middle = lattice.outward(DVec3::new(x, y, z));
            let normal = tree.leaf_normal(leaf).as_dvec3();
            let across = half * normal.any_orthonormal_vector();
            let along = normal.cross(across);
            ([across + along, along - across, -across - along, across - along].map(|way| middle + way), normal)
        };
        let squares = |tree: &Tree| -> Vec<([DVec3; 4], DVec3)> {
            let codes = tree.boundary_codes().into_iter().enumerate();
            let laid_open = codes.filter(|&(leaf, _)| tree.colors()[leaf][3] == FRACTURED);
            laid_open.step_by(stride).map(|(leaf, code)| square(tree, leaf, code)).collect()
        };
        let mut faces = ExposedFaces::default();
        for (corners, normal) in pieces.par_iter().map(squares).collect::<Vec<_>>().into_iter().flatten() {
            faces.push(corners, normal);
        }
        faces
    }
}

impl Fracture for SvoBody {
    fn piece_kind(&self) -> RepresentationKind {
        RepresentationKind::Voxels
    }

    fn duplicate(&self) -> Box<dyn Fracture> {
        Box::new(self.clone())
    }

    fn by_pattern(&self, pattern: &ImpactPattern) -> Result<Box<dyn Fracture>, FractureError> {
        let no_seeds = "voxels break between seeds, which a web has none of; choose another pattern";
        let pattern = pattern.seeds().ok_or_else(|| FractureError::Method(no_seeds.into()))?;
        let breakage = VoxelBreakage { pattern, ..VoxelBreakage::clone(&self.breakage) };
        Ok(Box::new(SvoBody { breakage: Arc::new(breakage), ..self.clone() }))
    }

    fn fracture(&mut self, impact: &Impact) -> Result<crate::world::Fractured, FractureError> {
        self.broken(impact, &Cpu)
    }

    fn fracture_on(
        &mut self,
        backend: &SharedBackend,
        impact: &Impact,
    ) -> Result<crate::world::Fractured, FractureError> {
        self.broken(impact, &**backend)
    }
}

impl SvoBody {
    /// What an impact does, on a backend.
    fn broken(&self, impact: &Impact, backend: &dyn Backend) -> Result<crate::world::Fractured, FractureError> {
        let method = |error: String| FractureError::Method(error);
        let Voxels { tree, lattice } = &self.voxels;
        let points =
            self.breakage.pattern.seeds(impact.point, impact.seed).map_err(|error| method(error.to_string()))?;
        let seeds = match impact.radius.or(self.breakage.radius) {
            Some(radius) => Seeds::local(lattice, &points, impact.point, radius),
            None => Seeds::new(lattice, &points),
        };
        let seeds = seeds.map_err(|error| method(error.to_string()))?;
        let fractured = match backend.fracture(tree, &seeds, &self.breakage.options) {
            Err(DeviceError::Voxels(error)) => Err(error),
            Err(failure) => {
                tracing::warn!("a body breaks on the CPU, because the device could not: {failure}");
                tree.fracture(&seeds, &self.breakage.options)
            }
            Ok(fractured) => Ok(fractured),
        };
        let fractured = fractured.map_err(|error| method(error.to_string()))?;
        let (kept, dust): (Vec<Tree>, Vec<Tree>) =
            fractured.pieces.into_iter().partition(|piece| piece.colors().len() >= self.breakage.least_voxels);
        if kept.len() + dust.len() <= 1 || kept.is_empty() {
            return Err(FractureError::Unbroken);
        }
        let exposed = self.exposed(&kept);
        let mut pieces: Vec<SvoBody> =
            kept.into_par_iter().map(|tree| SvoBody::new(tree, *lattice, Arc::clone(&self.breakage))).collect();
        let dust: f64 = dust.iter().map(|tree| mass_properties(tree, lattice).volume).sum();
        // Voxels that a cut went through are half of each piece on either side, which among large voxels is more than there
        // was where three pieces meet or a cut comes to the surface: together they weigh what was broken.
        let share = self.solid.volume / pieces.iter().fold(dust, |sum, piece| sum + piece.solid.volume);
        for MassProperties { volume, inertia, .. } in pieces.iter_mut().map(|piece| &mut piece.solid) {
            *volume *= share;
            *inertia *= share;
        }
        Ok(crate::world::Fractured {
            exposed,
            lost_volume: share * dust,
            pieces: pieces.into_par_iter().map(SvoBody::piece).collect(),
            rest: Rest::Gone,
        })
    }
}
