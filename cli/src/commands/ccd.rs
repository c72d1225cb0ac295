//! `fracas ccd`

use std::path::Path;
use std::time::Instant;

use fracas::bvh::mesh_tree::{StepContact, StepCounts};
use fracas::bvh::{BodyHandle, Candidate, Culling, Feature, MeshTree, MeshTreeOptions};
use fracas::ccd::Options;
use serde::Serialize;

use super::run::thread_pool;
use crate::arguments::{CcdArguments, CullingKind};
use crate::failure::Failure;
use crate::frames::{Frames, read_frames};
use crate::output::{check_folder, print, write_json};

/// More pairs of features than this are not compared one by one: some minutes of work.
const MOST_PAIRS: u64 = 50_000_000_000;

#[derive(Serialize)]
struct Figures {
    first: Option<First>,
    contacts: Vec<ContactFigures>,
    tests: Tests,
    /// Which part of the overlapping pairs of boxes culling saved.
    culled_ratio: f64,
    milliseconds: Milliseconds,
    /// Contacts that were not decided within the iterations allowed; they are at the time up to which nothing touches.
    undecided: usize,
}

#[derive(Clone, Copy, Serialize)]
struct First {
    t: f64,
    kind: &'static str,
}

#[derive(Serialize)]
struct ContactFigures {
    t: f64,
    kind: &'static str,
    ids: Ids,
}

#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum Ids {
    VertexFace([u32; 2]),
    EdgeEdge([[u32; 2]; 2]),
}

#[derive(Serialize)]
struct Tests {
    vf: u64,
    ee: u64,
}

#[derive(Serialize)]
struct Milliseconds {
    /// Of the tree, of the mesh and its motion.
    build: f64,
    /// A search that finds all candidates and tests none of them.
    traverse: f64,
    /// What the search that tests them took longer.
    elementary: f64,
    /// Of building and of the search that tests, without reading files.
    total: f64,
}

pub(crate) fn ccd(arguments: &CcdArguments, quiet: bool) -> Result<(), Failure> {
    check_folder(arguments.json.as_deref())?;
    let (figures, copies) = thread_pool(arguments.threads)?.install(|| contacts_of(arguments))?;
    if let Some(path) = &arguments.json {
        write_json(path, &figures)?;
    }
    if !quiet && arguments.json.as_deref() != Some(Path::new("-")) {
        print(describe(&figures, copies).as_bytes())?;
    }
    Ok(())
}

/// What touches, and how many vertices are where another one is and not taken for one with it.
fn contacts_of(arguments: &CcdArguments) -> Result<(Figures, usize), Failure> {
    let frames = read_frames(&arguments.first_frame, &arguments.second_frame, arguments.weld)?;
    let separation = arguments.minimum_separation.unwrap_or(0.0);
    let options = Options { minimum_separation: separation, ..Options::default() };
    let culling = match arguments.culling {
        CullingKind::Contours => Culling::Contours,
        CullingKind::DualCones => Culling::DualCones,
        CullingKind::Off => Culling::Off,
    };
    let tree_of = |culling| tree_of(&frames, MeshTreeOptions { culling, margin: separation, ..Default::default() });
    let (build, built) = timed(|| tree_of(culling));
    let (tree, body) = built?;
    if arguments.brute_force {
        check_size(&tree, arguments)?;
    }
    let (traverse, ()) = timed(|| traverse(&tree, arguments.brute_force));
    let (search, found) = timed(|| search(&tree, &options, arguments));
    let (contacts, counts) = found?;
    let first = contacts.iter().min_by(|a, b| a.time.total_cmp(&b.time));
    let culls = culling != Culling::Off && !arguments.brute_force;
    let culled_ratio = if culls { saved(&counts, &tree_of(Culling::Off)?.0) } else { 0.0 };
    let figures = Figures {
        first: first.map(|first| First { t: first.time, kind: kind(&first.candidate) }),
        undecided: contacts.iter().filter(|contact| !contact.is_decided).count(),
        contacts: contacts.iter().map(|contact| contact_figures(&tree, body, contact)).collect::<Result<_, _>>()?,
        tests: Tests { vf: counts.vertex_face_tests, ee: counts.edge_edge_tests },
        culled_ratio,
        milliseconds: Milliseconds { build, traverse, elementary: (search - traverse).max(0.0), total: build + search },
    };
    Ok((figures, frames.copies))
}

/// A tree over the mesh that moves from the one frame to the other.
fn tree_of(frames: &Frames, options: MeshTreeOptions) -> Result<(MeshTree, BodyHandle), Failure> {
    let mut tree = MeshTree::new(options);
    let body = tree.add(&frames.mesh).map_err(Failure::input)?;
    tree.move_to(body, &frames.to).map_err(Failure::input)?;
    tree.update();
    Ok((tree, body))
}

/// Finds all candidates and tests none.
fn traverse(tree: &MeshTree, brute_force: bool) {
    if brute_force {
        tree.brute_force_candidates();
    } else {
        tree.count_tests();
    }
}

/// Finds all contacts, or the first alone.
fn search(
    tree: &MeshTree,
    options: &Options,
    arguments: &CcdArguments,
) -> Result<(Vec<StepContact>, StepCounts), Failure> {
    let all = match (arguments.brute_force, arguments.is_first_alone()) {
        (true, _) => tree.brute_force_contacts(options),
        (false, false) => tree.contacts(options),
        (false, true) => tree.first_contact(options).map(|(first, counts)| (first.into_iter().collect(), counts)),
    };
    let (mut contacts, counts) = all.map_err(Failure::input)?;
    if arguments.is_first_alone() {
        contacts = contacts.into_iter().min_by(|a, b| a.time.total_cmp(&b.time)).into_iter().collect();
    }
    Ok((contacts, counts))
}

fn check_size(tree: &MeshTree, arguments: &CcdArguments) -> Result<(), Failure> {
    let pairs = tree.brute_force_pairs();
    if pairs <= MOST_PAIRS {
        return Ok(());
    }
    let line = format!(
        "has {:.0} billion pairs of features, of which --brute-force compares at most {:.0}; leave it out",
        pairs as f64 / 1e9,
        MOST_PAIRS as f64 / 1e9
    );
    Err(Failure::Input(line).about(&arguments.first_frame))
}

/// Which part of the overlapping pairs of boxes that a search without culling meets another one did not.
fn saved(counts: &StepCounts, without_culling: &MeshTree) -> f64 {
    let (_, all) = without_culling.collect_candidates(|_, _| None::<()>);
    1.0 - counts.traversal.overlaps as f64 / all.overlaps.max(1) as f64
}

fn kind(candidate: &Candidate) -> &'static str {
    match candidate {
        Candidate::VertexFace { .. } => "vf",
        Candidate::EdgeEdge { .. } => "ee",
    }
}

/// A contact with the numbers of the file, which are the mesh's.
fn contact_figures(tree: &MeshTree, body: BodyHandle, contact: &StepContact) -> Result<ContactFigures, Failure> {
    let ids = match contact.candidate {
        Candidate::VertexFace { vertex, face } => Ids::VertexFace([vertex.number, face.number]),
        Candidate::EdgeEdge { edges: [one, other] } => {
            let ends = |edge: Feature| tree.edge(body, edge.number).map_err(Failure::input);
            Ids::EdgeEdge([ends(one)?, ends(other)?])
        }
    };
    Ok(ContactFigures { t: contact.time, kind: kind(&contact.candidate), ids })
}

/// What something takes in milliseconds, and what it gives.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let clock = Instant::now();
    let result = work();
    (1e3 * clock.elapsed().as_secs_f64(), result)
}

fn describe(figures: &Figures, copies: usize) -> String {
    let Figures { first, contacts, tests, culled_ratio, milliseconds, undecided } = figures;
    let mut text = match first {
        None => "no contacts\n".to_owned(),
        Some(First { t, .. }) => {
            let count = |kind: &str| contacts.iter().filter(|contact| contact.kind == kind).count();
            let of_first = contacts.iter().find(|contact| contact.t == *t).map(|contact| contact.ids);
            let which = of_first.map_or(String::new(), |ids| format!(", {ids}"));
            format!(
                "{} vertex-face and {} edge-edge contacts\nfirst at {t:.9} of the step{which}\n",
                count("vf"),
                count("ee")
            )
        }
    };
    if *undecided > 0 {
        text += &format!("{undecided} of them undecided, at times before which nothing touches\n");
    }
    if copies > 0 {
        text += &format!("{copies} vertices are where another one is in both frames; --weld makes them one\n");
    }
    let Milliseconds { build, traverse, elementary, total } = milliseconds;
    text +=
        &format!("{} vertex-face and {} edge-edge tests, {:.1} % culled\n", tests.vf, tests.ee, 100.0 * culled_ratio);
    text + &format!("{total:.2} ms: build {build:.2}, traverse {traverse:.2}, elementary {elementary:.2}\n")
}

impl std::fmt::Display for Ids {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ids::VertexFace([vertex, face]) => write!(formatter, "vertex {vertex} and face {face}"),
            Ids::EdgeEdge([[a, b], [c, d]]) => write!(formatter, "edges {a}-{b} and {c}-{d}"),
        }
    }
}
