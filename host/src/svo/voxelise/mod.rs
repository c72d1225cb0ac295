//! Octrees from meshes (\[Domaradzki16\] 3): a conservative voxeliser of surfaces, and what is inside.
//!
//! Corners of triangles are rounded to a 64th of a voxel; from there on all is integer arithmetic. Every voxel that the
//! rounded surface comes to is a boundary voxel, so voxels inside and outside never share a face. Which are inside is
//! counted along rows of voxels: each crossing of the surface steps the winding number of all that lie behind it.

mod chunk;
mod lists;
mod open;
mod spans;
mod triangle;

#[cfg(test)]
mod tests;

use fracas_kernels::morton;
use glam::DVec3;
use rayon::prelude::*;

use self::chunk::Workshop;
use self::lists::FromChunks;
pub(crate) use self::lists::VoxelLists;
use self::spans::Spans;
use self::triangle::{CHUNK, STEPS, Triangle, rounded};
use super::bits::{NONE, count, to_morton};
use super::build::{Chunk, voxels};
use super::tree::{Color, ORIGINAL, Tree};
use super::{Lattice, SvoError};
use crate::geometry::{RepairOptions, TriMesh, repair};

/// How a mesh becomes voxels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxeliseOptions {
    /// How often the cube around the mesh is halved; 3 to 10.
    pub level: u32,
    /// The colour of meshes that have none.
    pub color: [u8; 3],
}

impl Default for VoxeliseOptions {
    fn default() -> VoxeliseOptions {
        VoxeliseOptions { level: 8, color: [200, 190, 175] }
    }
}

/// The octree of a mesh.
///
/// A mesh with holes, or with triangles turned the wrong way, gets the inside that its generalised winding number says,
/// and boundary voxels that close the holes. Of a mesh that has each triangle twice, facing both ways, one side is taken.
///
/// # Errors
/// If the level is not one that octrees have, or the mesh has no extent or is damaged.
pub fn voxelise(mesh: &TriMesh, options: &VoxeliseOptions) -> Result<(Lattice, Tree), SvoError> {
    voxelised(mesh, options)
}

/// The voxels of a mesh, as [`voxelise`] finds them.
pub(crate) fn voxel_lists(mesh: &TriMesh, options: &VoxeliseOptions) -> Result<(Lattice, VoxelLists), SvoError> {
    voxelised(mesh, options)
}

fn voxelised<T: FromChunks>(mesh: &TriMesh, options: &VoxeliseOptions) -> Result<(Lattice, T), SvoError> {
    mesh.check()?;
    let lattice = Lattice::around(&mesh.aabb(), options.level)?;
    if mesh.iter_corners().all(|[a, b, c]| (b - a).cross(c - a) == DVec3::ZERO) {
        return Err(SvoError::NoArea { triangles: mesh.triangles.len() });
    }
    if open::is_two_sided(mesh) {
        return Ok((lattice, one_sided(mesh, lattice, options)?));
    }
    Ok((lattice, two_sided(mesh, lattice, options)?))
}

/// The voxels of one side of a mesh that was made to be seen from both: of each two triangles one stays, turned as its
/// neighbours are.
fn one_sided<T: FromChunks>(mesh: &TriMesh, lattice: Lattice, options: &VoxeliseOptions) -> Result<T, SvoError> {
    let one_sided = RepairOptions {
        weld: None,
        remove_degenerate: false,
        hole_edges: 0,
        remove_unreferenced: false,
        ..RepairOptions::default()
    };
    two_sided(&repair(mesh.clone(), &one_sided).mesh, lattice, options)
}

fn two_sided<T: FromChunks>(mesh: &TriMesh, lattice: Lattice, options: &VoxeliseOptions) -> Result<T, SvoError> {
    let surface = Surface::new(mesh, lattice, options.color);
    let rows = surface.rows();
    let places = places(&rows);
    if !open::is_closed(&mesh.triangles, &surface.corners) {
        let made = places.iter().map(|&(_, row, number)| rows[row as usize].made(number as usize, surface.color));
        return with_holes(&surface, made.collect());
    }
    let chunks: Vec<&Chunk> =
        places.iter().map(|&(_, row, number)| &rows[row as usize].chunks[number as usize]).collect();
    let solids = Spans::new(lattice.size() / CHUNK as u32, &rows).solids(&chunks);
    let paint = |chunk: usize, normals: &mut [u16], colors: &mut [Color]| {
        let (_, row, number) = places[chunk];
        let row = &rows[row as usize];
        let first = row.starts[number as usize] as usize;
        normals.copy_from_slice(&row.normals[first..first + normals.len()]);
        match &row.colors {
            Some(all) => colors.copy_from_slice(&all[first..first + colors.len()]),
            None => colors.fill(surface.color),
        }
    };
    T::from_chunks(options.level, &chunks, &solids, &paint)
}

/// The voxels of a mesh with holes.
fn with_holes<T: FromChunks>(surface: &Surface<'_>, mut made: Vec<Made>) -> Result<T, SvoError> {
    let solids = open::close(surface, &mut made);
    let chunks: Vec<&Chunk> = made.iter().map(|made| &made.chunk).collect();
    let paint = |chunk: usize, normals: &mut [u16], colors: &mut [Color]| {
        normals.copy_from_slice(&made[chunk].normals);
        colors.copy_from_slice(&made[chunk].colors);
    };
    T::from_chunks(surface.lattice.level, &chunks, &solids, &paint)
}

/// The Morton codes of the voxels that a surface comes to, in order, without an octree and without what is inside.
///
/// # Errors
/// As [`voxelise`].
pub fn surface_voxels(mesh: &TriMesh, level: u32) -> Result<(Lattice, Vec<u32>), SvoError> {
    mesh.check()?;
    let lattice = Lattice::around(&mesh.aabb(), level)?;
    let surface = Surface::new(mesh, lattice, VoxeliseOptions::default().color);
    let pairs = surface.pairs(|chunk| {
        let [x, y, z] = chunk.map(|coordinate| coordinate as u32);
        u64::from(morton::encode_30(x, y, z))
    });
    let chunks: Vec<&[Pair]> = pairs.chunk_by(|a, b| a.key() == b.key()).collect();
    let codes = chunks.into_par_iter().flat_map_iter(|pairs| {
        let code = pairs[0].key() as u32;
        let place = morton::decode_30(code).map(i64::from);
        let mut boundary = NONE;
        for pair in pairs {
            surface.triangle(pair.triangle()).voxels(place, |voxel| boundary[voxel / 64] |= 1 << (voxel % 64));
        }
        let boundary = to_morton(&boundary);
        let mut codes = Vec::with_capacity(count(&boundary) as usize);
        codes.extend(voxels(&boundary).map(|voxel| code << 9 | voxel));
        codes
    });
    Ok((lattice, codes.collect()))
}

/// The code of each chunk, its row and its number there, in Morton order.
fn places(rows: &[Row]) -> Vec<(u32, u32, u32)> {
    let mut places = Vec::new();
    for (row, made) in (0..).zip(rows) {
        places.extend((0..).zip(&made.chunks).map(|(number, chunk)| (chunk.code, row, number)));
    }
    places.par_sort_unstable();
    places
}

/// The chunks of a row along x that the surface comes to, in order, with their attributes.
pub(super) struct Row {
    pub(super) chunks: Vec<Chunk>,
    /// Whether what follows each chunk is inside.
    pub(super) is_inside: Vec<bool>,
    /// Where the attributes of each begin.
    starts: Vec<u32>,
    normals: Vec<u16>,
    colors: Option<Vec<Color>>,
}

impl Row {
    /// A chunk by itself.
    fn made(&self, number: usize, color: Color) -> Made {
        let (first, chunk) = (self.starts[number] as usize, &self.chunks[number]);
        let end = first + count(&chunk.boundary) as usize;
        let colors = self.colors.as_ref().map_or_else(|| vec![color; end - first], |all| all[first..end].to_vec());
        Made { chunk: chunk.clone(), normals: self.normals[first..end].to_vec(), colors }
    }
}

/// A chunk with its attributes.
pub(super) struct Made {
    chunk: Chunk,
    normals: Vec<u16>,
    colors: Vec<Color>,
}

/// A chunk, by a key that says their order, and a triangle that comes to it, in one number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair(u64);

impl Pair {
    fn new(key: u64, triangle: usize) -> Pair {
        Pair(key << 32 | triangle as u64)
    }

    fn key(self) -> u64 {
        self.0 >> 32
    }

    fn triangle(self) -> usize {
        (self.0 & 0xffff_ffff) as usize
    }
}

struct Surface<'a> {
    mesh: &'a TriMesh,
    lattice: Lattice,
    corners: Vec<[i64; 3]>,
    color: Color,
}

impl<'a> Surface<'a> {
    fn new(mesh: &'a TriMesh, lattice: Lattice, [red, green, blue]: [u8; 3]) -> Surface<'a> {
        let corners = mesh.positions.par_iter().map(|&point| rounded(&lattice, point)).collect();
        Surface { mesh, lattice, corners, color: [red, green, blue, ORIGINAL] }
    }

    fn triangle(&self, number: usize) -> Triangle {
        Triangle::new(self.mesh.triangles[number].map(|corner| self.corners[corner as usize]))
    }

    /// All chunks that the surface comes to, with the triangles, in the order of the chunks' keys.
    fn pairs(&self, key: impl Fn([i64; 3]) -> u64 + Sync) -> Vec<Pair> {
        let mut pairs: Vec<Pair> = (0..self.mesh.triangles.len())
            .into_par_iter()
            .fold(Vec::new, |mut pairs, triangle| {
                self.triangle(triangle).chunks(|chunk| pairs.push(Pair::new(key(chunk), triangle)));
                pairs
            })
            .flatten_iter()
            .collect();
        pairs.par_sort_unstable();
        pairs
    }

    /// All chunks that the surface comes to.
    fn rows(&self) -> Vec<Row> {
        let size = u64::from(self.lattice.size()) / CHUNK as u64;
        let pairs = self.pairs(|chunk| {
            let [x, y, z] = chunk.map(|coordinate| coordinate as u64);
            (z * size + y) * size + x
        });
        let rows: Vec<&[Pair]> = pairs.chunk_by(|a, b| a.key() / size == b.key() / size).collect();
        rows.into_par_iter().map_init(Workshop::new, |workshop, row| self.row(row, size, workshop)).collect()
    }

    fn row(&self, pairs: &[Pair], size: u64, workshop: &mut Workshop) -> Row {
        let is_colored = self.mesh.colors.is_some();
        let mut row = Row {
            chunks: Vec::new(),
            is_inside: Vec::new(),
            starts: Vec::new(),
            normals: Vec::new(),
            colors: is_colored.then(Vec::new),
        };
        workshop.winding = [0; 64];
        for pairs in pairs.chunk_by(|a, b| a.key() == b.key()) {
            let number = pairs[0].key();
            let chunk = [number % size, number / size % size, number / size / size];
            let place = chunk.map(|coordinate| coordinate as i64);
            for pair in pairs {
                let triangle = pair.triangle();
                workshop.add(&self.triangle(triangle), place, |voxel| self.color(triangle, place, voxel));
            }
            let (boundary, inside) = workshop.finish();
            let boundary = to_morton(&boundary);
            let [x, y, z] = chunk.map(|coordinate| coordinate as u32);
            row.starts.push(row.normals.len() as u32);
            row.chunks.push(Chunk { code: morton::encode_30(x, y, z), boundary, solid: to_morton(&inside) });
            row.is_inside.push(workshop.winding[0] != 0);
            for voxel in voxels(&boundary) {
                let [x, y, z] = morton::decode_30(voxel);
                let (normal, color) = workshop.take((64 * z + 8 * y + x) as usize, is_colored);
                row.normals.push(normal);
                if let (Some(colors), Some([red, green, blue])) = (&mut row.colors, color) {
                    colors.push([red, green, blue, ORIGINAL]);
                }
            }
        }
        row
    }

    /// The colour of a triangle at the middle of a voxel, from its corners'.
    fn color(&self, triangle: usize, chunk: [i64; 3], voxel: usize) -> Option<Color> {
        let colors = self.mesh.colors.as_ref()?;
        let voxel = [voxel % 8, voxel / 8 % 8, voxel / 64].map(|coordinate| coordinate as i64);
        let corners = self.mesh.triangles[triangle];
        let [a, b, c] = corners.map(|corner| {
            let [x, y, z] = self.corners[corner as usize];
            DVec3::new(x as f64, y as f64, z as f64)
        });
        let middle: [f64; 3] =
            std::array::from_fn(|axis| ((CHUNK * chunk[axis] + voxel[axis]) * STEPS + STEPS / 2) as f64);
        let middle = DVec3::from_array(middle);
        let normal = (b - a).cross(c - a);
        let area = normal.length_squared();
        if area == 0.0 {
            return Some(colors[corners[0] as usize]);
        }
        let weight = |from: DVec3, to: DVec3| ((to - from).cross(middle - from).dot(normal) / area).clamp(0.0, 1.0);
        let weights = [weight(b, c), weight(c, a), weight(a, b)];
        let sum: f64 = weights.iter().sum();
        Some(std::array::from_fn(|channel| {
            let mixed: f64 =
                (0..3).map(|corner| weights[corner] * f64::from(colors[corners[corner] as usize][channel])).sum();
            (mixed / sum).round() as u8
        }))
    }
}
