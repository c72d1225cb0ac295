//! Octrees from chunks of voxels, breadth-first (\[Domaradzki16\] 4.6).
//!
//! On a GPU every level is a segmented scan over the voxels of all pieces (`fracas_kernels::build`). On a CPU most of that
//! is popcounts: three levels of a tree are read off the 512 bits of a chunk.

use fracas_kernels::node::{CHILD, EMPTY, INTERNAL, Node};
use fracas_kernels::normal;

use super::SvoError;
use super::bits::{Bits, bytes_in, count, ones};
use super::collide::Grids;
use super::tree::{Color, Tree};

/// A node three levels above the finest that the surface comes to.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    /// Its Morton code at its level.
    pub(super) code: u32,
    /// Boundary voxels, in Morton order; at least one.
    pub(super) boundary: Bits,
    /// Internal voxels, in Morton order.
    pub(super) solid: Bits,
}

/// Writes the attributes of a chunk's boundary voxels, in Morton order: the chunk's number, normals, colours.
pub(super) trait Paint: Fn(usize, &mut [u16], &mut [Color]) + Sync {}

impl<F: Fn(usize, &mut [u16], &mut [Color]) + Sync> Paint for F {}

/// The octree of some chunks, which stand in Morton order. `solids` are the codes, in order, of nodes that are inside, or
/// of some chunk within each of them.
///
/// # Errors
/// If there are more nodes than a node can point at.
pub(super) fn build(level: u32, chunks: &[&Chunk], solids: &[u32], paint: &impl Paint) -> Result<Tree, SvoError> {
    let top = level as usize - 3;
    let mut codes: Vec<Vec<u32>> = vec![chunks.iter().map(|chunk| chunk.code).collect()];
    for level in 0..top {
        let mut above: Vec<u32> = codes[level].iter().map(|code| code >> 3).collect();
        above.dedup();
        codes.push(above);
    }
    codes.reverse();

    let places = places(chunks);
    let last = places[chunks.len()];
    let boundary: Vec<usize> =
        codes.iter().map(Vec::len).chain([last.words as usize, last.bytes as usize, last.leaves as usize]).collect();
    let nodes = 8 * boundary[..level as usize].iter().map(|&count| count as u64).sum::<u64>() + 1;
    if nodes > u64::from(CHILD) + 1 {
        return Err(SvoError::TooManyVoxels { voxels: u64::from(last.leaves), level });
    }
    let mut starts = vec![0, 1];
    starts.extend(boundary[..level as usize].iter().scan(1, |end, count| {
        *end += 8 * *count as u32;
        Some(*end)
    }));
    // Attributes: leaves first, the root last.
    let attributes: Vec<u32> =
        (0..=level as usize).map(|level| boundary[level + 1..].iter().sum::<usize>() as u32).collect();

    let mut nodes: Vec<Node> = bytemuck::allocation::zeroed_vec(starts[level as usize + 1] as usize);
    let mut normals: Vec<u16> = bytemuck::allocation::zeroed_vec(boundary.iter().sum());
    let mut colors: Vec<Color> = bytemuck::allocation::zeroed_vec(last.leaves as usize);

    let (upper, lower) = nodes.split_at_mut(starts[top + 1] as usize);
    fill_upper(upper, &codes, &starts, &attributes, solids);
    let (leaf_normals, rest) = normals.split_at_mut(last.leaves as usize);
    let (byte_normals, rest) = rest.split_at_mut(last.bytes as usize);
    let (word_normals, upper_normals) = rest.split_at_mut(last.words as usize);
    let (words, rest) = lower.split_at_mut(8 * chunks.len());
    let (bytes, leaves) = rest.split_at_mut(8 * last.words as usize);
    let numbers = Numbers {
        bytes: starts[level as usize - 1],
        leaves: starts[level as usize],
        word_attributes: attributes[level as usize - 2],
        byte_attributes: attributes[level as usize - 1],
    };
    let output = Output {
        words: Rows { nodes: words, normals: &mut *word_normals },
        bytes: Rows { nodes: bytes, normals: byte_normals },
        leaves: Rows { nodes: leaves, normals: leaf_normals },
        colors: &mut colors,
    };
    fill_lower(chunks, &places, 0, &numbers, output, paint);
    fill_upper_normals(upper_normals, word_normals, chunks, &codes);
    Ok(Tree { level, nodes, starts, normals, colors, grids: Grids::default() })
}

/// How many nodes of the last three levels come before a chunk's.
#[derive(Clone, Copy, Default)]
struct Place {
    words: u32,
    bytes: u32,
    leaves: u32,
}

fn places(chunks: &[&Chunk]) -> Vec<Place> {
    let mut place = Place::default();
    let mut places = Vec::with_capacity(chunks.len() + 1);
    places.push(place);
    for chunk in chunks {
        place.words += chunk.boundary.iter().filter(|&&word| word != 0).count() as u32;
        place.bytes += chunk.boundary.iter().map(|&word| bytes_in(word).count_ones()).sum::<u32>();
        place.leaves += count(&chunk.boundary);
        places.push(place);
    }
    places
}

/// The nodes of the levels down to the chunks'.
fn fill_upper(nodes: &mut [Node], codes: &[Vec<u32>], starts: &[u32], attributes: &[u32], solids: &[u32]) {
    nodes[0] = Node::branch(1, attributes[0]);
    let top = codes.len() - 1;
    for level in 0..top {
        // Chunks in a node of the children's level.
        let shift = 3 * (top - level - 1) as u32;
        let (mut child, mut solid) = (0, 0);
        for (parent, &code) in codes[level].iter().enumerate() {
            let block = starts[level + 1] as usize + 8 * parent;
            for (slot, code) in nodes[block..block + 8].iter_mut().zip(code << 3..) {
                while solids.get(solid).is_some_and(|&inside| inside >> shift < code) {
                    solid += 1;
                }
                *slot = if codes[level + 1].get(child) == Some(&code) {
                    child += 1;
                    Node::branch(starts[level + 2] + 8 * (child as u32 - 1), attributes[level + 1] + child as u32 - 1)
                } else if solids.get(solid).is_some_and(|&inside| inside >> shift == code) {
                    Node::INSIDE
                } else {
                    Node::OUTSIDE
                };
            }
        }
    }
}

/// The first numbers of nodes and attributes of the last levels.
struct Numbers {
    bytes: u32,
    leaves: u32,
    word_attributes: u32,
    byte_attributes: u32,
}

/// Nodes of one of the last three levels, and the normals of the boundary nodes among them.
struct Rows<'a> {
    nodes: &'a mut [Node],
    normals: &'a mut [u16],
}

impl<'a> Rows<'a> {
    fn split(self, nodes: usize, normals: u32) -> [Rows<'a>; 2] {
        let (nodes_low, nodes_high) = self.nodes.split_at_mut(nodes);
        let (normals_low, normals_high) = self.normals.split_at_mut(normals as usize);
        [Rows { nodes: nodes_low, normals: normals_low }, Rows { nodes: nodes_high, normals: normals_high }]
    }
}

/// The last three levels of some chunks.
struct Output<'a> {
    words: Rows<'a>,
    bytes: Rows<'a>,
    leaves: Rows<'a>,
    colors: &'a mut [Color],
}

impl<'a> Output<'a> {
    fn split(self, chunks: usize, place: Place) -> [Output<'a>; 2] {
        let [words, words_high] = self.words.split(8 * chunks, place.words);
        let [bytes, bytes_high] = self.bytes.split(8 * place.words as usize, place.bytes);
        let [leaves, leaves_high] = self.leaves.split(8 * place.bytes as usize, place.leaves);
        let (colors, colors_high) = self.colors.split_at_mut(place.leaves as usize);
        [
            Output { words, bytes, leaves, colors },
            Output { words: words_high, bytes: bytes_high, leaves: leaves_high, colors: colors_high },
        ]
    }
}

/// Chunks below which a run is filled on one thread.
const RUN: usize = 256;

fn fill_lower(
    chunks: &[&Chunk],
    places: &[Place],
    first: usize,
    numbers: &Numbers,
    mut output: Output<'_>,
    paint: &impl Paint,
) {
    if chunks.len() > RUN {
        let half = chunks.len() / 2;
        let place = Place {
            words: places[half].words - places[0].words,
            bytes: places[half].bytes - places[0].bytes,
            leaves: places[half].leaves - places[0].leaves,
        };
        let [low, high] = output.split(half, place);
        rayon::join(
            || fill_lower(&chunks[..half], &places[..=half], first, numbers, low, paint),
            || fill_lower(&chunks[half..], &places[half..], first + half, numbers, high, paint),
        );
        return;
    }
    let mut done = Place::default();
    for (number, chunk) in chunks.iter().enumerate() {
        fill_chunk(chunk, number, places[0], &mut done, numbers, &mut output, |normals, colors| {
            paint(first + number, normals, colors);
        });
    }
}

/// The nodes below a chunk. `before` come before the run that the chunk is in, `done` before it in the run.
fn fill_chunk(
    chunk: &Chunk,
    number: usize,
    before: Place,
    done: &mut Place,
    numbers: &Numbers,
    output: &mut Output<'_>,
    paint: impl FnOnce(&mut [u16], &mut [Color]),
) {
    let leaves = done.leaves as usize..(done.leaves + count(&chunk.boundary)) as usize;
    paint(&mut output.leaves.normals[leaves.clone()], &mut output.colors[leaves]);
    for (word, slot) in output.words.nodes[8 * number..8 * number + 8].iter_mut().enumerate() {
        let (boundary, solid) = (chunk.boundary[word], chunk.solid[word]);
        if boundary == 0 {
            *slot = empty(solid != 0);
            continue;
        }
        let here = before.words + done.words;
        *slot = Node::branch(numbers.bytes + 8 * here, numbers.word_attributes + here);
        let block = 8 * done.words as usize;
        let first_byte = done.bytes as usize;
        for (byte, slot) in output.bytes.nodes[block..block + 8].iter_mut().enumerate() {
            let (boundary, solid) = (boundary >> (8 * byte) & 0xff, solid >> (8 * byte) & 0xff);
            if boundary == 0 {
                *slot = empty(solid != 0);
                continue;
            }
            let here = before.bytes + done.bytes;
            *slot = Node::branch(numbers.leaves + 8 * here, numbers.byte_attributes + here);
            let block = 8 * done.bytes as usize;
            let first_leaf = done.leaves as usize;
            write_leaves(&mut output.leaves.nodes[block..block + 8], boundary, solid, before.leaves + done.leaves);
            done.leaves += boundary.count_ones();
            output.bytes.normals[done.bytes as usize] =
                normal::mean(&output.leaves.normals[first_leaf..done.leaves as usize]);
            done.bytes += 1;
        }
        output.words.normals[done.words as usize] =
            normal::mean(&output.bytes.normals[first_byte..done.bytes as usize]);
        done.words += 1;
    }
}

/// Eight leaves outside or on the boundary, by which of them are boundary; those have attributes from 0 on.
const LEAVES: [[Node; 8]; 256] = {
    let mut leaves = [[Node::OUTSIDE; 8]; 256];
    let mut boundary = 0;
    while boundary < 256 {
        let mut bit = 0;
        while bit < 8 {
            if boundary >> bit & 1 != 0 {
                leaves[boundary][bit] = Node::leaf((boundary & ((1 << bit) - 1)).count_ones());
            }
            bit += 1;
        }
        boundary += 1;
    }
    leaves
};

/// Eight leaves, of which the boundary ones have attributes from `first` on. Without a branch, because most nodes of a tree
/// are written here, and none could be foreseen.
#[inline]
fn write_leaves(nodes: &mut [Node], boundary: u64, solid: u64, first: u32) {
    for (bit, (node, leaf)) in nodes.iter_mut().zip(&LEAVES[boundary as usize]).enumerate() {
        let is_empty = (leaf.descriptor / EMPTY) & 1;
        node.descriptor = leaf.descriptor | ((solid as u32 >> bit & 1) * INTERNAL);
        node.attributes = leaf.attributes.wrapping_add(first) | 0u32.wrapping_sub(is_empty);
    }
}

#[inline]
fn empty(is_inside: bool) -> Node {
    if is_inside { Node::INSIDE } else { Node::OUTSIDE }
}

/// The normals of the chunks' level and those above it, the root last.
fn fill_upper_normals(normals: &mut [u16], word_normals: &[u16], chunks: &[&Chunk], codes: &[Vec<u32>]) {
    let mut words = 0;
    for (slot, chunk) in normals.iter_mut().zip(chunks) {
        let children = chunk.boundary.iter().filter(|&&word| word != 0).count();
        *slot = normal::mean(&word_normals[words..words + children]);
        words += children;
    }
    let mut start = 0;
    for level in (0..codes.len() - 1).rev() {
        let (below, above) = normals[start..].split_at_mut(codes[level + 1].len());
        let mut child = 0;
        for (slot, &code) in above.iter_mut().zip(&codes[level]) {
            let end = child + codes[level + 1][child..].iter().take_while(|&&below| below >> 3 == code).count();
            *slot = normal::mean(&below[child..end]);
            child = end;
        }
        start += codes[level + 1].len();
    }
}

/// The largest nodes without any of some chunks, which are given by their codes in order: Morton code, and level above the
/// chunks', of which there are `top`.
pub(super) fn empty_nodes(chunks: impl Iterator<Item = u32>, top: u32) -> Vec<(u32, u32)> {
    let mut codes: Vec<u32> = chunks.collect();
    let mut empty = Vec::new();
    for height in 0..top {
        for siblings in codes.chunk_by(|a, b| a >> 3 == b >> 3) {
            let first = siblings[0] & !7;
            empty.extend((first..first + 8).filter(|code| !siblings.contains(code)).map(|code| (code, height)));
        }
        codes.iter_mut().for_each(|code| *code >>= 3);
        codes.dedup();
    }
    empty
}

/// Each boundary voxel of a chunk, in Morton order: its number in the chunk.
pub(super) fn voxels(boundary: &Bits) -> impl Iterator<Item = u32> + '_ {
    (0..).step_by(64).zip(boundary).flat_map(|(first, &word)| ones(word).map(move |bit| first + bit))
}
