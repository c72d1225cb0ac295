extern crate std;

use std::boxed::Box;
use std::collections::{BTreeSet, VecDeque};
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::launch::{ORDERS, Order};
use crate::morton::encode_30;
use crate::node::Node;
use crate::normal;
use crate::scan::Segmented;
use crate::scan::tests::{exclusive_scan, inclusive_scan};

/// Octrees as they come out: the pools and where each piece starts in them.
#[derive(Debug, PartialEq, Eq)]
struct Built {
    nodes: Vec<Node>,
    node_starts: Vec<u32>,
    normals: Vec<u16>,
    attribute_starts: Vec<u32>,
}

/// Something that differs from leaf to leaf.
fn leaf_normal(piece: u32, code: u32) -> u16 {
    let mixed = (piece * 7919 + code).wrapping_mul(0x9e37_79b9);
    normal::pack([(mixed & 0xff) as i32 - 127, (mixed >> 8 & 0xff) as i32 - 127, (mixed >> 16 & 0xff) as i32 - 127])
}

/// All launches, in the order that the module's documentation gives.
fn launches(pieces_of_codes: &[Vec<u32>], levels: usize, order: Order) -> Built {
    let piece_count = pieces_of_codes.len();
    let mut codes: Vec<u32> = pieces_of_codes.concat();
    let mut pieces: Vec<u32> =
        pieces_of_codes.iter().zip(0..).flat_map(|(codes, piece)| vec![piece; codes.len()]).collect();
    let leaves = codes.len();
    let mut row_starts = vec![0, leaves as u32];
    let mut branches: Vec<Branch> = vec![];
    for height in 0..levels {
        let first = row_starts[height];
        let row = Row { codes: &codes[first as usize..], pieces: &pieces[first as usize..], first };
        let flags = order.map(row.codes.len(), |index| begins_parent(&row, index));
        let places = inclusive_scan(&flags, order);
        check_segmented_numbers(&row, &flags, &places, order);
        let mut parents = vec![None; places.last().map_or(0, |last| *last as usize + 1)];
        for index in order.indices(places.len()) {
            if let Some(found) = parent(&row, &places, index) {
                assert!(parents[found.place as usize].replace(found).is_none());
            }
        }
        for found in parents.into_iter().map(|found| found.expect("each place has its parent")) {
            codes.push(found.code);
            pieces.push(found.piece);
            branches.push(found.branch);
        }
        row_starts.push(codes.len() as u32);
    }
    let entries = (levels + 1) * piece_count;
    let firsts = order.map(entries + 1, |index| first_of_run(&pieces, &row_starts, piece_count, index));
    let rows = Rows { levels, pieces: piece_count, firsts: &firsts };
    let runs = order.map(entries, |index| run(&rows, index));
    let node_counts = order.map(piece_count, |index| Segmented::value(node_count(&rows, index)));
    let attribute_counts = order.map(piece_count, |index| Segmented::value(attribute_count(&rows, index)));
    let (node_starts, attribute_starts) =
        (exclusive_scan(&node_counts, order), exclusive_scan(&attribute_counts, order));
    let forest = Forest {
        levels,
        pieces: piece_count,
        runs: &runs,
        branches: &branches,
        leaves,
        node_starts: &node_starts,
        attribute_starts: &attribute_starts,
    };
    let total = |counts: &[Segmented]| counts.iter().map(|count| count.value as usize).sum();
    let nodes = order.map(total(&node_counts), |index| node(&forest, index));
    let sources = order.map(total(&attribute_counts), |index| attribute_source(&forest, index));
    let mut normals: Vec<u16> = (0..leaves).map(|leaf| leaf_normal(pieces[leaf], codes[leaf])).collect();
    for height in 1..=levels {
        let row = row_starts[height] as usize - leaves..row_starts[height + 1] as usize - leaves;
        let next = order.map(row.len(), |index| parent_normal(&branches[row.clone()], &normals, index));
        normals.extend(next);
    }
    assert_eq!(sources.iter().collect::<BTreeSet<_>>().len(), normals.len());
    let normals = sources.iter().map(|&source| normals[source as usize]).collect();
    Built { nodes, node_starts, normals, attribute_starts }
}

/// The paper scans by segments; that gives the place within the piece.
fn check_segmented_numbers(row: &Row<'_>, flags: &[Segmented], places: &[u32], order: Order) {
    let is_first = |index: usize| index == 0 || row.pieces[index - 1] != row.pieces[index];
    let by_piece: Vec<Segmented> = flags
        .iter()
        .enumerate()
        .map(|(index, &flag)| if is_first(index) { Segmented::head(0) } else { flag })
        .collect();
    let mut first_place = 0;
    for (index, place) in inclusive_scan(&by_piece, order).into_iter().enumerate() {
        if is_first(index) {
            first_place = places[index];
        }
        assert_eq!(first_place + place, places[index]);
    }
}

/// The oracle's octree: built by recursion, with links.
struct Tree {
    height: u32,
    normal: u16,
    children: [Option<Box<Tree>>; 8],
}

impl Tree {
    fn new(piece: u32, codes: &[u32], height: u32) -> Tree {
        if height == 0 {
            assert_eq!(codes.len(), 1);
            return Tree { height, normal: leaf_normal(piece, codes[0]), children: Default::default() };
        }
        let children = [0, 1, 2, 3, 4, 5, 6, 7].map(|octant| {
            let inside: Vec<u32> =
                codes.iter().copied().filter(|code| code >> (3 * (height - 1)) & 7 == octant).collect();
            (!inside.is_empty()).then(|| Box::new(Tree::new(piece, &inside, height - 1)))
        });
        let normals: Vec<u16> = children.iter().flatten().map(|child| child.normal).collect();
        let mut sum = [0; 3];
        for direction in normals.iter().map(|&normal| normal::unpack(normal)) {
            sum = [0, 1, 2].map(|axis| sum[axis] + direction[axis]);
        }
        // Some directions on the rim of the octahedron can be packed in two ways, and those that agree stay as they are.
        let agrees = normals.iter().all(|&normal| normal == normals[0]);
        Tree { height, normal: if agrees { normals[0] } else { normal::pack(sum) }, children }
    }

    /// Nodes by a queue; attributes by the rule of their order.
    fn lay_out(&self) -> (Vec<Node>, Vec<u16>) {
        let mut nodes = vec![Node::OUTSIDE];
        let mut order: Vec<(usize, &Tree)> = vec![];
        let mut queue = VecDeque::from([(0, self)]);
        while let Some((place, tree)) = queue.pop_front() {
            order.push((place, tree));
            if tree.height == 0 {
                nodes[place] = Node::leaf(0);
                continue;
            }
            nodes[place] = Node::branch(nodes.len() as u32, 0);
            for child in &tree.children {
                queue.extend(child.iter().map(|child| (nodes.len(), &**child)));
                nodes.push(Node::OUTSIDE);
            }
        }
        order.sort_by_key(|(_, tree)| tree.height);
        for (attributes, &(place, _)) in order.iter().enumerate() {
            nodes[place].attributes = attributes as u32;
        }
        (nodes, order.iter().map(|(_, tree)| tree.normal).collect())
    }
}

fn recursion(pieces_of_codes: &[Vec<u32>], levels: usize) -> Built {
    let mut built = Built { nodes: vec![], node_starts: vec![], normals: vec![], attribute_starts: vec![] };
    for (piece, codes) in (0..).zip(pieces_of_codes) {
        let (nodes, normals) = Tree::new(piece, codes, levels as u32).lay_out();
        built.node_starts.push(built.nodes.len() as u32);
        built.attribute_starts.push(built.normals.len() as u32);
        built.nodes.extend(nodes);
        built.normals.extend(normals);
    }
    built
}

fn check(pieces: impl IntoIterator<Item = impl IntoIterator<Item = u32>>, levels: usize) -> Built {
    let pieces: Vec<Vec<u32>> =
        pieces.into_iter().map(|codes| codes.into_iter().collect::<BTreeSet<_>>().into_iter().collect()).collect();
    let expected = recursion(&pieces, levels);
    for order in ORDERS {
        assert_eq!(launches(&pieces, levels, order), expected, "{order:?}, {levels} levels");
    }
    expected
}

#[test]
fn one_voxel_is_a_chain_of_blocks() {
    for levels in 0..=10 {
        let code = encode_30(1023, 341, 7) & ((1 << (3 * levels)) - 1);
        let built = check([[code]], levels);
        assert_eq!((built.nodes.len(), built.normals.len()), (1 + 8 * levels, 1 + levels));
        check([[0], [code], [0], [code]], levels);
    }
}

#[test]
fn full_blocks_have_every_node() {
    for levels in 1..=3 {
        let built = check([0..1 << (3 * levels), 0..1 << (3 * levels)], levels);
        assert!(built.nodes.iter().all(|node| node.is_boundary()));
        assert_eq!(built.nodes.len(), built.normals.len());
    }
}

#[test]
fn siblings_in_different_pieces_stay_apart() {
    check((0..8).map(|octant| [octant]), 1);
    check((0..8).map(|octant| [octant, 7]), 2);
    check([vec![0, 1, 2, 63], vec![63], vec![3, 4, 5], vec![0]], 2);
}

#[test]
fn many_leaves_of_ten_levels() {
    // The skin of a ball, cut into four pieces; no length here is a multiple of anything.
    let skin = (0..101i32.pow(3)).map(|number| [number % 101, number / 101 % 101, number / 10_201]).filter(|cell| {
        let squares: i32 = cell.iter().map(|coordinate| (coordinate - 50).pow(2)).sum();
        (47 * 47..49 * 49).contains(&squares)
    });
    let mut pieces = vec![vec![]; 4];
    for [x, y, z] in skin {
        pieces[(x / 30).min(3) as usize].push(encode_30(x as u32 + 450, y as u32 + 3, z as u32 + 900));
    }
    check(pieces, 10);
}

#[test]
fn normals_that_cancel_point_up() {
    let branches = [Branch { first_child: 1, children: 0b1000_0001 }];
    let normals = [[1, 0, 0], [0, 1, 0], [0, -1, 0], [1, 0, 0]].map(normal::pack);
    assert_eq!(normal::unpack(parent_normal(&branches, &normals, 0)), [0, 0, normal::SCALE]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn random_pieces_are_the_recursion(
        levels in 1..=10usize,
        pieces in prop::collection::vec(prop::collection::btree_set(any::<u32>(), 1..80), 1..12),
        near in any::<bool>(),
    ) {
        // Near leaves share many ancestors, others only the root.
        let bits = 3 * if near { levels.min(3) } else { levels };
        check(pieces.into_iter().map(|codes| codes.into_iter().map(move |code| code & ((1 << bits) - 1))), levels);
    }
}
