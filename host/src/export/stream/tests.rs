use glam::{DVec3, Vec2, Vec3};

use super::*;
use crate::dynamics::Particle;
use crate::export::Camera;
use crate::export::base64::base64;
use crate::geometry::TriMesh;
use crate::recording::form::Form;

/// What the page's own tests make by an encoder that shares nothing with this one.
#[test]
fn every_message_is_byte_for_byte_what_the_page_expects() {
    let mut messages = Messages::begin();
    messages.hello(&Hello {
        frames: 3,
        seconds_per_frame: 0.25,
        ground: Some(-0.5),
        camera: Some(Camera {
            eye: DVec3::new(3.0, 2.0, 4.0),
            target: DVec3::new(0.0, 0.5, 0.0),
            up: DVec3::Y,
            vertical_field_of_view: 40.0,
        }),
        scene: "Jede Nachricht · 全部",
        stages: &["narrow", "fracture"],
        fields: &[("stress", "Pa"), ("island", "")],
        ..Hello::default()
    });
    let tetrahedron = TriMesh {
        materials: Some(vec![0, 0, 5, 0x8000_0000]),
        ..TriMesh::new(
            vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
            vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        )
    };
    let full = TriMesh {
        normals: Some(vec![Vec3::splat(0.5); 4]),
        uvs: Some(vec![Vec2::splat(0.25); 4]),
        colors: Some([0xff00_00ff_u32, 0xff00_ff00, 0xffff_0000, 0x80ff_ffff].map(u32::to_le_bytes).to_vec()),
        ..tetrahedron.clone()
    };
    messages.material(4, Some([0.5, 0.25, 1.0]), "glass");
    messages.shape(0, &tetrahedron, false);
    messages.shape(2, &full, true);
    messages.birth(&Birth {
        piece: 10,
        material: Some(4),
        mass: 2.0,
        volume: 0.125,
        looks: &[[1, 0], [7, 2]],
        name: "Ganzes",
        ..Birth::default()
    });
    messages.field(1, 10, Domain::Piece, &[3.0]);
    messages.field(0, 10, Domain::Triangles(7), &[1.0, 2.0, 3.0, f32::NAN]);
    messages.frame(&Frame {
        number: 5,
        time: 1.25,
        contacts: 4,
        touching: 6,
        stages: &[1.5, 0.25],
        moved: &[(10, [0.0, 0.0, 1.0, 0.0, 1.0, 2.0, 3.0])],
    });
    messages.put(77, |payload| _ = payload.bytes(&[1, 2, 3]));
    messages.look(10, &[1], &[[7, 0], [8, 0]]);
    messages.form(10, 8, &[Vec3::ZERO, 2.0 * Vec3::X, 2.0 * Vec3::Y, 2.0 * Vec3::Z]);
    messages.particles(&[
        Particle { position: Vec3::new(1.0, 2.0, 3.0), radius: 0.5, opacity: 128.0 / 255.0 },
        Particle { position: Vec3::new(4.0, 5.0, 6.0), radius: 0.25, opacity: 1.0 },
    ]);
    messages.contacts(&[
        Touch { point: Vec3::Z, normal: Vec3::Y, depth: 0.125, pieces: [Some(10), None] },
        Touch { point: Vec3::new(0.0, 1.0, 1.0), normal: Vec3::X, depth: -0.5, pieces: [Some(10), Some(10)] },
    ]);
    messages.frame(&Frame { number: 6, time: 1.5, stages: &[1.0, 0.0], ..Frame::default() });
    messages.death(&[10]);
    messages.birth(&Birth {
        piece: 11,
        parent: Some(10),
        island: Some(2),
        color: Some([1.0, 0.5, 0.0]),
        mass: 1.0,
        volume: 0.0625,
        looks: &[[0, 2]],
        name: "Stück",
        ..Birth::default()
    });
    let mut lattice = Vec::new();
    Form::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, 0.5 * DVec3::Z]).put(&mut lattice);
    messages.put(6, |payload| _ = payload.u32s(&[11, 0, 4, 1]).bytes(&lattice));
    messages.notice(false, "Nichts getroffen");
    messages.status(&Status { is_paused: true, slow_motion: 0.25, steps_per_second: 60.0, pages: 2 });
    messages.choices(&Choices {
        tools: [true, false, true],
        patterns: vec!["voronoi".into(), "web".into()],
        methods: vec!["svo".into()],
        radius: Slider { least: 0.05, most: 1.0, now: 0.3, step: 0.05 },
        ball_speed: Slider { least: 1.0, most: 40.0, now: 12.0, step: 1.0 },
        ball_radius: Slider { least: 0.05, most: 0.5, now: 0.15, step: 0.05 },
    });
    messages.forget(&[0]);
    messages.frame(&Frame {
        number: 9,
        time: 2.25,
        stages: &[0.5, 12.0],
        moved: &[(11, [0.0, 0.0, 0.0, 2.0, 0.0, 1.0, 0.0])],
        ..Frame::default()
    });
    messages.end("{\"frames\":3}");
    let expected: String = include_str!("../viewer/tests/every_message.base64").split_whitespace().collect();
    assert_eq!(base64(messages.bytes()), expected);
}

/// The kinds and payloads of a stream's messages.
fn messages_of(stream: &[u8]) -> Vec<(u32, &[u8])> {
    assert_eq!(&stream[..8], b"FRACASV\n");
    let (mut rest, mut found) = (&stream[8..], Vec::new());
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    while !rest.is_empty() {
        let length = word(rest, 4) as usize;
        assert_eq!(length % 4, 0);
        found.push((word(rest, 0), &rest[8..8 + length]));
        rest = &rest[8 + length..];
    }
    found
}

fn recorded() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fracas");
    let text = "version = 1\nframes = 30\n[ground]\n[camera]\neye = [3, 2, 1]\ntarget = [0, 0, 0]\n\
                [[body]]\nname = \"cube\"\nshape.cuboid = { size = [1, 1, 1] }\nposition = [0, 0.6, 0]\n\
                [body.fracture]\npattern.voronoi = { cells = 30, extent = 2 }\n\
                [[event]]\nat = 0.3\nfracture = { body = \"cube\", point = [0, 0.5, 0] }\n";
    let scene = crate::scene::Scene::parse(text, std::path::Path::new("cube.toml")).unwrap();
    let options = crate::scene::RunOptions { recording: Some(path.clone()), ..Default::default() };
    crate::scene::run(&scene, &options, |_| std::ops::ControlFlow::Continue(())).unwrap();
    (folder, path)
}

#[test]
fn a_recording_becomes_a_stream_chunk_by_chunk() {
    let (_folder, path) = recorded();
    let recording = crate::recording::Recording::open(&path).unwrap();
    let stream = RecordedStream::open(&path).unwrap().read_all().unwrap();
    let messages = messages_of(&stream);
    let count = |kind: u32| messages.iter().filter(|(found, _)| *found == kind).count();
    assert_eq!((messages[0].0, messages.last().unwrap().0), (1, 12));
    assert_eq!((count(2), count(3), count(11)), (recording.meshes.len(), recording.bodies.len(), 30));
    assert!(count(4) + count(5) > 0 && recording.bodies.len() > 10, "nothing broke");
    let with_contacts = (0..30).filter(|&frame| !recording.contacts(frame).is_empty()).count();
    assert_eq!(count(8), with_contacts);
    assert!(with_contacts > 5);
    // A cube of 24 vertices or fewer is what the recording has of it.
    let (_, shape) = messages.iter().find(|(kind, _)| *kind == 2).unwrap();
    assert_eq!(shape[4..8], (recording.meshes[0].positions.len() as u32).to_le_bytes());
    let last = messages.iter().rfind(|(kind, _)| *kind == 11).unwrap().1;
    assert_eq!(last[0..4], 29u32.to_le_bytes());
    assert_eq!(last[8..16], (29.0 * recording.header.seconds_per_frame).to_le_bytes());
}

#[test]
fn a_recording_that_was_cut_short_or_damaged_gives_what_comes_before() {
    let (_folder, path) = recorded();
    let file = std::fs::read(&path).unwrap();
    let whole = RecordedStream::from_bytes(file.clone(), "run").unwrap().read_all().unwrap();
    for end in (60..file.len()).step_by(997) {
        let Ok(stream) = RecordedStream::from_bytes(file[..end].to_vec(), "run") else { continue };
        let stream = stream.read_all().unwrap();
        assert!(whole.starts_with(&stream) && stream.len() < whole.len());
    }
    let mut damaged = file.clone();
    damaged[file.len() / 2] ^= 0x40;
    let mut parts = RecordedStream::from_bytes(damaged, "run").unwrap();
    let good: Vec<u8> = parts.by_ref().map_while(Result::ok).flatten().collect();
    assert!(whole.starts_with(&good) && good.len() > 1000 && good.len() < whole.len());
    assert!(parts.next().is_none());
    let error = RecordedStream::from_bytes(b"FRACASR\nab".to_vec(), "cut").unwrap_err().to_string();
    assert_eq!(error, "cut, byte 8: the file ends before its header");
    assert!(RecordedStream::from_bytes(b"solid".to_vec(), "mesh").is_err());
}

#[test]
fn meshes_are_pieces_of_one_frame() {
    let mesh = crate::geometry::shapes::cuboid(DVec3::new(1.0, 2.0, 3.0));
    let stream = stream_of_meshes("two", &[("a".into(), mesh.clone()), ("b".into(), mesh)]);
    let messages = messages_of(&stream);
    let kinds: Vec<u32> = messages.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [1, 2, 3, 2, 3, 11, 12]);
    assert_eq!(messages[2].1[32..36], 6f32.to_le_bytes());
}
