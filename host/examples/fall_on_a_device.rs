//! A world whose voxels are broken and compared on a device: the kernels as functions here, an NVIDIA device with `--features cuda`.

use std::sync::Arc;

use fracas::device::{Device, SharedBackend};
use fracas::geometry::{Pose, shapes};
use fracas::pattern::SpherePattern;
use fracas::svo::{SeedPattern, SvoBody, VoxelBreakage, VoxeliseOptions, voxelise};
use fracas::world::{BodyDescription, Impact, World, WorldOptions};
use glam::DVec3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    #[cfg(feature = "cuda")]
    let device = Device::cuda(0)?;
    #[cfg(not(feature = "cuda"))]
    let device = Device::native();
    let backend = SharedBackend::device(device);

    let (lattice, tree) = voxelise(&shapes::cuboid(DVec3::ONE), &VoxeliseOptions { level: 5, ..Default::default() })?;
    let pattern = SpherePattern { cells: 20, radius: 0.5, ..SpherePattern::default() };
    let breakage = Arc::new(VoxelBreakage::new(SeedPattern::Spheres(pattern)));
    let block = SvoBody::new(tree, lattice, breakage).describe("block");

    // The same world on the CPU and on the device: what happens does not depend on it.
    let run = |backend: Option<SharedBackend>| -> Result<u64, Box<dyn std::error::Error>> {
        let mut world = World::new(&WorldOptions::default());
        world.set_backend(backend);
        world.add_ground(0.0)?;
        let body = world.add(BodyDescription { pose: Pose::at(DVec3::Y), ..block.clone() })?;
        println!("{} pieces", world.fracture(body, &Impact::at(DVec3::Y))?.len());
        for _ in 0..30 {
            world.step(0.01)?;
        }
        Ok(world.hash())
    };
    println!("the same on {}: {}", backend.name(), run(None)? == run(Some(backend.clone()))?);
    Ok(())
}
