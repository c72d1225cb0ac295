// What a ray meets first.

import { boundsOf, middleOf } from "./bounds.js";
import { POSE } from "./poses.js";
import { formPositions } from "./protocol.js";
import { add, along, dot, subtract, turned, turnedBack } from "./vectors.js";

/// The first triangle that a ray meets, of all that is seen in the frame that is shown: the piece, the item, the triangle, how far
/// along the ray, where; null if there is none. `offsets` is how far pieces are moved apart.
export function pick(timeline, offsets, { origin, direction }) {
    let best = null;
    const poses = timeline.track.poses;
    for (const candidate of candidates(timeline, offsets, origin, direction)) {
        // In the order in which the ray comes to their balls: nothing behind the first hit is looked at.
        if (best && candidate.entry > best.distance) break;
        const { item, offset, positions } = candidate;
        const place = POSE * item.slot;
        const moved = subtract(origin, add(offset, [poses[place + 4], poses[place + 5], poses[place + 6]]));
        const hit = meetTriangles(
            positions,
            item.shape.corners,
            turnedBack(poses, place, moved),
            turnedBack(poses, place, direction),
        );
        if (hit && (!best || hit.distance < best.distance)) {
            const point = along(origin, direction, hit.distance);
            best = { ...hit, piece: timeline.pieces[item.slot], item, point };
        }
    }
    return best;
}

function candidates(timeline, offsets, origin, direction) {
    const poses = timeline.track.poses;
    const found = [];
    for (const item of timeline.items) {
        if (!timeline.isSeen(item)) continue;
        const form = timeline.form(item);
        const positions = form ? formPositions(form) : item.shape.positions;
        const { center, radius } = form ? boundsOf(positions) : item.shape;
        const offset = [offsets[3 * item.slot], offsets[3 * item.slot + 1], offsets[3 * item.slot + 2]];
        const entry = enterBall(add(middleOf({ slot: item.slot, center }, poses), offset), radius, origin, direction);
        if (entry !== null) found.push({ item, offset, positions, entry });
    }
    return found.sort((a, b) => a.entry - b.entry);
}

/// How far along a ray a ball begins; null if it is missed. A little larger than it is, for what rounding does.
function enterBall(center, radius, origin, direction) {
    const way = subtract(center, origin);
    const middle = dot(way, direction);
    const reach = radius * 1.0001 + 1e-9;
    const across = dot(way, way) - middle * middle - reach * reach;
    if (across > 0) return null;
    const half = Math.sqrt(-across);
    return middle + half < 0 ? null : Math.max(0, middle - half);
}

/// The first triangle of a mesh along a ray, from either side (Möller and Trumbore).
function meetTriangles(positions, corners, origin, direction) {
    let best = null;
    const [ox, oy, oz] = origin;
    const [dx, dy, dz] = direction;
    for (let place = 0; place < corners.length; place += 3) {
        const [a, b, c] = [3 * corners[place], 3 * corners[place + 1], 3 * corners[place + 2]];
        const [ax, ay, az] = [positions[a], positions[a + 1], positions[a + 2]];
        const [ux, uy, uz] = [positions[b] - ax, positions[b + 1] - ay, positions[b + 2] - az];
        const [vx, vy, vz] = [positions[c] - ax, positions[c + 1] - ay, positions[c + 2] - az];
        const [px, py, pz] = [dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx];
        const determinant = ux * px + uy * py + uz * pz;
        if (determinant === 0) continue;
        const inverse = 1 / determinant;
        const [tx, ty, tz] = [ox - ax, oy - ay, oz - az];
        const first = (tx * px + ty * py + tz * pz) * inverse;
        if (!(first >= 0 && first <= 1)) continue;
        const [qx, qy, qz] = [ty * uz - tz * uy, tz * ux - tx * uz, tx * uy - ty * ux];
        const second = (dx * qx + dy * qy + dz * qz) * inverse;
        if (!(second >= 0 && first + second <= 1)) continue;
        const distance = (vx * qx + vy * qy + vz * qz) * inverse;
        if (distance >= 0 && (!best || distance < best.distance)) best = { distance, triangle: place / 3 };
    }
    return best;
}

/// The corners of a triangle of an item in the world.
export function triangleInWorld(timeline, offsets, item, triangle) {
    const form = timeline.form(item);
    const positions = form ? formPositions(form) : item.shape.positions;
    const poses = timeline.track.poses;
    const place = POSE * item.slot;
    return [0, 1, 2].map((corner) => {
        const vertex = 3 * item.shape.corners[3 * triangle + corner];
        const local = [positions[vertex], positions[vertex + 1], positions[vertex + 2]];
        const moved = turned(poses, place, local);
        return moved.map((value, axis) => value + poses[place + 4 + axis] + offsets[3 * item.slot + axis]);
    });
}
