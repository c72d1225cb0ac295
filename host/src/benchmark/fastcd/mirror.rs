//! The bodies of an animation without a tree.

use rustc_hash::FxHashMap;

use crate::animation::Change;
use crate::bvh::BodyHandle;
use crate::bvh::baseline::Surface;
use crate::geometry::TriMesh;

/// Bodies that follow the changes of an animation.
#[derive(Default)]
pub(super) struct Mirror {
    pub surfaces: Vec<Surface>,
    /// The key of each.
    keys: Vec<u32>,
    places: FxHashMap<u32, usize>,
}

impl Mirror {
    /// Makes the changes of a frame.
    pub(super) fn follow(&mut self, changes: &[Change]) {
        self.surfaces.iter_mut().for_each(Surface::begin_step);
        for change in changes {
            match change {
                Change::Add { key, mesh } => self.add(*key, mesh),
                Change::Delete { key } => self.remove(*key),
                Change::Split { key, pieces } => {
                    self.remove(*key);
                    pieces.iter().for_each(|piece| self.add(piece.key, &piece.mesh));
                }
                Change::Merge { keys, key, mesh } => {
                    keys.iter().for_each(|&key| self.remove(key));
                    self.add(*key, mesh);
                }
                Change::Move { key, positions } => {
                    if let Some(&place) = self.places.get(key) {
                        self.surfaces[place].move_to(positions);
                    }
                }
            }
        }
    }

    /// The changes that make all that is there from nothing, with the motion of the last step.
    pub(super) fn all_added(&self) -> Vec<Change> {
        let add = |(&key, surface): (&u32, &Surface)| {
            let [start, end] = surface.positions().map(<[_]>::to_vec);
            let mesh = TriMesh::new(start, surface.triangles().to_vec());
            [Change::Add { key, mesh }, Change::Move { key, positions: end }]
        };
        self.keys.iter().zip(&self.surfaces).flat_map(add).collect()
    }

    fn add(&mut self, key: u32, mesh: &TriMesh) {
        self.places.insert(key, self.keys.len());
        self.keys.push(key);
        self.surfaces.push(Surface::new(BodyHandle::of_key(key), mesh));
    }

    fn remove(&mut self, key: u32) {
        if let Some(place) = self.places.remove(&key) {
            self.keys.swap_remove(place);
            self.surfaces.swap_remove(place);
            if let Some(&moved) = self.keys.get(place) {
                self.places.insert(moved, place);
            }
        }
    }
}
