//! glTF 2.0 and its binary form, GLB.
//!
//! All triangles of the scene become one mesh, with the transforms of the nodes applied. Primitives of a mesh that use the
//! same accessors share their vertices. Along seams of attributes the format repeats vertices; their positions stay
//! bit-identical, which is what the mesh report and the repair take for one vertex. Skins and morph targets are left at rest.

use std::path::Path;

use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3, Vec2, Vec3};

use super::attributes::{byte_of_share, fill_missing_normals, material_numbers, srgb_of_linear, unit_normal};
use super::bytes::ByteCursor;
use super::error::{Fault, Place, quoted};
use super::gltf_accessor::Source;
use super::gltf_buffers::Buffers;
use super::gltf_document::{Attributes, Document, Primitive};
use super::hash::SeededMap;
use crate::geometry::TriMesh;

/// A small file can use a mesh in many nodes; beyond these numbers it may not have more than it has bytes.
const MOST_INSTANCED_VERTICES: usize = 1 << 24;
const MOST_INSTANCED_CORNERS: usize = 1 << 26;

/// Extensions that do not change where the triangles are (or, quantization, only how they are stored).
const HARMLESS: [&str; 8] = [
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_animation_pointer",
    "KHR_mesh_quantization",
    "KHR_xmp",
    "EXT_texture_",
    "MSFT_texture_",
];

/// Reads either form as one mesh; external buffers are looked for in the folder.
pub(super) fn read(bytes: &[u8], folder: Option<&Path>) -> Result<TriMesh, Fault> {
    with_scene(bytes, folder, |source, placed| {
        let mut builder = Builder::new(source);
        for &(mesh, ref transform) in placed {
            builder.add_mesh(mesh, transform)?;
        }
        builder.finish()
    })
}

/// Reads either form as one mesh for each node that has triangles.
pub(super) fn read_nodes(bytes: &[u8], folder: Option<&Path>) -> Result<Vec<TriMesh>, Fault> {
    with_scene(bytes, folder, |source, placed| {
        let mut meshes = Vec::new();
        for &(mesh, ref transform) in placed {
            let mut builder = Builder::new(source);
            builder.add_mesh(mesh, transform)?;
            if !builder.mesh.triangles.is_empty() {
                meshes.push(builder.finish()?);
            }
        }
        if meshes.is_empty() { Err(Fault::file("the scene has no triangles")) } else { Ok(meshes) }
    })
}

/// Gives a reader the scene with its buffers, and its meshes with their places.
fn with_scene<T>(
    bytes: &[u8],
    folder: Option<&Path>,
    build: impl FnOnce(&Source<'_>, &[(usize, DAffine3)]) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let (json, chunk) = if bytes.starts_with(b"glTF") { split_glb(bytes)? } else { (bytes, None) };
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    let document: Document = serde_json::from_slice(json).map_err(|error| Fault {
        place: if chunk.is_some() { Place::File } else { Place::Line(error.line()) },
        problem: format!("is no glTF: {error}"),
    })?;
    check_version(&document)?;
    let placed = placed_meshes(&document)?;
    let buffers = Buffers::load(&document.buffers, &used_buffers(&document, &placed), chunk, folder)?;
    let source = Source { document: &document, buffers: &buffers, total_bytes: bytes.len() + buffers.total };
    check_size(&source, &placed)?;
    build(&source, &placed)
}

/// The JSON chunk and the binary chunk of a GLB.
fn split_glb(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    let mut cursor = ByteCursor::new(bytes, 4, false);
    let version = cursor.u32("the version")?;
    if version != 2 {
        return Err(Fault::byte(4, format!("is GLB version {version}, but only version 2 is read")));
    }
    let length = cursor.u32("the length of the file")? as usize;
    if length > bytes.len() {
        return Err(Fault::byte(8, format!("should have {length} bytes, but has {}; it is cut short", bytes.len())));
    }
    let mut cursor = ByteCursor::new(&bytes[..length], 12, false);
    let mut chunks = Vec::new();
    while cursor.remaining() >= 8 && chunks.len() < 2 {
        let length = cursor.u32("the length of a chunk")? as usize;
        let kind = cursor.take(4, "the type of a chunk")?;
        chunks.push((kind, cursor.take(length, "a chunk")?));
    }
    match chunks[..] {
        [(b"JSON", json)] => Ok((json, None)),
        [(b"JSON", json), (b"BIN\0", binary)] => Ok((json, Some(binary))),
        [(b"JSON", json), _] => Ok((json, None)),
        _ => Err(Fault::byte(12, "the first chunk must be `JSON`")),
    }
}

fn check_version(document: &Document) -> Result<(), Fault> {
    if !document.asset.version.starts_with("2.") {
        let version = quoted(document.asset.version.as_bytes());
        return Err(Fault::file(format!("is glTF {version}, but only 2.0 is read; convert it first")));
    }
    let unknown = |extension: &&String| !HARMLESS.iter().any(|known| extension.starts_with(known));
    match document.extensions_required.iter().find(unknown) {
        Some(extension) => Err(Fault::file(format!(
            "requires the extension {}, which is not read here; export without it (without compression, say)",
            quoted(extension.as_bytes())
        ))),
        None => Ok(()),
    }
}

/// The meshes of the scene's nodes and where they are.
fn placed_meshes(document: &Document) -> Result<Vec<(usize, DAffine3)>, Fault> {
    let roots: Vec<usize> = match document.scenes.get(document.scene.unwrap_or(0)) {
        Some(scene) => scene.nodes.clone(),
        None if document.scene.is_some() => {
            return Err(Fault::file(format!("scene {} is not defined", document.scene.unwrap_or(0))));
        }
        // Without a scene, every node that is no child is a root.
        None => {
            let mut is_child = vec![false; document.nodes.len()];
            for &child in document.nodes.iter().flat_map(|node| &node.children) {
                if let Some(is_child) = is_child.get_mut(child) {
                    *is_child = true;
                }
            }
            (0..document.nodes.len()).filter(|&node| !is_child[node]).collect()
        }
    };
    let mut seen = vec![false; document.nodes.len()];
    let mut placed = Vec::new();
    let mut stack: Vec<(usize, DAffine3)> = roots.into_iter().rev().map(|root| (root, DAffine3::IDENTITY)).collect();
    while let Some((number, parent)) = stack.pop() {
        let node =
            document.nodes.get(number).ok_or_else(|| Fault::file(format!("node {number} is used but not defined")))?;
        if std::mem::replace(&mut seen[number], true) {
            return Err(Fault::file(format!("node {number} is reached twice, but nodes must form a tree")));
        }
        let transform = parent * local_transform(node);
        if !transform.is_finite() {
            return Err(Fault::file(format!("node {number} has a transform that is not finite")));
        }
        // The format's way to say that something is not to be seen, such as a piece before it breaks off.
        if transform.matrix3 == DMat3::ZERO {
            continue;
        }
        if let Some(mesh) = node.mesh {
            placed.push((mesh, transform));
        }
        stack.extend(node.children.iter().rev().map(|&child| (child, transform)));
    }
    Ok(placed)
}

fn local_transform(node: &super::gltf_document::Node) -> DAffine3 {
    if let Some(matrix) = &node.matrix {
        return DAffine3::from_mat4(DMat4::from_cols_array(matrix));
    }
    let rotation = node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array);
    // A file's quaternion has the digits of single precision; an exact one is not to be changed by a bit.
    let rotation = if (rotation.length_squared() - 1.0).abs() < 1e-15 { rotation } else { rotation.normalize() };
    DAffine3::from_scale_rotation_translation(
        node.scale.map_or(DVec3::ONE, DVec3::from_array),
        rotation,
        node.translation.map_or(DVec3::ZERO, DVec3::from_array),
    )
}

fn used_buffers(document: &Document, placed: &[(usize, DAffine3)]) -> Vec<bool> {
    let mut mesh_used = vec![false; document.meshes.len()];
    for &(mesh, _) in placed {
        if let Some(used) = mesh_used.get_mut(mesh) {
            *used = true;
        }
    }
    let mut used = vec![false; document.buffers.len()];
    let mut mark = |view: usize| {
        let buffer = document.buffer_views.get(view).map(|view| view.buffer);
        if let Some(used) = buffer.and_then(|buffer| used.get_mut(buffer)) {
            *used = true;
        }
    };
    for mesh in document.meshes.iter().zip(&mesh_used).filter(|(_, used)| **used).map(|(mesh, _)| mesh) {
        for primitive in &mesh.primitives {
            let Attributes { position, normal, uv, color } = primitive.attributes;
            for accessor in [position, normal, uv, color, primitive.indices].into_iter().flatten() {
                let Some(accessor) = document.accessors.get(accessor) else { continue };
                accessor.buffer_view.into_iter().for_each(&mut mark);
                if let Some(sparse) = &accessor.sparse {
                    mark(sparse.indices.buffer_view);
                    mark(sparse.values.buffer_view);
                }
            }
        }
    }
    used
}

/// Refuses scenes that would fill the memory, before anything is made.
fn check_size(source: &Source<'_>, placed: &[(usize, DAffine3)]) -> Result<(), Fault> {
    let mut known: Vec<Option<(usize, usize)>> = vec![None; source.document.meshes.len()];
    let (mut vertices, mut corners) = (0_usize, 0_usize);
    for &(mesh, _) in placed {
        let undefined = || Fault::file(format!("mesh {mesh} is used but not defined"));
        let size = match *known.get(mesh).ok_or_else(undefined)? {
            Some(size) => size,
            None => *known[mesh].insert(mesh_size(source, &source.document.meshes[mesh].primitives)?),
        };
        vertices = vertices.saturating_add(size.0);
        corners = corners.saturating_add(size.1);
        if vertices > MOST_INSTANCED_VERTICES.max(source.total_bytes)
            || corners > MOST_INSTANCED_CORNERS.max(3 * source.total_bytes)
        {
            return Err(Fault::file(format!(
                "the scene's nodes repeat meshes to more than {MOST_INSTANCED_VERTICES} vertices or {} triangles",
                MOST_INSTANCED_CORNERS / 3
            )));
        }
    }
    Ok(())
}

/// The vertices and the corners of a mesh; primitives that share their vertices count them once.
fn mesh_size(source: &Source<'_>, primitives: &[Primitive]) -> Result<(usize, usize), Fault> {
    let mut seen: SeededMap<Attributes, ()> = SeededMap::default();
    let (mut vertices, mut corners) = (0_usize, 0_usize);
    for primitive in primitives.iter().filter(|primitive| has_triangles(primitive)) {
        let Some(position) = primitive.attributes.position else { continue };
        let count = source.count(position)?;
        if seen.insert(primitive.attributes, ()).is_none() {
            vertices = vertices.saturating_add(count);
        }
        let elements = primitive.indices.map_or(Ok(count), |indices| source.count(indices))?;
        let per_element = if primitive.mode.unwrap_or(4) == 4 { 1 } else { 3 };
        // Even an empty primitive takes time in each node.
        corners = corners.saturating_add(per_element * elements + 16);
    }
    Ok((vertices, corners))
}

fn has_triangles(primitive: &Primitive) -> bool {
    matches!(primitive.mode.unwrap_or(4), 4..=6)
}

struct Builder<'a> {
    source: &'a Source<'a>,
    mesh: TriMesh,
    material_of: Vec<u32>,
    uses_materials: bool,
}

impl<'a> Builder<'a> {
    fn new(source: &'a Source<'a>) -> Builder<'a> {
        let names = source.document.materials.iter().map(|material| material.name.as_deref().unwrap_or("").as_bytes());
        Builder { source, mesh: TriMesh::default(), material_of: material_numbers(names), uses_materials: false }
    }

    fn add_mesh(&mut self, number: usize, transform: &DAffine3) -> Result<(), Fault> {
        let source = self.source;
        let mesh = source
            .document
            .meshes
            .get(number)
            .ok_or_else(|| Fault::file(format!("mesh {number} is used but not defined")))?;
        let mut bases: SeededMap<Attributes, (usize, usize)> = SeededMap::default();
        for (at, primitive) in mesh.primitives.iter().enumerate().filter(|(_, primitive)| has_triangles(primitive)) {
            let name = |fault: Fault| Fault {
                problem: format!("primitive {at} of mesh {number}: {}", fault.problem),
                ..fault
            };
            let (base, count) = match bases.get(&primitive.attributes) {
                Some(&known) => known,
                None => {
                    let added = self.add_vertices(&primitive.attributes, transform).map_err(name)?;
                    bases.insert(primitive.attributes, added);
                    added
                }
            };
            self.add_triangles(primitive, base, count, transform).map_err(name)?;
        }
        Ok(())
    }

    fn add_vertices(&mut self, attributes: &Attributes, transform: &DAffine3) -> Result<(usize, usize), Fault> {
        let position = attributes.position.ok_or_else(|| Fault::file("there is no attribute POSITION"))?;
        let base = self.mesh.positions.len();
        let identity = *transform == DAffine3::IDENTITY;
        for (vertex, point) in self.source.values(position, 3)?.as_chunks::<3>().0.iter().enumerate() {
            let point = DVec3::from_array(*point);
            let placed = if identity { point } else { transform.transform_point3(point) };
            if !placed.is_finite() {
                return Err(Fault::file(format!(
                    "vertex {vertex} (accessor {position}) has a coordinate that is not finite: {point}"
                )));
            }
            self.mesh.positions.push(placed);
        }
        let total = self.mesh.positions.len();
        if total > u32::MAX as usize {
            return Err(Fault::file(format!("the scene has {total} vertices, which are too many to number")));
        }
        let count = total - base;
        let same_count = |accessor: usize, found: usize| {
            if found == count { Ok(()) } else { Err(uneven(accessor, found, count)) }
        };
        if let Some(accessor) = attributes.normal {
            let values = self.source.values(accessor, 3)?;
            same_count(accessor, values.len() / 3)?;
            let map = normal_map(transform);
            let normals = self.mesh.normals.get_or_insert_default();
            normals.resize(base, Vec3::ZERO);
            normals.extend(values.as_chunks::<3>().0.iter().map(|&normal| {
                let normal = DVec3::from_array(normal);
                unit_normal(if identity { normal } else { (map * normal).normalize_or_zero() }.as_vec3())
            }));
        }
        if let Some(accessor) = attributes.uv {
            let values = self.source.values(accessor, 2)?;
            same_count(accessor, values.len() / 2)?;
            let uvs = self.mesh.uvs.get_or_insert_default();
            uvs.resize(base, Vec2::ZERO);
            uvs.extend(values.as_chunks::<2>().0.iter().map(|&[u, v]| {
                let uv = Vec2::new(u as f32, v as f32);
                if uv.is_finite() { uv } else { Vec2::ZERO }
            }));
        }
        if let Some(accessor) = attributes.color {
            let width = self.source.width(accessor)?.max(3);
            let values = self.source.values(accessor, width)?;
            same_count(accessor, values.len() / width)?;
            let colors = self.mesh.colors.get_or_insert_default();
            colors.resize(base, [255; 4]);
            colors.extend(values.chunks_exact(width).map(|color| {
                let alpha = color.get(3).map_or(255, |&alpha| byte_of_share(alpha));
                [srgb_of_linear(color[0]), srgb_of_linear(color[1]), srgb_of_linear(color[2]), alpha]
            }));
        }
        // Vertices without an attribute that others have get its neutral value; normals are made at the end.
        if let Some(normals) = &mut self.mesh.normals {
            normals.resize(total, Vec3::ZERO);
        }
        if let Some(uvs) = &mut self.mesh.uvs {
            uvs.resize(total, Vec2::ZERO);
        }
        if let Some(colors) = &mut self.mesh.colors {
            colors.resize(total, [255; 4]);
        }
        Ok((base, count))
    }

    fn add_triangles(
        &mut self,
        primitive: &Primitive,
        base: usize,
        count: usize,
        transform: &DAffine3,
    ) -> Result<(), Fault> {
        let indices = match primitive.indices {
            Some(accessor) => self.source.indices(accessor)?,
            None => (0..count as u32).collect(),
        };
        if let Some((place, vertex)) = indices.iter().enumerate().find(|(_, vertex)| **vertex as usize >= count) {
            return Err(Fault::file(format!("index {place} names vertex {vertex}, but there are {count}")));
        }
        let mirrored = transform.matrix3.determinant() < 0.0;
        let triangles = &mut self.mesh.triangles;
        let mut push = |[a, b, c]: [u32; 3]| {
            let triangle = if mirrored { [a, c, b] } else { [a, b, c] };
            triangles.push(triangle.map(|vertex| vertex + base as u32));
        };
        match primitive.mode.unwrap_or(4) {
            5 => indices.windows(3).enumerate().for_each(|(step, window)| {
                let turn = step % 2;
                push([window[0], window[1 + turn], window[2 - turn]]);
            }),
            6 => indices.get(1..).unwrap_or_default().windows(2).for_each(|pair| push([indices[0], pair[0], pair[1]])),
            _ => indices.as_chunks::<3>().0.iter().for_each(|&triangle| push(triangle)),
        }
        let material = match primitive.material {
            Some(material) => {
                self.uses_materials = true;
                let undefined = || Fault::file(format!("material {material} is used but not defined"));
                *self.material_of.get(material).ok_or_else(undefined)?
            }
            // One past all others: the default material is none of them.
            None => self.material_of.iter().max().map_or(0, |largest| largest.saturating_add(1)),
        };
        let total = self.mesh.triangles.len();
        self.mesh.materials.get_or_insert_default().resize(total, material);
        Ok(())
    }

    fn finish(self) -> Result<TriMesh, Fault> {
        let mut mesh = self.mesh;
        if mesh.triangles.is_empty() {
            return Err(Fault::file("the scene has no triangles"));
        }
        if !self.uses_materials {
            mesh.materials = None;
        }
        fill_missing_normals(&mut mesh);
        Ok(mesh)
    }
}

fn uneven(accessor: usize, found: usize, expected: usize) -> Fault {
    Fault::file(format!("accessor {accessor} has {found} elements, but there are {expected} positions"))
}

/// Normals go with the inverse transpose; the cofactor matrix is that without the division.
fn normal_map(transform: &DAffine3) -> glam::DMat3 {
    let glam::DMat3 { x_axis: x, y_axis: y, z_axis: z } = transform.matrix3;
    glam::DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y)) * transform.matrix3.determinant().signum()
}
