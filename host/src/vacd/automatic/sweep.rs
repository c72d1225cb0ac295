//! What the hulls of a cell's halves would have in volume, for all cuts across one direction at once.

use glam::Vec3;

use super::cell::{Cell, NONE};
use super::support::Support;

/// The planes that are tried across one direction, at most.
const PLANES: usize = 24;

/// Planes are no closer than this, in units of the lattice.
const CLOSEST: f32 = 1.0;

/// Memory for one thread.
#[derive(Default)]
pub(super) struct SweepScratch {
    places: Vec<f32>,
    layers: Vec<u32>,
    /// The samples by layer, and where each layer begins.
    order: Vec<u32>,
    begins: Vec<u32>,
    /// The links that cross each plane, by plane: the sample before it, and the one after it.
    crossings: Vec<(u32, u32, Vec3)>,
    crossing_begins: Vec<u32>,
    pass: Pass,
}

/// A plane across a cell, and the volume of the hulls that it leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) direction: Vec3,
    pub(super) offset: f32,
    pub(super) cost: f32,
}

/// The cuts of a cell across a direction.
pub(super) fn sweep(cell: &Cell, direction: Vec3, scratch: &mut SweepScratch) -> Vec<Candidate> {
    let SweepScratch { places, layers, order, begins, crossings, crossing_begins, pass } = scratch;
    places.clear();
    places.extend(cell.points.iter().map(|&point| direction.dot(point)));
    let (low, high) = places.iter().fold((f32::MAX, f32::MIN), |(low, high), &place| (low.min(place), high.max(place)));
    let count = (((high - low) / CLOSEST) as usize).min(PLANES + 1);
    if count < 2 {
        return Vec::new();
    }
    let width = (high - low) / count as f32;
    layers.clear();
    layers.extend(places.iter().map(|&place| (((place - low) / width) as u32).min(count as u32 - 1)));
    let offsets: Vec<f32> = (1..count).map(|plane| low + plane as f32 * width).collect();

    sort_by_layer(layers, count, order, begins);
    find_crossings(cell, places, layers, &offsets, crossings, crossing_begins);

    let mut costs = vec![0.0; count - 1];
    pass.start(cell.points.len());
    for plane in 0..count - 1 {
        let layer = &order[begins[plane] as usize..begins[plane + 1] as usize];
        layer.iter().for_each(|&sample| pass.add(cell, sample));
        let range = crossing_begins[plane] as usize..crossing_begins[plane + 1] as usize;
        costs[plane] += pass.cost(crossings[range].iter().map(|&(before, _, point)| (before, point)));
    }
    pass.start(cell.points.len());
    for plane in (0..count - 1).rev() {
        let layer = &order[begins[plane + 1] as usize..begins[plane + 2] as usize];
        layer.iter().for_each(|&sample| pass.add(cell, sample));
        let range = crossing_begins[plane] as usize..crossing_begins[plane + 1] as usize;
        costs[plane] += pass.cost(crossings[range].iter().map(|&(_, after, point)| (after, point)));
    }
    offsets.iter().zip(costs).map(|(&offset, cost)| Candidate { direction, offset, cost }).collect()
}

fn sort_by_layer(layers: &[u32], count: usize, order: &mut Vec<u32>, begins: &mut Vec<u32>) {
    begins.clear();
    begins.resize(count + 1, 0);
    layers.iter().for_each(|&layer| begins[layer as usize + 1] += 1);
    (0..count).for_each(|layer| begins[layer + 1] += begins[layer]);
    order.clear();
    order.resize(layers.len(), 0);
    let mut next = begins.clone();
    for (sample, &layer) in layers.iter().enumerate() {
        order[next[layer as usize] as usize] = sample as u32;
        next[layer as usize] += 1;
    }
}

/// Where links of the surface's samples cross planes.
fn find_crossings(
    cell: &Cell,
    places: &[f32],
    layers: &[u32],
    offsets: &[f32],
    crossings: &mut Vec<(u32, u32, Vec3)>,
    begins: &mut Vec<u32>,
) {
    let for_each = |take: &mut dyn FnMut(usize, u32, u32)| {
        for (before, links) in cell.links.iter().enumerate() {
            for &after in links {
                if after == NONE || layers[after as usize] <= layers[before] {
                    continue;
                }
                // What is between others of the cell reaches no farther than they do.
                if !(cell.is_border[before] || cell.is_border[after as usize]) {
                    continue;
                }
                for plane in layers[before]..layers[after as usize] {
                    take(plane as usize, before as u32, after);
                }
            }
        }
    };
    begins.clear();
    begins.resize(offsets.len() + 1, 0);
    for_each(&mut |plane, _, _| begins[plane + 1] += 1);
    (0..offsets.len()).for_each(|plane| begins[plane + 1] += begins[plane]);
    crossings.clear();
    crossings.resize(begins[offsets.len()] as usize, (0, 0, Vec3::ZERO));
    let mut next = begins.clone();
    for_each(&mut |plane, before, after| {
        let [start, end] = [before, after].map(|sample| places[sample as usize]);
        let share = ((offsets[plane] - start) / (end - start)).clamp(0.0, 1.0);
        let point = cell.points[before as usize].lerp(cell.points[after as usize], share);
        crossings[next[plane] as usize] = (before, after, point);
        next[plane] += 1;
    });
}

/// The islands of what was swept so far.
#[derive(Default)]
struct Pass {
    /// The component of each sample that was added.
    component: Vec<u32>,
    components: Vec<Component>,
    /// Those that are part of no other.
    roots: Vec<u32>,
    /// Components as they are with where they end at the plane.
    ended: Vec<Support>,
}

struct Component {
    /// Itself, or one that it has become a part of.
    parent: u32,
    /// Its place among those that end at the plane.
    ended: u32,
    support: Support,
    /// The volume, if it is known.
    volume: Option<f32>,
}

impl Pass {
    fn start(&mut self, samples: usize) {
        self.component.clear();
        self.component.resize(samples, NONE);
        self.components.clear();
        self.roots.clear();
    }

    fn find(&mut self, sample: u32) -> u32 {
        let mut root = self.component[sample as usize];
        while self.components[root as usize].parent != root {
            let parent = self.components[root as usize].parent;
            let next = self.components[parent as usize].parent;
            self.components[root as usize].parent = next;
            root = next;
        }
        self.component[sample as usize] = root;
        root
    }

    fn add(&mut self, cell: &Cell, sample: u32) {
        let mut own = NONE;
        for &other in &cell.links[sample as usize] {
            if other == NONE || self.component[other as usize] == NONE {
                continue;
            }
            let root = self.find(other);
            if own == NONE {
                own = root;
            } else if own != root {
                self.join(own, root);
            }
        }
        if own == NONE {
            own = self.components.len() as u32;
            self.components.push(Component { parent: own, ended: NONE, support: Support::NONE, volume: None });
            self.roots.push(own);
        }
        self.component[sample as usize] = own;
        let component = &mut self.components[own as usize];
        component.volume = None;
        if cell.is_border[sample as usize] {
            component.support.include(cell.points[sample as usize]);
        }
    }

    fn join(&mut self, into: u32, other: u32) {
        let Component { support, .. } = &self.components[other as usize];
        let support = support.clone();
        self.components[other as usize].parent = into;
        let component = &mut self.components[into as usize];
        component.support.include_all(&support);
        component.volume = None;
    }

    /// The volume of all hulls, with the points where links cross the plane.
    fn cost(&mut self, crossings: impl Iterator<Item = (u32, Vec3)>) -> f32 {
        self.ended.clear();
        for (sample, point) in crossings {
            let root = self.find(sample);
            let component = &mut self.components[root as usize];
            if component.ended == NONE {
                component.ended = self.ended.len() as u32;
                self.ended.push(component.support.clone());
            }
            self.ended[component.ended as usize].include(point);
        }
        let (components, ended) = (&mut self.components, &self.ended);
        self.roots.retain(|&root| components[root as usize].parent == root);
        let volume = |&root: &u32| {
            let component = &mut components[root as usize];
            match ended.get(component.ended as usize) {
                Some(support) => {
                    component.ended = NONE;
                    support.volume()
                }
                None => *component.volume.get_or_insert_with(|| component.support.volume()),
            }
        };
        self.roots.iter().map(volume).sum()
    }
}
