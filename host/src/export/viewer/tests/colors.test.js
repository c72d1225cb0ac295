import assert from "node:assert/strict";
import test from "node:test";

import { numberColor, packColor, Spread } from "../colors.js";
import { formatMass, formatNumber, formatVolume } from "../format.js";
import { gridCell } from "../overlays.js";

test("colours of numbers are in range, and those of neighbours well apart", () => {
    for (let number = 0; number < 1000; number++) {
        const color = numberColor(number);
        assert.ok(color.every((value) => value >= 0 && value <= 1));
        for (let other = number + 1; other < number + 8; other++) {
            const way = numberColor(other).map((value, channel) => value - color[channel]);
            assert.ok(Math.hypot(...way) > 0.07, `${number} and ${other}`);
        }
    }
    assert.equal(packColor([1, 0.5, 0]), 0xff0080ff);
});

test("a scale holds nearly all values and is not stretched by the one that is far off", () => {
    const spread = new Spread();
    for (let place = 1; place <= 1000; place++) spread.add(place / 1000);
    spread.add(1e6);
    spread.add(NaN);
    spread.add(-1);
    assert.ok(spread.upper() >= 0.99 && spread.upper() < 1.3, `${spread.upper()}`);
    assert.equal(new Spread().upper(), 0);
    const single = new Spread();
    single.add(3);
    assert.equal(single.upper(), 3);
});

test("numbers are told in three digits and units that fit", () => {
    assert.deepEqual([0, 1.23456, 123456, 0.000012, NaN].map(formatNumber), ["0", "1.23", "123,456", "1.2e-5", "–"]);
    assert.deepEqual([2, 0.0005, 2e-8, NaN].map(formatVolume), ["2.00 m³", "500 cm³", "20.0 mm³", "–"]);
    assert.deepEqual([2, 0.25, 5e-6, 25000].map(formatMass), ["2.00 kg", "250 g", "5.00 mg", "25.0 t"]);
    assert.deepEqual(
        [1, 7, 30, 0.02].map((size) => gridCell(size)).map((cell) => Number(cell.toPrecision(3))),
        [0.1, 0.5, 2, 0.002],
    );
});
