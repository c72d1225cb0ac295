// What is known of the piece that was picked and of the step that is shown.

import { formatCount, formatMass, formatMeasure, formatMilliseconds, formatSeconds, formatVolume } from "./format.js";
import { stageColor, totalOf } from "./graph.js";
import { speedOf } from "./modes.js";
import { NONE } from "./protocol.js";

/// Writes rows of a name, a value and perhaps a colour into a list; only what has changed.
function writeRows(list, rows) {
    while (list.children.length > 2 * rows.length) list.lastChild.remove();
    rows.forEach(([name, value, color], place) => {
        if (!list.children[2 * place]) list.append(document.createElement("dt"), document.createElement("dd"));
        const [term, definition] = [list.children[2 * place], list.children[2 * place + 1]];
        if (term.dataset.name !== name) {
            term.dataset.name = name;
            term.textContent = "";
            if (color) {
                const swatch = document.createElement("span");
                swatch.className = "swatch";
                swatch.style.background = color;
                term.append(swatch);
            }
            term.append(name);
        }
        if (definition.textContent !== value) definition.textContent = value;
    });
}

export class Inspector {
    #viewer;
    #piece;
    #none;
    #frame;

    constructor(viewer, find) {
        this.#viewer = viewer;
        [this.#piece, this.#none, this.#frame] = [find("piece"), find("piece-none"), find("frame-figures")];
        viewer.onDraw(() => this.update());
    }

    update() {
        const { picked, timeline } = this.#viewer;
        this.#piece.hidden = !picked;
        this.#none.hidden = Boolean(picked);
        if (picked) writeRows(this.#piece, this.#pieceRows(timeline, picked));
        const shown = timeline?.shown;
        writeRows(this.#frame, shown ? this.#frameRows(timeline, shown) : []);
    }

    #pieceRows(timeline, piece) {
        const isThere = timeline.pieces[piece.slot] === piece && timeline.isAlive(piece);
        const at = (frame) => {
            const told = timeline.frames[frame - timeline.firstFrame];
            return told ? `frame ${formatCount(frame)} · ${formatSeconds(told.time)}` : `frame ${formatCount(frame)}`;
        };
        const material = timeline.materials.get(piece.material)?.name;
        const rows = [["Number", String(piece.piece)]];
        if (piece.name) rows.unshift(["Name", piece.name]);
        if (material) rows.push(["Material", material]);
        if (piece.parentPiece !== NONE) rows.push(["Came of", String(piece.parentPiece)]);
        if (piece.island !== NONE) rows.push(["Island", String(piece.island)]);
        rows.push(["Volume", formatVolume(piece.volume)], ["Mass", formatMass(piece.mass)], ["Born", at(piece.born)]);
        if (piece.gone !== Infinity) rows.push(["Gone", at(piece.gone)]);
        rows.push(["Speed", isThere ? formatMeasure(speedOf(timeline, piece), "m/s") : "not in this frame"]);
        timeline.hello.fields.forEach(({ name, unit }, field) => {
            const entry = isThere ? timeline.field(piece, field) : null;
            if (entry) rows.push([name[0].toUpperCase() + name.slice(1), formatMeasure(entry.values[0], unit)]);
        });
        return rows;
    }

    #frameRows(timeline, shown) {
        const stages = timeline.hello.stages.map((name, stage) => [
            name,
            formatMilliseconds(shown.milliseconds[stage]),
            stageColor(stage),
        ]);
        const rows = stages.length > 0 ? [...stages, ["together", formatMilliseconds(totalOf(shown))]] : [];
        rows.push(["contacts", formatCount(shown.contactCount)], ["touching points", formatCount(shown.touching)]);
        rows.push(["triangles", formatCount(this.#viewer.renderer.statistics.triangles)]);
        return rows;
    }
}
