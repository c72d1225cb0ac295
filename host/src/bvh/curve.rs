//! Things in the order of the Z-order curve.
//!
//! A code has 63 bits, of which the first 33 nearly always tell things apart; these and a thing's number fit one word.
//! So words are sorted, and the few runs whose first bits are the same are put right by their whole codes. The sort
//! starts with the highest digit: each chunk of the list is spread over the values of that digit by itself, each value
//! then gathers its things from all chunks and is sorted alone, in the cache. Both halves run on all threads, and as no
//! two words are the same there is only one order to find.

use bytemuck::Zeroable;
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

use crate::geometry::Aabb;
use fracas_kernels::morton;

/// How many things one task spreads.
const CHUNK: usize = 1 << 15;

/// The highest digit of a word.
const HIGH_BITS: u32 = 11;
const HIGH_VALUES: usize = 1 << HIGH_BITS;

/// The bits of a word that hold a number.
const NUMBER_BITS: u32 = 31;

/// The bits of a code that a word leaves out.
const REST_BITS: u32 = 3 * morton::BITS_63 - (64 - NUMBER_BITS);

/// Lists up to this length are sorted by comparing.
const SHORT: usize = 192;

/// So many are not spread first, which takes a look at every value of the highest digit.
const FEW: usize = 2048;

/// Things in the order of the curve. What one was found with is kept, so that the next one finds its memory there.
#[derive(Clone, Debug, Default)]
pub(super) struct Curve {
    /// The first bits of the code, then the number, in order.
    words: Vec<u64>,
    /// The whole code of every thing, by number.
    codes: Vec<u64>,
    /// The words of each chunk, spread over the values of the highest digit, and where each value ends.
    spread: Vec<u64>,
    ends: Vec<u32>,
}

impl Curve {
    /// Makes it the curve through the centres of things, which lie within `bounds` or are not numbers.
    pub(super) fn pass_through(&mut self, count: usize, center: impl Fn(usize) -> DVec3 + Sync, bounds: Aabb) {
        let cells = (1u64 << morton::BITS_63) as f64;
        let size = 0.5 * bounds.max - 0.5 * bounds.min;
        let scale = 0.5 * cells / size.max_element().max(f64::MIN_POSITIVE);
        let code = |number: usize| {
            // The cast takes what is not a number to zero, and what lies beyond to the last cell.
            let cell = ((center(number) - bounds.min) * scale).to_array();
            let [x, y, z] = cell.map(|c| (c as u32).min((1 << morton::BITS_63) - 1));
            morton::encode_63(x, y, z)
        };
        let Curve { words, codes, spread, ends } = self;
        set_length(codes, count);
        if count <= FEW {
            codes.iter_mut().zip(0..).for_each(|(slot, number)| *slot = code(number));
            words.clear();
            words.extend(codes.iter().zip(0..).map(|(&code, number)| word(code, number)));
            words.sort_unstable();
            sort_runs(words, codes);
            return;
        }
        set_length(words, count);
        set_length(spread, count);
        set_length(ends, count.div_ceil(CHUNK) * HIGH_VALUES);
        (codes
            .par_chunks_mut(CHUNK)
            .zip(spread.par_chunks_mut(CHUNK))
            .zip(ends.par_chunks_mut(HIGH_VALUES))
            .enumerate())
        .for_each(|(chunk, ((codes, words), ends))| {
            let first = chunk * CHUNK;
            codes.iter_mut().zip(first..).for_each(|(slot, number)| *slot = code(number));
            spread_words(codes, first as u32, words, ends);
        });
        let chunks = spread.chunks(CHUNK).zip(ends.chunks(HIGH_VALUES));
        let chunks: Vec<Chunk<'_>> = chunks.map(|(words, ends)| Chunk { words, ends }).collect();
        gather(&chunks, codes, words);
    }

    /// The thing at a place.
    #[inline]
    pub(super) fn number(&self, place: usize) -> u32 {
        number(self.words[place])
    }

    /// The place in a range of two and more where the highest bit that differs in it changes; the middle, where all
    /// codes are the same.
    #[inline]
    pub(super) fn cut(&self, range: Range<usize>) -> usize {
        if range.len() == 2 {
            return range.start + 1;
        }
        let (start, last) = (range.start, range.end - 1);
        let differing = self.words[start] ^ self.words[last];
        if differing >> NUMBER_BITS != 0 {
            let bit = 63 - differing.leading_zeros();
            return start + self.words[range].partition_point(|word| word >> bit & 1 == 0);
        }
        let code = |word: u64| self.codes[number(word) as usize];
        let differing = code(self.words[start]) ^ code(self.words[last]);
        if differing == 0 {
            return start + range.len() / 2;
        }
        let bit = 63 - differing.leading_zeros();
        start + self.words[range].partition_point(|&word| code(word) >> bit & 1 == 0)
    }
}

fn word(code: u64, number: u32) -> u64 {
    code >> REST_BITS << NUMBER_BITS | u64::from(number)
}

#[inline]
fn number(word: u64) -> u32 {
    word as u32 & ((1 << NUMBER_BITS) - 1)
}

/// Gives a list a length, whatever is in it. One that is too short is made anew, of pages that are still untouched, so that the
/// threads which fill them share what they cost.
pub(super) fn set_length<T: Zeroable>(list: &mut Vec<T>, length: usize) {
    if list.capacity() < length {
        *list = bytemuck::zeroed_vec(length);
    } else {
        list.resize_with(length, T::zeroed);
    }
}

/// Spreads the words of a part of the list over the values of the highest digit; says where each value ends.
fn spread_words(codes: &[u64], first: u32, words: &mut [u64], ends: &mut [u32]) {
    ends.fill(0);
    for &code in codes {
        ends[high(code >> REST_BITS << NUMBER_BITS)] += 1;
    }
    let mut start = 0;
    for end in ends.iter_mut() {
        start += std::mem::replace(end, start);
    }
    for (&code, number) in codes.iter().zip(first..) {
        let word = word(code, number);
        let slot = &mut ends[high(word)];
        words[*slot as usize] = word;
        *slot += 1;
    }
}

/// A part of the list, spread over the values of the highest digit.
struct Chunk<'a> {
    words: &'a [u64],
    /// Where each value ends.
    ends: &'a [u32],
}

impl Chunk<'_> {
    fn of_value(&self, value: usize) -> &[u64] {
        let start = if value == 0 { 0 } else { self.ends[value - 1] };
        &self.words[start as usize..self.ends[value] as usize]
    }
}

fn high(word: u64) -> usize {
    (word >> (64 - HIGH_BITS)) as usize
}

/// Sorts what chunks have spread into `words`.
fn gather(chunks: &[Chunk<'_>], codes: &[u64], words: &mut [u64]) {
    let mut tasks = Vec::new();
    let mut rest = words;
    let (mut values, mut length) = (0..0, 0);
    for value in 0..HIGH_VALUES {
        values.end = value + 1;
        length += chunks.iter().map(|chunk| chunk.of_value(value).len()).sum::<usize>();
        if length >= CHUNK / 2 || value + 1 == HIGH_VALUES {
            let (part, others) = rest.split_at_mut(length);
            tasks.push((values.clone(), part));
            (values.start, length, rest) = (value + 1, 0, others);
        }
    }
    tasks.into_par_iter().for_each_init(Vec::new, |scratch, (values, part)| {
        let mut start = 0;
        for value in values {
            let mut end = start;
            for chunk in chunks {
                let words = chunk.of_value(value);
                part[end..end + words.len()].copy_from_slice(words);
                end += words.len();
            }
            sort_part(&mut part[start..end], scratch, codes);
            start = end;
        }
    });
}

/// Sorts words by their whole codes, then numbers.
fn sort_part(words: &mut [u64], scratch: &mut Vec<u64>, codes: &[u64]) {
    if words.len() > CHUNK {
        words.par_sort_unstable();
    } else if words.len() > SHORT {
        sort_by_digits(words, scratch);
    } else {
        words.sort_unstable();
    }
    sort_runs(words, codes);
}

/// Puts right those of sorted words that only the rest of their codes tells apart.
fn sort_runs(words: &mut [u64], codes: &[u64]) {
    for run in words.chunk_by_mut(|a, b| a >> NUMBER_BITS == b >> NUMBER_BITS).filter(|run| run.len() > 1) {
        let key = |word: &u64| (codes[number(*word) as usize], *word);
        if run.len() > CHUNK {
            run.par_sort_unstable_by_key(key)
        } else {
            run.sort_unstable_by_key(key)
        };
    }
}

/// Sorts words that stand in the order of their numbers and have the same highest digit, from the lowest digit of the
/// code on.
fn sort_by_digits(words: &mut [u64], scratch: &mut Vec<u64>) {
    const BITS: u32 = 8;
    const PASSES: usize = (64 - NUMBER_BITS - HIGH_BITS).div_ceil(BITS) as usize;
    let digit = |word: u64, pass: usize| (word >> (NUMBER_BITS + pass as u32 * BITS)) as usize & ((1 << BITS) - 1);
    let mut counts = [[0u32; 1 << BITS]; PASSES];
    for &word in words.iter() {
        for (pass, counts) in counts.iter_mut().enumerate() {
            counts[digit(word, pass)] += 1;
        }
    }
    scratch.resize(words.len().max(scratch.len()), 0);
    let (mut from, mut to) = (&mut *words, &mut scratch[..]);
    to = &mut to[..from.len()];
    let mut swapped = false;
    for (pass, counts) in counts.iter_mut().enumerate() {
        if counts[digit(from[0], pass)] as usize == from.len() {
            continue;
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            start += std::mem::replace(count, start);
        }
        for &word in from.iter() {
            let slot = &mut counts[digit(word, pass)];
            to[*slot as usize] = word;
            *slot += 1;
        }
        std::mem::swap(&mut from, &mut to);
        swapped = !swapped;
    }
    if swapped {
        to.copy_from_slice(from);
    }
}
