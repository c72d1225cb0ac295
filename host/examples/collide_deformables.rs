//! A rubber ring falls onto another one; rays find where they overlap. Prints what happens.

use fracas::dynamics::deformable::{DeformableBody, DeformableOptions, DeformableWorld, ElasticMaterial, torus_tets};
use fracas::geometry::{Plane, TetMesh, shapes::Torus};
use glam::DVec3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Any tetrahedral mesh will do; its outer faces are what collides.
    let mesh = torus_tets(&Torus::default())?;
    let material = ElasticMaterial { young: 2e5, ..ElasticMaterial::default() };
    let at = |shift: DVec3| {
        let positions = mesh.positions.iter().map(|&position| position + shift).collect();
        DeformableBody::new(TetMesh { positions, tets: mesh.tets.clone() }, material)
    };

    let ground = Some(Plane::through(DVec3::ZERO, DVec3::Y));
    let mut world = DeformableWorld::new(DeformableOptions { ground, ..DeformableOptions::default() });
    world.add(&at(DVec3::new(0.0, 0.1, 0.0)))?;
    let falling = world.add(&at(DVec3::new(0.3, 0.5, 0.05)))?;
    for frame in 0..120 {
        let statistics = world.step(1.0 / 60.0)?;
        if frame % 15 == 0 {
            let height = world.surface(falling).aabb().min.y;
            println!(
                "{frame:3}: {height:.3} m above the ground, {} contacts, {} iterations, {:.1?}",
                statistics.contacts,
                statistics.iterations,
                statistics.total()
            );
        }
    }
    println!("hash {:016x}", world.hash());
    Ok(())
}
