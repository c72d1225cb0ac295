// Vectors of three numbers, quaternions x y z w, and matrices of sixteen numbers, column by column.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
export const along = (origin, direction, distance) => add(origin, scaled(direction, distance));
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const magnitude = (a) => Math.hypot(a[0], a[1], a[2]);

/// The unit vector along another; `otherwise` where there is none.
export function unit(a, otherwise = [0, 0, 1]) {
    const size = magnitude(a);
    return size > 0 && Number.isFinite(size) ? scaled(a, 1 / size) : otherwise;
}

/// A vector turned by the quaternion that begins at a place of a list.
export function turned(list, place, vector) {
    const [x, y, z, w] = [list[place], list[place + 1], list[place + 2], list[place + 3]];
    const tx = 2 * (y * vector[2] - z * vector[1]);
    const ty = 2 * (z * vector[0] - x * vector[2]);
    const tz = 2 * (x * vector[1] - y * vector[0]);
    return [
        vector[0] + w * tx + y * tz - z * ty,
        vector[1] + w * ty + z * tx - x * tz,
        vector[2] + w * tz + x * ty - y * tx,
    ];
}

/// A vector turned the other way around.
export function turnedBack(list, place, vector) {
    return turned([-list[place], -list[place + 1], -list[place + 2], list[place + 3]], 0, vector);
}

export function product(a, b) {
    const result = new Float32Array(16);
    for (let column = 0; column < 4; column++) {
        for (let row = 0; row < 4; row++) {
            let sum = 0;
            for (let inner = 0; inner < 4; inner++) sum += a[4 * inner + row] * b[4 * column + inner];
            result[4 * column + row] = sum;
        }
    }
    return result;
}

/// A world seen from a point along three unit vectors that stand on each other.
export function viewMatrix(eye, right, up, backward) {
    return new Float32Array([
        right[0],
        up[0],
        backward[0],
        0,
        right[1],
        up[1],
        backward[1],
        0,
        right[2],
        up[2],
        backward[2],
        0,
        -dot(right, eye),
        -dot(up, eye),
        -dot(backward, eye),
        1,
    ]);
}

export function perspective(fieldOfView, aspect, near, far) {
    const focal = 1 / Math.tan(fieldOfView / 2);
    const depth = 1 / (near - far);
    return new Float32Array([
        focal / aspect,
        0,
        0,
        0,
        0,
        focal,
        0,
        0,
        0,
        0,
        (near + far) * depth,
        -1,
        0,
        0,
        2 * near * far * depth,
        0,
    ]);
}

/// A cube of twice the radius around the origin of the view.
export function orthographic(radius) {
    const size = 1 / radius;
    return new Float32Array([size, 0, 0, 0, 0, size, 0, 0, 0, 0, -size, 0, 0, 0, 0, 1]);
}

/// Unit vectors to the right of and above a direction; where `up` is no help, another axis is.
export function frameOf(forward, up) {
    for (const candidate of [up, [0, 1, 0], [0, 0, 1]]) {
        const right = cross(forward, candidate);
        if (magnitude(right) > 1e-6) {
            const unitRight = unit(right);
            return [unitRight, cross(unitRight, forward)];
        }
    }
    return [
        [1, 0, 0],
        [0, 1, 0],
    ];
}
