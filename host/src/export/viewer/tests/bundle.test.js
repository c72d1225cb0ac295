import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { Script } from "node:vm";

import { bundleModules, bundlePage, moduleOrder } from "./bundle.js";

const folder = new URL("../", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), "utf8");

test("the order has every module once, each after those that it imports", () => {
    const order = moduleOrder();
    assert.deepEqual(
        [...order].sort(),
        readdirSync(folder)
            .filter((name) => name.endsWith(".js"))
            .sort(),
    );
    order.forEach((name, place) => {
        for (const line of read(name)
            .split("\n")
            .filter((line) => line.startsWith("import "))) {
            const [, , from] = line.match(/^import \{ (.*) \} from "\.\/([a-z_]+\.js)";$/) ?? [];
            assert.ok(from, `${name} has an import that does not take one line: ${line}`);
            assert.ok(order.indexOf(from) < place, `${name} stands before ${from}`);
        }
    });
});

test("what is imported is exported, and what is imported is used", () => {
    for (const name of moduleOrder()) {
        for (const [line, names, from] of read(name).matchAll(/^import \{ (.*) \} from "\.\/([a-z_]+\.js)";$/gm)) {
            for (const imported of names.split(", ")) {
                assert.match(
                    read(from),
                    new RegExp(`^export (const|function|async function|class) ${imported}\\b`, "m"),
                    `${name}: ${line}`,
                );
                assert.ok(
                    read(name)
                        .replace(line, "")
                        .match(new RegExp(`\\b${imported}\\b`)),
                    `${name} does not use ${imported}`,
                );
            }
        }
    }
});

test("every top-level name stands once in all modules, and exports begin a declaration", () => {
    const owners = new Map();
    for (const name of moduleOrder()) {
        // What stands in backticks is for the graphics processor.
        for (const line of read(name)
            .replace(/`[^`]*`/g, "")
            .split("\n")) {
            assert.ok(!/^export (?!const |function |async function |class )/.test(line), `${name}: ${line}`);
            const [, , single, several] =
                line.match(/^(?:export )?(const|let|function|async function|class) (?:(\w+)|[[{](.*?)[\]}] =)/) ?? [];
            for (const declared of single ? [single] : (several?.split(",").map((part) => part.trim()) ?? [])) {
                assert.equal(
                    owners.get(declared),
                    undefined,
                    `${declared} is in ${owners.get(declared)} and in ${name}`,
                );
                owners.set(declared, name);
            }
        }
    }
    assert.ok(owners.size > 80);
});

test("one page holds everything, and asks for nothing from elsewhere", () => {
    const script = bundleModules();
    new Script(script);
    assert.ok(!/^\s*(import|export)\b/m.test(script) && !script.includes("</script"));
    const page = bundlePage({ embedded: "fracas-recording", title: "</script><b>" }, new Uint8Array([1, 2, 3]));
    assert.ok(page.includes("AQID") && page.includes('"title":"\\u003c/script>'));
    assert.equal(page.match(/<script/g).length, page.match(/<\/script>/g).length);
    assert.ok(
        !/(src|href)="(?!#|data:)/.test(page.replace(/<script[\s\S]*?<\/script>/g, "")),
        "the page refers to another file",
    );
    assert.ok(!page.includes("http:") || page.match(/http:/g).length === script.match(/http:/g).length);
});
