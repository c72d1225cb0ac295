//! Pictures of recordings and mesh files.

use std::borrow::Cow;
use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;

use super::cut_away::cut_away;
use super::fields::{Neighbourhood, below_surface, deepest, fields_of};
use super::measured::{Measured, PLAIN};
use super::{Camera, Coloring, Drawable, Image, RenderError, RenderOptions, body_color, render_with_particles};
use crate::dynamics::Particle;
use crate::geometry::{Aabb, Plane, Pose, SignedDistance, TriMesh};
use crate::recording::{RecordedBody, Recording};

/// Materials are told apart by these many colours, then they begin again.
const MATERIAL_COLORS: usize = 16;

/// What a picture of a recording or a mesh shows.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// How far the pieces are moved apart from their common centre: 0 not at all, 1 to twice the distance.
    pub explode: f64,
    /// What the colours tell apart.
    pub color: ColorBy,
    /// What is on the outer side of any of these planes is cut away; before the pieces are moved apart.
    pub cuts: Vec<Plane>,
    /// With [`ColorBy::Distance`]: the solid whose surface depth is told from, in the coordinates of meshes; else each
    /// body's own.
    pub original: Option<Arc<SignedDistance>>,
}

impl Default for Picture {
    fn default() -> Picture {
        Picture { width: 1280, height: 720, explode: 0.0, color: ColorBy::Body, cuts: Vec::new(), original: None }
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
    /// Islands: what hangs together. A piece with parts that do not touch is several.
    Island,
    /// How deep a point is below the surface, from dark on it to bright at the deepest; on surfaces that is seen on cuts
    /// and breaks.
    Distance,
    /// How deep a point is in another body or in the ground: from pale, which is a gap of a fiftieth of the size of a
    /// body or more, through yellow, where they touch, to red, where they overlap by as much.
    ContactDepth,
    /// Stress, which neither recordings nor mesh files hold.
    Stress,
}

/// Something to draw.
pub(super) struct Thing<'a> {
    /// What its own colour is chosen by.
    pub(super) number: u64,
    /// The colour of the body that it is of.
    pub(super) color: [f32; 3],
    pub(super) meshes: Vec<Cow<'a, TriMesh>>,
    pub(super) pose: Pose,
    /// The box around it in the world.
    pub(super) bounds: Aabb,
    /// Whether it moves apart from others.
    pub(super) is_piece: bool,
}

/// Draws a frame of a recording, from the scene's camera or one that shows everything that can move.
///
/// # Errors
/// If the picture has no sensible size, or the recording does not hold what the colours shall tell.
pub fn draw_recording(recording: &Recording, frame: u32, picture: &Picture) -> Result<Image, RenderError> {
    let things: Vec<Thing<'_>> = recording
        .bodies_at(frame)
        .filter_map(|(id, body, pose)| {
            let meshes = body.looks(frame).map(|look| recording.mesh(body, look, frame));
            let meshes: Vec<Cow<'_, TriMesh>> = meshes.filter(|mesh| !mesh.triangles.is_empty()).collect();
            let bounds = meshes.iter().fold(Aabb::EMPTY, |all, mesh| all.union(moved_box(mesh, &pose)));
            let color = whole_color(recording, id, body);
            // Only pieces are moved apart: a floor or a shelf that nothing broke stays where it is.
            let is_piece = body.parent.is_some();
            (!meshes.is_empty()).then_some(Thing { number: u64::from(id), color, meshes, pose, bounds, is_piece })
        })
        .collect();
    let camera = recorded_camera(recording);
    draw_things(things, camera, recording.header.ground, recording.particles(frame), picture)
}

/// Draws a mesh standing on the ground, from a camera that shows all of it. What its faces connect counts as a piece.
///
/// # Errors
/// As [`draw_meshes`].
pub fn draw_mesh(mesh: &TriMesh, picture: &Picture) -> Result<Image, RenderError> {
    let is_divided = picture.explode > 0.0 || picture.color == ColorBy::Piece;
    let pieces = if is_divided { mesh.components() } else { Vec::new() };
    draw_meshes(if pieces.is_empty() { std::slice::from_ref(mesh) } else { &pieces }, picture)
}

/// Draws pieces standing on the ground, from a camera that shows all of them.
///
/// # Errors
/// If the picture has no sensible size, or meshes do not hold what the colours shall tell.
pub fn draw_meshes(pieces: &[TriMesh], picture: &Picture) -> Result<Image, RenderError> {
    let things: Vec<Thing<'_>> = (0..)
        .zip(pieces)
        .map(|(number, piece)| Thing {
            number,
            color: body_color(number),
            meshes: vec![Cow::Borrowed(piece)],
            pose: Pose::IDENTITY,
            bounds: piece.aabb(),
            is_piece: true,
        })
        .collect();
    let all = things.iter().fold(Aabb::EMPTY, |all, thing| all.union(thing.bounds));
    let center = all.center();
    let lowest = |thing: &Thing<'_>| thing.bounds.min.y + picture.explode * (thing.bounds.center() - center).y;
    let ground = things.iter().map(lowest).fold(f64::INFINITY, f64::min);
    draw_things(things, None, Some(ground).filter(|height| height.is_finite()), &[], picture)
}

fn draw_things(
    mut things: Vec<Thing<'_>>,
    camera: Option<Camera>,
    ground: Option<f64>,
    particles: &[Particle],
    picture: &Picture,
) -> Result<Image, RenderError> {
    let palette: Vec<[f32; 3]> = (0..MATERIAL_COLORS as u64).map(body_color).collect();
    let center = things.iter().fold(Aabb::EMPTY, |all, thing| all.union(thing.bounds)).center();
    let apart = |thing: &Thing<'_>| match thing.is_piece {
        true => picture.explode * (thing.bounds.center() - center),
        false => DVec3::ZERO,
    };
    let framed = things.iter().fold(Aabb::EMPTY, |all, thing| {
        let apart = apart(thing);
        all.union(Aabb { min: thing.bounds.min + apart, max: thing.bounds.max + apart })
    });
    let whole: Vec<Thing<'_>>;
    let (fields, neighbours, measured);
    let mut coloring: Vec<Coloring<'_>> = Vec::new();
    match picture.color {
        ColorBy::Stress => {
            return Err(RenderError::NotHeld("the stress in bodies is in neither recordings nor mesh files"));
        }
        ColorBy::Island => things = islands(things),
        ColorBy::Distance | ColorBy::ContactDepth => {
            let asks_original = picture.color == ColorBy::Distance && picture.original.is_some();
            fields = if asks_original { things.iter().map(|_| None).collect() } else { fields_of(&things) };
            if !asks_original && fields.iter().all(Option::is_none) {
                return Err(RenderError::NotHeld("no body has a closed surface, so nothing is inside of one"));
            }
            whole = things.iter().map(Thing::outline).collect();
            neighbours = Neighbourhood::new(&whole, &fields, ground);
            measured = measures(&whole, &fields, &neighbours, picture);
            coloring =
                measured.iter().map(|one| one.as_ref().map_or(Coloring::Uniform(PLAIN), Coloring::Measured)).collect();
        }
        ColorBy::Body | ColorBy::Piece | ColorBy::Material => {}
    }
    if !picture.cuts.is_empty() {
        things.par_iter_mut().for_each(|thing| thing.cut(&picture.cuts));
    }
    let color_of = |place: usize, mesh: &TriMesh| match picture.color {
        ColorBy::Body if mesh.colors.is_some() => Coloring::Vertex,
        ColorBy::Body => Coloring::Uniform(things[place].color),
        ColorBy::Material => Coloring::Material(&palette),
        ColorBy::Piece | ColorBy::Island | ColorBy::Stress => Coloring::Uniform(body_color(things[place].number)),
        ColorBy::Distance | ColorBy::ContactDepth => coloring[place],
    };
    let mut drawables = Vec::with_capacity(things.len());
    for (place, thing) in things.iter().enumerate() {
        let pose = Pose { translation: thing.pose.translation + apart(thing), ..thing.pose };
        drawables.extend(thing.meshes.iter().map(|mesh| Drawable { mesh, pose, coloring: color_of(place, mesh) }));
    }
    let camera = camera.unwrap_or_else(|| Camera::framing(framed, aspect(picture)));
    let options = RenderOptions { width: picture.width, height: picture.height, ground, ..RenderOptions::default() };
    render_with_particles(&drawables, particles, &camera, &options)
}

impl Thing<'_> {
    /// The same without what is drawn.
    fn outline(&self) -> Thing<'static> {
        Thing { meshes: Vec::new(), ..*self }
    }

    /// Cuts away what is on the outer side of planes in the world.
    fn cut(&mut self, planes: &[Plane]) {
        let inverse = self.pose.inverse();
        let planes: Vec<Plane> = planes.iter().map(|plane| plane.transformed(&inverse)).collect();
        self.meshes = std::mem::take(&mut self.meshes).into_iter().map(|mesh| cut_away(mesh, &planes)).collect();
    }
}

/// The colours of each thing by its measure, where it has one.
fn measures<'a>(
    things: &'a [Thing<'a>],
    fields: &'a [Option<SignedDistance>],
    neighbours: &'a Neighbourhood<'a>,
    picture: &'a Picture,
) -> Vec<Option<Measured<'a>>> {
    if picture.color == ColorBy::ContactDepth {
        return (0..things.len()).map(|thing| Some(neighbours.contact(thing))).collect();
    }
    match &picture.original {
        Some(original) => {
            let all = things.iter().fold(Aabb::EMPTY, |all, thing| all.union(thing.bounds));
            let most = deepest(original, all);
            things.iter().map(|thing| Some(below_surface(original, most, thing.pose))).collect()
        }
        None => {
            let bounds = |thing: &Thing<'_>| moved_bounds(thing.bounds, &thing.pose.inverse());
            let most: Vec<f64> = things
                .iter()
                .zip(fields)
                .map(|(thing, field)| field.as_ref().map_or(0.0, |field| deepest(field, bounds(thing))))
                .collect();
            let most = most.into_iter().fold(0.0, f64::max);
            fields.iter().map(|field| Some(below_surface(field.as_ref()?, most, Pose::IDENTITY))).collect()
        }
    }
}

/// Things of which each is in one piece: vertices at one place connect, also those of two meshes.
fn islands(things: Vec<Thing<'_>>) -> Vec<Thing<'_>> {
    let mut islands = Vec::new();
    for thing in things {
        let mut all = TriMesh::default();
        thing.meshes.iter().for_each(|mesh| all.append(mesh));
        for mesh in all.islands() {
            let bounds = moved_box(&mesh, &thing.pose);
            let number = islands.len() as u64;
            islands.push(Thing { number, meshes: vec![Cow::Owned(mesh)], bounds, ..thing.outline() });
        }
    }
    islands
}

fn aspect(picture: &Picture) -> f64 {
    f64::from(picture.width.max(1)) / f64::from(picture.height.max(1))
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
    moved_bounds(mesh.aabb(), pose)
}

fn moved_bounds(bounds: Aabb, pose: &Pose) -> Aabb {
    Aabb::of_points(bounds.corners().map(|corner| pose.transform_point(corner)))
}
