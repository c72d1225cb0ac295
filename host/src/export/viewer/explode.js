// Pieces moved apart from the middle of what they were once part of, so that one sees inside.

import { putMiddle } from "./bounds.js";
import { NONE } from "./protocol.js";

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
