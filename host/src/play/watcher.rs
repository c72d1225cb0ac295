//! What one page was told so far, and what it has to be told next.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::snapshot::{Seen, Snapshot};
use crate::export::stream::{Birth, Choices, Frame, Hello, Messages, Status};
use crate::statistics::Stage;
use crate::world::LazyMesh;

/// A page as the simulation knows it. It is told of any later snapshot what is different from the one before, however many
/// lie in between: a page that reads slowly is told of fewer.
#[derive(Default)]
pub struct Watcher {
    epoch: Option<u32>,
    pieces: BTreeMap<u32, Known>,
    shapes: FxHashMap<usize, Shape>,
    next_shape: u32,
    status: Option<Status>,
}

/// What a page was told of a piece.
struct Known {
    seen: Arc<Seen>,
    pose: [f32; 7],
}

/// A mesh that a page has.
struct Shape {
    number: u32,
    /// How many looks have it.
    users: usize,
    /// Kept, so that no other mesh comes to its address.
    _mesh: LazyMesh,
}

impl Watcher {
    /// What a page has to be told for it to see a snapshot, which is not older than the last that it was told of.
    pub fn tell(&mut self, snapshot: &Snapshot, hello: &Hello<'_>, choices: &Choices) -> Vec<u8> {
        let mut messages = if self.epoch.is_none() { Messages::begin() } else { Messages::default() };
        if self.epoch != Some(snapshot.epoch) {
            *self = Watcher { epoch: Some(snapshot.epoch), ..Watcher::default() };
            messages.hello(&Hello { live: true, stages: &Stage::ALL.map(Stage::name), ..hello.clone() });
            messages.choices(choices);
        }
        if self.status.is_none_or(|told| differs(&told, &snapshot.status)) {
            messages.status(&snapshot.status);
            self.status = Some(snapshot.status);
        }
        let unused = self.tell_of_deaths(snapshot, &mut messages);
        let mut unused = unused;
        let mut moved = Vec::new();
        for (seen, pose) in &snapshot.pieces {
            match self.pieces.get_mut(&seen.piece) {
                None => {
                    let looks = self.show(&mut messages, &seen.looks);
                    messages.birth(&Birth {
                        piece: seen.piece,
                        parent: seen.parent,
                        color: seen.color,
                        mass: seen.mass,
                        volume: seen.volume,
                        looks: &looks,
                        name: &seen.name,
                        ..Birth::default()
                    });
                    moved.push((seen.piece, *pose));
                    self.pieces.insert(seen.piece, Known { seen: Arc::clone(seen), pose: *pose });
                }
                Some(known) => {
                    if known.pose != *pose {
                        known.pose = *pose;
                        moved.push((seen.piece, *pose));
                    }
                    if !Arc::ptr_eq(&known.seen, seen) {
                        let before = std::mem::replace(&mut known.seen, Arc::clone(seen));
                        unused.extend(self.tell_of_looks(&mut messages, &before, seen));
                    }
                }
            }
        }
        if !snapshot.particles.is_empty() {
            messages.particles(&snapshot.particles);
        }
        if !snapshot.touches.is_empty() {
            messages.contacts(&snapshot.touches);
        }
        self.forget(&mut messages, unused);
        let statistics = &snapshot.statistics;
        messages.frame(&Frame {
            number: snapshot.number,
            time: snapshot.time,
            contacts: statistics.contacts as u32,
            touching: statistics.colliding_points as u32,
            stages: &Stage::ALL.map(|stage| statistics.times[stage].as_secs_f32() * 1e3),
            moved: &moved,
        });
        messages.into_bytes()
    }

    /// Gives the meshes that the dead no longer use.
    fn tell_of_deaths(&mut self, snapshot: &Snapshot, messages: &mut Messages) -> Vec<usize> {
        let mut alive = snapshot.pieces.iter().map(|(seen, _)| seen.piece).peekable();
        let is_dead = |piece: &u32| {
            while alive.next_if(|alive| alive < piece).is_some() {}
            alive.peek() != Some(piece)
        };
        let dead: Vec<u32> = self.pieces.keys().copied().filter(is_dead).collect();
        if !dead.is_empty() {
            messages.death(&dead);
        }
        let gone = dead.iter().filter_map(|piece| self.pieces.remove(piece));
        gone.flat_map(|known| known.seen.looks.iter().map(|(_, look)| look.address()).collect::<Vec<_>>()).collect()
    }

    /// Keys and the numbers of their meshes; those that the page does not have are put first.
    fn show(&mut self, messages: &mut Messages, looks: &[(u32, LazyMesh)]) -> Vec<[u32; 2]> {
        looks.iter().map(|(key, look)| [*key, self.use_shape(messages, look)]).collect()
    }

    fn use_shape(&mut self, messages: &mut Messages, look: &LazyMesh) -> u32 {
        let next = &mut self.next_shape;
        let shape = self.shapes.entry(look.address()).or_insert_with(|| {
            let number = *next;
            *next += 1;
            messages.shape(number, look.mesh(), false);
            Shape { number, users: 0, _mesh: look.clone() }
        });
        shape.users += 1;
        shape.number
    }

    /// Gives the meshes that are no longer used.
    fn tell_of_looks(&mut self, messages: &mut Messages, before: &Seen, now: &Seen) -> Vec<usize> {
        let of = |seen: &Seen| seen.looks.iter().map(|(key, look)| (*key, look.address())).collect::<BTreeMap<_, _>>();
        let (old, new) = (of(before), of(now));
        let removed: Vec<(u32, usize)> = old
            .iter()
            .filter(|&(key, address)| new.get(key) != Some(address))
            .map(|(&key, &address)| (key, address))
            .collect();
        let is_new = |(key, look): &&(u32, LazyMesh)| old.get(key) != Some(&look.address());
        let added: Vec<(u32, LazyMesh)> = now.looks.iter().filter(is_new).cloned().collect();
        let added = self.show(messages, &added);
        let keys: Vec<u32> = removed.iter().map(|&(key, _)| key).collect();
        messages.look(now.piece, &keys, &added);
        removed.into_iter().map(|(_, address)| address).collect()
    }

    /// Meshes that lost a user each; those without any are forgotten.
    fn forget(&mut self, messages: &mut Messages, unused: Vec<usize>) {
        let mut numbers = Vec::new();
        for address in unused {
            if let Some(shape) = self.shapes.get_mut(&address) {
                shape.users -= 1;
                if shape.users == 0 {
                    numbers.push(shape.number);
                    self.shapes.remove(&address);
                }
            }
        }
        if !numbers.is_empty() {
            messages.forget(&numbers);
        }
    }
}

/// Whether there is something new to say; the number of steps in a second is never quite the same.
fn differs(told: &Status, now: &Status) -> bool {
    let rounded = |status: &Status| Status { steps_per_second: 0.0, ..*status };
    let [before, after] = [told, now].map(|status| status.steps_per_second);
    let is_steady = before.is_nan() && after.is_nan() || (before - after).abs() <= 0.02 * before.abs().max(1.0);
    rounded(told) != rounded(now) || !is_steady
}
