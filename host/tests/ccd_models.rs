//! Contacts of real frames, against exact truth; passes where the folder of models is absent.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fracas::bvh::{Candidate, Culling, MeshTree, MeshTreeOptions};
use fracas::ccd::Options;
use fracas::geometry::{TriMesh, io};
use serde_json::from_slice;

fn models() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/models/ccd/armadillo-rollers");
    if !folder.is_dir() {
        println!("skipped: there are no models in {}", folder.display());
    }
    folder.is_dir().then_some(folder)
}

/// The vertex and the face, or the two edges by their ends.
type Pair = [[u32; 2]; 2];

/// Pairs of the public data: vertices are numbered first, then edges by their larger end and then by the smaller one, then
/// faces.
fn pairs(folder: &Path, kind: &str, mesh: &TriMesh) -> Vec<(Pair, bool)> {
    let sides = mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let edges: BTreeSet<[u32; 2]> = sides.map(|[a, b]| [a.max(b), a.min(b)]).collect();
    let edges: Vec<[u32; 2]> = edges.into_iter().collect();
    let vertices = mesh.positions.len() as u32;
    let read = |path: String| std::fs::read(folder.join(path)).unwrap();
    let numbers: Vec<[u32; 2]> = from_slice(&read(format!("boxes/326{kind}.json"))).unwrap();
    let truths: Vec<bool> = from_slice(&read(format!("mma_bool/326{kind}_mma_bool.json"))).unwrap();
    assert_eq!(numbers.len(), truths.len());
    let pair = |[one, other]: [u32; 2]| {
        let mut pair = match kind {
            "vf" => return [[one; 2], [other - vertices - edges.len() as u32; 2]],
            _ => [one, other].map(|number| edges[(number - vertices) as usize]).map(|[high, low]| [low, high]),
        };
        pair.sort_unstable();
        pair
    };
    numbers.into_iter().map(pair).zip(truths).collect()
}

#[test]
fn all_contacts_of_the_armadillo_are_found() {
    let Some(folder) = models() else { return };
    let [start, end] = ["frames/326.ply", "frames/327.ply"].map(|path| io::read_tri_mesh(folder.join(path)).unwrap());
    assert_eq!(start.triangles, end.triangles);
    for culling in [Culling::Contours, Culling::Off] {
        let mut tree = MeshTree::new(MeshTreeOptions { culling, ..Default::default() });
        let body = tree.add(&start).unwrap();
        tree.move_to(body, &end.positions).unwrap();
        tree.update();
        let (contacts, counts) = tree.contacts(&Options::default()).unwrap();
        let (mut vertex_face, mut edge_edge) = (BTreeSet::new(), BTreeSet::new());
        for contact in &contacts {
            match contact.candidate {
                Candidate::VertexFace { vertex, face } => vertex_face.insert([[vertex.number; 2], [face.number; 2]]),
                Candidate::EdgeEdge { edges } => {
                    let mut ends = edges.map(|edge| tree.edge(body, edge.number).unwrap());
                    ends.sort_unstable();
                    edge_edge.insert(ends)
                }
            };
        }
        println!("{culling:?}: {} and {} contacts; {counts:?}", vertex_face.len(), edge_edge.len());
        for (kind, found) in [("vf", &vertex_face), ("ee", &edge_edge)] {
            let known = pairs(&folder, kind, &start);
            let truths = known.iter().filter(|(_, truth)| *truth).count();
            let (mut missed, mut wrong) = (0, 0);
            for (pair, truth) in &known {
                missed += usize::from(*truth && !found.contains(pair));
                wrong += usize::from(!truth && found.contains(pair));
            }
            println!("{kind}: {truths} true of {} pairs; {missed} missed, {wrong} wrong", known.len());
            assert_eq!((missed, wrong), (0, 0));
            // What else touches would have been a pair there.
            let listed: BTreeSet<Pair> = known.iter().map(|(pair, _)| *pair).collect();
            assert_eq!(found.iter().filter(|pair| !listed.contains(*pair)).count(), 0);
        }
    }
}
