//! From a scene file to a checked scene.

use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::sync::Arc;

use glam::{DAffine3, DQuat, DVec3, EulerRot};
use rustc_hash::FxHashMap;
use toml::Spanned;

use super::animated::animation;
use super::deformed::{self, deformable};
use super::error::{SceneError, Source, nearest};
use super::file::{
    BodyFile, CameraFile, CopiesFile, DebrisFile, DustFile, EventFile, FractureFile, GroundFile, MaterialFile,
    RepresentationFile, SceneFile, Three,
};
use super::shape::{Natural, Part};
use super::voxels::voxel_options;
use super::{Action, AnimatedScene, Scene, SceneOptions, ScheduledEvent};
use crate::dynamics::deformable::DeformableScene;
use crate::dynamics::{DustOptions, RigidOptions, ShapeCache};
use crate::export::Camera;
use crate::geometry::{Aabb, Convex, HullError, Pose, TriMesh, convex_hull, io};
use crate::random::Random;
use crate::world::{
    BodyDescription, DebrisOptions, Impact, Material, Motion, Representation, TIME_STEPS, Velocity, World, WorldError,
    WorldOptions,
};

/// The version of scene files that this library reads.
const VERSION: u32 = 1;

/// A frame of more steps than this could not be interrupted.
const MOST_STEPS: u32 = 10_000;

/// More rounds of the solver than this change nothing but the time they take.
const MOST_ITERATIONS: u32 = 1_000;

/// Accelerations beyond this leave single precision within a step.
const MOST_GRAVITY: f64 = 1e6;

/// No explosive drives anything apart faster, in m/s.
const MOST_BURST: f64 = 1e4;

/// A larger file is not one that somebody wrote.
const LARGEST_FILE: usize = 16 << 20;

/// More bodies than this in one `copies` are a slip of the keyboard.
pub(super) const MOST_COPIES: u64 = 1_000_000;

pub(super) fn build(text: &str, path: &Path, limits: &SceneOptions) -> Result<Scene, SceneError> {
    let source = Source { path, text };
    if text.len() > LARGEST_FILE {
        return Err(source.mistake(0..0, format!("found {} bytes, expected at most {LARGEST_FILE}", text.len())));
    }
    let file: SceneFile = toml::from_str(text).map_err(|error| source.toml(&error))?;
    if *file.version.get_ref() != VERSION {
        let found = file.version.get_ref();
        return Err(source.mistake(file.version.span(), format!("found version {found}, expected {VERSION}")));
    }
    let animation = file.animation.as_ref().map(|animation| self::animation(&source, animation, &file)).transpose()?;
    let deformable = file.deformable.as_ref().map(|bodies| self::deformable(&source, bodies, &file)).transpose()?;
    let rigid = &file.method.rigid;
    let defaults = RigidOptions::default();
    let options = WorldOptions {
        gravity: match &file.gravity {
            Some(gravity) => match source.vector("gravity", gravity)? {
                strength if strength.length() <= MOST_GRAVITY => strength,
                _ => return Err(source.mistake(gravity.span(), format!("found a gravity above {MOST_GRAVITY:e} m/s²"))),
            },
            None => WorldOptions::default().gravity,
        },
        rigid: RigidOptions {
            solver_iterations: source.count(
                "solver_iterations",
                &rigid.solver_iterations,
                defaults.solver_iterations,
                MOST_ITERATIONS,
            )?,
            continuous: rigid.continuous.unwrap_or(defaults.continuous),
            sleeping: rigid.sleeping.unwrap_or(defaults.sleeping),
            length_unit: source.within("length_unit", &rigid.length_unit, defaults.length_unit, 1e-4..=1e4)?,
        },
        voxels: voxel_options(&source, &file.method.voxels, limits)?,
        debris: debris(&source, &file.method.debris)?,
        dust: file.method.dust.as_ref().map(|dust| self::dust(&source, dust, file.ground.as_ref())).transpose()?,
        ..WorldOptions::default()
    };
    let mut builder = Builder {
        source: &source,
        limits,
        materials: materials(&source, &file.material)?,
        hulls: FxHashMap::default(),
        later: Vec::new(),
    };
    let mut placed = builder.planes(&file)?;
    for body in &file.body {
        placed.extend(builder.bodies(body)?);
    }
    let mut events = Vec::new();
    for event in &file.event {
        events.extend(builder.event(event, &placed)?);
    }
    // The sort is stable: what happens at one time happens in the order of the file.
    events.sort_by(|a, b| a.at.total_cmp(&b.at));
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let pace = Pace::of(animation.as_ref(), deformable.as_ref());
    let scene = Scene {
        name: file.name.or(stem).unwrap_or_else(|| "scene".into()),
        description: file.description,
        time_step: source.within("time_step", &file.time_step, pace.time_step, pace.time_steps)?,
        steps_per_frame: source.count("steps_per_frame", &file.steps_per_frame, pace.steps_per_frame, MOST_STEPS)?,
        frames: source.count("frames", &file.frames, pace.frames, u32::MAX)?,
        world: options,
        bodies: placed.iter().map(|body| body.description.clone()).collect(),
        events,
        camera: file.camera.as_ref().map(|camera| self::camera(&source, camera)).transpose()?,
        ground: file.ground.as_ref().map(|ground| ground_height(ground).0),
        animation,
        deformable,
        shapes: ShapeCache::default(),
    };
    check(&source, &scene, placed.iter().chain(&builder.later))?;
    Ok(scene)
}

/// How fast a scene goes if its file does not say.
struct Pace {
    time_step: f64,
    /// What the file may say.
    time_steps: RangeInclusive<f64>,
    steps_per_frame: u32,
    frames: u32,
}

impl Pace {
    fn of(animation: Option<&AnimatedScene>, deformable: Option<&DeformableScene>) -> Pace {
        let usual = Pace { time_step: 1.0 / 120.0, time_steps: TIME_STEPS, steps_per_frame: 2, frames: 240 };
        match (animation, deformable) {
            (Some(animation), _) => Pace { frames: animation.frames(), ..usual },
            (None, Some(bodies)) => Pace {
                time_step: bodies.step,
                time_steps: deformed::TIME_STEPS,
                steps_per_frame: 1,
                frames: bodies.steps as u32 + 1,
            },
            (None, None) => usual,
        }
    }
}

/// A body and where the file describes it.
struct Placed {
    description: BodyDescription,
    span: Range<usize>,
}

/// Fills a world with everything that will ever be in it, so that a body that the world refuses is found now.
fn check<'a>(source: &Source<'_>, scene: &Scene, placed: impl Iterator<Item = &'a Placed>) -> Result<(), SceneError> {
    let mut world = World::with_shapes(&scene.world, scene.shapes.clone());
    let refused = |span: Range<usize>| move |error: WorldError| source.mistake(span, error.to_string());
    for body in placed {
        world.add(body.description.clone()).map_err(refused(body.span.clone()))?;
    }
    Ok(())
}

fn dust(source: &Source<'_>, file: &DustFile, ground: Option<&GroundFile>) -> Result<DustOptions, SceneError> {
    let defaults = DustOptions::default();
    let [smallest, largest] = defaults.radius;
    let size = source.positive("size", &file.size, 1.0)?;
    Ok(DustOptions {
        density: source.within("density", &file.density, defaults.density, 0.0..=1e9)?,
        radius: [smallest * size, largest * size],
        turbulence: source.within("turbulence", &file.turbulence, defaults.turbulence, 0.0..=1e3)?,
        lifetime: source.positive("lifetime", &file.lifetime, defaults.lifetime)?,
        budget: source.count("budget", &file.budget, defaults.budget as u32, 10_000_000)? as usize,
        ground: ground.map(|ground| ground_height(ground).0),
        ..defaults
    })
}

fn debris(source: &Source<'_>, file: &DebrisFile) -> Result<DebrisOptions, SceneError> {
    let defaults = DebrisOptions::default();
    Ok(DebrisOptions {
        smallest: source.within("smallest", &file.smallest, defaults.smallest, 0.0..=1e6)?,
        budget: file.budget.map_or(defaults.budget, |budget| budget as usize),
        lifetime: match &file.lifetime {
            None => defaults.lifetime,
            lifetime => Some(source.positive("lifetime", lifetime, 1.0)?),
        },
        angular_damping: source.within(
            "angular_damping",
            &file.angular_damping,
            defaults.angular_damping,
            0.0..=1e6,
        )?,
    })
}

fn materials(source: &Source<'_>, files: &[MaterialFile]) -> Result<FxHashMap<String, Material>, SceneError> {
    let defaults = Material::default();
    let mut materials = FxHashMap::default();
    for file in files {
        let material = Material {
            density: source.within("density", &file.density, defaults.density, 1e-6..=1e12)?,
            friction: source.within("friction", &file.friction, defaults.friction, 0.0..=1e3)?,
            restitution: source.within("restitution", &file.restitution, defaults.restitution, 0.0..=1.0)?,
            color: file.color.as_ref().map(|color| source.color(color)).transpose()?,
        };
        if materials.insert(file.name.get_ref().clone(), material).is_some() {
            let message = format!("found a second material `{}`, expected each name once", file.name.get_ref());
            return Err(source.mistake(file.name.span(), message));
        }
    }
    Ok(materials)
}

fn camera(source: &Source<'_>, file: &CameraFile) -> Result<Camera, SceneError> {
    let (eye, target) = (source.vector("eye", &file.eye)?, DVec3::from_array(file.target.0));
    let up = file.up.map_or(DVec3::Y, |up| DVec3::from_array(up.0));
    let forward = target - eye;
    if forward.cross(up).length() <= 1e-9 * forward.length() * up.length() || !(target.is_finite() && up.is_finite()) {
        return Err(
            source.mistake(file.eye.span(), "the camera looks along `up` or nowhere, expected another eye or target")
        );
    }
    let field_of_view = source.positive("field_of_view", &file.field_of_view, 40.0)?;
    if field_of_view >= 170.0 {
        let span = file.field_of_view.as_ref().map_or(0..0, Spanned::span);
        return Err(
            source.mistake(span, format!("found a field of view of {field_of_view}, expected degrees below 170"))
        );
    }
    Ok(Camera { eye, target, up, vertical_field_of_view: field_of_view })
}

pub(super) struct Builder<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) limits: &'a SceneOptions,
    materials: FxHashMap<String, Material>,
    /// The bodies that events add.
    later: Vec<Placed>,
    /// Hulls already made, by the address of their mesh, which is kept so that no address is used twice.
    hulls: FxHashMap<usize, (Arc<TriMesh>, Arc<Convex>)>,
}

impl Builder<'_> {
    /// The ground and the walls.
    fn planes(&self, file: &SceneFile) -> Result<Vec<Placed>, SceneError> {
        let plane = |name: &str, point: DVec3, normal: DVec3, material: Material| BodyDescription {
            motion: Motion::Fixed,
            pose: Pose::at(point),
            material,
            ..BodyDescription::new(name, TriMesh::default(), Representation::HalfSpace { normal })
        };
        let mut placed = Vec::new();
        if let Some(ground) = &file.ground {
            let material = self.material(ground.material.as_ref())?;
            let (height, span) = ground_height(ground);
            placed.push(Placed { description: plane("ground", DVec3::Y * height, DVec3::Y, material), span });
        }
        for wall in &file.wall {
            let span = wall.normal.span();
            let normal = self.source.vector("normal", &wall.normal)?.try_normalize().ok_or_else(|| {
                self.source.mistake(span.clone(), "found a normal of length zero, expected a direction")
            })?;
            let material = self.material(wall.material.as_ref())?;
            placed.push(Placed { description: plane("wall", wall.point.0.into(), normal, material), span });
        }
        Ok(placed)
    }

    pub(super) fn material(&self, name: Option<&Spanned<String>>) -> Result<Material, SceneError> {
        let Some(name) = name else { return Ok(Material::default()) };
        self.materials.get(name.get_ref()).cloned().ok_or_else(|| {
            let mut valid: Vec<&str> = self.materials.keys().map(String::as_str).collect();
            valid.sort_unstable();
            self.source.mistake(name.span(), unknown("material", name.get_ref(), &valid))
        })
    }

    /// A body, each part of its shape by itself, as often as its `copies` say.
    fn bodies(&mut self, spanned: &Spanned<BodyFile>) -> Result<Vec<Placed>, SceneError> {
        let file = spanned.get_ref();
        let material = self.material(file.material.as_ref())?;
        let pose = Pose::new(euler_degrees(file.rotation.0.into()), file.position.0.into());
        let (parts, scale) = self.scaled(self.parts(spanned)?, file)?;
        let mut bodies = Vec::with_capacity(parts.len());
        let velocity = Velocity { linear: file.velocity.0.into(), angular: file.angular_velocity.0.into() };
        let compounds = file.fracture.as_ref().map(|breakage| self.breakable(file, breakage, &parts)).transpose()?;
        for (body, offset) in compounds.into_iter().flatten() {
            let motion = if file.fixed { Motion::Fixed } else { body.motion };
            let pose = pose * Pose::at(offset);
            bodies.push(BodyDescription { material: material.clone(), pose, velocity, motion, ..body });
        }
        let solid = if file.fracture.is_some() { &[][..] } else { &parts[..] };
        for (number, part) in solid.iter().enumerate() {
            let name = if parts.len() == 1 { file.name.clone() } else { format!("{}[{number}]", file.name) };
            let representation = self.representation(spanned, &part.mesh, scale)?;
            bodies.push(BodyDescription {
                material: material.clone(),
                pose: pose * Pose::at(part.offset),
                velocity,
                motion: if file.fixed { Motion::Fixed } else { Motion::Dynamic },
                ..BodyDescription::new(name, Arc::clone(&part.mesh), representation)
            });
        }
        if let Some(copies) = &file.copies {
            bodies = self.copies(copies, &bodies)?;
        }
        Ok(bodies.into_iter().map(|description| Placed { description, span: spanned.span() }).collect())
    }

    /// The meshes that a body's shape or mesh file is made of.
    fn parts(&self, spanned: &Spanned<BodyFile>) -> Result<Vec<Part>, SceneError> {
        let file = spanned.get_ref();
        match (&file.shape, &file.mesh) {
            (Some(shape), None) => {
                shape.get_ref().parts().map_err(|error| self.source.mistake(shape.span(), error.to_string()))
            }
            (None, Some(mesh)) => {
                let folder = self.source.path.parent().unwrap_or(Path::new(""));
                let read = io::read_tri_mesh(folder.join(mesh.get_ref()));
                let read = read.map_err(|error| self.source.mistake(mesh.span(), error.to_string()))?;
                Ok(vec![Part { mesh: Arc::new(read), polygons: None, offset: DVec3::ZERO }])
            }
            (Some(_), Some(mesh)) => {
                Err(self.source.mistake(mesh.span(), "found both `shape` and `mesh`, expected one of them"))
            }
            (None, None) => {
                let message = format!("body `{}` has neither `shape` nor `mesh`, expected one of them", file.name);
                Err(self.source.mistake(spanned.span(), message))
            }
        }
    }

    /// The parts brought to the `size` that the file asks for, and the factor.
    fn scaled(&self, mut parts: Vec<Part>, file: &BodyFile) -> Result<(Vec<Part>, f64), SceneError> {
        if file.size.is_none() {
            return Ok((parts, 1.0));
        }
        let place = |part: &Part| {
            let Aabb { min, max } = part.mesh.aabb();
            Aabb { min: min + part.offset, max: max + part.offset }
        };
        let bounds = parts.iter().fold(Aabb::EMPTY, |all, part| all.union(place(part)));
        let scale = self.source.positive("size", &file.size, 1.0)? / bounds.size().max_element();
        if !(scale > 0.0 && scale.is_finite()) {
            let span = file.size.as_ref().map_or(0..0, Spanned::span);
            return Err(self.source.mistake(span, "a shape without extent cannot be brought to a size"));
        }
        let mut scaled: FxHashMap<usize, Arc<TriMesh>> = FxHashMap::default();
        for part in &mut parts {
            let again = || Arc::new(TriMesh::clone(&part.mesh).transformed(&DAffine3::from_scale(DVec3::splat(scale))));
            let mesh = Arc::clone(scaled.entry(Arc::as_ptr(&part.mesh).addr()).or_insert_with(again));
            let polygons = part.polygons.as_ref().map(|polygons| {
                let mut polygons = crate::geometry::PolyMesh::clone(polygons);
                polygons.positions.iter_mut().for_each(|position| *position *= scale);
                Arc::new(polygons)
            });
            *part = Part { mesh, polygons, offset: scale * part.offset };
        }
        Ok((parts, scale))
    }

    /// The representation that the file asks for, or that suits the shape.
    fn representation(
        &mut self,
        spanned: &Spanned<BodyFile>,
        mesh: &Arc<TriMesh>,
        scale: f64,
    ) -> Result<Representation, SceneError> {
        let file = spanned.get_ref();
        let name = file.name.as_str();
        let span = file.representation.as_ref().map_or_else(|| spanned.span(), Spanned::span);
        let natural = file.shape.as_ref().map_or(Natural::Hull, |shape| shape.get_ref().natural());
        let wanted = file.representation.as_ref().map(|wanted| *wanted.get_ref()).unwrap_or(match natural {
            Natural::Ball { .. } => RepresentationFile::Ball,
            Natural::Box => RepresentationFile::Box,
            Natural::Hull => RepresentationFile::Hull,
            Natural::Surface => RepresentationFile::Surface,
        });
        Ok(match wanted {
            RepresentationFile::Surface => Representation::Surface(Arc::clone(mesh)),
            RepresentationFile::Hull => {
                let hull = self.hull(mesh).map_err(|error| {
                    self.source.mistake(
                        span,
                        format!("body `{name}` has no hull: {error}; expected a solid, or fixed and `surface`"),
                    )
                })?;
                Representation::convexes([hull])
            }
            RepresentationFile::Box => {
                let aabb = mesh.aabb();
                if aabb.center().length() > 1e-6 * aabb.diagonal() {
                    let message =
                        format!("body `{name}` is not centred on its origin, expected `hull` in place of `box`");
                    return Err(self.source.mistake(span, message));
                }
                Representation::Cuboid { half_extents: 0.5 * aabb.size() }
            }
            RepresentationFile::Ball => {
                let farthest = || mesh.positions.iter().map(|position| position.length()).fold(0.0, f64::max);
                let radius = if let Natural::Ball { radius } = natural { scale * radius } else { farthest() };
                Representation::Ball { radius }
            }
        })
    }

    /// The hull of a mesh, made once for all bodies that share the mesh.
    fn hull(&mut self, mesh: &Arc<TriMesh>) -> Result<Arc<Convex>, HullError> {
        let key = Arc::as_ptr(mesh).addr();
        if let Some((_, hull)) = self.hulls.get(&key) {
            return Ok(Arc::clone(hull));
        }
        let hull = Arc::new(convex_hull(&mesh.positions)?);
        self.hulls.insert(key, (Arc::clone(mesh), Arc::clone(&hull)));
        Ok(hull)
    }

    fn copies(
        &self,
        copies: &Spanned<CopiesFile>,
        originals: &[BodyDescription],
    ) -> Result<Vec<BodyDescription>, SceneError> {
        let CopiesFile { count: Three([columns, layers, rows]), spacing, jitter, turn, seed } = copies.get_ref();
        let count = u64::from(*columns).saturating_mul(u64::from(*layers)).saturating_mul(u64::from(*rows));
        let total = count.saturating_mul(originals.len() as u64);
        if total == 0 || total > MOST_COPIES {
            let message = format!("found {total} copies, expected from 1 to {MOST_COPIES}");
            return Err(self.source.mistake(copies.span(), message));
        }
        if !(jitter.is_finite() && turn.is_finite() && *jitter >= 0.0 && *turn >= 0.0) {
            let message = "found a `jitter` or `turn` that is negative or not finite, expected a number from zero";
            return Err(self.source.mistake(copies.span(), message));
        }
        let mut random = Random::new(u64::from(*seed));
        let mut all = Vec::with_capacity(total as usize);
        for layer in 0..*layers {
            for row in 0..*rows {
                for column in 0..*columns {
                    let step = DVec3::new(f64::from(column), f64::from(layer), f64::from(row));
                    let shift = step * DVec3::from_array(spacing.0) + *jitter * random.in_cube();
                    let turned = euler_degrees(*turn * random.in_cube());
                    let number = all.len() / originals.len();
                    for original in originals {
                        let pose = Pose::new(turned * original.pose.rotation, original.pose.translation + shift);
                        all.push(BodyDescription {
                            name: format!("{}[{number}]", original.name),
                            pose,
                            ..original.clone()
                        });
                    }
                }
            }
        }
        Ok(all)
    }

    fn event(&mut self, spanned: &Spanned<EventFile>, placed: &[Placed]) -> Result<Vec<ScheduledEvent>, SceneError> {
        let file = spanned.get_ref();
        let at = *file.at.get_ref();
        if !(at >= 0.0 && at.is_finite()) {
            return Err(self
                .source
                .mistake(file.at.span(), format!("found the time {at}, expected seconds from zero")));
        }
        let schedule = |action: Action| ScheduledEvent { at, action };
        match (&file.drop, &file.throw, &file.fracture) {
            (Some(body), None, None) => self.added(body).map(|actions| actions.into_iter().map(schedule).collect()),
            (None, Some(body), None) => {
                if body.get_ref().velocity == Three::default() {
                    return Err(self
                        .source
                        .mistake(body.span(), "a thrown body has no `velocity`, expected one; or use `drop`"));
                }
                self.added(body).map(|actions| actions.into_iter().map(schedule).collect())
            }
            (None, None, Some(fracture)) => self.fracture(at, fracture, placed),
            _ => {
                let message = "an event does one thing, expected exactly one of `drop`, `throw` and `fracture`";
                Err(self.source.mistake(spanned.span(), message))
            }
        }
    }

    fn added(&mut self, body: &Spanned<BodyFile>) -> Result<Vec<Action>, SceneError> {
        let placed = self.bodies(body)?;
        let actions = placed.iter().map(|placed| Action::Add(Box::new(placed.description.clone()))).collect();
        self.later.extend(placed);
        Ok(actions)
    }

    fn fracture(&self, at: f64, file: &FractureFile, placed: &[Placed]) -> Result<Vec<ScheduledEvent>, SceneError> {
        let name = file.body.get_ref();
        let all = || placed.iter().chain(&self.later);
        let Some(body) = all().find(|body| body.description.name == *name) else {
            let valid: Vec<&str> = all().map(|body| body.description.name.as_str()).collect();
            return Err(self.source.mistake(file.body.span(), unknown("body", name, &valid)));
        };
        if body.description.fracture.is_none() {
            return Err(self.source.mistake(file.body.span(), WorldError::Unbreakable(name.clone()).to_string()));
        }
        let impact = Impact {
            direction: file.direction.0.into(),
            radius: match &file.radius {
                None => None,
                radius => Some(self.source.positive("radius", radius, 1.0)?),
            },
            burst: self.source.within("burst", &file.burst, 0.0, 0.0..=MOST_BURST)?,
            seed: file.seed,
            ..Impact::at(self.source.vector("point", &file.point)?)
        };
        self.blows(at, name, impact, file)
    }
}

/// The height of the ground, and where the file gives it.
fn ground_height(ground: &GroundFile) -> (f64, Range<usize>) {
    ground.height.as_ref().map_or((0.0, 0..0), |height| (*height.get_ref(), height.span()))
}

fn euler_degrees(angles: DVec3) -> DQuat {
    let [x, y, z] = angles.to_array().map(f64::to_radians);
    DQuat::from_euler(EulerRot::ZYX, z, y, x)
}

pub(super) fn unknown(noun: &str, found: &str, valid: &[&str]) -> String {
    const MOST_LISTED: usize = 12;
    let suggestion = nearest(found, valid).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    let listed = valid.iter().take(MOST_LISTED).copied().collect::<Vec<_>>().join(", ");
    let more = if valid.len() > MOST_LISTED { ", ..." } else { "" };
    match valid {
        [] => format!("found the {noun} `{found}`, but the scene has no {noun}"),
        _ => format!("found the unknown {noun} `{found}`{suggestion} (expected one of: {listed}{more})"),
    }
}
