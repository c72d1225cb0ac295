import assert from "node:assert/strict";
import test from "node:test";

import { Command } from "../commands.js";
import { NONE } from "./encoder.js";

const RAY = { origin: [1, 2, 3], direction: [0, 0, -1] };
const [U, F] = ["u", "f"];

/// Each command with its kind and its fields, as the document has them.
const EXPECTED = [
    [Command.watch(), 256, [[U, 1]]],
    [Command.throwBall(RAY, 12, 0.25), 257, [...[1, 2, 3, 0, 0, -1, 12, 0.25].map((value) => [F, value])]],
    [
        Command.breakAt(RAY, 0.5, 2, 1, 77),
        258,
        [...[1, 2, 3, 0, 0, -1, 0.5].map((value) => [F, value]), [U, 2], [U, 1], [U, 77]],
    ],
    [
        Command.breakAt(RAY, 0.5, 2, 1),
        258,
        [...[1, 2, 3, 0, 0, -1, 0.5].map((value) => [F, value]), [U, 2], [U, 1], [U, NONE]],
    ],
    [Command.dragStart(5, RAY, 9), 259, [[U, 5], ...[1, 2, 3, 0, 0, -1].map((value) => [F, value]), [U, 9]]],
    [
        Command.dragMove(5, [4, 5, 6]),
        260,
        [
            [U, 5],
            [F, 4],
            [F, 5],
            [F, 6],
        ],
    ],
    [Command.dragEnd(5), 261, [[U, 5]]],
    [Command.reset(), 262, []],
    [Command.pause(true), 263, [[U, 1]]],
    [Command.pause(false), 263, [[U, 0]]],
    [Command.slowMotion(0.125), 264, [[F, 0.125]]],
    [Command.step(3), 265, [[U, 3]]],
];

test("what the page says stands as the document has it", () => {
    for (const [bytes, kind, fields] of EXPECTED) {
        const buffer = Buffer.from(bytes);
        assert.deepEqual(
            [buffer.readUInt32LE(0), buffer.readUInt32LE(4), buffer.length],
            [kind, 4 * fields.length, 8 + 4 * fields.length],
        );
        fields.forEach(([type, value], place) => {
            const at = 8 + 4 * place;
            assert.equal(type === U ? buffer.readUInt32LE(at) : buffer.readFloatLE(at), value, `${kind}: ${place}`);
        });
    }
});
