//! Compounds: convexes that move as one (\[Mueller13\] 3.1).

use std::sync::Arc;

use glam::DVec3;
use thiserror::Error;

use super::ghost;
use super::index::Index;
use super::islands::{Bond, NO_FACE, Touch, connected, face_area, touching};
use super::part::{Anchor, Part};
use crate::geometry::{Aabb, Convex, FRACTURE, MassProperties, TriMesh};
use crate::tolerance::HIDDEN;

/// Convexes that do not overlap and move as one, and which of them touch.
///
/// Each part has a number that stays its own while it is there and is never used again, so that a fracture can say which
/// parts are gone and which are new; it costs time in proportion to those, whatever the size of the rest.
///
/// ```
/// use fracas::geometry::{Aabb, Convex};
/// use fracas::vacd::{Compound, CompoundOptions, Part};
/// use glam::DVec3;
///
/// let cube = |x: f64| Part::internal(Convex::cuboid(Aabb::around(DVec3::X * x, DVec3::splat(0.5))));
/// let compound = Compound::new(vec![cube(0.0), cube(1.0), cube(5.0)], &CompoundOptions::default())?;
/// assert_eq!(compound.bonds(0)[0].other, 1);
/// assert_eq!(compound.islands().len(), 2);
/// # Ok::<(), fracas::vacd::CompoundError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Compound {
    /// By part number; a part that is gone leaves a hole.
    pub(super) slots: Vec<Option<Slot>>,
    count: usize,
    /// How many of the parts are anchored.
    anchored: usize,
    pub(super) index: Index,
    anchors: Arc<[Aabb]>,
    origin: DVec3,
}

/// A part and what the compound knows of it.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) part: Arc<Part>,
    pub(super) bonds: Vec<Bond>,
    /// The next part on a way to an anchor; itself if it is anchored; [`NO_SUPPORT`] in a compound without anchors.
    pub(super) support: u32,
}

/// A part on no way to an anchor.
pub(super) const NO_SUPPORT: u32 = u32::MAX;

/// Below this, looking at every part is as quick as a hierarchy.
const SMALL: usize = 24;

/// How a compound is put together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompoundOptions {
    /// Regions that are fixed to the world: parts that reach into one do not move, and what they hold does not either.
    pub anchors: Vec<Aabb>,
    /// Whether parts may overlap, as the sub-meshes of large models do (\[Mueller13\] 4.3). Each overlap gets a ghost.
    pub overlaps: bool,
}

/// Why there is no such compound, or why it does not break.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CompoundError {
    /// No parts.
    #[error("a compound needs at least one convex")]
    Empty,
    /// A part encloses nothing.
    #[error(
        "part {part} of the compound encloses a volume of {volume:.3e}; every convex and every visual mesh must enclose one, with its faces looking out"
    )]
    NoVolume {
        /// The part, counted from zero.
        part: usize,
        /// Its volume.
        volume: f64,
    },
    /// A visual mesh has a border.
    #[error("the visual mesh of part {part} is not closed; mend it first (`fracas mesh --repair`)")]
    Open {
        /// The part, counted from zero.
        part: usize,
    },
    /// Too many parts in one place.
    #[error(
        "too many convexes of the compound overlap in one place ({ghosts} overlaps among {parts} parts); unite the \
         sub-meshes there, or break the model with the voxel method"
    )]
    TooManyOverlaps {
        /// The overlaps found before giving up.
        ghosts: usize,
        /// The parts.
        parts: usize,
    },
    /// An option that is no usable number.
    #[error("the {what} of the fracture is {value}; it must be a positive, finite number")]
    BadOption {
        /// Which option.
        what: &'static str,
        /// What it is.
        value: f64,
    },
}

impl Compound {
    /// A compound of parts, numbered as they stand in the list; ghosts come after them.
    ///
    /// Faces that others cover wholly count as breaks from then on: only a break can bring them to light.
    ///
    /// # Errors
    /// If a part encloses no volume or is open, or if too many overlap in one place.
    pub fn new(parts: Vec<Part>, options: &CompoundOptions) -> Result<Compound, CompoundError> {
        if parts.is_empty() {
            return Err(CompoundError::Empty);
        }
        for (number, part) in parts.iter().enumerate() {
            let volume = part.volume().min(part.convex().mass_properties().volume);
            if !(volume > 0.0 && volume.is_finite()) {
                return Err(CompoundError::NoVolume { part: number, volume });
            }
            if part.visual().is_some_and(|visual| !visual.is_watertight()) {
                return Err(CompoundError::Open { part: number });
            }
        }
        let mut parts: Vec<Part> =
            parts.into_iter().map(|part| with_anchor(part, Anchor::Free, &options.anchors)).collect();
        let touches = touching(&parts.iter().collect::<Vec<_>>(), parts.len());
        hide_covered(&mut parts, &touches);
        let ghosts = if options.overlaps { ghost::ghosts(&parts)? } else { ghost::Ghosts::default() };
        parts.extend(ghosts.parts);
        let mut compound = Compound { anchors: options.anchors.as_slice().into(), ..Compound::default() };
        compound.extend(parts.into_iter().map(Arc::new).collect());
        for touch in touches {
            compound.bond(touch.parts, touch.faces, touch.area);
        }
        for [ghost, member] in ghosts.links {
            compound.bond([ghost, member], [NO_FACE; 2], 0.0);
        }
        compound.find_support();
        Ok(compound)
    }

    /// A compound of the same frame and anchors as this one.
    pub(super) fn sibling(&self) -> Compound {
        Compound { anchors: Arc::clone(&self.anchors), origin: self.origin, ..Compound::default() }
    }

    /// Adds parts and gives them the next numbers.
    pub(super) fn extend(&mut self, parts: Vec<Arc<Part>>) -> std::ops::Range<u32> {
        let added = self.push(parts);
        let mut index = std::mem::take(&mut self.index);
        self.add_to_index(&mut index, added.clone());
        self.index = index;
        added
    }

    /// Adds parts that are still to be indexed.
    pub(super) fn push(&mut self, parts: Vec<Arc<Part>>) -> std::ops::Range<u32> {
        let first = self.slots.len() as u32;
        self.count += parts.len();
        self.anchored += parts.iter().filter(|part| part.anchor() != Anchor::Free).count();
        let slot = |part| Some(Slot { part, bonds: Vec::new(), support: NO_SUPPORT });
        self.slots.extend(parts.into_iter().map(slot));
        first..self.slots.len() as u32
    }

    /// Adds the parts that were pushed last to the index, which the caller has taken out.
    pub(super) fn add_to_index(&self, index: &mut Index, added: std::ops::Range<u32>) {
        // The first hierarchy takes in everything that was there before it was needed.
        let unindexed = if self.count <= SMALL {
            0..0
        } else if index.is_empty() {
            0..added.end
        } else {
            added
        };
        index.add(unindexed.collect(), |number| Some(self.part(number)?.aabb()));
    }

    /// Takes a part out. Bonds of others to it are the caller's to remove.
    pub(super) fn take(&mut self, number: u32) -> Option<Slot> {
        let slot = self.slots[number as usize].take()?;
        self.count -= 1;
        self.anchored -= usize::from(slot.part.anchor() != Anchor::Free);
        Some(slot)
    }

    /// Notes that two parts hold together.
    pub(super) fn bond(&mut self, parts: [u32; 2], faces: [u32; 2], area: f64) {
        for (one, other) in [(0, 1), (1, 0)] {
            if let Some(slot) = &mut self.slots[parts[one] as usize] {
                slot.bonds.push(Bond { other: parts[other], face: faces[one], other_face: faces[other], area });
            }
        }
    }

    /// The numbers of the parts whose boxes overlap a box, in rising order.
    pub(super) fn overlapping(&self, aabb: &Aabb) -> Vec<u32> {
        let hit = |number: &u32| {
            let slot = self.slots[*number as usize].as_ref();
            slot.is_some_and(|slot| slot.part.aabb().intersects(aabb))
        };
        if self.index.is_empty() {
            return (0..self.slots.len() as u32).filter(hit).collect();
        }
        let mut found = Vec::new();
        self.index.overlapping(aabb, |number| found.push(number));
        found.retain(hit);
        found.sort_unstable();
        found
    }

    /// How many parts there are, ghosts among them.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether nothing is left of it.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The parts with their numbers, in rising order; ghosts among them.
    pub fn parts(&self) -> impl Iterator<Item = (u32, &Arc<Part>)> {
        self.slots.iter().enumerate().filter_map(|(number, slot)| Some((number as u32, &slot.as_ref()?.part)))
    }

    /// A part, if it is there.
    pub fn part(&self, number: u32) -> Option<&Arc<Part>> {
        Some(&self.slots.get(number as usize)?.as_ref()?.part)
    }

    /// What a part holds on to: the bond graph, row by row. Empty for a part that is not there.
    pub fn bonds(&self, number: u32) -> &[Bond] {
        self.slots.get(number as usize).and_then(Option::as_ref).map_or(&[], |slot| &slot.bonds)
    }

    /// The ghosts of a part, or the parts that a ghost is the overlap of.
    pub(super) fn ghost_bonds(&self, number: u32) -> impl Iterator<Item = u32> {
        self.bonds(number).iter().filter(|bond| bond.face == NO_FACE).map(|bond| bond.other)
    }

    /// The regions that are fixed to the world.
    pub fn anchors(&self) -> &Arc<[Aabb]> {
        &self.anchors
    }

    /// Whether something holds it to the world.
    pub fn is_anchored(&self) -> bool {
        self.anchored > 0
    }

    /// Where this compound's coordinates are in those of the first whole that it is a piece of.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// How much of a face of a part's convex others cover, from 0 to 1 (s in \[Mueller13\] 3.1).
    pub fn covered(&self, number: u32, face: u32) -> f64 {
        let Some(part) = self.part(number) else { return 0.0 };
        covered(part.convex(), self.bonds(number), face)
    }

    /// Volume, centroid and inertia of all parts, overlaps counted once.
    pub fn mass_properties(&self) -> MassProperties {
        MassProperties::combined(self.slots.iter().flatten().map(|slot| *slot.part.mass_properties()))
    }

    /// The volume of all parts, overlaps counted once.
    pub fn volume(&self) -> f64 {
        self.parts().map(|(_, part)| part.volume()).sum()
    }

    /// The box around all convexes.
    pub fn aabb(&self) -> Aabb {
        self.parts().fold(Aabb::EMPTY, |all, (_, part)| all.union(part.aabb()))
    }

    /// What is seen of a part, as triangles: its visual mesh, or the faces of its convex that others do not cover. Of a
    /// ghost nothing is seen.
    pub fn look(&self, number: u32) -> TriMesh {
        let Some(part) = self.part(number).filter(|part| !part.is_ghost()) else { return TriMesh::default() };
        match part.visual() {
            Some(visual) => visual.to_tri_mesh(),
            None => {
                let shown = |face: &usize| !self.is_hidden(number, *face as u32);
                let surface = part.convex().surface();
                surface.only_faces((0..surface.face_count()).filter(shown)).to_tri_mesh()
            }
        }
    }

    /// Whether others cover a face of a part's convex wholly (s = 1), so that it need not be drawn.
    pub fn is_hidden(&self, number: u32, face: u32) -> bool {
        self.covered(number, face) >= 1.0 - HIDDEN
    }

    /// The memory that the compound takes beyond its visual meshes, in bytes.
    pub fn bytes(&self) -> usize {
        let slots = self.slots.capacity() * size_of::<Option<Slot>>();
        let of_slot = |slot: &Slot| slot.bonds.capacity() * size_of::<Bond>() + slot.part.bytes();
        size_of::<Compound>() + slots + self.slots.iter().flatten().map(of_slot).sum::<usize>() + self.index.bytes()
    }

    /// The sets of parts that hang together, each in rising order.
    pub fn islands(&self) -> Vec<Vec<u32>> {
        let bonds = |(number, _): (u32, &Arc<Part>)| self.bonds(number).iter().map(move |bond| [number, bond.other]);
        let mut islands = connected(self.slots.len(), self.parts().flat_map(bonds));
        islands.retain(|members| self.part(members[0]).is_some());
        islands
    }

    /// The compound moved so that `center` becomes its origin.
    #[must_use]
    pub fn centered_at(self, center: DVec3) -> Compound {
        let move_part =
            |slot: Slot| Slot { part: Arc::new(Arc::unwrap_or_clone(slot.part).translated(-center)), ..slot };
        let anchors = self.anchors.iter().map(|region| Aabb { min: region.min - center, max: region.max - center });
        let mut moved = Compound {
            anchors: anchors.collect(),
            origin: self.origin + center,
            count: self.count,
            anchored: self.anchored,
            slots: self.slots.into_iter().map(|slot| slot.map(move_part)).collect(),
            index: Index::default(),
        };
        moved.rebuild_index();
        moved
    }

    fn rebuild_index(&mut self) {
        self.index = Index::default();
        if self.count > SMALL {
            let numbers = self.parts().map(|(number, _)| number).collect();
            let slots = &self.slots;
            self.index.add(numbers, |number| Some(slots[number as usize].as_ref()?.part.aabb()));
        }
    }
}

/// How much of a face of a convex its bonds cover.
pub(super) fn covered(convex: &Convex, bonds: &[Bond], face: u32) -> f64 {
    let area: f64 = bonds.iter().filter(|bond| bond.face == face).map(|bond| bond.area).sum();
    if area == 0.0 { 0.0 } else { (area / face_area(convex, face)).min(1.0) }
}

/// A part with the anchor that it has by its place and by what it is cut from.
pub(super) fn with_anchor(part: Part, parent: Anchor, regions: &[Aabb]) -> Part {
    let anchor = match (part.anchor(), parent) {
        _ if part.is_ghost() => Anchor::Free,
        (Anchor::Whole, _) | (_, Anchor::Whole) => Anchor::Whole,
        _ if regions.iter().any(|region| reaches(part.convex(), region)) => Anchor::Region,
        _ => Anchor::Free,
    };
    part.anchored(anchor)
}

/// Whether a convex reaches into a box. Near the box's edges it may say yes where there is a gap.
fn reaches(convex: &Convex, region: &Aabb) -> bool {
    let outside = |plane: &crate::geometry::Plane| {
        let nearest = DVec3::select(plane.normal.cmpgt(DVec3::ZERO), region.min, region.max);
        plane.signed_distance(nearest) > 0.0
    };
    convex.aabb().intersects(region) && !convex.planes().iter().any(outside)
}

/// Makes breaks of the faces that others cover wholly.
fn hide_covered(parts: &mut [Part], touches: &[Touch]) {
    let mut sides: Vec<(u32, u32, f64)> = touches
        .iter()
        .flat_map(|touch| [0, 1].map(|side| (touch.parts[side], touch.faces[side], touch.area)))
        .collect();
    sides.sort_by_key(|&(part, face, _)| (part, face));
    for sides in sides.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
        let (part, face, _) = sides[0];
        let part = &mut parts[part as usize];
        let area: f64 = sides.iter().map(|side| side.2).sum();
        if part.visual().is_none() && area >= (1.0 - HIDDEN) * face_area(part.convex(), face) {
            part.mark_face(face, FRACTURE);
        }
    }
}
