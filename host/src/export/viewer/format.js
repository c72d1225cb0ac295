// Numbers as a person reads them.

const UNKNOWN = "–";

/// Made once: to make one takes longer than to use it a hundred times.
const GROUPED = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function formatCount(value) {
    return GROUPED.format(value);
}

/// Three digits that count.
export function formatNumber(value) {
    if (!Number.isFinite(value)) return UNKNOWN;
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size >= 1e6 || size < 1e-3) return value.toExponential(1);
    return size >= 100 ? GROUPED.format(value) : value.toPrecision(3);
}

export function formatMeasure(value, unit) {
    return Number.isFinite(value) ? `${formatNumber(value)}${unit ? ` ${unit}` : ""}` : UNKNOWN;
}

export function formatVolume(value) {
    if (!(value < 1e-3)) return formatMeasure(value, "m³");
    return value < 1e-6 ? formatMeasure(1e9 * value, "mm³") : formatMeasure(1e6 * value, "cm³");
}

export function formatMass(value) {
    if (value < 1e-3) return formatMeasure(1e6 * value, "mg");
    return value < 1
        ? formatMeasure(1e3 * value, "g")
        : value >= 1e4
          ? formatMeasure(value / 1e3, "t")
          : formatMeasure(value, "kg");
}

export function formatMilliseconds(value) {
    return Number.isFinite(value) ? `${value.toFixed(value < 10 ? 2 : 1)} ms` : UNKNOWN;
}

export function formatSeconds(value) {
    return `${value.toFixed(2)} s`;
}
