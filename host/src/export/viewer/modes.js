// What the colours of pieces say.

import { POSE } from "./poses.js";

/// The ways to colour that a stream has something for. `range` is what the ends of the scale stand for, of those that have a scale;
/// `measure` gives what a piece has of it, where that is not its speed, which stands with its pose.
export function modesOf(hello) {
    const plain = [
        ["material", "Material"],
        ["piece", "Piece"],
        ["whole", "Parent body"],
        ["island", "Island"],
    ];
    const modes = plain.map(([name, label]) => ({
        name,
        label,
        unit: "",
        field: null,
        range: null,
        measure: () => null,
    }));
    modes.push({
        name: "depth",
        label: "Contact depth",
        unit: "m",
        field: null,
        range: (timeline) => [0, timeline.depths.upper() || 1],
        measure: depthsOf,
    });
    modes.push({
        name: "speed",
        label: "Speed",
        unit: "m/s",
        field: null,
        range: (timeline) => [0, timeline.track.speeds.upper() || 1],
        measure: () => null,
    });
    hello.fields.forEach(({ name, unit }, field) => {
        modes.push({
            name: `field:${name}`,
            label: name[0]?.toUpperCase() + name.slice(1),
            unit,
            field,
            range: ({ fieldRanges }) =>
                fieldRanges[field].least < fieldRanges[field].most
                    ? [fieldRanges[field].least, fieldRanges[field].most]
                    : [0, 1],
            measure: (timeline) => (slot) => {
                const value = timeline.field(timeline.pieces[slot], field)?.values[0];
                return Number.isFinite(value) ? value : undefined;
            },
        });
    });
    return modes;
}

/// The deepest contact of each piece in the frame that is shown; what touches nothing has none.
function depthsOf(timeline) {
    const contacts = timeline.shown?.contacts;
    const deepest = new Float32Array(timeline.pieces.length).fill(-Infinity);
    for (let place = 0; place < (contacts?.count ?? 0); place++) {
        for (const piece of [contacts.first[place], contacts.second[place]]) {
            const slot = timeline.place(piece);
            if (slot !== undefined) deepest[slot] = Math.max(deepest[slot], contacts.depths[place]);
        }
    }
    return (slot) => (deepest[slot] > -Infinity ? deepest[slot] : undefined);
}

/// The speed of a piece in the frame that is shown.
export function speedOf(timeline, piece) {
    return timeline.track.poses[POSE * piece.slot + 7];
}
