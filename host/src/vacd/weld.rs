//! Cells that are full become one convex again (\[Mueller13\] 3.1, step 3).

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::cells::Cells;
use super::intersect::Shard;
use super::part::{Anchor, Part};
use crate::geometry::is_fracture;
use crate::pattern::AlignedPattern;
use crate::tolerance::FULL;

/// The parent of what was welded.
pub(super) const WELDED: u32 = u32::MAX;

/// Replaces the shards of each cell that they fill by one part of the cell's shape. The shards are sorted by cell and stay
/// so. Also gives back the parts that lost a shard by it.
///
/// A cell that shows any of the original surface stays as it is, for its faces have normals and materials to keep.
pub(super) fn weld(
    shards: Vec<Shard>,
    pattern: &AlignedPattern<'_>,
    cells: &Cells<'_>,
) -> (Vec<Shard>, FxHashSet<u32>) {
    let mut welded = Vec::with_capacity(shards.len());
    let mut parents = FxHashSet::default();
    for shards in shards.chunk_by(|one, other| one.cell == other.cell) {
        let cell = shards[0].cell;
        if shards.len() > 1
            && let Some(solid) = cells.numbered(cell).and_then(|cell| cell.solid.as_ref())
            && is_full(shards, pattern.volume(cell))
        {
            parents.extend(shards.iter().map(|shard| shard.parent));
            let part = Part::internal(solid.clone()).anchored(shards[0].part.anchor());
            welded.push(Shard {
                parent: WELDED,
                cell,
                is_near: shards[0].is_near,
                part: Arc::new(part),
                is_whole: false,
            });
        } else {
            welded.extend_from_slice(shards);
        }
    }
    (welded, parents)
}

fn is_full(shards: &[Shard], volume: f64) -> bool {
    let sum: f64 = shards.iter().map(|shard| shard.part.volume()).sum();
    let solids = || shards.iter().map(|shard| &shard.part).filter(|part| !part.is_ghost());
    let whole = solids().filter(|part| part.anchor() == Anchor::Whole).count();
    (sum - volume).abs() <= FULL * volume
        && (whole == 0 || whole == solids().count())
        && solids().all(|part| part.look().materials.iter().all(|&material| is_fracture(material)))
}
