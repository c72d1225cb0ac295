//! The binary part of a GLB file as it grows, and what says what stands in it.

use serde_json::{Map, Value, json};

use super::attributes::{linear_of_srgb, unit_normal};
use super::glb_scene::{GlbMesh, GlbTarget};
use super::hash::SeededMap;
use crate::geometry::{TriMesh, is_fracture};

pub(super) const FLOAT: u32 = 5126;
const U16: u32 = 5123;
const U32: u32 = 5125;
const VERTEX_BUFFER: u32 = 34962;
const INDEX_BUFFER: u32 = 34963;

const POINTS: u32 = 0;
const TRIANGLES: u32 = 4;

/// The material number of some triangles, if they have one, and the accessor of their corners.
type Group = (Option<u32>, usize);

/// The parts of the file as they grow.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) binary: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
    /// The material numbers in use, in the order in which they come up; their places are those in the file.
    pub(super) materials: Vec<u32>,
    material_places: SeededMap<u32, usize>,
    /// The attributes of the shapes that are there already, by address.
    shapes: SeededMap<usize, Map<String, Value>>,
    /// Their triangles: by address, and whether they are grouped by number or by side.
    groups: SeededMap<(usize, bool), Vec<Group>>,
}

impl Parts {
    /// Appends bytes as a view and an accessor over all of it; gives the accessor's number.
    pub(super) fn push(&mut self, bytes: &[u8], target: Option<u32>, accessor: Value) -> usize {
        let offset = self.binary.len();
        self.binary.extend_from_slice(bytes);
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let mut accessor = accessor;
        accessor["bufferView"] = self.views.len().into();
        let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Appends vectors with the box around them, which the format asks for of positions.
    fn push_bounded(&mut self, vectors: &[[f32; 3]]) -> usize {
        let extreme = |pick: fn(f32, f32) -> f32, start: f32| {
            vectors
                .iter()
                .fold([start; 3], |extreme, vector| std::array::from_fn(|axis| pick(extreme[axis], vector[axis])))
        };
        let accessor = json!({ "componentType": FLOAT, "count": vectors.len(), "type": "VEC3",
            "min": extreme(f32::min, f32::INFINITY), "max": extreme(f32::max, f32::NEG_INFINITY) });
        self.push(bytemuck::cast_slice(vectors), Some(VERTEX_BUFFER), accessor)
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
        attributes.insert("POSITION".to_owned(), self.push_bounded(&positions).into());
        if let Some(normals) = &mesh.normals {
            // The format asks for unit length everywhere, also at vertices that have no direction.
            let unit = |normal: &glam::Vec3| unit_normal(*normal).to_array();
            let normals: Vec<[f32; 3]> = normals
                .iter()
                .map(unit)
                .map(|normal| if normal == [0.0; 3] { [0.0, 0.0, 1.0] } else { normal })
                .collect();
            let accessor = json!({ "componentType": FLOAT, "count": count, "type": "VEC3" });
            let accessor = self.push(bytemuck::cast_slice(&normals), Some(VERTEX_BUFFER), accessor);
            attributes.insert("NORMAL".to_owned(), accessor.into());
        }
        if let Some(uvs) = &mesh.uvs {
            let uvs: Vec<[f32; 2]> =
                uvs.iter().map(|uv| if uv.is_finite() { uv.to_array() } else { [0.0; 2] }).collect();
            let accessor = json!({ "componentType": FLOAT, "count": count, "type": "VEC2" });
            let accessor = self.push(bytemuck::cast_slice(&uvs), Some(VERTEX_BUFFER), accessor);
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
            let accessor = self.push(bytemuck::cast_slice(&colors), Some(VERTEX_BUFFER), accessor);
            attributes.insert("COLOR_0".to_owned(), accessor.into());
        }
        Ok(attributes)
    }

    fn push_target(&mut self, target: &GlbTarget, shape: &TriMesh) -> Result<Value, String> {
        let count = shape.positions.len();
        let fits = target.positions.len() == count
            && target.normals.as_ref().map(Vec::len) == shape.normals.as_ref().map(|_| count);
        if !fits {
            return Err("another form has other vertices than the mesh".to_owned());
        }
        let mut attributes = json!({ "POSITION": self.push_bounded(&target.positions) });
        if let Some(normals) = &target.normals {
            let accessor = json!({ "componentType": FLOAT, "count": count, "type": "VEC3" });
            attributes["NORMAL"] = self.push(bytemuck::cast_slice(normals), Some(VERTEX_BUFFER), accessor).into();
        }
        Ok(attributes)
    }

    fn push_indices(&mut self, triangles: &[[u32; 3]], vertices: usize) -> usize {
        let corners = triangles.as_flattened();
        // The largest index of a width means a restart, so that many vertices need the next width.
        if vertices <= 65_535 {
            let narrow: Vec<u16> = corners.iter().map(|&vertex| vertex as u16).collect();
            let accessor = json!({ "componentType": U16, "count": corners.len(), "type": "SCALAR" });
            self.push(bytemuck::cast_slice(&narrow), Some(INDEX_BUFFER), accessor)
        } else {
            let accessor = json!({ "componentType": U32, "count": corners.len(), "type": "SCALAR" });
            self.push(bytemuck::cast_slice(corners), Some(INDEX_BUFFER), accessor)
        }
    }

    /// The triangles of each number (or of each side), in the order of these; triangles keep their order within.
    fn push_groups(&mut self, mesh: &TriMesh, by_side: bool) -> Vec<Group> {
        let vertices = mesh.positions.len();
        let Some(materials) = &mesh.materials else {
            let number = by_side.then_some(0);
            return vec![(number, self.push_indices(&mesh.triangles, vertices))];
        };
        let number = |material: u32| if by_side { u32::from(is_fracture(material)) } else { material };
        let mut sorted: Vec<(u32, usize)> = materials.iter().map(|&material| number(material)).zip(0..).collect();
        sorted.sort_unstable();
        let mut groups = Vec::new();
        for run in sorted.chunk_by(|a, b| a.0 == b.0) {
            let triangles: Vec<[u32; 3]> = run.iter().map(|&(_, triangle)| mesh.triangles[triangle]).collect();
            groups.push((Some(run[0].0), self.push_indices(&triangles, vertices)));
        }
        groups
    }

    /// One primitive for each material, in the order of their numbers.
    pub(super) fn push_mesh(&mut self, mesh: &GlbMesh<'_>) -> Result<Value, String> {
        let address = std::ptr::from_ref(mesh.shape).addr();
        let attributes = match self.shapes.get(&address) {
            Some(attributes) => attributes.clone(),
            None => self.push_attributes(mesh.shape)?,
        };
        self.shapes.insert(address, attributes.clone());
        let targets: Result<Vec<Value>, String> =
            mesh.targets.iter().map(|target| self.push_target(target, mesh.shape)).collect();
        let targets = targets?;
        let mut primitives = Vec::new();
        if mesh.is_points {
            let mut primitive = json!({ "attributes": attributes, "mode": POINTS });
            if let Some([number, _]) = mesh.sides {
                primitive["material"] = self.place(number).into();
            }
            return Ok(json!({ "name": mesh.name, "primitives": [primitive] }));
        }
        let key = (address, mesh.sides.is_some());
        let groups = match self.groups.get(&key) {
            Some(groups) => groups.clone(),
            None => self.push_groups(mesh.shape, mesh.sides.is_some()),
        };
        self.groups.insert(key, groups.clone());
        for (number, indices) in groups {
            let mut primitive = json!({ "attributes": attributes, "indices": indices, "mode": TRIANGLES });
            let number = number.map(|number| mesh.sides.map_or(number, |sides| sides[number as usize & 1]));
            if let Some(number) = number {
                primitive["material"] = self.place(number).into();
            }
            if !targets.is_empty() {
                primitive["targets"] = Value::Array(targets.clone());
            }
            primitives.push(primitive);
        }
        Ok(json!({ "name": mesh.name, "primitives": primitives }))
    }

    /// The place in the file of the material with a number.
    fn place(&mut self, number: u32) -> usize {
        let materials = &mut self.materials;
        *self.material_places.entry(number).or_insert_with(|| {
            materials.push(number);
            materials.len() - 1
        })
    }
}
