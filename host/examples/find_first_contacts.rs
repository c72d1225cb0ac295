//! Finds what touches while meshes move, and lets one break on the way: `find_first_contacts`, or
//! `find_first_contacts FRAME0.ply FRAME1.ply` for two frames of a mesh of your own.

use fracas::bvh::{Candidate, MeshTree, MeshTreeOptions};
use fracas::ccd::Options;
use fracas::geometry::{TriMesh, io, shapes};
use glam::DVec3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ball = shapes::Sphere { radius: 0.5, frequency: 8 }.mesh()?;
    let at = |mesh: &TriMesh, shift: DVec3| -> Vec<DVec3> { mesh.positions.iter().map(|&p| p + shift).collect() };
    let mut frames: Vec<String> = std::env::args().skip(1).collect();
    let (mesh, to) = match (frames.pop(), frames.pop()) {
        (Some(end), Some(start)) => (io::read_tri_mesh(start)?, io::read_tri_mesh(end)?.positions),
        _ => (ball.clone(), at(&ball, 3.0 * DVec3::X)),
    };

    // Bodies are added where they start; those that move are told where they go, and one update is one step.
    let mut tree = MeshTree::new(MeshTreeOptions::default());
    let moving = tree.add(&mesh)?;
    let wall = tree.add(&TriMesh::new(at(&ball, 2.0 * DVec3::X), ball.triangles.clone()))?;
    tree.move_to(moving, &to)?;
    tree.update();
    let (contacts, counts) = tree.contacts(&Options::default())?;
    println!("{} contacts by {} tests", contacts.len(), counts.vertex_face_tests + counts.edge_edge_tests);
    if let (Some(first), _) = tree.first_contact(&Options::default())? {
        let what = if matches!(first.candidate, Candidate::VertexFace { .. }) { "vertex-face" } else { "edge-edge" };
        println!("the first, {what}, is at {:.4} of the step; way out {:.2}", first.time, first.normal);
    }

    // The wall breaks in two. Only what is new is built; the rest of the tree stays.
    let halves = [-1.0, 1.0].map(|side| TriMesh::new(at(&ball, DVec3::new(2.0, 0.0, side)), ball.triangles.clone()));
    let pieces = tree.split(wall, &halves)?;
    tree.move_to(pieces[0], &at(&halves[0], DVec3::Z))?;
    tree.update();
    let contacts = tree.contacts(&Options::default())?.0.len();
    println!("{contacts} contacts after the break, and {} pairs of pieces along cracks", tree.cracks().len());
    Ok(())
}
