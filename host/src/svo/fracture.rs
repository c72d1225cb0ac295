//! Fracture of an octree by the Voronoi cells of seeds (\[Domaradzki16\] 4).

use std::time::{Duration, Instant};

use fracas_kernels::morton;
use rayon::prelude::*;
use tracing::debug_span;

use super::bits::{NONE, count, is_same, ones};
use super::build::{Chunk, build, voxels};
use super::extract::{Extract, Shard, Solid, extract};
use super::interior::Painter;
use super::islands::{Piece, islands};
use super::tree::{Color, Tree};
use super::{Interior, Seeds, SvoError};

/// How an octree breaks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FractureOptions {
    /// What its inside looks like.
    pub interior: Interior,
    /// How many levels above the finest islands are looked for, 0 to 3: coarser is faster, and closes gaps
    /// (\[Domaradzki16\] 4.5.2).
    pub coarser_islands: u32,
}

/// What a fracture made.
#[derive(Clone, Debug)]
pub struct Fractured {
    /// The pieces, by cell, and within a cell by their last boundary voxel.
    pub pieces: Vec<Tree>,
    /// The cell of each piece.
    pub cells: Vec<u32>,
    /// Voxels in the fracture boundary set: a voxel counts in each of its cells.
    pub voxels: u64,
    /// What the stages took.
    pub times: FractureTimes,
}

/// The stages of a fracture, as \[Domaradzki16\] Table 1 has them. Finding the internal nodes is a part of building here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FractureTimes {
    /// Extraction of the fracture boundary set.
    pub extraction: Duration,
    /// Sorting of the voxels by cell; by position they come in order.
    pub sorting: Duration,
    /// Island detection.
    pub islands: Duration,
    /// Building of the pieces' octrees with their internal nodes.
    pub building: Duration,
}

impl FractureTimes {
    /// Each stage with its name.
    pub fn rows(&self) -> [(&'static str, Duration); 4] {
        [
            ("extraction", self.extraction),
            ("sorting", self.sorting),
            ("islands", self.islands),
            ("building", self.building),
        ]
    }

    /// All together.
    pub fn total(&self) -> Duration {
        self.extraction + self.sorting + self.islands + self.building
    }
}

impl Tree {
    /// Breaks the octree by the cells of seeds. The octree itself stays as it is.
    ///
    /// # Errors
    /// If an option has no meaning, or a piece has more voxels than an octree can hold.
    pub fn fracture(&self, seeds: &Seeds, options: &FractureOptions) -> Result<Fractured, SvoError> {
        if options.coarser_islands > 3 {
            return Err(SvoError::CoarserIslands { levels: options.coarser_islands });
        }
        rayon::scope(|_| self.break_by(seeds, options))
    }

    fn break_by(&self, seeds: &Seeds, options: &FractureOptions) -> Result<Fractured, SvoError> {
        let mut clock = Instant::now();
        let mut lap = || {
            let now = Instant::now();
            now - std::mem::replace(&mut clock, now)
        };
        let mut times = FractureTimes::default();
        let found = debug_span!("extraction").in_scope(|| extract(self, &seeds.seeds));
        times.extraction = lap();
        let cells = debug_span!("sorting").in_scope(|| by_cell(&found, seeds.cells));
        times.sorting = lap();
        let stage = debug_span!("islands").entered();
        let pieces: Vec<Vec<Piece<'_>>> =
            cells.into_par_iter().map(|(shards, solids)| islands(shards, solids, options.coarser_islands)).collect();
        drop(stage);
        times.islands = lap();
        let stage = debug_span!("building").entered();
        let pieces: Vec<(u32, Piece<'_>)> =
            (0..).zip(pieces).flat_map(|(cell, pieces)| pieces.into_iter().map(move |piece| (cell, piece))).collect();
        let painter = Painter::new(&options.interior, self.level());
        let trees = pieces.par_iter().with_max_len(1).map(|(_, piece)| self.piece(piece, &painter));
        let trees = trees.collect::<Result<Vec<Tree>, SvoError>>()?;
        drop(stage);
        times.building = lap();
        let voxels = found.iter().flat_map(|part| &part.shards).map(|shard| u64::from(count(&shard.chunk.boundary)));
        let cells = pieces.iter().map(|(cell, _)| *cell).collect();
        Ok(Fractured { pieces: trees, cells, voxels: voxels.sum(), times })
    }

    /// The octree of a piece.
    fn piece(&self, piece: &Piece<'_>, painter: &Painter<'_>) -> Result<Tree, SvoError> {
        let chunks: Vec<&Chunk> = piece.shards.iter().map(|shard| &shard.chunk).collect();
        let solids: Vec<u32> = piece.solids.iter().map(|solid| solid.code).collect();
        build(self.level(), &chunks, &solids, &|number: usize, normals: &mut [u16], colors: &mut [Color]| {
            self.paint(&piece.shards[number], painter, normals, colors);
        })
    }

    /// The attributes of a shard's boundary voxels: those of the original where it was boundary.
    fn paint(&self, shard: &Shard, painter: &Painter<'_>, normals: &mut [u16], colors: &mut [Color]) {
        let first = shard.first_attribute as usize;
        if is_same(&shard.chunk.boundary, &shard.original) {
            normals.copy_from_slice(&self.normals[first..first + normals.len()]);
            colors.copy_from_slice(&self.colors[first..first + colors.len()]);
            return;
        }
        let [x, y, z] = morton::decode_30(shard.chunk.code).map(|coordinate| 8 * coordinate);
        let laid_open = |voxel: u32| {
            let [dx, dy, dz] = MORTON[voxel as usize];
            painter.color([x | dx, y | dy, z | dz])
        };
        if is_same(&shard.original, &NONE) {
            shard.normals.fill(normals);
            for (voxel, color) in voxels(&shard.chunk.boundary).zip(colors) {
                *color = laid_open(voxel);
            }
            return;
        }
        let mut number = 0;
        let mut attributes = first;
        let mut slots = normals.iter_mut().zip(colors);
        for (word, (&boundary, &original)) in shard.chunk.boundary.iter().zip(&shard.original).enumerate() {
            for (bit, (normal, color)) in ones(boundary).zip(&mut slots) {
                if original >> bit & 1 != 0 {
                    let attributes = attributes + (original & ((1 << bit) - 1)).count_ones() as usize;
                    (*normal, *color) = (self.normals[attributes], self.colors[attributes]);
                } else {
                    *normal = shard.normals.get(number);
                    *color = laid_open(64 * word as u32 + bit);
                    number += 1;
                }
            }
            attributes += original.count_ones() as usize;
        }
    }
}

/// Where the voxels of a chunk are, in Morton order.
const MORTON: [[u32; 3]; 512] = {
    let mut places = [[0; 3]; 512];
    let mut voxel = 0;
    while voxel < 512 {
        places[voxel] = morton::decode_30(voxel as u32);
        voxel += 1;
    }
    places
};

/// What each cell has, in Morton order.
fn by_cell(found: &[Extract], cells: u32) -> Vec<(Vec<&Shard>, Vec<Solid>)> {
    let mut sorted: Vec<(Vec<&Shard>, Vec<Solid>)> = vec![Default::default(); cells as usize];
    for part in found {
        for shard in &part.shards {
            sorted[shard.cell as usize].0.push(shard);
        }
        for &solid in &part.solids {
            sorted[solid.cell as usize].1.push(solid);
        }
    }
    sorted
}
