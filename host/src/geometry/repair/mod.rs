//! Repairs that a user can ask for.

mod clean;
mod degenerate;
mod fill;
mod orient;
mod weld;

use std::fmt;

use super::TriMesh;
use super::identical::first_of_identical;
use super::numerals::{counted, grouped};
use crate::tolerance;

/// How often holes are looked for again after what filled them was cleaned.
const FILL_ROUNDS: usize = 8;

/// Which repairs to make. The default makes all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairOptions {
    /// Makes one vertex of those within this distance, relative to the diagonal of the mesh's box, whose attributes are
    /// the same, and one position of those whose attributes differ; with zero, only at the very same position.
    pub weld: Option<f64>,
    /// Removes triangles without area.
    pub remove_degenerate: bool,
    /// Removes triangles that are there twice.
    pub remove_duplicate: bool,
    /// Turns triangles so that neighbours agree, and closed shells so that outside is outside.
    pub orient: bool,
    /// Fills holes of up to so many edges; with zero, none.
    pub hole_edges: usize,
    /// Fills holes only if the box around them has at most this diagonal, relative to that of the mesh's box.
    pub hole_size: f64,
    /// Removes vertices that no triangle names.
    pub remove_unreferenced: bool,
}

impl Default for RepairOptions {
    fn default() -> RepairOptions {
        RepairOptions {
            weld: Some(tolerance::WELD),
            remove_degenerate: true,
            remove_duplicate: true,
            orient: true,
            hole_edges: 256,
            hole_size: 0.5,
            remove_unreferenced: true,
        }
    }
}

/// What one repair changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Triangles that name a missing vertex, or one with a coordinate that is not finite, are gone.
    RemovedInvalid {
        /// How many.
        triangles: usize,
    },
    /// Vertices at one place are one vertex.
    Welded {
        /// How many vertices there were.
        before: usize,
        /// How many there are.
        after: usize,
    },
    /// Vertices close together have one position, but stay apart because their attributes differ.
    MovedTogether {
        /// How many were moved.
        vertices: usize,
    },
    /// Triangles without area are gone, or exchanged an edge with a neighbour that had some.
    RemovedDegenerate {
        /// How many.
        triangles: usize,
    },
    /// Triangles that were there twice are there once, or gone where they faced both ways.
    RemovedDuplicate {
        /// How many are gone.
        triangles: usize,
    },
    /// Triangles were turned to agree with their neighbours.
    Turned {
        /// How many.
        triangles: usize,
    },
    /// Shells that were inside out were turned.
    TurnedShells {
        /// How many.
        shells: usize,
    },
    /// Holes were filled.
    FilledHoles {
        /// How many.
        holes: usize,
        /// With how many triangles.
        triangles: usize,
    },
    /// Vertices that no triangle names are gone.
    RemovedUnreferenced {
        /// How many.
        vertices: usize,
    },
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Repair::RemovedInvalid { triangles } => {
                write!(f, "removed {} with missing or undefined corners", counted(triangles, "triangle"))
            }
            Repair::Welded { before, after } => {
                write!(f, "welded {} into {}", counted(before, "vertex"), grouped(after))
            }
            Repair::MovedTogether { vertices } => {
                write!(f, "moved {} to the position of a close one", counted(vertices, "vertex"))
            }
            Repair::RemovedDegenerate { triangles } => {
                write!(f, "removed {} without area", counted(triangles, "triangle"))
            }
            Repair::RemovedDuplicate { triangles } => {
                write!(f, "removed {}", counted(triangles, "duplicate triangle"))
            }
            Repair::Turned { triangles } => {
                write!(f, "turned {} to agree with the neighbours", counted(triangles, "triangle"))
            }
            Repair::TurnedShells { shells } => {
                let were = if shells == 1 { "was" } else { "were" };
                write!(f, "turned {} that {were} inside out", counted(shells, "shell"))
            }
            Repair::FilledHoles { holes, triangles } => {
                write!(f, "filled {} with {}", counted(holes, "hole"), counted(triangles, "triangle"))
            }
            Repair::RemovedUnreferenced { vertices } => {
                write!(f, "removed {} that no triangle uses", counted(vertices, "vertex"))
            }
        }
    }
}

/// A repaired mesh and what was changed.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The mesh.
    pub mesh: TriMesh,
    /// What was changed, in order.
    pub changes: Vec<Repair>,
}

/// Repairs a mesh. Takes any mesh; what cannot be mended stays as it is.
///
/// Materials go with the triangles, and a filled hole has the material of a triangle at its rim. Vertices are welded only
/// if their normals, texture coordinates and colours are the same; others within the tolerance get one position but stay
/// apart, which is as good for a closed surface: vertices at one position are connected everywhere in this library.
///
/// ```
/// use fracas::geometry::{RepairOptions, ReportOptions, mesh_report, repair, shapes};
/// use glam::DVec3;
///
/// let mut mesh = shapes::cuboid(DVec3::ONE);
/// mesh.triangles.pop();
/// mesh.triangles[3].swap(0, 1);
/// // Half a side of the box is no small hole.
/// let repaired = repair(mesh, &RepairOptions { hole_size: 1.0, ..RepairOptions::default() });
/// assert_eq!(repaired.changes[0].to_string(), "turned 1 triangle to agree with the neighbours");
/// assert_eq!(repaired.changes[1].to_string(), "filled 1 hole with 1 triangle");
/// assert!(mesh_report(&repaired.mesh, &ReportOptions::default()).watertight);
/// ```
pub fn repair(mesh: TriMesh, options: &RepairOptions) -> Repaired {
    let mut mesh = mesh;
    let mut changes = Vec::new();
    changes.extend(clean::remove_invalid(&mut mesh));
    if let Some(tolerance) = options.weld {
        changes.extend(weld::weld(&mut mesh, tolerance).into_iter().flatten());
    }
    changes.extend(clean::clean(&mut mesh, options).into_iter().flatten());
    if options.orient {
        changes.extend(orient::agree(&mut mesh));
    }
    if options.hole_edges > 0 {
        changes.extend(fill(&mut mesh, options));
    }
    if options.orient {
        changes.extend(orient::face_outwards(&mut mesh));
    }
    if options.remove_unreferenced {
        changes.extend(clean::remove_unreferenced(&mut mesh));
    }
    Repaired { mesh, changes }
}

/// Fills holes and cleans up after that: a rim with vertices in line can get triangles without area. What that changes
/// can leave smaller holes.
fn fill(mesh: &mut TriMesh, options: &RepairOptions) -> Option<Repair> {
    let before = mesh.triangles.len();
    let mut holes = 0;
    for _ in 0..FILL_ROUNDS {
        let filled = fill::fill_holes(mesh, options);
        if filled == 0 {
            break;
        }
        holes += filled;
        if clean::clean(mesh, options) == [None, None] {
            break;
        }
        if options.orient {
            orient::agree(mesh);
        }
    }
    let triangles = mesh.triangles.len().saturating_sub(before);
    (holes > 0).then_some(Repair::FilledHoles { holes, triangles })
}

/// The triangles over vertices of which those at one position are one.
fn connected_triangles(mesh: &TriMesh) -> Vec<[u32; 3]> {
    let same = first_of_identical(&mesh.positions);
    mesh.triangles.iter().map(|triangle| triangle.map(|vertex| same[vertex as usize])).collect()
}

/// Keeps the triangles that `keep` says, with their materials; returns how many went.
fn retain_triangles(mesh: &mut TriMesh, keep: &[bool]) -> usize {
    let before = mesh.triangles.len();
    retain(&mut mesh.triangles, keep);
    if let Some(materials) = &mut mesh.materials {
        retain(materials, keep);
    }
    before - mesh.triangles.len()
}

fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    values.retain(|_| keep.next().copied().unwrap_or(true));
}

#[cfg(test)]
mod tests;
