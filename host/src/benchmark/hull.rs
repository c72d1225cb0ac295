//! The suite `hull`: how tight approximate hulls are (\[Mueller13\] Figure 13), and what they cost.

use glam::DVec3;

use super::{Row, median_milliseconds};
use crate::geometry::{Aabb, Convex, Plane, convex_hull, shapes};
use crate::vacd::{Fit, approximate_hull, fit, volume_maximising_normals};

const SUITE: &str = "hull";
const UNIT: &str = "x true hull";
const UNTURNED: &str = "Algorithm 1 alone";

pub(super) fn run() -> Result<Vec<Row>, String> {
    let rabbit = shapes::figure(shapes::Figure::Rabbit, 11_000).map_err(|error| error.to_string())?.positions;
    let mut rows = tightness(&rabbit)?;
    let large = shapes::figure(shapes::Figure::Rabbit, 60_000).map_err(|error| error.to_string())?.positions;
    for points in [&rabbit, &large] {
        rows.push(time(points));
    }
    Ok(rows)
}

/// Figure 13: the volume by the number of vertices.
fn tightness(points: &[DVec3]) -> Result<Vec<Row>, String> {
    let hull = convex_hull(points).map_err(|error| error.to_string())?;
    let row = format!("rabbit, {} vertices, {} on the hull", points.len(), hull.vertices().len());
    let ratio = |convex: &Convex| convex.mass_properties().volume / hull.mass_properties().volume;
    let start = Convex::cuboid(Aabb::of_points(points.iter().copied()));
    let dops = [Fit::Aabb, Fit::Dop14, Fit::Dop26].map(|way| (way, ratio(&fit(&start, points, &way))));
    let mut rows = dops.map(|(way, ratio)| Row::new(SUITE, row.clone(), &way.to_string(), ratio, UNIT)).to_vec();
    for vertices in [4, 6, 8, 10, 15, 20, 30, 50, 100, hull.vertices().len()] {
        let approximate = approximate_hull(points, vertices, None).map_err(|error| error.to_string())?;
        let stage = format!("{vertices} vertices, {} faces", approximate.planes().len());
        let figure = Row::new(SUITE, row.clone(), &stage, ratio(&approximate), UNIT);
        // The paper says what 4 and 6 vertices are as tight as, and gives a number for 20.
        rows.push(match vertices {
            4 => figure.against("dop14", dops[1].1),
            6 => figure.against("dop26", dops[2].1),
            20 => Row { paper: Some(1.05), ..figure.against(UNTURNED, ratio(&unturned(points, vertices)?)) },
            _ => figure.against(UNTURNED, ratio(&unturned(points, vertices)?)),
        });
    }
    Ok(rows)
}

/// The paper's hull: the planes are moved, but not turned.
fn unturned(points: &[DVec3], vertices: usize) -> Result<Convex, String> {
    let mut convex = Convex::cuboid(Aabb::of_points(points.iter().copied()));
    for normal in volume_maximising_normals(points, vertices).map_err(|error| error.to_string())? {
        let offset = points.iter().map(|&point| normal.dot(point)).fold(f64::NEG_INFINITY, f64::max);
        convex = convex.clipped(&Plane { normal, offset }).ok_or("nothing is left of the box")?;
    }
    Ok(convex)
}

fn time(points: &[DVec3]) -> Row {
    let ours = median_milliseconds(|| approximate_hull(points, 20, None));
    let whole = median_milliseconds(|| convex_hull(points));
    let row = format!("rabbit, {} vertices", points.len());
    Row::new(SUITE, row, "build, 20 vertices", ours, "ms").against("true hull", whole)
}
