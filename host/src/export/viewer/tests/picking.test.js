import assert from "node:assert/strict";
import test from "node:test";

import { explodeOffsets } from "../explode.js";
import { pick, triangleInWorld } from "../picking.js";
import { Encoder } from "./encoder.js";
import { fallingCubes, wavingCloth } from "./recordings.js";
import { replay } from "./replay.js";
import { ball, randomNumbers } from "./solids.js";

/// The nearest triangle of all, each taken to the world and asked by planes and areas: another way than the page's.
function nearestOfAll(timeline, offsets, { origin, direction }) {
    let best = Infinity;
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const way = (a, b) => [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    for (const item of timeline.items) {
        if (!timeline.isSeen(item)) continue;
        for (let triangle = 0; triangle < item.shape.corners.length / 3; triangle++) {
            const corners = triangleInWorld(timeline, offsets, item, triangle);
            const normal = cross(way(corners[0], corners[1]), way(corners[0], corners[2]));
            const distance = dot(way(origin, corners[0]), normal) / dot(direction, normal);
            if (!(distance >= 0 && distance < best)) continue;
            const point = origin.map((value, axis) => value + distance * direction[axis]);
            const isInside = corners.every(
                (corner, place) => dot(cross(way(corner, corners[(place + 1) % 3]), way(corner, point)), normal) >= 0,
            );
            if (isInside) best = distance;
        }
    }
    return best;
}

function randomRay(random, [low, high]) {
    const point = () => low.map((value, axis) => value + (high[axis] - value) * random());
    const [origin, target] = [point().map((value) => 4 * value), point()];
    const way = target.map((value, axis) => value - origin[axis]);
    const size = Math.hypot(...way);
    return { origin, direction: way.map((value) => value / size) };
}

function compare(timeline, factor, frame, rays, random, box) {
    timeline.seek(frame);
    const offsets = new Float32Array(3 * timeline.pieces.length);
    explodeOffsets(timeline, factor, offsets);
    let hits = 0;
    for (let round = 0; round < rays; round++) {
        const ray = randomRay(random, box);
        const [found, expected] = [pick(timeline, offsets, ray), nearestOfAll(timeline, offsets, ray)];
        assert.equal(found === null, expected === Infinity, `ray ${round} of frame ${frame}`);
        if (!found) continue;
        hits++;
        assert.ok(Math.abs(found.distance - expected) < 1e-4 * (1 + expected), `${found.distance} for ${expected}`);
        assert.ok(timeline.isAlive(found.piece));
        found.point.forEach((value, axis) =>
            assert.ok(Math.abs(value - ray.origin[axis] - found.distance * ray.direction[axis]) < 1e-9),
        );
    }
    return hits;
}

test("a ray meets what all triangles of the world say it meets first", () => {
    const { timeline } = replay(fallingCubes({ across: 2, layers: 2, piecesPerCube: 12, frames: 70 }).finish());
    const random = randomNumbers(11);
    const box = [
        [-1, 0, -1],
        [1, 1.5, 1],
    ];
    let hits = 0;
    for (const [factor, frame] of [
        [0, 0],
        [0, 30],
        [0, 69],
        [1.5, 69],
    ])
        hits += compare(timeline, factor, frame, 120, random, box);
    assert.ok(hits > 80 && hits < 470, `${hits} hits`);
});

test("what deforms is met where it is in the frame", () => {
    const { timeline } = replay(wavingCloth({ cells: 10, frames: 30 }).encoder.finish());
    const random = randomNumbers(12);
    const hits = [0, 15, 29].map((frame) =>
        compare(timeline, 0, frame, 60, random, [
            [-1, 0, -1],
            [1, 1.3, 1],
        ]),
    );
    assert.ok(Math.min(...hits) > 10);
});

test("a ray from within a ball, away from one, and past one", () => {
    const encoder = new Encoder()
        .hello()
        .shape(0, ball(1, 24, 48))
        .birth(0, { looks: [[0, 0]] });
    const { timeline } = replay(encoder.frame(0, 0, [[0, [5, 0, 0], [0, 0, 0, 1]]]).finish());
    timeline.seek(0);
    const offsets = new Float32Array(3);
    const distance = (origin, direction) => pick(timeline, offsets, { origin, direction })?.distance ?? null;
    assert.ok(Math.abs(distance([5, 0, 0], [1, 0, 0]) - 1) < 0.01);
    assert.ok(Math.abs(distance([0, 0, 0], [1, 0, 0]) - 4) < 0.01);
    assert.equal(distance([0, 0, 0], [-1, 0, 0]), null);
    assert.equal(distance([0, 1.01, 0], [1, 0, 0]), null);
});
