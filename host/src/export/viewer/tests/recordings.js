// Recordings that tests play: cubes that fall and break, a cloth, and one with every message there is.

import { Encoder } from "./encoder.js";
import { ball, cuboid, meshOf, randomNumbers, shatter, sheet } from "./solids.js";

const GRAVITY = 9.81;
const UNTURNED = [0, 0, 0, 1];
const STAGES = ["broad", "narrow", "response", "update", "fracture"];

function turnedAbout([x, y, z], angle) {
    const size = Math.hypot(x, y, z) || 1;
    const sine = Math.sin(angle / 2) / size;
    return [x * sine, y * sine, z * sine, Math.cos(angle / 2)];
}

/// Cubes in a grid fall on the ground and break there, each in its own frame. With the defaults 5,000 pieces.
export function fallingCubes({
    across = 5,
    layers = 5,
    piecesPerCube = 40,
    frames = 180,
    seed = 1,
    onFrame = null,
} = {}) {
    const random = randomNumbers(seed);
    const encoder = new Encoder();
    encoder.hello({
        frames,
        scene: "Falling cubes",
        stages: STAGES,
        fields: [
            ["stress", "MPa"],
            ["distance", "m"],
        ],
        camera: { eye: [5.2, 3.6, 7.4], target: [0, 0.9, 0], up: [0, 1, 0], fieldOfView: 36 },
    });
    encoder.material(0, [0.72, 0.36, 0.26], "clay").material(1, [0.55, 0.62, 0.68], "slate");
    const size = 0.5;
    encoder.shape(0, meshOf(cuboid([size, size, size])).mesh);
    let [nextPiece, nextShape] = [0, 1];
    const cubes = [];
    const bodies = new Map();
    for (let place = 0; place < across * across * layers; place++) {
        const [column, row, layer] = [
            place % across,
            Math.floor(place / across) % across,
            Math.floor(place / across / across),
        ];
        const position = [
            1.05 * size * 2 * (column - (across - 1) / 2) * 0.75,
            1 + layer * 0.85 + 0.3 * random(),
            0.79 * (row - (across - 1) / 2),
        ];
        cubes.push({ piece: nextPiece, material: (column + row + layer) % 2 });
        bodies.set(nextPiece++, {
            position,
            velocity: [0, 0, 0],
            axis: [random() - 0.5, random() - 0.5, random() - 0.5],
            angle: 0,
            spin: 1.2 * random(),
            radius: size / 2,
        });
    }
    for (const { piece, material } of cubes) {
        encoder.birth(piece, {
            material,
            mass: 2000 * size ** 3,
            volume: size ** 3,
            looks: [[0, 0]],
            name: `cube ${piece + 1}`,
            island: piece,
        });
    }
    const step = 1 / 60;
    let moved = new Set(bodies.keys());
    for (let frame = 0; frame < frames; frame++) {
        let fractured = 0;
        for (const cube of cubes) {
            const body = bodies.get(cube.piece);
            if (!body || body.position[1] - size / 2 > 0.01 || frame === 0) continue;
            const seeds = Array.from({ length: piecesPerCube }, () => [0, 1, 2].map(() => size * (random() - 0.5)));
            const cells = shatter(cuboid([size, size, size]), seeds)
                .map(meshOf)
                .filter(({ mesh }) => mesh.triangles.length > 0);
            bodies.delete(cube.piece);
            encoder.death([cube.piece]);
            const turn = turnedAbout(body.axis, body.angle);
            cells.forEach(({ mesh, center, volume }) => {
                const [piece, shape] = [nextPiece++, nextShape++];
                encoder.shape(shape, mesh);
                encoder.birth(piece, {
                    parent: cube.piece,
                    island: cube.piece,
                    material: cube.material,
                    mass: 2000 * volume,
                    volume,
                    looks: [[0, shape]],
                    name: `cube ${cube.piece + 1}`,
                });
                encoder.field(0, piece, 0, 0, [40 * random() * volume ** (1 / 3)]);
                const way = rotate(turn, center);
                const velocity = [
                    3 * way[0] + 0.6 * (random() - 0.5),
                    -0.25 * body.velocity[1] * random() + 2 * way[1],
                    3 * way[2] + 0.6 * (random() - 0.5),
                ];
                bodies.set(piece, {
                    position: way.map((value, axis) => value + body.position[axis]),
                    velocity,
                    axis: [...body.axis],
                    angle: body.angle,
                    spin: body.spin + 1.5 * random(),
                    radius: 0.35 * volume ** (1 / 3),
                });
            });
            fractured += cells.length;
        }
        const contacts = [];
        const poses = [];
        for (const [piece, body] of bodies) {
            const isMoving = !body.isAtRest;
            if (frame > 0 && isMoving) advance(body, step);
            const depth = body.radius - body.position[1];
            if (depth > -0.005 && frame > 0 && piece % 3 === 0) {
                contacts.push({
                    point: [body.position[0], 0, body.position[2]],
                    normal: [0, 1, 0],
                    depth: Math.abs(depth) + 0.01 * random(),
                    first: piece,
                });
            }
            if (isMoving || !moved.has(piece)) poses.push([piece, body.position, turnedAbout(body.axis, body.angle)]);
        }
        moved = new Set(bodies.keys());
        encoder.contacts(contacts);
        const dust = Math.min(60, frame / 2);
        encoder.particles(
            Array.from({ length: dust }, () => [
                3 * (random() - 0.5),
                0.15 + 0.5 * random(),
                3 * (random() - 0.5),
                0.12 + 0.15 * random(),
                20,
            ]),
        );
        const load = bodies.size / 1000;
        const stages = [
            0.4 + 0.3 * load,
            1 + 1.4 * load * (1 + 0.2 * random()),
            0.8 + 0.9 * load,
            0.3 + 0.2 * load,
            0.04 * fractured,
        ];
        encoder.frame(frame, frame * step, poses, { contacts: contacts.length, touching: 2 * contacts.length, stages });
        onFrame?.(frame, bodies);
    }
    encoder.end(JSON.stringify({ scene: "Falling cubes", frames }));
    return encoder;
}

function rotate([x, y, z, w], [a, b, c]) {
    const [tx, ty, tz] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
    return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx];
}

function advance(body, step) {
    body.velocity[1] -= GRAVITY * step;
    body.position = body.position.map((value, axis) => value + step * body.velocity[axis]);
    body.angle += body.spin * step;
    if (body.position[1] >= body.radius || body.radius > 0.2) return;
    body.position[1] = body.radius;
    body.velocity = [0.6 * body.velocity[0], -0.3 * body.velocity[1], 0.6 * body.velocity[2]];
    body.spin *= 0.5;
    if (Math.hypot(...body.velocity) < 0.25) body.isAtRest = true;
}

/// A cloth that waves and sinks on a ball, with a field over its vertices; the forms are on a lattice in every second frame.
export function wavingCloth({ cells = 60, frames = 90 } = {}) {
    const encoder = new Encoder();
    encoder.hello({
        scene: "Waving cloth",
        frames,
        seconds: 1 / 30,
        stages: ["update", "narrow"],
        fields: [["strain", ""]],
    });
    const cloth = sheet(2, cells);
    encoder.shape(0, cloth).shape(1, ball(0.5));
    encoder
        .birth(7, { looks: [[0, 0]], name: "cloth", color: [0.3, 0.5, 0.8] })
        .birth(9, { looks: [[3, 1]], name: "ball", mass: 4, volume: 0.5236 });
    const forms = [];
    for (let frame = 0; frame < frames; frame++) {
        const positions = cloth.positions.slice();
        for (let place = 0; place < positions.length; place += 3) {
            const [x, z] = [positions[place], positions[place + 2]];
            const away = Math.hypot(x, z);
            const fall = Math.min(1, frame / 60);
            positions[place + 1] =
                1.1 + 0.05 * Math.sin(5 * x + frame / 6) * (1 + fall) - fall * 0.55 * Math.max(0, away - 0.35) ** 1.5;
        }
        forms.push(positions);
        if (frame % 2 === 0) encoder.lattice(7, 0, positions);
        else encoder.form(7, 0, positions);
        encoder.field(
            0,
            7,
            1,
            0,
            positions.filter((_, place) => place % 3 === 1).map((height) => 1.2 - height),
        );
        encoder.frame(
            frame,
            frame / 30,
            frame === 0
                ? [
                      [7, [0, 0, 0], UNTURNED],
                      [9, [0, 0.5, 0], UNTURNED],
                  ]
                : [],
            { stages: [2, 3 + Math.sin(frame / 9)] },
        );
    }
    return { encoder: encoder.end(), forms, cloth };
}

/// A few frames in which every message stands at least once.
export function everyMessage() {
    const encoder = new Encoder();
    const camera = { eye: [3, 2, 4], target: [0, 0.5, 0], up: [0, 1, 0], fieldOfView: 40 };
    encoder.hello({
        frames: 3,
        seconds: 0.25,
        ground: -0.5,
        camera,
        scene: "Jede Nachricht · 全部",
        stages: ["narrow", "fracture"],
        fields: [
            ["stress", "Pa"],
            ["island", ""],
        ],
    });
    const tetrahedron = {
        positions: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1],
        triangles: [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3],
        materials: [0, 0, 5, 0x80000000],
    };
    encoder.material(4, [0.5, 0.25, 1], "glass");
    encoder.shape(0, tetrahedron);
    encoder.shape(2, {
        ...tetrahedron,
        normals: Array(12).fill(0.5),
        uvs: Array(8).fill(0.25),
        colors: [0xff0000ff, 0xff00ff00, 0xffff0000, 0x80ffffff],
        isApart: true,
    });
    encoder.birth(10, {
        material: 4,
        mass: 2,
        volume: 0.125,
        looks: [
            [1, 0],
            [7, 2],
        ],
        name: "Ganzes",
    });
    encoder.field(1, 10, 0, 0, [3]).field(0, 10, 2, 7, [1, 2, 3, NaN]);
    encoder.frame(5, 1.25, [[10, [1, 2, 3], [0, 0, 1, 0]]], { contacts: 4, touching: 6, stages: [1.5, 0.25] });
    encoder.unknown(77, [1, 2, 3]);
    encoder.look(
        10,
        [1],
        [
            [7, 0],
            [8, 0],
        ],
    );
    encoder.form(10, 8, [0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2]);
    encoder.particles([
        [1, 2, 3, 0.5, 128],
        [4, 5, 6, 0.25, 255],
    ]);
    encoder.contacts([
        { point: [0, 0, 1], normal: [0, 1, 0], depth: 0.125, first: 10 },
        { point: [0, 1, 1], normal: [1, 0, 0], depth: -0.5, first: 10, second: 10 },
    ]);
    encoder.frame(6, 1.5, [], { stages: [1, 0] });
    encoder.death([10]).birth(11, {
        parent: 10,
        island: 2,
        color: [1, 0.5, 0],
        mass: 1,
        volume: 0.0625,
        looks: [[0, 2]],
        name: "Stück",
    });
    encoder.lattice(11, 0, [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.5]);
    encoder
        .notice(false, "Nichts getroffen")
        .status({ isPaused: true, slowMotion: 0.25, stepsPerSecond: 60, pages: 2 });
    encoder.choices({ tools: 5, patterns: ["voronoi", "web"], methods: ["svo"] }).forget([0]);
    encoder.frame(9, 2.25, [[11, [0, 1, 0], [0, 0, 0, 2]]], { stages: [0.5, 12] });
    return encoder.end('{"frames":3}');
}
