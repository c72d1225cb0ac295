//! What the commands that take a solid have in common.

use std::path::Path;

use fracas::fragment::{MeshQuality, MesherOptions, tetrahedralise};
use fracas::geometry::{RepairOptions, TetMesh, TriMesh, io, repair};
use glam::DVec3;

use crate::failure::Failure;
use crate::output::check_folder;

/// Reads a mesh, repairs it if that is wanted, and tells what was changed.
pub(crate) fn read_mesh(path: &Path, is_repaired: bool) -> Result<(TriMesh, Vec<String>), Failure> {
    let mesh = io::read_tri_mesh(path).map_err(Failure::input)?;
    if !is_repaired {
        return Ok((mesh, Vec::new()));
    }
    let repaired = repair(mesh, &RepairOptions::default());
    Ok((repaired.mesh, repaired.changes.iter().map(ToString::to_string).collect()))
}

/// A solid as tetrahedra.
pub(crate) struct Tetrahedra {
    pub(crate) mesh: TetMesh,
    pub(crate) quality: MeshQuality,
    /// What a repair changed.
    pub(crate) changes: Vec<String>,
}

/// Reads tetrahedra, or makes them of a closed surface.
pub(crate) fn read_tetrahedra(path: &Path, cells: Option<u32>, is_repaired: bool) -> Result<Tetrahedra, Failure> {
    if io::is_tet_mesh(path) {
        let mesh = io::read_tet_mesh(path).map_err(Failure::input)?;
        return Ok(Tetrahedra { quality: MeshQuality::of(&mesh), mesh, changes: Vec::new() });
    }
    let (surface, changes) = read_mesh(path, is_repaired)?;
    let defaults = MesherOptions::default();
    let options = MesherOptions { cells: cells.unwrap_or(defaults.cells), ..defaults };
    let meshed = tetrahedralise(&surface, &options).map_err(Failure::input).map_err(|failure| failure.about(path))?;
    Ok(Tetrahedra { mesh: meshed.mesh, quality: meshed.report, changes })
}

/// Whether a file can be a GLB file that is written later: its name says so, and its folder is there.
pub(crate) fn check_glb(path: &Path, what: &str) -> Result<(), Failure> {
    check_folder(Some(path))?;
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("glb")) {
        let line = format!("{}: the {what} are written as GLB; end the name in .glb", path.display());
        return Err(Failure::Input(line));
    }
    Ok(())
}

/// Nodes from a file with one on each line: x, y and z, with spaces or commas between them. What follows a `#` is a
/// comment.
pub(crate) fn read_nodes(path: &Path) -> Result<Vec<DVec3>, Failure> {
    let fail = |what: String| Failure::Input(format!("{}{what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| fail(format!(": {error}")))?;
    let mut nodes = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or("");
        let words = content.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        let numbers: Option<Vec<f64>> = words.map(|word| word.parse().ok().filter(|n: &f64| n.is_finite())).collect();
        match numbers.as_deref() {
            Some([]) => {}
            Some(&[x, y, z]) => nodes.push(DVec3::new(x, y, z)),
            _ => {
                let found = content.trim();
                return Err(fail(format!(", line {}: expected three numbers `x y z`, found `{found}`", number + 1)));
            }
        }
    }
    if nodes.is_empty() {
        return Err(fail(": there are no nodes in it; write one on each line as `x y z`".to_owned()));
    }
    Ok(nodes)
}
