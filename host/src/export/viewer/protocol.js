// From bytes to messages; PROTOCOL.md says what they are.

export const PROTOCOL_VERSION = 1;
export const NONE = 0xffffffff;

const MOST_STAGES = 16;
const MOST_FIELDS = 64;

export const Domain = Object.freeze({ PIECE: 0, VERTEX: 1, TRIANGLE: 2 });

/// The bit of a triangle's material that says that it is inside.
export const INSIDE = 0x80000000;

/// Why a stream cannot be read any further.
export class ProtocolFault extends Error {
    /// Where in the stream the message begins, and its kind's name; the decoder knows.
    at(byte, name) {
        this.message = `byte ${byte.toLocaleString("en")}${name ? ` (${name})` : ""}: ${this.message}`;
        return this;
    }
}

/// The fields of a payload, one after the other. Every length is checked before anything is made of it.
export class Fields {
    #bytes;
    #view;
    #at = 0;

    constructor(bytes) {
        this.#bytes = bytes;
        this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }

    #advance(length) {
        if (length > this.#bytes.byteLength - this.#at)
            throw new ProtocolFault("the message is too short for what it announces");
        const place = this.#at;
        this.#at += length;
        return place;
    }

    u32() {
        return this.#view.getUint32(this.#advance(4), true);
    }

    f32() {
        return this.#view.getFloat32(this.#advance(4), true);
    }

    f64() {
        return this.#view.getFloat64(this.#advance(8), true);
    }

    u32s(count) {
        return new Uint32Array(this.#bytes.buffer, this.#bytes.byteOffset + this.#advance(4 * count), count);
    }

    f32s(count) {
        return new Float32Array(this.#bytes.buffer, this.#bytes.byteOffset + this.#advance(4 * count), count);
    }

    bytes(count) {
        const place = this.#advance(4 * Math.ceil(count / 4));
        return this.#bytes.subarray(place, place + count);
    }

    text() {
        return new TextDecoder().decode(this.bytes(this.u32()));
    }

    texts(count) {
        return Array.from({ length: count }, () => this.text());
    }

    /// Numbers that all have to be finite.
    finite(count, what) {
        const list = this.f32s(count);
        for (let place = 0; place < count; place++) {
            // A difference that is not zero is NaN: cheaper than asking for each of millions.
            if (list[place] - list[place] !== 0) throw new ProtocolFault(`${what} is not finite`);
        }
        return list;
    }

    color() {
        const color = [...this.f32s(3)];
        return color.every(Number.isFinite) ? color.map((value) => Math.max(0, Math.min(1, value))) : null;
    }
}

function hello(fields) {
    const version = fields.u32();
    if (version !== PROTOCOL_VERSION) {
        const fault = new ProtocolFault(
            `this stream is of version ${version}, but this page reads version ${PROTOCOL_VERSION}`,
        );
        fault.isVersion = true;
        throw fault;
    }
    const [flags, upAxis, frames] = [fields.u32(), fields.u32(), fields.u32()];
    const secondsPerFrame = fields.f64();
    const ground = fields.f32();
    const camera = [...fields.f32s(10)];
    const [stages, measures] = [fields.u32(), fields.u32()];
    if (upAxis > 2) throw new ProtocolFault("there is no such axis to point up");
    if (!(secondsPerFrame > 0 && secondsPerFrame < Infinity))
        throw new ProtocolFault("the time from frame to frame is not above zero");
    if (stages > MOST_STAGES || measures > MOST_FIELDS) throw new ProtocolFault("there are too many stages or fields");
    const scene = fields.text();
    const stageNames = fields.texts(stages);
    const fieldNames = fields.texts(2 * measures);
    return {
        live: (flags & 1) === 1,
        upAxis,
        frames,
        secondsPerFrame,
        ground: Number.isFinite(ground) ? ground : null,
        camera: camera.every(Number.isFinite)
            ? { eye: camera.slice(0, 3), target: camera.slice(3, 6), up: camera.slice(6, 9), fieldOfView: camera[9] }
            : null,
        scene,
        stages: stageNames,
        fields: Array.from({ length: measures }, (_, place) => ({
            name: fieldNames[2 * place],
            unit: fieldNames[2 * place + 1],
        })),
    };
}

function shape(fields) {
    const [id, vertices, triangles, flags] = [fields.u32(), fields.u32(), fields.u32(), fields.u32()];
    const has = (bit) => ((flags >>> bit) & 1) === 1;
    const positions = fields.finite(3 * vertices, "a position");
    const corners = fields.u32s(3 * triangles);
    for (let place = 0; place < corners.length; place++) {
        if (corners[place] >= vertices)
            throw new ProtocolFault(`a triangle of shape ${id} names vertex ${corners[place]} of ${vertices}`);
    }
    const normals = has(0) ? fields.f32s(3 * vertices) : null;
    if (has(1)) fields.f32s(2 * vertices);
    const colors = has(2) ? fields.u32s(vertices) : null;
    const materials = has(3) ? fields.u32s(triangles) : null;
    return { id, positions, corners, normals, colors, materials, isApart: has(4) };
}

function looks(fields, count) {
    const pairs = fields.u32s(2 * count);
    return Array.from({ length: count }, (_, place) => ({ key: pairs[2 * place], shape: pairs[2 * place + 1] }));
}

function birth(fields) {
    const [piece, parent, island, material] = [fields.u32(), fields.u32(), fields.u32(), fields.u32()];
    const color = fields.color();
    const [mass, volume] = [fields.f32(), fields.f32()];
    return {
        piece,
        parent,
        island,
        material,
        color,
        mass,
        volume,
        looks: looks(fields, fields.u32()),
        name: fields.text(),
    };
}

function look(fields) {
    const [piece, removed, added] = [fields.u32(), fields.u32(), fields.u32()];
    return { piece, removed: fields.u32s(removed), added: looks(fields, added) };
}

function form(fields) {
    const [piece, key, vertices, told] = [fields.u32(), fields.u32(), fields.u32(), fields.u32()];
    if (told > 1) throw new ProtocolFault(`vertices are told as ${told}, which this page does not know`);
    if (told === 0)
        return { piece, key, vertices, positions: fields.finite(3 * vertices, "a position"), lattice: null };
    const corner = fields.finite(3, "a corner");
    const steps = fields.finite(3, "a step");
    return { piece, key, vertices, positions: null, lattice: { corner, steps, bytes: fields.bytes(6 * vertices) } };
}

/// The positions of a `FORM`. A lattice is made into numbers when it is looked at: it takes half as much room.
export function formPositions({ vertices, positions, lattice }) {
    if (positions) return positions;
    const { corner, steps, bytes } = lattice;
    const result = new Float32Array(3 * vertices);
    for (let axis = 0; axis < 3; axis++) {
        const low = 2 * axis * vertices;
        for (let vertex = 0, place = 0; vertex < vertices; vertex++) {
            place = (place + bytes[low + vertex] + 256 * bytes[low + vertices + vertex]) & 0xffff;
            result[3 * vertex + axis] = corner[axis] + steps[axis] * place;
        }
    }
    return result;
}

function particles(fields) {
    const count = fields.u32();
    const columns = [0, 1, 2, 3].map(() => fields.finite(count, "a particle"));
    return { count, columns, opacities: fields.bytes(count) };
}

function contacts(fields) {
    const count = fields.u32();
    const points = fields.finite(3 * count, "a contact's point");
    const normals = fields.finite(3 * count, "a contact's normal");
    const depths = fields.finite(count, "a contact's depth");
    return { count, points, normals, depths, first: fields.u32s(count), second: fields.u32s(count) };
}

function field(fields) {
    const [place, piece, domain, key, count] = [fields.u32(), fields.u32(), fields.u32(), fields.u32(), fields.u32()];
    if (domain > 2) throw new ProtocolFault(`a field of ${domain}, which this page does not know`);
    return { field: place, piece, domain, key, values: fields.f32s(count) };
}

function frame(fields, { stages }) {
    const [number, moved] = [fields.u32(), fields.u32()];
    const time = fields.f64();
    const [contactCount, touching] = [fields.u32(), fields.u32()];
    if (!Number.isFinite(time)) throw new ProtocolFault("the time is not finite");
    return {
        number,
        time,
        contactCount,
        touching,
        milliseconds: fields.f32s(stages),
        moved: fields.u32s(moved),
        poses: fields.finite(7 * moved, "a pose"),
    };
}

function choices(fields) {
    const [tools, patterns, methods] = [fields.u32(), fields.u32(), fields.u32()];
    const range = (what) => {
        const [least, most, now, step] = fields.finite(4, what);
        return { least, most, now, step };
    };
    const [radius, ballSpeed, ballRadius] = ["a radius", "a speed", "a radius"].map(range);
    return { tools, radius, ballSpeed, ballRadius, patterns: fields.texts(patterns), methods: fields.texts(methods) };
}

/// What reads the payload of each kind, with the kind's name.
export const READERS = new Map([
    [1, ["HELLO", hello]],
    [2, ["SHAPE", shape]],
    [3, ["BIRTH", birth]],
    [4, ["DEATH", (fields) => ({ pieces: fields.u32s(fields.u32()) })]],
    [5, ["LOOK", look]],
    [6, ["FORM", form]],
    [7, ["PARTICLES", particles]],
    [8, ["CONTACTS", contacts]],
    [9, ["FIELD", field]],
    [10, ["MATERIAL", (fields) => ({ material: fields.u32(), color: fields.color(), name: fields.text() })]],
    [11, ["FRAME", frame]],
    [12, ["END", (fields) => ({ summary: fields.text() })]],
    [13, ["FORGET", (fields) => ({ shapes: fields.u32s(fields.u32()) })]],
    [14, ["NOTICE", (fields) => ({ isBad: fields.u32() === 1, text: fields.text() })]],
    [15, ["CHOICES", choices]],
    [
        16,
        [
            "STATUS",
            (fields) => ({
                isPaused: fields.u32() === 1,
                slowMotion: fields.f32(),
                stepsPerSecond: fields.f32(),
                pages: fields.u32(),
            }),
        ],
    ],
]);
