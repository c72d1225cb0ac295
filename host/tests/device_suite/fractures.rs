//! Whole fractures: octrees in, octrees out.

use fracas::device::{Backend, Cpu};
use fracas::geometry::{TriMesh, shapes};
use fracas::random::Random;
use fracas::svo::{FractureOptions, Lattice, Seeds, Tree, VoxeliseOptions, voxelise};
use glam::DVec3;

use super::Effort;

fn octree(mesh: &TriMesh, level: u32) -> (Lattice, Tree) {
    voxelise(mesh, &VoxeliseOptions { level, ..VoxeliseOptions::default() }).unwrap()
}

/// Seeds in and around an octree.
fn points(lattice: &Lattice, count: usize, seed: u64) -> Vec<DVec3> {
    let (mut random, aabb) = (Random::new(seed), lattice.aabb());
    (0..count).map(|_| aabb.center() + 0.6 * aabb.size() * random.in_cube()).collect()
}

/// A fracture of all, one near a place, and one into few cells that fall apart.
fn patterns(lattice: &Lattice, seed: u64) -> [Seeds; 3] {
    let points = points(lattice, 30, seed);
    let local = Seeds::local(lattice, &points, points[0], 0.3 * lattice.aabb().size().x);
    let few = Seeds::with_cells(lattice, points.iter().copied().zip((0..4).cycle()));
    [Seeds::new(lattice, &points), local, few].map(Result::unwrap)
}

/// Holds a fracture to the CPU's, octree by octree. Returns the pieces.
fn check(device: &impl Backend, tree: &Tree, seeds: &Seeds, options: &FractureOptions) -> Vec<Tree> {
    let found = device.fracture(tree, seeds, options).unwrap();
    let expected = Cpu.fracture(tree, seeds, options).unwrap();
    assert_eq!((&found.cells, found.voxels), (&expected.cells, expected.voxels));
    assert_eq!(found.pieces.len(), expected.pieces.len());
    for (piece, (found, expected)) in found.pieces.iter().zip(&expected.pieces).enumerate() {
        assert!(found == expected, "piece {piece} with {} is another", name(expected));
    }
    found.pieces
}

/// For the report of a test.
fn name(tree: &Tree) -> String {
    format!("{} nodes and {:?}", tree.nodes().len(), tree.counts())
}

/// Octrees of closed, open, doubled and flat meshes are those of the CPU.
pub(crate) fn octrees(device: &impl Backend, effort: Effort) {
    let closed = shapes::figure(shapes::Figure::Dragon, 6000).unwrap();
    let mut open = shapes::Sphere { radius: 1.0, frequency: 12 }.mesh().unwrap();
    open.triangles.truncate(open.triangles.len() * 9 / 10);
    let mut doubled = shapes::cuboid(DVec3::new(1.0, 0.5, 0.3));
    doubled.triangles.extend(doubled.triangles.clone().into_iter().map(|[a, b, c]| [a, c, b]));
    let mut flat = shapes::cuboid(DVec3::ONE);
    flat.triangles.truncate(2);
    let levels: &[u32] = if effort == Effort::Full { &[3, 4, 6, 7] } else { &[3, 5] };
    for (number, mesh) in [closed, open, doubled, flat].iter().enumerate() {
        for &level in levels {
            let options = VoxeliseOptions { level, ..VoxeliseOptions::default() };
            let (lattice, tree) = device.voxelise(mesh, &options).unwrap();
            let (expected_lattice, expected) = Cpu.voxelise(mesh, &options).unwrap();
            assert_eq!(lattice, expected_lattice);
            assert!(tree == expected, "mesh {number} at level {level}: {} instead of {}", name(&tree), name(&expected));
        }
    }
    let empty = TriMesh::default();
    assert_eq!(device.voxelise(&empty, &VoxeliseOptions::default()), Cpu.voxelise(&empty, &VoxeliseOptions::default()));
}

pub(crate) fn rabbit(device: &impl Backend) {
    let mesh = shapes::figure(shapes::Figure::Rabbit, 6000).unwrap();
    let (lattice, tree) = octree(&mesh, 6);
    let mut pieces = patterns(&lattice, 5).map(|seeds| check(device, &tree, &seeds, &FractureOptions::default()).len());
    pieces.sort_unstable();
    assert!(pieces[0] > 1 && pieces[2] > 10, "{pieces:?}");
}

pub(crate) fn cavity(device: &impl Backend, effort: Effort) {
    let mut shell = shapes::Sphere { radius: 1.0, frequency: 12 }.mesh().unwrap();
    let mut hole = shapes::Sphere { radius: 0.5, frequency: 12 }.mesh().unwrap();
    hole.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    shell.append(&hole);
    let (lattice, tree) = octree(&shell, if effort == Effort::Full { 6 } else { 5 });
    let one = Seeds::new(&lattice, &[lattice.aabb().center()]).unwrap();
    for coarser_islands in [0, 1] {
        let options = FractureOptions { coarser_islands, ..FractureOptions::default() };
        let whole = check(device, &tree, &one, &options);
        assert!(whole.len() == 1 && whole[0] == tree);
        for seeds in patterns(&lattice, 7) {
            check(device, &tree, &seeds, &options);
        }
    }
}

pub(crate) fn again(device: &impl Backend, effort: Effort) {
    let mesh = shapes::figure(shapes::Figure::Dragon, 6000).unwrap();
    let (lattice, tree) = octree(&mesh, if effort == Effort::Full { 6 } else { 4 });
    let [all, local, few] = patterns(&lattice, 11);
    for coarser_islands in 0..4 {
        let options = FractureOptions { coarser_islands, ..FractureOptions::default() };
        let pieces = check(device, &tree, &few, &options);
        let some = if effort == Effort::Full { pieces.len() } else { 2 };
        for piece in &pieces[..some.min(pieces.len())] {
            check(device, piece, &all, &options);
            check(device, piece, &local, &options);
        }
    }
    let options = FractureOptions { coarser_islands: 4, ..FractureOptions::default() };
    let error = device.fracture(&tree, &all, &options).unwrap_err();
    assert_eq!(error, Cpu.fracture(&tree, &all, &options).unwrap_err());
}

pub(crate) fn small(device: &impl Backend) {
    let (lattice, tree) = octree(&shapes::Sphere { radius: 1.0, frequency: 6 }.mesh().unwrap(), 4);
    check(device, &tree, &patterns(&lattice, 3)[0], &FractureOptions::default());
}
