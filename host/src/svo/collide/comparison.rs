//! Two octrees that are compared: what the CPU and a device start from, and what comes of what they find.

use fracas_kernels::columns::{self, Density, Frame};
use fracas_kernels::discretise::{Stand, UNITS};
use fracas_kernels::morton;
use fracas_kernels::touch::Touch;
use fracas_kernels::traverse::Meeting;
use glam::{DMat3, DVec3};

use super::placed::{Boxes, Placed, Relative};
use super::points::Counts;
use super::touched::Sight;
use super::{CollideOptions, Gradient, Intersection, Placement};
use crate::svo::Tree;
use crate::svo::lattice::LEAST_LEVEL;

/// How far around voxels is looked whether anything is there, in voxels.
pub(crate) const CLEARANCE: f64 = 2.0;

/// Two octrees, and how they stand to each other.
pub(crate) struct Comparison<'a> {
    /// The one whose lattice the columns are of, then the other.
    placed: [Placed<'a>; 2],
    /// Whether the first one is the second outside.
    is_swapped: bool,
    pub(super) options: CollideOptions,
    pub(super) relative: Relative,
    pub(super) sights: [Sight; 2],
}

/// What the surfaces of two octrees have in the cells of a comparison.
pub(crate) struct Found {
    /// Of either owner.
    pub(crate) points: [u32; 2],
    /// Of either owner, the sum of the normals of all points.
    pub(crate) normals: [[i64; 3]; 2],
    pub(crate) volume: f64,
    pub(crate) gradients: Vec<Gradient>,
    pub(crate) unclosed: u32,
}

impl<'a> Comparison<'a> {
    /// `None` if the two cannot meet. Columns are those of the coarser lattice: the finer boundary leaves none of them out.
    pub(crate) fn new(first: &Placed<'a>, second: &Placed<'a>, options: &CollideOptions) -> Option<Comparison<'a>> {
        let is_swapped = second.cell(options.level) > first.cell(options.level);
        Comparison::of(if is_swapped { [*second, *first] } else { [*first, *second] }, is_swapped, options)
    }

    fn of(placed: [Placed<'a>; 2], is_swapped: bool, options: &CollideOptions) -> Option<Comparison<'a>> {
        let relative = Relative::new(&placed[0], &placed[1], options.level)?;
        let [first, second] = [0, 1].map(|side| Sight::new(&relative, side));
        Some(Comparison { placed, is_swapped, options: *options, sights: [first?, second?], relative })
    }

    /// Whether [`Comparison::turned`] sees more, given how many voxels of either are touched: what lies wholly inside of the
    /// other is measured by its own columns, where it may be much finer.
    pub(crate) fn asks_to_turn(&self, touched: [usize; 2]) -> bool {
        let [own, other] = self.cells();
        touched[0] == 0 && touched[1] != 0 && own != other
    }

    /// The other way around.
    pub(crate) fn turned(&self) -> Option<Comparison<'a>> {
        let [first, second] = self.placed;
        Comparison::of([second, first], !self.is_swapped, &self.options)
    }

    fn cells(&self) -> [f64; 2] {
        [0, 1].map(|side| self.placed[side].cell(self.relative.levels[side]))
    }

    /// The octrees.
    pub(crate) fn trees(&self) -> [&'a Tree; 2] {
        self.placed.map(|placed| placed.tree)
    }

    /// The level of the voxels of a side that are compared, and that of the other's that they are compared with.
    pub(crate) fn grid_levels(&self, side: usize) -> [u32; 2] {
        [self.relative.levels[side], self.sights[side].level]
    }

    /// How the voxels of a side lie in the grid of the other.
    pub(crate) fn view(&self, side: usize) -> fracas_kernels::touch::View {
        self.sights[side].view
    }

    /// How many chunks of boundary voxels either octree has, each of which a walk may mark.
    pub(crate) fn marks(&self) -> [usize; 2] {
        let trees = self.trees();
        [0, 1].map(|side| trees[side].attributes_of(self.relative.levels[side] - LEAST_LEVEL).len())
    }

    /// How many boundary voxels there are to compare.
    pub(crate) fn voxels(&self) -> usize {
        let trees = self.trees();
        (0..2).map(|side| trees[side].attributes_of(self.relative.levels[side]).len()).sum()
    }

    /// What a walk through both is told, given where their nodes and their marks start.
    pub(crate) fn meeting(&self, nodes: [u32; 2], marks: [u32; 2]) -> Meeting {
        let Boxes { reach, children } = Boxes::new(&self.relative);
        let levels = self.relative.levels.map(|level| level - LEAST_LEVEL);
        let trees = self.trees();
        let [own, other] = self.relative.levels.map(|level| 0.5 * f64::from(1u32 << level));
        Meeting {
            nodes,
            levels,
            attributes: [0, 1].map(|side| trees[side].attributes_of(levels[side]).start),
            marks,
            middles: [[own as f32; 3], self.relative.point(DVec3::splat(other)).as_vec3().to_array()],
            reach: reach.map(|reach| reach.to_array()),
            children: children.map(|way| way.to_array()),
            half: 4.0,
        }
    }

    /// How the voxels of a side stand in the lattice of cells, given where its nodes and its normals start.
    pub(crate) fn stand(&self, side: usize, nodes: u32, normals: u32) -> Stand {
        let Relative { turn, corner, edge, levels } = &self.relative;
        let (turn, corner, rotation) = match side {
            0 => (DMat3::IDENTITY, DVec3::ZERO, DMat3::IDENTITY),
            _ => (*turn, *corner, *turn * (1.0 / edge)),
        };
        Stand {
            turn: turn.to_cols_array_2d(),
            corner: corner.to_array(),
            rotation: rotation.to_cols_array_2d(),
            ways: ways(&turn).map(|way| way.to_array()),
            size: UNITS << levels[0],
            level: levels[side],
            to_face: u32::from(self.options.placement == Placement::Face),
            nodes,
            normals,
            padding: 0,
        }
    }

    /// What a full layer and a full cell have of points, of either owner.
    pub(crate) fn densities(&self, counts: &Counts) -> [Density; 2] {
        densities(counts, self.relative.edge)
    }

    /// Where the lattice of cells is.
    pub(crate) fn frame(&self) -> Frame {
        frame(&self.placed[0], self.relative.levels[0], self.owners())
    }

    fn owners(&self) -> [u32; 2] {
        if self.is_swapped { [1, 0] } else { [0, 1] }
    }

    /// Nothing is touched; nor is anything near, if it is clear.
    pub(crate) fn apart(&self, is_clear: bool) -> Intersection {
        let [own, other] = self.cells();
        let clearance = if is_clear { CLEARANCE * own.min(other) } else { 0.0 };
        Intersection { clearance, ..Intersection::default() }
    }

    /// The intersection that was found. Where columns find none, the voxels of a side that were touched are asked for.
    pub(crate) fn intersection<E>(
        &self,
        found: Found,
        touched: impl Fn(usize) -> Result<Vec<Touch>, E>,
    ) -> Result<Intersection, E> {
        let Found { points, normals, volume, gradients, unclosed } = found;
        let [own, other] =
            [0, 1].map(|side| DVec3::from_array(normals[side].map(|sum| sum as f64)) / f64::from(points[side].max(1)));
        let out = self.placed[0].pose.transform_vector((other - own).normalize_or_zero());
        let mut tips = <[Vec<DVec3>; 2]>::default();
        if gradients.is_empty() {
            for (tips, side) in tips.iter_mut().zip(self.owners()) {
                *tips = self.tips(side as usize, touched(side as usize)?);
            }
        }
        Ok(Intersection {
            volume,
            gradients,
            points: points.iter().sum(),
            unclosed,
            way_out: if self.is_swapped { -out } else { out },
            tips,
            clearance: 0.0,
        })
    }

    /// The middles of those voxels of a side that are deep, in the world.
    fn tips(&self, side: usize, mut touched: Vec<Touch>) -> Vec<DVec3> {
        touched.retain(|touch| touch.deep != 0);
        // However they were found.
        touched.sort_unstable_by_key(|touch| touch.attributes);
        touched
            .iter()
            .map(|touch| self.placed[side].in_world(touch_middle(touch), self.relative.levels[side]))
            .collect()
    }
}

/// From the middle of a voxel to those of its eighths.
pub(super) fn ways(turn: &DMat3) -> [glam::IVec3; 8] {
    std::array::from_fn(|eighth| {
        let side = |axis: usize| if eighth >> axis & 1 == 0 { -0.25 } else { 0.25 };
        (*turn * DVec3::new(side(0), side(1), side(2)) * f64::from(UNITS)).round().as_ivec3()
    })
}

/// The middle of a voxel that was touched, in cells.
pub(super) fn touch_middle(touch: &Touch) -> DVec3 {
    DVec3::from_array(morton::decode_30(touch.code).map(f64::from)) + 0.5
}

/// What a full layer and a full cell have of points. A layer counts as full from half of that on, because as many as fall
/// into a column vary with how the voxels lie in it.
pub(super) fn densities(counts: &Counts, edge: f64) -> [Density; 2] {
    let mean = f64::from(counts.points[1].max(1)) / f64::from(counts.voxels[1].max(1));
    // The first octree's voxels are the cells: each is a full layer.
    let own = Density { layer: f64::MIN_POSITIVE, cell: f64::MIN_POSITIVE };
    [own, Density { layer: 0.5 * mean / (edge * edge), cell: mean / (edge * edge * edge) }]
}

/// Where the lattice of an octree is.
pub(super) fn frame(base: &Placed<'_>, level: u32, owners: [u32; 2]) -> Frame {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| base.pose.transform_vector(axis).to_array());
    let corner = base.pose.transform_point(base.lattice.origin).to_array();
    Frame { axes, corner, cell: base.cell(level), owners }
}

impl From<columns::Gradient> for Gradient {
    fn from(gradient: columns::Gradient) -> Gradient {
        let columns::Gradient { point, vector, depth, owner, .. } = gradient;
        Gradient { point: DVec3::from_array(point), vector: DVec3::from_array(vector), owner, depth }
    }
}
