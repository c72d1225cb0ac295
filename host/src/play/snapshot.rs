//! A world as it stands at a moment, for others to look at while it goes on.

use std::sync::Arc;

use crate::dynamics::Particle;
use crate::export::stream::{Status, Touch};
use crate::recording::{seven, touches};
use crate::statistics::StepStatistics;
use crate::world::{Body, BodyId, LazyMesh, World};

/// Everything that a page is told of a world at a moment. What did not change is shared with the snapshot before.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// How often the simulation began anew before.
    pub epoch: u32,
    /// Above that of every snapshot before.
    pub number: u32,
    /// Seconds since the simulation began.
    pub time: f64,
    /// What is there, in rising order of numbers, with poses as they are written.
    pub(super) pieces: Vec<(Arc<Seen>, [f32; 7])>,
    pub(super) particles: Vec<Particle>,
    pub(super) touches: Vec<Touch>,
    pub(super) statistics: StepStatistics,
    pub(super) status: Status,
}

/// A body as it is seen, but for where it is.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) piece: u32,
    pub(super) parent: Option<u32>,
    pub(super) name: String,
    pub(super) color: Option<[f32; 3]>,
    pub(super) mass: f32,
    pub(super) volume: f32,
    /// In rising order of keys. Meshes are made by whoever first looks.
    pub(super) looks: Vec<(u32, LazyMesh)>,
    /// How often the looks have changed.
    version: u32,
}

/// Takes snapshots, and remembers what bodies look like from one to the next.
#[derive(Default)]
pub(super) struct Eye {
    seen: Vec<Option<Arc<Seen>>>,
}

impl Eye {
    /// The bodies of a world and their poses.
    pub(super) fn pieces(&mut self, world: &World) -> Vec<(Arc<Seen>, [f32; 7])> {
        let mut pieces = Vec::new();
        let mut next = 0;
        for (id, body) in world.bodies() {
            let index = id.0 as usize;
            if self.seen.len() <= index {
                self.seen.resize(index + 1, None);
            }
            // Those in between are gone.
            self.seen[next..index].fill(None);
            next = index + 1;
            let known = self.seen[index].take().filter(|seen| seen.version == body.look_version());
            let seen = known.unwrap_or_else(|| Arc::new(look_at(id, body)));
            self.seen[index] = Some(Arc::clone(&seen));
            pieces.push((seen, seven(&world.pose(id).unwrap_or_default())));
        }
        pieces
    }

    /// A world as it stands.
    pub(super) fn look(&mut self, world: &World, [epoch, number]: [u32; 2], status: Status) -> Snapshot {
        Snapshot {
            epoch,
            number,
            time: world.time(),
            pieces: self.pieces(world),
            particles: world.particles().to_vec(),
            touches: touches(world),
            statistics: *world.statistics(),
            status,
        }
    }
}

fn look_at(id: BodyId, body: &Body) -> Seen {
    let mass = body.mass() as f32;
    let volume = body.mass_properties().volume as f32;
    // What has no volume, as a half-space, has no mass that means anything.
    let [mass, volume] = if volume > 0.0 { [mass, volume] } else { [f32::NAN; 2] };
    Seen {
        piece: id.0,
        parent: body.parent().map(|parent| parent.0),
        name: body.name().to_owned(),
        color: body.material().color,
        mass,
        volume,
        looks: body.looks().iter().map(|(&key, look)| (key, look.clone())).collect(),
        version: body.look_version(),
    }
}
