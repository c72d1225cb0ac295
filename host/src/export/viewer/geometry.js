// The meshes of all items in a few large buffers, so that a frame is a few calls however many pieces there are.

import { drawnEdges, drawnNormals, prepareShape } from "./creases.js";

/// Vertices that the first page has room for; each has four times that of the one before, up to the most.
const FIRST_PAGE = 2 ** 16;
const MOST_PAGE = 2 ** 20;

/// Triangles for each vertex that a page has room for.
const TRIANGLES_PER_VERTEX = 1.5;

/// What is not seen between two runs of what is seen is drawn along, if it is no more than so many corners: the vertex shader throws it
/// away, which costs less than another call.
const CORNERS_PER_GAP = 65536;

/// A vertex without a measure.
export const NO_VALUE = -2e30;

export class MergedGeometry {
    #gl;
    #pages = [];
    #entries = [];
    #prepared = new WeakMap();
    #outline = null;

    constructor(gl) {
        this.#gl = gl;
    }

    /// How many items there are.
    get length() {
        return this.#entries.length;
    }

    clear() {
        for (const page of this.#pages) this.#drop(page);
        this.#pages = [];
        this.#entries = [];
        this.outline(null);
    }

    /// Appends the mesh of the next item.
    add(item) {
        const gl = this.#gl;
        const { shape } = item;
        let prepared = this.#prepared.get(shape);
        if (!prepared) this.#prepared.set(shape, (prepared = prepareShape(shape)));
        const { sources, corners } = prepared;
        const page = this.#pageFor(sources.length, corners.length);
        const number = this.#entries.length;
        const entry = {
            page,
            item,
            prepared,
            firstVertex: page.vertices,
            firstCorner: page.corners,
            form: null,
            values: null,
        };
        this.#entries.push(entry);
        page.entries.push(entry);
        const colors = new Uint32Array(sources.length);
        for (let place = 0; place < sources.length && shape.colors; place++)
            colors[place] = shape.colors[sources[place]];
        this.#put(page.positions, 12, entry, gather(shape.positions, sources));
        this.#put(page.normals, 4, entry, drawnNormals(prepared, shape, shape.positions));
        this.#put(page.numbers, 4, entry, new Uint32Array(sources.length).fill(number));
        this.#put(page.colors, 4, entry, colors);
        this.#put(page.values, 4, entry, new Float32Array(sources.length).fill(NO_VALUE));
        gl.bindVertexArray(null);
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, page.triangles);
        gl.bufferSubData(
            gl.ELEMENT_ARRAY_BUFFER,
            4 * entry.firstCorner,
            corners.map((corner) => corner + entry.firstVertex),
        );
        page.vertices += sources.length;
        page.corners += corners.length;
    }

    /// Puts the vertices of an item where a form has them, or back; `positions` is asked for only if that is new.
    setForm(number, form, positions) {
        const entry = this.#entries[number];
        if (entry.form === form) return;
        entry.form = form;
        const { prepared, page, item } = entry;
        const places = form ? positions() : item.shape.positions;
        this.#put(page.positions, 12, entry, gather(places, prepared.sources));
        this.#put(page.normals, 4, entry, drawnNormals(prepared, item.shape, places));
    }

    /// Gives an item the measures of its vertices or triangles, or none.
    setValues(number, values, isByTriangle) {
        const entry = this.#entries[number];
        if (entry.values === values) return;
        entry.values = values;
        const { sources } = entry.prepared;
        const list = new Float32Array(sources.length).fill(NO_VALUE);
        for (let place = 0; values && place < sources.length; place++) {
            const value = values[isByTriangle ? Math.floor(place / 3) : sources[place]];
            if (Number.isFinite(value)) list[place] = value;
        }
        this.#put(entry.page.values, 4, entry, list);
    }

    /// Finds the runs of corners that have to be drawn, after what is seen has changed.
    setSeen(isSeen) {
        for (const page of this.#pages) page.runs = [];
        for (let number = 0; number < this.#entries.length; number++) {
            if (!isSeen(number)) continue;
            const entry = this.#entries[number];
            const [start, end] = [entry.firstCorner, entry.firstCorner + entry.prepared.corners.length];
            const last = entry.page.runs.at(-1);
            if (last && start - last.end <= CORNERS_PER_GAP) last.end = end;
            else entry.page.runs.push({ start, end });
        }
    }

    /// Draws the triangles of everything; gives the number of calls.
    drawTriangles() {
        const gl = this.#gl;
        let calls = 0;
        for (const page of this.#pages) {
            if (page.runs.length === 0) continue;
            gl.bindVertexArray(page.solid);
            for (const { start, end } of page.runs) {
                gl.drawElements(gl.TRIANGLES, end - start, gl.UNSIGNED_INT, 4 * start);
                calls++;
            }
        }
        return calls;
    }

    drawLines() {
        const gl = this.#gl;
        let calls = 0;
        for (const page of this.#pages) {
            if (page.runs.length === 0) continue;
            if (page.lines?.items !== page.entries.length) {
                this.#dropLines(page.lines);
                page.lines = this.#linesOf(page, page.entries);
            }
            gl.bindVertexArray(page.lines.array);
            gl.drawElements(gl.LINES, page.lines.count, gl.UNSIGNED_INT, 0);
            calls++;
        }
        return calls;
    }

    /// Chooses items of one page whose edges are drawn alone; null for none.
    outline(numbers) {
        const name = numbers?.join() ?? "";
        if (this.#outline?.name === name) return;
        this.#dropLines(this.#outline);
        this.#outline = null;
        const entries = (numbers ?? []).map((number) => this.#entries[number]).filter(Boolean);
        if (entries.length === 0) return;
        const lines = this.#linesOf(
            entries[0].page,
            entries.filter(({ page }) => page === entries[0].page),
        );
        this.#outline = { ...lines, name };
    }

    drawOutline() {
        if (!this.#outline) return 0;
        this.#gl.bindVertexArray(this.#outline.array);
        this.#gl.drawElements(this.#gl.LINES, this.#outline.count, this.#gl.UNSIGNED_INT, 0);
        return 1;
    }

    #put(buffer, bytes, entry, data) {
        this.#gl.bindBuffer(this.#gl.ARRAY_BUFFER, buffer);
        this.#gl.bufferSubData(this.#gl.ARRAY_BUFFER, bytes * entry.firstVertex, data);
    }

    #linesOf(page, entries) {
        const gl = this.#gl;
        const lists = entries.map(({ prepared, item, firstVertex }) =>
            drawnEdges(prepared, item.shape).map((vertex) => vertex + firstVertex),
        );
        const all = new Uint32Array(lists.reduce((sum, list) => sum + list.length, 0));
        lists.reduce((at, list) => (all.set(list, at), at + list.length), 0);
        const buffer = gl.createBuffer();
        const array = this.#arrayOf(page, buffer);
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, all, gl.STATIC_DRAW);
        gl.bindVertexArray(null);
        return { array, buffer, count: all.length, items: entries.length };
    }

    #pageFor(vertices, corners) {
        const last = this.#pages.at(-1);
        if (last && last.vertices + vertices <= last.vertexRoom && last.corners + corners <= last.cornerRoom)
            return last;
        const vertexRoom = Math.max(vertices, last ? Math.min(MOST_PAGE, 4 * last.vertexRoom) : FIRST_PAGE);
        const cornerRoom = Math.max(corners, Math.ceil(3 * TRIANGLES_PER_VERTEX * vertexRoom));
        const gl = this.#gl;
        const buffer = (bytes) => {
            const made = gl.createBuffer();
            gl.bindBuffer(gl.ARRAY_BUFFER, made);
            gl.bufferData(gl.ARRAY_BUFFER, bytes * vertexRoom, gl.DYNAMIC_DRAW);
            return made;
        };
        const page = { vertexRoom, cornerRoom, vertices: 0, corners: 0, entries: [], runs: [], lines: null };
        Object.assign(page, {
            positions: buffer(12),
            normals: buffer(4),
            numbers: buffer(4),
            colors: buffer(4),
            values: buffer(4),
        });
        page.triangles = gl.createBuffer();
        page.solid = this.#arrayOf(page, page.triangles);
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, 4 * cornerRoom, gl.DYNAMIC_DRAW);
        gl.bindVertexArray(null);
        this.#pages.push(page);
        return page;
    }

    /// How a page's vertices are read, with a list of which; left bound.
    #arrayOf(page, elements) {
        const gl = this.#gl;
        const array = gl.createVertexArray();
        gl.bindVertexArray(array);
        const attribute = (place, buffer, size, type, isNormalized) => {
            gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
            gl.enableVertexAttribArray(place);
            gl.vertexAttribPointer(place, size, type, isNormalized, 0, 0);
        };
        attribute(0, page.positions, 3, gl.FLOAT, false);
        attribute(1, page.normals, 4, gl.BYTE, true);
        gl.bindBuffer(gl.ARRAY_BUFFER, page.numbers);
        gl.enableVertexAttribArray(2);
        gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_INT, 0, 0);
        attribute(3, page.colors, 4, gl.UNSIGNED_BYTE, true);
        attribute(4, page.values, 1, gl.FLOAT, false);
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, elements);
        return array;
    }

    #drop(page) {
        const gl = this.#gl;
        for (const buffer of [page.positions, page.normals, page.numbers, page.colors, page.values, page.triangles])
            gl.deleteBuffer(buffer);
        gl.deleteVertexArray(page.solid);
        this.#dropLines(page.lines);
    }

    #dropLines(lines) {
        if (!lines) return;
        this.#gl.deleteBuffer(lines.buffer);
        this.#gl.deleteVertexArray(lines.array);
    }
}

function gather(positions, sources) {
    const result = new Float32Array(3 * sources.length);
    for (let place = 0; place < sources.length; place++) {
        const vertex = 3 * sources[place];
        result[3 * place] = positions[vertex];
        result[3 * place + 1] = positions[vertex + 1];
        result[3 * place + 2] = positions[vertex + 2];
    }
    return result;
}
