//! Procedural shapes: everything that the scenes of the five papers need, made from a few numbers.
//!
//! Every solid is watertight by index (positions are shared, also along seams), turned outwards and free of
//! self-intersections at any resolution. Lengths are metres, y is up, and a shape is centred on the origin unless its
//! documentation says that it stands on y = 0. The same options give the same bytes on any number of threads.

mod arena;
mod cloth;
mod column;
mod cuboid;
mod error;
mod figures;
mod implicit;
mod isosurface;
mod loft;
mod plate;
mod primitive;
mod rectilinear;
mod revolve;
mod shelf;
mod sphere;
mod torus;

#[cfg(test)]
mod testing;

pub use arena::{Arena, ArenaMaterial, ArenaPart};
pub use cloth::Cloth;
pub use column::Column;
pub use cuboid::{Brick, BrickWall, Cuboid, PlacedBrick, cuboid, subdivided_cuboid};
pub use error::{LENGTHS, MAX_TRIANGLES, ShapeError};
pub use figures::{Figure, FigureOptions, PiggyBank, figure};
pub use implicit::{Field, Operation, Part, Relief, Sculpture, pebbles, smooth_min};
pub use isosurface::{isosurface, isosurface_of_size};
pub use plate::{Dish, Plate};
pub use primitive::Primitive;
pub use revolve::{Cylinder, Revolve, revolve};
pub use shelf::Shelf;
pub use sphere::{Sphere, UvSphere};
pub use torus::{Torus, TorusChain};
