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
        touch_memory();
        let Findings { rows, plots } = scene.run(1.0, scene.samples)?;
        findings.rows.extend(rows);
        findings.plots.extend(plots);
    }
    Ok(findings)
}

/// As much memory as all trees of an animation take at most.
const MEMORY: usize = 1 << 30;

/// Takes memory and gives it back. A virtual machine gets a page from its host when it is first touched, which can take longer than all that
/// is done with it afterwards; that is not what is asked here. What the system itself takes for new pages is.
fn touch_memory() {
    std::hint::black_box(vec![1u8; MEMORY]);
}
