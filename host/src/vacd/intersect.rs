//! Convexes cut by the cells of a pattern (\[Mueller13\] 3.1 step 2, and 3.3).

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;

use super::cells::{Cell, Cells, OUTSIDE, Walls};
use super::fit::{Fit, Fitter, largest_coordinate};
use super::inside::{Place, Placing};
use super::part::{Part, Role};
use super::visual;
use crate::geometry::{Aabb, Clipped, Clipper, Convex, FRACTURE, Plane, PolyMesh, is_fracture};
use crate::tolerance::{FULL, ON_PLANE, SLIVER};

/// What a cell cuts out of a part.
#[derive(Clone, Debug)]
pub(super) struct Shard {
    /// The number of the part that it was cut from.
    pub(super) parent: u32,
    /// The cell that it is in, or [`OUTSIDE`].
    pub(super) cell: u32,
    /// Whether the impact's sphere may reach into the cell.
    pub(super) is_near: bool,
    pub(super) part: Arc<Part>,
    /// Whether it is the whole part.
    pub(super) is_whole: bool,
}

/// What was cut, and what was lost by it.
#[derive(Debug, Default)]
pub(super) struct Shards {
    pub(super) shards: Vec<Shard>,
    pub(super) dropped: usize,
    pub(super) dropped_volume: f64,
}

impl Shards {
    fn append(&mut self, other: Shards) {
        self.shards.extend(other.shards);
        self.dropped += other.dropped;
        self.dropped_volume += other.dropped_volume;
    }
}

/// How parts are cut.
#[derive(Clone, Copy)]
pub(super) struct CutOptions {
    /// Of the new faces.
    pub(super) material: u32,
    pub(super) fit: Fit,
}

/// So many cuts are one task: few enough that no thread waits long for another.
const TOGETHER: usize = 4;

thread_local! {
    /// Kept from blow to blow, so that cuts hardly ever ask for memory.
    static CUTTER: std::cell::Cell<Option<Box<Cutter>>> = const { std::cell::Cell::new(None) };
}

/// Cuts parts by all cells that they overlap: first by their walls, then what is inside of these by the cells.
pub(super) fn intersect(parts: &[(u32, Arc<Part>)], cells: &Cells<'_>, options: &CutOptions) -> Shards {
    let cut = |(parent, part): &(u32, Arc<Part>)| {
        let source = Source { parent: *parent, part, is_whole: true };
        let around = cells.around(part);
        match cells.walls(part, &around) {
            Some(walls) => cut_walled(source, &walls, &around, cells, options),
            None => CutPart { in_cells: cut_all(source, &around, options), ..CutPart::default() },
        }
    };
    let cuts: Vec<CutPart> = parts.par_iter().map(cut).collect();
    let mut all = Shards::default();
    let (mut in_cells, mut in_walls) = (Shards::default(), Shards::default());
    for CutPart { outside, in_cells: open, in_walls: walled } in cuts {
        all.append(outside);
        in_cells.append(open);
        in_walls.append(walled);
    }
    all.append(in_cells);
    all.append(in_walls);
    all
}

/// What is cut.
#[derive(Clone, Copy)]
struct Source<'a> {
    /// The number of the part that it is, or that it was cut from.
    parent: u32,
    part: &'a Arc<Part>,
    /// Whether it is the whole part.
    is_whole: bool,
}

/// What becomes of a part.
#[derive(Default)]
struct CutPart {
    /// What is outside of its walls.
    outside: Shards,
    /// What is in cells, of a part without walls and of one with walls.
    in_cells: Shards,
    in_walls: Shards,
}

fn cut_walled(source: Source<'_>, walls: &Walls, around: &[&Cell], cells: &Cells<'_>, options: &CutOptions) -> CutPart {
    let sides: Vec<&Cell> = walls.outsides.iter().chain([&walls.inside]).collect();
    let mut outside = cut_all(source, &sides, options);
    let mut in_walls = Shards::default();
    for Shard { parent, part, is_whole, .. } in outside.shards.extract_if(.., |shard| shard.cell != OUTSIDE) {
        let source = Source { parent, part: &part, is_whole };
        in_walls.append(cut_all(source, &cells.still_around(&part, around), options));
    }
    CutPart { outside, in_walls, ..CutPart::default() }
}

fn cut_all(source: Source<'_>, cells: &[&Cell], options: &CutOptions) -> Shards {
    let cut_some = |cells: &[&Cell]| {
        // Another task may run on this thread in the middle of a cut; it finds none there and makes its own.
        let mut cutter = CUTTER.take().unwrap_or_default();
        let mut result = Shards::default();
        cells.iter().for_each(|cell| cutter.cut(source, cell, options, &mut result));
        CUTTER.set(Some(cutter));
        result
    };
    let results: Vec<Shards> = cells.par_chunks(TOGETHER).map(cut_some).collect();
    let mut all = Shards::default();
    results.into_iter().for_each(|result| all.append(result));
    all
}

/// Memory for cuts.
#[derive(Default)]
struct Cutter {
    clipper: Clipper,
    fitter: Fitter,
    /// The planes of the cell that cut the convex, by number, and how much of its depth each cuts off.
    cutting: Vec<(f64, u32)>,
    bounding: Bounding,
    placing: Placing,
    mesh: PolyMesh,
    next_mesh: PolyMesh,
}

/// The faces of a convex that cut a cell.
#[derive(Default)]
struct Bounding {
    /// How much of the cell's depth each cuts off, and its number.
    faces: Vec<(f64, u32)>,
}

impl Bounding {
    /// Finds the faces; whether cutting the cell, which is in a box, by them is less work than so many cuts, and gives
    /// the same.
    fn find(&mut self, convex: &Convex, cell: &Convex, bounds: &Aabb, most: usize) -> bool {
        if convex.surface().has_attributes() {
            return false;
        }
        let largest = largest_coordinate(cell.vertices());
        self.faces.clear();
        for (face, plane) in (0..).zip(convex.planes()) {
            let slack = ON_PLANE * (largest + plane.offset.abs());
            if plane.range_of_box(bounds)[1] < -slack {
                continue;
            }
            let [low, high] = plane.range(cell.vertices());
            if high > slack {
                self.faces.push((high / (high - low), face));
            } else if high >= -slack {
                // The convex's own face is there and not the cell's: the face may be original surface.
                return false;
            }
            if self.faces.len() >= most {
                return false;
            }
        }
        self.faces.sort_by(|one, other| other.0.total_cmp(&one.0));
        true
    }
}

impl Cutter {
    /// Cuts a part by the planes of a cell.
    fn cut(&mut self, source: Source<'_>, cell: &Cell, options: &CutOptions, result: &mut Shards) {
        let Source { parent, part, is_whole } = source;
        if !self.find_cutting(part, &cell.planes) {
            return;
        }
        let (number, is_near) = (cell.number, cell.is_near);
        if self.cutting.is_empty() {
            result.shards.push(Shard { parent, cell: number, is_near, part: Arc::clone(part), is_whole });
            return;
        }
        let material = FRACTURE | options.material;
        if !self.clip_convex(part.convex(), cell, material) {
            return;
        }
        let convex = &self.fitter.whole;
        let mut push = |piece: Part| {
            let share = piece.volume().abs();
            if share > SLIVER * part.volume().abs() && share.is_finite() {
                let part = Arc::new(piece);
                result.shards.push(Shard { parent, cell: number, is_near, part, is_whole: false });
            } else {
                result.dropped += 1;
                result.dropped_volume += if share.is_finite() { share } else { 0.0 };
            }
        };
        match (part.role(), part.visual()) {
            (Role::Ghost { is_negative }, _) => push(Part::ghost(convex.finish(), is_negative)),
            (Role::Solid, None) => push(Part::internal(convex.finish())),
            (Role::Solid, Some(visual)) => {
                match self.placing.place_of(convex, visual) {
                    Place::Across => {}
                    Place::Outside => return,
                    Place::Solid(convex) => return push(Part::internal(convex)),
                }
                let Some(visual) = self.clip_visual(visual, cell, material) else { return };
                let convex = &self.fitter.whole;
                let is_inside = !visual.materials.iter().any(|&material| !is_fracture(material));
                if is_inside {
                    let [inner, outer] = [&visual, convex.surface()].map(|surface| surface.mass_properties().volume);
                    if (outer - inner).abs() <= FULL * outer {
                        return push(Part::internal(convex.finish()));
                    }
                }
                for island in visual::islands(visual) {
                    push(Part::surface(self.fitter.fit(&island.positions, &options.fit), island));
                }
            }
        }
    }

    /// Finds the planes that cut a part's convex, those that cut off most first; whether any of it is inside of all.
    fn find_cutting(&mut self, part: &Part, planes: &[(Plane, bool)]) -> bool {
        let (vertices, bounds) = (part.convex().vertices(), part.aabb());
        let largest = bounds.largest();
        self.cutting.clear();
        for (number, (plane, is_flipped)) in (0..).zip(planes) {
            let slack = ON_PLANE * (largest + plane.offset.abs());
            if plane.range_of_box(&bounds)[1] < -slack {
                continue;
            }
            let [low, high] = plane.range(vertices);
            if low >= -slack && high <= slack {
                // All of it is in the plane: it goes to the side of its middle, and to one side only.
                let middle = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
                let height = plane.signed_distance(middle);
                if height > 0.0 || height == 0.0 && *is_flipped {
                    return false;
                }
            } else if low >= -slack {
                return false;
            } else if high > slack {
                self.cutting.push((high / (high - low), number));
            }
        }
        // The plane that cuts off most goes first: those after it have less to look at.
        self.cutting.sort_by(|one, other| other.0.total_cmp(&one.0));
        true
    }

    /// Clips a convex by the cell, or the cell by the convex if that takes fewer cuts; whether anything is left.
    fn clip_convex(&mut self, convex: &Convex, cell: &Cell, material: u32) -> bool {
        let result = &mut self.fitter.whole;
        let bounding = &mut self.bounding;
        let is_less_work = |solid: &&Convex| bounding.find(convex, solid, &cell.bounds, self.cutting.len());
        if let Some(solid) = cell.exact_solid().filter(is_less_work) {
            result.start(solid);
            let materials = &convex.surface().materials;
            let cut = |face: u32| (&convex.planes()[face as usize], materials[face as usize]);
            let mut cuts = self.bounding.faces.iter().map(|&(_, face)| cut(face));
            return !cuts.any(|(plane, material)| result.clip(plane, material) == Clipped::Nothing);
        }
        result.start(convex);
        let mut planes = self.cutting.iter().map(|&(_, number)| &cell.planes[number as usize].0);
        !planes.any(|plane| result.clip(plane, material) == Clipped::Nothing)
    }

    fn clip_visual(&mut self, visual: &PolyMesh, cell: &Cell, material: u32) -> Option<PolyMesh> {
        let Cutter { clipper, cutting, mesh, next_mesh, fitter, .. } = self;
        let left = fitter.whole.planes();
        let mut is_first = true;
        // A plane that bounds nothing of what is left of the convex bounds nothing of the mesh inside of it.
        let planes = cutting.iter().map(|&(_, number)| &cell.planes[number as usize].0);
        for plane in planes.filter(|plane| left.contains(plane)) {
            let from = if is_first { visual } else { &*mesh };
            match clipper.clip(from, plane, material, next_mesh) {
                Clipped::Nothing => return None,
                Clipped::Whole => continue,
                Clipped::Part => {}
            }
            std::mem::swap(mesh, next_mesh);
            is_first = false;
        }
        // Cloning leaves no room to grow, which parts never do.
        Some(if is_first { visual.clone() } else { mesh.clone() })
    }
}
