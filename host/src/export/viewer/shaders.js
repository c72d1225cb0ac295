// What the graphics processor runs. Places are told relative to the eye, so that single precision is as good far from the
// origin as at it.

export const HEADER = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DShadow;
precision highp usampler2D;
`;

/// Poses in a texture: two texels for each piece, 1,024 pieces in a row; and one number for each item.
const PIECES = `
uniform sampler2D poses;
uniform usampler2D items;
uniform vec3 eye;

const uint VISIBLE = 0x80000000u;
const uint SLOT = 0x00ffffffu;

uint itemWord(uint item) {
    return texelFetch(items, ivec2(int(item & 1023u), int(item >> 10)), 0).r;
}

vec3 turn(vec4 rotation, vec3 vector) {
    vec3 across = 2.0 * cross(rotation.xyz, vector);
    return vector + rotation.w * across + cross(rotation.xyz, across);
}

// The rotation, and the place relative to the eye with the measure of the piece.
void poseOf(uint slot, out vec4 rotation, out vec4 place) {
    ivec2 texel = ivec2(int(slot & 1023u) * 2, int(slot >> 10));
    rotation = texelFetch(poses, texel, 0);
    place = texelFetch(poses, texel + ivec2(1, 0), 0);
    place.xyz -= eye;
}
`;

/// Light: the sun with its shadow, and the sky as far as it is seen from a point.
export const LIGHT = `
uniform vec3 up;
uniform vec3 sun;
uniform vec3 skyLight;
uniform vec3 groundLight;
uniform vec3 sunLight;
uniform bool hasShadows;
uniform sampler2DShadow sunMap;
uniform sampler2DShadow skyMap;
uniform mat4 sunMatrix;
uniform mat4 skyMatrix;
uniform vec3 shadowCenter;
uniform float shadowTexel;

const vec2 DISK[8] = vec2[8](
    vec2(-0.326, -0.406), vec2(-0.840, -0.074), vec2(-0.696, 0.457), vec2(-0.203, 0.621),
    vec2(0.962, -0.195), vec2(0.473, -0.480), vec2(0.519, 0.767), vec2(0.185, -0.893));

float litPart(sampler2DShadow map, mat4 toMap, vec3 position, float spread, float angle) {
    vec3 place = 0.5 + 0.5 * (toMap * vec4(position, 1.0)).xyz;
    if (any(lessThan(place, vec3(0.0))) || any(greaterThan(place, vec3(1.0)))) return 1.0;
    mat2 rotation = mat2(cos(angle), sin(angle), -sin(angle), cos(angle));
    float sum = 0.0;
    for (int tap = 0; tap < 8; tap++) sum += texture(map, vec3(place.xy + rotation * DISK[tap] * spread, place.z));
    return sum / 8.0;
}

vec3 lightOn(vec3 normal, vec3 offset, vec3 eye) {
    float facing = max(dot(normal, sun), 0.0);
    float height = dot(normal, up);
    float open = 1.0;
    float lit = 1.0;
    if (hasShadows) {
        vec3 position = offset + eye - shadowCenter + normal * shadowTexel * 2.0;
        float angle = 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
        lit = facing > 0.0 ? litPart(sunMap, sunMatrix, position, 0.0011, angle) : 0.0;
        open = mix(0.58, 1.0, litPart(skyMap, skyMatrix, position + up * shadowTexel * 3.0, 0.022, angle));
        open = mix(1.0, open, 0.55 + 0.45 * max(height, 0.0));
    }
    return open * mix(groundLight, skyLight, 0.5 + 0.5 * height) + lit * facing * sunLight;
}

vec3 toLinear(vec3 color) {
    return mix(color / 12.92, pow((color + 0.055) / 1.055, vec3(2.4)), step(0.04045, color));
}

vec3 toScreen(vec3 light) {
    // Dark and middle tones stay as they are, bright ones bend over.
    vec3 bent = mix(light, 0.55 + 0.45 * (1.0 - exp((0.55 - light) / 0.45)), step(0.55, light));
    return mix(12.92 * bent, 1.055 * pow(bent, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, bent));
}
`;

export const RAMP_FUNCTION = `
uniform vec3 ramp[9];

vec3 rampColor(float part) {
    float place = clamp(part, 0.0, 1.0) * 8.0;
    int low = min(int(place), 7);
    return mix(ramp[low], ramp[low + 1], place - float(low));
}
`;

export const SOLID_VERTEX = `${HEADER}${PIECES}
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 normal;
layout(location = 2) in uint item;
layout(location = 3) in vec4 color;
layout(location = 4) in float value;
uniform mat4 matrix;
uniform sampler2D tints;
out vec3 offset;
out vec3 surfaceNormal;
out float isInside;
out vec4 vertexColor;
out float vertexValue;
flat out vec4 tint;
flat out float pieceValue;
flat out uint owner;

void main() {
    uint word = itemWord(item);
    owner = word & SLOT;
    if ((word & VISIBLE) == 0u) {
        gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
        return;
    }
    vec4 rotation, place;
    poseOf(owner, rotation, place);
    offset = turn(rotation, position) + place.xyz;
    surfaceNormal = turn(rotation, normal.xyz);
    isInside = normal.w;
    vertexColor = color;
    vertexValue = value;
    pieceValue = place.w;
    tint = texelFetch(tints, ivec2(int(owner & 1023u), int(owner >> 10)), 0);
    gl_Position = matrix * vec4(offset, 1.0);
}
`;

export const SOLID_FRAGMENT = `${HEADER}${LIGHT}${RAMP_FUNCTION}
in vec3 offset;
in vec3 surfaceNormal;
in float isInside;
in vec4 vertexColor;
in float vertexValue;
flat in vec4 tint;
flat in float pieceValue;
flat in uint owner;
uniform vec3 eye;
// 0: colours of pieces; 1: a measure of pieces; 2: a measure of vertices, or of the piece where they have none.
uniform int coloring;
uniform vec2 range;
uniform uint picked;
uniform vec3 accent;
uniform float fade;
out vec4 result;

const float NOTHING = -1e30;

void main() {
    vec3 flatNormal = normalize(cross(dFdx(offset), dFdy(offset)));
    vec3 normal = dot(surfaceNormal, surfaceNormal) > 0.01 ? normalize(surfaceNormal) : flatNormal;
    if (dot(normal, offset) > 0.0 && dot(flatNormal, offset) * dot(normal, flatNormal) > 0.0) normal = -normal;
    bool inside = isInside > 0.5;
    vec3 albedo;
    if (coloring == 0) {
        albedo = toLinear(vertexColor.a > 0.0 && tint.a > 0.75 ? vertexColor.rgb : tint.rgb);
        // A break is paler and warmer than the surface around it.
        if (inside) albedo = mix(albedo, vec3(0.80, 0.71, 0.58), 0.62);
    } else {
        float measure = coloring == 2 && vertexValue > NOTHING ? vertexValue : pieceValue;
        albedo = measure > NOTHING ? toLinear(rampColor((measure - range.x) / max(range.y - range.x, 1e-30))) : vec3(0.35);
        if (inside) albedo = mix(albedo, vec3(0.75), 0.12);
    }
    if (owner == picked) albedo = mix(albedo, toLinear(accent), 0.55);
    albedo = mix(albedo, vec3(dot(albedo, vec3(0.2126, 0.7152, 0.0722))), 0.6 * fade);
    result = vec4(toScreen(albedo * lightOn(normal, offset, eye)), 1.0);
}
`;

/// Where a vertex of a piece is seen, and what else there is to do about it.
const placedVertex = (rest) => `${HEADER}${PIECES}
layout(location = 0) in vec3 position;
layout(location = 2) in uint item;
uniform mat4 matrix;

void main() {
    uint word = itemWord(item);
    vec4 rotation, place;
    poseOf(word & SLOT, rotation, place);
    gl_Position = (word & VISIBLE) == 0u ? vec4(0.0, 0.0, 2.0, 1.0) : matrix * vec4(turn(rotation, position) + place.xyz, 1.0);
    ${rest}
}
`;

export const DEPTH_VERTEX = placedVertex("");

export const DEPTH_FRAGMENT = `${HEADER}void main() {}`;

/// A hair nearer than the faces, so that lines stand on them.
export const LINE_VERTEX = placedVertex("gl_Position.z -= 2e-5 * gl_Position.w;");

export const LINE_FRAGMENT = `${HEADER}
uniform vec4 lineColor;
out vec4 result;
void main() { result = lineColor; }
`;

/// A linked program with its uniforms by name; a fault in either shader is an error with the compiler's words.
export function makeProgram(gl, vertexSource, fragmentSource) {
    const program = gl.createProgram();
    for (const [type, source] of [
        [gl.VERTEX_SHADER, vertexSource],
        [gl.FRAGMENT_SHADER, fragmentSource],
    ]) {
        const shader = gl.createShader(type);
        gl.shaderSource(shader, source);
        gl.compileShader(shader);
        gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
        const log = gl
            .getAttachedShaders(program)
            .map((shader) => gl.getShaderInfoLog(shader))
            .join("\n");
        throw new Error(`A shader does not compile: ${log}\n${gl.getProgramInfoLog(program)}`);
    }
    const uniforms = {};
    for (let place = 0; place < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); place++) {
        const name = gl.getActiveUniform(program, place).name.replace("[0]", "");
        uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
}
