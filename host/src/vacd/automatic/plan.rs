//! Which cuts make the hulls of a solid's samples tightest.

use glam::Vec3;
use rayon::prelude::*;

use super::cell::Cell;
use super::samples::Samples;
use super::support::split_directions;
use super::sweep::{Candidate, SweepScratch, sweep};

/// Hulls with less in excess than this share of the solid's volume are good enough.
const LEAST_EXCESS: f32 = 2e-4;

/// Cells of fewer samples are not cut, since they tell too little of the solid.
const LEAST_SAMPLES: usize = 24;

/// How far directions are turned, in turn, and around how many of the best ones.
const TURNS: [(f32, usize); 2] = [(0.2, 3), (0.1, 2)];

/// A tree of cuts, with the root first and children after their parents.
pub(super) struct Plan {
    pub(super) nodes: Vec<Node>,
}

/// A cell and how it is cut.
pub(super) struct Node {
    cell: Cell,
    pub(super) cut: Option<Cut>,
}

pub(super) struct Cut {
    pub(super) direction: Vec3,
    pub(super) offset: f32,
    /// What is below and what is above.
    pub(super) sides: [u32; 2],
}

impl Plan {
    /// So many cuts of a solid, or as many as make sense.
    ///
    /// Always the cells with the most in excess are cut, each by the plane that leaves its hulls with the least volume.
    pub(super) fn of(samples: &Samples, cuts: usize) -> Plan {
        let mut plan = Plan { nodes: vec![Node { cell: Cell::of(samples), cut: None }] };
        let enough = LEAST_EXCESS * samples.volume as f32;
        let mut open = vec![0];
        let mut left = cuts;
        while left > 0 {
            let excess = |node: &u32| plan.nodes[*node as usize].cell.excess();
            open.retain(|node| excess(node) > enough && plan.nodes[*node as usize].cell.len() >= LEAST_SAMPLES);
            open.sort_by(|a, b| excess(b).total_cmp(&excess(a)).then(a.cmp(b)));
            let Some(first) = open.first() else { break };
            let many = 0.5 * excess(first);
            let batch: Vec<u32> = open.iter().copied().take(left).take_while(|node| excess(node) >= many).collect();
            open.drain(..batch.len());
            left -= batch.len();
            let cut = |&node: &u32| {
                let cell = &plan.nodes[node as usize].cell;
                best_cut(cell).map(|best| (best, cell.cut(best.direction, best.offset)))
            };
            let cuts: Vec<_> = batch.par_iter().map(cut).collect();
            for (node, cut) in batch.into_iter().zip(cuts) {
                let Some((Candidate { direction, offset, .. }, halves)) = cut else { continue };
                let sides = [0, 1].map(|side| plan.nodes.len() as u32 + side);
                plan.nodes.extend(halves.map(|cell| Node { cell, cut: None }));
                // The samples are in the halves now.
                plan.nodes[node as usize] = Node { cell: Cell::default(), cut: Some(Cut { direction, offset, sides }) };
                open.extend(sides);
            }
        }
        plan
    }
}

/// The plane that leaves the hulls of a cell with the least volume.
fn best_cut(cell: &Cell) -> Option<Candidate> {
    let mut directions: Vec<Vec3> = split_directions().collect();
    let mut best: Vec<Candidate> = Vec::new();
    for turn in 0..=TURNS.len() {
        let found: Vec<Option<Candidate>> = directions
            .par_iter()
            .map_init(SweepScratch::default, |scratch, &direction| {
                sweep(cell, direction, scratch).into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost))
            })
            .collect();
        best.extend(found.into_iter().flatten());
        best.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        if let Some(&(angle, count)) = TURNS.get(turn) {
            directions = best.iter().take(count).flat_map(|candidate| turned(candidate.direction, angle)).collect();
        }
    }
    best.first().copied()
}

/// Directions around one.
fn turned(direction: Vec3, angle: f32) -> [Vec3; 4] {
    let (u, v) = direction.any_orthonormal_pair();
    [u, -u, v, -v].map(|side| (direction + angle * side).normalize())
}
