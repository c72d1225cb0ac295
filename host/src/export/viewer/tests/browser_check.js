// The page in a real browser: node --test tests/browser_check.js
// With FRACAS_SCREENSHOTS=FOLDER pictures are kept there.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { bundlePage } from "./bundle.js";
import { Chromium, findChromium } from "./chromium.js";
import { Encoder } from "./encoder.js";
import { everyMessage, fallingCubes, wavingCloth } from "./recordings.js";
import { serve } from "./socket_server.js";
import { ball, cuboid, meshOf } from "./solids.js";

const program = findChromium();
const options = program ? {} : { skip: "no Chromium is installed" };
const keeps = process.env.FRACAS_SCREENSHOTS;
const EMBEDDED = { embedded: "fracas-recording", autoplay: false };
const SETTLED = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))";
let browser;
let cubes;

before(() => {
    if (!program) return;
    browser = new Chromium(program);
    cubes = fallingCubes({ across: 3, layers: 2, piecesPerCube: 12, frames: 90 }).finish();
    if (keeps) mkdirSync(keeps, { recursive: true });
});
after(() => browser?.close());

async function openPage(name, configuration, recording, view) {
    const page = await browser.open(browser.write(`${name}.html`, bundlePage(configuration, recording)), view);
    await page.evaluate("Promise.all([fracasViewer.ready, fracasViewer.loaded]).then(() => {})");
    return page;
}

const stateOf = (page) => page.evaluate("fracasViewer.draw()");

async function keep(page, name) {
    if (!keeps) return;
    await page.evaluate(SETTLED);
    writeFileSync(join(keeps, `${name}.png`), await page.screenshot());
}

/// How many different colours the view has, on a coarse grid: an empty view has next to none.
async function variety(page) {
    return page.evaluate(`(() => {
        fracasViewer.draw();
        const canvas = document.getElementById("view");
        const small = Object.assign(document.createElement("canvas"), { width: 120, height: 80 });
        const context = small.getContext("2d");
        context.drawImage(canvas, 0, 0, 120, 80);
        const data = context.getImageData(0, 0, 120, 80).data;
        const seen = new Set();
        for (let at = 0; at < data.length; at += 4) seen.add((data[at] >> 3) << 10 | (data[at + 1] >> 3) << 5 | data[at + 2] >> 3);
        return seen.size;
    })()`);
}

test("a report's replay opens from disk, in a frame of its own, compressed", options, async () => {
    const inner = bundlePage({ ...EMBEDDED, compression: "gzip" }, gzipSync(cubes));
    const report = `<!doctype html><title>Report</title><h1>Report</h1><iframe id="replay" width="800" height="500" title="Replay" srcdoc="${inner.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe><script>addEventListener("load", () => { window.fracasViewer = document.getElementById("replay").contentWindow.fracasViewer; });</script>`;
    const page = await browser.open(browser.write("report.html", report));
    await page.evaluate("Promise.all([fracasViewer.ready, fracasViewer.loaded]).then(() => {})");
    const state = await stateOf(page);
    assert.deepEqual([state.frames, state.pieces, state.errors], [90, 18, []]);
    assert.deepEqual(page.complaints, []);
    await keep(page, "report");
    await page.close();
});

test("frames, pieces, calls: what is shown is what was written", options, async () => {
    const page = await openPage("cubes", EMBEDDED, cubes);
    assert.equal((await stateOf(page)).frame, 0);
    await page.evaluate("fracasViewer.seek(80)");
    const state = await stateOf(page);
    assert.deepEqual([state.frame, state.pieces], [80, 216]);
    assert.ok(state.drawCalls > 0 && state.drawCalls <= 12, `${state.drawCalls} calls`);
    assert.ok((await variety(page)) > 60, "the view is nearly empty");
    await page.evaluate("fracasViewer.step(-1)");
    assert.equal((await stateOf(page)).frame, 79);
    for (const name of ["piece", "whole", "island", "depth", "speed", "field:stress"]) {
        await page.evaluate(`fracasViewer.setMode("${name}")`);
        assert.equal((await stateOf(page)).mode, name);
    }
    assert.equal(await page.evaluate('document.getElementById("legend").hidden'), false);
    await page.evaluate(
        "fracasViewer.setWireframe(true); fracasViewer.setContacts(true); fracasViewer.setNormals(true); fracasViewer.setExplode(1)",
    );
    const all = await stateOf(page);
    assert.ok(all.drawCalls <= 16, `${all.drawCalls} calls`);
    assert.deepEqual([all.errors, page.complaints], [[], []]);
    await keep(page, "all");
    await page.close();
});

test("playing goes on by itself, ends at the last frame, and begins again", options, async () => {
    const page = await openPage(
        "play",
        EMBEDDED,
        fallingCubes({ across: 1, layers: 1, piecesPerCube: 4, frames: 12 }).finish(),
    );
    await page.evaluate("fracasViewer.play()");
    await page.until("fracasViewer.state().frame === 11 && !fracasViewer.state().playing", 30);
    await page.key(" ");
    await page.until("fracasViewer.state().playing || fracasViewer.state().frame < 11", 10);
    await page.close();
    const calm = await openPage("calm", { embedded: "fracas-recording" }, cubes, {
        features: { "prefers-reduced-motion": "reduce" },
    });
    assert.equal((await stateOf(calm)).playing, false);
    await calm.close();
    const eager = await openPage("eager", { embedded: "fracas-recording" }, cubes);
    await eager.until("fracasViewer.state().frame > 0", 30);
    await eager.close();
});

test("mouse: a click picks, a drag turns, the wheel comes nearer, the graph seeks", options, async () => {
    const page = await openPage("mouse", EMBEDDED, cubes);
    const target = await page.evaluate("(() => { const at = fracasViewer.project(0, 1.2, 0); return at; })()");
    await page.click(Math.round(target[0]), Math.round(target[1]));
    const picked = (await stateOf(page)).picked;
    assert.equal(typeof picked, "number");
    assert.equal(await page.evaluate('document.getElementById("piece").hidden'), false);
    assert.match(await page.evaluate('document.getElementById("piece").textContent'), /Volume0\.125 m³Mass250 kg/);
    await keep(page, "picked");
    const before = await page.evaluate("fracasViewer.project(0, 0, 0)");
    await page.drag([300, 300], [420, 340]);
    const turned = await page.evaluate("fracasViewer.project(0, 0, 1)");
    assert.equal((await stateOf(page)).picked, picked, "a drag is no click");
    assert.notDeepEqual(turned, before);
    const apart = () =>
        page.evaluate(
            "Math.hypot(fracasViewer.project(0, 0, 0)[0] - fracasViewer.project(1, 0, 0)[0], fracasViewer.project(0, 0, 0)[1] - fracasViewer.project(1, 0, 0)[1])",
        );
    const far = await apart();
    await page.mouse("mouseWheel", 400, 300, { deltaY: -240, button: "none" });
    assert.ok((await apart()) > 1.2 * far);
    const box = await page.evaluate(
        '(({x, y, width, height}) => ({x, y, width, height}))(document.getElementById("graph").getBoundingClientRect())',
    );
    await page.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.ok(Math.abs((await stateOf(page)).frame - 44) <= 1);
    await page.close();
});

test("keys: everything is reached, and the focus is seen", options, async () => {
    const page = await openPage("keys", EMBEDDED, cubes);
    await page.evaluate('document.getElementById("view").focus()');
    for (const key of [".", ".", ".", ","]) await page.key(key);
    assert.equal((await stateOf(page)).frame, 2);
    await page.key("End");
    assert.equal((await stateOf(page)).frame, 89);
    const before = await page.evaluate("fracasViewer.project(1, 0, 0)");
    await page.key("ArrowLeft");
    assert.notDeepEqual(await page.evaluate("fracasViewer.project(1, 0, 0)"), before);
    await page.key("e");
    assert.equal((await stateOf(page)).explode, 0.25);
    await page.key("w");
    assert.equal(await page.evaluate('fracasViewer.draw() && document.getElementById("wireframe").checked'), true);
    await page.key("?");
    assert.equal(await page.evaluate('document.getElementById("help").open'), true);
    await page.key("Escape");
    await page.until('!document.getElementById("help").open');
    const reached = new Set();
    await page.evaluate("document.activeElement.blur()");
    for (let step = 0; step < 30; step++) {
        await page.key("Tab");
        const [id, outline] = await page.evaluate(
            "[document.activeElement.id, getComputedStyle(document.activeElement).outlineStyle]",
        );
        if (!id) continue;
        reached.add(id);
        assert.notEqual(outline, "none", `${id} shows no focus`);
    }
    for (const id of [
        "view",
        "frame-all",
        "help-open",
        "panel-toggle",
        "mode",
        "explode",
        "wireframe",
        "contacts",
        "normals",
        "ground",
        "shadows",
        "step-back",
        "play",
        "step-forward",
        "speed",
        "scrub",
    ]) {
        assert.ok(reached.has(id), `${id} is not reached by Tab`);
    }
    await page.close();
});

test("touch: one finger turns, two come nearer; 360 pixels are enough", options, async () => {
    const page = await openPage("touch", EMBEDDED, cubes, { width: 360, height: 640, scale: 2, isMobile: true });
    const spread = () => page.evaluate("Math.abs(fracasViewer.project(0, 0, 0)[0] - fracasViewer.project(1, 0, 0)[0])");
    const before = await page.evaluate("fracasViewer.project(1, 0, 0)");
    await page.touch("touchStart", [[150, 300]]);
    for (const x of [160, 180, 200]) await page.touch("touchMove", [[x, 310]]);
    await page.touch("touchEnd", []);
    assert.notDeepEqual(await page.evaluate("fracasViewer.project(1, 0, 0)"), before);
    const far = await spread();
    await page.touch("touchStart", [
        [150, 300],
        [210, 300],
    ]);
    for (const wide of [10, 30, 50])
        await page.touch("touchMove", [
            [150 - wide, 300],
            [210 + wide, 300],
        ]);
    await page.touch("touchEnd", []);
    assert.ok((await spread()) > 1.5 * far);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 360);
    const outside =
        await page.evaluate(`[...document.querySelectorAll("button, select, input, output")].filter((element) => {
        const box = element.getBoundingClientRect();
        return box.width > 1 && (box.left < 0 || box.right > 360 || box.bottom > 640);
    }).map((element) => element.id)`);
    assert.deepEqual(outside, []);
    await keep(page, "small");
    await page.close();
});

test("texts are readable on their grounds, by day and by night", options, async () => {
    for (const scheme of ["light", "dark"]) {
        const page = await openPage(`contrast-${scheme}`, EMBEDDED, cubes, {
            features: { "prefers-color-scheme": scheme },
        });
        const poor = await page.evaluate(`(() => {
            const parse = (color) => color.match(/[\\d.]+/g).map(Number);
            const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
            const over = (top, under) => { const a = top[3] ?? 1; return [0, 1, 2].map((i) => a * top[i] + (1 - a) * under[i]); };
            const page = parse(getComputedStyle(document.documentElement).backgroundColor);
            const ground = (element) => (element ? over(parse(getComputedStyle(element).backgroundColor), ground(element.parentElement)) : page);
            const poor = [];
            for (const element of document.querySelectorAll("h1, h2, p, dt, dd, label, button, output, select, span, figcaption")) {
                if (!element.textContent.trim() || element.getBoundingClientRect().width < 2) continue;
                const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground(element))];
                const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                if (ratio < 4.5) poor.push([element.id || element.textContent.trim(), ratio]);
            }
            return poor;
        })()`);
        assert.deepEqual(poor, [], scheme);
        await keep(page, scheme);
        await page.close();
    }
});

test("what is wrong stands on the page in one line, and what came before is played", options, async () => {
    const cut = await openPage("cut", EMBEDDED, cubes.subarray(0, Math.floor(0.7 * cubes.length)));
    const state = await stateOf(cut);
    assert.equal(state.errors.length, 1);
    assert.match(state.errors[0], /^At byte [\d,]+ .*cut short.* frames before it can be played\.$/);
    assert.ok(state.frames > 10 && state.pieces > 0);
    assert.equal(await cut.evaluate('document.querySelectorAll(".message.is-bad").length'), 1);
    await keep(cut, "cut");
    await cut.close();
    const cases = [
        ["version", new Encoder().hello({ version: 9 }).finish(), /version 9, but this page reads version 1/],
        ["other", new Uint8Array(400).fill(7), /does not begin with FRACASV/],
        ["nothing", new Uint8Array(4), /does not begin with FRACASV/],
    ];
    for (const [name, bytes, expected] of cases) {
        const page = await openPage(name, EMBEDDED, bytes);
        const { errors } = await page.evaluate("fracasViewer.state()");
        assert.match(errors.join(), expected, name);
        assert.equal(errors.length, 1);
        await page.close();
    }
    const squeezed = await openPage("squeezed", { ...EMBEDDED, compression: "gzip" }, cubes);
    assert.match((await squeezed.evaluate("fracasViewer.state()")).errors.join(), /does not inflate as gzip/);
    await squeezed.close();
});

test("without WebGL2 a line says so, and a context that was lost comes back", options, async () => {
    const without = "HTMLCanvasElement.prototype.getContext = () => null";
    const page = await openPage("without", EMBEDDED, cubes, { script: without });
    const { errors } = await page.evaluate("fracasViewer.state()");
    assert.match(errors.join(), /no WebGL2/);
    await page.close();
    const lost = await openPage("lost", EMBEDDED, cubes);
    await lost.evaluate("fracasViewer.seek(60)");
    const before = await variety(lost);
    await lost.evaluate(`new Promise((resolve) => {
        const canvas = document.getElementById("view");
        const extension = canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
        canvas.addEventListener("webglcontextlost", () => setTimeout(() => extension.restoreContext(), 50));
        canvas.addEventListener("webglcontextrestored", () => resolve());
        extension.loseContext();
    })`);
    const after = await variety(lost);
    assert.ok(before > 60 && after > 0.8 * before, `${after} colours after ${before}`);
    assert.deepEqual((await stateOf(lost)).errors, []);
    await lost.close();
});

test("cloths deform, and every message is drawn", options, async () => {
    const cloth = await openPage("cloth", EMBEDDED, wavingCloth({ cells: 30, frames: 40 }).encoder.finish());
    // Level, below where the cloth starts and where its edge has sunk to in the last frame.
    await cloth.evaluate("fracasViewer.setCamera({ eye: [0.9, 0.75, 6], target: [0.9, 0.75, 0], fieldOfView: 30 })");
    const met = [];
    for (const frame of [0, 39, 0]) {
        await cloth.evaluate(`fracasViewer.seek(${frame}); fracasViewer.setMode("field:strain")`);
        assert.equal((await stateOf(cloth)).pieces, 2);
        met.push(await cloth.evaluate("fracasViewer.pick(...fracasViewer.project(0.9, 0.75, 0))"));
    }
    assert.deepEqual(met, [null, 7, null]);
    await cloth.close();
    const every = await openPage("every", EMBEDDED, everyMessage().finish());
    for (const frame of [0, 1, 2]) {
        await every.evaluate(
            `fracasViewer.seek(${frame}); fracasViewer.setMode("field:stress"); fracasViewer.setContacts(true); fracasViewer.setWireframe(true)`,
        );
        assert.deepEqual([(await stateOf(every)).errors, every.complaints], [[], []]);
    }
    await every.close();
});

/// A simulation that only answers: a box, and a ball for every THROW.
function simulation() {
    const log = [];
    const connections = [];
    const connected = (connection) => {
        connections.push(connection);
        const start = () =>
            new Encoder()
                .hello({ live: true, scene: "Live", stages: ["narrow"] })
                .shape(0, meshOf(cuboid([1, 1, 1])).mesh)
                .shape(1, ball(0.2))
                .birth(0, { looks: [[0, 0]], mass: 1, volume: 1, name: "box" });
        connection.send(
            start()
                .choices({ patterns: ["voronoi", "web"], methods: ["vacd", "svo"] })
                .status()
                .frame(0, 0, [[0, [0, 0.5, 0], [0, 0, 0, 1]]], { stages: [1] })
                .finish(),
        );
        let frame = 1;
        let next = 1;
        const tell = (write) => {
            const encoder = new Encoder();
            write(encoder);
            connection.send(encoder.finish().subarray(8));
        };
        connection.onMessage = (bytes) => {
            const [kind, length] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
            assert.equal(length, bytes.length - 8);
            log.push({ kind, bytes });
            if (kind === 257) {
                const piece = next++;
                tell((encoder) =>
                    encoder
                        .birth(piece, { looks: [[0, 1]], mass: 1, volume: 0.03 })
                        .message(11, framePayload(frame++, piece)),
                );
            }
            if (kind === 262) {
                connection.send(
                    start()
                        .frame(0, 0, [[0, [0, 0.5, 0], [0, 0, 0, 1]]], { stages: [1] })
                        .finish()
                        .subarray(8),
                );
                [frame, next] = [1, 1];
            }
            if (kind === 263) tell((encoder) => encoder.status({ isPaused: bytes.readUInt32LE(8) === 1 }));
        };
    };
    const framePayload = (number, piece) => {
        const buffer = Buffer.alloc(24 + 4 + 4 + 28);
        buffer.writeUInt32LE(number, 0);
        buffer.writeUInt32LE(1, 4);
        buffer.writeDoubleLE(number / 60, 8);
        buffer.writeFloatLE(2, 24);
        buffer.writeUInt32LE(piece, 28);
        [0, 1 + 0.5 * piece, 0, 0, 0, 0, 1].forEach((value, place) => buffer.writeFloatLE(value, 32 + 4 * place));
        return { parts: [buffer] };
    };
    return { log, connections, connected };
}

test(
    "live: tools reach the simulation, what it answers is shown, and a lost connection comes back",
    options,
    async () => {
        const { log, connections, connected } = simulation();
        const files = { "/": bundlePage({ live: "/socket" }) };
        let server = await serve(files, connected);
        const { port } = server;
        const page = await browser.open(`http://127.0.0.1:${port}/`);
        await page.evaluate("fracasViewer.ready");
        await page.until("fracasViewer.state().connected && fracasViewer.state().pieces === 1");
        const kinds = () => log.map(({ kind }) => kind);
        const heard = async (kind, count = 1) => {
            for (let wait = 0; wait < 200 && kinds().filter((found) => found === kind).length < count; wait++)
                await new Promise((resolve) => setTimeout(resolve, 25));
            assert.ok(kinds().filter((found) => found === kind).length >= count, `${kind} in ${kinds()}`);
            return log.findLast((entry) => entry.kind === kind).bytes;
        };
        assert.equal((await heard(256)).readUInt32LE(8), 1);
        const [x, y] = await page.evaluate("fracasViewer.project(0, 0.5, 0)");
        await page.evaluate('fracasViewer.tool("throw")');
        await page.click(Math.round(x), Math.round(y));
        const thrown = await heard(257);
        const floats = (bytes, at, count) =>
            Array.from({ length: count }, (_, place) => bytes.readFloatLE(8 + 4 * (at + place)));
        assert.ok(Math.abs(Math.hypot(...floats(thrown, 3, 3)) - 1) < 1e-5);
        assert.ok(Math.abs(floats(thrown, 6, 1)[0] - 12) < 1e-5);
        await page.until("fracasViewer.state().pieces === 2");
        await page.evaluate('fracasViewer.tool("break")');
        await page.click(Math.round(x), Math.round(y));
        const broken = await heard(258);
        assert.deepEqual([broken.length, broken.readUInt32LE(8 + 4 * 9)], [48, 0]);
        await page.evaluate('fracasViewer.tool("drag")');
        await page.drag([Math.round(x), Math.round(y)], [Math.round(x) + 60, Math.round(y) - 30]);
        await heard(259);
        const pulled = await heard(260);
        await heard(261);
        const target = await page.evaluate(`fracasViewer.project(${floats(pulled, 1, 3)})`);
        assert.ok(
            Math.hypot(target[0] - Math.round(x) - 60, target[1] - Math.round(y) + 30) < 1,
            "the point that is pulled follows the pointer",
        );
        await keep(page, "live");
        const drags = log.filter(({ kind }) => kind === 261).length;
        await page.evaluate('document.getElementById("view").focus()');
        for (const key of ["Enter", "ArrowUp", "Enter"]) await page.key(key);
        await heard(261, drags + 1);
        await page.evaluate('document.getElementById("play").click()');
        assert.equal((await heard(263)).readUInt32LE(8), 1);
        await page.until("!fracasViewer.state().playing");
        await page.evaluate('document.getElementById("live-step").click()');
        await heard(265);
        await page.evaluate(
            '(() => { const slider = document.getElementById("slow-motion"); slider.value = 3; slider.dispatchEvent(new Event("input")); })()',
        );
        assert.ok(Math.abs((await heard(264)).readFloatLE(8) - 0.1) < 1e-6);
        await page.evaluate('document.getElementById("live-reset").click()');
        await page.until("fracasViewer.state().pieces === 1");
        await server.close();
        await page.until(
            "!fracasViewer.state().connected && fracasViewer.state().errors.some((line) => line.includes('connection to the simulation is lost'))",
        );
        assert.equal(await page.evaluate('document.querySelectorAll(".message").length'), 1);
        await keep(page, "lost");
        server = await serve(files, connected, port);
        await page.until("fracasViewer.state().connected", 30);
        await page.until('document.querySelectorAll(".message").length === 0');
        // A server that talks nonsense is not asked again by itself.
        connections.at(-1).send(Buffer.from([11, 0, 0, 0, 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]));
        await page.until("fracasViewer.state().errors.at(-1).includes('cannot be read. byte')");
        await page.close();
        await server.close();
    },
);
