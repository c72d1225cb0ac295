// Depths of the scene seen from the sun and from straight above: what the one does not see is in the shadow, and what the other
// does not is under something, where less of the sky reaches.

import { DEPTH_FRAGMENT, DEPTH_VERTEX, makeProgram } from "./shaders.js";
import { frameOf, orthographic, product, scaled, unit, viewMatrix } from "./vectors.js";

const SUN_SIZE = 2048;
const SKY_SIZE = 1024;

/// The maps' size grows by steps, so that shadows do not crawl while pieces fly apart.
const GROWTH = 1.25;

export class Shadows {
    #gl;
    #program;
    #maps;
    center = [0, 0, 0];
    radius = 1;
    sun = [0, 1, 0];

    constructor(gl) {
        this.#gl = gl;
        this.#program = makeProgram(gl, DEPTH_VERTEX, DEPTH_FRAGMENT);
        this.#maps = [this.#map(SUN_SIZE), this.#map(SKY_SIZE)];
    }

    /// How far apart two texels of the sun's map are.
    get texel() {
        return (2 * this.radius) / SUN_SIZE;
    }

    #map(size) {
        const gl = this.#gl;
        const texture = gl.createTexture();
        gl.bindTexture(gl.TEXTURE_2D, texture);
        gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
        for (const [name, value] of [
            ["TEXTURE_MIN_FILTER", "LINEAR"],
            ["TEXTURE_MAG_FILTER", "LINEAR"],
            ["TEXTURE_WRAP_S", "CLAMP_TO_EDGE"],
            ["TEXTURE_WRAP_T", "CLAMP_TO_EDGE"],
            ["TEXTURE_COMPARE_MODE", "COMPARE_REF_TO_TEXTURE"],
            ["TEXTURE_COMPARE_FUNC", "LEQUAL"],
        ])
            gl.texParameteri(gl.TEXTURE_2D, gl[name], gl[value]);
        const target = gl.createFramebuffer();
        gl.bindFramebuffer(gl.FRAMEBUFFER, target);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        return { size, texture, target, matrix: new Float32Array(16) };
    }

    /// Draws both maps of what is within a box. Places are told relative to the middle, which stands in for the eye.
    draw({ low, high }, up, sun, bindPieces, drawTriangles) {
        const gl = this.#gl;
        const size = 0.5 * Math.hypot(...high.map((value, axis) => value - low[axis])) || 1;
        this.radius = 1.05 * GROWTH ** Math.ceil(Math.log(size) / Math.log(GROWTH));
        this.sun = unit(sun);
        const middle = low.map((value, axis) => (value + high[axis]) / 2);
        const cell = 32 * this.texel;
        this.center = middle.map((value) => cell * Math.round(value / cell));
        gl.useProgram(this.#program.program);
        gl.enable(gl.DEPTH_TEST);
        gl.depthMask(true);
        gl.enable(gl.POLYGON_OFFSET_FILL);
        gl.polygonOffset(1.5, 2);
        let calls = 0;
        [this.sun, up].forEach((direction, place) => {
            const map = this.#maps[place];
            const [right, above] = frameOf(scaled(direction, -1), place === 0 ? up : [0.3, 0.2, 0.9]);
            map.matrix = product(orthographic(this.radius), viewMatrix([0, 0, 0], right, above, direction));
            gl.bindFramebuffer(gl.FRAMEBUFFER, map.target);
            gl.viewport(0, 0, map.size, map.size);
            gl.clear(gl.DEPTH_BUFFER_BIT);
            bindPieces(this.#program.uniforms, this.center);
            gl.uniformMatrix4fv(this.#program.uniforms.matrix, false, map.matrix);
            calls += drawTriangles();
        });
        gl.disable(gl.POLYGON_OFFSET_FILL);
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        return calls;
    }

    /// Hands the maps to a program that reads them, at two units.
    bind(uniforms, isOn, unitOfSun) {
        const gl = this.#gl;
        this.#maps.forEach(({ texture }, place) => {
            gl.activeTexture(gl.TEXTURE0 + unitOfSun + place);
            gl.bindTexture(gl.TEXTURE_2D, texture);
        });
        gl.uniform1i(uniforms.sunMap, unitOfSun);
        gl.uniform1i(uniforms.skyMap, unitOfSun + 1);
        gl.uniform1i(uniforms.hasShadows, isOn ? 1 : 0);
        gl.uniformMatrix4fv(uniforms.sunMatrix, false, this.#maps[0].matrix);
        gl.uniformMatrix4fv(uniforms.skyMatrix, false, this.#maps[1].matrix);
        gl.uniform3fv(uniforms.shadowCenter, this.center);
        gl.uniform1f(uniforms.shadowTexel, this.texel);
    }
}
