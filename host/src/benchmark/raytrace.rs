//! The suite `raytrace`: \[Hermann08\] section 5, and rays beside parry's.

use std::time::Instant;

use glam::{DQuat, DVec3};
use rapier3d::parry::query::{Ray as ParryRay, RayCast};
use rapier3d::parry::shape::TriMesh as ParryMesh;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Findings, Row, median_milliseconds};
use crate::dynamics::deformable::{DeformableScene, tori_drop, tori_pile};
use crate::export::{AxisScale, Plot, Series};
use crate::geometry::shapes::Torus;
use crate::geometry::{TriMesh, shapes};
use crate::random::Random;
use crate::raytrace::{CylinderPlane, Ray, RayOptions, Surface, TangentialForce};

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

/// Rays of three kinds, beside parry's: from each vertex inwards, as collision detection asks; the same from the vertices of
/// a surface that crosses, of which many miss; and long ones from outside.
fn rays() -> Result<Vec<Row>, String> {
    let torus = |major_segments: u32, minor_segments: u32| -> Result<Surface, String> {
        surface(
            &Torus { major_segments, minor_segments, ..Torus::default() }.mesh().map_err(|error| error.to_string())?,
        )
    };
    let (small, large) = (torus(40, 20)?, torus(300, 100)?);
    let sphere = shapes::Sphere { radius: 1.0, frequency: 55 }.mesh().map_err(|error| error.to_string())?;
    let sphere = surface(&sphere)?;
    pool(1)?.install(|| {
        [
            beside_parry("torus", "a ray inwards", &small, &inwards(&small)),
            beside_parry("torus", "a ray of one that crosses", &small, &crossing(&small)?),
            beside_parry("torus", "a long ray", &small, &long(&small)),
            beside_parry("torus", "a ray inwards", &large, &inwards(&large)),
            beside_parry("torus", "a ray of one that crosses", &large, &crossing(&large)?),
            beside_parry("torus", "a long ray", &large, &long(&large)),
            beside_parry("sphere", "a ray inwards", &sphere, &inwards(&sphere)),
            beside_parry("sphere", "a long ray", &sphere, &long(&sphere)),
        ]
        .into_iter()
        .collect()
    })
}

fn surface(mesh: &TriMesh) -> Result<Surface, String> {
    Surface::new(mesh).map_err(|error| error.to_string())
}

fn inwards(surface: &Surface) -> Vec<Ray> {
    // A little beside the vertex, so that it is the other side that is met.
    let vertices = surface.positions().iter().zip(surface.normals());
    vertices.map(|(&position, &normal)| Ray::new(position - 1e-3 * normal, -normal)).collect()
}

/// The inward rays that two bodies of one shape ask each other, in a dozen positions.
fn crossing(shape: &Surface) -> Result<Vec<Ray>, String> {
    let mut random = Random::new(1);
    let mut rays = Vec::new();
    for _ in 0..12 {
        let (turn, shift) = (DQuat::from_scaled_axis(3.0 * random.in_cube()), 0.4 * random.in_cube());
        let positions = shape.positions().iter().map(|&place| turn * place + shift).collect();
        let other = surface(&TriMesh::new(positions, shape.triangles().to_vec()))?;
        let region = shape.aabb().intersection(*other.aabb());
        let vertices = other.positions().iter().zip(other.normals()).filter(|(place, _)| region.contains(**place));
        rays.extend(vertices.map(|(&place, &normal)| Ray::new(place, -normal)));
    }
    Ok(rays)
}

/// Rays from a ball around a body to anywhere near its middle.
fn long(surface: &Surface) -> Vec<Ray> {
    let mut random = Random::new(7);
    let (middle, size) = (surface.aabb().center(), 0.5 * surface.aabb().size().max_element());
    let mut ray = || {
        let origin = middle + 1.5 * size * random.in_cube().normalize_or(DVec3::X);
        Ray::new(origin, (middle + 0.8 * size * random.in_cube() - origin).normalize_or(DVec3::X))
    };
    (0..20_000).map(|_| ray()).collect()
}

fn beside_parry(name: &str, stage: &str, surface: &Surface, rays: &[Ray]) -> Result<Row, String> {
    let vertices = surface.positions().iter().map(|position| position.as_vec3()).collect();
    let parry = ParryMesh::new(vertices, surface.triangles().to_vec()).map_err(|error| error.to_string())?;
    let theirs: Vec<ParryRay> =
        rays.iter().map(|ray| ParryRay::new(ray.origin.as_vec3(), ray.direction.as_vec3())).collect();
    let ours = median_milliseconds(|| rays.iter().filter(|ray| surface.octree().first_hit(ray).is_some()).count());
    let parry = median_milliseconds(|| {
        theirs.iter().filter(|ray| parry.cast_local_ray_and_get_normal(ray, f32::MAX, false).is_some()).count()
    });
    let per_ray = 1e6 / rays.len() as f64;
    let row = Row::new(SUITE, format!("{name}, {} triangles", surface.triangles().len()), stage, ours * per_ray, "ns");
    Ok(row.against("parry", parry * per_ray))
}

/// The paper's comparison: frames a second by rays and by distance, on one thread and on two, and how long steps may be.
fn frame_rates() -> Result<Vec<Row>, String> {
    let rays = tori_drop().map_err(|error| error.to_string())?;
    let proximity = rays.clone().with_proximity();
    let rate = |scene: &DeformableScene, threads: usize| -> Result<f64, String> {
        Ok(scene.steps as f64 / pool(threads)?.install(|| seconds(scene, scene.steps))?)
    };
    let (one, near, two) = (rate(&rays, 1)?, rate(&proximity, 1)?, rate(&rays, 2)?);
    let (longest, near_longest) = (longest_step(&rays)?, longest_step(&proximity)?);
    let row = |stage: &str, ours: f64, unit: &str| Row::new(SUITE, "two tori of 1,600 triangles", stage, ours, unit);
    Ok(vec![
        Row { paper: Some(30.0), ..row("one thread", one, "frames a second").against("proximity", near) },
        Row { paper: Some(30.0 / 12.0), ..row("rays beside proximity", one / near, "x as fast") },
        row("two threads beside one", two / one, "x as fast"),
        Row { paper: Some(0.45), ..row("longest step, rays", longest, "s") },
        Row { paper: Some(0.2), ..row("longest step, proximity", near_longest, "s") },
    ])
}

/// The longest step with which, as with all shorter ones, the tori come to rest on each other, by twentieths of a second.
fn longest_step(scene: &DeformableScene) -> Result<f64, String> {
    let mut longest = 0.0;
    for twentieths in 1..=20 {
        let step = 0.05 * f64::from(twentieths);
        if !scene.comes_to_rest(step).map_err(|error| error.to_string())? {
            break;
        }
        longest = step;
    }
    Ok(longest)
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

/// How deep cylinders stand in the plane, in radii.
const DEPTHS: [f64; 5] = [0.06, 0.1, 0.3, 0.6, 1.0];

/// The paper's figure 8: how far forces lean, by the number of sides, at the worst of several depths; by Algorithm 1 alone and
/// with rims cut.
fn cylinders() -> Findings {
    let methods = [("rims cut", RayOptions::default()), ("Algorithm 1", RayOptions::PAPER)];
    let mut rows = Vec::new();
    let mut series = Vec::new();
    for (name, rays) in methods {
        let measured: Vec<(u32, TangentialForce)> =
            (10..=150).step_by(10).map(|sides| (sides, worst_of_depths(rays, sides))).collect();
        for (sides, force) in measured.iter().filter(|(sides, _)| [10, 50, 100, 150].contains(sides)) {
            let row = |stage: &str, value: f64| {
                let stage = format!("tangential, {stage}, {name}");
                Row::new(SUITE, format!("cylinder of {sides} sides"), &stage, 100.0 * value, "% of the normal force")
            };
            let paper = match sides {
                10 => Some(8.0),
                150 => Some(1.0),
                _ => None,
            };
            rows.push(Row { paper, ..row("worst", force.worst) });
            rows.push(row("mean", force.mean));
        }
        let curve = |kind: &str, value: fn(&TangentialForce) -> f64| Series {
            name: format!("{name}, {kind}"),
            points: measured.iter().map(|(sides, force)| [f64::from(*sides), 100.0 * value(force)]).collect(),
        };
        series.extend([curve("worst of 100 rotations", |force| force.worst), curve("mean", |force| force.mean)]);
    }
    let plot = Plot {
        title: "Cylinder in a plane: tangential force".into(),
        x_label: "sides".into(),
        y_label: "% of the normal force".into(),
        y_scale: AxisScale::Linear,
        series,
        marks: Vec::new(),
    };
    Findings { rows, plots: vec![("figure8_cylinder".into(), plot)] }
}

fn worst_of_depths(rays: RayOptions, sides: u32) -> TangentialForce {
    let measure = |depth: f64| CylinderPlane { depth, rays, ..CylinderPlane::default() }.measure(sides);
    let worse = |a: TangentialForce, b: TangentialForce| TangentialForce {
        mean: a.mean.max(b.mean),
        worst: a.worst.max(b.worst),
    };
    DEPTHS.into_iter().map(measure).fold(TangentialForce::default(), worse)
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
        for (sides, paper) in [(10, 0.08), (150, 0.01)] {
            let found = worst_of_depths(RayOptions::default(), sides);
            assert!(found.worst < 0.1 * paper, "{sides} {found:?}");
        }
    }

    #[test]
    fn rays_are_of_all_kinds() {
        let torus = surface(&Torus::default().mesh().unwrap()).unwrap();
        let share = |rays: &[Ray]| {
            let hits = rays.iter().filter(|ray| torus.octree().first_hit(ray).is_some()).count();
            hits as f64 / rays.len() as f64
        };
        assert_eq!(share(&inwards(&torus)), 1.0);
        assert!((0.3..0.8).contains(&share(&crossing(&torus).unwrap())));
        assert!((0.3..0.8).contains(&share(&long(&torus))));
    }
}
