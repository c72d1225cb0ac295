//! The inside: the arena floor, the podium, three ranks of seats with stairs and gates, and a colonnade above them.

use glam::{DAffine3, DVec2, DVec3};

use super::super::super::PolyMesh;
use super::ArenaMaterial::{Bronze, Concrete, Marble, Sand, Tile, Travertine, Wood};
use super::facade::{FLOORS, arch};
use super::site::{Site, Template};
use super::solids::{drum, prism, prism_in_pieces, turned};

/// The depth of the podium's face behind the outer wall: with it the floor is that of the Colosseum.
const FLOOR: f64 = 51.0;

/// A rank of seats: depth and height of its foremost seat, rise and run of a tier, and how many tiers there are.
struct Rank {
    depth: f64,
    height: f64,
    run: f64,
    rise: f64,
    tiers: f64,
}

const RANKS: [Rank; 3] = [
    Rank { depth: 48.0, height: 4.2, run: 0.82, rise: 0.42, tiers: 14.0 },
    Rank { depth: 34.0, height: 12.4, run: 0.80, rise: 0.46, tiers: 16.0 },
    Rank { depth: 19.0, height: 23.0, run: 0.76, rise: 0.56, tiers: 12.0 },
];

pub(super) fn build(site: &mut Site) {
    let wedges = site.even(32.0, 8);
    floor(site);
    podium(site, wedges);
    for (number, rank) in RANKS.iter().enumerate() {
        seats(site, number, rank, wedges);
        stairs(site, number, rank, wedges);
        if number > 0 {
            belt(site, number, rank, wedges);
        }
    }
    colonnade(site, wedges);
}

fn floor(site: &mut Site) {
    let points = site.even(200.0, 24);
    let rim = |inset: f64| -> Vec<DVec2> {
        (0..points)
            .map(|point| site.ground.at(FLOOR + inset, f64::from(point) / f64::from(points), 0.0))
            .map(|place| DVec2::new(place.x, -place.z))
            .rev()
            .collect()
    };
    let slab = |rim: Vec<DVec2>, low, high| {
        Template::convex(super::solids::placed(&prism(&rim, low, high), &super::solids::upright()))
    };
    let outline = slab(rim(-2.0), -1.2, -0.25);
    let sand = slab(rim(0.3), -0.25, 0.04);
    site.add_once("arena foundation", Concrete, outline);
    let (x, z) = (site.ground.half_length + 14.0, site.ground.half_width + 12.0);
    site.add_once("pavement", Travertine, Template::block([-x, -0.7, -z], [x, -0.02, z + 82.0]));
    site.add_once("arena sand", Sand, sand);
    // Trapdoors in two rows.
    let doors = site.count(14.0, 2);
    for row in [-1.0, 1.0] {
        for number in 0..doors {
            let x = 62.0 * ((f64::from(number) + 0.5) / f64::from(doors) - 0.5);
            let door = Template::block([x - 1.2, -0.1, row * 6.0 - 1.2], [x + 1.2, 0.06, row * 6.0 + 1.2]);
            site.add_once(format!("trapdoor {row}.{number}"), Wood, door);
        }
    }
}

fn wedge(number: u32, wedges: u32, margin: f64) -> [f64; 2] {
    [(f64::from(number) + margin) / f64::from(wedges), (f64::from(number + 1) - margin) / f64::from(wedges)]
}

fn podium(site: &mut Site, wedges: u32) {
    let segments = site.count(6.0, 1);
    let posts = site.count(8.0, 2);
    let wall = [[FLOOR, 0.0], [FLOOR, 3.2], [FLOOR + 0.2, 3.2], [FLOOR + 0.2, 3.6], [48.0, 3.6], [48.0, 0.0]];
    let post = Template::concave(turned(
        &[[0.13, 0.0], [0.1, 0.08], [0.07, 0.9], [0.11, 0.96], [0.05, 1.06]],
        site.count(12.0, 5),
    ));
    let panel = Template::block([-0.9, 0.5, -0.12], [0.9, 2.8, 0.1]);
    for number in 0..wedges {
        let stone = site.ground.sweep(&wall, wedge(number, wedges, 0.0), segments);
        site.add_once(format!("podium {number}"), Marble, Template::concave(stone));
        for at in 0..posts {
            let turn = (f64::from(number) + (f64::from(at) + 0.5) / f64::from(posts)) / f64::from(wedges);
            site.add(format!("podium post {number}.{at}"), Bronze, &post, site.ground.frame(FLOOR - 0.2, turn, 3.6));
            if at % 2 == 0 {
                let turned = site.ground.frame(FLOOR, turn, 0.0) * DAffine3::from_rotation_y(std::f64::consts::PI);
                site.add(format!("podium panel {number}.{at}"), Marble, &panel, turned);
            }
        }
    }
}

fn seats(site: &mut Site, number: usize, rank: &Rank, wedges: u32) {
    let tiers = site.count(rank.tiers, 3);
    let (run, rise) = (rank.run * rank.tiers / f64::from(tiers), rank.rise * rank.tiers / f64::from(tiers));
    let segments = site.count(6.0, 1);
    let places = site.count(6.0, 2);
    let margin = 0.07;
    for tier in 0..tiers {
        let (depth, height) = (rank.depth - run * f64::from(tier), rank.height + rise * f64::from(tier));
        // A slab with a nosing over a block that reaches below the tier before.
        let profile = [
            [depth, height - 1.3 * rise],
            [depth, height + 0.68 * rise],
            [depth + 0.06, height + 0.68 * rise],
            [depth + 0.06, height + rise],
            [depth - 1.25 * run, height + rise],
            [depth - 1.25 * run, height - 1.3 * rise],
        ];
        for wedge_number in 0..wedges {
            let turns = wedge(wedge_number, wedges, margin);
            let stone = site.ground.sweep(&profile, turns, segments);
            site.add_once(format!("seat {number}.{tier}.{wedge_number}"), Travertine, Template::concave(stone));
            // A cushion stone for each place.
            for place in 0..places {
                let part = (f64::from(place) + 0.5) / f64::from(places);
                let turn = turns[0] + (turns[1] - turns[0]) * part;
                let half = 0.46 * (turns[1] - turns[0]) * std::f64::consts::TAU * 60.0 / f64::from(places);
                let pad = Template::block(
                    [-half.min(0.55), rise - 0.03, -0.02 * run],
                    [half.min(0.55), rise + 0.07, -0.55 * run + 0.9 * run],
                );
                let frame = site.ground.frame(depth - 0.1 * run, turn, height);
                // Inwards of the frame is towards the floor; seats look that way.
                let look = frame * DAffine3::from_translation(DVec3::new(0.0, 0.0, -0.42 * run));
                site.add(format!("place {number}.{tier}.{wedge_number}.{place}"), Marble, &pad, look);
            }
        }
    }
}

fn stairs(site: &mut Site, number: usize, rank: &Rank, wedges: u32) {
    let tiers = site.count(rank.tiers, 3);
    let steps = 2 * tiers;
    let (run, rise) = (rank.run * rank.tiers / f64::from(steps), rank.rise * rank.tiers / f64::from(steps));
    let flight = Template::concave(flight(steps, run, rise));
    for wedge_number in 0..wedges {
        let frame = site.ground.radial(rank.depth + 0.05, f64::from(wedge_number) / f64::from(wedges), rank.height);
        // The prism's x must run outwards, which is against the frame's z.
        let turn = DAffine3::from_rotation_y(0.5 * std::f64::consts::PI);
        site.add(format!("stair {number}.{wedge_number}"), Marble, &flight, frame * turn);
    }
}

/// A flight of stairs up along x, y up, 1.5 m wide.
///
/// The inner corners of its steps are in line, though not quite once they are rounded in their place. Ears cut along
/// that line would be needles that leave the plane, so the sides come in triangles that stand well off it: one for
/// each step, and one below it from the foot of the slope.
fn flight(steps: u32, run: f64, rise: f64) -> PolyMesh {
    let top = DVec2::new(run * f64::from(steps) + 0.4, rise * f64::from(steps));
    let (foot, end, last) = (0, 1, 2);
    let mut outline = vec![DVec2::new(0.9, -1.4), top - DVec2::new(0.0, 1.8), top];
    let (outer, inner) = (|step: u32| last + 1 + 2 * (steps - 1 - step), |step: u32| last + 2 * (steps - step));
    for step in (0..steps).rev() {
        let (x, y) = (run * f64::from(step), rise * f64::from(step));
        outline.push(DVec2::new(x, y + rise));
        outline.push(DVec2::new(x, if step == 0 { -1.4 } else { y }));
    }
    let highest = steps - 1;
    let mut pieces = vec![vec![foot, end, inner(highest)], vec![inner(highest), end, last, outer(highest)]];
    for step in 1..highest {
        pieces.push(vec![inner(step), inner(step + 1), outer(step)]);
        pieces.push(vec![foot, inner(step + 1), inner(step)]);
    }
    pieces.push(vec![inner(0), foot, inner(1), outer(0)]);
    prism_in_pieces(&outline, &pieces, -0.75, 0.75)
}

/// The wall behind a walkway, with a gate in the middle of each wedge.
fn belt(site: &mut Site, number: usize, rank: &Rank, wedges: u32) {
    let segments = site.even(22.0, 6);
    let below = &RANKS[number - 1];
    let foot = below.height + below.rise * below.tiers;
    let height = rank.height - foot + 0.3;
    let walk_from = below.depth - below.run * below.tiers + 0.3;
    let walkway = [
        [walk_from, foot - 0.9],
        [walk_from, foot + 0.02],
        [rank.depth - 0.4, foot + 0.02],
        [rank.depth - 0.4, foot - 0.9],
    ];
    let pieces = site.count(5.0, 1);
    for wedge_number in 0..wedges {
        let (frame, half) = site.ground.bay(rank.depth + 0.35, wedge(wedge_number, wedges, 0.0), foot);
        let opening = (0.16 * half).min(0.32 * height);
        let spring = 0.86 * height - opening - 0.3;
        let wall = prism(&arch(half, height, opening, spring, segments), -1.4, 0.0);
        site.add(format!("belt wall {number}.{wedge_number}"), Marble, &Template::concave(wall), frame);
        let cap = Template::block([-half, height, -1.5], [half, height + 0.35, 0.18]);
        site.add(format!("belt cap {number}.{wedge_number}"), Marble, &cap, frame);
        for side in [-1.0, 1.0] {
            let x = side * (opening + 0.35);
            let jamb = Template::block([x - 0.25, 0.0, -0.2], [x + 0.25, spring, 0.25]);
            site.add(format!("gate jamb {number}.{wedge_number} {side}"), Travertine, &jamb, frame);
        }
        let path = site.ground.sweep(&walkway, wedge(wedge_number, wedges, 0.0), pieces);
        site.add_once(format!("walkway {number}.{wedge_number}"), Travertine, Template::concave(path));
    }
}

/// Columns under a roof along the top.
fn colonnade(site: &mut Site, wedges: u32) {
    let (depth, foot, top) = (9.0, 29.9, 38.6);
    let columns = site.even(80.0, 12);
    let (flutes, points, drums) = (site.even(20.0, 8), site.count(4.0, 2), site.count(5.0, 2));
    let segments = site.count(6.0, 1);
    let course = (top - foot - 1.0) / f64::from(drums);
    let shafts: Vec<Template> = (0..drums)
        .map(|number| Template::concave(drum(0.55 * (1.0 - 0.03 * f64::from(number)), course, flutes, points)))
        .collect();
    let base = Template::block([-0.75, 0.0, -0.75], [0.75, 0.5, 0.75]);
    let capital = Template::block([-0.72, top - foot - 0.5, -0.72], [0.72, top - foot, 0.72]);
    for number in 0..columns {
        let frame = site.ground.frame(depth, f64::from(number) / f64::from(columns), foot);
        site.add(format!("gallery base {number}"), Marble, &base, frame);
        for (at, shaft) in shafts.iter().enumerate() {
            let place = frame * DAffine3::from_translation(DVec3::new(0.0, 0.5 + course * at as f64, 0.0));
            site.add(format!("gallery drum {number}.{at}"), Marble, shaft, place);
        }
        site.add(format!("gallery capital {number}"), Marble, &capital, frame);
    }
    let floor = [[10.2, foot - 1.0], [10.2, foot], [2.0, foot], [2.0, foot - 1.0]];
    let beam = [[9.8, top], [9.8, top + 0.9], [8.2, top + 0.9], [8.2, top]];
    let roof =
        [[10.4, top + 0.9], [10.4, top + 1.2], [5.6, top + 1.2], [5.6, top + 1.7], [1.9, top + 1.7], [1.9, top + 0.9]];
    for number in 0..wedges {
        let turns = wedge(number, wedges, 0.0);
        for (name, material, profile) in [
            ("gallery floor", Concrete, &floor[..]),
            ("gallery beam", Marble, &beam[..]),
            ("gallery roof", Tile, &roof[..]),
        ] {
            let piece = site.ground.sweep(profile, turns, segments);
            site.add_once(format!("{name} {number}"), material, Template::concave(piece));
        }
        // Walls that carry the seats, from the ground up.
        for (at, (front, back, high)) in
            [(33.0, 20.0, 10.5), (18.0, 10.0, 21.5), (9.5, 7.0, 28.5)].into_iter().enumerate()
        {
            let frame = site.ground.radial(front, turns[0], 0.0);
            let wall = Template::block([-0.6, 0.0, back - front], [0.6, high, 0.0]);
            site.add(format!("radial wall {number}.{at}"), Concrete, &wall, frame);
        }
    }
    let ring = [[8.0, FLOORS[2] - 1.9], [8.0, FLOORS[2] - 1.2], [2.0, FLOORS[2] - 1.2], [2.0, FLOORS[2] - 1.9]];
    for number in 0..wedges {
        let slab = site.ground.sweep(&ring, wedge(number, wedges, 0.0), segments);
        site.add_once(format!("ambulatory slab {number}"), Concrete, Template::concave(slab));
    }
}
