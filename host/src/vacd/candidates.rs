//! The points that may still become vertices of a growing hull, and the volume that each would add.

use glam::DVec3;
use rayon::prelude::*;

/// Points that are worked on together: five lists of them fit into the nearest cache.
const BLOCK: usize = 512;

/// Tests of a point against a face from which on several threads are worth waking.
const PARALLEL: usize = 200_000;

/// A face as its points see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FacePlane {
    /// Twice the face's vector area.
    pub normal: DVec3,
    pub offset: f64,
    /// More than the value of [`FacePlane::volume`] can be off by rounding.
    pub slack: f64,
}

impl FacePlane {
    /// The plane of a triangle with coordinates of at most one.
    pub(super) fn new(a: DVec3, b: DVec3, c: DVec3) -> FacePlane {
        let (u, v) = (b - a, c - a);
        let normal = u.cross(v);
        // The products in the normal are at most |u||v| and off by three roundings, their differences by four of twice
        // that; times coordinates of at most one, three such terms and the offset make less than 64.
        let slack = 64.0 * f64::EPSILON * u.abs().max_element() * v.abs().max_element();
        FacePlane { normal, offset: normal.dot(a), slack }
    }

    /// Six times the volume of the tetrahedron of a point and the face; positive outside.
    pub(super) fn volume(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// A face that joined the hull (sign 1) or left it (sign -1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub plane: FacePlane,
    pub sign: f64,
}

/// The best candidate: the largest volume, and of equal ones the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Best {
    /// Six times the volume that it adds.
    pub volume: f64,
    /// The number of the point.
    pub point: u32,
}

impl Best {
    const NONE: Best = Best { volume: f64::NEG_INFINITY, point: u32::MAX };

    fn better_of(self, other: Best) -> Best {
        let other_wins = other.volume > self.volume || other.volume == self.volume && other.point < self.point;
        if other_wins { other } else { self }
    }
}

/// One list for each property, so that the loop over points is a loop over plain numbers.
#[derive(Default)]
pub(super) struct Candidates {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    /// V of Algorithm 1, times six.
    volumes: Vec<f64>,
    /// How many faces may be visible. A face that leaves is counted with the very numbers with which it joined, so the
    /// count is exact though it is a float, which is as wide as the numbers beside it and so stays in their registers.
    visible: Vec<f64>,
    points: Vec<u32>,
}

impl Candidates {
    pub(super) fn new(points: &[DVec3]) -> Candidates {
        Candidates {
            x: points.iter().map(|point| point.x).collect(),
            y: points.iter().map(|point| point.y).collect(),
            z: points.iter().map(|point| point.z).collect(),
            volumes: vec![0.0; points.len()],
            visible: vec![0.0; points.len()],
            points: (0..points.len() as u32).collect(),
        }
    }

    /// Takes changes of the hull into account and tells the best candidate; `None` if there are no candidates.
    ///
    /// What is inside of the hull for certain is dropped: the hull only grows.
    pub(super) fn update(&mut self, changes: &[Change]) -> Option<Best> {
        let work = self.points.len() * changes.len();
        let places = self.x.par_chunks(BLOCK).zip(self.y.par_chunks(BLOCK)).zip(self.z.par_chunks(BLOCK));
        let values = self.volumes.par_chunks_mut(BLOCK).zip(self.visible.par_chunks_mut(BLOCK));
        let blocks = places.zip(values).zip(self.points.par_chunks(BLOCK));
        let blocks = blocks.with_min_len(if work < PARALLEL { usize::MAX } else { 1 });
        let (best, inside) = blocks
            .map(|((((x, y), z), (volumes, visible)), points)| {
                for change in changes {
                    apply(change, [x, y, z], volumes, visible);
                }
                best_of(volumes, visible, points)
            })
            .reduce(|| (Best::NONE, 0), |a, b| (a.0.better_of(b.0), a.1 + b.1));
        // Rarely, because those inside cost little and moving the rest up costs as much as several rounds.
        if 3 * inside > self.points.len() {
            self.drop_inside();
        }
        (best != Best::NONE).then_some(best)
    }

    /// The points that are not certainly inside.
    pub(super) fn remaining(&self) -> impl Iterator<Item = u32> + '_ {
        self.points.iter().zip(&self.visible).filter(|(_, visible)| **visible > 0.0).map(|(&point, _)| point)
    }

    fn drop_inside(&mut self) {
        let mut kept = 0;
        for here in 0..self.points.len() {
            if self.visible[here] > 0.0 {
                for list in [&mut self.x, &mut self.y, &mut self.z, &mut self.volumes, &mut self.visible] {
                    list[kept] = list[here];
                }
                self.points[kept] = self.points[here];
                kept += 1;
            }
        }
        for list in [&mut self.x, &mut self.y, &mut self.z, &mut self.volumes, &mut self.visible] {
            list.truncate(kept);
        }
        self.points.truncate(kept);
    }
}

fn apply(change: &Change, [x, y, z]: [&[f64]; 3], volumes: &mut [f64], visible: &mut [f64]) {
    let Change { plane: FacePlane { normal, offset, slack }, sign } = *change;
    let points = x.iter().zip(y).zip(z).zip(volumes.iter_mut().zip(visible));
    for (((x, y), z), (volume, visible)) in points {
        let added = normal.x * x + normal.y * y + normal.z * z - offset;
        *volume += sign * added.max(0.0);
        *visible += if added > -slack { sign } else { 0.0 };
    }
}

/// The best of a block, and how many are inside.
fn best_of(volumes: &[f64], visible: &[f64], points: &[u32]) -> (Best, usize) {
    let mut best = Best::NONE;
    let mut inside = 0;
    for ((&volume, &visible), &point) in volumes.iter().zip(visible).zip(points) {
        if visible > 0.0 {
            best = best.better_of(Best { volume, point });
        } else {
            inside += 1;
        }
    }
    (best, inside)
}
