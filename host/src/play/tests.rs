use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use glam::DVec3;

use super::board::Board;
use super::command::{Command, Ray};
use super::simulation::{MOST_ASKED, Told, simulate};
use super::{Hello, Session, Snapshot, Watcher};
use crate::scene::Scene;
use crate::serve::tests::{masked, open_socket, read_frame, while_running};

/// A cube that breaks, on the ground, and a plank that does not.
fn session() -> Session {
    let text = "version = 1\n[ground]\n\
                [[body]]\nname = \"cube\"\nshape.cuboid = { size = [1, 1, 1] }\nposition = [0, 0.5, 0]\n\
                [body.fracture]\npattern.voronoi = { cells = 30, extent = 2 }\n\
                [[body]]\nname = \"plank\"\nshape.cuboid = { size = [1, 0.2, 0.4] }\nposition = [3, 0.1, 0]\n\
                [[event]]\nat = 0.5\n[event.drop]\nname = \"late\"\nshape.sphere = { radius = 0.2 }\nposition = [0, 3, 3]\n";
    Session::new(Arc::new(Scene::parse(text, Path::new("test.toml")).unwrap()), None).unwrap()
}

fn from_above(x: f64, z: f64) -> Ray {
    Ray { origin: DVec3::new(x, 5.0, z), direction: -DVec3::Y }
}

fn break_at(ray: Ray, pattern: u32, method: u32) -> Command {
    Command::Break { ray, radius: 1.0, pattern, method, piece: None }
}

fn steps(session: &mut Session, count: u32) {
    (0..count).for_each(|_| session.step().unwrap());
}

#[test]
fn balls_fly_where_they_are_thrown_and_the_oldest_go() {
    let mut session = session();
    let ray = Ray { origin: DVec3::new(0.0, 0.5, 6.0), direction: -DVec3::Z };
    session.perform(0, &Command::Throw { ray, speed: 1e9, radius: 1e9 }).unwrap();
    let ball = session.world().find("thrown ball").unwrap();
    let speed = f64::from(session.choices().ball_speed.most);
    assert!((session.world().velocity(ball).unwrap().linear + speed * DVec3::Z).length() < 1e-3);
    steps(&mut session, 30);
    // A heavy ball drives what it meets before it.
    let cube = session.world().find("cube").unwrap();
    assert!(session.world().pose(cube).unwrap().translation.z < -0.5);
    let side = Ray { origin: DVec3::new(50.0, 50.0, 50.0), direction: DVec3::Y };
    for _ in 0..super::session::MOST_BALLS + 6 {
        session.perform(0, &Command::Throw { ray: side, speed: 20.0, radius: 0.1 }).unwrap();
    }
    let balls = session.world().bodies().filter(|(_, body)| body.name() == "thrown ball").count();
    assert_eq!(balls, super::session::MOST_BALLS);
}

#[test]
fn bodies_break_where_somebody_points_by_every_pattern_and_method() {
    for pattern in 0..4 {
        for method in 0..3 {
            let mut session = session();
            let (cube, hash) = (session.world().find("cube"), session.world().hash());
            let outcome = session.perform(0, &break_at(from_above(0.2, 0.1), pattern, method));
            let pieces = session.world().bodies().filter(|(_, body)| body.parent().is_some()).count();
            // A web has no seeds, and tetrahedra need them.
            if (pattern, method) == (2, 2) {
                assert!(outcome.unwrap_err().contains("web"));
                assert_eq!((session.world().find("cube"), session.world().hash()), (cube, hash));
                continue;
            }
            assert_eq!(outcome, Ok(None), "{pattern} {method}");
            assert!(pieces > 3, "{pattern} {method}: {pieces} pieces");
            steps(&mut session, 20);
        }
    }
}

#[test]
fn what_cannot_be_done_is_said_and_changes_nothing() {
    let mut session = session();
    let before = session.world().hash();
    let nothing = session.perform(0, &break_at(from_above(40.0, 0.0), 0, 0)).unwrap().unwrap();
    assert!(nothing.contains("nothing there"), "{nothing}");
    let plank = session.perform(0, &break_at(from_above(3.0, 0.0), 0, 0)).unwrap_err();
    assert!(plank.contains("plank") && plank.contains("no fracture method"), "{plank}");
    assert!(session.perform(0, &break_at(from_above(0.0, 0.0), 77, 0)).is_err());
    assert!(session.perform(0, &break_at(from_above(0.0, 0.0), 0, 77)).is_err());
    let air = Command::DragStart { drag: 1, ray: from_above(40.0, 0.0), piece: None };
    assert!(session.perform(0, &air).unwrap().is_some());
    assert_eq!(session.world().hash(), before);
    // By another method also what has none of its own breaks.
    session.perform(0, &break_at(from_above(3.0, 0.0), 0, 1)).unwrap();
    assert!(session.world().find("plank").is_none());
}

#[test]
fn a_piece_that_moved_on_since_it_was_seen_is_still_meant() {
    let mut session = session();
    let cube = session.world().find("cube").unwrap();
    let aim =
        |x: f64| Command::Break { ray: from_above(x, 0.0), radius: 1.0, pattern: 1, method: 0, piece: Some(cube.0) };
    assert!(session.perform(0, &aim(9.0)).unwrap().is_some(), "that is too far off");
    assert_eq!(session.perform(0, &aim(0.6)), Ok(None));
    assert!(session.world().bodies().count() > 8);
}

#[test]
fn what_is_held_follows_the_hand_until_it_is_let_go() {
    let mut session = session();
    let plank = session.world().find("plank").unwrap();
    let start = Command::DragStart { drag: 7, ray: from_above(3.0, 0.0), piece: Some(plank.0) };
    session.perform(4, &start).unwrap();
    let target = DVec3::new(3.0, 2.0, 1.0);
    session.perform(4, &Command::DragMove { drag: 7, target }).unwrap();
    // Nobody else's hand.
    session.perform(5, &Command::DragMove { drag: 7, target: -target }).unwrap();
    session.leave(5);
    steps(&mut session, 240);
    let height = |session: &Session| session.world().pose(plank).unwrap().translation.y;
    assert!(height(&session) > 1.5, "{}", height(&session));
    session.leave(4);
    steps(&mut session, 240);
    assert!(height(&session) < 0.5, "{}", height(&session));
}

#[test]
fn a_reset_begins_anew_and_keeps_the_pace() {
    let mut session = session();
    let start = session.world().hash();
    session.perform(0, &Command::SlowMotion(0.25)).unwrap();
    session.perform(0, &break_at(from_above(0.0, 0.0), 1, 0)).unwrap();
    steps(&mut session, 100);
    assert!(session.world().find("late").is_some());
    let epoch = session.snapshot(f32::NAN, 1).epoch;
    session.perform(0, &Command::Reset).unwrap();
    assert_eq!((session.world().hash(), session.slow_motion), (start, 0.25));
    assert_eq!(session.snapshot(f32::NAN, 1).epoch, epoch + 1);
    assert!(session.world().find("late").is_none());
}

#[test]
fn a_reset_goes_on_after_what_could_not_but_stays_paused_for_who_paused_it() {
    let mut session = session();
    session.stop();
    session.stop();
    assert!(session.is_paused);
    session.perform(0, &Command::Reset).unwrap();
    assert!(!session.is_paused);
    session.perform(0, &Command::Pause(true)).unwrap();
    session.stop();
    session.perform(0, &Command::Reset).unwrap();
    assert!(session.is_paused);
}

#[test]
fn who_holds_all_that_can_be_held_can_take_hold_anew() {
    let mut session = session();
    let hold = |drag: u32| Command::DragStart { drag, ray: from_above(3.0, 0.0), piece: None };
    let refused = (0..100).find(|&drag| session.perform(0, &hold(drag)).is_err()).unwrap();
    session.perform(0, &hold(refused - 1)).unwrap();
    session.perform(1, &hold(refused - 1)).unwrap_err();
}

/// The steps that a paused session does of very many that were asked for, if it ends before them or after the first are seen.
fn steps_of_many(is_over_before: bool) -> u64 {
    let mut session = session();
    session.is_paused = true;
    let (outbox, inbox) = std::sync::mpsc::channel();
    (0..300).for_each(|_| outbox.send(Told::Do(0, Command::Step(100))).unwrap());
    let board = Board::default();
    let page = board.join();
    if is_over_before {
        board.end();
    }
    let (played, shown) = (&mut session, &board);
    std::thread::scope(|scope| {
        let thread = scope.spawn(move || simulate(played, shown, &inbox));
        board.wait(page, None);
        board.end();
        thread.join().unwrap();
    });
    // It ended although there was still somebody who could tell it something.
    drop(outbox);
    (session.world().time() / session.time_step()).round() as u64
}

#[test]
fn steps_that_were_asked_for_do_not_hold_up_the_end() {
    assert_eq!(steps_of_many(true), 0);
    let done = steps_of_many(false);
    // All that waits is taken in two goes.
    assert!((1..=2 * u64::from(MOST_ASKED)).contains(&done), "{done} steps");
}

/// What a page that was told some messages believes: poses and looks by piece, shapes.
#[derive(Default)]
struct Reader {
    poses: std::collections::BTreeMap<u32, [f32; 7]>,
    looks: std::collections::BTreeMap<u32, std::collections::BTreeMap<u32, u32>>,
    shapes: std::collections::BTreeMap<u32, u32>,
    frames: Vec<u32>,
    hellos: usize,
}

impl Reader {
    fn take(&mut self, mut stream: &[u8]) {
        stream = stream.strip_prefix(b"FRACASV\n").unwrap_or(stream);
        while !stream.is_empty() {
            let words: Vec<u32> =
                stream.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
            let (kind, length) = (words[0], words[1] as usize);
            self.message(kind, &words[2..2 + length / 4]);
            stream = &stream[8 + length..];
        }
    }

    fn message(&mut self, kind: u32, words: &[u32]) {
        match kind {
            1 => *self = Reader { hellos: self.hellos + 1, ..Reader::default() },
            2 => assert_eq!(self.shapes.insert(words[0], words[1]), None, "a shape is told twice"),
            3 => {
                let looks: Vec<(u32, u32)> =
                    words[10..10 + 2 * words[9] as usize].chunks(2).map(|pair| (pair[0], pair[1])).collect();
                assert!(looks.iter().all(|(_, shape)| self.shapes.contains_key(shape)));
                assert!(self.looks.insert(words[0], looks.into_iter().collect()).is_none());
            }
            4 => words[1..].iter().for_each(|piece| {
                assert!(self.looks.remove(piece).is_some() && self.poses.remove(piece).is_some());
            }),
            5 => {
                let (removed, added) = (words[1] as usize, words[2] as usize);
                let looks = self.looks.get_mut(&words[0]).unwrap();
                words[3..3 + removed].iter().for_each(|key| assert!(looks.remove(key).is_some()));
                looks.extend(words[3 + removed..3 + removed + 2 * added].chunks(2).map(|pair| (pair[0], pair[1])));
            }
            11 => {
                assert!(self.frames.last().is_none_or(|&last| last < words[0]));
                self.frames.push(words[0]);
                let count = words[1] as usize;
                let (ids, columns) = words[11..].split_at(count);
                for (row, id) in ids.iter().enumerate() {
                    let column = |at: usize| f32::from_bits(columns[at * count + row]);
                    self.poses.insert(*id, [3, 4, 5, 6, 0, 1, 2].map(column));
                }
            }
            13 => words[1..].iter().for_each(|shape| assert!(self.shapes.remove(shape).is_some())),
            _ => {}
        }
    }

    /// Whether the page sees a snapshot as it is.
    fn assert_sees(&self, snapshot: &Snapshot) {
        let pieces: Vec<u32> = snapshot.pieces.iter().map(|(seen, _)| seen.piece).collect();
        assert_eq!(self.poses.keys().copied().collect::<Vec<_>>(), pieces);
        let mut used: std::collections::BTreeSet<u32> = Default::default();
        for (seen, pose) in &snapshot.pieces {
            assert_eq!(&self.poses[&seen.piece], pose);
            let vertices = |(key, shape): (&u32, &u32)| (*key, self.shapes[shape]);
            let told: Vec<(u32, u32)> = self.looks[&seen.piece].iter().map(vertices).collect();
            let expected: Vec<(u32, u32)> =
                seen.looks.iter().map(|(key, look)| (*key, look.mesh().positions.len() as u32)).collect();
            assert_eq!(told, expected);
            used.extend(self.looks[&seen.piece].values().copied());
        }
        assert!(self.shapes.keys().all(|shape| used.contains(shape)), "shapes that nobody has are kept");
    }
}

#[test]
fn a_page_that_is_told_seldom_sees_what_one_sees_that_is_told_always() {
    let mut session = session();
    let (mut eager, mut slow) = ((Watcher::default(), Reader::default()), (Watcher::default(), Reader::default()));
    let hello = Hello { scene: "test", ..Hello::default() };
    for moment in 0..120 {
        match moment {
            10 => drop(session.perform(0, &break_at(from_above(0.1, 0.0), 1, 0)).unwrap()),
            30 => drop(session.perform(0, &break_at(from_above(0.2, 0.2), 0, 0))),
            40 => drop(session.perform(0, &break_at(from_above(3.0, 0.0), 1, 1)).unwrap()),
            70 => drop(session.perform(0, &Command::Reset).unwrap()),
            90 => drop(session.perform(0, &break_at(from_above(0.1, 0.0), 3, 2)).unwrap()),
            _ => {}
        }
        session.step().unwrap();
        let snapshot = session.snapshot(60.0, 2);
        let choices = session.choices().clone();
        eager.1.take(&eager.0.tell(&snapshot, &hello, &choices));
        eager.1.assert_sees(&snapshot);
        if moment % 13 == 5 {
            slow.1.take(&slow.0.tell(&snapshot, &hello, &choices));
            slow.1.assert_sees(&snapshot);
        }
    }
    assert_eq!((eager.1.hellos, slow.1.hellos), (2, 2));
    assert!(eager.1.looks.len() > 10);
}

#[test]
fn scenes_that_play_by_themselves_are_not_played() {
    let text = "version = 1\n[animation]\nname = \"cloth\"\n";
    let scene = Scene::parse(text, Path::new("cloth.toml")).unwrap();
    let server = crate::serve::Server::listen(None).unwrap();
    let error = super::play(&scene, None, &server, || true).unwrap_err().to_string();
    assert!(error.contains("plays by itself") && !error.contains('\n'), "{error}");
}

#[test]
fn both_interactive_scenes_of_the_paper_can_be_played() {
    for name in ["plates", "interactive_bunnies"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../scenes/{name}.toml"));
        let mut session = Session::new(Arc::new(Scene::load(&path).unwrap()), None).unwrap();
        let target = session.world().bodies().find(|(_, body)| body.is_breakable()).map(|(id, _)| id).unwrap();
        let centre = session.world().body(target).unwrap().mass_properties().centroid;
        let point = session.world().pose(target).unwrap().transform_point(centre);
        // Slightly off the middle: a plate is round.
        let ray =
            Ray { origin: point + DVec3::new(0.01, 1.0, 1.0), direction: DVec3::new(0.0, -1.0, -1.0).normalize() };
        let radius = f64::from(session.choices().radius.now);
        let count = session.world().bodies().count();
        session.perform(0, &Command::Break { ray, radius, pattern: 0, method: 0, piece: Some(target.0) }).unwrap();
        assert!(session.world().bodies().count() > count + 2, "{name} does not break");
        session.perform(0, &Command::Throw { ray, speed: 12.0, radius: 0.03 }).unwrap();
        steps(&mut session, 10);
    }
}

/// A command as a page sends it.
fn said(kind: u32, words: &[u32]) -> Vec<u8> {
    let all = [&[kind, 4 * words.len() as u32], words].concat();
    masked(0x82, &all.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())
}

#[test]
fn a_page_that_does_not_read_holds_up_neither_the_simulation_nor_other_pages() {
    // More than the system takes in before somebody reads.
    let text = "version = 1\n[ground]\n\
                [[body]]\nname = \"ball\"\nshape.sphere = { radius = 0.5, frequency = 220 }\nposition = [0, 900, 0]\n";
    let scene = Scene::parse(text, Path::new("ball.toml")).unwrap();
    let serve = |server: &crate::serve::Server, is_over: &dyn Fn() -> bool| {
        super::play(&scene, None, server, is_over).unwrap();
    };
    while_running(serve, |port| {
        let [mut stuck, mut gone, mut page] = [(); 3].map(|()| open_socket(port));
        for one in [&mut stuck, &mut gone, &mut page] {
            one.write_all(&said(256, &[1])).unwrap();
        }
        drop(gone);
        // The first message has everything, the others what moved.
        let first = read_frame(&mut page).unwrap().1;
        assert!(first.starts_with(b"FRACASV\n") && first.len() > 10 << 20);
        let mut reader = Reader::default();
        reader.take(&first);
        let height = |reader: &Reader| reader.poses[&1][5];
        let start = height(&reader);
        while height(&reader) > start - 5.0 {
            reader.take(&read_frame(&mut page).unwrap().1);
        }
        assert!(reader.frames.len() > 10, "{} frames", reader.frames.len());
        // Nonsense is answered with a line, and a page of another version with what this one speaks.
        page.write_all(&said(264, &[f32::NAN.to_bits()])).unwrap();
        let mut answer = Vec::new();
        while !answer.windows(10).any(|ten| ten == b"not finite") {
            answer = read_frame(&mut page).unwrap().1;
        }
        let mut other = open_socket(port);
        other.write_all(&said(256, &[99])).unwrap();
        assert!(read_frame(&mut other).unwrap().1.starts_with(b"FRACASV\n"));
        assert_eq!(read_frame(&mut other), Some((0x88, 1000u16.to_be_bytes().to_vec())));
    });
}

#[test]
fn voxels_are_thrown_at_broken_and_dragged() {
    let text = "version = 1\ntime_step = 0.01\n[ground]\n[method.voxels]\nlevel = 5\n\
                [[body]]\nname = \"cube\"\nshape.cuboid = { size = [1, 1, 1] }\nposition = [0, 0.51, 0]\n\
                [body.fracture]\nmethod = \"svo\"\nlevel = 5\npattern.spheres = { cells = 20, radius = 0.5, extent = 2 }\n";
    let mut session = Session::new(Arc::new(Scene::parse(text, Path::new("voxels.toml")).unwrap()), None).unwrap();
    assert_eq!((session.choices().patterns.len(), session.choices().methods.len()), (3, 1));
    let ray = Ray { origin: DVec3::new(0.0, 0.6, 3.0), direction: -DVec3::Z };
    session.perform(0, &Command::Throw { ray, speed: 10.0, radius: 0.2 }).unwrap();
    steps(&mut session, 60);
    let cube = session.world().find("cube").unwrap();
    assert!(session.world().pose(cube).unwrap().translation.z < -0.05, "the ball went through");
    let hold = Command::DragStart { drag: 1, ray: from_above(0.0, -0.2), piece: Some(cube.0) };
    assert_eq!(session.perform(0, &hold), Ok(None));
    session.perform(0, &Command::DragMove { drag: 1, target: DVec3::new(0.0, 3.0, 0.0) }).unwrap();
    steps(&mut session, 100);
    assert!(session.world().pose(cube).unwrap().translation.y > 1.0);
    for pattern in 0..3 {
        session.perform(0, &Command::Reset).unwrap();
        assert_eq!(session.perform(0, &break_at(from_above(0.1, 0.1), pattern, 0)), Ok(None));
        assert!(session.world().bodies().count() > 5, "pattern {pattern}");
        steps(&mut session, 5);
    }
}
