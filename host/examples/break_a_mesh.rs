//! Breaks a solid and writes the pieces, one node each: `break_a_mesh pieces.glb dragon.ply`, or a rabbit without a mesh.

use fracas::export::piece_mesh;
use fracas::geometry::io::{self, GlbMesh, GlbNode, GlbScene};
use fracas::geometry::{PolyMesh, Pose, TriMesh, shapes};
use fracas::pattern::VoronoiPattern;
use fracas::vacd::{AutoOptions, Compound, CompoundOptions, FractureOptions, decompose_auto};
use glam::DQuat;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let output = arguments.next().ok_or("usage: break_a_mesh OUTPUT.glb [MESH]")?;
    let mesh = match arguments.next() {
        Some(input) => io::read_tri_mesh(input)?,
        None => shapes::figure(shapes::Figure::Rabbit, 8_000)?,
    };

    // Once for each model: the convexes that it is made of.
    let solid = PolyMesh::from(&mesh);
    let parts = decompose_auto(&solid, 8, &AutoOptions::default())?;
    let mut body = Compound::new(parts, &CompoundOptions::default())?;

    // For each blow: the pattern at the impact, and what it does to the body, which itself is then the rest.
    let (impact, extent) = (mesh.aabb().center(), mesh.aabb().diagonal());
    let pattern = VoronoiPattern { cells: 60, extent, ..VoronoiPattern::default() }.pattern()?;
    let fractured = body.fracture(&pattern.at(impact, DQuat::IDENTITY), &FractureOptions::default())?;
    println!("{} pieces in {:.2?}", fractured.pieces.len(), fractured.times.total());

    let pieces: Vec<TriMesh> = fractured.pieces.iter().map(|piece| piece_mesh(piece, None).mesh).collect();
    let node = |piece: usize| GlbNode::new(format!("piece_{piece}"), piece, Pose::IDENTITY);
    let nodes = (0..pieces.len()).map(node).collect();
    let meshes = pieces.iter().map(|mesh| GlbMesh::new("piece", mesh)).collect();
    io::write_glb(output, &GlbScene { meshes, nodes, ..GlbScene::default() })?;
    Ok(())
}
