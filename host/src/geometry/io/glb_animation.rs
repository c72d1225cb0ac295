//! How nodes of a GLB file change over time.

use serde_json::{Value, json};

use super::glb_parts::{FLOAT, Parts};
use super::glb_scene::{GlbChannel, GlbScene, GlbValues};
use super::hash::SeededMap;

/// All channels as one animation; nothing if there are none.
pub(super) fn animation_json(scene: &GlbScene<'_>, parts: &mut Parts) -> Result<Option<Value>, String> {
    let mut clocks: SeededMap<Vec<u32>, usize> = SeededMap::default();
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for channel in &scene.channels {
        check(channel, scene)?;
        // Many nodes change at the same times.
        let key = channel.times.iter().map(|time| time.to_bits()).collect();
        let input = *clocks.entry(key).or_insert_with(|| push_times(&channel.times, parts));
        let (path, output) = push_values(&channel.values, parts);
        let interpolation = if channel.is_stepped { "STEP" } else { "LINEAR" };
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": channel.node, "path": path } }));
        samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    }
    let animation = json!({ "name": "recording", "samplers": samplers, "channels": channels });
    Ok((!scene.channels.is_empty()).then_some(animation))
}

fn push_times(times: &[f32], parts: &mut Parts) -> usize {
    let accessor = json!({ "componentType": FLOAT, "count": times.len(), "type": "SCALAR",
        "min": [times[0]], "max": [times[times.len() - 1]] });
    parts.push(bytemuck::cast_slice(times), None, accessor)
}

fn push_values(values: &GlbValues, parts: &mut Parts) -> (&'static str, usize) {
    let mut push = |bytes: &[u8], count: usize, kind: &str| {
        parts.push(bytes, None, json!({ "componentType": FLOAT, "count": count, "type": kind }))
    };
    match values {
        GlbValues::Translation(values) => ("translation", push(bytemuck::cast_slice(values), values.len(), "VEC3")),
        GlbValues::Rotation(values) => ("rotation", push(bytemuck::cast_slice(values), values.len(), "VEC4")),
        GlbValues::Scale(values) => {
            let values: Vec<[f32; 3]> = values.iter().map(|&value| [value; 3]).collect();
            ("scale", push(bytemuck::cast_slice(&values), values.len(), "VEC3"))
        }
        GlbValues::Weights(values) => ("weights", push(bytemuck::cast_slice(values), values.len(), "SCALAR")),
    }
}

fn check(channel: &GlbChannel, scene: &GlbScene<'_>) -> Result<(), String> {
    let GlbChannel { node, times, values, .. } = channel;
    let Some(target) = scene.nodes.get(*node) else {
        return Err(format!("a channel names node {node}, but there are {}", scene.nodes.len()));
    };
    let fail = |problem: &str| Err(format!("the animation of node `{}` {problem}", target.name));
    let rises = times.windows(2).all(|pair| pair[0] < pair[1]);
    if !(rises && times.first().is_some_and(|&first| first >= 0.0) && times.iter().all(|time| time.is_finite())) {
        return fail("has times that do not rise from zero");
    }
    let (found, is_finite) = match values {
        GlbValues::Translation(values) => (values.len(), values.as_flattened().iter().all(|value| value.is_finite())),
        GlbValues::Rotation(values) => (values.len(), values.as_flattened().iter().all(|value| value.is_finite())),
        GlbValues::Scale(values) | GlbValues::Weights(values) => {
            (values.len(), values.iter().all(|value| value.is_finite()))
        }
    };
    let mesh = target.mesh.and_then(|mesh| scene.meshes.get(mesh));
    let forms = match values {
        GlbValues::Weights(_) => mesh.map_or(0, |mesh| mesh.targets.len()),
        _ => 1,
    };
    if found != forms * times.len() || forms == 0 {
        return fail("has other values than times");
    }
    if is_finite { Ok(()) } else { fail("has values that are not finite") }
}
