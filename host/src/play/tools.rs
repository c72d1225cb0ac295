//! What can be done to a world by hand: balls, breaks, and what can be chosen of them.

use std::sync::Arc;

use glam::DVec3;

use super::command::Ray;
use crate::export::stream::{Choices, Slider};
use crate::fragment::{Fragment, FragmentBody, FragmentBreakage, MesherOptions, Solid, SolidOptions, tetrahedralise};
use crate::geometry::{Aabb, PolyMesh, Pose, TriMesh, shapes};
use crate::pattern::{ImpactPattern, SeedPattern, SpherePattern, VoronoiPattern, WebPattern};
use crate::svo::{VoxeliseOptions, Voxels, voxelise};
use crate::vacd::{Breakage, Compound, CompoundBody, CompoundOptions, PrepareOptions, parts_of};
use crate::world::{BodyDescription, BodyId, Material, Motion, RayHit, Representation, Velocity, World, WorldError};

/// How breaks can run; the first is the body's own way.
pub(super) const PATTERNS: [&str; 4] = ["as in the scene", "voronoi", "web", "spheres"];

/// How a body can be broken; the first is its own way.
pub(super) const METHODS: [&str; 3] = ["as in the scene", "convexes", "tetrahedra"];

/// Cells of a pattern that was chosen.
const CELLS: u32 = 40;

/// How far a pattern reaches beyond the damage: what is not broken need not be covered.
const REACH: f64 = 2.0;

/// The level of the voxels of a ball.
const BALL_LEVEL: u32 = 4;

/// What can be chosen in a world with bodies of some size.
pub(super) fn choices(size: f64, has_voxels: bool) -> Choices {
    let slider = |now: f64| Slider { least: 0.2 * now as f32, most: 5.0 * now as f32, now: now as f32, step: 0.0 };
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Choices {
        tools: [true; 3],
        // Voxels have seeds, and only voxels meet voxels.
        patterns: if has_voxels { names(&[PATTERNS[0], PATTERNS[1], PATTERNS[3]]) } else { names(&PATTERNS) },
        methods: if has_voxels { names(&METHODS[..1]) } else { names(&METHODS) },
        radius: slider(0.5 * size),
        ball_speed: Slider { least: 1.0, most: 60.0, now: 12.0, step: 1.0 },
        ball_radius: slider(0.12 * size),
    }
}

/// The size of an ordinary moving body: the middle one by the longest side of what is seen of it.
pub(super) fn usual_size<'a>(bodies: impl Iterator<Item = &'a BodyDescription>) -> f64 {
    let size = |body: &BodyDescription| {
        let boxes = body.looks.values().map(|look| look.mesh().aabb());
        boxes.fold(Aabb::EMPTY, |all, one| all.union(one)).longest()
    };
    let is_breakable = |body: &&BodyDescription| body.motion == Motion::Dynamic || body.fracture.is_some();
    let mut sizes: Vec<f64> =
        bodies.filter(is_breakable).map(size).filter(|&size| size > 0.0 && size.is_finite()).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(1.0)
}

/// Throws a ball, of iron where there are rigid bodies and of voxels where there are those.
pub(super) fn throw(world: &mut World, from: DVec3, velocity: DVec3, radius: f64) -> Result<BodyId, String> {
    let mesh = shapes::Sphere { radius, frequency: 6 }.mesh().map_err(|error| error.to_string())?;
    let mesh = Arc::new(mesh);
    let material = Material { density: 7000.0, friction: 0.4, restitution: 0.2, color: Some([0.3, 0.32, 0.36]) };
    let ball = BodyDescription {
        pose: Pose::at(from),
        velocity: Velocity { linear: velocity, angular: DVec3::ZERO },
        material,
        ..BodyDescription::new("thrown ball", Arc::clone(&mesh), Representation::Ball { radius })
    };
    match world.add(ball.clone()) {
        Err(WorldError::NoNarrowPhase { .. }) => {
            let options = VoxeliseOptions { level: BALL_LEVEL, ..VoxeliseOptions::default() };
            let (lattice, tree) = voxelise(&mesh, &options).map_err(|error| error.to_string())?;
            let representation = Representation::Voxels(Voxels { tree: Arc::new(tree), lattice });
            world.add(BodyDescription { representation, ..ball }).map_err(|error| error.to_string())
        }
        outcome => outcome.map_err(|error| error.to_string()),
    }
}

/// A pattern by its name, large enough for damage of some radius at a point of a body, in the body's coordinates.
pub(super) fn pattern(name: &str, bounds: &Aabb, point: DVec3, radius: f64) -> Option<ImpactPattern> {
    let farthest = (bounds.min - point).abs().max((bounds.max - point).abs()).max_element();
    let extent = (1.1 * farthest).min(REACH * radius).clamp(1e-3, 1e6);
    match name {
        "voronoi" => Some(ImpactPattern::Voronoi(VoronoiPattern { cells: CELLS, extent, ..VoronoiPattern::default() })),
        "web" => Some(ImpactPattern::Web(WebPattern {
            radius: 0.8 * extent,
            extent,
            depth: extent,
            ..WebPattern::default()
        })),
        "spheres" => {
            let spheres = SpherePattern { cells: CELLS, radius: 0.7 * extent, extent, ..SpherePattern::default() };
            Some(ImpactPattern::Spheres(spheres))
        }
        _ => None,
    }
}

/// What is seen of a body, as one mesh in its coordinates.
pub(super) fn whole_look(world: &World, id: BodyId) -> TriMesh {
    let mut whole = TriMesh::default();
    for look in world.body(id).into_iter().flat_map(|body| body.looks().values()) {
        whole.append(look.mesh());
    }
    whole
}

/// The corner of a body that is nearest to a ray that misses it by less than its size.
pub(super) fn beside_ray(world: &World, body: BodyId, ray: Ray) -> Option<RayHit> {
    let mesh = whole_look(world, body);
    let pose = world.pose(body)?;
    let away = |point: DVec3| ray.direction.cross(point - ray.origin).length();
    let points = mesh.positions.iter().map(|&position| pose.transform_point(position));
    let point = points.min_by(|&a, &b| away(a).total_cmp(&away(b)))?;
    let distance = point.distance(ray.origin);
    (away(point) < mesh.aabb().longest()).then_some(RayHit { body, point, distance })
}

/// Puts a body that breaks by another method, and by a pattern if there is one, in the place of one, which moves on as that
/// did. Gives its number. Where the method cannot break by the pattern, the body stays as it was.
pub(super) fn remake(
    world: &mut World,
    id: BodyId,
    method: &str,
    pattern: Option<&ImpactPattern>,
) -> Result<BodyId, String> {
    let mesh = whole_look(world, id);
    let (Some(body), Some(pose), Some(velocity)) = (world.body(id), world.pose(id), world.velocity(id)) else {
        return Err(WorldError::NoBody(id).to_string());
    };
    let made = match method {
        "convexes" => convexes(&mesh, body.name()),
        _ => tetrahedra(&mesh, body.name()),
    };
    let made = made.map_err(|problem| format!("{} cannot be divided into {method}: {problem}", body.name()))?;
    let fracture = match (&made.fracture, pattern) {
        (Some(fracture), Some(pattern)) => {
            Some(Arc::from(fracture.by_pattern(pattern).map_err(|error| format!("{}: {error}", body.name()))?))
        }
        (fracture, _) => fracture.clone(),
    };
    let description = BodyDescription {
        fracture,
        material: body.material().clone(),
        motion: body.motion(),
        trigger: body.trigger().copied(),
        pose,
        velocity,
        ..made
    };
    // The old one goes when it is certain that the new one can come.
    let new = world.add(description).map_err(|error| error.to_string())?;
    world.remove(id).map_err(|error| error.to_string())?;
    Ok(new)
}

fn convexes(mesh: &TriMesh, name: &str) -> Result<BodyDescription, String> {
    let parts = parts_of(&PolyMesh::from(mesh), &PrepareOptions::default()).map_err(|error| error.to_string())?;
    let compound = Compound::new(parts, &CompoundOptions::default()).map_err(|error| error.to_string())?;
    let cells = usual_pattern(mesh).pattern().map_err(|error| error.to_string())?;
    Ok(CompoundBody::new(compound, Arc::new(Breakage::new(cells))).describe(name))
}

fn tetrahedra(mesh: &TriMesh, name: &str) -> Result<BodyDescription, String> {
    let options = MesherOptions { cells: 16, ..MesherOptions::default() };
    let tets = tetrahedralise(mesh, &options).map_err(|error| error.to_string())?.mesh;
    let solid = Solid::new(&tets, &SolidOptions::default()).map_err(|error| error.to_string())?;
    let breakage = FragmentBreakage::by_pattern(SeedPattern::Voronoi(usual_pattern(mesh)));
    Ok(FragmentBody::new(Arc::new(Fragment::whole(&solid)), Arc::new(breakage)).describe(name))
}

/// The pattern of what has none of its own.
fn usual_pattern(mesh: &TriMesh) -> VoronoiPattern {
    let extent = (1.1 * mesh.aabb().longest()).clamp(1e-3, 1e6);
    VoronoiPattern { cells: CELLS, extent, ..VoronoiPattern::default() }
}
