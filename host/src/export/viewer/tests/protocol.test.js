import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { formPositions } from "../protocol.js";
import { Encoder, NONE } from "./encoder.js";
import { everyMessage, fallingCubes, wavingCloth } from "./recordings.js";
import { replay } from "./replay.js";
import { randomNumbers } from "./solids.js";

const near = (found, expected, slack = 1e-6) => {
    assert.equal(found.length, expected.length);
    found.forEach((value, place) =>
        assert.ok(Math.abs(value - expected[place]) <= slack, `${place}: ${value} for ${expected[place]}`),
    );
};

test("every message comes through as it was written", () => {
    const { messages, fault, timeline } = replay(everyMessage().finish());
    assert.equal(fault, null);
    const all = (name) => messages.filter(([found]) => found === name).map(([, message]) => message);
    const [hello] = all("HELLO");
    assert.deepEqual(
        { ...hello, camera: null, ground: null },
        {
            live: false,
            upAxis: 1,
            frames: 3,
            secondsPerFrame: 0.25,
            ground: null,
            camera: null,
            scene: "Jede Nachricht · 全部",
            stages: ["narrow", "fracture"],
            fields: [
                { name: "stress", unit: "Pa" },
                { name: "island", unit: "" },
            ],
        },
    );
    assert.equal(hello.ground, -0.5);
    assert.deepEqual(hello.camera, { eye: [3, 2, 4], target: [0, 0.5, 0], up: [0, 1, 0], fieldOfView: 40 });
    const [plain, rich] = all("SHAPE");
    assert.deepEqual([...plain.corners], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]);
    assert.deepEqual([...plain.materials], [0, 0, 5, 0x80000000]);
    assert.deepEqual([plain.normals, plain.colors, plain.isApart], [null, null, false]);
    assert.deepEqual([...rich.normals], Array(12).fill(0.5));
    assert.deepEqual([...rich.colors], [0xff0000ff, 0xff00ff00, 0xffff0000, 0x80ffffff]);
    assert.deepEqual([[...rich.materials], rich.isApart], [[0, 0, 5, 0x80000000], true]);
    const [whole, part] = all("BIRTH");
    assert.deepEqual(whole, {
        piece: 10,
        parent: NONE,
        island: NONE,
        material: 4,
        color: null,
        mass: 2,
        volume: 0.125,
        looks: [
            { key: 1, shape: 0 },
            { key: 7, shape: 2 },
        ],
        name: "Ganzes",
    });
    assert.deepEqual(part, {
        piece: 11,
        parent: 10,
        island: 2,
        material: NONE,
        color: [1, 0.5, 0],
        mass: 1,
        volume: 0.0625,
        looks: [{ key: 0, shape: 2 }],
        name: "Stück",
    });
    const [form, lattice] = all("FORM");
    assert.deepEqual([...formPositions(form)], [0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2]);
    near([...formPositions(lattice)], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.5], 1e-5);
    const [particles] = all("PARTICLES");
    assert.deepEqual(
        [particles.columns.map((column) => [...column]), [...particles.opacities]],
        [
            [
                [1, 4],
                [2, 5],
                [3, 6],
                [0.5, 0.25],
            ],
            [128, 255],
        ],
    );
    const [contacts] = all("CONTACTS");
    assert.deepEqual(
        [[...contacts.points], [...contacts.normals], [...contacts.depths], [...contacts.first], [...contacts.second]],
        [
            [0, 0, 1, 0, 1, 1],
            [0, 1, 0, 1, 0, 0],
            [0.125, -0.5],
            [10, 10],
            [NONE, 10],
        ],
    );
    assert.deepEqual(
        all("FIELD").map(({ field, piece, domain, key, values }) => [field, piece, domain, key, [...values]]),
        [
            [1, 10, 0, 0, [3]],
            [0, 10, 2, 7, [1, 2, 3, NaN]],
        ],
    );
    assert.deepEqual(all("MATERIAL"), [{ material: 4, color: [0.5, 0.25, 1], name: "glass" }]);
    const frames = all("FRAME");
    assert.deepEqual(
        frames.map(({ number, time, contactCount, touching, milliseconds, moved, poses }) => [
            number,
            time,
            contactCount,
            touching,
            [...milliseconds],
            [...moved],
            [...poses],
        ]),
        [
            [5, 1.25, 4, 6, [1.5, 0.25], [10], [1, 2, 3, 0, 0, 1, 0]],
            [6, 1.5, 0, 0, [1, 0], [], []],
            [9, 2.25, 0, 0, [0.5, 12], [11], [0, 1, 0, 0, 0, 0, 2]],
        ],
    );
    assert.deepEqual(all("NOTICE"), [{ isBad: false, text: "Nichts getroffen" }]);
    assert.deepEqual(all("STATUS"), [{ isPaused: true, slowMotion: 0.25, stepsPerSecond: 60, pages: 2 }]);
    const [choices] = all("CHOICES");
    assert.deepEqual(
        [choices.tools, choices.patterns, choices.methods, choices.ballSpeed.most],
        [5, ["voronoi", "web"], ["svo"], 40],
    );
    assert.deepEqual(
        all("FORGET").map(({ shapes }) => [...shapes]),
        [[0]],
    );
    assert.deepEqual([timeline.summary, timeline.isEnded, timeline.count], ['{"frames":3}', true, 3]);
});

test("the bytes are those that stand beside this test, for whoever writes another encoder", () => {
    const written = readFileSync(new URL("every_message.base64", import.meta.url), "latin1");
    assert.equal(Buffer.from(everyMessage().finish()).toString("base64"), written.replaceAll("\n", ""));
});

test("a stream in parts of any size, at any place in memory, is the same stream", () => {
    const whole = everyMessage().finish();
    const plain = (messages) =>
        JSON.stringify(messages, (_, value) => (ArrayBuffer.isView(value) ? [...value] : value));
    const expected = plain(replay(whole).messages);
    for (const chunk of [1, 2, 3, 5, 7, 8, 13, 64, 1001])
        assert.equal(plain(replay(whole, chunk).messages), expected, `parts of ${chunk}`);
    const shifted = new Uint8Array(whole.length + 3).subarray(3);
    shifted.set(whole);
    assert.equal(plain(replay(shifted).messages), expected);
});

test("kinds that nobody knows are skipped, and so are fields at the end of a payload", () => {
    const longer = new Encoder();
    longer.hello();
    longer.unknown(0x99, [1, 2, 3, 4, 5]).frame(0, 0).end();
    const bytes = longer.finish();
    // The END's payload, made longer by four bytes.
    const end = longer.starts.at(-1).byte;
    const appended = new Uint8Array([...bytes, 9, 9, 9, 9]);
    appended[end + 4] += 4;
    const { fault, timeline } = replay(appended);
    assert.deepEqual([fault, timeline.count, timeline.isEnded], [null, 1, true]);
});

test("another version is named in one line", () => {
    const { fault } = replay(new Encoder().hello({ version: 2 }).finish());
    assert.match(fault.message, /version 2, but this page reads version 1/);
    assert.ok(fault.isVersion);
});

test("a stream that is cut anywhere says so, and what came before can be played", () => {
    const encoder = everyMessage();
    const whole = encoder.finish();
    const frames = encoder.starts.filter(({ kind }) => kind === 11).map(({ byte }) => byte);
    const ends = frames.map((byte) => encoder.starts.find((start) => start.byte > byte).byte);
    for (let length = 0; length < whole.length; length++) {
        const { fault, timeline } = replay(whole.subarray(0, length), 11);
        assert.ok(fault, `cut at ${length}`);
        assert.ok(fault.message.startsWith("byte "), fault.message);
        assert.equal(timeline?.count ?? 0, ends.filter((end) => end <= length).length, `cut at ${length}`);
        if (timeline?.count) timeline.seek(timeline.count - 1);
    }
});

const HEAD = () =>
    new Encoder()
        .hello({ fields: [["stress", ""]] })
        .shape(0, { positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2] })
        .birth(1, { looks: [[0, 0]] });
const TURN = [0, 0, 0, 1];
const WRONG = {
    "a vertex that is not there": [
        (encoder) => encoder.shape(1, { positions: [0, 0, 0], triangles: [0, 0, 1] }),
        /SHAPE.*vertex 1 of 1/,
    ],
    "a position that is not finite": [
        (encoder) => encoder.shape(1, { positions: [0, NaN, 0], triangles: [] }),
        /SHAPE.*not finite/,
    ],
    "a shape twice": [(encoder) => encoder.shape(0, { positions: [], triangles: [] }), /shape 0 is there already/],
    "a shape that is not there": [(encoder) => encoder.birth(2, { looks: [[0, 9]] }), /shape 9, which is not there/],
    "a piece twice": [(encoder) => encoder.birth(1), /born twice/],
    "a parent that was never born": [(encoder) => encoder.birth(2, { parent: 5 }), /never born/],
    "a death of nobody": [(encoder) => encoder.death([4]), /piece 4 dies, but is not there/],
    "a second death": [(encoder) => encoder.death([1]).death([1]), /piece 1 dies, but is not there/],
    "a move of the dead": [
        (encoder) => encoder.death([1]).frame(0, 0, [[1, [0, 0, 0], TURN]]),
        /FRAME.*piece 1 moves, but is not there/,
    ],
    "a pose that is not finite": [
        (encoder) => encoder.frame(0, 0, [[1, [0, Infinity, 0], TURN]]),
        /a pose is not finite/,
    ],
    "a rotation of zero": [(encoder) => encoder.frame(0, 0, [[1, [0, 0, 0], [0, 0, 0, 0]]]), /not a quaternion/],
    "frames out of order": [(encoder) => encoder.frame(4, 0).frame(4, 1), /frame 4 comes after frame 4/],
    "time that runs backwards": [(encoder) => encoder.frame(0, 1).frame(1, 0.5), /backwards/],
    "a form of another size": [(encoder) => encoder.form(1, 0, [0, 0, 0]), /1 vertices of 3/],
    "a form of no look": [(encoder) => encoder.form(1, 5, [0, 0, 0]), /look 5 of piece 1/],
    "a look that is not lost": [(encoder) => encoder.look(1, [3], []), /loses look 3/],
    "a field that was not announced": [(encoder) => encoder.field(3, 1, 0, 0, [1]), /no field 3/],
    "a field of another size": [(encoder) => encoder.field(0, 1, 1, 0, [1]), /1 values for 3/],
    "a field by triangle without a word": [(encoder) => encoder.field(0, 1, 2, 0, [1]), /did not announce/],
    "a second greeting": [(encoder) => encoder.hello(), /second HELLO/],
};

test("what makes no sense is named, with its byte, and ends the reading", () => {
    for (const [name, [spoil, expected]] of Object.entries(WRONG)) {
        const encoder = HEAD();
        spoil(encoder);
        const { byte } = encoder.starts.at(-1);
        const { fault } = replay(encoder.frame(1000, 1000).finish());
        assert.match(fault?.message ?? "nothing", expected, name);
        assert.ok(fault.message.startsWith(`byte ${byte.toLocaleString("en")} (`), `${name}: ${fault.message}`);
    }
});

test("lengths that are only claimed cost no memory and no time", () => {
    // A kind that nobody knows leaves the piece without its shape.
    for (const [place, value, expected] of [
        [0, 0xffffffff, /shape 0, which is not there/],
        [4, 0xfffffff0, /not the head of a message/],
        [4, 0x3ffffffc, /cut short within this message/],
        [4, 5, /not the head of a message/],
    ]) {
        const encoder = HEAD();
        const bytes = encoder.finish();
        const view = new DataView(bytes.buffer, bytes.byteOffset);
        view.setUint32(encoder.starts[1].byte + place, value, true);
        assert.match(replay(bytes, 16).fault.message, expected, `${place}: ${value}`);
    }
    // Counts within a payload: two thousand million vertices in a message of a hundred bytes.
    for (let word = 1; word < 3; word++) {
        const encoder = HEAD();
        const bytes = encoder.finish();
        new DataView(bytes.buffer, bytes.byteOffset).setUint32(encoder.starts[1].byte + 8 + 4 * word, 0x7fffffff, true);
        assert.match(replay(bytes).fault.message, /too short/);
    }
});

test("whatever is cut and flipped, reading ends with a line or well, and what was read can be shown", () => {
    const random = randomNumbers(20261118);
    const sources = [
        everyMessage().finish(),
        fallingCubes({ across: 2, layers: 1, piecesPerCube: 4, frames: 60 }).finish(),
        wavingCloth({ cells: 3, frames: 6 }).encoder.finish(),
    ];
    let faults = 0;
    for (let round = 0; round < 1500; round++) {
        const source = sources[round % sources.length];
        const spoiled = source.slice(0, random() < 0.3 ? Math.floor(random() * source.length) : source.length);
        const flips = Math.floor(random() * 6);
        // Early bytes are heads and counts; most of the rest are coordinates.
        for (let flip = 0; flip < flips; flip++)
            spoiled[Math.floor((random() < 0.5 ? 600 : spoiled.length) * random())] ^= 1 << Math.floor(8 * random());
        const { fault, timeline } = replay(spoiled, 1 + Math.floor(random() * 3000));
        if (fault) {
            faults++;
            assert.match(fault.message, /^byte [\d,]+/);
            assert.ok(!fault.message.includes("\n"));
        }
        if (!timeline?.count) continue;
        for (const part of [0, 1, 0.5]) {
            timeline.seek(Math.floor(part * (timeline.count - 1)));
            timeline.items
                .filter((item) => timeline.isSeen(item))
                .forEach((item) => timeline.form(item) && formPositions(timeline.form(item)));
            assert.ok(timeline.track.poses.every((value) => Number.isFinite(value)));
        }
    }
    assert.ok(faults > 300, `${faults} faults`);
});
