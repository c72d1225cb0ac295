//! Collision shapes in single precision.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use glam::DVec3;
use rapier3d::prelude::{SharedShape, Vector};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::rapier::FragmentShape;
use super::rigid_build::RigidProblem;
use crate::geometry::{Convex, TriMesh};
use crate::world::{ConvexParts, Representation};

/// A convex whose volume is less than this part of the cube of its diagonal is too flat for single precision.
const FLATTEST: f64 = 1e-8;

/// Triangles whose height is less than this part of their longest side make faces with a normal out of nowhere.
const SLIVER: f32 = 1e-3;

/// Forgotten shapes are looked for whenever the cache has grown to this many, and to twice what was left then.
const SMALLEST_SWEEP: usize = 1024;

/// A shape around its own origin, and where that origin is in the body.
#[derive(Clone, Debug)]
pub(super) struct PartShape {
    pub(super) shape: SharedShape,
    pub(super) offset: Vector,
    /// No point of the shape is farther from its origin, which is within the box around the shape.
    pub(super) radius: f32,
    /// No slit that is narrower than this takes the shape; zero of a surface.
    pub(super) thickness: f32,
}

/// Shapes that bodies share: those of one convex or mesh are made once, however many bodies have it.
///
/// A copy of the cache is the same cache.
#[derive(Clone, Default)]
pub struct ShapeCache(Arc<Mutex<Shapes>>);

#[derive(Default)]
struct Shapes {
    /// By address. The weak pointer keeps the address from being used again.
    convexes: FxHashMap<usize, (Weak<Convex>, Option<PartShape>)>,
    surfaces: FxHashMap<usize, (Weak<TriMesh>, PartShape)>,
    next_sweep: usize,
}

impl ShapeCache {
    fn convex(&self, convex: &Arc<Convex>) -> Option<Option<PartShape>> {
        let shapes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shapes.convexes.get(&Arc::as_ptr(convex).addr()).map(|(_, shape)| shape.clone())
    }

    fn keep_convex(&self, convex: &Arc<Convex>, shape: &Option<PartShape>) {
        let mut shapes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shapes.convexes.insert(Arc::as_ptr(convex).addr(), (Arc::downgrade(convex), shape.clone()));
        if shapes.convexes.len() >= shapes.next_sweep.max(SMALLEST_SWEEP) {
            shapes.convexes.retain(|_, (convex, _)| convex.strong_count() > 0);
            shapes.surfaces.retain(|_, (mesh, _)| mesh.strong_count() > 0);
            shapes.next_sweep = 2 * shapes.convexes.len();
        }
    }

    fn surface(&self, mesh: &Arc<TriMesh>) -> Result<PartShape, RigidProblem> {
        let key = Arc::as_ptr(mesh).addr();
        let mut shapes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, shape)) = shapes.surfaces.get(&key) {
            return Ok(shape.clone());
        }
        let shape = surface_shape(mesh)?;
        shapes.surfaces.insert(key, (Arc::downgrade(mesh), shape.clone()));
        Ok(shape)
    }
}

/// The shapes of a representation by key, without those parts that single precision cannot hold.
pub(super) fn part_shapes(
    representation: &Representation,
    cache: Option<&ShapeCache>,
) -> Result<Vec<(u32, PartShape)>, RigidProblem> {
    let centered = |shape: SharedShape, radius: f32, thickness: f32| {
        vec![(0, PartShape { shape, offset: Vector::ZERO, radius, thickness })]
    };
    let shapes = match representation {
        // It has no end; tiles of it are laid where bodies are.
        // Voxels are not Rapier's.
        Representation::HalfSpace { .. } | Representation::Voxels(_) => Vec::new(),
        Representation::Ball { radius } => {
            let radius = positive("radius", *radius)?;
            centered(SharedShape::ball(radius), radius, 2.0 * radius)
        }
        Representation::Cuboid { half_extents } => {
            let [x, y, z] = half_extents.to_array().map(|extent| positive("half extent", extent));
            let half = Vector::new(x?, y?, z?);
            centered(SharedShape::cuboid(half.x, half.y, half.z), half.length(), 2.0 * half.min_element())
        }
        Representation::Fragment(fragment) => {
            let shape = FragmentShape::new(fragment.clone());
            let (offset, radius, thickness) = (shape.origin(), shape.radius(), shape.thickness());
            vec![(0, PartShape { shape: shape.shared(), offset, radius, thickness })]
        }
        Representation::Convexes(parts) => return convex_shapes(parts, cache),
        Representation::Surface(mesh) => match cache {
            Some(cache) => vec![(0, cache.surface(mesh)?)],
            None => vec![(0, surface_shape(mesh)?)],
        },
    };
    Ok(shapes)
}

fn convex_shapes(parts: &ConvexParts, cache: Option<&ShapeCache>) -> Result<Vec<(u32, PartShape)>, RigidProblem> {
    let known = |convex: &Arc<Convex>| cache.and_then(|cache| cache.convex(convex));
    let parts: Vec<(u32, &Arc<Convex>)> = parts.iter().map(|(&key, convex)| (key, convex)).collect();
    let make = |&(key, convex): &(u32, &Arc<Convex>)| match known(convex) {
        Some(shape) => (key, shape),
        None => {
            let shape = convex_shape(convex);
            cache.iter().for_each(|cache| cache.keep_convex(convex, &shape));
            (key, shape)
        }
    };
    // In a body of a few parts, handing them to other threads would cost more than the shapes.
    let made: Vec<(u32, Option<PartShape>)> =
        if parts.len() < 32 { parts.iter().map(make).collect() } else { parts.par_iter().map(make).collect() };
    let first = made.first().map(|(key, _)| *key);
    let shapes: Vec<(u32, PartShape)> = made.into_iter().filter_map(|(key, shape)| Some((key, shape?))).collect();
    match first {
        None => Err(RigidProblem::Empty),
        Some(part) if shapes.is_empty() => Err(RigidProblem::FlatPart { part }),
        Some(_) => Ok(shapes),
    }
}

/// The shape of a convex around its centroid, so that single precision has its finest steps where the convex is, however
/// far from the body's origin that may be. `None` if it is too flat or too small.
pub(super) fn convex_shape(convex: &Convex) -> Option<PartShape> {
    let mass = convex.mass_properties();
    let diagonal = convex.aabb().diagonal();
    if !(mass.volume > FLATTEST * diagonal.powi(3) && (mass.volume as f32).is_normal()) {
        return None;
    }
    let offset = single(mass.centroid)?;
    let origin = offset.as_dvec3();
    let points: Option<Vec<Vector>> = convex.vertices().iter().map(|&vertex| single(vertex - origin)).collect();
    let points = points?;
    let radius = points.iter().map(|point| point.length()).fold(0.0, f32::max);
    let shape = match fans(convex, &points) {
        Some(triangles) => SharedShape::convex_mesh(points.clone(), &triangles),
        None => None,
    };
    let shape = shape.or_else(|| {
        // The hull asserts what rounding can break, and a part that nothing touches is better than no program.
        catch_unwind(AssertUnwindSafe(|| SharedShape::convex_hull(&points))).ok().flatten()
    });
    let shape = shape?;
    let thickness = thickness(&shape);
    Some(PartShape { shape, offset, radius, thickness })
}

/// Twice the radius of the ball around its origin that a convex holds.
fn thickness(shape: &SharedShape) -> f32 {
    let Some(convex) = shape.as_convex_polyhedron() else { return 0.0 };
    let distances = convex.faces().iter().map(|face| {
        let corner = convex.vertices_adj_to_face()[face.first_vertex_or_edge as usize];
        face.normal.dot(convex.points()[corner as usize])
    });
    2.0 * distances.fold(f32::INFINITY, f32::min).max(f32::MIN_POSITIVE)
}

/// The faces as triangles; `None` if one of them is a sliver, whose normal is noise.
fn fans(convex: &Convex, points: &[Vector]) -> Option<Vec<[u32; 3]>> {
    let surface = convex.surface();
    let mut triangles = Vec::with_capacity(surface.corners.len());
    for face in 0..surface.face_count() {
        let mut contours = surface.contours(face);
        let contour = contours.next().filter(|contour| contour.len() >= 3)?;
        let corners = surface.corners.get(contour)?;
        for pair in corners[1..].windows(2) {
            let triangle = [corners[0], pair[0], pair[1]];
            let [a, b, c] = triangle.map(|corner| points[corner as usize]);
            let longest = [b - a, c - b, a - c].iter().map(|side| side.length_squared()).fold(0.0, f32::max);
            if (b - a).cross(c - a).length() <= SLIVER * longest {
                return None;
            }
            triangles.push(triangle);
        }
    }
    Some(triangles)
}

fn surface_shape(mesh: &TriMesh) -> Result<PartShape, RigidProblem> {
    mesh.check()?;
    let offset = single(mesh.aabb().center()).ok_or(RigidProblem::NonFinite("mesh"))?;
    let origin = offset.as_dvec3();
    let points: Option<Vec<Vector>> = mesh.positions.iter().map(|&position| single(position - origin)).collect();
    let points = points.ok_or(RigidProblem::NonFinite("mesh"))?;
    let radius = points.iter().map(|point| point.length()).fold(0.0, f32::max);
    let shape = SharedShape::trimesh(points, mesh.triangles.clone()).map_err(|_| RigidProblem::Empty)?;
    Ok(PartShape { shape, offset, radius, thickness: 0.0 })
}

fn positive(what: &'static str, value: f64) -> Result<f32, RigidProblem> {
    let single = value as f32;
    if single > 0.0 && single.is_finite() { Ok(single) } else { Err(RigidProblem::NotPositive { what, value }) }
}

/// A vector in single precision, if it still is finite there.
pub(super) fn single(vector: DVec3) -> Option<Vector> {
    Some(vector.as_vec3()).filter(|vector| vector.is_finite())
}
