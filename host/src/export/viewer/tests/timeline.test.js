import assert from "node:assert/strict";
import test from "node:test";

import { explodeOffsets } from "../explode.js";
import { POSE } from "../poses.js";
import { formPositions } from "../protocol.js";
import { SeenItems } from "../seen.js";
import { Encoder } from "./encoder.js";
import { fallingCubes, wavingCloth } from "./recordings.js";
import { replay } from "./replay.js";
import { randomNumbers } from "./solids.js";

/// What is seen in the frame that is shown: living pieces, their poses, what is seen of them.
function shown(timeline) {
    const living = timeline.pieces.filter((piece) => timeline.isAlive(piece));
    return {
        pieces: living.map(({ piece }) => piece),
        poses: living.map(({ slot }) => [...timeline.track.poses.subarray(POSE * slot, POSE * (slot + 1))]),
        items: timeline.items.filter((item) => timeline.isSeen(item)).map(({ slot, key }) => [slot, key]),
    };
}

test("going to a frame shows what playing up to it shows, forwards and backwards", () => {
    const { timeline } = replay(fallingCubes({ across: 2, layers: 2, piecesPerCube: 8, frames: 150 }).finish());
    const played = [];
    for (let frame = 0; frame < timeline.count; frame++) {
        timeline.seek(frame);
        played.push(shown(timeline));
    }
    assert.ok(played.at(-1).pieces.length > 50 && played[0].pieces.length === 8);
    const random = randomNumbers(5);
    const visits = [...Array(150).keys()].reverse().concat(
        Array.from({ length: 400 }, () => Math.floor(150 * random())),
        [0, 149, 1, 0, 148, 149],
    );
    for (const frame of visits) {
        timeline.seek(frame);
        assert.equal(timeline.frame, frame);
        assert.deepEqual(shown(timeline), played[frame], `frame ${frame}`);
    }
});

test("poses are those that were written, and speeds what the written positions say", () => {
    const written = [];
    const encoder = fallingCubes({
        across: 2,
        layers: 1,
        piecesPerCube: 5,
        frames: 80,
        onFrame: (_, bodies) =>
            written.push(new Map([...bodies].map(([piece, { position }]) => [piece, [...position]]))),
    });
    const { timeline } = replay(encoder.finish());
    for (const frame of [0, 79, 40, 41, 12, 60]) {
        timeline.seek(frame);
        assert.deepEqual(
            timeline.pieces.filter((piece) => timeline.isAlive(piece)).map(({ piece }) => piece),
            [...written[frame].keys()],
        );
        for (const [piece, position] of written[frame]) {
            const place = POSE * timeline.place(piece);
            position.forEach((value, axis) => assert.equal(timeline.track.poses[place + 4 + axis], Math.fround(value)));
            const before = written[frame - 1]?.get(piece);
            const speed = before
                ? 60 * Math.hypot(...position.map((value, axis) => Math.fround(value) - Math.fround(before[axis])))
                : 0;
            assert.ok(
                Math.abs(timeline.track.poses[place + 7] - speed) < 1e-4 * (1 + speed),
                `piece ${piece} in frame ${frame}`,
            );
        }
    }
});

test("whole sets of poses take at most a third of the room of what is told one by one, and make every frame near", () => {
    const { timeline, messages } = replay(
        fallingCubes({ across: 3, layers: 2, piecesPerCube: 10, frames: 200 }).finish(),
    );
    const told = messages
        .filter(([name]) => name === "FRAME")
        .reduce((sum, [, { moved }]) => sum + 28 * moved.length, 0);
    for (let frame = timeline.count - 1; frame >= 0; frame -= 7) {
        timeline.seek(frame);
        const { work } = timeline.track;
        assert.ok(work <= 6 * timeline.pieces.length, `${work} poses to come to frame ${frame}`);
    }
    assert.ok(
        timeline.track.keyBytes > 0 && timeline.track.keyBytes < told / 3,
        `${timeline.track.keyBytes} of ${told}`,
    );
});

test("forms and fields are those of the frame, whichever way it was come to", () => {
    const { encoder, forms, cloth } = wavingCloth({ cells: 8, frames: 20 });
    const { timeline } = replay(encoder.finish());
    for (const frame of [19, 0, 7, 8, 3, 19, 2]) {
        timeline.seek(frame);
        const found = formPositions(timeline.form(timeline.items[0]));
        assert.equal(found.length, cloth.positions.length);
        found.forEach((value, place) => assert.ok(Math.abs(value - forms[frame][place]) < 4e-5, `${frame}: ${place}`));
        assert.equal(timeline.form(timeline.items[1]), null);
        const { values } = timeline.field(timeline.items[0], 0);
        assert.ok(Math.abs(values[10] - (1.2 - forms[frame][31])) < 1e-6);
    }
    assert.ok(timeline.fieldRanges[0].least < timeline.fieldRanges[0].most);
});

test("looks that change are seen in their time, and a form ends with its look", () => {
    const triangle = { positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2] };
    const encoder = new Encoder().hello().shape(0, triangle).shape(1, triangle);
    encoder
        .birth(3, {
            looks: [
                [0, 0],
                [1, 0],
            ],
        })
        .frame(0, 0);
    encoder.form(3, 0, [5, 0, 0, 1, 0, 0, 0, 1, 0]).frame(1, 1);
    encoder
        .look(
            3,
            [1],
            [
                [0, 1],
                [2, 1],
            ],
        )
        .frame(2, 2);
    encoder.death([3]).frame(3, 3);
    const { timeline } = replay(encoder.end().finish());
    const seen = (frame) => {
        timeline.seek(frame);
        return timeline.items
            .filter((item) => timeline.isSeen(item))
            .map((item) => [item.key, item.shape.id, timeline.form(item)?.positions[0] ?? null]);
    };
    assert.deepEqual([3, 2, 1, 0].map(seen), [
        [],
        [
            [0, 1, null],
            [2, 1, null],
        ],
        [
            [0, 0, 5],
            [1, 0, null],
        ],
        [
            [0, 0, null],
            [1, 0, null],
        ],
    ]);
});

test("a live stream shows what came last, and forgets what is over", () => {
    const triangle = { positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2] };
    const encoder = new Encoder().hello({ live: true }).shape(0, triangle);
    encoder.birth(0, { looks: [[0, 0]], name: "stays" });
    for (let frame = 0; frame < 3000; frame++) {
        encoder.birth(frame + 1, { parent: frame > 0 ? frame : 0, looks: [[0, 0]] });
        if (frame > 1) encoder.death([frame - 1]);
        const moved = [
            [0, [frame, 0, 0], [0, 0, 0, 1]],
            [frame + 1, [0, frame, 0], [0, 0, 1, 1]],
        ];
        encoder.frame(frame, frame / 60, moved);
    }
    const { timeline, fault } = replay(encoder.finish());
    // No END: a live stream has none.
    assert.match(fault.message, /cut short/);
    assert.equal(timeline.frame, 2999);
    assert.deepEqual(
        timeline.pieces.filter((piece) => timeline.isAlive(piece)).map(({ piece }) => piece),
        [0, 2999, 3000],
    );
    const pose = (piece) => [
        ...timeline.track.poses.subarray(POSE * timeline.place(piece) + 4, POSE * timeline.place(piece) + 8),
    ];
    assert.deepEqual(
        [pose(0), pose(3000), pose(2999)],
        [
            [2999, 0, 0, 60],
            [0, 2999, 0, 0],
            [0, 2998, 0, 0],
        ],
    );
    assert.ok(timeline.pieces.length < 1200 && timeline.items.length < 1200 && timeline.frames.length <= 600);
    assert.ok(timeline.generation > 0 && timeline.place(5) === undefined);
});

test("pieces of a whole move apart from their middle, and what nothing broke stays", () => {
    const cube = { positions: [-1, -1, -1, 1, 1, 1, 1, -1, 1], triangles: [0, 1, 2] };
    const encoder = new Encoder().hello().shape(0, cube);
    encoder.birth(0).birth(1, { looks: [[0, 0]] });
    for (const piece of [2, 3]) encoder.birth(piece, { parent: 0, looks: [[0, 0]] });
    encoder.birth(4, { parent: 1, looks: [[0, 0]] });
    encoder.death([0]);
    const turn = [0, 0, 0, 1];
    encoder.frame(0, 0, [
        [1, [9, 9, 9], turn],
        [2, [0, 2, 0], turn],
        [3, [0, 4, 0], turn],
        [4, [7, 7, 7], turn],
    ]);
    const { timeline } = replay(encoder.finish());
    timeline.seek(0);
    const offsets = new Float32Array(15);
    explodeOffsets(timeline, 2, offsets);
    assert.deepEqual([...offsets], [0, 0, 0, 0, 0, 0, 0, -2, 0, 0, 2, 0, 0, 0, 0]);
});

test("which items are seen is followed step by step to what all of them say", () => {
    const { timeline } = replay(fallingCubes({ across: 2, layers: 2, piecesPerCube: 8, frames: 150 }).finish());
    const random = randomNumbers(8);
    const seen = new SeenItems(64);
    let frame = 0;
    for (let round = 0; round < 400; round++) {
        // Mostly small steps, either way; now and then anywhere.
        frame =
            random() < 0.1
                ? Math.floor(150 * random())
                : Math.max(0, Math.min(149, frame + Math.floor(9 * random()) - 4));
        timeline.seek(frame);
        seen.update(timeline);
        const all = timeline.items.filter((item) => timeline.isSeen(item));
        timeline.items.forEach((item, number) => {
            const expected = timeline.isSeen(item) ? 2 ** 31 + item.slot : 0;
            assert.equal(seen.words[number], expected, `item ${number} in frame ${frame}`);
        });
        assert.equal(seen.pieces, new Set(all.map(({ slot }) => slot)).size);
        assert.equal(
            seen.triangles,
            all.reduce((sum, { shape }) => sum + shape.corners.length / 3, 0),
        );
        assert.equal(seen.update(timeline), false);
    }
});
