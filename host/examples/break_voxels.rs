//! Breaks a mesh as voxels and writes the pieces, one node each: `break_voxels pieces.glb dragon.ply`, or a rabbit.

use fracas::geometry::io::{self, GlbMesh, GlbNode, GlbScene};
use fracas::geometry::{Pose, TriMesh, shapes};
use fracas::pattern::SpherePattern;
use fracas::svo::{FractureOptions, Seeds, VoxeliseOptions, smooth_surface, voxelise};
use glam::DVec3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let output = arguments.next().ok_or("usage: break_voxels OUTPUT.glb [MESH]")?;
    let mesh = match arguments.next() {
        Some(input) => io::read_tri_mesh(input)?,
        None => shapes::figure(shapes::Figure::Rabbit, 8_000)?,
    };

    // Once for each model: its octree. The surface may be open; holes are closed.
    let (lattice, tree) = voxelise(&mesh, &VoxeliseOptions { level: 7, ..VoxeliseOptions::default() })?;

    // For each blow: seeds on spheres around the impact, and the octrees of the pieces.
    let (top, extent) = (mesh.aabb().max.with_z(mesh.aabb().center().z), mesh.aabb().diagonal());
    let pattern = SpherePattern { cells: 40, radius: 0.5 * extent, extent, ..SpherePattern::default() };
    let seeds: Vec<DVec3> = pattern.seeds()?.into_iter().map(|seed| top + seed).collect();
    let fractured = tree.fracture(&Seeds::new(&lattice, &seeds)?, &FractureOptions::default())?;
    println!("{} pieces, {} voxels in {:.2?}", fractured.pieces.len(), fractured.voxels, fractured.times.total());

    let pieces: Vec<TriMesh> = fractured.pieces.iter().map(|piece| smooth_surface(piece, &lattice, 7)).collect();
    let node = |piece: usize| GlbNode::new(format!("piece_{piece}"), piece, Pose::IDENTITY);
    let nodes = (0..pieces.len()).map(node).collect();
    let meshes = pieces.iter().map(|mesh| GlbMesh::new("piece", mesh)).collect();
    io::write_glb(output, &GlbScene { meshes, nodes, ..GlbScene::default() })?;
    Ok(())
}
