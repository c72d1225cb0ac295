//! Meshes as a stream of one frame: pieces that a command made, to be looked at.

use super::messages::{Birth, Frame, Hello, Messages};
use crate::geometry::TriMesh;

/// Meshes that stand still, each a piece with its name. Volumes are those of closed meshes; nobody knows of what they are.
///
/// ```
/// use fracas::export::stream::stream_of_meshes;
/// use fracas::geometry::shapes;
/// use glam::DVec3;
///
/// let stream = stream_of_meshes("one box", &[("box".to_owned(), shapes::cuboid(DVec3::ONE))]);
/// assert!(stream.starts_with(b"FRACASV\n"));
/// ```
pub fn stream_of_meshes(title: &str, pieces: &[(String, TriMesh)]) -> Vec<u8> {
    let mut messages = Messages::begin();
    messages.hello(&Hello { frames: 1, seconds_per_frame: 1.0 / 60.0, scene: title, ..Hello::default() });
    for (number, (name, mesh)) in (0..).zip(pieces) {
        let volume = mesh.mass_properties().volume as f32;
        messages.shape(number, mesh, false);
        messages.birth(&Birth {
            piece: number,
            mass: f32::NAN,
            volume: if volume > 0.0 { volume } else { f32::NAN },
            looks: &[[0, number]],
            name,
            ..Birth::default()
        });
    }
    let unturned = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let poses: Vec<(u32, [f32; 7])> = (0..pieces.len() as u32).map(|piece| (piece, unturned)).collect();
    messages.frame(&Frame { moved: &poses, ..Frame::default() });
    messages.end("");
    messages.into_bytes()
}
