//! From drawables to a picture.

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use thiserror::Error;

use super::bin::{Bins, TILE};
use super::camera::{Camera, SCENERY, View, usable_direction};
use super::color::{to_bytes, to_linear};
use super::floor_sky::FloorSky;
use super::ground::Ground;
use super::haze::Haze;
use super::image::Image;
use super::raster::{GROUND, TileSamples};
use super::scene::{Drawable, Scene};
use super::shade::Shader;
use super::sky::SkyMaps;
use super::sun::SunMaps;
use crate::dynamics::Particle;

/// The most pixels a picture may have in a row or a column.
const LARGEST: u32 = 16384;

/// The most axes that the sky is divided into.
const MOST_SKY_AXES: u32 = 1024;

/// The sky behind everything: a calm gradient. Colours are sRGB from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Background {
    /// The colour at the upper rim.
    pub top: [f32; 3],
    /// The colour at the lower rim.
    pub bottom: [f32; 3],
}

/// How a picture is made.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderOptions {
    /// Pixels in a row, from 1 to 16384.
    pub width: u32,
    /// Rows, from 1 to 16384.
    pub height: u32,
    /// Places in each pixel where visibility is decided: 1, 2, 4, 8 or 16. More make smoother edges.
    pub samples: u32,
    /// What is behind everything.
    pub background: Background,
    /// The height of an endless floor, if there shall be one. It is not drawn for a camera below it.
    pub ground: Option<f64>,
    /// The colour of the floor where all light reaches it, in sRGB from 0 to 1.
    pub ground_color: [f32; 3],
    /// The strength of the light that comes from everywhere; 1 is a bright sky.
    pub ambient: f32,
    /// The direction from the scene towards the sun; any length.
    pub light_direction: DVec3,
    /// Whether things keep the sun from each other and from the floor.
    pub shadow: bool,
    /// The axes along which things keep the sky from each other (ambient occlusion); 0 is the cheapest, 32 is smooth.
    pub sky_axes: u32,
    /// The angle in degrees between triangles up to which their common edge is shaded round, in meshes that have no
    /// normals; 0 shows every triangle flat.
    pub crease_angle: f64,
    /// Whether to draw the edges of the triangles.
    pub wireframe: bool,
    /// The colour of particles, in sRGB from 0 to 1.
    pub dust_color: [f32; 3],
}

impl Default for RenderOptions {
    fn default() -> RenderOptions {
        RenderOptions {
            width: 1280,
            height: 720,
            samples: 4,
            background: Background { top: [0.80, 0.86, 0.92], bottom: [0.95, 0.955, 0.96] },
            ground: None,
            ground_color: [0.93, 0.935, 0.94],
            ambient: 1.0,
            light_direction: DVec3::new(-0.55, 1.0, 0.45),
            shadow: true,
            sky_axes: 32,
            crease_angle: 35.0,
            wireframe: false,
            dust_color: [0.80, 0.77, 0.72],
        }
    }
}

/// Why there is no picture.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RenderError {
    /// The size cannot be drawn.
    #[error("an image of {width} by {height} pixels cannot be drawn; both must be from 1 to {LARGEST}")]
    Size {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// There is no such sample pattern.
    #[error("{0} samples per pixel are not to be had; choose 1, 2, 4, 8 or 16")]
    Samples(u32),
    /// The camera has no direction or no field of view.
    #[error(
        "the camera sees nothing: eye {eye} and target {target} must be apart and finite, the field of view ({degrees} degrees) between 0 and 180"
    )]
    Camera {
        /// Where the camera is.
        eye: DVec3,
        /// Where it looks.
        target: DVec3,
        /// Its vertical field of view.
        degrees: f64,
    },
    /// More triangles or vertices than can be numbered.
    #[error("{0} triangles or vertices are more than one picture can hold; draw fewer than {GROUND}")]
    TooMany(usize),
    /// What the colours shall tell is not known.
    #[error("this cannot be coloured so: {0}")]
    NotHeld(&'static str),
}

/// Draws a picture.
///
/// The tiles of the picture are drawn independently of each other on rayon's threads, so the pixels do not depend on
/// their number.
///
/// # Errors
/// If the options or the camera make no picture. What is wrong within a mesh is left out instead.
///
/// ```
/// use fracas::export::{Camera, RenderOptions, render};
/// use fracas::geometry::Aabb;
///
/// let options = RenderOptions { width: 64, height: 64, ..RenderOptions::default() };
/// let nothing = render(&[], &Camera::framing(Aabb::EMPTY, 1.0), &options)?;
/// assert_eq!((nothing.width, nothing.height), (64, 64));
/// # Ok::<(), fracas::export::RenderError>(())
/// ```
pub fn render(drawables: &[Drawable<'_>], camera: &Camera, options: &RenderOptions) -> Result<Image, RenderError> {
    render_with_particles(drawables, &[], camera, options)
}

/// As [`render()`], with particles: soft discs that hide what is behind them as far as they are opaque. They get the light of
/// an open field and cast no shadows.
///
/// # Errors
/// As [`render()`].
pub fn render_with_particles(
    drawables: &[Drawable<'_>],
    particles: &[Particle],
    camera: &Camera,
    options: &RenderOptions,
) -> Result<Image, RenderError> {
    let view = check(drawables, camera, options)?;
    let scene = Scene::new(drawables, &view, options.crease_angle);
    let haze = Haze::new(particles, &view, [options.width, options.height], to_linear(options.dust_color));
    match options.samples {
        1 => Ok(draw::<1>(&scene, &haze, &view, options)),
        2 => Ok(draw::<2>(&scene, &haze, &view, options)),
        4 => Ok(draw::<4>(&scene, &haze, &view, options)),
        8 => Ok(draw::<8>(&scene, &haze, &view, options)),
        16 => Ok(draw::<16>(&scene, &haze, &view, options)),
        other => Err(RenderError::Samples(other)),
    }
}

fn check(drawables: &[Drawable<'_>], camera: &Camera, options: &RenderOptions) -> Result<View, RenderError> {
    let RenderOptions { width, height, samples, .. } = *options;
    if ![width, height].iter().all(|size| (1..=LARGEST).contains(size)) {
        return Err(RenderError::Size { width, height });
    }
    if ![1, 2, 4, 8, 16].contains(&samples) {
        return Err(RenderError::Samples(samples));
    }
    let triangles: usize = drawables.iter().map(|drawable| drawable.mesh.triangles.len()).sum();
    let vertices: usize = drawables.iter().map(|drawable| drawable.mesh.positions.len()).sum();
    // Three corners per triangle are numbered in 32 bits.
    if triangles >= GROUND as usize / 3 || vertices >= GROUND as usize {
        return Err(RenderError::TooMany(triangles.max(vertices)));
    }
    camera.view(width, height).ok_or(RenderError::Camera {
        eye: camera.eye,
        target: camera.target,
        degrees: camera.vertical_field_of_view,
    })
}

fn draw<const S: usize>(scene: &Scene<'_>, haze: &Haze, view: &View, options: &RenderOptions) -> Image {
    let bins = Bins::new(scene, view, options.width, options.height);
    let visible = scene.bounds(|point| view.nearly_sees(point, SCENERY), |point| point);
    let (low, high) = visible.unwrap_or((Vec3::ZERO, Vec3::ZERO));
    let (center, radius) = match visible {
        Some(_) => (0.5 * (low + high).as_dvec3(), 0.5 * f64::from((high - low).length())),
        None => (DVec3::Z * view.distance, 0.5 * view.distance),
    };
    let ground = options.ground.and_then(|height| Ground::new(view, height, center, radius));
    let to_sun = usable_direction(options.light_direction).unwrap_or(DVec3::Y);
    let to_sun = view.direction(to_sun).normalize().as_vec3();

    let mut shader = Shader::new(scene, view, ground.as_ref(), to_sun, options);
    if options.shadow {
        let shadow = |point: Vec3| ground.as_ref().and_then(|ground| ground.shadow(point, to_sun));
        shader.sun = Some(SunMaps::new(scene, view, to_sun, shadow));
    }
    let sky_axes = options.sky_axes.min(MOST_SKY_AXES) as usize;
    if sky_axes > 0 && visible.is_some() {
        let sky = SkyMaps::new(scene, (low, high), shader.up, sky_axes);
        shader.floor_sky = ground.as_ref().map(|ground| {
            let (center, reach) = ground.surroundings();
            FloorSky::new(&sky, ground.up, center, reach)
        });
        shader.sky = Some(sky);
    }

    let width = options.width as usize;
    let mut pixels = vec![[0; 4]; width * options.height as usize];
    pixels.par_chunks_mut(width * TILE as usize).enumerate().for_each(|(row, band)| {
        let tiles: Vec<Vec<[u8; 4]>> = (0..bins.columns)
            .into_par_iter()
            .map_init(TileSamples::<S>::new, |samples, column| {
                see_tile(samples, &bins, ground.as_ref(), column, row as u32);
                shade_tile(samples, &shader, haze, options, [column, row as u32])
            })
            .collect();
        for (line, pixels) in band.chunks_mut(width).enumerate() {
            for (pixels, tile) in pixels.chunks_mut(TILE as usize).zip(&tiles) {
                let start = line * TILE as usize;
                pixels.copy_from_slice(&tile[start..start + pixels.len()]);
            }
        }
    });
    Image { width: options.width, height: options.height, pixels }
}

/// Decides what each sample of a tile sees.
pub(super) fn see_tile<const S: usize>(
    samples: &mut TileSamples<S>,
    bins: &Bins,
    ground: Option<&Ground>,
    column: u32,
    row: u32,
) {
    samples.clear(column, row, ground.map(|ground| |x, y| ground.inverse_depth(x, y)));
    for triangle in bins.of_tile(column, row) {
        samples.draw(triangle, column, row);
    }
}

fn shade_tile<const S: usize>(
    samples: &TileSamples<S>,
    shader: &Shader<'_>,
    haze: &Haze,
    options: &RenderOptions,
    [column, row]: [u32; 2],
) -> Vec<[u8; 4]> {
    let discs = haze.of_tile(column, row);
    let mut pixels = vec![[0; 4]; (TILE * TILE) as usize];
    for (place, pixel) in pixels.iter_mut().enumerate() {
        let (x, y) = (column * TILE + place as u32 % TILE, row * TILE + place as u32 / TILE);
        if x < options.width && y < options.height {
            let depths = &samples.inverse_depth[place];
            let color = shader.pixel(x, y, &samples.source[place], depths);
            *pixel = to_bytes(haze.over(color, discs, [x, y], depths));
        }
    }
    pixels
}
