//! What is to be drawn, and all of it in view space.

use std::ops::Range;

use glam::{DMat3, DVec3, Vec3};
use rayon::prelude::*;

use super::camera::View;
use super::color::{breaks, to_linear};
use super::measured::Measured;
use crate::geometry::{Pose, TriMesh, is_fracture};

/// How the triangles of a drawable get their colours. Colours are sRGB from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coloring<'a> {
    /// One colour for all.
    Uniform([f32; 3]),
    /// The colours of the mesh's vertices; light grey where it has none.
    Vertex,
    /// A colour for each of the mesh's material numbers. A number beyond the end begins again at the front; a mesh
    /// without materials has material 0 everywhere.
    Material(&'a [[f32; 3]]),
    /// A colour for each point.
    Measured(&'a Measured<'a>),
}

/// A mesh, where it is and what colour it has. Both sides of a triangle are drawn.
///
/// Triangles that name vertices that are not there or not finite are left out.
#[derive(Clone, Copy, Debug)]
pub struct Drawable<'a> {
    /// The mesh. With normals it is shaded smoothly, without them by the options' crease angle.
    pub mesh: &'a TriMesh,
    /// Where it is.
    pub pose: Pose,
    /// Its colour.
    pub coloring: Coloring<'a>,
}

/// Vertices are transformed this many at a time.
const VERTICES_PER_TASK: usize = 8192;

/// Triangles are worked on this many at a time.
pub(super) const TRIANGLES_PER_TASK: usize = 16384;

/// Coordinates beyond this cannot be told from a mistake, and their products would leave single precision.
const FARTHEST: f64 = 1e15;

/// The colour where a mesh should have one but has not, in linear light.
const MISSING_COLOR: Vec3 = Vec3::splat(0.6);

/// The drawables as one list of triangles, numbered through, with the vertices in view space.
pub(super) struct Scene<'a> {
    drawables: &'a [Drawable<'a>],
    /// The number of each drawable's first vertex, and the number of vertices.
    first_vertex: Vec<usize>,
    /// The number of each drawable's first triangle, and the number of triangles.
    first_triangle: Vec<usize>,
    /// All vertices in view space. Single precision holds a thousandth of a pixel even in the largest picture, because
    /// the eye is the origin. Vertices that cannot be drawn are NaN.
    pub(super) positions: Vec<Vec3>,
    /// The cross product of two sides of each triangle: its normal, as long as twice its area.
    crosses: Vec<Vec3>,
    /// Each drawable's colour in linear light, where it has one for all.
    uniform_colors: Vec<Vec3>,
    /// Around each vertex, for meshes that come without normals.
    adjacency: Adjacency,
    /// The cosine of the angle between triangles from which on their common edge is sharp.
    crease_cosine: f32,
}

/// A triangle of the scene and where its mesh keeps it.
#[derive(Clone, Copy)]
pub(super) struct SceneTriangle {
    pub(super) drawable: usize,
    /// Its number in the scene.
    pub(super) number: usize,
    /// Its number within the mesh.
    pub(super) triangle: usize,
    /// Its vertices, numbered through the scene.
    pub(super) vertices: [usize; 3],
}

impl<'a> Scene<'a> {
    pub(super) fn new(drawables: &'a [Drawable<'a>], view: &View, crease_angle: f64) -> Scene<'a> {
        let running = |count: fn(&TriMesh) -> usize| {
            let mut total = 0;
            let mut first = vec![0];
            first.extend(drawables.iter().map(|drawable| {
                total += count(drawable.mesh);
                total
            }));
            first
        };
        let first_vertex = running(|mesh| mesh.positions.len());
        let first_triangle = running(|mesh| mesh.triangles.len());
        let positions = view_positions(drawables, view);
        // The cosine of exactly 0 would merge coplanar triangles only by luck of rounding; flat is what is meant.
        let smooth = crease_angle > 0.0;
        let crease_cosine = if smooth { crease_angle.min(180.0).to_radians().cos() as f32 } else { 2.0 };
        let uniform_color = |drawable: &Drawable<'_>| match drawable.coloring {
            Coloring::Uniform(color) => to_linear(color),
            _ => MISSING_COLOR,
        };
        let mut scene = Scene {
            drawables,
            first_vertex,
            first_triangle,
            positions,
            crosses: Vec::new(),
            uniform_colors: drawables.iter().map(uniform_color).collect(),
            adjacency: Adjacency::default(),
            crease_cosine,
        };
        scene.crosses = scene.triangle_crosses();
        if smooth {
            scene.adjacency = Adjacency::new(&scene);
        }
        scene
    }

    pub(super) fn triangle_count(&self) -> usize {
        self.first_triangle.last().copied().unwrap_or(0)
    }

    /// The box around the vertices that matter, or around all where none does, in coordinates of the caller's choice.
    pub(super) fn bounds(
        &self,
        matters: impl Fn(Vec3) -> bool + Sync,
        coordinates: impl Fn(Vec3) -> Vec3 + Sync,
    ) -> Option<(Vec3, Vec3)> {
        let around = |kept: &(dyn Fn(Vec3) -> bool + Sync)| {
            let chunks = self.positions.par_chunks(VERTICES_PER_TASK).filter_map(|chunk| {
                let kept = chunk.iter().filter(|position| !position.is_nan() && kept(**position));
                let points = kept.map(|&position| coordinates(position)).map(|point| (point, point));
                points.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            });
            chunks.reduce_with(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        };
        around(&matters).or_else(|| around(&|_| true))
    }

    fn triangle_crosses(&self) -> Vec<Vec3> {
        let mut crosses = vec![Vec3::ZERO; self.triangle_count()];
        crosses.par_chunks_mut(TRIANGLES_PER_TASK).enumerate().for_each(|(task, crosses)| {
            let start = task * TRIANGLES_PER_TASK;
            self.for_triangles(start..start + crosses.len(), |number, vertices| {
                let [a, b, c] = self.corners(vertices);
                crosses[number - start] = (b - a).cross(c - a);
            });
        });
        crosses
    }

    /// Calls back for each sound triangle in a range of numbers.
    pub(super) fn for_triangles(&self, range: Range<usize>, mut visit: impl FnMut(usize, [usize; 3])) {
        let mut number = range.start;
        let mut drawable = self.drawable_of(number);
        while number < range.end {
            let first = self.first_triangle[drawable];
            let end = self.first_triangle[drawable + 1].min(range.end);
            for (offset, triangle) in
                self.drawables[drawable].mesh.triangles[number - first..end - first].iter().enumerate()
            {
                if let Some(vertices) = self.vertices(drawable, triangle) {
                    visit(number + offset, vertices);
                }
            }
            number = end;
            drawable += 1;
        }
    }

    fn vertices(&self, drawable: usize, triangle: &[u32; 3]) -> Option<[usize; 3]> {
        let (first, end) = (self.first_vertex[drawable], self.first_vertex[drawable + 1]);
        let vertices = triangle.map(|vertex| first + vertex as usize);
        vertices.iter().all(|&vertex| vertex < end).then_some(vertices)
    }

    fn drawable_of(&self, number: usize) -> usize {
        self.first_triangle.partition_point(|&first| first <= number).saturating_sub(1)
    }

    /// The triangle of a number that [`Scene::for_triangles`] gave.
    pub(super) fn triangle(&self, number: usize) -> SceneTriangle {
        let drawable = self.drawable_of(number);
        let triangle = number - self.first_triangle[drawable];
        let first = self.first_vertex[drawable];
        let vertices = self.drawables[drawable].mesh.triangles[triangle].map(|vertex| first + vertex as usize);
        SceneTriangle { number, drawable, triangle, vertices }
    }

    pub(super) fn corners(&self, vertices: [usize; 3]) -> [Vec3; 3] {
        vertices.map(|vertex| self.positions[vertex])
    }

    /// A unit vector across a triangle, on the side that the winding gives; zero for one without area.
    pub(super) fn face_normal(&self, number: usize) -> Vec3 {
        self.crosses[number].normalize_or_zero()
    }

    /// The normal to shade with at a point of a triangle.
    pub(super) fn shading_normal(&self, triangle: &SceneTriangle, barycentric: Vec3, view: &View) -> Vec3 {
        let face = self.face_normal(triangle.number);
        let Drawable { mesh, pose, .. } = &self.drawables[triangle.drawable];
        let corner_normals = match &mesh.normals {
            Some(normals) => {
                let first = self.first_vertex[triangle.drawable];
                let normal = |vertex: usize| normals.get(vertex - first).copied().unwrap_or(Vec3::ZERO).as_dvec3();
                let mean = triangle.vertices.map(normal);
                let sum = (0..3).map(|corner| f64::from(barycentric[corner]) * mean[corner]).sum();
                return unit_or(view.direction(pose.transform_vector(sum)).as_vec3(), face);
            }
            None => triangle.vertices.map(|vertex| self.crease_normal(vertex, face)),
        };
        unit_or((0..3).map(|corner| barycentric[corner] * corner_normals[corner]).sum(), face)
    }

    /// The mean of the normals around a vertex that are close enough to the one asked for.
    fn crease_normal(&self, vertex: usize, face: Vec3) -> Vec3 {
        let around = self.adjacency.around(vertex).iter().map(|&number| self.crosses[number as usize]);
        let close = around.filter(|normal| normal.dot(face) > self.crease_cosine * normal.length());
        unit_or(close.fold(Vec3::ZERO, |sum, normal| sum + normal), face)
    }

    /// The colour at a point of a triangle, in linear light.
    pub(super) fn albedo(&self, triangle: &SceneTriangle, barycentric: Vec3) -> Vec3 {
        let Drawable { mesh, coloring, .. } = &self.drawables[triangle.drawable];
        match coloring {
            Coloring::Uniform(_) if is_fracture(self.material(triangle)) => {
                breaks(self.uniform_colors[triangle.drawable])
            }
            Coloring::Uniform(_) => self.uniform_colors[triangle.drawable],
            Coloring::Vertex => {
                let first = self.first_vertex[triangle.drawable];
                let color = |vertex: usize| {
                    let bytes = mesh.colors.as_ref().and_then(|colors| colors.get(vertex - first));
                    bytes.map_or(MISSING_COLOR, |&[red, green, blue, _]| {
                        to_linear([red, green, blue].map(|byte| f32::from(byte) / 255.0))
                    })
                };
                (0..3).map(|corner| barycentric[corner] * color(triangle.vertices[corner])).sum()
            }
            Coloring::Measured(measured) => {
                let first = self.first_vertex[triangle.drawable];
                let corners = triangle.vertices.map(|vertex| mesh.positions[vertex - first]);
                let point: DVec3 = (0..3).map(|corner| f64::from(barycentric[corner]) * corners[corner]).sum();
                to_linear((measured.0)(point))
            }
            Coloring::Material(palette) => {
                let material = self.material(triangle) as usize;
                palette.get(material % palette.len().max(1)).map_or(MISSING_COLOR, |&color| to_linear(color))
            }
        }
    }

    /// The material number of a triangle.
    pub(super) fn material(&self, triangle: &SceneTriangle) -> u32 {
        let materials = self.drawables[triangle.drawable].mesh.materials.as_ref();
        materials.and_then(|materials| materials.get(triangle.triangle)).copied().unwrap_or(0)
    }
}

fn unit_or(vector: Vec3, otherwise: Vec3) -> Vec3 {
    vector.try_normalize().unwrap_or(otherwise)
}

fn view_positions(drawables: &[Drawable<'_>], view: &View) -> Vec<Vec3> {
    let total = drawables.iter().map(|drawable| drawable.mesh.positions.len()).sum();
    let mut positions = vec![Vec3::NAN; total];
    let mut rest = positions.as_mut_slice();
    let mut tasks = Vec::new();
    for drawable in drawables {
        let (own, others) = rest.split_at_mut(drawable.mesh.positions.len());
        rest = others;
        let sources = drawable.mesh.positions.chunks(VERTICES_PER_TASK);
        tasks.extend(sources.zip(own.chunks_mut(VERTICES_PER_TASK)).map(|(from, to)| (drawable.pose, from, to)));
    }
    tasks.into_par_iter().for_each(|(pose, from, to)| {
        let rotation = DMat3::from_quat(pose.rotation);
        let linear = DMat3::from_cols(
            view.direction(rotation.x_axis),
            view.direction(rotation.y_axis),
            view.direction(rotation.z_axis),
        );
        let origin = view.point(pose.translation);
        for (&point, position) in from.iter().zip(to) {
            let moved: DVec3 = linear * point + origin;
            // Also false for NaN.
            if moved.abs().max_element() < FARTHEST && !moved.is_nan() {
                *position = moved.as_vec3();
            }
        }
    });
    positions
}

/// The triangles around each vertex, of the meshes that have no normals of their own.
#[derive(Default)]
struct Adjacency {
    first: Vec<u32>,
    triangles: Vec<u32>,
}

impl Adjacency {
    fn new(scene: &Scene<'_>) -> Adjacency {
        let bare = |drawable: &usize| scene.drawables[*drawable].mesh.normals.is_none();
        let ranges: Vec<Range<usize>> = (0..scene.drawables.len())
            .filter(bare)
            .map(|drawable| scene.first_triangle[drawable]..scene.first_triangle[drawable + 1])
            .filter(|range| !range.is_empty())
            .collect();
        if ranges.is_empty() {
            return Adjacency::default();
        }
        // Counted one place ahead, so that the running sum, used as the write position, ends as the list of starts.
        let mut first = vec![0u32; scene.positions.len() + 2];
        for range in &ranges {
            scene.for_triangles(range.clone(), |_, vertices| {
                for vertex in vertices {
                    first[vertex + 2] += 1;
                }
            });
        }
        for place in 2..first.len() {
            first[place] += first[place - 1];
        }
        let mut triangles = vec![0u32; first.last().map_or(0, |&total| total as usize)];
        for range in &ranges {
            scene.for_triangles(range.clone(), |number, vertices| {
                for vertex in vertices {
                    triangles[first[vertex + 1] as usize] = number as u32;
                    first[vertex + 1] += 1;
                }
            });
        }
        Adjacency { first, triangles }
    }

    fn around(&self, vertex: usize) -> &[u32] {
        match (self.first.get(vertex), self.first.get(vertex + 1)) {
            (Some(&start), Some(&end)) => &self.triangles[start as usize..end as usize],
            _ => &[],
        }
    }
}
