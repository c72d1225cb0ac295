//! What is known of an object before anything hits it.

use glam::DVec3;

use super::elasticity::{Elasticity, Element};
use super::error::ModalError;
use super::graph::Graph;
use super::modes::{Modes, checked};
use super::principal::SymmetricTensor;
use crate::geometry::{TetMesh, outer_faces};

/// How an object is analysed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModalOptions {
    /// What it is made of.
    pub elasticity: Elasticity,
    /// How many modes are excited by a blow.
    pub modes: usize,
}

impl Default for ModalOptions {
    fn default() -> ModalOptions {
        ModalOptions { elasticity: Elasticity::default(), modes: 30 }
    }
}

/// An object that cracks when it is hit. It does not change, so all fragments of all its copies can share one.
///
/// ```
/// use fracas::fragment::modal::{Blow, Brittleness, ModalModel, ModalOptions};
/// use fracas::geometry::TetMesh;
/// use glam::DVec3;
///
/// // A bar of prisms along x, each of three tetrahedra, with two centimetres between.
/// let corners = [DVec3::ZERO, 0.02 * DVec3::Y, 0.02 * DVec3::Z];
/// let positions = (0..10).flat_map(|k| corners.map(|corner| corner + DVec3::X * 0.02 * f64::from(k))).collect();
/// let tets = (0..9).flat_map(|k| [[0, 1, 2, 5], [0, 1, 5, 4], [0, 4, 5, 3]].map(|tet| tet.map(|node| 3 * k + node)));
/// let mut bar = TetMesh { positions, tets: tets.collect() };
/// bar.orient();
///
/// let model = ModalModel::new(&bar, &ModalOptions::default())?;
/// let blow = |strength: f64| Blow::new(DVec3::new(0.09, 0.0, 0.0), DVec3::new(0.0, strength, strength));
/// assert!(model.crack(None, &blow(0.01), &Brittleness::default()).is_none());
/// let cracks = model.crack(None, &blow(2.0), &Brittleness::default()).expect("the bar breaks");
/// assert!(cracks.pieces() > 1);
/// # Ok::<(), fracas::fragment::modal::ModalError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModalModel {
    pub(super) elasticity: Elasticity,
    pub(super) positions: Vec<DVec3>,
    pub(super) tets: Vec<[u32; 4]>,
    pub(super) elements: Vec<Element>,
    pub(super) graph: Graph,
    /// A quarter of the volume of the tetrahedra around each node.
    pub(super) volumes: Vec<f64>,
    /// The longest edge at each node.
    pub(super) longest: Vec<f64>,
    /// Whether a node is on the surface.
    pub(super) surface: Vec<bool>,
    pub(super) modes: Modes,
    pub(super) gauges: Vec<Gauge>,
}

/// A tetrahedron in which some mode strains most: enough to say when the whole body is strained most.
#[derive(Clone, Debug)]
pub(super) struct Gauge {
    pub(super) corners: [u32; 4],
    /// The stress in each mode.
    pub(super) stresses: Vec<SymmetricTensor>,
}

/// How many gauges there are for each mode.
const GAUGES: usize = 2;

impl ModalModel {
    /// Analyses an object. This takes about a second for five thousand nodes.
    ///
    /// # Errors
    /// As [`Modes::of`].
    pub fn new(mesh: &TetMesh, options: &ModalOptions) -> Result<ModalModel, ModalError> {
        let (elements, graph) = checked(mesh, &options.elasticity, options.modes)?;
        let modes = Modes::with(mesh, &elements, &graph, &options.elasticity, options.modes)?;
        let mut volumes = vec![0.0; graph.len()];
        for (tet, element) in mesh.tets.iter().zip(&elements) {
            tet.iter().for_each(|&node| volumes[node as usize] += 0.25 * element.volume);
        }
        let longest = |node: usize| {
            let lengths = graph
                .neighbours(node as u32)
                .iter()
                .map(|&other| mesh.positions[node].distance(mesh.positions[other as usize]));
            lengths.fold(0.0, f64::max)
        };
        let longest = (0..graph.len()).map(longest).collect();
        let surface = surface(mesh);
        let mut model = ModalModel {
            elasticity: options.elasticity,
            positions: mesh.positions.clone(),
            tets: mesh.tets.clone(),
            elements,
            graph,
            volumes,
            longest,
            surface,
            modes,
            gauges: Vec::new(),
        };
        model.gauges = model.find_gauges();
        Ok(model)
    }

    /// The modes that a blow excites.
    pub fn modes(&self) -> &Modes {
        &self.modes
    }

    /// The stress in a tetrahedron when nodes are displaced.
    pub(super) fn tet_stress(&self, tet: usize, displacements: &[DVec3]) -> SymmetricTensor {
        let corners = self.tets[tet].map(|node| displacements[node as usize]);
        self.elasticity.stress(self.elements[tet].strain(corners))
    }

    fn find_gauges(&self) -> Vec<Gauge> {
        let mut tets = Vec::new();
        for mode in 0..self.modes.len() {
            let size = |tet: usize| self.tet_stress(tet, self.modes.shape(mode)).norm_squared();
            let mut sizes: Vec<(f64, usize)> = (0..self.tets.len()).map(|tet| (size(tet), tet)).collect();
            sizes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            tets.extend(sizes.iter().take(GAUGES).map(|&(_, tet)| tet));
        }
        tets.sort_unstable();
        tets.dedup();
        let stresses =
            |tet: usize| (0..self.modes.len()).map(|mode| self.tet_stress(tet, self.modes.shape(mode))).collect();
        tets.iter().map(|&tet| Gauge { corners: self.tets[tet], stresses: stresses(tet) }).collect()
    }
}

/// Which nodes are on the surface.
fn surface(mesh: &TetMesh) -> Vec<bool> {
    let mut surface = vec![false; mesh.positions.len()];
    for (tet, opposite) in outer_faces(&mesh.tets) {
        let corners = mesh.tets[tet as usize].iter().enumerate().filter(|&(corner, _)| corner != opposite as usize);
        corners.for_each(|(_, &node)| surface[node as usize] = true);
    }
    surface
}
