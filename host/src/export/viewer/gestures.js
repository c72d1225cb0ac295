// Mouse, fingers and keys on the view.

import { meetPlane } from "./camera.js";

const TURN = 0.006;
const KEY_TURN = 0.06;
const KEY_PAN = 24;
const KEY_ZOOM = 0.88;

/// Pixels that a click may move.
const CLICK = 5;

export class Gestures {
    #canvas;
    #viewer;
    #tools;
    #pointers = new Map();
    #moved = 0;
    /// Whether the one pointer that is down drags a piece.
    #drags = false;

    /// `tools` does what a click does: `act(x, y)`, and for pieces that are dragged `grab(x, y)`, `pull(x, y)`, `nudge(across, down)`,
    /// `release()`.
    constructor(canvas, viewer, tools) {
        [this.#canvas, this.#viewer, this.#tools] = [canvas, viewer, tools];
        canvas.addEventListener("pointerdown", (event) => this.#down(event));
        canvas.addEventListener("pointermove", (event) => this.#move(event));
        for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.#up(event));
        canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
        canvas.addEventListener("dblclick", (event) => this.#focus(event));
        canvas.addEventListener("contextmenu", (event) => event.preventDefault());
        canvas.addEventListener("keydown", (event) => this.#key(event));
    }

    #down(event) {
        this.#canvas.setPointerCapture(event.pointerId);
        this.#pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY, button: event.button });
        this.#canvas.classList.add("is-held");
        if (this.#pointers.size === 1) {
            this.#moved = 0;
            this.#drags = event.button === 0 && this.#tools.grab(event.offsetX, event.offsetY);
        } else {
            // A second finger is never a click.
            this.#moved = Infinity;
            this.#letGo();
        }
    }

    #move(event) {
        const pointer = this.#pointers.get(event.pointerId);
        if (!pointer) return;
        const [across, down] = [event.offsetX - pointer.x, event.offsetY - pointer.y];
        const before = this.#pair();
        Object.assign(pointer, { x: event.offsetX, y: event.offsetY });
        this.#moved += Math.abs(across) + Math.abs(down);
        const { camera } = this.#viewer;
        if (this.#drags) {
            this.#tools.pull(event.offsetX, event.offsetY);
        } else if (before) {
            const after = this.#pair();
            camera.pan(after.x - before.x, after.y - before.y, this.#canvas.clientHeight);
            if (before.distance > 0 && after.distance > 0)
                this.#zoom(before.distance / after.distance, after.x, after.y);
        } else if (this.#moved > CLICK) {
            if (pointer.button !== 0 || event.shiftKey) camera.pan(across, down, this.#canvas.clientHeight);
            else camera.orbit(-across * TURN, down * TURN);
        }
        this.#viewer.invalidate();
    }

    #up(event) {
        const pointer = this.#pointers.get(event.pointerId);
        this.#pointers.delete(event.pointerId);
        if (this.#pointers.size === 0) this.#canvas.classList.remove("is-held");
        if (!pointer) return;
        if (this.#drags) this.#letGo();
        else if (event.type === "pointerup" && this.#moved <= CLICK && pointer.button === 0)
            this.#tools.act(event.offsetX, event.offsetY);
    }

    #letGo() {
        if (this.#drags) this.#tools.release();
        this.#drags = false;
    }

    /// The middle of two fingers and how far apart they are; null for any other number.
    #pair() {
        if (this.#pointers.size !== 2) return null;
        const [a, b] = this.#pointers.values();
        return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.hypot(a.x - b.x, a.y - b.y) };
    }

    #zoom(factor, x, y) {
        this.#viewer.camera.zoom(factor, [x, y, this.#canvas.clientWidth, this.#canvas.clientHeight]);
        this.#viewer.invalidate();
    }

    #wheel(event) {
        event.preventDefault();
        // Lines and pages are told as such by some mice.
        const pixels = event.deltaY * [1, 18, 240][event.deltaMode];
        this.#zoom(Math.exp(Math.max(-240, Math.min(240, pixels)) * 0.0016), event.offsetX, event.offsetY);
    }

    /// Turns around the point under the pointer from now on.
    #focus(event) {
        const hit = this.#viewer.hit(event.offsetX, event.offsetY);
        const { camera, timeline } = this.#viewer;
        const ground = timeline?.hello.ground;
        const point =
            hit?.point ??
            (ground != null
                ? meetPlane(
                      this.#viewer.ray(event.offsetX, event.offsetY),
                      camera.up.map((value) => value * ground),
                      camera.up,
                  )
                : null);
        if (point) camera.target = point;
        this.#viewer.invalidate();
    }

    #key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const { camera } = this.#viewer;
        const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
        const way = ways[event.key];
        if (way && this.#tools.isHolding) this.#tools.nudge(way[0] * KEY_PAN, way[1] * KEY_PAN);
        else if (way && event.shiftKey) camera.pan(-way[0] * KEY_PAN, -way[1] * KEY_PAN, this.#canvas.clientHeight);
        else if (way) camera.orbit(way[0] * KEY_TURN, -way[1] * KEY_TURN);
        else if (event.key === "+" || event.key === "=") camera.zoom(KEY_ZOOM);
        else if (event.key === "-") camera.zoom(1 / KEY_ZOOM);
        else if (event.key === "Enter") this.#tools.act(...this.#viewer.middle);
        else return;
        event.preventDefault();
        event.stopPropagation();
        this.#viewer.invalidate();
    }
}
