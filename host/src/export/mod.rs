//! Pictures and files for other programs.
//!
//! [`render()`] draws meshes on the CPU: no window, no GPU, the same pixels on any number of threads.
//!
//! ```
//! use fracas::export::{self, Camera, Coloring, Drawable, RenderOptions};
//! use fracas::geometry::{Pose, TriMesh};
//! use glam::DVec3;
//!
//! let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]);
//! let options = RenderOptions { width: 160, height: 90, ground: Some(0.0), ..RenderOptions::default() };
//! let camera = Camera::framing(mesh.aabb(), 16.0 / 9.0);
//! let drawable = Drawable { mesh: &mesh, pose: Pose::IDENTITY, coloring: Coloring::Uniform(export::body_color(0)) };
//! let image = export::render(&[drawable], &camera, &options)?;
//! assert_eq!(image.pixels.len(), 160 * 90);
//! # Ok::<(), export::RenderError>(())
//! ```

mod apng;
mod base64;
mod bin;
mod camera;
mod clip;
mod color;
mod cut_away;
mod fields;
mod floor_sky;
mod ground;
mod haze;
mod height_map;
mod image;
mod measured;
mod page;
mod piece;
mod plot;
mod raster;
mod recorded;
mod render;
mod report;
mod scene;
mod shade;
mod sky;
mod still;
pub mod stream;
mod sun;
mod ticks;

#[cfg(test)]
mod still_tests;
#[cfg(test)]
mod test_scene;
#[cfg(test)]
mod tests;

pub use apng::Animation;
pub(crate) use base64::base64;
pub use camera::Camera;
pub use color::body_color;
pub use image::{Image, ImageError};
pub use measured::Measured;
pub use page::{Compression, Page, Source};
pub use piece::{PieceMesh, crease_normals, piece_mesh};
pub use plot::{Mark, Plot, Series};
pub use recorded::{ExportError, ExportFormat, ExportOptions, Exported, export_recording};
pub use render::{Background, RenderError, RenderOptions, render, render_with_particles};
pub use report::{Replay, Report, Table};
pub use scene::{Coloring, Drawable};
pub use still::{ColorBy, Picture, draw_mesh, draw_meshes, draw_recording};
pub use ticks::AxisScale;
