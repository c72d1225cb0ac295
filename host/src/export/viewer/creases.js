// From a shape to what is drawn of it: vertices are divided where the surface has an edge, and where outside becomes inside.

import { INSIDE } from "./protocol.js";

/// Faces that turn further than this from the others around a vertex do not share its normal: about 37 degrees.
const CREASE = 0.8;

/// Room that is used again from shape to shape: what deforms comes here in every frame.
let sumRoom = new Float32Array(0);
let faceRoom = new Float32Array(0);

/// Vertices to draw (`sources` says of which vertex of the shape each is a copy), triangles of them, and which are inside. A shape whose
/// triangles have measures of their own gets three vertices for each.
export function prepareShape(shape) {
    const { positions, corners, materials, isApart } = shape;
    const faces = isApart ? null : facesOf(positions, corners);
    const drawn = new Uint32Array(corners.length);
    const sources = new Uint32Array(corners.length);
    const inside = new Uint8Array(corners.length);
    const sums = new Float32Array(shape.normals ? 0 : 3 * corners.length);
    // The copies of each vertex, as lists.
    const first = new Int32Array(positions.length / 3).fill(-1);
    const next = new Int32Array(corners.length);
    let count = 0;
    for (let place = 0; place < corners.length; place++) {
        const triangle = Math.floor(place / 3);
        const side = materials && (materials[triangle] & INSIDE) !== 0 ? 1 : 0;
        const vertex = corners[place];
        let copy = isApart ? -1 : first[vertex];
        while (copy >= 0 && !(inside[copy] === side && (shape.normals || isAlike(sums, 3 * copy, faces, 3 * triangle))))
            copy = next[copy];
        if (copy < 0) {
            copy = count++;
            sources[copy] = vertex;
            inside[copy] = side;
            next[copy] = first[vertex];
            first[vertex] = copy;
        }
        drawn[place] = copy;
        if (!shape.normals && faces) addFace(sums, 3 * copy, faces, 3 * triangle);
    }
    return { corners: drawn, sources: sources.slice(0, count), inside: inside.slice(0, count), edges: null };
}

/// The normals of a prepared shape with its vertices at certain positions, four bytes each; the last says inside.
export function drawnNormals({ corners, sources, inside }, shape, positions) {
    const count = sources.length;
    if (sumRoom.length < 3 * count) sumRoom = new Float32Array(6 * count);
    const sums = sumRoom;
    if (shape.normals && positions === shape.positions) {
        for (let copy = 0; copy < count; copy++) {
            for (let axis = 0; axis < 3; axis++) sums[3 * copy + axis] = shape.normals[3 * sources[copy] + axis];
        }
    } else {
        sums.fill(0, 0, 3 * count);
        const faces = facesOf(positions, shape.corners);
        for (let place = 0; place < corners.length; place += 3) {
            for (let corner = 0; corner < 3; corner++) addFace(sums, 3 * corners[place + corner], faces, place);
        }
    }
    const normals = new Int8Array(4 * count);
    for (let copy = 0; copy < count; copy++) {
        const x = sums[3 * copy];
        const y = sums[3 * copy + 1];
        const z = sums[3 * copy + 2];
        const squares = x * x + y * y + z * z;
        const size = squares > 0 ? 127 / Math.sqrt(squares) : 0;
        normals[4 * copy] = Math.round(size * x);
        normals[4 * copy + 1] = Math.round(size * y);
        normals[4 * copy + 2] = Math.round(size * z);
        normals[4 * copy + 3] = 127 * inside[copy];
    }
    return normals;
}

/// Every edge of a shape once, as pairs of vertices to draw.
export function drawnEdges(prepared, shape) {
    if (prepared.edges) return prepared.edges;
    const keys = new Float64Array(shape.corners.length);
    const vertices = shape.positions.length / 3;
    for (let place = 0; place < keys.length; place++) {
        const next = place % 3 === 2 ? place - 2 : place + 1;
        const [a, b] = [shape.corners[place], shape.corners[next]];
        keys[place] = Math.min(a, b) * vertices + Math.max(a, b);
    }
    keys.sort();
    const copies = new Uint32Array(vertices);
    prepared.sources.forEach((vertex, copy) => (copies[vertex] = copy));
    const edges = [];
    keys.forEach((key, place) => {
        if (place > 0 && key === keys[place - 1]) return;
        edges.push(copies[Math.floor(key / vertices)], copies[key % vertices]);
    });
    prepared.edges = Uint32Array.from(edges);
    return prepared.edges;
}

/// For each triangle a vector across it, as long as twice its area; good until this is asked again.
function facesOf(positions, corners) {
    if (faceRoom.length < corners.length) faceRoom = new Float32Array(2 * corners.length);
    const faces = faceRoom;
    for (let place = 0; place < corners.length; place += 3) {
        const a = 3 * corners[place];
        const b = 3 * corners[place + 1];
        const c = 3 * corners[place + 2];
        const ux = positions[b] - positions[a];
        const uy = positions[b + 1] - positions[a + 1];
        const uz = positions[b + 2] - positions[a + 2];
        const vx = positions[c] - positions[a];
        const vy = positions[c + 1] - positions[a + 1];
        const vz = positions[c + 2] - positions[a + 2];
        faces[place] = uy * vz - uz * vy;
        faces[place + 1] = uz * vx - ux * vz;
        faces[place + 2] = ux * vy - uy * vx;
    }
    return faces;
}

function addFace(sums, at, faces, face) {
    sums[at] += faces[face];
    sums[at + 1] += faces[face + 1];
    sums[at + 2] += faces[face + 2];
}

/// Whether a face is turned about as those that were summed up; one without area is turned as one likes.
function isAlike(sums, at, faces, face) {
    const [x, y, z] = [sums[at], sums[at + 1], sums[at + 2]];
    const [u, v, w] = [faces[face], faces[face + 1], faces[face + 2]];
    return x * u + y * v + z * w >= CREASE * Math.sqrt((x * x + y * y + z * z) * (u * u + v * v + w * w));
}
