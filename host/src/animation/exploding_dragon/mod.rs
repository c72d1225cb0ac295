//! A rabbit that hits a dragon, which is a thin shell and bursts.

mod shell;

use std::sync::Arc;

use glam::DVec3;

use super::rubble::{Bend, Rubble, Start};
use super::{Animation, Change, NewPiece};
use crate::geometry::shapes::{Figure, FigureOptions};
use crate::geometry::{Pose, TriMesh};
use crate::random::Random;
use crate::world::{BodyId, Representation, Velocity};
use shell::Part;

pub(super) const FRAMES: u32 = 250;

/// At full detail: both together, the dragon alone, and what it breaks into.
const TRIANGLES: f64 = 252_000.0;
const DRAGON_TRIANGLES: f64 = 240_000.0;
const PIECES: f64 = 420.0;

const DRAGON_HEIGHT: f64 = 1.0;
const RABBIT_HEIGHT: f64 = 0.3;

const SECONDS_PER_FRAME: f64 = 1.0 / 60.0;
const STEPS_PER_FRAME: u32 = 2;

/// The rabbit touches the dragon in this frame; in these, the dragon bursts.
const TOUCH: u32 = 47;
const BURSTS: [u32; 4] = [50, 60, 72, 86];
/// Up to which share of the pieces each burst takes, nearest to the blow first.
const SHARES: [f64; 4] = [0.2, 0.45, 0.7, 1.0];

/// Metres a second.
const RABBIT_SPEED: f64 = 2.4;
const BURST_SPEED: f64 = 2.4;

/// How wide the dent is that the rabbit makes, and how high, wide and fast the waves are that run away from it, in metres, to
/// a metre and to a frame.
const DENT_WIDTH: f64 = 0.13;
const WAVE_HEIGHT: f64 = 0.004;
const WAVES: f64 = 40.0;
const WAVE_SPEED: f64 = 0.9;

/// How thick the shell is felt to be, and how heavy both are.
const THICKNESS: f64 = 0.012;
const SHELL_DENSITY: f64 = 1000.0;
const RABBIT_DENSITY: f64 = 8000.0;

const RABBIT_KEY: u32 = 0;

/// The animation `exploding_dragon`.
pub(super) struct ExplodingDragon {
    dragon: TriMesh,
    normals: Vec<DVec3>,
    /// The triangles of each piece, and the burst that it comes off in.
    pieces: Vec<(Vec<u32>, usize)>,
    /// What is still whole, where vertices are now, and what the rubble meets of it.
    rest: Part,
    now: Vec<DVec3>,
    fixed: Option<BodyId>,
    rabbit: TriMesh,
    /// Where the rabbit first touches the dragon, and where its own middle is then.
    hit: DVec3,
    rabbit_at_hit: DVec3,
    rubble: Rubble,
    random: Random,
    rest_key: u32,
    next_key: u32,
    frame: u32,
}

/// Where the rabbit flies to.
fn flight() -> DVec3 {
    DVec3::new(0.55, -0.12, -0.83).normalize()
}

impl ExplodingDragon {
    pub(super) fn new(detail: f64) -> ExplodingDragon {
        let figure = |figure: Figure, height: f64, triangles: f64| {
            let triangles = triangles.round().max(500.0) as u32;
            FigureOptions { figure, height, triangles }.mesh().expect("a figure of such a size is one")
        };
        let mut dragon = figure(Figure::Dragon, DRAGON_HEIGHT, DRAGON_TRIANGLES * detail);
        let mut rabbit = figure(Figure::Rabbit, RABBIT_HEIGHT, TRIANGLES * detail - dragon.triangles.len() as f64);
        let middle = rabbit.aabb().center();
        rabbit.positions.iter_mut().for_each(|position| *position -= middle);
        let normals = dragon.vertex_normals().into_iter().map(|normal| normal.as_dvec3()).collect();
        (dragon.normals, rabbit.normals) = (None, None);
        let mut random = Random::new(252);
        let hit = first_hit(&dragon, dragon.aabb().center());
        let count = (PIECES * detail.sqrt()).round().max(8.0) as usize;
        let pieces = divide(&dragon, hit, count, &mut random);
        let all: Vec<u32> = (0..dragon.triangles.len() as u32).collect();
        let reach = rabbit.positions.iter().map(|corner| corner.dot(flight())).fold(0.0, f64::max);
        ExplodingDragon {
            rest: Part::new(&dragon, &all, &mut vec![u32::MAX; dragon.positions.len()]),
            now: dragon.positions.clone(),
            normals,
            dragon,
            pieces,
            fixed: None,
            rabbit,
            hit,
            rabbit_at_hit: hit - reach * flight(),
            rubble: Rubble::new(SECONDS_PER_FRAME, STEPS_PER_FRAME),
            random,
            rest_key: 1,
            next_key: 2,
            frame: 0,
        }
    }

    fn rabbit_positions(&self, frame: u32) -> Vec<DVec3> {
        let way = RABBIT_SPEED * SECONDS_PER_FRAME * (f64::from(frame) - f64::from(TOUCH));
        let middle = self.rabbit_at_hit + way * flight();
        self.rabbit.positions.iter().map(|&corner| middle + corner).collect()
    }

    /// Dents what is whole, and lets it tremble after each burst.
    fn deform(&mut self, changes: &mut Vec<Change>) {
        let (frame, hit) = (self.frame, self.hit);
        if frame <= TOUCH || self.rest.vertices.is_empty() {
            return;
        }
        let pushed = f64::from(frame.min(BURSTS[0]) - TOUCH) * RABBIT_SPEED * SECONDS_PER_FRAME;
        let last = BURSTS.iter().rev().find(|&&burst| burst <= frame);
        let wave = last.map(|&burst| {
            let age = f64::from(frame - burst);
            (WAVE_HEIGHT * (age / 3.0).min(1.0) * (-age / 8.0).exp(), WAVE_SPEED * age)
        });
        for &vertex in &self.rest.vertices {
            let start = self.dragon.positions[vertex as usize];
            let away = start.distance(hit);
            let dent = pushed * (-(away / DENT_WIDTH).powi(2)).exp();
            let tremor = wave.map_or(0.0, |(height, phase)| height * (WAVES * away - phase).sin());
            self.now[vertex as usize] = start + (dent + tremor) * flight();
        }
        changes.push(Change::Move { key: self.rest_key, positions: self.rest.of(&self.now) });
    }

    /// The triangles that are still whole when a burst comes, in their order.
    fn left_by(&self, burst: usize) -> Vec<u32> {
        let mut left: Vec<u32> =
            self.pieces.iter().filter(|(_, of)| *of >= burst).flat_map(|(triangles, _)| triangles).copied().collect();
        left.sort_unstable();
        left
    }

    /// Takes the pieces of a burst off.
    fn burst(&mut self, burst: usize, changes: &mut Vec<Change>) {
        if burst == 0 {
            let (before, linear) = (self.rabbit_positions(self.frame - 1), RABBIT_SPEED * flight());
            let velocity = Velocity { linear, angular: DVec3::ZERO };
            let start = Start { velocity, density: RABBIT_DENSITY, bend: Bend::default() };
            self.rubble.add(RABBIT_KEY, &before, &before, start);
        }
        let mut numbers = vec![u32::MAX; self.now.len()];
        let mut places = vec![0; self.dragon.triangles.len()];
        self.left_by(burst).iter().zip(0..).for_each(|(&triangle, place)| places[triangle as usize] = place);
        let old_faces = |triangles: &[u32]| triangles.iter().map(|&triangle| places[triangle as usize]).collect();
        let mut broken = Vec::new();
        for (triangles, of_burst) in &self.pieces {
            if *of_burst == burst {
                let part = Part::new(&self.dragon, triangles, &mut numbers);
                let positions = part.of(&self.now);
                let felt: Vec<DVec3> = (positions.iter().copied())
                    .chain(
                        part.vertices
                            .iter()
                            .map(|&vertex| self.now[vertex as usize] - THICKNESS * self.normals[vertex as usize]),
                    )
                    .collect();
                let start = self::start(&part.of(&self.normals), &positions, self.hit, &mut self.random);
                self.rubble.add(self.next_key, &positions, &felt, start);
                let mesh = TriMesh::new(positions, part.triangles);
                broken.push(NewPiece { key: self.next_key, mesh, old_faces: old_faces(triangles) });
                self.next_key += 1;
            }
        }
        let left = self.left_by(burst + 1);
        self.rest = Part::new(&self.dragon, &left, &mut numbers);
        if let Some(fixed) = self.fixed.take() {
            self.rubble.remove(fixed);
        }
        let key = std::mem::replace(&mut self.rest_key, self.next_key);
        if !left.is_empty() {
            let rest = TriMesh::new(self.rest.of(&self.now), self.rest.triangles.clone());
            self.fixed = self.rubble.add_fixed(Representation::Surface(Arc::new(rest.clone())), Pose::IDENTITY);
            broken.push(NewPiece { key: self.rest_key, mesh: rest, old_faces: old_faces(&left) });
            self.next_key += 1;
        }
        changes.push(Change::Split { key, pieces: broken });
    }
}

/// How a piece comes off: outwards and away from the blow, the faster the nearer.
fn start(normals: &[DVec3], positions: &[DVec3], hit: DVec3, random: &mut Random) -> Start {
    let outward = normals.iter().sum::<DVec3>().normalize_or(DVec3::Y);
    let middle = positions.iter().sum::<DVec3>() / positions.len().max(1) as f64;
    let away = middle - hit;
    let near = (-away.length() / 0.4).exp();
    let linear = BURST_SPEED * (0.5 + near) * outward
        + 1.5 * near * away.normalize_or_zero()
        + 0.6 * near * RABBIT_SPEED * flight()
        + 0.3 * random.in_cube();
    Start {
        velocity: Velocity { linear, angular: 5.0 * random.in_cube() },
        density: SHELL_DENSITY,
        bend: Bend { across: (0.5 + random.unit()) * outward, speed: 0.4 + 0.3 * random.unit() },
    }
}

/// The vertex that something which flies to `target` meets first.
fn first_hit(dragon: &TriMesh, target: DVec3) -> DVec3 {
    let is_near = |position: &&DVec3| (**position - target).reject_from(flight()).length() < 0.5 * DENT_WIDTH;
    let along = |position: &DVec3| position.dot(flight());
    let in_the_way = dragon.positions.iter().filter(is_near);
    in_the_way.min_by(|one, other| along(one).total_cmp(&along(other))).copied().unwrap_or(target)
}

/// Divides the dragon around seeds, most of which are near the blow, and says in which burst each piece comes off.
fn divide(dragon: &TriMesh, hit: DVec3, count: usize, random: &mut Random) -> Vec<(Vec<u32>, usize)> {
    let away = |triangle: u32| dragon.corners(triangle as usize)[0].distance(hit);
    let mut seeds: Vec<u32> = Vec::with_capacity(count);
    while seeds.len() < count {
        let triangle = (random.unit() * dragon.triangles.len() as f64) as u32;
        if random.unit() < 0.15 + (-away(triangle) / 0.3).exp() {
            seeds.push(triangle);
        }
    }
    seeds.sort_by(|&one, &other| away(one).total_cmp(&away(other)).then(one.cmp(&other)));
    seeds.dedup();
    let mut pieces: Vec<(Vec<u32>, usize)> = (0..seeds.len())
        .map(|number| {
            let share = (number + 1) as f64 / seeds.len() as f64;
            (Vec::new(), SHARES.iter().position(|&up_to| share <= up_to).unwrap_or(SHARES.len() - 1))
        })
        .collect();
    for (triangle, cell) in (0..).zip(shell::cells(dragon, &seeds)) {
        pieces[cell as usize].0.push(triangle);
    }
    pieces
}

impl Animation for ExplodingDragon {
    fn name(&self) -> &'static str {
        "exploding_dragon"
    }

    fn frames(&self) -> u32 {
        FRAMES
    }

    fn next_frame(&mut self, changes: &mut Vec<Change>) {
        if self.frame == 0 {
            let rabbit = TriMesh::new(self.rabbit_positions(0), self.rabbit.triangles.clone());
            let dragon = TriMesh::new(self.rest.of(&self.now), self.rest.triangles.clone());
            changes.push(Change::Add { key: RABBIT_KEY, mesh: rabbit });
            changes.push(Change::Add { key: self.rest_key, mesh: dragon });
        } else {
            if let Some(burst) = BURSTS.iter().position(|&burst| burst == self.frame) {
                self.burst(burst, changes);
            }
            if self.frame < BURSTS[0] {
                changes.push(Change::Move { key: RABBIT_KEY, positions: self.rabbit_positions(self.frame) });
            }
            self.deform(changes);
            self.rubble.step(changes);
        }
        self.frame += 1;
    }
}
