import assert from "node:assert/strict";
import test from "node:test";

import { drawnEdges, drawnNormals, prepareShape } from "../creases.js";
import { MergedGeometry, NO_VALUE } from "../geometry.js";
import { Pacer } from "../pacer.js";
import { CUBOID_FACES, ball, cuboid, meshOf, randomNumbers } from "./solids.js";
import { standInCanvas } from "./stand_in.js";

const shapeOf = ({ positions, triangles, materials, normals, colors }, isApart = false) => ({
    positions: Float32Array.from(positions),
    corners: Uint32Array.from(triangles),
    materials: materials ? Uint32Array.from(materials) : null,
    normals: normals ? Float32Array.from(normals) : null,
    colors: colors ? Uint32Array.from(colors) : null,
    isApart,
});

/// A cube of eight vertices that its faces share.
const CUBE = {
    positions: [0, 1, 2, 3, 4, 5, 6, 7].flatMap((bits) => [bits & 1, (bits >> 1) & 1, (bits >> 2) & 1]),
    triangles: CUBOID_FACES.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]),
};

test("an edge divides vertices, a round surface does not, and normals point out of it", () => {
    const cube = shapeOf(CUBE);
    const prepared = prepareShape(cube);
    assert.equal(prepared.sources.length, 24);
    const normals = drawnNormals(prepared, cube, cube.positions);
    for (let place = 0; place < 36; place++) {
        const face = Math.floor(place / 6);
        const expected = [0, 0, 0];
        expected[face >> 1] = face % 2 === 0 ? -127 : 127;
        assert.deepEqual([...normals.subarray(4 * prepared.corners[place], 4 * prepared.corners[place] + 3)], expected);
        assert.equal(prepared.sources[prepared.corners[place]], cube.corners[place]);
    }
    assert.equal(drawnEdges(prepared, cube).length, 2 * 18);

    const { normals: expected, ...bare } = ball(2, 16, 32);
    const round = shapeOf(bare);
    const smooth = prepareShape(round);
    // The rings at the poles are one point each, whose faces have no area on one side.
    assert.ok(smooth.sources.length <= round.positions.length / 3, `${smooth.sources.length}`);
    const found = drawnNormals(smooth, round, round.positions);
    smooth.sources.forEach((vertex, copy) => {
        const dot = [0, 1, 2].reduce(
            (sum, axis) => sum + (found[4 * copy + axis] / 127) * expected[3 * vertex + axis],
            0,
        );
        assert.ok(dot > 0.97, `${dot}`);
    });
});

test("outside and inside share no vertex, and triangles with measures share none at all", () => {
    const shape = shapeOf({ ...CUBE, materials: [...Array(10).fill(0), 0x80000000, 0x80000007] });
    const { corners, sources, inside } = prepareShape(shape);
    corners.forEach((copy, place) => assert.equal(inside[copy], place >= 30 ? 1 : 0));
    assert.equal(sources.length, 24);
    const flat = shapeOf({
        positions: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0],
        triangles: [0, 1, 2, 0, 2, 3],
        materials: [0, 0x80000000],
    });
    assert.equal(prepareShape(flat).sources.length, 6);
    assert.equal(prepareShape({ ...flat, materials: null }).sources.length, 4);
    assert.equal(prepareShape({ ...flat, materials: null, isApart: true }).sources.length, 6);
});

test("normals that a shape has are used, and found anew when it deforms", () => {
    const shape = shapeOf({
        positions: [0, 0, 0, 1, 0, 0, 0, 1, 0],
        triangles: [0, 1, 2],
        normals: [0, 1, 0, 0, 1, 0, 0, 1, 0],
    });
    const prepared = prepareShape(shape);
    assert.deepEqual([...drawnNormals(prepared, shape, shape.positions)].slice(0, 4), [0, 127, 0, 0]);
    const moved = Float32Array.from([0, 0, 0, 0, 1, 0, 0, 0, 1]);
    assert.deepEqual([...drawnNormals(prepared, shape, moved)].slice(0, 4), [127, 0, 0, 0]);
});

/// A graphics interface that keeps what is put into buffers, and what is drawn from them.
function keepingInterface() {
    const gl = standInCanvas().canvas.getContext();
    const state = { bound: {}, array: null, drawn: [] };
    let next = 1;
    const methods = {
        ARRAY_BUFFER: "vertices",
        ELEMENT_ARRAY_BUFFER: "elements",
        createBuffer: () => ({ id: next++, bytes: null }),
        createVertexArray: () => ({ elements: null, attributes: [] }),
        bindVertexArray: (array) => {
            state.array = array;
        },
        bindBuffer: (target, buffer) => {
            state.bound[target] = buffer;
            if (target === "elements" && state.array) state.array.elements = buffer;
        },
        vertexAttribPointer: (place) => {
            state.array.attributes[place] = state.bound.vertices;
        },
        vertexAttribIPointer: (place) => {
            state.array.attributes[place] = state.bound.vertices;
        },
        bufferData: (target, data) => {
            state.bound[target].bytes =
                typeof data === "number"
                    ? new Uint8Array(data)
                    : new Uint8Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
        },
        bufferSubData: (target, at, data) =>
            state.bound[target].bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at),
        drawElements: (_, count, __, at) => {
            const { elements, attributes } = state.array;
            const indices = new Uint32Array(elements.bytes.buffer, at, count);
            const [positions, , numbers, , values] = attributes;
            const [place, number, value] = [
                new Float32Array(positions.bytes.buffer),
                new Uint32Array(numbers.bytes.buffer),
                new Float32Array(values.bytes.buffer),
            ];
            for (const index of indices)
                state.drawn.push({
                    number: number[index],
                    position: [...place.subarray(3 * index, 3 * index + 3)],
                    value: value[index],
                });
        },
    };
    for (const [name, value] of Object.entries(methods)) Object.defineProperty(gl, name, { value });
    return { gl, state };
}

test("what is drawn of the large buffers are the triangles of every item that is seen, and few calls do it", () => {
    const random = randomNumbers(9);
    const { gl, state } = keepingInterface();
    const geometry = new MergedGeometry(gl);
    const shapes = [shapeOf(meshOf(cuboid([1, 2, 3])).mesh), shapeOf(ball(1, 12, 24)), shapeOf(CUBE)];
    const items = Array.from({ length: 300 }, () => ({ shape: shapes[Math.floor(3 * random())] }));
    items.forEach((item) => geometry.add(item));
    for (const part of [0, 0.02, 0.5, 1]) {
        const seen = items.map(() => random() < part);
        geometry.setSeen((number) => seen[number]);
        state.drawn = [];
        const calls = geometry.drawTriangles();
        assert.ok(calls <= 24, `${calls} calls`);
        const drawn = new Map();
        for (const corner of state.drawn) {
            if (!drawn.has(corner.number)) drawn.set(corner.number, []);
            drawn.get(corner.number).push(corner);
        }
        // Others may be among them: the vertex shader throws those away.
        items.forEach(({ shape }, number) => {
            if (!seen[number]) return;
            const expected = [...shape.corners].map((vertex) => [
                ...shape.positions.subarray(3 * vertex, 3 * vertex + 3),
            ]);
            assert.deepEqual(
                drawn.get(number).map(({ position }) => position),
                expected,
            );
        });
        if (part === 0) assert.equal(state.drawn.length, 0);
    }
});

test("forms and measures go to the vertices of their item alone", () => {
    const { gl, state } = keepingInterface();
    const geometry = new MergedGeometry(gl);
    const [cube, apart] = [shapeOf(CUBE), shapeOf(CUBE, true)];
    [cube, apart, cube].forEach((shape) => geometry.add({ shape }));
    geometry.setSeen(() => true);
    const form = {};
    const higher = cube.positions.map((value, place) => (place % 3 === 1 ? value + 5 : value));
    geometry.setForm(0, form, () => higher);
    geometry.setForm(0, form, () => assert.fail("nothing is new"));
    geometry.setValues(
        2,
        Float32Array.from({ length: 8 }, (_, vertex) => vertex),
        false,
    );
    geometry.setValues(
        1,
        Float32Array.from({ length: 12 }, (_, triangle) => (triangle === 3 ? NaN : 100 + triangle)),
        true,
    );
    geometry.drawTriangles();
    const none = Math.fround(NO_VALUE);
    state.drawn.forEach(({ number, position, value }, place) => {
        const corner = place % 36;
        const [x, y, z] = cube.positions.subarray(3 * cube.corners[corner], 3 * cube.corners[corner] + 3);
        assert.deepEqual(position, [x, number === 0 ? y + 5 : y, z]);
        const triangle = Math.floor(corner / 3);
        assert.equal(
            value,
            number === 2 ? cube.corners[corner] : number === 1 && triangle !== 3 ? 100 + triangle : none,
        );
    });
    geometry.setForm(0, null, () => assert.fail("back to the shape"));
    geometry.setValues(2, null, false);
    state.drawn = [];
    geometry.drawTriangles();
    assert.ok(state.drawn.filter(({ number }) => number === 0).every(({ position }) => position[1] <= 1));
    assert.ok(state.drawn.filter(({ number }) => number === 2).every(({ value }) => value === none));
});

test("a slow machine draws coarser, a quick one and a slow screen do not", () => {
    const after = (frames, gapOf) => {
        const pacer = new Pacer();
        let now = 0;
        for (let frame = 0; frame < frames; frame++) {
            pacer.note(now);
            now += gapOf(pacer.quality);
        }
        return pacer.quality;
    };
    assert.equal(
        after(400, () => 16.7),
        1,
    );
    assert.ok(after(400, (quality) => 40 * quality * quality) < 0.8);
    assert.equal(
        after(400, () => 33.3),
        1,
    );
    // Frames that do not follow each other say nothing.
    assert.equal(
        after(400, () => 500),
        1,
    );
});
