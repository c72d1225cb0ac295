//! Pieces as a GLB file: one node each, named; breaks have a material of their own.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use fracas::export::{PieceMesh, body_color};
use fracas::geometry::io::{self, GlbMaterial, GlbMesh, GlbNode, GlbScene};
use fracas::geometry::{Pose, TriMesh, is_fracture};
use serde_json::Value;

use crate::extras::put_mass;
use crate::failure::Failure;

/// What is written.
pub(crate) struct Looks<'a> {
    pub(crate) names: Vec<String>,
    pub(crate) meshes: Vec<PieceMesh>,
    /// What to say about each piece, besides its mass and its material.
    pub(crate) extras: Vec<Value>,
    /// kg/m³.
    pub(crate) density: f64,
    /// The mesh that was broken.
    pub(crate) original: &'a TriMesh,
}

/// The material numbers of a mesh, in rising order; of one without there is one.
pub(crate) fn material_numbers(mesh: &TriMesh) -> Vec<u32> {
    let mut numbers = mesh.materials.clone().unwrap_or_else(|| vec![0]);
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Writes the pieces. What the mesh has of materials and colours stays; else each piece gets a colour, and its breaks a
/// darker one.
pub(crate) fn write_pieces(path: &Path, looks: Looks<'_>) -> Result<(), Failure> {
    let Looks { names, meshes, mut extras, density, original } = looks;
    let is_plain = original.colors.is_none() && original.materials.is_none();
    let numbers = material_numbers(original);
    let break_number = numbers.len() as u32;
    extras.iter_mut().zip(&meshes).for_each(|(extras, piece)| put_mass(extras, &piece.mass, density));
    let mut meshes: Vec<TriMesh> = meshes.into_iter().map(|piece| piece.mesh).collect();
    for (piece, mesh) in meshes.iter_mut().enumerate() {
        for material in mesh.materials.iter_mut().flatten() {
            *material = match is_fracture(*material) {
                is_break if is_plain => 2 * piece as u32 + u32::from(is_break),
                true => break_number,
                false => *material,
            };
        }
    }
    let materials = if is_plain {
        names.iter().zip(0..).flat_map(|(name, piece)| [colored(name, piece, 1.0), colored(name, piece, 0.6)]).collect()
    } else {
        original_materials(&numbers, original.colors.is_some())
    };
    for (extras, mesh) in extras.iter_mut().zip(&meshes) {
        let number = main_material(mesh, |number| if is_plain { number % 2 == 1 } else { number == break_number });
        extras["material"] = materials.get(number as usize).map(|material| material.name.as_str()).into();
    }
    let nodes = names.iter().zip(extras).enumerate().map(|(number, (name, extras))| {
        let mut node = GlbNode::new(name.clone(), number, Pose::IDENTITY);
        node.extras = Some(extras);
        node
    });
    let meshes = names.iter().zip(&meshes).map(|(name, mesh)| GlbMesh::new(name, mesh)).collect();
    let scene = GlbScene { nodes: nodes.collect(), meshes, materials, ..GlbScene::default() };
    io::write_glb(path, &scene).map_err(Failure::input)
}

/// The material of most triangles that are no break, or of most if there are none.
fn main_material(mesh: &TriMesh, is_break: impl Fn(u32) -> bool) -> u32 {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    mesh.materials.iter().flatten().for_each(|&number| *counts.entry(number).or_default() += 1);
    let most = counts.iter().max_by_key(|&(&number, &count)| (!is_break(number), count, Reverse(number)));
    most.map_or(0, |(&number, _)| number)
}

/// The colour of a piece, or of its breaks.
fn colored(name: &str, piece: u64, shade: f32) -> GlbMaterial {
    let [red, green, blue] = body_color(piece).map(|part| (255.0 * shade * part).round() as u8);
    let name = if shade < 1.0 { format!("{name} break") } else { name.to_owned() };
    GlbMaterial { name, color: [red, green, blue, 255], ..GlbMaterial::default() }
}

/// The materials that the mesh had, by number, and one for breaks.
fn original_materials(numbers: &[u32], has_colors: bool) -> Vec<GlbMaterial> {
    let color = |number: u32| match has_colors {
        true => [255; 4],
        false => {
            let [red, green, blue] = body_color(u64::from(number)).map(|part| (255.0 * part).round() as u8);
            [red, green, blue, 255]
        }
    };
    let known = numbers.iter().map(|&number| GlbMaterial {
        name: format!("material_{number}"),
        color: color(number),
        ..GlbMaterial::default()
    });
    let of_break = GlbMaterial { name: "break".to_owned(), color: [150, 145, 140, 255], ..GlbMaterial::default() };
    known.chain([of_break]).collect()
}
