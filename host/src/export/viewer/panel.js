// The settings at the side, the legend, and the help.

import { RAMP } from "./colors.js";
import { formatMeasure } from "./format.js";

const SWITCHES = ["wireframe", "contacts", "normals", "ground", "shadows"];

export class Panel {
    #viewer;
    #find;
    #modes = null;

    constructor(viewer, find) {
        [this.#viewer, this.#find] = [viewer, find];
        for (const name of SWITCHES)
            find(name).addEventListener("change", (event) => viewer.set(name, event.target.checked));
        find("mode").addEventListener("change", (event) => viewer.setMode(event.target.value));
        find("explode").addEventListener("input", (event) => viewer.setExplode(Number(event.target.value)));
        find("frame-all").addEventListener("click", () => viewer.frameAll());
        find("panel-toggle").addEventListener("click", () => this.toggle());
        find("help-open").addEventListener("click", () => this.help());
        find("help-close").addEventListener("click", () => find("help").close());
        find("help").addEventListener("click", (event) => event.target === find("help") && find("help").close());
        find("legend-scale").style.background =
            `linear-gradient(to right, ${RAMP.map((color) => `rgb(${color.join(" ")})`).join(", ")})`;
        // Where there is little room the view comes first.
        this.toggle(matchMedia("(min-width: 960px) and (min-height: 560px)").matches);
        viewer.onDraw(() => this.update());
    }

    toggle(isOpen = this.#find("panel").hidden) {
        this.#find("panel").hidden = !isOpen;
        this.#find("panel-toggle").setAttribute("aria-expanded", String(isOpen));
        document.body.classList.toggle("has-panel", isOpen);
    }

    help() {
        const dialog = this.#find("help");
        if (dialog.open) dialog.close();
        else dialog.showModal();
    }

    update() {
        const { modes, mode, explode, settings, timeline } = this.#viewer;
        const find = this.#find;
        if (modes !== this.#modes) {
            this.#modes = modes;
            find("mode").replaceChildren(...modes.map(({ name, label }) => new Option(label, name)));
        }
        if (mode && find("mode").value !== mode.name) find("mode").value = mode.name;
        find("explode").value = explode;
        find("explode-value").textContent = explode.toFixed(2);
        for (const name of SWITCHES) find(name).checked = settings[name];
        find("ground").disabled = timeline !== null && timeline.hello.ground === null;
        const range = timeline && mode?.range?.(timeline);
        find("legend").hidden = !range;
        if (!range) return;
        const isCut = mode.field === null;
        find("legend-name").textContent = mode.label;
        const isNothing = Math.abs(range[0]) < 1e-3 * Math.abs(range[1]);
        find("legend-least").textContent = formatMeasure(isNothing ? 0 : range[0], mode.unit);
        find("legend-most").textContent = `${formatMeasure(range[1], mode.unit)}${isCut ? " or more" : ""}`;
    }
}
