// What is shown and how: the frame, the camera, the colours; and the loop that draws when something has changed.

import { boundsOfPieces } from "./bounds.js";
import { OrbitCamera } from "./camera.js";
import { explodeOffsets } from "./explode.js";
import { modesOf } from "./modes.js";
import { Pacer } from "./pacer.js";
import { pick } from "./picking.js";
import { Renderer } from "./renderer.js";
import { themeFor } from "./theme.js";
import { Timeline } from "./timeline.js";

/// A page that was in the background does not catch up with what it missed.
const LONGEST_TICK = 0.1;

/// The part of the view along each side that has to be free for that to matter.
const LEAST_FREE = 0.3;

/// Pixels of the picture for one of the page, along each side.
const MOST_PIXELS = 2;

/// Milliseconds without a change after which the view is at rest.
const REST = 250;

export class Viewer {
    timeline = null;
    camera = new OrbitCamera();
    modes = [];
    mode = null;
    explode = 0;
    speed = 1;
    isPlaying = false;
    loops = false;
    /// The piece that was picked, or null.
    picked = null;
    settings = { wireframe: false, contacts: false, normals: false, ground: true, shadows: true };
    lastMilliseconds = 0;
    /// Is told what went wrong while drawing.
    onFault = () => {};
    renderer = null;
    #canvas;
    #offsets = new Float32Array(0);
    #theme;
    #needsDraw = false;
    #needsPoses = false;
    #last = 0;
    #due = 0;
    #pacer = new Pacer();
    #drawnQuality = 1;
    #drawnAt = 0;
    #listeners = [];
    #firstFrame;
    firstDrawn = new Promise((resolve) => (this.#firstFrame = resolve));

    constructor(canvas) {
        this.#canvas = canvas;
        this.#makeRenderer();
        canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
        canvas.addEventListener("webglcontextrestored", () => {
            this.#makeRenderer();
            this.invalidate(true);
        });
        const scheme = matchMedia("(prefers-color-scheme: dark)");
        const follow = () => {
            this.#theme = themeFor(scheme.matches);
            this.invalidate();
        };
        scheme.addEventListener("change", follow);
        follow();
        new ResizeObserver(() => this.invalidate()).observe(canvas);
    }

    #makeRenderer() {
        this.renderer = new Renderer(this.#canvas);
    }

    start() {
        const tick = (now) => {
            requestAnimationFrame(tick);
            try {
                this.#tick(now);
            } catch (error) {
                // Said once and not drawn again until something changes, rather than a page that stands still without a word.
                this.isPlaying = this.#needsDraw = false;
                this.onFault(error);
            }
        };
        requestAnimationFrame(tick);
    }

    /// Calls after every frame that was drawn.
    onDraw(listener) {
        this.#listeners.push(listener);
    }

    /// Asks for the view to be drawn; with `withPoses` if pieces are somewhere else.
    invalidate(withPoses = false) {
        this.#needsDraw = true;
        this.#needsPoses ||= withPoses;
    }

    /// Takes a message of a stream.
    take(name, message) {
        const before = this.timeline;
        this.timeline = Timeline.after(before, name, message);
        if (this.timeline !== before) this.#begin(before);
        if (name === "FRAME" && (this.timeline.count === 1 || this.timeline.hello.live)) {
            if (this.timeline.count === 1) {
                this.timeline.seek(0);
                if (!before?.wasFramed) this.#setCamera();
                this.timeline.wasFramed = true;
            }
            this.invalidate();
        }
    }

    #begin(before) {
        const { hello } = this.timeline;
        this.picked = null;
        this.modes = modesOf(hello);
        const name = this.mode?.name ?? "material";
        this.mode = this.modes.find((mode) => mode.name === name) ?? this.modes[0];
        // After a reset the view stays where it is.
        if (before) this.timeline.wasFramed = before.wasFramed;
        this.camera.upAxis = hello.upAxis;
        this.invalidate(true);
    }

    #setCamera() {
        const { camera } = this.timeline.hello;
        if (camera) this.camera.look(camera.eye, camera.target, camera.fieldOfView);
        else this.frameAll(false);
        // A view that is higher than wide sees as much across as one that is as wide as high.
        const { size } = this.camera.window;
        const aspect = (this.#aspect * size[0]) / size[1];
        if (camera && aspect < 1) this.camera.zoom(1 / aspect);
    }

    get #aspect() {
        return this.#canvas.clientWidth / Math.max(1, this.#canvas.clientHeight);
    }

    /// Where the view is looked at: in the middle of what nothing stands in front of, in CSS pixels.
    get middle() {
        const [across, upwards] = this.camera.window.middle;
        return [(this.#canvas.clientWidth / 2) * (1 + across), (this.#canvas.clientHeight / 2) * (1 - upwards)];
    }

    /// Says how many pixels at each side other things stand in front of; not minded where next to nothing would be left.
    setInsets({ left, right, top, bottom }) {
        const [width, height] = [this.#canvas.clientWidth || 1, this.#canvas.clientHeight || 1];
        const part = (low, high, length) =>
            (length - low - high) / length > LEAST_FREE
                ? [(low - high) / length, (length - low - high) / length]
                : [0, 1];
        const [across, wide] = part(left, right, width);
        const [down, tall] = part(top, bottom, height);
        this.camera.window = { middle: [across, -down], size: [wide, tall] };
        this.invalidate();
    }

    frameAll(keepsDirection = true) {
        if (!this.timeline) return;
        this.#follow();
        const box = this.bounds();
        this.camera.frame(box, this.#aspect, keepsDirection);
        this.invalidate();
    }

    /// The box around what is seen, as far apart as it is moved.
    bounds() {
        const { low, high } = boundsOfPieces(this.timeline, 6);
        const [least, most] = [
            [0, 0, 0],
            [0, 0, 0],
        ];
        this.#offsets.forEach((value, place) => {
            least[place % 3] = Math.min(least[place % 3], value);
            most[place % 3] = Math.max(most[place % 3], value);
        });
        return {
            low: low.map((value, axis) => value + least[axis]),
            high: high.map((value, axis) => value + most[axis]),
        };
    }

    seek(frame) {
        this.timeline?.seek(frame);
        this.#due = 0;
        this.invalidate();
    }

    step(frames) {
        this.pause();
        this.seek(this.timeline.frame + frames);
    }

    play() {
        if (!this.timeline || this.timeline.hello.live) return;
        if (this.timeline.isOver && this.timeline.frame === this.timeline.count - 1) this.seek(0);
        this.isPlaying = true;
        this.#due = 0;
        this.invalidate();
    }

    pause() {
        this.isPlaying = false;
        this.invalidate();
    }

    setMode(name) {
        this.mode = this.modes.find((mode) => mode.name === name) ?? this.mode;
        this.invalidate(true);
    }

    setExplode(factor) {
        this.explode = Math.max(0, Math.min(3, factor));
        this.invalidate(true);
    }

    set(setting, isOn) {
        this.settings[setting] = isOn;
        this.invalidate(setting === "shadows");
    }

    ray(x, y) {
        return this.camera.ray(x, y, this.#canvas.clientWidth, this.#canvas.clientHeight);
    }

    /// What is at a point of the view, in CSS pixels.
    hit(x, y) {
        if (!this.timeline?.shown) return null;
        this.#follow();
        return pick(this.timeline, this.#offsets, this.ray(x, y));
    }

    choose(piece) {
        this.picked = piece;
        this.invalidate();
    }

    #follow() {
        const room = 3 * this.timeline.pieces.length;
        if (this.#offsets.length < room) this.#offsets = new Float32Array(Math.max(room, 2 * this.#offsets.length));
        explodeOffsets(this.timeline, this.explode, this.#offsets);
    }

    #tick(now) {
        const seconds = Math.min(LONGEST_TICK, (now - this.#last) / 1000);
        this.#last = now;
        if (this.isPlaying) this.#advance(seconds);
        if (this.#needsDraw) this.draw(this.#pacer.note(now) ? this.#pacer.quality : 1);
        // What has come to rest is drawn once more, as sharp as it can be.
        else if (this.#drawnQuality < 1 && now - this.#drawnAt > REST) this.draw();
        else return;
        this.#drawnAt = now;
    }

    #advance(seconds) {
        const { timeline } = this;
        this.#due += (seconds * this.speed) / timeline.hello.secondsPerFrame;
        const frames = Math.floor(this.#due);
        if (frames === 0) return;
        this.#due -= frames;
        const last = timeline.count - 1;
        if (timeline.frame < last) timeline.seek(Math.min(last, timeline.frame + frames));
        else if (timeline.isOver && this.loops) timeline.seek(0);
        else if (timeline.isOver) this.pause();
        this.invalidate();
    }

    draw(quality = 1) {
        this.#needsDraw = false;
        this.#drawnQuality = quality;
        const start = performance.now();
        const ratio = quality * Math.min(MOST_PIXELS, globalThis.devicePixelRatio || 1);
        const [width, height] = [
            Math.max(1, Math.round(this.#canvas.clientWidth * ratio)),
            Math.max(1, Math.round(this.#canvas.clientHeight * ratio)),
        ];
        if (this.#canvas.width !== width || this.#canvas.height !== height)
            Object.assign(this.#canvas, { width, height });
        if (this.timeline?.shown) {
            this.#follow();
            const { picked, timeline, camera, mode, explode } = this;
            const isShown = picked && timeline.pieces[picked.slot] === picked && timeline.isAlive(picked);
            this.renderer.draw(timeline, {
                ...this.settings,
                camera,
                mode,
                explode,
                width,
                height,
                pixelRatio: ratio,
                offsets: this.#offsets,
                theme: this.#theme,
                picked: isShown ? picked.slot : null,
                isDirty: this.#needsPoses,
            });
            this.#needsPoses = false;
            this.#firstFrame();
        } else {
            this.renderer.drawEmpty(this.#theme, width, height);
        }
        this.lastMilliseconds = performance.now() - start;
        for (const listener of this.#listeners) listener();
    }
}
