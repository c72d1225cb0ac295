//! The outer wall: three storeys of arches between half columns, and an attic under the masts of the awning.

use std::f64::consts::PI;

use glam::{DAffine3, DVec2, DVec3};

use super::ArenaMaterial::{Bronze, Concrete, Marble, Travertine, Wood};
use super::site::{Site, Template};
use super::solids::{drum, prism, turned};

/// The foot of each storey and of the attic, and the top of the wall.
pub(super) const FLOORS: [f64; 5] = [0.9, 11.9, 22.9, 33.4, 46.0];

/// How high the band of mouldings between storeys is.
const ENTABLATURE: f64 = 1.9;

/// How thick the outer wall is.
const WALL: f64 = 2.6;

pub(super) fn build(site: &mut Site) {
    let bays = site.even(80.0, 12);
    let steps = site.count(3.0, 1);
    for step in 0..2 {
        let (depth, height) = (-2.4 + 0.9 * f64::from(step), 0.45 * f64::from(step));
        for bay in 0..bays {
            let profile = [[depth, height], [7.0, height], [7.0, height + 0.45], [depth, height + 0.45]];
            let stone = site.ground.sweep(&profile, turns(bay, bays), steps);
            site.add_once(format!("crepidoma {step}.{bay}"), Travertine, Template::concave(stone));
        }
    }
    for storey in 0..3 {
        arcade(site, storey, bays);
        columns(site, storey, bays);
        entablature(site, FLOORS[storey + 1] - ENTABLATURE, bays, storey);
    }
    attic(site, bays);
}

/// Where a bay begins and ends, as parts of a full turn.
pub(super) fn turns(bay: u32, bays: u32) -> [f64; 2] {
    [f64::from(bay) / f64::from(bays), f64::from(bay + 1) / f64::from(bays)]
}

/// A rectangle with an arch cut out of its foot.
pub(super) fn arch(half_width: f64, height: f64, opening: f64, spring: f64, segments: u32) -> Vec<DVec2> {
    let mut outline = vec![DVec2::new(-half_width, 0.0), DVec2::new(-opening, 0.0)];
    for segment in 0..=segments {
        let (sin, cos) = (PI * (1.0 - f64::from(segment) / f64::from(segments))).sin_cos();
        outline.push(DVec2::new(opening * cos, spring + opening * sin));
    }
    outline.extend([DVec2::new(opening, 0.0), DVec2::new(half_width, 0.0)]);
    outline.extend([DVec2::new(half_width, height), DVec2::new(-half_width, height)]);
    outline
}

fn arcade(site: &mut Site, storey: usize, bays: u32) {
    let foot = FLOORS[storey];
    let height = FLOORS[storey + 1] - foot - ENTABLATURE;
    let arch_segments = site.even(30.0, 6);
    // The third storey has the gallery behind it.
    let passage = if storey == 2 { 4.2 } else { 7.2 };
    let stones = site.count(17.0, 5) | 1;
    let balusters = site.count(6.0, 2);
    let baluster_segments = site.count(10.0, 5);
    let profile = [
        [0.13, 0.0],
        [0.13, 0.08],
        [0.07, 0.12],
        [0.12, 0.34],
        [0.10, 0.46],
        [0.05, 0.62],
        [0.05, 0.70],
        [0.11, 0.78],
        [0.11, 0.85],
    ];
    let baluster = Template::concave(turned(&profile, baluster_segments));
    for bay in 0..bays {
        let (frame, half) = site.ground.bay(0.0, turns(bay, bays), foot);
        let (opening, spring) = (0.60 * half, 0.92 * height - 0.60 * half - 0.9);
        let wall = prism(&arch(half, height, opening, spring, arch_segments), 0.0, WALL);
        site.add(format!("arcade {storey}.{bay}"), Travertine, &Template::concave(wall), frame);
        // The ring of wedge stones stands a little proud of the wall.
        for stone in 0..stones {
            let at = |radius: f64, number: u32| {
                let (sin, cos) = (PI * f64::from(number) / f64::from(stones)).sin_cos();
                DVec2::new(radius * cos, spring + radius * sin)
            };
            let key = if 2 * stone + 1 == stones { 0.45 } else { 0.0 };
            let outer = opening + 0.75 + key;
            let wedge =
                [at(opening - 0.06, stone), at(outer, stone), at(outer, stone + 1), at(opening - 0.06, stone + 1)];
            let wedge = Template::convex(prism(&wedge, -0.16 - 0.3 * key, 0.5));
            site.add(format!("voussoir {storey}.{bay}.{stone}"), Travertine, &wedge, frame);
        }
        for (side, name) in [(-1.0, "left"), (1.0, "right")] {
            let (near, far) = (side * (opening - 0.1), side * (opening + 0.95));
            let cap = Template::block([near.min(far), spring - 0.45, -0.2], [near.max(far), spring - 0.02, WALL + 0.1]);
            site.add(format!("impost {storey}.{bay} {name}"), Travertine, &cap, frame);
        }
        // Behind the arch: a vault over the passage and the pier between two passages.
        let band: Vec<DVec2> = (0..=arch_segments)
            .map(|segment| (opening + 0.02, PI * f64::from(segment) / f64::from(arch_segments)))
            .chain(
                (0..=arch_segments)
                    .rev()
                    .map(|segment| (opening + 0.55, PI * f64::from(segment) / f64::from(arch_segments))),
            )
            .map(|(radius, angle)| DVec2::new(radius * angle.cos(), spring + radius * angle.sin()))
            .rev()
            .collect();
        site.add(
            format!("vault {storey}.{bay}"),
            Concrete,
            &Template::concave(prism(&band, WALL - 0.2, passage)),
            frame,
        );
        let pier = site.ground.bay(0.0, turns(bay, bays).map(|turn| turn - 0.5 / f64::from(bays)), foot).0;
        let inner = Template::block([-0.32 * half, 0.0, WALL + 0.3], [0.32 * half, height, passage]);
        site.add(format!("pier {storey}.{bay}"), Concrete, &inner, pier);
        if storey > 0 {
            let plinth = Template::block([-opening + 0.02, 0.0, 0.55], [opening - 0.02, 0.22, 0.95]);
            let rail = Template::block([-opening + 0.02, 1.07, 0.55], [opening - 0.02, 1.28, 0.95]);
            site.add(format!("parapet foot {storey}.{bay}"), Marble, &plinth, frame);
            site.add(format!("parapet rail {storey}.{bay}"), Marble, &rail, frame);
            for number in 0..balusters {
                let x = opening * ((2.0 * f64::from(number) + 1.0) / f64::from(balusters) - 1.0);
                let place = frame * DAffine3::from_translation(DVec3::new(x, 0.22, 0.75));
                site.add(format!("baluster {storey}.{bay}.{number}"), Marble, &baluster, place);
            }
        }
    }
}

fn columns(site: &mut Site, storey: usize, bays: u32) {
    let foot = FLOORS[storey];
    let height = FLOORS[storey + 1] - foot - ENTABLATURE;
    let radius = [0.98, 0.92, 0.86][storey];
    let (flutes, points) = (site.even(20.0, 8), site.count(4.0, 2));
    let drums = site.count(8.0, 3);
    let segments = site.even(24.0, 8);
    let plinth = Template::block([-1.35 * radius, 0.0, -1.35 * radius], [1.35 * radius, 0.36, 1.35 * radius]);
    let r = radius;
    let torus = [
        [1.22 * r, 0.36],
        [1.33 * r, 0.44],
        [1.33 * r, 0.54],
        [1.2 * r, 0.62],
        [1.12 * r, 0.68],
        [1.2 * r, 0.76],
        [1.12 * r, 0.84],
    ];
    let base = Template::concave(turned(&torus, segments));
    let (low, high) = (0.84, height - 1.15);
    // Each order of columns has its own capital.
    let bell: &[[f64; 2]] = match storey {
        0 => &[[0.86, 0.0], [0.92, 0.06], [0.86, 0.12], [0.86, 0.40], [0.95, 0.46], [1.14, 0.66], [1.22, 0.78]],
        1 => &[[0.86, 0.0], [0.94, 0.06], [0.86, 0.14], [1.02, 0.40], [1.24, 0.52], [1.28, 0.66], [1.1, 0.78]],
        _ => &[
            [0.84, 0.0],
            [0.93, 0.07],
            [0.84, 0.14],
            [0.98, 0.30],
            [0.88, 0.34],
            [1.12, 0.58],
            [0.98, 0.62],
            [1.3, 0.80],
        ],
    };
    let bell: Vec<[f64; 2]> = bell.iter().map(|&[x, y]| [x * r, high + y]).collect();
    let capital = Template::concave(turned(&bell, segments));
    let top = bell[bell.len() - 1][1];
    let abacus = Template::block([-1.36 * r, top, -1.36 * r], [1.36 * r, height, 1.36 * r]);
    let course = (high - low) / f64::from(drums);
    let shafts: Vec<Template> = (0..drums)
        .map(|number| {
            let part = (f64::from(number) + 0.5) / f64::from(drums);
            Template::concave(drum(r * (1.0 - 0.15 * part.powf(1.6)), course, flutes, points))
        })
        .collect();
    for bay in 0..bays {
        let frame = site.ground.frame(-0.15, turns(bay, bays)[0], foot);
        site.add(format!("plinth {storey}.{bay}"), Travertine, &plinth, frame);
        site.add(format!("column base {storey}.{bay}"), Travertine, &base, frame);
        for (number, shaft) in shafts.iter().enumerate() {
            let place = frame * DAffine3::from_translation(DVec3::new(0.0, low + course * number as f64, 0.0));
            site.add(format!("column drum {storey}.{bay}.{number}"), Travertine, shaft, place);
        }
        site.add(format!("capital {storey}.{bay}"), Marble, &capital, frame);
        site.add(format!("abacus {storey}.{bay}"), Marble, &abacus, frame);
    }
}

/// Architrave of two bands, frieze, a row of dentils and a stepped cornice.
fn entablature(site: &mut Site, foot: f64, bays: u32, storey: usize) {
    let segments = site.count(4.0, 1);
    let dentils = site.count(11.0, 2);
    let profile = [
        [WALL, 0.0],
        [-1.15, 0.0],
        [-1.15, 0.28],
        [-1.22, 0.28],
        [-1.22, 0.6],
        [-1.1, 0.6],
        [-1.1, 1.15],
        [-1.3, 1.15],
        [-1.3, 1.45],
        [-1.75, 1.45],
        [-1.75, 1.68],
        [-1.85, 1.68],
        [-1.85, ENTABLATURE],
        [WALL, ENTABLATURE],
    ]
    .map(|[depth, height]| [depth, foot + height]);
    let dentil = Template::block([-0.16, 1.18, -1.62], [0.16, 1.43, -1.2]);
    for bay in 0..bays {
        let band = site.ground.sweep(&profile, turns(bay, bays), segments);
        site.add_once(format!("entablature {storey}.{bay}"), Travertine, Template::concave(band));
        for number in 0..dentils {
            let turn = (f64::from(bay) + (f64::from(number) + 0.5) / f64::from(dentils)) / f64::from(bays);
            site.add(
                format!("dentil {storey}.{bay}.{number}"),
                Travertine,
                &dentil,
                site.ground.frame(0.0, turn, foot),
            );
        }
    }
}

fn attic(site: &mut Site, bays: u32) {
    let (foot, top) = (FLOORS[3], FLOORS[4]);
    let height = top - foot - 1.5;
    let segments = site.count(4.0, 1);
    let sides = site.count(14.0, 6);
    let pilaster = [
        Template::block([-0.95, 0.0, -0.85], [0.95, 0.7, 0.3]),
        Template::block([-0.75, 0.7, -0.65], [0.75, height - 0.8, 0.3]),
        Template::block([-0.85, height - 0.8, -0.75], [0.85, height - 0.45, 0.3]),
        Template::block([-0.98, height - 0.45, -0.9], [0.98, height, 0.3]),
    ];
    let corbel = Template::block([-0.3, 0.62 * height, -0.95], [0.3, 0.62 * height + 0.55, 0.2]);
    let mast = Template::convex(turned(&[[0.17, 0.62 * height + 0.55], [0.12, height + 6.0]], sides));
    let cornice =
        [[2.2, 0.0], [-0.95, 0.0], [-0.95, 0.5], [-1.25, 0.5], [-1.25, 0.9], [-1.5, 0.9], [-1.5, 1.5], [2.2, 1.5]]
            .map(|[depth, height]| [depth, top - 1.5 + height]);
    for bay in 0..bays {
        let (frame, half) = site.ground.bay(0.0, turns(bay, bays), foot);
        // Every other bay has a window, the rest a bronze shield.
        if bay % 2 == 0 {
            let (w, low, high) = (0.28 * half, 0.30 * height, 0.55 * height);
            let boxes = [
                ([-half, 0.0], [-w, height]),
                ([w, 0.0], [half, height]),
                ([-w, 0.0], [w, low]),
                ([-w, high], [w, height]),
            ];
            for (number, (from, to)) in boxes.into_iter().enumerate() {
                let stone = Template::block([from[0], from[1], 0.0], [to[0], to[1], 2.0]);
                site.add(format!("attic wall {bay}.{number}"), Travertine, &stone, frame);
            }
            let sill = Template::block([-w - 0.25, low - 0.3, -0.25], [w + 0.25, low, 0.6]);
            site.add(format!("attic sill {bay}"), Marble, &sill, frame);
        } else {
            let stone = Template::block([-half, 0.0, 0.0], [half, height, 2.0]);
            site.add(format!("attic wall {bay}"), Travertine, &stone, frame);
            let rings = site.even(28.0, 8);
            let disc = turned(
                &[
                    [0.42 * half, -0.1],
                    [0.42 * half, 0.10],
                    [0.34 * half, 0.22],
                    [0.12 * half, 0.3],
                    [0.10 * half, 0.42],
                ],
                rings,
            );
            let lean =
                DAffine3::from_translation(DVec3::new(0.0, 0.42 * height, 0.0)) * DAffine3::from_rotation_x(-0.5 * PI);
            site.add(format!("shield {bay}"), Bronze, &Template::concave(disc), frame * lean);
        }
        let edge = site.ground.frame(0.0, turns(bay, bays)[0], foot);
        for (number, stone) in pilaster.iter().enumerate() {
            site.add(format!("pilaster {bay}.{number}"), Travertine, stone, edge);
        }
        for number in 0..3 {
            let turn = (f64::from(bay) + 0.25 * f64::from(number + 1)) / f64::from(bays);
            let frame = site.ground.frame(0.0, turn, foot);
            site.add(format!("corbel {bay}.{number}"), Travertine, &corbel, frame);
            let place = frame * DAffine3::from_translation(DVec3::new(0.0, 0.0, -0.6));
            site.add(format!("mast {bay}.{number}"), Wood, &mast, place);
        }
        let band = site.ground.sweep(&cornice, turns(bay, bays), segments);
        site.add_once(format!("attic cornice {bay}"), Travertine, Template::concave(band));
    }
}
