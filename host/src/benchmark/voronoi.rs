//! The suite `voronoi`: Voronoi cells and fracture patterns.

use glam::DVec3;

use super::{Row, median_milliseconds};
use crate::geometry::{Aabb, voronoi};
use crate::pattern::{SpherePattern, VoronoiPattern, WebPattern};
use crate::random::Random;

const SUITE: &str = "voronoi";

pub(super) fn run() -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for count in [10_000, 100_000] {
        let mut random = Random::new(1);
        let points: Vec<DVec3> = (0..count).map(|_| 0.5 * (random.in_cube() + 1.0)).collect();
        let bounds = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        let measure = || f64::from(count) / median_milliseconds(|| voronoi(&points, bounds));
        let row = format!("{count} random seeds in a cube");
        let one_thread = match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
            Ok(pool) => pool.install(measure),
            Err(_) => measure(),
        };
        rows.push(Row::new(SUITE, row.clone(), "one thread", one_thread, "K cells/s"));
        rows.push(Row::new(SUITE, row, "all threads", measure(), "K cells/s"));
    }
    let voronoi = VoronoiPattern { cells: 1000, ..VoronoiPattern::default() };
    let spheres = SpherePattern { cells: 1000, spheres: 8, ..SpherePattern::default() };
    let web = WebPattern { rings: 24, spokes: 40, ..WebPattern::default() };
    let mut pattern = |name: &str, time: f64| rows.push(Row::new(SUITE, name, "make", time, "ms"));
    pattern("voronoi pattern, 1000 cells", median_milliseconds(|| voronoi.pattern()));
    pattern("sphere pattern, 1000 cells", median_milliseconds(|| spheres.pattern()));
    pattern("web pattern, 1000 cells", median_milliseconds(|| web.pattern()));
    Ok(rows)
}
