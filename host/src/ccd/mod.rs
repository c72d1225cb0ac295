//! Elementary continuous collision tests: when do a vertex and a face, or two edges, first touch while their corners move in
//! straight lines?
//!
//! No contact is ever missed, whatever rounding does. A [`Query`] has the four points at the start and at the end of a step;
//! [`Query::first_contact`] says [`Outcome::Hit`], [`Outcome::Miss`], or [`Outcome::Undecided`] with a time up to which
//! nothing touches. Most queries end in a filter: things that stay apart along an axis, or four points whose volume
//! keeps its sign. The rest goes to a search over parts of the step, in doubles with bounds on their rounding, and then, for
//! the few that doubles cannot tell from a contact, in twice as many digits.
//!
//! ```
//! use fracas::ccd::{Options, Outcome, Query};
//! use glam::DVec3;
//!
//! let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
//! let falling = |height: f64| [DVec3::new(0.25, 0.25, height), face[0], face[1], face[2]];
//! let query = Query::vertex_face(falling(1.0), falling(-3.0));
//! let Outcome::Hit { t, normal, .. } = query.first_contact(&Options::default()) else { panic!("it falls through") };
//! assert!(t <= 0.25 && t > 0.25 - 1e-6);
//! assert_eq!(normal, DVec3::Z);
//!
//! let beside = Query::vertex_face(falling(1.0), falling(0.5));
//! assert_eq!(beside.first_contact(&Options::default()), Outcome::Miss);
//! ```

mod bernstein;
mod closest;
mod filter;
mod inclusion;
mod motion;
mod options;
mod polynomials;
mod queries_file;
mod query;
mod rational;
mod real;
mod scale;
mod separation;
#[cfg(test)]
mod tests;

pub(crate) use filter::{apart_along_an_axis, boxes_pass};
pub use options::Options;
pub use queries_file::{KnownQuery, QueriesFile, kind_of_path, read_queries, read_queries_bytes};
pub use query::{Features, Kind, Outcome, Query};
