//! Writing GLB: scenes of named meshes in single precision, as other programs load them.

use serde_json::{Value, json};

use super::attributes::{linear_of_srgb, material_name};
use super::glb_animation::animation_json;
use super::glb_parts::Parts;
use super::glb_scene::{GlbCamera, GlbMaterial, GlbMesh, GlbNode, GlbScene};
use crate::geometry::{Pose, TriMesh};

/// The bytes of a GLB file, or what is in the way.
pub(super) fn glb_bytes(scene: &GlbScene<'_>) -> Result<Vec<u8>, String> {
    let mut parts = Parts::default();
    let mut meshes = Vec::with_capacity(scene.meshes.len());
    for mesh in &scene.meshes {
        check_mesh(mesh).and_then(|()| parts.push_mesh(mesh)).map(|mesh| meshes.push(mesh)).map_err(|problem| {
            if scene.meshes.len() > 1 { format!("mesh `{}`: {problem}", mesh.name) } else { problem }
        })?;
    }
    check_tree(scene)?;
    let mut nodes: Vec<Value> = scene.nodes.iter().map(node_json).collect::<Result<_, _>>()?;
    let mut is_child = vec![false; nodes.len()];
    scene.nodes.iter().flat_map(|node| &node.children).for_each(|&child| is_child[child] = true);
    let animation = animation_json(scene, &mut parts)?;
    let materials: Vec<Value> = parts.materials.iter().map(|&number| material_json(scene, number)).collect();
    let mut cameras = Vec::new();
    if let Some((camera, pose)) = &scene.camera {
        cameras.push(camera_json(camera));
        let mut node = node_json(&GlbNode { pose: *pose, ..GlbNode::group("camera") })?;
        node["camera"] = 0.into();
        nodes.push(node);
        is_child.push(false);
    }
    let mut document = json!({
        "asset": { "version": "2.0", "generator": concat!("fracas ", env!("CARGO_PKG_VERSION")) },
    });
    if !nodes.is_empty() {
        let roots: Vec<usize> = (0..nodes.len()).filter(|&node| !is_child[node]).collect();
        document["scene"] = 0.into();
        document["scenes"] = json!([{ "nodes": roots }]);
        if let Some(extras) = &scene.extras {
            document["scenes"][0]["extras"] = extras.clone();
        }
    }
    // The format allows no empty arrays.
    let mut lists = vec![("nodes", nodes), ("meshes", meshes), ("materials", materials), ("cameras", cameras)];
    lists.push(("animations", animation.into_iter().collect()));
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

fn check_mesh(mesh: &GlbMesh<'_>) -> Result<(), String> {
    match mesh.is_points {
        true if mesh.shape.positions.is_empty() => Err("there are no points in it".to_owned()),
        true => mesh.shape.check().map_err(|error| error.to_string()),
        false => super::check_writable(mesh.shape),
    }
}

/// Every node has a mesh that is there, and belongs to at most one other, which comes before it.
fn check_tree(scene: &GlbScene<'_>) -> Result<(), String> {
    let mut belongs = vec![false; scene.nodes.len()];
    for (number, node) in scene.nodes.iter().enumerate() {
        if let Some(mesh) = node.mesh.filter(|&mesh| mesh >= scene.meshes.len()) {
            return Err(format!("node `{}` names mesh {mesh}, but there are {}", node.name, scene.meshes.len()));
        }
        for &child in &node.children {
            if child <= number || child >= belongs.len() || std::mem::replace(&mut belongs[child], true) {
                let name = &node.name;
                return Err(format!("node {child} cannot belong to node `{name}`: it has to come after it, and once"));
            }
        }
    }
    Ok(())
}

fn node_json(node: &GlbNode) -> Result<Value, String> {
    let mut value = json!({ "name": node.name });
    let Pose { rotation, translation } = node.pose;
    if !rotation.is_finite() || !translation.is_finite() || !node.scale.is_finite() {
        return Err(format!("node `{}` has a pose that is not finite", node.name));
    }
    if let Some(mesh) = node.mesh {
        value["mesh"] = mesh.into();
    }
    if translation != glam::DVec3::ZERO {
        value["translation"] = json!(translation.to_array());
    }
    if rotation != glam::DQuat::IDENTITY {
        value["rotation"] = json!(rotation.normalize().to_array());
    }
    if node.scale != 1.0 {
        value["scale"] = vec![node.scale; 3].into();
    }
    if !node.children.is_empty() {
        value["children"] = json!(node.children);
    }
    if let Some(extras) = &node.extras {
        value["extras"] = extras.clone();
    }
    Ok(value)
}

fn camera_json(camera: &GlbCamera) -> Value {
    let angle = camera.vertical_field_of_view.clamp(1e-3, 179.0).to_radians();
    json!({ "name": "camera", "type": "perspective", "perspective": { "yfov": angle, "znear": camera.near.max(1e-6) } })
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
    if material.is_double_sided {
        value["doubleSided"] = true.into();
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
        meshes: vec![GlbMesh::new("mesh", mesh)],
        nodes: vec![GlbNode::new("mesh", 0, Pose::IDENTITY)],
        ..GlbScene::default()
    })
}
