//! The report as people read it.

use std::fmt;

use super::MeshReport;
use crate::geometry::numerals::{counted, grouped};

impl MeshReport {
    /// Why the mesh is not the surface of a solid, in one line that also says what to do; `None` if it is one.
    pub fn solid_problem(&self) -> Option<String> {
        const REPAIR: &str = "--repair mends that";
        const VOXELS: &str = "the voxel method (--method svo) needs no closed surface";
        if self.triangles == 0 {
            return Some("the mesh has no triangles".to_owned());
        }
        if self.invalid_triangles > 0 {
            let count = counted(self.invalid_triangles, "triangle");
            return Some(format!("{count} of the mesh name vertices that it does not have; export it again"));
        }
        if self.non_finite_vertices > 0 {
            let count = counted(self.non_finite_vertices, "vertex");
            return Some(format!("the mesh has {count} with infinite or undefined coordinates; export it again"));
        }
        if !self.watertight {
            if self.border_edges > 0 {
                let (edges, loops) =
                    (counted(self.border_edges, "border edge"), counted(self.border_loops, "border loop"));
                return Some(format!("the surface is open ({edges} in {loops}); --repair fills small holes, {VOXELS}"));
            }
            if self.misoriented_edges > 0 {
                let edges = counted(self.misoriented_edges, "edge");
                return Some(format!("neighbouring triangles disagree on which side is out at {edges}; {REPAIR}"));
            }
            let edges = counted(self.non_manifold_edges, "edge");
            return Some(format!(
                "the surface does not say what is inside at {edges} of three or more faces; {VOXELS}"
            ));
        }
        // A cavity is negative too, but then its shell outweighs it. What is left of faces that cancel is rounding.
        let size = self.bounds.map_or(0.0, |[low, high]| (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max));
        if self.volume.is_some_and(|volume| volume <= 1e-12 * self.area * size) {
            return Some(format!("the surface is inside out or encloses nothing; {REPAIR}"));
        }
        if let Some(found) = self.self_intersections.as_ref().filter(|found| found.pairs > 0) {
            let pairs = counted(found.pairs, "place");
            return Some(format!("the surface passes through itself at {pairs}; {VOXELS}"));
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
