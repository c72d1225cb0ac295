//! What is inside of the pieces, and fractures from the extraction to that.

use fracas_kernels::extract::Solid;
use fracas_kernels::inside::{self, Pieces, Solids};
use fracas_kernels::node::{NO_ATTRIBUTES, Node};
use proptest::prelude::*;

use super::build::Built;
use super::*;

/// The launch, after those of the builder.
fn on_device(built: &Built, cells: &[u32], mut solids: Vec<Solid>, cell_count: u32) -> Vec<Node> {
    solids.sort_unstable_by_key(|solid| (solid.cell, solid.code));
    let groups: Vec<u32> = solids.iter().map(|solid| solid.cell).collect();
    let pieces = Pieces {
        forest: built.forest(),
        nodes: &built.nodes(),
        codes: &built.codes,
        normals: &built.normals,
        cells,
        solids: Solids { list: &solids, starts: &group_starts(&groups, cell_count) },
    };
    (0..pieces.nodes.len()).map(|index| inside::node(&pieces, index)).collect()
}

/// Holds the pieces of a fracture to those that the device builds of their voxels. Returns the pieces.
fn check(tree: &Tree, seeds: &Seeds, options: &FractureOptions) -> Vec<Tree> {
    let fractured = tree.fracture(seeds, options).unwrap();
    let (_, solids) = extract::on_device(tree, &seeds.seeds);
    let built = Built::from_pieces(&fractured.pieces, tree.level());
    let nodes = on_device(&built, &fractured.cells, solids, seeds.cells);
    for (piece, tree) in fractured.pieces.iter().enumerate() {
        built.check(&nodes, piece, tree);
    }
    fractured.pieces
}

#[test]
fn what_is_inside_is_that_of_the_host() {
    let mut inside = 0;
    for mesh in meshes() {
        for level in 3..=6 {
            let (lattice, tree) = octree(&mesh, level);
            for (coarser_islands, seeds) in [0, 2, 0].into_iter().zip(patterns(&lattice, 7)) {
                let options = FractureOptions { coarser_islands, ..FractureOptions::default() };
                let pieces = check(&tree, &seeds, &options);
                inside += pieces.iter().map(|piece| piece.counts().internal).sum::<u64>();
            }
        }
    }
    assert!(inside > 100_000, "{inside}");
}

#[test]
fn pieces_of_pieces_and_a_hollow_ball() {
    let mut shell = meshes()[0].clone();
    let mut hole = shapes::Sphere { radius: 0.5, frequency: 12 }.mesh().unwrap();
    hole.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    shell.append(&hole);
    for mesh in [shell, meshes()[2].clone()] {
        let (lattice, tree) = octree(&mesh, 5);
        let [seeds, local, few] = patterns(&lattice, 11);
        for piece in check(&tree, &few, &FractureOptions::default()) {
            check(&piece, &local, &FractureOptions::default());
            check(&piece, &seeds, &FractureOptions::default());
        }
    }
}

#[test]
fn a_whole_fracture_on_the_device_is_that_of_the_host() {
    for mesh in meshes() {
        let (lattice, tree) = octree(&mesh, 5);
        for seeds in patterns(&lattice, 5) {
            let expected = tree.fracture(&seeds, &FractureOptions::default()).unwrap();
            let (mut voxels, solids) = extract::on_device(&tree, &seeds.seeds);
            voxels.sort_by_key(|voxel| voxel.cell);
            let codes: Vec<u32> = voxels.iter().map(|voxel| voxel.code).collect();
            let groups: Vec<u32> = voxels.iter().map(|voxel| voxel.cell).collect();
            let labels = islands::labels(&codes, &groups, seeds.cells);
            let mut islands = labels.clone();
            islands.sort_unstable();
            islands.dedup();
            let mut order: Vec<usize> = (0..voxels.len()).collect();
            order.sort_by_key(|&voxel| labels[voxel]);
            let owners = order.iter().map(|&voxel| islands.partition_point(|&label| label < labels[voxel]) as u32);
            let normal = |voxel: usize| match voxels[voxel].attributes {
                NO_ATTRIBUTES => voxels[voxel].normal as u16,
                attributes => tree.normals()[attributes as usize],
            };
            let built = Built::new(
                5,
                islands.len(),
                order.iter().map(|&voxel| codes[voxel]).collect(),
                owners.collect(),
                order.iter().map(|&voxel| normal(voxel)).collect(),
            );
            let cells: Vec<u32> = islands.iter().map(|&last| groups[last as usize]).collect();
            assert_eq!(cells, expected.cells);
            let nodes = on_device(&built, &cells, solids, seeds.cells);
            for (piece, tree) in expected.pieces.iter().enumerate() {
                built.check(&nodes, piece, tree);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn pieces_of_any_voxels(
        corners in prop::collection::vec(prop::array::uniform6(0u32..16), 1..5),
        seeds in prop::collection::vec((prop::array::uniform3(-0.2..1.2f64), 0u32..4), 1..20),
        coarser_islands in 0..=3u32,
    ) {
        let (lattice, tree) = boxes(4, &corners);
        let seeds = seeds.into_iter().map(|(place, cell)| (DVec3::from_array(place), cell));
        let options = FractureOptions { coarser_islands, ..FractureOptions::default() };
        check(&tree, &Seeds::with_cells(&lattice, seeds).unwrap(), &options);
    }
}
