//! Writing GLB: scenes of named meshes in single precision, as other programs load them.

use serde_json::{Map, Value, json};

use super::attributes::{linear_of_srgb, material_name};
use super::hash::SeededMap;
use crate::geometry::{Pose, TriMesh};

/// What a GLB file is made of: meshes, the nodes that place them, and the materials that their triangles name.
///
/// ```
/// use fracas::geometry::io::{GlbNode, GlbScene, glb_to_bytes};
/// use fracas::geometry::{Pose, TriMesh};
/// use glam::DVec3;
///
/// let piece = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]);
/// let mut node = GlbNode::new("piece 0", 0, Pose::at(DVec3::new(0.0, 2.0, 0.0)));
/// node.extras = Some(serde_json::json!({ "mass": 1.5 }));
/// let scene = GlbScene { meshes: vec![("shard", &piece)], nodes: vec![node], materials: Vec::new() };
/// assert!(glb_to_bytes(&scene, "pieces.glb")?.starts_with(b"glTF"));
/// # Ok::<(), fracas::geometry::io::WriteError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct GlbScene<'a> {
    /// The meshes and their names.
    pub meshes: Vec<(&'a str, &'a TriMesh)>,
    /// Where which mesh stands; a mesh may stand in several places.
    pub nodes: Vec<GlbNode>,
    /// What the material numbers of the meshes mean. A number beyond the list gets a plain material.
    pub materials: Vec<GlbMaterial>,
}

/// A mesh in its place.
#[derive(Clone, Debug)]
pub struct GlbNode {
    /// The name that viewers show.
    pub name: String,
    /// The number of the mesh in the scene's list.
    pub mesh: usize,
    /// Where it stands.
    pub pose: Pose,
    /// Anything more to say about it, a JSON object by custom: mass, centroid, which body it broke from.
    pub extras: Option<Value>,
}

/// How a surface looks.
#[derive(Clone, Debug)]
pub struct GlbMaterial {
    /// The name that viewers show.
    pub name: String,
    /// Red, green, blue and opacity in sRGB.
    pub color: [u8; 4],
    /// Zero for glass, stone and wood, one for metal.
    pub metallic: f64,
    /// Zero for a mirror, one for chalk.
    pub roughness: f64,
}

impl GlbNode {
    /// A node without extras.
    pub fn new(name: impl Into<String>, mesh: usize, pose: Pose) -> GlbNode {
        GlbNode { name: name.into(), mesh, pose, extras: None }
    }
}

impl Default for GlbMaterial {
    fn default() -> GlbMaterial {
        GlbMaterial { name: String::new(), color: [255; 4], metallic: 0.0, roughness: 0.8 }
    }
}

const FLOAT: u32 = 5126;
const U16: u32 = 5123;
const U32: u32 = 5125;
const VERTEX_BUFFER: u32 = 34962;
const INDEX_BUFFER: u32 = 34963;

/// The parts of the file as they grow.
#[derive(Default)]
struct Parts {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    /// The material numbers in use, in the order in which they come up; their places are those in the file.
    materials: Vec<u32>,
    material_places: SeededMap<u32, usize>,
}

impl Parts {
    /// Appends bytes as a view and an accessor over all of it; gives the accessor's number.
    fn push(&mut self, bytes: &[u8], target: u32, accessor: Value) -> usize {
        let offset = self.binary.len();
        self.binary.extend_from_slice(bytes);
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let mut accessor = accessor;
        accessor["bufferView"] = self.views.len().into();
        self.views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len(), "target": target }));
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn push_attributes(&mut self, mesh: &TriMesh) -> Result<Map<String, Value>, String> {
        let mut attributes = Map::new();
        let count = mesh.positions.len();
        let positions: Vec<[f32; 3]> = mesh.positions.iter().map(|position| position.as_vec3().to_array()).collect();
        if let Some(vertex) = positions.iter().position(|position| position.iter().any(|part| !part.is_finite())) {
            return Err(format!(
                "vertex {vertex} at {} is out of the range of single precision",
                mesh.positions[vertex]
            ));
        }
        let extreme = |pick: fn(f32, f32) -> f32, start: f32| {
            positions
                .iter()
                .fold([start; 3], |extreme, position| std::array::from_fn(|axis| pick(extreme[axis], position[axis])))
        };
        let accessor = self.push(
            bytemuck::cast_slice(&positions),
            VERTEX_BUFFER,
            json!({ "componentType": FLOAT, "count": count, "type": "VEC3",
                "min": extreme(f32::min, f32::INFINITY), "max": extreme(f32::max, f32::NEG_INFINITY) }),
        );
        attributes.insert("POSITION".to_owned(), accessor.into());
        if let Some(normals) = &mesh.normals {
            // The format asks for unit length everywhere, also at vertices that have no direction.
            let unit = |normal: &glam::Vec3| super::attributes::unit_normal(*normal).to_array();
            let normals: Vec<[f32; 3]> = normals
                .iter()
                .map(unit)
                .map(|normal| if normal == [0.0; 3] { [0.0, 0.0, 1.0] } else { normal })
                .collect();
            let accessor = json!({ "componentType": FLOAT, "count": count, "type": "VEC3" });
            let accessor = self.push(bytemuck::cast_slice(&normals), VERTEX_BUFFER, accessor);
            attributes.insert("NORMAL".to_owned(), accessor.into());
        }
        if let Some(uvs) = &mesh.uvs {
            let uvs: Vec<[f32; 2]> =
                uvs.iter().map(|uv| if uv.is_finite() { uv.to_array() } else { [0.0; 2] }).collect();
            let accessor = json!({ "componentType": FLOAT, "count": count, "type": "VEC2" });
            let accessor = self.push(bytemuck::cast_slice(&uvs), VERTEX_BUFFER, accessor);
            attributes.insert("TEXCOORD_0".to_owned(), accessor.into());
        }
        if let Some(colors) = &mesh.colors {
            // Linear light in 16 bits, from which every sRGB byte comes back.
            let linear: Vec<u16> = (0..=255).map(|byte| (linear_of_srgb(byte) * 65535.0).round() as u16).collect();
            let wide = |&[red, green, blue, alpha]: &[u8; 4]| {
                let color = [red, green, blue].map(|part| linear[part as usize]);
                [color[0], color[1], color[2], u16::from(alpha) * 257]
            };
            let colors: Vec<[u16; 4]> = colors.iter().map(wide).collect();
            let accessor = json!({ "componentType": U16, "normalized": true, "count": count, "type": "VEC4" });
            let accessor = self.push(bytemuck::cast_slice(&colors), VERTEX_BUFFER, accessor);
            attributes.insert("COLOR_0".to_owned(), accessor.into());
        }
        Ok(attributes)
    }

    /// One primitive for each material, in the order of their numbers; triangles keep their order within.
    fn push_mesh(&mut self, name: &str, mesh: &TriMesh) -> Result<Value, String> {
        let attributes = self.push_attributes(mesh)?;
        let mut primitives = Vec::new();
        let groups: Vec<(Option<u32>, Vec<[u32; 3]>)> = match &mesh.materials {
            None => vec![(None, mesh.triangles.clone())],
            Some(materials) => {
                let mut sorted: Vec<(u32, usize)> = materials.iter().copied().zip(0..).collect();
                sorted.sort_unstable();
                let group = |run: &[(u32, usize)]| {
                    (Some(run[0].0), run.iter().map(|&(_, triangle)| mesh.triangles[triangle]).collect())
                };
                sorted.chunk_by(|a, b| a.0 == b.0).map(group).collect()
            }
        };
        for (material, triangles) in groups {
            let corners = triangles.as_flattened();
            // The largest index of a width means a restart, so that many vertices need the next width.
            let indices = if mesh.positions.len() <= 65_535 {
                let narrow: Vec<u16> = corners.iter().map(|&vertex| vertex as u16).collect();
                let accessor = json!({ "componentType": U16, "count": corners.len(), "type": "SCALAR" });
                self.push(bytemuck::cast_slice(&narrow), INDEX_BUFFER, accessor)
            } else {
                let accessor = json!({ "componentType": U32, "count": corners.len(), "type": "SCALAR" });
                self.push(bytemuck::cast_slice(corners), INDEX_BUFFER, accessor)
            };
            let mut primitive = json!({ "attributes": attributes, "indices": indices, "mode": 4 });
            if let Some(number) = material {
                let materials = &mut self.materials;
                let place = *self.material_places.entry(number).or_insert_with(|| {
                    materials.push(number);
                    materials.len() - 1
                });
                primitive["material"] = place.into();
            }
            primitives.push(primitive);
        }
        Ok(json!({ "name": name, "primitives": primitives }))
    }
}

/// The bytes of a GLB file, or what is in the way.
pub(super) fn glb_bytes(scene: &GlbScene<'_>) -> Result<Vec<u8>, String> {
    let mut parts = Parts::default();
    let mut meshes = Vec::with_capacity(scene.meshes.len());
    for &(name, mesh) in &scene.meshes {
        super::check_writable(mesh)
            .and_then(|()| parts.push_mesh(name, mesh))
            .map(|mesh| meshes.push(mesh))
            .map_err(|problem| if scene.meshes.len() > 1 { format!("mesh `{name}`: {problem}") } else { problem })?;
    }
    let mut nodes = Vec::with_capacity(scene.nodes.len());
    for node in &scene.nodes {
        if node.mesh >= meshes.len() {
            return Err(format!("node `{}` names mesh {}, but there are {}", node.name, node.mesh, meshes.len()));
        }
        nodes.push(node_json(node)?);
    }
    let materials: Vec<Value> = parts.materials.iter().map(|&number| material_json(scene, number)).collect();
    let mut document = json!({
        "asset": { "version": "2.0", "generator": concat!("fracas ", env!("CARGO_PKG_VERSION")) },
    });
    if !nodes.is_empty() {
        let roots: Vec<usize> = (0..nodes.len()).collect();
        document["scene"] = 0.into();
        document["scenes"] = json!([{ "nodes": roots }]);
    }
    // The format allows no empty arrays.
    let mut lists = vec![("nodes", nodes), ("meshes", meshes), ("materials", materials)];
    lists.extend([("accessors", parts.accessors), ("bufferViews", parts.views)]);
    if !parts.binary.is_empty() {
        lists.push(("buffers", vec![json!({ "byteLength": parts.binary.len() })]));
    }
    for (name, list) in lists {
        if !list.is_empty() {
            document[name] = Value::Array(list);
        }
    }
    assemble(document.to_string().into_bytes(), &parts.binary)
}

fn node_json(node: &GlbNode) -> Result<Value, String> {
    let mut value = json!({ "name": node.name, "mesh": node.mesh });
    let Pose { rotation, translation } = node.pose;
    if !rotation.is_finite() || !translation.is_finite() {
        return Err(format!("node `{}` has a pose that is not finite", node.name));
    }
    if node.pose.translation != glam::DVec3::ZERO {
        value["translation"] = json!(translation.to_array());
    }
    if rotation != glam::DQuat::IDENTITY {
        value["rotation"] = json!(rotation.normalize().to_array());
    }
    if let Some(extras) = &node.extras {
        value["extras"] = extras.clone();
    }
    Ok(value)
}

fn material_json(scene: &GlbScene<'_>, number: u32) -> Value {
    let plain = GlbMaterial { name: material_name(number), ..GlbMaterial::default() };
    let material = scene.materials.get(number as usize).unwrap_or(&plain);
    let [red, green, blue] = [0, 1, 2].map(|part| linear_of_srgb(material.color[part]));
    let opacity = f64::from(material.color[3]) / 255.0;
    let share = |value: f64| if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
    let mut value = json!({
        "name": material.name,
        "pbrMetallicRoughness": {
            "baseColorFactor": [red, green, blue, opacity],
            "metallicFactor": share(material.metallic),
            "roughnessFactor": share(material.roughness),
        },
    });
    if material.color[3] < 255 {
        value["alphaMode"] = "BLEND".into();
    }
    value
}

/// Header and chunks, each filled up to a multiple of four bytes.
fn assemble(mut json: Vec<u8>, binary: &[u8]) -> Result<Vec<u8>, String> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let binary_part = if binary.is_empty() { 0 } else { 8 + binary.len() };
    let length = 12 + 8 + json.len() + binary_part;
    let length_field =
        u32::try_from(length).map_err(|_| format!("{length} bytes are more than the 4 GB that GLB can count"))?;
    let mut bytes = Vec::with_capacity(length);
    bytes.extend_from_slice(b"glTF");
    bytes.extend_from_slice(&2_u32.to_le_bytes());
    bytes.extend_from_slice(&length_field.to_le_bytes());
    bytes.extend_from_slice(&(json.len() as u32).to_le_bytes());
    bytes.extend_from_slice(b"JSON");
    bytes.extend_from_slice(&json);
    if !binary.is_empty() {
        bytes.extend_from_slice(&(binary.len() as u32).to_le_bytes());
        bytes.extend_from_slice(b"BIN\0");
        bytes.extend_from_slice(binary);
    }
    Ok(bytes)
}

/// One mesh in one node.
pub(super) fn write(mesh: &TriMesh) -> Result<Vec<u8>, String> {
    glb_bytes(&GlbScene {
        meshes: vec![("mesh", mesh)],
        nodes: vec![GlbNode::new("mesh", 0, Pose::IDENTITY)],
        materials: Vec::new(),
    })
}
