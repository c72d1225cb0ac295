//! What colours by a measure ask: how deep a point is in something.

use glam::DVec3;
use rayon::prelude::*;

use super::measured::{Measured, contact_color, depth_color};
use super::still::Thing;
use crate::geometry::{Aabb, Pose, SignedDistance, TriMesh};

/// The largest gap and the depth at the end of the scale, as a part of the size of the middle one of all bodies.
const CONTACT_SCALE: f64 = 0.02;

/// The deepest point of a solid is looked for on a grid of so many points along each side, and from there on.
const GRID: usize = 20;

/// The distance fields of things; none of what is not closed.
pub(super) fn fields_of(things: &[Thing<'_>]) -> Vec<Option<SignedDistance>> {
    let field = |thing: &Thing<'_>| {
        let mut all = TriMesh::default();
        thing.meshes.iter().for_each(|mesh| all.append(&TriMesh::new(mesh.positions.clone(), mesh.triangles.clone())));
        SignedDistance::new(&all).ok()
    };
    things.par_iter().map(field).collect()
}

/// How deep the deepest point of a solid is, to about a twentieth of that.
pub(super) fn deepest(field: &SignedDistance, bounds: Aabb) -> f64 {
    let step = bounds.size() / GRID as f64;
    let depth = |place: usize| {
        let place = [place % GRID, place / GRID % GRID, place / (GRID * GRID)];
        let at = bounds.min + step * DVec3::from_array(place.map(|place| place as f64 + 0.5));
        -field.at(at)
    };
    (0..GRID * GRID * GRID).into_par_iter().map(depth).reduce(|| 0.0, f64::max).max(1e-6 * bounds.diagonal())
}

/// Colours of how deep points of a thing are below the surface of a solid, in whose coordinates the thing has a pose.
pub(super) fn below_surface(field: &SignedDistance, deepest: f64, pose: Pose) -> Measured<'_> {
    Measured(Box::new(move |point| depth_color(-field.at(pose.transform_point(point)) / deepest)))
}

/// Who can touch whom, and how near is near.
pub(super) struct Neighbourhood<'a> {
    things: &'a [Thing<'a>],
    fields: &'a [Option<SignedDistance>],
    near: Vec<Vec<usize>>,
    ground: Option<f64>,
    scale: f64,
}

impl<'a> Neighbourhood<'a> {
    pub(super) fn new(things: &'a [Thing<'a>], fields: &'a [Option<SignedDistance>], ground: Option<f64>) -> Self {
        let mut sizes: Vec<f64> = things.iter().map(|thing| thing.bounds.diagonal()).collect();
        sizes.sort_unstable_by(f64::total_cmp);
        let scale = CONTACT_SCALE * sizes.get(sizes.len() / 2).copied().unwrap_or(1.0);
        let of = |one: usize| {
            let reach = things[one].bounds.expanded(scale);
            let can =
                |&other: &usize| other != one && fields[other].is_some() && reach.intersects(&things[other].bounds);
            (0..things.len()).filter(can).collect()
        };
        let near = (0..things.len()).into_par_iter().map(of).collect();
        Neighbourhood { things, fields, near, ground, scale }
    }

    /// Colours of how deep points of a thing are in others.
    pub(super) fn contact(&self, thing: usize) -> Measured<'_> {
        let pose = self.things[thing].pose;
        let others: Vec<_> = self.near[thing]
            .iter()
            .filter_map(|&other| Some((self.things[other].pose.inverse(), self.fields[other].as_ref()?)))
            .collect();
        Measured(Box::new(move |point| {
            let world = pose.transform_point(point);
            let floor = self.ground.map_or(f64::NEG_INFINITY, |ground| ground - world.y);
            let depth = |(inverse, field): &(Pose, &SignedDistance)| -field.at(inverse.transform_point(world));
            contact_color(others.iter().map(depth).fold(floor, f64::max) / self.scale)
        }))
    }
}
