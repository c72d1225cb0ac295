// What a click does; and, in a live stream, what can be done to the simulation.

import { meetPlane } from "./camera.js";
import { Command } from "./commands.js";
import { formatNumber } from "./format.js";
import { NONE } from "./protocol.js";

const TOOLS = [
    { name: "orbit", label: "Look", bit: null },
    { name: "throw", label: "Throw", bit: 0 },
    { name: "break", label: "Break", bit: 1 },
    { name: "drag", label: "Drag", bit: 2 },
];

const SLOW_MOTIONS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1];

export class Tools {
    tool = "orbit";
    isPaused = false;
    #viewer;
    #find;
    #connection = null;
    #choices = null;
    #chosen = { pattern: 0, method: 0, radius: 0, ballSpeed: 0, ballRadius: 0 };
    #drag = null;
    #drags = 0;

    constructor(viewer, find) {
        [this.#viewer, this.#find] = [viewer, find];
        find("live-reset").addEventListener("click", () => this.reset());
        find("live-step").addEventListener("click", () => this.step());
        find("slow-motion").addEventListener("input", (event) => {
            const factor = SLOW_MOTIONS[Number(event.target.value)];
            find("slow-value").textContent = `${factor}×`;
            this.#connection?.send(Command.slowMotion(factor));
        });
    }

    /// From now on there is a simulation to do things to.
    connect(connection) {
        this.#connection = connection;
        this.#find("tools").hidden = false;
        this.#find("help-live").hidden = false;
        document.body.classList.add("is-live");
        this.takeChoices({ tools: 0, patterns: [], methods: [], radius: null, ballSpeed: null, ballRadius: null });
    }

    takeChoices(choices) {
        this.#choices = choices;
        for (const name of ["radius", "ballSpeed", "ballRadius"]) this.#chosen[name] = choices[name]?.now ?? 0;
        this.#chosen.pattern = this.#chosen.method = 0;
        const offered = TOOLS.filter(({ bit }) => bit === null || (choices.tools >> bit) & 1);
        this.#find("tool-choice").replaceChildren(...offered.map((tool) => this.#toolButton(tool)));
        this.#find("tool-choice").hidden = offered.length < 2;
        this.choose(offered.some(({ name }) => name === this.tool) ? this.tool : "orbit");
    }

    takeStatus({ isPaused, slowMotion }) {
        this.isPaused = isPaused;
        const nearest = SLOW_MOTIONS.reduce(
            (best, value, place) =>
                Math.abs(value - slowMotion) < Math.abs(SLOW_MOTIONS[best] - slowMotion) ? place : best,
            0,
        );
        this.#find("slow-motion").value = String(nearest);
        const factor = Number(slowMotion.toPrecision(2));
        this.#find("slow-value").textContent = `${factor}×`;
        this.#find("slow-motion").setAttribute("aria-valuetext", `${factor} of real time`);
        this.#find("live-step").disabled = !isPaused;
        this.#viewer.invalidate();
    }

    #toolButton({ name, label }) {
        const holder = document.createElement("label");
        holder.innerHTML = `<input type="radio" name="tool"><svg aria-hidden="true"><use href="#icon-${name}"/></svg><span></span>`;
        holder.querySelector("span").textContent = label;
        const input = holder.querySelector("input");
        input.value = name;
        input.addEventListener("change", () => this.choose(name));
        return holder;
    }

    choose(name) {
        const input = this.#find("tool-choice").querySelector(`input[value="${name}"]`);
        if (!input && name !== "orbit") return;
        this.tool = name;
        if (input) input.checked = true;
        this.#find("view").dataset.tool = name;
        const settings = { throw: ["ballSpeed", "ballRadius"], break: ["pattern", "method", "radius"] }[name] ?? [];
        this.#find("tool-settings").replaceChildren(
            ...settings.map((setting) => this.#setting(setting)).filter(Boolean),
        );
    }

    /// Chooses the tool of a place among those that are offered.
    chooseAt(place) {
        const input = this.#find("tool-choice").querySelectorAll("input")[place];
        if (input && this.#connection) this.choose(input.value);
    }

    #setting(name) {
        const field = document.createElement("label");
        field.className = "field";
        const words = {
            pattern: "Pattern",
            method: "Method",
            radius: "Radius",
            ballSpeed: "Speed",
            ballRadius: "Radius",
        }[name];
        const heading = document.createElement("span");
        heading.textContent = words;
        field.append(heading);
        if (name === "pattern" || name === "method") {
            const names = this.#choices[`${name}s`];
            if (names.length < 2) return null;
            const select = document.createElement("select");
            select.append(...names.map((text, place) => new Option(text, place, false, place === this.#chosen[name])));
            select.addEventListener("change", () => (this.#chosen[name] = Number(select.value)));
            field.append(select);
            return field;
        }
        const { least, most, step } = this.#choices[name];
        const [input, output] = [document.createElement("input"), document.createElement("output")];
        output.className = "numbers";
        heading.append(output);
        Object.assign(input, { type: "range", min: least, max: most, step: step > 0 ? step : "any" });
        input.value = this.#chosen[name];
        const follow = () => {
            this.#chosen[name] = Number(input.value);
            output.textContent = `${formatNumber(this.#chosen[name])} ${name === "ballSpeed" ? "m/s" : "m"}`;
        };
        input.addEventListener("input", follow);
        follow();
        field.append(input);
        return field;
    }

    /// What a click at a point of the view does.
    act(x, y) {
        const ray = this.#viewer.ray(x, y);
        const { radius, pattern, method, ballSpeed, ballRadius } = this.#chosen;
        if (this.#connection && this.tool === "throw")
            return this.#connection.send(Command.throwBall(ray, ballSpeed, ballRadius));
        const hit = this.#viewer.hit(x, y);
        if (this.#connection && this.tool === "break") {
            return this.#connection.send(Command.breakAt(ray, radius, pattern, method, hit?.piece.piece ?? NONE));
        }
        // By the keyboard: Enter takes hold, the arrows pull, Enter lets go. A mouse has done so when it was pressed.
        if (this.#connection && this.tool === "drag") {
            if (this.isHolding) this.release();
            else this.grab(x, y);
            return;
        }
        this.#viewer.choose(hit?.piece ?? null);
    }

    get isHolding() {
        return this.#drag !== null;
    }

    /// Pulls what is held by so many pixels.
    nudge(across, down) {
        this.pull(this.#drag.at[0] + across, this.#drag.at[1] + down);
    }

    /// Takes hold of a piece, if that is the tool and one is there.
    grab(x, y) {
        if (!this.#connection || this.tool !== "drag") return false;
        const hit = this.#viewer.hit(x, y);
        if (!hit) return false;
        this.#drag = { number: ++this.#drags, point: hit.point, at: [x, y] };
        this.#connection.send(Command.dragStart(this.#drag.number, this.#viewer.ray(x, y), hit.piece.piece));
        return true;
    }

    /// Pulls it along the plane through where it was taken hold of, across the line of sight.
    pull(x, y) {
        this.#drag.at = [x, y];
        const target = meetPlane(this.#viewer.ray(x, y), this.#drag.point, this.#viewer.camera.backward);
        if (target) this.#connection.send(Command.dragMove(this.#drag.number, target));
    }

    release() {
        if (!this.#drag) return;
        this.#connection.send(Command.dragEnd(this.#drag.number));
        this.#drag = null;
    }

    reset() {
        this.#connection?.send(Command.reset());
    }

    pause() {
        this.#connection?.send(Command.pause(!this.isPaused));
    }

    step() {
        this.#connection?.send(Command.step(1));
    }
}
