//! The report as people read it.

use std::fmt;

use super::MeshReport;
use crate::geometry::numerals::{counted, grouped};

const VOXELS: &str = "the voxel method needs no closed surface";

/// What keeps a mesh from being the surface of a solid, and what to do about it.
struct Problem {
    what: String,
    /// What a repair can do about it, if anything.
    repair: Option<&'static str>,
    /// What else helps.
    otherwise: Option<&'static str>,
}

impl Problem {
    fn new(what: String, repair: Option<&'static str>, otherwise: Option<&'static str>) -> Problem {
        Problem { what, repair, otherwise }
    }
}

impl MeshReport {
    /// Why the mesh is not the surface of a solid, in one line that also says what can be done; `None` if it is one.
    pub fn solid_problem(&self) -> Option<String> {
        let Problem { what, repair, otherwise } = self.problem()?;
        Some(match (repair, otherwise) {
            (Some(repair), Some(otherwise)) => format!("{what}; a repair can {repair}, and {otherwise}"),
            (Some(repair), None) => format!("{what}; a repair can {repair}"),
            (None, Some(otherwise)) => format!("{what}; {otherwise}"),
            (None, None) => what,
        })
    }

    /// Whether [`repair`](crate::geometry::repair()) can do something about what [`solid_problem`](Self::solid_problem)
    /// says.
    pub fn repair_may_help(&self) -> bool {
        self.problem().is_some_and(|problem| problem.repair.is_some())
    }

    fn problem(&self) -> Option<Problem> {
        const EXPORT: Option<&str> = Some("export it again");
        if self.triangles == 0 {
            return Some(Problem::new("the mesh has no triangles".to_owned(), None, None));
        }
        if self.invalid_triangles > 0 {
            let count = counted(self.invalid_triangles, "triangle");
            let what = format!("{count} of the mesh name vertices that it does not have");
            return Some(Problem::new(what, None, EXPORT));
        }
        if self.non_finite_vertices > 0 {
            let count = counted(self.non_finite_vertices, "vertex");
            let what = format!("the mesh has {count} with infinite or undefined coordinates");
            return Some(Problem::new(what, None, EXPORT));
        }
        if !self.watertight {
            if self.border_edges > 0 {
                let (edges, loops) =
                    (counted(self.border_edges, "border edge"), counted(self.border_loops, "border loop"));
                let what = format!("the surface is open ({edges} in {loops})");
                return Some(Problem::new(what, Some("fill small holes"), Some(VOXELS)));
            }
            if self.misoriented_edges > 0 {
                let edges = counted(self.misoriented_edges, "edge");
                let what = format!("neighbouring triangles disagree on which side is out at {edges}");
                return Some(Problem::new(what, Some("turn them"), None));
            }
            let edges = counted(self.non_manifold_edges, "edge");
            let what = format!("the surface does not say what is inside at {edges} of three or more faces");
            let repair = (self.duplicate_triangles > 0).then_some("remove faces that are there twice");
            return Some(Problem::new(what, repair, Some(VOXELS)));
        }
        // A cavity is negative too, but then its shell outweighs it. What is left of faces that cancel is rounding.
        let size = self.bounds.map_or(0.0, |[low, high]| (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max));
        let rounding = 1e-12 * self.area * size;
        if self.volume.is_some_and(|volume| volume < -rounding) {
            return Some(Problem::new("the surface is inside out".to_owned(), Some("turn it"), None));
        }
        if self.volume.is_some_and(|volume| volume <= rounding) {
            let repair = (self.duplicate_triangles > 0).then_some("remove faces that are there twice");
            return Some(Problem::new("the surface encloses nothing".to_owned(), repair, None));
        }
        if let Some(found) = self.self_intersections.as_ref().filter(|found| found.pairs > 0) {
            let what = format!("the surface passes through itself at {}", counted(found.pairs, "place"));
            return Some(Problem::new(what, None, Some(VOXELS)));
        }
        None
    }
}

impl fmt::Display for MeshReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: String| writeln!(f, "{name:<20} {value}");
        let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        line("vertices", format!("{} at {}", grouped(self.vertices), counted(self.distinct_positions, "position")))?;
        line("triangles", grouped(self.triangles))?;
        line("watertight", yes(self.watertight))?;
        line("manifold", yes(self.manifold))?;
        line("oriented", yes(self.oriented))?;
        line("components", format!("{}, {} closed", grouped(self.components), grouped(self.closed_components)))?;
        if let Some(genus) = self.genus {
            line("handles", grouped(genus))?;
        }
        if let Some(volume) = self.volume {
            line("volume", format!("{volume:.6}"))?;
        }
        line("area", format!("{:.6}", self.area))?;
        if let Some([low, high]) = self.bounds {
            let corner = |c: [f64; 3]| format!("({:.4}, {:.4}, {:.4})", c[0], c[1], c[2]);
            line("box", format!("{} to {}", corner(low), corner(high)))?;
        }
        // What is wrong, only where it is.
        let wrong = [
            ("border edges", self.border_edges, format!(" in {}", counted(self.border_loops, "loop"))),
            ("non-manifold edges", self.non_manifold_edges, String::new()),
            ("non-manifold points", self.non_manifold_vertices, String::new()),
            ("misoriented edges", self.misoriented_edges, String::new()),
            ("inward shells", self.inward_components, String::new()),
            ("degenerate faces", self.degenerate_triangles, String::new()),
            ("duplicate faces", self.duplicate_triangles, String::new()),
            ("invalid faces", self.invalid_triangles, String::new()),
            ("non-finite vertices", self.non_finite_vertices, String::new()),
        ];
        for (name, count, rest) in wrong.into_iter().filter(|&(_, count, _)| count > 0) {
            line(name, grouped(count) + &rest)?;
        }
        match &self.self_intersections {
            Some(found) if found.pairs > 0 => {
                let first = found.first.iter().map(|[a, b]| format!("{a}-{b}")).collect::<Vec<_>>().join(", ");
                line(
                    "self-intersections",
                    format!(
                        "{} (triangles {first}{})",
                        grouped(found.pairs),
                        if found.pairs > found.first.len() { ", …" } else { "" }
                    ),
                )
            }
            Some(_) => line("self-intersections", "none".to_owned()),
            None => Ok(()),
        }
    }
}
