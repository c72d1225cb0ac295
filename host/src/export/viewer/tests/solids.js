// Solids for tests: convex ones that planes cut, balls and sheets; and random numbers with a seed.

/// Random numbers from 0 to 1 that are the same for the same seed (mulberry32).
export function randomNumbers(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
}

const dotOf = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const crossOf = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const between = (a, b, part) => a.map((value, axis) => value + part * (b[axis] - value));

/// The faces of a cuboid, counterclockwise from outside; the bits of a corner say on which side it is along each axis.
export const CUBOID_FACES = [
    [0, 4, 6, 2],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 2, 3, 1],
    [4, 5, 7, 6],
];

/// A cuboid as polygons, counterclockwise from outside.
export function cuboid([x, y, z]) {
    const corner = (bits) => [bits & 1 ? x / 2 : -x / 2, bits & 2 ? y / 2 : -y / 2, bits & 4 ? z / 2 : -z / 2];
    return CUBOID_FACES.map((face) => ({ points: face.map(corner), isInside: false }));
}

/// What of a convex solid is behind a plane; the face that the cut makes is inside.
export function cutConvex(faces, normal, distance) {
    const kept = [];
    const rim = [];
    for (const { points, isInside } of faces) {
        const left = [];
        points.forEach((point, place) => {
            const next = points[(place + 1) % points.length];
            const [here, there] = [dotOf(point, normal) - distance, dotOf(next, normal) - distance];
            if (here <= 0) left.push(point);
            if (here < 0 !== there < 0 && here !== 0 && there !== 0) {
                const crossing = between(point, next, here / (here - there));
                left.push(crossing);
                rim.push(crossing);
            }
        });
        if (left.length >= 3) kept.push({ points: left, isInside });
    }
    if (rim.length >= 3) {
        const middle = [0, 1, 2].map((axis) => rim.reduce((sum, point) => sum + point[axis], 0) / rim.length);
        const side = Math.abs(normal[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0];
        const right = crossOf(normal, side);
        const up = crossOf(normal, right);
        const angle = (point) =>
            Math.atan2(dotOf(point, up) - dotOf(middle, up), dotOf(point, right) - dotOf(middle, right));
        const points = [...rim]
            .sort((a, b) => angle(a) - angle(b))
            .filter((point, place, all) => place % 2 === 0 || all.length % 2 === 1);
        if (points.length >= 3) kept.push({ points, isInside: true });
    }
    return kept;
}

/// The Voronoi cells of points within a convex solid.
export function shatter(faces, seeds) {
    return seeds.map((seed, own) => {
        let cell = faces;
        seeds.forEach((other, place) => {
            if (place === own) return;
            const normal = other.map((value, axis) => value - seed[axis]);
            const middle = between(seed, other, 0.5);
            cell = cutConvex(cell, normal, dotOf(middle, normal));
        });
        return cell;
    });
}

/// A solid's mesh around its middle, with its volume: `{mesh, center, volume}`.
export function meshOf(faces) {
    const all = faces.flatMap(({ points }) => points);
    const center = [0, 1, 2].map((axis) => all.reduce((sum, point) => sum + point[axis], 0) / all.length);
    const [positions, triangles, materials] = [[], [], []];
    let volume = 0;
    for (const { points, isInside } of faces) {
        const local = points.map((point) => point.map((value, axis) => value - center[axis]));
        const first = positions.length / 3;
        positions.push(...local.flat());
        for (let corner = 2; corner < local.length; corner++) {
            triangles.push(first, first + corner - 1, first + corner);
            materials.push(isInside ? 0x80000000 : 0);
            volume += dotOf(local[0], crossOf(local[corner - 1], local[corner])) / 6;
        }
    }
    return { mesh: { positions, triangles, materials }, center, volume };
}

export function ball(radius, rings = 12, sides = 24) {
    const [positions, normals, triangles] = [[], [], []];
    for (let ring = 0; ring <= rings; ring++) {
        for (let side = 0; side < sides; side++) {
            const [polar, around] = [(Math.PI * ring) / rings, (2 * Math.PI * side) / sides];
            const normal = [Math.sin(polar) * Math.cos(around), Math.cos(polar), -Math.sin(polar) * Math.sin(around)];
            normals.push(...normal);
            positions.push(...normal.map((value) => radius * value));
            if (ring === rings) continue;
            const [here, next] = [ring * sides + side, ring * sides + ((side + 1) % sides)];
            if (ring > 0) triangles.push(here, here + sides, next);
            if (ring < rings - 1) triangles.push(next, here + sides, next + sides);
        }
    }
    return { positions, normals, triangles };
}

/// A level sheet of so many cells along each side.
export function sheet(size, cells) {
    const [positions, triangles] = [[], []];
    for (let row = 0; row <= cells; row++) {
        for (let column = 0; column <= cells; column++) {
            positions.push(size * (column / cells - 0.5), 0, size * (row / cells - 0.5));
            if (row === cells || column === cells) continue;
            const here = row * (cells + 1) + column;
            triangles.push(here, here + cells + 1, here + 1, here + 1, here + cells + 1, here + cells + 2);
        }
    }
    return { positions, triangles };
}
