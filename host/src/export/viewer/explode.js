// Pieces moved apart from the middle of what they were once part of, so that one sees inside.

import { POSE } from "./poses.js";
import { NONE } from "./protocol.js";

/// Puts where the middle of a piece is in the frame that is shown into a list. This is done for every piece of every frame, so
/// nothing is made on the way.
function putMiddle(piece, poses, list, at) {
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

/// How far each piece is moved, three numbers by its place: by `factor` times its way from the middle of all that came of the
/// same whole. What nothing broke off stays where it is; if nothing has broken at all, everything moves from the middle of all.
export function explodeOffsets(timeline, factor, offsets) {
    offsets.fill(0);
    if (factor === 0) return;
    const { pieces, track } = timeline;
    const hasBroken = pieces.some((piece) => piece.parentPiece !== NONE && timeline.isAlive(piece));
    const isMoved = (piece) => timeline.isAlive(piece) && !(hasBroken && piece.parentPiece === NONE);
    const groups = new Map();
    for (const piece of pieces) {
        if (!isMoved(piece)) continue;
        const at = 3 * piece.slot;
        putMiddle(piece, track.poses, offsets, at);
        const name = hasBroken ? piece.whole : NONE;
        let group = groups.get(name);
        if (!group) groups.set(name, (group = { x: 0, y: 0, z: 0, count: 0 }));
        group.x += offsets[at];
        group.y += offsets[at + 1];
        group.z += offsets[at + 2];
        group.count++;
    }
    for (const piece of pieces) {
        if (!isMoved(piece)) continue;
        const at = 3 * piece.slot;
        const { x, y, z, count } = groups.get(hasBroken ? piece.whole : NONE);
        offsets[at] = factor * (offsets[at] - x / count);
        offsets[at + 1] = factor * (offsets[at + 1] - y / count);
        offsets[at + 2] = factor * (offsets[at + 2] - z / count);
    }
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
