//! Voronoi cells of points in a box, each cut out of the box on its own.

mod cells;
mod clipper;
mod tree;

#[cfg(test)]
mod tests;

use glam::DVec3;
use rayon::prelude::*;
use thiserror::Error;

use super::{Aabb, Convex, Plane, PolyMesh};
use crate::tolerance;
use cells::{Cells, Finish};
pub(crate) use clipper::{CellClipper, Cut, HalfSpace};
use tree::{LEAF, Search, Tree};

/// How many cells one task makes.
const CELLS_PER_TASK: usize = 256;

/// Labels from here on are sides of the box.
const FIRST_WALL: u32 = u32::MAX - 5;

/// The label of a side of the box: twice the axis, and one more for the upper side.
fn wall_label(wall: usize) -> u32 {
    FIRST_WALL + wall as u32
}

/// Why points have no Voronoi cells.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum VoronoiError {
    /// There are no points.
    #[error("there are no seeds, but every part of the box must belong to one")]
    NoSeeds,
    /// More points than can be numbered.
    #[error("{seeds} seeds are more than the {} that can be numbered", FIRST_WALL)]
    TooMany {
        /// How many there are.
        seeds: usize,
    },
    /// The box is flat, turned round or out of scale.
    #[error("the box from {min} to {max} is flat or turned round, or its sides are not between 1e-100 and 1e100")]
    Box {
        /// Its lowest corner.
        min: DVec3,
        /// Its highest corner.
        max: DVec3,
    },
    /// A point is not in the box.
    #[error("seed {seed} at {position} is not in the box from {min} to {max}", min = bounds.min, max = bounds.max)]
    Outside {
        /// The point, counted from zero.
        seed: usize,
        /// Where it is.
        position: DVec3,
        /// The box.
        bounds: Aabb,
    },
    /// Two points are the same, or too close for a plane between them.
    #[error("seeds {first} and {second} are in the same place ({distance:.3e} apart): leave one of them out")]
    Duplicate {
        /// The first of the two, counted from zero.
        first: usize,
        /// The second.
        second: usize,
        /// How far they are apart.
        distance: f64,
    },
}

/// Whom a face separates a cell from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The cell of another seed.
    Cell(u32),
    /// A side of the box: twice the axis, and one more for the upper side.
    Wall(u8),
}

/// The Voronoi cells of some seeds in a box: each point of the box is in the cell of its nearest seed.
///
/// Made by [`voronoi`].
#[derive(Clone, Debug, PartialEq)]
pub struct Voronoi {
    seeds: Vec<DVec3>,
    bounds: Aabb,
    /// Cells stand in the order in which the seeds are neighbours, a task's cells together.
    tasks: Vec<Cells>,
    /// The place of each seed's cell.
    places: Vec<u32>,
}

/// One cell of a [`Voronoi`].
#[derive(Clone, Copy, Debug)]
pub struct VoronoiCell<'a> {
    diagram: &'a Voronoi,
    seed: u32,
    vertices: &'a [DVec3],
    corners: &'a [u32],
    faces: &'a [cells::Face],
    volume: f64,
}

/// One face of a [`VoronoiCell`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoronoiFace<'a> {
    /// Whom it separates the cell from.
    pub side: Side,
    /// Its corners as numbers of the cell's vertices, counter-clockwise seen from outside.
    pub corners: &'a [u32],
}

/// The Voronoi cells of seeds in a box.
///
/// Every cell is cut out of the box by the planes halfway to other seeds, from near to far, until the next seed is more
/// than twice as far as the farthest vertex. Cells are independent, so they are made in parallel, and the same on any
/// number of threads. Seeds may be anywhere in the box and on its surface, in lattices, planes or lines; where more than
/// four cells meet in a point (within rounding), each has one vertex there.
///
/// # Errors
/// If there are no seeds, the box has no volume, or a seed is not in it. Two seeds in the same place (closer than
/// [`tolerance::SAME_SEED`]) are an error, because it is the caller who knows which of them to keep.
///
/// ```
/// use fracas::geometry::{Aabb, Side, voronoi};
/// use glam::DVec3;
///
/// let bounds = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
/// let cells = voronoi(&[DVec3::new(0.2, 0.5, 0.5), DVec3::new(0.8, 0.5, 0.5)], bounds)?;
/// assert!((cells.cell(0).volume() - 0.5).abs() < 1e-15);
/// assert!(cells.cell(0).faces().any(|face| face.side == Side::Cell(1)));
/// # Ok::<(), fracas::geometry::VoronoiError>(())
/// ```
pub fn voronoi(seeds: &[DVec3], bounds: Aabb) -> Result<Voronoi, VoronoiError> {
    check(seeds, bounds)?;
    let tree = Tree::build(seeds);
    let scale = bounds.min.abs().max(bounds.max.abs()).length();
    let tasks: Vec<(Cells, Option<[u32; 2]>)> = (0..seeds.len().div_ceil(CELLS_PER_TASK))
        .into_par_iter()
        .map_init(Scratch::default, |scratch, task| {
            let places = task * CELLS_PER_TASK..seeds.len().min((task + 1) * CELLS_PER_TASK);
            scratch.make_cells(&tree, places, bounds, scale)
        })
        .collect();
    if let Some([first, second]) = tasks.iter().filter_map(|(_, same)| *same).min() {
        let distance = seeds[first as usize].distance(seeds[second as usize]);
        return Err(VoronoiError::Duplicate { first: first as usize, second: second as usize, distance });
    }
    let mut places = vec![0; seeds.len()];
    for (place, &seed) in tree.seeds.iter().enumerate() {
        places[seed as usize] = place as u32;
    }
    let tasks = tasks.into_iter().map(|(cells, _)| cells).collect();
    Ok(Voronoi { seeds: seeds.to_vec(), bounds, tasks, places })
}

fn check(seeds: &[DVec3], bounds: Aabb) -> Result<(), VoronoiError> {
    let sides = (bounds.max - bounds.min).to_array();
    let corners = bounds.largest();
    if !(sides.iter().all(|side| (1e-100..=1e100).contains(side)) && corners <= 1e100) {
        return Err(VoronoiError::Box { min: bounds.min, max: bounds.max });
    }
    if seeds.is_empty() {
        return Err(VoronoiError::NoSeeds);
    }
    if seeds.len() >= FIRST_WALL as usize {
        return Err(VoronoiError::TooMany { seeds: seeds.len() });
    }
    match seeds.iter().position(|&seed| !bounds.contains(seed)) {
        Some(seed) => Err(VoronoiError::Outside { seed, position: seeds[seed], bounds }),
        None => Ok(()),
    }
}

/// The memory of one thread.
#[derive(Default)]
struct Scratch {
    clipper: CellClipper,
    search: Search,
    finish: Finish,
}

impl Scratch {
    /// The cells of the seeds at some places of the tree, and the first two seeds found in the same place.
    fn make_cells(
        &mut self,
        tree: &Tree,
        places: std::ops::Range<usize>,
        bounds: Aabb,
        scale: f64,
    ) -> (Cells, Option<[u32; 2]>) {
        let mut cells = Cells::default();
        let mut same = None;
        let tolerance = tolerance::CELL_PLANE * scale;
        let too_close = (tolerance::SAME_SEED * scale).powi(2);
        for place in places {
            let (point, seed) = (tree.points[place], tree.seeds[place]);
            let clipper = &mut self.clipper;
            clipper.reset(Aabb { min: bounds.min - point, max: bounds.max - point });
            let limit = 4.0 * clipper.radius_squared();
            tree.near_to_far(point, &mut self.search, limit, |others| {
                // The nearest of a leaf first: what it takes away spares others of the leaf their cut.
                let mut near = [(0.0, 0); LEAF];
                let mut count = 0;
                let limit = 4.0 * clipper.radius_squared();
                for other in others {
                    let squared = tree.points[other].distance_squared(point);
                    if squared < limit && other != place {
                        let mut slot = count;
                        while slot > 0 && near[slot - 1].0 > squared {
                            near[slot] = near[slot - 1];
                            slot -= 1;
                        }
                        near[slot] = (squared, other);
                        count += 1;
                    }
                }
                for &(squared, other) in &near[..count] {
                    if squared >= 4.0 * clipper.radius_squared() {
                        break;
                    }
                    let label = tree.seeds[other];
                    if squared <= too_close {
                        let pair = [seed.min(label), seed.max(label)];
                        same = Some(same.map_or(pair, |known: [u32; 2]| known.min(pair)));
                        return 0.0;
                    }
                    let normal = tree.points[other] - point;
                    clipper.cut(HalfSpace { normal, offset: 0.5 * squared, label }, tolerance);
                }
                4.0 * clipper.radius_squared()
            });
            cells.push(clipper, point, 4.0 * tolerance, &mut self.finish);
        }
        (cells, same)
    }
}

impl Voronoi {
    /// How many cells there are: one for each seed.
    pub fn len(&self) -> usize {
        self.seeds.len()
    }

    /// Whether there are no cells, which never happens.
    pub fn is_empty(&self) -> bool {
        self.seeds.is_empty()
    }

    /// The seeds.
    pub fn seeds(&self) -> &[DVec3] {
        &self.seeds
    }

    /// The box that the cells fill.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The cell of a seed.
    ///
    /// # Panics
    /// If there is no such seed.
    pub fn cell(&self, seed: usize) -> VoronoiCell<'_> {
        let place = self.places[seed] as usize;
        let cells = &self.tasks[place / CELLS_PER_TASK];
        let number = place % CELLS_PER_TASK;
        let begin = if number == 0 { cells::Ends::default() } else { cells.ends[number - 1] };
        let end = cells.ends[number];
        VoronoiCell {
            diagram: self,
            seed: seed as u32,
            vertices: &cells.vertices[begin.vertices..end.vertices],
            corners: &cells.corners[begin.corners..end.corners],
            faces: &cells.faces[begin.faces..end.faces],
            volume: end.volume,
        }
    }

    /// The cells, in the order of the seeds.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = VoronoiCell<'_>> {
        (0..self.len()).map(|seed| self.cell(seed))
    }

    /// The plane between a seed and one of its sides, its normal out of the seed's cell.
    ///
    /// The two cells that share a plane get the same bits, up to the sign: it is computed from the lower number.
    ///
    /// # Panics
    /// If there is no such seed or side.
    pub fn plane(&self, seed: u32, side: Side) -> Plane {
        match side {
            Side::Cell(other) => {
                let (low, high) = (self.seeds[seed.min(other) as usize], self.seeds[seed.max(other) as usize]);
                let plane = Plane::through(0.5 * (low + high), (high - low).normalize());
                if seed < other { plane } else { plane.flipped() }
            }
            Side::Wall(wall) => {
                let axis = usize::from(wall / 2);
                let mut normal = DVec3::ZERO;
                normal[axis] = if wall % 2 == 0 { -1.0 } else { 1.0 };
                Plane::through(if wall % 2 == 0 { self.bounds.min } else { self.bounds.max }, normal)
            }
        }
    }
}

impl<'a> VoronoiCell<'a> {
    /// The number of the cell's seed.
    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// The volume.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The vertices.
    pub fn vertices(&self) -> &'a [DVec3] {
        self.vertices
    }

    /// The faces.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = VoronoiFace<'a>> + use<'a> {
        let (faces, corners) = (self.faces, self.corners);
        (0..faces.len()).map(move |number| {
            let start = if number == 0 { 0 } else { faces[number - 1].end };
            let side = match faces[number].label {
                FIRST_WALL.. => Side::Wall((faces[number].label - FIRST_WALL) as u8),
                label => Side::Cell(label),
            };
            VoronoiFace { side, corners: &corners[start as usize..faces[number].end as usize] }
        })
    }

    /// The plane of a face, as [`Voronoi::plane`] has it.
    pub fn plane(&self, side: Side) -> Plane {
        self.diagram.plane(self.seed, side)
    }

    /// The cell as a solid of its own; its faces are in the order of [`VoronoiCell::faces`].
    pub fn convex(&self) -> Convex {
        let mut surface = PolyMesh { positions: self.vertices.to_vec(), ..PolyMesh::default() };
        let mut planes = Vec::with_capacity(self.faces.len());
        for face in self.faces() {
            surface.push_face(&[face.corners], 0);
            planes.push(self.plane(face.side));
        }
        Convex::from_parts(surface, planes)
    }
}
