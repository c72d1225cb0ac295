//! What a GLB file is made of.

use serde_json::Value;

use crate::geometry::{Pose, TriMesh};

/// What a GLB file is made of: meshes, the nodes that place them, the materials that their triangles name, and how nodes
/// move over time.
///
/// ```
/// use fracas::geometry::io::{GlbMesh, GlbNode, GlbScene, glb_to_bytes};
/// use fracas::geometry::{Pose, TriMesh};
/// use glam::DVec3;
///
/// let piece = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]);
/// let mut node = GlbNode::new("piece 0", 0, Pose::at(DVec3::new(0.0, 2.0, 0.0)));
/// node.extras = Some(serde_json::json!({ "mass": 1.5 }));
/// let meshes = vec![GlbMesh::new("shard", &piece)];
/// let scene = GlbScene { meshes, nodes: vec![node], ..GlbScene::default() };
/// assert!(glb_to_bytes(&scene, "pieces.glb")?.starts_with(b"glTF"));
/// # Ok::<(), fracas::geometry::io::WriteError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct GlbScene<'a> {
    /// The meshes.
    pub meshes: Vec<GlbMesh<'a>>,
    /// Where which mesh stands; a mesh may stand in several places.
    pub nodes: Vec<GlbNode>,
    /// What the material numbers of the meshes mean. A number beyond the list gets a plain material.
    pub materials: Vec<GlbMaterial>,
    /// How nodes change over time, as one animation.
    pub channels: Vec<GlbChannel>,
    /// A camera, and where it stands: it looks along its negative z axis.
    pub camera: Option<(GlbCamera, Pose)>,
    /// Anything more to say about the whole, a JSON object by custom.
    pub extras: Option<Value>,
}

/// A mesh and how it is seen.
#[derive(Clone, Debug)]
pub struct GlbMesh<'a> {
    /// The name that tools show.
    pub name: String,
    /// Its vertices and triangles. Several meshes of one address share their data in the file.
    pub shape: &'a TriMesh,
    /// The materials of faces outside and of those that breaks made, in place of the shape's own numbers.
    pub sides: Option<[u32; 2]>,
    /// Whether it is a cloud of the shape's vertices; then the shape need not have triangles.
    pub is_points: bool,
    /// Other forms of the shape, which nodes can blend in by weights.
    pub targets: Vec<GlbTarget>,
}

/// How another form of a mesh differs from its shape, vertex by vertex.
#[derive(Clone, Debug, Default)]
pub struct GlbTarget {
    /// What is added to the positions.
    pub positions: Vec<[f32; 3]>,
    /// What is added to the normals; none if the shape has none.
    pub normals: Option<Vec<[f32; 3]>>,
}

/// A thing in its place.
#[derive(Clone, Debug)]
pub struct GlbNode {
    /// The name that viewers show.
    pub name: String,
    /// The number of the mesh in the scene's list, if it is seen itself.
    pub mesh: Option<usize>,
    /// Where it stands, seen from the node that it belongs to.
    pub pose: Pose,
    /// How much larger it and all that belongs to it are: 1 as they are, 0 not to be seen.
    pub scale: f32,
    /// The numbers of the nodes that move along with it. They come later in the list, and belong to no other.
    pub children: Vec<usize>,
    /// Anything more to say about it, a JSON object by custom: mass, centroid, which body it broke from.
    pub extras: Option<Value>,
}

/// How a surface looks.
#[derive(Clone, Debug, PartialEq)]
pub struct GlbMaterial {
    /// The name that viewers show.
    pub name: String,
    /// Red, green, blue and opacity in sRGB.
    pub color: [u8; 4],
    /// Zero for glass, stone and wood, one for metal.
    pub metallic: f64,
    /// Zero for a mirror, one for chalk.
    pub roughness: f64,
    /// Whether its back is seen too.
    pub is_double_sided: bool,
}

/// A perspective camera.
#[derive(Clone, Copy, Debug)]
pub struct GlbCamera {
    /// The angle between the lowest and the highest ray, in degrees.
    pub vertical_field_of_view: f64,
    /// The distance of the nearest thing that it sees.
    pub near: f64,
}

/// How one property of a node changes.
#[derive(Clone, Debug)]
pub struct GlbChannel {
    /// The number of the node.
    pub node: usize,
    /// When the values hold, in seconds, rising from at least zero.
    pub times: Vec<f32>,
    /// The values at these times.
    pub values: GlbValues,
    /// Whether values hold until the next, instead of going over into it.
    pub is_stepped: bool,
}

/// The property that a channel changes, with its values.
#[derive(Clone, Debug)]
pub enum GlbValues {
    /// Where the node is.
    Translation(Vec<[f32; 3]>),
    /// How it is turned: unit quaternions x, y, z, w.
    Rotation(Vec<[f32; 4]>),
    /// How much larger it is, in all directions.
    Scale(Vec<f32>),
    /// How much of each form of its mesh is blended in: for each time as many numbers as the mesh has forms.
    Weights(Vec<f32>),
}

impl<'a> GlbMesh<'a> {
    /// A mesh as it is.
    pub fn new(name: impl Into<String>, shape: &'a TriMesh) -> GlbMesh<'a> {
        GlbMesh { name: name.into(), shape, sides: None, is_points: false, targets: Vec::new() }
    }
}

impl GlbNode {
    /// A mesh in its place, without extras.
    pub fn new(name: impl Into<String>, mesh: usize, pose: Pose) -> GlbNode {
        GlbNode { mesh: Some(mesh), pose, ..GlbNode::group(name) }
    }

    /// A node that is not seen itself.
    pub fn group(name: impl Into<String>) -> GlbNode {
        let name = name.into();
        GlbNode { name, mesh: None, pose: Pose::IDENTITY, scale: 1.0, children: Vec::new(), extras: None }
    }
}

impl Default for GlbMaterial {
    fn default() -> GlbMaterial {
        let name = String::new();
        GlbMaterial { name, color: [255; 4], metallic: 0.0, roughness: 0.8, is_double_sided: false }
    }
}
