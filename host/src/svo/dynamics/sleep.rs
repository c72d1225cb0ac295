//! Bodies at rest.

use glam::DVec3;

use super::body::VoxelBody;
use super::options::{PhysicsLevel, SleepOptions};
use super::press::Press;
use super::world::{Side, VoxelTouch};
use crate::geometry::DisjointSets;

/// Wakes bodies that a body presses which is not at rest itself.
pub(super) fn wake(bodies: &mut [VoxelBody], presses: &[Press], options: &SleepOptions) {
    for press in presses {
        let [first, second] = press.bodies.map(|body| body as usize);
        for (sleeper, other) in [(first, second), (second, first)] {
            let is_pushed = bodies.get(other).is_some_and(|other| is_restless(other, options));
            if let Some(body) = bodies.get_mut(sleeper).filter(|body| body.is_asleep && is_pushed) {
                body.wake();
            }
        }
    }
}

/// How far up a push has to point to hold a body, as the cosine of the angle between them.
const HOLDS: f64 = 0.1;

/// Wakes what lay on a body in the last step that has left it: it may fall now. `pressed` are the pairs of this step by number,
/// in order.
pub(super) fn wake_unheld(
    bodies: &mut [VoxelBody],
    touches: &[VoxelTouch],
    pressed: &[[u32; 2]],
    up: DVec3,
    options: &SleepOptions,
) {
    debug_assert!(pressed.is_sorted());
    for touch in touches {
        let [Side::Body(first), Side::Body(second)] = touch.sides else { continue };
        if pressed.binary_search(&[first, second]).is_ok() {
            continue;
        }
        let places = [first, second].map(|number| bodies.binary_search_by_key(&number, |body| body.number));
        let [Ok(first), Ok(second)] = places else { continue };
        for (sleeper, other, normal) in [(first, second, touch.normal), (second, first, -touch.normal)] {
            if bodies[sleeper].is_asleep && bodies[other].is_moving() && normal.dot(up) > HOLDS {
                bodies[sleeper].is_asleep = false;
                // It has not moved, so it wakes no one itself.
                bodies[sleeper].still = 0.5 * options.time;
            }
        }
    }
}

/// Puts bodies to rest that have been slow for long enough, and touch nothing that has not been for a while.
pub(super) fn sleep(
    bodies: &mut [VoxelBody],
    presses: &[Press],
    dt: f64,
    level: &PhysicsLevel,
    options: &SleepOptions,
) {
    let mut groups = DisjointSets::new(bodies.len());
    // What has moved little but is on its way, as it is when it begins to fall over, is not at rest.
    let mut is_slow = vec![false; bodies.len()];
    for (body, is_slow) in bodies.iter_mut().zip(&mut is_slow).filter(|(body, _)| body.is_moving()) {
        let cell = body.placed().cell(level.at(body.center));
        let most = options.distance * body.lattice.voxel.max(0.25 * cell);
        *is_slow = body.speed() * options.time <= most;
        if way(body) <= most {
            body.still += dt;
        } else {
            body.still = 0.0;
            body.anchor = (body.center, body.rotation);
        }
    }
    let mut is_held = vec![false; bodies.len()];
    for press in presses {
        let [first, second] = press.bodies;
        let is_moving = |body: u32| bodies.get(body as usize).is_some_and(VoxelBody::is_moving);
        match [is_moving(first), is_moving(second)] {
            [true, true] => {
                groups.join(first, second);
            }
            [true, false] => is_held[first as usize] = true,
            [false, true] => is_held[second as usize] = true,
            [false, false] => {}
        }
    }
    // Only what something holds: a body at the top of its flight is slow too, and what floats in no gravity stays awake.
    for number in (0..bodies.len()).filter(|&number| bodies[number].is_moving()) {
        if is_held[number] {
            is_held[groups.find(number as u32) as usize] = true;
        }
    }
    // One that still moves keeps awake what it touches, which it would wake again, but not the whole heap.
    let mut is_pushed = vec![false; bodies.len()];
    for press in presses {
        let [first, second] = press.bodies.map(|body| body as usize);
        for (body, other) in [(first, second), (second, first)] {
            if bodies.get(other).is_some_and(|other| is_restless(other, options))
                && let Some(is_pushed) = is_pushed.get_mut(body)
            {
                *is_pushed = true;
            }
        }
    }
    for (number, body) in bodies.iter_mut().enumerate() {
        let group = groups.find(number as u32) as usize;
        if body.is_moving() && is_held[group] && body.still >= options.time && is_slow[number] && !is_pushed[number] {
            body.is_asleep = true;
            body.velocity = DVec3::ZERO;
            body.angular_momentum = DVec3::ZERO;
        }
    }
}

/// Whether a body has just moved, so that it wakes what it touches.
fn is_restless(body: &VoxelBody, options: &SleepOptions) -> bool {
    body.is_moving() && body.still < 0.2 * options.time
}

/// How far the body's places are from where they were, at most.
fn way(body: &VoxelBody) -> f64 {
    body.center.distance(body.anchor.0) + body.rotation.angle_between(body.anchor.1) * body.radius
}
