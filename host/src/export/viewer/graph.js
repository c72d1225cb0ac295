// How long the stages of each step took, stacked, under the scrubber.

import { Spread } from "./colors.js";
import { formatMilliseconds } from "./format.js";

/// Hues that are told apart with any kind of colour vision (after Okabe and Ito), dark enough on white and light enough on black.
const STAGE_COLORS = ["#3b7dbd", "#d08a1d", "#2a9d78", "#a864b8", "#d1495b", "#6b7a8c", "#8d6e3f", "#5aa9c9"];

export function stageColor(stage) {
    return STAGE_COLORS[stage % STAGE_COLORS.length];
}

export function totalOf({ milliseconds }) {
    return milliseconds.reduce((sum, value) => sum + (value > 0 ? value : 0), 0);
}

export class StageGraph {
    #canvas;
    #playhead;
    #note;
    #drawn = "";
    #totals = new Spread();
    #counted = 0;
    #timeline = null;
    /// In pixels of the page; asking for it in every frame would have the page laid out every time.
    #size = [0, 0];

    constructor(canvas, playhead, note) {
        [this.#canvas, this.#playhead, this.#note] = [canvas, playhead, note];
    }

    resize() {
        const { width, height } = this.#canvas.getBoundingClientRect();
        this.#size = [width, height];
    }

    /// The frame at a part of the width, from 0 to 1.
    static frameAt(part, frames) {
        return Math.max(0, Math.min(frames - 1, Math.round(part * (frames - 1))));
    }

    update(timeline, expected) {
        if (timeline !== this.#timeline)
            [this.#timeline, this.#counted, this.#totals] = [timeline, timeline.firstFrame, new Spread()];
        for (; this.#counted < timeline.count; this.#counted++) {
            const frame = timeline.frames[this.#counted - timeline.firstFrame];
            if (frame) this.#totals.add(totalOf(frame));
        }
        const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
        const [width, height] = this.#size.map((length) => Math.round(length * ratio));
        const [slots, first] = timeline.hello.live
            ? [600, timeline.firstFrame]
            : [Math.max(timeline.count, expected, 2), 0];
        const shown = timeline.hello.live ? timeline.frames.length - 1 : timeline.frame;
        this.#playhead.style.left = `${(100 * Math.max(0, shown)) / (slots - 1)}%`;
        const name = [width, height, timeline.count, slots].join();
        if (name === this.#drawn || width < 2) return;
        this.#drawn = name;
        Object.assign(this.#canvas, { width, height });
        this.#draw(timeline, width, height, slots, first);
    }

    /// The most that the graph has room for, in milliseconds: what is above for nearly all frames. Single peaks are cut off.
    get #top() {
        return 1.25 * (this.#totals.upper(0.98) || 1);
    }

    #draw(timeline, width, height, slots) {
        const context = this.#canvas.getContext("2d");
        const { frames } = timeline;
        const step = width / slots;
        const columns = Math.min(width, slots);
        for (let column = 0; column < columns; column++) {
            // Of several frames in a column of pixels the longest is shown: peaks are what one looks for.
            const [from, until] = [
                Math.floor((column * slots) / columns),
                Math.max(Math.floor(((column + 1) * slots) / columns), Math.floor((column * slots) / columns) + 1),
            ];
            let longest = null;
            for (let index = from; index < Math.min(until, frames.length); index++) {
                if (!longest || totalOf(frames[index]) > totalOf(longest)) longest = frames[index];
            }
            if (!longest) continue;
            const left = (column * width) / columns;
            const across = Math.max(1, width / columns - (step > 4 ? 1 : 0));
            let base = height;
            longest.milliseconds.forEach((value, stage) => {
                const size = (Math.max(0, value) / this.#top) * height;
                context.fillStyle = stageColor(stage);
                context.fillRect(left, base - size, across, size);
                base -= size;
            });
        }
        context.fillStyle = getComputedStyle(this.#canvas).color;
        context.globalAlpha = 0.75;
        context.font = `${Math.round((11 * width) / this.#size[0])}px system-ui, "DejaVu Sans", sans-serif`;
        context.textBaseline = "top";
        context.textAlign = "right";
        if (frames.length > 0 && height > 40) context.fillText(formatMilliseconds(this.#top), width - 2, 2);
    }

    /// Says what a frame took, above a part of the width; nothing for null.
    point(timeline, part) {
        const index = part === null ? -1 : StageGraph.frameAt(part, timeline.hello.live ? 600 : timeline.count);
        const frame = timeline?.frames[index];
        this.#note.hidden = !frame;
        if (!frame) return;
        this.#note.textContent = `frame ${timeline.firstFrame + index} · ${formatMilliseconds(totalOf(frame))}`;
        const half = this.#note.offsetWidth / 2;
        const width = this.#size[0];
        this.#note.style.left = `${Math.max(half - 8, Math.min(width - half + 8, part * width))}px`;
    }

    /// Draws anew with other colours or of other data.
    forget() {
        this.#drawn = "";
    }
}
