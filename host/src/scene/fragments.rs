//! Bodies of a scene that are fragments of tetrahedral meshes.

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;
use toml::Spanned;

use super::build::Builder;
use super::error::SceneError;
use super::file::{BodyFile, BreakageFile, ModalFile};
use super::shape::{Part as ShapePart, Shape};
use crate::fragment::{
    Brittleness, CrackModel, Elasticity, Fragment, FragmentBody, FragmentBreakage, MesherOptions, ModalModel,
    ModalOptions, Solid, SolidOptions, cuboid_tets, tetrahedralise,
};
use crate::geometry::TetMesh;
use crate::world::{BodyDescription, FractureTrigger};

/// Cells along the longest side of a body that does not say how long its edges are.
const CELLS: f64 = 16.0;

/// The finest edges, relative to the size of a body.
const FINEST: f64 = 1.0 / 256.0;

impl Builder<'_> {
    /// The bodies that a shape is, as tetrahedra that break.
    pub(super) fn fragment_bodies(
        &self,
        file: &BodyFile,
        breakage: &Spanned<BreakageFile>,
        parts: &[ShapePart],
        trigger: Option<FractureTrigger>,
    ) -> Result<Vec<(BodyDescription, DVec3)>, SceneError> {
        let breaks = breakage.get_ref();
        let refused = |problem: String| {
            self.source.mistake(breakage.span(), format!("body `{}` cannot break: {problem}", file.name))
        };
        if let (Some(_), Some(modal)) = (&breaks.pattern, &breaks.modal) {
            return Err(self.source.mistake(modal.span(), "found both `pattern` and `modal`, expected one of them"));
        }
        let density = self.material(file.material.as_ref())?.density;
        let modal = breaks.modal.as_ref().map(|modal| self.modal(modal, density)).transpose()?;
        let pattern = breaks.pattern.as_ref().map(|pattern| self.seed_pattern(pattern)).transpose()?;
        let radius = self.optional("radius", &breaks.radius)?;
        let body = |(number, part): (usize, &ShapePart)| {
            let mesh = self.tetrahedra(file, breaks, part)?.map_err(refused)?;
            let solid = Solid::new(&mesh, &SolidOptions::default()).map_err(|error| refused(error.to_string()))?;
            let cracks = match (&pattern, &modal) {
                (Some(seeds), _) => CrackModel::Pattern { seeds: seeds.clone(), radius },
                (None, Some((options, brittleness))) => CrackModel::Modal {
                    model: Arc::new(ModalModel::new(&mesh, options).map_err(|error| refused(error.to_string()))?),
                    brittleness: *brittleness,
                },
                (None, None) => {
                    return Err(refused("it has neither `pattern` nor `modal`, expected one of them".to_owned()));
                }
            };
            let name = if parts.len() == 1 { file.name.clone() } else { format!("{}[{number}]", file.name) };
            let body = FragmentBody::new(Arc::new(Fragment::whole(&solid)), Arc::new(FragmentBreakage { cracks }));
            Ok((BodyDescription { trigger, ..body.describe(name) }, part.offset))
        };
        parts.par_iter().enumerate().map(body).collect()
    }

    /// The tetrahedra of a part; a cuboid has them exactly.
    fn tetrahedra(
        &self,
        file: &BodyFile,
        breaks: &BreakageFile,
        part: &ShapePart,
    ) -> Result<Result<TetMesh, String>, SceneError> {
        let size = part.mesh.aabb().size();
        let largest = size.max_element();
        let length = self.source.within("cell", &breaks.cell, largest / CELLS, FINEST * largest..=largest)?;
        let stretch = match &breaks.stretch {
            Some(stretch) => self.source.vector("stretch", stretch)?,
            None => DVec3::ONE,
        };
        Ok(match file.shape.as_ref().map(Spanned::get_ref) {
            Some(Shape::Cuboid(_)) => {
                let counts = (size / (length * stretch)).round().max(DVec3::ONE).as_uvec3();
                cuboid_tets(0.5 * size, counts.to_array()).map_err(|error| error.to_string())
            }
            _ => {
                let options = MesherOptions { cell: Some(length), stretch, ..MesherOptions::default() };
                tetrahedralise(&part.mesh, &options).map(|meshed| meshed.mesh).map_err(|error| error.to_string())
            }
        })
    }

    fn modal(&self, file: &Spanned<ModalFile>, density: f64) -> Result<(ModalOptions, Brittleness), SceneError> {
        let (elastic, brittle) = (Elasticity::default(), Brittleness::default());
        let (span, file) = (file.span(), file.get_ref());
        let source = self.source;
        let options = ModalOptions {
            elasticity: Elasticity {
                young: source.positive("young", &file.young, elastic.young)?,
                poisson: source.within("poisson", &file.poisson, elastic.poisson, 0.0..=0.49)?,
                density,
            },
            modes: source.count_within("modes", &file.modes, ModalOptions::default().modes as u32, 1..=500)? as usize,
        };
        let brittleness = Brittleness {
            strength: source.positive("strength", &file.strength, brittle.strength)?,
            arrest: source.within("arrest", &file.arrest, brittle.arrest, 0.0..=1.0)?,
            toughness: source.positive("toughness", &file.toughness, brittle.toughness)?,
            relief: source.positive("relief", &file.relief, brittle.relief)?,
            most_cracks: source.count("most_cracks", &file.most_cracks, brittle.most_cracks as u32, 10_000)? as usize,
            least_nodes: source.count("least_nodes", &file.least_nodes, brittle.least_nodes as u32, 1_000_000)?
                as usize,
        };
        brittleness.check().map_err(|error| source.mistake(span, error.to_string()))?;
        Ok((options, brittleness))
    }
}
