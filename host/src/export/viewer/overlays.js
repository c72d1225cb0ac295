// What is drawn besides pieces: the sky, the ground, dust, and where pieces touch.

import { RAMP } from "./colors.js";
import { DISC_FRAGMENT, DISC_VERTEX, GROUND_FRAGMENT, GROUND_VERTEX } from "./overlay_shaders.js";
import { SKY_FRAGMENT, SKY_VERTEX, STROKE_FRAGMENT, STROKE_VERTEX } from "./overlay_shaders.js";
import { makeProgram } from "./shaders.js";
import { subtract } from "./vectors.js";

/// A disc is a place, a radius and a strength; a stroke has a direction too.
const FLOATS = 8;

export const RAMP_UNIFORM = new Float32Array(RAMP.flat().map((value) => value / 255));

export class Overlays {
    #gl;
    #sky;
    #ground;
    #disc;
    #stroke;
    #empty;
    #lists;

    constructor(gl) {
        this.#gl = gl;
        this.#sky = makeProgram(gl, SKY_VERTEX, SKY_FRAGMENT);
        this.#ground = makeProgram(gl, GROUND_VERTEX, GROUND_FRAGMENT);
        this.#disc = makeProgram(gl, DISC_VERTEX, DISC_FRAGMENT);
        this.#stroke = makeProgram(gl, STROKE_VERTEX, STROKE_FRAGMENT);
        this.#empty = gl.createVertexArray();
        this.#lists = { contacts: this.#list(), particles: this.#list() };
    }

    #list() {
        const gl = this.#gl;
        const list = { array: gl.createVertexArray(), buffer: gl.createBuffer(), count: 0, source: null };
        gl.bindVertexArray(list.array);
        gl.bindBuffer(gl.ARRAY_BUFFER, list.buffer);
        [
            [4, 0],
            [1, 16],
            [3, 20],
        ].forEach(([size, at], place) => {
            gl.enableVertexAttribArray(place);
            gl.vertexAttribPointer(place, size, gl.FLOAT, false, 4 * FLOATS, at);
            gl.vertexAttribDivisor(place, 1);
        });
        gl.bindVertexArray(null);
        return list;
    }

    #fill(list, source, count, write) {
        if (list.source === source) return;
        const data = new Float32Array(FLOATS * count);
        for (let place = 0; place < count; place++) write(data, FLOATS * place, place);
        this.#gl.bindBuffer(this.#gl.ARRAY_BUFFER, list.buffer);
        this.#gl.bufferData(this.#gl.ARRAY_BUFFER, data, this.#gl.DYNAMIC_DRAW);
        Object.assign(list, { source, count });
    }

    setContacts(contacts) {
        this.#fill(this.#lists.contacts, contacts, contacts?.count ?? 0, (data, at, place) => {
            const [point, normal] = [contacts.points, contacts.normals].map((list) =>
                list.subarray(3 * place, 3 * place + 3),
            );
            data.set([point[0], point[1], point[2], 0, contacts.depths[place], normal[0], normal[1], normal[2]], at);
        });
    }

    setParticles(particles) {
        this.#fill(this.#lists.particles, particles, particles?.count ?? 0, (data, at, place) => {
            const [x, y, z, radius] = particles.columns;
            data.set([x[place], y[place], z[place], radius[place], particles.opacities[place] / 255, 0, 0, 0], at);
        });
    }

    drawSky({ top, bottom }) {
        const gl = this.#gl;
        gl.useProgram(this.#sky.program);
        gl.uniform3fv(this.#sky.uniforms.topColor, top);
        gl.uniform3fv(this.#sky.uniforms.bottomColor, bottom);
        gl.disable(gl.DEPTH_TEST);
        gl.bindVertexArray(this.#empty);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
        gl.enable(gl.DEPTH_TEST);
        return 1;
    }

    /// The ground around a point, out to a distance at which it has faded away.
    drawGround({ height, focus, reach, cell, matrix, eye, up, theme }, bindLight) {
        const gl = this.#gl;
        const { program, uniforms } = this.#ground;
        gl.useProgram(program);
        bindLight(uniforms);
        const axis = up.indexOf(1);
        const base = (place) => [0, 1, 2].map((other) => (other === place % 3 ? reach : 0));
        const middle = subtract(focus, eye);
        middle[axis] = height - eye[axis];
        gl.uniformMatrix4fv(uniforms.matrix, false, matrix);
        gl.uniform3fv(uniforms.eye, eye);
        gl.uniform3fv(uniforms.middle, middle);
        gl.uniform3fv(uniforms.focus, middle);
        gl.uniform3fv(uniforms.firstAxis, base(axis + 1));
        gl.uniform3fv(uniforms.secondAxis, base(axis + 2));
        gl.uniform1f(uniforms.cell, cell);
        gl.uniform1f(uniforms.reach, reach);
        gl.uniform3fv(uniforms.groundColor, theme.ground);
        gl.uniform3fv(uniforms.gridColor, theme.grid);
        // From below one sees through it.
        gl.uniform1f(uniforms.opacity, eye[axis] > height ? 1 : 0.25);
        this.#blended(() => {
            gl.depthMask(eye[axis] > height);
            gl.bindVertexArray(this.#empty);
            gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
        });
        return 1;
    }

    drawParticles(view) {
        const list = this.#lists.particles;
        if (list.count === 0) return 0;
        const gl = this.#gl;
        this.#use(this.#disc, view);
        gl.uniform3fv(this.#disc.uniforms.right, view.axes[0]);
        gl.uniform3fv(this.#disc.uniforms.above, view.axes[1]);
        gl.uniform1f(this.#disc.uniforms.dotSize, 0);
        gl.depthMask(false);
        this.#blended(() => this.#drawList(list));
        return 1;
    }

    drawContacts(view, { withDots, withNormals, most, size }) {
        const list = this.#lists.contacts;
        if (list.count === 0 || !(withDots || withNormals)) return 0;
        const gl = this.#gl;
        gl.disable(gl.DEPTH_TEST);
        let calls = 0;
        if (withNormals) {
            this.#use(this.#stroke, view, most);
            gl.uniform1f(this.#stroke.uniforms.size, size);
            this.#drawList(list);
            calls++;
        }
        if (withDots) {
            this.#use(this.#disc, view, most);
            gl.uniform1f(this.#disc.uniforms.dotSize, 3.5 * view.pixelRatio);
            this.#blended(() => this.#drawList(list));
            calls++;
        }
        gl.enable(gl.DEPTH_TEST);
        return calls;
    }

    #use({ program, uniforms }, { matrix, eye, width, height }, most = 1) {
        const gl = this.#gl;
        gl.useProgram(program);
        gl.uniformMatrix4fv(uniforms.matrix, false, matrix);
        gl.uniform3fv(uniforms.eye, eye);
        gl.uniform2f(uniforms.pixel, 2 / width, 2 / height);
        gl.uniform1f(uniforms.most, most);
        gl.uniform3fv(uniforms.ramp, RAMP_UNIFORM);
    }

    #drawList({ array, count }) {
        this.#gl.bindVertexArray(array);
        this.#gl.drawArraysInstanced(this.#gl.TRIANGLE_STRIP, 0, 4, count);
    }

    /// With colours that are already multiplied by their opacity.
    #blended(draw) {
        const gl = this.#gl;
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        draw();
        gl.disable(gl.BLEND);
        gl.depthMask(true);
    }
}

/// A distance of 1, 2 or 5 times a power of ten, about a tenth of a size.
export function gridCell(size) {
    const power = 10 ** Math.floor(Math.log10(size / 10));
    const part = size / 10 / power;
    return (part < 2 ? 1 : part < 5 ? 2 : 5) * power;
}
