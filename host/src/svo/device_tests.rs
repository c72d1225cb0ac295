//! The device functions of a fracture, launched one index after the other, against what the CPU does its own way.

use std::sync::atomic::AtomicU32;

use fracas_kernels::build::{self, Branch, Forest, Row, Rows, Run};
use fracas_kernels::islands::{Voxels, flatten, label, neighbour_bits};
use fracas_kernels::node::Node;
use glam::DVec3;

use super::*;
use crate::geometry::shapes;
use crate::random::Random;

fn fractured(level: u32, count: usize) -> (Seeds, Fractured) {
    // No cavities: there, voxels alone tell what hangs together.
    let mesh = shapes::Torus { major_radius: 1.0, minor_radius: 0.35, major_segments: 40, minor_segments: 20 };
    let options = VoxeliseOptions { level, ..VoxeliseOptions::default() };
    let (lattice, tree) = voxelise(&mesh.mesh().unwrap(), &options).unwrap();
    let mut random = Random::new(8);
    // Few cells of many seeds each, so that cells fall apart.
    let points: Vec<(DVec3, u32)> = (0..count as u32).map(|number| (1.3 * random.in_cube(), number % 4)).collect();
    let seeds = Seeds::with_cells(&lattice, points).unwrap();
    let fractured = tree.fracture(&seeds, &FractureOptions::default()).unwrap();
    (seeds, fractured)
}

fn starts(groups: &[u32]) -> Vec<u32> {
    let count = groups.last().map_or(0, |last| last + 1);
    (0..=count).map(|group| groups.partition_point(|&other| other < group) as u32).collect()
}

#[test]
fn labels_on_the_device_divide_cells_as_the_pieces_do() {
    let (seeds, fractured) = fractured(6, 24);
    assert!(fractured.pieces.len() > seeds.cells as usize, "some cell has several islands");
    let mut voxels: Vec<(u32, u32, u32)> = Vec::new();
    for (piece, (tree, &cell)) in (0..).zip(fractured.pieces.iter().zip(&fractured.cells)) {
        voxels.extend(tree.boundary_codes().into_iter().map(|code| (cell, code, piece)));
    }
    voxels.sort_unstable();
    let codes: Vec<u32> = voxels.iter().map(|&(_, code, _)| code).collect();
    let groups: Vec<u32> = voxels.iter().map(|&(cell, _, _)| cell).collect();
    let sorted = Voxels { codes: &codes, groups: &groups, starts: &starts(&groups) };
    let labels: Vec<AtomicU32> = (0..codes.len() as u32).map(AtomicU32::new).collect();
    for index in 0..codes.len() {
        label(&sorted, neighbour_bits(&sorted, index), &labels, index);
    }
    let labels: Vec<u32> = (0..codes.len()).map(|index| flatten(&labels, index)).collect();
    // A label is an island's last voxel, and pieces stand in the order of these.
    let mut islands = labels.clone();
    islands.sort_unstable();
    islands.dedup();
    for (&(_, _, piece), label) in voxels.iter().zip(&labels) {
        assert_eq!(islands.binary_search(label), Ok(piece as usize));
    }
}

#[test]
fn trees_built_on_the_device_are_the_pieces() {
    let (_, fractured) = fractured(5, 24);
    let levels = 5;
    let pieces = fractured.pieces.len();
    let mut codes: Vec<u32> = Vec::new();
    let mut owners: Vec<u32> = Vec::new();
    let mut normals: Vec<u16> = Vec::new();
    for (piece, tree) in (0..).zip(&fractured.pieces) {
        let own = tree.boundary_codes();
        owners.extend(own.iter().map(|_| piece));
        normals.extend(&tree.normals()[..own.len()]);
        codes.extend(own);
    }
    let leaves = codes.len();
    let mut rows = vec![0, leaves as u32];
    let mut branches: Vec<Branch> = Vec::new();
    for height in 0..levels {
        let (first, end) = (rows[height] as usize, rows[height + 1] as usize);
        let (row_codes, row_pieces) = (codes[first..end].to_vec(), owners[first..end].to_vec());
        let row = Row { codes: &row_codes, pieces: &row_pieces, first: first as u32 };
        let mut place = 0;
        let places: Vec<u32> = (0..end - first)
            .map(|index| {
                place += build::begins_parent(&row, index).value;
                place
            })
            .collect();
        for parent in (0..end - first).filter_map(|index| build::parent(&row, &places, index)) {
            codes.push(parent.code);
            owners.push(parent.piece);
            branches.push(parent.branch);
            let own = &branches[end.saturating_sub(leaves)..];
            normals.push(build::parent_normal(own, &normals, own.len() - 1));
        }
        rows.push(codes.len() as u32);
    }
    let firsts: Vec<u32> =
        (0..=pieces * (levels + 1)).map(|index| build::first_of_run(&owners, &rows, pieces, index)).collect();
    let table = Rows { levels, pieces, firsts: &firsts };
    let runs: Vec<Run> = (0..pieces * (levels + 1)).map(|index| build::run(&table, index)).collect();
    let sum = |count: fn(&Rows<'_>, usize) -> u32| -> Vec<u32> {
        (0..pieces).scan(0, |sum, piece| Some(std::mem::replace(sum, *sum + count(&table, piece)))).collect()
    };
    let (node_starts, attribute_starts) = (sum(build::node_count), sum(build::attribute_count));
    let forest = Forest {
        levels,
        pieces,
        runs: &runs,
        branches: &branches,
        leaves,
        node_starts: &node_starts,
        attribute_starts: &attribute_starts,
    };
    for (piece, tree) in fractured.pieces.iter().enumerate() {
        assert_eq!(build::node_count(&table, piece) as usize, tree.nodes().len());
        for (index, &expected) in tree.nodes().iter().enumerate() {
            // What is inside is another launch's question.
            let expected = if expected.is_internal() { Node::OUTSIDE } else { expected };
            assert_eq!(build::node(&forest, node_starts[piece] as usize + index), expected);
        }
        for (index, &normal) in tree.normals().iter().enumerate() {
            let source = build::attribute_source(&forest, attribute_starts[piece] as usize + index);
            assert_eq!(normals[source as usize], normal);
        }
    }
}
