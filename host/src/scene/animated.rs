//! Scenes that are animations: nothing is simulated but what the animation does by itself, and contacts are looked for.

use std::ops::ControlFlow;
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};
use toml::Spanned;

use super::build::unknown;
use super::error::{SceneError, Source};
use super::file::{AnimationFile, CullingFile, QueryFile, SceneFile};
use super::runner::{Progress, RunError, RunSummary};
use crate::animation::{self, Change, MOST_DETAIL, NAMES, Player};
use crate::bvh::{BodyHandle, Candidate, Culling, Feature, MeshTree, MeshTreeOptions};
use crate::ccd;
use crate::hash::StateHash;
use crate::recording::RecordingWriter;
use crate::statistics::{Stage, StepStatistics};

/// An animation, and what is looked for in its frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnimatedScene {
    /// One of [`NAMES`].
    pub name: &'static str,
    /// The number of triangles, relative to the paper's.
    pub detail: f64,
    /// Whether to look for what touches in the step from the last frame to this one.
    pub continuous: bool,
    /// Whether to look for triangles that intersect in the frame.
    pub discrete: bool,
    /// Which parts of a body are not searched for contacts with themselves.
    pub culling: Culling,
}

/// Reads and checks the table.
pub(super) fn animation(
    source: &Source<'_>,
    spanned: &Spanned<AnimationFile>,
    scene: &SceneFile,
) -> Result<AnimatedScene, SceneError> {
    let others = [
        ("body", scene.body.first().map(Spanned::span)),
        ("event", scene.event.first().map(Spanned::span)),
        ("wall", scene.wall.first().map(|wall| wall.normal.span())),
    ];
    if let Some((key, span)) = others.into_iter().find_map(|(key, span)| Some((key, span?))) {
        return Err(source.mistake(span, format!("found `{key}` beside `animation`, expected one of them")));
    }
    let file = spanned.get_ref();
    let found = file.name.get_ref().as_str();
    let Some(&name) = NAMES.iter().find(|&&name| name == found) else {
        return Err(source.mistake(file.name.span(), unknown("animation", found, &NAMES)));
    };
    Ok(AnimatedScene {
        name,
        detail: source.within("detail", &file.detail, 1.0, 0.001..=MOST_DETAIL)?,
        continuous: !matches!(file.query, QueryFile::Discrete),
        discrete: !matches!(file.query, QueryFile::Continuous),
        culling: match file.culling {
            CullingFile::Contours => Culling::Contours,
            CullingFile::DualCones => Culling::DualCones,
            CullingFile::Off => Culling::Off,
        },
    })
}

/// Two features that touch, by the keys of their bodies, and when.
type Touch = ([(u32, [u32; 2]); 2], f64);

impl AnimatedScene {
    /// How many frames the animation has.
    pub fn frames(&self) -> u32 {
        animation::frames(self.name).unwrap_or(1)
    }

    pub(super) fn play(
        &self,
        frames: u32,
        mut recording: Option<&mut RecordingWriter>,
        summary: &mut RunSummary,
        mut observe: impl FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<(), RunError> {
        let Some(animation) = animation::by_name(self.name, self.detail) else { return Ok(()) };
        let mut player =
            Player::new(animation, MeshTreeOptions { culling: self.culling, ..MeshTreeOptions::default() });
        let mut fragments = FxHashSet::default();
        let mut hash = StateHash::new();
        for frame in 0..frames {
            player.advance();
            let mut statistics = StepStatistics::default();
            let clock = Instant::now();
            player.update()?;
            statistics.times[Stage::Update] = clock.elapsed();
            let clock = Instant::now();
            let [contacts, intersections] = self.ask(&player);
            statistics.times[Stage::Narrow] = clock.elapsed();
            [&contacts, &intersections].into_iter().for_each(|touches| write_touches(&mut hash, touches));
            count_fragments(&player.changes, &mut fragments);
            statistics.contacts = if self.continuous { contacts.len() } else { intersections.len() };
            statistics.colliding_points = intersections.len();
            statistics.fragments = fragments.len();
            statistics.triangles = triangles(&player.tree);
            if let Some(recording) = &mut recording {
                recording.write_changes(&player.changes, &statistics)?;
            }
            // In the first frame there is no step: everything comes.
            if frame == 0 {
                summary.statistics.triangles = statistics.triangles;
            } else {
                summary.statistics.add(&statistics);
                summary.steps += 1;
            }
            summary.frames = frame + 1;
            if observe(Progress { frame: frame + 1, frames, world: None }).is_break() {
                summary.interrupted = frame + 1 < frames;
                break;
            }
        }
        summary.hash = hash.finish();
        Ok(())
    }

    /// The contacts over the last step, and the triangles that intersect at its end.
    fn ask(&self, player: &Player) -> [Vec<Touch>; 2] {
        let keys: FxHashMap<BodyHandle, u32> = player.handles.iter().map(|(&key, &body)| (body, key)).collect();
        let tree = &player.tree;
        let named = |feature: Feature, parts: [u32; 2]| (keys[&feature.body], parts);
        let contacts = if self.continuous { first_contacts(tree) } else { Vec::new() };
        let contacts = contacts.into_iter().map(|(candidate, time)| match candidate {
            Candidate::VertexFace { vertex, face } => {
                // Vertices and faces are told from edges by what stands beside their numbers.
                ([named(vertex, [vertex.number, u32::MAX]), named(face, [face.number, u32::MAX - 1])], time)
            }
            Candidate::EdgeEdge { edges } => {
                let ends = |edge: Feature| tree.edge(edge.body, edge.number).unwrap_or_default();
                let mut edges = edges.map(|edge| named(edge, ends(edge)));
                edges.sort_unstable();
                (edges, time)
            }
        });
        let pairs = if self.discrete { tree.intersections() } else { Vec::new() };
        let pairs = pairs.into_iter().map(|pair| {
            let mut pair = pair.map(|face| named(face, [face.number, u32::MAX - 1]));
            pair.sort_unstable();
            (pair, 0.0)
        });
        [sorted(contacts), sorted(pairs)]
    }
}

/// What touches in the last step, and when it first does.
fn first_contacts(tree: &MeshTree) -> Vec<(Candidate, f64)> {
    let (contacts, _) = tree.contacts(&ccd::Options::default()).expect("every margin will do for no separation");
    contacts.into_iter().map(|contact| (contact.candidate, contact.time)).collect()
}

/// In an order that has nothing to do with the tree.
fn sorted(touches: impl Iterator<Item = Touch>) -> Vec<Touch> {
    let mut touches: Vec<Touch> = touches.collect();
    touches.sort_unstable_by_key(|&(features, _)| features);
    touches
}

fn write_touches(hash: &mut StateHash, touches: &[Touch]) {
    hash.write(touches.len() as u32);
    for (features, time) in touches {
        for (key, parts) in features {
            [*key, parts[0], parts[1]].into_iter().for_each(|word| hash.write(word));
        }
        hash.write_doubles(&[*time]);
    }
}

/// The bodies that are pieces of something that broke.
fn count_fragments(changes: &[Change], fragments: &mut FxHashSet<u32>) {
    for change in changes {
        match change {
            Change::Split { key, pieces } => {
                fragments.remove(key);
                fragments.extend(pieces.iter().map(|(piece, _)| piece));
            }
            Change::Delete { key } => {
                fragments.remove(key);
            }
            Change::Merge { keys, .. } => keys.iter().for_each(|key| {
                fragments.remove(key);
            }),
            Change::Add { .. } | Change::Move { .. } => {}
        }
    }
}

fn triangles(tree: &MeshTree) -> usize {
    tree.bodies().filter_map(|body| tree.triangle_count(body).ok()).sum()
}
