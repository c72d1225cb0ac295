import assert from "node:assert/strict";
import test from "node:test";

import { meetPlane, OrbitCamera } from "../camera.js";
import { boundsOfPieces } from "../bounds.js";
import { add, dot, magnitude, scaled, subtract, turned, turnedBack } from "../vectors.js";
import { Encoder } from "./encoder.js";
import { replay } from "./replay.js";
import { randomNumbers } from "./solids.js";

const close = (found, expected, slack = 1e-9) =>
    assert.ok(magnitude(subtract(found, expected)) <= slack, `${found} for ${expected}`);

function randomCamera(random, axis) {
    const camera = new OrbitCamera();
    camera.upAxis = axis;
    const point = () => [0, 1, 2].map(() => 20 * (random() - 0.5));
    camera.look(point(), point(), 20 + 60 * random());
    // Every second one has something in front of parts of it.
    if (random() < 0.5)
        camera.window = {
            middle: [0.4 * (random() - 0.5), 0.4 * (random() - 0.5)],
            size: [0.5 + 0.5 * random(), 0.5 + 0.5 * random()],
        };
    return camera;
}

test("a camera stands where it was put and looks where it was told", () => {
    const random = randomNumbers(1);
    for (let round = 0; round < 300; round++) {
        const camera = new OrbitCamera();
        camera.upAxis = round % 3;
        const [eye, target] = [
            [3, 4, 5],
            [-1, 2, 0],
        ].map((point) => point.map((value) => value + 10 * random()));
        camera.look(eye, target, 40);
        close(camera.eye, eye, 1e-9);
        const [right, up, backward] = camera.axes;
        for (const [a, b, expected] of [
            [right, up, 0],
            [right, backward, 0],
            [up, backward, 0],
            [right, right, 1],
            [up, up, 1],
            [right, camera.up, 0],
        ]) {
            assert.ok(Math.abs(dot(a, b) - expected) < 1e-9);
        }
        assert.ok(dot(up, camera.up) > 0, "up is up");
    }
});

test("rays, projections and matrices say the same of every point", () => {
    const random = randomNumbers(2);
    const [width, height] = [800, 500];
    for (let round = 0; round < 500; round++) {
        const camera = randomCamera(random, round % 3);
        const [x, y] = [width * random(), height * random()];
        const { origin, direction } = camera.ray(x, y, width, height);
        const point = add(origin, scaled(direction, 0.5 + 30 * random()));
        const [px, py] = camera.project(point, width, height);
        assert.ok(Math.hypot(px - x, py - y) < 1e-6);
        const matrix = camera.matrix(width / height, 100);
        const relative = [...subtract(point, camera.eye), 1];
        const clip = [0, 1, 2, 3].map((row) =>
            relative.reduce((sum, value, column) => sum + matrix[4 * column + row] * value, 0),
        );
        assert.ok(
            Math.hypot((0.5 + clip[0] / clip[3] / 2) * width - x, (0.5 - clip[1] / clip[3] / 2) * height - y) < 0.05,
        );
        assert.equal(camera.project(add(origin, scaled(direction, -1)), width, height), null);
    }
});

test("what is under the pointer stays there when it is zoomed in on, and is pulled along when panned", () => {
    const random = randomNumbers(3);
    const [width, height] = [640, 480];
    for (let round = 0; round < 200; round++) {
        const camera = randomCamera(random, round % 3);
        const [x, y] = [width * random(), height * random()];
        const across = meetPlane(camera.ray(x, y, width, height), camera.target, camera.backward);
        camera.zoom(0.5 + random(), [x, y, width, height]);
        const [zx, zy] = camera.project(across, width, height);
        assert.ok(Math.hypot(zx - x, zy - y) < 1e-6, "zoom");
        camera.pan(30, -12, height);
        const [mx, my] = camera.project(across, width, height);
        assert.ok(Math.hypot(mx - x - 30, my - y + 12) < 1e-6, "pan");
    }
});

test("a box that is framed is all in the view, and fills most of it", () => {
    const random = randomNumbers(4);
    for (let round = 0; round < 200; round++) {
        const [width, height] = [300 + 900 * random(), 300 + 600 * random()];
        const camera = new OrbitCamera();
        camera.upAxis = round % 3;
        const [middle, size] = [
            [0.3 * (random() - 0.5), 0.3 * (random() - 0.5)],
            [0.6 + 0.25 * random(), 0.6 + 0.25 * random()],
        ];
        camera.window = { middle, size };
        const low = [0, 1, 2].map(() => 10 * (random() - 0.5));
        const high = low.map((value) => value + 0.1 + 5 * random());
        camera.frame({ low, high }, width / height);
        let reach = 0;
        for (let corner = 0; corner < 8; corner++) {
            const [x, y] = camera.project(
                low.map((value, axis) => ((corner >> axis) & 1 ? high[axis] : value)),
                width,
                height,
            );
            reach = Math.max(
                reach,
                Math.abs(((2 * x) / width - 1 - middle[0]) / size[0]),
                Math.abs((1 - (2 * y) / height - middle[1]) / size[1]),
            );
        }
        assert.ok(reach <= 0.87 && reach > 0.5, `${reach}`);
    }
});

test("orbits keep their distance and do not turn over", () => {
    const camera = new OrbitCamera();
    camera.look([0, 1, 5], [0, 0, 0], 40);
    const distance = camera.distance;
    for (let step = 0; step < 200; step++) {
        camera.orbit(0.3, 0.2);
        assert.ok(Math.abs(magnitude(subtract(camera.eye, camera.target)) - distance) < 1e-9);
        assert.ok(dot(camera.axes[1], [0, 1, 0]) > 0);
    }
});

test("turning and turning back is nothing", () => {
    const random = randomNumbers(6);
    for (let round = 0; round < 100; round++) {
        const raw = [0, 1, 2, 3].map(() => random() - 0.5);
        const rotation = raw.map((value) => value / Math.hypot(...raw));
        const vector = [random(), random(), random()];
        close(turnedBack(rotation, 0, turned(rotation, 0, vector)), vector, 1e-12);
        assert.ok(Math.abs(magnitude(turned(rotation, 0, vector)) - magnitude(vector)) < 1e-12);
    }
    close(turned([0, 0, Math.SQRT1_2, Math.SQRT1_2], 0, [1, 0, 0]), [0, 1, 0], 1e-12);
});

test("the box around pieces is that of their balls, and leaves out what has flown off", () => {
    const cube = { positions: [-1, -1, -1, 1, 1, 1, 1, -1, 1], triangles: [0, 1, 2] };
    const encoder = new Encoder().hello().shape(0, cube);
    const moved = [];
    for (let piece = 0; piece < 100; piece++) {
        encoder.birth(piece, { looks: [[0, 0]] });
        moved.push([piece, [piece === 99 ? 1000 : piece % 10, 0, 5], [0, 0, 0, 1]]);
    }
    const { timeline } = replay(encoder.frame(0, 0, moved).finish());
    timeline.seek(0);
    const radius = Math.sqrt(3);
    const all = boundsOfPieces(timeline);
    close(all.low, [-radius, -radius, 5 - radius], 1e-5);
    close(all.high, [1000 + radius, radius, 5 + radius], 1e-3);
    assert.ok(boundsOfPieces(timeline, 4).high[0] < 500);
});
