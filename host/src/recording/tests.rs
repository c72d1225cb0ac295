use std::collections::BTreeMap;

use glam::DVec3;

use super::*;
use crate::geometry::{Pose, TriMesh, shapes};
use crate::world::{BodyDescription, BodyId, Representation, World, WorldOptions};

fn header() -> RecordingHeader {
    RecordingHeader {
        version: VERSION,
        scene: "test".into(),
        seconds_per_frame: 0.01,
        frames: 40,
        camera: None,
        field_of_view: None,
        ground: Some(0.0),
    }
}

/// The number and the pose of every body, for each frame.
type Poses = Vec<Vec<(u32, Pose)>>;

/// Two boxes fall; one is taken out in frame 20. Gives the bytes of the file, the boxes' poses in every frame, and the
/// length of the file after each frame.
fn record(finish: bool) -> (Vec<u8>, Poses, Vec<usize>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fracas");
    let mut writer = RecordingWriter::create(&path, &header()).unwrap();
    let mut world = World::new(&WorldOptions::default());
    world.add_ground(0.0).unwrap();
    let mut mesh = shapes::cuboid(DVec3::ONE);
    mesh.normals = Some(mesh.vertex_normals());
    mesh.colors = Some(vec![[1, 2, 3, 255]; mesh.positions.len()]);
    let mesh = std::sync::Arc::new(mesh);
    for height in [1.0, 3.0] {
        let cuboid = Representation::Cuboid { half_extents: DVec3::splat(0.5) };
        let pose = Pose::at(DVec3::new(0.3 * height, height, 0.0));
        world.add(BodyDescription { pose, ..BodyDescription::new("box", mesh.clone(), cuboid) }).unwrap();
    }
    let (mut poses, mut lengths) = (Vec::new(), Vec::new());
    for frame in 0..40 {
        if frame == 20 {
            world.remove(BodyId(1)).unwrap();
        }
        writer.write_frame(&world).unwrap();
        lengths.push(std::fs::metadata(&path).unwrap().len() as usize);
        poses.push(world.bodies().map(|(id, _)| (id.0, world.pose(id).unwrap())).collect());
        world.step(0.01).unwrap();
    }
    if finish {
        writer.finish(&serde_json::json!({"frames": 40})).unwrap();
    } else {
        drop(writer);
    }
    (std::fs::read(&path).unwrap(), poses, lengths)
}

#[test]
fn contacts_of_a_frame_are_those_of_the_world_that_touch() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fracas");
    let mut writer = RecordingWriter::create(&path, &header()).unwrap();
    let mut world = World::new(&WorldOptions::default());
    let ground = world.add_ground(0.0).unwrap();
    let cuboid = Representation::Cuboid { half_extents: DVec3::splat(0.5) };
    let body = BodyDescription::new("box", shapes::cuboid(DVec3::ONE), cuboid);
    let body = world.add(BodyDescription { pose: Pose::at(DVec3::new(0.0, 0.6, 0.0)), ..body }).unwrap();
    let mut counts = Vec::new();
    for _ in 0..40 {
        writer.write_frame(&world).unwrap();
        let touches = |contact: &&crate::world::BodyContact| contact.contact.depth >= 0.0 || contact.impulse > 0.0;
        counts.push(world.contacts().iter().filter(touches).count());
        world.step(0.01).unwrap();
    }
    drop(writer);
    let recording = Recording::open(&path).unwrap();
    let found: Vec<usize> = (0..40).map(|frame| recording.contacts(frame).len()).collect();
    assert_eq!(found, counts);
    assert_eq!((counts[0], counts[39]), (0, 4));
    for contact in recording.contacts(39) {
        assert_eq!(contact.bodies, [ground.0, body.0]);
        // The normal pushes the ground away from the box.
        assert!(contact.normal.y < -0.99 && contact.point.y.abs() < 0.01 && contact.depth.abs() < 0.01, "{contact:?}");
    }
}

fn assert_same(recording: &Recording, expected: &[Vec<(u32, Pose)>]) {
    assert_eq!(recording.frames.len(), expected.len());
    for (frame, expected) in expected.iter().enumerate() {
        let found: Vec<_> = recording.bodies_at(frame as u32).map(|(id, _, pose)| (id, pose)).collect();
        assert_eq!(found.len(), expected.len(), "frame {frame}");
        for ((found_id, found), (id, pose)) in found.iter().zip(expected) {
            assert_eq!(found_id, id);
            assert!((found.translation - pose.translation).length() < 1e-6);
            assert!(found.rotation.dot(pose.rotation).abs() > 1.0 - 1e-6);
        }
    }
}

#[test]
fn what_was_written_is_read() {
    let (file, poses, _) = record(true);
    let recording = Recording::from_bytes(&file, "run").unwrap();
    assert_eq!(recording.header, header());
    assert_same(&recording, &poses);
    assert_eq!(recording.summary, Some(serde_json::json!({"frames": 40})));
    // The ground's empty mesh and one mesh that both boxes share.
    assert_eq!(recording.meshes.len(), 2);
    let body = &recording.bodies[&1];
    assert_eq!((body.name.as_str(), body.born, body.gone), ("box", 0, 20));
    assert_eq!(recording.meshes[1].colors.as_ref().unwrap()[3], [1, 2, 3, 255]);
    assert_eq!(recording.meshes[1].triangles, shapes::cuboid(DVec3::ONE).triangles);
}

#[test]
fn a_recording_cut_anywhere_opens_up_to_its_last_whole_frame() {
    let (file, poses, lengths) = record(false);
    for length in (lengths[0]..file.len()).step_by(37) {
        let recording = Recording::from_bytes(&file[..length], "run").unwrap();
        let whole = lengths.partition_point(|&end| end <= length);
        assert!(recording.frames.len() >= whole);
        assert_same(&recording, &poses[..recording.frames.len()]);
        assert_eq!(recording.summary, None);
    }
    assert!(Recording::from_bytes(&file[..20], "run").is_err());
}

#[test]
fn damage_is_reported_and_never_panics() {
    let (file, poses, _) = record(true);
    let mut refused = 0;
    let mut random = crate::random::Random::new(1);
    for _ in 0..2000 {
        let mut damaged = file.clone();
        let place = random.next_u64() as usize % file.len();
        damaged[place] ^= 1 << (random.next_u64() % 8);
        match Recording::from_bytes(&damaged, "run") {
            Err(_) => refused += 1,
            // Damage in the payload of the last chunk reads as a recording that was cut short there.
            Ok(recording) => {
                assert!(recording.summary.is_none(), "byte {place}");
                assert_same(&recording, &poses);
            }
        }
    }
    assert!(refused > 1900);
    assert!(matches!(Recording::from_bytes(b"solid cube", "run"), Err(RecordingError::NotARecording { .. })));
    for version in [VERSION - 1, VERSION + 1] {
        let other = RecordingHeader { version, ..header() };
        let mut file = MAGIC.to_vec();
        chunk::write(&mut file, b"HEAD", &serde_json::to_vec(&other).unwrap()).unwrap();
        assert!(
            matches!(Recording::from_bytes(&file, "run"), Err(RecordingError::Version { found, .. }) if found == version)
        );
    }
}

#[test]
fn bodies_that_came_and_went_within_a_frame_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fracas");
    let mut writer = RecordingWriter::create(&path, &header()).unwrap();
    let mut world = World::new(&WorldOptions::default());
    let mesh = std::sync::Arc::new(shapes::cuboid(DVec3::ONE));
    let mut last = BodyId(0);
    for number in 0..66_000 {
        let cuboid = Representation::Cuboid { half_extents: DVec3::splat(0.5) };
        let description = BodyDescription::new("box", mesh.clone(), cuboid);
        last = world.add(description).unwrap();
        if number > 0 {
            world.remove(BodyId(number - 1)).unwrap();
        }
    }
    writer.write_frame(&world).unwrap();
    drop(writer);
    let recording = Recording::open(&path).unwrap();
    assert_eq!(recording.bodies.keys().copied().collect::<Vec<_>>(), [last.0]);
}

#[test]
fn two_runs_do_not_write_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fracas");
    let first = RecordingWriter::create(&path, &header()).unwrap();
    let second = RecordingWriter::create(&path, &header()).err().unwrap().to_string();
    assert!(second.ends_with("another run is writing it"), "{second}");
    drop(first);
    assert!(RecordingWriter::create(&path, &header()).is_ok());
}

/// Three particles for each face, which stay.
#[derive(Default)]
struct Specks(Vec<crate::dynamics::Particle>);

impl crate::dynamics::ParticleSystem for Specks {
    fn emit(&mut self, faces: &crate::world::ExposedFaces, pose: &Pose, _: crate::world::Velocity, _: DVec3, _: u64) {
        let points = faces.faces().flat_map(|(corners, _)| corners.iter().map(|&corner| pose.transform_point(corner)));
        let speck = |point: DVec3| crate::dynamics::Particle { position: point.as_vec3(), radius: 0.25, opacity: 0.2 };
        self.0.extend(points.map(speck));
    }

    fn step(&mut self, _: f64) {}

    fn particles(&self) -> &[crate::dynamics::Particle] {
        &self.0
    }
}

#[test]
fn looks_that_change_and_particles_are_recorded() {
    use crate::world::test_lattice::Lattice;
    use crate::world::{Impact, Motion};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fracas");
    let mut writer = RecordingWriter::create(&path, &header()).unwrap();
    let mut world = World::new(&WorldOptions { gravity: DVec3::ZERO, ..WorldOptions::default() });
    world.set_dust(Some(Box::new(Specks::default())));
    let lattice = Lattice::new([8, 1, 1], 1.0).describe(Motion::Fixed);
    let id = world.add(lattice.clone()).unwrap();
    let copy = world.add(BodyDescription { pose: Pose::at(DVec3::Y * 9.0), ..lattice }).unwrap();
    for frame in 0..6 {
        if frame == 2 || frame == 4 {
            let x = f64::from(frame) - 3.5;
            world.fracture(id, &Impact { radius: Some(0.6), ..Impact::at(DVec3::X * x) }).unwrap();
        }
        writer.write_frame(&world).unwrap();
        world.step(0.01).unwrap();
    }
    writer.finish(&serde_json::json!({})).unwrap();
    let recording = Recording::open(&path).unwrap();
    let keys = |id: BodyId, frame: u32| -> Vec<u32> {
        let mut keys: Vec<u32> = recording.bodies[&id.0].looks(frame).map(|look| look.key).collect();
        keys.sort_unstable();
        keys
    };
    assert_eq!(keys(id, 1), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(keys(id, 2), [0, 1, 3, 4, 5, 6, 7]);
    assert_eq!(keys(id, 3), [0, 1, 3, 4, 5, 6, 7]);
    assert_eq!(keys(id, 5), [0, 1, 3, 5, 6, 7]);
    assert_eq!(keys(copy, 5).len(), 8);
    assert_eq!(recording.bodies_at(5).count(), 4);
    // Eight that the two lattices share, and one for each piece.
    assert_eq!(recording.meshes.len(), 10);
    assert_eq!([0, 2, 3, 5].map(|frame| recording.particles(frame).len()), [0, 3, 3, 6]);
    let speck = recording.particles(2)[0];
    assert_eq!((speck.radius, speck.opacity), (0.25, 0.2));
    assert!(recording.particles(6).is_empty());
    let picture = crate::export::Picture { width: 64, height: 36, ..Default::default() };
    let images = [1, 3].map(|frame| crate::export::draw_recording(&recording, frame, &picture).unwrap());
    assert!(images[0] != images[1]);
}

/// A cube that is dented, breaks in two in frame 2, and whose first half deforms further.
fn record_changes() -> (Vec<u8>, Vec<BTreeMap<u32, TriMesh>>) {
    use crate::animation::{Change, NewPiece};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fracas");
    let mut writer = RecordingWriter::create(&path, &header()).unwrap();
    let mut cube = shapes::subdivided_cuboid(DVec3::ONE, [3, 3, 3]).unwrap();
    cube.normals = Some(cube.vertex_normals());
    cube.colors = Some(vec![[9, 8, 7, 255]; cube.positions.len()]);
    let at = |mesh: &TriMesh, shift: f64| -> Vec<DVec3> {
        mesh.positions.iter().map(|&position| position * (1.0 + 0.1 * shift * position.x) + shift).collect()
    };
    let half = shapes::cuboid(DVec3::new(0.5, 1.0, 1.0));
    let piece = |key: u32| NewPiece { key, mesh: half.clone(), old_faces: Vec::new() };
    let frames = [
        vec![Change::Add { key: 3, mesh: cube.clone() }],
        vec![Change::Move { key: 3, positions: at(&cube, 1.0) }],
        vec![
            Change::Split { key: 3, pieces: [5, 6].map(piece).into() },
            Change::Move { key: 5, positions: at(&half, 2.0) },
        ],
        vec![],
        vec![Change::Move { key: 5, positions: at(&half, 3.0) }, Change::Move { key: 6, positions: at(&half, -3.0) }],
        vec![Change::Merge { keys: vec![5, 6], key: 7, mesh: cube.clone() }],
        vec![Change::Delete { key: 7 }],
    ];
    let mut expected = Vec::new();
    let mut now: BTreeMap<u32, TriMesh> = BTreeMap::new();
    for (number, changes) in frames.iter().enumerate() {
        let statistics = crate::statistics::StepStatistics { contacts: number, ..Default::default() };
        writer.write_changes(changes, &statistics).unwrap();
        for change in changes {
            match change.clone() {
                Change::Add { key, mesh } => drop(now.insert(key, mesh)),
                Change::Delete { key } => drop(now.remove(&key)),
                Change::Split { key, pieces } => {
                    now.remove(&key);
                    now.extend(pieces.into_iter().map(|piece| (piece.key, piece.mesh)));
                }
                Change::Merge { keys, key, mesh } => {
                    keys.iter().for_each(|key| drop(now.remove(key)));
                    now.insert(key, mesh);
                }
                Change::Move { key, positions } => now.get_mut(&key).unwrap().positions = positions,
            }
        }
        expected.push(now.clone());
    }
    writer.finish(&serde_json::json!({})).unwrap();
    (std::fs::read(&path).unwrap(), expected)
}

#[test]
fn meshes_that_deform_and_break_are_recorded() {
    let (file, expected) = record_changes();
    let recording = Recording::from_bytes(&file, "run").unwrap();
    assert_eq!(recording.frames.len(), expected.len());
    // Triangles are there once for each body, however often it deforms.
    assert_eq!(recording.meshes.len(), 4);
    for (frame, expected) in (0..).zip(&expected) {
        assert_eq!(recording.frames[frame as usize].contacts, frame);
        let found: BTreeMap<u32, TriMesh> = recording
            .bodies_at(frame)
            .map(|(id, body, pose)| {
                assert_eq!(pose, Pose::IDENTITY);
                let looks: Vec<_> = body.looks(frame).collect();
                assert_eq!(looks.len(), 1);
                (id, recording.mesh(body, looks[0], frame).into_owned())
            })
            .collect();
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "frame {frame}");
        for (found, expected) in found.values().zip(expected.values()) {
            assert_eq!((&found.triangles, &found.colors), (&expected.triangles, &expected.colors));
            let step = expected.aabb().size().max_element() / 65_535.0;
            for (found, expected) in found.positions.iter().zip(&expected.positions) {
                assert!(found.distance(*expected) < step, "frame {frame}: {found} {expected}");
            }
        }
    }
    assert_eq!(recording.bodies[&5].parent, Some(3));
    let picture = crate::export::Picture { width: 64, height: 36, ..Default::default() };
    let images = [0, 1].map(|frame| crate::export::draw_recording(&recording, frame, &picture).unwrap());
    assert!(images[0] != images[1]);
}

#[test]
fn hostile_forms_are_refused() {
    let (file, _) = record_changes();
    let mut random = crate::random::Random::new(5);
    for _ in 0..500 {
        let mut damaged = file.clone();
        damaged[random.next_u64() as usize % file.len()] ^= 1 << (random.next_u64() % 8);
        let _ = Recording::from_bytes(&damaged, "run");
        let _ = Recording::from_bytes(&file[..random.next_u64() as usize % file.len()], "run");
    }
    // The checksums are right in these; what they say is not.
    let cube = shapes::cuboid(DVec3::ONE);
    let form = |fields: [u32; 3], words: &[u32], bytes: usize| {
        let mut file = MAGIC.to_vec();
        let mut put = |tag: &[u8; 4], payload: &[u8]| chunk::write(&mut file, tag, payload).unwrap();
        put(b"HEAD", &serde_json::to_vec(&header()).unwrap());
        let mut payload = Vec::new();
        fields::put_u32s(&mut payload, &[0, cube.positions.len() as u32, cube.triangles.len() as u32, 0]);
        cube.positions.iter().for_each(|position| fields::put_f32s(&mut payload, &position.as_vec3().to_array()));
        fields::put_u32s(&mut payload, cube.triangles.as_flattened());
        put(b"MESH", &payload);
        payload.clear();
        fields::put_u32s(&mut payload, &[1, u32::MAX, 1, 0, 0, 0, 0, 0, 0, 0]);
        put(b"BODY", &payload);
        payload.clear();
        fields::put_u32s(&mut payload, &fields);
        fields::put_u32s(&mut payload, words);
        payload.resize(payload.len() + bytes, 0);
        put(b"FORM", &payload);
        Recording::from_bytes(&file, "run").map_err(|error| error.to_string())
    };
    let one = 1f32.to_bits();
    assert!(form([1, 0, 8], &[one; 6], 48).is_ok());
    for (fields, words, bytes, words_of_it) in [
        ([2, 0, 8], [one; 6], 48, "never began"),
        ([1, 4, 8], [one; 6], 48, "not there"),
        ([1, 0, 7], [one; 6], 48, "other vertices"),
        ([1, 0, 8], [one; 6], 47, "too short"),
        ([1, 0, u32::MAX], [one; 6], 48, "too short"),
        ([1, 0, 8], [f32::NAN.to_bits(); 6], 48, "not finite"),
    ] {
        let error = form(fields, &words, bytes).err().unwrap();
        assert!(error.contains(words_of_it), "{error}");
    }
}
