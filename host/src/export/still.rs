//! Pictures of recordings and mesh files.

use std::borrow::Cow;

use glam::DVec3;

use super::{Camera, Coloring, Drawable, Image, RenderError, RenderOptions, body_color, render, render_with_particles};
use crate::geometry::{Aabb, Pose, TriMesh};
use crate::recording::{RecordedBody, Recording};

/// Materials are told apart by these many colours, then they begin again.
const MATERIAL_COLORS: usize = 16;

/// What a picture of a recording or a mesh shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picture {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// How far the pieces are moved apart from their common centre: 0 not at all, 1 to twice the distance.
    pub explode: f64,
    /// What the colours tell apart.
    pub color: ColorBy,
}

impl Default for Picture {
    fn default() -> Picture {
        Picture { width: 1280, height: 720, explode: 0.0, color: ColorBy::Body }
    }
}

/// What the colours of a picture tell apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorBy {
    /// Bodies: by the material's colour, or by the body's number where that has none. Pieces look as their whole.
    #[default]
    Body,
    /// Pieces: by the body's own number.
    Piece,
    /// Materials: each triangle by its material number.
    Material,
}

/// What a frame shows of a body.
struct Shown<'a> {
    id: u32,
    body: &'a RecordedBody,
    pose: Pose,
    meshes: Vec<Cow<'a, TriMesh>>,
    bounds: Aabb,
}

/// Draws a frame of a recording, from the scene's camera or one that shows everything that can move.
///
/// # Errors
/// If the picture has no sensible size.
pub fn draw_recording(recording: &Recording, frame: u32, picture: &Picture) -> Result<Image, RenderError> {
    let palette = palette();
    let shown: Vec<Shown<'_>> = recording
        .bodies_at(frame)
        .filter_map(|(id, body, pose)| {
            let meshes = body.looks(frame).map(|look| recording.mesh(body, look, frame));
            let meshes: Vec<Cow<'_, TriMesh>> = meshes.filter(|mesh| !mesh.triangles.is_empty()).collect();
            let bounds = meshes.iter().fold(Aabb::EMPTY, |all, mesh| all.union(moved_box(mesh, &pose)));
            (!meshes.is_empty()).then_some(Shown { id, body, pose, meshes, bounds })
        })
        .collect();
    let center = shown.iter().fold(Aabb::EMPTY, |all, one| all.union(one.bounds)).center();
    let mut all = Aabb::EMPTY;
    let mut drawables = Vec::with_capacity(shown.len());
    for &Shown { id, body, pose, ref meshes, bounds } in &shown {
        // Only pieces are moved apart: a floor or a shelf that nothing broke stays where it is.
        let apart = if body.parent.is_some() { picture.explode * (bounds.center() - center) } else { DVec3::ZERO };
        all = all.union(Aabb { min: bounds.min + apart, max: bounds.max + apart });
        let pose = Pose { translation: pose.translation + apart, ..pose };
        let coloring = |mesh: &TriMesh| match picture.color {
            ColorBy::Body if mesh.colors.is_some() => Coloring::Vertex,
            ColorBy::Body => Coloring::Uniform(whole_color(recording, id, body)),
            ColorBy::Piece => Coloring::Uniform(body_color(u64::from(id))),
            ColorBy::Material => Coloring::Material(&palette),
        };
        drawables.extend(meshes.iter().map(|mesh| Drawable { mesh, pose, coloring: coloring(mesh) }));
    }
    let camera = recorded_camera(recording).unwrap_or_else(|| Camera::framing(all, aspect(picture)));
    let options = options(picture, recording.header.ground);
    render_with_particles(&drawables, recording.particles(frame), &camera, &options)
}

/// Draws a mesh standing on the ground, from a camera that shows all of it. What its faces connect counts as a piece.
///
/// # Errors
/// If the picture has no sensible size.
pub fn draw_mesh(mesh: &TriMesh, picture: &Picture) -> Result<Image, RenderError> {
    let is_divided = picture.explode > 0.0 || picture.color == ColorBy::Piece;
    let pieces = if is_divided { mesh.components() } else { Vec::new() };
    draw_meshes(if pieces.is_empty() { std::slice::from_ref(mesh) } else { &pieces }, picture)
}

/// Draws pieces standing on the ground, from a camera that shows all of them.
///
/// # Errors
/// If the picture has no sensible size.
pub fn draw_meshes(pieces: &[TriMesh], picture: &Picture) -> Result<Image, RenderError> {
    let palette = palette();
    let center = pieces.iter().fold(Aabb::EMPTY, |all, piece| all.union(piece.aabb())).center();
    let mut all = Aabb::EMPTY;
    let mut drawables = Vec::with_capacity(pieces.len());
    for (number, piece) in pieces.iter().enumerate() {
        let bounds = piece.aabb();
        let apart = picture.explode * (bounds.center() - center);
        all = all.union(Aabb { min: bounds.min + apart, max: bounds.max + apart });
        let coloring = match picture.color {
            ColorBy::Material => Coloring::Material(&palette),
            ColorBy::Body if piece.colors.is_some() => Coloring::Vertex,
            ColorBy::Body | ColorBy::Piece => Coloring::Uniform(body_color(number as u64)),
        };
        drawables.push(Drawable { mesh: piece, pose: Pose::at(apart), coloring });
    }
    let camera = Camera::framing(all, aspect(picture));
    render(&drawables, &camera, &options(picture, Some(all.min.y).filter(|height| height.is_finite())))
}

fn options(picture: &Picture, ground: Option<f64>) -> RenderOptions {
    RenderOptions { width: picture.width, height: picture.height, ground, ..RenderOptions::default() }
}

fn aspect(picture: &Picture) -> f64 {
    f64::from(picture.width.max(1)) / f64::from(picture.height.max(1))
}

fn palette() -> Vec<[f32; 3]> {
    (0..MATERIAL_COLORS as u64).map(body_color).collect()
}

/// The colour of the body that a piece was once part of.
pub(super) fn whole_color(recording: &Recording, id: u32, body: &RecordedBody) -> [f32; 3] {
    let (mut whole_id, mut whole) = (id, body);
    // A damaged file could name parents in a circle; parents are older than their pieces.
    while let Some(parent) = whole.parent.filter(|&parent| parent < whole_id) {
        let Some(older) = recording.bodies.get(&parent) else { break };
        (whole_id, whole) = (parent, older);
    }
    body.color.unwrap_or_else(|| body_color(u64::from(whole_id)))
}

pub(super) fn recorded_camera(recording: &Recording) -> Option<Camera> {
    let [eye, target, up] = recording.header.camera?.map(DVec3::from_array);
    let vertical_field_of_view = recording.header.field_of_view?;
    Some(Camera { eye, target, up, vertical_field_of_view })
}

fn moved_box(mesh: &TriMesh, pose: &Pose) -> Aabb {
    Aabb::of_points(mesh.aabb().corners().map(|corner| pose.transform_point(corner)))
}
