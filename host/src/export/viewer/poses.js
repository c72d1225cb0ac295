// Where every piece is in every frame. Frames hold only what moved, as it was sent; whole sets of poses are kept now and
// then, so that going to any frame takes about as long as a few frames of playing.

import { Spread } from "./colors.js";
import { ProtocolFault } from "./protocol.js";

/// A pose is a quaternion, a position, and the speed in the last step.
export const POSE = 8;

/// A whole set is kept when so many times as many poses have been told one by one. So sets take at most a quarter of the room
/// of what they are made of, and from one to the next no more than this is to be done.
const MOVES_PER_KEY = 4;

/// Nor are two further apart than this, however little moves.
const FRAMES_PER_KEY = 256;

/// What single precision still holds, whatever a damaged file says.
const FASTEST = 1e30;

const STILL = [0, 0, 0, 1, 0, 0, 0, 0];

export class PoseTrack {
    /// The poses of the frame that is shown, by the place of the piece.
    poses = new Float32Array(64 * POSE);
    /// The frame that is shown; -1 before the first.
    frame = -1;
    speeds = new Spread();
    /// How many poses were set to come to it.
    work = 0;
    #keepsPast;
    #latest;
    #frames = [];
    #keys = [];
    #movedSinceKey = 0;

    constructor(keepsPast) {
        this.#keepsPast = keepsPast;
        this.#latest = keepsPast ? new Float32Array(64 * POSE) : this.poses;
    }

    /// How much room whole sets take.
    get keyBytes() {
        return this.#keys.reduce((sum, { poses }) => sum + poses.byteLength, 0);
    }

    /// Appends a frame: who moved, by places, where to (as columns), when, and how many pieces there have been so far.
    add(slots, columns, time, count) {
        const before = this.#frames.at(-1);
        const frame = {
            slots,
            columns,
            time,
            count,
            firstNew: before?.count ?? 0,
            seconds: before ? time - before.time : 0,
        };
        checkRotations(frame);
        this.#latest = withRoom(this.#latest, count);
        if (!this.#keepsPast) {
            this.poses = this.#latest;
            if (before) quieten(this.#latest, before);
        }
        apply(this.#latest, frame, true);
        for (const slot of slots) this.speeds.add(this.#latest[POSE * slot + 7]);
        this.#frames.push(frame);
        if (!this.#keepsPast) {
            this.#frames = [frame];
            this.frame++;
            return;
        }
        this.#movedSinceKey += slots.length;
        const last = this.#keys.at(-1)?.frame ?? -Infinity;
        const index = this.#frames.length - 1;
        if (this.#movedSinceKey >= MOVES_PER_KEY * count || index - last >= FRAMES_PER_KEY) {
            this.#keys.push({ frame: index, poses: this.#latest.slice(0, POSE * count) });
            this.#movedSinceKey = 0;
        }
    }

    /// Shows a frame that has been read.
    seek(target) {
        if (target === this.frame || !this.#keepsPast) return;
        this.poses = withRoom(this.poses, this.#frames[target].count);
        // The frame itself is always applied, to the one before: that is what speeds are told by.
        let from = this.frame < target ? this.frame : -1;
        const key = this.#keyBefore(target);
        if (key && key.frame > from) {
            this.poses.set(key.poses);
            from = key.frame;
        }
        this.work = this.#frames[target].slots.length;
        for (let index = from + 1; index < target; index++) {
            apply(this.poses, this.#frames[index], false);
            this.work += this.#frames[index].slots.length;
        }
        if (from === this.frame && from === target - 1 && from >= 0) quieten(this.poses, this.#frames[from]);
        else for (let place = 7; place < this.poses.length; place += POSE) this.poses[place] = 0;
        apply(this.poses, this.#frames[target], true);
        this.frame = target;
    }

    /// Keeps only the pieces at these places, in this order (live).
    keep(places) {
        const kept = new Float32Array(POSE * Math.max(64, places.length));
        places.forEach((place, index) => kept.set(this.poses.subarray(POSE * place, POSE * (place + 1)), POSE * index));
        this.poses = this.#latest = kept;
        const last = this.#frames.at(-1);
        if (last)
            this.#frames = [{ ...last, slots: new Uint32Array(0), columns: new Float32Array(0), count: places.length }];
    }

    /// The last whole set before a frame.
    #keyBefore(target) {
        let [low, high] = [0, this.#keys.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.#keys[middle].frame < target) low = middle + 1;
            else high = middle;
        }
        return this.#keys[low - 1];
    }
}

function withRoom(poses, count) {
    if (poses.length >= POSE * count) return poses;
    const room = new Float32Array(Math.max(POSE * count, 2 * poses.length));
    room.set(poses);
    return room;
}

/// Who moved in a frame has no speed any more.
function quieten(poses, { slots }) {
    for (const slot of slots) poses[POSE * slot + 7] = 0;
}

function checkRotations({ slots, columns }) {
    const moved = slots.length;
    for (let row = 0; row < moved; row++) {
        const sum =
            columns[3 * moved + row] ** 2 +
            columns[4 * moved + row] ** 2 +
            columns[5 * moved + row] ** 2 +
            columns[6 * moved + row] ** 2;
        if (!(sum > 1e-12 && sum < Infinity))
            throw new ProtocolFault("a rotation is not a quaternion that can be normalised");
    }
}

function apply(poses, { slots, columns, count, firstNew, seconds }, withSpeeds) {
    for (let slot = firstNew; slot < count; slot++) poses.set(STILL, POSE * slot);
    const moved = slots.length;
    const perSecond = seconds > 0 ? 1 / seconds : 0;
    for (let row = 0; row < moved; row++) {
        const slot = slots[row];
        const place = POSE * slot;
        const x = columns[row];
        const y = columns[moved + row];
        const z = columns[2 * moved + row];
        if (withSpeeds && slot < firstNew) {
            const dx = x - poses[place + 4];
            const dy = y - poses[place + 5];
            const dz = z - poses[place + 6];
            // Not `Math.hypot`, which takes ten times as long.
            poses[place + 7] = Math.min(FASTEST, perSecond * Math.sqrt(dx * dx + dy * dy + dz * dz));
        }
        const i = columns[3 * moved + row];
        const j = columns[4 * moved + row];
        const k = columns[5 * moved + row];
        const w = columns[6 * moved + row];
        const size = 1 / Math.sqrt(i * i + j * j + k * k + w * w);
        poses[place] = i * size;
        poses[place + 1] = j * size;
        poses[place + 2] = k * size;
        poses[place + 3] = w * size;
        poses[place + 4] = x;
        poses[place + 5] = y;
        poses[place + 6] = z;
    }
}
