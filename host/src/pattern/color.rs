//! Cells that stay together.

use std::collections::VecDeque;

use super::error::Check;
use super::{Pattern, PatternError};
use crate::random::Random;

impl Pattern {
    /// The pattern with its cells grouped into connected pieces of about equal number, which need not be convex.
    ///
    /// Groups grow from random cells, one neighbour after another. Cells that no group can reach, which only loaded
    /// patterns have, form further groups.
    ///
    /// # Errors
    /// If there are no groups or more than cells.
    pub fn colored(mut self, groups: u32, seed: u64) -> Result<Pattern, PatternError> {
        const NONE: u32 = u32::MAX;
        let count = self.cells.len() as u32;
        Check("coloured").count("groups", groups, 1..=count)?;
        let mut random = Random::new(seed);
        let mut cells: Vec<u32> = (0..count).collect();
        let mut colors = vec![NONE; cells.len()];
        let mut fronts: Vec<VecDeque<u32>> = Vec::new();
        for group in 0..groups as usize {
            let chosen = group + (random.next_u64() % u64::from(count - group as u32)) as usize;
            cells.swap(group, chosen);
            fronts.push(VecDeque::from([cells[group]]));
        }
        // First every group its own cell, so that none is overrun; from then on each takes one in turn.
        for (front, color) in fronts.iter().zip(0u32..) {
            colors[front[0] as usize] = color;
        }
        for (number, mut front) in std::mem::take(&mut fronts).into_iter().enumerate() {
            front.extend(self.neighbours(cells[number]));
            front.pop_front();
            fronts.push(front);
        }
        self.grow(&mut colors, &mut fronts, &mut random);
        while let Some(cell) = colors.iter().position(|&color| color == NONE) {
            colors[cell] = fronts.len() as u32;
            let color = fronts.len();
            fronts.resize(color, VecDeque::new());
            fronts.push(self.neighbours(cell as u32).iter().copied().collect());
            self.grow(&mut colors, &mut fronts, &mut random);
        }
        self.colors = Some(colors);
        Ok(self)
    }

    fn grow(&self, colors: &mut [u32], fronts: &mut [VecDeque<u32>], random: &mut Random) {
        while fronts.iter().any(|front| !front.is_empty()) {
            for (front, color) in fronts.iter_mut().zip(0u32..) {
                while !front.is_empty() {
                    // Any cell of the front, so that the pieces become ragged and not round.
                    let chosen = (random.next_u64() % front.len() as u64) as usize;
                    let Some(cell) = front.swap_remove_back(chosen) else { break };
                    if colors[cell as usize] == u32::MAX {
                        colors[cell as usize] = color;
                        front.extend(self.neighbours(cell).iter().filter(|&&next| colors[next as usize] == u32::MAX));
                        break;
                    }
                }
            }
        }
    }
}
