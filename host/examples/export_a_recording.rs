//! Lets a brick fall, records it and writes an animated file for other programs: `export_a_recording brick.glb`.

use std::ops::ControlFlow;
use std::path::Path;

use fracas::export::{ExportFormat, ExportOptions, export_recording};
use fracas::geometry::{Pose, shapes};
use fracas::recording::{Recording, RecordingHeader, RecordingWriter, VERSION};
use fracas::world::{BodyDescription, Representation, World, WorldOptions};
use glam::{DQuat, DVec3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args().nth(1).ok_or("usage: export_a_recording FILE.glb")?;
    let (size, seconds_per_frame, frames) = (DVec3::new(0.2, 0.1, 0.1), 1.0 / 60.0, 90);
    let mut world = World::new(&WorldOptions::default());
    world.add_ground(0.0)?;
    let pose = Pose::new(DQuat::from_rotation_z(0.4), DVec3::Y);
    let brick =
        BodyDescription::new("brick", shapes::cuboid(size), Representation::Cuboid { half_extents: 0.5 * size });
    world.add(BodyDescription { pose, ..brick })?;

    let scene = "a brick falls".to_owned();
    let (camera, field_of_view, ground) = (None, None, Some(0.0));
    let header = RecordingHeader { version: VERSION, scene, seconds_per_frame, frames, camera, field_of_view, ground };
    let path = Path::new("brick.fracas");
    let mut writer = RecordingWriter::create(path, &header)?;
    for _ in 0..frames {
        writer.write_frame(&world)?;
        world.step(seconds_per_frame)?;
    }
    writer.finish(&serde_json::json!({}))?;

    let go_on = |_| ControlFlow::Continue(());
    let options = ExportOptions::default();
    let made = export_recording(&Recording::open(path)?, ExportFormat::Glb, Path::new(&out), &options, go_on)?;
    println!("{out}: {} frames, {} bytes", made.frames, made.bytes);
    Ok(())
}
