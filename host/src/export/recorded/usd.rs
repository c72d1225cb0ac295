//! A recording as a USD stage in text, with time samples.
//!
//! | in the recording | on the stage |
//! |---|---|
//! | a frame | a time code |
//! | a mesh | a class, which every look of it inherits; breaks are a subset of its faces |
//! | a body | an `Xform` with samples of its position and rotation, its number, mass, volume and origin as attributes |
//! | a look | a `Mesh` below it |
//! | what begins and ends | samples of `visibility` |
//! | forms that only move | samples of the look's own position and rotation |
//! | other forms | samples of `points` and `normals`, in the frames that have a key |
//! | colours | `displayColor`, and materials of `UsdPreviewSurface` |
//! | particles | `Points` with samples of everything |
//! | the camera | a `Camera` |

use std::collections::BTreeMap;
use std::fmt::Write;

use glam::{DVec3, Vec3};

use super::film::{Actor, Film, Motion, Part, camera_pose};
use super::morph::{Morph, form_normals};
use super::track::visibility;
use super::usd_text::{Text, array, face_counts, identifier, sampled, triple};
use crate::export::color::{breaks, to_linear};
use crate::geometry::{Aabb, Pose, TriMesh, is_fracture};
use crate::recording::Recording;

/// The height of the camera's film in tenths of a unit, which with the focal length gives its field of view.
const APERTURE: f64 = 24.0;

/// The stage as it is written.
struct Stage<'a> {
    text: Text,
    film: &'a Film<'a>,
    recording: &'a Recording,
    /// The materials of colours: what they are called, and of what colour. None is for those of vertices.
    materials: BTreeMap<[u32; 3], usize>,
}

/// The text of the stage.
pub(super) fn to_text(film: &Film<'_>, recording: &Recording) -> String {
    let mut stage = Stage { text: Text::default(), film, recording, materials: BTreeMap::new() };
    stage.put_head();
    stage.put_shapes();
    stage.text.open("def Xform \"World\"", &[]);
    stage.put_materials();
    film.actors.iter().for_each(|actor| stage.put_actor(actor));
    stage.put_dust();
    stage.put_camera();
    stage.text.close();
    stage.text.finish()
}

impl Stage<'_> {
    fn put_head(&mut self) {
        let per_second = 1.0 / self.recording.header.seconds_per_frame;
        let last = self.film.frames.end - 1;
        let scene = self.recording.header.scene.replace(['\\', '"'], "'");
        let scene: String = scene.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        self.text.raw(&format!(
            "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"{scene}, recorded by Fracas\"\n    endTimeCode = {last}\n    \
             framesPerSecond = {per_second:?}\n    metersPerUnit = 1\n    startTimeCode = 0\n    \
             timeCodesPerSecond = {per_second:?}\n    upAxis = \"Y\"\n)\n\n"
        ));
    }

    fn put_shapes(&mut self) {
        self.text.open("class \"Shapes\"", &[]);
        for (number, shape) in self.film.shapes.iter().enumerate().filter(|(_, shape)| !shape.triangles.is_empty()) {
            self.text.open(&format!("class Mesh \"mesh_{number}\""), &[]);
            self.put_topology(shape);
            let points: Vec<Vec3> = shape.positions.iter().map(|position| position.as_vec3()).collect();
            self.text.line(&format!("float3[] extent = {}", extent(&points)));
            self.text.line(&format!("point3f[] points = {}", array(&points, |point, text| triple(*point, text))));
            if let Some(normals) = &shape.normals {
                let normals = array(normals, |normal, text| {
                    triple(if normal.is_finite() { *normal } else { Vec3::Z }, text);
                });
                self.text.line(&format!(
                    "normal3f[] normals = {normals} (\n            interpolation = \"vertex\"\n        )"
                ));
            }
            self.text.close();
        }
        self.text.close();
    }

    /// All that does not change when a mesh takes another form.
    fn put_topology(&mut self, mesh: &TriMesh) {
        let corners = array(mesh.triangles.as_flattened(), |corner, text| {
            let _ = write!(text, "{corner}");
        });
        self.text.line("uniform bool doubleSided = 1");
        self.text.line(&format!("int[] faceVertexCounts = {}", face_counts(mesh.triangles.len())));
        self.text.line(&format!("int[] faceVertexIndices = {corners}"));
        self.text.line("uniform token subdivisionScheme = \"none\"");
        if let Some(uvs) = &mesh.uvs {
            let uvs = array(uvs, |uv, text| {
                let uv = if uv.is_finite() { *uv } else { glam::Vec2::ZERO };
                let _ = write!(text, "({}, {})", uv.x, uv.y);
            });
            self.text.line(&format!(
                "texCoord2f[] primvars:st = {uvs} (\n            interpolation = \"vertex\"\n        )"
            ));
        }
        if let Some(colors) = &mesh.colors {
            let colors = array(colors, |[red, green, blue, _], text| {
                triple(to_linear([red, green, blue].map(|part| f32::from(*part) / 255.0)), text);
            });
            let meta = "(\n            interpolation = \"vertex\"\n        )";
            self.text.line(&format!("color3f[] primvars:displayColor = {colors} {meta}"));
        }
        let broken: Vec<usize> = mesh
            .materials
            .iter()
            .flatten()
            .enumerate()
            .filter(|(_, material)| is_fracture(**material))
            .map(|(face, _)| face)
            .collect();
        if !broken.is_empty() {
            self.text.line("uniform token subsetFamily:materialBind:familyType = \"nonOverlapping\"");
            self.text.open("def GeomSubset \"breaks\"", &[]);
            self.text.line("uniform token elementType = \"face\"");
            self.text.line("uniform token familyName = \"materialBind\"");
            let faces = array(&broken, |face, text| {
                let _ = write!(text, "{face}");
            });
            self.text.line(&format!("int[] indices = {faces}"));
            self.text.close();
        }
    }

    fn put_materials(&mut self) {
        self.text.open("def Scope \"Materials\"", &[]);
        for actor in &self.film.actors {
            let key = actor.color.map(f32::to_bits);
            let number = self.materials.len();
            if self.materials.contains_key(&key) {
                continue;
            }
            self.materials.insert(key, number);
            let color = to_linear(actor.color);
            for (name, color) in [("color", color), ("break", breaks(color))] {
                let mut diffuse = String::from("color3f inputs:diffuseColor = ");
                triple(color, &mut diffuse);
                self.put_material(&format!("{name}_{number}"), &diffuse, false);
            }
        }
        let path = "/World/Materials/vertex_colors/reader.outputs:result";
        self.put_material("vertex_colors", &format!("color3f inputs:diffuseColor.connect = <{path}>"), true);
        self.text.close();
    }

    fn put_material(&mut self, name: &str, diffuse: &str, reads_vertices: bool) {
        self.text.open(&format!("def Material \"{name}\""), &[]);
        self.text.line(&format!("token outputs:surface.connect = </World/Materials/{name}/surface.outputs:surface>"));
        self.text.open("def Shader \"surface\"", &[]);
        self.text.line("uniform token info:id = \"UsdPreviewSurface\"");
        self.text.line(diffuse);
        self.text.line("float inputs:roughness = 0.8");
        self.text.line("token outputs:surface");
        self.text.close();
        if reads_vertices {
            self.text.open("def Shader \"reader\"", &[]);
            self.text.line("uniform token info:id = \"UsdPrimvarReader_float3\"");
            self.text.line("string inputs:varname = \"displayColor\"");
            self.text.line("float3 outputs:result");
            self.text.close();
        }
        self.text.close();
    }

    fn put_actor(&mut self, actor: &Actor<'_>) {
        let body = actor.body;
        self.text.open(&format!("def Xform \"{}_{}\"", identifier(&body.name), actor.id), &[]);
        self.text.line(&format!("custom int fracas:body = {}", actor.id as i32));
        let origin = body.parent.map(|parent| ("int", "fragmentOf", f64::from(parent)));
        let numbers = [("double", "mass", f64::from(body.mass)), ("double", "volume", f64::from(body.volume))];
        for (kind, name, value) in numbers.into_iter().chain(origin).filter(|(_, _, value)| value.is_finite()) {
            self.text.line(&format!("custom {kind} fracas:{name} = {value}"));
        }
        self.put_visibility(&visibility(&actor.seen, &self.film.frames));
        self.put_track(&actor.track);
        for (place, part) in actor.parts.iter().enumerate() {
            self.put_part(&format!("look_{place}"), part, actor);
        }
        self.text.close();
    }

    fn put_part(&mut self, name: &str, part: &Part, actor: &Actor<'_>) {
        let binding = "prepend apiSchemas = [\"MaterialBindingAPI\"]";
        let inherited = format!("inherits = </Shapes/mesh_{}>", part.mesh);
        let is_class = !matches!(part.motion, Motion::Deforming(_));
        let meta: &[&str] = if is_class { &[&inherited, binding] } else { &[binding] };
        self.text.open(&format!("def Mesh \"{name}\""), meta);
        let mesh = &self.recording.meshes[part.mesh];
        match &part.motion {
            Motion::Still => {}
            Motion::Rigid(track) => self.put_track(track),
            Motion::Deforming(morph) => {
                self.put_topology(mesh);
                self.put_forms(mesh, morph);
            }
        }
        self.put_visibility(&visibility(&part.seen, &actor.seen));
        let number = self.materials.get(&actor.color.map(f32::to_bits)).copied().unwrap_or_default();
        let bound = match mesh.colors.is_some() {
            true => "vertex_colors".to_owned(),
            false => {
                let mut color = String::new();
                triple(to_linear(actor.color), &mut color);
                self.text.line(&format!("color3f[] primvars:displayColor = [{color}]"));
                format!("color_{number}")
            }
        };
        self.text.line(&format!("rel material:binding = </World/Materials/{bound}>"));
        let has_breaks = mesh.materials.iter().flatten().any(|&material| is_fracture(material));
        if has_breaks && mesh.colors.is_none() {
            self.text.open("over \"breaks\"", &[binding]);
            self.text.line(&format!("rel material:binding = </World/Materials/break_{number}>"));
            self.text.close();
        }
        self.text.close();
    }

    fn put_forms(&mut self, mesh: &TriMesh, morph: &Morph) {
        let points: Vec<Vec<Vec3>> =
            morph.forms.iter().map(|form| form.iter().map(|place| place.as_vec3()).collect()).collect();
        let normals: Vec<Vec<Vec3>> = morph.forms.iter().map(|form| form_normals(mesh, form)).collect();
        let keys = &morph.keys;
        let vectors = |vectors: &[Vec3]| array(vectors, |vector, text| triple(*vector, text));
        self.text.line(&sampled("float3[] extent", keys, |&form| extent(&points[form])));
        self.text.line(&sampled("point3f[] points", keys, |&form| vectors(&points[form])));
        self.text.line("normal3f[] normals (\n            interpolation = \"vertex\"\n        )");
        self.text.line(&sampled("normal3f[] normals", keys, |&form| vectors(&normals[form])));
    }

    fn put_track(&mut self, track: &[(u32, Pose)]) {
        let place = |pose: &Pose| {
            let mut text = String::new();
            triple(pose.translation.as_vec3(), &mut text);
            text
        };
        let turn = |pose: &Pose| {
            // In double precision: readers take the angle from w, and of one that is rounded to 1 nothing is left.
            let [x, y, z, w] = pose.rotation.normalize().to_array();
            format!("({w}, {x}, {y}, {z})")
        };
        self.text.line(&sampled("double3 xformOp:translate", track, place));
        self.text.line(&sampled("quatd xformOp:orient", track, turn));
        self.text.line("uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]");
    }

    fn put_visibility(&mut self, changes: &[(u32, bool)]) {
        if !changes.is_empty() {
            let word = |is_seen: &bool| if *is_seen { "\"inherited\"" } else { "\"invisible\"" }.to_owned();
            self.text.line(&sampled("token visibility", changes, word));
        }
    }

    fn put_dust(&mut self) {
        let has_dust = |frame: &u32| !self.recording.particles(*frame).is_empty();
        if !self.film.frames.clone().any(|frame| has_dust(&frame)) {
            return;
        }
        // A frame without particles is told if the one before had some, and the first.
        let is_told = |frame: &u32| *frame == 0 || has_dust(frame) || has_dust(&(frame - 1));
        let keys: Vec<(u32, u32)> = self.film.frames.clone().filter(is_told).map(|frame| (frame, frame)).collect();
        let of = |&frame: &u32| self.recording.particles(frame);
        let places = sampled("point3f[] points", &keys, |frame| {
            array(of(frame), |particle, text| triple(particle.position, text))
        });
        let numbers = |name: &str, value: fn(&crate::dynamics::Particle) -> f32| {
            sampled(name, &keys, |frame| {
                array(of(frame), |particle, text| {
                    let _ = write!(text, "{}", value(particle));
                })
            })
        };
        let widths = numbers("float[] widths", |particle| 2.0 * particle.radius);
        let opacities = numbers("float[] primvars:displayOpacity", |particle| particle.opacity.clamp(0.0, 1.0));
        self.text.open("def Points \"dust\"", &[]);
        self.text.line(&places);
        self.text.line("float[] widths (\n            interpolation = \"vertex\"\n        )");
        self.text.line(&widths);
        self.text.line("float[] primvars:displayOpacity (\n            interpolation = \"vertex\"\n        )");
        self.text.line(&opacities);
        self.text.line("color3f[] primvars:displayColor = [(0.6, 0.55, 0.48)]");
        self.text.close();
    }

    fn put_camera(&mut self) {
        let Some((pose, angle)) = camera_pose(self.recording) else { return };
        let focal = 0.5 * APERTURE / (0.5 * angle.clamp(1e-3, 179.0).to_radians()).tan();
        let distance = pose.translation.distance(DVec3::ZERO).max(1e-3);
        self.text.open("def Camera \"camera\"", &[]);
        self.text.line(&format!("float2 clippingRange = ({}, {})", 1e-3 * distance, 1e3 * distance));
        self.text.line(&format!("float focalLength = {focal}"));
        self.text.line(&format!("float horizontalAperture = {}", APERTURE * 16.0 / 9.0));
        self.text.line(&format!("float verticalAperture = {APERTURE}"));
        self.put_track(&[(0, pose)]);
        self.text.close();
    }
}

fn extent(points: &[Vec3]) -> String {
    let bounds = Aabb::of_points(points.iter().map(|point| point.as_dvec3()));
    array(&[bounds.min.as_vec3(), bounds.max.as_vec3()], |corner, text| triple(*corner, text))
}
