// Colours of the view by day and by night, sRGB from 0 to 1; lights are linear and may be above.

const DAY = {
    top: [0.79, 0.845, 0.9],
    bottom: [0.925, 0.94, 0.955],
    ground: [0.8, 0.815, 0.83],
    grid: [0.6, 0.64, 0.68],
    wire: [0.08, 0.1, 0.13, 0.6],
    accent: [0.95, 0.5, 0.05],
    skyLight: [0.5, 0.56, 0.64],
    groundLight: [0.24, 0.22, 0.2],
    sunLight: [0.92, 0.87, 0.78],
};

const NIGHT = {
    top: [0.07, 0.08, 0.1],
    bottom: [0.13, 0.145, 0.17],
    ground: [0.23, 0.25, 0.28],
    grid: [0.35, 0.385, 0.43],
    wire: [0.9, 0.94, 1, 0.45],
    accent: [1, 0.68, 0.2],
    skyLight: [0.36, 0.41, 0.48],
    groundLight: [0.14, 0.13, 0.12],
    sunLight: [0.86, 0.82, 0.75],
};

export function themeFor(isDark) {
    return isDark ? NIGHT : DAY;
}
