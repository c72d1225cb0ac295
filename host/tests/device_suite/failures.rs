//! A device that fails: what it was asked for is done on the CPU, and told.

use std::sync::Arc;

use fracas::device::{Backend, DeviceError, Scan, SharedBackend};
use fracas::geometry::{Pose, TriMesh, shapes};
use fracas::pattern::SpherePattern;
use fracas::svo::{
    Encounter, FractureOptions, Fractured, Intersection, Lattice, SeedPattern, Seeds, SvoBody, Tree, VoxelBreakage,
    VoxeliseOptions, voxelise,
};
use fracas::world::{BodyDescription, Impact, World, WorldError, WorldOptions};
use fracas_kernels::scan::Segmented;
use glam::DVec3;

struct Failing;

fn failure<T>() -> Result<T, DeviceError> {
    Err(DeviceError::Memory { bytes: 7, reason: "none left".to_owned() })
}

impl Backend for Failing {
    fn name(&self) -> String {
        "failing".to_owned()
    }

    fn scan(&self, _: &[u32], _: Scan) -> Result<Vec<u32>, DeviceError> {
        failure()
    }

    fn scan_segments(&self, _: &[Segmented], _: Scan) -> Result<Vec<u32>, DeviceError> {
        failure()
    }

    fn sort(&self, _: &[u64]) -> Result<(Vec<u64>, Vec<u32>), DeviceError> {
        failure()
    }

    fn islands(&self, _: &[u32], _: &[u32]) -> Result<Vec<u32>, DeviceError> {
        failure()
    }

    fn voxelise(&self, _: &TriMesh, _: &VoxeliseOptions) -> Result<(Lattice, Tree), DeviceError> {
        failure()
    }

    fn fracture(&self, _: &Tree, _: &Seeds, _: &FractureOptions) -> Result<Fractured, DeviceError> {
        failure()
    }

    fn intersect(&self, _: &[Encounter<'_>]) -> Result<Vec<Intersection>, DeviceError> {
        failure()
    }
}

#[test]
fn a_world_goes_on_without_its_device() {
    let options = VoxeliseOptions { level: 5, ..VoxeliseOptions::default() };
    let (lattice, tree) = voxelise(&shapes::cuboid(DVec3::ONE), &options).unwrap();
    let pattern = SpherePattern { cells: 12, radius: 0.5, ..SpherePattern::default() };
    let breakage = Arc::new(VoxelBreakage::new(SeedPattern::Spheres(pattern)));
    let block = SvoBody::new(tree, lattice, breakage).describe("block");
    let run = |backend: Option<SharedBackend>| {
        let mut world = World::new(&WorldOptions::default());
        world.set_backend(backend);
        world.add_ground(0.0).unwrap();
        let body = world.add(BodyDescription { pose: Pose::at(DVec3::Y), ..block.clone() }).unwrap();
        let pieces = world.fracture(body, &Impact::at(DVec3::Y)).unwrap().len();
        assert!(pieces > 5);
        let failed = (0..40).filter(|_| match world.step(0.01) {
            Ok(_) => false,
            Err(WorldError::Device { source: DeviceError::Memory { bytes: 7, .. }, .. }) => true,
            Err(error) => panic!("{error}"),
        });
        (failed.count(), world.steps(), world.hash())
    };
    let (failed, steps, hash) = run(Some(SharedBackend::new(Failing)));
    assert!(failed > 0, "no pair was compared");
    assert_eq!((0, steps, hash), run(None));
}
