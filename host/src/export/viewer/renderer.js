// Draws a frame of a timeline. What changes from frame to frame goes to the graphics processor as one texture of poses.

import { boundsOfPieces } from "./bounds.js";
import { numberColor, packColor } from "./colors.js";
import { MergedGeometry, NO_VALUE } from "./geometry.js";
import { gridCell, Overlays, RAMP_UNIFORM } from "./overlays.js";
import { POSE } from "./poses.js";
import { Domain, formPositions, NONE } from "./protocol.js";
import { SeenItems } from "./seen.js";
import { LINE_FRAGMENT, LINE_VERTEX, makeProgram, SOLID_FRAGMENT, SOLID_VERTEX } from "./shaders.js";
import { Shadows } from "./shadow.js";
import { add, scaled, unit } from "./vectors.js";

const ROW = 1024;

/// Pieces farther from the middle than so many times the usual do not count for shadows and the size of things.
const FLOWN_OFF = 4;

const UNITS = { poses: 0, items: 1, tints: 2, sunMap: 3 };

export class Renderer {
    statistics = { pieces: 0, triangles: 0, drawCalls: 0 };
    #gl;
    #solid;
    #line;
    #geometry;
    #shadows;
    #overlays;
    #timeline = null;
    #generation = 0;
    #textures = {};
    /// What the textures were last filled from.
    #state = { frame: -2, field: -1, tints: "", box: null };
    #poses = new Float32Array(0);
    #seen = new SeenItems(ROW);
    /// Colours of numbers that were asked for before.
    #colors = new Map();

    constructor(canvas) {
        const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
        if (!gl)
            throw new Error(
                "This browser offers no WebGL2, which the view needs; another browser or its settings may.",
            );
        this.#gl = gl;
        this.#solid = makeProgram(gl, SOLID_VERTEX, SOLID_FRAGMENT);
        this.#line = makeProgram(gl, LINE_VERTEX, LINE_FRAGMENT);
        this.#geometry = new MergedGeometry(gl);
        this.#shadows = new Shadows(gl);
        this.#overlays = new Overlays(gl);
        this.#textures = { poses: null, items: null, tints: null };
        gl.enable(gl.DEPTH_TEST);
        gl.depthFunc(gl.LEQUAL);
    }

    /// The box around most of what is in the frame that was drawn last.
    get box() {
        return this.#state.box ?? { low: [-1, -1, -1], high: [1, 1, 1] };
    }

    /// Draws the sky alone.
    drawEmpty(theme, width, height) {
        this.#gl.viewport(0, 0, width, height);
        this.statistics = { pieces: 0, triangles: 0, drawCalls: this.#overlays.drawSky(theme) };
    }

    /// Draws the frame that a timeline shows.
    draw(timeline, view) {
        const gl = this.#gl;
        let drawCalls = 0;
        const isMoved = this.#follow(timeline, view);
        const { camera, theme, width, height, pixelRatio } = view;
        const sun = this.#sun(camera.up);
        const count = timeline.pieces.length;
        if (view.shadows && isMoved && count > 0) {
            const box = this.#shadowBox(timeline);
            drawCalls += this.#shadows.draw(
                box,
                camera.up,
                sun,
                (uniforms, center) => this.#bindPieces(uniforms, center),
                () => this.#geometry.drawTriangles(),
            );
        }
        const size = Math.hypot(...this.box.high.map((value, axis) => value - this.box.low[axis]));
        const reach = 6 * size + camera.distance;
        const [eye, axes, matrix] = [camera.eye, camera.axes, camera.matrix(width / height, reach)];
        const shared = { matrix, eye, axes, width, height, pixelRatio, up: camera.up, theme };
        const bindLight = (uniforms) => {
            gl.uniform3fv(uniforms.up, camera.up);
            gl.uniform3fv(uniforms.sun, sun);
            gl.uniform3fv(uniforms.skyLight, theme.skyLight);
            gl.uniform3fv(uniforms.groundLight, theme.groundLight);
            gl.uniform3fv(uniforms.sunLight, theme.sunLight);
            this.#shadows.bind(uniforms, view.shadows && count > 0, UNITS.sunMap);
        };
        gl.viewport(0, 0, width, height);
        gl.clear(gl.DEPTH_BUFFER_BIT);
        drawCalls += this.#overlays.drawSky(theme);
        drawCalls += this.#drawSolids(view, shared, bindLight);
        const ground = timeline.hello.ground;
        if (view.ground && ground !== null) {
            drawCalls += this.#overlays.drawGround(
                {
                    ...shared,
                    height: ground,
                    focus: camera.target,
                    reach: Math.max(reach, 4 * size),
                    cell: gridCell(size),
                },
                bindLight,
            );
        }
        drawCalls += this.#drawLines(view, shared);
        this.#overlays.setParticles(timeline.shown?.particles ?? null);
        drawCalls += this.#overlays.drawParticles(shared);
        this.#overlays.setContacts(timeline.shown?.contacts ?? null);
        const contacts = {
            withDots: view.contacts,
            withNormals: view.normals,
            most: timeline.depths.upper() || 1,
            size: 0.03 * size,
        };
        drawCalls += this.#overlays.drawContacts(shared, contacts);
        this.statistics.drawCalls = drawCalls;
    }

    /// Brings what the graphics processor has up to the frame that is shown; whether anything moved.
    #follow(timeline, view) {
        const [gl, state] = [this.#gl, this.#state];
        if (timeline !== this.#timeline || timeline.generation !== this.#generation) {
            [this.#timeline, this.#generation] = [timeline, timeline.generation];
            this.#geometry.clear();
            this.#seen.clear();
            Object.assign(state, { frame: -2, field: -1, tints: "", box: null });
        }
        const isLarger = this.#geometry.length < timeline.items.length;
        while (this.#geometry.length < timeline.items.length) this.#geometry.add(timeline.items[this.#geometry.length]);
        const isNewFrame = state.frame !== timeline.frame;
        if (this.#seen.update(timeline)) {
            this.#geometry.setSeen((number) => this.#seen.isSeen(number));
            const form = [gl.R32UI, gl.RED_INTEGER, gl.UNSIGNED_INT];
            this.#sendTexture("items", this.#seen.words, 1, form, timeline.items.length);
        }
        Object.assign(this.statistics, { pieces: this.#seen.pieces, triangles: this.#seen.triangles });
        if (isLarger || isNewFrame) this.#sendForms(timeline);
        const isMoved = isLarger || isNewFrame || view.isDirty;
        if (isMoved) this.#sendPoses(timeline, view);
        const tints = `${timeline.pieces.length} ${timeline.materials.size} ${view.mode.name}`;
        if (tints !== state.tints) this.#sendTints(timeline, view.mode.name);
        if (view.mode.field !== null && (isMoved || state.field !== view.mode.field))
            this.#sendValues(timeline, view.mode.field);
        Object.assign(state, { frame: timeline.frame, tints, field: view.mode.field });
        if (isMoved) state.box = boundsOfPieces(timeline, FLOWN_OFF);
        return isMoved;
    }

    /// Moves the vertices of what deforms.
    #sendForms(timeline) {
        for (const number of timeline.deforming) {
            if (!this.#seen.isSeen(number)) continue;
            const form = timeline.form(timeline.items[number]);
            this.#geometry.setForm(number, form, () => formPositions(form));
        }
    }

    #sendPoses(timeline, { explode, offsets, mode }) {
        const count = timeline.pieces.length;
        const room = POSE * ROW * Math.max(1, Math.ceil(count / ROW));
        if (this.#poses.length < room) this.#poses = new Float32Array(room);
        const target = this.#poses;
        target.set(timeline.track.poses.subarray(0, Math.min(POSE * count, timeline.track.poses.length)));
        const measure = mode.measure(timeline);
        for (let slot = 0, place = 4; slot < count && explode > 0; slot++, place += POSE) {
            target[place] += offsets[3 * slot];
            target[place + 1] += offsets[3 * slot + 1];
            target[place + 2] += offsets[3 * slot + 2];
        }
        for (let slot = 0; slot < count && measure; slot++) target[POSE * slot + 7] = measure(slot) ?? NO_VALUE;
        const gl = this.#gl;
        this.#sendTexture("poses", target, 2, [gl.RGBA32F, gl.RGBA, gl.FLOAT], count);
    }

    #sendTints(timeline, mode) {
        const tints = new Uint32Array(ROW * Math.max(1, Math.ceil(timeline.pieces.length / ROW)));
        const known = this.#colors;
        const ofNumber = (number) =>
            known.get(number) ?? (known.set(number, packColor(numberColor(number))), known.get(number));
        for (const piece of timeline.pieces) {
            if (mode === "material") {
                const color = piece.color ?? timeline.materials.get(piece.material)?.color;
                tints[piece.slot] = color ? packColor(color) : ofNumber(piece.whole);
            } else {
                const number =
                    mode === "piece"
                        ? piece.piece
                        : mode === "island" && piece.island !== NONE
                          ? piece.island
                          : piece.whole;
                // Half opaque: the colours of vertices do not show through.
                tints[piece.slot] = (ofNumber(number) & 0x80ffffff) >>> 0;
            }
        }
        const gl = this.#gl;
        this.#sendTexture(
            "tints",
            new Uint8Array(tints.buffer),
            1,
            [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE],
            timeline.pieces.length,
        );
    }

    #sendValues(timeline, field) {
        timeline.items.forEach((item, number) => {
            const entry = this.#seen.isSeen(number) ? timeline.field(item, field) : null;
            this.#geometry.setValues(number, entry?.values ?? null, entry?.domain === Domain.TRIANGLE);
        });
    }

    /// Fills the rows of a texture that are in use, in one call; one that is too small is made anew.
    #sendTexture(name, data, texels, [form, format, type], count) {
        const gl = this.#gl;
        const rows = Math.max(1, Math.ceil(count / ROW));
        gl.activeTexture(gl.TEXTURE0 + UNITS[name]);
        let texture = this.#textures[name];
        if (!texture || texture.rows < rows) {
            if (texture) gl.deleteTexture(texture.texture);
            texture = { texture: gl.createTexture(), rows: texture ? Math.max(rows, 2 * texture.rows) : rows };
            gl.bindTexture(gl.TEXTURE_2D, texture.texture);
            gl.texStorage2D(gl.TEXTURE_2D, 1, form, texels * ROW, texture.rows);
            gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
            gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
            this.#textures[name] = texture;
        }
        gl.bindTexture(gl.TEXTURE_2D, texture.texture);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, texels * ROW, rows, format, type, data);
    }

    #bindPieces(uniforms, eye) {
        const gl = this.#gl;
        for (const name of ["poses", "items", "tints"]) {
            gl.activeTexture(gl.TEXTURE0 + UNITS[name]);
            gl.bindTexture(gl.TEXTURE_2D, this.#textures[name]?.texture ?? null);
            if (uniforms[name]) gl.uniform1i(uniforms[name], UNITS[name]);
        }
        gl.uniform3fv(uniforms.eye, eye);
    }

    #drawSolids({ mode, wireframe, picked, theme }, { matrix, eye }, bindLight) {
        const gl = this.#gl;
        const { program, uniforms } = this.#solid;
        gl.useProgram(program);
        this.#bindPieces(uniforms, eye);
        bindLight(uniforms);
        gl.uniformMatrix4fv(uniforms.matrix, false, matrix);
        gl.uniform1i(uniforms.coloring, mode.field !== null ? 2 : mode.range ? 1 : 0);
        gl.uniform2fv(uniforms.range, mode.range?.(this.#timeline) ?? [0, 1]);
        gl.uniform1ui(uniforms.picked, picked ?? NONE);
        gl.uniform3fv(uniforms.accent, theme.accent);
        gl.uniform1f(uniforms.fade, wireframe ? 1 : 0);
        gl.uniform3fv(uniforms.ramp, RAMP_UNIFORM);
        return this.#geometry.drawTriangles();
    }

    #drawLines({ wireframe, picked, theme }, { matrix, eye }) {
        if (!wireframe && picked === null) return 0;
        const gl = this.#gl;
        const { program, uniforms } = this.#line;
        gl.useProgram(program);
        this.#bindPieces(uniforms, eye);
        gl.uniformMatrix4fv(uniforms.matrix, false, matrix);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        let calls = 0;
        if (wireframe) {
            gl.uniform4fv(uniforms.lineColor, theme.wire);
            calls += this.#geometry.drawLines();
        }
        if (picked !== null) {
            // Through whatever is in front.
            gl.disable(gl.DEPTH_TEST);
            gl.uniform4fv(uniforms.lineColor, [...theme.accent, 0.9]);
            this.#geometry.outline(this.#timeline.pieces[picked].items.filter((number) => this.#seen.isSeen(number)));
            calls += this.#geometry.drawOutline();
            gl.enable(gl.DEPTH_TEST);
        }
        gl.disable(gl.BLEND);
        return calls;
    }

    #sun(up) {
        const axis = up.indexOf(1);
        const base = (place, size) => [0, 1, 2].map((other) => (other === place % 3 ? size : 0));
        return unit(add(scaled(up, 1), add(base(axis + 1, 0.38), base(axis + 2, -0.52))));
    }

    /// Most of the pieces, down to the ground that they throw their shadows on.
    #shadowBox({ hello }) {
        const low = [...this.box.low];
        if (hello.ground !== null) low[hello.upAxis] = Math.min(low[hello.upAxis], hello.ground);
        return { low, high: this.box.high };
    }
}
