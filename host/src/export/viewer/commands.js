// What the page says to a simulation; PROTOCOL.md has the kinds.

import { NONE, PROTOCOL_VERSION } from "./protocol.js";

// Every field takes four bytes.
const unsigned = (value) => (view, at) => view.setUint32(at, value, true);
const real = (value) => (view, at) => view.setFloat32(at, value, true);
const rayFields = ({ origin, direction }) => [...origin, ...direction].map(real);

function encodeCommand(kind, fields = []) {
    const bytes = new ArrayBuffer(8 + 4 * fields.length);
    const view = new DataView(bytes);
    [unsigned(kind), unsigned(4 * fields.length), ...fields].forEach((put, place) => put(view, 4 * place));
    return bytes;
}

export const Command = Object.freeze({
    watch: () => encodeCommand(256, [unsigned(PROTOCOL_VERSION)]),
    throwBall: (ray, speed, radius) => encodeCommand(257, [...rayFields(ray), real(speed), real(radius)]),
    breakAt: (ray, radius, pattern, method, piece = NONE) =>
        encodeCommand(258, [...rayFields(ray), real(radius), ...[pattern, method, piece].map(unsigned)]),
    dragStart: (drag, ray, piece) => encodeCommand(259, [unsigned(drag), ...rayFields(ray), unsigned(piece)]),
    dragMove: (drag, target) => encodeCommand(260, [unsigned(drag), ...target.map(real)]),
    dragEnd: (drag) => encodeCommand(261, [unsigned(drag)]),
    reset: () => encodeCommand(262),
    pause: (isPaused) => encodeCommand(263, [unsigned(isPaused ? 1 : 0)]),
    slowMotion: (factor) => encodeCommand(264, [real(factor)]),
    step: (steps) => encodeCommand(265, [unsigned(steps)]),
});
