// A headless Chromium, asked over a pipe by the DevTools protocol: no package is needed.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
// SwiftShader gives WebGL2 where there is no graphics processor.
const FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
];

const PATIENCE = 30000;

/// The program's name, or null where there is none.
export function findChromium() {
    return NAMES.find((name) => spawnSync(name, ["--version"]).status === 0) ?? null;
}

export class Chromium {
    #process;
    #folder = mkdtempSync(join(tmpdir(), "fracas-browser-"));
    #next = 1;
    #waiting = new Map();
    #listeners = [];
    #received = "";

    constructor(program) {
        this.#process = spawn(program, [...FLAGS, `--user-data-dir=${this.#folder}`], {
            stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
        });
        this.#process.stdio[4].on("data", (data) => this.#receive(data.toString("utf8")));
    }

    #receive(text) {
        const parts = (this.#received + text).split("\0");
        this.#received = parts.pop();
        for (const part of parts) {
            const message = JSON.parse(part);
            if (message.id) {
                const { resolve, reject } = this.#waiting.get(message.id);
                this.#waiting.delete(message.id);
                if (message.error) reject(new Error(message.error.message));
                else resolve(message.result);
            } else {
                this.#listeners.forEach((listener) => listener(message));
            }
        }
    }

    send(method, params = {}, sessionId = undefined) {
        const id = this.#next++;
        this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
        return new Promise((resolve, reject) => {
            // A page that is behind another may never answer.
            const timer = setTimeout(() => reject(new Error(`${method} is not answered: ${JSON.stringify(params)}`)), PATIENCE);
            const answered = (then) => (value) => {
                clearTimeout(timer);
                then(value);
            };
            this.#waiting.set(id, { resolve: answered(resolve), reject: answered(reject) });
        });
    }

    listen(listener) {
        this.#listeners.push(listener);
    }

    /// Writes a page where the browser may read it; its address.
    write(name, text) {
        writeFileSync(join(this.#folder, name), text);
        return `file://${join(this.#folder, name)}`;
    }

    /// Opens an address in a view of a size, with media features such as `{"prefers-color-scheme": "dark"}`.
    async open(
        address,
        { width = 1000, height = 700, scale = 1, isMobile = false, features = {}, script = null } = {},
    ) {
        const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
        const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
        const page = new Page(this, targetId, sessionId);
        await page.send("Page.enable");
        await page.send("Runtime.enable");
        await page.send("Emulation.setDeviceMetricsOverride", {
            width,
            height,
            deviceScaleFactor: scale,
            mobile: isMobile,
        });
        if (isMobile) await page.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 2 });
        await page.send("Emulation.setEmulatedMedia", {
            features: Object.entries(features).map(([name, value]) => ({ name, value })),
        });
        if (script) await page.send("Page.addScriptToEvaluateOnNewDocument", { source: script });
        await page.send("Page.navigate", { url: address });
        await page.until("Boolean(window.fracasViewer)");
        return page;
    }

    async close() {
        const isOver = new Promise((resolve) => this.#process.once("exit", resolve));
        this.send("Browser.close").catch(() => {});
        const timer = setTimeout(() => this.#process.kill("SIGKILL"), 5000);
        await isOver;
        clearTimeout(timer);
        rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
    }
}

class Page {
    /// What the page itself complained of.
    complaints = [];
    #browser;
    #target;
    #session;

    constructor(browser, target, session) {
        [this.#browser, this.#target, this.#session] = [browser, target, session];
        browser.listen(({ method, params, sessionId }) => {
            if (sessionId !== session) return;
            if (method === "Runtime.exceptionThrown")
                this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
            if (method === "Runtime.consoleAPICalled" && ["error", "warning"].includes(params.type)) {
                this.complaints.push(params.args.map(({ value, description }) => value ?? description).join(" "));
            }
        });
    }

    send(method, params) {
        return this.#browser.send(method, params, this.#session);
    }

    /// What a piece of script comes to, once its promise is fulfilled.
    async evaluate(expression) {
        const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
            expression,
            awaitPromise: true,
            returnByValue: true,
        });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
    }

    async until(expression, seconds = 20) {
        const end = Date.now() + 1000 * seconds;
        while (!(await this.evaluate(expression).catch(() => false))) {
            if (Date.now() > end) throw new Error(`after ${seconds} s it is still not true that ${expression}`);
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
    }

    async mouse(type, x, y, { button = "left", buttons = 0, clickCount = 0, deltaY = 0, modifiers = 0 } = {}) {
        await this.send("Input.dispatchMouseEvent", {
            type,
            x,
            y,
            button,
            buttons,
            clickCount,
            deltaX: 0,
            deltaY,
            modifiers,
        });
    }

    async click(x, y) {
        await this.mouse("mousePressed", x, y, { buttons: 1, clickCount: 1 });
        await this.mouse("mouseReleased", x, y, { clickCount: 1 });
    }

    async drag(from, to, options = {}) {
        await this.mouse("mousePressed", ...from, { ...options, buttons: 1, clickCount: 1 });
        for (let step = 1; step <= 5; step++)
            await this.mouse("mouseMoved", ...from.map((value, axis) => value + ((to[axis] - value) * step) / 5), {
                ...options,
                buttons: 1,
            });
        await this.mouse("mouseReleased", ...to, { ...options, clickCount: 1 });
    }

    async touch(type, points) {
        await this.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    }

    async key(key, { text = key.length === 1 ? key : undefined, modifiers = 0 } = {}) {
        const code = { Enter: 13, Escape: 27, Tab: 9, " ": 32 }[key];
        await this.send("Input.dispatchKeyEvent", {
            type: "keyDown",
            key,
            text: key === "Enter" ? "\r" : text,
            modifiers,
            windowsVirtualKeyCode: code,
        });
        await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, modifiers, windowsVirtualKeyCode: code });
    }

    /// The picture of the page as PNG.
    async screenshot() {
        const { data } = await this.send("Page.captureScreenshot", { format: "png" });
        return Buffer.from(data, "base64");
    }

    async close() {
        await this.#browser.send("Target.closeTarget", { targetId: this.#target });
    }
}
