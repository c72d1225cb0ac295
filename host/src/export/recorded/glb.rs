//! A recording as an animated GLB file.
//!
//! | in the recording | in the file |
//! |---|---|
//! | a body | a node with its number, mass, volume, origin and lifetime in `extras` |
//! | a look that is a body's only one | that node's mesh |
//! | other looks | nodes below it, one each |
//! | poses | channels of translation and rotation, linear, with two keys for a pause |
//! | what begins and ends | a channel of scale, 0 or 1, stepped: the format's own advice for what is not to be seen |
//! | forms that only move | channels of a node of the look |
//! | other forms | morph targets, one for each form that has a key |
//! | particles | for each frame a cloud of points, seen in that frame alone |
//! | the camera | a camera |
//!
//! In programs that do not play animations the file shows the first frame.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};
use serde_json::json;

use super::film::{Actor, Film, Motion, Part, camera_pose};
use super::morph::{Morph, form_normals};
use super::track::visibility;
use crate::export::color::{breaks, to_bytes, to_linear};
use crate::geometry::io::{
    GlbCamera, GlbChannel, GlbMaterial, GlbMesh, GlbNode, GlbScene, GlbTarget, GlbValues, WriteError, glb_to_bytes,
};
use crate::geometry::{Pose, TriMesh};
use crate::recording::Recording;

/// The colour of particles, in sRGB.
const DUST_COLOR: [u8; 4] = [204, 196, 184, 255];

/// What the nearest thing is that the camera sees, in parts of its distance from the origin.
const NEAR: f64 = 1e-3;

/// The file as it grows.
struct Stage<'a> {
    film: &'a Film<'a>,
    seconds_per_frame: f64,
    scene: GlbScene<'a>,
    /// The meshes that are there, by number, colour and whether vertices have their own.
    meshes: BTreeMap<(usize, [u8; 3]), usize>,
    /// The first of the two materials of each colour.
    materials: BTreeMap<([u8; 3], bool), u32>,
}

/// The bytes of the file; the name is for messages.
pub(super) fn to_bytes_of(film: &Film<'_>, recording: &Recording, name: &str) -> Result<Vec<u8>, WriteError> {
    // What the scene borrows and the film does not have.
    let morphed: Vec<TriMesh> =
        film.actors.iter().flat_map(|actor| &actor.parts).filter_map(|part| first_form(part, recording)).collect();
    let dust: Vec<(u32, TriMesh)> = film.frames.clone().filter_map(|frame| cloud(recording, frame)).collect();
    let mut stage = Stage {
        film,
        seconds_per_frame: recording.header.seconds_per_frame,
        scene: GlbScene::default(),
        meshes: BTreeMap::new(),
        materials: BTreeMap::new(),
    };
    let mut morphed = morphed.iter();
    film.actors.iter().for_each(|actor| stage.put_actor(actor, &mut morphed));
    stage.put_dust(&dust);
    stage.scene.camera = camera_pose(recording).map(|(pose, vertical_field_of_view)| {
        (GlbCamera { vertical_field_of_view, near: NEAR * pose.translation.length().max(1e-3) }, pose)
    });
    let header = &recording.header;
    stage.scene.extras = Some(json!({
        "scene": header.scene, "frames": film.frames.end, "seconds_per_frame": header.seconds_per_frame,
        "ground": header.ground,
    }));
    glb_to_bytes(&stage.scene, name)
}

impl<'a> Stage<'a> {
    fn put_actor(&mut self, actor: &Actor<'_>, morphed: &mut impl Iterator<Item = &'a TriMesh>) {
        let node = self.scene.nodes.len();
        let body = actor.body;
        self.scene.nodes.push(GlbNode {
            pose: actor.track.first().map_or(Pose::IDENTITY, |&(_, pose)| pose),
            extras: Some(json!({
                "body": actor.id, "mass": body.mass, "volume": body.volume, "fragment_of": body.parent,
                "first_frame": actor.seen.start, "end_frame": actor.seen.end,
            })),
            ..GlbNode::group(&actor.name)
        });
        self.put_track(node, &actor.track);
        self.put_visibility(node, &visibility(&actor.seen, &self.film.frames));
        if let [part @ Part { motion: Motion::Still, .. }] = &actor.parts[..]
            && part.seen == actor.seen
        {
            self.scene.nodes[node].mesh = Some(self.mesh_of(part, actor));
            return;
        }
        for part in &actor.parts {
            let child = self.scene.nodes.len();
            self.scene.nodes[node].children.push(child);
            self.scene.nodes.push(GlbNode::group(format!("{} part {}", actor.name, part.key)));
            let mesh = match &part.motion {
                Motion::Still => self.mesh_of(part, actor),
                Motion::Rigid(track) => {
                    self.scene.nodes[child].pose = track.first().map_or(Pose::IDENTITY, |&(_, pose)| pose);
                    self.put_track(child, track);
                    self.mesh_of(part, actor)
                }
                Motion::Deforming(morph) => {
                    let Some(shape) = morphed.next() else { continue };
                    self.put_morph(child, morph, shape, actor)
                }
            };
            self.scene.nodes[child].mesh = Some(mesh);
            self.put_visibility(child, &visibility(&part.seen, &actor.seen));
        }
    }

    fn time(&self, frame: u32) -> f32 {
        (f64::from(frame) * self.seconds_per_frame) as f32
    }

    fn put_track(&mut self, node: usize, track: &[(u32, Pose)]) {
        let Some(&(_, first)) = track.first() else { return };
        let times: Vec<f32> = track.iter().map(|&(frame, _)| self.time(frame)).collect();
        let mut put = |values: GlbValues| {
            self.scene.channels.push(GlbChannel { node, times: times.clone(), values, is_stepped: false });
        };
        if track.iter().any(|(_, pose)| pose.translation != first.translation) {
            let translations = track.iter().map(|(_, pose)| pose.translation.as_vec3().to_array());
            put(GlbValues::Translation(translations.collect()));
        }
        if track.iter().any(|(_, pose)| pose.rotation != first.rotation) {
            let rotations = track.iter().map(|(_, pose)| pose.rotation.as_quat().normalize().to_array());
            put(GlbValues::Rotation(rotations.collect()));
        }
    }

    fn put_visibility(&mut self, node: usize, changes: &[(u32, bool)]) {
        let Some(&(_, first)) = changes.first() else { return };
        let size = |is_seen: bool| f32::from(u8::from(is_seen));
        self.scene.nodes[node].scale = size(first);
        let times = changes.iter().map(|&(frame, _)| self.time(frame)).collect();
        let values = GlbValues::Scale(changes.iter().map(|&(_, is_seen)| size(is_seen)).collect());
        self.scene.channels.push(GlbChannel { node, times, values, is_stepped: true });
    }

    fn put_morph(&mut self, node: usize, morph: &Morph, shape: &'a TriMesh, actor: &Actor<'_>) -> usize {
        let sides = self.sides(actor, shape.colors.is_some());
        let targets: Vec<GlbTarget> = morph.forms[1..].iter().map(|form| target(shape, form)).collect();
        let count = targets.len();
        if count > 0 {
            let times: Vec<f32> = morph.keys.iter().map(|&(frame, _)| self.time(frame)).collect();
            let mut weights = vec![0.0; count * times.len()];
            for (key, &(_, form)) in morph.keys.iter().enumerate().filter(|(_, key)| key.1 > 0) {
                weights[key * count + form - 1] = 1.0;
            }
            let values = GlbValues::Weights(weights);
            self.scene.channels.push(GlbChannel { node, times, values, is_stepped: false });
        }
        self.scene.meshes.push(GlbMesh { sides: Some(sides), targets, ..GlbMesh::new(&actor.name, shape) });
        self.scene.meshes.len() - 1
    }

    fn put_dust(&mut self, clouds: &'a [(u32, TriMesh)]) {
        if clouds.is_empty() {
            return;
        }
        let group = self.scene.nodes.len();
        self.scene.nodes.push(GlbNode::group("dust"));
        let material = self.scene.materials.len() as u32;
        // What is opaque would not blend, and the opacity is that of the points.
        let color = [255, 255, 255, 254];
        self.scene.materials.push(GlbMaterial { name: "dust".into(), color, ..GlbMaterial::default() });
        for (frame, points) in clouds {
            let (node, mesh) = (self.scene.nodes.len(), self.scene.meshes.len());
            let name = format!("dust {frame}");
            self.scene.nodes[group].children.push(node);
            let sides = Some([material; 2]);
            self.scene.meshes.push(GlbMesh { is_points: true, sides, ..GlbMesh::new(&name, points) });
            self.scene.nodes.push(GlbNode::new(name, mesh, Pose::IDENTITY));
            self.put_visibility(node, &visibility(&(*frame..frame + 1), &self.film.frames));
        }
    }

    fn mesh_of(&mut self, part: &Part, actor: &Actor<'_>) -> usize {
        let shape: &'a TriMesh = &self.film.shapes[part.mesh];
        let sides = self.sides(actor, shape.colors.is_some());
        let place = self.scene.meshes.len();
        let number = *self.meshes.entry((part.mesh, bytes(actor.color))).or_insert(place);
        if number == place {
            self.scene.meshes.push(GlbMesh { sides: Some(sides), ..GlbMesh::new(&actor.name, shape) });
        }
        number
    }

    /// The materials for what was outside and for breaks.
    fn sides(&mut self, actor: &Actor<'_>, has_colors: bool) -> [u32; 2] {
        // Colours of vertices are factors of the material's.
        let color = if has_colors { [255; 3] } else { bytes(actor.color) };
        let place = self.scene.materials.len() as u32;
        let first = *self.materials.entry((color, has_colors)).or_insert(place);
        if first == place {
            let of_breaks = if has_colors { color } else { bytes_of(breaks(to_linear(actor.color))) };
            let [red, green, blue] = color;
            let name = format!("#{red:02x}{green:02x}{blue:02x}");
            for (name, [red, green, blue]) in [(format!("{name} break"), of_breaks), (name, color)].into_iter().rev() {
                let color = [red, green, blue, 255];
                let material = GlbMaterial { name, color, is_double_sided: true, ..GlbMaterial::default() };
                self.scene.materials.push(material);
            }
        }
        [first, first + 1]
    }
}

fn bytes(color: [f32; 3]) -> [u8; 3] {
    bytes_of(to_linear(color))
}

fn bytes_of(linear: Vec3) -> [u8; 3] {
    let [red, green, blue, _] = to_bytes(linear);
    [red, green, blue]
}

/// What a look that deforms begins as.
fn first_form(part: &Part, recording: &Recording) -> Option<TriMesh> {
    let Motion::Deforming(morph) = &part.motion else { return None };
    let mesh = &recording.meshes[part.mesh];
    let positions = morph.forms[0].iter().map(|position| position.as_vec3().as_dvec3()).collect();
    let normals = Some(form_normals(mesh, &morph.forms[0]));
    Some(TriMesh { positions, normals, ..TriMesh::clone(mesh) })
}

/// What has to be added to a mesh to give it another form.
fn target(shape: &TriMesh, form: &[DVec3]) -> GlbTarget {
    let normals = shape.normals.iter().flatten().zip(form_normals(shape, form));
    GlbTarget {
        positions: shape.positions.iter().zip(form).map(|(one, other)| (other - one).as_vec3().to_array()).collect(),
        normals: Some(normals.map(|(one, other)| (other - *one).to_array()).collect()),
    }
}

/// The particles of a frame as a mesh without triangles.
fn cloud(recording: &Recording, frame: u32) -> Option<(u32, TriMesh)> {
    let particles = recording.particles(frame);
    let [red, green, blue, _] = DUST_COLOR;
    let opacity = |opacity: f32| (255.0 * opacity.clamp(0.0, 1.0)).round() as u8;
    let positions = particles.iter().map(|particle| particle.position.as_dvec3()).collect();
    let colors = particles.iter().map(|particle| [red, green, blue, opacity(particle.opacity)]).collect();
    let points = TriMesh { colors: Some(colors), ..TriMesh::new(positions, Vec::new()) };
    (!particles.is_empty()).then_some((frame, points))
}
