//! What a GLB file says of a recording, read by the crate `gltf`.

use std::collections::BTreeMap;

use glam::{DVec3, Quat, Vec3};
use gltf::animation::util::ReadOutputs;
use gltf::animation::{Interpolation, Property};

use super::tests::{FRAMES, falling_boxes, film_bytes, moving_meshes};
use super::*;

/// The channels of a node: times, values, and whether they are stepped.
type Channels = BTreeMap<(usize, u8), (Vec<f32>, Vec<Vec<f32>>, bool)>;

fn path(property: Property) -> u8 {
    match property {
        Property::Translation => 0,
        Property::Rotation => 1,
        Property::Scale => 2,
        Property::MorphTargetWeights => 3,
    }
}

fn channels(file: &gltf::Gltf) -> Channels {
    let blob = file.blob.as_deref().unwrap();
    let mut channels = Channels::new();
    for channel in file.animations().flat_map(|animation| animation.channels().collect::<Vec<_>>()) {
        let reader = channel.reader(|_| Some(blob));
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        let values: Vec<Vec<f32>> = match reader.read_outputs().unwrap() {
            ReadOutputs::Translations(values) | ReadOutputs::Scales(values) => values.map(Vec::from).collect(),
            ReadOutputs::Rotations(values) => values.into_f32().map(Vec::from).collect(),
            ReadOutputs::MorphTargetWeights(values) => {
                let values: Vec<f32> = values.into_f32().collect();
                values.chunks(values.len() / times.len()).map(<[f32]>::to_vec).collect()
            }
        };
        let is_stepped = channel.sampler().interpolation() == Interpolation::Step;
        let key = (channel.target().node().index(), path(channel.target().property()));
        assert!(channels.insert(key, (times, values, is_stepped)).is_none(), "one property, one channel");
    }
    channels
}

/// A property at a time, as a player reckons it.
fn value_at(channels: &Channels, node: usize, path: u8, time: f32) -> Option<Vec<f32>> {
    let (times, values, is_stepped) = channels.get(&(node, path))?;
    // A little later than the frame, so that rounding does not decide what is there.
    let time = if *is_stepped { time + 1e-5 } else { time };
    let next = times.partition_point(|&key| key <= time).min(times.len() - 1);
    let last = times.partition_point(|&key| key <= time).saturating_sub(1);
    let share = if next > last && !is_stepped { (time - times[last]) / (times[next] - times[last]) } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    if path == 1 {
        let [one, other] = [last, next].map(|key| Quat::from_slice(&values[key]));
        return Some(one.slerp(other, share).to_array().to_vec());
    }
    Some(values[last].iter().zip(&values[next]).map(|(one, other)| one + share * (other - one)).collect())
}

/// Where the points of a node's mesh are at a time, in its parent's space; nothing if it is not to be seen.
fn points(file: &gltf::Gltf, channels: &Channels, node: &gltf::Node<'_>, time: f32) -> Option<Vec<Vec3>> {
    let [translation, rotation, scale] = {
        let (translation, rotation, scale) = node.transform().decomposed();
        let at = |path: u8, rest: Vec<f32>| value_at(channels, node.index(), path, time).unwrap_or(rest);
        [at(0, translation.to_vec()), at(1, rotation.to_vec()), at(2, scale.to_vec())]
    };
    assert!(scale[0] == 0.0 || scale[0] == 1.0, "nothing is half there");
    if scale[0] == 0.0 {
        return None;
    }
    let blob = file.blob.as_deref();
    let mut points = Vec::new();
    for child in node.children() {
        points.extend(self::points(file, channels, &child, time).into_iter().flatten());
    }
    if let Some(mesh) = node.mesh() {
        let primitive = mesh.primitives().next().unwrap();
        let reader = primitive.reader(|_| blob);
        let mut own: Vec<Vec3> = reader.read_positions().unwrap().map(Vec3::from).collect();
        let weights = value_at(channels, node.index(), 3, time).unwrap_or_default();
        for ((displacements, _, _), weight) in reader.read_morph_targets().zip(&weights) {
            for (point, displacement) in own.iter_mut().zip(displacements.unwrap()) {
                *point += *weight * Vec3::from(displacement);
            }
        }
        points.extend(own);
    }
    let rotation = Quat::from_slice(&rotation);
    let translation = Vec3::from_slice(&translation);
    Some(points.into_iter().map(|point| rotation * point + translation).collect())
}

/// Whether two clouds of points have the same places.
fn same_places(found: &[Vec3], expected: &[DVec3], tolerance: f64) -> bool {
    let near = |point: DVec3, others: &[DVec3]| others.iter().any(|other| other.distance(point) < tolerance);
    let found: Vec<DVec3> = found.iter().map(|point| point.as_dvec3()).collect();
    found.iter().all(|&point| near(point, expected)) && expected.iter().all(|&point| near(point, &found))
}

fn nodes(file: &gltf::Gltf) -> Vec<gltf::Node<'_>> {
    file.scenes().flat_map(|scene| scene.nodes().collect::<Vec<_>>()).filter(|node| node.camera().is_none()).collect()
}

fn assert_same_film(recording: &Recording, bytes: &[u8], tolerance: f64) {
    let file = gltf::Gltf::from_slice(bytes).unwrap();
    let channels = channels(&file);
    let bodies: Vec<u32> =
        recording.bodies.iter().filter(|(_, body)| seen_at_all(recording, body)).map(|(&id, _)| id).collect();
    let nodes = nodes(&file);
    assert_eq!(nodes.len(), bodies.len());
    for frame in 0..recording.frames.len() as u32 {
        let time = frame as f32 * recording.header.seconds_per_frame as f32;
        for (node, id) in nodes.iter().zip(&bodies) {
            let body = &recording.bodies[id];
            let found = points(&file, &channels, node, time);
            assert_eq!(found.is_some(), body.pose(frame).is_some(), "body {id} in frame {frame}");
            let (Some(found), Some(pose)) = (found, body.pose(frame)) else { continue };
            let expected: Vec<DVec3> = body
                .looks(frame)
                .flat_map(|look| recording.mesh(body, look, frame).positions.clone())
                .map(|position| pose.transform_point(position))
                .collect();
            assert!(same_places(&found, &expected, tolerance), "body {id} in frame {frame}");
        }
    }
}

fn seen_at_all(recording: &Recording, body: &crate::recording::RecordedBody) -> bool {
    body.all_looks().iter().any(|look| !recording.meshes[look.mesh as usize].triangles.is_empty())
}

#[test]
fn bodies_are_where_they_were_in_every_frame_and_when() {
    let recording = falling_boxes();
    let bytes = film_bytes(&recording, &ExportOptions::default());
    assert_same_film(&recording, &bytes, 1e-5);
    // At the keys themselves the poses are the recorded ones, to single precision.
    let file = gltf::Gltf::from_slice(&bytes).unwrap();
    let channels = channels(&file);
    let (mut keys, mut frames) = (0, 0);
    for (node, id) in nodes(&file).iter().zip([1, 2, 3]) {
        let body = &recording.bodies[&id];
        for path in [0, 1] {
            let Some((times, values, _)) = channels.get(&(node.index(), path)) else { continue };
            keys += times.len();
            frames += (body.gone.min(FRAMES) - body.born) as usize;
            for (time, value) in times.iter().zip(values) {
                let pose = body.pose((time / 0.02).round() as u32).unwrap();
                let found = if path == 0 {
                    Vec3::from_slice(value).as_dvec3().distance(pose.translation)
                } else {
                    1.0 - Quat::from_slice(value).as_dquat().dot(pose.rotation).abs()
                };
                assert!(found < 1e-6, "{found}");
            }
        }
    }
    assert!(keys > 60 && keys <= frames);
}

#[test]
fn meshes_that_deform_have_their_forms_in_every_frame() {
    let recording = moving_meshes();
    assert_same_film(&recording, &film_bytes(&recording, &ExportOptions::default()), 3e-5);
}

#[test]
fn breaks_have_a_material_of_their_own_and_meshes_are_shared() {
    let recording = falling_boxes();
    let bytes = film_bytes(&recording, &ExportOptions::default());
    let file = gltf::Gltf::from_slice(&bytes).unwrap();
    let mesh = nodes(&file)[0].mesh().unwrap();
    let triangles: Vec<usize> = mesh.primitives().map(|one| one.indices().unwrap().count() / 3).collect();
    assert_eq!(triangles, [10, 2]);
    let names: Vec<&str> = mesh.primitives().map(|one| one.material().name().unwrap()).collect();
    assert!(names[1].ends_with("break") && !names[0].ends_with("break"), "{names:?}");
    // Three bodies in colours of their own, over one set of vertices.
    assert_eq!(file.meshes().count(), 3);
    let views: std::collections::BTreeSet<usize> = file
        .meshes()
        .flat_map(|mesh| {
            mesh.primitives().map(|one| one.get(&gltf::Semantic::Positions).unwrap().index()).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(views.len(), 1);
    assert!(mesh.primitives().all(|one| one.get(&gltf::Semantic::Normals).is_some()));
    assert!(file.cameras().count() == 1);
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    let recording = moving_meshes();
    let export = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| film_bytes(&recording, &ExportOptions::default()))
    };
    assert!(export(1) == export(3));
}
