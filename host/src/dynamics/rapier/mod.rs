//! Fragments as shapes of Rapier's: a bridge for those who have a physics world of their own.
//!
//! Three lines make Rapier collide fragments with each other and with every shape of its own:
//!
//! ```
//! use std::sync::Arc;
//! use fracas::dynamics::rapier::{FragmentDispatcher, FragmentShape};
//! use fracas::fragment::{Fragment, Solid, SolidOptions, cuboid_tets};
//! use rapier3d::parry::query::{DefaultQueryDispatcher, QueryDispatcher};
//! use rapier3d::prelude::*;
//! use glam::DVec3;
//!
//! let mut world = PhysicsWorld::new();
//! world.narrow_phase.set_query_dispatcher(FragmentDispatcher.chain(DefaultQueryDispatcher));
//!
//! let solid = Solid::new(&cuboid_tets(DVec3::splat(0.5), [3; 3])?, &SolidOptions::default())?;
//! let shape = FragmentShape::new(Arc::new(Fragment::whole(&solid)));
//! let body = world.insert_body(RigidBodyBuilder::dynamic().translation(Vector::Y));
//! world.insert_collider(ColliderBuilder::new(shape.shared()), Some(body));
//! world.insert_collider(ColliderBuilder::cuboid(5.0, 0.5, 5.0).translation(Vector::new(0.0, -0.5, 0.0)), None);
//! (0..120).for_each(|_| world.step());
//! assert!((world.bodies[body].translation().y - 0.5).abs() < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What Rapier does with contacts, and what it means here:
//! - A manifold has one normal and at most four points that the solver looks at, and with `contact_clustering`, which is on by default,
//!   Rapier makes one of those that differ by less than some five degrees. So contacts are told in one manifold for each direction,
//!   with four points that are chosen here: what touches, what touched before, and what is far from the others.
//! - With `contact_recycling`, on by default, Rapier does not ask a dispatcher about pairs that have hardly moved. Fragments do not
//!   change, so that is safe; one that breaks is removed, and its pieces come as other colliders.
//! - A dispatcher that does not know a pair is not asked again, and the body falls through the floor in silence. This one knows
//!   every pair that has a fragment in it. Serialising a narrow phase drops the dispatcher: set it again.
//! - Colliders of one body never meet: give every fragment a body of its own.
//! - Every shape of Rapier's is met. Meshes, height fields and triangles have no inside: they push to the side that the middle
//!   of the fragment is on. Segments and polylines are wires, which only push where they are in a fragment; they have no other
//!   meaning.

mod breaker;
mod dispatch;
mod manifold;
mod other;
mod shape;

pub use breaker::{BreakError, BrokenFragment, FragmentBreaker};
pub use dispatch::FragmentDispatcher;
pub use shape::FragmentShape;
