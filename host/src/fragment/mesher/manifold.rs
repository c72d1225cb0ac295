//! Makes the surface of tetrahedra a manifold: where parts touch in a vertex or an edge only, they come apart.

use rayon::prelude::*;

use super::stuff::Stuffed;
use crate::geometry::DisjointSets;

/// What it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mended {
    /// Vertices that are there once more because parts touched in them.
    pub(super) split_vertices: usize,
    /// Tetrahedra that are gone because a surface touched itself along an edge or in a vertex.
    pub(super) dropped_tets: usize,
}

/// Splits every vertex whose tetrahedra do not hang together by faces, into one for each part that does. Where the surface
/// touches itself and the tetrahedra around do hang together, the smallest of them goes, until it does not.
pub(super) fn make_manifold(stuffed: &mut Stuffed) -> Mended {
    let mut mended = Mended::default();
    loop {
        mended.split_vertices += split_vertices(stuffed);
        let dropped = touching(stuffed);
        if dropped.is_empty() {
            return mended;
        }
        mended.dropped_tets += dropped.len();
        for &tet in &dropped {
            // What was inside is on the surface now.
            stuffed.mesh.tets[tet as usize].iter().for_each(|&vertex| stuffed.is_outer[vertex as usize] = true);
        }
        let mut next = dropped.iter().peekable();
        let mut number = 0;
        stuffed.mesh.tets.retain(|_| {
            let is_dropped = next.next_if(|&&tet| tet == number).is_some();
            number += 1;
            !is_dropped
        });
    }
}

/// The tetrahedra at each vertex of the surface.
pub(super) struct Stars {
    starts: Vec<u32>,
    tets: Vec<u32>,
}

impl Stars {
    pub(super) fn new(stuffed: &Stuffed) -> Stars {
        let mut starts = vec![0u32; stuffed.is_outer.len() + 1];
        let outer = |tet: &[u32; 4]| tet.map(|vertex| stuffed.is_outer[vertex as usize].then_some(vertex as usize));
        for tet in &stuffed.mesh.tets {
            outer(tet).into_iter().flatten().for_each(|vertex| starts[vertex + 1] += 1);
        }
        for vertex in 1..starts.len() {
            starts[vertex] += starts[vertex - 1];
        }
        let mut ends = starts.clone();
        let mut tets = vec![0; *starts.last().unwrap_or(&0) as usize];
        for (number, tet) in stuffed.mesh.tets.iter().enumerate() {
            for vertex in outer(tet).into_iter().flatten() {
                tets[ends[vertex] as usize] = number as u32;
                ends[vertex] += 1;
            }
        }
        Stars { starts, tets }
    }

    /// The tetrahedra at a vertex, in order; none at one that is not on the surface.
    pub(super) fn at(&self, vertex: u32) -> &[u32] {
        &self.tets[self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize]
    }
}

/// Splits vertices; says how many there are more.
fn split_vertices(stuffed: &mut Stuffed) -> usize {
    let stars = Stars::new(stuffed);
    let tets = &stuffed.mesh.tets;
    let before = stuffed.is_outer.len();
    let groups: Vec<(u32, Vec<u32>)> = (0..before as u32)
        .into_par_iter()
        .filter_map(|vertex| groups(tets, vertex, stars.at(vertex)).map(|groups| (vertex, groups)))
        .collect();
    for (vertex, groups) in groups {
        // The first keeps the vertex. Groups have the number of their first tetrahedron.
        let mut copies: Vec<(u32, u32)> = vec![(0, vertex)];
        for (&tet, group) in stars.at(vertex).iter().zip(groups) {
            let copy = match copies.iter().find(|copy| copy.0 == group) {
                Some(&(_, copy)) => copy,
                None => {
                    let copy = stuffed.is_outer.len() as u32;
                    stuffed.is_outer.push(true);
                    stuffed.mesh.positions.push(stuffed.mesh.positions[vertex as usize]);
                    copies.push((group, copy));
                    copy
                }
            };
            let corners = &mut stuffed.mesh.tets[tet as usize];
            corners.iter_mut().filter(|corner| **corner == vertex).for_each(|corner| *corner = copy);
        }
    }
    stuffed.is_outer.len() - before
}

/// For each tetrahedron at a vertex, the first of those that it hangs together with by faces at the vertex; `None` if that
/// is the same for all.
fn groups(tets: &[[u32; 4]], vertex: u32, star: &[u32]) -> Option<Vec<u32>> {
    if star.len() < 2 {
        return None;
    }
    let mut faces = Vec::with_capacity(3 * star.len());
    for (member, &tet) in star.iter().enumerate() {
        let mut others = [0; 3];
        let rim = tets[tet as usize].into_iter().filter(|&corner| corner != vertex);
        others.iter_mut().zip(rim).for_each(|(other, corner)| *other = corner);
        others.sort_unstable();
        let [a, b, c] = others;
        faces.extend([(a, b, member as u32), (a, c, member as u32), (b, c, member as u32)]);
    }
    faces.sort_unstable();
    let mut sets = DisjointSets::new(star.len());
    let mut count = star.len();
    for pair in faces.windows(2).filter(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
        count -= usize::from(sets.join(pair[0].2, pair[1].2));
    }
    (count > 1).then(|| (0..star.len() as u32).map(|member| sets.find(member)).collect())
}

/// The tetrahedra to drop where the surface touches itself, in order.
fn touching(stuffed: &Stuffed) -> Vec<u32> {
    let faces = outer_faces(stuffed);
    // For each corner of a face, the two edges that leave it: vertex, other end, face.
    let mut spokes: Vec<(u32, u32, u32)> = faces
        .iter()
        .enumerate()
        .flat_map(|(face, &([a, b, c], _))| {
            [(a, b), (a, c), (b, c), (b, a), (c, a), (c, b)].map(|(from, to)| (from, to, face as u32))
        })
        .collect();
    spokes.par_sort_unstable();
    let volume = |tet: &u32| stuffed.mesh.tet_volume(*tet as usize);
    let smallest =
        |tets: &mut dyn Iterator<Item = u32>| tets.min_by(|a, b| volume(a).total_cmp(&volume(b)).then(a.cmp(b)));
    let mut stars = None;
    let mut dropped = Vec::new();
    for fan in spokes.chunk_by(|one, other| one.0 == other.0) {
        let vertex = fan[0].0;
        let mut is_pinched = false;
        for edge in fan.chunk_by(|one, other| one.1 == other.1).filter(|edge| edge.len() != 2) {
            is_pinched = true;
            let star = stars.get_or_insert_with(|| Stars::new(stuffed)).at(vertex);
            let has_edge = |tet: &u32| stuffed.mesh.tets[*tet as usize].contains(&edge[0].1);
            dropped.extend(smallest(&mut star.iter().copied().filter(has_edge)));
        }
        if !is_pinched && fan_count(fan) > 1 {
            dropped.extend(smallest(&mut fan.iter().map(|spoke| faces[spoke.2 as usize].1)));
        }
    }
    dropped.sort_unstable();
    dropped.dedup();
    dropped
}

/// How many rings the faces at a vertex make, each of whose edges has two of them.
fn fan_count(fan: &[(u32, u32, u32)]) -> usize {
    // Every face is there twice, once for each of its edges.
    let mut numbers: Vec<u32> = fan.iter().map(|spoke| spoke.2).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let member = |face: u32| numbers.binary_search(&face).expect("all are listed") as u32;
    let mut sets = DisjointSets::new(numbers.len());
    let pairs = fan.chunks(2).filter(|pair| sets.join(member(pair[0].2), member(pair[1].2)));
    let joined = pairs.count();
    numbers.len() - joined
}

/// The faces that only one tetrahedron has, as vertices in order and the tetrahedron.
pub(super) fn outer_faces(stuffed: &Stuffed) -> Vec<([u32; 3], u32)> {
    let faces = faces_on_surface(stuffed);
    faces.chunk_by(|one, other| one.0 == other.0).filter(|same| same.len() == 1).map(|same| same[0]).collect()
}

/// The faces whose three vertices are on the surface, once for each tetrahedron that has them, sorted.
pub(super) fn faces_on_surface(stuffed: &Stuffed) -> Vec<([u32; 3], u32)> {
    let mut faces: Vec<([u32; 3], u32)> = stuffed
        .mesh
        .tets
        .par_iter()
        .enumerate()
        .flat_map_iter(|(number, &[a, b, c, d])| {
            let is_outer = |face: &[u32; 3]| face.iter().all(|&vertex| stuffed.is_outer[vertex as usize]);
            [[b, c, d], [a, c, d], [a, b, d], [a, b, c]].into_iter().filter(is_outer).map(move |mut face| {
                face.sort_unstable();
                (face, number as u32)
            })
        })
        .collect();
    faces.par_sort_unstable();
    faces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::TetMesh;
    use glam::DVec3;

    fn stuffed(positions: Vec<DVec3>, tets: Vec<[u32; 4]>) -> Stuffed {
        let is_outer = vec![true; positions.len()];
        Stuffed { mesh: TetMesh { positions, tets }, is_outer }
    }

    #[test]
    fn tetrahedra_that_share_an_edge_or_a_vertex_come_apart() {
        let positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, -DVec3::Y, -DVec3::Z, -DVec3::X];
        let mut at_edge = stuffed(positions.clone(), vec![[0, 1, 2, 3], [0, 1, 4, 5]]);
        assert_eq!(make_manifold(&mut at_edge), Mended { split_vertices: 2, dropped_tets: 0 });
        assert_eq!(at_edge.mesh.tets, [[0, 1, 2, 3], [7, 8, 4, 5]]);
        let mut at_vertex = stuffed(positions.clone(), vec![[0, 1, 2, 3], [0, 6, 5, 4]]);
        assert_eq!(make_manifold(&mut at_vertex), Mended { split_vertices: 1, dropped_tets: 0 });
        let mut at_face = stuffed(positions, vec![[0, 1, 2, 3], [0, 2, 1, 5]]);
        assert_eq!(make_manifold(&mut at_face), Mended::default());
    }

    /// Tetrahedra around an edge, of which two opposite ones are missing, between others all around both of its ends.
    #[test]
    fn a_surface_that_touches_itself_along_an_edge_loses_the_smallest_tetrahedron_there() {
        let rim = |i: u32| {
            let angle = f64::from(i) * std::f64::consts::FRAC_PI_3;
            DVec3::new(angle.cos(), angle.sin(), 0.0) * if i == 1 { 0.5 } else { 1.0 }
        };
        let mut positions = vec![DVec3::ZERO, DVec3::Z, -DVec3::Z, 2.0 * DVec3::Z];
        positions.extend((0..6).map(rim));
        let spoke = |i: u32| 4 + i % 6;
        let mut tets: Vec<[u32; 4]> = (0..6).filter(|i| i % 3 != 2).map(|i| [0, spoke(i), spoke(i + 1), 1]).collect();
        tets.extend((0..6).flat_map(|i| [[0, spoke(i + 1), spoke(i), 2], [1, spoke(i), spoke(i + 1), 3]]));
        let mut stuffed = stuffed(positions, tets);
        let mended = make_manifold(&mut stuffed);
        assert!(mended.dropped_tets > 0);
        assert!(touching(&stuffed).is_empty());
    }
}
