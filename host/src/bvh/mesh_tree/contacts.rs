//! What touches within a step, and when: the elementary tests of all candidates.

use std::sync::atomic::{AtomicU64, Ordering};

use glam::DVec3;
use thiserror::Error;

use super::MeshTree;
use super::candidates::{Candidate, Motion};
use super::traverse::TraversalCounts;
use crate::ccd::{Features, Options, Outcome, Query};

/// The first contact of two features within the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepContact {
    /// When, from 0 at the start of the step to 1 at its end: never later than the two first touch.
    pub time: f64,
    /// What touches.
    pub candidate: Candidate,
    /// Where on the two it does.
    pub features: Features,
    /// The unit direction in which the vertex, or the first edge, has to move to get free.
    pub normal: DVec3,
    /// Whether it is known that they touch. If not, they do not before `time`, and that was all that could be found out in
    /// the iterations that [`Options`] allow; take it for a contact.
    pub is_decided: bool,
}

/// What a search for contacts did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCounts {
    /// What the search through the tree did.
    pub traversal: TraversalCounts,
    /// How many vertices were tested against a face.
    pub vertex_face_tests: u64,
    /// How many edges were tested against an edge.
    pub edge_edge_tests: u64,
}

/// Contacts were asked for that the tree's boxes do not tell of.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error(
    "contacts within {separation} are asked for, but the boxes of the tree have a margin of {margin}; \
     make it with this margin (MeshTreeOptions::margin)"
)]
pub struct MarginError {
    /// The minimum separation that was asked for.
    pub separation: f64,
    /// The tree's margin.
    pub margin: f64,
}

impl MeshTree {
    /// All contacts of the last step, of bodies with each other and with themselves, sorted by features.
    ///
    /// What touches at a vertex that it shares is connected and no contact; what has just broken apart is told by
    /// [`MeshTree::cracks`]. None else is missed, unless by cones; contacts and
    /// counts are the same for every number of threads. What cannot be decided in the iterations that are allowed may be left
    /// out where the tree has seen that it does not touch.
    ///
    /// ```
    /// use fracas::bvh::{MeshTree, MeshTreeOptions};
    /// use fracas::ccd::Options;
    /// use fracas::geometry::{TriMesh, shapes};
    /// use glam::DVec3;
    ///
    /// let cube = shapes::cuboid(DVec3::ONE);
    /// let at = |height: f64| -> Vec<DVec3> { cube.positions.iter().map(|&corner| corner + height * DVec3::Y).collect() };
    /// let mut tree = MeshTree::new(MeshTreeOptions::default());
    /// tree.add(&cube)?;
    /// let falling = tree.add(&TriMesh::new(at(3.0), cube.triangles.clone()))?;
    ///
    /// // It falls by four, through the other one, which is two below.
    /// tree.move_to(falling, &at(-1.0))?;
    /// tree.update();
    /// let (contacts, _) = tree.contacts(&Options::default())?;
    /// let (first, _) = tree.first_contact(&Options::default())?;
    /// assert!(first.is_some_and(|first| contacts.contains(&first) && (first.time - 0.5).abs() < 1e-6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a minimum separation is asked for that is larger than the tree's margin.
    pub fn contacts(&self, options: &Options) -> Result<(Vec<StepContact>, StepCounts), MarginError> {
        self.check_margin(options)?;
        Ok(self.test_candidates(|query| query.first_contact_of_near(options)))
    }

    /// The earliest contact of the last step, and of several at that time the one of the smallest features: the same as the
    /// earliest of [`MeshTree::contacts`], in less time, because no test looks beyond what is known to come first.
    ///
    /// The contact is the same for every number of threads, and so are the counts.
    ///
    /// # Errors
    /// If a minimum separation is asked for that is larger than the tree's margin.
    pub fn first_contact(&self, options: &Options) -> Result<(Option<StepContact>, StepCounts), MarginError> {
        self.check_margin(options)?;
        // Times from 0 to 1 are in the order of their bits.
        let earliest = AtomicU64::new(options.until.to_bits());
        let (found, counts) = self.test_candidates(|query| {
            let until = f64::from_bits(earliest.load(Ordering::Relaxed));
            let outcome = query.first_contact_of_near(&Options { until, ..*options });
            if let Some(time) = outcome.time() {
                earliest.fetch_min(time.to_bits(), Ordering::Relaxed);
            }
            outcome
        });
        // What else was found on the way depends on the threads. Of equal ones the first is the minimum.
        Ok((found.into_iter().min_by(|a, b| a.time.total_cmp(&b.time)), counts))
    }

    /// What [`MeshTree::contacts`] would do, without a single test: the search through the tree alone.
    pub fn count_tests(&self) -> StepCounts {
        self.test_candidates(|_| Outcome::Miss).1
    }

    /// What touches by a test, sorted by features.
    fn test_candidates(&self, test: impl Fn(&Query) -> Outcome + Sync) -> (Vec<StepContact>, StepCounts) {
        let tally = Tally::new();
        let (contacts, traversal) = self.collect_candidates_as(
            true,
            |candidate, motion| {
                tally.count(&candidate);
                contact(candidate, motion, &test)
            },
            StepContact::of,
        );
        let (vertex_face_tests, edge_edge_tests) = tally.sums();
        (contacts, StepCounts { traversal, vertex_face_tests, edge_edge_tests })
    }

    pub(super) fn check_margin(&self, options: &Options) -> Result<(), MarginError> {
        let (separation, margin) = (options.minimum_separation, self.options.margin);
        let is_enough = separation <= margin || separation.is_nan() || separation <= 0.0;
        if is_enough { Ok(()) } else { Err(MarginError { separation, margin }) }
    }
}

/// What a test found: when, where, the way out, and whether that is known.
pub(super) type Touch = (f64, Features, DVec3, bool);

impl StepContact {
    pub(super) fn of(candidate: Candidate, (time, features, normal, is_decided): Touch) -> StepContact {
        StepContact { time, candidate, features, normal, is_decided }
    }
}

/// Tests two features.
#[inline]
pub(super) fn contact(candidate: Candidate, &[start, end]: &Motion, test: impl Fn(&Query) -> Outcome) -> Option<Touch> {
    let query = match candidate {
        Candidate::VertexFace { .. } => Query::vertex_face(start, end),
        Candidate::EdgeEdge { .. } => Query::edge_edge(start, end),
    };
    match test(&query) {
        Outcome::Miss => None,
        Outcome::Hit { t, features, normal } => Some((t, features, normal, true)),
        Outcome::Undecided { t } => {
            let (features, normal) = query.nearest(t);
            Some((t, features, normal, false))
        }
    }
}

/// How many tests there were. Every thread counts for itself, because all count all the time.
struct Tally(Vec<Slot>);

/// What one thread counts, with no other thread's counts in its cache lines.
#[derive(Default)]
#[repr(align(128))]
struct Slot {
    vertex_face: AtomicU64,
    edge_edge: AtomicU64,
}

impl Tally {
    fn new() -> Tally {
        Tally((0..rayon::current_num_threads()).map(|_| Slot::default()).collect())
    }

    #[inline]
    fn count(&self, candidate: &Candidate) {
        let thread = rayon::current_thread_index().unwrap_or(0);
        let slot = &self.0[thread % self.0.len()];
        let count = match candidate {
            Candidate::VertexFace { .. } => &slot.vertex_face,
            Candidate::EdgeEdge { .. } => &slot.edge_edge,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }

    fn sums(self) -> (u64, u64) {
        let slots = self.0.into_iter().map(|slot| (slot.vertex_face.into_inner(), slot.edge_edge.into_inner()));
        slots.fold((0, 0), |sum, slot| (sum.0 + slot.0, sum.1 + slot.1))
    }
}
