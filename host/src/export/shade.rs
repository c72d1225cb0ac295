//! The colour of what a pixel sees.

use glam::{DVec3, Vec3};

use super::camera::View;
use super::color::{to_linear, tone_map};
use super::floor_sky::FloorSky;
use super::ground::Ground;
use super::raster::{BACKGROUND, GROUND, sample_pattern};
use super::render::RenderOptions;
use super::scene::{Scene, SceneTriangle};
use super::sky::SkyMaps;
use super::sun::SunMaps;

const SUN_COLOR: Vec3 = Vec3::new(1.42, 1.34, 1.22);
const SKY_COLOR: Vec3 = Vec3::new(0.66, 0.74, 0.86);
/// What the floor throws back from below.
const BOUNCE_COLOR: Vec3 = Vec3::new(0.37, 0.35, 0.33);

/// A reflection of the sun as that of satin plastic: wide and weak.
const GLOSS: f32 = 38.0;
const GLOSS_STRENGTH: f32 = 0.16;

/// How much of the sky a surface mirrors that is seen edge-on.
const RIM_STRENGTH: f32 = 0.22;

/// How dark the floor's lines and the wires of a mesh are.
const GRID_STRENGTH: f32 = 0.16;
const WIRE_STRENGTH: f32 = 0.62;

/// The width of a wire in pixels, to each side of the edge.
const WIRE_WIDTH: f64 = 0.55;

/// Triangles of one mesh that turn no further than this from each other are shaded once for a pixel they share.
const ALIKE_COSINE: f32 = 0.94;

/// Everything that the colour of a pixel depends on.
pub(super) struct Shader<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) view: &'a View,
    pub(super) ground: Option<&'a Ground>,
    pub(super) sun: Option<SunMaps>,
    pub(super) sky: Option<SkyMaps>,
    pub(super) floor_sky: Option<FloorSky>,
    pub(super) sun_direction: Vec3,
    pub(super) up: Vec3,
    ambient: f32,
    /// The ends of the background, in linear light.
    top: Vec3,
    bottom: Vec3,
    ground_color: Vec3,
    height: f64,
    wireframe: bool,
}

impl<'a> Shader<'a> {
    pub(super) fn new(
        scene: &'a Scene<'a>,
        view: &'a View,
        ground: Option<&'a Ground>,
        sun_direction: Vec3,
        options: &RenderOptions,
    ) -> Shader<'a> {
        Shader {
            scene,
            view,
            ground,
            sun: None,
            sky: None,
            floor_sky: None,
            sun_direction,
            up: view.direction(DVec3::Y).as_vec3(),
            ambient: if options.ambient.is_finite() { options.ambient.max(0.0) } else { 1.0 },
            top: to_linear(options.background.top),
            bottom: to_linear(options.background.bottom),
            ground_color: to_linear(options.ground_color),
            height: f64::from(options.height),
            wireframe: options.wireframe,
        }
    }

    /// The colour of a pixel in linear light, ready for the screen, from what its samples see.
    pub(super) fn pixel<const S: usize>(&self, x: u32, y: u32, sources: &[u32; S], depths: &[f32; S]) -> Vec3 {
        let center = [f64::from(x) + 0.5, f64::from(y) + 0.5];
        if sources.iter().all(|&source| source == sources[0]) {
            return self.spot(sources[0], center[0], center[1]);
        }
        let pattern = sample_pattern::<S>();
        let mut parts = [Part::default(); S];
        let mut count = 0;
        for sample in 0..S {
            let source = sources[sample];
            let place = parts[..count].iter().position(|part| part.source == source).unwrap_or(count);
            if place == count {
                parts[place] = Part { source, depth: depths[sample], ..Part::default() };
                count += 1;
            }
            parts[place].samples += 1;
            parts[place].offset[0] += pattern[sample][0];
            parts[place].offset[1] += pattern[sample][1];
        }
        let parts = &mut parts[..count];
        if !self.wireframe {
            self.merge_alike(parts);
        }
        let mut sum = Vec3::ZERO;
        for part in parts.iter().filter(|part| part.weight() > 0) {
            // In the middle of the samples that see it, so that it is not shaded beyond its rim.
            let [dx, dy] = part.offset.map(|offset| f64::from(offset) / (16.0 * f64::from(part.samples)));
            sum += self.spot(part.source, center[0] + dx, center[1] + dy) * part.weight() as f32;
        }
        sum / S as f32
    }

    /// Gives the samples of triangles that look alike to the one that has most of them. In a fine mesh a pixel sees as
    /// many triangles as it has samples, and to shade each would cost as many times as much.
    fn merge_alike(&self, parts: &mut [Part]) {
        parts.sort_by_key(|part| std::cmp::Reverse(part.samples));
        let mut known: [Option<(SceneTriangle, Vec3)>; 16] = [None; 16];
        for place in 0..parts.len().min(known.len()) {
            if parts[place].source >= GROUND {
                continue;
            }
            let triangle = self.scene.triangle(parts[place].source as usize);
            let normal = self.scene.face_normal(triangle.number);
            let alike = (0..place).find(|&other| {
                known[other].is_some_and(|(kept, kept_normal)| {
                    let (near, far) = (parts[other].depth, parts[place].depth);
                    kept.drawable == triangle.drawable
                        && kept_normal.dot(normal) > ALIKE_COSINE
                        && (near - far).abs() < 0.02 * near.max(far)
                        && self.scene.material(&kept) == self.scene.material(&triangle)
                })
            });
            match alike {
                Some(other) => {
                    parts[other].taken += parts[place].samples;
                    parts[place].given = true;
                }
                None => known[place] = Some((triangle, normal)),
            }
        }
    }

    /// The colour of what is seen at a point of the picture.
    fn spot(&self, source: u32, x: f64, y: f64) -> Vec3 {
        match source {
            BACKGROUND => self.background(y),
            GROUND => self.floor(x, y),
            number => self.surface(number as usize, x, y),
        }
    }

    fn background(&self, y: f64) -> Vec3 {
        let part = (y / self.height).clamp(0.0, 1.0) as f32;
        self.top.lerp(self.bottom, part * part * (3.0 - 2.0 * part))
    }

    /// The floor has the colour it was given wherever all light reaches it, and gets darker by what is kept away: so
    /// it blends into the background without a seam.
    fn floor(&self, x: f64, y: f64) -> Vec3 {
        let background = self.background(y);
        let Some((ground, spot)) = self.ground.and_then(|ground| Some((ground, ground.spot(x, y)?))) else {
            return background;
        };
        let sun = SUN_COLOR * self.sun_direction.dot(ground.up).max(0.0);
        let sky = SKY_COLOR * self.ambient;
        let sky_free = self.floor_sky.as_ref().map_or(1.0, |floor| floor.free(spot.point));
        let light = sun * self.sunlight(spot.point, ground.up) + sky * sky_free;
        let color =
            self.ground_color * (1.0 - GRID_STRENGTH * spot.line) * (light / (sun + sky).max(Vec3::splat(1e-6)));
        background.lerp(color.min(Vec3::ONE), spot.presence)
    }

    fn surface(&self, number: usize, x: f64, y: f64) -> Vec3 {
        let triangle = self.scene.triangle(number);
        let corners = self.scene.corners(triangle.vertices);
        let ray = self.view.ray(x, y);
        let barycentric = barycentric(corners.map(|corner| corner.as_dvec3()), ray);
        let point = (0..3).map(|corner| barycentric[corner] * corners[corner]).sum::<Vec3>();
        let to_eye = -ray.as_vec3().normalize();
        let face = self.scene.face_normal(triangle.number);
        let face = if face.dot(to_eye) < 0.0 { -face } else { face };
        let normal = self.scene.shading_normal(&triangle, barycentric, self.view);
        let normal = if normal.dot(face) < 0.0 { -normal } else { normal };

        let albedo = self.scene.albedo(&triangle, barycentric);
        let facing = normal.dot(self.sun_direction).max(0.0);
        // By the shading normal: by that of the face, triangles turned just away from the sun would be dark patches.
        let sun = if facing > 0.0 { self.sunlight(point, normal) } else { 0.0 };
        let sky = self.skylight(point, normal);
        let half = (to_eye + self.sun_direction).normalize_or_zero();
        let gloss = GLOSS_STRENGTH * facing.min(0.3) / 0.3 * normal.dot(half).max(0.0).powf(GLOSS);
        let rim = RIM_STRENGTH * (1.0 - normal.dot(to_eye).max(0.0)).powi(4);
        let light = albedo * (SUN_COLOR * (sun * facing) + sky) + SUN_COLOR * (sun * gloss) + sky * rim;
        let wire = if self.wireframe { 1.0 - WIRE_STRENGTH * self.wire(corners, x, y) } else { 1.0 };
        tone_map(light) * wire
    }

    /// How much a wire along the edges of a triangle covers a point of the picture.
    fn wire(&self, corners: [Vec3; 3], x: f64, y: f64) -> f32 {
        let corners = corners.map(|corner| corner.as_dvec3());
        let [here, right, below] =
            [(x, y), (x + 1.0, y), (x, y + 1.0)].map(|(x, y)| raw_barycentric(corners, self.view.ray(x, y)));
        let nearest = (0..3)
            .map(|edge| here[edge] / (right[edge] - here[edge]).hypot(below[edge] - here[edge]))
            .fold(f64::INFINITY, f64::min);
        (WIRE_WIDTH + 0.5 - nearest).clamp(0.0, 1.0) as f32
    }

    fn sunlight(&self, point: Vec3, normal: Vec3) -> f32 {
        self.sun.as_ref().map_or(1.0, |sun| sun.visibility(point, normal))
    }

    fn skylight(&self, point: Vec3, normal: Vec3) -> Vec3 {
        let [above, below] = match &self.sky {
            Some(sky) => sky.irradiance(point, normal),
            None => {
                let above = 0.5 + 0.5 * normal.dot(self.up);
                [above, 1.0 - above]
            }
        };
        (SKY_COLOR * above + BOUNCE_COLOR * below) * self.ambient
    }
}

/// The samples of a pixel that see one triangle.
#[derive(Clone, Copy, Default)]
struct Part {
    source: u32,
    depth: f32,
    samples: u32,
    /// The sum of their offsets, in sixteenths of a pixel.
    offset: [i32; 2],
    /// Samples that others have given to this part.
    taken: u32,
    /// Whether this part has given its samples away.
    given: bool,
}

impl Part {
    fn weight(&self) -> u32 {
        if self.given { 0 } else { self.samples + self.taken }
    }
}

/// The weights of a triangle's corners where a ray from the eye meets its plane, up to a common factor.
fn raw_barycentric([a, b, c]: [DVec3; 3], ray: DVec3) -> [f64; 3] {
    // Each is a volume: that of the tetrahedron of the eye, the ray and the edge across.
    [ray.dot(b.cross(c)), ray.dot(c.cross(a)), ray.dot(a.cross(b))]
}

/// The weights of the corners at the point of the triangle that a ray sees; never outside the triangle.
fn barycentric(corners: [DVec3; 3], ray: DVec3) -> Vec3 {
    let raw = raw_barycentric(corners, ray);
    let sum: f64 = raw.iter().sum();
    let inside = raw.map(|weight| (weight / sum).clamp(0.0, 1.0));
    let total: f64 = inside.iter().sum();
    if total.is_finite() && total > 0.0 {
        DVec3::from(inside.map(|weight| weight / total)).as_vec3()
    } else {
        Vec3::splat(1.0 / 3.0)
    }
}
