//! Convexes cut by the cells of a pattern (\[Mueller13\] 3.1 step 2, and 3.3).

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;

use super::fit::{Fit, Fitter};
use super::part::{Part, Role};
use super::visual;
use crate::geometry::{Aabb, Clipped, Clipper, FRACTURE, Plane, PolyMesh, is_fracture};
use crate::pattern::AlignedPattern;
use crate::tolerance::{FULL, ON_PLANE, SLIVER};

/// The cell of what is outside of the pattern's box.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// What a cell cuts out of a part.
#[derive(Clone, Debug)]
pub(super) struct Shard {
    /// The number of the part that it was cut from.
    pub(super) parent: u32,
    /// The cell that it is in, or [`OUTSIDE`].
    pub(super) cell: u32,
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

/// How parts are cut.
#[derive(Clone, Copy)]
pub(super) struct CutOptions {
    /// Of the new faces.
    pub(super) material: u32,
    pub(super) fit: Fit,
}

/// So many cuts are one task: few enough that no thread waits long for another.
const TOGETHER: usize = 16;

/// Cuts parts by all cells that they overlap. The shards are in the order of the parts, then of the cells.
pub(super) fn intersect(parts: &[(u32, Arc<Part>)], pattern: &AlignedPattern<'_>, options: &CutOptions) -> Shards {
    let (walls, planes) = (pattern.walls(), pattern.all_planes());
    let mut jobs: Vec<(usize, u32)> = Vec::new();
    for (place, (_, part)) in parts.iter().enumerate() {
        let first = jobs.len();
        pattern.around(part.convex().vertices().iter().copied(), |cell| jobs.push((place, cell)));
        jobs[first..].sort_unstable();
        if walls.iter().any(|wall| farthest(wall, &part.aabb()) > 0.0) {
            jobs.extend((0..6).map(|wall| (place, OUTSIDE - wall)));
        }
    }
    let cut = |cutter: &mut Cutter, &(place, cell): &(usize, u32), result: &mut Shards| {
        let (parent, part) = &parts[place];
        cutter.planes.clear();
        if cell > OUTSIDE - 6 {
            // Outside of one wall, and inside of those before it.
            let wall = (OUTSIDE - cell) as usize;
            cutter.planes.extend(walls[..wall].iter().map(|wall| (*wall, false)));
            cutter.planes.push((walls[wall].flipped(), true));
        } else {
            let faces = pattern.pattern().cells()[cell as usize].faces();
            cutter.planes.extend(faces.iter().map(|face| (face.of(&planes), face.is_flipped)));
        }
        let cell = if cell > OUTSIDE - 6 { OUTSIDE } else { cell };
        cutter.cut(*parent, cell, part, options, result);
    };
    let cut_all = |cutter: &mut Cutter, jobs: &[(usize, u32)]| {
        let mut result = Shards::default();
        jobs.iter().for_each(|job| cut(cutter, job, &mut result));
        result
    };
    let results: Vec<Shards> = jobs.par_chunks(TOGETHER).map_init(Cutter::default, cut_all).collect();
    let mut all = Shards::default();
    for result in results {
        all.shards.extend(result.shards);
        all.dropped += result.dropped;
        all.dropped_volume += result.dropped_volume;
    }
    all
}

/// How far the farthest point of a box is outside of a plane.
fn farthest(plane: &Plane, aabb: &Aabb) -> f64 {
    plane.signed_distance(aabb.center()) + 0.5 * plane.normal.abs().dot(aabb.max - aabb.min)
}

/// Memory for cuts.
#[derive(Default)]
struct Cutter {
    clipper: Clipper,
    fitter: Fitter,
    /// The planes of the cell, and whether each is the flipped side of the pattern's.
    planes: Vec<(Plane, bool)>,
    /// The planes that cut the convex, and how much of its depth each cuts off.
    cutting: Vec<(f64, Plane)>,
    mesh: PolyMesh,
    next_mesh: PolyMesh,
}

impl Cutter {
    /// Cuts a part by the planes of a cell.
    fn cut(&mut self, parent: u32, cell: u32, part: &Arc<Part>, options: &CutOptions, result: &mut Shards) {
        if !self.find_cutting(part) {
            return;
        }
        if self.cutting.is_empty() {
            result.shards.push(Shard { parent, cell, part: Arc::clone(part), is_whole: true });
            return;
        }
        let material = FRACTURE | options.material;
        let convex = &mut self.fitter.whole;
        convex.start(part.convex());
        if self.cutting.iter().any(|(_, plane)| convex.clip(plane, material) == Clipped::Nothing) {
            return;
        }
        let mut push = |piece: Part| {
            let share = piece.volume().abs();
            if share > SLIVER * part.volume().abs() && share.is_finite() {
                let part = Arc::new(piece);
                result.shards.push(Shard { parent, cell, part, is_whole: false });
            } else {
                result.dropped += 1;
                result.dropped_volume += if share.is_finite() { share } else { 0.0 };
            }
        };
        match (part.role(), part.visual()) {
            (Role::Ghost { is_negative }, _) => push(Part::ghost(convex.finish(), is_negative)),
            (Role::Solid, None) => push(Part::internal(convex.finish())),
            (Role::Solid, Some(visual)) => {
                let Some(visual) = self.clip_visual(visual, material) else { return };
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
    fn find_cutting(&mut self, part: &Part) -> bool {
        let (vertices, bounds) = (part.convex().vertices(), part.aabb());
        let (center, half) = (bounds.center(), 0.5 * (bounds.max - bounds.min));
        let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
        let slack = |plane: &Plane| ON_PLANE * (largest + plane.offset.abs());
        // Most cells only pass by, which the box often tells.
        self.cutting.clear();
        for (plane, _) in &self.planes {
            let (middle, reach) = (plane.signed_distance(center), plane.normal.abs().dot(half));
            if middle - reach > slack(plane) {
                return false;
            }
        }
        for (plane, is_flipped) in &self.planes {
            let slack = slack(plane);
            if plane.signed_distance(center) + plane.normal.abs().dot(half) < -slack {
                continue;
            }
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for &vertex in vertices {
                let distance = plane.signed_distance(vertex);
                low = if distance < low { distance } else { low };
                high = if distance > high { distance } else { high };
            }
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
                self.cutting.push((high / (high - low), *plane));
            }
        }
        // The plane that cuts off most goes first: those after it have less to look at.
        self.cutting.sort_by(|one, other| other.0.total_cmp(&one.0));
        true
    }

    fn clip_visual(&mut self, visual: &PolyMesh, material: u32) -> Option<PolyMesh> {
        let Cutter { clipper, cutting, mesh, next_mesh, .. } = self;
        let mut is_first = true;
        for (_, plane) in cutting.iter() {
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
