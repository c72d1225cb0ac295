//! For the kernels of [`touch`](crate::touch).

use bytemuck::{Pod, Zeroable};

use super::{DeviceSlice, DeviceSliceMut};
use crate::touch::{Chunk, Touch, View, Ways, Word};
use crate::traverse::Reached;

/// [`touch::Grid`](crate::touch::Grid).
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Grid {
    /// The lowest chunk on each axis.
    pub low: [u32; 3],
    /// How many there are on each axis.
    pub size: [u32; 3],
    /// By place, the number of a chunk.
    pub numbers: DeviceSlice<u32>,
    /// The chunks.
    pub chunks: DeviceSlice<Chunk>,
}

/// [`touch::Query`](crate::touch::Query).
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Query {
    /// One view. Tables that a thread indexes stand in memory: a parameter would be copied for each thread.
    pub view: DeviceSlice<View>,
    /// The ways of the view.
    pub ways: DeviceSlice<Ways>,
    /// Its own grid.
    pub own: Grid,
    /// That of the other.
    pub other: Grid,
    /// The chunks that the other may come to.
    pub chunks: DeviceSlice<Reached>,
}

super::arguments! {
    /// For [`touch::word`](crate::touch::word): a thread for each of eight words of each chunk.
    MakeWord("fracas_touch_word", |arguments| arguments.words.length) {
        /// What is asked.
        query: Query,
        /// The voxels of each word that are touched.
        words: DeviceSliceMut<Word>,
        /// How many they are: the elements of a plain scan.
        counts: DeviceSliceMut<u32>,
    }

    /// For [`touch::touch`](crate::touch::touch): a thread for each of 64 voxels of each word.
    TakeTouch("fracas_touch_touch", |arguments| 64 * arguments.words.length) {
        /// What is asked.
        query: Query,
        /// The words.
        words: DeviceSlice<Word>,
        /// The exclusive scan of their counts.
        starts: DeviceSlice<u32>,
        /// The voxels that are touched.
        output: DeviceSliceMut<Touch>,
    }
}
