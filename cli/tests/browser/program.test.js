// What the program makes, in a real browser: cargo xtask browser-test
// With FRACAS_SCREENSHOTS=FOLDER pictures are kept there.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { bundlePage } from "../../../host/src/export/viewer/tests/bundle.js";
import { Chromium, findChromium } from "../../../host/src/export/viewer/tests/chromium.js";
import { replay } from "../../../host/src/export/viewer/tests/replay.js";
import { run, serve, stopAll } from "./program.js";

const keeps = process.env.FRACAS_SCREENSHOTS;
const FRAMES = 45;
const SCENE = `version = 1
name = "browser"
frames = ${FRAMES}
[ground]
[camera]
eye = [3, 2, 4]
target = [0, 0.6, 0]
field_of_view = 40
[[material]]
name = "clay"
color = [0.8, 0.4, 0.3]
[[body]]
name = "cube"
material = "clay"
shape.cuboid = { size = [1, 1, 1] }
position = [0, 0.8, 0]
[body.fracture]
pattern.voronoi = { cells = 60, extent = 2 }
[[body]]
name = "brick"
shape.cuboid = { size = [0.4, 0.2, 0.2] }
position = [1.2, 0.1, 0.4]
`;
const BREAKS = `${SCENE}
[[event]]
at = 0.3
fracture = { body = "cube", point = [0, 0.6, 0], burst = 1 }
`;
const SETTLED = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))";

const folder = mkdtempSync(join(tmpdir(), "fracas-program-"));
const file = (name) => join(folder, name);
let browser;

before(() => {
    browser = new Chromium(findChromium());
    writeFileSync(file("breaks.toml"), BREAKS);
    writeFileSync(file("live.toml"), SCENE);
    run("run", file("breaks.toml"), "--out", file("out"), "--quiet", "--json", file("run.json"));
    if (keeps) mkdirSync(keeps, { recursive: true });
});
after(async () => {
    stopAll();
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
});

async function keep(page, name) {
    await page.evaluate(SETTLED);
    const picture = await page.screenshot();
    if (keeps) writeFileSync(join(keeps, `${name}.png`), picture);
    return picture;
}

/// How much of the view has roughly a colour that a test names, from 0 to 1.
const shareOf = (page, test) =>
    page.evaluate(`(() => {
        fracasViewer.draw();
        const small = Object.assign(document.createElement("canvas"), { width: 160, height: 100 });
        const context = small.getContext("2d");
        context.drawImage(document.getElementById("view"), 0, 0, 160, 100);
        const data = context.getImageData(0, 0, 160, 100).data;
        let count = 0;
        for (let at = 0; at < data.length; at += 4) count += (([r, g, b]) => ${test})(data.subarray(at, at + 3)) ? 1 : 0;
        return count / 16000;
    })()`);
const CLAY = "r > 1.3 * b && r > 60";

/// Breaks the first of some pieces that is found in the view, by the tool that is chosen.
const breakAnyOf = (pieces) => `(() => {
    for (let y = 150; y < 600; y += 20)
        for (let x = 100; x < 700; x += 20) {
            if (![${pieces}].includes(fracasViewer.pick(x, y))) continue;
            fracasViewer.act(x, y);
            return true;
        }
    return false;
})()`;

const state = (page) => page.evaluate("fracasViewer.draw()");

test("a report opens from disk: figures, charts, the hash, and a replay that plays", async () => {
    const summary = JSON.parse(readFileSync(file("run.json"), "utf8"));
    assert.equal(summary.report, file("out/report.html"));
    for (const scheme of ["light", "dark"]) {
        const page = await browser.open(`file://${summary.report}`, {
            features: { "prefers-color-scheme": scheme },
            script: `addEventListener("load", () => { const frame = document.getElementById("replay"); if (frame) { frame.scrollIntoView(); const wait = () => frame.contentWindow?.fracasViewer ? (window.fracasViewer = frame.contentWindow.fracasViewer) : setTimeout(wait, 20); wait(); } })`,
        });
        await page.evaluate("Promise.all([fracasViewer.ready, fracasViewer.loaded]).then(() => {})");
        await page.evaluate(`fracasViewer.seek(${FRAMES - 1})`);
        const seen = await state(page);
        assert.deepEqual([seen.frames, seen.errors], [FRAMES, []]);
        assert.ok(seen.pieces > 10, `${seen.pieces} pieces`);
        assert.deepEqual(page.complaints, []);
        const text = await page.evaluate("document.querySelector('main').innerText");
        for (const expected of [summary.hash, "fracas run", "Each step", "fracture, ms", `${summary.steps} steps`])
            assert.ok(text.includes(expected), `the report does not say ${expected}`);
        assert.equal(await page.evaluate('document.querySelectorAll("svg.plot").length'), 3);
        assert.ok((await page.evaluate('document.querySelectorAll("svg.plot circle title").length')) > 80);
        const [ground, ink] = await page.evaluate(
            "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]",
        );
        const light = (color) => color.match(/\d+/g).slice(0, 3).map(Number).reduce((sum, part) => sum + part, 0);
        assert.ok(scheme === "dark" ? light(ground) < light(ink) : light(ground) > light(ink), scheme);
        await keep(page, `report-replay-${scheme}`);
        await page.evaluate("scrollTo(0, 0)");
        await keep(page, `report-${scheme}`);
        await page.evaluate('document.querySelector("svg.plot").scrollIntoView()');
        await keep(page, `report-charts-${scheme}`);
        await page.evaluate("scrollTo(0, document.body.scrollHeight)");
        await keep(page, `report-end-${scheme}`);
        await page.close();
    }
});

test("view: the page is the modules' own, the stream is whole, and the recording is scrubbed and picked", async () => {
    const { address, stop } = await serve("view", file("out/recording.fracas"));
    const html = await (await fetch(address)).text();
    assert.equal(html, bundlePage({ recording: "recording" }), "two ways to make the page, two pages");
    const stream = new Uint8Array(await (await fetch(new URL("recording", address))).arrayBuffer());
    const { fault, messages, timeline } = replay(stream);
    assert.equal(fault, null);
    const count = (kind) => messages.filter(([name]) => name === kind).length;
    assert.deepEqual([count("FRAME"), count("END"), messages[0][0]], [FRAMES, 1, "HELLO"]);
    assert.ok(count("CONTACTS") > 10 && count("BIRTH") > 10, "no contacts or nothing broke");
    assert.ok(timeline);

    const page = await browser.open(address);
    await page.evaluate("Promise.all([fracasViewer.ready, fracasViewer.loaded]).then(() => {})");
    await page.evaluate("fracasViewer.pause(); fracasViewer.seek(0)");
    const whole = await state(page);
    assert.deepEqual([whole.frame, whole.pieces, whole.errors], [0, 2, []]);
    assert.ok((await shareOf(page, CLAY)) > 0.03, "no clay is seen");
    const [x, y] = await page.evaluate("fracasViewer.project(0, 0.8, 0)");
    await page.click(Math.round(x), Math.round(y));
    assert.equal(typeof (await state(page)).picked, "number");
    assert.match(await page.evaluate('document.getElementById("piece").textContent'), /Volume1(\.00)? m³Mass2,?000 kg/);
    // Scrubbing: the slider by the keyboard, the graph by the mouse.
    await page.evaluate('document.getElementById("scrub").focus()');
    await page.key("End");
    await page.until(`fracasViewer.state().frame === ${FRAMES - 1}`);
    const broken = await state(page);
    assert.ok(broken.pieces > 10, `${broken.pieces} pieces`);
    await page.evaluate("fracasViewer.setContacts(true); fracasViewer.setMode('piece'); fracasViewer.setExplode(0.6)");
    await keep(page, "view-broken");
    const box = await page.evaluate(
        '(({x, y, width, height}) => ({x, y, width, height}))(document.getElementById("graph").getBoundingClientRect())',
    );
    await page.click(box.x + 0.2 * box.width, box.y + box.height / 2);
    assert.ok(Math.abs((await state(page)).frame - 0.2 * FRAMES) < 2);
    assert.deepEqual(page.complaints, []);
    await page.close();
    assert.equal(await stop(), 130);
});

test("view: meshes, and what fracture and decompose made of them", async () => {
    const glb = file("pieces.glb");
    const mesh = file("box.obj");
    const corner = (place) => [place & 1, (place >> 1) & 1, (place >> 2) & 1];
    const faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    writeFileSync(
        mesh,
        Array.from({ length: 8 }, (_, place) => `v ${corner(place).join(" ")}`)
            .concat(faces.map((face) => `f ${face.map((vertex) => vertex + 1).join(" ")}`))
            .join("\n"),
    );
    const cases = [
        [["view", mesh], 1, "box"],
        [["fracture", mesh, "--pattern", "voronoi:12", "--out", glb, "--quiet", "--view"], 8, "fracture"],
        [["decompose", mesh, "--auto", "3", "--out", glb, "--quiet", "--view"], 1, "decompose"],
    ];
    for (const [words, least, name] of cases) {
        const { address, stop } = await serve(...words);
        const page = await browser.open(address);
        await page.evaluate("Promise.all([fracasViewer.ready, fracasViewer.loaded]).then(() => {})");
        await page.evaluate("fracasViewer.setMode('piece'); fracasViewer.setExplode(0.5)");
        const seen = await state(page);
        assert.ok(seen.pieces >= least && seen.errors.length === 0, `${name}: ${seen.pieces} pieces, ${seen.errors}`);
        await keep(page, `view-${name}`);
        await page.close();
        assert.equal(await stop(), 130);
    }
});

test("play: balls, breaks, drags, pause, steps, slow motion and reset, for two pages at once", async () => {
    const { address, stop } = await serve("play", file("live.toml"));
    const page = await browser.open(address);
    const other = await browser.open(address, { width: 400, height: 300 });
    // A page behind another draws only when it is told to.
    await page.send("Page.bringToFront");
    await page.evaluate("fracasViewer.ready");
    for (const one of [page, other]) await one.until("fracasViewer.draw().connected && fracasViewer.draw().pieces === 2");
    assert.ok((await shareOf(page, CLAY)) > 0.03, "no clay is seen");
    await page.until("fracasViewer.state().time > 0.5");
    await page.evaluate('fracasViewer.tool("drag")');
    const [from, to] = await page.evaluate("[fracasViewer.project(1.2, 0.1, 0.4), fracasViewer.project(1.2, 1, 0.4)]");
    await page.mouse("mousePressed", ...from, { buttons: 1, clickCount: 1 });
    for (const share of [0.3, 0.6, 1])
        await page.mouse("mouseMoved", from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1]), { buttons: 1 });
    // The brick comes up to the hand, on the other page too.
    const lifted = (one, point) => one.until(`(() => { fracasViewer.draw(); const at = fracasViewer.project(${point}); return at && fracasViewer.pick(...at) !== null; })()`);
    await page.until(`fracasViewer.pick(${to}) !== null`, 20);
    await lifted(other, "1.2, 1, 0.4");
    await keep(page, "play-drag");
    await page.mouse("mouseReleased", ...to, { clickCount: 1 });
    await page.evaluate('fracasViewer.tool("throw")');
    const [x, y] = (await page.evaluate("fracasViewer.project(0, 0.5, 0)")).map(Math.round);
    await page.click(x, y);
    await page.until("fracasViewer.state().pieces === 3");
    await other.until("fracasViewer.draw().pieces === 3");
    await page.evaluate('fracasViewer.tool("break")');
    await page.evaluate(`(() => { const select = document.querySelector("#tool-settings select"); select.value = "1"; select.dispatchEvent(new Event("change")); })()`);
    // Wherever the ball has driven it: the ground was first, then the cube.
    await page.until(breakAnyOf([1]));
    await page.until("fracasViewer.state().pieces > 8");
    await other.until("fracasViewer.draw().pieces > 8");
    await keep(page, "play-broken");
    await page.evaluate('document.getElementById("play").click()');
    for (const one of [page, other]) await one.until("!fracasViewer.state().playing");
    const { time } = await state(page);
    await page.evaluate('document.getElementById("live-step").click()');
    await page.until(`fracasViewer.state().time > ${time}`);
    assert.ok((await state(page)).time < time + 0.02, "one step is one step");
    await page.evaluate('document.getElementById("play").click()');
    await page.until("fracasViewer.state().playing");
    await page.evaluate(
        '(() => { const slider = document.getElementById("slow-motion"); slider.value = 3; slider.dispatchEvent(new Event("input")); })()',
    );
    await other.until('document.getElementById("slow-value").textContent.startsWith("0.1")');
    await page.evaluate('document.getElementById("live-reset").click()');
    for (const one of [page, other]) await one.until("fracasViewer.draw().pieces === 2");
    const seen = await state(page);
    assert.deepEqual([seen.errors, page.complaints, other.complaints], [[], [], []]);
    await page.close();
    await other.close();
    assert.equal(await stop(), 130);
});

test("play: the papers' two interactive scenes", async () => {
    const scenes = [
        ["plates", [2, 3, 4, 5]],
        ["interactive_bunnies", [1, 2, 3]],
    ];
    for (const [name, targets] of scenes) {
        const { address, stop } = await serve("play", new URL(`../../../scenes/${name}.toml`, import.meta.url).pathname);
        const page = await browser.open(address);
        await page.evaluate("fracasViewer.ready");
        await page.until("fracasViewer.state().connected && fracasViewer.state().pieces >= 3");
        const before = (await state(page)).pieces;
        await page.evaluate('fracasViewer.tool("break")');
        await page.until(breakAnyOf(targets), 30);
        await page.until(`fracasViewer.state().pieces > ${before} + 2`);
        await keep(page, `play-${name}`);
        assert.deepEqual([(await state(page)).errors, page.complaints], [[], []]);
        await page.close();
        assert.equal(await stop(), 130);
    }
});
