//! Lets a voxel rabbit fall on a voxel ball, and says how they touch: `collide_voxels`, or `collide_voxels dragon.ply`.

use std::sync::Arc;

use fracas::geometry::{Plane, Pose, TriMesh, io, shapes};
use fracas::svo::{CollideOptions, VoxelBody, VoxelWorld, VoxelWorldOptions, VoxeliseOptions, intersect, voxelise};
use glam::DVec3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = match std::env::args().nth(1) {
        Some(input) => io::read_tri_mesh(input)?,
        None => shapes::figure(shapes::Figure::Rabbit, 8_000)?,
    };
    let size = mesh.aabb().largest();
    let ball = shapes::Sphere { radius: 0.4 * size, ..shapes::Sphere::default() }.mesh()?;

    // A body is an octree, a density and a pose.
    let body = |mesh: &TriMesh, middle: DVec3| -> Result<VoxelBody, Box<dyn std::error::Error>> {
        let (lattice, tree) = voxelise(mesh, &VoxeliseOptions { level: 7, ..VoxeliseOptions::default() })?;
        let pose = Pose { translation: middle - mesh.aabb().center(), ..Pose::IDENTITY };
        Ok(VoxelBody::new(Arc::new(tree), lattice, 1000.0, pose)?)
    };
    let mut world = VoxelWorld::new(VoxelWorldOptions::default());
    world.planes.push(Plane::through(DVec3::ZERO, DVec3::Y));
    let lower = world.add(body(&ball, DVec3::Y * 0.4 * size)?);
    let upper = world.add(body(&mesh, DVec3::Y * 1.4 * size)?);

    for step in 1..=150 {
        world.step(0.01);
        let (Some(lower), Some(upper)) = (world.body(lower), world.body(upper)) else { break };
        if step % 30 == 0 {
            // The same question that each step asks: what do two octrees have in common, and which way out?
            let shared = intersect(&lower.placed(), &upper.placed(), &CollideOptions::default());
            let [height, volume] = [upper.center().y, shared.volume];
            println!("{step:3}: rabbit at {height:.3}, shared volume {volume:.2e}, {} points", shared.points);
        }
    }
    Ok(())
}
