//! The shapes that a scene can name.

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;
use serde::Deserialize;

use crate::geometry::{PolyMesh, TriMesh, shapes};

/// A procedural shape and its parameters, as `shape.sphere = { radius = 0.2 }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Shape {
    Arena(shapes::Arena),
    Brick(shapes::Brick),
    BrickWall(shapes::BrickWall),
    Chain(shapes::TorusChain),
    Cloth(shapes::Cloth),
    Column(shapes::Column),
    Cuboid(shapes::Cuboid),
    Cylinder(shapes::Cylinder),
    Dish(shapes::Dish),
    Figure(shapes::FigureOptions),
    PiggyBank(shapes::PiggyBank),
    Plate(shapes::Plate),
    Revolve(shapes::Revolve),
    Shelf(shapes::Shelf),
    Sphere(shapes::Sphere),
    Torus(shapes::Torus),
}

/// One of the bodies that a shape is made of.
#[derive(Clone)]
pub(super) struct Part {
    /// Around its own origin.
    pub(super) mesh: Arc<TriMesh>,
    /// The same with its polygons, if it was made of such.
    pub(super) polygons: Option<Arc<PolyMesh>>,
    /// Where its origin is in the shape.
    pub(super) offset: DVec3,
}

/// What suits a shape best for collision.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Natural {
    Ball { radius: f64 },
    Box,
    Hull,
    Surface,
}

impl Shape {
    /// The bodies that the shape is made of; most are one.
    pub(super) fn parts(&self) -> Result<Vec<Part>, shapes::ShapeError> {
        let mesh = match self {
            Shape::Arena(arena) => {
                let parts = arena.parts()?.into_par_iter();
                return Ok(parts
                    .map(|part| Part {
                        mesh: Arc::new(part.mesh.to_tri_mesh()),
                        polygons: Some(Arc::new(part.mesh)),
                        offset: DVec3::ZERO,
                    })
                    .collect());
            }
            Shape::BrickWall(wall) => {
                return Ok(share(wall.bricks()?.into_iter().map(|brick| (brick.mesh, brick.offset))));
            }
            Shape::Chain(chain) => return Ok(share(chain.meshes()?.into_iter().map(|mesh| (mesh, DVec3::ZERO)))),
            Shape::Brick(shape) => shape.mesh()?,
            Shape::Cloth(shape) => shape.mesh()?,
            Shape::Column(shape) => shape.mesh()?,
            Shape::Cuboid(shape) => shape.mesh()?,
            Shape::Cylinder(shape) => shape.mesh()?,
            Shape::Dish(shape) => shape.mesh()?,
            Shape::Figure(shape) => shape.mesh()?,
            Shape::PiggyBank(shape) => shape.mesh()?,
            Shape::Plate(shape) => shape.mesh()?,
            Shape::Revolve(shape) => shape.mesh()?,
            Shape::Shelf(shape) => shape.mesh()?,
            Shape::Sphere(shape) => shape.mesh()?,
            Shape::Torus(shape) => shape.mesh()?,
        };
        Ok(vec![Part { mesh: Arc::new(mesh), polygons: None, offset: DVec3::ZERO }])
    }

    /// What suits the shape best for collision.
    pub(super) fn natural(&self) -> Natural {
        match self {
            Shape::Sphere(sphere) => Natural::Ball { radius: sphere.radius },
            Shape::Brick(_) | Shape::BrickWall(_) | Shape::Cuboid(_) => Natural::Box,
            Shape::Cloth(_) => Natural::Surface,
            _ => Natural::Hull,
        }
    }
}

/// Parts that look alike share one mesh.
fn share(parts: impl Iterator<Item = (TriMesh, DVec3)>) -> Vec<Part> {
    let mut distinct: Vec<Arc<TriMesh>> = Vec::new();
    parts
        .map(|(mesh, offset)| {
            // A wall has two kinds of brick; a chain's links all differ, so looking far back would be for nothing.
            let known = distinct.iter().rev().take(2).find(|known| ***known == mesh).cloned();
            let mesh = known.unwrap_or_else(|| {
                distinct.push(Arc::new(mesh));
                Arc::clone(&distinct[distinct.len() - 1])
            });
            Part { mesh, polygons: None, offset }
        })
        .collect()
}
