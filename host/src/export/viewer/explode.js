// Pieces moved apart from the middle of what they were once part of, so that one sees inside.

import { POSE } from "./poses.js";
import { NONE } from "./protocol.js";
import { turned } from "./vectors.js";

/// Where the middle of a piece is in the frame that is shown.
export function middleOf(piece, poses) {
    const place = POSE * piece.slot;
    const center = turned(poses, place, piece.center);
    return [center[0] + poses[place + 4], center[1] + poses[place + 5], center[2] + poses[place + 6]];
}

/// How far each piece is moved, three numbers by its place: by `factor` times its way from the middle of all that came of the
/// same whole. What nothing broke off stays where it is; if nothing has broken at all, everything moves from the middle of all.
export function explodeOffsets(timeline, factor, offsets) {
    offsets.fill(0);
    if (factor === 0) return;
    const living = timeline.pieces.filter((piece) => timeline.isAlive(piece));
    const broken = living.filter((piece) => piece.parentPiece !== NONE);
    const moved = broken.length > 0 ? broken : living;
    const sums = new Map();
    const middles = moved.map((piece) => {
        const middle = middleOf(piece, timeline.track.poses);
        const group = broken.length > 0 ? piece.whole : NONE;
        const sum = sums.get(group) ?? { total: [0, 0, 0], count: 0 };
        middle.forEach((value, axis) => (sum.total[axis] += value));
        sum.count++;
        sums.set(group, sum);
        return [middle, sum];
    });
    moved.forEach((piece, index) => {
        const [middle, { total, count }] = middles[index];
        for (let axis = 0; axis < 3; axis++) offsets[3 * piece.slot + axis] = factor * (middle[axis] - total[axis] / count);
    });
}

/// The box around the pieces that are there, less those that have flown off: what is farther than `spread` times the usual from the
/// middle of all.
export function boundsOfPieces(timeline, spread = Infinity) {
    const { pieces, track } = timeline;
    const middles = new Float64Array(3 * pieces.length);
    const living = new Uint32Array(pieces.length);
    let count = 0;
    const [sum, squares] = [[0, 0, 0], [0, 0, 0]];
    for (const piece of pieces) {
        if (piece.radius === 0 || !timeline.isAlive(piece)) continue;
        const middle = middleOf(piece, track.poses);
        for (let axis = 0; axis < 3; axis++) {
            middles[3 * count + axis] = middle[axis];
            sum[axis] += middle[axis];
            squares[axis] += middle[axis] * middle[axis];
        }
        living[count++] = piece.slot;
    }
    if (count === 0) return { low: [-1, -1, -1], high: [1, 1, 1] };
    const mean = sum.map((value) => value / count);
    const usual = squares.map((value, axis) => Math.sqrt(Math.max(0, value / count - mean[axis] ** 2)));
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let index = 0; index < count; index++) {
        const { radius } = pieces[living[index]];
        for (let axis = 0; axis < 3; axis++) {
            const [value, reach] = [middles[3 * index + axis], spread * usual[axis]];
            const kept = reach > 0 ? Math.max(mean[axis] - reach, Math.min(mean[axis] + reach, value)) : value;
            low[axis] = Math.min(low[axis], kept - radius);
            high[axis] = Math.max(high[axis], kept + radius);
        }
    }
    return { low, high };
}
