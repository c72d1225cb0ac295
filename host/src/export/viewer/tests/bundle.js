// Makes one page of the modules beside it, by the steps of PROTOCOL.md.

import { readFileSync } from "node:fs";

const folder = new URL("../", import.meta.url);
const text = (name) => readFileSync(new URL(name, folder), "utf8");

/// The modules in the order that the document has.
export function moduleOrder() {
    const step = text("PROTOCOL.md").split("Take the modules in this order:")[1].split("\n2. ")[0];
    return [...step.matchAll(/`([a-z_]+\.js)`/g)].map(([, name]) => name);
}

export function bundleModules() {
    const stripped = moduleOrder().map((name) =>
        text(name)
            .split("\n")
            .filter((line) => !line.startsWith("import "))
            .map((line) => line.replace(/^export /, ""))
            .join("\n"),
    );
    return `(() => {\n${stripped.join("")}\n})();`;
}

function replaceLine(page, line, by) {
    if (page.split(`\n${line}\n`).length !== 2) throw new Error(`the page has not exactly one line ${line}`);
    // A function: text may hold what a pattern would be replaced in.
    return page.replace(`\n${line}\n`, () => `\n${by}\n`);
}

/// The page with a configuration, and perhaps the bytes of a recording.
export function bundlePage(configuration, recording = null) {
    let page = text("index.html");
    page = replaceLine(page, '<link rel="stylesheet" href="style.css">', `<style>\n${text("style.css")}</style>`);
    page = replaceLine(
        page,
        '<script type="module" src="main.js"></script>',
        `<script>\n${bundleModules()}\n</script>`,
    );
    const json = JSON.stringify(configuration).replaceAll("<", "\\u003c");
    let data = `<script type="application/json" id="fracas-configuration">${json}</script>`;
    if (recording)
        data += `\n<script type="application/octet-stream" id="fracas-recording">${Buffer.from(recording).toString("base64")}</script>`;
    return replaceLine(page, '<script type="application/json" id="fracas-configuration">{}</script>', data);
}
