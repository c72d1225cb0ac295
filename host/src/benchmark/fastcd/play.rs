//! An animation played to several methods side by side, some frames to one after the other, so that what the machine does
//! besides is about the same for all.

use std::time::Instant;

use rayon::{ThreadPool, ThreadPoolBuilder};
use rustc_hash::FxHashMap;

use super::mirror::Mirror;
use crate::animation::{Animation, Change, apply};
use crate::benchmark::milliseconds;
use crate::bvh::baseline::{published_hash, spatial_hash};
use crate::bvh::mesh_tree::TraversalCounts;
use crate::bvh::{BodyHandle, MeshTree, MeshTreeOptions};
use crate::ccd;

/// One of several ways to find what touches.
pub(super) struct Contender {
    pub name: &'static str,
    pub threads: usize,
    pub method: Method,
    /// What is asked in a frame that is looked at.
    pub continuous: bool,
    pub discrete: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Method {
    /// A tree that lives through all changes.
    Tree(MeshTreeOptions),
    /// A tree that is built from nothing in a frame in which anything appears or breaks.
    Rebuilt(MeshTreeOptions),
    /// Spatial hashing; answers discrete questions only.
    Hash,
    /// The same as it was published.
    PublishedHash,
}

impl Contender {
    /// A tree on one thread that is asked everything.
    pub(super) fn tree(name: &'static str, options: MeshTreeOptions) -> Contender {
        Contender { name, threads: 1, method: Method::Tree(options), continuous: true, discrete: true }
    }
}

/// What a contender took and found in a frame, in milliseconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    pub number: u32,
    /// Whether anything appeared or broke.
    pub is_topological: bool,
    /// Whether it is one of those that are looked at whatever happens in them.
    pub is_regular: bool,
    /// Making the changes and bringing the tree up to date.
    pub update: f64,
    pub continuous: Option<Answer>,
    pub discrete: Option<Answer>,
}

/// An answer to a question.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answer {
    /// What it took beyond the update, in milliseconds.
    pub time: f64,
    /// How many contacts or pairs of triangles there were.
    pub found: usize,
    pub counts: TraversalCounts,
}

/// What was seen of an animation.
pub(super) struct Played {
    pub name: &'static str,
    pub frames: u32,
    /// How many triangles there were in the first frame and in the last.
    pub triangles: [usize; 2],
    /// What each contender took in the frames that were looked at.
    pub records: Vec<Vec<Frame>>,
}

/// No more frames than this are remembered.
const LONGEST_RUN: usize = 32;

/// A frame as it is played to all.
struct Moment {
    number: u32,
    changes: Vec<Change>,
    is_topological: bool,
    is_regular: bool,
    is_looked_at: bool,
}

/// Plays an animation to the end. About `samples` frames are looked at, evenly, and each frame in which anything appears or
/// breaks with the one after. The first contender is a tree, which tells how many triangles there are.
///
/// Who simulates plays one frame after the other, so that memory is at hand and threads are awake. So do contenders here: each plays all
/// frames up to one that is looked at, then the next one plays the same, and the frame before is asked about too, unless that was the end of
/// what was played before.
pub(super) fn play(
    mut animation: Box<dyn Animation>,
    contenders: &[Contender],
    samples: u32,
) -> Result<Played, String> {
    let (name, frames) = (animation.name(), animation.frames());
    let every = (frames / samples.max(1)).max(1);
    let mut stages: Vec<Stage> = contenders.iter().map(Stage::of).collect::<Result<_, _>>()?;
    let mut records = vec![Vec::new(); contenders.len()];
    let mut triangles = Vec::new();
    let mut run: Vec<Moment> = Vec::new();
    let mut was_topological = false;
    for number in 0..frames {
        let mut changes = Vec::new();
        animation.next_frame(&mut changes);
        // What there is from the start is no change.
        let is_topological = number > 0 && changes.iter().any(Change::is_topological);
        let is_regular = number > 0 && number % every == 0;
        let is_looked_at = is_regular || is_topological || was_topological;
        was_topological = is_topological;
        run.push(Moment { number, changes, is_topological, is_regular, is_looked_at });
        // What follows a break belongs to it, and the first frame stands alone, to count what there is.
        let is_end = (is_looked_at && !is_topological) || run.len() >= LONGEST_RUN;
        if is_end || number == 0 || number + 1 == frames {
            for ((stage, contender), record) in stages.iter_mut().zip(contenders).zip(&mut records) {
                stage.play(&run, contender, record)?;
            }
            triangles.push(stages.first().map_or(0, Stage::triangles));
            run.clear();
        }
    }
    let ends = [triangles.first(), triangles.last()].map(|count| count.copied().unwrap_or(0));
    Ok(Played { name, frames, triangles: ends, records })
}

/// A contender as it plays along.
struct Stage {
    method: Method,
    pool: ThreadPool,
    tree: MeshTree,
    handles: FxHashMap<u32, BodyHandle>,
    /// For those that have no tree to go on from.
    mirror: Option<Mirror>,
}

impl Stage {
    fn of(contender: &Contender) -> Result<Stage, String> {
        let pool =
            ThreadPoolBuilder::new().num_threads(contender.threads).build().map_err(|error| error.to_string())?;
        let (options, mirror) = match contender.method {
            Method::Tree(options) => (options, None),
            Method::Rebuilt(options) => (options, Some(Mirror::default())),
            Method::Hash | Method::PublishedHash => (MeshTreeOptions::default(), Some(Mirror::default())),
        };
        let method = contender.method;
        Ok(Stage { method, pool, tree: MeshTree::new(options), handles: FxHashMap::default(), mirror })
    }

    /// How many triangles there are, if there is a tree.
    fn triangles(&self) -> usize {
        self.tree.bodies().filter_map(|body| self.tree.triangle_count(body).ok()).sum()
    }

    /// Plays some frames, and writes down what those took that are looked at.
    fn play(&mut self, run: &[Moment], contender: &Contender, record: &mut Vec<Frame>) -> Result<(), String> {
        for (place, moment) in run.iter().enumerate() {
            let Moment { number, ref changes, is_topological, is_regular, is_looked_at } = *moment;
            if is_topological {
                self.pool.install(touch_memory);
                // That has emptied the caches, which in a simulation are as the frame before left them.
                self.answer(contender)?;
            }
            if let Some(mirror) = &mut self.mirror {
                mirror.follow(changes);
            }
            let update = self.update(changes, is_topological)?;
            let is_warm_up = run.get(place + 1).is_some_and(|next| next.is_looked_at);
            if is_looked_at || is_warm_up {
                let [continuous, discrete] = self.answer(contender)?;
                tracing::debug!(number, contender = contender.name, update, ?continuous, ?discrete, "frame");
                if is_looked_at {
                    record.push(Frame { number, is_topological, is_regular, update, continuous, discrete });
                }
            }
        }
        Ok(())
    }

    /// Makes the changes of a frame; returns the milliseconds that it took.
    fn update(&mut self, changes: &[Change], is_topological: bool) -> Result<f64, String> {
        let Stage { method, pool, tree, handles, mirror } = self;
        let from_nothing = match method {
            // Nothing is kept from frame to frame.
            Method::Hash | Method::PublishedHash => return Ok(0.0),
            Method::Rebuilt(_) if is_topological => mirror.as_ref().map(Mirror::all_added),
            _ => None,
        };
        // The clock runs where the work is done: a thread that sleeps takes a while to wake on a busy machine.
        pool.install(|| {
            let clock = Instant::now();
            if let (Some(_), Method::Rebuilt(options)) = (&from_nothing, method) {
                (*tree, *handles) = (MeshTree::new(*options), FxHashMap::default());
            }
            apply(from_nothing.as_deref().unwrap_or(changes), tree, handles).map_err(|error| error.to_string())?;
            tree.update();
            Ok(milliseconds(clock))
        })
    }

    /// What a contender is asked: contacts of the step, and intersections at its end.
    fn answer(&self, contender: &Contender) -> Result<[Option<Answer>; 2], String> {
        let continuous = contender.continuous.then(|| self.continuous()).transpose()?;
        let discrete = contender.discrete.then(|| self.discrete()).transpose()?;
        Ok([continuous, discrete])
    }

    fn continuous(&self) -> Result<Answer, String> {
        self.ask(|| {
            let found = self.tree.contacts(&ccd::Options::default());
            let (contacts, counts) = found.map_err(|error| error.to_string())?;
            // What has just broken touches too; it is told as pairs of bodies.
            Ok((contacts.len() + self.tree.cracks().len(), counts.traversal))
        })
    }

    fn discrete(&self) -> Result<Answer, String> {
        let surfaces = self.mirror.as_ref().map_or(&[][..], |mirror| &mirror.surfaces);
        self.ask(|| match self.method {
            Method::Hash => Ok((spatial_hash::intersections(surfaces).len(), TraversalCounts::default())),
            Method::PublishedHash => Ok((published_hash::intersections(surfaces).len(), TraversalCounts::default())),
            _ => {
                let (pairs, counts) = self.tree.intersections_counted();
                Ok((pairs.len(), counts))
            }
        })
    }

    fn ask(
        &self,
        question: impl FnOnce() -> Result<(usize, TraversalCounts), String> + Send,
    ) -> Result<Answer, String> {
        self.pool.install(|| {
            let clock = Instant::now();
            let (found, counts) = question()?;
            Ok(Answer { time: milliseconds(clock), found, counts })
        })
    }
}

/// As much memory as the pieces of a break take, and more, in blocks.
const PIECES: usize = 128;
const BLOCK: usize = 1 << 20;

/// Takes memory and gives it back, so that the allocator has some at hand. A virtual machine may wait for its host to hand out a page longer than
/// for all that is done with it afterwards; that is not what is asked here.
fn touch_memory() {
    let blocks: Vec<Vec<u8>> = (0..PIECES).map(|_| vec![1; BLOCK]).collect();
    std::hint::black_box(blocks);
}
