use glam::{DQuat, DVec3};

use super::*;
use crate::animation::Change;
use crate::geometry::{FRACTURE, Pose, TriMesh, shapes};
use crate::recording::{RecordingHeader, RecordingWriter, VERSION};
use crate::statistics::StepStatistics;
use crate::world::{BodyDescription, BodyId, Representation, World, WorldOptions};

pub(super) const FRAMES: u32 = 40;

fn header() -> RecordingHeader {
    RecordingHeader {
        version: VERSION,
        scene: "test".into(),
        seconds_per_frame: 0.02,
        frames: FRAMES,
        camera: Some([[3.0, 2.0, 4.0], [0.0, 0.5, 0.0], [0.0, 1.0, 0.0]]),
        field_of_view: Some(40.0),
        ground: Some(0.0),
    }
}

/// Two boxes of one mesh fall and turn; the second is gone from frame 20 on, when a third one, with a break, begins.
pub(super) fn falling_boxes() -> Recording {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fracas");
    let mut writer = RecordingWriter::create(&path, &header()).unwrap();
    let mut world = World::new(&WorldOptions::default());
    world.add_ground(0.0).unwrap();
    let mut mesh = shapes::cuboid(DVec3::ONE);
    mesh.materials = Some((0..12).map(|triangle| if triangle < 2 { FRACTURE } else { 0 }).collect());
    let mesh = std::sync::Arc::new(mesh);
    let add = |world: &mut World, height: f64| {
        let cuboid = Representation::Cuboid { half_extents: DVec3::splat(0.5) };
        let pose = Pose::new(DQuat::from_rotation_x(height), DVec3::new(1.5 * height, height, 0.0));
        world.add(BodyDescription { pose, ..BodyDescription::new("box", mesh.clone(), cuboid) }).unwrap()
    };
    add(&mut world, 1.0);
    add(&mut world, 3.0);
    for frame in 0..FRAMES {
        if frame == 20 {
            world.remove(BodyId(2)).unwrap();
            add(&mut world, 2.0);
        }
        writer.write_frame(&world).unwrap();
        world.step(0.02).unwrap();
    }
    writer.finish(&serde_json::json!({})).unwrap();
    Recording::open(&path).unwrap()
}

/// A sphere that turns from frame 5 to 14, and a sheet that waves from frame 3 on; between 10 and 20 it stands still.
pub(super) fn moving_meshes() -> Recording {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fracas");
    let mut writer = RecordingWriter::create(&path, &header()).unwrap();
    let sphere = shapes::Sphere::default().mesh().unwrap();
    let sheet = sheet();
    for frame in 0..FRAMES {
        let mut changes = Vec::new();
        if frame == 0 {
            changes.push(Change::Add { key: 0, mesh: sphere.clone() });
            changes.push(Change::Add { key: 1, mesh: sheet.clone() });
        }
        if (5..15).contains(&frame) {
            let positions = sphere.positions.iter().map(|&at| sphere_pose(frame).transform_point(at)).collect();
            changes.push(Change::Move { key: 0, positions });
        }
        if (3..10).contains(&frame) || frame >= 20 {
            changes.push(Change::Move { key: 1, positions: wave(&sheet, frame) });
        }
        writer.write_changes(&changes, &StepStatistics::default()).unwrap();
    }
    drop(writer);
    Recording::open(&path).unwrap()
}

fn sphere_pose(frame: u32) -> Pose {
    let turn = 0.3 * (f64::from(frame) - 4.0);
    Pose::new(DQuat::from_rotation_y(turn), DVec3::new(0.1 * turn, 0.0, 2.0))
}

fn sheet() -> TriMesh {
    let positions = (0..9 * 9).map(|place| DVec3::new(f64::from(place % 9) / 8.0, 0.0, f64::from(place / 9) / 8.0));
    let squares = (0..8 * 8u32).map(|square| square / 8 * 9 + square % 8);
    let triangles =
        squares.flat_map(|corner| [[corner, corner + 9, corner + 1], [corner + 1, corner + 9, corner + 10]]);
    TriMesh::new(positions.collect(), triangles.collect())
}

fn wave(sheet: &TriMesh, frame: u32) -> Vec<DVec3> {
    let height = |at: &DVec3| 0.2 * (4.0 * at.x + 0.2 * f64::from(frame)).sin();
    sheet.positions.iter().map(|at| at.with_y(height(at))).collect()
}

pub(super) fn film_bytes(recording: &Recording, options: &ExportOptions) -> Vec<u8> {
    glb::to_bytes_of(&Film::new(recording, options), recording, "film.glb").unwrap()
}

#[test]
fn an_empty_recording_or_one_without_time_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("film.glb");
    let mut recording = falling_boxes();
    recording.header.seconds_per_frame = 0.0;
    let export = |recording: &Recording| {
        let go_on = |_| ControlFlow::Continue(());
        export_recording(recording, ExportFormat::Glb, &out, &ExportOptions::default(), go_on).unwrap_err().to_string()
    };
    assert!(export(&recording).contains("a frame takes 0 seconds"));
    recording.header.seconds_per_frame = 1e-310;
    assert!(export(&recording).contains("that makes no animation"));
    recording.frames.clear();
    assert!(export(&recording).contains("has no frames"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn forms_that_only_move_become_motions_and_others_forms() {
    let recording = moving_meshes();
    let film = Film::new(&recording, &ExportOptions::default());
    let [sphere, sheet] = &film.actors[..] else { panic!("{}", film.actors.len()) };
    let film::Motion::Rigid(track) = &sphere.parts[0].motion else { panic!("the sphere only moves") };
    assert_eq!(track.iter().map(|key| key.0).collect::<Vec<_>>(), [vec![0, 4], (5..15).collect()].concat());
    for (frame, pose) in &track[2..] {
        let expected = sphere_pose(*frame);
        assert!((pose.translation - expected.translation).length() < 1e-5, "{frame}");
        assert!(pose.rotation.dot(expected.rotation).abs() > 1.0 - 1e-8, "{frame}");
    }
    let film::Motion::Deforming(morph) = &sheet.parts[0].motion else { panic!("the sheet deforms") };
    let frames: Vec<u32> = morph.keys.iter().map(|key| key.0).collect();
    assert_eq!(frames, [vec![0, 2], (3..10).collect(), vec![19], (20..40).collect()].concat());
    assert_eq!((film.stride, film.deviation), (1, 0.0));
    // Of 28 forms of 81 vertices, all fit into a megabyte.
    assert_eq!(Film::new(&recording, &ExportOptions { form_megabytes: 1 }).stride, 1);
    let none = Film::new(&recording, &ExportOptions { form_megabytes: 0 });
    assert!(none.stride > 20 && none.deviation > 0.01, "{} {}", none.stride, none.deviation);
    let again = super::morph::Forms {
        body: sheet.body,
        look: &sheet.body.all_looks()[0],
        mesh: &recording.meshes[1],
        seen: 0..FRAMES,
    };
    let (fewer, deviation) = again.keyed(4);
    let frames: Vec<u32> = fewer.keys.iter().map(|key| key.0).collect();
    // The pause stays a pause.
    assert_eq!(frames, [0, 2, 6, 9, 19, 20, 24, 28, 32, 36, 39]);
    // From flat in frame 2 to its full height in frame 3, which has no key.
    assert!(deviation > 0.1 && deviation < 0.2, "{deviation}");
}

/// A sheet that waves in every so many frames.
fn waving_sheet(frames: u32, pause: u32) -> Recording {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fracas");
    let mut writer = RecordingWriter::create(&path, &header()).unwrap();
    let sheet = sheet();
    for frame in 0..frames {
        let add = (frame == 0).then(|| Change::Add { key: 0, mesh: sheet.clone() });
        let positions = wave(&sheet, frame);
        let change = frame.is_multiple_of(pause).then_some(Change::Move { key: 0, positions });
        let changes: Vec<Change> = add.into_iter().chain(change).collect();
        writer.write_changes(&changes, &StepStatistics::default()).unwrap();
    }
    drop(writer);
    Recording::open(&path).unwrap()
}

#[test]
fn forms_with_pauses_between_them_keep_to_their_room() {
    const ALL: u32 = 900;
    let recording = waving_sheet(ALL, 2);
    let film = Film::new(&recording, &ExportOptions { form_megabytes: 1 });
    let room = film_bytes(&recording, &ExportOptions { form_megabytes: 1 }).len();
    assert!(room < (1 << 20) + (1 << 16), "{room}");
    assert!(film_bytes(&recording, &ExportOptions { form_megabytes: 8 }).len() > 2 << 20);
    assert!(film.stride > 1 && film.stride < 4, "{}", film.stride);
    let actor = &film.actors[0];
    let film::Motion::Deforming(morph) = &actor.parts[0].motion else { panic!("the sheet deforms") };
    let mut farthest: f64 = 0.0;
    for frame in 0..ALL {
        let recorded = recording.mesh(actor.body, actor.body.looks(frame).next().unwrap(), frame).positions.clone();
        let after = morph.keys.iter().position(|key| key.0 >= frame).unwrap_or(morph.keys.len() - 1);
        let (from, to) = (morph.keys[after.saturating_sub(1)], morph.keys[after]);
        let share = (f64::from(frame) - f64::from(from.0)) / f64::from((to.0 - from.0).max(1));
        for (vertex, place) in recorded.iter().enumerate() {
            let shown = morph.forms[from.1][vertex].lerp(morph.forms[to.1][vertex], share.min(1.0));
            farthest = farthest.max(shown.distance(*place));
        }
    }
    assert!(farthest > 0.01 && (film.deviation - farthest).abs() < 1e-12, "{} {farthest}", film.deviation);
}

#[test]
fn normals_that_are_not_finite_are_mended() {
    let mut recording = falling_boxes();
    for mesh in &mut recording.meshes {
        let mesh = std::sync::Arc::make_mut(mesh);
        mesh.normals = Some(vec![glam::Vec3::NAN; mesh.positions.len()]);
    }
    let text = usd::to_text(&Film::new(&recording, &ExportOptions::default()), &recording);
    assert!(text.contains("normals = [(0, 0, 1), ") && !text.contains("NaN"));
    let (_, bytes) = sequence::frame_file(&recording, 0, ExportFormat::Obj);
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("vn ") && !text.contains("NaN"));
}

#[test]
fn usd_text_is_balanced_and_says_who_is_there_when() {
    let mut recording = falling_boxes();
    recording.header.scene = "a \"scene\"\nwith \\ all".into();
    let text = usd::to_text(&Film::new(&recording, &ExportOptions::default()), &recording);
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    assert!(text.contains("doc = \"a 'scene' with ' all, recorded by Fracas\""));
    assert!(text.contains("timeCodesPerSecond = 50.0\n") && text.contains("endTimeCode = 39\n"));
    assert!(text.contains("token visibility.timeSamples = { 0: \"inherited\", 20: \"invisible\", }"));
    assert!(text.contains("token visibility.timeSamples = { 0: \"invisible\", 20: \"inherited\", }"));
    // One mesh for all three boxes.
    assert_eq!(text.matches("class Mesh").count(), 1);
    assert_eq!(text.matches("inherits = </Shapes/mesh_1>").count(), 3);
    assert!(text.contains("def GeomSubset \"breaks\"") && text.contains("int[] indices = [0, 1]"));
}

#[test]
fn sequences_have_every_frame_as_it_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    for (recording, format, ending) in [
        (falling_boxes(), ExportFormat::Obj, "obj"),
        (falling_boxes(), ExportFormat::Ply, "ply"),
        (moving_meshes(), ExportFormat::Obj, "obj"),
    ] {
        let out = folder.path().join("frames");
        let go_on = |_| ControlFlow::Continue(());
        let exported = export_recording(&recording, format, &out, &ExportOptions::default(), go_on).unwrap();
        assert_eq!(exported.frames, FRAMES);
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), exported.files);
        for frame in 0..FRAMES {
            let read = crate::geometry::io::read_shape(out.join(format!("frame_{frame:04}.{ending}"))).unwrap();
            let expected: Vec<DVec3> = recording
                .bodies_at(frame)
                .flat_map(|(_, body, pose)| {
                    let meshes = body.looks(frame).map(|look| recording.mesh(body, look, frame).positions.clone());
                    meshes.flatten().map(move |position| pose.transform_point(position)).collect::<Vec<_>>()
                })
                .collect();
            assert_eq!(read.positions.len(), expected.len());
            for (found, expected) in read.positions.iter().zip(&expected) {
                assert!(found.distance(*expected) < 1e-12, "frame {frame}");
            }
        }
    }
    let stop = |frame| if frame < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let out = folder.path().join("other");
    let stopped = export_recording(&falling_boxes(), ExportFormat::Ply, &out, &ExportOptions::default(), stop);
    assert!(matches!(stopped, Err(ExportError::Stopped)));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_recording_that_was_cut_short_gives_its_whole_frames() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fracas");
    let mut writer = RecordingWriter::create(&path, &header()).unwrap();
    for frame in 0..10 {
        let add = Change::Add { key: frame, mesh: shapes::cuboid(DVec3::ONE) };
        writer.write_changes(&[add], &StepStatistics::default()).unwrap();
    }
    drop(writer);
    let whole = std::fs::read(&path).unwrap();
    let mut lengths = std::collections::BTreeSet::new();
    for length in (whole.len() / 3..whole.len()).step_by(7) {
        let recording = Recording::from_bytes(&whole[..length], "run").unwrap();
        // Frame 9 has a body that begins in it; a file cut before the end of a frame may have begun it already.
        let file = gltf::Gltf::from_slice(&film_bytes(&recording, &ExportOptions::default())).unwrap();
        assert_eq!(file.meshes().count(), recording.frames.len());
        lengths.insert(recording.frames.len());
    }
    assert!(lengths.len() > 3, "{lengths:?}");
}
