//! The plate that rolls (\[Glondu12\] Figure 5): contacts that are told, and all that there are.

use std::ops::ControlFlow;
use std::path::Path;

use glam::DVec3;

use super::{SUITE, on_one_thread};
use crate::benchmark::Row;
use crate::fragment::{DistanceField, Nearness, QueryOptions, QueryScratch, Surface};
use crate::scene::{self, Progress, RunOptions, Scene};
use crate::world::Representation;

/// The paper's figures: at most so many contacts, by its selection and without.
const PAPER: [f64; 2] = [6.0, 128.0];

/// What is lower than nothing.
struct Ground;

impl DistanceField for Ground {
    fn look(&self, point: DVec3, reach: f64) -> Nearness {
        let surface = Surface { distance: point.y, normal: DVec3::Y };
        if point.y < reach { Nearness::Near(surface) } else { Nearness::Beyond(point.y) }
    }

    fn meets_sphere(&self, _: DVec3, _: f64) -> bool {
        true
    }
}

pub(super) fn rows() -> Result<Vec<Row>, String> {
    let text = include_str!("../../../../scenes/rolling_plate.toml");
    let scene = Scene::parse(text, Path::new("scenes")).map_err(|error| error.to_string())?;
    // What Rapier takes for near.
    let detection = 0.02 * scene.world.rigid.length_unit;
    let mut most = [0, 0];
    let observe = |progress: Progress<'_>| {
        let Some(world) = progress.world else { return ControlFlow::Continue(()) };
        most[0] = most[0].max(world.statistics().contacts);
        for (id, body) in world.bodies() {
            let (Representation::Fragment(plate), Some(pose)) = (body.representation(), world.pose(id)) else {
                continue;
            };
            let options = QueryOptions { most: usize::MAX, detection, tolerance: detection };
            let mut contacts = Vec::new();
            plate.query(&Ground, &pose, options, &mut QueryScratch::default(), &mut contacts);
            most[1] = most[1].max(contacts.len());
        }
        ControlFlow::Continue(())
    };
    on_one_thread(|| scene::run(&scene, &RunOptions::default(), observe))?.map_err(|error| error.to_string())?;
    let row = |stage: &str, side: usize| {
        let row = Row::new(SUITE, scene.name.clone(), stage, most[side] as f64, "");
        Row { paper: Some(PAPER[side]), ..row }
    };
    Ok(vec![row("contacts of a step, at most", 0), row("contacts without selection, at most", 1)])
}
