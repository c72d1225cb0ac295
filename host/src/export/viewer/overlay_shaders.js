// What the graphics processor runs for all that is not a piece.

import { HEADER, LIGHT, RAMP_FUNCTION } from "./shaders.js";

/// The whole view, behind everything.
export const SKY_VERTEX = `${HEADER}
out float height;
void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    height = 0.5 + 0.5 * corner.y;
    gl_Position = vec4(corner, 1.0, 1.0);
}
`;

export const SKY_FRAGMENT = `${HEADER}
in float height;
uniform vec3 topColor;
uniform vec3 bottomColor;
out vec4 result;
void main() { result = vec4(mix(bottomColor, topColor, smoothstep(0.0, 1.0, height)), 1.0); }
`;

export const GROUND_VERTEX = `${HEADER}
uniform mat4 matrix;
uniform vec3 middle;
uniform vec3 firstAxis;
uniform vec3 secondAxis;
out vec3 offset;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    offset = middle + corner.x * firstAxis + corner.y * secondAxis;
    gl_Position = matrix * vec4(offset, 1.0);
}
`;

export const GROUND_FRAGMENT = `${HEADER}${LIGHT}
in vec3 offset;
uniform vec3 eye;
uniform vec3 firstAxis;
uniform vec3 secondAxis;
uniform vec3 focus;
uniform float cell;
uniform float reach;
uniform vec3 groundColor;
uniform vec3 gridColor;
uniform float opacity;
out vec4 result;

float lines(vec2 place, float size) {
    vec2 cells = place / size;
    vec2 width = fwidth(cells);
    vec2 near = abs(fract(cells - 0.5) - 0.5) / max(width, vec2(1e-6));
    // Lines that are closer than a few pixels only shimmer.
    float dense = 1.0 - smoothstep(0.06, 0.3, max(width.x, width.y));
    return dense * (1.0 - min(min(near.x, near.y), 1.0));
}

void main() {
    vec3 position = offset + eye;
    vec2 place = vec2(dot(position, normalize(firstAxis)), dot(position, normalize(secondAxis)));
    float fog = 1.0 - smoothstep(0.15, 1.0, length(offset - focus) / reach);
    float grid = 0.55 * lines(place, cell) + 0.9 * lines(place, 10.0 * cell);
    vec3 albedo = mix(toLinear(groundColor), toLinear(gridColor), min(grid, 1.0) * 0.8);
    result = vec4(toScreen(albedo * lightOn(up, offset, eye)), 1.0) * opacity * fog;
}
`;

/// Four corners for each: dots of a size in pixels, or balls of dust.
export const DISC_VERTEX = `${HEADER}${RAMP_FUNCTION}
layout(location = 0) in vec4 center;
layout(location = 1) in float strength;
uniform mat4 matrix;
uniform vec3 eye;
uniform vec3 right;
uniform vec3 above;
uniform vec2 pixel;
uniform float dotSize;
uniform float most;
out vec2 corner;
out vec4 discColor;

void main() {
    corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    bool isDot = dotSize > 0.0;
    vec3 offset = center.xyz - eye;
    if (!isDot) offset += center.w * (corner.x * right + corner.y * above);
    gl_Position = matrix * vec4(offset, 1.0);
    if (isDot) gl_Position.xy += corner * pixel * dotSize * gl_Position.w;
    discColor = isDot ? vec4(rampColor(strength / most), 1.0) : vec4(0.72, 0.68, 0.62, strength);
}
`;

export const DISC_FRAGMENT = `${HEADER}
in vec2 corner;
in vec4 discColor;
uniform float dotSize;
out vec4 result;
void main() {
    float away = length(corner);
    float opacity = dotSize > 0.0 ? 1.0 - smoothstep(0.8, 1.0, away) : pow(max(0.0, 1.0 - away * away), 2.0) * discColor.a;
    // A dark rim keeps dots apart from what is behind them.
    vec3 color = dotSize > 0.0 ? mix(discColor.rgb, vec3(0.05), smoothstep(0.5, 0.75, away)) : discColor.rgb;
    result = vec4(color * opacity, opacity);
}
`;

export const STROKE_VERTEX = `${HEADER}${RAMP_FUNCTION}
layout(location = 0) in vec4 center;
layout(location = 1) in float strength;
layout(location = 2) in vec3 direction;
uniform mat4 matrix;
uniform vec3 eye;
uniform vec2 pixel;
uniform float size;
uniform float most;
out vec3 strokeColor;

void main() {
    vec4 start = matrix * vec4(center.xyz - eye, 1.0);
    vec4 end = matrix * vec4(center.xyz - eye + size * direction, 1.0);
    vec2 way = (end.xy / end.w - start.xy / start.w) / pixel;
    vec2 across = length(way) > 0.0 ? normalize(vec2(-way.y, way.x)) : vec2(1.0, 0.0);
    gl_Position = (gl_VertexID >> 1) == 0 ? start : end;
    float width = (gl_VertexID >> 1) == 0 ? 1.6 : 0.6;
    gl_Position.xy += ((gl_VertexID & 1) == 0 ? -width : width) * across * pixel * gl_Position.w;
    strokeColor = rampColor(strength / most);
}
`;

export const STROKE_FRAGMENT = `${HEADER}
in vec3 strokeColor;
out vec4 result;
void main() { result = vec4(strokeColor, 1.0); }
`;
