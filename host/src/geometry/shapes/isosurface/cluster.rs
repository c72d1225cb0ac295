//! Merging the cuts that crowd round a lattice vertex.

use glam::{DVec3, IVec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::super::super::TriMesh;
use super::super::implicit::Field;
use super::lattice::{Lattice, VertexKey, key_edge, key_vertex, star, vertex_key};
use super::march::{Cuts, LocalFields, position, refined};

/// A cut this near to the end of an edge pulls the lattice vertex there onto the surface, as a part of a long edge and of
/// a short one (the bounds for which Labelle and Shewchuk prove good dihedral angles).
const NEAR_LONG: f64 = 0.24999;
const NEAR_SHORT: f64 = 0.41189;

/// A tetrahedron must keep this part of its volume when a vertex moves.
const LEAST_VOLUME: f64 = 0.12;

const NONE: u32 = u32::MAX;

/// A lattice vertex with a cut near it.
struct Candidate {
    vertex: IVec3,
    /// Its cuts, as a range of the list of ends.
    first: u32,
    last: u32,
    /// The nearest cut, as a part of the distance that counts as near.
    nearness: f64,
    /// Where it would go.
    target: DVec3,
}

/// Merges cuts where that is safe, and gives the mesh over what is left.
pub(super) fn cluster<F: Field>(fields: &LocalFields<'_, F>, lattice: &Lattice, cuts: Cuts) -> TriMesh {
    let ends = ends_of(&cuts);
    let candidates = candidates(fields, lattice, &cuts, &ends);
    let fans = Fans::of(&cuts);
    let star = star();
    let mut merge = Merge {
        lattice,
        cuts: &cuts,
        fans: &fans,
        star: &star,
        merged: vec![NONE; cuts.edges.len()],
        moved: FxHashMap::default(),
        targets: Vec::new(),
    };
    for candidate in &candidates {
        let group: Vec<u32> = ends[candidate.first as usize..candidate.last as usize]
            .iter()
            .map(|end| end.cut)
            .filter(|&cut| merge.merged[cut as usize] == NONE)
            .collect();
        let still_near = ends[candidate.first as usize..candidate.last as usize]
            .iter()
            .any(|end| end.nearness < 1.0 && merge.merged[end.cut as usize] == NONE);
        if still_near && merge.stays_valid(candidate, &group) {
            let number = merge.targets.len() as u32;
            group.iter().for_each(|&cut| merge.merged[cut as usize] = number);
            merge.moved.insert(vertex_key(candidate.vertex), candidate.target);
            merge.targets.push(candidate.target);
        }
    }
    let Merge { merged, targets, .. } = merge;
    finish(fields, lattice, &cuts, &merged, &targets)
}

/// One end of a cut edge.
struct End {
    vertex: VertexKey,
    cut: u32,
    nearness: f64,
}

fn ends_of(cuts: &Cuts) -> Vec<End> {
    let mut ends: Vec<End> = cuts
        .edges
        .iter()
        .zip(&cuts.parts)
        .enumerate()
        .flat_map(|(cut, (&edge, &part))| {
            let (lower, step) = key_edge(edge);
            let near = if step.abs().max_element() == 2 { NEAR_LONG } else { NEAR_SHORT };
            let end =
                |vertex: IVec3, part: f64| End { vertex: vertex_key(vertex), cut: cut as u32, nearness: part / near };
            [end(lower, part), end(lower + step, 1.0 - part)]
        })
        .collect();
    ends.par_sort_unstable_by_key(|end| (end.vertex, end.cut));
    ends
}

/// The lattice vertices with a cut near them, the nearest first.
fn candidates<F: Field>(fields: &LocalFields<'_, F>, lattice: &Lattice, cuts: &Cuts, ends: &[End]) -> Vec<Candidate> {
    let groups: Vec<(usize, &[End])> = ends
        .chunk_by(|one, other| one.vertex == other.vertex)
        .scan(0, |first, group| {
            let start = *first;
            *first += group.len();
            Some((start, group))
        })
        .collect();
    let mut candidates: Vec<Candidate> = groups
        .into_par_iter()
        .filter_map(|(first, group)| {
            let nearness = group.iter().map(|end| end.nearness).fold(f64::INFINITY, f64::min);
            if nearness >= 1.0 || group.len() < 2 {
                return None;
            }
            let vertex = key_vertex(group[0].vertex);
            let target = landing(fields.at(lattice.position(vertex)), lattice, vertex, cuts, group);
            Some(Candidate { vertex, first: first as u32, last: (first + group.len()) as u32, nearness, target })
        })
        .collect();
    candidates.par_sort_by(|one, other| {
        one.nearness.total_cmp(&other.nearness).then(vertex_key(one.vertex).cmp(&vertex_key(other.vertex)))
    });
    candidates
}

/// Where a lattice vertex lands on the surface: down the gradient, if that leads to a place nearby, else on the nearest
/// cut.
fn landing(field: &impl Field, lattice: &Lattice, vertex: IVec3, cuts: &Cuts, group: &[End]) -> DVec3 {
    let start = lattice.position(vertex);
    let gradient = field.gradient(start, 0.05 * lattice.spacing);
    let downhill = gradient / gradient.length_squared().max(0.1);
    let first = start - field.value(start) * downhill;
    let place = first - field.value(first) * downhill;
    // A lattice vertex may move by less than half of a short edge.
    if place.is_finite() && place.distance(start) < 0.4 * lattice.spacing {
        return place;
    }
    let nearest = group.iter().min_by(|one, other| one.nearness.total_cmp(&other.nearness));
    nearest.map_or(start, |end| position(lattice, cuts.edges[end.cut as usize], cuts.parts[end.cut as usize]))
}

/// The triangles around each cut.
struct Fans {
    ends: Vec<u32>,
    triangles: Vec<u32>,
}

impl Fans {
    fn of(cuts: &Cuts) -> Fans {
        let mut ends = vec![0u32; cuts.edges.len()];
        for cut in cuts.triangles.as_flattened() {
            ends[*cut as usize] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            total += *end;
            *end = total - *end;
        }
        let mut triangles = vec![0; total as usize];
        for (number, triangle) in cuts.triangles.iter().enumerate() {
            for &cut in triangle {
                triangles[ends[cut as usize] as usize] = number as u32;
                ends[cut as usize] += 1;
            }
        }
        Fans { ends, triangles }
    }

    fn around(&self, cut: u32) -> &[u32] {
        let first = if cut == 0 { 0 } else { self.ends[cut as usize - 1] };
        &self.triangles[first as usize..self.ends[cut as usize] as usize]
    }
}

struct Merge<'a> {
    lattice: &'a Lattice,
    cuts: &'a Cuts,
    fans: &'a Fans,
    star: &'a [[IVec3; 3]],
    /// The merged vertex that a cut became part of.
    merged: Vec<u32>,
    /// Lattice vertices that have been moved.
    moved: FxHashMap<VertexKey, DVec3>,
    /// The merged vertices.
    targets: Vec<DVec3>,
}

/// A vertex of the mesh as it is now: a cut, or a merged vertex (numbered after all cuts).
type Now = u32;

impl Merge<'_> {
    fn now(&self, cut: u32) -> Now {
        match self.merged[cut as usize] {
            NONE => cut,
            number => self.cuts.edges.len() as u32 + number,
        }
    }

    fn stays_valid(&self, candidate: &Candidate, group: &[u32]) -> bool {
        group.len() >= 2 && self.forms_a_disc(group) && self.keeps_orientation(candidate)
    }

    fn keeps_orientation(&self, candidate: &Candidate) -> bool {
        let spacing = self.lattice.spacing;
        // Six times the volume of a lattice tetrahedron: 4 in half spacings.
        let least = LEAST_VOLUME * 4.0 * (0.5 * spacing).powi(3);
        self.star.iter().all(|steps| {
            let [a, b, c] = steps.map(|step| {
                let vertex = candidate.vertex + step;
                let place = self.moved.get(&vertex_key(vertex)).copied();
                place.unwrap_or_else(|| self.lattice.position(vertex)) - candidate.target
            });
            a.dot(b.cross(c)) > least
        })
    }

    /// Whether the cuts and what lies between them are a disc in the mesh as it is now, with a simple rim around it.
    fn forms_a_disc(&self, group: &[u32]) -> bool {
        let in_group = |cut: Now| group.contains(&cut);
        // Rim edges, and the edges and triangles within the group.
        let mut rim: Vec<[Now; 2]> = Vec::new();
        let mut inner_edges: Vec<[Now; 2]> = Vec::new();
        let mut inner_triangles: Vec<u32> = Vec::new();
        for &cut in group {
            for &number in self.fans.around(cut) {
                let triangle = self.cuts.triangles[number as usize].map(|cut| self.now(cut));
                let [a, b, c] = triangle;
                if a == b || b == c || c == a {
                    continue;
                }
                match triangle.map(in_group) {
                    [true, true, true] => inner_triangles.push(number),
                    [true, false, false] => rim.push([b, c]),
                    [false, true, false] => rim.push([c, a]),
                    [false, false, true] => rim.push([a, b]),
                    _ => {}
                }
                for [from, to] in [[a, b], [b, c], [c, a]] {
                    if in_group(from) && in_group(to) {
                        inner_edges.push([from.min(to), from.max(to)]);
                    }
                }
            }
        }
        inner_edges.sort_unstable();
        inner_edges.dedup();
        inner_triangles.sort_unstable();
        inner_triangles.dedup();
        let euler = group.len() as i64 - inner_edges.len() as i64 + inner_triangles.len() as i64;
        euler == 1 && is_one_cycle(&mut rim)
    }
}

/// Whether directed edges form one simple closed walk of three or more.
fn is_one_cycle(edges: &mut [[Now; 2]]) -> bool {
    edges.sort_unstable();
    if edges.len() < 3 || edges.windows(2).any(|pair| pair[0][0] == pair[1][0]) {
        return false;
    }
    let start = edges[0][0];
    let mut at = start;
    for step in 1..=edges.len() {
        let Ok(found) = edges.binary_search_by_key(&at, |edge| edge[0]) else { return false };
        at = edges[found][1];
        if (at == start) != (step == edges.len()) {
            return false;
        }
    }
    true
}

/// Numbers what is left in the order of the cuts and drops the triangles that have lost an edge.
fn finish<F: Field>(
    fields: &LocalFields<'_, F>,
    lattice: &Lattice,
    cuts: &Cuts,
    merged: &[u32],
    targets: &[DVec3],
) -> TriMesh {
    // Cuts were guessed by linear interpolation, which was good enough to merge by; those that are left are found out.
    let places: Vec<DVec3> = (cuts.edges.par_iter().zip(&cuts.parts).zip(merged))
        .map(|((&edge, &part), &target)| {
            let guess = position(lattice, edge, part);
            if target != NONE {
                return guess;
            }
            position(lattice, edge, refined(fields.at(guess), lattice, edge, part))
        })
        .collect();
    let mut mesh = TriMesh::default();
    let mut of_target = vec![NONE; targets.len()];
    let mut numbers = Vec::with_capacity(merged.len());
    for (cut, &target) in merged.iter().enumerate() {
        let number = mesh.positions.len() as u32;
        if target == NONE {
            mesh.positions.push(places[cut]);
            numbers.push(number);
        } else {
            let known = &mut of_target[target as usize];
            if *known == NONE {
                *known = number;
                mesh.positions.push(targets[target as usize]);
            }
            numbers.push(*known);
        }
    }
    mesh.triangles = cuts
        .triangles
        .iter()
        .map(|triangle| triangle.map(|cut| numbers[cut as usize]))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect();
    mesh
}
