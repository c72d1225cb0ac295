//! The suite `raytrace`: \[Hermann08\] section 5, and rays beside parry's.

use std::time::Instant;

use glam::DVec3;
use rapier3d::parry::query::{Ray as ParryRay, RayCast};
use rapier3d::parry::shape::TriMesh as ParryMesh;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Findings, Row, median_milliseconds};
use crate::dynamics::deformable::{DeformableScene, tori_drop, tori_pile};
use crate::export::{AxisScale, Plot, Series};
use crate::geometry::{TriMesh, shapes};
use crate::raytrace::{CylinderPlane, Octree, Ray};

const SUITE: &str = "raytrace";

/// How many steps of a pile are timed.
const STEPS: usize = 20;

pub(super) fn run() -> Result<Findings, String> {
    let mut findings = Findings::default();
    findings.rows.extend(rays()?);
    findings.rows.extend(frame_rates()?);
    for found in [piles()?, cylinders()] {
        findings.rows.extend(found.rows);
        findings.plots.extend(found.plots);
    }
    Ok(findings)
}

/// From each vertex along the inward normal, as collision detection asks.
fn rays() -> Result<Vec<Row>, String> {
    let meshes = [
        ("torus", shapes::Torus::default().mesh().map_err(|error| error.to_string())?),
        ("sphere", shapes::Sphere { radius: 1.0, frequency: 55 }.mesh().map_err(|error| error.to_string())?),
    ];
    let pool = pool(1)?;
    meshes.into_iter().map(|(name, mesh)| pool.install(|| beside_parry(name, &mesh))).collect()
}

fn beside_parry(name: &str, mesh: &TriMesh) -> Result<Row, String> {
    let octree = Octree::build(&mesh.positions, &mesh.triangles);
    let vertices = mesh.positions.iter().map(|position| position.as_vec3()).collect();
    let parry = ParryMesh::new(vertices, mesh.triangles.clone()).map_err(|error| error.to_string())?;
    let mut normals = vec![DVec3::ZERO; mesh.positions.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
        triangle.iter().for_each(|&vertex| normals[vertex as usize] += (b - a).cross(c - a));
    }
    // A little beside the vertex, so that it is the other side that is met.
    let rays: Vec<Ray> = (mesh.positions.iter().zip(&normals))
        .map(|(&position, normal)| Ray::new(position - 1e-3 * normal.normalize_or_zero(), -normal.normalize_or_zero()))
        .collect();
    let theirs: Vec<ParryRay> =
        rays.iter().map(|ray| ParryRay::new(ray.origin.as_vec3(), ray.direction.as_vec3())).collect();
    let ours = median_milliseconds(|| rays.iter().filter(|ray| octree.first_hit(ray).is_some()).count());
    let parry = median_milliseconds(|| {
        theirs.iter().filter(|ray| parry.cast_local_ray_and_get_normal(ray, f32::MAX, false).is_some()).count()
    });
    let per_ray = 1e6 / rays.len() as f64;
    let row = Row::new(SUITE, format!("{name}, {} triangles", mesh.triangles.len()), "a ray", ours * per_ray, "ns");
    Ok(row.against("parry", parry * per_ray))
}

/// The paper's comparison: frames a second by rays and by distance.
fn frame_rates() -> Result<Vec<Row>, String> {
    let scene = tori_drop().map_err(|error| error.to_string())?;
    let pool = pool(1)?;
    let rate = |scene: &DeformableScene| -> Result<f64, String> {
        Ok(scene.steps as f64 / pool.install(|| seconds(scene, scene.steps))?)
    };
    let (rays, proximity) = (rate(&scene)?, rate(&scene.clone().with_proximity())?);
    let row = |stage: &str, ours: f64, unit: &str| Row::new(SUITE, "two tori of 1,600 triangles", stage, ours, unit);
    Ok(vec![
        Row { paper: Some(30.0), ..row("one thread", rays, "frames a second").against("proximity", proximity) },
        Row { paper: Some(30.0 / 12.0), ..row("rays beside proximity", rays / proximity, "x as fast") },
    ])
}

/// Time by the number of tori, with a line through it, and two threads beside one.
fn piles() -> Result<Findings, String> {
    let mut points = Vec::new();
    let mut rows = Vec::new();
    for tori in [2, 4, 8, 16, 32, 64] {
        let scene = tori_pile(tori).map_err(|error| error.to_string())?;
        let one = 1e3 * pool(1)?.install(|| seconds(&scene, STEPS))? / STEPS as f64;
        let two = 1e3 * pool(2)?.install(|| seconds(&scene, STEPS))? / STEPS as f64;
        points.push([f64::from(tori), one]);
        let name = format!("a pile of {tori} tori");
        rows.push(Row::new(SUITE, name.clone(), "step, one thread", one, "ms"));
        rows.push(Row::new(SUITE, name, "step, two threads", two, "ms").against("one thread", one));
    }
    let [slope, offset, fit] = line(&points);
    let row = |stage: &str, value: f64, unit: &str| Row::new(SUITE, "piles of 2 to 64 tori", stage, value, unit);
    rows.push(row("line through the times, slope", slope, "ms a torus"));
    rows.push(row("line through the times, at none", offset, "ms"));
    rows.push(row("how well it fits", fit, "of the variance"));
    let plot = Plot {
        title: "Piles of tori of 1,600 triangles".into(),
        x_label: "tori".into(),
        y_label: "ms".into(),
        y_scale: AxisScale::Linear,
        series: vec![Series { name: "a step, one thread".into(), points }],
        marks: Vec::new(),
    };
    Ok(Findings { rows, plots: vec![("figure13_tori".into(), plot)] })
}

/// The paper's figure 8: how far forces lean, by the number of sides.
fn cylinders() -> Findings {
    let measured: Vec<(u32, _)> =
        (10..=150).step_by(10).map(|sides| (sides, CylinderPlane::default().measure(sides))).collect();
    let mut rows = Vec::new();
    for (sides, force) in measured.iter().filter(|(sides, _)| [10, 50, 100, 150].contains(sides)) {
        let row = |stage: &str, value: f64| {
            Row::new(SUITE, format!("cylinder of {sides} sides"), stage, 100.0 * value, "% of the normal force")
        };
        let paper = match sides {
            10 => Some(8.0),
            150 => Some(1.0),
            _ => None,
        };
        rows.push(Row { paper, ..row("tangential, worst", force.worst) });
        rows.push(row("tangential, mean", force.mean));
    }
    let series = |name: &str, value: fn(&crate::raytrace::TangentialForce) -> f64| Series {
        name: name.into(),
        points: measured.iter().map(|(sides, force)| [f64::from(*sides), 100.0 * value(force)]).collect(),
    };
    let plot = Plot {
        title: "Cylinder in a plane: tangential force".into(),
        x_label: "sides".into(),
        y_label: "% of the normal force".into(),
        y_scale: AxisScale::Linear,
        series: vec![series("worst of 100 rotations", |force| force.worst), series("mean", |force| force.mean)],
        marks: Vec::new(),
    };
    Findings { rows, plots: vec![("figure8_cylinder".into(), plot)] }
}

/// How long so many steps take.
fn seconds(scene: &DeformableScene, steps: usize) -> Result<f64, String> {
    let mut world = scene.world().map_err(|error| error.to_string())?;
    let clock = Instant::now();
    for _ in 0..steps {
        world.step(scene.step).map_err(|error| error.to_string())?;
    }
    Ok(clock.elapsed().as_secs_f64())
}

fn pool(threads: usize) -> Result<ThreadPool, String> {
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())
}

/// The line of least squares through points: its slope, where it starts, and the share of the variance that it explains.
fn line(points: &[[f64; 2]]) -> [f64; 3] {
    let count = points.len().max(1) as f64;
    let mean = |axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / count;
    let means = [mean(0), mean(1)];
    let spread = |i: usize, j: usize| points.iter().map(|p| (p[i] - means[i]) * (p[j] - means[j])).sum::<f64>();
    let slope = spread(0, 1) / spread(0, 0).max(f64::MIN_POSITIVE);
    [slope, means[1] - slope * means[0], slope * spread(0, 1) / spread(1, 1).max(f64::MIN_POSITIVE)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_what_is_on_it() {
        let [slope, offset, fit] = line(&[[2.0, 7.0], [4.0, 11.0], [8.0, 19.0]]);
        assert!((slope - 2.0).abs() < 1e-12 && (offset - 3.0).abs() < 1e-12 && (fit - 1.0).abs() < 1e-12);
        assert!(line(&[[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]])[2] < 0.1);
    }

    #[test]
    fn forces_lean_less_than_the_papers() {
        let rows = cylinders().rows;
        let papers: Vec<&Row> = rows.iter().filter(|row| row.paper.is_some()).collect();
        assert_eq!(papers.len(), 2);
        assert!(papers.iter().all(|row| Some(row.ours) <= row.paper && row.ours > 0.0), "{papers:#?}");
    }
}
