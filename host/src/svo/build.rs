//! Octrees from chunks of voxels, breadth-first (\[Domaradzki16\] 4.6).
//!
//! On a GPU every level is a segmented scan over the voxels of all pieces (`fracas_kernels::build`). On a CPU most of that
//! is popcounts: three levels of a tree are read off the 512 bits of a chunk.

use fracas_kernels::{node::Node, normal};

use super::bits::{Bits, bytes_in, count, ones};
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
pub(super) fn build(level: u32, chunks: &[&Chunk], solids: &[u32], paint: &impl Paint) -> Tree {
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
        words,
        bytes,
        leaves,
        word_normals: &mut *word_normals,
        byte_normals,
        leaf_normals,
        colors: &mut colors,
    };
    fill_lower(chunks, &places, 0, &numbers, output, paint);
    fill_upper_normals(upper_normals, word_normals, chunks, &codes);
    Tree { level, nodes, starts, normals, colors }
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

/// The last three levels of some chunks.
struct Output<'a> {
    words: &'a mut [Node],
    bytes: &'a mut [Node],
    leaves: &'a mut [Node],
    word_normals: &'a mut [u16],
    byte_normals: &'a mut [u16],
    leaf_normals: &'a mut [u16],
    colors: &'a mut [Color],
}

impl<'a> Output<'a> {
    fn split(self, chunks: usize, place: Place) -> [Output<'a>; 2] {
        let (words_a, words_b) = self.words.split_at_mut(8 * chunks);
        let (bytes_a, bytes_b) = self.bytes.split_at_mut(8 * place.words as usize);
        let (leaves_a, leaves_b) = self.leaves.split_at_mut(8 * place.bytes as usize);
        let (word_normals_a, word_normals_b) = self.word_normals.split_at_mut(place.words as usize);
        let (byte_normals_a, byte_normals_b) = self.byte_normals.split_at_mut(place.bytes as usize);
        let (leaf_normals_a, leaf_normals_b) = self.leaf_normals.split_at_mut(place.leaves as usize);
        let (colors_a, colors_b) = self.colors.split_at_mut(place.leaves as usize);
        [
            Output {
                words: words_a,
                bytes: bytes_a,
                leaves: leaves_a,
                word_normals: word_normals_a,
                byte_normals: byte_normals_a,
                leaf_normals: leaf_normals_a,
                colors: colors_a,
            },
            Output {
                words: words_b,
                bytes: bytes_b,
                leaves: leaves_b,
                word_normals: word_normals_b,
                byte_normals: byte_normals_b,
                leaf_normals: leaf_normals_b,
                colors: colors_b,
            },
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
    paint(&mut output.leaf_normals[leaves.clone()], &mut output.colors[leaves]);
    for (word, slot) in output.words[8 * number..8 * number + 8].iter_mut().enumerate() {
        let (boundary, solid) = (chunk.boundary[word], chunk.solid[word]);
        if boundary == 0 {
            *slot = empty(solid != 0);
            continue;
        }
        let here = before.words + done.words;
        *slot = Node::branch(numbers.bytes + 8 * here, numbers.word_attributes + here);
        let block = 8 * done.words as usize;
        let first_byte = done.bytes as usize;
        for (byte, slot) in output.bytes[block..block + 8].iter_mut().enumerate() {
            let (boundary, solid) = (boundary >> (8 * byte) & 0xff, solid >> (8 * byte) & 0xff);
            if boundary == 0 {
                *slot = empty(solid != 0);
                continue;
            }
            let here = before.bytes + done.bytes;
            *slot = Node::branch(numbers.leaves + 8 * here, numbers.byte_attributes + here);
            let block = 8 * done.bytes as usize;
            let first_leaf = done.leaves as usize;
            for (bit, slot) in output.leaves[block..block + 8].iter_mut().enumerate() {
                if boundary >> bit & 1 != 0 {
                    *slot = Node::leaf(before.leaves + done.leaves);
                    done.leaves += 1;
                } else {
                    *slot = empty(solid >> bit & 1 != 0);
                }
            }
            output.byte_normals[done.bytes as usize] =
                mean_normal(&output.leaf_normals[first_leaf..done.leaves as usize]);
            done.bytes += 1;
        }
        output.word_normals[done.words as usize] = mean_normal(&output.byte_normals[first_byte..done.bytes as usize]);
        done.words += 1;
    }
}

#[inline]
fn empty(is_inside: bool) -> Node {
    if is_inside { Node::INSIDE } else { Node::OUTSIDE }
}

fn mean_normal(normals: &[u16]) -> u16 {
    let mut sum = [0; 3];
    for &packed in normals {
        let [x, y, z] = normal::unpack(packed);
        sum = [sum[0] + x, sum[1] + y, sum[2] + z];
    }
    normal::pack(sum)
}

/// The normals of the chunks' level and those above it, the root last.
fn fill_upper_normals(normals: &mut [u16], word_normals: &[u16], chunks: &[&Chunk], codes: &[Vec<u32>]) {
    let mut words = 0;
    for (slot, chunk) in normals.iter_mut().zip(chunks) {
        let children = chunk.boundary.iter().filter(|&&word| word != 0).count();
        *slot = mean_normal(&word_normals[words..words + children]);
        words += children;
    }
    let mut start = 0;
    for level in (0..codes.len() - 1).rev() {
        let (below, above) = normals[start..].split_at_mut(codes[level + 1].len());
        let mut child = 0;
        for (slot, &code) in above.iter_mut().zip(&codes[level]) {
            let end = child + codes[level + 1][child..].iter().take_while(|&&below| below >> 3 == code).count();
            *slot = mean_normal(&below[child..end]);
            child = end;
        }
        start += codes[level + 1].len();
    }
}

/// Each boundary voxel of a chunk, in Morton order: its number in the chunk.
pub(super) fn voxels(boundary: &Bits) -> impl Iterator<Item = u32> + '_ {
    (0..).step_by(64).zip(boundary).flat_map(|(first, &word)| ones(word).map(move |bit| first + bit))
}
