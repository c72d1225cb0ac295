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

/// The box around the pieces that are there, less the few that have flown off when `part` is below one.
export function boundsOfPieces(timeline, part = 1) {
    const living = timeline.pieces.filter((piece) => timeline.isAlive(piece) && piece.seen.size + piece.radius > 0);
    const middles = living.map((piece) => middleOf(piece, timeline.track.poses));
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let axis = 0; axis < 3; axis++) {
        const lows = living.map((piece, index) => middles[index][axis] - piece.radius).sort((a, b) => a - b);
        const highs = living.map((piece, index) => middles[index][axis] + piece.radius).sort((a, b) => a - b);
        const left = Math.floor((1 - part) * (lows.length - 1));
        low[axis] = lows[left];
        high[axis] = highs[highs.length - 1 - left];
    }
    return living.length > 0 ? { low, high } : { low: [-1, -1, -1], high: [1, 1, 1] };
}
