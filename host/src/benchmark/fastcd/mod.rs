//! The suite `fastcd`: \[Heo10\] section 6 on animations of the paper's sizes, and its figures 6 to 8.
//!
//! The time of a frame is that of the paper: making the changes, bringing the tree up to date, and the search; the animation
//! itself is not in it. Of each animation some frames are looked at; the tree lives through all of them.

mod figures;
mod mirror;
mod play;
mod record;
mod scenes;
mod trees;

use super::Findings;

const SUITE: &str = "fastcd";

pub(super) fn run() -> Result<Findings, String> {
    let mut findings = Findings::from(trees::run()?);
    for scene in scenes::ALL {
        let Findings { rows, plots } = scene.run(1.0, scene.samples)?;
        findings.rows.extend(rows);
        findings.plots.extend(plots);
    }
    Ok(findings)
}
