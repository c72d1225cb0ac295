//! Which turn of a launch has which element.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use std::vec::Vec;

use crate::arguments::{Access, Handle};

/// The elements that a launch writes, each with the turn that asked for it.
#[derive(Debug)]
pub struct Claims {
    lists: Vec<Owners>,
}

#[derive(Debug)]
struct Owners {
    list: Handle,
    /// The turn of each element, counted from 1; 0 if none has asked.
    turns: Vec<AtomicU32>,
}

impl Claims {
    /// Nothing is claimed yet.
    pub(super) fn new(lists: &[Handle]) -> Claims {
        let written = lists.iter().filter(|list| list.access == Access::Write);
        let owners = |list: &Handle| Owners { list: *list, turns: zeros(list.length as usize) };
        Claims { lists: written.map(owners).collect() }
    }

    /// Says that some elements from an address on are a turn's.
    ///
    /// # Panics
    /// If they are not of one list that the launch writes, or another turn has one of them.
    pub(crate) fn take(&self, address: u64, count: usize, turn: usize) {
        let holds = |list: &Handle| address >= list.address && address - list.address < list.length * list.size as u64;
        let owners = self.lists.iter().find(|owners| holds(&owners.list)).expect("the launch writes the list");
        let first = ((address - owners.list.address) / owners.list.size as u64) as usize;
        let turn = turn as u32 + 1;
        for (place, owner) in owners.turns[first..first + count].iter().enumerate() {
            let before = owner.swap(turn, Relaxed);
            assert!(
                before == 0 || before == turn,
                "the threads {} and {} of a launch ask for element {} of a list",
                before - 1,
                turn - 1,
                first + place
            );
        }
    }
}

fn zeros(length: usize) -> Vec<AtomicU32> {
    core::iter::repeat_with(|| AtomicU32::new(0)).take(length).collect()
}
