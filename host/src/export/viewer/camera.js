// A camera that goes around a point.

import { add, along, dot, frameOf, magnitude, scaled, subtract, unit } from "./vectors.js";
import { perspective, product, viewMatrix } from "./vectors.js";

const STEEPEST = Math.PI / 2 - 0.01;
const FRAMING_FIELD_OF_VIEW = 32;
const FRAMING_DIRECTION = [0.62, 0.46, 1];

export class OrbitCamera {
    target = [0, 0, 0];
    distance = 5;
    /// Around the axis that points up, and above the horizon.
    yaw = 0.5;
    pitch = 0.4;
    /// Vertical, in degrees.
    fieldOfView = FRAMING_FIELD_OF_VIEW;
    /// The part of the view that nothing stands in front of, for which the field of view is meant: its middle, from -1 to 1
    /// to the right and upwards, and its size as parts of the width and the height.
    window = { middle: [0, 0], size: [1, 1] };
    #up = [0, 1, 0];
    #ahead = [0, 0, 1];
    #side = [1, 0, 0];

    /// Which axis points up; the others follow it in their order, so that the three are right-handed.
    set upAxis(axis) {
        const base = (place) => [0, 1, 2].map((other) => (other === place % 3 ? 1 : 0));
        [this.#up, this.#ahead, this.#side] = [base(axis), base(axis + 1), base(axis + 2)];
    }

    get up() {
        return this.#up;
    }

    /// The unit vector from the target to the eye.
    get backward() {
        const level = Math.cos(this.pitch);
        const around = add(
            scaled(this.#side, Math.sin(this.yaw) * level),
            scaled(this.#ahead, Math.cos(this.yaw) * level),
        );
        return add(around, scaled(this.#up, Math.sin(this.pitch)));
    }

    get eye() {
        return along(this.target, this.backward, this.distance);
    }

    /// Unit vectors to the right and upwards in the picture, and towards the viewer.
    get axes() {
        const backward = this.backward;
        const [right, up] = frameOf(scaled(backward, -1), this.#up);
        return [right, up, backward];
    }

    /// Stands at a point and looks at another.
    look(eye, target, fieldOfView = this.fieldOfView) {
        const way = subtract(eye, target);
        const distance = magnitude(way);
        if (!(distance > 0 && Number.isFinite(distance))) return;
        this.target = [...target];
        this.distance = distance;
        const backward = scaled(way, 1 / distance);
        this.pitch = Math.max(
            -STEEPEST,
            Math.min(STEEPEST, Math.asin(Math.max(-1, Math.min(1, dot(backward, this.#up))))),
        );
        this.yaw = Math.atan2(dot(backward, this.#side), dot(backward, this.#ahead));
        if (fieldOfView > 0 && fieldOfView < 180) this.fieldOfView = fieldOfView;
    }

    orbit(yaw, pitch) {
        this.yaw += yaw;
        this.pitch = Math.max(-STEEPEST, Math.min(STEEPEST, this.pitch + pitch));
    }

    /// Moves along with something that is pulled over the view by so many pixels, at the target's distance.
    pan(across, down, height) {
        const [right, up] = this.axes;
        const size = (2 * this.distance * Math.tan(this.#halfAngle)) / (height * this.window.size[1]);
        this.target = add(this.target, add(scaled(right, -across * size), scaled(up, down * size)));
    }

    /// Comes nearer (a factor below one); a point of a view of a size stays where it is.
    zoom(factor, point = null) {
        const before = this.distance;
        this.distance = Math.max(1e-6, Math.min(1e9, before * factor));
        if (!point) return;
        const [across, upwards] = this.#slopes(...point);
        const [right, up] = this.axes;
        const shift = before - this.distance;
        this.target = add(this.target, add(scaled(right, across * shift), scaled(up, upwards * shift)));
    }

    /// Shows the whole of a box, from where it stands or in a three-quarter view from slightly above; `aspect` is of the whole view.
    frame({ low, high }, aspect, keepsDirection = false) {
        if (!keepsDirection) {
            const [side, up, ahead] = FRAMING_DIRECTION;
            this.yaw = Math.atan2(side, ahead);
            this.pitch = Math.atan2(up, Math.hypot(side, ahead));
        }
        const center = low.map((value, axis) => (value + high[axis]) / 2);
        const tangent = Math.tan(this.#halfAngle) * 0.86;
        const [right, up, backward] = this.axes;
        let distance = 1e-3;
        for (let corner = 0; corner < 8; corner++) {
            const way = center.map((value, axis) => ((corner >> axis) & 1 ? high[axis] : low[axis]) - value);
            const [x, y, z] = [dot(way, right), dot(way, up), dot(way, backward)];
            distance = Math.max(
                distance,
                z + Math.abs(y) / tangent,
                z + Math.abs(x) / (tangent * this.#aspect(aspect)),
            );
        }
        this.target = center;
        this.distance = distance;
    }

    /// The matrix to the clip space from places that are told relative to the eye; `reach` is how far beyond the target anything is.
    matrix(aspect, reach) {
        const [right, up, backward] = this.axes;
        const near = 0.01 * this.distance;
        const far = this.distance + Math.max(reach, this.distance);
        const { middle, size } = this.window;
        const windowed = new Float32Array([size[0], 0, 0, 0, 0, size[1], 0, 0, 0, 0, 1, 0, middle[0], middle[1], 0, 1]);
        const projection = product(windowed, perspective(2 * this.#halfAngle, this.#aspect(aspect), near, far));
        return product(projection, viewMatrix([0, 0, 0], right, up, backward));
    }

    /// Width over height of the part that nothing stands in front of.
    #aspect(aspect) {
        return (aspect * this.window.size[0]) / this.window.size[1];
    }

    /// How far to the right and upwards a point of a view of a size is, at a distance of one.
    #slopes(x, y, width, height) {
        const { middle, size } = this.window;
        const tangent = Math.tan(this.#halfAngle);
        const across = ((2 * x) / width - 1 - middle[0]) / size[0];
        const upwards = (1 - (2 * y) / height - middle[1]) / size[1];
        return [across * tangent * this.#aspect(width / height), upwards * tangent];
    }

    /// The ray through a point of a view of a size.
    ray(x, y, width, height) {
        const [right, up, backward] = this.axes;
        const [across, upwards] = this.#slopes(x, y, width, height);
        const direction = add(add(scaled(right, across), scaled(up, upwards)), scaled(backward, -1));
        return { origin: this.eye, direction: unit(direction) };
    }

    /// Where a point of the world is in a view of a size; null if it is not in front.
    project(point, width, height) {
        const [right, up, backward] = this.axes;
        const way = subtract(point, this.eye);
        const depth = -dot(way, backward);
        if (!(depth > 0)) return null;
        const { middle, size } = this.window;
        const scale = (height * size[1]) / 2 / Math.tan(this.#halfAngle) / depth;
        return [
            (width / 2) * (1 + middle[0]) + dot(way, right) * scale,
            (height / 2) * (1 - middle[1]) - dot(way, up) * scale,
        ];
    }

    get #halfAngle() {
        return (this.fieldOfView * Math.PI) / 360;
    }
}

/// Where a ray meets the plane through a point, across a direction; null if it does not.
export function meetPlane({ origin, direction }, point, normal) {
    const slope = dot(direction, normal);
    const distance = dot(subtract(point, origin), normal) / slope;
    return Math.abs(slope) > 1e-9 && distance > 0 ? along(origin, direction, distance) : null;
}
