//! A triangulated polygon that takes in points and stays Delaunay.

use glam::DVec2;
use robust::Coord;

use crate::geometry::predicates::orient_2d;

/// No triangle: the edge is on the outline.
const NONE: u32 = u32::MAX;

/// How many triangles a search walks through before it looks at all of them.
const LONGEST_WALK: usize = 256;

/// How often all edges are looked at before points come in. Polygons need a handful; what is left after is still a
/// triangulation, only with longer triangles.
const MOST_PASSES: usize = 32;

/// Triangles of a polygon in the plane, counter-clockwise. Edges of the outline are never touched.
pub(super) struct Sheet {
    pub(super) points: Vec<DVec2>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// The triangle beyond the edge that leaves each corner.
    neighbours: Vec<[u32; 3]>,
    stack: Vec<u32>,
}

/// A point that was taken in: the corners of the triangle that it fell into, and their weights at it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) corners: [u32; 3],
    pub(super) weights: [f64; 3],
    /// A triangle at the point, to search the next one from.
    pub(super) triangle: u32,
}

impl Sheet {
    /// A sheet of triangles that are not turned over; `None` if they are no sheet (an edge has two triangles on one
    /// side).
    pub(super) fn new(points: Vec<DVec2>, triangles: Vec<[u32; 3]>) -> Option<Sheet> {
        let mut sides: Vec<(u32, u32, bool, u32, usize)> = Vec::with_capacity(3 * triangles.len());
        for (number, corners) in triangles.iter().enumerate() {
            for slot in 0..3 {
                let (from, to) = (corners[slot], corners[after(slot)]);
                sides.push((from.min(to), from.max(to), from > to, number as u32, slot));
            }
        }
        sides.sort_unstable();
        let mut neighbours = vec![[NONE; 3]; triangles.len()];
        for sides in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            match *sides {
                [_] => {}
                [one, other] if one.2 != other.2 => {
                    neighbours[one.3 as usize][one.4] = other.3;
                    neighbours[other.3 as usize][other.4] = one.3;
                }
                _ => return None,
            }
        }
        let mut sheet = Sheet { points, triangles, neighbours, stack: Vec::new() };
        for _ in 0..MOST_PASSES {
            let mut changed = false;
            for triangle in 0..sheet.triangles.len() as u32 {
                for slot in 0..3 {
                    changed |= sheet.flip_if_better(triangle, slot).is_some();
                }
            }
            if !changed {
                break;
            }
        }
        Some(sheet)
    }

    /// Takes in a point, searched for from a triangle; `None` if it is in no triangle.
    pub(super) fn insert(&mut self, point: DVec2, from: u32) -> Option<Taken> {
        let triangle = self.find(point, from)?;
        let corners @ [a, b, c] = self.triangles[triangle as usize];
        let areas = [(b, c), (c, a), (a, b)]
            .map(|(from, to)| orient_2d(self.points[from as usize], self.points[to as usize], point));
        let total: f64 = areas.iter().sum();
        let weights = areas.map(|area| area / total);
        let apex = self.points.len() as u32;
        self.points.push(point);
        let [at_ab, at_bc, at_ca] = self.neighbours[triangle as usize];
        let second = self.triangles.len() as u32;
        let third = second + 1;
        self.triangles[triangle as usize] = [a, b, apex];
        self.triangles.extend([[b, c, apex], [c, a, apex]]);
        self.neighbours[triangle as usize] = [at_ab, second, third];
        self.neighbours.extend([[at_bc, third, triangle], [at_ca, triangle, second]]);
        self.relink(at_bc, c, b, second);
        self.relink(at_ca, a, c, third);
        self.stack.extend([triangle, second, third]);
        while let Some(triangle) = self.stack.pop() {
            let corners = self.triangles[triangle as usize];
            let Some(place) = corners.iter().position(|&corner| corner == apex) else { continue };
            if let Some(other) = self.flip_if_better(triangle, after(place)) {
                self.stack.extend([triangle, other]);
            }
        }
        Some(Taken { corners, weights, triangle })
    }

    /// A triangle that holds a point.
    fn find(&self, point: DVec2, from: u32) -> Option<u32> {
        let mut triangle = from;
        for _ in 0..LONGEST_WALK {
            if triangle == NONE {
                break;
            }
            let outside = (0..3).find(|&slot| self.side(triangle, slot, point) < 0.0);
            match outside {
                Some(slot) => triangle = self.neighbours[triangle as usize][slot],
                None if self.has_area(triangle) => return Some(triangle),
                None => break,
            }
        }
        (0..self.triangles.len() as u32)
            .find(|&triangle| (0..3).all(|slot| self.side(triangle, slot, point) >= 0.0) && self.has_area(triangle))
    }

    /// Positive where a point is on the inner side of the edge that leaves a corner.
    fn side(&self, triangle: u32, slot: usize, point: DVec2) -> f64 {
        let corners = self.triangles[triangle as usize];
        orient_2d(self.points[corners[slot] as usize], self.points[corners[after(slot)] as usize], point)
    }

    fn has_area(&self, triangle: u32) -> bool {
        let [a, b, c] = self.triangles[triangle as usize].map(|corner| self.points[corner as usize]);
        orient_2d(a, b, c) > 0.0
    }

    /// Turns the edge that leaves a corner to the other diagonal, if that makes the two triangles Delaunay and leaves
    /// neither turned over; gives the second triangle.
    fn flip_if_better(&mut self, triangle: u32, slot: usize) -> Option<u32> {
        let other = self.neighbours[triangle as usize][slot];
        if other == NONE {
            return None;
        }
        let corners = self.triangles[triangle as usize];
        let [a, b, c] = [corners[slot], corners[after(slot)], corners[before(slot)]];
        let beyond = self.triangles[other as usize];
        let back = (0..3).find(|&back| beyond[back] == b && beyond[after(back)] == a)?;
        let d = beyond[before(back)];
        let [at_a, at_b, at_c, at_d] = [a, b, c, d].map(|corner| self.points[corner as usize]);
        let is_better = in_circle(at_a, at_b, at_c, at_d) > 0.0
            && orient_2d(at_a, at_d, at_c) > 0.0
            && orient_2d(at_d, at_b, at_c) > 0.0;
        if !is_better {
            return None;
        }
        let (near, far) = (self.neighbours[triangle as usize], self.neighbours[other as usize]);
        let (at_bc, at_ca) = (near[after(slot)], near[before(slot)]);
        let (at_ad, at_db) = (far[after(back)], far[before(back)]);
        self.triangles[triangle as usize] = [a, d, c];
        self.neighbours[triangle as usize] = [at_ad, other, at_ca];
        self.triangles[other as usize] = [d, b, c];
        self.neighbours[other as usize] = [at_db, at_bc, triangle];
        self.relink(at_ad, d, a, triangle);
        self.relink(at_bc, c, b, other);
        Some(other)
    }

    /// Tells a triangle who is beyond one of its edges now.
    fn relink(&mut self, triangle: u32, from: u32, to: u32, beyond: u32) {
        if triangle == NONE {
            return;
        }
        let corners = self.triangles[triangle as usize];
        if let Some(slot) = (0..3).find(|&slot| corners[slot] == from && corners[after(slot)] == to) {
            self.neighbours[triangle as usize][slot] = beyond;
        }
    }
}

fn after(slot: usize) -> usize {
    if slot == 2 { 0 } else { slot + 1 }
}

fn before(slot: usize) -> usize {
    if slot == 0 { 2 } else { slot - 1 }
}

/// Positive where `d` lies inside the circle through `a`, `b`, `c`, which turn left. The sign is exact.
fn in_circle(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> f64 {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    robust::incircle(coord(a), coord(b), coord(c), coord(d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_sheet_stays_whole_and_becomes_delaunay() {
        let corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)];
        let outline: Vec<DVec2> = corners.into_iter().map(DVec2::from).collect();
        let mut sheet = Sheet::new(outline, vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]).unwrap();
        let mut random = Random::new(1);
        let mut last = 0;
        let mut taken = 0;
        for number in 0..2000 {
            let mut point = DVec2::new(4.0 * random.unit(), 3.0 * random.unit());
            if number % 5 == 0 {
                // On a grid: on edges, in line and on circles.
                point = (4.0 * point).floor() / 4.0 + 1.0 / 64.0;
            }
            let is_inside = point.y < 1.0 || point.x < 1.0;
            if number % 5 != 0 || !sheet.points.contains(&point) {
                let result = sheet.insert(point, last);
                assert_eq!(result.is_some(), is_inside, "{point}");
                if let Some(new) = result {
                    last = new.triangle;
                    taken += 1;
                    let at: DVec2 =
                        (0..3).map(|slot| new.weights[slot] * sheet.points[new.corners[slot] as usize]).sum();
                    assert!((at - point).length() < 1e-12);
                }
            }
        }
        assert_eq!(sheet.triangles.len(), 4 + 2 * taken);
        let area = |corners: [u32; 3]| {
            let [a, b, c] = corners.map(|corner| sheet.points[corner as usize]);
            0.5 * orient_2d(a, b, c)
        };
        assert!(sheet.triangles.iter().all(|&corners| area(corners) > 0.0));
        assert!((sheet.triangles.iter().map(|&corners| area(corners)).sum::<f64>() - 6.0).abs() < 1e-12);
        for (number, &[a, b, c]) in sheet.triangles.iter().enumerate() {
            let at = |corner: u32| sheet.points[corner as usize];
            for (slot, &beyond) in sheet.neighbours[number].iter().enumerate() {
                if beyond == NONE {
                    continue;
                }
                assert!(sheet.neighbours[beyond as usize].contains(&(number as u32)), "{slot}");
                for corner in sheet.triangles[beyond as usize] {
                    let [a, b, c, d] = [a, b, c, corner].map(at);
                    assert!(in_circle(a, b, c, d) <= 0.0);
                }
            }
        }
    }

    #[test]
    fn triangles_on_one_side_of_an_edge_are_no_sheet() {
        let points: Vec<DVec2> =
            [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.5, 2.0)].into_iter().map(DVec2::from).collect();
        assert!(Sheet::new(points, vec![[0, 1, 2], [0, 1, 3]]).is_none());
    }
}
