//! `fracas ccd-queries`

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use fracas::ccd::{Kind, KnownQuery, Options, Outcome, kind_of_path, read_queries};
use serde::Serialize;

use crate::arguments::{CcdQueriesArguments, QueryKind};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{check_folder, print, write_json};

/// A query's time is the least of so many: what the machine does beside is not the query's.
const REPETITIONS: u32 = 5;

#[derive(Serialize)]
struct Figures {
    queries: usize,
    positives: usize,
    false_negatives: usize,
    false_positives: usize,
    median_us: Medians,
    max_us: f64,
    /// Queries that were not decided within the iterations allowed; they count as contacts.
    undecided: usize,
    /// Coordinates that are no doubles and were rounded.
    rounded_coordinates: usize,
}

#[derive(Serialize)]
struct Medians {
    vf: Option<f64>,
    ee: Option<f64>,
}

/// What became of all queries.
#[derive(Default)]
struct Tally {
    positives: usize,
    false_negatives: usize,
    false_positives: usize,
    undecided: usize,
    rounded_coordinates: usize,
    vertex_face_us: Vec<f64>,
    edge_edge_us: Vec<f64>,
    /// The file and the number of the first query that was missed.
    first_missed: Option<(PathBuf, usize)>,
}

pub(crate) fn ccd_queries(arguments: &CcdQueriesArguments, quiet: bool) -> Result<(), Failure> {
    check_folder(arguments.json.as_deref())?;
    interrupt::watch();
    let mut tally = Tally::default();
    for path in &arguments.files {
        let file = read_queries(path, kind_of(path, arguments.kind)?).map_err(Failure::input)?;
        tally.rounded_coordinates += file.rounded;
        for (number, known) in file.queries.iter().enumerate() {
            if !tally.add(known) && tally.first_missed.is_none() {
                tally.first_missed = Some((path.clone(), number));
            }
            if interrupt::happened() {
                return Err(Failure::Interrupted);
            }
        }
    }
    let missed = tally.first_missed.take();
    let figures = tally.figures();
    if let Some(path) = &arguments.json {
        write_json(path, &figures)?;
    }
    if !quiet && arguments.json.as_deref() != Some(Path::new("-")) {
        print(describe(&figures).as_bytes())?;
    }
    match missed {
        None => Ok(()),
        Some((path, number)) => Err(Failure::Check(format!(
            "{}: rows {} to {} are a contact that was missed, one of {} in all",
            path.display(),
            8 * number + 1,
            8 * number + 8,
            figures.false_negatives
        ))),
    }
}

fn kind_of(path: &Path, given: Option<QueryKind>) -> Result<Kind, Failure> {
    let named = match given {
        Some(QueryKind::Vf) => Some(Kind::VertexFace),
        Some(QueryKind::Ee) => Some(Kind::EdgeEdge),
        // The folder that says it may be the one we are in.
        None => kind_of_path(path).or_else(|| kind_of_path(&path.canonicalize().ok()?)),
    };
    named.ok_or_else(|| {
        let message = "neither its name nor its folders' say vertex-face or edge-edge; try --kind vf or --kind ee";
        Failure::Input(format!("{}: {message}", path.display()))
    })
}

impl Tally {
    /// Answers a query. False if it missed a contact.
    fn add(&mut self, known: &KnownQuery) -> bool {
        let options = Options::default();
        let mut outcome = Outcome::Miss;
        let mut least = f64::INFINITY;
        for _ in 0..REPETITIONS {
            let clock = Instant::now();
            outcome = black_box(black_box(&known.query).first_contact(&options));
            least = least.min(1e6 * clock.elapsed().as_secs_f64());
        }
        let times = match known.query.kind {
            Kind::VertexFace => &mut self.vertex_face_us,
            Kind::EdgeEdge => &mut self.edge_edge_us,
        };
        times.push(least);
        let contact = outcome != Outcome::Miss;
        self.positives += usize::from(known.contact);
        self.false_negatives += usize::from(known.contact && !contact);
        self.false_positives += usize::from(contact && !known.contact);
        self.undecided += usize::from(matches!(outcome, Outcome::Undecided { .. }));
        contact || !known.contact
    }

    fn figures(mut self) -> Figures {
        let max_us = self.vertex_face_us.iter().chain(&self.edge_edge_us).copied().fold(0.0, f64::max);
        Figures {
            queries: self.vertex_face_us.len() + self.edge_edge_us.len(),
            positives: self.positives,
            false_negatives: self.false_negatives,
            false_positives: self.false_positives,
            median_us: Medians { vf: median(&mut self.vertex_face_us), ee: median(&mut self.edge_edge_us) },
            max_us,
            undecided: self.undecided,
            rounded_coordinates: self.rounded_coordinates,
        }
    }
}

fn median(times: &mut [f64]) -> Option<f64> {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

fn describe(figures: &Figures) -> String {
    let Figures { queries, positives, false_negatives, false_positives, median_us, max_us, .. } = figures;
    let mut text = format!(
        "{queries} queries, {positives} positives\n{false_negatives} false negatives, {false_positives} false positives\n"
    );
    if figures.undecided > 0 {
        text += &format!("{} undecided, taken for contacts\n", figures.undecided);
    }
    if figures.rounded_coordinates > 0 {
        let count = figures.rounded_coordinates;
        text +=
            &format!("{count} coordinates are no doubles and were rounded; the truth may not be that of the rounded\n");
    }
    for (kind, median) in [("vertex-face", median_us.vf), ("edge-edge", median_us.ee)] {
        if let Some(median) = median {
            text += &format!("median {median:.3} us {kind}\n");
        }
    }
    text + &format!("at most {max_us:.1} us\n")
}
