//! `fracas decompose`

use std::path::Path;
use std::time::Instant;

use fracas::export::body_color;
use fracas::geometry::io::{GlbMaterial, GlbMesh, GlbNode, GlbScene};
use fracas::geometry::{PolyMesh, Pose, TriMesh, io, is_fracture};
use fracas::vacd::{AutoOptions, DecomposeOptions, Part, decompose as decomposed, decompose_auto};
use serde::Serialize;

use super::view::view_pieces;
use crate::arguments::DecomposeArguments;
use crate::extras::put_mass;
use crate::failure::Failure;
use crate::output::{print, write_json};
use crate::solid::{check_glb, read_mesh, read_nodes};

#[derive(Serialize)]
struct Outcome {
    convexes: usize,
    /// The volume of all convexes over that of the mesh.
    volume_ratio: f64,
    /// The vertices of all convexes.
    hull_vertices: usize,
    milliseconds: f64,
    /// The nodes that were given.
    nodes: Vec<[f64; 3]>,
    changes: Vec<String>,
}

pub(crate) fn decompose(arguments: &DecomposeArguments, quiet: bool) -> Result<(), Failure> {
    check_glb(&arguments.out, "parts")?;
    let given = arguments.nodes.as_deref().map(read_nodes).transpose()?;
    let (mesh, changes) = read_mesh(&arguments.input, arguments.repair)?;
    let mesh = PolyMesh::from(&mesh);
    let about = |failure: Failure| failure.about(&arguments.input);
    let options = DecomposeOptions {
        fit: arguments.fit,
        check_self_intersections: arguments.self_intersections,
        ..DecomposeOptions::default()
    };
    let start = Instant::now();
    let nodes = given.unwrap_or_default();
    let parts = match arguments.auto {
        Some(count) if nodes.is_empty() => {
            decompose_auto(&mesh, count as usize, &AutoOptions { parts: options, ..AutoOptions::default() })
        }
        _ => decomposed(&mesh, &nodes, &options),
    };
    let parts = parts.map_err(Failure::input).map_err(about)?;
    let milliseconds = 1e3 * start.elapsed().as_secs_f64();
    write_parts(&arguments.out, &parts, arguments.visual, arguments.density)?;
    let volume: f64 = parts.iter().map(Part::volume).sum();
    let outcome = Outcome {
        convexes: parts.len(),
        volume_ratio: parts.iter().map(|part| part.convex().mass_properties().volume).sum::<f64>() / volume,
        hull_vertices: parts.iter().map(|part| part.convex().vertices().len()).sum(),
        milliseconds,
        nodes: nodes.iter().map(|node| node.to_array()).collect(),
        changes,
    };
    if let Some(path) = &arguments.json {
        write_json(path, &outcome)?;
    }
    if !quiet && arguments.json.as_deref() != Some(Path::new("-")) {
        print(describe(&outcome, arguments).as_bytes())?;
    }
    match arguments.look.serve(arguments.json.as_deref()) {
        Some(serve) => view_pieces(&serve, &arguments.out, |number| Some(format!("part {number}"))),
        None => Ok(()),
    }
}

fn describe(outcome: &Outcome, arguments: &DecomposeArguments) -> String {
    let mut text = String::new();
    for change in &outcome.changes {
        text.push_str(&format!("repair: {change}\n"));
    }
    let Outcome { convexes, volume_ratio, hull_vertices, milliseconds, nodes, .. } = outcome;
    let from = if nodes.is_empty() { String::new() } else { format!(" from {} nodes", nodes.len()) };
    text + &format!(
        "{}\n{convexes} convexes{from}, {hull_vertices} vertices in all\n\
         {volume_ratio:.4} times the volume of the mesh\n{milliseconds:.1} ms\n",
        arguments.out.display(),
    )
}

/// Writes one node for each part, with its own colour; faces that cuts made are darker.
fn write_parts(path: &Path, parts: &[Part], visual: bool, density: f64) -> Result<(), Failure> {
    let meshes: Vec<TriMesh> = parts
        .iter()
        .enumerate()
        .map(|(number, part)| {
            let mut mesh = if visual { part.look().to_tri_mesh() } else { part.convex().to_tri_mesh() };
            for material in mesh.materials.iter_mut().flatten() {
                *material = 2 * number as u32 + u32::from(visual && is_fracture(*material));
            }
            mesh
        })
        .collect();
    let names: Vec<String> = (0..parts.len()).map(|number| format!("part {number}")).collect();
    let node = |(number, part): (usize, &Part)| {
        let mut node = GlbNode::new(names[number].clone(), number, Pose::IDENTITY);
        let mass = part.mass_properties();
        let mut extras =
            serde_json::json!({ "centroid": mass.centroid.to_array(), "fragment_of": 0, "material": names[number] });
        put_mass(&mut extras, mass, density);
        node.extras = Some(extras);
        node
    };
    let material = |number: usize| {
        let shade = if number.is_multiple_of(2) { 1.0 } else { 0.6 };
        let [red, green, blue] = body_color(number as u64 / 2).map(|part| (255.0 * shade * part).round() as u8);
        GlbMaterial { name: names[number / 2].clone(), color: [red, green, blue, 255], ..GlbMaterial::default() }
    };
    let scene = GlbScene {
        meshes: names.iter().zip(&meshes).map(|(name, mesh)| GlbMesh::new(name, mesh)).collect(),
        nodes: parts.iter().enumerate().map(node).collect(),
        materials: (0..2 * parts.len()).map(material).collect(),
        ..GlbScene::default()
    };
    io::write_glb(path, &scene).map_err(Failure::input)
}
