use glam::DQuat;

use super::*;
use crate::hash::StateHash;

fn square(side: f64) -> ExposedFaces {
    let points = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)];
    ExposedFaces {
        points: points.into_iter().map(|(x, z)| side * DVec3::new(x, 0.0, z)).collect(),
        ends: vec![4],
        normals: vec![DVec3::Y],
    }
}

fn still() -> DustOptions {
    DustOptions { turbulence: 0.0, throw: 0.0, ratio: 1.0, ..DustOptions::default() }
}

fn emitted(options: &DustOptions, faces: &ExposedFaces, seed: u64) -> Dust {
    let mut dust = Dust::new(options);
    dust.emit(faces, &Pose::IDENTITY, Velocity::default(), DVec3::ZERO, seed);
    dust
}

#[test]
fn dust_is_uniform_over_the_faces() {
    // A pentagon, a triangle without area, and a square of another size.
    let mut faces = ExposedFaces::default();
    let pentagon = [(0.0, 0.0), (2.0, 0.0), (3.0, 1.0), (1.5, 2.0), (0.0, 1.0)];
    faces.points.extend(pentagon.map(|(x, y)| DVec3::new(x, y, 0.0)));
    faces.points.extend([DVec3::ONE; 3]);
    faces.points.extend([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| DVec3::new(x, y, 5.0)));
    (faces.ends, faces.normals) = (vec![5, 8, 12], vec![DVec3::Z; 3]);
    let options = DustOptions { density: 20_000.0, budget: 1_000_000, ..still() };
    let dust = emitted(&options, &faces, 3);
    let count = dust.particles().len() as f64;
    assert!((count - 5.0 * 20_000.0).abs() <= 1.0, "{count}");
    // Cells of a quarter that are wholly inside of a polygon expect the same number each.
    let expected = 20_000.0 / 16.0;
    let inside = |x: f64, y: f64| {
        let edges = pentagon.iter().zip(pentagon.iter().cycle().skip(1));
        edges.clone().all(|(a, b)| (b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0) >= 0.0)
    };
    let (mut chi, mut cells) = (0.0, 0.0);
    for (height, columns) in [(0.0, 12), (5.0, 4)] {
        for cell in 0..columns * 8 {
            let (x, y) = (0.25 * f64::from(cell % columns), 0.25 * f64::from(cell / columns));
            let corners = [(x, y), (x + 0.25, y), (x, y + 0.25), (x + 0.25, y + 0.25)];
            let is_inside = if height == 0.0 {
                corners.iter().all(|&(x, y)| inside(x, y))
            } else {
                corners.iter().all(|&(x, y)| x <= 1.0 && y <= 1.0)
            };
            if is_inside {
                let found = dust.particles().iter().filter(|particle| {
                    let [px, py, pz] = particle.position.as_dvec3().to_array();
                    pz == height && (x..x + 0.25).contains(&px) && (y..y + 0.25).contains(&py)
                });
                chi += (found.count() as f64 - expected).powi(2) / expected;
                cells += 1.0;
            }
        }
    }
    assert!(cells > 50.0);
    // The mean of chi-square is the number of cells, its deviation the root of twice that.
    assert!((chi - cells).abs() < 4.0 * (2.0 * cells).sqrt(), "{chi} {cells}");
}

/// Still air: v = (v0 - s) e^(-kt) + s and x = x0 + s t + (v0 - s)(1 - e^(-kt))/k, in one step or in many.
#[test]
fn drag_follows_the_closed_form_for_any_step() {
    let options = DustOptions { drag: 2.5, settling: 0.3, lifetime: 1e6, density: 1.0, ..still() };
    let push = DVec3::new(3.0, 1.0, -2.0);
    let mut dust = Dust::new(&options);
    let velocity = Velocity { linear: push, angular: DVec3::ZERO };
    dust.emit(&square(3.0), &Pose::IDENTITY, velocity, DVec3::ZERO, 1);
    let begin = dust.particles()[0].position.as_dvec3();
    let sink = DVec3::new(0.0, -0.3, 0.0);
    for steps in [1, 7, 1000] {
        let mut dust = dust.clone();
        let time = 1.7;
        (0..steps).for_each(|_| dust.step(time / f64::from(steps)));
        let left = (-2.5 * time).exp();
        let expected = begin + sink * time + (push - sink) * ((1.0 - left) / 2.5);
        assert!((dust.particles()[0].position.as_dvec3() - expected).length() < 2e-5, "{steps}");
        assert!((dust.grains[0].velocity.as_dvec3() - (sink + (push - sink) * left)).length() < 2e-5);
    }
    // A step of a day, and the limit of no drag.
    dust.step(86_400.0);
    assert!((dust.grains[0].velocity.as_dvec3() - sink).length() < 1e-6);
    let mut free = Dust::new(&DustOptions { drag: 0.0, ..options });
    free.emit(&square(3.0), &Pose::IDENTITY, velocity, DVec3::ZERO, 1);
    free.step(2.0);
    assert!((free.particles()[0].position.as_dvec3() - begin - 2.0 * push).length() < 1e-5);
}

#[test]
fn dust_leaves_with_the_body_and_along_the_normal() {
    let options = DustOptions { throw: 2.0, ..still() };
    let pose = Pose::new(DQuat::from_rotation_x(0.5 * std::f64::consts::PI), DVec3::new(10.0, 0.0, 0.0));
    let center = DVec3::new(10.0, 0.0, 0.0);
    let velocity = Velocity { linear: DVec3::new(0.0, 5.0, 0.0), angular: DVec3::new(0.0, 0.0, 3.0) };
    let mut dust = Dust::new(&options);
    dust.emit(&square(1.0), &pose, velocity, center, 4);
    assert!(dust.particles().len() > 300);
    let mut along = 0.0;
    for (particle, grain) in dust.particles().iter().zip(&dust.grains) {
        let at = particle.position.as_dvec3();
        assert!(at.z.abs() < 1e-6, "the face is turned upright");
        let beyond = grain.velocity.as_dvec3() - velocity.linear - velocity.angular.cross(at - center);
        assert!(beyond.length() < 2.0 * (1.0 + 0.3 * 3f64.sqrt()) + 1e-5);
        along += beyond.z;
    }
    let mean = along / dust.particles().len() as f64;
    assert!((mean - 1.0).abs() < 0.1, "{mean}");
}

#[test]
fn the_oldest_go_when_there_are_too_many() {
    let options = DustOptions { density: 100.0, budget: 250, lifetime: 100.0, ..still() };
    let mut dust = Dust::new(&options);
    for number in 0..4 {
        let pose = Pose::at(DVec3::new(10.0 * number as f64, 0.0, 0.0));
        dust.emit(&square(1.0), &pose, Velocity::default(), DVec3::ZERO, number);
    }
    let of = |number: i32| dust.particles().iter().filter(|p| (p.position.x / 10.0) as i32 == number).count();
    assert_eq!(dust.particles().len(), 250);
    assert_eq!(of(0), 0);
    assert!(of(1) < 52 && of(2) >= 99 && of(3) >= 99);
    let huge = emitted(&DustOptions { density: 1e300, ..options }, &square(1e9), 1);
    assert_eq!(huge.particles().len(), 250);
    assert_eq!(emitted(&DustOptions { budget: 0, ..still() }, &square(1.0), 1).particles().len(), 0);
}

#[test]
fn dust_fades_turns_lands_and_dies() {
    let options = DustOptions { ground: Some(-0.1), lifetime: 2.0, settling: 1.0, ..DustOptions::default() };
    let mut dust = emitted(&options, &square(1.0), 5);
    let (begin, turned) = (dust.particles().len(), dust.orientations().to_vec());
    let mut opacity = 1.0;
    for _ in 0..55 {
        dust.step(1.0 / 60.0);
        let now = dust.particles()[0].opacity;
        assert!(now < opacity);
        opacity = now;
        assert!(dust.particles().iter().all(|particle| particle.position.y >= -0.1));
    }
    assert_eq!(dust.particles().len(), begin);
    assert!(dust.particles().iter().any(|particle| particle.position.y == -0.1));
    assert!(dust.orientations().iter().all(|orientation| orientation.is_normalized()));
    assert!(dust.orientations().iter().zip(&turned).any(|(now, then)| now.dot(*then).abs() < 0.9));
    for _ in 0..70 {
        dust.step(1.0 / 60.0);
    }
    assert_eq!((dust.particles().len(), dust.orientations().len(), dust.grains.len()), (0, 0, 0));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut dust = emitted(&DustOptions { density: 5000.0, ..DustOptions::default() }, &square(2.0), 6);
            (0..30).for_each(|_| dust.step(0.02));
            let mut hash = StateHash::new();
            for (particle, orientation) in dust.particles().iter().zip(dust.orientations()) {
                hash.write_floats(&particle.position.to_array());
                hash.write_floats(&[particle.radius, particle.opacity]);
                hash.write_floats(&orientation.to_array());
            }
            assert!(dust.particles().len() > 10_000);
            hash.finish()
        })
    };
    let one = run(1);
    assert_eq!([run(2), run(5)], [one, one]);
    assert_ne!(one, 0);
}

#[test]
fn senseless_numbers_are_no_panic() {
    let bad = f64::NAN;
    let options =
        DustOptions { density: bad, drag: -3.0, radius: [bad, -1.0], settling: bad, ..DustOptions::default() };
    let mut dust = emitted(&options, &square(1.0), 1);
    dust.step(0.1);
    assert!(dust.particles().is_empty());
    let mut faces = square(1.0);
    faces.points[1] = DVec3::splat(bad);
    faces.ends = vec![2, 9, 1];
    faces.normals = vec![DVec3::Y; 2];
    let mut dust = emitted(&DustOptions::default(), &faces, 1);
    let pose = Pose::at(DVec3::splat(bad));
    dust.emit(&square(1.0), &pose, Velocity::default(), DVec3::ZERO, 1);
    dust.emit(
        &square(1.0),
        &Pose::IDENTITY,
        Velocity { linear: DVec3::splat(bad), ..Velocity::default() },
        pose.translation,
        1,
    );
    for dt in [0.1, 0.0, -1.0, bad, f64::INFINITY] {
        dust.step(dt);
        assert!(dust.particles().iter().all(|particle| particle.position.is_finite()));
    }
    assert!(!dust.particles().is_empty());
}

/// Prints what a step of 100,000 particles takes: `cargo test --release -p fracas --lib dust_speed -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn dust_speed() {
    let options = DustOptions { density: 1000.0, ratio: 1.0, lifetime: 1e3, ..DustOptions::default() };
    let begin = std::time::Instant::now();
    let mut dust = emitted(&options, &square(10.0), 1);
    println!("{} particles made in {:?}", dust.particles().len(), begin.elapsed());
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut times: Vec<_> = (0..50)
            .map(|_| {
                let begin = std::time::Instant::now();
                pool.install(|| dust.step(1.0 / 60.0));
                begin.elapsed()
            })
            .collect();
        times.sort();
        println!("{threads} threads: median {:?}, least {:?}", times[25], times[0]);
    }
}
