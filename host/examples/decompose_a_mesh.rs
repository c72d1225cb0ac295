//! Divides a solid into convexes and writes them, one node each: `decompose_a_mesh dragon.ply 32 convexes.glb`.

use fracas::geometry::io::{self, GlbMesh, GlbNode, GlbScene};
use fracas::geometry::{PolyMesh, Pose, TriMesh};
use fracas::vacd::{AutoOptions, Part, decompose_auto};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, count, output] = arguments.as_slice() else {
        return Err("usage: decompose_a_mesh INPUT COUNT OUTPUT.glb".into());
    };
    let mesh = PolyMesh::from(&io::read_tri_mesh(input)?);
    let parts = decompose_auto(&mesh, count.parse()?, &AutoOptions::default())?;

    let volume = |part: &Part| part.convex().mass_properties().volume;
    let ratio = parts.iter().map(volume).sum::<f64>() / mesh.mass_properties().volume;
    println!("{} convexes, {ratio:.3} times the volume of the mesh", parts.len());

    let convexes: Vec<TriMesh> = parts.iter().map(|part| part.convex().to_tri_mesh()).collect();
    let scene = GlbScene {
        meshes: convexes.iter().map(|convex| GlbMesh::new("convex", convex)).collect(),
        nodes: (0..parts.len()).map(|part| GlbNode::new(format!("part {part}"), part, Pose::IDENTITY)).collect(),
        ..GlbScene::default()
    };
    io::write_glb(output, &scene)?;
    Ok(())
}
