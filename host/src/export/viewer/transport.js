// Play, pause, step, speed, the scrubber and the graph under it.

import { formatCount, formatSeconds } from "./format.js";
import { StageGraph } from "./graph.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

/// Changes an attribute only if that is new: assistive technology is told of every change.
function setAttribute(element, name, value) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export class Transport {
    #viewer;
    #find;
    #graph;
    /// In a live stream pausing is the simulation's to do.
    live = null;

    constructor(viewer, find) {
        [this.#viewer, this.#find] = [viewer, find];
        this.#graph = new StageGraph(find("graph-canvas"), find("playhead"), find("graph-note"));
        find("speed").append(...SPEEDS.map((speed) => new Option(`${speed}×`, speed, speed === 1, speed === 1)));
        find("speed").addEventListener("change", (event) => (viewer.speed = Number(event.target.value)));
        find("play").addEventListener("click", () => this.toggle());
        find("step-back").addEventListener("click", () => viewer.step(-1));
        find("step-forward").addEventListener("click", () => this.step(1));
        find("scrub").addEventListener("input", (event) => this.#seek(Number(event.target.value)));
        this.#listenToGraph(find("graph"));
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
            this.#graph.forget();
            viewer.invalidate();
        });
        new ResizeObserver(() => {
            this.#graph.resize();
            this.update();
        }).observe(find("graph"));
        this.#graph.resize();
        viewer.onDraw(() => this.update());
    }

    #listenToGraph(graph) {
        const part = (event) => {
            const box = graph.getBoundingClientRect();
            return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
        };
        const go = (event) => {
            const { timeline } = this.#viewer;
            if (timeline && !timeline.hello.live) this.#seek(StageGraph.frameAt(part(event), this.#slots(timeline)));
        };
        graph.addEventListener("pointerdown", (event) => {
            graph.setPointerCapture(event.pointerId);
            go(event);
        });
        graph.addEventListener("pointermove", (event) => {
            if (event.buttons > 0) go(event);
            if (this.#viewer.timeline) this.#graph.point(this.#viewer.timeline, part(event));
        });
        graph.addEventListener("pointerleave", () => this.#graph.point(this.#viewer.timeline, null));
    }

    #slots(timeline) {
        return Math.max(timeline.count, timeline.isOver ? 0 : timeline.hello.frames, 2);
    }

    #seek(frame) {
        this.#viewer.seek(frame);
    }

    toggle() {
        if (this.live) this.live.pause();
        else if (this.#viewer.isPlaying) this.#viewer.pause();
        else this.#viewer.play();
    }

    step(frames) {
        if (this.live && frames > 0) this.live.step();
        else if (this.live) return;
        else if (this.#viewer.timeline) this.#viewer.step(frames);
    }

    /// Faster or slower by so many places of the list.
    faster(places) {
        const { viewer, select } = { viewer: this.#viewer, select: this.#find("speed") };
        const place = Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(viewer.speed) + places));
        viewer.speed = SPEEDS[place];
        select.value = String(viewer.speed);
    }

    update() {
        const { timeline, isPlaying, renderer } = this.#viewer;
        const find = this.#find;
        const isRunning = this.live ? !this.live.isPaused : isPlaying;
        setAttribute(find("play-icon"), "href", isRunning ? "#icon-pause" : "#icon-play");
        const label = `${isRunning ? "Pause" : "Play"} (Space)`;
        setAttribute(find("play"), "aria-label", label);
        setAttribute(find("play"), "title", label);
        if (!timeline?.shown) return;
        const { frame, count, hello, shown } = timeline;
        const slots = this.#slots(timeline);
        const scrub = find("scrub");
        scrub.max = String(slots - 1);
        scrub.value = String(frame);
        setAttribute(scrub, "aria-valuetext", `frame ${frame} of ${count - 1}, ${formatSeconds(shown.time)}`);
        find("clock").textContent = hello.live
            ? formatSeconds(shown.time)
            : `${formatCount(frame)} / ${formatCount(count - 1)} · ${formatSeconds(shown.time)}`;
        const pieces = renderer.statistics.pieces;
        const summary = `${formatCount(pieces)} ${pieces === 1 ? "piece" : "pieces"} · ${formatCount(shown.contactCount)} contacts`;
        if (find("summary").textContent !== summary) find("summary").textContent = summary;
        this.#graph.update(timeline, slots);
    }
}
