//! Compounds as bodies of a world.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::compound::Compound;
use super::exposed::exposed;
use super::fracture::{FractureOptions, Fractured};
use super::part::Part;
use super::rough::{Roughness, roughen};
use crate::geometry::{PolyMesh, Pose};
use crate::pattern::{ImpactPattern, Pattern};
use crate::random::Random;
use crate::world::{
    BodyDescription, BodyPart, Change, ConvexParts, Fracture, FractureError, Impact, LazyMesh, Looks, Motion, Piece,
    Representation, RepresentationKind, Rest,
};

/// How bodies of one kind break.
#[derive(Clone, Debug)]
pub struct Breakage {
    /// One of these is chosen for each blow.
    pub patterns: Vec<Arc<Pattern>>,
    /// How a pattern is turned before it is put to the impact.
    pub turn: Turn,
    /// How compounds are cut. The radius is for impacts that have none of their own.
    pub options: FractureOptions,
    /// How rough the breaks look, if they do.
    pub roughness: Option<Roughness>,
}

/// How a pattern is turned before it is put to the impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turn {
    /// Any way round, by chance.
    #[default]
    Anyhow,
    /// Its z axis across the thinnest side of the body's box, and about that by chance: for panes of glass.
    AcrossThinnest,
    /// Not at all.
    Never,
}

impl Breakage {
    /// Breaks by one pattern.
    pub fn new(pattern: Pattern) -> Breakage {
        Breakage {
            patterns: vec![Arc::new(pattern)],
            turn: Turn::default(),
            options: FractureOptions::default(),
            roughness: None,
        }
    }
}

/// A compound in a world: it breaks by a pattern wherever it is hit.
#[derive(Clone, Debug)]
pub struct CompoundBody {
    compound: Compound,
    breakage: Arc<Breakage>,
}

impl CompoundBody {
    /// A compound that breaks so.
    pub fn new(compound: Compound, breakage: Arc<Breakage>) -> CompoundBody {
        CompoundBody { compound, breakage }
    }

    /// The compound.
    pub fn compound(&self) -> &Compound {
        &self.compound
    }

    /// A body of a world; what an anchor holds is fixed.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use fracas::geometry::{Aabb, Convex};
    /// use fracas::pattern::VoronoiPattern;
    /// use fracas::vacd::{Breakage, Compound, CompoundBody, CompoundOptions, Part};
    /// use fracas::world::{Impact, World, WorldOptions};
    /// use glam::DVec3;
    ///
    /// let block = Part::internal(Convex::cuboid(Aabb::around(DVec3::ZERO, DVec3::ONE)));
    /// let block = Compound::new(vec![block], &CompoundOptions::default())?;
    /// let breakage = Arc::new(Breakage::new(VoronoiPattern::default().pattern()?));
    /// let mut world = World::new(&WorldOptions::default());
    /// let body = world.add(CompoundBody::new(block, breakage).describe("block"))?;
    /// assert!(world.fracture(body, &Impact::at(DVec3::ZERO))?.len() > 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn describe(self, name: impl Into<String>) -> BodyDescription {
        let motion = self.motion();
        BodyDescription {
            looks: self.looks(),
            motion,
            mass: Some(self.compound.mass_properties()),
            ..BodyDescription::new(name, crate::geometry::TriMesh::default(), self.representation())
        }
        .breaking(self)
    }

    fn motion(&self) -> Motion {
        if self.compound.is_anchored() { Motion::Fixed } else { Motion::Dynamic }
    }

    fn representation(&self) -> Representation {
        let solid = |(number, part): (u32, &Arc<Part>)| (!part.is_ghost()).then(|| (number, Arc::clone(part.convex())));
        Representation::Convexes(self.compound.parts().filter_map(solid).collect::<ConvexParts>())
    }

    fn looks(&self) -> Looks {
        self.compound.parts().filter_map(|(number, _)| Some((number, self.look(number)?))).collect()
    }

    /// What is seen of a part; triangles are made when somebody looks.
    fn look(&self, number: u32) -> Option<LazyMesh> {
        let part = self.compound.part(number).filter(|part| !part.is_ghost())?;
        let (origin, roughness) = (self.compound.origin(), self.breakage.roughness);
        let triangles = move |mesh: &PolyMesh| match &roughness {
            Some(roughness) => roughen(mesh, origin, roughness),
            None => mesh.to_tri_mesh(),
        };
        let part = Arc::clone(part);
        if let Some(visual) = part.visual() {
            return Some(LazyMesh::lazy(triangle_count(visual), move || triangles(part.look())));
        }
        let shown: Vec<usize> =
            (0..part.convex().planes().len()).filter(|&face| !self.compound.is_hidden(number, face as u32)).collect();
        let seen = part.convex().surface().only_faces(shown);
        (seen.face_count() > 0).then(|| LazyMesh::lazy(triangle_count(&seen), move || triangles(&seen)))
    }

    fn part(&self, number: u32) -> BodyPart {
        let part = self.compound.part(number).filter(|part| !part.is_ghost());
        BodyPart { key: number, convex: part.map(|part| Arc::clone(part.convex())), look: self.look(number) }
    }

    /// A piece in coordinates of its own.
    fn piece(compound: Compound, breakage: &Arc<Breakage>) -> Piece {
        let center = compound.mass_properties().centroid;
        let size = compound.aabb().size().max_element();
        let body = CompoundBody { compound: compound.centered_at(center), breakage: Arc::clone(breakage) };
        Piece {
            looks: body.looks(),
            representation: body.representation(),
            pose: Pose::at(center),
            motion: body.motion(),
            mass: Some(body.compound.mass_properties()),
            size,
            fracture: Some(Box::new(body)),
        }
    }

    fn rotation(&self, random: &mut Random) -> DQuat {
        match self.breakage.turn {
            Turn::Never => DQuat::IDENTITY,
            Turn::Anyhow => random_rotation(random),
            Turn::AcrossThinnest => {
                let size = self.compound.aabb().size();
                let axis = [DVec3::X, DVec3::Y, DVec3::Z][size.min_position()];
                DQuat::from_rotation_arc(DVec3::Z, axis) * DQuat::from_rotation_z(std::f64::consts::TAU * random.unit())
            }
        }
    }

    /// What the rest looks like after a fracture.
    fn rest(&self, fractured: &Fractured) -> Rest {
        if !self.compound.parts().any(|(_, part)| !part.is_ghost()) {
            return Rest::Gone;
        }
        let changed = || fractured.uncovered.iter().chain(&fractured.added).copied();
        let motion = self.motion();
        Rest::Changed(Change {
            removed: fractured.removed.iter().chain(&fractured.uncovered).copied().collect(),
            added: changed().map(|number| self.part(number)).filter(|part| part.convex.is_some()).collect(),
            motion,
            mass: (motion == Motion::Dynamic).then(|| self.compound.mass_properties()),
        })
    }
}

impl BodyDescription {
    fn breaking(self, body: CompoundBody) -> BodyDescription {
        BodyDescription { fracture: Some(Arc::new(body)), ..self }
    }
}

impl Fracture for CompoundBody {
    fn piece_kind(&self) -> RepresentationKind {
        RepresentationKind::Solid
    }

    fn duplicate(&self) -> Box<dyn Fracture> {
        Box::new(self.clone())
    }

    fn by_pattern(&self, pattern: &ImpactPattern) -> Result<Box<dyn Fracture>, FractureError> {
        let cells = pattern.cells().map_err(|error| FractureError::Method(error.to_string()))?;
        let turn = if matches!(pattern, ImpactPattern::Web(_)) { Turn::AcrossThinnest } else { Turn::Anyhow };
        let breakage = Breakage { patterns: vec![Arc::new(cells)], turn, ..Breakage::clone(&self.breakage) };
        Ok(Box::new(CompoundBody { compound: self.compound.clone(), breakage: Arc::new(breakage) }))
    }

    fn fracture(&mut self, impact: &Impact) -> Result<crate::world::Fractured, FractureError> {
        let breakage = Arc::clone(&self.breakage);
        let mut random = Random::new(impact.seed);
        let choice = random.next_u64() as usize % breakage.patterns.len().max(1);
        let no_pattern = || FractureError::Method("it has no fracture pattern".into());
        let pattern = breakage.patterns.get(choice).ok_or_else(no_pattern)?;
        let aligned = pattern.at(impact.point, self.rotation(&mut random));
        let options = FractureOptions { radius: impact.radius.or(breakage.options.radius), ..breakage.options.clone() };
        let method = |error: super::CompoundError| FractureError::Method(error.to_string());
        let mut fractured = self.compound.fracture(&aligned, &options).map_err(method)?;
        if !fractured.is_broken() {
            return Err(FractureError::Unbroken);
        }
        let pieces = std::mem::take(&mut fractured.pieces);
        let of_pieces = pieces.iter().flat_map(|piece| piece.parts().map(move |(number, _)| (piece, number)));
        let of_rest = fractured.added.iter().map(|&number| (&self.compound, number));
        let exposed = exposed(of_pieces.chain(of_rest), aligned.all_planes().into_iter());
        Ok(crate::world::Fractured {
            exposed,
            rest: self.rest(&fractured),
            pieces: pieces.into_iter().map(|piece| CompoundBody::piece(piece, &breakage)).collect(),
            lost_volume: fractured.dropped_volume,
        })
    }
}

fn random_rotation(random: &mut Random) -> DQuat {
    // Uniform over all rotations: a random point on the unit sphere of four dimensions.
    loop {
        let [x, y, z, w] = std::array::from_fn(|_| 2.0 * random.unit() - 1.0);
        let squared = x * x + y * y + z * z + w * w;
        if (0.01..=1.0).contains(&squared) {
            return DQuat::from_xyzw(x, y, z, w).normalize();
        }
    }
}

/// How many triangles the faces of a mesh become: two fewer than corners, and two more for each hole.
fn triangle_count(mesh: &PolyMesh) -> usize {
    let count = |face: usize| {
        let (contours, corners) = mesh.contours(face).fold((0, 0), |(n, sum), contour| (n + 1, sum + contour.len()));
        (corners + 2 * contours).saturating_sub(4)
    };
    (0..mesh.face_count()).map(count).sum()
}
