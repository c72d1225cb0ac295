//! From triangles to polygons.

use glam::DVec3;

use super::quickhull::{Facet, Quickhull};
use crate::geometry::disjoint_sets::DisjointSets;
use crate::geometry::predicates::orient_3d;
use crate::geometry::{Aabb, Convex, Plane, PolyMesh};

/// How far coordinates may have been rounded, relative to the largest: a rotation and a translation do no more.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The solid of a finished hull, with the vertices as they were given; `None` if it is no solid, which takes coordinates
/// so small that their products are lost.
pub(super) fn assemble(points: &[DVec3], scaled: &[DVec3], hull: &Quickhull<'_>) -> Option<Convex> {
    let facets = Facets::new(scaled, hull);
    let flat = facets.exactly_flat();
    // Exact groups are convex polygons beyond doubt; larger ones are used if they turn out as well.
    facets.solid(points, &facets.nearly_flat(&flat)).or_else(|| facets.solid(points, &flat))
}

/// The facets that are part of the hull, numbered anew.
struct Facets<'a> {
    points: &'a [DVec3],
    triangles: Vec<[u32; 3]>,
    neighbours: Vec<[u32; 3]>,
}

impl<'a> Facets<'a> {
    fn new(points: &'a [DVec3], hull: &Quickhull<'_>) -> Facets<'a> {
        let mut count = 0;
        let numbers: Vec<u32> = hull
            .facets
            .iter()
            .map(|facet| {
                let number = count;
                count += u32::from(facet.alive);
                number
            })
            .collect();
        let alive = || hull.facets.iter().filter(|facet| facet.alive);
        let renumber = |facet: &Facet| facet.neighbours.map(|neighbour| numbers[neighbour as usize]);
        Facets {
            points,
            triangles: alive().map(|facet| facet.corners).collect(),
            neighbours: alive().map(renumber).collect(),
        }
    }

    /// The corner of the neighbour across an edge that is not on the edge.
    fn apex_across(&self, facet: usize, edge: usize) -> u32 {
        let [from, to] = [self.triangles[facet][edge], self.triangles[facet][(edge + 1) % 3]];
        let other = self.triangles[self.neighbours[facet][edge] as usize];
        other.into_iter().find(|&corner| corner != from && corner != to).unwrap_or(from)
    }

    /// For each facet a name of its group: those that are in one plane exactly.
    fn exactly_flat(&self) -> Vec<u32> {
        let mut groups = DisjointSets::new(self.triangles.len());
        for facet in 0..self.triangles.len() {
            for edge in 0..3 {
                let [a, b, c] = self.triangles[facet].map(|corner| self.points[corner as usize]);
                if (self.neighbours[facet][edge] as usize) > facet
                    && orient_3d(a, b, c, self.points[self.apex_across(facet, edge) as usize]) == 0.0
                {
                    groups.join(facet as u32, self.neighbours[facet][edge]);
                }
            }
        }
        (0..self.triangles.len() as u32).map(|facet| groups.find(facet)).collect()
    }

    /// Grows groups from the facets with the largest area to neighbouring groups as long as all corners stay as near to
    /// the plane of the first as rounding allows.
    fn nearly_flat(&self, groups: &[u32]) -> Vec<u32> {
        let tolerance = ROUNDING * self.points.iter().fold(0.0, |most: f64, point| most.max(point.abs().max_element()));
        let mut members = vec![Vec::new(); groups.len()];
        for (facet, &group) in groups.iter().enumerate() {
            members[group as usize].push(facet as u32);
        }
        let plane = |facet: u32| {
            let [a, b, c] = self.triangles[facet as usize].map(|corner| self.points[corner as usize]);
            ((b - a).cross(c - a), a)
        };
        let mut order: Vec<u32> = (0..groups.len() as u32).collect();
        let areas: Vec<f64> = order.iter().map(|&facet| plane(facet).0.length_squared()).collect();
        order.sort_by(|&a, &b| areas[b as usize].total_cmp(&areas[a as usize]).then(a.cmp(&b)));
        let mut result = vec![u32::MAX; groups.len()];
        for seed in order {
            if result[seed as usize] != u32::MAX {
                continue;
            }
            let (normal, origin) = plane(seed);
            let Some(normal) = normal.try_normalize() else { continue };
            // Within a thin hull, the facets on the other side are near too; but a sliver's normal means nothing.
            let near = |facet: u32| {
                let corners = self.triangles[facet as usize].map(|corner| self.points[corner as usize]);
                let area = plane(facet).0;
                let longest = Aabb::of_points(corners).diagonal();
                (area.dot(normal) > 0.0 || area.length() <= 2.0 * tolerance * longest)
                    && corners.iter().all(|&corner| normal.dot(corner - origin).abs() <= tolerance)
            };
            let mut stack = vec![seed];
            while let Some(facet) = stack.pop() {
                if result[facet as usize] != u32::MAX {
                    continue;
                }
                let group = &members[groups[facet as usize] as usize];
                if groups[facet as usize] != groups[seed as usize] && !group.iter().all(|&member| near(member)) {
                    continue;
                }
                for &member in group {
                    result[member as usize] = seed;
                    stack.extend(self.neighbours[member as usize]);
                }
            }
        }
        // Facets without a normal in double precision stay with their exact group.
        for facet in 0..result.len() {
            if result[facet] == u32::MAX {
                result[facet] = groups[facet];
            }
        }
        result
    }

    /// The solid with one face for each group; `None` if a group's border is not one polygon.
    fn solid(&self, given: &[DVec3], groups: &[u32]) -> Option<Convex> {
        // The border edges of each group, and how many faces are around each corner.
        let mut borders: Vec<(u32, u32, u32)> = Vec::new();
        let mut faces_at = vec![0u32; given.len()];
        for (facet, triangle) in self.triangles.iter().enumerate() {
            for edge in 0..3 {
                if groups[self.neighbours[facet][edge] as usize] != groups[facet] {
                    borders.push((groups[facet], triangle[edge], triangle[(edge + 1) % 3]));
                    faces_at[triangle[edge] as usize] += 1;
                }
            }
        }
        if borders.is_empty() {
            return None;
        }
        borders.sort_unstable();
        let mut surface = PolyMesh::default();
        let mut planes = Vec::new();
        let mut numbers = vec![u32::MAX; given.len()];
        let mut face_of_group = vec![0; groups.len()];
        // Faces without a normal in double precision, which get some plane that has the solid inside.
        let mut slivers = Vec::new();
        let center = Aabb::of_points(self.points.iter().copied()).center();
        for border in borders.chunk_by(|a, b| a.0 == b.0) {
            // A point between two faces only lies on their edge, and is no corner.
            let mut corners = walk(border)?;
            corners.retain(|&corner| faces_at[corner as usize] >= 3);
            if corners.len() < 3 {
                return None;
            }
            let area = vector_area(corners.iter().map(|&corner| self.points[corner as usize]));
            let normal = area.try_normalize().unwrap_or_else(|| {
                slivers.push(planes.len());
                (self.points[corners[0] as usize] - center).normalize_or(DVec3::X)
            });
            for corner in &mut corners {
                let number = &mut numbers[*corner as usize];
                if *number == u32::MAX {
                    *number = surface.positions.len() as u32;
                    surface.positions.push(given[*corner as usize]);
                }
                *corner = *number;
            }
            face_of_group[border[0].0 as usize] = planes.len();
            planes.push(Plane { normal, offset: f64::NEG_INFINITY });
            surface.push_face(&[&corners], 0);
        }
        // The plane is as far out as the outermost corner that the group had, so that rounding leaves none outside.
        for (triangle, &group) in self.triangles.iter().zip(groups) {
            let plane = &mut planes[face_of_group[group as usize]];
            for &corner in triangle {
                plane.offset = plane.offset.max(plane.normal.dot(given[corner as usize]));
            }
        }
        for face in slivers {
            let normal = planes[face].normal;
            let reach = surface.positions.iter().map(|&position| normal.dot(position));
            planes[face].offset = reach.fold(f64::NEG_INFINITY, f64::max);
        }
        let edges = surface.corners.len() / 2;
        let is_solid = surface.positions.len() + surface.face_count() == edges + 2;
        is_solid.then(|| Convex::from_parts(surface, planes))
    }
}

/// The corners of a border whose edges are sorted by where they start; `None` if it is not one polygon.
fn walk(border: &[(u32, u32, u32)]) -> Option<Vec<u32>> {
    let first = border[0].1;
    let mut corners = Vec::with_capacity(border.len());
    let mut here = first;
    while corners.len() < border.len() {
        let edge = border.binary_search_by_key(&here, |edge| edge.1).ok()?;
        corners.push(here);
        here = border[edge].2;
        if here == first {
            break;
        }
    }
    (here == first && corners.len() == border.len()).then_some(corners)
}

/// Twice the vector area of a polygon; zero with fewer than three corners.
fn vector_area(corners: impl Iterator<Item = DVec3>) -> DVec3 {
    let mut corners = corners;
    let Some(apex) = corners.next() else { return DVec3::ZERO };
    let (mut area, mut previous) = (DVec3::ZERO, DVec3::ZERO);
    for corner in corners {
        let here = corner - apex;
        area += previous.cross(here);
        previous = here;
    }
    area
}
