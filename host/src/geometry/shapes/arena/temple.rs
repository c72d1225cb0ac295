//! A temple before the arena: steps, fluted columns all round, entablature, pediments, a tiled roof, and statues.

use std::f64::consts::PI;

use glam::{DAffine3, DVec2, DVec3};

use super::super::super::PolyMesh;
use super::super::error::ShapeError;
use super::super::figures::{Figure, FigureOptions};
use super::ArenaMaterial::{Bronze, Marble, Tile, Travertine};
use super::site::{Site, Template};
use super::solids::{drum, prism, turned};

/// Columns along the front and along a side.
const FRONT: u32 = 6;
const SIDE: u32 = 11;
const SPACING: f64 = 4.0;
const RADIUS: f64 = 0.85;
const STEPS: u32 = 7;
const RISER: f64 = 0.38;
const SHAFT: f64 = 11.2;

pub(super) fn build(site: &mut Site) -> Result<(), ShapeError> {
    // South of the arena, its front towards it.
    let origin = DAffine3::from_translation(DVec3::new(0.0, 0.0, site.ground.half_width + 62.0));
    let (half_width, half_length) = (0.5 * SPACING * f64::from(FRONT - 1), 0.5 * SPACING * f64::from(SIDE - 1));
    for step in 0..STEPS {
        let reach = 1.6 + 0.42 * f64::from(STEPS - 1 - step);
        let y = RISER * f64::from(step);
        let stone = Template::block(
            [-half_width - reach, y, -half_length - reach],
            [half_width + reach, y + RISER, half_length + reach],
        );
        site.add(format!("temple step {step}"), Travertine, &stone, origin);
    }
    let floor = RISER * f64::from(STEPS);
    let top = floor + SHAFT;
    columns(site, origin, floor);
    cella(site, origin, floor);
    entablature(site, origin, top, half_width + 1.0, half_length + 1.0);
    roof(site, origin, top + 2.6, half_width + 1.7, half_length + 1.9);
    statues(site, origin, [floor, top + 2.6], half_width + 1.7, half_length + 1.9)
}

fn columns(site: &mut Site, origin: DAffine3, floor: f64) {
    let (flutes, points, drums) = (site.even(24.0, 8), site.count(5.0, 2), site.count(10.0, 3));
    let segments = site.even(28.0, 8);
    let r = RADIUS;
    let plinth = Template::block([-1.4 * r, 0.0, -1.4 * r], [1.4 * r, 0.32, 1.4 * r]);
    let base = [
        [1.25 * r, 0.32],
        [1.36 * r, 0.4],
        [1.36 * r, 0.5],
        [1.18 * r, 0.6],
        [1.12 * r, 0.66],
        [1.22 * r, 0.74],
        [1.1 * r, 0.84],
    ];
    let base = Template::concave(turned(&base, segments));
    let (low, high) = (0.84, SHAFT - 1.5);
    let leaf = [
        [0.84, 0.0],
        [0.94, 0.06],
        [0.84, 0.14],
        [1.0, 0.42],
        [0.9, 0.46],
        [1.08, 0.76],
        [0.96, 0.8],
        [1.3, 1.15],
        [1.2, 1.22],
    ];
    let leaf: Vec<[f64; 2]> = leaf.iter().map(|[x, y]| [x * r, high + y]).collect();
    let capital = Template::concave(turned(&leaf, segments));
    let abacus = Template::block([-1.35 * r, high + 1.22, -1.35 * r], [1.35 * r, SHAFT, 1.35 * r]);
    let course = (high - low) / f64::from(drums);
    let shafts: Vec<Template> = (0..drums)
        .map(|number| {
            let part = (f64::from(number) + 0.5) / f64::from(drums);
            Template::concave(drum(r * (1.0 - 0.16 * part.powf(1.7)), course, flutes, points))
        })
        .collect();
    for column in 0..FRONT {
        for row in 0..SIDE {
            let inside = column > 0 && column < FRONT - 1 && row > 0 && row < SIDE - 1;
            // A second row stands behind the front.
            if inside && row != 1 {
                continue;
            }
            let at = |number: u32, count: u32| SPACING * (f64::from(number) - 0.5 * f64::from(count - 1));
            let place = origin * DAffine3::from_translation(DVec3::new(at(column, FRONT), floor, at(row, SIDE)));
            let name = |part: &str| format!("temple {part} {column}.{row}");
            site.add(name("plinth"), Marble, &plinth, place);
            site.add(name("base"), Marble, &base, place);
            for (number, shaft) in shafts.iter().enumerate() {
                let lift = DAffine3::from_translation(DVec3::new(0.0, low + course * number as f64, 0.0));
                site.add(format!("temple drum {column}.{row}.{number}"), Marble, shaft, place * lift);
            }
            site.add(name("capital"), Marble, &capital, place);
            site.add(name("abacus"), Marble, &abacus, place);
        }
    }
}

/// The walls of the inner room, in courses of stones.
fn cella(site: &mut Site, origin: DAffine3, floor: f64) {
    let (half_width, front, back) = (5.6, -9.0, 16.6);
    let courses = site.count(14.0, 3);
    let height = SHAFT / f64::from(courses);
    let mut wall = |from: DVec3, to: DVec3, name: &str| {
        let stones = site.count(from.distance(to) / 1.9, 2);
        let along = (to - from).normalize_or(DVec3::X);
        let axes = glam::DMat3::from_cols(along, DVec3::Y, along.cross(DVec3::Y));
        let frame = origin * DAffine3::from_mat3_translation(axes, from);
        let length = from.distance(to) / f64::from(stones);
        for course in 0..courses {
            // Every other course is shifted by half a stone.
            let shift = 0.5 * f64::from(course % 2);
            for stone in 0..stones + course % 2 {
                let low = (f64::from(stone) - shift).max(0.0) * length;
                let high = (f64::from(stone + 1) - shift).min(f64::from(stones)) * length;
                let y = height * f64::from(course);
                let ashlar = Template::block([low, y, -0.45], [high, y + height, 0.45]);
                site.add(format!("cella {name} {course}.{stone}"), Travertine, &ashlar, frame);
            }
        }
    };
    let corner = |x: f64, z: f64| DVec3::new(x, floor, z);
    wall(corner(-half_width, front), corner(-half_width, back), "west");
    wall(corner(half_width, back), corner(half_width, front), "east");
    wall(corner(half_width, back), corner(-half_width, back), "south");
    wall(corner(-half_width, front), corner(-2.2, front), "north-west");
    wall(corner(2.2, front), corner(half_width, front), "north-east");
    let lintel = Template::block([-2.9, 7.4, front - 0.6], [2.9, SHAFT, front + 0.6]);
    site.add("cella lintel", Marble, &lintel, origin * DAffine3::from_translation(DVec3::new(0.0, floor, 0.0)));
}

fn entablature(site: &mut Site, origin: DAffine3, foot: f64, half_width: f64, half_length: f64) {
    let triglyphs = [site.count(11.0, 3), site.count(21.0, 4)];
    let dentils = [site.count(40.0, 6), site.count(76.0, 8)];
    // Three grooves in the front of a triglyph.
    let grooves = [
        [0.45, 0.0],
        [0.45, 0.3],
        [-0.45, 0.3],
        [-0.45, 0.0],
        [-0.38, 0.0],
        [-0.3, 0.1],
        [-0.22, 0.0],
        [-0.1, 0.0],
        [0.0, 0.12],
        [0.1, 0.0],
        [0.22, 0.0],
        [0.3, 0.1],
        [0.38, 0.0],
    ];
    let grooves = grooves.map(|[x, z]| DVec2::new(x, -z));
    let mut outline: Vec<DVec2> = grooves.to_vec();
    outline.reverse();
    let triglyph = Template::concave(super::solids::placed(&prism(&outline, 0.95, 1.85), &super::solids::upright()));
    let dentil = Template::block([-0.13, 1.95, -0.32], [0.13, 2.2, 0.1]);
    for side in 0..4u32 {
        let turn = DAffine3::from_rotation_y(0.5 * PI * f64::from(side));
        let (half, out) = if side % 2 == 0 { (half_width, half_length) } else { (half_length, half_width) };
        let frame = origin * turn * DAffine3::from_translation(DVec3::new(0.0, foot, -out));
        let bands = [
            ("architrave", [-half, 0.0, 0.05], [half, 0.45, 2.0]),
            ("architrave band", [-half, 0.45, 0.0], [half, 0.95, 2.0]),
            ("frieze", [-half, 0.95, 0.1], [half, 1.9, 2.0]),
            ("bed mould", [-half - 0.1, 1.9, -0.1], [half + 0.1, 2.25, 2.0]),
            ("cornice", [-half - 0.7, 2.25, -0.7], [half + 0.7, 2.6, 2.0]),
        ];
        for (name, low, high) in bands {
            site.add(format!("temple {name} {side}"), Marble, &Template::block(low, high), frame);
        }
        let axis = (side % 2) as usize;
        for number in 0..triglyphs[axis] {
            let x = half * (2.0 * (f64::from(number) + 0.5) / f64::from(triglyphs[axis]) - 1.0);
            let place = frame * DAffine3::from_translation(DVec3::new(x, 0.0, -0.08));
            site.add(format!("triglyph {side}.{number}"), Marble, &triglyph, place);
        }
        for number in 0..dentils[axis] {
            let x = half * (2.0 * (f64::from(number) + 0.5) / f64::from(dentils[axis]) - 1.0);
            site.add(
                format!("temple dentil {side}.{number}"),
                Marble,
                &dentil,
                frame * DAffine3::from_translation(DVec3::X * x),
            );
        }
    }
}

fn roof(site: &mut Site, origin: DAffine3, foot: f64, half_width: f64, half_length: f64) {
    let rise = 4.2;
    let slope = f64::atan2(rise, half_width);
    let length = half_width.hypot(rise);
    let triangle =
        [DVec2::new(-half_width + 0.9, 0.0), DVec2::new(half_width - 0.9, 0.0), DVec2::new(0.0, rise - 0.25)];
    let lift = DAffine3::from_translation(DVec3::new(0.0, foot, 0.0));
    for (number, (from, to)) in
        [(-half_length + 0.9, -half_length + 1.9), (half_length - 1.9, half_length - 0.9)].into_iter().enumerate()
    {
        site.add(format!("tympanum {number}"), Marble, &Template::convex(prism(&triangle, from, to)), origin * lift);
    }
    let (columns, rows) = (site.count(52.0, 8), site.count(18.0, 4));
    let arc = site.even(10.0, 4);
    let (pitch, run) = (2.0 * half_length / f64::from(columns), length / f64::from(rows));
    // A cover tile is a half pipe over the joint between two pan tiles, each row over the edge of the one below.
    let round = |radius: f64, number: u32| {
        let (sin, cos) = (PI * f64::from(number) / f64::from(arc)).sin_cos();
        DVec2::new(radius * cos, radius * sin)
    };
    let mut pipe: Vec<DVec2> = (0..=arc).map(|number| round(0.24 * pitch, number)).collect();
    pipe.extend((0..=arc).rev().map(|number| round(0.15 * pitch, number)));
    let cover = Template::concave(prism(&pipe, -0.06 * run, 1.08 * run));
    let pan = Template::block([-0.44 * pitch, -0.05, -0.05 * run], [0.44 * pitch, 0.03, 1.08 * run]);
    for side in [0.0, 1.0] {
        // In the frame of a slope x runs along the eaves, z up the slope and y off it.
        let turn = DAffine3::from_rotation_y(0.5 * PI + PI * side);
        let up = DAffine3::from_rotation_x(-slope);
        let eaves = DAffine3::from_translation(DVec3::new(0.0, foot + 0.12, -half_width));
        let frame = origin * turn * eaves * up;
        let deck = Template::block([-half_length, -0.3, 0.0], [half_length, -0.03, length - 0.1]);
        site.add(format!("roof deck {side}"), Travertine, &deck, frame);
        for column in 0..columns {
            for row in 0..rows {
                let x = pitch * (f64::from(column) + 0.5) - half_length;
                let z = run * f64::from(row);
                let tilt = DAffine3::from_rotation_x(0.035);
                let at = |x: f64, y: f64| frame * DAffine3::from_translation(DVec3::new(x, y + 0.06, z)) * tilt;
                site.add(format!("pan tile {side}.{column}.{row}"), Tile, &pan, at(x, 0.0));
                site.add(format!("cover tile {side}.{column}.{row}"), Tile, &cover, at(x + 0.5 * pitch, 0.0));
            }
        }
    }
    let ridge = Template::convex(prism(
        &(0..8).map(|number| DVec2::from_angle(PI * f64::from(number) / 4.0) * 0.35).collect::<Vec<_>>(),
        -half_length,
        half_length,
    ));
    site.add("roof ridge", Tile, &ridge, origin * DAffine3::from_translation(DVec3::new(0.0, foot + rise + 0.1, 0.0)));
}

fn statues(
    site: &mut Site,
    origin: DAffine3,
    [floor, eaves]: [f64; 2],
    half_width: f64,
    half_length: f64,
) -> Result<(), ShapeError> {
    let triangles = site.count(90.0, 32).pow(2) / 2;
    let figure = |figure: Figure, height: f64| -> Result<Template, ShapeError> {
        let mesh = FigureOptions { figure, height, triangles }.mesh()?;
        let bare = super::super::super::TriMesh::new(mesh.positions, mesh.triangles);
        Ok(Template::concave(PolyMesh::from(&bare)))
    };
    let senator = figure(Figure::Senator, 3.2)?;
    let seated = figure(Figure::Statue, 5.5)?;
    let dragon = figure(Figure::Dragon, 3.4)?;
    let at = |x: f64, y: f64, z: f64, turn: f64| {
        origin * DAffine3::from_translation(DVec3::new(x, y, z)) * DAffine3::from_rotation_y(turn)
    };
    site.add("temple idol", Bronze, &seated, at(0.0, floor, 8.0, PI));
    for (number, z) in [-half_length + 1.2, half_length - 1.2].into_iter().enumerate() {
        let turn = if z < 0.0 { PI } else { 0.0 };
        site.add(format!("acroterion {number}"), Marble, &senator, at(0.0, eaves + 4.3, z, turn));
        for side in [-1.0, 1.0] {
            site.add(
                format!("corner statue {number} {side}"),
                Marble,
                &senator,
                at(side * (half_width - 0.9), eaves, z, turn),
            );
        }
    }
    for side in [-1.0, 1.0] {
        site.add(format!("stair guardian {side}"), Bronze, &dragon, at(side * 9.5, 0.9, -half_length - 6.0, 0.5 * PI));
        let plinth = Template::block([-1.6, 0.0, -2.6], [1.6, 0.95, 2.6]);
        site.add(format!("guardian plinth {side}"), Travertine, &plinth, at(side * 9.5, 0.0, -half_length - 6.0, 0.0));
    }
    // In the arches of the second storey of the arena, towards the long and the short axis.
    let count = site.even(12.0, 4);
    for number in 0..count {
        let turn = f64::from(number) / f64::from(count) + 0.5 / f64::from(site.even(80.0, 12));
        let frame = site.ground.frame(1.2, turn, super::facade::FLOORS[1]) * DAffine3::from_rotation_y(PI);
        site.add(format!("arcade statue {number}"), Marble, &senator, frame);
    }
    Ok(())
}
