// How long the page's own work for a frame of 5,000 moving pieces takes, with a graphics interface that does nothing:
//     node tests/frame_cost.js

import { explodeOffsets } from "../explode.js";
import { modesOf } from "../modes.js";
import { OrbitCamera } from "../camera.js";
import { Renderer } from "../renderer.js";
import { themeFor } from "../theme.js";
import { fallingCubes } from "./recordings.js";
import { replay } from "./replay.js";
import { standInCanvas } from "./stand_in.js";

const { timeline } = replay(fallingCubes().finish());
const { canvas, counts } = standInCanvas();
const renderer = new Renderer(canvas);
const camera = new OrbitCamera();
const offsets = new Float32Array(3 * timeline.pieces.length);
const view = {
    camera,
    width: 1920,
    height: 1080,
    pixelRatio: 1,
    offsets,
    theme: themeFor(false),
    picked: null,
    isDirty: false,
    ground: true,
    shadows: true,
    contacts: true,
    normals: true,
    wireframe: false,
};
const modes = modesOf(timeline.hello);

for (const [name, explode] of [
    ["material", 0],
    ["material", 1],
    ["depth", 0],
    ["field:stress", 0],
]) {
    const times = [];
    for (let round = 0; round < 5; round++) {
        // The frames in which all 5,000 are there, and most of them move.
        for (let frame = 60; frame < 120; frame++) {
            counts.calls = counts.draws = 0;
            const start = performance.now();
            timeline.seek(frame);
            explodeOffsets(timeline, explode, offsets);
            renderer.draw(timeline, { ...view, mode: modes.find((mode) => mode.name === name), explode });
            times.push(performance.now() - start);
        }
    }
    // The first round is the compiler's.
    const sorted = times.slice(60).sort((a, b) => a - b);
    const at = (part) => sorted[Math.floor(part * (sorted.length - 1))].toFixed(2);
    console.log(
        `${name}, explode ${explode}: median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms; ${counts.draws} draw calls, ${counts.calls} calls in all, ${renderer.statistics.pieces} pieces`,
    );
}
const start = performance.now();
for (let round = 0; round < 200; round++) timeline.seek((round * 7919) % timeline.count);
console.log(`going to a frame anywhere: ${((performance.now() - start) / 200).toFixed(2)} ms`);
