//! Intersections of many pairs of octrees at once.

use fracas::device::{Backend, Cpu};
use fracas::geometry::{Pose, TriMesh, shapes};
use fracas::random::Random;
use fracas::svo::{CollideOptions, Encounter, Lattice, Placed, Placement, Tree, VoxeliseOptions, voxelise};
use glam::{DQuat, DVec3};

use super::Effort;

/// Shapes that have cavities between their parts, thin parts, flat faces and round ones, and much smaller ones.
fn octrees(level: u32) -> Vec<(Lattice, Tree)> {
    let torus = shapes::Torus { major_radius: 0.5, minor_radius: 0.2, major_segments: 40, minor_segments: 20 };
    let ball = |radius| shapes::Sphere { radius, frequency: 24 }.mesh();
    let meshes = [torus.mesh(), shapes::figure(shapes::Figure::Dragon, 6000), ball(0.4), ball(0.08), ball(0.01)];
    let cuboid = shapes::cuboid(DVec3::new(1.0, 0.7, 0.4));
    let octree = |mesh: TriMesh| voxelise(&mesh, &VoxeliseOptions { level, ..VoxeliseOptions::default() }).unwrap();
    meshes.into_iter().map(Result::unwrap).chain([cuboid]).map(octree).collect()
}

/// Where a second body is: far away, a little apart, touching, turned, nearly the same place, the same place, and anywhere.
fn poses(random: &mut Random) -> Vec<Pose> {
    let fixed = [
        (DVec3::ZERO, DVec3::splat(3.0)),
        (DVec3::ZERO, DVec3::new(1.01, 0.0, 0.0)),
        (DVec3::ZERO, DVec3::new(0.6, 0.1, 0.2)),
        (DVec3::new(0.3, 0.7, -0.2), DVec3::new(0.6, 0.1, 0.2)),
        (DVec3::new(-1.1, 0.2, 2.0), DVec3::new(-0.2, 0.3, 0.1)),
        (DVec3::new(0.0, 0.0, 0.001), DVec3::new(0.01, 0.002, 0.0)),
        (DVec3::ZERO, DVec3::ZERO),
        (DVec3::ZERO, DVec3::new(f64::NAN, 0.0, 0.0)),
    ];
    let any = (0..4).map(|_| (3.0 * random.in_cube(), 0.7 * random.in_cube()));
    let poses = fixed.into_iter().chain(any.collect::<Vec<_>>());
    poses.map(|(turn, place)| Pose::new(DQuat::from_scaled_axis(turn), place)).collect()
}

/// Holds the intersections of all pairs of octrees, with levels of their own, to the CPU's, number by number.
pub(crate) fn pairs(device: &impl Backend, effort: Effort) {
    assert!(device.intersect(&[]).unwrap().is_empty());
    let mut random = Random::new(3);
    let levels: &[(u32, u32, Placement)] = match effort {
        Effort::Full => {
            &[(3, 3, Placement::Middle), (5, 5, Placement::Face), (6, 5, Placement::Middle), (6, 7, Placement::Middle)]
        }
        Effort::Short => &[(3, 3, Placement::Face), (5, 4, Placement::Middle)],
    };
    let (mut gradients, mut apart, mut tips) = (0, 0, 0);
    for &(octree_level, level, placement) in levels {
        let octrees = octrees(octree_level);
        let base = Pose::new(DQuat::from_rotation_y(0.4), DVec3::new(0.1, 0.2, -0.3));
        let mut encounters = Vec::new();
        for (number, pose) in
            (0..octrees.len()).flat_map(|number| poses(&mut random).into_iter().map(move |pose| (number, pose)))
        {
            let (first, second) = (&octrees[number], &octrees[(number + 1 + encounters.len() % 3) % octrees.len()]);
            encounters.push(Encounter {
                first: Placed { tree: &first.1, lattice: &first.0, pose: base },
                second: Placed { tree: &second.1, lattice: &second.0, pose: base * pose },
                options: CollideOptions { level, placement },
            });
        }
        let expected = Cpu.intersect(&encounters).unwrap();
        // All at once, and again with what is there already, in parts.
        let found = device.intersect(&encounters).unwrap();
        let (some, others) = encounters.split_at(encounters.len() / 3);
        let again = [device.intersect(some).unwrap(), device.intersect(others).unwrap()].concat();
        for (number, expected) in expected.iter().enumerate() {
            assert_eq!(&found[number], expected, "pair {number} at levels {octree_level} and {level}");
            assert_eq!(&again[number], expected, "pair {number} again");
            gradients += expected.gradients.len();
            apart += usize::from(expected.clearance > 0.0);
            tips += expected.tips.iter().map(Vec::len).sum::<usize>();
        }
    }
    assert!(gradients > 1000 && apart > 3 && tips > 0, "{gradients} gradients, {apart} apart, {tips} tips");
}
