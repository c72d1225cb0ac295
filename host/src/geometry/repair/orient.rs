//! Which side is out.

use glam::DVec3;

use super::{Repair, connected_triangles};
use crate::bvh::Bvh;
use crate::geometry::edge_sides::{EdgeSide, edge_sides, edges, names_twice};
use crate::geometry::predicates::orient_3d;
use crate::geometry::{Aabb, TriMesh, TrianglePair, self_intersections};

/// Directions to look along, none of them special for modelled shapes; the next is for when one grazes an edge.
const DIRECTIONS: [DVec3; 4] = [
    DVec3::new(0.806_1, 0.315_7, 0.500_3),
    DVec3::new(-0.301_9, 0.912_3, 0.277_1),
    DVec3::new(0.123_7, -0.404_9, 0.905_9),
    DVec3::new(-0.701_3, -0.611_7, -0.366_1),
];

/// Turns triangles so that every two at an edge of two sides agree. Of each patch the smaller part is turned.
pub(super) fn agree(mesh: &mut TriMesh) -> Option<Repair> {
    let triangles = connected_triangles(mesh);
    let sides = edge_sides(&triangles, mesh.positions.len());
    let neighbours = Neighbours::new(triangles.len(), &sides);
    let mut turned = 0;
    let mut visited = vec![false; triangles.len()];
    for seed in 0..triangles.len() as u32 {
        if visited[seed as usize] {
            continue;
        }
        // The triangles of the patch, and whether each faces the other way than the seed.
        let mut patch = vec![(seed, false)];
        visited[seed as usize] = true;
        let mut next = 0;
        while let Some(&(triangle, against)) = patch.get(next) {
            next += 1;
            for &(neighbour, disagrees) in neighbours.of(triangle) {
                if !std::mem::replace(&mut visited[neighbour as usize], true) {
                    patch.push((neighbour, against != disagrees));
                }
            }
        }
        let against = patch.iter().filter(|&&(_, against)| against).count();
        let minority = 2 * against <= patch.len();
        for &(triangle, _) in patch.iter().filter(|&&(_, against)| against == minority) {
            mesh.triangles[triangle as usize].swap(1, 2);
            turned += 1;
        }
    }
    (turned > 0).then_some(Repair::Turned { triangles: turned })
}

/// Turns closed patches so that their volume is positive where an even number of other closed patches is around them.
/// Wholly inside an odd number, a patch may be a cavity or a part of its own, and stays as it is. One that passes through
/// another is no cavity of it.
pub(super) fn face_outwards(mesh: &mut TriMesh) -> Option<Repair> {
    let triangles = connected_triangles(mesh);
    let sides = edge_sides(&triangles, mesh.positions.len());
    let patches = Patches::new(&triangles, &sides);
    let reference = mesh.aabb().center();
    let mut volumes = vec![0.0; patches.closed.len()];
    for (triangle, corners) in mesh.iter_corners().enumerate() {
        let [a, b, c] = corners.map(|corner| corner - reference);
        volumes[patches.of[triangle] as usize] += a.dot(b.cross(c));
    }
    let suspects: Vec<usize> = (0..volumes.len()).filter(|&p| patches.closed[p] && volumes[p] < 0.0).collect();
    if suspects.is_empty() {
        return None;
    }
    let boxes: Vec<Aabb> = mesh.iter_corners().map(Aabb::of_points).collect();
    let bvh = Bvh::build(&boxes);
    let mut bounds = vec![Aabb::EMPTY; volumes.len()];
    for (of_triangle, &patch) in boxes.iter().zip(&patches.of) {
        bounds[patch as usize] = bounds[patch as usize].union(*of_triangle);
    }
    let mut around: Vec<Vec<u32>> = suspects.iter().map(|&patch| patches.around(mesh, &bvh, &bounds, patch)).collect();
    // One point of a patch says where all of it is only if it passes through none of the others.
    if around.iter().any(|others| !others.is_empty()) {
        let crossing = patches.crossing(mesh);
        for (&patch, others) in suspects.iter().zip(&mut around) {
            let patch = patch as u32;
            others.retain(|&other| crossing.binary_search(&(patch.min(other), patch.max(other))).is_err());
        }
    }
    let mut turn = vec![false; volumes.len()];
    for (patch, others) in suspects.into_iter().zip(around) {
        turn[patch] = others.len().is_multiple_of(2);
    }
    let shells = turn.iter().filter(|&&turn| turn).count();
    for (triangle, &patch) in mesh.triangles.iter_mut().zip(&patches.of) {
        if turn[patch as usize] {
            triangle.swap(1, 2);
        }
    }
    (shells > 0).then_some(Repair::TurnedShells { shells })
}

/// For each triangle, those it shares an edge of two sides with, and whether they disagree on what is out.
struct Neighbours {
    starts: Vec<u32>,
    list: Vec<(u32, bool)>,
}

impl Neighbours {
    fn new(triangles: usize, sides: &[EdgeSide]) -> Neighbours {
        let pairs = || edges(sides).filter_map(|edge| if let [a, b] = edge { Some((a, b)) } else { None });
        let mut starts = vec![0u32; triangles + 1];
        for (a, b) in pairs() {
            starts[a.triangle() as usize + 1] += 1;
            starts[b.triangle() as usize + 1] += 1;
        }
        for triangle in 0..triangles {
            starts[triangle + 1] += starts[triangle];
        }
        let mut cursors = starts.clone();
        let mut list = vec![(0, false); starts[triangles] as usize];
        for (a, b) in pairs() {
            for (from, to) in [(a, b), (b, a)] {
                let cursor = &mut cursors[from.triangle() as usize];
                list[*cursor as usize] = (to.triangle(), a.reversed == b.reversed);
                *cursor += 1;
            }
        }
        Neighbours { starts, list }
    }

    fn of(&self, triangle: u32) -> &[(u32, bool)] {
        &self.list[self.starts[triangle as usize] as usize..self.starts[triangle as usize + 1] as usize]
    }
}

/// Triangles that hang together by edges of two sides.
struct Patches {
    of: Vec<u32>,
    /// The first triangle of each.
    first: Vec<u32>,
    /// Whether each has all edges walked both ways.
    closed: Vec<bool>,
}

impl Patches {
    fn new(triangles: &[[u32; 3]], sides: &[EdgeSide]) -> Patches {
        let neighbours = Neighbours::new(triangles.len(), sides);
        let mut patches = Patches { of: vec![u32::MAX; triangles.len()], first: Vec::new(), closed: Vec::new() };
        for seed in 0..triangles.len() as u32 {
            if patches.of[seed as usize] != u32::MAX {
                continue;
            }
            let patch = patches.first.len() as u32;
            patches.first.push(seed);
            patches.closed.push(!names_twice(triangles[seed as usize]));
            let mut stack = vec![seed];
            patches.of[seed as usize] = patch;
            while let Some(triangle) = stack.pop() {
                for &(neighbour, _) in neighbours.of(triangle) {
                    if patches.of[neighbour as usize] == u32::MAX {
                        patches.of[neighbour as usize] = patch;
                        stack.push(neighbour);
                    }
                }
            }
        }
        // An edge of more sides still closes a patch that walks it both ways as often.
        let mut balance: Vec<(u32, i32)> = Vec::new();
        for edge in edges(sides) {
            balance.clear();
            balance.extend(
                edge.iter().map(|side| (patches.of[side.triangle() as usize], if side.reversed { -1 } else { 1 })),
            );
            balance.sort_unstable();
            for sides in balance.chunk_by(|a, b| a.0 == b.0) {
                if sides.iter().map(|side| side.1).sum::<i32>() != 0 {
                    patches.closed[sides[0].0 as usize] = false;
                }
            }
        }
        patches
    }

    /// The pairs of different patches that pass through each other, the smaller number first, sorted.
    fn crossing(&self, mesh: &TriMesh) -> Vec<(u32, u32)> {
        let of = |pair: TrianglePair| pair.map(|triangle| self.of[triangle as usize]);
        let pairs = self_intersections(mesh).into_iter().map(of).filter(|[a, b]| a != b);
        let mut pairs: Vec<(u32, u32)> = pairs.map(|[a, b]| (a.min(b), a.max(b))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// The other closed patches whose box holds that of a patch, and which are around the middle of its first triangle.
    fn around(&self, mesh: &TriMesh, bvh: &Bvh, bounds: &[Aabb], patch: usize) -> Vec<u32> {
        let [a, b, c] = mesh.corners(self.first[patch] as usize);
        let inside = (a + b + c) / 3.0;
        let reach = 2.0 * mesh.aabb().diagonal();
        let mut crossed = Vec::new();
        for direction in DIRECTIONS {
            crossed.clear();
            let mut grazes = false;
            let end = inside + reach * direction;
            bvh.ray(inside, end - inside, 1.0, |triangle, limit| {
                let other = self.of[triangle as usize];
                if other as usize != patch && self.closed[other as usize] {
                    match passes(inside, end, mesh.corners(triangle as usize)) {
                        Some(true) => crossed.push(other),
                        Some(false) => {}
                        None => grazes = true,
                    }
                }
                limit
            });
            if !grazes {
                break;
            }
        }
        crossed.sort_unstable();
        let odd = crossed.chunk_by(|a, b| a == b).filter(|crossings| crossings.len() % 2 == 1);
        let holds = |other: &Aabb| other.contains(bounds[patch].min) && other.contains(bounds[patch].max);
        odd.map(|crossings| crossings[0]).filter(|&other| holds(&bounds[other as usize])).collect()
    }
}

/// Whether a segment passes through the inside of a triangle; `None` if it meets its border or plane in another way.
fn passes(from: DVec3, to: DVec3, [a, b, c]: [DVec3; 3]) -> Option<bool> {
    let (start, end) = (orient_3d(a, b, c, from), orient_3d(a, b, c, to));
    if (start > 0.0 && end > 0.0) || (start < 0.0 && end < 0.0) {
        return Some(false);
    }
    let turns = [orient_3d(from, to, a, b), orient_3d(from, to, b, c), orient_3d(from, to, c, a)];
    if turns.iter().any(|&turn| turn > 0.0) && turns.iter().any(|&turn| turn < 0.0) {
        return Some(false);
    }
    if start == 0.0 || end == 0.0 || turns.contains(&0.0) { None } else { Some(true) }
}
