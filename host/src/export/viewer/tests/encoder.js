// Writes streams as PROTOCOL.md says, and shares no line with what reads them.

import { Buffer } from "node:buffer";

export const NONE = 0xffffffff;

class Payload {
    parts = [];

    #put(size, count, write) {
        const part = Buffer.alloc(size * count);
        for (let place = 0; place < count; place++) write(part, place);
        this.parts.push(part);
        return this;
    }

    u32(...values) {
        return this.#put(4, values.length, (part, place) => part.writeUInt32LE(values[place], 4 * place));
    }

    u32s(values) {
        return this.#put(4, values.length, (part, place) => part.writeUInt32LE(values[place] >>> 0, 4 * place));
    }

    f32(...values) {
        return this.f32s(values);
    }

    f32s(values) {
        return this.#put(4, values.length, (part, place) => part.writeFloatLE(values[place], 4 * place));
    }

    f64(value) {
        return this.#put(8, 1, (part) => part.writeDoubleLE(value));
    }

    bytes(values) {
        this.parts.push(Buffer.from(values), Buffer.alloc((4 - (values.length % 4)) % 4));
        return this;
    }

    text(value) {
        const utf8 = Buffer.from(value, "utf8");
        return this.u32(utf8.length).bytes(utf8);
    }

    texts(values) {
        values.forEach((value) => this.text(value));
        return this;
    }
}

export class Encoder {
    #parts = [Buffer.from("FRACASV\n", "ascii")];
    #stages = 0;

    /// Where each message begins, and its kind.
    starts = [];
    #length = 8;

    message(kind, payload) {
        const body = Buffer.concat(payload.parts);
        const head = Buffer.alloc(8);
        head.writeUInt32LE(kind, 0);
        head.writeUInt32LE(body.length, 4);
        this.starts.push({ byte: this.#length, kind });
        this.#parts.push(head, body);
        this.#length += 8 + body.length;
        return this;
    }

    finish() {
        return new Uint8Array(Buffer.concat(this.#parts));
    }

    hello({
        version = 1,
        live = false,
        upAxis = 1,
        frames = 0,
        seconds = 1 / 60,
        ground = 0,
        camera = null,
        scene = "scene",
        stages = [],
        fields = [],
    } = {}) {
        this.#stages = stages.length;
        const eyes = camera ? [...camera.eye, ...camera.target, ...camera.up, camera.fieldOfView] : Array(10).fill(NaN);
        const payload = new Payload()
            .u32(version, live ? 1 : 0, upAxis, frames)
            .f64(seconds)
            .f32(ground ?? NaN)
            .f32s(eyes);
        payload.u32(stages.length, fields.length).text(scene).texts(stages);
        fields.forEach(([name, unit]) => payload.text(name).text(unit));
        return this.message(1, payload);
    }

    shape(id, { positions, triangles, normals, uvs, colors, materials, isApart = false }) {
        const flags = (normals ? 1 : 0) | (uvs ? 2 : 0) | (colors ? 4 : 0) | (materials ? 8 : 0) | (isApart ? 16 : 0);
        const payload = new Payload()
            .u32(id, positions.length / 3, triangles.length / 3, flags)
            .f32s(positions)
            .u32s(triangles);
        if (normals) payload.f32s(normals);
        if (uvs) payload.f32s(uvs);
        if (colors) payload.u32s(colors);
        if (materials) payload.u32s(materials);
        return this.message(2, payload);
    }

    birth(
        piece,
        {
            parent = NONE,
            island = NONE,
            material = NONE,
            color = null,
            mass = NaN,
            volume = NaN,
            looks = [],
            name = "",
        } = {},
    ) {
        const payload = new Payload()
            .u32(piece, parent, island, material)
            .f32s(color ?? [NaN, NaN, NaN])
            .f32(mass, volume);
        return this.message(3, payload.u32(looks.length).u32s(looks.flat()).text(name));
    }

    death(pieces) {
        return this.message(4, new Payload().u32(pieces.length).u32s(pieces));
    }

    look(piece, removed, added) {
        return this.message(5, new Payload().u32(piece, removed.length, added.length).u32s(removed).u32s(added.flat()));
    }

    form(piece, key, positions) {
        return this.message(6, new Payload().u32(piece, key, positions.length / 3, 0).f32s(positions));
    }

    /// On a lattice of 65,536 steps along each side of the box around the positions.
    lattice(piece, key, positions) {
        const count = positions.length / 3;
        const corner = [0, 1, 2].map((axis) => Math.fround(Math.min(...axisOf(positions, axis))));
        const steps = [0, 1, 2].map((axis) =>
            Math.fround((Math.max(...axisOf(positions, axis)) - corner[axis]) / 65535),
        );
        const bytes = Buffer.alloc(6 * count);
        for (let axis = 0; axis < 3; axis++) {
            let before = 0;
            axisOf(positions, axis).forEach((value, vertex) => {
                const place =
                    steps[axis] > 0
                        ? Math.max(0, Math.min(65535, Math.round((value - corner[axis]) / steps[axis])))
                        : 0;
                const difference = (place - before + 65536) % 65536;
                bytes[2 * axis * count + vertex] = difference % 256;
                bytes[(2 * axis + 1) * count + vertex] = Math.floor(difference / 256);
                before = place;
            });
        }
        this.message(6, new Payload().u32(piece, key, count, 1).f32s(corner).f32s(steps).bytes(bytes));
        return { corner, steps };
    }

    /// Particles as `[x, y, z, radius, opacity from 0 to 255]`.
    particles(list) {
        const payload = new Payload().u32(list.length);
        for (let column = 0; column < 4; column++) payload.f32s(list.map((particle) => particle[column]));
        return this.message(7, payload.bytes(list.map((particle) => particle[4])));
    }

    contacts(list) {
        const payload = new Payload()
            .u32(list.length)
            .f32s(list.flatMap(({ point }) => point))
            .f32s(list.flatMap(({ normal }) => normal));
        payload.f32s(list.map(({ depth }) => depth));
        return this.message(
            8,
            payload.u32s(list.map(({ first = NONE }) => first)).u32s(list.map(({ second = NONE }) => second)),
        );
    }

    field(field, piece, domain, key, values) {
        return this.message(9, new Payload().u32(field, piece, domain, key, values.length).f32s(values));
    }

    material(material, color, name) {
        return this.message(
            10,
            new Payload()
                .u32(material)
                .f32s(color ?? [NaN, NaN, NaN])
                .text(name),
        );
    }

    /// Poses as `[piece, [x, y, z], [qx, qy, qz, qw]]`.
    frame(number, time, moved = [], { contacts = 0, touching = 0, stages = Array(this.#stages).fill(0) } = {}) {
        const payload = new Payload().u32(number, moved.length).f64(time).u32(contacts, touching).f32s(stages);
        payload.u32s(moved.map(([piece]) => piece));
        for (let axis = 0; axis < 3; axis++) payload.f32s(moved.map(([, position]) => position[axis]));
        for (let axis = 0; axis < 4; axis++) payload.f32s(moved.map(([, , rotation]) => rotation[axis]));
        return this.message(11, payload);
    }

    end(summary = "") {
        return this.message(12, new Payload().text(summary));
    }

    forget(shapes) {
        return this.message(13, new Payload().u32(shapes.length).u32s(shapes));
    }

    notice(isBad, text) {
        return this.message(14, new Payload().u32(isBad ? 1 : 0).text(text));
    }

    choices({
        tools = 7,
        patterns = [],
        methods = [],
        radius = [0.05, 1, 0.3, 0.05],
        ballSpeed = [1, 40, 12, 1],
        ballRadius = [0.05, 0.5, 0.15, 0.05],
    } = {}) {
        const payload = new Payload()
            .u32(tools, patterns.length, methods.length)
            .f32s(radius)
            .f32s(ballSpeed)
            .f32s(ballRadius);
        return this.message(15, payload.texts(patterns).texts(methods));
    }

    status({ isPaused = false, slowMotion = 1, stepsPerSecond = NaN, pages = 1 } = {}) {
        return this.message(
            16,
            new Payload()
                .u32(isPaused ? 1 : 0)
                .f32(slowMotion, stepsPerSecond)
                .u32(pages),
        );
    }

    /// A kind that nobody knows.
    unknown(kind, bytes) {
        return this.message(kind, new Payload().bytes(bytes));
    }
}

function axisOf(positions, axis) {
    return Array.from({ length: positions.length / 3 }, (_, vertex) => positions[3 * vertex + axis]);
}
