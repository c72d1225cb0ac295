use std::ops::ControlFlow;
use std::path::Path;

use super::*;
use crate::world::Representation;

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, Path::new("scenes/test.toml"))
}

/// The one line that a mistake gets.
fn mistake(text: &str) -> String {
    match parse(text) {
        Ok(_) => panic!("no mistake found in:\n{text}"),
        Err(error) => error.to_string(),
    }
}

const BOX: &str = "name = \"box\"\nshape.cuboid = { size = [1, 1, 1] }\n";

#[test]
fn a_mistake_is_told_with_its_place_and_what_was_expected() {
    assert_eq!(
        mistake("version = 1\n[[body]]\nname = \"a\"\npositon = [0, 0, 0]\n"),
        "scenes/test.toml, line 4, column 1: unknown key `positon`; did you mean `position`? (expected one of: name, \
         shape, mesh, size, material, representation, fixed, position, rotation, velocity, angular_velocity, copies, \
         fracture)"
    );
    assert_eq!(mistake("version = 2\n"), "scenes/test.toml, line 1, column 11: found version 2, expected 1");
    assert_eq!(mistake("name = \"x\"\n"), "scenes/test.toml, line 1, column 1: the key `version` is missing");
    assert_eq!(
        mistake("version = 1\nframes = \"many\"\n"),
        "scenes/test.toml, line 2, column 10: found string \"many\", expected a whole number from 0 to 4294967295"
    );
    assert_eq!(
        mistake("version = 1\ntime_step = -0.5\n"),
        "scenes/test.toml, line 2, column 13: found `time_step` -5e-1, expected from 0.000001 to 0.1"
    );
    assert_eq!(
        mistake("version = 1\n[[body]]\nname = \"a\"\n"),
        "scenes/test.toml, line 2, column 1: body `a` has neither `shape` nor `mesh`, expected one of them"
    );
    let line = mistake("version = 1\n[[body]]\nname = \"a\"\nshape.cubiod = { size = [1, 1, 1] }\n");
    assert!(
        line.starts_with("scenes/test.toml, line 4, column 7: unknown name `cubiod`; did you mean `cuboid`?"),
        "{line}"
    );
    let line = mistake("version = 1\n[[body]\n");
    assert!(line.starts_with("scenes/test.toml, line 2, column"), "{line}");
    assert_eq!(line.lines().count(), 1);
}

#[test]
fn names_that_lead_nowhere_are_told_with_the_nearest_that_does() {
    let line = mistake(&format!("version = 1\n[[material]]\nname = \"glass\"\n[[body]]\n{BOX}material = \"gass\"\n"));
    assert_eq!(
        line,
        "scenes/test.toml, line 7, column 12: found the unknown material `gass`; did you mean `glass`? (expected one of: glass)"
    );
    let line = mistake(&format!(
        "version = 1\n[[body]]\n{BOX}\n[[event]]\nat = 1\nfracture = {{ body = \"bax\", point = [0, 0, 0] }}\n"
    ));
    assert!(line.contains("found the unknown body `bax`; did you mean `box`?"), "{line}");
    let line = mistake(&format!(
        "version = 1\n[[body]]\n{BOX}\n[[event]]\nat = 1\nfracture = {{ body = \"box\", point = [0, 0, 0] }}\n"
    ));
    assert!(line.contains("has no fracture method"), "{line}");
    let line = mistake("version = 1\n[[body]]\nname = \"a\"\nmesh = \"nowhere.obj\"\n");
    assert!(line.starts_with("scenes/test.toml, line 4, column 8: ") && line.contains("nowhere.obj"), "{line}");
}

#[test]
fn what_the_world_would_refuse_is_refused_when_the_scene_loads() {
    let line = mistake(&format!("version = 1\n[[body]]\n{BOX}position = [nan, 0, 0]\n"));
    assert!(line.starts_with("scenes/test.toml, line 2, column 1: body 'box': its position"), "{line}");
    let surface = format!("{BOX}representation = \"surface\"\n");
    let line = mistake(&format!("version = 1\n[[body]]\n{surface}[[event]]\nat = 1\n[event.drop]\n{surface}"));
    assert!(line.starts_with("scenes/test.toml, line 8, column 1: body 'box' is a surface"), "{line}");
    let line = mistake(&format!(
        "version = 1\n[[body]]\n{BOX}copies = {{ count = [4000000000, 9, 9], spacing = [1, 1, 1] }}\n"
    ));
    assert!(line.contains("copies"), "{line}");
    let line = mistake(&format!("version = 1\n[[event]]\nat = 1\n[event.throw]\n{BOX}"));
    assert!(line.contains("no `velocity`"), "{line}");
    let line = mistake("version = 1\n[[event]]\nat = 1\n");
    assert!(line.contains("exactly one of"), "{line}");
}

#[test]
fn numbers_that_would_run_but_mean_nothing_are_refused() {
    for (text, words) in [
        ("gravity = [0, -9.81, 0, 99]", "found 4 numbers, expected three"),
        ("gravity = [0, -9.81]", "found 2 numbers, expected three"),
        ("gravity = [0, -1e30, 0]", "gravity above"),
        ("time_step = 1", "expected from 0.000001 to 0.1"),
        ("steps_per_frame = 4000000000", "expected from 1 to 10000"),
        ("[method.voxels]\ndistance = 3", "found `distance` without `camera`"),
        ("[method.voxels]\nreuse = 2", "expected from 0 to 1"),
        ("[method.rigid]\nsolver_iterations = 4000000000", "expected from 1 to 1000"),
        ("[camera]\neye = [1, 1, 1]\ntarget = [0, 0, 0]\nup = [nan, 0, 0]", "the camera looks"),
        ("[ground]\nheight = nan", "line 3, column 10"),
        ("[[material]]\nname = \"rubber\"\nrestitution = 2", "expected from 0 to 1"),
        ("[[body]]\nname = \"b\"\nshape = \"cuboid\"", "shape.sphere"),
    ] {
        let line = mistake(&format!("version = 1\n{text}\n"));
        assert!(line.contains(words), "{line}");
    }
}

#[test]
fn a_scene_holds_what_its_file_says() {
    let text = format!(
        "version = 1\nname = \"n\"\ntime_step = 0.01\nsteps_per_frame = 3\nframes = 7\ngravity = [0, -1, 0]\n[ground]\nheight = 0.5\n\
         [camera]\neye = [0, 2, 9]\ntarget = [0, 1, 0]\n[method.rigid]\nsolver_iterations = 8\n\
         [[material]]\nname = \"ice\"\ndensity = 900\nfriction = 0\ncolor = [0.5, 0.7, 1]\n\
         [[wall]]\npoint = [5, 0, 0]\nnormal = [-2, 0, 0]\n\
         [[body]]\n{BOX}size = 0.5\nmaterial = \"ice\"\nrotation = [0, 90, 0]\nposition = [1, 2, 3]\n\
         copies = {{ count = [2, 1, 2], spacing = [1, 1, 1] }}\n\
         [[event]]\nat = 2\n[event.drop]\n{BOX}\n[[event]]\nat = 1\n[event.throw]\n{BOX}velocity = [1, 0, 0]\n"
    );
    let scene = parse(&text).unwrap();
    assert_eq!((scene.name.as_str(), scene.frames, scene.steps_per_frame), ("n", 7, 3));
    assert_eq!(scene.world.rigid.solver_iterations, 8);
    assert_eq!(scene.ground, Some(0.5));
    let names: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["ground", "wall", "box[0]", "box[1]", "box[2]", "box[3]"]);
    let last = &scene.bodies[5];
    assert_eq!(last.pose.translation, glam::DVec3::new(2.0, 2.0, 4.0));
    assert!((last.pose.rotation * glam::DVec3::X - glam::DVec3::NEG_Z).length() < 1e-12);
    assert_eq!((last.material.density, last.material.friction), (900.0, 0.0));
    assert!((last.mass_properties().volume - 0.125).abs() < 1e-12);
    assert!(matches!(last.representation, Representation::Cuboid { .. }));
    assert!(std::sync::Arc::ptr_eq(scene.bodies[2].looks[&0].mesh(), last.looks[&0].mesh()));
    let times: Vec<f64> = scene.events.iter().map(|event| event.at).collect();
    assert_eq!(times, [1.0, 2.0]);
}

fn pile() -> Scene {
    let text = format!(
        "version = 1\nframes = 30\n[ground]\n[[body]]\n{BOX}size = 0.3\nposition = [0, 1, 0]\n\
         copies = {{ count = [3, 6, 3], spacing = [0.32, 0.4, 0.32], jitter = 0.02, turn = 20, seed = 5 }}\n\
         [[event]]\nat = 0.2\n[event.throw]\n{BOX}size = 0.2\nposition = [-3, 1, 0]\nvelocity = [12, 0, 0]\n"
    );
    parse(&text).unwrap()
}

#[test]
fn a_run_has_one_hash_whatever_the_number_of_threads() {
    let scene = pile();
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&scene, &RunOptions::default(), |_| ControlFlow::Continue(())).unwrap().hash)
    };
    let expected = hash(1);
    for threads in [1, 2, 3, 5] {
        assert_eq!(hash(threads), expected, "{threads} threads");
    }
}

#[test]
fn a_run_counts_what_happened_and_can_be_ended() {
    let scene = pile();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fracas");
    let options = RunOptions { recording: Some(path.clone()), ..RunOptions::default() };
    let summary = run(&scene, &options, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((summary.frames, summary.steps, summary.interrupted), (30, 58, false));
    assert!(summary.statistics.contacts.max > 0.0 && summary.statistics.colliding_points.max > 0.0);
    assert_eq!(summary.statistics.triangles, 55 * 12);
    let recording = crate::recording::Recording::open(&path).unwrap();
    assert_eq!(recording.frames.len(), 30);
    assert_eq!(recording.bodies_at(29).count(), 56);
    let json = recording.summary.unwrap();
    assert_eq!(json["hash"], summary.hash_text());
    assert!(json["stages"]["total"]["mean_ms"].is_number() && json["contacts"]["max"].is_number());

    let stop =
        |progress: Progress<'_>| if progress.frame == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let summary = run(&scene, &options, stop).unwrap();
    assert_eq!((summary.frames, summary.interrupted), (5, true));
    assert_eq!(crate::recording::Recording::open(&path).unwrap().frames.len(), 5);
}

const BREAKABLE: &str = "version = 1\nframes = 30\n[ground]\n[[body]]\nname = \"slab\"\nshape.cuboid = { size = [2, 1, 0.1] }\n\
                         position = [0, 1, 0]\n[body.fracture]\npattern.voronoi = { cells = 60, extent = 3 }\n";

#[test]
fn bodies_of_a_scene_break_when_they_are_told_to_and_when_they_are_hit() {
    let blow = "[[event]]\nat = 0.1\nfracture = { body = \"slab\", point = [0, 1, 0] }\n";
    let scene = parse(&format!("{BREAKABLE}{blow}")).unwrap();
    let run = |scene: &Scene, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(scene, &RunOptions::default(), |_| std::ops::ControlFlow::Continue(()))).unwrap()
    };
    let summary = run(&scene, 1);
    assert!(summary.statistics.fragments > 10);
    assert_eq!(run(&scene, 3).hash, summary.hash);
    let trigger = "trigger = { threshold = 100 }\nradius = 0.5\nroughness = { amplitude = 0.01, frequency = 10 }\n";
    let falling = parse(&format!("{BREAKABLE}{trigger}")).unwrap();
    assert!(run(&falling, 2).statistics.fragments > 3);
    // A blow that misses is no mistake, and scattered ones go to the nearest part.
    let missed = "[[event]]\nat = 0.1\nfracture = { body = \"slab\", point = [9, 9, 9], radius = 0.1 }\n";
    assert_eq!(run(&parse(&format!("{BREAKABLE}{missed}")).unwrap(), 2).statistics.fragments, 0);
    let aimed = "[[event]]\nat = 0.1\nfracture = { body = \"slab\", point = [9, 9, 9], radius = 0.3, count = 3, every = 0.05, \
                 scatter = [1, 1, 1] }\n";
    assert!(run(&parse(&format!("{BREAKABLE}{aimed}")).unwrap(), 2).statistics.fragments > 3);
}

#[test]
fn mistakes_in_how_a_body_breaks_are_told_with_their_place() {
    let told = |more: &str, expected: &str| {
        let told = mistake(&format!("{BREAKABLE}{more}\n"));
        assert!(told.contains(expected), "{more}: {told}");
    };
    told("method = \"saw\"", "expected `vacd`, `svo` or `tet`");
    told("method = \"tet\"\nlevel = 6", "which is for `svo`, expected what `tet` has");
    told("method = \"tet\"\nmodal = {}", "found both `pattern` and `modal`");
    told("method = \"tet\"\ncell = 5", "cell");
    told("cell = 0.1", "which is for `tet`");
    told("method = \"svo\"\nlevel = 11", "expected from 3 to 10");
    told("method = \"svo\"\ncoarser_islands = 4", "expected from 0 to 3");
    told("method = \"svo\"\ninside = { color = [0, 0, 2] }", "from 0 to 1");
    told("method = \"svo\"\ninside.veins = { color = [0, 0, 0], count = 0 }", "found `count`");
    told(
        "method = \"svo\"\ninside = { veins = { color = [0, 0, 0] }, layers = { color = [0, 0, 0] } }",
        "found `veins` and `layers`, expected one of them",
    );
    told(
        "method = \"svo\"\ninside.layers = { color = [0, 0, 0], direction = [0, 0, 0] }",
        "found a `direction` of no length",
    );
    told("method = \"svo\"\nauto = 3", "found `auto`, which is for `vacd`");
    told("method = \"svo\"\nturn = \"never\"", "found `turn`, which is for `vacd`");
    told("level = 5", "found `level`, which is for `svo`");
    told("inside = { grain = 0.1 }", "found `inside`, which is for `svo`");
    told("nodes = [[0, 0, 0]]\nauto = 3", "found both `nodes` and `auto`");
    told("auto = 0", "auto");
    told("variants = 0", "variants");
    told("groups = 100", "groups");
    told("fit = \"dop15\"", "expected aabb, dop14");
    told("radius = -1", "radius");
    told("anchor = [{ min = [1, 0, 0], max = [0, 1, 1] }]", "empty anchor");
    told("roughness = { amplitude = -1, frequency = 1 }", "roughness");
    told("trigger = { threshold = 0 }", "threshold");
    told("trigger = { passthrough = 2 }", "passthrough");
    told("raduis = 1", "radius");
    told("nodes = [[50, 0, 0]]", "cannot break");
    let cloth = BREAKABLE.replace("shape.cuboid = { size = [2, 1, 0.1] }", "shape.cloth = {}");
    assert!(mistake(&cloth).contains("cannot break"), "{}", mistake(&cloth));
    let cells = BREAKABLE.replace("cells = 60", "cells = 0");
    assert!(mistake(&cells).contains("cells"));
}

#[test]
fn mistakes_in_an_animation_are_told_with_their_place() {
    let told = |more: &str, expected: &str| {
        let told = mistake(&format!("version = 1\n[animation]\n{more}\n"));
        assert!(told.contains(expected), "{more}: {told}");
    };
    assert_eq!(
        mistake("version = 1\n[animation]\nname = \"n_bodies\"\n"),
        "scenes/test.toml, line 3, column 8: found the unknown animation `n_bodies`; did you mean `n_body`? (expected one of: \
         n_body, cloth, breaking_walls, exploding_dragon)"
    );
    told("", "the key `name` is missing");
    told("name = \"cloth\"\ndetail = 0", "found `detail` 0e0, expected from 0.001 to 16");
    told("name = \"cloth\"\ndetail = nan", "found `detail`");
    told("name = \"cloth\"\nquery = \"contnuous\"", "did you mean `continuous`?");
    told("name = \"cloth\"\nculling = \"cones\"", "expected one of: contours, dual_cones, off");
    told("name = \"cloth\"\nframes = 3", "unknown key `frames`");
    let beside = "line 4, column 1: found `body` beside `animation`, expected one of them";
    told(&format!("name = \"cloth\"\n[[body]]\n{BOX}"), beside);
    told("name = \"cloth\"\n[[event]]\nat = 1", "found `event` beside `animation`");
    told("name = \"cloth\"\n[[wall]]\npoint = [0, 0, 0]\nnormal = [1, 0, 0]", "found `wall` beside `animation`");
}

/// A small animation with a ground to be drawn over.
fn animated(name: &str, more: &str) -> Scene {
    parse(&format!("version = 1\n[ground]\n[animation]\nname = \"{name}\"\n{more}\n")).unwrap()
}

#[test]
fn an_animation_runs_like_every_other_scene() {
    assert_eq!(animated("cloth", "").frames, 465);
    let scene = animated("breaking_walls", "detail = 0.01\nquery = \"both\"");
    assert_eq!(scene.frames, 80);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fracas");
    let options = RunOptions { recording: Some(path.clone()), ..RunOptions::default() };
    let mut seen = 0;
    let summary = run(&scene, &options, |progress| {
        assert!(progress.world.is_none() && progress.frames == 80);
        seen = progress.frame;
        ControlFlow::Continue(())
    });
    let summary = summary.unwrap();
    assert_eq!((summary.frames, summary.steps, summary.interrupted, seen), (80, 79, false, 80));
    let statistics = &summary.statistics;
    assert!(statistics.contacts.max > 0.0 && statistics.colliding_points.max > 0.0 && statistics.fragments > 8);
    assert!(statistics.rows().all(|(name, time)| (time.0.max > 0.0) == ["narrow", "update", "total"].contains(&name)));
    let recording = crate::recording::Recording::open(&path).unwrap();
    assert_eq!(recording.frames.len(), 80);
    assert_eq!(recording.bodies_at(79).count(), statistics.fragments + 1);
    let shown = recording.bodies_at(79).flat_map(|(_, body, _)| body.looks(79).map(move |look| (body, look)));
    let triangles: usize = shown.map(|(body, look)| recording.mesh(body, look, 79).triangles.len()).sum();
    assert_eq!(triangles, statistics.triangles);

    let stop =
        |progress: Progress<'_>| if progress.frame == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let summary = run(&scene, &RunOptions::default(), stop).unwrap();
    assert_eq!((summary.frames, summary.interrupted), (5, true));
}

#[test]
fn contacts_of_an_animation_have_one_hash_whatever_the_number_of_threads_and_what_is_culled() {
    for (name, frames) in [("n_body", 30), ("cloth", 25), ("breaking_walls", 20), ("exploding_dragon", 55)] {
        let hash = |threads: usize, culling: &str| {
            let detail = if name == "n_body" { 0.3 } else { 0.01 };
            let scene = animated(name, &format!("detail = {detail}\nquery = \"both\"\nculling = \"{culling}\""));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let options = RunOptions { frames: Some(frames), ..RunOptions::default() };
            let summary = pool.install(|| run(&scene, &options, |_| ControlFlow::Continue(())).unwrap());
            assert!(summary.statistics.contacts.max > 0.0, "{name}");
            summary.hash
        };
        let expected = hash(1, "contours");
        assert_eq!([hash(2, "contours"), hash(3, "off")], [expected; 2], "{name}");
    }
}

#[test]
fn mistakes_about_deformable_bodies_are_told_with_their_place() {
    let told = |more: &str, expected: &str| {
        let told = mistake(&format!("version = 1\n[deformable]\n{more}\n"));
        assert!(told.contains(expected), "{more}: {told}");
    };
    told("", "the key `name` is missing");
    told(
        "name = \"tori_drip\"",
        "line 3, column 8: found the unknown deformable scene `tori_drip`; did you mean `tori_drop`?",
    );
    told("name = \"tori_pile\"\ntori = 65", "found `tori` 65, expected from 2 to 64");
    told("name = \"chain\"\ndetection = \"ray\"", "did you mean `rays`?");
    told(&format!("name = \"chain\"\n[[body]]\n{BOX}"), "found `body` beside `deformable`, expected one of them");
    told("name = \"chain\"\n[animation]\nname = \"cloth\"", "found `deformable` beside `animation`");
}

#[test]
fn deformable_bodies_run_like_every_other_scene() {
    let scene = parse("version = 1\n[deformable]\nname = \"tori_interpenetrating\"\n").unwrap();
    assert_eq!((scene.frames, scene.steps_per_frame, scene.time_step), (201, 1, 0.02));
    let folder = tempfile::tempdir().unwrap();
    let played = |threads: usize| {
        let path = folder.path().join(format!("{threads}.fracas"));
        let options = RunOptions { frames: Some(6), recording: Some(path.clone()), ..RunOptions::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let summary = pool.install(|| run(&scene, &options, |_| ControlFlow::Continue(())).unwrap());
        (summary, crate::recording::Recording::open(&path).unwrap())
    };
    let (summary, recording) = played(1);
    assert_eq!((summary.frames, summary.steps, recording.frames.len()), (6, 5, 6));
    assert_eq!((summary.statistics.triangles, recording.bodies_at(5).count()), (3200, 2));
    assert!(summary.statistics.contacts.max > 0.0 && summary.statistics.colliding_points.max > 0.0);
    let shown = recording.bodies_at(5).flat_map(|(_, body, _)| body.looks(5).map(move |look| (body, look)));
    let triangles: usize = shown.map(|(body, look)| recording.mesh(body, look, 5).triangles.len()).sum();
    assert_eq!(triangles, 3200);
    assert_eq!([played(2).0.hash, played(3).0.hash], [summary.hash; 2]);
}
