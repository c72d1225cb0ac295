//! Contacts of steps, against brute force and by hand.

use super::pieces::{Known, divided, known};
use super::*;
use crate::ccd::{Features, Options};

/// Steps with more candidates than this would take too long.
const MOST_CANDIDATES: usize = 60_000;

fn is_among(contact: &StepContact, contacts: &[StepContact]) -> bool {
    let place = contacts.binary_search_by_key(&contact.candidate, |contact| contact.candidate);
    place.is_ok_and(|place| contacts[place] == *contact)
}

/// The same bodies and calls in a tree that culls by contours and in one that culls by cones, and what came of them.
pub(super) struct Trees {
    contours: MeshTree,
    cones: MeshTree,
    options: Options,
    pub(super) steps: usize,
    pub(super) contacts: usize,
    pub(super) undecided: usize,
    pub(super) missed_by_cones: usize,
    /// Without culling, by contours and by cones.
    pub(super) tests: [u64; 3],
}

impl Trees {
    pub(super) fn new() -> Trees {
        Trees::within(0.0)
    }

    fn within(separation: f64) -> Trees {
        let tree = |culling| {
            MeshTree::new(MeshTreeOptions { culling, margin: separation, crack_contacts: true, ..Default::default() })
        };
        Trees {
            contours: tree(Culling::Contours),
            cones: tree(Culling::DualCones),
            options: Options { minimum_separation: separation, ..Options::default() },
            steps: 0,
            contacts: 0,
            undecided: 0,
            missed_by_cones: 0,
            tests: [0; 3],
        }
    }

    /// Calls the same of both.
    pub(super) fn call<T: PartialEq + std::fmt::Debug>(&mut self, call: impl Fn(&mut MeshTree) -> T) -> T {
        let (one, other) = (call(&mut self.contours), call(&mut self.cones));
        assert_eq!(one, other);
        one
    }

    fn add(&mut self, mesh: &TriMesh) -> BodyHandle {
        self.call(|tree| tree.add(mesh)).unwrap()
    }

    fn move_to(&mut self, body: BodyHandle, positions: &[DVec3]) {
        self.call(|tree| tree.move_to(body, positions)).unwrap();
    }

    /// Ends a step and compares its contacts with those of brute force.
    pub(super) fn step(&mut self) {
        self.call(MeshTree::update);
        if self.contours.brute_force_candidates().len() > MOST_CANDIDATES {
            return;
        }
        self.steps += 1;
        self.contours.assert_well_formed();
        let (expected, all) = self.contours.brute_force_contacts(&self.options).unwrap();
        let (found, counts) = self.contours.contacts(&self.options).unwrap();
        let missing = || expected.iter().find(|contact| !is_among(contact, &found));
        assert!(found == expected, "instead of {} contacts {}, without {:?}", expected.len(), found.len(), missing());
        let first = expected.iter().min_by(|a, b| a.time.total_cmp(&b.time)).copied();
        assert_eq!(self.contours.first_contact(&self.options).unwrap(), (first, counts));
        for contact in &expected {
            assert!((0.0..=1.0).contains(&contact.time) && (contact.normal.length() - 1.0).abs() < 1e-9);
        }
        let (found, by_cones) = self.cones.contacts(&self.options).unwrap();
        assert!(found.iter().all(|contact| is_among(contact, &expected)));
        self.contacts += expected.len();
        self.undecided += expected.iter().filter(|contact| !contact.is_decided).count();
        self.missed_by_cones += expected.len() - found.len();
        for (sum, counts) in self.tests.iter_mut().zip([all, counts, by_cones]) {
            *sum += counts.vertex_face_tests + counts.edge_edge_tests;
        }
    }

    /// Tells what came of all steps.
    pub(super) fn report(&self, name: &str) {
        let Trees { steps, contacts, undecided, missed_by_cones, tests: [all, by_contours, by_cones], .. } = self;
        println!("{name}: {steps} steps, {contacts} contacts, of which the paper's cones miss {missed_by_cones};");
        println!("  {all} tests, {by_contours} with contours, {by_cones} with cones; {undecided} undecided");
    }

    /// Takes all bodies out.
    pub(super) fn clear(&mut self) {
        for body in self.contours.bodies().collect::<Vec<_>>() {
            self.call(|tree| tree.delete(body)).unwrap();
        }
    }

    /// A step of some bodies alone.
    pub(super) fn scene(&mut self, bodies: &[(TriMesh, Vec<DVec3>)]) {
        self.clear();
        for (mesh, to) in bodies {
            let body = self.add(mesh);
            self.move_to(body, to);
        }
        self.step();
    }
}

#[test]
fn contacts_of_random_scenes_are_those_of_brute_force() {
    let mut trees = Trees::new();
    let mut random = Random::new(21);
    for _ in 0..100 {
        let bodies = scene(&mut random);
        trees.scene(&bodies);
    }
    trees.report("random scenes");
    assert!(trees.steps > 80 && trees.contacts > 10_000 && trees.undecided == 0);
    assert!(trees.tests[1] < trees.tests[0]);
}

#[test]
fn contacts_of_fast_scenes_are_those_of_brute_force() {
    let mut trees = Trees::new();
    let mut random = Random::new(22);
    for _ in 0..40 {
        let mut bodies = scene(&mut random);
        for (mesh, to) in &mut bodies {
            let (start, way) = (random.in_cube(), 6.0 * random.in_cube());
            mesh.positions.iter_mut().for_each(|p| *p += start - 0.5 * way);
            to.iter_mut().for_each(|p| *p += 0.5 * way);
        }
        trees.scene(&bodies);
    }
    trees.report("fast scenes");
    assert!(trees.steps > 10 && trees.contacts > 1000 && trees.undecided == 0);
}

#[test]
fn contacts_within_a_separation_are_those_of_brute_force() {
    let mut trees = Trees::within(0.02);
    let mut random = Random::new(23);
    for _ in 0..8 {
        let bodies = scene(&mut random);
        trees.scene(&bodies);
    }
    trees.report("within a separation");
    assert!(trees.contacts > 1000 && trees.missed_by_cones == 0);
}

/// Faces of one body were asked whether they meet the boxes of others that were larger by half of the separation only. The sheets are so far from
/// each other that no twig has faces of both.
#[test]
fn sheets_of_one_body_are_within_all_of_a_separation() {
    let separation = 0.45;
    let mut trees = Trees::within(separation);
    for gap in [0.4, 0.6, 0.8, 0.95] {
        let at = |height: f64| sheet(6, 6, |u, v| DVec3::new(u, v, height));
        for heights in [[0.0, gap * separation], [gap * separation, 0.0]] {
            let mut mesh = at(heights[0]);
            mesh.append(&at(heights[1]));
            let to = mesh.positions.clone();
            trees.scene(&[(mesh, to)]);
        }
    }
    trees.report("sheets within a separation");
    assert!(trees.steps >= 8 && trees.contacts > 1000, "{} steps, {} contacts", trees.steps, trees.contacts);
}

/// The triangles on each side of a plane through the middle, with vertices of their own.
fn halves(mesh: &TriMesh, normal: DVec3) -> [Known; 2] {
    let middle = mesh.aabb().center();
    divided(mesh, |place| usize::from((place - middle).dot(normal) <= 0.0))
}

/// Breaks things along lines of their triangles, so that pieces touch all along the break at first, lets the pieces fly
/// through each other, and joins some again.
#[test]
fn contacts_of_things_that_break_are_those_of_brute_force() {
    let mut trees = Trees::new();
    let mut random = Random::new(24);
    for _ in 0..10 {
        trees.clear();
        let mut pieces: Vec<(BodyHandle, TriMesh)> = Vec::new();
        for (mesh, _) in scene(&mut random) {
            let mesh = TriMesh::new(mesh.positions, mesh.triangles);
            pieces.push((trees.add(&mesh), mesh));
        }
        for _ in 0..4 {
            let (body, mesh) = pieces.swap_remove((random.next_u64() % pieces.len() as u64) as usize);
            let parts = halves(&mesh, random.in_cube());
            let bodies = trees.call(|tree| tree.split(body, known(&parts))).unwrap();
            pieces.extend(bodies.into_iter().zip(parts.map(|(mesh, _)| mesh)));
            if pieces.len() > 3 {
                let ((one, mut mesh), (other, more)) = (pieces.remove(0), pieces.remove(0));
                mesh.append(&more);
                pieces.push((trees.call(|tree| tree.merge(&[one, other], &mesh)).unwrap(), mesh));
            }
            for (body, mesh) in &mut pieces {
                let (shift, shake) = (0.2 * random.in_cube(), 0.02 * random.unit());
                mesh.positions.iter_mut().for_each(|p| *p += shift + shake * random.in_cube());
                trees.move_to(*body, &mesh.positions);
            }
            trees.step();
        }
    }
    trees.report("things that break");
    assert!(trees.contacts > 10_000 && trees.undecided == 0);
}

#[test]
fn contacts_of_folding_sheets_are_those_of_brute_force() {
    let mut trees = Trees::new();
    let mut random = Random::new(25);
    for _ in 0..12 {
        trees.clear();
        let (lean, wave) = (random.in_cube(), 9.0 * random.unit());
        let rolled = |turns: f64| {
            sheet(24, 6, |u, v| {
                let (sin, cos) = (std::f64::consts::TAU * turns * u).sin_cos();
                let radius = 0.3 + 0.02 * (wave * v + 17.0 * u).sin() - 0.06 * u;
                DVec3::new(radius * cos, v, radius * sin) + 0.03 * lean * u * v
            })
        };
        let body = trees.add(&rolled(0.3));
        for step in 1..6 {
            trees.move_to(body, &rolled(0.3 + 0.35 * f64::from(step)).positions);
            trees.step();
        }
    }
    trees.report("folding sheets");
    assert!(trees.contacts > 1000 && trees.undecided == 0);
}

/// Whole numbers in one plane: everything that touches does so exactly.
#[test]
fn contacts_of_things_that_slide_in_a_plane_are_those_of_brute_force() {
    let mut trees = Trees::new();
    let mut random = Random::new(26);
    let mut whole = |most: u64| DVec3::new((random.next_u64() % most) as f64, (random.next_u64() % most) as f64, 0.0);
    for _ in 0..40 {
        let bodies: Vec<(TriMesh, Vec<DVec3>)> = (0..2)
            .map(|_| {
                let (from, to, one) = (whole(9), whole(9), whole(2));
                let mesh = sheet(2, 3, |u, v| from + DVec3::new((2.0 * u).round(), (3.0 * v).round(), 0.0));
                let mut moved: Vec<DVec3> = mesh.positions.iter().map(|&p| p - from + to).collect();
                moved[4] += one;
                (mesh, moved)
            })
            .collect();
        trees.scene(&bodies);
    }
    trees.report("sliding in a plane");
    assert!(trees.contacts > 1000 && trees.undecided == 0);
}

fn single(tree: &mut MeshTree, corners: [[f64; 3]; 3]) -> BodyHandle {
    tree.add(&TriMesh::new(corners.map(DVec3::from_array).to_vec(), vec![[0, 1, 2]])).unwrap()
}

/// A vertex comes down on a face, on its edge, on its corner, and one step of the last digit beside it.
#[test]
fn a_vertex_touches_a_face_exactly() {
    let beside = 0.0f64.next_down();
    for (x, y, count) in [(1.0, 1.0, 1), (2.0, 2.0, 3), (0.0, 0.0, 6), (1.0, beside, 0), (1.0, -1e-300, 0)] {
        let mut tree = MeshTree::new(MeshTreeOptions::default());
        single(&mut tree, [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
        // All of the upper triangle but this vertex stays above.
        let upper = single(&mut tree, [[x, y, 1.0], [x - 1.0, y, 9.0], [x + 1.0, y, 9.0]]);
        let to = [[x, y, -1.0], [x - 1.0, y, 8.0], [x + 1.0, y, 8.0]].map(DVec3::from_array);
        tree.move_to(upper, &to).unwrap();
        tree.update();
        let (contacts, _) = tree.contacts(&Options::default()).unwrap();
        assert_eq!(contacts.iter().filter(|contact| contact.time <= 0.5).count(), count, "{x} {y}: {contacts:?}");
        if let Some(first) = tree.first_contact(&Options::default()).unwrap().0 {
            assert!((0.5 - 1e-8..=0.5).contains(&first.time));
            let Candidate::VertexFace { vertex, face } = first.candidate else { panic!("{first:?}") };
            assert_eq!((vertex.number, face.number), (0, 0));
            assert!(matches!(first.features, Features::VertexFace([a, b, c])
                if (b - x / 4.0).abs() < 1e-7 && (c - y / 4.0).abs() < 1e-7 && (a + b + c - 1.0).abs() < 1e-12));
        }
    }
}

#[test]
fn things_that_slide_on_each_other_touch_from_the_time_they_meet() {
    let mut tree = MeshTree::new(MeshTreeOptions::default());
    single(&mut tree, [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    let sliding = single(&mut tree, [[12.0, 1.0, 0.0], [16.0, 1.0, 0.0], [16.0, 5.0, 0.0]]);
    // Its corner meets the slanted edge at (3, 1).
    tree.move_to(sliding, &[[-4.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 5.0, 0.0]].map(DVec3::from_array)).unwrap();
    tree.update();
    let (contacts, _) = tree.contacts(&Options::default()).unwrap();
    let first = tree.first_contact(&Options::default()).unwrap().0.unwrap();
    assert!((9.0 / 16.0 - 1e-8..=9.0 / 16.0).contains(&first.time), "{first:?}");
    assert_eq!(contacts, tree.brute_force_contacts(&Options::default()).unwrap().0);
    assert!(contacts.len() > 6 && contacts.iter().all(|contact| contact.is_decided));

    // One above the other by the last digit, and they never meet.
    tree.move_to(sliding, &[[-4.0, 1.0, 1e-320], [0.0, 1.0, 1e-320], [0.0, 5.0, 1e-320]].map(DVec3::from_array))
        .unwrap();
    tree.update();
    tree.move_to(sliding, &[[12.0, 1.0, 1e-320], [16.0, 1.0, 1e-320], [16.0, 5.0, 1e-320]].map(DVec3::from_array))
        .unwrap();
    tree.update();
    assert_eq!(tree.contacts(&Options::default()).unwrap().0, []);
}

#[test]
fn resting_on_a_floor_is_a_contact_at_once() {
    let mut tree = MeshTree::new(MeshTreeOptions::default());
    let mut cube = shapes::cuboid(2.0 * DVec3::ONE);
    cube.positions.iter_mut().for_each(|p| *p = (*p).round());
    tree.add(&cube).unwrap();
    single(&mut tree, [[-9.0, -9.0, -1.0], [20.0, -9.0, -1.0], [-9.0, 20.0, -1.0]]);
    tree.update();
    let (contacts, _) = tree.contacts(&Options::default()).unwrap();
    // The lower corners against the floor; no edge of the one meets one of the other.
    let corners = cube.positions.iter().filter(|p| p.z == -1.0).count();
    assert_eq!(contacts.len(), corners);
    assert!(contacts.iter().all(|contact| contact.time == 0.0 && contact.normal.abs_diff_eq(DVec3::Z, 1e-15)));
}

#[test]
fn a_separation_needs_a_margin() {
    let bodies = [(sheet(3, 3, |u, v| DVec3::new(u, v, 0.0)), Vec::new())];
    let (mut tree, _) = tree_of(&bodies, Culling::Contours);
    tree.update();
    let options = Options { minimum_separation: 0.1, ..Options::default() };
    let error = MarginError { separation: 0.1, margin: 0.0 };
    assert_eq!(tree.contacts(&options), Err(error));
    assert_eq!(tree.first_contact(&options), Err(error));
    assert_eq!(tree.brute_force_contacts(&options), Err(error));
    assert!(error.to_string().contains("within 0.1") && error.to_string().contains("margin of 0;"));
    for margin in [f64::NAN, -1.0, 0.099] {
        let tree = MeshTree::new(MeshTreeOptions { margin, ..Default::default() });
        assert!(tree.contacts(&options).is_err());
    }
    // Without a separation every margin will do.
    for minimum_separation in [0.0, -1.0, f64::NAN] {
        assert!(tree.contacts(&Options { minimum_separation, ..options }).is_ok());
    }
}

/// A separation is measured between points, where boxes touch at corners too.
#[test]
fn what_is_nearer_than_the_separation_is_a_contact_without_touching() {
    let mut tree = MeshTree::new(MeshTreeOptions { margin: 0.5, ..Default::default() });
    single(&mut tree, [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    let upper = single(&mut tree, [[1.0, 1.0, 2.5], [0.0, 1.0, 9.0], [2.0, 1.0, 9.0]]);
    tree.move_to(upper, &[[1.0, 1.0, 0.5], [0.0, 1.0, 9.0], [2.0, 1.0, 9.0]].map(DVec3::from_array)).unwrap();
    tree.update();
    let within = |separation| {
        let options = Options { minimum_separation: separation, ..Options::default() };
        tree.first_contact(&options).unwrap().0.map(|contact| contact.time)
    };
    assert_eq!(within(0.0), None);
    assert_eq!(within(0.4), None);
    assert!(within(0.5).is_some_and(|time| time > 0.999));
}

#[test]
fn what_is_not_decided_is_a_contact_at_a_time_that_is_known() {
    let mut random = Random::new(27);
    for _ in 0..5 {
        let bodies = scene(&mut random);
        let (mut tree, handles) = tree_of(&bodies, Culling::Off);
        move_all(&mut tree, &handles, &bodies);
        let (decided, _) = tree.contacts(&Options::default()).unwrap();
        for iterations in [0, 2] {
            let options = Options { iterations, ..Options::default() };
            let (contacts, _) = tree.contacts(&options).unwrap();
            // The tree has seen of some that they are apart.
            let (all, _) = tree.brute_force_contacts(&options).unwrap();
            assert!(contacts.iter().all(|contact| is_among(contact, &all)));
            for contact in &contacts {
                assert!((0.0..=1.0).contains(&contact.time) && (contact.normal.length() - 1.0).abs() < 1e-9);
            }
            // Each contact is there, and not later.
            for contact in &decided {
                let place = contacts.binary_search_by_key(&contact.candidate, |contact| contact.candidate).unwrap();
                assert!(contacts[place].time <= contact.time + 1e-8 || contacts[place].is_decided);
            }
            // What starts at one corner needs no search.
            assert!(iterations > 0 || contacts.iter().all(|contact| contact.time == 0.0));
            assert!(iterations > 0 || contacts.iter().any(|contact| !contact.is_decided));
            let first = contacts.iter().min_by(|a, b| a.time.total_cmp(&b.time)).copied();
            assert_eq!(tree.first_contact(&options).unwrap().0, first);
        }
    }
}

#[test]
fn every_number_of_threads_finds_the_same_contacts() {
    let mesh = winding(300, 8, 1.4, 30.0);
    let to: Vec<DVec3> = mesh.positions.iter().map(|&p| 0.9 * p + DVec3::new(0.0, 0.01, 0.05)).collect();
    let other = sheet(40, 40, |u, v| DVec3::new(2.0 * u - 1.0, 2.0 * v - 1.0, 0.1 * (9.0 * u).sin()));
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut tree, handles) =
                tree_of(&[(mesh.clone(), Vec::new()), (other.clone(), Vec::new())], Culling::Contours);
            tree.move_to(handles[0], &to).unwrap();
            tree.update();
            (tree.contacts(&Options::default()).unwrap(), tree.first_contact(&Options::default()).unwrap())
        })
    };
    let one = run(1);
    assert!(one.0.0.len() > 1000);
    assert!((2..5).all(|threads| run(threads) == one));
}

/// Boxes in a heap, turned anyhow: most of those whose boxes overlap are parted by a plane, and nothing is lost by that.
#[test]
fn bodies_that_a_plane_fits_between_are_parted_and_lose_no_contact() {
    let mut random = Random::new(77);
    let mut bodies = Vec::new();
    let mut trees = [Culling::Off, Culling::Contours]
        .map(|culling| MeshTree::new(MeshTreeOptions { culling, ..Default::default() }));
    let place = |random: &mut Random, middle: DVec3| -> Vec<DVec3> {
        let turn = DQuat::from_scaled_axis(2.0 * random.in_cube());
        shapes::cuboid(DVec3::new(0.9, 0.5, 0.4)).positions.iter().map(|&corner| middle + turn * corner).collect()
    };
    for number in 0..120 {
        let middle = 0.7 * DVec3::new(f64::from(number % 5), f64::from(number / 5 % 5), f64::from(number / 25));
        let mesh = TriMesh::new(place(&mut random, middle), shapes::cuboid(DVec3::ONE).triangles);
        bodies.push((trees.each_mut().map(|tree| tree.add(&mesh).unwrap()), middle));
    }
    let (mut contacts, mut parted) = (0, 0);
    for _ in 0..20 {
        for (handles, middle) in &mut bodies {
            *middle += 0.05 * random.in_cube();
            let to = place(&mut random, *middle);
            for (tree, body) in trees.iter_mut().zip(handles) {
                tree.move_to(*body, &to).unwrap();
            }
        }
        trees.iter_mut().for_each(MeshTree::update);
        let [all, some] = trees.each_ref().map(|tree| tree.contacts(&Options::default()).unwrap());
        assert_eq!(all.0, some.0);
        assert_eq!(trees[0].intersections(), trees[1].intersections());
        assert_eq!(all.1.traversal.parted, 0);
        contacts += all.0.len();
        parted += some.1.traversal.parted;
    }
    assert!(contacts > 1000 && parted > 1000, "{contacts} contacts, {parted} parted");
}

#[test]
fn contacts_along_a_fresh_crack_are_left_out_for_one_step_unless_asked_for() {
    let cube = shapes::cuboid(DVec3::ONE);
    let at = |x: f64| TriMesh::new(cube.positions.iter().map(|&p| p + x * DVec3::X).collect(), cube.triangles.clone());
    let whole = shapes::cuboid(DVec3::new(2.0, 1.0, 1.0));
    let mut found = Vec::new();
    for crack_contacts in [true, false] {
        let mut tree = MeshTree::new(MeshTreeOptions { crack_contacts, ..Default::default() });
        let body = tree.add(&whole).unwrap();
        let bystander = tree.add(&at(5.0)).unwrap();
        tree.update();
        let pieces = tree.split(body, &[at(-0.5), at(0.5)]).unwrap();
        tree.move_to(pieces[0], &at(-1.0).positions).unwrap();
        // The bystander is hit in the very step in which the body breaks.
        tree.move_to(bystander, &at(0.7).positions).unwrap();
        tree.update();
        let (contacts, _) = tree.contacts(&Options::default()).unwrap();
        let is_of = |contact: &StepContact, body: BodyHandle| match contact.candidate {
            Candidate::VertexFace { vertex, face } => vertex.body == body || face.body == body,
            Candidate::EdgeEdge { edges } => edges.iter().any(|edge| edge.body == body),
        };
        assert!(contacts.iter().any(|contact| is_of(contact, bystander)));
        assert_eq!(contacts.iter().any(|contact| !is_of(contact, bystander)), crack_contacts);
        assert_eq!(tree.cracks().contains(&[pieces[0], pieces[1]]), !crack_contacts);
        // In the next step they come together again, which is a contact as any other.
        tree.move_to(pieces[0], &at(-0.3).positions).unwrap();
        tree.update();
        assert!(tree.cracks().is_empty());
        found.push(tree.contacts(&Options::default()).unwrap().0);
    }
    assert!(!found[0].is_empty());
    assert_eq!(found[0], found[1]);

    // What breaks twice before a step touches all that it broke from.
    let mut tree = MeshTree::new(MeshTreeOptions::default());
    let body = tree.add(&whole).unwrap();
    tree.update();
    let pieces = tree.split(body, &[at(-0.5), at(0.5)]).unwrap();
    tree.split(pieces[0], &[at(-0.5)]).unwrap();
    tree.update();
    assert!(tree.contacts(&Options::default()).unwrap().0.is_empty());
}

/// Pieces fly apart, through each other and through what stands around: what is not told feature by feature is told as a pair.
#[test]
fn what_touches_is_told_as_a_contact_or_as_a_crack() {
    let mut random = Random::new(26);
    let (mut told, mut along_cracks, mut parted) = (0, 0, 0);
    for _ in 0..12 {
        let mut trees =
            [true, false].map(|crack_contacts| MeshTree::new(MeshTreeOptions { crack_contacts, ..Default::default() }));
        let mut pieces: Vec<(BodyHandle, TriMesh)> = Vec::new();
        for (mesh, _) in scene(&mut random) {
            let mesh = TriMesh::new(mesh.positions, mesh.triangles);
            let [body, same] = trees.each_mut().map(|tree| tree.add(&mesh).unwrap());
            assert_eq!(body, same);
            pieces.push((body, mesh));
        }
        for _ in 0..4 {
            let (body, mesh) = pieces.swap_remove((random.next_u64() % pieces.len() as u64) as usize);
            let [(one, _), (other, _)] = halves(&mesh, random.in_cube());
            let [(third, _), (fourth, _)] = halves(&one, random.in_cube());
            let parts = [other, third, fourth];
            let [bodies, _] = trees.each_mut().map(|tree| tree.split(body, &parts).unwrap());
            pieces.extend(bodies.into_iter().zip(parts));
            for (body, mesh) in &mut pieces {
                let shift = 0.3 * random.in_cube();
                mesh.positions.iter_mut().for_each(|p| *p += shift + 0.02 * random.in_cube());
                trees.iter_mut().for_each(|tree| tree.move_to(*body, &mesh.positions).unwrap());
            }
            trees.iter_mut().for_each(MeshTree::update);
            let [all, some] = trees.each_ref().map(|tree| tree.contacts(&Options::default()).unwrap().0);
            let cracks = trees[1].cracks();
            assert!(trees[0].cracks().is_empty() && cracks.is_sorted());
            let pair = |contact: &StepContact| match contact.candidate {
                Candidate::VertexFace { vertex, face } => [vertex.body.min(face.body), vertex.body.max(face.body)],
                Candidate::EdgeEdge { edges: [one, other] } => [one.body.min(other.body), one.body.max(other.body)],
            };
            let expected: Vec<StepContact> =
                all.iter().filter(|contact| !cracks.contains(&pair(contact))).copied().collect();
            assert_eq!(some, expected);
            told += some.len();
            along_cracks += all.len() - some.len();
            parted += usize::from(cracks.len() < 3);
        }
    }
    assert!(told > 1000 && along_cracks > 1000 && parted > 0, "{told} told, {along_cracks} along cracks, {parted}");
}
