// Colours: those of pieces, as in the pictures that the program draws, and those of measures.

const GOLDEN = 0.6180339887498949;

/// A colour for a number, in sRGB from 0 to 1, well apart from those of the numbers around it. The hue turns by the golden
/// ratio in OkLCh, where equal steps look equal; lightness and chroma change a little from number to number.
export function numberColor(number) {
    const hue = 2 * Math.PI * ((number * GOLDEN + 0.09375) % 1);
    const lightness = [0.72, 0.78, 0.67, 0.75][number % 4];
    for (let chroma = [0.125, 0.105, 0.12][number % 3]; chroma > 0; chroma -= 0.005) {
        const linear = fromOklch(lightness, chroma, hue);
        if (Math.min(...linear) >= 0 && Math.max(...linear) <= 1) return linear.map(encodeSrgb);
    }
    return [lightness, lightness, lightness];
}

function fromOklch(lightness, chroma, hue) {
    const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
    const long = (lightness + 0.39633778 * a + 0.21580376 * b) ** 3;
    const medium = (lightness - 0.105561346 * a - 0.06385417 * b) ** 3;
    const short = (lightness - 0.08948418 * a - 1.2914855 * b) ** 3;
    return [
        4.0767417 * long - 3.3077116 * medium + 0.23096994 * short,
        -1.268438 * long + 2.6097574 * medium - 0.3413194 * short,
        -0.0041960863 * long - 0.7034186 * medium + 1.7076147 * short,
    ];
}

function encodeSrgb(value) {
    return value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
}

/// Colours of a measure from its least to its most: viridis, which is read alike in grey and by the colour-blind.
export const RAMP = [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];

/// A colour as one number, as the buffers of the renderer have it: red in the lowest byte.
export function packColor([red, green, blue]) {
    const byte = (value) => Math.max(0, Math.min(255, Math.round(255 * value)));
    return (byte(red) | (byte(green) << 8) | (byte(blue) << 16) | (255 << 24)) >>> 0;
}

/// How many values fall where, by powers of two, so that a scale is chosen by most of them and not by the one that is far off.
export class Spread {
    #counts = new Uint32Array(256);
    #total = 0;
    #most = 0;

    add(value) {
        if (!(value > 0) || !Number.isFinite(value)) return;
        const place = Math.max(0, Math.min(255, Math.floor(4 * Math.log2(value)) + 128));
        this.#counts[place]++;
        this.#total++;
        this.#most = Math.max(this.#most, value);
    }

    /// A value that so much of all is not above, or the largest of all if that is less.
    upper(part = 0.99) {
        let below = 0;
        for (let place = 0; place < 256; place++) {
            below += this.#counts[place];
            if (this.#total > 0 && below >= part * this.#total)
                return Math.min(this.#most, 2 ** ((place + 1 - 128) / 4));
        }
        return this.#most;
    }
}
