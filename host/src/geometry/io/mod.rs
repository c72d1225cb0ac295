//! Readers and writers of mesh files.
//!
//! | format | read | written | notes |
//! |---|---|---|---|
//! | OBJ | yes | yes | polygons of any size, negative numbers, `usemtl`, vertex colours, UTF-16 |
//! | PLY | yes | yes | ASCII and both binary orders, any properties; positions are written in double precision |
//! | STL | yes | binary | equal corners become one vertex |
//! | OFF | yes | yes | with the prefixes ST, C and N |
//! | glTF, GLB | yes | GLB | the whole scene as one mesh; [`write_glb`] writes scenes of named nodes, which may move |
//! | MSH, TetGen, VTK | yes | no | tetrahedra: Gmsh 4.1 and 2.2, `.node` with `.ele`, legacy unstructured grids |
//!
//! # Vertex and face numbers
//! Vertices come in the order of the file, unused ones included, and triangles in the order of its faces, so that numbers
//! are those of the file (OBJ counts from one, so less one there). A face of n corners becomes n - 2 triangles in its
//! place. Where an OBJ file gives a vertex several normals or texture coordinates, copies of it follow after all others;
//! glTF files hold such copies themselves. The copies have bit-identical positions, so a mesh that is watertight in the
//! file is so for everything that takes equal positions for one vertex, as the mesh report and the repair do. STL numbers
//! no vertices: they are numbered as they come up.
//!
//! # Attributes
//! Normals are made unit length; one that cannot be is zero, and a texture coordinate that is not finite is zero: neither
//! touches the geometry. Coordinates that are not finite are errors. Materials are numbered in the order in which an OBJ
//! file uses them, or as a glTF file lists them; where all names are `material_<number>`, as the writers here name them,
//! that number is used.
//!
//! # Hostile files
//! Every reader returns for every input, without panics, and takes memory in proportion to the size of the file, whatever
//! its header claims. The fuzz targets in `fuzz/` hold it to that.

mod attributes;
mod bytes;
mod error;
mod glb_animation;
mod glb_parts;
mod glb_scene;
mod glb_write;
mod gltf_accessor;
mod gltf_buffers;
mod gltf_document;
mod gltf_read;
mod hash;
mod msh;
mod number;
mod obj_parse;
mod obj_read;
mod obj_write;
mod off;
mod ply_header;
mod ply_read;
mod ply_rows;
mod ply_write;
mod polygon;
mod stl;
mod tet_builder;
mod tetgen;
mod text;
mod vtk;
mod weld;

use std::path::Path;

pub use error::{Place, ReadError, WriteError};
pub use glb_scene::{GlbCamera, GlbChannel, GlbMaterial, GlbMesh, GlbNode, GlbScene, GlbTarget, GlbValues};
pub(crate) use obj_write::{ObjObject, write_objects as write_obj_objects};

use super::{TetMesh, TriMesh};
use crate::whole_file;
use error::{Fault, shown};

const TRI_EXTENSIONS: &str = "known are .obj, .ply, .stl, .off, .gltf and .glb";
const WRITABLE_EXTENSIONS: &str = "known are .obj, .ply, .stl, .off and .glb";
const TET_EXTENSIONS: &str = "known are .msh (Gmsh), .node with .ele (TetGen) and .vtk";

/// A format of triangle meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriFormat {
    /// Wavefront OBJ.
    Obj,
    /// The Stanford polygon format.
    Ply,
    /// Stereolithography.
    Stl,
    /// Geomview's object file format.
    Off,
    /// glTF 2.0, as JSON or as GLB.
    Gltf,
}

/// A format of tetrahedral meshes that is one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TetFormat {
    /// Gmsh.
    Msh,
    /// Legacy VTK.
    Vtk,
}

/// How to write, where a format leaves a choice.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// PLY as text.
    pub ascii: bool,
}

/// Reads a triangle mesh, in the format that the extension names.
///
/// # Errors
/// The file cannot be read, its extension is not known, or its content is not a mesh with at least one triangle; the
/// message names the file, the place in it and what is wrong there.
///
/// ```
/// use fracas::geometry::io::{read_tri_mesh, write_tri_mesh};
/// use fracas::geometry::TriMesh;
/// use glam::DVec3;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("shard.obj");
/// let shard = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]);
/// write_tri_mesh(&path, &shard)?;
/// assert_eq!(read_tri_mesh(&path)?, shard);
///
/// std::fs::write(&path, "v 0 0 0\nv 1 0 0\nf 1 2 3\n")?;
/// let error = read_tri_mesh(&path).unwrap_err().to_string();
/// assert!(error.ends_with("shard.obj, line 3: face names vertex 3, but only 2 are defined before the end of the file"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_tri_mesh(path: impl AsRef<Path>) -> Result<TriMesh, ReadError> {
    let path = path.as_ref();
    let format = tri_format(path)?;
    let bytes = whole_file::read(path)?;
    parse_tri_mesh(format, &bytes, folder_of(path)).map_err(|fault| fault.named(&shown(path)))
}

/// Reads the positions and the triangles of a mesh and nothing else: vertices are those of the file, also where an OBJ file
/// gives one of them several normals or texture coordinates, of which [`read_tri_mesh`] makes copies.
///
/// # Errors
/// As [`read_tri_mesh`].
pub fn read_shape(path: impl AsRef<Path>) -> Result<TriMesh, ReadError> {
    let path = path.as_ref();
    let format = tri_format(path)?;
    let bytes = whole_file::read(path)?;
    let mesh = match format {
        TriFormat::Obj if !bytes.is_empty() => obj_read::read_shape(&bytes).and_then(checked),
        _ => parse_tri_mesh(format, &bytes, folder_of(path)),
    };
    let shape = |mesh: TriMesh| TriMesh::new(mesh.positions, mesh.triangles);
    mesh.map(shape).map_err(|fault| fault.named(&shown(path)))
}

/// Reads triangle meshes: one for each node of a glTF scene, so that pieces stay apart; one for a file of another format.
///
/// # Errors
/// As [`read_tri_mesh`].
pub fn read_tri_meshes(path: impl AsRef<Path>) -> Result<Vec<TriMesh>, ReadError> {
    let path = path.as_ref();
    if tri_format(path)? != TriFormat::Gltf {
        return Ok(vec![read_tri_mesh(path)?]);
    }
    let bytes = whole_file::read(path)?;
    let meshes = if bytes.is_empty() {
        Err(Fault::file("the file is empty"))
    } else {
        gltf_read::read_nodes(&bytes, folder_of(path))
    };
    let check = |meshes: Vec<TriMesh>| match meshes.iter().try_for_each(TriMesh::check) {
        Ok(()) => Ok(meshes),
        Err(error) => Err(Fault::file(error.to_string())),
    };
    meshes.and_then(check).map_err(|fault| fault.named(&shown(path)))
}

fn tri_format(path: &Path) -> Result<TriFormat, ReadError> {
    match extension(path).as_str() {
        "obj" => Ok(TriFormat::Obj),
        "ply" => Ok(TriFormat::Ply),
        "stl" => Ok(TriFormat::Stl),
        "off" | "coff" | "noff" | "stoff" => Ok(TriFormat::Off),
        "gltf" | "glb" => Ok(TriFormat::Gltf),
        _ => Err(unknown_extension(path, TRI_EXTENSIONS)),
    }
}

fn folder_of(path: &Path) -> Option<&Path> {
    path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

/// Reads a triangle mesh from memory; the name is for messages. A glTF document cannot refer to other files there.
///
/// # Errors
/// As [`read_tri_mesh`].
///
/// ```
/// use fracas::geometry::io::{TriFormat, read_tri_mesh_bytes};
///
/// let mesh = read_tri_mesh_bytes(TriFormat::Off, b"OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "inline")?;
/// assert_eq!(mesh.triangles, [[0, 1, 2]]);
/// # Ok::<(), fracas::geometry::io::ReadError>(())
/// ```
pub fn read_tri_mesh_bytes(format: TriFormat, bytes: &[u8], name: &str) -> Result<TriMesh, ReadError> {
    parse_tri_mesh(format, bytes, None).map_err(|fault| fault.named(name))
}

fn parse_tri_mesh(format: TriFormat, bytes: &[u8], folder: Option<&Path>) -> Result<TriMesh, Fault> {
    if bytes.is_empty() {
        return Err(Fault::file("the file is empty"));
    }
    let mesh = match format {
        TriFormat::Obj => obj_read::read(bytes),
        TriFormat::Ply => ply_read::read(bytes),
        TriFormat::Stl => stl::read(bytes),
        TriFormat::Off => off::read(bytes),
        TriFormat::Gltf => gltf_read::read(bytes, folder),
    };
    mesh.and_then(checked)
}

fn checked(mesh: TriMesh) -> Result<TriMesh, Fault> {
    match mesh.check() {
        Ok(()) => Ok(mesh),
        Err(error) => Err(Fault::file(error.to_string())),
    }
}

/// Whether the extension of a file names a format of tetrahedral meshes.
pub fn is_tet_mesh(path: impl AsRef<Path>) -> bool {
    matches!(extension(path.as_ref()).as_str(), "msh" | "vtk" | "node" | "ele")
}

/// Reads a tetrahedral mesh, in the format that the extension names. Either file of TetGen's pair may be named; the other
/// is looked for beside it. Tetrahedra that are inside out are turned.
///
/// # Errors
/// As [`read_tri_mesh`]; at least one tetrahedron with four nodes is needed.
pub fn read_tet_mesh(path: impl AsRef<Path>) -> Result<TetMesh, ReadError> {
    let path = path.as_ref();
    let format = match extension(path).as_str() {
        "msh" => TetFormat::Msh,
        "vtk" => TetFormat::Vtk,
        own @ ("node" | "ele") => {
            let upper = path.extension().is_some_and(|extension| extension.to_string_lossy() == own.to_uppercase());
            let partner = |name: &str| path.with_extension(if upper { name.to_uppercase() } else { name.to_owned() });
            let (node, ele) = match own {
                "node" => (path.to_owned(), partner("ele")),
                _ => (partner("node"), path.to_owned()),
            };
            let bytes = [whole_file::read(&node)?, whole_file::read(&ele)?];
            return read_tetgen_bytes(&bytes[0], &bytes[1], [&shown(&node), &shown(&ele)]);
        }
        _ => return Err(unknown_extension(path, TET_EXTENSIONS)),
    };
    read_tet_mesh_bytes(format, &whole_file::read(path)?, &shown(path))
}

/// Reads a tetrahedral mesh from memory; the name is for messages.
///
/// # Errors
/// As [`read_tet_mesh`].
pub fn read_tet_mesh_bytes(format: TetFormat, bytes: &[u8], name: &str) -> Result<TetMesh, ReadError> {
    let mesh = match format {
        TetFormat::Msh => msh::read(bytes),
        TetFormat::Vtk => vtk::read(bytes),
    };
    mesh.map_err(|fault| fault.named(name))
}

/// Reads TetGen's pair of files from memory; the names are for messages.
///
/// # Errors
/// As [`read_tet_mesh`].
pub fn read_tetgen_bytes(node: &[u8], ele: &[u8], names: [&str; 2]) -> Result<TetMesh, ReadError> {
    tetgen::read(node, ele).map_err(|(in_ele, fault)| fault.named(names[usize::from(in_ele)]))
}

/// Writes a triangle mesh, in the format that the extension names. The file appears when it is complete.
///
/// OBJ, OFF and PLY keep positions to the last bit; STL and GLB hold single precision. What a format has no place for is
/// left out: materials in OFF, and all attributes in STL.
///
/// # Errors
/// The extension is not known, the mesh is empty, fails its check or does not fit the format, or the file cannot be
/// written.
pub fn write_tri_mesh(path: impl AsRef<Path>, mesh: &TriMesh) -> Result<(), WriteError> {
    write_tri_mesh_with(path, mesh, &WriteOptions::default())
}

/// Writes a triangle mesh, with choices.
///
/// # Errors
/// As [`write_tri_mesh`].
pub fn write_tri_mesh_with(path: impl AsRef<Path>, mesh: &TriMesh, options: &WriteOptions) -> Result<(), WriteError> {
    let path = path.as_ref();
    let format = match extension(path).as_str() {
        "obj" => TriFormat::Obj,
        "ply" => TriFormat::Ply,
        "stl" => TriFormat::Stl,
        "off" => TriFormat::Off,
        "glb" => TriFormat::Gltf,
        extension => {
            return Err(WriteError::UnknownExtension {
                file: shown(path),
                extension: extension.to_owned(),
                known: WRITABLE_EXTENSIONS,
            });
        }
    };
    Ok(whole_file::write(path, &tri_mesh_to_bytes(format, mesh, options, &shown(path))?)?)
}

/// The bytes of a mesh file; the name is for messages. glTF comes as GLB.
///
/// # Errors
/// As [`write_tri_mesh`].
pub fn tri_mesh_to_bytes(
    format: TriFormat,
    mesh: &TriMesh,
    options: &WriteOptions,
    name: &str,
) -> Result<Vec<u8>, WriteError> {
    let bytes = check_writable(mesh).and_then(|()| match format {
        TriFormat::Obj => Ok(obj_write::write(mesh)),
        TriFormat::Ply => Ok(ply_write::write(mesh, options)),
        TriFormat::Stl => stl::write(mesh),
        TriFormat::Off => Ok(off::write(mesh)),
        TriFormat::Gltf => glb_write::write(mesh),
    });
    bytes.map_err(|problem| WriteError::Content { file: name.to_owned(), problem })
}

/// The bytes of a binary PLY file, also of a mesh without anything.
pub(crate) fn ply_to_bytes(mesh: &TriMesh) -> Vec<u8> {
    ply_write::write(mesh, &WriteOptions::default())
}

/// Writes a scene of named meshes as a GLB file. The file appears when it is complete.
///
/// # Errors
/// As [`glb_to_bytes`], or the file cannot be written.
pub fn write_glb(path: impl AsRef<Path>, scene: &GlbScene<'_>) -> Result<(), WriteError> {
    let path = path.as_ref();
    Ok(whole_file::write(path, &glb_to_bytes(scene, &shown(path))?)?)
}

/// The bytes of a GLB file; the name is for messages.
///
/// # Errors
/// A mesh is empty or does not pass its check, a coordinate is out of the range of single precision, a node names a mesh
/// that is not there, nodes do not form trees, a channel's times do not rise, or the file would be larger than the 4 GB
/// that the format can count.
pub fn glb_to_bytes(scene: &GlbScene<'_>, name: &str) -> Result<Vec<u8>, WriteError> {
    glb_write::glb_bytes(scene).map_err(|problem| WriteError::Content { file: name.to_owned(), problem })
}

/// What is written can be read again: the lists fit together, and there is something to read.
fn check_writable(mesh: &TriMesh) -> Result<(), String> {
    if mesh.triangles.is_empty() {
        return Err("the mesh has no triangles, so there is nothing to write".to_owned());
    }
    mesh.check().map_err(|error| error.to_string())
}

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn unknown_extension(path: &Path, known: &'static str) -> ReadError {
    ReadError::UnknownExtension { file: shown(path), extension: extension(path), known }
}
