//! The stress that a blow causes.

use glam::DVec3;

use super::blow::{Blow, swing};
use super::model::ModalModel;
use super::principal::{Principal, SymmetricTensor};

/// What a blow does to a body at the instant at which it is strained most.
#[derive(Clone, Debug)]
pub struct Response {
    /// How long after the beginning of the blow that is, in s.
    pub time: f64,
    /// The largest elastic energy of the body while it swings, in J; that is not always at the same instant. A fragment
    /// has its share by volume and by the square of its stress. It is no more than the energy with which the impulse
    /// moves the body.
    pub energy: f64,
    /// The stress at each node, in Pa, the mean of the tetrahedra around it by volume; zero at nodes of other bodies.
    pub stress: Vec<SymmetricTensor>,
}

impl Response {
    /// The principal stresses at a node, positive for tension, and their directions.
    pub fn principal(&self, node: u32) -> Principal {
        self.stress[node as usize].principal()
    }
}

/// The nodes of a body: a whole object or a fragment of it.
pub(super) struct Body {
    /// In rising order.
    pub(super) nodes: Vec<u32>,
    /// Whether each node of the mesh is one of them.
    pub(super) inside: Vec<bool>,
    pub(super) volume: f64,
    /// The diagonal of its box.
    pub(super) size: f64,
}

/// The worst of the instants at which a body was looked at.
struct Instant {
    /// The largest tension of a gauge.
    tension: f64,
    time: f64,
    /// The largest elastic energy of all instants.
    energy: f64,
    /// How far each mode has swung.
    amplitudes: Vec<f64>,
}

/// At how many instants a body is looked at.
const SAMPLES: usize = 48;

impl ModalModel {
    /// The stress that a blow causes in the whole object or in the fragment that has some of its nodes; `None` if the
    /// blow or the fragment is nothing that can be used.
    ///
    /// A fragment swings in the modes of the whole object, which costs nothing to find out. It is shorter and bends
    /// less, so its stress is taken times the cube root of its share of the volume.
    pub fn response(&self, nodes: Option<&[u32]>, blow: &Blow) -> Option<Response> {
        self.response_of(&self.body(nodes)?, blow)
    }

    /// The body of some nodes, or of all; `None` if there are none.
    pub(super) fn body(&self, nodes: Option<&[u32]>) -> Option<Body> {
        let count = self.positions.len();
        let mut inside = vec![nodes.is_none(); count];
        for &node in nodes.unwrap_or_default() {
            *inside.get_mut(node as usize)? = true;
        }
        let nodes: Vec<u32> = (0..count as u32).filter(|&node| inside[node as usize]).collect();
        let places = nodes.iter().map(|&node| self.positions[node as usize]);
        let (low, high) =
            places.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
        let volume = nodes.iter().map(|&node| self.volumes[node as usize]).sum();
        (!nodes.is_empty()).then(|| Body { nodes, inside, volume, size: (high - low).length() })
    }

    pub(super) fn response_of(&self, body: &Body, blow: &Blow) -> Option<Response> {
        if blow.check().is_err() || blow.impulse == DVec3::ZERO || self.modes.is_empty() {
            return None;
        }
        let duration = blow.duration.unwrap_or_else(|| self.contact_time(body, blow));
        let impulses = self.modal_impulses(body, blow)?;
        let worst = self.worst_instant(body, &impulses, duration);
        let share = body.volume / self.volumes.iter().sum::<f64>();
        let scale = share.cbrt();
        let stress = self.nodal_stress(body, &worst.amplitudes, scale);
        // A point that is pushed gives way more easily than the body moves, but whatever pushed had no more energy than
        // this.
        let kinetic = 0.5 * blow.impulse.length_squared() / (self.elasticity.density * body.volume);
        Some(Response { time: worst.time, energy: (worst.energy * share * scale * scale).min(kinetic), stress })
    }

    /// How long two balls touch, by Hertz; see [`Blow::duration`].
    fn contact_time(&self, body: &Body, blow: &Blow) -> f64 {
        let mass = self.elasticity.density * body.volume;
        let speed = blow.impulse.length() / mass;
        let radius = 0.5 * body.volume.cbrt();
        let stiffness = 0.5 * self.elasticity.young / (1.0 - self.elasticity.poisson.powi(2));
        2.87 * (mass / stiffness * mass / stiffness / (radius * speed)).powf(0.2)
    }

    /// How much of a blow each mode takes. The rest of it moves the body as a whole.
    fn modal_impulses(&self, body: &Body, blow: &Blow) -> Option<Vec<f64>> {
        let is_outer = |&&node: &&u32| {
            self.surface[node as usize] || self.graph.neighbours(node).iter().any(|&other| !body.inside[other as usize])
        };
        let outer: Vec<u32> = body.nodes.iter().filter(is_outer).copied().collect();
        let distance = |node: u32| self.positions[node as usize].distance(blow.point);
        let radius = blow.radius.unwrap_or(0.05 * body.size);
        let weigh = |&node: &u32| {
            let inner = 1.0 - (distance(node) / radius).powi(2);
            (inner > 0.0).then(|| (node, inner * inner * self.volumes[node as usize]))
        };
        let mut patch: Vec<(u32, f64)> = outer.iter().filter_map(weigh).collect();
        let mut total: f64 = patch.iter().map(|&(_, weight)| weight).sum();
        if !total.is_normal() {
            let nearest = outer.iter().min_by(|&&a, &&b| distance(a).total_cmp(&distance(b)))?;
            (patch, total) = (vec![(*nearest, 1.0)], 1.0);
        }
        let part = |shape: &[DVec3]| {
            patch.iter().map(|&(node, weight)| weight / total * shape[node as usize].dot(blow.impulse)).sum()
        };
        Some((0..self.modes.len()).map(|mode| part(self.modes.shape(mode))).collect())
    }

    /// When some gauge of the body has the largest tension. A body that has no gauge is strained most when the whole
    /// object has the most energy.
    fn worst_instant(&self, body: &Body, impulses: &[f64], duration: f64) -> Instant {
        let frequencies = self.modes.frequencies();
        let end = duration + std::f64::consts::PI / frequencies[0];
        let belongs = |corners: &[u32; 4]| corners.iter().any(|&node| body.inside[node as usize]);
        let gauges: Vec<_> = self.gauges.iter().filter(|gauge| belongs(&gauge.corners)).collect();
        let mut worst = Instant { tension: f64::NEG_INFINITY, time: 0.0, energy: 0.0, amplitudes: Vec::new() };
        for sample in 1..=SAMPLES {
            let time = end * sample as f64 / SAMPLES as f64;
            let modes = impulses.iter().zip(frequencies);
            let amplitudes: Vec<f64> =
                modes.map(|(part, &frequency)| part * swing(frequency, duration, time)).collect();
            let squares = amplitudes.iter().zip(frequencies).map(|(by, frequency)| (by * frequency).powi(2));
            let energy = 0.5 * squares.sum::<f64>();
            let tension_of = |stresses: &[SymmetricTensor]| {
                let sum = |sum: SymmetricTensor, (&stress, &by): (&SymmetricTensor, &f64)| sum.plus(by, stress);
                stresses.iter().zip(&amplitudes).fold(SymmetricTensor::default(), sum).largest()
            };
            let tensions = gauges.iter().map(|gauge| tension_of(&gauge.stresses));
            let tension = if gauges.is_empty() { energy } else { tensions.fold(f64::NEG_INFINITY, f64::max) };
            let peak = worst.energy.max(energy);
            if tension > worst.tension {
                worst = Instant { tension, time, energy, amplitudes };
            }
            worst.energy = peak;
        }
        worst
    }

    /// The stress of the nodes of a body. The modes' displacements are added up and derived once: that is five times
    /// less to read than the stresses of every mode in every tetrahedron.
    fn nodal_stress(&self, body: &Body, amplitudes: &[f64], scale: f64) -> Vec<SymmetricTensor> {
        let displacements = self.modes.displacements(amplitudes);
        let mut sums = vec![SymmetricTensor::default(); self.positions.len()];
        for (tet, corners) in self.tets.iter().enumerate() {
            if corners.iter().all(|&node| !body.inside[node as usize]) {
                continue;
            }
            let stress = self.tet_stress(tet, &displacements).scaled(0.25 * self.elements[tet].volume);
            for &node in corners {
                sums[node as usize] = sums[node as usize].plus(1.0, stress);
            }
        }
        for (node, sum) in sums.iter_mut().enumerate() {
            *sum = if body.inside[node] { sum.scaled(scale / self.volumes[node]) } else { SymmetricTensor::default() };
        }
        sums
    }
}
