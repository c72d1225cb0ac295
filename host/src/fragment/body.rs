//! Fragments as bodies of a world.

use std::sync::Arc;

use super::{Blow, Brittleness, Cracks, Fragment, ModalModel, Partition, SeedPartition};
use crate::geometry::Pose;
use crate::pattern::{ImpactPattern, SeedPattern};
use crate::world::{
    BodyDescription, ExposedFaces, Fracture, FractureError, Fractured, Impact, LazyMesh, Looks, Motion, Piece,
    Representation, RepresentationKind, Rest,
};

/// How fragments break.
#[derive(Clone, Debug)]
pub struct FragmentBreakage {
    /// Where cracks go.
    pub cracks: CrackModel,
}

/// Where cracks go.
#[derive(Clone, Debug)]
pub enum CrackModel {
    /// Between the seeds of a pattern around the blow.
    Pattern {
        /// Where the seeds stand.
        seeds: SeedPattern,
        /// How far from the blow seeds make pieces of their own, for impacts that do not say; everywhere if there is none.
        radius: Option<f64>,
    },
    /// Where the blow pulls the solid apart.
    Modal {
        /// The modes of the solid that the fragment is of.
        model: Arc<ModalModel>,
        /// What it stands.
        brittleness: Brittleness,
    },
}

impl FragmentBreakage {
    /// Breaks by a pattern of seeds.
    pub fn by_pattern(seeds: SeedPattern) -> FragmentBreakage {
        FragmentBreakage { cracks: CrackModel::Pattern { seeds, radius: None } }
    }
}

/// Why a fragment does not break in a web.
const NO_WEB: &str = "tetrahedra break between seeds, which a web has none of; choose another pattern";

/// A fragment in a world.
#[derive(Clone, Debug)]
pub struct FragmentBody {
    fragment: Arc<Fragment>,
    breakage: Arc<FragmentBreakage>,
}

impl FragmentBody {
    /// A fragment that breaks so.
    pub fn new(fragment: Arc<Fragment>, breakage: Arc<FragmentBreakage>) -> FragmentBody {
        FragmentBody { fragment, breakage }
    }

    /// A body of a world.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use fracas::fragment::{Fragment, FragmentBody, FragmentBreakage, Solid, SolidOptions, cuboid_tets};
    /// use fracas::pattern::{SeedPattern, VoronoiPattern};
    /// use fracas::world::{Impact, World, WorldOptions};
    /// use glam::DVec3;
    ///
    /// let solid = Solid::new(&cuboid_tets(DVec3::splat(0.5), [4; 3])?, &SolidOptions::default())?;
    /// let pattern = VoronoiPattern { cells: 40, extent: 0.6, ..VoronoiPattern::default() };
    /// let breakage = Arc::new(FragmentBreakage::by_pattern(SeedPattern::Voronoi(pattern)));
    /// let mut world = World::new(&WorldOptions::default());
    /// let body = world.add(FragmentBody::new(Arc::new(Fragment::whole(&solid)), breakage).describe("block"))?;
    /// assert!(world.fracture(body, &Impact::at(DVec3::ZERO))?.len() > 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn describe(self, name: impl Into<String>) -> BodyDescription {
        BodyDescription {
            looks: self.looks(),
            mass: Some(self.fragment.mass_properties()),
            fracture: Some(Arc::new(self.clone())),
            ..BodyDescription::new(name, crate::geometry::TriMesh::default(), Representation::Fragment(self.fragment))
        }
    }

    fn looks(&self) -> Looks {
        let fragment = self.fragment.clone();
        Looks::from([(0, LazyMesh::lazy(fragment.triangle_count(), move || fragment.surface_mesh()))])
    }

    fn piece(self) -> Piece {
        Piece {
            looks: self.looks(),
            representation: Representation::Fragment(self.fragment.clone()),
            pose: Pose::IDENTITY,
            motion: Motion::Dynamic,
            mass: Some(self.fragment.mass_properties()),
            size: self.fragment.aabb().longest(),
            fracture: Some(Box::new(self)),
        }
    }

    /// The pieces that a blow makes.
    fn pieces(&self, impact: &Impact) -> Result<Vec<Fragment>, FractureError> {
        match &self.breakage.cracks {
            CrackModel::Pattern { seeds, radius } => {
                let seeds = seeds.seeds(impact.point, impact.seed);
                let seeds = seeds.map_err(|error| FractureError::Method(error.to_string()))?;
                let partition = SeedPartition::new(self.fragment.solid().positions(), &seeds);
                let partition = match impact.radius.or(*radius) {
                    Some(radius) => partition.within(impact.point, radius),
                    None => partition,
                };
                Ok(self.fragment.fracture(&partition))
            }
            CrackModel::Modal { model, brittleness } => {
                let nodes: Vec<u32> = self.fragment.nodes().collect();
                let blow = Blow::new(impact.point, impact.impulse * impact.direction);
                let cracks = model.crack(Some(&nodes), &blow, brittleness);
                Ok(cracks.map_or_else(Vec::new, |cracks| self.fragment.fracture(&cracks)))
            }
        }
    }
}

impl Fracture for FragmentBody {
    fn piece_kind(&self) -> RepresentationKind {
        RepresentationKind::Fragment
    }

    fn duplicate(&self) -> Box<dyn Fracture> {
        Box::new(self.clone())
    }

    fn by_pattern(&self, pattern: &ImpactPattern) -> Result<Box<dyn Fracture>, FractureError> {
        let seeds = pattern.seeds().ok_or_else(|| FractureError::Method(NO_WEB.into()))?;
        let breakage = Arc::new(FragmentBreakage::by_pattern(seeds));
        Ok(Box::new(FragmentBody { fragment: self.fragment.clone(), breakage }))
    }

    fn fracture(&mut self, impact: &Impact) -> Result<Fractured, FractureError> {
        let pieces = self.pieces(impact)?;
        if pieces.is_empty() {
            return Err(FractureError::Unbroken);
        }
        let mut exposed = ExposedFaces::default();
        for piece in &pieces {
            for corners in piece.crack_triangles() {
                let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
                exposed.push(corners, normal);
            }
        }
        let body = |fragment| FragmentBody { fragment: Arc::new(fragment), breakage: self.breakage.clone() }.piece();
        Ok(Fractured { pieces: pieces.into_iter().map(body).collect(), rest: Rest::Gone, exposed, lost_volume: 0.0 })
    }
}

impl Partition for Cracks {
    fn label(&self, node: u32) -> u32 {
        self.labels[node as usize]
    }

    fn cut(&self, [a, b]: [u32; 2]) -> f64 {
        Cracks::cut(self, a, b)
    }
}
