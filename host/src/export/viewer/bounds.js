// Boxes and balls around shapes and pieces.

import { POSE } from "./poses.js";

/// The box around positions, its middle, and how far the farthest is from there.
export function boundsOf(positions) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let place = 0; place < positions.length; place++) {
        const axis = place % 3;
        if (positions[place] < low[axis]) low[axis] = positions[place];
        if (positions[place] > high[axis]) high[axis] = positions[place];
    }
    if (positions.length === 0) return { low: [0, 0, 0], high: [0, 0, 0], center: [0, 0, 0], radius: 0 };
    const center = low.map((value, axis) => (value + high[axis]) / 2);
    let farthest = 0;
    for (let place = 0; place < positions.length; place += 3) {
        const [x, y, z] = [
            positions[place] - center[0],
            positions[place + 1] - center[1],
            positions[place + 2] - center[2],
        ];
        farthest = Math.max(farthest, x * x + y * y + z * z);
    }
    return { low, high, center, radius: Math.sqrt(farthest) };
}

/// Puts where the middle of a piece is in the frame that is shown into a list. This is done for every piece of every frame, so
/// nothing is made on the way.
export function putMiddle(piece, poses, list, at) {
    const place = POSE * piece.slot;
    const x = poses[place];
    const y = poses[place + 1];
    const z = poses[place + 2];
    const w = poses[place + 3];
    const center = piece.center;
    const tx = 2 * (y * center[2] - z * center[1]);
    const ty = 2 * (z * center[0] - x * center[2]);
    const tz = 2 * (x * center[1] - y * center[0]);
    list[at] = center[0] + w * tx + y * tz - z * ty + poses[place + 4];
    list[at + 1] = center[1] + w * ty + z * tx - x * tz + poses[place + 5];
    list[at + 2] = center[2] + w * tz + x * ty - y * tx + poses[place + 6];
}

export function middleOf(piece, poses) {
    const middle = [0, 0, 0];
    putMiddle(piece, poses, middle, 0);
    return middle;
}

/// Room that is used again in every frame.
let scratch = new Float64Array(0);

/// The box around the pieces that are there, less those that have flown off: what is farther than `spread` times the usual from the
/// middle of all.
export function boundsOfPieces(timeline, spread = Infinity) {
    const { pieces, track } = timeline;
    if (scratch.length < 4 * pieces.length) scratch = new Float64Array(8 * pieces.length);
    const [middles, radii] = [scratch.subarray(0, 3 * pieces.length), scratch.subarray(3 * pieces.length)];
    let count = 0;
    for (const piece of pieces) {
        if (piece.radius === 0 || !timeline.isAlive(piece)) continue;
        putMiddle(piece, track.poses, middles, 3 * count);
        radii[count++] = piece.radius;
    }
    if (count === 0) return { low: [-1, -1, -1], high: [1, 1, 1] };
    const low = [0, 0, 0];
    const high = [0, 0, 0];
    for (let axis = 0; axis < 3; axis++) {
        let sum = 0;
        for (let index = 0; index < count; index++) sum += middles[3 * index + axis];
        const mean = sum / count;
        let squares = 0;
        for (let index = 0; index < count; index++) squares += (middles[3 * index + axis] - mean) ** 2;
        const usual = Math.sqrt(squares / count);
        const reach = usual > 0 ? spread * usual : Infinity;
        let least = Infinity;
        let most = -Infinity;
        for (let index = 0; index < count; index++) {
            const kept = Math.max(mean - reach, Math.min(mean + reach, middles[3 * index + axis]));
            least = Math.min(least, kept - radii[index]);
            most = Math.max(most, kept + radii[index]);
        }
        [low[axis], high[axis]] = [least, most];
    }
    return { low, high };
}
