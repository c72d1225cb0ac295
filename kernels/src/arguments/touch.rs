//! For the kernels of [`touch`](crate::touch).

use core::sync::atomic::AtomicU32;

use bytemuck::{Pod, Zeroable};

use super::{DeviceSlice, DeviceSliceMut};
use crate::touch::{Chunk, Sight, Touch, Word};
use crate::traverse::Reached;

/// [`touch::Query`](crate::touch::Query).
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Query {
    /// Two for each meeting.
    pub sights: DeviceSlice<Sight>,
    /// The ways of all sights.
    pub ways: DeviceSlice<[i64; 3]>,
    /// The numbers of all grids.
    pub numbers: DeviceSlice<u32>,
    /// The chunks of all grids.
    pub grid_chunks: DeviceSlice<Chunk>,
    /// The chunks that the other octree may come to.
    pub chunks: DeviceSlice<Reached>,
}

super::arguments! {
    /// For [`touch::way`](crate::touch::way): a thread for each of 64 voxels of each sight.
    MakeWay("fracas_touch_way", |arguments| arguments.ways.length) {
        /// Two for each meeting.
        sights: DeviceSlice<Sight>,
        /// The ways of all sights.
        ways: DeviceSliceMut<[i64; 3]>,
    }

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

    /// For [`touch::first_of_sight`](crate::touch::first_of_sight): a thread for each sight, and one more.
    FirstOfSight("fracas_touch_first_of_sight", |arguments| arguments.firsts.length) {
        /// The voxels that are touched.
        touches: DeviceSlice<Touch>,
        /// The first of each sight.
        firsts: DeviceSliceMut<u32>,
    }

    /// For [`touch::mark_near`](crate::touch::mark_near): a thread for each of eight words of each chunk.
    MarkNear("fracas_touch_mark_near", |arguments| 8 * arguments.query.chunks.length) {
        /// What is asked.
        query: Query,
        /// The first touched voxel of each sight.
        firsts: DeviceSlice<u32>,
        /// How far around voxels is looked, in fractions of the other octree's.
        distance: i64,
        /// A mark for each meeting, which starts as 0.
        marks: DeviceSlice<AtomicU32>,
    }
}
