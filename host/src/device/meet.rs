//! The voxels of octrees that other octrees come to (\[Domaradzki16\] 5.1.1) on a device, for all pairs at once.

use fracas_kernels::arguments::touch::{FirstOfSight, MakeWay, MakeWord, MarkNear, Query, TakeTouch};
use fracas_kernels::arguments::traverse as arguments;
use fracas_kernels::touch::{Sight, Touch};
use fracas_kernels::traverse::{Meeting, Reached};

use super::DeviceError;
use super::machine::Machine;
use super::memory::{Device, List};
use super::residents::Residents;
use crate::svo::{CLEARANCE, Comparison, units};

/// What comparisons found.
pub(super) struct Touched<'a, M: Machine> {
    /// Sorted by sight: two for each comparison.
    pub(super) touches: List<'a, M, Touch>,
    /// The first of each sight, and the number of all.
    pub(super) firsts: Vec<u32>,
    /// Of each comparison that touches nothing, whether something is near.
    pub(super) near: Vec<u32>,
}

impl<M: Machine> Touched<'_, M> {
    /// How many voxels of either octree of a comparison are touched.
    pub(super) fn counts(&self, comparison: usize) -> [u32; 2] {
        counts(&self.firsts, comparison)
    }
}

/// How many elements either side of a comparison has, from where those of each sight start.
pub(super) fn counts(firsts: &[u32], comparison: usize) -> [u32; 2] {
    [0, 1].map(|side| firsts[2 * comparison + side + 1] - firsts[2 * comparison + side])
}

impl<M: Machine> Device<M> {
    /// The voxels that are touched, of octrees that are on the device.
    pub(super) fn touched(
        &self,
        comparisons: &[Comparison<'_>],
        residents: &Residents<M>,
    ) -> Result<Touched<'_, M>, DeviceError> {
        let mut next_mark = 0;
        let meeting = |comparison: &Comparison<'_>| {
            let [first, second] = comparison.marks().map(|marks| marks as u32);
            let starts = [next_mark, next_mark + first];
            next_mark += first + second;
            comparison.meeting(comparison.trees().map(|tree| residents.octree(tree).nodes), starts)
        };
        let meetings: Vec<Meeting> = comparisons.iter().map(meeting).collect();
        let sight = |comparison: &Comparison<'_>, side: usize| {
            let (trees, [own, other]) = (comparison.trees(), comparison.grid_levels(side));
            Sight {
                view: comparison.view(side),
                own: residents.grid(trees[side], own),
                other: residents.grid(trees[1 - side], other),
            }
        };
        let sights: Vec<Sight> =
            comparisons.iter().flat_map(|comparison| [0, 1].map(|side| sight(comparison, side))).collect();

        let meetings = self.upload(&meetings)?;
        let walk = arguments::Walk { nodes: residents.nodes.read(self), meetings: meetings.read() };
        let chunks = self.reached(walk, next_mark as usize)?;
        let ways = self.list(64 * sights.len())?;
        let sights = self.upload(&sights)?;
        self.launch(&MakeWay { sights: sights.read(), ways: ways.write() })?;
        let query = Query {
            sights: sights.read(),
            ways: ways.read(),
            numbers: residents.numbers.read(self),
            grid_chunks: residents.chunks.read(self),
            chunks: chunks.read(),
        };
        let (words, counts) = (self.list(8 * chunks.len())?, self.list(8 * chunks.len())?);
        self.launch(&MakeWord { query, words: words.write(), counts: counts.write() })?;
        let (starts, total) = self.starts(&counts)?;
        let touches = self.list(total)?;
        self.launch(&TakeTouch { query, words: words.read(), starts: starts.read(), output: touches.write() })?;
        let firsts = self.list(sights.len() + 1)?;
        self.launch(&FirstOfSight { touches: touches.read(), firsts: firsts.write() })?;
        let near = self.zeros::<u32>(comparisons.len())?;
        let distance = units(CLEARANCE);
        self.launch(&MarkNear { query, firsts: firsts.read(), distance, marks: near.shared() })?;
        Ok(Touched { touches, firsts: firsts.download()?, near: near.download()? })
    }

    /// The chunks of voxels that pairs of octrees come to, from the walk through each pair.
    fn reached(&self, walk: arguments::Walk, mark_count: usize) -> Result<List<'_, M, Reached>, DeviceError> {
        let meetings = walk.meetings.length as usize;
        let marks = self.zeros::<u32>(mark_count)?;
        let counts = self.list(meetings)?;
        self.launch(&arguments::HasRoot { walk, counts: counts.write() })?;
        let (starts, total) = self.starts(&counts)?;
        let mut pairs = self.list(total)?;
        self.launch(&arguments::Root { walk, starts: starts.read(), pairs: pairs.write() })?;
        while pairs.len() > 0 {
            let counts = self.list(pairs.len())?;
            self.launch(&arguments::ChildCount { walk, pairs: pairs.read(), counts: counts.write() })?;
            let (starts, total) = self.starts(&counts)?;
            let next = self.list(total)?;
            self.launch(&arguments::Descend {
                walk,
                pairs: pairs.read(),
                starts: starts.read(),
                marks: marks.shared(),
                output: next.write(),
            })?;
            pairs = next;
        }
        let counts = self.list(mark_count)?;
        self.launch(&arguments::IsReached { marks: marks.shared(), counts: counts.write() })?;
        let (starts, total) = self.starts(&counts)?;
        let reached = self.list(total)?;
        self.launch(&arguments::TakeReached {
            meetings: walk.meetings,
            marks: marks.shared(),
            starts: starts.read(),
            output: reached.write(),
        })?;
        Ok(reached)
    }
}
