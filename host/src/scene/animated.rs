//! Scenes that are animations: nothing is simulated but what the animation does by itself, and contacts are looked for.

use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};
use toml::Spanned;

use super::build::unknown;
use super::error::{SceneError, Source};
use super::file::{AnimationFile, CullingFile, QueryFile, SceneFile};
use super::played::Played;
use super::runner::RunError;
use crate::animation::{self, Change, MOST_DETAIL, NAMES, Player};
use crate::bvh::{BodyHandle, Candidate, Culling, Feature, MeshTree, MeshTreeOptions};
use crate::ccd;
use crate::hash::StateHash;
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
    source.alone("animation", scene)?;
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

    /// The animation before its first frame.
    pub(super) fn player(&self) -> Option<Playing> {
        let animation = animation::by_name(self.name, self.detail)?;
        let options = MeshTreeOptions { culling: self.culling, ..MeshTreeOptions::default() };
        Some(Playing { scene: *self, player: Player::new(animation, options), fragments: FxHashSet::default() })
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

/// An animation that is played and asked.
pub(super) struct Playing {
    scene: AnimatedScene,
    player: Player,
    /// The bodies that are pieces of something that broke.
    fragments: FxHashSet<u32>,
}

impl Played for Playing {
    fn advance(&mut self, steps: &mut Vec<StepStatistics>, hash: &mut StateHash) -> Result<(), RunError> {
        let Playing { scene, player, fragments } = self;
        player.advance();
        let mut statistics = StepStatistics::default();
        let clock = Instant::now();
        player.update()?;
        statistics.times[Stage::Update] = clock.elapsed();
        let clock = Instant::now();
        let [contacts, intersections] = scene.ask(player);
        statistics.times[Stage::Narrow] = clock.elapsed();
        [&contacts, &intersections].into_iter().for_each(|touches| write_touches(hash, touches));
        count_fragments(&player.changes, fragments);
        statistics.contacts = if scene.continuous { contacts.len() } else { intersections.len() };
        statistics.colliding_points = intersections.len();
        statistics.fragments = fragments.len();
        statistics.triangles = triangles(&player.tree);
        steps.push(statistics);
        Ok(())
    }

    fn changes(&self) -> &[Change] {
        &self.player.changes
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
                fragments.extend(pieces.iter().map(|piece| piece.key));
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
